"""Samples in plots: their markers, rings around support vectors, and points between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from softmargin.plots._look import ink

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]


def like(X: Any, grid: Floats) -> Any:
    """Return the grid in the type of X, with its column names."""
    if not hasattr(X, "columns"):
        return grid
    return type(X)({name: grid[:, k] for k, name in enumerate(X.columns)})


def span_of(values: Floats, resolution: int) -> Floats:
    """Return points along the values and a little beyond."""
    low, high = float(values.min()), float(values.max())
    room = 0.08 * (high - low) or 1.0
    return np.linspace(low - room, high + room, resolution)


def inner_model(model: Any) -> Any:
    """Return the last step of a pipeline, or that of the best estimator of a search."""
    inner = getattr(model, "best_estimator_", model)
    return inner.steps[-1][1] if hasattr(inner, "steps") else inner


def support_of(model: Any, n_samples: int) -> NDArray[np.intp] | None:
    """Return the indices of the support vectors, if the model has them."""
    found = getattr(inner_model(model), "support_", None)
    if (
        found is None or np.asarray(found).dtype == bool
    ):  # in other packages a mask of samples or features
        return None
    support = np.asarray(found, dtype=np.intp)
    if support.size and support.max() >= n_samples:
        raise ValueError(
            f"sample {support.max()} is a support vector, but X has {n_samples} samples; pass the "
            "training samples, or support=False"
        )
    return support


def area(n_samples: int) -> float:
    """Return the area of a marker in square points; it shrinks with the number of samples."""
    return float(np.clip(6000 / n_samples, 8, 32))


def rings(ax: Axes, samples: Floats, n_samples: int) -> Any:
    """Circle the support vectors, and return their legend handle."""
    ax.scatter(
        samples[:, 0],
        samples[:, 1],
        s=3.2 * area(n_samples),
        facecolors="none",
        edgecolors=ink(),
        linewidths=0.5 + area(n_samples) / 100,
    )
    look = {"color": ink(), "marker": "o", "markersize": 9, "markerfacecolor": "none"}
    name = f"support vectors ({len(samples)})"
    return handle(name, **look, markeredgewidth=0.8, linestyle="none")


def handle(name: str, **look: Any) -> Any:
    """Return a line or a marker for the legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], label=name, **look)
