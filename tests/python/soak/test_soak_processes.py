"""Every method gives its bits in other processes and threads; ``make soak`` adds ways."""

import importlib.util

import pytest

import softmargin
from estimators import CLASSIFIERS
from processes import facts_of
from systems import linux

pytestmark = linux

# Those that start fast; each tries every method.
WAYS = ["fork after a fit", "fork during a fit", "threads", "loky", "dask, threads"]
SKIPPED = [] if importlib.util.find_spec("distributed") else ["dask, threads"]


@pytest.fixture(scope="module")
def differing():
    """The methods that gave other bits, by way, all in one process."""
    ways = [way for way in WAYS if way not in SKIPPED]
    return facts_of(
        f"""
        from soak.processes import differing
        for way in {ways}:
            report(**{{way: differing(way, {softmargin.methods()})}})
        """
    )


@pytest.mark.case(81, 82, of=CLASSIFIERS)
@pytest.mark.parametrize("way", WAYS)
def test_every_method_gives_the_same_bits(differing, way):
    if way in SKIPPED:
        pytest.skip("dask is not installed")
    assert differing[way] == []
