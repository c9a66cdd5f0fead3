"""The methods other than SVMs in table 1.5 of Melki (2018), from scikit-learn and others.

The paper used Weka; where scikit-learn has no equivalent, the closest method is used:

=============  ====================================================================
k-NN           k = 1, 3, 5, 7
J48            decision tree by entropy with two samples per leaf; cost-complexity pruning, off
               or with one of three strengths, where Weka has three confidence levels
JRip           RIPPER of the package wittgenstein: two classes only, seconds per fit on a few
               hundred samples, so it is too slow for most data sets
naive Bayes    normal densities, or kernel densities of width 1 / sqrt(n)
logistic       regularization 1e-7, 1e-8, 1e-9 of |w|^2, almost none
=============  ====================================================================
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.ndimage import gaussian_filter1d
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from softmargin.experiments._study import MissingPackageError


@dataclass(frozen=True)
class Comparator:
    """An estimator with the candidates of table 1.4."""

    label: str
    estimator: Any
    grid: dict[str, list[Any]]


class NaiveBayes(ClassifierMixin, BaseEstimator):
    """Naive Bayes on features in [0, 1], with normal or with kernel densities.

    The kernel density of a feature is a mean of normal densities around the samples of a class,
    of width 1 / sqrt(n_samples) (John and Langley 1995). It is computed from a histogram of fine
    bins, so a prediction takes one lookup per feature, whatever the number of samples.
    """

    _BINS = 1024
    _LOW, _HIGH = -0.5, 1.5  # room for the tails of densities

    def __init__(self, use_kernel: bool = False) -> None:
        self.use_kernel = use_kernel

    def fit(self, X: Any, y: Any) -> Self:
        """Estimate the densities."""
        X = _dense(X)
        self.classes_, counts = np.unique(y, return_counts=True)
        if not self.use_kernel:
            self._normal = GaussianNB().fit(X, y)
            return self
        self._log_share = np.log(counts / len(y))
        self._log_density = np.stack([self._densities(X[y == label]) for label in self.classes_])
        return self

    def predict(self, X: Any) -> Any:
        """Return the most likely class of each sample."""
        X = _dense(X)
        if not self.use_kernel:
            return self._normal.predict(X)
        bins, features = self._bin(X), np.arange(X.shape[1])
        logs = [density[features, bins].sum(axis=1) for density in self._log_density]
        return self.classes_[np.argmax(np.array(logs).T + self._log_share, axis=1)]

    def _bin(self, X: Any) -> Any:
        place = (np.clip(X, self._LOW, self._HIGH) - self._LOW) / (self._HIGH - self._LOW)
        return np.minimum((place * self._BINS).astype(np.intp), self._BINS - 1)

    def _densities(self, X: Any) -> Any:
        """Return the logarithm of the density of each feature in each bin."""
        n, d = X.shape
        flat = self._bin(X) + self._BINS * np.arange(d)
        counts = np.bincount(flat.ravel(), minlength=d * self._BINS).reshape(d, self._BINS)
        width = self._BINS / (self._HIGH - self._LOW) / np.sqrt(n)
        smooth = gaussian_filter1d(counts / n, max(width, 0.5), axis=1, mode="constant", truncate=6)
        return np.log(np.maximum(smooth, 1e-12))


class Rules(ClassifierMixin, BaseEstimator):
    """RIPPER rules for the rarer of two classes; samples without a rule belong to the other."""

    def __init__(self, prune: bool = True, random_state: int | None = 0) -> None:
        self.prune = prune
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the rules."""
        import wittgenstein

        self.classes_, counts = np.unique(y, return_counts=True)
        if len(self.classes_) != 2:
            raise ValueError(
                f"the rule learner supports two classes only, but y has {len(self.classes_)}"
            )
        self._rarer, self._other = self.classes_[np.argsort(counts, kind="stable")]
        ripper = wittgenstein.RIPPER(
            prune_size=0.33 if self.prune else 0, random_state=self.random_state
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                ripper.fit(_dense(X), (np.asarray(y) == self._rarer).astype(int), pos_class=1)
            except AttributeError:  # raised by wittgenstein if no rule remains
                ripper = None
        self._ripper = ripper
        return self

    def predict(self, X: Any) -> Any:
        """Return the class of each sample."""
        X = _dense(X)
        fires = np.zeros(len(X), dtype=bool)
        if self._ripper is not None:
            fires = np.asarray(self._ripper.predict(X), dtype=bool)
        return np.where(fires, self._rarer, self._other)


def _dense(X: Any) -> Any:
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X)


def check_rule_learner() -> None:
    """Raise MissingPackageError if the package of the rule learner is not installed."""
    try:
        import wittgenstein  # noqa: F401
    except ImportError:
        raise MissingPackageError(
            "The rule learner (JRip) requires the package wittgenstein: pip install wittgenstein."
        ) from None


COMPARATORS: dict[str, Comparator] = {
    "knn": Comparator("k-NN", KNeighborsClassifier(), {"n_neighbors": [1, 3, 5, 7]}),
    "tree": Comparator(
        "J48",
        DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0),
        {"ccp_alpha": [0.0, 0.002, 0.006, 0.02]},
    ),
    "rules": Comparator("JRip", Rules(), {"prune": [True, False]}),
    "bayes": Comparator("naive Bayes", NaiveBayes(), {"use_kernel": [False, True]}),
    "logistic": Comparator(
        "logistic", LogisticRegression(max_iter=300), {"C": [0.5e7, 0.5e8, 0.5e9]}
    ),
}
