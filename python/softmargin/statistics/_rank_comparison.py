"""The result of a comparison of methods over several data sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Comparison:
    """Result of :func:`softmargin.statistics.compare`.

    Attributes
    ----------
    names : tuple of str
        Names of the methods.
    ranks : ndarray of shape (n_methods,)
        Mean rank of each method; 1 if it is the best on all data sets. Ties share their ranks.
    n_sets : int
        Number of data sets.
    chi2, p_chi2 : float
        Statistic and p-value of Friedman's test of the hypothesis that all methods perform alike.
    f, p_f : float
        Statistic and p-value of the less conservative test of Iman and Davenport. F is infinite
        and p is 0 if the methods have the same order on all data sets.
    alpha : float
        Significance level.
    control : str
        Method with which the Bonferroni-Dunn test compares the others.
    bonferroni_dunn, nemenyi : float
        Critical distances: mean ranks that differ at least by this much differ significantly.
    """

    names: tuple[str, ...]
    ranks: NDArray[np.float64]
    n_sets: int
    chi2: float
    p_chi2: float
    f: float
    p_f: float
    alpha: float
    control: str
    bonferroni_dunn: float
    nemenyi: float

    @property
    def differs(self) -> bool:
        """Whether the Iman-Davenport test finds a significant difference."""
        return self.p_f < self.alpha

    @property
    def order(self) -> tuple[str, ...]:
        """Names of the methods from the best mean rank to the worst."""
        return tuple(self.names[k] for k in self._order())

    @property
    def worse_than_control(self) -> tuple[str, ...]:
        """Methods significantly worse than the control, by the Bonferroni-Dunn test."""
        return self._beyond(self.ranks - self._control_rank())

    @property
    def better_than_control(self) -> tuple[str, ...]:
        """Methods significantly better than the control, by the Bonferroni-Dunn test."""
        return self._beyond(self._control_rank() - self.ranks)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Largest groups of methods of which no two differ significantly by the Nemenyi test.

        A method that differs from all others forms a group by itself.
        """
        order = self._order()
        ranks = self.ranks[order]
        ends = np.searchsorted(ranks, ranks + self.nemenyi)
        is_new = np.diff(ends, prepend=0) > 0  # otherwise the previous group contains it
        return tuple(
            tuple(self.names[k] for k in order[start : ends[start]])
            for start in np.flatnonzero(is_new)
        )

    def _order(self) -> NDArray[np.intp]:
        return np.argsort(self.ranks, kind="stable")

    def _control_rank(self) -> float:
        return float(self.ranks[self.names.index(self.control)])

    def _beyond(self, distances: NDArray[np.float64]) -> tuple[str, ...]:
        return tuple(self.names[k] for k in self._order() if distances[k] >= self.bonferroni_dunn)

    def __str__(self) -> str:
        """Return a summary of the ranks and tests."""
        rank = dict(zip(self.names, self.ranks, strict=True))
        width = max(len(name) for name in self.names)
        lines = [f"{len(self.names)} methods on {self.n_sets} data sets, mean ranks:"]
        lines += [f"  {name:<{width}}  {rank[name]:.3f}" for name in self.order]
        verdict = "Significant" if self.differs else "No significant"
        worse, better = self.worse_than_control, self.better_than_control
        found = f"worse than {self.control}: {', '.join(worse) or 'none'}"
        if better:
            found += f"; better: {', '.join(better)}"
        lines += [
            f"Friedman chi2 {self.chi2:.4g} (p {self.p_chi2:.4g}), "
            f"Iman-Davenport F {self.f:.4g} (p {self.p_f:.4g})",
            f"{verdict} difference at level {self.alpha:g}",
            f"Bonferroni-Dunn distance {self.bonferroni_dunn:.3f}, {found}",
            f"Nemenyi distance {self.nemenyi:.3f}, groups: "
            + "; ".join(", ".join(group) for group in self.groups),
        ]
        return "\n".join(lines)

    __repr__ = __str__
