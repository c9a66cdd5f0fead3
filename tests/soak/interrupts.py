"""Ctrl-C at random moments of all kinds of calls.

Each time the call is interrupted, or has its right result; estimators are what they were,
files are whole, nothing goes on working, and the next call gives the same bits as ever.
"""

import contextlib
import functools
import hashlib
import os
import pickle
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from soak.calls import all_calls, machines, same
from soak.ctrl_c import CtrlC
from soak.long_calls import long_calls
from soak.tables import end, show

# Seconds within which Ctrl-C returns (case 79), by the clock and by the CPU time of a thread;
# the clock alone may show as much again, because other programs want the machine, too.
LONGEST = 1.0
# A signal this shortly before the end of a call may not reach it any more.
TOO_LATE = 0.1
# Signals that a long run sends.
LEAST = 200


class Trial(NamedTuple):
    """What one interrupt did."""

    kind: str
    n_jobs: int
    # "interrupt", "part" of a result, "before" the signal it was finished.
    ended: str
    delay: float
    cpu: float
    faults: list


class Kind:
    """One kind of call, with what is known of it before it is interrupted."""

    def __init__(self, name, call, folder):
        self.name, self.call, self.folder = name, call, folder
        self.large = None
        # What an undisturbed call leaves in the files of the folder.
        self.files = {}
        self.small = self._undisturbed(1, call.small)

    def _undisturbed(self, n_jobs, data):
        model = self._model(0, n_jobs)
        with _kept(model):
            return self.call.run(model, n_jobs, data)

    def _model(self, number, n_jobs):
        model = self.call.models[number % len(self.call.models)]
        return None if model is None else model.set_params(n_jobs=n_jobs)

    def measure(self, n_jobs):
        """Run without a signal: return the seconds, and what is wrong with the result."""
        start = time.monotonic()
        result = self._undisturbed(n_jobs, self.call.large)
        seconds = time.monotonic() - start
        self.large = self.large or result
        self.files = self.files or contents(self.folder)
        return seconds, [] if same(result, self.large) else ["other bits without a signal"]

    def interrupt(self, number, n_jobs, seconds, ctrl_c):
        """Run, interrupted after some seconds."""
        model = self._model(number, n_jobs)
        files, state = contents(self.folder), pickle.dumps(model)
        with _kept(model):
            call = lambda: self.call.run(model, n_jobs, self.call.large)  # noqa: E731
            result, raised, delay, cpu = ctrl_c.during(call, seconds)
            ended, faults = self._ending(result, raised, delay, cpu, n_jobs)
            if raised is not None and pickle.dumps(model) != state:
                faults += self._changed(model)
        faults += self._torn(files)
        if not _is_idle():
            faults.append("threads go on working")
        faults += self._afterwards(ended, n_jobs, files)
        faults = [f"{self.name}, {n_jobs} threads, {seconds:.3f} s: {fault}" for fault in faults]
        return Trial(self.name, n_jobs, ended, delay or 0.0, cpu or 0.0, faults)

    def _ending(self, result, raised, delay, cpu, n_jobs):
        """Return how a call ended, and what is wrong with that."""
        faults = []
        if delay is not None and (delay > 2 * LONGEST or min(delay, cpu / n_jobs) > LONGEST):
            faults.append(f"control after {delay:.2f} s, {cpu:.2f} s of CPU")
        if raised is not None:
            if not isinstance(raised, KeyboardInterrupt) or delay is None:
                faults.append(f"raised {raised!r}")
            return "interrupt", faults
        if self.large is not None and not same(result, self.large):
            faults.append("other bits")
        if not result.get("complete", True):
            return "part", faults
        if delay is not None and delay > TOO_LATE:
            faults.append(f"finished {delay:.2f} s after a signal that it did not hear")
        return "before", faults

    def _changed(self, model):
        """Return what is wrong with a model that is not what it was: nothing if it is done.

        A signal may come between the end of a call and the caller. A search keeps the candidates
        that were evaluated on all splits, without a fitted estimator.
        """
        results = getattr(model, "cv_results_", None)
        if results is not None and not hasattr(model, "best_estimator_"):
            return [] if np.isfinite(results["mean_test_score"]).all() else ["scores are missing"]
        with contextlib.suppress(AttributeError):  # not even fitted
            if self.large is not None and same(machines(model), self.large):
                return []
        return ["the estimator is neither what it was nor done"]

    def _torn(self, before):
        """Return which files are neither what they were nor what the call makes of them.

        Files that come and go, such as a checkpoint, are looked at when the next call is done.
        """
        now, done = contents(self.folder), self.files
        return [
            f"{name} is neither what it was nor done"
            for name in sorted(before.keys() | done.keys())
            if now.get(name) not in (before.get(name), done.get(name, before.get(name)))
        ]

    def _afterwards(self, ended, n_jobs, files):
        """Return what is wrong with files and with the next calls."""
        faults = []
        try:
            if self.call.goes_on and ended != "before":
                result = self._undisturbed(n_jobs, self.call.large)
                faults += [] if same(result, self.large) else ["went on to other bits"]
            if not same(self._undisturbed(n_jobs, self.call.small), self.small):
                faults.append("other bits of the next call")
        except Exception as error:
            faults.append(f"the next call raised {error!r}")
        left = {path.name for path in self.folder.iterdir()} - files.keys()
        return faults + [f"left {name}" for name in sorted(left)]


