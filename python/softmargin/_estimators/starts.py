"""Where the training of an exact machine starts: support vectors of other machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from softmargin._checks.fields import Fields
from softmargin._estimators.decomposition import coefficients
from softmargin._estimators.kernel import KernelClassifier

if TYPE_CHECKING:
    from softmargin._core import _Start

# Rows of the first working set of the core, where no other size is asked for.
_WORKING_SET = 128


def from_estimator(
    estimator: Any, classes: NDArray[Any], codes: NDArray[np.uint32], scheme: str
) -> list[_Start]:
    """Return the coefficients of a fitted estimator as the start of each machine."""
    if not isinstance(estimator, KernelClassifier):
        raise TypeError(
            f"init is a {type(estimator).__name__}, but must be a fitted estimator of softmargin "
            "with a kernel, or an array of row numbers"
        )
    check_is_fitted(estimator)
    if not np.array_equal(np.sort(estimator.classes_), np.sort(classes)):
        raise ValueError("init was fitted to other classes than y has")
    if len(classes) > 2 and estimator._scheme != scheme:
        raise ValueError(
            f"init was fitted with multi_class = {estimator._scheme!r}, but this estimator has "
            f"{scheme!r}"
        )
    if not np.array_equal(estimator.classes_, classes):
        raise ValueError("init was fitted to the classes of y in another order")
    if len(estimator.support_) and int(estimator.support_.max()) >= len(codes):
        raise ValueError(
            f"init has row {int(estimator.support_.max())} as a support vector, but X has "
            f"{len(codes)} rows: it must have been fitted to the same rows"
        )
    dual_coef = estimator._model.dual_coef
    beta = np.zeros((len(dual_coef), len(codes)))
    beta[:, estimator.support_] = dual_coef
    starts: list[_Start] = []
    for own in coefficients(beta, codes, scheme, len(classes)):
        samples = np.flatnonzero(own)
        starts.append((samples.astype(np.uint32), own[samples]))
    return starts


def from_rows(rows: Any, n_rows: int, n_machines: int) -> list[_Start]:
    """Return row numbers as the first rows of every machine."""
    numbers = np.asarray(rows)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise TypeError(
            "init must be a fitted estimator of softmargin with a kernel, or a one-dimensional "
            "array of row numbers"
        )
    if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) < n_rows:
        raise ValueError(f"init names a row outside of the {n_rows} rows of X")
    return [(numbers.astype(np.uint32), None)] * n_machines


def only(starts: list[_Start], used: NDArray[np.intp], n_rows: int) -> list[_Start]:
    """Return starts by the numbers of the used rows, without those that are not used."""
    number = np.full(n_rows, n_rows, dtype=np.int64)
    number[used] = np.arange(len(used))
    cut: list[_Start] = []
    for rows, beta in starts:
        new = number[rows]
        is_used = new < n_rows
        cut.append((new[is_used].astype(np.uint32), None if beta is None else beta[is_used]))
    return cut


class SeedQueue:
    """The support vectors that a machine met last, as many as its working set has rows.

    First in, first out (paper 002); a row that is met again moves to the end.
    """

    def __init__(self, n_machines: int, size: int | None) -> None:
        self.size = _WORKING_SET if size is None else size
        self.rows: list[NDArray[np.uint32]] = [np.empty(0, np.uint32)] * n_machines

    def push(self, found: list[_Start]) -> None:
        """Add the support vectors of each machine."""
        for machine, (new, _) in enumerate(found):
            old = self.rows[machine]
            self.rows[machine] = np.r_[old[~np.isin(old, new)], new][-self.size :]

    def starts(self) -> list[_Start]:
        """Return the rows to begin with."""
        return [(rows, None) for rows in self.rows]

    def to_state(self) -> dict[str, Any]:
        """Return the queues as plain values for a pickle."""
        return {"size": self.size, "rows": self.rows}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> SeedQueue:
        """Return the queues of a pickle."""
        size: Any = state.get("size")
        rows: Any = state.get("rows")
        is_queue = isinstance(size, int) and isinstance(rows, list)
        if not is_queue or not all(getattr(own, "dtype", None) == np.uint32 for own in rows):
            raise ValueError("this is not the state of an SVC: _seeds is not a queue of samples")
        queue = cls(len(rows), size)
        queue.rows = rows
        return queue

    def to_fields(self) -> dict[str, Any]:
        """Return the queues as parts of a file."""
        return {
            "seeds/size": int(self.size),
            "seeds/lengths": np.array([len(rows) for rows in self.rows], dtype=np.int64),
            "seeds/rows": np.concatenate(self.rows),
        }

    @classmethod
    def from_fields(cls, saved: Fields, n_machines: int, n_rows: int) -> SeedQueue | None:
        """Return the queues of a file, if it has some."""
        if "seeds/size" not in saved:
            return None
        queue = cls(n_machines, saved.integer("seeds/size", 1))
        lengths = saved.array("seeds/lengths", "i8", (n_machines,))
        rows = saved.array("seeds/rows", "u4", (None,))
        fits = (lengths >= 0).all() and sum(lengths.tolist()) == len(rows)
        if not fits or (lengths > queue.size).any() or (rows >= n_rows).any():
            raise ValueError("'seeds/lengths' and 'seeds/rows' do not fit the rest")
        queue.rows = np.split(rows, np.cumsum(lengths)[:-1])
        return queue
