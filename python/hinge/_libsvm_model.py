"""Models in the files of LIBSVM (C.-C. Chang and C.-J. Lin, a library for SVMs, 2011).

Both programs sort support vectors by class and lay out the coefficients of pairs alike. LIBSVM
keeps classes in the order in which it met them, here they ascend; it subtracts ``rho``, here
the intercept is added. Machine (i, j) speaks for i where its value is positive, but of two
classes ``decision_function`` speaks for the second: so they are written in reverse order, and
the values of both programs are the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from hinge import _core, _input, _libsvm_header, _libsvm_text, _model_state
from hinge._base import KernelClassifier
from hinge._classifier import refuse_own_predictions
from hinge._fields import Fields
from hinge._replacement import replaced
from hinge._svc import SVC

# Names of kernels here and there.
_KERNELS = {"linear": "linear", "poly": "polynomial", "rbf": "rbf", "sigmoid": "sigmoid"}
# Support vectors that are written, and about so many bytes that are read, at a time.
_BLOCK = 4096
_PIECE = 1 << 20
# Vectors with a larger share of values that are not 0 are kept dense.
_DENSE = 0.25


def dump_libsvm_model(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a file that LIBSVM reads.

    LIBSVM then computes the same values, and predicts the same labels but for two cases, both
    with more than two classes: where the value of a machine is exactly 0, and, for all
    estimators but ``SVC(break_ties=False)``, where classes have the same number of votes, of
    which LIBSVM takes the first.

    Parameters
    ----------
    model : SVC, OLLAWV, NLSGD, MNSVM, NNISDA or NewtonSVC
        Fitted with two classes, or with ``multi_class="ovo"``; with a linear, polynomial, RBF or
        sigmoid kernel; to labels that are whole numbers of 32 bits, also as floats.
    path : path
        A file that is there is replaced, as a whole or not at all.

    Raises
    ------
    TypeError, ValueError
        If LIBSVM has no such model.

    Examples
    --------
    >>> import os, tempfile
    >>> import hinge
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "iris.model")
    ...     hinge.dump_libsvm_model(hinge.SVC(gamma=0.25).fit(X, y), path)
    ...     hinge.load_libsvm_model(path).score(X, y) > 0.97
    True
    """
    if not isinstance(model, KernelClassifier):
        raise TypeError(
            f"model is a {type(model).__name__}, but LIBSVM has models with support vectors only: "
            "pass an SVC, OLLAWV, NLSGD, MNSVM, NNISDA or NewtonSVC of hinge"
        )
    refuse_own_predictions(model, KernelClassifier)
    check_is_fitted(model)
    state = model._model.state()
    if state["kernel"] not in _KERNELS:
        raise ValueError(
            "model has a precomputed or callable kernel, but a file of LIBSVM needs the vectors"
        )
    k, n_sv = len(state["n_support"]), len(state["support"])
    if k > 2 and state["multi_class"] != "ovo":
        raise ValueError(
            f"model has multi_class = {state['multi_class']!r}, but LIBSVM has machines for pairs "
            "of classes only: fit with multi_class='ovo'"
        )
    if n_sv == 0:
        raise ValueError("model has no support vectors, which LIBSVM does not read")
    header = _header(state, _whole_labels(model.classes_))
    rows = _input.from_native(state["rows"]).astype(np.float64)
    coefficients = state["dual_coef"].reshape(k - 1, n_sv)
    if k == 2:
        order = np.roll(np.arange(n_sv), -int(state["n_support"][0]))
        rows, coefficients = rows[order], coefficients[:, order]
    with replaced(path) as stream:
        stream.write(header.encode("ascii"))
        for start in range(0, n_sv, _BLOCK):
            block = slice(start, start + _BLOCK)
            stream.writelines(_lines(rows[block], coefficients[:, block]))


def _header(state: dict[str, Any], labels: list[int]) -> str:
    name = _KERNELS[state["kernel"]]
    n_support, rho = state["n_support"].tolist(), (-state["intercept"]).tolist()
    if len(labels) == 2:
        n_support, labels = n_support[::-1], labels[::-1]
    fields = {"svm_type": "c_svc", "kernel_type": name}
    fields |= {number: repr(state[number]) for number in _libsvm_header.KERNELS[name]}
    fields |= {
        "nr_class": str(len(labels)),
        "total_sv": str(sum(n_support)),
        "rho": " ".join(map(repr, rho)),
        "label": " ".join(map(str, labels)),
        "nr_sv": " ".join(map(str, n_support)),
    }
    return "".join(f"{field} {value}\n" for field, value in fields.items()) + "SV\n"


def _lines(rows: Any, coefficients: NDArray[np.float64]) -> Iterator[bytes]:
    """Yield the lines of support vectors; the last coefficient takes the place of a label."""
    last = np.ascontiguousarray(coefficients[-1])
    text = _core.libsvm_lines(_input.native_rows(rows), last, False)
    others = coefficients[:-1].T.tolist()
    for own, line in zip(others, text.splitlines(keepends=True), strict=True):
        yield "".join(f"{number!r} " for number in own).encode("ascii") + line


def _whole_labels(classes: NDArray[Any]) -> list[int]:
    is_number = classes.dtype.kind in "iuf"
    limits = np.iinfo(np.int32)
    if is_number and (classes == np.trunc(classes)).all():
        labels = [int(label) for label in classes]
        if limits.min <= min(labels) and max(labels) <= limits.max:
            return labels
    shown = ", ".join(repr(label) for label in classes[:3].tolist())
    raise ValueError(
        f"model has the labels {shown}{', …' if len(classes) > 3 else ''}, but LIBSVM has whole "
        "numbers of 32 bits only: fit with such labels"
    )


