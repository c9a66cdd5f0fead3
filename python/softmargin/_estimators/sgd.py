"""Stochastic gradient descent: Pegasos and its variants."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length, column_or_1d

from softmargin._checks import class_order, parameters, resources
from softmargin._checks.fields import Fields
from softmargin._checks.labels import check_labels, check_no_missing_labels, codes_of
from softmargin._checks.rollback import restore_on_failure
from softmargin._checks.rows import check_rows
from softmargin._checks.weights import class_weights, sample_weights
from softmargin._core import SgdSolver
from softmargin._estimators import rule_state
from softmargin._estimators.linear import LinearClassifier
from softmargin._estimators.rule_state import State

if TYPE_CHECKING:
    from softmargin._core import LinearFit

_OPTIMIZERS = ("pegasos", "sgd", "momentum", "nag", "rmsprop")
# Passes through blocks, whose samples are not counted beforehand.
_EPOCHS = 20
# Those whose memory is a mean of weights.
_AVERAGED = ("pegasos", "sgd")


class SGDSVC(LinearClassifier):
    """Linear support vector machine trained by stochastic gradient descent.

    Minimises ``lambda / 2 |w|^2 + mean of max(0, 1 - y f(x))`` in a fixed number of steps, each
    of which looks at a row, or a few. A step on sparse rows costs as much as their stored
    values (``"rmsprop"``: as there are features). For rows that come in blocks, or do not fit
    into memory, there are :meth:`partial_fit` and :meth:`fit_blocks`.

    Parameters
    ----------
    optimizer : {"pegasos", "sgd", "momentum", "nag", "rmsprop"}, default="pegasos"
        Steps of length 1 / (lambda t); of ``eta0 / (1 + lambda eta0 t)``; with a velocity;
        with a velocity and the gradient where it leads; or divided, feature by feature, by
        the root of the mean squared gradient. (S. Shalev-Shwartz et al., Pegasos, 2011; S. Lu
        and Z. Jin, Improved Stochastic Gradient Descent Algorithm for SVM, 2017.)
    lambda_ : float, default=1e-4
        The weight of the norm.
    C : float or None, default=None
        Where it is given, lambda is 1 / (C n), n the rows of a machine: the problem of
        :class:`LinearSVC` with ``loss="hinge"``.
    epochs : int or "auto", default="auto"
        Number of passes over the training data; an upper bound if training stops early.
        "auto" takes 20 passes, or, below 150 samples, as many as visit 3,000 samples.
    batch_size : int, default=1
        Rows of a step.
    project : bool, default=False
        Whether "pegasos" keeps w in the ball of radius 1 / sqrt(lambda), which has the optimum
        (with weights, of the root of their mean, divided by lambda).
    average : float, default=0.5
        The share of the steps, the last ones, whose mean weights are the result ("pegasos" and
        "sgd"); 0 for the weights of the last step. :meth:`partial_fit` averages all steps.
    eta0 : float or None, default=None
        The (first) step length; None for one that fits the rows: 1 / (mean |x|^2 + lambda),
        times 0.3 for "sgd" and 0.1 (1 - momentum) for "momentum" and "nag"; 0.01 for "rmsprop".
        The mean is taken over the first 1,000 samples that a binary classifier is given, in
        the order of X. :meth:`partial_fit` and :meth:`fit_blocks` only have the samples of the
        first block: if it is smaller, "sgd", "momentum" and "nag" use another step length than
        one call of :meth:`fit`, unless ``eta0`` is given.
    momentum : float, default=0.9
        The share of the velocity that stays.
    fit_intercept : bool or "violators", default=True
        Whether there is a bias: the weight of a feature that is 1, part of the norm. Or found
        afterwards, as the mean of y - w.x of the rows that are not right by a margin of 1.
    shuffle : bool or "draw", default=True
        A new order of the rows for each epoch; the order given; or rows drawn at random.
    early_stopping : bool, default=False
        Hold out some rows of each label, and stop when their accuracy does not rise.
    validation_fraction : float, default=0.1
        The share of the rows that is held out.
    n_iter_no_change : int, default=5
        Epochs in a row without getting better by ``tol`` before it stops.
    tol : float or None, default=None
        What counts as better: the mean loss of an epoch, or the accuracy of the rows held out
        (there None is 0). None without ``early_stopping`` never stops early.
    multi_class : {"ovr", "ovo", "ordinal"}, default="ovr"
        A machine for each class against the rest; for each pair; or for neighbours in the
        order of the labels: that of an ordered pandas Categorical or a polars Enum, else the
        sorted one.
    class_weight : dict, "balanced" or None, default=None
        Factor of the loss of each class.
    warm_start : bool, default=False
        Go on from the last ``fit``, if it had the same classes and features.
    record_every : int or None, default=None
        Keep the weights every so many steps, for ``curve_``.
    time_limit : float or None, default=None
        Seconds after which training stops where it is, with a warning.
    random_state : int, RandomState or None, default=None
        Of the order of the rows.
    n_jobs : int or None, default=None
        Threads for the machines of several classes; the result does not depend on it.
    verbose : int, default=0
        Reports the number of steps on stderr while training.

    Attributes
    ----------
    classes_, coef_, intercept_
        As in scikit-learn's ``SGDClassifier``.
    n_iter_ : int
        Epochs of the longest machine.
    t_ : int
        Steps so far of the longest machine, those of earlier calls that it went on from included.
    status_ : list of str
        How the training of each machine ended.
    curve_ : dict of ndarray
        "step", "seconds", "objective", "loss", and with an ``eval_set`` "accuracy".

    Examples
    --------
    >>> from softmargin import SGDSVC
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_wine(return_X_y=True)
    >>> SGDSVC(random_state=0).fit(scale(X), y).score(scale(X), y) > 0.98
    True
    """

    __module__ = "softmargin"  # pickles do not depend on file names

    _method = "sgd"
    # What the states belong to.
    _optimizer: str
    _path = ("C", "lambda_")

    def __init__(
        self,
        optimizer: Literal["pegasos", "sgd", "momentum", "nag", "rmsprop"] = "pegasos",
        lambda_: float = 1e-4,
        C: float | None = None,
        epochs: int | Literal["auto"] = "auto",
        batch_size: int = 1,
        project: bool = False,
        average: float = 0.5,
        eta0: float | None = None,
        momentum: float = 0.9,
        fit_intercept: bool | Literal["violators"] = True,
        shuffle: bool | Literal["draw"] = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        tol: float | None = None,
        multi_class: Literal["ovr", "ovo", "ordinal"] = "ovr",
        class_weight: Any = None,
        warm_start: bool = False,
        record_every: int | None = None,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.optimizer = optimizer
        self.lambda_ = lambda_
        self.C = C
        self.epochs = epochs
        self.batch_size = batch_size
        self.project = project
        self.average = average
        self.eta0 = eta0
        self.momentum = momentum
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.record_every = record_every
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _starts(self, X: Any, classes: NDArray[Any]) -> list[State] | None:
        """Return where the last fit ended, if it was of such a problem."""
        self._check_warm_start()
        if not self.warm_start or not hasattr(self, "_states"):
            return None
        fits = len(self._states[0][1]) == X.shape[1] + 1 and self._scheme == self.multi_class
        if not fits or not np.array_equal(classes, self.classes_):
            return None
        # A mean starts anew.
        return self._states_of(self.optimizer not in _AVERAGED)

    def _check_warm_start(self) -> None:
        parameters.flag("warm_start", self.warm_start)

    def _states_of(self, with_memory: bool) -> list[State]:
        """Return the states, of another optimizer only what they have in common."""
        nothing = np.empty(0)
        if self._optimizer != self.optimizer:
            return [(t, w, nothing, 0, 0.0) for t, w, _, _, _ in self._states]
        if not with_memory:
            return [(t, w, nothing, 0, eta) for t, w, _, _, eta in self._states]
        return self._states

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go on training with one pass through some rows.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`.
        classes : array-like of labels, or None
            All labels that will ever come; needed in the first call only. With
            ``multi_class="ordinal"`` an ordered pandas Categorical states their order.

        Returns
        -------
        self
        """
        deadline = resources.Deadline(self.time_limit)
        with restore_on_failure(self):
            self._fit_block(X, y, classes, sample_weight, deadline)
        self._warn_if_not_converged()
        return self

    def _fit_block(
        self,
        X: Any,
        y: Any,
        classes: Any,
        sample_weight: Any,
        deadline: resources.Deadline,
        place: str | None = None,
    ) -> None:
        """Go on with a block of rows; ``place`` is what errors call it."""
        is_first = not hasattr(self, "_states")
        solver = self._block_solver()
        known = self._known_classes(classes, y, is_first)
        with _named(place):
            X = check_rows(X, estimator=self, reset=is_first, any_order=True)
            check_consistent_length(X, y)
            codes = _codes(y, known)
            if self._is_ordinal(known):
                class_order.check_same_order(y, known)
            weights = sample_weights(sample_weight, len(codes))
        by_class = class_weights(self.class_weight, known, codes)
        if not is_first and self._scheme != self.multi_class:
            raise ValueError(
                f"multi_class = {self.multi_class!r} is not valid: partial_fit began with "
                f"{self._scheme!r}"
            )
        states = None if is_first else self._states_of(with_memory=True)
        before = None if is_first else self._patterns
        found = self._train(solver, X, codes, by_class, weights, states, None, deadline)
        self.__dict__.pop("curve_", None)
        self._set_machines(found, known)
        self._set_patterns(X, codes, weights, before)

    def _block_solver(self) -> SgdSolver:
        """Return the solver for one pass through a block; reject what requires all samples."""
        if self.C is not None:
            raise ValueError(
                f"C = {self.C} is not valid in partial_fit: it counts rows, of which more may "
                "come; give lambda_ and leave C None"
            )
        if self.early_stopping or self.tol is not None:
            raise ValueError("early_stopping and tol have no meaning in partial_fit")
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight = 'balanced' is not valid in partial_fit: not all rows are known; "
                "give the weights as a dictionary"
            )
        self._n_epochs()  # not used here, but validated
        average = parameters.real("average", self.average)
        if not 0 <= average <= 1:
            raise ValueError(f"average = {self.average} is not valid: it must be from 0 to 1")
        return self._configure(epochs=1, average=1.0 if average else 0.0)

    def _is_ordinal(self, classes: NDArray[Any]) -> bool:
        """Tell whether the order of these classes counts."""
        return len(classes) > 2 and parameters.scheme(self.multi_class) == "ordinal"

    def _known_classes(self, classes: Any, y: Any, is_first: bool) -> NDArray[Any]:
        """Return all classes, those of ordinal machines in the order that is stated."""
        if is_first:
            if classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            known = check_labels(classes, "classes")[0]
            return self._in_order(known, classes, y) if self._is_ordinal(known) else known
        try:
            is_same = classes is None or (
                np.array_equal(np.unique(classes), np.sort(self.classes_))
            )
        except TypeError:  # labels without an order
            is_same = False
        if not is_same:
            raise ValueError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, "
                f"was: {self.classes_!r}"
            )
        if classes is not None and self._is_ordinal(self.classes_):
            class_order.check_same_order(classes, self.classes_, "classes")
        return self.classes_

    @staticmethod
    def _in_order(known: NDArray[Any], classes: Any, y: Any) -> NDArray[Any]:
        """Return sorted classes in the order that ``classes`` states, or else the labels."""
        order = class_order.order_of(classes, known)
        if order is None:
            order = class_order.order_of(y, known)
        if order is None:
            class_order.warn_if_text(known)
            return known
        if len(order) < len(known):
            missing = known.tolist()[int(np.setdiff1d(np.arange(len(known)), order)[0])]
            raise ValueError(
                f"y has ordered categories without the class {missing!r}; pass classes as an "
                "ordered Categorical that has all of them"
            )
        return known[order]

    def fit_blocks(
        self,
        blocks: Iterable[tuple[Any, ...]] | Callable[[], Iterable[tuple[Any, ...]]],
        classes: Any = None,
    ) -> Self:
        """Train on rows that come in blocks and need not fit into memory together.

        Parameters
        ----------
        blocks : iterable, or a function that returns one
            Of ``(X, y)`` or ``(X, y, sample_weight)``; gone through once for each of the
            ``epochs`` ("auto": 20 times). :class:`softmargin.LibsvmBlocks` is such an iterable. The
            order of the blocks is kept, rows are shuffled inside a block.
        classes : array-like of labels, or None
            All labels; None asks ``blocks.classes``, or looks through the blocks once.

        Returns
        -------
        self
        """
        deadline = resources.Deadline(self.time_limit)
        epochs = self._n_epochs() or _EPOCHS
        if classes is None:
            classes = getattr(blocks, "classes", None)
        if isinstance(blocks, Iterator) and (epochs > 1 or classes is None):
            raise ValueError(
                "blocks can be gone through only once, but is needed more often; pass a list, or "
                "a function that returns an iterator"
            )

        def each() -> Iterator[tuple[str, Any, Any, Any]]:
            return _blocks(blocks() if callable(blocks) else blocks)

        with restore_on_failure(self):
            if classes is None:
                classes = _labels_of(each())
            self.__dict__.pop("_states", None)
            n_epochs = 0
            for epoch, (place, X, y, weights) in (
                (epoch, block) for epoch in range(1, epochs + 1) for block in each()
            ):
                if n_epochs > 0 and deadline.has_passed():
                    self.status_ = ["time limit"] * len(self.status_)
                    break
                n_epochs = epoch
                self._fit_block(X, y, classes, weights, deadline, place)
            if n_epochs == 0:
                raise ValueError("there are no blocks")
            self.n_iter_ = n_epochs
        self._warn_if_not_converged()
        return self

    def _set_machines(self, found: LinearFit, classes: NDArray[Any]) -> None:
        super()._set_machines(found, classes)
        self._states: list[State] = found.states
        self._optimizer = self.optimizer
        self.t_ = max(state[0] for state in self._states)

    def _saved_state(self) -> dict[str, Any]:
        own = {"optimizer": self._optimizer} | rule_state.to_fields(self._states)
        return super()._saved_state() | own

    def _restore(self, saved: Fields) -> None:
        super()._restore(saved)
        self._optimizer = saved.word("optimizer", _OPTIMIZERS)
        n_machines = len(self.status_)
        self._states = rule_state.from_fields(saved, n_machines, self.n_features_in_)
        self.t_ = max(state[0] for state in self._states)

    def _solver(self) -> SgdSolver:
        return self._configure(self._n_epochs(), parameters.real("average", self.average))

    def _configure(self, epochs: int | None, average: float) -> SgdSolver:
        """Return the solver with this number of passes and averaged share of the steps."""
        return SgdSolver(
            optimizer=parameters.choice("optimizer", self.optimizer, _OPTIMIZERS),
            epochs=epochs,
            batch_size=parameters.positive("batch_size", self.batch_size),
            project=parameters.flag("project", self.project),
            average=average,
            eta0=None if self.eta0 is None else parameters.real("eta0", self.eta0),
            momentum=parameters.real("momentum", self.momentum),
            visit=self._visit(),
            early_stop=self._early_stop(),
            seed=parameters.seed(self.random_state),
            is_lambda=self._is_lambda(),
            intercept=self._intercept(),
        )

    def _n_epochs(self) -> int | None:
        """Return the number of passes; None leaves it to the core, which knows the rows."""
        if isinstance(self.epochs, str):
            parameters.choice("epochs", self.epochs, ("auto",))
            return None
        return parameters.positive("epochs", self.epochs)

    def _is_random(self) -> bool:
        return bool(self.early_stopping) or self._visit() != "in order"

    def _visit(self) -> str:
        if isinstance(self.shuffle, str):
            parameters.choice("shuffle", self.shuffle, ("draw",))
            return "drawn"
        return "shuffled" if parameters.flag("shuffle", self.shuffle) else "in order"

    def _early_stop(self) -> tuple[float, int, float | None] | None:
        tol = None if self.tol is None else parameters.real("tol", self.tol)
        patience = parameters.positive("n_iter_no_change", self.n_iter_no_change)
        if parameters.flag("early_stopping", self.early_stopping):
            share = parameters.real("validation_fraction", self.validation_fraction)
            return (0.0 if tol is None else tol, patience, share)
        return None if tol is None else (tol, patience, None)

    def _goal(self) -> str:
        epochs = "" if isinstance(self.epochs, str) else f"{self.epochs} "
        return f"all {epochs}epochs were done"


