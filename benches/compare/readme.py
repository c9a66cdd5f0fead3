"""Measure the speed-ups that the README's chart shows, and write benches/results/readme.json.

Three panels, all on float64 data; ``benches/chart.py`` describes the file and draws it:

- svc: ``SVC`` against the faster of scikit-learn's SVC and that of scikit-learn-intelex
- search: ``GridSearchCV`` of a pipeline with a scaler against that of scikit-learn, and
  ``nested_cv`` against scikit-learn's ``GridSearchCV`` inside ``cross_val_score``; the folds and
  the grid of 8 x 8 candidates are the same
- ollawv: ``OLLAWV`` with its default margin against scikit-learn's exact SVC

Both sides get the same samples, C, gamma and tol, and two threads or jobs where they can use them
(scikit-learn's SVC cannot). Each package runs in its own process. The contestants of a row
alternate, and the best of three runs counts. A contestant that takes more than 20 s, or a peer
that takes twice as long as the other one, runs once. As many runs of ours count as of the peer
that it is compared with. Accuracies are those of held-out samples.

    python benches/compare/readme.py                about 10 minutes on two cores
    python benches/compare/readme.py --quick        tiny sizes to check the script; the numbers
                                                    mean nothing and go to a temporary file
    python benches/chart.py                         draw the result

The data sets come from ``SOFTMARGIN_DATA``. If one of them is not found, digits and generated sets
replace them all. scikit-learn-intelex is optional. The file records what was used.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import importlib.util
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import softmargin
from harness import machine, parser, version
from readme_tasks import INTELEX, N_TEST, OURS, SKLEARN, run
from worker import TaskError, Worker

OUTPUT = Path(__file__).resolve().parents[1] / "results" / "readme.json"
LONG = 20.0  # seconds after which a run is not repeated
LIMIT = 240.0  # seconds after which a run is ended, and its contestant left out of the row

GRID = {
    "C": [4.0**power for power in range(-2, 6)],
    "gamma": [4.0**power for power in range(-5, 3)],
}
QUICK_GRID = {"C": [1.0, 4.0], "gamma": [0.25, 1.0]}
QUICK_SIZE = 400


class Fit(NamedTuple):
    """A data set to fit with its C and gamma; ``n`` of its training samples, or all."""

    data: str
    C: float
    gamma: float
    n: int | None = None
    with_ollawv: bool = False


class Search(NamedTuple):
    """A search on a data set: "nested", or "grid" with the scaler of its pipeline."""

    data: str
    kind: str
    scaler: str = "MinMaxScaler"


FITS = [
    Fit("pendigits", 16, 4, with_ollawv=True),
    Fit("letter", 16, 4, with_ollawv=True),
    Fit("usps", 4, 1 / 64),
    Fit("mnist", 4, 1 / 64, 10_000),
    Fit("shuttle", 64, 16, with_ollawv=True),
    Fit("ijcnn1", 16, 1, 20_000, with_ollawv=True),
    Fit("covtype", 16, 4, 10_000),
    Fit("adult", 1, 1 / 16, with_ollawv=True),
]
SEARCHES = [
    Search("sonar", "nested"),
    Search("prokaryotic", "nested"),
    Search("eukaryotic", "nested"),
    Search("eukaryotic", "grid"),
    Search("satimage", "grid"),
    Search("satimage", "grid", "StandardScaler"),
]

# For machines that lack one of these data sets.
BUNDLED_FITS = [
    Fit("digits", 4, 1 / 4, with_ollawv=True),
    Fit("generated, 2 classes", 4, 1, with_ollawv=True),
    Fit("generated, 20 classes", 4, 1, with_ollawv=True),
    Fit("generated, sparse", 4, 1 / 8, with_ollawv=True),
]
BUNDLED_SEARCHES = [
    Search("wine", "nested"),
    Search("breast_cancer", "nested"),
    Search("digits", "grid"),
    Search("digits", "grid", "StandardScaler"),
]


class Times(NamedTuple):
    """The runs of a contestant, in their order, and the rest of its first result."""

    seconds: list[float]
    first: dict[str, Any]


class Bench:
    """Measures rows with one process for each package."""

    def __init__(self, arguments: argparse.Namespace, is_bundled: bool) -> None:
        self.repeats = 1 if arguments.quick else arguments.repeats
        self.size = QUICK_SIZE if arguments.quick else None
        self.common = {
            "threads": arguments.n_jobs,
            "is_bundled": is_bundled,
            "grid": QUICK_GRID if arguments.quick else GRID,
            "folds": 2 if arguments.quick else 5,
        }
        packages = [OURS, SKLEARN]
        if importlib.util.find_spec("sklearnex"):
            packages.append(INTELEX)
        self.workers = {package: Worker(package, run) for package in packages}
        self.left_out: list[str] = []

    def close(self) -> None:
        """End all processes."""
        for worker in self.workers.values():
            worker.close()

    def fits(self, fits: Iterable[Fit]) -> dict[str, list[dict[str, Any]]]:
        """Return the rows of SVC and of OLLAWV."""
        panels: dict[str, list[dict[str, Any]]] = {"svc": [], "ollawv": []}
        for fit in fits:
            task = {"kind": "fit", "data": fit.data, "C": fit.C, "gamma": fit.gamma}
            task["n"] = fit.n if self.size is None else min(self.size, fit.n or self.size)
            contestants = {"SVC": (OURS, {"method": "SVC"})}
            if fit.with_ollawv:
                contestants["OLLAWV"] = (OURS, {"method": "OLLAWV"})
            contestants |= {name: (name, {}) for name in self.workers if name != OURS}
            times = self.alternate(task, contestants)
            subset = "" if task["n"] is None else f" {shortened(task['n'])}"
            name = "adult, sparse" if fit.data == "adult" else fit.data + subset
            about = f"C={fit.C:g}, gamma={fit.gamma:g}"
            peers = {peer: times[peer] for peer in self.workers if peer in times}
            panels["svc"] += row(name, times.get("SVC"), peers, about)
            exact = {peer: own for peer, own in peers.items() if peer == SKLEARN}
            panels["ollawv"] += row(name, times.get("OLLAWV"), exact, about)
        return panels

    def searches(self, searches: Iterable[Search]) -> list[dict[str, Any]]:
        """Return the rows of grid searches and nested cross-validation."""
        rows = []
        for search in searches:
            task = search._asdict() | {"n": self.size}
            times = self.alternate(task, {OURS: (OURS, {}), SKLEARN: (SKLEARN, {})})
            kind = "nested CV" if search.kind == "nested" else "grid"
            if search.scaler == "StandardScaler":
                kind = "standardized"
            name = f"{search.data.replace('breast_', '')}, {kind}"
            peers = {peer: own for peer, own in times.items() if peer == SKLEARN}
            rows += row(name, times.get(OURS), peers, "")
        return rows

    def alternate(
        self, task: Mapping[str, Any], contestants: Mapping[str, tuple[str, dict[str, Any]]]
    ) -> dict[str, Times]:
        """Return the times of all contestants that finish, one run of each after the other."""
        times: dict[str, Times] = {}
        for repeat in range(self.repeats):
            chosen = set(contestants) if repeat == 0 else worth_repeating(times)
            for name, (package, own) in contestants.items():
                if name not in chosen:
                    continue
                whole = {**self.common, **task, **own, "needs_accuracy": repeat == 0}
                try:
                    found = self.workers[package].do(whole, LIMIT)
                except TaskError as error:
                    times.pop(name, None)
                    self.left_out.append(f"{task['data']}, {task['kind']}, {name}: {error}")
                    print(f"    left out: {self.left_out[-1]}", flush=True)
                    continue
                seconds = found.pop("seconds")
                times.setdefault(name, Times([], found)).seconds.append(seconds)
                print(f"    {task['data']}, {task['kind']}, {name}: {seconds:.3f} s", flush=True)
        return times


def worth_repeating(times: Mapping[str, Times]) -> set[str]:
    """Return the contestants whose next run may change a row."""
    first = {name: own.seconds[0] for name, own in times.items()}
    peers = {name: seconds for name, seconds in first.items() if name in (SKLEARN, INTELEX)}
    quick = {name for name, seconds in first.items() if seconds <= LONG}
    # scikit-learn is the peer of OLLAWV, whether or not it is the faster one.
    useful = {
        peer for peer, own in peers.items() if peer == SKLEARN or own <= 2 * min(peers.values())
    }
    return quick - (peers.keys() - useful) if quick & useful else set()


def row(
    name: str, ours: Times | None, peers: Mapping[str, Times], about: str
) -> list[dict[str, Any]]:
    """Return the row of a panel against the fastest peer; none if a side is missing."""
    if ours is None or not peers:
        return []
    peer = min(peers, key=lambda peer: min(peers[peer].seconds))
    # As many runs on both sides.
    n_runs = min(len(ours.seconds), len(peers[peer].seconds))
    notes = [ours.first["note"], about, f"best of {n_runs} run{'s' if n_runs > 1 else ''}"]
    notes += [f"{other} {min(own.seconds):.3g} s" for other, own in peers.items() if other != peer]
    found = {
        "name": name,
        "ours_seconds": min(ours.seconds[:n_runs]),
        "peer_seconds": min(peers[peer].seconds[:n_runs]),
        "peer": peer,
        "note": "; ".join(note for note in notes if note),
        "accuracy_ours": ours.first.get("accuracy"),
        "accuracy_peer": peers[peer].first.get("accuracy"),
    }
    ratio = found["peer_seconds"] / found["ours_seconds"]
    print(f"{name}: speed-up {ratio:.2f} over {peer}; {found['note']}", flush=True)
    return [found]


def shortened(n: int) -> str:
    """Return a number of samples in a few characters."""
    return f"{n // 1000}k" if n % 1000 == 0 else str(n)


def missing_sets(names: Iterable[str]) -> list[str]:
    """Return the data sets that are not found."""
    missing = []
    for name in dict.fromkeys(names):
        try:
            softmargin.datasets.load(name)
        except softmargin.datasets.DatasetNotFound:
            missing.append(name)
    return missing


def measured(arguments: argparse.Namespace) -> dict[str, Any]:
    """Measure all panels, and return the document."""
    fits, searches = FITS, SEARCHES
    missing = missing_sets(part.data for part in (*FITS, *SEARCHES))
    data = "SOFTMARGIN_DATA and installed packages"
    if missing:
        fits, searches = BUNDLED_FITS, BUNDLED_SEARCHES
        data = f"scikit-learn's own and generated data sets; not found: {', '.join(missing)}"
        print(f"Data: {data}\n", flush=True)
    with contextlib.closing(Bench(arguments, bool(missing))) as bench:
        panels: dict[str, Sequence[Any]] = {"search": bench.searches(searches)}
        panels |= bench.fits(fits)
    return {
        "version": 1,
        "machine": machine(),
        "settings": {
            "threads": arguments.n_jobs,
            "repeats": bench.repeats,
            "dtype": "float64",
            **{package: version(package) for package in (OURS, SKLEARN, INTELEX, "numpy")},
            "data": data,
            "held_out": f"test part or a quarter of the samples, at most {N_TEST:,}",
            "date": datetime.date.today().isoformat(),
            "left_out": bench.left_out,
            "quick": arguments.quick,
        },
        "panels": {name: panels[name] for name in ("svc", "search", "ollawv")},
    }


def main() -> None:
    options = parser(__doc__)
    options.set_defaults(json=None)
    options.add_argument("--quick", action="store_true", help="tiny sizes, to check the script")
    arguments = options.parse_args()
    target = OUTPUT
    if arguments.quick:
        target = Path(tempfile.gettempdir()) / "readme-quick.json"
    target = Path(arguments.json or target)
    text = json.dumps(measured(arguments), indent=2) + "\n"
    target.write_text(text, encoding="utf-8")
    print(f"\nwrote {target}")


if __name__ == "__main__":
    main()
