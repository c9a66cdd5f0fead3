"""Every public name that needs scikit-learn; ``hinge`` takes them from here when first used."""

from hinge._api import fit as fit
from hinge._api import load as load
from hinge._api import predict as predict
from hinge._certificate import Certificate as Certificate
from hinge._folds import fold_labels as fold_labels
from hinge._folds import nested_fold_labels as nested_fold_labels
from hinge._gd import GDSVC as GDSVC
from hinge._kernels import kernel_matrix as kernel_matrix
from hinge._libsvm_text import LibsvmBlocks as LibsvmBlocks
from hinge._libsvm_text import dump_libsvm as dump_libsvm
from hinge._libsvm_text import load_libsvm as load_libsvm
from hinge._linear_svc import LinearSVC as LinearSVC
from hinge._methods import methods as methods
from hinge._mnsvm import MNSVM as MNSVM
from hinge._nested import nested_cv as nested_cv
from hinge._nested_result import NestedResult as NestedResult
from hinge._newton import NewtonSVC as NewtonSVC
from hinge._nlsgd import NLSGD as NLSGD
from hinge._nnisda import NNISDA as NNISDA
from hinge._ollawv import OLLAWV as OLLAWV
from hinge._phrases import load_phrases as load_phrases
from hinge._scaling import MinMaxScaler as MinMaxScaler
from hinge._search import GridSearchCV as GridSearchCV
from hinge._search import PatternSearchCV as PatternSearchCV
from hinge._sgd import SGDSVC as SGDSVC
from hinge._svc import SVC as SVC
