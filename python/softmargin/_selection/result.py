"""What a nested cross-validation found, to look at."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from softmargin._selection.result_table import Row, html_lines, html_table, text_lines
from softmargin._selection.spread import with_spread

# Why a run ended before it was complete.
_STOPS = {"interrupt": "interrupted", "time limit": "stopped by the time limit"}


@dataclass
class NestedResult:
    """What a nested cross-validation found.

    Attributes
    ----------
    method : str
    scoring : str
    cells : list of dict
        The candidates, in the order of the columns of ``inner_scores``.
    inner_scores : ndarray of shape (n_outer, n_inner, n_cells)
        NaN where a cell was not evaluated.
    outer_scores : ndarray of shape (n_outer,)
        Of the cell chosen in each outer fold, on the rows held out; NaN if not reached.
    best_params : list of dict
        The cell chosen in each outer fold.
    support_fraction : ndarray of shape (n_outer,)
        Share of the training rows that are support vectors of the chosen machines; NaN for a
        subclass without ``support_``.
    seconds : dict
        Wall time of the "inner" and the "outer" part; and, summed over all threads, of "rows",
        "products", "training" and "testing".
    counts : dict
        "trainings" (cells on splits), "kernel_evaluations", "loops", "steps", and machines that
        did not converge, "unfinished".
    complete : bool
        False if an interrupt or the time limit came first.
    planned : int or None
        Trainings of the whole run; None where the search finds out as it goes (pattern search,
        pruning).
    stopped : {"interrupt", "time limit", None}
        What came first, if the run is not complete.
    engine_reason : str or None
        Why the trainings were single fits; None if they were one computation.
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
    # Arguments of softmargin._selection.nested.refit, of public types only: they are pickled.
    _refit: tuple[Any, ...] = field(repr=False)
    engine_reason: str | None = None

    @property
    def mean_score(self) -> float:
        """Mean of the outer scores that were reached."""
        return _mean(self.outer_scores)

    @property
    def std_score(self) -> float:
        """Standard deviation of the outer scores that were reached."""
        reached = self.outer_scores[~np.isnan(self.outer_scores)]
        return float(np.std(reached)) if len(reached) else float("nan")

    @property
    def wall_seconds(self) -> float:
        """Wall time of the inner and the outer part together."""
        return self.seconds["inner"] + self.seconds["outer"]

    @property
    def best_inner_score(self) -> float:
        """Highest mean inner score of a cell with all inner folds of an outer fold; else NaN."""
        means = self.inner_scores.mean(axis=1)
        return float(np.nanmax(means)) if not np.isnan(means).all() else float("nan")

    def refit(self) -> Any:
        """Choose a cell by plain cross-validation on all rows, and fit it to them.

        It has as many folds as there were inner splits, and at least two.
        Returns the fitted estimator, in a pipeline with its scaler if rows were scaled.
        """
        from softmargin._selection.nested import refit

        return refit(*self._refit)

    def heatmap(self, ax: Any = None) -> Any:
        """Draw the mean inner score of each cell of a grid with two parameters."""
        from softmargin import plots

        return plots.inner_table(self, ax)

    def to_frame(self) -> Any:
        """Return one row for each cell and outer fold, as a DataFrame; needs pandas."""
        import pandas as pd  # type: ignore[import-untyped]

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # cells without a score
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
        """Return a short table of the outer folds that were judged, and what is missing."""
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
        """Return the mean score, if there is one, and how far a run came that is not complete."""
        lines, n_judged = self._what_is_done(), len(self._judged())
        if n_judged:
            n_outer = len(self.outer_scores)
            folds = "" if n_judged == n_outer else f" on {n_judged} of {n_outer} outer folds"
            mean = with_spread(self.mean_score, self.std_score)
            share = short_share(self.support_fraction)
            lines.insert(0, f"{self.scoring} {mean}{folds}, {share} support vectors")
        return [f"{self.method}: {lines[0]}", *lines[1:]]

    def _judged(self) -> list[tuple[int, dict[str, Any]]]:
        """Return the outer folds with a score, and what was chosen there."""
        return [
            (fold, params)
            for fold, params in enumerate(self.best_params)
            if not np.isnan(self.outer_scores[fold])
        ]

    def _what_is_done(self) -> list[str]:
        """Say how far a run came that is not complete; nothing of one that is."""
        if self.complete:
            return []
        n_outer, n_done = len(self.outer_scores), self.counts["trainings"]
        of_all = "" if self.planned is None else f" of {self.planned:,}"
        why = _STOPS.get(self.stopped or "", "stopped")
        parts = [f"{len(self._judged())} of {n_outer} outer folds"]
        if self.planned is not None:  # else scores of a finished search may be missing, too
            n_searched = int((~np.isnan(self.inner_scores)).all(axis=(1, 2)).sum())
            parts.insert(0, f"{n_searched} of {n_outer} inner searches")
        return [
            f"not complete, {why} after {n_done:,}{of_all} trainings",
            f"finished: {', '.join(parts)}",
            self._best_so_far(),
        ]

    def _best_so_far(self) -> str:
        """Name the best cell of those that are done on the most inner folds."""
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
    """Return a parameter in a few characters."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def short_number(score: float) -> str:
    """Return a score; a dash if there is none."""
    return "-" if np.isnan(score) else f"{score:.4f}"


def short_share(shares: NDArray[np.float64]) -> str:
    """Return the mean of the shares that are known in percent; a dash if there are none."""
    mean = _mean(shares)
    return "-" if np.isnan(mean) else f"{100 * mean:.1f} %"
