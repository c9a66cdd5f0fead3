"""What a comparison of methods on several data sets found, to look at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Comparison:
    """What :func:`softmargin.statistics.compare` found.

    Attributes
    ----------
    names : tuple of str
        The methods.
    ranks : ndarray of shape (n_methods,)
        Mean rank of each, 1 for one that is the best on all sets; ties share their ranks.
    n_sets : int
    chi2, p_chi2 : float
        Friedman's test of the claim that all methods are alike.
    f, p_f : float
        The same by Iman and Davenport, which is less conservative. F is infinite, and p zero, if
        the methods come in the same order on all sets.
    alpha : float
        Level of significance.
    control : str
        The method with which Bonferroni and Dunn compare the others.
    bonferroni_dunn, nemenyi : float
        Mean ranks that differ by these distances, or more, differ significantly.
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
        """Whether Iman and Davenport's test finds any difference at ``alpha``."""
        return self.p_f < self.alpha

    @property
    def order(self) -> tuple[str, ...]:
        """The methods from the best mean rank to the worst."""
        return tuple(self.names[k] for k in self._order())

    @property
    def worse_than_control(self) -> tuple[str, ...]:
        """Methods that are significantly worse than the control by Bonferroni and Dunn."""
        return self._beyond(self.ranks - self._control_rank())

    @property
    def better_than_control(self) -> tuple[str, ...]:
        """Methods that are significantly better than the control by Bonferroni and Dunn."""
        return self._beyond(self._control_rank() - self.ranks)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Largest groups of methods of which no two differ significantly by Nemenyi.

        A method that differs from all others is a group of its own.
        """
        order = self._order()
        ranks = self.ranks[order]
        ends = np.searchsorted(ranks, ranks + self.nemenyi)
        is_new = np.diff(ends, prepend=0) > 0  # else the group of the method before holds it
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
        """Return the ranks and what follows from them."""
        rank = dict(zip(self.names, self.ranks, strict=True))
        width = max(len(name) for name in self.names)
        lines = [f"{len(self.names)} methods on {self.n_sets} sets, mean ranks:"]
        lines += [f"  {name:<{width}}  {rank[name]:.3f}" for name in self.order]
        verdict = "methods differ" if self.differs else "no difference is shown"
        worse, better = self.worse_than_control, self.better_than_control
        found = f"worse than {self.control}: {', '.join(worse) or 'none'}"
        if better:
            found += f"; better: {', '.join(better)}"
        lines += [
            f"Friedman chi2 {self.chi2:.4g} (p {self.p_chi2:.4g}), "
            f"Iman-Davenport F {self.f:.4g} (p {self.p_f:.4g}): {verdict} at {self.alpha:g}",
            f"Bonferroni-Dunn distance {self.bonferroni_dunn:.3f}, {found}",
            f"Nemenyi distance {self.nemenyi:.3f}, groups: "
            + "; ".join(", ".join(group) for group in self.groups),
        ]
        return "\n".join(lines)

    __repr__ = __str__
