"""Give readers mutated files; each must be read completely or rejected in one sentence.

    python tests/python/support/fuzz_readers.py --seconds 300        # all readers, and a table
    python tests/python/support/fuzz_readers.py --reader arff --first 4711 --show culprit.arff

Reader and number determine an input, on every machine. Each reader runs in its own process with
limited memory; if the process dies, the number of the input is reported, and fuzzing continues
with the next one.
"""

import argparse
import json
import mmap
import os
import random
import resource
import signal
import struct
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import NamedTuple

from malformed import READERS, files

# Additional memory that a reader may use; the files have a few kilobytes.
_MOST_BYTES = 512 << 20
_SECONDS_FOR_ONE = 20
_MOST_FAULTS = 20


class Count(NamedTuple):
    """The results of a reader."""

    tried: int
    accepted: int
    refused: int
    faults: list[str]


def file_of(reader, number):
    """Return the suffix and the bytes of an input."""
    rng = random.Random(f"{reader} {number}")
    seeds = [(path.name[path.name.index(".") :], path.read_bytes()) for path in SEEDS[reader]]
    ending = rng.choice([ending for ending, _ in seeds])
    alike = [content for other, content in seeds if other == ending]
    return ending, READERS[reader].mutate(rng, alike)


SEEDS = {name: files(name, valid=True) for name in READERS}


def run(name, first, count, seconds):
    """Try ``count`` inputs from number ``first``, for at most so many seconds."""
    shared = mmap.mmap(-1, struct.calcsize("qqq"))
    number, end, until = first, first + count, time.monotonic() + seconds
    faults = []
    accepted = refused = 0
    while number < end and time.monotonic() < until and len(faults) < _MOST_FAULTS:
        shared[:] = struct.pack("qqq", number, 0, 0)
        status, told = _in_a_process(_loop, name, number, end, until, shared)
        number, more, less = struct.unpack("qqq", shared[:])
        accepted, refused, faults = accepted + more, refused + less, faults + told
        if status != 0:
            faults.append(f"{name} {number}: the process ended with status {status}")
            number += 1
    return Count(number - first, accepted, refused, faults)


def _in_a_process(work, *arguments):
    """Run a function in a new process; return the exit status and the lines that it wrote."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        with os.fdopen(writing, "w") as out:
            work(*arguments, out)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        lines = [json.loads(line) for line in told]
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), lines


def _loop(name, first, end, until, shared, out):
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", ".*created on Python 2")  # numpy reads such arrays
    warnings.filterwarnings("ignore", "the first column has no name")  # and is ignored
    n_bytes = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (n_bytes + _MOST_BYTES,) * 2)
    accepted = refused = n_faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, end):
            if time.monotonic() > until or n_faults == _MOST_FAULTS:
                break
            shared[:] = struct.pack("qqq", number, accepted, refused)
            signal.alarm(_SECONDS_FOR_ONE)  # ends the process
            ending, content = file_of(name, number)
            path = Path(folder, "input" + ending)
            path.write_bytes(content)
            try:
                is_taken = READERS[name].refusal(path) is None
            except BaseException as fault:  # any other exception is a fault of the reader
                n_faults += 1
                words = f"{type(fault).__name__}: {str(fault)[:300]}"
                print(json.dumps(f"{name} {number}: {words}"), file=out, flush=True)
            else:
                accepted, refused = accepted + is_taken, refused + (not is_taken)
            shared[:] = struct.pack("qqq", number + 1, accepted, refused)
    signal.alarm(0)


def table(rows):
    """Return a table of the results as text."""
    lines = [f"{'':64}{'tried':>12}{'accepted':>12}{'refused':>12}{'faults':>8}"]
    for name, tried, accepted, refused, faults in rows:
        lines.append(f"{name:64}{tried:>12}{accepted:>12}{refused:>12}{faults:>8}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description="Give readers mutated files.")
    parser.add_argument("--reader", choices=READERS, help="only this reader")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument(
        "--count", type=int, default=sys.maxsize, help="maximum number of inputs per reader"
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="for all readers together")
    parser.add_argument("--show", type=Path, help="write the first input to this file, and exit")
    options = parser.parse_args()
    names = [options.reader] if options.reader else list(READERS)
    if options.show:
        options.show.write_bytes(file_of(names[0], options.first)[1])
        return 0
    share = options.seconds / len(names)
    counts = {name: run(name, options.first, options.count, share) for name in names}
    print(table((name, *count[:3], len(count.faults)) for name, count in counts.items()))
    faults = [fault for count in counts.values() for fault in count.faults]
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
