"""NLSGD: stochastic subgradient descent with kernels."""

from __future__ import annotations

from typing import Any, Literal, Self

from softmargin._checks import parameters
from softmargin._core import NlSgdSolver
from softmargin._estimators.kernel_classifier import KernelClassifier


class NLSGD(KernelClassifier):
    """Kernel support vector machine trained by stochastic subgradient descent (NL-SGD).

    Minimizes ``||w||^2 / (2 C) + mean(max(0, 1 - y * f(x)))`` without a bias (Melki and Kecman
    2016, *Speeding Up Online Training of L1 Support Vector Machines*). The method visits the
    samples in turn and counts those that the current model does not classify with a margin of 1;
    the counts divided by the number of the step are the coefficients. The number of steps is
    fixed, so the solution is approximate. Each counted step costs one kernel row.

    ``order="random"`` and ``average=1`` give the kernelized Pegasos algorithm
    (Shalev-Shwartz et al. 2011).

    Parameters
    ----------
    C : float, default=1.0
        Regularization parameter, 1 / lambda. Larger values penalize misclassified samples more.
        Because the loss is a mean, C corresponds to C / n_samples in ``SVC``. Model selection
        trains all values of C in one run.
    kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"} or callable, default="rbf"
        Kernel function. A callable takes two arrays of samples and returns their kernel
        matrix. With "precomputed", X is the kernel matrix.
    gamma : float, "scale" or "auto", default="scale"
        Kernel coefficient of "rbf", "poly" and "sigmoid". "scale" uses
        ``1 / (n_features * X.var())``, "auto" uses 1 / n_features.
    degree : int, default=3
        Degree of the polynomial kernel. Ignored by other kernels.
    coef0 : float, default=0.0
        Independent term of "poly" and "sigmoid".
    epochs : int, default=2
        Number of passes over the training data.
    average : float, default=0.5
        Fraction of the steps, at the end, over which the coefficients are averaged; 0 for the
        coefficients of the last step. The paper uses 0.5, 0.25 and 0.
    step : {"t", "m"}, default="t"
        Divisor of the counts: the number of the step ("t"), or the number of samples ("m"),
        as printed in the paper.
    order : {"cyclic", "random"}, default="cyclic"
        Order of the samples: shuffled once and then visited in turn ("cyclic"), or drawn at
        random with replacement at each step ("random").
    multi_class : {"ovo", "ovr", "ordinal"}, default="ovo"
        Strategy for more than two classes: one binary classifier per pair of classes ("ovo"),
        per class against the rest ("ovr"), or per pair of neighboring classes ("ordinal", see
        :meth:`predict`). The number of binary classifiers ``n_binary`` is
        ``n_classes * (n_classes - 1) // 2``, n_classes or n_classes - 1; it is 1 for two
        classes.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of :meth:`decision_function` for more than two classes: one column per class
        ("ovr") or per binary classifier ("ovo"). Ignored with ``multi_class="ovr"``.
    cache_size : float, default=1000
        Size of the kernel cache in megabytes. The result does not depend on it.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, which multiply the loss. "balanced" uses
        ``n_samples / (n_classes * n_samples_of_class)``; None gives all classes weight 1.
    time_limit : float or None, default=None
        Time limit of ``fit`` in seconds. Reaching it emits a ``ConvergenceWarning`` and leaves
        a usable model.
    random_state : int, RandomState or None, default=None
        Seed of the order of the samples.
    n_jobs : int or None, default=None
        Number of threads; None means 1, -1 means all cores. The result does not depend on it.
    verbose : int, default=0
        If nonzero, print the number of steps to standard error during training.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted, or in their own order with ``multi_class="ordinal"``.
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors, grouped by class.
    support_vectors_ : ndarray or CSR matrix of shape (n_SV, n_features)
        Support vectors; empty for a precomputed kernel.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    dual_coef_ : ndarray or CSR matrix of shape (n_classes - 1, n_SV)
        Coefficients of the support vectors in the decision function, in the layout of
        scikit-learn's ``SVC``; a CSR matrix if X is sparse. Of shape (n_classes, n_SV) with
        ``multi_class="ovr"``; with "ordinal", row i belongs to binary classifier i.
    intercept_ : ndarray of shape (n_binary,)
        Always 0.
    n_iter_ : ndarray of shape (n_binary,)
        Number of steps of each binary classifier.
    n_kernel_evals_ : int
        Number of kernel values computed during training.
    status_ : list of str, of length n_binary
        How training of each binary classifier ended: "converged" after all epochs,
        "time limit" or "not finite".
    fit_status_ : int
        0 if all binary classifiers converged, otherwise 1.
    shape_fit_ : tuple of int
        Shape of the training data X.
    class_weight_ : ndarray of shape (n_classes,)
        Weight of each class.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all column names of X are strings.

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
        """Fit the model to the training data.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Training samples. float32 is kept, any other type is converted to float64. With
            ``kernel="precomputed"``, the kernel matrix of shape (n_samples, n_samples).
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Sample weights, which multiply the loss. Samples of weight 0 are ignored.

        Returns
        -------
        self : object
            The fitted estimator.
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
