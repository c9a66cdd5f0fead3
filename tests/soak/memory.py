"""A thousand fits and predictions of mixed methods, after which no memory is missing.

What is resident is measured after the garbage collection and ``malloc_trim``. BOUND is less
than what a leak of one copy of the rows would cost that only one of the kinds of work has: the
smallest copy has 48,000 bytes, and of 1,000 calls at least 40 are of each kind. It is more than
what the allocator moves around, which does not grow with the number of calls.

Then each method alone: a hundred fits, whose growth is less than half of what they would lose with
one copy of their rows each.
"""

import contextlib
import pickle
import tempfile
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import softmargin
from soak.resident import resident
from soak.tables import end, show
from softmargin._estimators.methods import class_of

BOUND = 1_500_000
WARM_UP = 500


class Work:
    """Fits, each followed by predictions, and calls that fail; at random, from a seed."""

    def __init__(self, folder, seed=0):
        self._rng = np.random.default_rng(seed)
        self._folder = folder
        X = self._rng.normal(size=(300, 40))
        self._X = np.where(X < 0, 0, X)
        outputs = X[:, 0] + X[:, 1] ** 2
        self._y = np.digitize(outputs, np.quantile(outputs, [1 / 3, 2 / 3]))
        self._text = folder / "rows.svm"
        softmargin.dump_libsvm(self._X, self._y, self._text)
        methods = [(self._fit, method) for method in softmargin.methods()]
        self._kinds = [
            *methods,
            *((work,) for work in (self._search, self._select, self._scale, self._gram)),
            *((work,) for work in (self._stream, self._read, self._path)),
        ]

    def step(self, number):
        """Do the next work, and let a call fail."""
        work, *arguments = self._kinds[number % len(self._kinds)]
        work(*arguments)
        self._fail()

    def _rows(self):
        """Return the rows as an array or sparse, in one of two precisions."""
        X = self._X.astype(self._rng.choice(["float32", "float64"]))
        return sp.csr_matrix(X) if self._rng.random() < 0.5 else X

    def _params(self, method):
        params = {
            "n_jobs": int(self._rng.choice([1, 2, 4])),
            "multi_class": str(self._rng.choice(["ovo", "ovr", "ordinal"])),
        }
        known = class_of(method)().get_params()
        return {name: value for name, value in params.items() if name in known}

    def _fit(self, method):
        X = self._rows()
        model = softmargin.fit(X, self._y, method, **self._params(method))
        model.predict(X)
        getattr(model, "decision_function", model.predict)(X)
        model.fit(X, self._y)
        getattr(model, "support_vectors_", None)
        path = self._folder / "model.softmargin"
        model.save(path)
        softmargin.load(path).predict(X)
        pickle.loads(pickle.dumps(model)).predict(X)

    def _search(self):
        X, grid = self._rows(), {"C": [1.0, 4.0], "gamma": [0.1, 1.0]}
        n_jobs = int(self._rng.choice([1, 2, 4]))
        softmargin.GridSearchCV(softmargin.SVC(), grid, cv=3, n_jobs=n_jobs).fit(
            X, self._y
        ).predict(X)

    def _select(self):
        X, method = self._rows(), str(self._rng.choice(softmargin.methods()))
        grid = {"margin" if method == "ollawv" else "C": [0.1, 1.0]}
        if method in ("sgd", "gd"):
            grid = {"lambda_": [0.01, 0.1]}
        if method in ("nu-svc", "one-class"):
            grid = {"nu": [0.1, 0.5]}
        folds = {"outer": 2, "inner": 2, "random_state": 0}
        y = self._y
        if method == "one-class":
            y, folds["scoring"] = np.where(y == 0, -1, 1), "accuracy"
        checkpoint = self._folder / "run.npz"
        n_jobs = int(self._rng.choice([1, 2, 4]))
        options = {"grid": grid, "n_jobs": n_jobs, "checkpoint": checkpoint, **folds}
        softmargin.nested_cv(X, y, method, **options)
        checkpoint.unlink()

    def _scale(self):
        X = self._rows()
        softmargin.OLLAWV().fit(softmargin.MinMaxScaler().fit_transform(X), self._y).predict(X)

    def _gram(self):
        K = softmargin.kernel_matrix(self._rows(), n_jobs=int(self._rng.choice([1, 2, 4])))
        softmargin.SVC(kernel="precomputed").fit(K, self._y).predict(K)

    def _stream(self):
        X, model = self._rows(), softmargin.SGDSVC(n_jobs=2)
        for part in (slice(0, 100), slice(100, 300)):
            model.partial_fit(X[part], self._y[part], classes=[0, 1, 2])
        model.predict(X)
        model.fit_blocks(softmargin.LibsvmBlocks(self._text, block_rows=100)).predict(X)

    def _read(self):
        X, y = softmargin.load_libsvm(self._text)
        softmargin.NLSGD(n_jobs=2).fit(X, y).predict(X)

    def _path(self):
        X = self._rows()
        for model in softmargin.OLLAWV(n_jobs=2).margin_path(X, self._y, [0.1, 0.5]):
            model.predict(X)

    def _fail(self):
        """Make a call that must raise, some before and some inside the core."""
        X, model = self._X.copy(), softmargin.fit(self._X[:50], self._y[:50], "svc")
        X[7, 3] = self._rng.choice([np.nan, np.inf])
        failing = (
            lambda: model.fit(X, self._y),
            lambda: softmargin.SVC(gamma=-1.0).fit(self._X, self._y),
            lambda: model.predict(self._X[:, :5]),
            lambda: softmargin._core.inject_panic(2),
            lambda: softmargin.load(self._text),
        )
        try:
            failing[int(self._rng.integers(len(failing)))]()
        except (ValueError, RuntimeError):
            return
        raise AssertionError("a call with bad input did not fail")


