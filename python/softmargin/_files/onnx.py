"""Export of models as ONNX graphs, for prediction without Python.

The graphs use standard operators in double precision. The operator ``SVMClassifier`` of
``ai.onnx.ml`` is limited to single precision and one-vs-one models, and its scores are the decision
values of pairs.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from softmargin._checks.rows import from_native
from softmargin._estimators import model_state
from softmargin._estimators.base import Classifier, Regressor, check_standard_predictions
from softmargin._estimators.kernel_classifier import KernelClassifier
from softmargin._estimators.kernel_single import KernelRegressor
from softmargin._estimators.linear import LinearClassifier
from softmargin._estimators.linear_svr import LinearSVR
from softmargin._estimators.model_state import PlainState
from softmargin._estimators.one_class_svm import OneClassSVM
from softmargin._estimators.scaling import split_scaler
from softmargin._files.onnx_graph import Graph

# Squared distances computed from norms have errors of about 2^-52 times the norms. Up to this value
# of gamma times the norms, kernel values change by less than 1e-9.
_LARGEST_EXPONENT = 1e6
# The classes whose predictions are exported.
_BASES = (KernelClassifier, LinearClassifier, KernelRegressor, LinearSVR, OneClassSVM)


def to_onnx(model: Any, *, dtype: Any = np.float32) -> Any:
    """Return a fitted model as an ONNX graph.

    The input is ``X`` of shape (n, n_features). The outputs of a classifier or a ``OneClassSVM``
    are ``label``, the result of ``predict``, and ``scores``, the result of ``decision_function``,
    with the model's rules for votes, ties and multiple classes. The output of a regressor is
    ``variable`` of shape (n, 1), the result of ``predict``, with the name and shape that skl2onnx
    uses. All computations use double precision and differ from the
    model's by rounding only.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted softmargin estimator with any kernel except "precomputed" and callables, or a
        pipeline of a :class:`MinMaxScaler` and such an estimator, as returned by
        ``nested_cv(...).refit()``. The current values of ``decision_function_shape`` and
        ``break_ties`` are used.
    dtype : float32 or float64, default=float32
        Type of ``X``, ``scores`` and ``variable``.

    Returns
    -------
    onnx.ModelProto
        The model; save it with ``onnx.save``.

    Raises
    ------
    ImportError
        If the package onnx is not installed (``pip install onnx``).
    TypeError, ValueError
        If the model cannot be exported.

    Notes
    -----
    Input and support vectors are dense in the graph, so support vectors of sparse data with many
    features result in a large file. A call with n samples needs memory for n numbers per support
    vector. If gamma is large compared with the spread of the support vectors, an RBF kernel is
    computed from the differences of all features, and a call needs memory for n times
    ``n_features`` numbers per support vector. Integer labels become int64; strings, floats and
    bools are kept. The graph does not validate its input: samples with NaN, and samples for which
    ``predict`` raises because their values are too large, get meaningless scores.

    Examples
    --------
    >>> import softmargin
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> graph = softmargin.to_onnx(softmargin.SVC().fit(X, y))
    >>> [output.name for output in graph.graph.output]
    ['label', 'scores']
    """
    given = type(model).__name__
    scaler, model = split_scaler(model)
    base = next((base for base in _BASES if isinstance(model, base)), None)
    if base is None:
        raise TypeError(
            f"model is a {given}; expected a softmargin estimator, or a pipeline of a "
            "softmargin.MinMaxScaler and a softmargin estimator"
        )
    check_standard_predictions(model, base)
    if np.dtype(dtype) not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f"dtype = {dtype!r} is not valid: it must be float32 or float64")
    check_is_fitted(model)
    model._check_fitted()
    labels = _labels(model.classes_) if isinstance(model, Classifier) else None
    graph = Graph(int(model.n_features_in_), np.dtype(dtype))
    if scaler is not None:
        check_is_fitted(scaler)
        kind = "model" if labels is None else "classifier"
        if scaler.n_features_in_ != model.n_features_in_:
            raise ValueError(
                f"the scaler was fitted with {scaler.n_features_in_} features, but the {kind} "
                f"with {model.n_features_in_}. Fit the pipeline as a whole."
            )
        graph.scale(scaler.data_min_, scaler.data_range_)
    if labels is None:
        return _single_machine(graph, model)
    return _classifier(graph, model, labels)


def _single_machine(graph: Graph, model: Any) -> Any:
    """Return the graph of a regressor, or of a one-class model."""
    if isinstance(model, LinearSVR):
        coef, intercept = model._weights()
        return graph.finish_regression(_sums(graph, graph.rows, coef.T, intercept))
    values = _kernel_outputs(graph, model_state.to_dict(model._model))
    if isinstance(model, Regressor):
        return graph.finish_regression(values)
    scores = graph.apply("Squeeze", values, graph.constant(np.array([1])))
    is_outlier = graph.apply("Less", scores, graph.constant(0.0))
    labels = np.array([1, -1], dtype=np.int64)
    return graph.finish(labels, graph.cast(is_outlier, np.int64), scores, None)


def _classifier(graph: Graph, model: Any, labels: NDArray[Any]) -> Any:
    """Return the graph of a classifier."""
    k = len(labels)
    has_pairs, patterns = False, None
    if isinstance(model, KernelClassifier):
        state = model_state.to_dict(model._model)
        outputs = _kernel_outputs(graph, state)
        scheme, by_sum = state["multi_class"], model._breaks_ties()
        if "patterns" in state:
            patterns = state["patterns"], state["pattern_counts"]
        has_pairs = model.decision_function_shape == "ovo" and scheme != "ovr"
    else:
        coef, intercept = model._weights()
        outputs = _sums(graph, graph.rows, coef.T, intercept)
        scheme, by_sum = model._scheme, True
        patterns = model._patterns
    if k == 2:
        scores = graph.apply("Squeeze", outputs, graph.constant(np.array([1])))
        is_second = graph.apply("Greater", scores, graph.constant(0.0))
        return graph.finish(labels, graph.cast(is_second, np.int64), scores, None)
    if scheme == "ovr":
        return graph.finish(labels, graph.first_largest(outputs), outputs, k)
    if scheme == "ordinal":
        scores, codes = _by_patterns(graph, outputs, patterns, k)
        n_binary = k - 1
    else:
        scores, codes = _by_votes(graph, outputs, k, by_sum)
        n_binary = k * (k - 1) // 2
    if has_pairs:
        return graph.finish(labels, codes, outputs, n_binary)
    return graph.finish(labels, codes, scores, k)


def _labels(classes: NDArray[Any]) -> NDArray[Any]:
    """Return labels in a dtype that ONNX supports."""
    kind = classes.dtype.kind
    if kind in "iu" and int(classes.max()) < 2**63:
        return classes.astype(np.int64)
    if kind == "b" or (kind == "f" and classes.dtype.itemsize <= 8):
        return classes
    if kind in "UO" and all(isinstance(label, str) for label in classes):
        for label in classes.tolist():
            if any("\ud800" <= letter <= "\udfff" for letter in label):
                raise ValueError(f"model has the label {label!r}, which is not valid Unicode text")
        return classes.astype(object)
    raise ValueError(f"model has labels of dtype {classes.dtype}, which ONNX does not support")


def _sums(
    graph: Graph, values: str, weights: NDArray[np.float64], intercept: NDArray[np.float64]
) -> str:
    """Return the decision values of binary classifiers whose weights are the columns."""
    return graph.apply("Add", graph.matmul(values, weights), graph.constant(intercept))


def _kernel_outputs(graph: Graph, state: PlainState) -> str:
    """Return the decision values of binary classifiers with support vectors."""
    if state["kernel"] == "precomputed":
        raise ValueError(
            "model has a precomputed or callable kernel, which cannot be exported to ONNX"
        )
    vectors, n_support = from_native(state["rows"]), state["n_support"].astype(np.int64)
    n_sv, intercept = int(n_support.sum()), state["intercept"]
    if n_sv == 0:
        return _sums(graph, graph.rows, np.zeros((state["n_cols"], len(intercept))), intercept)
    dual_coef = state["dual_coef"].reshape(-1, n_sv)
    if len(n_support) > 2 and state["multi_class"] == "ovo":
        return _paired_outputs(graph, state, vectors, dual_coef, n_support)
    if state["kernel"] == "linear":
        return _sums(graph, graph.rows, (dual_coef @ vectors).T, intercept)
    return _sums(graph, _kernel_values(graph, vectors, state), dual_coef.T, intercept)


def _paired_outputs(
    graph: Graph,
    state: PlainState,
    vectors: Any,
    dual_coef: NDArray[np.float64],
    n_support: NDArray[np.int64],
) -> str:
    """Return the decision values of pairs, each a sum over the support vectors of its two classes.

    A support vector of class c has one coefficient for each other class; those of class c start at
    column (k - 1) c.
    """
    k = len(n_support)
    a, b = np.triu_indices(k, 1)
    first, second = a * (k - 1) + b - 1, b * (k - 1) + a
    ends = np.cumsum(n_support)[:-1]
    if state["kernel"] == "linear":
        graph.check_room(len(a) * vectors.shape[1])
        own = [slice(start, end) for start, end in itertools.pairwise([0, *ends, vectors.shape[0]])]
        of_class = np.concatenate([dual_coef[:, c] @ vectors[c] for c in own])
        weights = of_class[first] + of_class[second]
        return _sums(graph, graph.rows, weights.T, state["intercept"])
    kernel = _kernel_values(graph, vectors, state)
    sizes = graph.constant(n_support)
    parts = [
        graph.matmul(values, own.T)
        for values, own in zip(
            graph.add("Split", kernel, sizes, n_outputs=k, axis=1),
            np.split(dual_coef, ends, axis=1),
            strict=True,
        )
    ]
    every = graph.apply("Concat", *parts, axis=1)
    terms = [graph.apply("Gather", every, graph.constant(own), axis=1) for own in (first, second)]
    return graph.apply("Add", graph.apply("Add", *terms), graph.constant(state["intercept"]))


def _kernel_values(graph: Graph, vectors: Any, state: PlainState) -> str:
    """Return the kernel matrix of samples and support vectors."""
    graph.check_room(vectors.shape[0] * vectors.shape[1])
    dense = vectors.toarray() if isinstance(vectors, sp.csr_matrix) else vectors
    dense, gamma, rows = dense.astype(np.float64), state["gamma"], graph.rows
    if state["kernel"] == "rbf":
        distances = _squared_distances(graph, dense, gamma)
        return graph.apply("Exp", graph.apply("Mul", distances, graph.constant(-gamma)))
    scaled = graph.matmul(rows, gamma * dense.T)
    base = graph.apply("Add", scaled, graph.constant(state["coef0"]))
    if state["kernel"] == "sigmoid":
        return graph.apply("Tanh", base)
    return graph.apply("Pow", base, graph.constant(float(state["degree"])))


def _squared_distances(graph: Graph, dense: NDArray[np.float64], gamma: float) -> str:
    """Return the squared distances between samples and support vectors."""
    # Centering avoids the loss of digits that a common offset would cause in the squares.
    middle = dense.mean(axis=0)
    centered = dense - middle
    norms = (centered**2).sum(axis=1)
    if gamma * norms.max() > _LARGEST_EXPONENT:
        return graph.squared_differences(graph.rows, dense)
    rows = graph.apply("Sub", graph.rows, graph.constant(middle))
    squares = graph.row_sum(graph.apply("Mul", rows, rows))
    both = graph.apply("Add", squares, graph.constant(norms))
    sums = graph.apply("Add", both, graph.matmul(rows, -2 * centered.T))
    return graph.apply("Max", sums, graph.constant(0.0))  # rounding may give values below 0


def _by_votes(graph: Graph, outputs: str, k: int, by_sum: bool) -> tuple[str, str]:
    """Return votes plus bounded sums of decision values as scores, and the winning class."""
    a, b = np.triu_indices(k, 1)
    # The pairs of each class; the sign is 1 where it is the first of the pair, else -1.
    pairs = np.zeros((k, k), dtype=np.int64)
    pairs[a, b] = pairs[b, a] = np.arange(len(a))
    is_other = ~np.eye(k, dtype=bool)
    signs = np.where(np.triu(is_other), 1.0, -1.0)[is_other]

    def sums_of_classes(values: str, factors: NDArray[np.float64]) -> str:
        own = graph.apply("Gather", values, graph.constant(pairs[is_other]), axis=1)
        return graph.sums_of_parts(graph.apply("Mul", own, graph.constant(factors)), k, k - 1)

    is_second = graph.cast(graph.apply("Less", outputs, graph.constant(0.0)), np.float64)
    changes = sums_of_classes(is_second, -signs)
    n_first = np.arange(k - 1, -1, -1.0)
    votes = graph.apply("Add", changes, graph.constant(n_first))
    sums = sums_of_classes(outputs, signs)
    size = graph.apply("Add", graph.apply("Abs", sums), graph.constant(1.0))
    squeezed = graph.apply("Div", sums, graph.apply("Mul", size, graph.constant(3.0)))
    scores = graph.apply("Add", votes, squeezed)
    if not by_sum:
        return scores, graph.first_largest(votes)
    most = graph.apply("ReduceMax", votes, graph.constant(np.array([1])))
    is_most = graph.apply("Equal", votes, most)
    candidates = graph.apply("Where", is_most, sums, graph.constant(-np.inf))
    return scores, graph.first_largest(candidates)


def _by_patterns(graph: Graph, outputs: str, patterns: Any, k: int) -> tuple[str, str]:
    """Return the label frequencies of training samples with the same signs, and the largest."""
    signs = np.asarray(patterns[0], dtype=np.float64).reshape(-1, k - 1)
    counts = np.asarray(patterns[1]).reshape(-1, k)
    shares, all_shares = counts / counts.sum(axis=1, keepdims=True), counts.sum(axis=0)
    is_second = graph.cast(graph.apply("Less", outputs, graph.constant(0.0)), np.float64)
    # 1 or -1 for each binary classifier: only equal patterns have the product k - 1.
    own = graph.apply("Sub", graph.constant(1.0), graph.apply("Add", is_second, is_second))
    products = graph.matmul(own, 2 * signs.T - 1)
    is_same = graph.cast(graph.apply("Equal", products, graph.constant(k - 1.0)), np.float64)
    is_new = graph.apply("Sub", graph.constant(1.0), graph.row_sum(is_same))
    fallback = graph.matmul(is_new, all_shares[None, :] / all_shares.sum())
    scores = graph.apply("Add", graph.matmul(is_same, shares), fallback)
    return scores, graph.first_largest(scores)
