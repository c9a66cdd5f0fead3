"""Run the examples of a documentation page: Python code and commands with their output.

A ``text`` block directly after a ``python`` block is its expected output. In a ``console`` block,
lines that begin with ``$ softmargin`` are commands, and the lines below are the expected output, if
there are any; the command must succeed. In outputs, numbers with a decimal point may differ by
5 % (rounding depends on the processor), and seconds by any amount. ``<!-- skip: reason -->``
before a block disables it; lines between ``<!-- hidden`` and ``-->`` are run, but not shown.
"""

import contextlib
import io
import math
import re
import shlex
from dataclasses import dataclass, replace

NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?: s\b)?")


@dataclass
class Example:
    line: int
    code: str
    output: str | None = None
    skipped_for: str | None = None


def examples(text):
    """Return the examples of a page, in order."""
    found, reason, is_after = [], None, False
    lines = iter(enumerate(text.splitlines(), start=1))
    for number, line in lines:
        if match := re.fullmatch(r"<!-- skip: (\S.*) -->", line):
            reason = match[1]
        elif line.startswith("<!-- skip"):
            raise ValueError(f"line {number}: a block is skipped for no reason: {line}")
        elif line == "<!-- hidden":
            found.append(Example(number, _body(lines, number, "-->")))
        elif line == "```python":
            found.append(Example(number, _body(lines, number, "```"), skipped_for=reason))
            reason, is_after = None, True
            continue
        elif line == "```console":
            found += _commands(_body(lines, number, "```"), number)
        elif line == "```text" and is_after:
            found[-1] = replace(found[-1], output=_body(lines, number, "```"))
        elif line.startswith("```"):
            if "python" in line:
                raise ValueError(f"line {number}: {line} is not a block that is run")
            _body(lines, number, "```")
        elif line and reason:
            raise ValueError(f"line {number}: 'skip' stands before something else than a block")
        is_after = is_after and not line
    return found


def _commands(text, number):
    """Return an example for each command of a block."""
    start, *parts = re.split(r"^\$ softmargin ", text, flags=re.MULTILINE)
    if start or not parts:
        raise ValueError(f"line {number}: a block of console begins with '$ softmargin '")
    found = []
    for part in parts:
        words, _, output = part.partition("\n")
        code = f"import page_examples\n\npage_examples.call_program({words!r})\n"
        found.append(Example(number, code, output.strip() or None))
    return found


def call_program(words):
    """Call the program with the words of a shell command; print its output; it must succeed."""
    from commands import call  # needs typer

    result = call(*shlex.split(words, comments=True))
    print(result.stdout, result.stderr)
    assert result.exit_code == 0, (
        f"softmargin {words} ends with {result.exit_code}: {result.stderr}"
    )


def _body(lines, number, end):
    body = []
    for _, line in lines:
        if line == end:
            return "\n".join(body) + "\n"
        body.append(line)
    raise ValueError(f"line {number}: a block has no end")


def alike(wanted, got):
    """Return whether two outputs agree up to white space and the last digits of numbers."""

    def same(a, b):
        if a.endswith("s") and b.endswith("s"):
            return True
        if "." not in a:
            return a == b
        a, b = (float(number.replace(",", "")) for number in (a, b))
        return math.isclose(a, b, rel_tol=0.05, abs_tol=0.005)

    # Lines named "seconds" contain times; rules of tables are as wide as their numbers.
    wanted, got = (re.sub(r"(seconds +[\d.e-]+)\n", r"\1 s\n", text) for text in (wanted, got))
    texts = [re.sub("─+", "─", NUMBER.sub("#", text)).split() for text in (wanted, got)]
    numbers = [NUMBER.findall(text) for text in (wanted, got)]
    return texts[0] == texts[1] and all(map(same, *numbers))


def run(path):
    """Run the examples of a page in order, and compare their outputs."""
    names = {"__name__": "__main__"}
    for example in examples(path.read_text(encoding="utf-8")):
        # The empty lines make errors name the line of the page.
        code = compile("\n" * example.line + example.code, str(path), "exec")
        if example.skipped_for:
            continue
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, names)
        wanted, got = example.output, printed.getvalue()
        if wanted is not None and not alike(wanted, got):
            raise AssertionError(f"{path}, line {example.line} printed\n{got}instead of\n{wanted}")
