"""LIBSVM model files (Chang and Lin 2011).

A regressor or a one-class model is a single kernel expansion. For classifiers, both libraries sort
support vectors by class and use the same layout for the coefficients of pairs of classes. LIBSVM
keeps classes in order of first occurrence, here they are ascending; LIBSVM subtracts ``rho``, here
the intercept is added. A positive decision value of the pair (i, j) means class i, but for two
classes ``decision_function`` is positive for the second class. Two classes are therefore written in
reverse order, so that both libraries compute the same decision values.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from softmargin import _core
from softmargin._checks.fields import Fields
from softmargin._checks.rows import from_native, native_rows
from softmargin._estimators import model_state
from softmargin._estimators.base import check_standard_predictions
from softmargin._estimators.kernel import KernelMachine
from softmargin._estimators.kernel_classifier import KernelClassifier
from softmargin._estimators.kernel_single import KernelRegressor
from softmargin._estimators.model_state import PlainState
from softmargin._estimators.nu_svc import NuSVC
from softmargin._estimators.nu_svr import NuSVR
from softmargin._estimators.one_class_svm import OneClassSVM
from softmargin._estimators.svc import SVC
from softmargin._estimators.svr import SVR
from softmargin._files import libsvm_header, libsvm_text
from softmargin._files.atomic_file import atomic_write

# Kernel names in scikit-learn and in LIBSVM.
_KERNELS = {"linear": "linear", "poly": "polynomial", "rbf": "rbf", "sigmoid": "sigmoid"}
# The estimators of the types of LIBSVM.
_ESTIMATORS: dict[str, type[SVC | NuSVC | OneClassSVM | SVR | NuSVR]] = {
    "c_svc": SVC,
    "nu_svc": NuSVC,
    "one_class": OneClassSVM,
    "epsilon_svr": SVR,
    "nu_svr": NuSVR,
}
# Support vectors written at a time, and the approximate number of bytes read at a time.
_BLOCK = 4096
_PIECE = 1 << 20
# Support vectors with a larger fraction of nonzero values are stored dense.
_DENSE = 0.25


def dump_libsvm_model(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a file that LIBSVM reads.

    LIBSVM computes the same decision values and predicts the same labels or targets, with two
    exceptions for more than two classes: decision values of exactly 0, and, for all estimators
    except ``SVC`` and ``NuSVC`` with ``break_ties=False``, classes with equal numbers of votes, of
    which LIBSVM predicts the first. Samples with a decision value of exactly 0 of a ``OneClassSVM``
    are inliers, but outliers in LIBSVM.

    Parameters
    ----------
    model : SVC, NuSVC, SVR, NuSVR, OneClassSVM, OLLAWV, NLSGD, MNSVM, NNISDA or NewtonSVC
        Fitted with a linear, polynomial, RBF or sigmoid kernel; a classifier with two classes or
        ``multi_class="ovo"``, and with 32-bit integer labels (stored as integers or floats).
    path : path
        File to write. An existing file is replaced atomically.

    Raises
    ------
    TypeError, ValueError
        If LIBSVM does not support such a model.

    Examples
    --------
    >>> import os, tempfile
    >>> import softmargin
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "iris.model")
    ...     softmargin.dump_libsvm_model(softmargin.SVC(gamma=0.25).fit(X, y), path)
    ...     softmargin.load_libsvm_model(path).score(X, y) > 0.97
    True
    """
    base = _base_of(model)
    check_standard_predictions(model, base)
    check_is_fitted(model)
    state = model_state.to_dict(model._model)
    if state["kernel"] not in _KERNELS:
        raise ValueError(
            "model has a precomputed or callable kernel, which LIBSVM model files do not support"
        )
    k, n_sv = len(state["n_support"]), len(state["support"])
    if base is not KernelClassifier:
        if n_sv == 0 and base is OneClassSVM:
            raise ValueError("model has no support vectors, which LIBSVM does not support")
        _write(path, _single_header(state, _svm_type(model)), state, slice(None))
        return
    if k > 2 and state["multi_class"] != "ovo":
        raise ValueError(
            f"model has multi_class = {state['multi_class']!r}, but LIBSVM supports only pairs of "
            "classes. Fit with multi_class='ovo'."
        )
    if n_sv == 0:
        raise ValueError("model has no support vectors, which LIBSVM does not support")
    labels = _integer_labels(model.classes_)
    header = _header(state, _svm_type(model), labels, _sigmoids(model))
    order: Any = slice(None)
    if k == 2:
        order = np.roll(np.arange(n_sv), -int(state["n_support"][0]))
    _write(path, header, state, order)


