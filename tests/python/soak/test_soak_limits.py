"""Calls under limits of memory end well; ``make soak`` tries more limits."""

import pytest

import softmargin
from processes import facts_of
from systems import linux

pytestmark = linux


@pytest.mark.case(77)
@pytest.mark.parametrize("part", range(3))
def test_a_limit_of_memory_is_an_error_and_the_process_lives(part):
    """In processes of their own: children of one process have its layout of addresses."""
    facts = facts_of(
        f"""
        from soak.limits import measure
        lines, faults = measure(count=3, share=0.1, threads=[2], part=({part}, 3))
        refused = sum(line[3] for line in lines)
        report(faults=faults, refused=refused)
        """
    )
    assert facts["faults"] == []
    assert facts["refused"] > 4


@pytest.fixture(scope="module")
def refusals():
    """With which words each method breaks off a fit for want of memory, and the faults."""
    return facts_of(
        f"""
        from soak.limits import refusal_inside
        for method in {softmargin.methods()}:
            report(**{{method: refusal_inside(method)}})
        """
    )


@pytest.mark.case(77)
@pytest.mark.parametrize("method", softmargin.methods())
def test_memory_that_ends_inside_of_a_fit_is_an_error(refusals, method):
    said, faults = refusals[method]
    assert faults == []
    assert "cannot allocate" in said


def test_a_child_that_dies_is_found():
    facts = facts_of(
        """
        from soak.calls import Call
        from soak.limits import under_a_limit
        call = Call(lambda model, n_jobs, die: os.abort() if die else {}, True, False)
        report(found=under_a_limit(call, 1, 2**20, False, {}))
        """
    )
    assert facts["found"][0] == "died"
    assert "exit code -6" in facts["found"][1]


def test_other_bits_under_a_limit_are_found():
    facts = facts_of(
        """
        from soak.calls import Call
        from soak.limits import digest, under_a_limit
        call = Call(lambda model, n_jobs, bits: {"bits": np.full(2, bits)}, 1.0, 0.0)
        small, right, wrong = ({"bits": np.full(2, bits)} for bits in (0.0, 1.0, 2.0))
        for name, large in (("right", right), ("wrong", wrong)):
            report(**{name: under_a_limit(call, 1, 2**30, False, small, digest(large))})
        """
    )
    assert facts["right"] == ["done", "", ""]
    assert facts["wrong"][:2] == ["done", "other bits than without a limit"]
