"""How much faster does SVC train one large binary problem with more threads?

Fits with one thread, with two, and with four times as many threads as cores, on the binary sets of
``svc_fit.py`` with 10,000 samples or more, in float64; best of ``--repeats`` alternating runs. The
share of serial work follows from the first two times by Amdahl's law, and from that the expected
speed-ups on 8 and 32 cores; these ignore memory bandwidth. ``--record`` writes the table of
``docs/benchmarks.md``.
"""

from __future__ import annotations

import os
from typing import Any

from harness import announce, parser, record, write_json
from svc_fit import OURS, SETS, run

QUESTION = "How much faster does SVC train one large binary problem with more threads?"
BINARY = ("adult", "w8a", "ijcnn1", "ijcnn1, all samples", "covtype, 30,000 samples")


def expected(serial: float, cores: int) -> float:
    """Return the speed-up on some cores by Amdahl's law."""
    return 1 / (serial + (1 - serial) / cores)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--record", action="store_true", help="write the table of the page")
    arguments = options.parse_args()
    announce(QUESTION, arguments, ())
    many = 4 * (os.cpu_count() or 1)
    rows: list[list[Any]] = []
    for name in BINARY:
        data, C, gamma, n = SETS[name]
        task = {"data": data, "n": n, "C": C, "gamma": gamma, "dtype": "float64"}
        best: dict[int, float] = {}
        for _ in range(arguments.repeats):
            for threads in (1, 2, many):
                found = run(OURS, {**task, "n_jobs": threads, "describe": False})
                best[threads] = min(best.get(threads, float("inf")), found["seconds"])
        gain = best[1] / best[2]
        serial = min(max(2 / gain - 1, 0.0), 1.0)
        row = [name, *best.values(), gain, 100 * serial]
        rows.append([*row, expected(serial, 8), expected(serial, 32)])
        print(
            f"{name:<24} 1: {best[1]:.3f} s  2: {best[2]:.3f} s  {many}: {best[many]:.3f} s  "
            f"{gain:.2f}x  serial {100 * serial:.0f} %",
            flush=True,
        )
    if arguments.record:
        columns = {"data set": None, "1 thread, s": ".3f", "2 threads, s": ".3f"}
        columns |= {f"{many} threads, s": ".3f", "speed-up by the second thread": ".2f"}
        columns |= {"serial work, %": ".0f", "expected on 8 cores": ".1f"}
        columns |= {"expected on 32 cores": ".1f"}
        arguments.n_jobs = f"1, 2 and {many}"
        repeats = f"best of {arguments.repeats} alternating runs"
        record("threads", QUESTION, arguments, "none", columns, rows, repeats=repeats)
    write_json(QUESTION, arguments, (), [{"rows": rows}])


if __name__ == "__main__":
    main()