def load_libsvm_model(
    path: str | os.PathLike[str],
    *,
    n_features: int | None = None,
    dtype: Any = np.float64,
    zero_based: bool = False,
) -> SVC:
    """Read a classifier that LIBSVM trained and wrote.

    Parameters
    ----------
    path : path
        A model of type ``c_svc`` or ``nu_svc`` with a linear, polynomial, RBF or sigmoid kernel.
        What it has for probabilities is left out.
    n_features : int or None
        Number of columns; None takes the largest index of a support vector. Rows that are
        predicted must have as many.
    dtype : float64 or float32
        Type of the support vectors, and of kernel values.
    zero_based : bool
        Whether the rows that it was trained on counted their columns from 0.

    Returns
    -------
    SVC
        Fitted, with the kernel of the file. Its C, and what belongs to training, are not in a
        file and have their defaults; ``support_`` numbers the support vectors, and ``status_``
        is "unknown". Where classes have the same number of votes, it predicts the lowest label,
        LIBSVM the one that it met first.

    Raises
    ------
    ValueError
        With the name of the file and the line or the field, if it is not such a model. Counts
        are compared with what is there before memory is taken.
    """
    path = Path(path)
    options = _libsvm_text.reader_options(dtype, zero_based, n_features)
    try:
        with path.open("rb") as stream:
            header = _libsvm_header.read(stream)
            coefficients, rows = _support_vectors(stream, header, options)
        return _estimator(header, coefficients, rows)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{str(path)!r} is not a model of LIBSVM: {error}") from error


def _support_vectors(
    lines: Iterable[bytes],
    header: _libsvm_header.Header,
    options: tuple[bool, bool, int | None],
) -> tuple[NDArray[np.float64], Any]:
    """Return the coefficients, one row for each vector, and the vectors as rows."""
    reader = _core.LibsvmReader(*options)
    n_others, n_vectors = len(header.labels) - 2, sum(header.n_support)
    others: list[float] = []
    piece = bytearray(b"\n" * header.n_lines)  # for the numbers of lines in errors
    line = b"\n"
    for place, line in enumerate(lines, header.n_lines + 1):
        own, rest = _libsvm_header.split_vector(line, n_others, place)
        others += own
        piece += rest.rstrip() + b"\n"
        if len(piece) > _PIECE:
            reader.feed(bytes(piece))
            piece.clear()
    if not line.endswith(b"\n"):
        raise ValueError("its last line has no end: the file breaks off")
    reader.feed(bytes(piece))
    if reader.n_rows() != n_vectors:
        raise ValueError(f"total_sv is {n_vectors}, but there are {reader.n_rows()} vectors")
    rows, last = reader.finish()
    return np.column_stack([np.reshape(others, (n_vectors, n_others)), last]), rows


def _estimator(header: _libsvm_header.Header, coefficients: NDArray[np.float64], rows: Any) -> SVC:
    """Return the fitted estimator, its classes in ascending order."""
    places = np.argsort(header.labels)  # of the classes in the file
    starts = np.r_[0, np.cumsum(header.n_support)]
    vectors = [np.arange(starts[place], starts[place + 1]) for place in places]
    dual_coef, intercept = _pairs(header, coefficients, places, vectors)
    csr = _input.from_native(rows)[np.concatenate(vectors)]
    (n_sv, n_cols), m = csr.shape, len(intercept)
    is_dense = csr.nnz >= _DENSE * n_sv * n_cols
    kernel = {theirs: ours for ours, theirs in _KERNELS.items()}[header.kernel]
    estimator = SVC(kernel=kernel, **header.numbers)  # type: ignore[arg-type]
    state = {
        "version": 1,
        "dtype": str(csr.dtype),
        "kernel": kernel,
        "multi_class": "ovo",
        "gamma": 1.0,
        "degree": 3,
        "coef0": 0.0,
        **header.numbers,
        "rows": csr.toarray() if is_dense else _input.native_rows(csr),
        "n_cols": n_cols,
        "support": np.arange(n_sv, dtype=np.uint32),
        "n_support": np.array([len(own) for own in vectors], dtype=np.uint64),
        "dual_coef": dual_coef.ravel(),
        "intercept": intercept,
        "n_iter": np.zeros(m, dtype=np.uint64),
        "n_loops": np.zeros(m, dtype=np.uint64),
        "n_kernel_evals": 0,
        "status": ["unknown"] * m,
    }
    fitted = {
        "n_features_in_": n_cols,
        "classes_": np.array(header.labels, dtype=np.int64)[places],
        "shape_fit_": np.array([n_sv, n_cols], dtype=np.int64),
        "class_weight_": np.ones(len(places)),
    }
    estimator._restore(Fields(fitted, _model_state.named(state)))
    return estimator


def _pairs(
    header: _libsvm_header.Header,
    coefficients: NDArray[np.float64],
    places: NDArray[np.intp],
    vectors: list[NDArray[np.intp]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return coefficients and intercepts for pairs of ascending classes."""
    k = len(places)
    a, b = np.triu_indices(k, 1)
    machines = np.zeros((k, k), dtype=np.intp)
    machines[a, b] = machines[b, a] = np.arange(len(a))
    # Which of the two comes first in the file; of two classes, here the second one counts.
    signs = np.where((places[a] < places[b]) == (k > 2), 1.0, -1.0)
    intercept = -signs * np.array(header.rho)[machines[places[a], places[b]]]
    by_class = []
    for c, (place, own) in enumerate(zip(places, vectors, strict=True)):
        others = np.delete(np.arange(k), c)
        columns = places[others] - (place < places[others])
        factors = signs[machines[c, others], None]
        by_class.append(factors * coefficients[np.ix_(own, columns)].T)
    return np.concatenate(by_class, axis=1), intercept
