"""The Rust core. Private: use the functions and estimators of ``softmargin``."""

from collections.abc import Callable
from typing import Final, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Cells",
    "Evaluation",
    "ExactLinearSolver",
    "GradientSolver",
    "Job",
    "Kernel",
    "L1LinearSolver",
    "LibsvmReader",
    "Limits",
    "LinearFit",
    "MnSvmSolver",
    "Model",
    "ModelState",
    "NewtonSolver",
    "NlSgdSolver",
    "NnIsdaSolver",
    "OllawvSolver",
    "Plan",
    "SgdSolver",
    "Source",
    "SvcSolver",
    "TrainingData",
    "__version__",
    "count_patterns",
    "decide",
    "fit",
    "fit_sigmoids",
    "fold_labels",
    "inject_panic",
    "kernel_matrix",
    "libsvm_lines",
    "linear_decision",
    "linear_fit",
    "minmax_apply",
    "minmax_fit",
    "nested_fold_labels",
    "release_memory",
    "rows_digest",
    "simd_level",
]

__version__: Final[str]

_Ints: TypeAlias = NDArray[np.int32] | NDArray[np.int64]
_Floats: TypeAlias = NDArray[np.float32] | NDArray[np.float64]
# A C-contiguous 2-D array, or (indptr, indices, data, n_cols) of a CSR matrix.
_Rows: TypeAlias = _Floats | tuple[_Ints, _Ints, _Floats, int]
# Indices of samples, and their coefficients if those are known.
_Start: TypeAlias = tuple[NDArray[np.uint32], NDArray[np.float64] | None]
# Steps, weights, memory, averaged steps and first step size of a linear binary classifier.
_State: TypeAlias = tuple[int, NDArray[np.float64], NDArray[np.float64], int, float]
# Steps, seconds, weights and biases of the snapshots of a linear binary classifier.
_Snapshots: TypeAlias = tuple[
    NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]
]
# Signs of binary classifiers, pattern after pattern, and the counts of the labels of each.
_Patterns: TypeAlias = tuple[NDArray[np.uint8], NDArray[np.float64]]
# Primal and dual objective, gap and violation.
_Certificate: TypeAlias = tuple[float, float, float, float]
# A value of a path: one number, or C with epsilon or nu.
_PathValue: TypeAlias = float | tuple[float, float]
_Gamma: TypeAlias = float | str
_Intercept: TypeAlias = float | str
_RowSource: TypeAlias = Literal["auto", "gram", "cached", "computed"]

