"""NL-SGD: stochastic subgradient descent with kernels."""

from __future__ import annotations

from typing import Any, Literal, Self

from softmargin._checks import parameters
from softmargin._core import NlSgdSolver
from softmargin._estimators.kernel import KernelClassifier


class NLSGD(KernelClassifier):
    """Kernel support vector machine trained by stochastic subgradient descent.

    Visits the rows in turn; a row that the machine so far does not get right by a margin of 1
    is counted, and the counts, divided by the number of the step, are the machine. A fixed
    number of steps, no bias, nothing to converge: an approximate method, as fast as one kernel
    row for each counted step. Minimises ``|w|^2 / (2 C) + mean of max(0, 1 - y f(x))``.
    (G. Melki and V. Kecman, Speeding Up Online Training of L1 Support Vector Machines, 2016.)

    With ``order="random"``, ``average=1`` it is kernel Pegasos as its authors print it.

    Parameters
    ----------
    C : float, default=1.0
        1 / lambda: what the mean loss counts against the norm. Many C cost one training in
        model selection.
    kernel : str or callable, default="rbf"
        "rbf", "linear", "poly", "sigmoid" or "precomputed". A callable takes two matrices of
        rows and returns the kernel values of all pairs.
    gamma : float, "scale" or "auto", default="scale"
        Of the RBF, polynomial and sigmoid kernels. "scale" is
        1 / (n_features * X.var()), "auto" is 1 / n_features.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=0.0
        Of the polynomial and sigmoid kernels.
    epochs : int, default=2
        Steps, in units of the number of rows.
    average : float, default=0.5
        The share of the steps, the last ones, over which the machine is averaged; 0 for the
        machine of the last step. (The paper: 0.5, 0.25, 0.)
    step : {"t", "m"}, default="t"
        What counts are divided by: the number of the step, or the number of rows as the paper
        prints it.
    order : {"cyclic", "random"}, default="cyclic"
        All rows in turn, shuffled once; or a row drawn anew at each step.
    multi_class : {"ovo", "ovr", "ordinal"}, default="ovo"
        A machine for each pair of classes, for each class against the rest, or, where classes
        have an order, for each class and the next (see :meth:`predict`).
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of :meth:`decision_function` for one-vs-one and ordinal machines.
    cache_size : float, default=1000
        Megabytes for kernel rows. The result does not depend on it.
    class_weight : dict, "balanced" or None, default=None
        Factor of the loss of each class.
    time_limit : float or None, default=None
        Seconds after which training stops where it is, with a warning.
    random_state : int, RandomState or None, default=None
        Of the order of the rows.
    n_jobs : int or None, default=None
        Threads; None is 1, -1 all cores. The result does not depend on it.
    verbose : int, default=0
        Reports the number of steps on stderr while training.

    Attributes
    ----------
    classes_, support_, support_vectors_, dual_coef_, intercept_, n_support_
        As in scikit-learn's ``SVC``; the intercepts are 0.
    n_iter_ : ndarray of shape (n_machines,)
        Steps of each machine.
    n_kernel_evals_ : int
        Kernel values computed.
    status_ : list of str
        How the training of each machine ended: "converged" after all steps, or why not.

    Examples
    --------
    >>> from softmargin import NLSGD
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> NLSGD(C=100, gamma=0.25, random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """

    __module__ = "softmargin"

    _method = "nlsgd"

    def __init__(
        self,
        C: float = 1.0,
        kernel: Any = "rbf",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        epochs: int = 2,
        average: float = 0.5,
        step: Literal["t", "m"] = "t",
        order: Literal["cyclic", "random"] = "cyclic",
        multi_class: Literal["ovo", "ovr", "ordinal"] = "ovo",
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        cache_size: float = 1000,
        class_weight: Any = None,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.epochs = epochs
        self.average = average
        self.step = step
        self.order = order
        self.multi_class = multi_class
        self.decision_function_shape = decision_function_shape
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train on the rows of X with the labels y.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            float32 stays float32; anything else is converted to float64. With
            ``kernel="precomputed"`` a square kernel matrix.
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,) or None
            Factor of the loss of each row; a row of weight 0 is left out.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)

    def _solver(self) -> NlSgdSolver:
        return NlSgdSolver(
            epochs=parameters.positive("epochs", self.epochs),
            average=parameters.real("average", self.average),
            step=parameters.choice("step", self.step, ("t", "m")),
            order=parameters.choice("order", self.order, ("cyclic", "random")),
            seed=parameters.seed(self.random_state),
        )

    def _is_random(self) -> bool:
        return True

    def _goal(self) -> str:
        return f"all {self.epochs} epochs were done"