def _base_of(model: Any) -> type[KernelMachine]:
    """Return the class whose predictions LIBSVM computes; raise TypeError for other models."""
    for base in (KernelClassifier, KernelRegressor, OneClassSVM):
        if isinstance(model, base):
            return base
    raise TypeError(
        f"model is a {type(model).__name__}, but LIBSVM supports only models with support "
        "vectors. Pass a softmargin SVC, NuSVC, SVR, NuSVR, OneClassSVM, OLLAWV, NLSGD, MNSVM, "
        "NNISDA or NewtonSVC."
    )


def _svm_type(model: Any) -> str:
    """Return the type of LIBSVM; other classifiers predict as its C-SVC."""
    found = (name for name, kind in _ESTIMATORS.items() if isinstance(model, kind))
    return next(found, "c_svc")


def _write(path: str | os.PathLike[str], header: str, state: PlainState, order: Any) -> None:
    """Write a header, and the support vectors in this order."""
    n_sv = len(state["support"])
    rows = from_native(state["rows"]).astype(np.float64)[order]
    coefficients = state["dual_coef"].reshape(-1, n_sv)[:, order] if n_sv else np.empty((1, 0))
    with atomic_write(path) as stream:
        stream.write(header.encode("ascii"))
        for start in range(0, n_sv, _BLOCK):
            block = slice(start, start + _BLOCK)
            stream.writelines(_lines(rows[block], coefficients[:, block]))


def _sigmoids(model: KernelClassifier) -> dict[str, list[float]]:
    """Return the parameters of the sigmoids of probabilities, in the order of the file."""
    a, b = getattr(model, "probA_", []), getattr(model, "probB_", [])
    if len(a) == 0:
        return {}
    # Two classes are written in descending order: the sigmoid is that of the other class.
    sign = -1.0 if len(model.classes_) == 2 else 1.0
    return {"probA": np.asarray(a).tolist(), "probB": (sign * np.asarray(b)).tolist()}


def _header(
    state: PlainState, svm_type: str, labels: list[int], sigmoids: dict[str, list[float]]
) -> str:
    n_support, rho = state["n_support"].tolist(), (-state["intercept"]).tolist()
    if len(labels) == 2:
        n_support, labels = n_support[::-1], labels[::-1]
    fields = _kernel_fields(state, svm_type) | {
        "nr_class": str(len(labels)),
        "total_sv": str(sum(n_support)),
        "rho": " ".join(map(repr, rho)),
        "label": " ".join(map(str, labels)),
        **{name: " ".join(map(repr, values)) for name, values in sigmoids.items()},
        "nr_sv": " ".join(map(str, n_support)),
    }
    return _text_of(fields)


def _single_header(state: PlainState, svm_type: str) -> str:
    (intercept,) = state["intercept"].tolist()
    fields = _kernel_fields(state, svm_type) | {
        "nr_class": "2",
        "total_sv": str(len(state["support"])),
        "rho": repr(-intercept),
    }
    return _text_of(fields)


def _kernel_fields(state: PlainState, svm_type: str) -> dict[str, str]:
    name = _KERNELS[state["kernel"]]
    numbers = {"gamma": state["gamma"], "degree": state["degree"], "coef0": state["coef0"]}
    kernel = {number: repr(numbers[number]) for number in libsvm_header.KERNELS[name]}
    return {"svm_type": svm_type, "kernel_type": name} | kernel


def _text_of(fields: dict[str, str]) -> str:
    return "".join(f"{field} {value}\n" for field, value in fields.items()) + "SV\n"


def _lines(rows: Any, coefficients: NDArray[np.float64]) -> Iterator[bytes]:
    """Yield the lines of support vectors; the last coefficient is written in place of a label."""
    last = np.ascontiguousarray(coefficients[-1])
    text = _core.libsvm_lines(native_rows(rows), last, False)
    others = coefficients[:-1].T.tolist()
    for own, line in zip(others, text.splitlines(keepends=True), strict=True):
        yield "".join(f"{number!r} " for number in own).encode("ascii") + line


def _integer_labels(classes: NDArray[Any]) -> list[int]:
    is_number = classes.dtype.kind in "iuf"
    limits = np.iinfo(np.int32)
    if is_number and (classes == np.trunc(classes)).all():
        labels = [int(label) for label in classes]
        if limits.min <= min(labels) and max(labels) <= limits.max:
            return labels
    labels_text = ", ".join(repr(label) for label in classes[:3].tolist())
    raise ValueError(
        f"model has the labels {labels_text}{', …' if len(classes) > 3 else ''}, but LIBSVM "
        "supports only 32-bit integers. Fit with integer labels."
    )


