"""Progress goes to stderr, and a closed stream is no reason to stop."""

import pytest

from processes import run_script

VERBOSE = """
rng = np.random.default_rng(0)
X, y = rng.normal(size=(3000, 3)), rng.integers(0, 2, 3000)

def fit():
    model = hinge.OLLAWV(kernel="sigmoid", gamma=0.1, margin=1e9, verbose=1).fit(X, y)
    assert model.n_iter_.tolist() == [3000]
"""


def test_verbose_reports_steps_on_stderr_only():
    process = run_script(VERBOSE + "fit()")
    assert process.returncode == 0
    assert process.stdout == ""
    lines = process.stderr.splitlines()
    assert lines
    assert all(line.startswith("OLLAWV: ") and line.endswith(" steps") for line in lines)


@pytest.mark.case(87)
@pytest.mark.parametrize(
    "close",
    [
        "sys.stderr.close()",
        "os.close(2)",
        "sys.stderr = None",
        "sys.stdout.close(); sys.stderr = None",
        "r, w = os.pipe(); os.close(r); os.dup2(w, 2)",
    ],
)
def test_a_closed_stream_is_no_reason_to_stop(close):
    process = run_script(VERBOSE + f"{close}\nfit()\nos._exit(7)")
    assert process.returncode == 7
    assert process.stdout == ""
