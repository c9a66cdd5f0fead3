"""How do time and memory of an OLLAWV fit grow with the number of rows?

covtype (class 2 against the rest) in samples of 10k, 30k, 100k and 300k rows, then the
whole ijcnn1 and intrusion sets. Each fit runs in a process of its own, whose peak memory
is compared with what it had before the fit; the budget is ``cache_size``.
"""

from __future__ import annotations

import json
import subprocess
import sys

from harness import parser

CHILD = """
import json, sys, time
import numpy as np
from data import raw
import softmargin

name, n, gamma, n_jobs, cache = sys.argv[1], int(sys.argv[2]), *map(float, sys.argv[3:6])
X, y, _ = raw(name)
if name == "covtype":
    y = (y == 1).astype(int)
if n:
    rows = np.random.default_rng(0).permutation(len(y))[:n]
    X, y = X[rows], y[rows]
X = softmargin.MinMaxScaler().fit_transform(X)
def memory(name):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))

open("/proc/self/clear_refs", "w").write("5")  # the peak starts anew
before = memory("VmRSS")
start = time.perf_counter()
model = softmargin.OLLAWV(gamma=gamma, n_jobs=int(n_jobs), cache_size=cache).fit(X, y)
seconds = time.perf_counter() - start
data = (X.data.nbytes + X.indices.nbytes) if hasattr(X, "indices") else X.nbytes
print(json.dumps({"set": name, "rows": len(y), "features": X.shape[1], "seconds": seconds,
    "vectors": len(model.support_), "kernel_evals": int(model.n_kernel_evals_),
    "data_mb": data / 2**20, "peak_growth_mb": memory("VmHWM") - before, "budget_mb": cache}))
"""


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--cache-size", type=float, default=1000.0)
    options.add_argument("--skip-whole", action="store_true", help="covtype samples only")
    arguments = options.parse_args()
    jobs = [("covtype", n, 4.0) for n in (10_000, 30_000, 100_000, 300_000)]
    if not arguments.skip_whole:
        jobs += [("ijcnn1", 0, 1.0), ("intrusion", 0, 1.0)]
    print(f"float64, {arguments.n_jobs} threads")
    print(f"{'set':<10}{'rows':>8}{'seconds':>10}{'vectors':>9}{'Gevals':>9}{'ns/eval':>9}"
          f"{'data MB':>9}{'peak growth MB':>16}{'budget MB':>11}")  # fmt: skip
    reports = []
    for name, n, gamma in jobs:
        command = [sys.executable, "-c", CHILD, name, str(n), str(gamma)]
        command += [str(arguments.n_jobs), str(arguments.cache_size)]
        folder = __file__.rsplit("/", 1)[0]
        result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
        r = json.loads(result.stdout)
        reports.append(r)
        print(f"{r['set']:<10}{r['rows']:>8}{r['seconds']:>10.2f}{r['vectors']:>9}"
              f"{r['kernel_evals'] / 1e9:>9.2f}{1e9 * r['seconds'] / r['kernel_evals']:>9.2f}"
              f"{r['data_mb']:>9.1f}{r['peak_growth_mb']:>16.1f}{r['budget_mb']:>11.0f}",
              flush=True)  # fmt: skip
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(reports, file, indent=2)


if __name__ == "__main__":
    main()
