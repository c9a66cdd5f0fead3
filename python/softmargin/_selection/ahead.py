"""Slow steps of pipelines, such as text vectorizers, are fitted in several processes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
from sklearn.utils import _safe_indexing

from softmargin._selection.samples import Samples, Sources, Split
from softmargin._selection.steps import Prepared, Setting

if TYPE_CHECKING:
    from softmargin._selection.candidates import Candidates

# Seconds of remaining work from which starting processes pays off.
_LEAST_SECONDS = 1.0


class Ahead:
    """Transforms the samples of the next splits in processes, if the first one took long.

    Only for samples that are not numbers, such as texts: their steps hold the interpreter's lock,
    so that threads would not help, and their results do not depend on the process. ``pairs`` are
    the splits and settings that will be requested, in this order.
    """

    def __init__(
        self,
        sources: Sources,
        candidates: Candidates,
        pairs: list[tuple[int, int]],
        n_workers: int,
    ) -> None:
        self._sources = sources
        self._candidates = candidates
        self._pairs: dict[int, list[int]] = {}
        for split, setting in pairs:
            self._pairs.setdefault(split, []).append(setting)
        samples = sources.samples
        has_steps = samples.steps is not None and bool(samples.steps.names)
        is_useful = has_steps and n_workers > 1 and len(self._pairs) > 2 and _has_texts(samples)
        self._n_workers = n_workers if is_useful else 1
        self._start: float | None = None
        self._seconds: float | None = None

    def prepared(self, split: int, setting: int) -> dict[tuple[int, int], Prepared | Exception]:
        """Return transformed samples of this and the following splits; nothing if that is quick."""
        if self._n_workers == 1 or split not in self._pairs:
            return {}
        if self._start is None:
            # The first split is transformed here, and measured.
            self._start = time.monotonic()
            self._first = split
            return {}
        if split == self._first:
            return {}
        if self._seconds is None:
            self._seconds = time.monotonic() - self._start
            del self._pairs[self._first]
            self._leave_out_shared()
        if split not in self._pairs:
            return {}
        if self._seconds * len(self._pairs) < _LEAST_SECONDS:
            self._n_workers = 1
            return {}
        chosen = list(self._pairs)[: self._n_workers]
        samples, splits = self._sources.samples, self._sources.splits
        # A process gets only what it needs to fit the steps.
        calls = [
            joblib.delayed(_transform)(
                samples,
                splits[number],
                [self._candidates.settings[own] for own in self._pairs[number]],
                self._sources.scores_train,
            )
            for number in chosen
        ]
        # Later steps may use BLAS, whose results depend on its number of threads.
        n_threads = max(int(joblib.cpu_count()) // self._n_workers, 1)
        try:
            with joblib.parallel_config("loky", inner_max_num_threads=n_threads):
                found = joblib.Parallel(n_jobs=self._n_workers)(calls)
        except Exception:  # samples or steps that cannot be pickled, or no processes
            self._n_workers = 1
            return {}
        results: dict[tuple[int, int], Prepared | Exception] = {}
        for number, own in zip(chosen, found, strict=True):
            results |= {
                (number, key): value
                for key, value in zip(self._pairs.pop(number), own, strict=True)
            }
        return results

    def _leave_out_shared(self) -> None:
        """Leave out the settings whose terms are counted once for all splits."""
        samples, settings = self._sources.samples, self._candidates.settings
        is_shared = [samples.shares_texts(setting) for setting in settings]
        left = {
            split: [number for number in numbers if not is_shared[number]]
            for split, numbers in self._pairs.items()
        }
        self._pairs = {split: numbers for split, numbers in left.items() if numbers}


def _has_texts(samples: Samples) -> bool:
    """Return whether the first sample is a text."""
    X = samples.X if samples.given is None else samples.given[0]
    first = _safe_indexing(X, [0])
    values = np.asarray(first).ravel()
    return len(values) == 1 and isinstance(values[0], str | bytes)


def _transform(
    samples: Samples, split: Split, settings: list[Setting], scores_train: bool
) -> list[Any]:
    """Return the transformed samples of a split for each setting, or the exceptions."""
    sources = Sources(samples, [split], scores_train)
    results: list[Any] = []
    for setting in settings:
        try:
            results.append(sources.transform(0, setting))
        except Exception as error:
            results.append(error)
    return results
