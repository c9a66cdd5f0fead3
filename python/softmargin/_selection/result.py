"""The result of nested cross-validation, with its text and HTML representations."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from softmargin._selection.result_table import Row, html_lines, html_table, text_lines
from softmargin._selection.spread import with_spread

# How messages describe why a run is incomplete.
_STOPS = {"interrupt": "interrupted", "time limit": "stopped by the time limit"}


@dataclass
class NestedResult:
    """Result of nested cross-validation with one method.

    Attributes
    ----------
    method : str
        Name of the method.
    scoring : str
        Name of the score.
    cells : list of dict
        The candidates, in the order of the last axis of ``inner_scores``.
    inner_scores : ndarray of shape (n_outer, n_inner, n_cells)
        Score of each candidate on each inner split; NaN if it was not evaluated.
    outer_scores : ndarray of shape (n_outer,)
        Score of the chosen candidate on the held-out samples of each outer fold; NaN if the fold
        was not evaluated.
    best_params : list of dict
        Hyperparameters chosen in each outer fold.
    support_fraction : ndarray of shape (n_outer,)
        Fraction of the outer training samples that are support vectors of the chosen model; NaN
        for a subclass without ``support_``.
    seconds : dict
        Wall time of the "inner" and the "outer" part, and times summed over all threads of the
        phases "rows", "products", "training" and "testing".
    counts : dict
        Number of "trainings" (candidates times splits), "kernel_evaluations", "loops" and "steps",
        and of binary classifiers that did not converge ("unfinished").
    complete : bool
        False if an interrupt or the time limit stopped the run.
    planned : int or None
        Number of trainings of a complete run; None for pattern search and pruning, which decide
        during the run.
    stopped : {"interrupt", "time limit", None}
        What stopped the run; None if it is complete.
    engine_reason : str or None
        Why each training was a separate fit; None if all trainings were one computation.
    other_scores : dict of ndarray of shape (n_outer,)
        The other scores on the held-out samples, by name, if there are several.
    """

    __module__ = "softmargin"  # pickles do not depend on file names

    method: str
    scoring: str
    cells: list[dict[str, Any]]
    inner_scores: NDArray[np.float64]
    outer_scores: NDArray[np.float64]
    best_params: list[dict[str, Any]]
    support_fraction: NDArray[np.float64]
    seconds: dict[str, float]
    counts: dict[str, int]
    complete: bool
    planned: int | None
    stopped: Literal["interrupt", "time limit"] | None
    # Arguments of softmargin._selection.nested_run.refit, of public types only: they are pickled.
    _refit: tuple[Any, ...] = field(repr=False)
    engine_reason: str | None = None
    other_scores: dict[str, NDArray[np.float64]] = field(default_factory=dict)

    @property
    def mean_score(self) -> float:
        """Mean of the outer scores, without folds that were not evaluated."""
        return _mean(self.outer_scores)

    @property
    def std_score(self) -> float:
        """Standard deviation of the outer scores, without folds that were not evaluated."""
        reached = self.outer_scores[~np.isnan(self.outer_scores)]
        return float(np.std(reached)) if len(reached) else float("nan")

    @property
    def wall_seconds(self) -> float:
        """Wall time of the inner and the outer part in seconds."""
        return self.seconds["inner"] + self.seconds["outer"]

    @property
    def best_inner_score(self) -> float:
        """Highest mean score of a candidate over all inner folds of an outer fold, or NaN."""
        means = self.inner_scores.mean(axis=1)
        return float(np.nanmax(means)) if not np.isnan(means).all() else float("nan")

    def refit(self) -> Any:
        """Select hyperparameters by cross-validation on all samples, and fit a model to them.

        The number of folds is that of the inner splits, but at least two.

        Returns
        -------
        estimator
            The fitted estimator; a pipeline with a scaler if the features were scaled.
        """
        from softmargin._selection.nested_run import refit

        return refit(*self._refit)

    def heatmap(self, ax: Any = None) -> Any:
        """Plot the mean inner score of each candidate of a grid with two hyperparameters.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to plot; None creates a figure.

        Returns
        -------
        matplotlib Axes
        """
        from softmargin import plots

        return plots.inner_table(self, ax)

    def to_frame(self) -> Any:
        """Return a DataFrame with one row per candidate and outer fold; requires pandas.

        The columns are "outer_fold", the hyperparameters, "inner_mean" and "inner_std" over the
        inner folds, "chosen", and "outer_score" (NaN for candidates that were not chosen).
        """
        import pandas as pd  # type: ignore[import-untyped]

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # about candidates without a score
            means = np.nanmean(self.inner_scores, axis=1)
            stds = np.nanstd(self.inner_scores, axis=1)
        rows = []
        for fold, best in enumerate(self.best_params):
            chosen = self.cells.index(best) if best in self.cells else None  # first of equal cells
            for number, cell in enumerate(self.cells):
                rows.append(
                    {"outer_fold": fold, **cell}
                    | {
                        "inner_mean": means[fold, number],
                        "inner_std": stds[fold, number],
                        "chosen": number == chosen,
                        "outer_score": self.outer_scores[fold] if number == chosen else np.nan,
                    }
                )
        return pd.DataFrame(rows)

    def __str__(self) -> str:
        """Return a short table of the evaluated outer folds, and what is missing."""
        headline, *lines = self._first_lines()
        for fold, params in self._judged():
            chosen = ", ".join(f"{name}={short(value)}" for name, value in params.items())
            lines.append(f"outer fold {fold}: {self.outer_scores[fold]:.4f}  {chosen}")
        lines.append(f"{self.counts['trainings']:,} trainings in {self.wall_seconds:.2f} s")
        return text_lines([headline]) + "\n" + text_lines(lines, "  ")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        judged = self._judged()
        names = list(dict.fromkeys(name for _, params in judged for name in params))
        body: list[Row] = [
            [
                str(fold),
                short_number(self.outer_scores[fold]),
                *(short(params.get(name, "")) for name in names),
                short_share(self.support_fraction[fold : fold + 1]),
            ]
            for fold, params in judged
        ]
        mean = with_spread(self.mean_score, self.std_score)
        foot = ["mean", mean, *("" for _ in names), short_share(self.support_fraction)]
        head = ["outer fold", self.scoring, *names, "support vectors"]
        headline, *lines = self._first_lines()
        lines.append(f"{self.counts['trainings']:,} trainings in {self.wall_seconds:.2f} s")
        if not judged:
            return html_lines([headline, *lines])
        return html_table(headline, head, body, [foot]) + html_lines(lines)

    def _first_lines(self) -> list[str]:
        """Return the mean score, if there is one, and the progress of an incomplete run."""
        lines, n_judged = self._progress_lines(), len(self._judged())
        if n_judged:
            n_outer = len(self.outer_scores)
            folds = "" if n_judged == n_outer else f" on {n_judged} of {n_outer} outer folds"
            mean = with_spread(self.mean_score, self.std_score)
            share = short_share(self.support_fraction)
            lines.insert(0, f"{self.scoring} {mean}{folds}, {share} support vectors")
        return [f"{self.method}: {lines[0]}", *lines[1:]]

    def _judged(self) -> list[tuple[int, dict[str, Any]]]:
        """Return the evaluated outer folds, and the hyperparameters chosen there."""
        return [
            (fold, params)
            for fold, params in enumerate(self.best_params)
            if not np.isnan(self.outer_scores[fold])
        ]

    def _progress_lines(self) -> list[str]:
        """Return lines about the progress of an incomplete run; no lines if it is complete."""
        if self.complete:
            return []
        n_outer, n_done = len(self.outer_scores), self.counts["trainings"]
        of_all = "" if self.planned is None else f" of {self.planned:,}"
        why = _STOPS.get(self.stopped or "", "stopped")
        parts = [f"{len(self._judged())} of {n_outer} outer folds"]
        if self.planned is not None:  # otherwise finished searches may lack scores as well
            n_searched = int((~np.isnan(self.inner_scores)).all(axis=(1, 2)).sum())
            parts.insert(0, f"{n_searched} of {n_outer} inner searches")
        return [
            f"not complete, {why} after {n_done:,}{of_all} trainings",
            f"finished: {', '.join(parts)}",
            self._best_so_far(),
        ]

    def _best_so_far(self) -> str:
        """Return the best of the candidates that are evaluated on the most inner folds."""
        is_done = ~np.isnan(self.inner_scores)
        counts = is_done.sum(axis=1)
        if not counts.any():
            return f"best inner {self.scoring} so far: none"
        sums = np.where(is_done, self.inner_scores, 0.0).sum(axis=1)
        means = np.where(counts == counts.max(), sums / np.maximum(counts, 1), -np.inf)
        fold, cell = np.unravel_index(int(np.argmax(means)), means.shape)
        chosen = ", ".join(f"{name}={short(value)}" for name, value in self.cells[cell].items())
        n_inner = self.inner_scores.shape[1]
        of_all = "" if counts.max() == n_inner else f" of {n_inner}"
        return (
            f"best inner {self.scoring} so far: {means[fold, cell]:.4f} ({chosen}; mean of "
            f"{counts.max()}{of_all} inner folds of outer fold {fold})"
        )


def _mean(values: NDArray[np.float64]) -> float:
    reached = values[~np.isnan(values)]
    return float(np.mean(reached)) if len(reached) else float("nan")


def short(value: Any) -> str:
    """Return a hyperparameter with at most six digits."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def short_number(score: float) -> str:
    """Return a score; a dash if there is none."""
    return "-" if np.isnan(score) else f"{score:.4f}"


def short_share(shares: NDArray[np.float64]) -> str:
    """Return the mean of the known fractions in percent; a dash if there are none."""
    mean = _mean(shares)
    return "-" if np.isnan(mean) else f"{100 * mean:.1f} %"
