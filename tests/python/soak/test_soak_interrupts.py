"""Ctrl-C at random moments of all calls; ``make soak`` sends more signals to longer ones."""

import pytest

import softmargin
from estimators import CLASSIFIERS
from processes import facts_of
from systems import linux

pytestmark = linux


# Calls that are long enough to be interrupted for sure.
KINDS = [*(f"fit {method}" for method in softmargin.methods()), "GridSearchCV.fit", "nested_cv svc"]


@pytest.mark.case(79, of=[*CLASSIFIERS, "GridSearchCV", "nested_cv"])
def test_ctrl_c_at_any_moment_leaves_everything_as_it_was():
    facts = facts_of(
        """
        from soak.interrupts import measure
        trials, faults = measure(each=1, share=0.15, training=0.5)
        heard = sorted({trial.kind for trial in trials if trial.ended != "before"})
        report(count=len(trials), heard=heard, faults=faults)
        """
    )
    assert facts["faults"] == []
    assert facts["count"] > 40
    assert not set(KINDS) - set(facts["heard"])


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


def test_a_file_that_is_written_in_place_is_found():
    facts = facts_of(
        """
        import io, pathlib, tempfile
        from soak.calls import files
        from soak.interrupts import interrupt_all

        class InPlace(io.FileIO):
            def write(self, content):
                time.sleep(0.003)
                return super().write(content)

        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            calls = {"save": files(folder, share=0.02)["save"]}
            softmargin._files.container.atomic_write = lambda path: InPlace(path, "wb")
            trials, _ = interrupt_all(calls, 1, folder)
            report(torn=[fault for trial in trials for fault in trial.faults])
        """
    )
    assert any(
        "saved.softmargin is neither what it was nor done" in fault for fault in facts["torn"]
    )
