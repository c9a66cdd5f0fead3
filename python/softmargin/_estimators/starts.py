"""Starting points of exact solvers: coefficients or support vectors of earlier solutions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from softmargin._checks.fields import Fields
from softmargin._checks.outcomes import Outcomes
from softmargin._estimators.decomposition import binary_problems, coefficients, labels
from softmargin._estimators.kernel import KernelMachine

if TYPE_CHECKING:
    from softmargin._core import _Start

# Initial size of the working set in the core.
_WORKING_SET = 128


def from_estimator(estimator: Any, outcomes: Outcomes, scheme: str) -> list[_Start]:
    """Return the coefficients of a fitted estimator as starting points."""
    if not isinstance(estimator, KernelMachine):
        raise TypeError(
            f"init is a {type(estimator).__name__}, but must be a fitted estimator of softmargin "
            "with a kernel, or an array of sample indices"
        )
    check_is_fitted(estimator)
    codes = outcomes.codes
    _check_classes(estimator, outcomes.classes, scheme)
    if len(estimator.support_) and int(estimator.support_.max()) >= len(codes):
        raise ValueError(
            f"sample {int(estimator.support_.max())} is a support vector of init, but X has "
            f"{len(codes)} samples; init must have been fitted to the same samples"
        )
    dual_coef = estimator._model.dual_coef
    beta = np.zeros((len(dual_coef), len(codes)))
    beta[:, estimator.support_] = dual_coef
    starts: list[_Start] = []
    for own in coefficients(beta, codes, scheme, outcomes.n_classes):
        samples = np.flatnonzero(own)
        starts.append((samples.astype(np.uint32), own[samples]))
    return starts


def _check_classes(estimator: KernelMachine, classes: NDArray[Any] | None, scheme: str) -> None:
    """Raise ValueError if a fitted estimator does not have the machines of these classes."""
    known = estimator._fitted_classes()
    if known is None or classes is None:
        if known is not classes:
            name = type(estimator).__name__
            raise ValueError(f"init is a {name}, which solves a problem of another kind")
        return
    if not np.array_equal(np.sort(known), np.sort(classes)):
        raise ValueError("init was fitted to other classes than those of y")
    if len(classes) > 2 and estimator._scheme != scheme:
        raise ValueError(
            f"init was fitted with multi_class = {estimator._scheme!r}, but this estimator has "
            f"{scheme!r}"
        )
    if not np.array_equal(known, classes):
        raise ValueError("init was fitted to the classes of y in another order")


def from_indices(indices: Any, n_samples: int, n_classifiers: int) -> list[_Start]:
    """Return sample indices as the first working set of every binary classifier."""
    checked = np.asarray(indices)
    if checked.ndim != 1 or checked.dtype.kind not in "iu":
        raise TypeError(
            "init must be a fitted estimator of softmargin with a kernel, or a one-dimensional "
            "array of sample indices; SVC and NuSVC also accept 'random'"
        )
    if len(checked):
        for index in (int(checked.min()), int(checked.max())):
            if not 0 <= index < n_samples:
                raise ValueError(
                    f"init contains the sample index {index}, but X has {n_samples} samples"
                )
    return [(checked.astype(np.uint32), None)] * n_classifiers


def drawn(outcomes: Outcomes, scheme: str, seed: int) -> list[_Start]:
    """Return the samples of each binary classifier in random order as its first working set.

    The set contains as many of them as there is room for.
    """
    random = np.random.default_rng(seed)
    starts: list[_Start] = []
    for sides in binary_problems(scheme, outcomes.n_classes):
        members = np.flatnonzero(labels(outcomes.codes, sides))
        starts.append((random.permutation(members).astype(np.uint32), None))
    return starts


def keep_used(starts: list[_Start], used: NDArray[np.intp], n_samples: int) -> list[_Start]:
    """Remove unused samples from starting points, and renumber the others."""
    position = np.full(n_samples, n_samples, dtype=np.int64)
    position[used] = np.arange(len(used))
    kept: list[_Start] = []
    for samples, beta in starts:
        new = position[samples]
        is_used = new < n_samples
        kept.append((new[is_used].astype(np.uint32), None if beta is None else beta[is_used]))
    return kept


class SeedQueue:
    """The latest support vectors of each binary classifier, as many as fit a working set.

    A first-in, first-out queue, oldest first (Nguyen and Ho 2005); a sample that is pushed again
    moves to the end.
    """

    def __init__(self, n_classifiers: int, size: int | None) -> None:
        self.size = _WORKING_SET if size is None else size
        self.rows: list[NDArray[np.uint32]] = [np.empty(0, np.uint32)] * n_classifiers

    def push(self, found: list[_Start]) -> None:
        """Add the support vectors of each binary classifier."""
        for number, (new, _) in enumerate(found):
            old = self.rows[number]
            self.rows[number] = np.r_[old[~np.isin(old, new)], new][-self.size :]

    def starts(self) -> list[_Start]:
        """Return the first working set of each binary classifier, the latest samples first.

        The set contains as many of them as there is room for: it may have become smaller.
        """
        return [(samples[::-1].copy(), None) for samples in self.rows]

    def to_state(self) -> dict[str, Any]:
        """Return the queues as plain values to pickle."""
        return {"size": self.size, "rows": self.rows}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> SeedQueue:
        """Return the queues of a pickled state."""
        size: Any = state.get("size")
        samples: Any = state.get("rows")
        is_queue = isinstance(size, int) and isinstance(samples, list)
        if not is_queue or not all(getattr(own, "dtype", None) == np.uint32 for own in samples):
            raise ValueError("this is not the state of an SVC: _seeds is not a queue of samples")
        queue = cls(len(samples), size)
        queue.rows = samples
        return queue

    def to_fields(self) -> dict[str, Any]:
        """Return the queues as fields of a file."""
        return {
            "seeds/size": int(self.size),
            "seeds/lengths": np.array([len(samples) for samples in self.rows], dtype=np.int64),
            "seeds/rows": np.concatenate(self.rows),
        }

    @classmethod
    def from_fields(cls, saved: Fields, n_classifiers: int, n_samples: int) -> SeedQueue | None:
        """Return the queues in a file, or None."""
        if "seeds/size" not in saved:
            return None
        queue = cls(n_classifiers, saved.integer("seeds/size", 1))
        lengths = saved.array("seeds/lengths", "i8", (n_classifiers,))
        samples = saved.array("seeds/rows", "u4", (None,))
        fits = (lengths >= 0).all() and sum(lengths.tolist()) == len(samples)
        if not fits or (lengths > queue.size).any() or (samples >= n_samples).any():
            raise ValueError("'seeds/lengths' and 'seeds/rows' are inconsistent")
        queue.rows = np.split(samples, np.cumsum(lengths)[:-1])
        return queue
