"""Convergence of solvers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import cycle
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from softmargin.plots._look import (
    COLOURS,
    DASHES,
    axes_of,
    legend_outside,
    plain,
    pyplot,
    room_of,
    short,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMES = {
    "step": "Steps",
    "seconds": "Training time",
    "objective": "Objective",
    "loss": "Mean loss",
    "accuracy": "Accuracy",
}

# An axis is logarithmic if the values, or the ends of the curves, differ by this factor.
_WIDE = 20.0


def convergence(
    models: Any,
    x: Literal["step", "seconds"] = "step",
    y: Literal["objective", "loss", "accuracy"] = "objective",
    labels: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot the objective, loss or accuracy during training against steps or seconds.

    A step depends on the solver: :class:`softmargin.SGDSVC` uses a few samples in each, the other
    solvers use all. Compare solvers with different steps by seconds.

    Parameters
    ----------
    models : estimator, curve, sequence of these, or mapping of labels to these
        Estimators fitted with ``record_every``, or dictionaries like their ``curve_``.
    x : {"step", "seconds"}, default="step"
        The horizontal axis; it is logarithmic if some curves end much later than others.
    y : {"objective", "loss", "accuracy"}, default="objective"
        The vertical axis; it is logarithmic if an objective or loss varies a lot. The accuracy is
        available after a ``fit`` with an ``eval_set``; its axis leaves out much lower accuracies of
        the first steps.
    labels : sequence of str or None, default=None
        A name for each curve; None for the keys of the mapping, or the class and the parameters
        in which the models differ.
    ax : matplotlib Axes or None, default=None
        Where to draw; None creates a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from softmargin import SGDSVC, plots
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> rules = ["pegasos", "rmsprop"]
    >>> models = [SGDSVC(rule, record_every=100, random_state=0).fit(X, y) for rule in rules]
    >>> ax = plots.convergence(models, x="seconds")
    >>> ax.get_xlabel()
    'Training time'
    """
    pyplot()
    from matplotlib.ticker import EngFormatter, FuncFormatter, MaxNLocator, StrMethodFormatter

    from softmargin.plots._log_axis import log_ticks

    if x not in ("step", "seconds"):
        raise ValueError(f"x = {x!r} is not valid: it must be 'step' or 'seconds'")
    if y not in ("objective", "loss", "accuracy"):
        raise ValueError(f"y = {y!r} is not valid: it must be 'objective', 'loss' or 'accuracy'")
    named = _named(models, labels)
    curves = [(name, _values(of, name, x), _values(of, name, y)) for name, of in named]
    ax = axes_of(ax, 6.2, 3.6)
    for (name, across, up), colour, dash in zip(curves, cycle(COLOURS), cycle(DASHES)):
        ax.plot(across, up, label=plain(name), color=colour, linestyle=dash, linewidth=1.6)
    if _is_wide(np.array([across[-1] for _, across, _ in curves if across.size])):
        ax.set_xscale("log")
        log_ticks(ax.xaxis)
    else:
        n_ticks = int(np.clip(room_of(ax), 3, 6))
        # Labels such as "100,000" need twice the room that matplotlib expects.
        ax.xaxis.set_major_locator(MaxNLocator(n_ticks, steps=[1, 2, 5, 10], integer=x == "step"))
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    if x == "seconds":
        ax.xaxis.set_major_formatter(EngFormatter(unit="s"))
    if y == "accuracy":
        ax.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.4g}%"))
        ax.set_ylim(bottom=_lowest(curves))
        ax.set_ylim(top=min(ax.get_ylim()[1], 1.0))
    elif _is_wide(np.concatenate([up for _, _, up in curves])):
        ax.set_yscale("log")
        log_ticks(ax.yaxis)
    ax.set(xlabel=_NAMES[x], ylabel=_NAMES[y])
    tidy(ax)
    if len(curves) > 1:
        _legend(ax, [up for _, _, up in curves])
    return ax


