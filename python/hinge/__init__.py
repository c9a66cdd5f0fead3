"""Support vector machines and honest model selection, fast.

>>> import hinge
>>> from sklearn.datasets import load_iris
>>> X, y = load_iris(return_X_y=True)
>>> model = hinge.fit(X, y, method="ollawv", gamma=0.25, margin=0.1)
>>> hinge.predict(model, X[:3])
array([0, 0, 0])
"""

from hinge._api import fit, load, predict
from hinge._certificate import Certificate
from hinge._core import __version__, simd_level
from hinge._folds import fold_labels, nested_fold_labels
from hinge._gd import GDSVC
from hinge._kernels import kernel_matrix
from hinge._libsvm_model import dump_libsvm_model, load_libsvm_model
from hinge._libsvm_text import LibsvmBlocks, dump_libsvm, load_libsvm
from hinge._linear_svc import LinearSVC
from hinge._methods import methods
from hinge._mnsvm import MNSVM
from hinge._nested import nested_cv
from hinge._nested_result import NestedResult
from hinge._newton import NewtonSVC
from hinge._nlsgd import NLSGD
from hinge._nnisda import NNISDA
from hinge._ollawv import OLLAWV
from hinge._onnx import to_onnx
from hinge._phrases import load_phrases
from hinge._scaling import MinMaxScaler
from hinge._search import GridSearchCV, PatternSearchCV
from hinge._sgd import SGDSVC
from hinge._svc import SVC

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
    "NestedResult",
    "NewtonSVC",
    "PatternSearchCV",
    "__version__",
    "dump_libsvm",
    "dump_libsvm_model",
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
    "predict",
    "simd_level",
    "to_onnx",
]
