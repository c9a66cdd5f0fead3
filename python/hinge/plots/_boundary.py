"""How a classifier divides the plane."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length, column_or_1d

from hinge._input import check_rows
from hinge.plots._look import COLOURS, MARKS, axes_of, ink, legend_beside, plain, pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Floats = NDArray[np.float64]


def decision_boundary(
    model: Any,
    X: Any,
    y: Any,
    ax: Axes | None = None,
    *,
    margin: float | None = 1.0,
    support: bool = True,
    bayes: Callable[[_Floats], Any] | None = None,
    resolution: int = 200,
) -> Axes:
    """Draw what a classifier of two features predicts, and its training rows.

    Regions have the colour of the class that is predicted there. Two classes and a
    ``decision_function`` f: a line where f is 0, and dashed ones where it is the margin. Support
    vectors are ringed where the model, or the last step of a pipeline, or the best estimator of a
    search, has ``support_``.

    Parameters
    ----------
    model : classifier
        Fitted to X and y, of hinge, scikit-learn or alike.
    X : array, sparse matrix or DataFrame of shape (n_samples, 2)
        The training rows.
    y : array of shape (n_samples,)
        Their labels.
    ax : matplotlib Axes or None
        Where to draw; None for a figure of its own.
    margin : float or None, default=1.0
        Dashed lines are drawn where f is ``-margin`` and ``margin``; None for no such lines.
    support : bool, default=True
        Whether support vectors are ringed; False if X holds other rows than those of the training.
    bayes : callable or None, default=None
        The best decision function, where it is known: takes an array of rows, and gives a value
        for each. Where it is 0, another dashed line is drawn.
    resolution : int, default=200
        Points along each axis at which the model predicts.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from hinge import SVC, plots
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> ax = plots.decision_boundary(SVC(C=4).fit(X, y), X, y)
    >>> [text.get_text() for text in ax.get_legend().get_texts()][:3]
    ['class 0', 'class 1', 'boundary']
    """
    pyplot()
    rows = _plane(X)
    labels = column_or_1d(y)
    check_consistent_length(rows, labels)
    if resolution < 2:
        raise ValueError(f"resolution = {resolution} is not valid: it must be at least 2")
    ringed = _support(model, len(rows)) if support else None
    classes = np.unique(getattr(model, "classes_", labels))
    codes = _codes(labels, classes, "y")
    grid = _Grid(*(_span(rows[:, k], resolution) for k in (0, 1)))
    asked = _like(X, grid.rows())
    predicted = _codes(model.predict(asked), classes, "the prediction")
    values = _values(model, asked, len(classes))
    best = None if bayes is None else np.asarray(bayes(grid.rows()), dtype=np.float64)
    if best is not None and best.size != predicted.size:
        raise ValueError(f"bayes gave {best.size} values for {predicted.size} rows")

    ax = axes_of(ax, 6.4, 4.2)
    handles = _points(ax, rows, codes, classes)
    regions = _regions(ax, grid, predicted)
    if values is None:
        handles += grid.line(ax, [(region, 0.5) for region in regions], "boundary", ink(), 1.0)
    else:
        handles += grid.line(ax, [(values, 0.0)], "boundary", ink(), 1.5)
        if margin is not None:
            sides = [(values, -margin), (values, margin)]
            handles += grid.line(ax, sides, f"margin (±{margin:g})", ink(), 1.0, "--")
    if best is not None:
        handles += grid.line(ax, [(best, 0.0)], "Bayes", COLOURS[3], 2.0, (0, (4, 1.5, 1, 1.5)))
    if ringed is not None:
        handles.append(_rings(ax, rows[ringed], len(rows)))
    names = getattr(X, "columns", ("feature 1", "feature 2"))
    ax.set(xlabel=plain(names[0]), ylabel=plain(names[1]))
    ax.set(xlim=grid.across[[0, -1]], ylim=grid.up[[0, -1]])
    legend_beside(ax, handles)
    return ax


@dataclass
class _Grid:
    """The points at which the model is asked."""

    across: _Floats
    up: _Floats

    def rows(self) -> _Floats:
        return np.column_stack([part.ravel() for part in np.meshgrid(self.across, self.up)])

    def fill(self, ax: Axes, share: _Floats, colour: str, alpha: float) -> None:
        """Fill where a share is above a half."""
        share = share.reshape(len(self.up), -1)
        levels, colours = [0.5, 1.5], [colour]
        ax.contourf(self.across, self.up, share, levels=levels, colors=colours, alpha=alpha)

    def line(
        self, ax: Axes, levels: list[Any], name: str, colour: str, width: float, dash: Any = "-"
    ) -> list[Any]:
        """Draw where values have a level; return a line for the legend, if they reach it."""
        reached = [(of, level) for of, level in levels if of.min() < level < of.max()]
        for of, level in reached:
            of = of.reshape(len(self.up), -1)
            look: Any = {"colors": [colour], "linewidths": width, "linestyles": [dash]}
            ax.contour(self.across, self.up, of, levels=[level], **look)
        return [_sample(name, color=colour, linewidth=width, linestyle=dash)] if reached else []


def _plane(X: Any) -> _Floats:
    rows = check_rows(X)
    if rows.shape[1] != 2:
        raise ValueError(f"a picture has two features, but X has {rows.shape[1]}")
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=np.float64)


def _like(X: Any, grid: _Floats) -> Any:
    """Return the grid with the columns of X, which models may ask for."""
    if not hasattr(X, "columns"):
        return grid
    return type(X)({name: grid[:, k] for k, name in enumerate(X.columns)})


def _span(values: _Floats, resolution: int) -> _Floats:
    """Return points along the values and a little beyond."""
    low, high = float(values.min()), float(values.max())
    room = 0.08 * (high - low) or 1.0
    return np.linspace(low - room, high + room, resolution)


def _codes(labels: Any, classes: NDArray[Any], of: str) -> NDArray[np.intp]:
    """Return the place of each label among the classes."""
    unknown = labels[~np.isin(labels, classes)]
    if len(unknown):
        raise ValueError(
            f"{of} has the label {unknown.tolist()[0]!r}, but classes are {classes.tolist()}"
        )
    return np.asarray(np.searchsorted(classes, labels))


def _values(model: Any, rows: Any, n_classes: int) -> _Floats | None:
    """Return the decision values of a model of two classes, if it has them."""
    if n_classes != 2 or not hasattr(model, "decision_function"):
        return None
    values = np.asarray(model.decision_function(rows), dtype=np.float64)
    return values.ravel() if values.size == values.shape[0] else None


def _support(model: Any, n_rows: int) -> NDArray[np.intp] | None:
    """Return the rows that are support vectors, if the model tells."""
    inner = getattr(model, "best_estimator_", model)
    inner = inner.steps[-1][1] if hasattr(inner, "steps") else inner
    found = getattr(inner, "support_", None)
    if found is None or np.asarray(found).dtype == bool:  # elsewhere a mask of rows or features
        return None
    support = np.asarray(found, dtype=np.intp)
    if support.size and support.max() >= n_rows:
        raise ValueError(
            f"row {support.max()} is a support vector, but X has {n_rows} rows: pass the rows of "
            "the training, or support=False"
        )
    return support


def _area(n_rows: int) -> float:
    """Return the area of a mark in square points: smaller where there are more."""
    return float(np.clip(6000 / n_rows, 8, 32))


def _points(ax: Axes, rows: _Floats, codes: NDArray[np.intp], classes: NDArray[Any]) -> list[Any]:
    """Draw the rows of each class, and return what the legend has of them."""
    handles = []
    for code, label in enumerate(classes):
        colour, mark = COLOURS[code % len(COLOURS)], MARKS[code % len(MARKS)]
        own = rows[codes == code]
        ax.scatter(
            own[:, 0], own[:, 1], s=_area(len(rows)), color=colour, marker=mark, linewidths=0
        )
        name = f"class {label}" if classes.dtype.kind in "iufb" else plain(label)
        handles.append(_sample(name, color=colour, marker=mark, markersize=6, linestyle="none"))
    return handles


def _regions(ax: Axes, grid: _Grid, predicted: NDArray[np.intp]) -> list[_Floats]:
    """Fill the region of each class that is predicted anywhere, and return where it is 1."""
    regions = []
    for code in np.unique(predicted).tolist():
        times, place = divmod(code, len(COLOURS))  # a colour that comes again is stronger
        regions.append((predicted == code).astype(np.float64))
        grid.fill(ax, regions[-1], COLOURS[place], alpha=min(0.17 * (1 + times), 0.6))
    return regions


def _rings(ax: Axes, rows: _Floats, n_rows: int) -> Any:
    """Ring the support vectors, and return what the legend has of them."""
    ax.scatter(
        rows[:, 0],
        rows[:, 1],
        s=3.2 * _area(n_rows),
        facecolors="none",
        edgecolors=ink(),
        linewidths=0.5 + _area(n_rows) / 100,
    )
    look = {"color": ink(), "marker": "o", "markersize": 9, "markerfacecolor": "none"}
    name = f"support vectors ({len(rows)})"
    return _sample(name, **look, markeredgewidth=0.8, linestyle="none")


def _sample(name: str, **look: Any) -> Any:
    """Return a line or a mark for the legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], label=name, **look)
