"""Work in a forked child, which may die of it."""

import json
import os
import signal

# A child that hangs is ended.
SECONDS = 120


class ChildError(RuntimeError):
    """A child did not live to tell."""


def in_a_child(work):
    """Return what ``work`` returns in a forked child, as JSON keeps it."""
    answer, words = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.dup2(words[1], 2)
            signal.alarm(SECONDS)
            os.write(answer[1], json.dumps(work()).encode())
            code = 0
        except BaseException as error:
            os.write(2, repr(error).encode())
        finally:
            os._exit(code)
    found, said = (_all_of(pipe) for pipe in (answer, words))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code:
        raise ChildError(f"exit code {code}: {said.decode(errors='replace').strip()[-300:]}")
    return json.loads(found)


def _all_of(pipe):
    os.close(pipe[1])
    with os.fdopen(pipe[0], "rb") as stream:
        return stream.read()