def measure(count, warm_up=WARM_UP, leak=0):
    """Return what was resident after the warm-up, and then ten times in ``count`` steps.

    ``leak`` bytes are lost at each step, to see whether that is noticed.
    """
    lost = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        work = Work(Path(folder))
        for number in range(warm_up):
            work.step(number)
        found = [resident()]
        for number in range(count):
            work.step(number)
            lost.append(b"x" * (leak + number % 2))
            if (number + 1) * 10 // count > number * 10 // count:
                found.append(resident())
    return found


# Steps that are enough for few rows of many features.
_SHORT = {"gd": {"max_iter": 20}, "linear": {"max_iter": 50}, "sgd": {"epochs": 2}}


def measure_one(method, count=100, leak=0):
    """Return how memory grew in ``count`` fits of a method, and the growth that is allowed.

    Each is followed by predictions and by a fit that fails. Each loses ``leak`` copies of the
    rows, to see whether that is noticed.
    """
    rng = np.random.default_rng(0)
    X, lost = rng.normal(size=(100, 500)), []
    y = (X[:, 0] + rng.normal(size=100) > 0).astype(int)
    bad = X.copy()
    bad[7, 3] = np.nan

    def work():
        model = softmargin.fit(X, y, method, n_jobs=2, **_SHORT.get(method, {}))
        model.predict(X)
        with contextlib.suppress(ValueError):
            model.fit(bad, y)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(20):
            work()
        before = resident()
        for _ in range(count):
            work()
            lost += [X.copy() for _ in range(leak)]
        return resident() - before, count * X.nbytes // 2


def main(count=1000):
    """Show how memory went; return the exit code."""
    found = measure(count)
    lines = [(place * count // 10, bytes_, bytes_ - found[0]) for place, bytes_ in enumerate(found)]
    show(f"{count:,} fits with predictions", ("steps", "resident, bytes", "growth"), lines)
    grown = found[-1] - found[0]
    print(f"growth {grown:,} bytes, {grown / count:,.0f} a step; bound {BOUND:,}")
    faults = [f"memory grew by {grown:,} bytes"] if grown > BOUND else []
    alone = [(method, *measure_one(method)) for method in softmargin.methods()]
    show("100 fits of a method alone", ("method", "growth, bytes", "bound"), alone)
    faults += [
        f"{method}: memory grew by {own:,} bytes" for method, own, most in alone if own > most
    ]
    return end("memory", faults)
