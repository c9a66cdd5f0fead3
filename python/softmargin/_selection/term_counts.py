"""Counts of the terms of documents, and the matrices that text vectorizers return for splits.

The terms of a document do not depend on the split; the vocabulary, the document frequencies and
the limits on both do. The matrices of a split equal those of scikit-learn's vectorizers bit for
bit. Therefore the terms of each document keep the order of their first occurrence: scikit-learn
numbers terms in this order, and adds up the norms of training documents in it.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer

# Bytes of a term in a dictionary, and of a term of a document.
_TERM_BYTES = 200
_ENTRY_BYTES = 8


class UnusualTermsError(Exception):
    """Terms whose order scikit-learn may determine differently for each split."""


class Part(NamedTuple):
    """Terms of some documents by number, in the order of their first occurrence, and counts."""

    terms: NDArray[np.int32]
    counts: NDArray[np.int32]
    # The number of different terms of each document.
    lengths: NDArray[np.int64]


def count_part(
    analyze: Callable[[Any], Iterable[Any]], documents: Iterable[Any], vocabulary: dict[Any, int]
) -> Part:
    """Count the terms of documents; unknown terms are left out unless the vocabulary grows."""
    terms, counts, lengths = array("i"), array("i"), array("q")
    grows = isinstance(vocabulary, defaultdict)
    for document in documents:
        found: Mapping[Any, int] = Counter(iter(analyze(document)))
        if not grows:
            found = {term: count for term, count in found.items() if term in vocabulary}
        terms.extend(map(vocabulary.__getitem__, found))
        counts.extend(found.values())
        lengths.append(len(found))
    return Part(
        np.array(terms, dtype=np.int32),
        np.array(counts, dtype=np.int32),
        np.array(lengths, dtype=np.int64),
    )


def growing_vocabulary() -> dict[Any, int]:
    """Return a vocabulary that numbers new terms."""
    vocabulary: defaultdict[Any, int] = defaultdict()
    vocabulary.default_factory = vocabulary.__len__
    return vocabulary


class TermCounts:
    """The counts of all terms in documents that were added so far.

    ``fixed`` is the vocabulary given by the user; None if it is determined from the documents.
    """

    def __init__(self, n_documents: int, fixed: dict[Any, int] | None = None) -> None:
        self.fixed = fixed
        self.vocabulary = growing_vocabulary() if fixed is None else fixed
        self._parts: list[Part] = []
        self._n_added = 0
        # The position of each document among those added; -1 if it was not added.
        self._row_of = np.full(n_documents, -1, dtype=np.intp)
        self._built: tuple[Any, NDArray[np.int32]] | None = None

    def missing(self, documents: NDArray[Any]) -> NDArray[Any]:
        """Return those documents that were not added."""
        is_missing: NDArray[np.bool_] = self._row_of[documents] < 0
        return documents[is_missing]

    def add(self, documents: NDArray[Any], part: Part, names: list[Any] | None = None) -> None:
        """Add counted documents; ``names`` are the terms if the part has its own vocabulary."""
        if names is not None:
            numbers = np.fromiter(map(self.vocabulary.__getitem__, names), np.int32, len(names))
            part = part._replace(terms=numbers[part.terms])
        self._row_of[documents] = np.arange(self._n_added, self._n_added + len(documents))
        self._n_added += len(documents)
        self._parts.append(part)
        self._built = None

    def n_bytes(self) -> int:
        """Return the memory of the counts, roughly."""
        n_terms = len(self.vocabulary) if self.fixed is None else 0
        return n_terms * _TERM_BYTES + sum(len(part.terms) for part in self._parts) * _ENTRY_BYTES

    def build(self) -> tuple[Any, NDArray[np.int32]]:
        """Return the counts by document, and the position of each term among all sorted terms.

        Raises UnusualTermsError for terms that are not texts.
        """
        if self._built is None:
            if self.fixed is None and set(map(type, self.vocabulary)) - {str}:
                raise UnusualTermsError
            terms, counts, lengths = map(np.concatenate, zip(*self._parts, strict=True))
            if len(terms) > np.iinfo(np.int32).max:
                raise UnusualTermsError
            indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
            shape = (len(lengths), len(self.vocabulary))
            rank = np.empty(len(self.vocabulary), dtype=np.int32)
            if self.fixed is None:
                ordered = map(self.vocabulary.__getitem__, sorted(self.vocabulary))
                rank[np.fromiter(ordered, np.intp, len(rank))] = np.arange(len(rank))
            self._parts = [Part(terms, counts, lengths)]
            self._built = sp.csr_array((counts, terms, indptr), shape=shape), rank
        return self._built

    def transformed(
        self, step: Any, train: NDArray[Any], scored: list[NDArray[Any]]
    ) -> tuple[Any, list[Any]] | None:
        """Return what ``fit_transform`` of training documents and ``transform`` of others return.

        None if ``fit_transform`` would raise an exception because no terms remain.
        """
        matrix, rank = self.build()
        own = matrix[self._row_of[train]]
        parts = [matrix[self._row_of[part]] for part in scored]
        if self.fixed is None:
            fitted = _fitted(step, own, rank)
            if fitted is None:
                return None
            X, column = fitted
            others = [_of_columns(step, part, column, X.shape[1]) for part in parts]
        else:
            X, *others = (_typed(step, part, part.indices, part.shape[1]) for part in (own, *parts))
            for each in (X, *others):
                each.sort_indices()
        # The kind of sparse container depends on the version and the configuration.
        kind = type(CountVectorizer(vocabulary=["a"]).transform(["a"]))
        X, *others = (each if type(each) is kind else kind(each) for each in (X, *others))
        if type(step) is not TfidfVectorizer:
            return X, others
        names = ("norm", "use_idf", "smooth_idf", "sublinear_tf")
        weighting = TfidfTransformer(**{name: getattr(step, name) for name in names}).fit(X)
        X, *others = (weighting.transform(each, copy=False) for each in (X, *others))
        return X, others


def _typed(step: Any, counts: Any, columns: NDArray[np.int32], n_columns: int) -> Any:
    """Return counts in other columns, as a matrix of the vectorizer's type."""
    shape = (counts.shape[0], n_columns)
    found = sp.csr_array((counts.data, columns, counts.indptr), shape=shape, dtype=step.dtype)
    if step.binary:
        found.data = np.ones_like(found.data)
    return found


