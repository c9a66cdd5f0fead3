"""Construction of ONNX graphs; requires the package onnx (``pip install onnx``)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softmargin._core import __version__

# The first version with all operators in the form used here, for older runtimes.
_OPSET, _IR_VERSION = 18, 8
# The size limit of a protobuf message, minus some space for names.
_MAX_BYTES = 2**31 - 2**20


class Graph:
    """Nodes and constants in the order of their use; numbers are doubles."""

    def __init__(self, n_features: int, dtype: np.dtype[Any]) -> None:
        try:
            import onnx
        except ImportError:
            raise ImportError(
                "to_onnx requires the package onnx. Install it with: pip install onnx"
            ) from None
        self._onnx = onnx
        self._n_features = n_features
        self._type = onnx.helper.np_dtype_to_tensor_dtype(dtype)
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._n_bytes = 0
        # The input, converted to doubles.
        self.rows = self.cast("X", np.float64)

    def add(self, operator: str, *inputs: str, n_outputs: int = 1, **attributes: Any) -> list[str]:
        """Add a node and return the names of its outputs."""
        names = [f"{operator}_{len(self._nodes)}_{place}" for place in range(n_outputs)]
        self._nodes.append(self._onnx.helper.make_node(operator, inputs, names, **attributes))
        return names

    def apply(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one output and return its name."""
        return self.add(operator, *inputs, **attributes)[0]

    def constant(self, values: Any) -> str:
        """Add a constant array or number and return its name."""
        array = np.ascontiguousarray(values) if np.ndim(values) else np.array(values)
        self._check_bytes(array.nbytes)
        self._n_bytes += array.nbytes
        name = f"constant_{len(self._constants)}"
        self._constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def check_room(self, n_numbers: int) -> None:
        """Raise ValueError if another array of doubles would be too large, before creating it."""
        self._check_bytes(8 * n_numbers)

    def _check_bytes(self, n_bytes: int) -> None:
        if self._n_bytes + n_bytes > _MAX_BYTES:
            raise ValueError("model is too large for ONNX: the graph would exceed 2 GB")

    def scale(self, minimum: NDArray[np.float64], width: NDArray[np.float64]) -> None:
        """Scale the features: subtract the minimum and divide by the width of the range."""
        moved = self.apply("Sub", self.rows, self.constant(minimum))
        scaled = self.apply("Div", moved, self.constant(width))
        # A no-op that prevents onnxruntime from moving the width of a single feature into an
        # attribute of the following product, which has single precision.
        self.rows = self.apply("Max", scaled, self.constant(-np.inf))

    def cast(self, values: str, dtype: Any) -> str:
        """Return values converted to another dtype."""
        to = self._onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        return self.apply("Cast", values, to=to)

    def matmul(self, values: str, array: NDArray[np.float64]) -> str:
        """Return the product with a constant matrix."""
        return self.apply("MatMul", values, self.constant(array))

    def row_sum(self, values: str) -> str:
        """Return the sum of each row as a column."""
        return self.apply("ReduceSum", values, self.constant(np.array([1])))

    def sums_of_parts(self, values: str, n_parts: int, size: int) -> str:
        """Return the sums of the ``n_parts`` parts of length ``size`` of each row."""
        shape = self.constant(np.array([0, n_parts, size]))  # 0 keeps the number of rows
        parts = self.apply("Reshape", values, shape)
        return self.apply("ReduceSum", parts, self.constant(np.array([2])), keepdims=0)

    def squared_differences(self, values: str, array: NDArray[np.float64]) -> str:
        """Return the squared distances between all rows and all rows of an array."""
        expanded = self.apply("Unsqueeze", values, self.constant(np.array([1])))
        differences = self.apply("Sub", expanded, self.constant(array))
        squares = self.apply("Mul", differences, differences)
        return self.apply("ReduceSum", squares, self.constant(np.array([2])), keepdims=0)

    def first_largest(self, values: str) -> str:
        """Return the index of the first largest value of each row."""
        return self.apply("ArgMax", values, axis=1, keepdims=0)

    def finish(self, labels: NDArray[Any], codes: str, scores: str, width: int | None) -> Any:
        """Return the model; ``width`` is the number of scores per sample, None for a single one."""
        table = self.constant(labels)
        label_type = self._constants[-1].data_type
        return self._model(
            {
                "label": (self.apply("Gather", table, codes), label_type, ["n"]),
                "scores": (
                    self.apply("Cast", scores, to=self._type),
                    self._type,
                    ["n"] if width is None else ["n", width],
                ),
            }
        )

    def finish_regression(self, values: str) -> Any:
        """Return the model whose predictions are a column of values."""
        predicted = self.apply("Cast", values, to=self._type)
        return self._model({"variable": (predicted, self._type, ["n", 1])})

    def _model(self, outputs: dict[str, tuple[str, int, list[Any]]]) -> Any:
        """Return the model with these outputs: a node, the type, and the shape of each."""
        helper = self._onnx.helper
        for name, (result, _, _) in outputs.items():
            self._nodes.append(helper.make_node("Identity", [result], [name]))
        graph = helper.make_graph(
            self._nodes,
            "softmargin",
            [helper.make_tensor_value_info("X", self._type, ["n", self._n_features])],
            [
                helper.make_tensor_value_info(name, kind, shape)
                for name, (_, kind, shape) in outputs.items()
            ],
            self._constants,
        )
        return helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", _OPSET)],
            ir_version=_IR_VERSION,
            producer_name="softmargin",
            producer_version=__version__,
        )
