"""Ctrl-C while the first use of a name imports the rest of the package."""

import pytest

from processes import facts_of

INTERRUPTED = """
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name in ("softmargin._estimators.svc", "softmargin.plots._bars") and not sent:
            sent.append(name)
            signal.raise_signal(signal.SIGINT)

assert not {"softmargin._estimators.svc", "softmargin.plots"} & set(sys.modules)
sys.meta_path.insert(0, Interrupt())
"""


@pytest.mark.case(79)
@pytest.mark.parametrize(
    ("name", "module", "inside"),
    [
        ("SVC", "softmargin._public", "softmargin._estimators.svc"),
        ("plots", "softmargin.plots", "softmargin.plots._bars"),
    ],
)
def test_ctrl_c_leaves_no_package_imported_by_half(name, module, inside):
    facts = facts_of(
        INTERRUPTED
        + f"""
before = signal.getsignal(signal.SIGINT)
try:
    softmargin.{name}
except KeyboardInterrupt:
    report(is_whole="{module}" in sys.modules, sent=sent)
report(is_restored=signal.getsignal(signal.SIGINT) is before)
softmargin.{name}
"""
    )
    assert facts == {"is_whole": True, "sent": [inside], "is_restored": True}


@pytest.mark.case(79)
def test_an_ignored_ctrl_c_and_another_thread_import_as_ever():
    facts = facts_of(
        INTERRUPTED
        + """
signal.signal(signal.SIGINT, signal.SIG_IGN)
thread = threading.Thread(target=lambda: softmargin.statistics)
thread.start()
thread.join()
softmargin.SVC
report(sent=sent, is_there="softmargin.statistics" in sys.modules)
report(is_ignored=signal.getsignal(signal.SIGINT) is signal.SIG_IGN)
"""
    )
    assert facts == {"sent": ["softmargin._estimators.svc"], "is_there": True, "is_ignored": True}
