"""What README and docs say is true: their examples run, and nothing public is left out."""

import inspect

import pytest

import checkout
import softmargin
from page_examples import alike, examples, run

ROOT = checkout.root()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
WITH_EXAMPLES = [page for page in PAGES if examples(page.read_text(encoding="utf-8"))]
NAMES = [str(page.relative_to(ROOT)) for page in WITH_EXAMPLES]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=NAMES)
def test_the_examples_of_a_page_run_and_print_what_it_says(page, tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    run(page)


@pytest.mark.parametrize("method", softmargin.methods())
def test_a_method_has_a_page_with_examples_that_the_site_shows(method):
    name = {"nu-svc": "nu", "nu-svr": "nu"}.get(method, method)
    page = ROOT / "docs" / "methods" / f"{name}.md"
    assert page in WITH_EXAMPLES
    assert f"methods/{name}.md" in (ROOT / "mkdocs.yml").read_text()
    assert f"({name}.md)" in (ROOT / "docs" / "methods" / "index.md").read_text()
    assert any(not example.skipped_for for example in examples(page.read_text()))


def test_the_reference_has_every_public_name():
    pages = (ROOT / "docs" / "api").glob("*.md")
    described = {line for page in pages for line in page.read_text().splitlines()}
    public = {name: getattr(softmargin, name) for name in softmargin.__all__}
    names = {name for name, value in public.items() if not inspect.ismodule(value)}
    for module, value in public.items():
        if inspect.ismodule(value):
            names |= {f"{module}.{name}" for name in value.__all__}
    names.remove("__version__")
    assert {f"::: softmargin.{name}" for name in names} <= described


BROKEN = {
    "an error": ("```python\nx = 1\n\n1 / 0\n```", ZeroDivisionError, "division"),
    "another output": ("```python\nprint(1)\n```\n\n```text\n2\n```", AssertionError, "line 1"),
    "no output": ("```python\nx = 1\n```\n\n```text\n2\n```", AssertionError, "line 1"),
    "a syntax error, skipped": (
        "<!-- skip: a reason -->\n```python\n1 +\n```",
        SyntaxError,
        "syntax",
    ),
    "no reason": ("<!-- skip: -->\n```python\n1\n```", ValueError, "no reason"),
    "a skip without a block": ("<!-- skip: a reason -->\ntext", ValueError, "something else"),
    "no end": ("```python\n1", ValueError, "no end"),
    "a block that is not run": ('```python title="x"\n1\n```', ValueError, "not a block"),
    "another version": ("```console\n$ softmargin --version\n1\n```", AssertionError, "line 1"),
    "a command that fails": (
        "```console\n$ softmargin train none.svm\n```",
        AssertionError,
        "No such",
    ),
    "another command": ("```console\n$ ls\n```", ValueError, "begins with"),
    "a hidden error": ("<!-- hidden\n1 / 0\n-->", ZeroDivisionError, "division"),
}


@pytest.mark.parametrize("mistake", BROKEN)
def test_a_broken_page_fails(mistake, tmp_path):
    text, error, words = BROKEN[mistake]
    page = tmp_path / "page.md"
    page.write_text(text)
    with pytest.raises(error, match=words):
        run(page)


@pytest.mark.parametrize(
    ("wanted", "got", "expected"),
    [
        ("score 0.96, C=4", "score 0.97, C=4", True),
        ("score 0.96, C=4", "score 0.80, C=4", False),
        ("score 0.96, C=4", "score 0.96, C=16", False),
        ("1,605 trainings in 0.5 s", "1,605 trainings in 20.1 s", True),
        ("1,605 trainings in 0.5 s", "1,604 trainings in 0.5 s", False),
        ("seconds  0.5\n", "seconds 20.1\n", True),
        ("seconds  0.5\n", "minutes 20.1\n", False),
        ("a  0.5\n", "a 0.5", True),
        ("a 0.5", "b 0.5", False),
        ("0.5", "0.5 0.5", False),
    ],
)
def test_outputs_are_alike_but_for_last_digits_and_seconds(wanted, got, expected):
    assert alike(wanted, got) is expected


def test_a_page_is_run_in_one_namespace_and_errors_name_its_lines(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("<!-- hidden\nx = 1\n-->\n\n```python\ny = x\n```\n\n```python\n\nz\n```\n")
    with pytest.raises(NameError) as raised:
        run(page)
    assert raised.traceback[-1].lineno == 10  # counted from 0
