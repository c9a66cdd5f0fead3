"""Graphs of ONNX, node by node; needs the package onnx (``pip install onnx``)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hinge._core import __version__

# The first version with all operators in the form used here: older runtimes read it, too.
_OPSET, _IR_VERSION = 18, 8
# What fits into a message of protobuf, with some room for names.
_MOST_BYTES = 2**31 - 2**20


class Graph:
    """Nodes and constants, in the order in which they are used; numbers are doubles."""

    def __init__(self, n_features: int, dtype: np.dtype[Any]) -> None:
        try:
            import onnx
        except ImportError:
            raise ImportError("to_onnx needs the package onnx: pip install onnx") from None
        self._onnx = onnx
        self._n_features = n_features
        self._type = onnx.helper.np_dtype_to_tensor_dtype(dtype)
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._n_bytes = 0
        # The input as doubles.
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
        """Add an array, or a number, and return its name."""
        array = np.ascontiguousarray(values) if np.ndim(values) else np.array(values)
        self._check_bytes(array.nbytes)
        self._n_bytes += array.nbytes
        name = f"constant_{len(self._constants)}"
        self._constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def check_room(self, n_numbers: int) -> None:
        """Refuse a model whose next array of doubles would be too large, before it is made."""
        self._check_bytes(8 * n_numbers)

    def _check_bytes(self, n_bytes: int) -> None:
        if self._n_bytes + n_bytes > _MOST_BYTES:
            raise ValueError("model is too large for ONNX: it would have more than 2 gigabytes")

    def scale(self, minimum: NDArray[np.float64], width: NDArray[np.float64]) -> None:
        """Take each feature less its minimum, divided by the width of its range, from here on."""
        moved = self.apply("Sub", self.rows, self.constant(minimum))
        scaled = self.apply("Div", moved, self.constant(width))
        # Changes nothing, but keeps onnxruntime from moving the width of a single feature into an
        # attribute of the product that follows, which has single precision.
        self.rows = self.apply("Max", scaled, self.constant(-np.inf))

    def cast(self, values: str, dtype: Any) -> str:
        """Return values in another type."""
        to = self._onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        return self.apply("Cast", values, to=to)

    def matmul(self, values: str, array: NDArray[np.float64]) -> str:
        """Return the product with a constant matrix."""
        return self.apply("MatMul", values, self.constant(array))

    def row_sum(self, values: str) -> str:
        """Return the sum of each row as a column."""
        return self.apply("ReduceSum", values, self.constant(np.array([1])))

    def sums_of_parts(self, values: str, n_parts: int, size: int) -> str:
        """Return the sum of each part of each row, which has so many parts of a size."""
        shape = self.constant(np.array([0, n_parts, size]))  # 0 keeps the number of rows
        parts = self.apply("Reshape", values, shape)
        return self.apply("ReduceSum", parts, self.constant(np.array([2])), keepdims=0)

    def squared_differences(self, values: str, array: NDArray[np.float64]) -> str:
        """Return the sum of squared differences of each row and each row of an array."""
        apart = self.apply("Unsqueeze", values, self.constant(np.array([1])))
        differences = self.apply("Sub", apart, self.constant(array))
        squares = self.apply("Mul", differences, differences)
        return self.apply("ReduceSum", squares, self.constant(np.array([2])), keepdims=0)

    def first_largest(self, values: str) -> str:
        """Return the first place of the largest value of each row."""
        return self.apply("ArgMax", values, axis=1, keepdims=0)

    def finish(self, labels: NDArray[Any], codes: str, scores: str, width: int | None) -> Any:
        """Return the model; ``width`` is the number of scores of a row, None for one."""
        helper = self._onnx.helper
        table = self.constant(labels)
        label_type = self._constants[-1].data_type
        outputs = {
            "label": (self.apply("Gather", table, codes), label_type, ["n"]),
            "scores": (
                self.apply("Cast", scores, to=self._type),
                self._type,
                ["n"] if width is None else ["n", width],
            ),
        }
        for name, (result, _, _) in outputs.items():
            self._nodes.append(helper.make_node("Identity", [result], [name]))
        graph = helper.make_graph(
            self._nodes,
            "hinge",
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
            producer_name="hinge",
            producer_version=__version__,
        )
