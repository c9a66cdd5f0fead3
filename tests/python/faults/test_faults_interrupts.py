"""Ctrl-C and other signals end a long call at once, and nothing else."""

import pytest

from processes import facts_of, run_script
from systems import posix

pytestmark = posix

# A timer sends the signal while the main thread waits for work that takes many seconds.
INTERRUPT = """
def outcome_of(call):
    try:
        call()
        return {"raised": "nothing"}
    except BaseException as error:
        delay = time.monotonic() - sent[-1] if sent else None
        return {"raised": type(error).__name__, "delay": delay}

rng = np.random.default_rng(0)
X = rng.standard_normal((200_000, 50), dtype=np.float32)
y = rng.integers(0, 2, len(X))
small = softmargin.OLLAWV(kernel="sigmoid", gamma=0.01, margin=1e9).fit(X[:4000], y[:4000])
before = small.predict(X[:100])
"""

LONG_CALLS = {
    "fit": "softmargin.OLLAWV(margin=1e9, n_jobs=N).fit(X, y)",
    "refit": "small.set_params(n_jobs=N).fit(X, y)",
    "margin_path": "softmargin.OLLAWV(n_jobs=N).margin_path(X, y, [0.1, 1e9])",
    "svc": "softmargin.SVC(C=100, n_jobs=N).fit(X, y)",
    "svr": "softmargin.SVR(n_jobs=N).fit(X, y)",
    "nu-svr": "softmargin.NuSVR(n_jobs=N).fit(X, y)",
    "nu-svc": "softmargin.NuSVC(n_jobs=N).fit(X, y)",
    "one-class": "softmargin.OneClassSVM(n_jobs=N).fit(X)",
    "nlsgd": "softmargin.NLSGD(n_jobs=N).fit(X, y)",
    "nnisda": "softmargin.NNISDA(n_jobs=N).fit(X, y)",
    "mnsvm": "softmargin.MNSVM(n_jobs=N).fit(X, y)",
    "newton": "softmargin.NewtonSVC(n_jobs=N).fit(X, y)",
    "predict": "small.set_params(n_jobs=N).predict(X)",
    "decision_function": "small.set_params(n_jobs=N).decision_function(X)",
    "kernel_matrix": "softmargin.kernel_matrix(X[:30_000], 'sigmoid', n_jobs=N)",
    "load_libsvm": "softmargin.load_libsvm(Endless())",
}

ENDLESS = """
class Endless:
    def read(self, size):
        return b"1 1:0.5 2:0.25\\n" * 100_000

N = int(os.environ["N_JOBS"])
"""

TRY_ONE = """
interrupt_in(0.3)
found = outcome_of(lambda: {call})
found["kept"] = bool((small.predict(X[:100]) == before).all())
report(**{{"{name}": found}})
"""


@pytest.fixture(scope="module", params=[1, 2], ids=["one thread", "two threads"])
def interrupted(request):
    """What each long call did when it was interrupted, all in one process."""
    tries = [TRY_ONE.format(name=name, call=call) for name, call in LONG_CALLS.items()]
    script = INTERRUPT + ENDLESS + "".join(tries)
    return facts_of(script, N_JOBS=str(request.param))


@pytest.mark.case(79)
@pytest.mark.parametrize("call", LONG_CALLS)
def test_ctrl_c_ends_a_long_call_within_a_second(interrupted, call):
    facts = interrupted[call]
    assert facts["raised"] == "KeyboardInterrupt"
    assert facts["delay"] < 1.5
    assert facts["kept"]


@pytest.mark.case(80)
def test_ctrl_c_reaches_the_main_thread_while_another_one_works():
    process = run_script(
        INTERRUPT
        + """
worker = threading.Thread(
    target=lambda: softmargin.OLLAWV(margin=1e9, n_jobs=2).fit(X, y), daemon=True
)
worker.start()
interrupt_in(0.3)
report(**outcome_of(worker.join))
"""
    )
    assert process.returncode == 0, process.stderr
    assert '"KeyboardInterrupt"' in process.stdout
    assert "panicked" not in process.stderr
    assert "Fatal" not in process.stderr


def test_a_signal_handler_may_raise_what_it_likes():
    facts = facts_of(
        INTERRUPT
        + """
def expire(number, frame):
    raise TimeoutError("enough")
signal.signal(signal.SIGALRM, expire)
signal.setitimer(signal.ITIMER_REAL, 0.3)
report(**outcome_of(lambda: softmargin.OLLAWV(margin=1e9).fit(X, y)))
"""
    )
    assert facts["raised"] == "TimeoutError"
