"""Text vectorizers of a pipeline count the terms of each document once for all splits."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.utils import _safe_indexing

from softmargin._selection.term_counts import (
    Part,
    TermCounts,
    count_part,
    growing_vocabulary,
)

# Parameters that do not change how often a term occurs in a document.
_LIMITS = {"min_df", "max_df", "max_features"}
_WITHOUT_EFFECT = _LIMITS | {"binary", "dtype", "norm", "use_idf", "smooth_idf", "sublinear_tf"}
# Seconds that processes must save to be started, and what they cost for each term of a document:
# vectorizers with their own tokenizer count about as fast as results are merged.
_LEAST_SECONDS = 3.0
_SECONDS_PER_TERM = 6e-7
# Seconds after which the remaining time is estimated.
_FIRST_SECONDS = 0.2
_BLOCK = 64


class _TooLargeError(Exception):
    """The counts exceed the memory budget."""


class _Run(NamedTuple):
    """The documents of an evaluation, and its limits."""

    documents: NDArray[Any]
    n_workers: int
    budget_bytes: int
    # The settings that were requested.
    keys: set[Any]


class _Entry(NamedTuple):
    """The counts of a setting; None if they cannot be shared."""

    counts: TermCounts | None
    # Objects whose addresses are part of the key.
    values: Any


class SharedTexts:
    """Counts of the terms of documents, shared by splits and by settings with the same terms.

    Only for ``CountVectorizer`` and ``TfidfVectorizer`` themselves as the first step. A user's
    tokenizer must return the same terms for the same text. Whatever is unusual, such as an
    exception of the tokenizer, is left to the vectorizer itself. Copies in other processes are
    empty and do not share.
    """

    def __init__(self) -> None:
        self._run: _Run | None = None
        self._X: Any = None
        self._entries: dict[Any, _Entry] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return SharedTexts, ()

    def start(
        self, X: Any, splits: Sequence[tuple[Any, Any]], n_workers: int, budget_bytes: int
    ) -> None:
        """Share the documents of these splits from now on."""
        if X is not self._X:
            self.clear()
        if not _is_texts(X):
            return
        is_used = np.zeros(len(X), dtype=bool)
        for split in splits:
            for part in split:
                is_used[part] = True
        self._X = X
        self._run = _Run(np.flatnonzero(is_used), n_workers, budget_bytes, set())

    def clear(self) -> None:
        """Stop sharing, and release all counts."""
        self._run, self._X, self._entries = None, None, {}

    def shares(self, step: Any, params: Mapping[str, Any], X: Any) -> bool:
        """Return whether the splits share the counts of a first step with these parameters."""
        if self._run is None or X is not self._X or not _is_plain(step, params):
            return False
        entry = self._entries.get(_key(params))
        return entry is None or entry.counts is not None

    def transformed(
        self,
        step: Any,
        params: Mapping[str, Any],
        X: Any,
        train: NDArray[Any],
        scored: list[NDArray[Any]],
    ) -> tuple[Any, list[Any]] | None:
        """Return the transformed training documents, and others; None if the step must do it.

        ``step`` is a new vectorizer; ``params`` are its parameters as given by the user.
        """
        if self._run is None or X is not self._X or not _is_plain(step, params):
            return None
        key = _key(params)
        if key in self._entries and self._entries[key].counts is None:
            return None
        try:
            probe = _checked(step)
            try:
                counts = self._counted(key, probe, params, self._run)
            except Exception:
                self._entries[key] = _Entry(None, params)
                raise
            return counts.transformed(step, train, scored)
        except Exception:  # which the step raises again, unless it is about sharing
            return None

    def _counted(self, key: Any, probe: Any, params: Any, run: _Run) -> TermCounts:
        """Return counts that contain all documents of the run."""
        entry = self._entries.get(key)
        counts = None if entry is None else entry.counts
        if counts is None:
            fixed = probe.vocabulary_ if probe.fixed_vocabulary_ else None
            counts = TermCounts(len(self._X), fixed)
        missing = counts.missing(run.documents)
        if len(missing):
            for part in _parts(self._X, missing, probe, counts, run.n_workers):
                counts.add(*part)
                self._make_room(key, counts.n_bytes(), run)
            counts.build()
            self._entries[key] = _Entry(counts, params)
        run.keys.add(key)
        return counts

    def _make_room(self, key: Any, n_bytes: int, run: _Run) -> None:
        """Release counts that this run has not used, if necessary; raise an error if that fails."""
        for is_last in (False, True):
            others = [each.counts for name, each in self._entries.items() if name != key]
            used = sum(counts.n_bytes() for counts in others if counts is not None)
            if used + n_bytes <= run.budget_bytes:
                return
            if is_last:
                raise _TooLargeError
            self._entries = {
                name: each for name, each in self._entries.items() if name in run.keys | {key}
            }


def _is_texts(X: Any) -> bool:
    """Return whether X is a list, array or series whose first element is a text."""
    kind = type(X)
    if kind is np.ndarray:
        is_known = X.ndim == 1 and X.dtype.kind in "OU"
    else:
        is_known = kind is list or (kind.__name__ == "Series" and "pandas" in kind.__module__)
    if not is_known or not len(X):
        return False
    return isinstance(next(iter(_safe_indexing(X, [0]))), str | bytes)


def _is_plain(step: Any, params: Mapping[str, Any]) -> bool:
    if type(step) not in (CountVectorizer, TfidfVectorizer):
        return False
    # Other iterables may be exhausted by the first fit.
    is_known = type(params["vocabulary"]) in (dict, list, tuple, set, type(None))
    has_output = hasattr(step, "_sklearn_output_config")
    return is_known and params["input"] == "content" and not has_output


def _key(params: Mapping[str, Any]) -> Any:
    from softmargin._selection.steps import key_of  # which imports this module

    return key_of({name: params[name] for name in params if name not in _WITHOUT_EFFECT})


def _checked(step: Any) -> Any:
    """Return a copy of a vectorizer after ``fit`` without documents.

    It checks the parameters, and warns, as each fit does. Raises an exception for invalid ones.
    """
    probe = clone(step)
    try:
        probe.fit_transform([])
    except ValueError:
        # The vocabulary is checked after the parameters; then the missing documents are found.
        if not hasattr(probe, "fixed_vocabulary_"):
            raise
    return probe


def _parts(
    X: Any, documents: NDArray[Any], probe: Any, counts: TermCounts, n_workers: int
) -> Iterator[tuple[Any, ...]]:
    """Count documents here or, if that takes long, in processes; yield arguments of ``add``."""
    analyze = probe.build_analyzer()
    start = time.monotonic()
    done = n_terms = 0
    is_measured = n_workers == 1
    while done < len(documents):
        seconds = time.monotonic() - start
        if done and not is_measured and seconds > _FIRST_SECONDS:
            is_measured = True
            saved = seconds * (1 - 1 / n_workers) - n_terms * _SECONDS_PER_TERM
            if saved * (len(documents) / done - 1) > _LEAST_SECONDS:
                found = _in_processes(X, documents[done:], probe, n_workers)
                yield from found
                if found:
                    return
        block = documents[done : done + _BLOCK]
        part = count_part(analyze, _safe_indexing(X, block), counts.vocabulary)
        yield block, part
        done += len(block)
        n_terms += len(part.terms)


def _in_processes(
    X: Any, documents: NDArray[Any], probe: Any, n_workers: int
) -> list[tuple[Any, ...]]:
    """Return counted documents; nothing if processes or the vectorizer do not allow it."""
    chunks = [part for part in np.array_split(documents, 2 * n_workers) if len(part)]
    calls = (joblib.delayed(_count)(probe, _safe_indexing(X, chunk)) for chunk in chunks)
    try:
        with joblib.parallel_config("loky"):
            found = joblib.Parallel(n_jobs=n_workers)(calls)
    except Exception:  # a vectorizer that cannot be pickled, or no processes
        return []
    return [(chunk, *own) for chunk, own in zip(chunks, found, strict=True)]


def _count(probe: Any, documents: Any) -> tuple[Part, list[Any] | None]:
    """Count documents in a process; also return the terms if they are not given."""
    vocabulary = probe.vocabulary_ if probe.fixed_vocabulary_ else growing_vocabulary()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the main process has warned
        part = count_part(probe.build_analyzer(), documents, vocabulary)
    return part, None if probe.fixed_vocabulary_ else list(vocabulary)
