"""Calls under limits of memory end well; ``make soak`` tries more limits."""

import pytest

from estimators import CLASSIFIERS
from processes import facts_of
from systems import linux

pytestmark = linux


@pytest.mark.case(77, of=CLASSIFIERS)
def test_a_limit_of_memory_is_an_error_and_the_process_lives():
    facts = facts_of(
        """
        from soak.limits import measure
        lines, faults = measure(count=3, share=0.1, threads=[2])
        refused = sum(line[3] for line in lines)
        report(faults=faults, refused=refused)
        """
    )
    assert facts["faults"] == []
    assert facts["refused"] > 10


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
