"""Probabilities of kernel classifiers: sigmoids of decision values of held-out samples."""

from __future__ import annotations

import copy
import warnings
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from softmargin import _core
from softmargin._checks import parameters, resources
from softmargin._checks.fields import Fields
from softmargin._checks.outcomes import Outcomes
from softmargin._checks.rows import native_rows
from softmargin._checks.stack import level_of_caller
from softmargin._estimators.decomposition import (
    Sides,
    binary_problems,
    coefficients,
    labels,
    n_binary,
)
from softmargin._estimators.probabilities import (
    couple,
    normalize_one_vs_rest,
    sigmoid,
)

if TYPE_CHECKING:
    from softmargin._core import _KernelSolver, _Start
    from softmargin._estimators.kernel_classifier import KernelClassifier as _Base
else:
    _Base = object

# Number of folds whose decision values the sigmoids are fitted to, as in LIBSVM.
_N_FOLDS = 5


def _is_probabilistic(model: Any) -> bool:
    if not model.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class Probabilistic(_Base):
    """Mixin for a :class:`KernelClassifier` with a parameter ``probability``.

    The probability of the first class of a binary problem is ``1 / (1 + exp(A f + B))`` of the
    decision value f. A and B are fitted to the decision values of five models, each trained
    without one fifth of the samples; the engine of model selection trains all of them at once.
    """

    probability: Any
    random_state: Any

    probA_: NDArray[np.float64]  # noqa: N815 (scikit-learn's name)
    probB_: NDArray[np.float64]  # noqa: N815 (scikit-learn's name)
    _SIGMOIDS: ClassVar[tuple[str, str]] = ("probA_", "probB_")

    def _fit_sigmoids(
        self,
        solver: _KernelSolver,
        X: Any,
        outcomes: Outcomes,
        by_class: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
        deadline: resources.Deadline,
    ) -> None:
        """Fit the sigmoids of all binary problems to the decision values of held-out samples."""
        codes = outcomes.codes
        self.probA_ = self.probB_ = np.empty(0)
        if not parameters.flag("probability", self.probability) or self._has_patterns():
            return
        k = len(self.classes_)
        # Every fold needs a sample of the most frequent class.
        n_folds = min(_N_FOLDS, int(np.bincount(codes).max()))
        held_out = np.zeros(len(codes), dtype=np.uint32)
        if n_folds > 1:
            held_out = _core.fold_labels(codes, k, n_folds, self._fold_seed())
        decisions = self._held_out(solver, X, codes, by_class, weights, held_out, deadline)
        signs = np.empty(decisions.shape, dtype=np.int8)
        for number, sides in enumerate(binary_problems(self._scheme, k)):
            signs[:, number] = labels(codes, sides)
        signs[np.isnan(decisions)] = 0
        if k == 2:
            # As in LIBSVM, the first class is positive; that of scikit-learn's is the second.
            signs, decisions = -signs, -decisions
        threads = resources.thread_count(self.n_jobs)
        self.probA_, self.probB_ = _core.fit_sigmoids(decisions, signs, weights, threads)

    def _fold_seed(self) -> int:
        """Return the seed of the folds; a generator is not advanced."""
        return parameters.seed(0 if self.random_state is None else copy.deepcopy(self.random_state))

    def _held_out(
        self,
        solver: _KernelSolver,
        X: Any,
        codes: NDArray[np.uint32],
        by_class: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
        held_out: NDArray[np.uint32],
        deadline: resources.Deadline,
    ) -> NDArray[np.float64]:
        """Return the decision values of each sample by a model that was trained without it."""
        splits: list[tuple[NDArray[np.uint32], NDArray[np.uint32]]] = []
        for fold in range(int(held_out.max()) + 1):
            train, test = np.flatnonzero(held_out != fold), np.flatnonzero(held_out == fold)
            if len(test) and len(np.unique(codes[train])) > 1:
                splits.append((train.astype(np.uint32), test.astype(np.uint32)))
        k = len(self.classes_)
        found = np.full((len(codes), n_binary(self._scheme, k)), np.nan)
        kernel = self._fitted_kernel()
        path = [self._train_value()]
        # The model of all samples is close to the solution of each fold.
        beta = np.zeros((len(self._model.dual_coef), len(codes)))
        beta[:, self._model.support] = self._model.dual_coef
        starts: list[_Start] = []
        for own in coefficients(beta, codes, self._scheme, k):
            used = np.flatnonzero(own)
            starts.append((used.astype(np.uint32), own[used]))
        jobs = [_core.Job(0, train, test, [kernel], [path], starts) for train, test in splits]
        evaluation = _core.Evaluation(solver, jobs)
        plan = _core.Plan(
            k,
            class_weights=by_class,
            multi_class=self._scheme,
            break_ties=False,
            scaling="none",
            single_precision=self._tolerates_rounding and kernel.kernel != "precomputed",
            decisions="pairs",
        )
        limits = _core.Limits(
            threads=resources.thread_count(self.n_jobs),
            memory_bytes=resources.cache_bytes(self.cache_size),
            time_limit=deadline.seconds_left(),
        )
        evaluation.run([_core.Source(native_rows(X), codes, weights)], plan, limits)
        n_done = 0
        for number, split in enumerate(splits):
            taken = evaluation.take_outputs(number, 0)
            if taken is not None:
                n_done += 1
                values = taken[1].reshape(len(split[1]), -1)
                _place(found, split[1], values, np.unique(codes[split[0]]), self._scheme, k)
        if n_done < len(splits):
            warnings.warn(
                f"probabilities are fitted to {n_done} of {len(splits)} folds only, because the "
                "time limit was reached; increase time_limit",
                ConvergenceWarning,
                stacklevel=level_of_caller(),
            )
        return found

    def _fitted_kernel(self) -> _core.Kernel:
        """Return the kernel of the fitted model, with the value of gamma."""
        kernel = self._engine_kernel()
        gamma = self._model.gamma if kernel.kernel != "precomputed" else 1.0
        return _core.Kernel(kernel.kernel, gamma, kernel.degree, kernel.coef0)

    def _has_patterns(self) -> bool:
        """Return whether the decision function contains probabilities already."""
        return self._scheme == "ordinal" and len(self.classes_) > 2

    @available_if(_is_probabilistic)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class.

        One-vs-one classifiers are combined by pairwise coupling, one-vs-rest classifiers by
        normalization. Classes are chosen by ``predict`` from the decision values, so that the
        class with the largest probability can be a different one: for two classes if the
        sigmoid does not cross 1/2 at the decision value 0, for more classes also if votes and
        probabilities disagree.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples. With ``kernel="precomputed"``, the kernel values of samples and training
            samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of ``classes_``.
        """
        check_is_fitted(self)
        samples = self._native_samples(X)
        threads = resources.thread_count(self.n_jobs)
        if self._has_patterns():
            return self._model.class_scores(samples, threads)
        if len(self.probA_) == 0:
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False"
            )
        decisions = self._model.decision_values(samples, threads)
        if len(self.classes_) == 2:
            first = sigmoid(-decisions[:, 0], self.probA_[0], self.probB_[0])
            return np.column_stack([first, 1.0 - first])
        each = sigmoid(decisions, self.probA_, self.probB_)
        return normalize_one_vs_rest(each) if self._scheme == "ovr" else couple(each)

    @available_if(_is_probabilistic)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples, as for :meth:`predict_proba`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms of probabilities; minus infinity for a probability of 0.
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def _saved_state(self) -> dict[str, Any]:
        state = super()._saved_state()
        return state | {name: getattr(self, name) for name in self._SIGMOIDS if len(self.probA_)}

    def _restore(self, saved: Fields) -> None:
        super()._restore(saved)
        parameters.flag("probability", self.probability)
        self.probA_ = self.probB_ = np.empty(0)
        if "probA_" in saved:
            shape = (len(self.intercept_),)
            self.probA_, self.probB_ = (saved.array(name, "f8", shape) for name in self._SIGMOIDS)

    def _check_fitted(self) -> None:
        super()._check_fitted()
        for name in self._SIGMOIDS:
            values = np.asarray(getattr(self, name, np.empty(0)))
            if values.shape not in ((0,), (len(self.intercept_),)) or not np.isfinite(values).all():
                raise ValueError(f"{name} does not contain a finite number per binary classifier")


def _place(
    found: NDArray[np.float64],
    test: NDArray[Any],
    values: NDArray[np.float64],
    present: NDArray[Any],
    scheme: str,
    n_classes: int,
) -> None:
    """Copy the decision values of a fold, whose model may lack some classes.

    Where one class of a pair is missing, the decision value is that of the other one.
    """
    if len(present) == n_classes:
        found[test] = values
        return
    own = {
        _classes(sides, present, scheme): values[:, number]
        for number, sides in enumerate(binary_problems(scheme, len(present)))
    }
    for number, sides in enumerate(binary_problems(scheme, n_classes)):
        pair = _classes(sides, np.arange(n_classes), scheme)
        if pair in own:
            found[test, number] = own[pair]
        elif pair[::-1] in own:
            found[test, number] = -own[pair[::-1]]
        else:
            has_first = sides.positive in present
            has_second = sides.negative is not None and sides.negative in present
            found[test, number] = float(has_first) - float(has_second)


def _classes(sides: Sides, present: NDArray[Any], scheme: str) -> tuple[int, int]:
    """Return the positive and the negative class of a binary problem; -1 for all others."""
    if sides.negative is None:
        return int(present[sides.positive]), -1
    if scheme == "ovr" and len(present) == 2:
        return int(present[sides.positive]), -1
    return int(present[sides.positive]), int(present[sides.negative])
