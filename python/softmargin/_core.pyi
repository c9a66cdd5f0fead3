"""The Rust core. Private: use the functions and estimators of ``softmargin``."""

from collections.abc import Callable
from typing import Any, Final, NotRequired, TypeAlias, TypedDict, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Evaluation",
    "LibsvmReader",
    "Model",
    "__version__",
    "check_kernel",
    "count_patterns",
    "decide",
    "fit",
    "fold_labels",
    "inject_panic",
    "kernel_matrix",
    "libsvm_lines",
    "linear_decision",
    "linear_fit",
    "minmax_apply",
    "minmax_fit",
    "nested_fold_labels",
    "rows_digest",
    "simd_level",
]

__version__: Final[str]

_Ints: TypeAlias = NDArray[np.int32] | NDArray[np.int64]
_Floats: TypeAlias = NDArray[np.float32] | NDArray[np.float64]
# A C-contiguous 2-D array, or (indptr, indices, data, n_cols) of a CSR matrix.
_Rows: TypeAlias = _Floats | tuple[_Ints, _Ints, _Floats, int]
# name, gamma, degree, coef0
_Kernel: TypeAlias = tuple[str, float | str, int, float]
# Rows, and their coefficients where those are known.
_Start: TypeAlias = tuple[NDArray[np.uint32], NDArray[np.float64] | None]

class _Data(TypedDict):
    rows: _Rows
    codes: NDArray[np.uint32]
    class_weights: NDArray[np.float64]
    sample_weights: NDArray[np.float64] | None
    starts: list[_Start] | None

class _Train(TypedDict):
    multi_class: str
    row_source: str
    cache_bytes: int
    threads: int
    time_limit: NotRequired[float | None]
    progress: Callable[[int], object] | None

# Steps, weights, memory, averaged steps, first step length of a linear machine.
_State: TypeAlias = tuple[int, NDArray[np.float64], NDArray[np.float64], int, float]
# Signs of machines, pattern after pattern, and the counts of the labels of each.
_Patterns: TypeAlias = tuple[NDArray[np.uint8], NDArray[np.float64]]

class _LinearData(TypedDict):
    rows: _Rows
    codes: NDArray[np.uint32]
    class_weights: NDArray[np.float64]
    sample_weights: NDArray[np.float64] | None
    states: list[_State] | None

class _LinearTrain(TypedDict):
    multi_class: str
    threads: int
    time_limit: float | None
    record_every: int | None
    progress: Callable[[int], object] | None

@final
class Model:
    @property
    def kernel(self) -> str: ...
    @property
    def dtype(self) -> str: ...
    @property
    def gamma(self) -> float: ...
    @property
    def support(self) -> NDArray[np.int32]: ...
    @property
    def n_support(self) -> NDArray[np.int32]: ...
    @property
    def dual_coef(self) -> NDArray[np.float64]: ...
    @property
    def intercept(self) -> NDArray[np.float64]: ...
    @property
    def n_iter(self) -> NDArray[np.int64]: ...
    @property
    def n_loops(self) -> NDArray[np.int64]: ...
    @property
    def status(self) -> list[str]: ...
    @property
    def n_kernel_evals(self) -> int: ...
    @property
    def is_sparse(self) -> bool: ...
    @property
    def rows_digest(self) -> int | None: ...
    def support_vectors(self) -> _Rows: ...
    def decision_values(self, rows: _Rows, threads: int) -> NDArray[np.float64]: ...
    def class_scores(self, rows: _Rows, threads: int) -> NDArray[np.float64]: ...
    def predict(self, rows: _Rows, threads: int, break_ties: bool) -> NDArray[np.uint32]: ...
    def state(self) -> dict[str, Any]: ...
    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Model: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class LibsvmReader:
    def __new__(
        cls, single_precision: bool, zero_based: bool, n_features: int | None
    ) -> LibsvmReader: ...
    def feed(self, piece: bytes) -> None: ...
    def lines(self) -> int: ...
    def n_rows(self) -> int: ...
    def take(
        self,
    ) -> tuple[tuple[_Ints, _Ints, _Floats, int], NDArray[np.float64]]: ...
    def finish(
        self,
    ) -> tuple[tuple[_Ints, _Ints, _Floats, int], NDArray[np.float64]]: ...

@final
class Evaluation:
    def __new__(
        cls,
        method: str,
        settings: dict[str, Any],
        jobs_given: list[tuple[NDArray[np.uint32], NDArray[np.uint32], list[_Kernel], list[float]]],
    ) -> Evaluation: ...
    def run(self, rows: _Rows, plan: dict[str, Any]) -> None: ...
    def n_done(self) -> int: ...
    def seconds(self) -> list[tuple[str, float]]: ...
    def table(self) -> dict[str, NDArray[Any]]: ...

def fit(
    method: str,
    settings: dict[str, Any],
    path: list[float],
    data: _Data,
    kernel: _Kernel,
    train: _Train,
) -> list[Model]: ...
def linear_fit(
    method: str,
    settings: dict[str, Any],
    value: float,
    data: _LinearData,
    train: _LinearTrain,
) -> dict[str, Any]: ...
def linear_decision(
    rows: _Rows, coef: NDArray[np.float64], intercept: NDArray[np.float64], threads: int
) -> NDArray[np.float64]: ...
def decide(
    outputs: NDArray[np.float64],
    multi_class: str,
    n_classes: int,
    patterns: _Patterns | None,
) -> tuple[NDArray[np.float64], NDArray[np.uint32]]: ...
def count_patterns(
    outputs: NDArray[np.float64],
    codes: NDArray[np.uint32],
    weights: NDArray[np.float64] | None,
    n_classes: int,
    before: _Patterns | None,
) -> _Patterns: ...
def check_kernel(kernel: _Kernel) -> None: ...
def kernel_matrix(rows: _Rows, kernel: _Kernel, threads: int) -> _Floats: ...
def rows_digest(rows: _Rows) -> int: ...
def simd_level() -> str:
    """Return the vector instructions in use: "avx512", "avx2" or "baseline"."""

def fold_labels(
    codes: NDArray[np.uint32], n_classes: int, n_folds: int, seed: int
) -> NDArray[np.uint32]: ...
def nested_fold_labels(
    codes: NDArray[np.uint32], n_classes: int, n_outer: int, n_inner: int, seed: int
) -> tuple[NDArray[np.uint32], list[NDArray[np.uint32]]]: ...
def minmax_fit(rows: _Rows) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def minmax_apply(rows: _Rows, shift: NDArray[np.float64], width: NDArray[np.float64]) -> _Rows: ...
def libsvm_lines(rows: _Rows, labels: NDArray[np.float64], zero_based: bool) -> bytes: ...
def inject_panic(threads: int) -> None: ...
