"""Kernel methods with parameters for tests of ordinal classes."""

from sklearn.base import clone

from softmargin import MNSVM, NLSGD, NNISDA, OLLAWV, SVC, NewtonSVC

METHODS = {
    "mnsvm": MNSVM(C=5, gamma=0.5, eps=1e-8, random_state=0),
    "newton": NewtonSVC(C=5, gamma=0.5),
    "nlsgd": NLSGD(C=100, gamma=0.5, random_state=0),
    "nnisda": NNISDA(C=5, gamma=0.5, tol=1e-9),
    "ollawv": OLLAWV(gamma=0.5),
    "svc": SVC(C=5, gamma=0.5, tol=1e-7),
}


def ordinal(model, **params):
    return clone(model).set_params(multi_class="ordinal", **params)
