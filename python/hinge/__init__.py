# ruff: noqa: F405 (names of a star import)
"""Support vector machines and honest model selection, fast.

>>> import hinge
>>> from sklearn.datasets import load_iris
>>> X, y = load_iris(return_X_y=True)
>>> model = hinge.fit(X, y, method="ollawv", gamma=0.25, margin=0.1)
>>> hinge.predict(model, X[:3])
array([0, 0, 0])
"""

import importlib
from typing import TYPE_CHECKING, Any

from hinge import _signals
from hinge._core import __version__, simd_level

if TYPE_CHECKING:
    from hinge import datasets, experiments, plots, statistics
    from hinge._public import *  # noqa: F403

__all__ = [
    "GDSVC",
    "MNSVM",
    "NLSGD",
    "NNISDA",
    "OLLAWV",
    "SGDSVC",
    "SVC",
    "Certificate",
    "GridSearchCV",
    "LibsvmBlocks",
    "LinearSVC",
    "MinMaxScaler",
    "NestedComparison",
    "NestedResult",
    "NewtonSVC",
    "PatternSearchCV",
    "__version__",
    "datasets",
    "dump_libsvm",
    "dump_libsvm_model",
    "experiments",
    "fit",
    "fold_labels",
    "kernel_matrix",
    "load",
    "load_libsvm",
    "load_libsvm_model",
    "load_phrases",
    "methods",
    "nested_cv",
    "nested_fold_labels",
    "plots",
    "predict",
    "save",
    "simd_level",
    "statistics",
    "to_onnx",
]

_MODULES = ("datasets", "experiments", "plots", "statistics")


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Import what is public when it is first used, so that the command line starts at once."""
        if name not in __all__:
            raise AttributeError(f"module 'hinge' has no attribute {name!r}")
        if name in _MODULES:
            return _imported_whole(f"hinge.{name}")
        value = globals()[name] = getattr(_imported_whole("hinge._public"), name)
        return value


def _imported_whole(name: str) -> Any:
    """Import a module; a package that is imported by half, such as pandas, may be of no use."""
    with _signals.held():
        return importlib.import_module(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
