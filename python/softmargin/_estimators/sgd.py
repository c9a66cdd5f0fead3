"""SGDSVC: stochastic gradient descent, Pegasos and its variants."""

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
from softmargin._checks.outcomes import Outcomes
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
# Default number of passes over blocks, whose samples are not counted in advance.
_EPOCHS = 20
# Optimizers whose memory is a mean of weights.
_AVERAGED = ("pegasos", "sgd")


class SGDSVC(LinearClassifier):
    """Linear support vector machine trained by stochastic gradient descent.

    Minimizes ``lambda / 2 ||w||^2 + mean(max(0, 1 - y * f(x)))`` in a fixed number of steps, each
    of which uses one sample or a mini-batch. The cost of a step on sparse data is proportional
    to the number of stored values (with ``optimizer="rmsprop"``, to the number of features).
    For data that arrives in blocks or does not fit into memory, use :meth:`partial_fit` and
    :meth:`fit_blocks`.

    Parameters
    ----------
    optimizer : {"pegasos", "sgd", "momentum", "nag", "rmsprop"}, default="pegasos"
        Update rule. "pegasos" uses the step length ``1 / (lambda * t)`` (Shalev-Shwartz et al.
        2011), "sgd" uses ``eta0 / (1 + lambda * eta0 * t)``, "momentum" adds a velocity, "nag"
        is Nesterov's accelerated gradient, and "rmsprop" divides each step, per feature, by the
        root mean square of the gradients (Lu and Jin 2017, *Improved Stochastic Gradient
        Descent Algorithm for SVM*).
    lambda_ : float, default=1e-4
        Regularization parameter. Larger values regularize more.
    C : float or None, default=None
        If given, lambda is ``1 / (C * n_samples)``, with the number of samples of the binary
        classifier, and ``lambda_`` is ignored. The problem is then that of :class:`LinearSVC`
        with ``loss="hinge"``.
    epochs : int or "auto", default="auto"
        Number of passes over the training data; an upper bound if training stops early.
        "auto" takes 20 passes, or, below 150 samples, as many as visit 3,000 samples.
    batch_size : int, default=1
        Number of samples per step.
    project : bool, default=False
        Whether "pegasos" projects w to the ball of radius ``1 / sqrt(lambda)``, which contains
        the optimum; with weights, the radius is ``sqrt(mean weight / lambda)``.
    average : float, default=0.5
        Fraction of the steps, at the end, over which "pegasos" and "sgd" average the weights;
        0 for the weights of the last step. :meth:`partial_fit` averages over all steps.
    eta0 : float or None, default=None
        Initial step length. None uses ``1 / (mean ||x||^2 + lambda)``, times 0.3 for "sgd" and
        ``0.1 * (1 - momentum)`` for "momentum" and "nag"; 0.01 for "rmsprop". The mean is taken
        over the first 1,000 samples of a binary classifier, in the order of X.
        :meth:`partial_fit` and :meth:`fit_blocks` only know the samples of the first block: if
        it is smaller, "sgd", "momentum" and "nag" use another step length than a single call of
        :meth:`fit`, unless ``eta0`` is given.
    momentum : float, default=0.9
        Fraction of the velocity that "momentum" and "nag" keep at each step.
    decay : float, default=0.9
        Fraction of the mean squared gradient that "rmsprop" keeps at each step.
    epsilon : float, default=1e-8
        What "rmsprop" adds to the mean squared gradient, so that it is not 0.
    as_printed : bool, default=False
        Whether to follow the listings of the papers where they differ from their text and from
        common usage. "pegasos" then divides the sum over the samples of a mini-batch that
        violate the margin by their number instead of ``batch_size`` (Duros and Katzman 2014,
        algorithm 2), "nag" tests the margin at w instead of ``w - momentum * v``, and "rmsprop"
        divides by the mean squared gradient instead of its root (Lu and Jin 2017, algorithms 3
        and 2). Without effect on "sgd" and "momentum".
    fit_intercept : bool or "violators", default=True
        Whether to fit a bias. With True, the bias is the weight of a constant feature of value
        1 and is therefore regularized. "violators" computes it after training as the mean of
        ``y - w.x`` over the samples with a margin below 1.
    shuffle : bool or "draw", default=True
        Order of the samples: shuffled for each epoch (True), the order of X (False), or drawn
        at random with replacement ("draw").
    early_stopping : bool, default=False
        Whether to hold out a stratified validation set, and to stop when its accuracy does not
        improve.
    validation_fraction : float, default=0.1
        Fraction of the samples in the validation set of ``early_stopping``.
    n_iter_no_change : int, default=5
        Number of consecutive epochs without an improvement of ``tol`` before training stops.
    tol : float or None, default=None
        Least improvement of the mean loss of an epoch or, with ``early_stopping``, of the
        validation accuracy, where None means 0. None without ``early_stopping`` disables early
        stopping.
    multi_class : {"ovr", "ovo", "ordinal"}, default="ovr"
        Strategy for more than two classes: one binary classifier per class against the rest
        ("ovr"), per pair of classes ("ovo"), or per pair of neighboring classes ("ordinal"), in
        the order of an ordered pandas Categorical or a polars Enum, otherwise in sorted order.
        The number of binary classifiers ``n_binary`` is n_classes,
        ``n_classes * (n_classes - 1) // 2`` or n_classes - 1; it is 1 for two classes.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, which multiply the loss. "balanced" uses
        ``n_samples / (n_classes * n_samples_of_class)``; None gives all classes weight 1.
    warm_start : bool, default=False
        Whether to resume from the previous ``fit``, if it had the same classes and features.
    record_every : int or None, default=None
        Number of steps between the points of ``curve_``; None for no curve.
    time_limit : float or None, default=None
        Time limit of ``fit`` in seconds. Reaching it emits a ``ConvergenceWarning`` and leaves
        a usable model.
    random_state : int, RandomState or None, default=None
        Seed of the order of the samples and of the validation set.
    n_jobs : int or None, default=None
        Number of threads; None means 1, -1 means all cores. Binary classifiers are trained in
        parallel. The result does not depend on it.
    verbose : int, default=0
        If nonzero, print the number of steps to standard error during training.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted, or in their own order with ``multi_class="ordinal"``.
    coef_ : ndarray of shape (n_binary, n_features)
        Weights of the features; a CSR matrix after :meth:`sparsify`.
    intercept_ : ndarray of shape (n_binary,)
        Bias of each binary classifier.
    n_iter_ : int
        Largest number of epochs of a binary classifier.
    t_ : int
        Largest number of steps of a binary classifier, including those of earlier calls from
        which training resumed.
    status_ : list of str, of length n_binary
        How training of each binary classifier ended: "converged" after all epochs or an
        early stop, "time limit", or "not finite" (training diverged).
    curve_ : dict of ndarray
        Learning curve, if ``record_every`` is given: "step", "seconds", "objective"
        (``lambda / 2 ||w||^2 + mean(loss)``), "loss", and "accuracy" with an ``eval_set``.
        Objective and loss are means over the binary classifiers.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all column names of X are strings.

    Examples
    --------
    >>> from softmargin import SGDSVC
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_wine(return_X_y=True)
    >>> SGDSVC(random_state=0).fit(scale(X), y).score(scale(X), y) > 0.98
    True
    """

    __module__ = "softmargin"  # keeps pickles independent of file names

    _method = "sgd"
    # The optimizer of the states.
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
        decay: float = 0.9,
        epsilon: float = 1e-8,
        as_printed: bool = False,
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
        self.decay = decay
        self.epsilon = epsilon
        self.as_printed = as_printed
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
        """Return the states of the previous fit, if it had the same classes and features."""
        self._check_warm_start()
        if not self.warm_start or not hasattr(self, "_states"):
            return None
        fits = len(self._states[0][1]) == X.shape[1] + 1 and self._scheme == self.multi_class
        if not fits or not np.array_equal(classes, self.classes_):
            return None
        # The mean starts from zero.
        return self._states_of(self.optimizer not in _AVERAGED)

    def _check_warm_start(self) -> None:
        parameters.flag("warm_start", self.warm_start)

    def _states_of(self, with_memory: bool) -> list[State]:
        """Return the states; those of another optimizer without memory and step length."""
        nothing = np.empty(0)
        if self._optimizer != self.optimizer:
            return [(t, w, nothing, 0, 0.0) for t, w, _, _, _ in self._states]
        if not with_memory:
            return [(t, w, nothing, 0, eta) for t, w, _, _, eta in self._states]
        return self._states

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Continue training with one pass over a block of samples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Training samples. float32 is kept, any other type is converted to float64.
        y : array-like of shape (n_samples,)
            Labels of any type.
        classes : array-like of shape (n_classes,) or None, default=None
            All labels that occur in any call. Required in the first call, optional later. With
            ``multi_class="ordinal"``, an ordered pandas Categorical defines their order.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Sample weights, which multiply the loss.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        deadline = resources.Deadline(self.time_limit)
        with restore_on_failure(self):
            self._fit_block(X, y, classes, sample_weight, deadline)
        self._warn_if_not_converged(stacklevel=2)
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
        """Continue training with a block of samples; ``place`` names it in errors."""
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
                f"multi_class = {self.multi_class!r} is not valid: it was {self._scheme!r} in the "
                "previous call of partial_fit and cannot change"
            )
        states = None if is_first else self._states_of(with_memory=True)
        before = None if is_first else self._patterns
        outcomes = Outcomes(codes, known)
        found = self._train(solver, X, outcomes, by_class, weights, deadline, states)
        self.__dict__.pop("curve_", None)
        self._set_fitted(found, known)
        self._set_patterns(X, codes, weights, before)

    def _block_solver(self) -> SgdSolver:
        """Return the solver for one pass through a block; reject what requires all samples."""
        if self.C is not None:
            raise ValueError(
                f"C = {self.C} is not valid in partial_fit: lambda = 1 / (C * n_samples) requires "
                "the number of all samples, which is unknown; set lambda_, and C to None"
            )
        if self.early_stopping or self.tol is not None:
            raise ValueError(
                "early_stopping and tol are not supported by partial_fit and fit_blocks; set "
                "early_stopping=False and tol=None"
            )
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight = 'balanced' is not valid in partial_fit: the class frequencies are "
                "unknown; pass the weights as a dictionary"
            )
        self._n_epochs()  # not used here, but validated
        average = parameters.real("average", self.average)
        if not 0 <= average <= 1:
            raise ValueError(f"average = {self.average} is not valid: it must be between 0 and 1")
        return self._configure(epochs=1, average=1.0 if average else 0.0)

    def _is_ordinal(self, classes: NDArray[Any]) -> bool:
        """Return whether the order of these classes matters."""
        return len(classes) > 2 and parameters.scheme(self.multi_class) == "ordinal"

    def _known_classes(self, classes: Any, y: Any, is_first: bool) -> NDArray[Any]:
        """Return all classes; ordinal classes in their order."""
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
        """Return sorted classes in the order that ``classes``, or else y, defines."""
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
                "ordered Categorical that contains all classes"
            )
        return known[order]

    def fit_blocks(
        self,
        blocks: Iterable[tuple[Any, ...]] | Callable[[], Iterable[tuple[Any, ...]]],
        classes: Any = None,
    ) -> Self:
        """Fit the model to data that arrives in blocks and may be larger than memory.

        Parameters
        ----------
        blocks : iterable, or callable that returns an iterable
            Blocks ``(X, y)`` or ``(X, y, sample_weight)``, for example
            :class:`softmargin.LibsvmBlocks`. They are iterated over once per epoch (20 times
            with ``epochs="auto"``). The order of the blocks is kept, and samples are shuffled
            within a block.
        classes : array-like of shape (n_classes,) or None, default=None
            All labels. None uses ``blocks.classes`` or, without this attribute, collects the
            labels in an additional pass over the blocks.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        deadline = resources.Deadline(self.time_limit)
        epochs = self._n_epochs() or _EPOCHS
        if classes is None:
            classes = getattr(blocks, "classes", None)
        if isinstance(blocks, Iterator) and (epochs > 1 or classes is None):
            raise ValueError(
                "blocks is an iterator, which can be used only once, but several passes are "
                "required; pass a list, or a function that returns an iterator"
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
                raise ValueError("blocks is empty: it must contain at least one block")
            self.n_iter_ = n_epochs
        self._warn_if_not_converged(stacklevel=2)
        return self

    def _set_fitted(self, found: LinearFit, classes: NDArray[Any]) -> None:
        super()._set_fitted(found, classes)
        self._states: list[State] = found.states
        self._optimizer = self.optimizer
        self.t_ = max(state[0] for state in self._states)

    def _saved_state(self) -> dict[str, Any]:
        own = {"optimizer": self._optimizer} | rule_state.to_fields(self._states)
        return super()._saved_state() | own

    def _restore(self, saved: Fields) -> None:
        super()._restore(saved)
        self._optimizer = saved.word("optimizer", _OPTIMIZERS)
        self._states = rule_state.from_fields(saved, len(self.status_), self.n_features_in_)
        self.t_ = max(state[0] for state in self._states)

    def _solver(self) -> SgdSolver:
        return self._configure(self._n_epochs(), parameters.real("average", self.average))

    def _configure(self, epochs: int | None, average: float) -> SgdSolver:
        """Return the solver with this number of epochs and averaged fraction of the steps."""
        return SgdSolver(
            optimizer=parameters.choice("optimizer", self.optimizer, _OPTIMIZERS),
            epochs=epochs,
            batch_size=parameters.positive("batch_size", self.batch_size),
            project=parameters.flag("project", self.project),
            average=average,
            eta0=None if self.eta0 is None else parameters.real("eta0", self.eta0),
            momentum=parameters.real("momentum", self.momentum),
            decay=parameters.real("decay", self.decay),
            epsilon=parameters.real("epsilon", self.epsilon),
            as_printed=parameters.flag("as_printed", self.as_printed),
            visit=self._visit(),
            early_stop=self._early_stop(),
            seed=parameters.seed(self.random_state),
            is_lambda=self._is_lambda(),
            intercept=self._intercept(),
        )

    def _n_epochs(self) -> int | None:
        """Return the number of epochs; None lets the core choose it by the number of samples."""
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

    def _remedy(self, status: str) -> str:
        if status in ("stalled", "not finite"):
            return "decrease eta0, or scale the features"
        return super()._remedy(status)


def _blocks(blocks: Any) -> Iterator[tuple[str, Any, Any, Any]]:
    """Yield the name, samples, labels and weights of each block."""
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
    """Return the distinct labels of all blocks."""
    found = []
    for place, _, y, _ in blocks:
        with _named(place):
            check_no_missing_labels(y)
            found.append(np.unique(column_or_1d(y, warn=True)))
    if not found:
        raise ValueError("blocks is empty: it must contain at least one block")
    try:
        return np.unique(np.concatenate(found))
    except TypeError as error:
        raise TypeError(f"the labels of the blocks cannot be sorted: {error}") from None


@contextlib.contextmanager
def _named(place: str | None) -> Iterator[None]:
    """Prefix the messages of errors with the name of their place."""
    try:
        yield
    except (ValueError, TypeError) as error:
        if place is None:
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{place}: {error}") from error


def _codes(y: Any, classes: NDArray[Any]) -> NDArray[np.uint32]:
    """Return the code of each label; raise ValueError if a label is not one of the classes."""
    codes = codes_of(y, classes)
    if (codes < 0).any():
        label = np.asarray(y).flat[int(np.argmax(codes < 0))]
        raise ValueError(f"y contains the label {label!r}, which is not one of classes")
    return np.asarray(codes, dtype=np.uint32)
