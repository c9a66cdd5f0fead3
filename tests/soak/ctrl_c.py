"""Ctrl-C at a given moment, sent by another process: no lock of the interpreter delays it."""

import signal
import subprocess
import sys
import time
from typing import NamedTuple

# Waits for a number of seconds, sends the signal unless a line comes before, and answers
# with the time and the CPU time of its parent once it did; with zeros if it did not.
_SENDER = """
import os, select, signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
parent = os.getppid()
cpu_time = (~parent << 3) | 2  # as clock_getcpuclockid makes it
with open(0, "rb", buffering=0) as commands:  # of which select sees all that is not read
    while seconds := commands.readline():
        sent = used = 0.0
        if not select.select([commands], [], [], float(seconds))[0]:
            os.kill(parent, signal.SIGINT)
            sent, used = time.monotonic(), time.clock_gettime(cpu_time)
        commands.readline()
        os.write(1, b"%r %r\\n" % (sent, used))
"""


class Outcome(NamedTuple):
    """How a call ended; the last two are None if it ended before the signal."""

    result: object
    raised: BaseException | None
    # Seconds from the arrival of the signal until the caller had control, at the least, and CPU
    # seconds of all threads.
    delay: float | None
    cpu: float | None


class CtrlC:
    """A context in which calls are interrupted; signals between calls have no effect."""

    def __enter__(self):
        self._is_calling = False
        self._heard, self._is_dropped = [], False
        self._sender = subprocess.Popen(
            [sys.executable, "-S", "-c", _SENDER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        self._before = signal.signal(signal.SIGINT, self._interrupt)
        self._hook, sys.unraisablehook = sys.unraisablehook, self._drop
        return self

    def __exit__(self, *_):
        signal.signal(signal.SIGINT, self._before)
        sys.unraisablehook = self._hook
        self._sender.stdin.close()
        self._sender.wait()
        self._sender.stdout.close()

    def _interrupt(self, number, frame):
        self._heard.append((time.monotonic(), time.process_time()))
        if self._is_calling:
            raise KeyboardInterrupt

    def _drop(self, unraisable):
        """Note that the signal came in a finalizer, where Python drops what is raised."""
        if unraisable.exc_type is KeyboardInterrupt:
            self._is_dropped = True
        else:
            self._hook(unraisable)

    def during(self, call, seconds):
        """Call a function that is interrupted after ``seconds``."""
        result = raised = None
        self._heard, self._is_dropped = [], False
        self._sender.stdin.write(b"%r\n" % seconds)
        try:
            self._is_calling = True
            result = call()
            self._is_calling = False
        except BaseException as error:
            raised = error
        self._is_calling = False
        control, used = time.monotonic(), time.process_time()
        self._sender.stdin.write(b"stop\n")
        # The signal came before its sender, who may have to wait for a core, went on, and before
        # it was heard.
        sent, used_before = map(float, self._sender.stdout.readline().split())
        arrival, used_before = min([(sent, used_before), *self._heard])
        if not 0 < arrival < control or self._is_dropped:
            return Outcome(result, raised, None, None)
        return Outcome(result, raised, control - arrival, max(0.0, used - used_before))
