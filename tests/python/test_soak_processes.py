"""Every method gives its bits in other processes and threads; ``make soak`` adds ways."""

import os

import pytest

import hinge
from estimators import CLASSIFIERS
from processes import facts_of

# Those that start fast; each tries every method.
WAYS = ["fork after a fit", "fork during a fit", "threads", "loky", "nested_cv over loky"]


@pytest.mark.case(81, 82, of=CLASSIFIERS)
@pytest.mark.parametrize("way", WAYS)
def test_every_method_gives_the_same_bits(way):
    if "fork" in way and not hasattr(os, "fork"):
        pytest.skip("this system does not fork")
    facts = facts_of(
        f"""
        from soak.processes import differing
        if __name__ == "__main__":
            report(wrong=differing({way!r}, {hinge.methods()}))
        """
    )
    assert facts["wrong"] == []


@pytest.mark.case(82, of=CLASSIFIERS)
def test_every_method_gives_the_same_bits_on_a_cluster():
    pytest.importorskip("distributed")
    facts = facts_of(
        f"""
        from soak.processes import differing
        report(wrong=differing("dask, threads", {hinge.methods()}))
        """
    )
    assert facts["wrong"] == []
