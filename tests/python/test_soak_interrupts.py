"""Ctrl-C at random moments of all calls; ``make soak`` sends more signals to longer ones."""

import pytest

from estimators import CLASSIFIERS
from processes import facts_of
from systems import linux

pytestmark = linux


@pytest.mark.case(79, of=[*CLASSIFIERS, "GridSearchCV", "nested_cv"])
def test_ctrl_c_at_any_moment_leaves_everything_as_it_was():
    facts = facts_of(
        """
        from soak.interrupts import measure
        trials, faults = measure(each=1, share=0.15)
        report(ended=[trial.ended for trial in trials], faults=faults)
        """
    )
    assert facts["faults"] == []
    assert len(facts["ended"]) > 40
    assert len(facts["ended"]) - facts["ended"].count("before") > 10


def test_a_call_that_does_not_hear_is_found():
    """What the soak says of calls that ignore the signal, or lose the old state."""
    facts = facts_of(
        """
        import pathlib, tempfile
        from soak.calls import Call
        from soak.interrupts import interrupt_all

        class Deaf:
            state, coef_, intercept_ = 0, np.zeros(1), np.zeros(1)
            def set_params(self, n_jobs):
                return self

        def ignore(model, n_jobs, seconds):
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                try:
                    time.sleep(0.001)
                except KeyboardInterrupt:
                    pass
            return {"value": np.zeros(1)}

        def spoil(model, n_jobs, seconds):
            model.state = 1
            time.sleep(seconds)
            return {"value": np.zeros(1)}

        with tempfile.TemporaryDirectory() as folder:
            for name, run in (("ignore", ignore), ("spoil", spoil)):
                calls = {name: Call(run, 0.5, 0.0, (Deaf(),))}
                trials, _ = interrupt_all(calls, 2, pathlib.Path(folder))
                report(**{name: [fault for trial in trials for fault in trial.faults]})
        """
    )
    assert any("did not hear" in fault for fault in facts["ignore"])
    assert any("neither what it was nor done" in fault for fault in facts["spoil"])
