"""Results of several methods from nested cross-validation on the same folds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from softmargin._selection.result import NestedResult, short_number, short_share
from softmargin._selection.result_table import Row, html_lines, html_table, text_lines, text_table
from softmargin._selection.spread import with_spread


class NestedComparison(Mapping[str, NestedResult]):
    """Results of several methods on the same outer folds, by method name.

    A mapping: ``results["svc"]``, ``results.items()``, ``len(results)``. It is shown as a table
    with one column per method, in text and in notebooks.

    Parameters
    ----------
    results : mapping of str to NestedResult
        Results of :func:`softmargin.nested_cv`.
    not_started : sequence of str
        Methods for which the run stopped before the first training finished.

    Attributes
    ----------
    not_started : tuple of str
        Methods for which the run stopped before the first training finished.

    Examples
    --------
    >>> import softmargin
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> results = softmargin.nested_cv(X, y, method=["svc", "ollawv"], random_state=0)
    >>> list(results), results.complete
    (['svc', 'ollawv'], True)
    >>> results["svc"].mean_score > 0.9
    True
    """

    __module__ = "softmargin"  # pickles do not depend on file names

    def __init__(
        self, results: Mapping[str, NestedResult], not_started: Sequence[str] = ()
    ) -> None:
        self._results = dict(results)
        self.not_started = tuple(not_started)

    def __getitem__(self, name: str) -> NestedResult:
        return self._results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    @property
    def complete(self) -> bool:
        """Whether every method was evaluated on every outer fold."""
        return not self.not_started and all(result.complete for result in self.values())

    def to_frame(self) -> Any:
        """Return a DataFrame with one row per method and outer fold; requires pandas.

        The columns are "method", "outer_fold", "score" and "support_fraction", followed by the
        chosen hyperparameters. Values are NaN if the fold was not evaluated or the method does
        not have the hyperparameter.
        """
        import pandas as pd  # type: ignore[import-untyped]

        rows = []
        for name, result in self.items():
            for fold, params in enumerate(result.best_params):
                rows.append(
                    {
                        "method": name,
                        "outer_fold": fold,
                        "score": result.outer_scores[fold],
                        "support_fraction": result.support_fraction[fold],
                        **params,
                    }
                )
        return pd.DataFrame(rows)

    def __str__(self) -> str:
        """Return a table with one column per method."""
        parts = [self._headline()]
        if self._judged():
            head, folds, summary = self._rows()
            parts.append(text_table(head, [*folds, *summary]))
        if notes := self._notes():
            parts.append(text_lines(notes))
        return "\n\n".join(parts)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        if not self._judged():
            return html_lines([self._headline(), *self._notes()])
        return html_table(self._headline(), *self._rows()) + html_lines(self._notes())

    def _headline(self) -> str:
        if not self:
            return "no results"
        first = next(iter(self.values()))
        return f"{first.scoring} on {len(first.outer_scores)} outer folds"

    def _judged(self) -> dict[str, NestedResult]:
        """Return the results with a score on at least one outer fold."""
        return {name: result for name, result in self.items() if result._judged()}

    def _rows(self) -> tuple[Row, list[Row], list[Row]]:
        """Return the header, one row per outer fold, and the summary rows."""
        evaluated = self._judged()
        results = list(evaluated.values())
        scores = np.array([result.outer_scores for result in results])
        folds: list[Row] = [
            [f"outer fold {fold}", *map(short_number, scores[:, fold])]
            for fold in np.flatnonzero(~np.isnan(scores).all(axis=0))
        ]
        summary: list[Row] = [
            ["mean", *(with_spread(result.mean_score, result.std_score) for result in results)],
            ["support vectors", *(short_share(result.support_fraction) for result in results)],
            ["trainings", *(f"{result.counts['trainings']:,}" for result in results)],
            ["time", *(f"{result.wall_seconds:.2f} s" for result in results)],
        ]
        return ["", *evaluated], folds, summary

    def _notes(self) -> list[str]:
        """Return a line for each method that is not complete, and one for those not started."""
        notes = [
            f"{name}: {'; '.join(result._progress_lines())}"
            for name, result in self.items()
            if not result.complete
        ]
        if self.not_started:
            notes.append(f"not started: {', '.join(self.not_started)}")
        return notes
