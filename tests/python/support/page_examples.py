"""The examples of a page of documentation: Python and commands, and what they must print.

A block of ``text`` right after a block of ``python`` is its output. In a block of ``console``,
lines that begin with ``$ softmargin`` are commands, and the lines below, if there are any, what the
command prints; it must end well. In outputs, numbers with a point
may differ by 5 % (other instructions round in another way), and seconds by anything.
``<!-- skip: reason -->`` before a block says that it is not run; lines between
``<!-- hidden`` and ``-->`` are run, but not shown.
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
    """Call the program with words as in a shell, and print what it prints; it must end well."""
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
    """Tell whether two outputs are the same but for spaces and the last digits of numbers."""

    def same(a, b):
        if a.endswith("s") and b.endswith("s"):
            return True
        if "." not in a:
            return a == b
        a, b = (float(number.replace(",", "")) for number in (a, b))
        return math.isclose(a, b, rel_tol=0.05, abs_tol=0.005)

    # A fact that is called "seconds" is one; lines of tables are as wide as their numbers.
    wanted, got = (re.sub(r"(seconds +[\d.e-]+)\n", r"\1 s\n", text) for text in (wanted, got))
    texts = [re.sub("─+", "─", NUMBER.sub("#", text)).split() for text in (wanted, got)]
    numbers = [NUMBER.findall(text) for text in (wanted, got)]
    return texts[0] == texts[1] and all(map(same, *numbers))


def run(path):
    """Run the examples of a page, one after the other, and compare what they print."""
    names = {"__name__": "__main__"}
    for example in examples(path.read_text(encoding="utf-8")):
        # Errors then name the line of the page.
        code = compile("\n" * example.line + example.code, str(path), "exec")
        if example.skipped_for:
            continue
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, names)
        wanted, got = example.output, printed.getvalue()
        if wanted is not None and not alike(wanted, got):
            raise AssertionError(f"{path}, line {example.line} printed\n{got}instead of\n{wanted}")