def _lowest(curves: list[tuple[str, NDArray[np.float64], NDArray[np.float64]]]) -> float | None:
    """Return where an axis of accuracies starts; None if all of them fit.

    If the first tenth of the steps starts far below the rest, the rest gets most of the axis.
    """
    last = max((np.nanmax(across, initial=0.0) for _, across, _ in curves), default=0.0)
    known = np.concatenate([up[np.isfinite(up)] for _, _, up in curves])
    later = np.concatenate(
        [up[np.isfinite(up) & (across > 0.1 * last)] for _, across, up in curves]
    )
    if not later.size:
        return None
    low, high = float(later.min()), float(later.max())
    start = low - 0.5 * max(high - low, 0.02)
    return start if known.min() < low - (high - low) and known.min() < start else None


def _is_wide(values: NDArray[np.float64]) -> bool:
    """Tell whether positive values differ so much that a logarithmic axis shows more of them."""
    shown = values[np.isfinite(values)]
    return bool(shown.size and shown.min() > 0 and shown.max() > _WIDE * shown.min())


def _legend(ax: Axes, curves: list[NDArray[np.float64]]) -> None:
    """Name the curves beside the plot, in the order of their last values."""
    lines = ax.get_lines()[-len(curves) :]
    ends = [up[np.isfinite(up)][-1:] for up in curves]
    heights = [float(end[0]) if end.size else np.inf for end in ends]
    order = sorted(range(len(lines)), key=lambda k: -heights[k])
    legend_outside(ax, [lines[k] for k in order], handlelength=2.6)


def _is_curve(value: Any) -> bool:
    return isinstance(value, Mapping) and ("step" in value or "seconds" in value)


def _named(models: Any, labels: Any) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the label and the curve of each model."""
    if isinstance(models, Mapping) and not _is_curve(models):
        names, models = [str(name) for name in models], list(models.values())
    else:
        is_one = _is_curve(models) or hasattr(models, "fit")
        models = [models] if is_one else list(models)
        names = _default_names(models)
    if not models:
        raise ValueError("models is empty; pass at least one")
    if labels is not None:
        names = [labels] if isinstance(labels, str) else [str(label) for label in labels]
        if len(names) != len(models):
            raise ValueError(f"models has {len(models)} entries, but labels has {len(names)}")
    return [(name, _curve(model, name)) for name, model in zip(names, models, strict=True)]


def _default_names(models: list[Any]) -> list[str]:
    """Return the class of each model and the parameters in which models of a class differ."""
    kinds = ["curve" if _is_curve(model) else type(model).__name__ for model in models]
    names = []
    for model, kind in zip(models, kinds, strict=True):
        alike = [other for other, of in zip(models, kinds, strict=True) if of == kind]
        parts = [] if len(alike) == len(models) > 1 else [kind]
        if len(alike) > 1 and hasattr(model, "get_params"):
            own, others = model.get_params(), [other.get_params() for other in alike]
            differs = [p for p in own if len({repr(other[p]) for other in others}) > 1]
            # A string such as "rmsprop" needs no parameter name, a number does.
            shown = {p: short(own[p]) for p in differs}
            parts += [v if isinstance(own[p], str) else f"{p}={v}" for p, v in shown.items()]
        names.append(", ".join(parts) or kind)
    counts, seen = Counter(names), Counter[str]()
    for k, name in enumerate(names):
        seen[name] += 1
        names[k] = f"{name} {seen[name]}" if counts[name] > 1 else name
    return names


def _curve(model: Any, name: str) -> Mapping[str, Any]:
    if _is_curve(model):
        return dict(model)
    if not hasattr(model, "curve_"):
        raise ValueError(
            f"{name} has no curve_; set record_every, the steps between points, and fit it again"
        )
    return dict(model.curve_)


def _values(curve: Mapping[str, Any], name: str, of: str) -> NDArray[np.float64]:
    """Return one of the columns of a curve, with NaN for infinite values."""
    if of not in curve:
        hint = "; pass eval_set to fit" if of == "accuracy" else ""
        raise ValueError(f"the curve of {name} has no {of!r}{hint}")
    values = np.asarray(curve[of], dtype=np.float64)
    return np.where(np.isfinite(values), values, np.nan)
