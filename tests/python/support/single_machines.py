"""SVR, NuSVR, OneClassSVM and NuSVC with their counterparts, problems and objectives."""

import warnings

import numpy as np
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning

from equality import dense
from reference import kernel
from softmargin import SVR, NuSVC, NuSVR, OneClassSVM

OURS = {"SVR": SVR, "NuSVR": NuSVR, "NuSVC": NuSVC, "OneClassSVM": OneClassSVM}
THEIRS = {name: getattr(svm, name) for name in OURS}
REGRESSORS = ["SVR", "NuSVR"]
# Values of nu whose sums are no multiples of the bounds, so that the level is unique.
SETTINGS = {
    "SVR": {"C": 3.0, "epsilon": 0.1},
    "NuSVR": {"C": 3.0, "nu": 0.41},
    "NuSVC": {"nu": 0.77},
    "OneClassSVM": {"nu": 0.21},
}


def samples(n=120, d=3, seed=0):
    """Return samples of a wave with noise: features and targets."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 1.0
    return X, np.sin(2 * X[:, 0]) + X[:, 0] + 0.5 * X[:, 1] + 0.3 * rng.normal(size=n)


def outcomes(name, y):
    """Return targets, or for NuSVC whether they are above their median."""
    return (y > np.median(y)).astype(int) if name == "NuSVC" else y


def fit(model, X, y, weights=None, **options):
    """Fit a model without convergence warnings."""
    name = type(model).__name__
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, outcomes(name, y), sample_weight=weights, **options)


def outputs(model, X):
    """Return the value of the decision function or of the prediction."""
    return (getattr(model, "decision_function", None) or model.predict)(X)


def coefficients(model, n):
    """Return the coefficient of each training sample."""
    beta = np.zeros(n)
    beta[model.support_] = dense(model.dual_coef_)[0]
    return beta


def gram(params, X):
    """Return the kernel matrix of the samples for parameters with a number for gamma."""
    names = {"gamma": 1.0, "degree": 3, "coef0": 0.0}
    return kernel(X, X, params["kernel"], **{key: params.get(key, v) for key, v in names.items()})


def dual_objective(name, beta, K, y, epsilon=0.0):
    """Return the dual objective of a problem, which is maximal at the solution."""
    square = 0.5 * beta @ K @ beta
    return y @ beta - epsilon * np.abs(beta).sum() - square if name in REGRESSORS else -square


def unscaled(model, n):
    """Return the coefficients with the sums that nu fixes: those of NuSVC are scaled."""
    beta = coefficients(model, n)
    return beta / model.C_[0] if isinstance(model, NuSVC) else beta
