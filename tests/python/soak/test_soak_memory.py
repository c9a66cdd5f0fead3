"""Mixed fits and predictions leave no memory behind; ``make soak`` does a thousand."""

import pytest

import softmargin
from processes import facts_of
from systems import linux

pytestmark = linux

# So few steps end while the allocator still settles: its lists are some megabytes.
BOUND = 4_000_000
MEASURE = """
from soak.memory import measure
found = measure(count=64, warm_up=64, leak={leak})
report(grown=found[-1] - found[0])
"""


ALONE = """
from soak.memory import measure_one
for method in {methods}:
    report(**{{method: measure_one(method, leak={leak})}})
"""


@pytest.fixture(scope="module")
def alone():
    """How the memory of each method grew, and how it may grow."""
    return facts_of(ALONE.format(methods=softmargin.methods(), leak=0))


@pytest.mark.case(78)
@pytest.mark.parametrize("method", softmargin.methods())
def test_a_hundred_fits_of_a_method_do_not_grow_the_memory(alone, method):
    grown, most = alone[method]
    assert grown < most


@pytest.mark.case(78)
def test_one_lost_copy_of_the_rows_in_each_fit_is_noticed():
    grown, most = facts_of(ALONE.format(methods=["newton"], leak=1))["newton"]
    assert grown > 1.8 * most


@pytest.mark.case(78)
def test_mixed_fits_and_predictions_do_not_grow_the_memory():
    assert facts_of(MEASURE.format(leak=0))["grown"] < BOUND


@pytest.mark.case(78)
def test_a_leak_of_one_copy_of_the_rows_is_noticed():
    leak = 300 * 40 * 8
    assert facts_of(MEASURE.format(leak=leak))["grown"] > max(BOUND, 0.8 * 64 * leak)