def load_libsvm_model(
    path: str | os.PathLike[str],
    *,
    n_features: int | None = None,
    dtype: Any = np.float64,
    zero_based: bool = False,
) -> SVC | NuSVC | OneClassSVM | SVR | NuSVR:
    """Read a model trained by LIBSVM.

    Parameters
    ----------
    path : path
        A model of any type with a linear, polynomial, RBF or sigmoid kernel. With the probability
        parameters of a classifier, the estimator has ``probability=True``; those of other types
        are ignored.
    n_features : int or None, default=None
        Number of features; None uses the largest index of a support vector. Samples to predict
        must have this number of features.
    dtype : float64 or float32, default=float64
        Type of the support vectors and of the kernel values.
    zero_based : bool, default=False
        Whether the feature indices of the training data started at 0.

    Returns
    -------
    SVC, NuSVC, OneClassSVM, SVR or NuSVR
        Fitted estimator with the kernel of the file, for the types ``c_svc``, ``nu_svc``,
        ``one_class``, ``epsilon_svr`` and ``nu_svr``. C and other training parameters are not
        stored in the file and have their default values; ``support_`` numbers the support vectors
        from 0, ``status_`` is "unknown", and ``C_`` of NuSVC and ``epsilon_`` of NuSVR are NaN. If
        classes have equal numbers of votes, the estimator
        predicts the lowest label, and LIBSVM the one that occurred first in its training data.

    Raises
    ------
    ValueError
        If the file is not such a model; the message has the file and the line or field. Counts
        are validated before memory is allocated.
    """
    path = Path(path)
    options = libsvm_text.reader_options(dtype, zero_based, n_features)
    try:
        with path.open("rb") as stream:
            header = libsvm_header.read(stream)
            coefficients, rows = _support_vectors(stream, header, options)
        return _estimator(header, coefficients, rows)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{str(path)!r} is not a valid LIBSVM model: {error}") from error


def _support_vectors(
    lines: Iterable[bytes],
    header: libsvm_header.Header,
    options: tuple[bool, bool, int | None],
) -> tuple[NDArray[np.float64], Any]:
    """Return the coefficients, one row per support vector, and the support vectors."""
    reader = _core.LibsvmReader(*options)
    n_others, n_vectors = max(len(header.labels) - 2, 0), sum(header.n_support)
    others: list[float] = []
    piece = bytearray(b"\n" * header.n_lines)  # for line numbers in errors
    line = b"\n"
    for number, line in enumerate(lines, header.n_lines + 1):
        own, rest = libsvm_header.split_vector(line, n_others, number)
        others += own
        piece += rest.rstrip() + b"\n"
        if len(piece) > _PIECE:
            reader.feed(bytes(piece))
            piece.clear()
    if not line.endswith(b"\n"):
        raise ValueError("the last line has no newline: the file is truncated")
    reader.feed(bytes(piece))
    if reader.n_rows() != n_vectors:
        raise ValueError(
            f"total_sv is {n_vectors}, but the file has {reader.n_rows()} support vectors"
        )
    if n_vectors == 0:
        return np.empty((0, 1)), _no_rows(*options)
    rows, last = reader.finish()
    return np.column_stack([np.reshape(others, (n_vectors, n_others)), last]), rows


def _no_rows(is_float32: bool, zero_based: bool, n_features: int | None) -> Any:
    """Return no support vectors, with the number of features that was asked for."""
    dtype = np.float32 if is_float32 else np.float64
    return native_rows(sp.csr_matrix(np.empty((0, n_features or 1), dtype=dtype)))


def _estimator(
    header: libsvm_header.Header, coefficients: NDArray[np.float64], rows: Any
) -> SVC | NuSVC | OneClassSVM | SVR | NuSVR:
    """Return the fitted estimator."""
    kind = _ESTIMATORS[header.svm_type]
    found: SVC | NuSVC | OneClassSVM | SVR | NuSVR
    if header.labels:
        found = _classifier(kind, header, coefficients, rows)
    else:
        found = _single(kind, header, coefficients, from_native(rows))
    return found


def _single(
    kind: Any, header: libsvm_header.Header, coefficients: NDArray[np.float64], csr: Any
) -> Any:
    """Return a fitted estimator with a single machine."""
    estimator = kind(**_kernel_params(header))
    intercept = -np.array(header.rho)
    state = _state(header, "single", csr, [len(coefficients)], coefficients.ravel(), intercept)
    estimator._restore(Fields(_shape_of(csr), model_state.named(state)))
    return estimator


