"""Calls under limits of memory (RLIMIT_AS) that make allocations fail at many places.

A forked child makes each call with more and more room. The call must succeed or raise a
MemoryError and leave its estimator as it was; with the limit gone a small call must give
the right bits.
"""

import pickle
import resource
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

from soak.calls import all_calls, same
from soak.children import ChildError, in_a_child
from soak.resident import address_space, forget_peak, give_back_at_once, resident, status
from soak.tables import end, show

# Room for not even the stack of a thread, and what the core wants to have left before it starts.
LEAST, ROOM = 2**16, 65 * 2**20
# Threads that the system does not start are a RuntimeError, as in Python itself.
ENDS = ("done", "MemoryError", "no threads")


def need(call, n_jobs):
    """Return how many bytes a call adds to what is resident."""

    def work():
        before = resident()
        forget_peak()
        call.run(_model(call, n_jobs), n_jobs, call.large)
        return status("VmHWM") - before

    return in_a_child(work)


def _model(call, n_jobs):
    model = call.models[-1]
    return None if model is None else model.set_params(n_jobs=n_jobs)


def under_a_limit(call, n_jobs, room, is_warm, reference):
    """Make a call with ``room`` bytes left, with threads that have started or not."""

    def work():
        model = _model(call, n_jobs)
        state = pickle.dumps(model)
        if is_warm:
            call.run(pickle.loads(state), n_jobs, call.small)
        fault = ""
        limit = address_space() + room
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        try:
            call.run(model, n_jobs, call.large)
            ended = "done"
        except MemoryError:
            ended = "MemoryError"
        except RuntimeError as error:
            ended = "no threads" if "cannot start" in str(error) else repr(error)
        except Exception as error:
            ended = repr(error)
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
        if ended not in ENDS:
            fault = f"raised {ended}"
        if ended != "done" and pickle.dumps(model) != state:
            fault += " the estimator is not what it was"
        if not same(call.run(pickle.loads(state), n_jobs, call.small), reference):
            fault += " other bits of the next call"
        return ended, fault

    try:
        return in_a_child(work)
    except ChildError as death:
        return "died", str(death)


def limits(most, count):
    """Return limits, a quarter with which nothing starts, the others up to twice the need."""
    few = -(-count // 4)
    some = ROOM + np.linspace(0, 2 * most + 2**20, count - few)
    return [*np.geomspace(LEAST, ROOM, few, endpoint=False), *some]


def sweep(name, call, count, threads):
    """Make a call under ``count`` limits, on these numbers of threads, and return what they did."""
    reference = call.run(pickle.loads(pickle.dumps(call.models[-1])), 1, call.small)
    found, faults = Counter(), []
    for n_jobs in threads:
        most = need(call, n_jobs)
        for number, room in enumerate(limits(most, count)):
            ended, fault = under_a_limit(call, n_jobs, int(room), number % 2 == 0, reference)
            found[ended] += 1
            if fault:
                faults.append(f"{name}, {n_jobs} threads, {int(room):,} bytes: {fault}")
    return (name, most / 1e6, *(found[ended] for ended in ENDS), len(faults)), faults


def measure(count, share, threads=(1, 2)):
    """Return a line for each call, and all faults."""
    give_back_at_once()
    lines, faults = [], []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, call in all_calls(Path(folder), share).items():
            line, wrong = sweep(name, call, count, threads)
            lines.append(line)
            faults += wrong
    return lines, faults


def main(count=20):
    """Sweep limits over all calls; return the exit code."""
    lines, faults = measure(count, share=0.3)
    heads = ("call", "needs, MB", *ENDS, "faults")
    show(f"{count} limits on one and on two threads", heads, lines)
    return end("limits", faults)
