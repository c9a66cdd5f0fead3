"""Ctrl-C at random moments of all kinds of calls.

Each time the call is interrupted, or has its right result; estimators are what they were,
files are whole, nothing goes on working, and the next call gives the same bits as ever.
"""

import contextlib
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
        return seconds, [] if same(result, self.large) else ["other bits without a signal"]

    def interrupt(self, number, n_jobs, seconds, ctrl_c):
        """Run, interrupted after some seconds."""
        model = self._model(number, n_jobs)
        files, state = set(self.folder.iterdir()), pickle.dumps(model)
        with _kept(model):
            call = lambda: self.call.run(model, n_jobs, self.call.large)  # noqa: E731
            result, raised, delay, cpu = ctrl_c.during(call, seconds)
            ended, faults = self._ending(result, raised, delay, cpu, n_jobs)
            if raised is not None and pickle.dumps(model) != state:
                faults += self._changed(model)
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

        A signal may come between the end of a call and the caller.
        """
        with contextlib.suppress(AttributeError):  # not even fitted
            if self.large is not None and same(machines(model), self.large):
                return []
        return ["the estimator is neither what it was nor done"]

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
        left = {path.name for path in self.folder.iterdir()} - {path.name for path in files}
        return faults + [f"left {name}" for name in sorted(left)]


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
    """Interrupt each call ``each`` times on one and on two threads, spread over its length."""
    rng = np.random.default_rng(seed)
    trials, faults = [], []
    with CtrlC() as ctrl_c:
        for name, call in calls.items():
            kind = Kind(name, call, folder)
            for n_jobs in (1, 2):
                length, wrong = kind.measure(n_jobs)
                for number in range(each):
                    seconds = length * (number + rng.random()) / each
                    trials.append(kind.interrupt(number, n_jobs, seconds, ctrl_c))
                faults += [f"{name}: {fault}" for fault in wrong + kind.measure(n_jobs)[1]]
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
def _silence(folder, faults):
    """Add what is said on stderr to the faults: there is nothing to say."""
    kept, path = os.dup(2), folder / "stderr"
    with path.open("wb") as stream:
        os.dup2(stream.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
    if said := path.read_text(errors="replace"):
        faults.append(f"stderr: {said[:500]}")


def measure(each, share=1.0, each_long=0):
    """Return all trials of all calls, and all faults."""
    faults = []
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(name)
        with _silence(folder, faults):
            trials, wrong = interrupt_all(all_calls(folder, share), each, folder)
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
