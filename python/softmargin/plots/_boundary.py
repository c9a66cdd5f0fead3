"""Decision boundaries of classifiers and novelty detectors with two features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_outlier_detector
from sklearn.utils import check_consistent_length, column_or_1d

from softmargin._checks.rows import check_rows
from softmargin.plots._look import (
    COLORS,
    MARKS,
    axes_of,
    ink,
    is_dark,
    legend_outside,
    plain,
    pyplot,
)
from softmargin.plots._marks import Floats, area, handle, like, rings, span_of, support_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def decision_boundary(
    model: Any,
    X: Any,
    y: Any = None,
    ax: Axes | None = None,
    *,
    margin: float | None = 1.0,
    support: bool = True,
    bayes: Callable[[Floats], Any] | None = None,
    resolution: int = 200,
) -> Axes:
    """Plot the predictions of a classifier with two features, and its training samples.

    Regions have the color of the predicted class. For two classes and a ``decision_function`` f, a
    solid line shows where f is 0, and dashed lines show the margin. Support vectors are circled if
    the model, the last step of a pipeline, or the best estimator of a search has ``support_``.

    For a novelty detector, such as :class:`softmargin.OneClassSVM`, the regions are those of
    inliers and outliers.

    Parameters
    ----------
    model : classifier or novelty detector
        Fitted to X and y; any estimator with scikit-learn's interface.
    X : array, sparse matrix or DataFrame of shape (n_samples, 2)
        The training samples.
    y : array of shape (n_samples,) or None, default=None
        Their labels; required for a classifier. For a novelty detector, 1 for inliers and -1 for
        outliers; None uses its predictions.
    ax : matplotlib Axes or None, default=None
        Where to draw; None creates a new figure.
    margin : float or None, default=1.0
        Dashed lines are drawn where f is ``-margin`` and ``margin``; None for no such lines. A
        novelty detector has no margin.
    support : bool, default=True
        Whether support vectors are circled. Use False if X does not hold the training samples.
    bayes : callable or None, default=None
        The optimal decision function, if it is known: takes an array of samples and returns a
        value for each. Another dashed line shows where it is 0.
    resolution : int, default=200
        Number of grid points along each axis at which the model predicts.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from softmargin import SVC, plots
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> ax = plots.decision_boundary(SVC(C=4).fit(X, y), X, y)
    >>> [text.get_text() for text in ax.get_legend().get_texts()][:3]
    ['class 0', 'class 1', 'boundary']
    """
    pyplot()
    samples = _plane(X)
    is_detector = is_outlier_detector(model)
    if y is None and not is_detector:
        raise ValueError("y is None, but the labels of the samples are required for a classifier")
    labels = column_or_1d(model.predict(X) if y is None else y)
    check_consistent_length(samples, labels)
    if resolution < 2:
        raise ValueError(f"resolution = {resolution} is not valid: it must be at least 2")
    ringed = support_of(model, len(samples)) if support else None
    classes = np.unique([-1, 1] if is_detector else getattr(model, "classes_", labels))
    codes = _codes(labels, classes, "y")
    grid = _Grid(*(span_of(samples[:, k], resolution) for k in (0, 1)))
    asked = like(X, grid.samples())
    predicted = _codes(model.predict(asked), classes, "the prediction")
    values = _values(model, asked, len(classes))
    if is_detector:  # inliers first
        codes, predicted = 1 - codes, 1 - predicted
        classes, margin = np.array(["inliers", "outliers"]), None
    best = None if bayes is None else np.asarray(bayes(grid.samples()), dtype=np.float64)
    if best is not None and best.size != predicted.size:
        raise ValueError(f"bayes returned {best.size} values for {predicted.size} samples")

    ax = axes_of(ax, 6.0, 3.8)
    handles = _points(ax, samples, codes, classes)
    regions = _regions(ax, grid, predicted)
    if values is None:
        handles += grid.line(ax, [(region, 0.5) for region in regions], "boundary", ink(), 1.0)
    else:
        handles += grid.line(ax, [(values, 0.0)], "boundary", ink(), 1.5)
        if margin is not None:
            sides = [(values, -margin), (values, margin)]
            handles += grid.line(ax, sides, f"margin (±{margin:g})", ink(), 1.0, "--")
    if best is not None:
        handles += grid.line(ax, [(best, 0.0)], "Bayes", COLORS[3], 2.0, (0, (4, 1.5, 1, 1.5)))
    if ringed is not None:
        handles.append(rings(ax, samples[ringed], len(samples)))
    names = getattr(X, "columns", ("Feature 1", "Feature 2"))
    ax.set(xlabel=plain(names[0]), ylabel=plain(names[1]))
    ax.set(xlim=grid.across[[0, -1]], ylim=grid.up[[0, -1]])
    legend_outside(ax, handles)
    return ax


@dataclass
class _Grid:
    """The points at which the model predicts."""

    across: Floats
    up: Floats

    def samples(self) -> Floats:
        return np.column_stack([part.ravel() for part in np.meshgrid(self.across, self.up)])

    def fill(self, ax: Axes, share: Floats, color: str, alpha: float) -> None:
        """Fill where a share is above a half."""
        share = share.reshape(len(self.up), -1)
        levels, colors = [0.5, 1.5], [color]
        ax.contourf(self.across, self.up, share, levels=levels, colors=colors, alpha=alpha)

    def line(
        self, ax: Axes, levels: list[Any], name: str, color: str, width: float, dash: Any = "-"
    ) -> list[Any]:
        """Draw contour lines; return a legend handle if the values reach any of the levels."""
        reached = [(of, level) for of, level in levels if of.min() < level < of.max()]
        for of, level in reached:
            of = of.reshape(len(self.up), -1)
            look: Any = {"colors": [color], "linewidths": width, "linestyles": [dash]}
            ax.contour(self.across, self.up, of, levels=[level], **look)
        return [handle(name, color=color, linewidth=width, linestyle=dash)] if reached else []


def _plane(X: Any) -> Floats:
    samples = check_rows(X)
    if samples.shape[1] != 2:
        raise ValueError(f"decision_boundary needs two features, but X has {samples.shape[1]}")
    return np.asarray(
        samples.toarray() if hasattr(samples, "toarray") else samples, dtype=np.float64
    )


def _codes(labels: Any, classes: NDArray[Any], of: str) -> NDArray[np.intp]:
    """Return the place of each label among the classes."""
    unknown = labels[~np.isin(labels, classes)]
    if len(unknown):
        raise ValueError(
            f"{of} contains the label {unknown.tolist()[0]!r}, but the classes of the model are "
            f"{classes.tolist()}"
        )
    return np.asarray(np.searchsorted(classes, labels))


def _values(model: Any, samples: Any, n_classes: int) -> Floats | None:
    """Return the decision values of a model with two classes, if it has them."""
    if n_classes != 2 or not hasattr(model, "decision_function"):
        return None
    values = np.asarray(model.decision_function(samples), dtype=np.float64)
    return values.ravel() if values.size == values.shape[0] else None


def _points(ax: Axes, samples: Floats, codes: NDArray[np.intp], classes: NDArray[Any]) -> list[Any]:
    """Draw the samples of each class, and return their legend handles."""
    handles = []
    for code, label in enumerate(classes):
        color, mark = COLORS[code % len(COLORS)], MARKS[code % len(MARKS)]
        own = samples[codes == code]
        ax.scatter(
            own[:, 0], own[:, 1], s=area(len(samples)), color=color, marker=mark, linewidths=0
        )
        name = f"class {label}" if classes.dtype.kind in "iufb" else plain(label)
        handles.append(handle(name, color=color, marker=mark, markersize=6, linestyle="none"))
    return handles


def _regions(ax: Axes, grid: _Grid, predicted: NDArray[np.intp]) -> list[Floats]:
    """Fill the region of each predicted class, and return the indicator of each region."""
    faint = 0.26 if is_dark() else 0.17
    regions = []
    for code in np.unique(predicted).tolist():
        times, place = divmod(code, len(COLORS))  # a color that is used again is stronger
        regions.append((predicted == code).astype(np.float64))
        grid.fill(ax, regions[-1], COLORS[place], alpha=min(faint * (1 + times), 0.6))
    return regions
