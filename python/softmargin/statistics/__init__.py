"""Statistical comparison of several classifiers over several data sets.

Friedman's test on ranks, its variant by Iman and Davenport, and the critical distances of mean
ranks of Bonferroni and Dunn (each method against a control) and Nemenyi (all pairs), following
Demsar (2006, Statistical Comparisons of Classifiers over Multiple Data Sets).

With the ranks r_ij of k methods j on N data sets i, and the rank sums R_j,

    A = sum_j (R_j - N (k + 1) / 2)^2,   S = N k (k^2 - 1) / 12,
    chi2 = (k - 1) A / S,   F = (N - 1) A / (N S - A).

The correction for ties uses S = sum_ij (r_ij - (k + 1) / 2)^2, which is the same without ties. A is
at most N S; if all data sets agree in all ranks, A = N S and F is infinite.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from softmargin.statistics._rank_comparison import Comparison
from softmargin.statistics._score_table import score_table

__all__ = ["Comparison", "Friedman", "compare", "critical_distance", "friedman", "mean_ranks"]

_Test = Literal["bonferroni-dunn", "nemenyi"]


class Friedman(NamedTuple):
    """Result of Friedman's test.

    Attributes
    ----------
    chi2 : float
        Friedman's statistic.
    p_chi2 : float
        Its p-value.
    f : float
        The less conservative statistic of Iman and Davenport; infinite if all data sets agree in
        all ranks.
    p_f : float
        Its p-value.
    """

    chi2: float
    p_chi2: float
    f: float
    p_f: float


def compare(
    scores: Any,
    names: Any = None,
    control: str | None = None,
    alpha: float = 0.05,
    higher_is_better: bool = True,
    *,
    correct_ties: bool = False,
    nan_policy: Literal["raise", "omit"] = "raise",
) -> Comparison:
    """Compare methods by their ranks on several data sets.

    Parameters
    ----------
    scores : array of shape (n_sets, n_methods), DataFrame, or mapping
        Accuracies, times or other scores. The columns of a DataFrame and the keys of a mapping are
        the methods. Only equal scores tie; round scores first if further digits have no meaning.
    names : sequence of str or None, default=None
        Names of the methods if ``scores`` is an array; None uses "method 1", "method 2" and so on.
    control : str or None, default=None
        Method with which the others are compared; None uses the one with the best mean rank.
    alpha : float, default=0.05
        Significance level, between 0 and 1.
    higher_is_better : bool, default=True
        Whether higher scores are better. Set to False for times, errors and sizes.
    correct_ties : bool, default=False
        Whether the tests of Friedman and of Iman and Davenport correct for ties, as
        :func:`scipy.stats.friedmanchisquare` does. Demsar's formulas, which most papers use, do
        not; with ties their p-values are somewhat too large.
    nan_policy : {"raise", "omit"}, default="raise"
        Whether a NaN raises a ValueError, or its data set is omitted.

    Returns
    -------
    Comparison
        Mean ranks, p-values and critical distances; print it for a summary.

    Examples
    --------
    >>> from softmargin.statistics import compare
    >>> accuracies = {
    ...     "slow": [0.91, 0.84, 0.99, 0.75, 0.88, 0.93],
    ...     "fast": [0.90, 0.85, 0.97, 0.74, 0.86, 0.92],
    ...     "naive": [0.61, 0.80, 0.95, 0.55, 0.70, 0.90],
    ... }
    >>> compare(accuracies)
    3 methods on 6 data sets, mean ranks:
      slow   1.167
      fast   1.833
      naive  3.000
    Friedman chi2 10.33 (p 0.005704), Iman-Davenport F 31 (p 5.168e-05)
    Significant difference at level 0.05
    Bonferroni-Dunn distance 1.294, worse than slow: naive
    Nemenyi distance 1.353, groups: slow, fast; fast, naive
    """
    names, table = _checked_scores(scores, names, nan_policy)
    ranks = mean_ranks(table, higher_is_better)
    ranks.flags.writeable = False
    if control is None:
        control = names[int(np.argmin(ranks))]
    elif control not in names:
        raise ValueError(
            f"control = {control!r} is not valid: it must be one of the methods {', '.join(names)}"
        )
    n_sets, n_methods = table.shape
    return Comparison(
        names,
        ranks,
        n_sets,
        *friedman(table, correct_ties),
        alpha=alpha,
        control=control,
        bonferroni_dunn=critical_distance(n_methods, n_sets, alpha),
        nemenyi=critical_distance(n_methods, n_sets, alpha, "nemenyi"),
    )


def mean_ranks(scores: Any, higher_is_better: bool = True) -> NDArray[np.float64]:
    """Return the mean rank of each method over the data sets, 1 for the best; ties share ranks.

    See :func:`compare` for the parameters.

    Examples
    --------
    >>> from softmargin.statistics import mean_ranks
    >>> mean_ranks([[0.9, 0.8, 0.8], [0.7, 0.6, 0.5]])
    array([1.  , 2.25, 2.75])
    """
    return np.asarray(_ranks(scores, higher_is_better).mean(axis=0))


def friedman(scores: Any, correct_ties: bool = False) -> Friedman:
    """Test whether all methods perform alike; see :func:`compare` for the parameters.

    Examples
    --------
    >>> from softmargin.statistics import friedman
    >>> friedman([[3, 2, 1], [3, 2, 1], [2, 3, 1], [3, 2, 1]]).chi2
    6.5
    """
    ranks = _ranks(scores)
    n, k = ranks.shape
    if n < 2:
        raise ValueError(f"scores has {n} data set; at least 2 are required")
    if k < 2:
        raise ValueError(f"scores has {k} method; at least 2 are required")
    # Ranks are multiples of 1/2, so these sums are exact and the comparisons with 0 are safe.
    between = float(np.sum((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2))
    spread = n * k * (k**2 - 1) / 12
    if correct_ties:
        spread = float(np.sum((ranks - (k + 1) / 2) ** 2))
    if between == 0:
        return Friedman(0.0, 1.0, 0.0, 1.0)
    chi2 = (k - 1) * between / spread
    rest = n * spread - between
    f = (n - 1) * between / rest if rest else np.inf
    return Friedman(
        chi2,
        float(stats.chi2.sf(chi2, k - 1)),
        f,
        float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
    )


def critical_distance(
    n_methods: int, n_sets: int, alpha: float = 0.05, test: _Test = "bonferroni-dunn"
) -> float:
    """Return the smallest significant difference of mean ranks.

    Parameters
    ----------
    n_methods : int
        Number of methods, at least 2.
    n_sets : int
        Number of data sets, at least 1.
    alpha : float, default=0.05
        Significance level, between 0 and 1.
    test : {"bonferroni-dunn", "nemenyi"}, default="bonferroni-dunn"
        Whether each method is compared with a control, or all methods with each other.

    Returns
    -------
    float
        The critical distance.

    Examples
    --------
    >>> from softmargin.statistics import critical_distance
    >>> round(critical_distance(3, 23), 3)
    0.661
    >>> round(critical_distance(3, 23, test="nemenyi"), 3)
    0.691
    """
    if n_methods < 2:
        raise ValueError(f"n_methods = {n_methods} is not valid: it must be at least 2")
    if n_sets < 1:
        raise ValueError(f"n_sets = {n_sets} is not valid: it must be at least 1")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha = {alpha} is not valid: it must be between 0 and 1")
    if test == "bonferroni-dunn":
        q = float(stats.norm.isf(alpha / (2 * (n_methods - 1))))
    elif test == "nemenyi":
        q = float(stats.studentized_range.ppf(1 - alpha, n_methods, np.inf)) / np.sqrt(2)
    else:
        raise ValueError(f"test = {test!r} is not valid: it must be 'bonferroni-dunn' or 'nemenyi'")
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets)))


def _checked_scores(
    scores: Any, names: Any = None, nan_policy: str = "raise"
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Return the names of the methods, and the scores after applying ``nan_policy``."""
    names, table = score_table(scores, names)
    if nan_policy not in ("raise", "omit"):
        raise ValueError(f"nan_policy = {nan_policy!r} is not valid: it must be 'raise' or 'omit'")
    is_number = ~np.isnan(table)
    if nan_policy == "omit":
        table = table[is_number.all(axis=1)]
        if not len(table):
            raise ValueError("scores has NaN in every row; no data set remains for the comparison")
    elif not is_number.all():
        row, column = np.argwhere(~is_number)[0]
        raise ValueError(
            f"scores contains NaN for {names[column]!r} in row {row}. Use compare with "
            "nan_policy='omit' to omit such data sets."
        )
    return names, table


def _ranks(scores: Any, higher_is_better: bool = True) -> NDArray[np.float64]:
    """Return the rank of each method on each data set."""
    _, table = _checked_scores(scores)
    return np.asarray(stats.rankdata(-table if higher_is_better else table, axis=1))
