"""What a nested cross-validation found, to look at."""

from __future__ import annotations

import html
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


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
    engine_reason : str or None
        Why the trainings were single fits; None if they were one computation.
    """

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
    _refit: Callable[[], Any] = field(repr=False)
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

    def refit(self) -> Any:
        """Choose a cell by plain cross-validation on all rows, and fit it to them.

        It has as many folds as there were inner splits, and at least two.
        Returns the fitted estimator, in a pipeline with its scaler if rows were scaled.
        """
        return self._refit()

    def heatmap(self, ax: Any = None) -> Any:
        """Draw the mean inner score of each cell of a grid with two parameters."""
        from hinge import plots

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
            for number, cell in enumerate(self.cells):
                rows.append(
                    {"outer_fold": fold, **cell}
                    | {
                        "inner_mean": means[fold, number],
                        "inner_std": stds[fold, number],
                        "chosen": cell == best,
                        "outer_score": self.outer_scores[fold] if cell == best else np.nan,
                    }
                )
        return pd.DataFrame(rows)

    def __str__(self) -> str:
        """Return a short table."""
        lines = [self._headline()]
        for fold, (score, params) in enumerate(
            zip(self.outer_scores, self.best_params, strict=True)
        ):
            shown = ", ".join(f"{name}={_short(value)}" for name, value in params.items())
            lines.append(f"  outer fold {fold}: {score:.4f}  {shown}")
        total = self.seconds["inner"] + self.seconds["outer"]
        lines.append(f"  {self.counts['trainings']:,} trainings in {total:.2f} s")
        return "\n".join(lines)

    __repr__ = __str__

    def _headline(self) -> str:
        state = "" if self.complete else " (not complete)"
        return (
            f"{self.method}: {self.scoring} {self.mean_score:.4f} +- {self.std_score:.4f}, "
            f"{100 * _mean(self.support_fraction):.1f} % support vectors{state}"
        )

    def _repr_html_(self) -> str:
        names = list(dict.fromkeys(name for cell in self.best_params for name in cell))
        head = "".join(f"<th>{html.escape(name)}</th>" for name in ["fold", "score", *names])
        body = ""
        for fold, params in enumerate(self.best_params):
            cells = [str(fold), f"{self.outer_scores[fold]:.4f}"]
            cells += [_short(params.get(name, "")) for name in names]
            body += "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"
        caption = f"<caption>{html.escape(self._headline())}</caption>"
        return f"<table>{caption}<tr>{head}</tr>{body}</table>"


def _mean(values: NDArray[np.float64]) -> float:
    reached = values[~np.isnan(values)]
    return float(np.mean(reached)) if len(reached) else float("nan")


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
