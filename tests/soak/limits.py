"""Calls under limits of memory (RLIMIT_AS) that make allocations fail at many places.

A forked child makes each call with more and more room. The call must succeed or raise a
MemoryError and leave its estimator as it was; what was done has the bits of a call without a
limit, and with the limit gone a small call must give the right bits.
"""

import hashlib
import pickle
import resource
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

import softmargin
from soak.calls import Call, all_calls, machines, rows, same
from soak.children import ChildError, in_a_child
from soak.resident import address_space, forget_peak, give_back_at_once, resident, status
from soak.tables import end, show

# Room for not even the stack of a thread.
LEAST = 2**16
# Threads that the system does not start are a RuntimeError, as in Python itself.
ENDS = ("done", "MemoryError", "no threads")
# What the core says where it does not even start.
AT_THE_DOOR = "small buffers"


def room_for(n_jobs):
    """Return what the core wants to have left before it starts so many threads."""
    return (65 + 8 * n_jobs) * 2**20


def need(call, n_jobs):
    """Return how many bytes a call adds to what is resident, and the digest of its result."""

    def work():
        before = resident()
        forget_peak()
        result = call.run(_model(call, n_jobs), n_jobs, call.large)
        return status("VmHWM") - before, digest(result)

    return in_a_child(work)


def _model(call, n_jobs):
    model = call.models[-1]
    return None if model is None else model.set_params(n_jobs=n_jobs)


def digest(result):
    """Return the digest of all arrays of a result."""
    found = hashlib.sha256()
    for name, value in sorted(result.items()):
        array = np.ascontiguousarray(value)
        found.update(f"{name} {array.dtype} {array.shape}".encode())
        found.update(array.tobytes())
    return found.hexdigest()


def under_a_limit(call, n_jobs, room, is_warm, reference, done=None):
    """Make a call with ``room`` bytes left, with threads that have started or not.

    Return how it ended, what is wrong with that, and the words of a MemoryError. ``reference`` is
    the small result, ``done`` the digest of the large one, if it is known.
    """

    def work():
        model = _model(call, n_jobs)
        state = pickle.dumps(model)
        if is_warm:
            call.run(pickle.loads(state), n_jobs, call.small)
        fault = said = ""
        limit = address_space() + room
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        try:
            result = call.run(model, n_jobs, call.large)
            ended = "done"
        except MemoryError as error:
            ended, said = "MemoryError", str(error)
        except RuntimeError as error:
            ended = "no threads" if "cannot start" in str(error) else repr(error)
        except Exception as error:
            ended = repr(error)
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
        if ended not in ENDS:
            fault = f"raised {ended}"
        if ended == "done" and done is not None and digest(result) != done:
            fault = "other bits than without a limit"
        if ended != "done" and pickle.dumps(model) != state:
            fault += " the estimator is not what it was"
        if not same(call.run(pickle.loads(state), n_jobs, call.small), reference):
            fault += " other bits of the next call"
        return ended, fault, said

    try:
        return in_a_child(work)
    except ChildError as death:
        return "died", str(death), ""


def limits(most, count, n_jobs):
    """Return limits, a quarter with which nothing starts, the others up to twice the need."""
    few, least = -(-count // 4), room_for(n_jobs)
    some = least + np.linspace(0, 2 * most + 2**20, count - few)
    return [*np.geomspace(LEAST, least, few, endpoint=False), *some]


def sweep(name, call, count, threads):
    """Make a call under ``count`` limits, on these numbers of threads, and return what they did."""
    reference = call.run(pickle.loads(pickle.dumps(call.models[-1])), 1, call.small)
    found, faults = Counter(), []
    for n_jobs in threads:
        most, done = need(call, n_jobs)
        for number, room in enumerate(limits(most, count, n_jobs)):
            is_warm = number % 2 == 0
            ended, fault, _ = under_a_limit(call, n_jobs, int(room), is_warm, reference, done)
            found[ended] += 1
            if fault:
                faults.append(f"{name}, {n_jobs} threads, {int(room):,} bytes: {fault}")
    return (name, most / 1e6, *(found[ended] for ended in ENDS), len(faults)), faults


def measure(count, share, threads=(1, 2), part=(0, 1)):
    """Return a line for each call, or for one of some equal parts of them, and all faults."""
    give_back_at_once()
    lines, faults = [], []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first, step = part
        for name, call in list(all_calls(Path(folder), share).items())[first::step]:
            line, wrong = sweep(name, call, count, threads)
            lines.append(line)
            faults += wrong
    return lines, faults


# A few steps of each method, for more rows than there is place for.
_FEW_STEPS = {
    "nlsgd": {"epochs": 1, "time_limit": 1.0, "random_state": 0},
    "ollawv": {"max_sv_fraction": 1e-5},
    "sgd": {"epochs": 1, "random_state": 0},
}


def refusal_inside(method, n=100_000):
    """Return with which words the core breaks off a fit that it has started, and all faults.

    The room grows until there is enough to start; "" if it was then done.
    """
    small, faults = rows(60), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        give_back_at_once()
        model = softmargin.fit(*small, method, **_FEW_STEPS.get(method, {"max_iter": 1}))
        call = Call(lambda model, _, data: machines(model.fit(*data)), rows(n), small, (model,))
        reference = call.run(pickle.loads(pickle.dumps(model)), 1, small)
        for room in room_for(2) + 2**18 * 2 ** np.arange(8):
            _, fault, said = under_a_limit(call, 2, int(room), True, reference)
            faults += [f"{method}, {int(room):,} bytes: {fault}"] if fault else []
            if AT_THE_DOOR not in said:
                return said, faults
    return "", faults


def main(count=20):
    """Sweep limits over all calls; return the exit code."""
    lines, faults = measure(count, share=0.3)
    heads = ("call", "needs, MB", *ENDS, "faults")
    show(f"{count} limits on one and on two threads", heads, lines)
    return end("limits", faults)
