"""Predictions of regressors: against the targets, their errors, and the tube of an SVR."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from softmargin._checks.rows import check_rows
from softmargin._checks.targets import check_targets
from softmargin.plots._look import (
    COLORS,
    MARKS,
    axes_of,
    ink,
    is_dark,
    legend_outside,
    plain,
    pyplot,
    tidy,
)
from softmargin.plots._marks import (
    Floats,
    area,
    handle,
    inner_model,
    like,
    rings,
    span_of,
    support_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def predicted(
    y: Any,
    predictions: Any,
    ax: Axes | None = None,
    *,
    epsilon: float | None = None,
) -> Axes:
    """Plot predicted against true targets.

    Predictions on the diagonal are exact. Both axes have the same scale.

    Parameters
    ----------
    y : array of shape (n_samples,)
        The true targets.
    predictions : array of shape (n_samples,), or mapping of names to such arrays
        The predicted targets, of one or several models.
    ax : matplotlib Axes or None, default=None
        Where to draw; None creates a new figure.
    epsilon : float or None, default=None
        Dashed lines are drawn at this distance from the diagonal; None for no such lines.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from softmargin import SVR, plots
    >>> X = np.linspace(0, 6, 50)[:, None]
    >>> y = np.sin(X.ravel())
    >>> ax = plots.predicted(y, SVR(C=10).fit(X, y).predict(X), epsilon=0.1)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['prediction', 'exact', 'tube (±0.1)']
    """
    pyplot()
    targets, series = _series(y, predictions)
    width = _half_width(epsilon)
    ax = axes_of(ax, 5.6, 3.8)
    handles = [
        _dots(ax, targets, values, place, name)
        for place, (name, values) in enumerate(series.items())
    ]
    span = span_of(np.concatenate([targets, *series.values()]), 2)
    handles.append(_line(ax, span, span, "exact", 1.5, "-"))
    if width is not None:
        name = f"tube (±{width:g})"
        _line(ax, span, span - width, name, 1.0, "--")
        handles.append(_line(ax, span, span + width, name, 1.0, "--"))
    ax.set(xlabel="True target", ylabel="Predicted target", xlim=span, ylim=span)
    ax.set_aspect("equal", adjustable="box")
    _finish(ax)
    legend_outside(ax, handles)
    return ax


def residuals(
    y: Any,
    predictions: Any,
    ax: Axes | None = None,
    *,
    epsilon: float | None = None,
) -> Axes:
    """Plot the errors of predictions, true minus predicted target, against the predictions.

    Errors without a pattern are noise. A curve indicates that the model is too simple, and a
    spread that grows with the predictions that the targets should be transformed.

    Parameters
    ----------
    y : array of shape (n_samples,)
        The true targets.
    predictions : array of shape (n_samples,), or mapping of names to such arrays
        The predicted targets, of one or several models.
    ax : matplotlib Axes or None, default=None
        Where to draw; None creates a new figure.
    epsilon : float or None, default=None
        Dashed lines are drawn at the errors ``-epsilon`` and ``epsilon``; None for no such lines.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from softmargin import SVR, plots
    >>> X = np.linspace(0, 6, 50)[:, None]
    >>> y = np.sin(X.ravel())
    >>> ax = plots.residuals(y, {"SVR": SVR(C=10).fit(X, y).predict(X)})
    >>> ax.get_ylabel()
    'True − predicted target'
    """
    pyplot()
    targets, series = _series(y, predictions)
    width = _half_width(epsilon)
    ax = axes_of(ax, 6.0, 3.6)
    errors = {name: targets - values for name, values in series.items()}
    handles = [
        _dots(ax, values, errors[name], place, name)
        for place, (name, values) in enumerate(series.items())
    ]
    across = span_of(np.concatenate(list(series.values())), 2)
    handles.append(_line(ax, across, np.zeros(2), "exact", 1.5, "-"))
    sides = [] if width is None else [-width, width]
    if width is not None:
        name = f"tube (±{width:g})"
        handles += [_line(ax, across, np.full(2, side), name, 1.0, "--") for side in sides][:1]
    up = span_of(np.concatenate([*errors.values(), sides, [0.0]]), 2)
    ax.set(xlabel="Predicted target", ylabel="True − predicted target", xlim=across, ylim=up)
    _finish(ax)
    legend_outside(ax, handles)
    return ax


def tube(
    model: Any,
    X: Any,
    y: Any,
    ax: Axes | None = None,
    *,
    epsilon: float | None = None,
    support: bool = True,
    resolution: int = 400,
) -> Axes:
    """Plot the function of a regressor with one feature, its tube, and its training samples.

    The tube contains the samples whose errors cost nothing: those closer to the function than
    epsilon. Support vectors, which are on its boundary or outside, are circled if the model, the
    last step of a pipeline, or the best estimator of a search has ``support_``.

    Parameters
    ----------
    model : regressor
        Fitted to X and y; any estimator with scikit-learn's interface.
    X : array, sparse matrix or DataFrame of shape (n_samples, 1)
        The training samples.
    y : array of shape (n_samples,)
        Their targets.
    ax : matplotlib Axes or None, default=None
        Where to draw; None creates a new figure.
    epsilon : float or None, default=None
        Half-width of the tube; None uses that of the model: ``epsilon_`` or ``epsilon`` of a
        support vector machine. Without it, no tube is drawn.
    support : bool, default=True
        Whether support vectors are circled. Use False if X does not hold the training samples.
    resolution : int, default=400
        Number of points at which the model predicts.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from softmargin import SVR, plots
    >>> X = np.linspace(0, 6, 50)[:, None]
    >>> y = np.sin(X.ravel())
    >>> ax = plots.tube(SVR(C=10).fit(X, y), X, y)
    >>> [text.get_text() for text in ax.get_legend().get_texts()][:3]
    ['samples', 'prediction', 'tube (±0.1)']
    """
    pyplot()
    samples = _line_of(X)
    targets = check_targets(y, len(samples))
    if resolution < 2:
        raise ValueError(f"resolution = {resolution} is not valid: it must be at least 2")
    width = _half_width(_epsilon_of(model) if epsilon is None else epsilon)
    ringed = support_of(model, len(samples)) if support else None
    across = span_of(samples, resolution)
    values = check_targets(model.predict(like(X, across[:, None])), resolution)

    ax = axes_of(ax, 6.0, 3.6)
    handles = [_dots(ax, samples, targets, 0, "samples")]
    handles.append(_line(ax, across, values, "prediction", 2.0, "-", COLORS[1]))
    if width is not None:
        faint = 0.3 if is_dark() else 0.17
        low, high = values - width, values + width
        ax.fill_between(across, low, high, color=COLORS[1], alpha=faint, linewidth=0, zorder=0)
        for side in (low, high):
            last = _line(ax, across, side, f"tube (±{width:g})", 1.0, "--", COLORS[1])
        handles.append(last)
    if ringed is not None:
        points = np.column_stack([samples, targets])
        handles.append(rings(ax, points[ringed], len(points)))
    names = getattr(X, "columns", ("Feature",))
    ax.set(xlabel=plain(names[0]), ylabel="Target", xlim=across[[0, -1]])
    _finish(ax)
    legend_outside(ax, handles)
    return ax


def _series(y: Any, predictions: Any) -> tuple[Floats, dict[str, Floats]]:
    """Return the targets and the predictions of each model, checked."""
    targets = check_targets(y, np.shape(y)[0] if np.ndim(y) else 0)
    given = predictions if isinstance(predictions, Mapping) else {"prediction": predictions}
    if not given:
        raise ValueError("predictions is empty")
    series = {}
    for name, values in given.items():
        try:
            series[plain(name)] = check_targets(values, len(targets))
        except ValueError as error:
            reason = str(error).removeprefix("y ")
            raise ValueError(f"the predictions {str(name)[:40]!r}: {reason}") from None
    return targets, series


def _half_width(epsilon: Any) -> float | None:
    if epsilon is None:
        return None
    width = float(epsilon)
    if not 0 <= width < np.inf:
        raise ValueError(
            f"epsilon = {epsilon} is not valid: it must be a finite number, at least 0"
        )
    return width


def _epsilon_of(model: Any) -> float | None:
    """Return the half-width of the tube of a model, if it has one and it is known.

    In other regressors, a parameter with this name may be something else.
    """
    inner = inner_model(model)
    modules = tuple(kind.__module__ for kind in type(inner).__mro__)
    if not any(module.startswith(("softmargin", "sklearn.svm")) for module in modules):
        return None
    found = getattr(inner, "epsilon_", inner.get_params().get("epsilon"))
    if isinstance(found, float | int) and np.isfinite(found):
        return float(found)
    return None


def _line_of(X: Any) -> Floats:
    samples = check_rows(X)
    if samples.shape[1] != 1:
        raise ValueError(f"tube needs one feature, but X has {samples.shape[1]}")
    dense = samples.toarray() if hasattr(samples, "toarray") else samples
    return np.asarray(dense, dtype=np.float64).ravel()


def _finish(ax: Axes) -> None:
    """Draw the grid, and write small and large numbers with a common power of ten."""
    ax.ticklabel_format(scilimits=(-3, 5))
    tidy(ax)


def _dots(ax: Axes, x: Floats, y: Floats, place: int, name: str) -> Any:
    """Draw samples, and return their legend handle."""
    color, mark = COLORS[place % len(COLORS)], MARKS[place % len(MARKS)]
    ax.scatter(x, y, s=area(len(x)), color=color, marker=mark, linewidths=0, alpha=0.8)
    return handle(name, color=color, marker=mark, markersize=6, linestyle="none")


def _line(
    ax: Axes,
    x: NDArray[Any],
    y: NDArray[Any],
    name: str,
    width: float,
    dash: str,
    color: str | None = None,
) -> Any:
    """Draw a line, and return its legend handle."""
    look: Any = {"color": color or ink(), "linewidth": width, "linestyle": dash}
    ax.plot(x, y, label=f"_{name}", **look)
    return handle(name, **look)