@final
class Kernel:
    def __new__(
        cls,
        kernel: str,
        gamma: _Gamma,
        degree: int,
        coef0: float,
    ) -> Kernel: ...
    @property
    def kernel(self) -> str: ...
    @property
    def gamma(self) -> _Gamma: ...
    @property
    def degree(self) -> int: ...
    @property
    def coef0(self) -> float: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Limits:
    def __new__(
        cls,
        *,
        threads: int,
        memory_bytes: int = 0,
        time_limit: float | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> Limits: ...
    @property
    def threads(self) -> int: ...
    @property
    def memory_bytes(self) -> int: ...
    @property
    def time_limit(self) -> float | None: ...
    @property
    def progress(self) -> Callable[[int], object] | None: ...

@final
class TrainingData:
    def __new__(
        cls,
        rows: _Rows,
        codes: NDArray[np.uint32],
        class_weights: NDArray[np.float64],
        *,
        multi_class: str,
        sample_weights: NDArray[np.float64] | None = None,
        targets: NDArray[np.float64] | None = None,
        starts: list[_Start] | None = None,
    ) -> TrainingData: ...
    @property
    def rows(self) -> _Rows: ...
    @property
    def codes(self) -> NDArray[np.uint32]: ...
    @property
    def class_weights(self) -> NDArray[np.float64]: ...
    @property
    def targets(self) -> NDArray[np.float64] | None: ...
    @property
    def multi_class(self) -> str: ...
    @property
    def sample_weights(self) -> NDArray[np.float64] | None: ...
    @property
    def starts(self) -> list[_Start] | None: ...

@final
class OllawvSolver:
    def __new__(
        cls,
        *,
        c: float,
        bias: bool,
        max_sv_fraction: float,
        epochs: int,
        step: str,
    ) -> OllawvSolver: ...
    @property
    def c(self) -> float: ...
    @property
    def bias(self) -> bool: ...
    @property
    def max_sv_fraction(self) -> float: ...
    @property
    def epochs(self) -> int: ...
    @property
    def step(self) -> str: ...
    def check(self, path: list[_PathValue]) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class SvcSolver:
    def __new__(
        cls,
        *,
        formulation: str,
        tol: float,
        working_set_size: int | None,
        shrinking: bool,
        max_iter: int | None,
    ) -> SvcSolver: ...
    @property
    def formulation(self) -> str: ...
    @property
    def tol(self) -> float: ...
    @property
    def working_set_size(self) -> int | None: ...
    @property
    def shrinking(self) -> bool: ...
    @property
    def max_iter(self) -> int | None: ...
    def check(self, path: list[_PathValue]) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class NlSgdSolver:
    def __new__(
        cls,
        *,
        epochs: int,
        average: float,
        step: str,
        order: str,
        seed: int,
    ) -> NlSgdSolver: ...
    @property
    def epochs(self) -> int: ...
    @property
    def average(self) -> float: ...
    @property
    def step(self) -> str: ...
    @property
    def order(self) -> str: ...
    @property
    def seed(self) -> int: ...
    def check(self, path: list[_PathValue]) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class MnSvmSolver:
    def __new__(
        cls,
        *,
        eps: float,
        selection: str,
        seed: int,
        max_iter: int | None,
    ) -> MnSvmSolver: ...
    @property
    def eps(self) -> float: ...
    @property
    def selection(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def max_iter(self) -> int | None: ...
    def check(self, path: list[_PathValue]) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class NnIsdaSolver:
    def __new__(
        cls,
        *,
        tol: float,
        max_iter: int | None,
    ) -> NnIsdaSolver: ...
    @property
    def tol(self) -> float: ...
    @property
    def max_iter(self) -> int | None: ...
    def check(self, path: list[_PathValue]) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class NewtonSolver:
    def __new__(
        cls,
        *,
        bias: str,
        max_iter: int | None,
        line_search: bool,
    ) -> NewtonSolver: ...
    @property
    def bias(self) -> str: ...
    @property
    def max_iter(self) -> int | None: ...
    @property
    def line_search(self) -> bool: ...
    def check(self, path: list[_PathValue]) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class SgdSolver:
    def __new__(
        cls,
        *,
        optimizer: str,
        epochs: int | None,
        batch_size: int,
        project: bool,
        average: float,
        eta0: float | None,
        momentum: float,
        decay: float,
        epsilon: float,
        as_printed: bool,
        visit: str,
        early_stop: tuple[float, int, float | None] | None,
        seed: int,
        is_lambda: bool,
        intercept: _Intercept,
    ) -> SgdSolver: ...
    @property
    def optimizer(self) -> str: ...
    @property
    def epochs(self) -> int | None: ...
    @property
    def batch_size(self) -> int: ...
    @property
    def project(self) -> bool: ...
    @property
    def average(self) -> float: ...
    @property
    def eta0(self) -> float | None: ...
    @property
    def momentum(self) -> float: ...
    @property
    def decay(self) -> float: ...
    @property
    def epsilon(self) -> float: ...
    @property
    def as_printed(self) -> bool: ...
    @property
    def visit(self) -> str: ...
    @property
    def early_stop(self) -> tuple[float, int, float | None] | None: ...
    @property
    def seed(self) -> int: ...
    @property
    def is_lambda(self) -> bool: ...
    @property
    def intercept(self) -> _Intercept: ...
    def check(self, path: list[_PathValue]) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class GradientSolver:
    def __new__(
        cls,
        *,
        eta0: float,
        max_iter: int | None,
        tol: float,
        is_lambda: bool,
        intercept: _Intercept,
    ) -> GradientSolver: ...
    @property
    def eta0(self) -> float: ...
    @property
    def max_iter(self) -> int | None: ...
    @property
    def tol(self) -> float: ...
    @property
    def is_lambda(self) -> bool: ...
    @property
    def intercept(self) -> _Intercept: ...
    def check(self, path: list[_PathValue]) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class ExactLinearSolver:
    def __new__(
        cls,
        *,
        loss: str,
        dual: bool | None,
        tol: float,
        max_iter: int | None,
        seed: int,
        intercept: _Intercept,
    ) -> ExactLinearSolver: ...
    @property
    def loss(self) -> str: ...
    @property
    def dual(self) -> bool | None: ...
    @property
    def tol(self) -> float: ...
    @property
    def max_iter(self) -> int | None: ...
    @property
    def seed(self) -> int: ...
    @property
    def intercept(self) -> _Intercept: ...
    def check(self, path: list[_PathValue]) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class L1LinearSolver:
    def __new__(
        cls, *, tol: float, max_iter: int | None, seed: int, intercept: _Intercept
    ) -> L1LinearSolver: ...
    @property
    def tol(self) -> float: ...
    @property
    def max_iter(self) -> int | None: ...
    @property
    def seed(self) -> int: ...
    @property
    def intercept(self) -> _Intercept: ...
    def check(self, path: list[_PathValue]) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...

_KernelSolver: TypeAlias = (
    OllawvSolver | SvcSolver | NlSgdSolver | MnSvmSolver | NnIsdaSolver | NewtonSolver
)
_LinearSolver: TypeAlias = SgdSolver | GradientSolver | ExactLinearSolver | L1LinearSolver

@final
class ModelState:
    def __new__(
        cls,
        *,
        version: int,
        dtype: str,
        kernel: Kernel,
        multi_class: str,
        rows: _Rows | None,
        n_cols: int,
        support: NDArray[np.uint32],
        n_support: NDArray[np.uint64],
        dual_coef: NDArray[np.float64],
        intercept: NDArray[np.float64],
        patterns: NDArray[np.uint8] | None,
        pattern_counts: NDArray[np.float64] | None,
        n_iter: NDArray[np.uint64],
        n_loops: NDArray[np.uint64],
        status: list[str],
        n_kernel_evals: int,
    ) -> ModelState: ...
    @property
    def version(self) -> int: ...
    @property
    def dtype(self) -> str: ...
    @property
    def kernel(self) -> Kernel: ...
    @property
    def multi_class(self) -> str: ...
    @property
    def rows(self) -> _Rows | None: ...
    @property
    def n_cols(self) -> int: ...
    @property
    def support(self) -> NDArray[np.uint32]: ...
    @property
    def n_support(self) -> NDArray[np.uint64]: ...
    @property
    def dual_coef(self) -> NDArray[np.float64]: ...
    @property
    def intercept(self) -> NDArray[np.float64]: ...
    @property
    def patterns(self) -> NDArray[np.uint8] | None: ...
    @property
    def pattern_counts(self) -> NDArray[np.float64] | None: ...
    @property
    def n_iter(self) -> NDArray[np.uint64]: ...
    @property
    def n_loops(self) -> NDArray[np.uint64]: ...
    @property
    def status(self) -> list[str]: ...
    @property
    def n_kernel_evals(self) -> int: ...

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
    def implied(self) -> list[float | None]: ...
    @property
    def is_sparse(self) -> bool: ...
    @property
    def rows_digest(self) -> int | None: ...
    def support_vectors(self) -> _Rows: ...
    def decision_values(self, rows: _Rows, threads: int) -> NDArray[np.float64]: ...
    def class_scores(self, rows: _Rows, threads: int) -> NDArray[np.float64]: ...
    def predict(self, rows: _Rows, threads: int, break_ties: bool) -> NDArray[np.uint32]: ...
    def certificates(
        self,
        solver: _KernelSolver,
        rows: _Rows,
        codes: NDArray[np.uint32],
        weights: NDArray[np.float64],
        cs: list[float],
        targets: NDArray[np.float64] | None,
        epsilon: float,
        threads: int,
    ) -> list[_Certificate]: ...
    def state(self) -> ModelState: ...
    @staticmethod
    def from_state(state: ModelState) -> Model: ...

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
class LinearFit:
    @property
    def coef(self) -> NDArray[np.float64]: ...
    @property
    def intercept(self) -> NDArray[np.float64]: ...
    @property
    def n_iter(self) -> NDArray[np.int64]: ...
    @property
    def status(self) -> list[str]: ...
    @property
    def certificates(self) -> list[_Certificate]: ...
    @property
    def states(self) -> list[_State]: ...
    @property
    def snapshots(self) -> list[_Snapshots]: ...

@final
class Source:
    def __new__(
        cls,
        rows: _Rows,
        codes: NDArray[np.uint32],
        sample_weights: NDArray[np.float64] | None = None,
        targets: NDArray[np.float64] | None = None,
    ) -> Source: ...
    @property
    def rows(self) -> _Rows: ...
    @property
    def codes(self) -> NDArray[np.uint32]: ...
    @property
    def sample_weights(self) -> NDArray[np.float64] | None: ...
    @property
    def targets(self) -> NDArray[np.float64] | None: ...

@final
class Job:
    def __new__(
        cls,
        source: int,
        train: NDArray[np.uint32],
        test: NDArray[np.uint32],
        kernels: list[Kernel],
        paths: list[list[_PathValue]],
        starts: list[_Start] | None = None,
    ) -> Job: ...
    @property
    def source(self) -> int: ...
    @property
    def train(self) -> NDArray[np.uint32]: ...
    @property
    def test(self) -> NDArray[np.uint32]: ...
    @property
    def kernels(self) -> list[Kernel]: ...
    @property
    def paths(self) -> list[list[_PathValue]]: ...
    @property
    def starts(self) -> list[_Start] | None: ...

@final
class Plan:
    def __new__(
        cls,
        n_classes: int,
        *,
        class_weights: NDArray[np.float64] | None,
        multi_class: str,
        break_ties: bool,
        scaling: str,
        single_precision: bool,
        predictions: bool = False,
        decisions: str | None = None,
        train_outputs: bool = False,
    ) -> Plan: ...
    @property
    def n_classes(self) -> int: ...
    @property
    def class_weights(self) -> NDArray[np.float64] | None: ...
    @property
    def multi_class(self) -> str: ...
    @property
    def break_ties(self) -> bool: ...
    @property
    def scaling(self) -> str: ...
    @property
    def single_precision(self) -> bool: ...
    @property
    def predictions(self) -> bool: ...
    @property
    def decisions(self) -> str | None: ...
    @property
    def train_outputs(self) -> bool: ...

@final
class Cells:
    @property
    def done(self) -> NDArray[np.bool_]: ...
    @property
    def accuracy(self) -> NDArray[np.float64]: ...
    @property
    def balanced_accuracy(self) -> NDArray[np.float64]: ...
    @property
    def f1_macro(self) -> NDArray[np.float64]: ...
    @property
    def n_support(self) -> NDArray[np.uint64]: ...
    @property
    def n_iter(self) -> NDArray[np.uint64]: ...
    @property
    def n_loops(self) -> NDArray[np.uint64]: ...
    @property
    def n_kernel_evals(self) -> NDArray[np.uint64]: ...
    @property
    def n_unfinished(self) -> NDArray[np.uint64]: ...

@final
class Evaluation:
    def __new__(cls, solver: _KernelSolver | _LinearSolver, jobs: list[Job]) -> Evaluation: ...
    def run(self, sources: list[Source], plan: Plan, limits: Limits) -> None: ...
    def n_done(self) -> int: ...
    def take_outputs(
        self, job: int, kernel: int
    ) -> tuple[NDArray[np.uint32], NDArray[np.float64]] | None: ...
    def seconds(self) -> list[tuple[str, float]]: ...
    def table(self) -> Cells: ...

def fit(
    solver: _KernelSolver,
    path: list[_PathValue],
    data: TrainingData,
    kernel: Kernel,
    limits: Limits,
    row_source: _RowSource = "auto",
) -> list[Model]: ...
def linear_fit(
    solver: _LinearSolver,
    value: _PathValue,
    data: TrainingData,
    limits: Limits,
    states: list[_State] | None = None,
    record_every: int | None = None,
) -> LinearFit: ...
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
def kernel_matrix(rows: _Rows, kernel: Kernel, threads: int) -> _Floats: ...
def rows_digest(rows: _Rows) -> int: ...
def simd_level() -> str:
    """Return the vector instructions in use: "avx512", "avx2" or "baseline"."""

def fit_sigmoids(
    decisions: NDArray[np.float64],
    signs: NDArray[np.int8],
    weights: NDArray[np.float64] | None,
    threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return slope and offset of the sigmoid of each binary classifier.

    ``decisions`` and ``signs`` have a column for each classifier; a sign is 1 for the positive
    class, -1 for the other, and 0 for samples that are not used.
    """

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
def release_memory() -> int:
    """Free the memory of kernel caches that is kept for later fits.

    After a fit with a large kernel cache, up to 512 MB of it stay allocated, because using memory
    again is much faster than fresh memory. The operating system may take it back at any time, and
    it is freed when an allocation would fail otherwise.

    Returns
    -------
    int
        Number of bytes that were freed.
    """
