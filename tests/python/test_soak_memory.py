"""Mixed fits and predictions leave no memory behind; ``make soak`` does a thousand."""

import pytest

from estimators import CLASSIFIERS
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


@pytest.mark.case(78, of=CLASSIFIERS)
def test_mixed_fits_and_predictions_do_not_grow_the_memory():
    assert facts_of(MEASURE.format(leak=0))["grown"] < BOUND


@pytest.mark.case(78)
def test_a_leak_of_one_copy_of_the_rows_is_noticed():
    leak = 300 * 40 * 8
    assert facts_of(MEASURE.format(leak=leak))["grown"] > max(BOUND, 0.8 * 64 * leak)
