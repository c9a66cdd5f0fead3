"""A process that runs the tasks of one package, and can be ended when a task takes too long.

Packages that patch others, or bring their own thread pools, do not disturb each other in
processes of their own.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import warnings
from collections.abc import Callable, Mapping
from typing import Any

Task = Mapping[str, Any]
Run = Callable[[str, Task], dict[str, Any]]


class TaskError(Exception):
    """A task failed or took too long; the text is the reason."""


class Worker:
    """Runs tasks in a process, which starts with the first task.

    ``run(package, task)`` must be a function of an importable module.
    """

    def __init__(self, package: str, run: Run) -> None:
        self.package = package
        self._run = run
        self._process: Any = None
        self._connection: Any = None

    def do(self, task: Task, time_limit: float) -> dict[str, Any]:
        """Return the result of a task; raise TaskError if it fails or exceeds the time limit."""
        if self._process is None:
            self._start()
        self._connection.send(dict(task))
        if not self._connection.poll(time_limit):
            self.close()
            raise TaskError(f"did not finish within {time_limit:g} s")
        try:
            is_done, result = self._connection.recv()
        except EOFError:
            self.close()
            raise TaskError("the process ended") from None
        if not is_done:
            raise TaskError(result)
        return result

    def close(self) -> None:
        """End the process together with the processes that it started."""
        if self._process is None:
            return
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.join()
        self._process = self._connection = None

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self.package, self._run))
        self._process.start()
        theirs.close()
        # The process group must exist before it can be ended.
        self._connection.recv()


def _serve(connection: Any, package: str, run: Run) -> None:
    """Run tasks until the other side closes the connection."""
    if hasattr(os, "setsid"):
        os.setsid()
    connection.send("ready")
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                answer = True, run(package, task)
        except Exception as error:
            answer = False, f"{type(error).__name__}: {error}"
        connection.send(answer)