def _fitted(step: Any, counts: Any, rank: NDArray[np.int32]) -> tuple[Any, Any] | None:
    """Return the counts of training documents in the columns of their terms within the limits.

    Also returns the column of each term, which is -1 if there is none. The terms of a document
    stay in the order of their first occurrence in the training documents. None if no terms remain.
    """
    n_documents, n_terms = counts.shape
    high: Any
    low: Any
    high = step.max_df if isinstance(step.max_df, Integral) else step.max_df * n_documents
    low = step.min_df if isinstance(step.min_df, Integral) else step.min_df * n_documents
    if high < low or not counts.nnz:
        return None
    # The last of several assignments to one place is kept: that of the first occurrence.
    first = np.full(n_terms, -1, dtype=np.intp)
    first[counts.indices[::-1]] = np.arange(counts.nnz)[::-1]
    seen = np.flatnonzero(first >= 0)
    seen = seen[np.argsort(first[seen])]
    number = np.empty(n_terms, dtype=np.int32)
    number[seen] = np.arange(len(seen))
    X = _typed(step, counts, number[counts.indices], len(seen))
    X.sort_indices()
    # From the order of first occurrence to sorted terms.
    by_name = np.argsort(rank[seen])
    place = np.empty(len(seen), dtype=np.int32)
    place[by_name] = np.arange(len(seen))
    X = _typed(step, X, place[X.indices], len(seen))
    frequencies = np.bincount(X.indices, minlength=len(seen))
    mask = (frequencies <= high) & (frequencies >= low)
    if step.max_features is not None and mask.sum() > step.max_features:
        # The same calls as in scikit-learn, since the sort is not stable.
        sums = np.asarray(X.sum(axis=0)).ravel()
        kept = (-sums[mask]).argsort()[: step.max_features]
        chosen = np.zeros(len(seen), dtype=bool)
        chosen[np.where(mask)[0][kept]] = True
        mask = chosen
    if not mask.any():
        return None
    column = np.full(n_terms, -1, dtype=np.int32)
    column[seen[by_name][mask]] = np.arange(mask.sum())
    return X if mask.all() else X[:, np.where(mask)[0]], column


def _of_columns(step: Any, counts: Any, column: NDArray[np.int32], n_columns: int) -> Any:
    """Return the counts of documents in the columns of a fitted vectorizer."""
    columns = column[counts.indices]
    is_kept = columns >= 0
    before = np.concatenate([[0], np.cumsum(is_kept)])
    found = sp.csr_array(
        (counts.data[is_kept], columns[is_kept], before[counts.indptr].astype(np.int32)),
        shape=(counts.shape[0], n_columns),
    )
    found = _typed(step, found, found.indices, n_columns)
    found.sort_indices()
    return found