def _blocks(blocks: Any) -> Iterator[tuple[str, Any, Any, Any]]:
    """Yield the name, rows, labels and weights of each block."""
    if not isinstance(blocks, Iterable) or isinstance(blocks, str | bytes | Mapping):
        raise ValueError(
            f"blocks is a {type(blocks).__name__}, but must be an iterable of (X, y) or "
            "(X, y, sample_weight)"
        )
    for number, block in enumerate(blocks):
        if not isinstance(block, tuple | list) or len(block) not in (2, 3):
            raise ValueError(
                f"block {number} is not valid: it must be (X, y) or (X, y, sample_weight)"
            )
        yield f"block {number}", block[0], block[1], block[2] if len(block) == 3 else None


def _labels_of(blocks: Iterable[tuple[str, Any, Any, Any]]) -> NDArray[Any]:
    """Return all labels of blocks, each once."""
    found = []
    for place, _, y, _ in blocks:
        with _named(place):
            check_no_missing_labels(y)
            found.append(np.unique(column_or_1d(y, warn=True)))
    if not found:
        raise ValueError("there are no blocks")
    try:
        return np.unique(np.concatenate(found))
    except TypeError as error:
        raise TypeError(f"the blocks have labels that cannot be sorted: {error}") from None


@contextlib.contextmanager
def _named(place: str | None) -> Iterator[None]:
    """Begin the sentence of a refusal with the name of the place where it was."""
    try:
        yield
    except (ValueError, TypeError) as error:
        if place is None:
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{place}: {error}") from error


def _codes(y: Any, classes: NDArray[Any]) -> NDArray[np.uint32]:
    """Return the code of each label, all of which must be known."""
    codes = codes_of(y, classes)
    if (codes < 0).any():
        label = np.asarray(y).flat[int(np.argmax(codes < 0))]
        raise ValueError(f"y contains {label!r}, which is not one of classes")
    return np.asarray(codes, dtype=np.uint32)