def contents(folder):
    """Return digests of the files of a folder, by name."""
    found = {}
    for path in folder.iterdir():
        stat = path.stat()
        found[path.name] = _digest(path, stat.st_ino, stat.st_size, stat.st_mtime_ns)
    return found


@functools.lru_cache
def _digest(path, *_):
    """Return the digest of a file, which is read once for each state of it."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextlib.contextmanager
def _kept(model):
    """Bring an estimator back to what it was."""
    before = {} if model is None else dict(vars(model))
    try:
        yield
    finally:
        if model is not None:
            vars(model).clear()
            vars(model).update(before)


def _is_idle():
    """Tell whether this process comes to rest at once."""
    for _ in range(20):
        before = time.process_time()
        time.sleep(0.03)
        if time.process_time() - before < 0.01:
            return True
    return False


def interrupt_all(calls, each, folder, seed=0):
    """Interrupt each call ``each`` times on one and on two threads, spread over its length.

    One that was always finished before is tried some times more, earlier.
    """
    rng = np.random.default_rng(seed)
    trials, faults = [], []
    with CtrlC() as ctrl_c:
        for name, call in calls.items():
            kind, own, wrong = Kind(name, call, folder), [], []
            for n_jobs in (1, 2):
                length, more = kind.measure(n_jobs)
                wrong += more
                for number in range(each):
                    seconds = length * (number + 0.1 + 0.6 * rng.random()) / each
                    own.append(kind.interrupt(number, n_jobs, seconds, ctrl_c))
            for number in range(4):
                if all(trial.ended == "before" for trial in own):
                    own.append(kind.interrupt(number, 2, length / 4 / 2**number, ctrl_c))
            trials += own
            faults += [f"{name}: {fault}" for fault in wrong + kind.measure(2)[1]]
    return trials, faults


def interrupt_long(calls, each, folder, seed=1):
    """Interrupt calls that nobody waits for until they end, within two seconds."""
    rng = np.random.default_rng(seed)
    with CtrlC() as ctrl_c:
        return [
            kind.interrupt(number, n_jobs, 2 * (number + rng.random()) / each, ctrl_c)
            for kind in (Kind(name, call, folder) for name, call in calls.items())
            for n_jobs in (1, 2)
            for number in range(each)
        ]


def summary(trials):
    """Return a line for each kind of call."""
    lines = []
    for name in dict.fromkeys(trial.kind for trial in trials):
        own = [trial for trial in trials if trial.kind == name]
        ended = Counter(trial.ended for trial in own)
        delay, cpu = (max(getattr(trial, what) for trial in own) for what in ("delay", "cpu"))
        lines.append((name, ended["interrupt"], ended["part"], ended["before"], delay, cpu))
    return lines


@contextlib.contextmanager
def _silence(faults):
    """Add what is said on stderr to the faults: there is nothing to say."""
    with tempfile.TemporaryFile() as stream:
        kept = os.dup(2)
        os.dup2(stream.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        stream.seek(0)
        if said := stream.read().decode(errors="replace"):
            faults.append(f"stderr: {said[:2000]}")


def measure(each, share=1.0, each_long=0, training=None):
    """Return all trials of all calls, and all faults."""
    faults = []
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(name)
        with _silence(faults):
            trials, wrong = interrupt_all(all_calls(folder, share, training), each, folder)
            if each_long:
                trials += interrupt_long(long_calls(), each_long, folder)
    return trials, faults + wrong + [fault for trial in trials for fault in trial.faults]


def main():
    """Interrupt everything; return the exit code."""
    trials, faults = measure(each=5, each_long=3)
    heads = ("call", "interrupted", "part", "finished", "longest, s", "longest CPU, s")
    show("Ctrl-C on one and on two threads", heads, summary(trials))
    sent = [trial for trial in trials if trial.ended != "before"]
    worst = max(sent, key=lambda trial: trial.delay)
    print(f"{len(sent)} signals; the longest delay {worst.delay:.3f} s in {worst.kind}")
    if len(sent) < LEAST:
        faults.append(f"{len(sent)} signals, {LEAST} wanted")
    return end("interrupts", faults)
