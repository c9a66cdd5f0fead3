# ruff: noqa: F405 (names of a star import)
"""Support vector machines and honest model selection, fast.

>>> import softmargin
>>> from sklearn.datasets import load_iris
>>> X, y = load_iris(return_X_y=True)
>>> model = softmargin.fit(X, y, method="ollawv", gamma=0.25, margin=0.1)
>>> softmargin.predict(model, X[:3])
array([0, 0, 0])
"""

import importlib
from typing import TYPE_CHECKING, Any

from softmargin._checks import signals
from softmargin._core import __version__, release_memory, simd_level

if TYPE_CHECKING:
    from softmargin import datasets, experiments, plots, statistics
    from softmargin._public import *  # noqa: F403

__all__ = [
    "GDSVC",
    "MNSVM",
    "NLSGD",
    "NNISDA",
    "OLLAWV",
    "SGDSVC",
    "SVC",
    "SVCCV",
    "SVR",
    "SVRCV",
    "Certificate",
    "GridSearchCV",
    "HalvingGridSearchCV",
    "HalvingRandomSearchCV",
    "LibsvmBlocks",
    "LinearSVC",
    "LinearSVCCV",
    "LinearSVR",
    "MinMaxScaler",
    "NestedComparison",
    "NestedResult",
    "NewtonSVC",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "PatternSearchCV",
    "RandomizedSearchCV",
    "__version__",
    "cross_val_predict",
    "cross_val_score",
    "cross_validate",
    "datasets",
    "dump_libsvm",
    "dump_libsvm_model",
    "experiments",
    "fit",
    "fold_labels",
    "kernel_matrix",
    "learning_curve",
    "load",
    "load_libsvm",
    "load_libsvm_model",
    "load_phrases",
    "methods",
    "nested_cv",
    "nested_fold_labels",
    "plots",
    "predict",
    "release_memory",
    "save",
    "simd_level",
    "statistics",
    "to_onnx",
    "validation_curve",
]

_MODULES = ("datasets", "experiments", "plots", "statistics")


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Import public names on first use, so that the command line starts quickly."""
        if name not in __all__:
            raise AttributeError(f"module 'softmargin' has no attribute {name!r}")
        if name in _MODULES:
            return _import_uninterrupted(f"softmargin.{name}")
        value = globals()[name] = getattr(_import_uninterrupted("softmargin._public"), name)
        return value


def _import_uninterrupted(name: str) -> Any:
    """Import a module with Ctrl-C deferred, since a half-imported package may be unusable."""
    with signals.defer_interrupts():
        return importlib.import_module(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
