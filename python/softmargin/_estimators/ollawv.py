"""OLLAWV: the online learning algorithm using worst violators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self

from sklearn.base import clone

from softmargin._checks import parameters
from softmargin._core import OllawvSolver
from softmargin._estimators.kernel_classifier import KernelClassifier


class OLLAWV(KernelClassifier):
    """Online support vector machine that learns from its worst violator.

    Each step finds the sample that the current model classifies worst, adds it to the model with
    the coefficient ``2 C / sqrt(t)``, and never uses it again. Training ends when the worst
    remaining sample is on the correct side with the given margin (Melki 2018, *Novel Support
    Vector Machines for Diverse Learning Paradigms*, algorithm 1.1). The method takes a single
    pass and yields few support vectors, each of which costs one kernel row. With ``epochs``,
    which is not part of the paper, samples can be used again.

    Parameters
    ----------
    margin : float, default=0.1
        Stopping criterion: the smallest decision value of the remaining samples, divided by C.
        Larger values give more support vectors. :meth:`margin_path` trains the models of many
        margins in one run.
    C : float, default=1.0
        Scale of the decision function. Coefficients, decision values and the stopping criterion
        are all proportional to it, so it has no effect on predictions. Present for
        compatibility with papers and scripts; tune ``margin`` instead.
    kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"}, default="rbf"
        Kernel function. With "precomputed", X is the kernel matrix.
    gamma : float, "scale" or "auto", default="scale"
        Kernel coefficient of "rbf", "poly" and "sigmoid". "scale" uses
        ``1 / (n_features * X.var())``, "auto" uses 1 / n_features.
    degree : int, default=3
        Degree of the polynomial kernel. Ignored by other kernels.
    coef0 : float, default=0.0
        Independent term of "poly" and "sigmoid".
    bias : bool, default=True
        Whether to fit a bias.
    max_sv_fraction : float, default=1.0
        Maximum number of support vectors of a binary classifier, as a fraction of its samples.
        Once it is reached, only support vectors are used again.
    epochs : int, default=1
        How often a sample can be used. A sample that is used again adds to its coefficient.
        With 3 to 10 epochs, the accuracy is close to that of :class:`SVC` with the best
        parameters, for up to as many kernel rows per support vector.
    step : {"2/sqrt(t)", "1/t"}, default="2/sqrt(t)"
        Size of step t, which is multiplied by C.
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
        Size of the kernel cache in megabytes. In one epoch, a binary classifier uses each kernel
        row once, so only one-vs-rest classifiers benefit: they share a kernel matrix, if it
        fits. The result does not depend on it.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, which multiply the coefficients. "balanced" uses
        ``n_samples / (n_classes * n_samples_of_class)``; None gives all classes weight 1.
    random_state : int, RandomState or None, default=None
        Ignored, because training is deterministic. Present for API consistency.
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
        Bias of each binary classifier.
    n_iter_ : ndarray of shape (n_binary,)
        Number of steps of each binary classifier; in one epoch, that of its support vectors.
    n_kernel_evals_ : int
        Number of kernel values computed during training.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all column names of X are strings.

    Examples
    --------
    >>> from softmargin import OLLAWV
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> OLLAWV(gamma=0.25).fit(X, y).score(X, y) > 0.95
    True
    """

    __module__ = "softmargin"

    _method = "ollawv"
    _takes_weights = False
    _path = ("margin",)

    def __init__(
        self,
        margin: float = 0.1,
        C: float = 1.0,
        kernel: Literal["rbf", "linear", "poly", "sigmoid", "precomputed"] = "rbf",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        bias: bool = True,
        max_sv_fraction: float = 1.0,
        epochs: int = 1,
        step: Literal["2/sqrt(t)", "1/t"] = "2/sqrt(t)",
        multi_class: Literal["ovo", "ovr", "ordinal"] = "ovo",
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        cache_size: float = 1000,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.margin = margin
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.bias = bias
        self.max_sv_fraction = max_sv_fraction
        self.epochs = epochs
        self.step = step
        self.multi_class = multi_class
        self.decision_function_shape = decision_function_shape
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the model to the training data.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Training samples. float32 is kept, any other type is converted to float64. With
            ``kernel="precomputed"``, the kernel matrix of shape (n_samples, n_samples).
        y : array-like of shape (n_samples,)
            Labels of any type.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, y)

    def margin_path(self, X: Any, y: Any, margins: Sequence[float]) -> list[Self]:
        """Fit the models of several margins in one training run.

        The model of a smaller margin is an intermediate state of the run with a larger margin,
        so the cost is that of ``fit`` with the largest margin. Each result is identical to
        ``clone(self).set_params(margin=margin).fit(X, y)``.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Training samples, as in :meth:`fit`.
        y : array-like of shape (n_samples,)
            Labels of any type.
        margins : sequence of float
            Margins, in any order.

        Returns
        -------
        list of OLLAWV
            A fitted copy of this estimator for each margin, in the order of ``margins``.
        """
        margins = [parameters.real("margin", margin) for margin in margins]
        first = clone(self)
        X, outcomes = first._check_training_data(X, y)
        by_class = first._class_weights(outcomes)
        models = first._train_path(first._solver(), X, outcomes, by_class, margins)
        path = []
        for margin, model in zip(margins, models, strict=True):
            estimator = clone(self).set_params(margin=margin)
            for name in ("n_features_in_", "feature_names_in_"):
                if hasattr(first, name):
                    setattr(estimator, name, getattr(first, name))
            estimator._set_model(model, outcomes.classes)
            path.append(estimator)
        return path

    def _solver(self) -> OllawvSolver:
        return OllawvSolver(
            c=parameters.real("C", self.C),
            bias=parameters.flag("bias", self.bias),
            max_sv_fraction=parameters.real("max_sv_fraction", self.max_sv_fraction),
            epochs=parameters.positive("epochs", self.epochs),
            step=parameters.choice("step", self.step, ("2/sqrt(t)", "1/t")),
        )
