"""Ctrl-C while the first use of a name imports the rest of the package."""

import pytest

from processes import facts_of

INTERRUPTED = """
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name in ("hinge._svc", "hinge.plots._bars") and not sent:
            sent.append(name)
            signal.raise_signal(signal.SIGINT)

assert not {"hinge._svc", "hinge.plots"} & set(sys.modules)
sys.meta_path.insert(0, Interrupt())
"""


@pytest.mark.case(79)
@pytest.mark.parametrize(
    ("name", "module", "inside"),
    [("SVC", "hinge._public", "hinge._svc"), ("plots", "hinge.plots", "hinge.plots._bars")],
)
def test_ctrl_c_leaves_no_package_imported_by_half(name, module, inside):
    facts = facts_of(
        INTERRUPTED
        + f"""
before = signal.getsignal(signal.SIGINT)
try:
    hinge.{name}
except KeyboardInterrupt:
    report(is_whole="{module}" in sys.modules, sent=sent)
report(is_restored=signal.getsignal(signal.SIGINT) is before)
hinge.{name}
"""
    )
    assert facts == {"is_whole": True, "sent": [inside], "is_restored": True}


@pytest.mark.case(79)
def test_an_ignored_ctrl_c_and_another_thread_import_as_ever():
    facts = facts_of(
        INTERRUPTED
        + """
signal.signal(signal.SIGINT, signal.SIG_IGN)
thread = threading.Thread(target=lambda: hinge.statistics)
thread.start()
thread.join()
hinge.SVC
report(sent=sent, is_there="hinge.statistics" in sys.modules)
report(is_ignored=signal.getsignal(signal.SIGINT) is signal.SIG_IGN)
"""
    )
    assert facts == {"sent": ["hinge._svc"], "is_there": True, "is_ignored": True}