def _classifier(
    kind: Any, header: libsvm_header.Header, coefficients: NDArray[np.float64], rows: Any
) -> Any:
    """Return a fitted classifier with its classes in ascending order."""
    places = np.argsort(header.labels)  # positions of the sorted classes in the file
    starts = np.r_[0, np.cumsum(header.n_support)]
    vectors = [np.arange(starts[place], starts[place + 1]) for place in places]
    dual_coef, intercept, sigmoids = _pairs(header, coefficients, places, vectors)
    csr = from_native(rows)[np.concatenate(vectors)]
    estimator = kind(probability=bool(sigmoids), **_kernel_params(header))
    n_support = [len(own) for own in vectors]
    state = _state(header, "ovo", csr, n_support, dual_coef.ravel(), intercept)
    fitted = _shape_of(csr) | {
        "classes_": np.array(header.labels, dtype=np.int64)[places],
        "class_weight_": np.ones(len(places)),
        **sigmoids,
    }
    if kind is NuSVC:
        fitted["C_"] = np.full(len(intercept), np.nan)  # not in the file
    estimator._restore(Fields(fitted, model_state.named(state)))
    return estimator


def _kernel_params(header: libsvm_header.Header) -> dict[str, Any]:
    """Return the parameters of the kernel."""
    names = {theirs: ours for ours, theirs in _KERNELS.items()}
    return {"kernel": names[header.kernel], **header.numbers}


def _shape_of(csr: Any) -> dict[str, Any]:
    """Return the fitted attributes with the number of features and, as far as known, samples."""
    n_sv, n_cols = csr.shape
    shape = np.array([max(n_sv, 1), n_cols], dtype=np.int64)
    return {"n_features_in_": n_cols, "shape_fit_": shape}


def _state(
    header: libsvm_header.Header,
    scheme: str,
    csr: Any,
    n_support: list[int],
    dual_coef: NDArray[np.float64],
    intercept: NDArray[np.float64],
) -> PlainState:
    """Return the state of the model in the core."""
    (n_sv, n_cols), m = csr.shape, len(intercept)
    is_dense = csr.nnz >= _DENSE * n_sv * n_cols
    return {
        "version": 1,
        "dtype": str(csr.dtype),
        "kernel": _kernel_params(header)["kernel"],
        "multi_class": scheme,
        "gamma": header.numbers.get("gamma", 1.0),
        "degree": int(header.numbers.get("degree", 3)),
        "coef0": header.numbers.get("coef0", 0.0),
        "rows": csr.toarray() if is_dense else native_rows(csr),
        "n_cols": n_cols,
        "support": np.arange(n_sv, dtype=np.uint32),
        "n_support": np.array(n_support, dtype=np.uint64),
        "dual_coef": dual_coef,
        "intercept": intercept,
        "n_iter": np.zeros(m, dtype=np.uint64),
        "n_loops": np.zeros(m, dtype=np.uint64),
        "n_kernel_evals": 0,
        "status": ["unknown"] * m,
    }


def _pairs(
    header: libsvm_header.Header,
    coefficients: NDArray[np.float64],
    places: NDArray[np.intp],
    vectors: list[NDArray[np.intp]],
) -> tuple[NDArray[np.float64], NDArray[np.float64], dict[str, NDArray[np.float64]]]:
    """Return coefficients, intercepts and sigmoids for pairs of ascending classes."""
    k = len(places)
    a, b = np.triu_indices(k, 1)
    pairs = np.zeros((k, k), dtype=np.intp)
    pairs[a, b] = pairs[b, a] = np.arange(len(a))
    # The sign depends on which class comes first in the file; see above for two classes.
    signs = np.where((places[a] < places[b]) == (k > 2), 1.0, -1.0)
    intercept = -signs * np.array(header.rho)[pairs[places[a], places[b]]]
    by_class = []
    for c, (place, own) in enumerate(zip(places, vectors, strict=True)):
        others = np.delete(np.arange(k), c)
        columns = places[others] - (place < places[others])
        factors = signs[pairs[c, others], None]
        by_class.append(factors * coefficients[np.ix_(own, columns)].T)
    sigmoids = {}
    if header.prob_a:
        order = pairs[places[a], places[b]]
        # P(b) = 1 - P(a): the sigmoid of -f with the other sign of B.
        turned = np.where(places[a] < places[b], 1.0, -1.0)
        sigmoids = {
            "probA_": np.array(header.prob_a)[order],
            "probB_": turned * np.array(header.prob_b)[order],
        }
    return np.concatenate(by_class, axis=1), intercept, sigmoids
