"""The examples of a page of documentation: blocks of Python, and what they must print.

A block of ``text`` right after a block of ``python`` is its output. In it, numbers with a point
may differ by 5 % (other instructions round in another way), and seconds by anything.
``<!-- skip: reason -->`` before a block says that it is not run; lines between
``<!-- hidden`` and ``-->`` are run, but not shown.
"""

import contextlib
import io
import math
import re
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

    texts = [NUMBER.sub("#", text).split() for text in (wanted, got)]
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
