"""Peaks of memory against budgets, of small sets; ``make soak`` takes larger ones."""

import pytest

from processes import facts_of
from systems import linux

pytestmark = linux


@pytest.mark.case(75)
def test_peaks_stay_within_their_budgets():
    facts = facts_of(
        """
        from soak.budgets import measure
        lines, faults = measure(share=0.2)
        report(count=len(lines), faults=faults)
        """
    )
    assert facts["count"] >= 5
    assert facts["faults"] == []


@pytest.mark.case(75)
def test_a_peak_over_its_budget_is_found():
    facts = facts_of(
        """
        from soak import budgets
        def run(n):
            return np.ones(n)
        wasteful = budgets.Configuration(0, 0, run, 10_000_000, 1)
        report(peak=budgets.peak(wasteful), fixed=budgets.FIXED)
        """
    )
    assert facts["peak"] > facts["fixed"]
