"""Pictures of README and docs: both variants exist, and every one of them is used."""

import re
from xml.etree import ElementTree

import pytest

import checkout

ROOT = checkout.root()
ASSETS = ROOT / "docs" / "assets"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
USED = re.compile(r"[\w./-]*assets/([\w-]+)-(light|dark)\.svg")
# ![alt](path#only-light), as the site switches between the variants.
EMBEDDED = re.compile(r"^!\[(.*)\]\((\S*assets/([\w-]+)-(light|dark)\.svg)#only-(\w+)\)$", re.M)


def used():
    """The names and variants of the pictures that pages refer to."""
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    return {found.groups() for text in texts for found in USED.finditer(text)}


def drawn():
    return {tuple(path.stem.rsplit("-", 1)) for path in ASSETS.glob("*.svg")}


def test_every_picture_exists_in_both_variants_and_is_used():
    both = {(name, variant) for name, _ in used() for variant in ("light", "dark")}
    assert both == used() == drawn()


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if EMBEDDED.search(page.read_text(encoding="utf-8"))],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_an_embedded_picture_switches_with_the_page_and_is_described(page):
    lines = page.read_text(encoding="utf-8").splitlines()
    found = [(k, EMBEDDED.match(line)) for k, line in enumerate(lines)]
    light = [(k, match) for k, match in found if match and match[4] == "light"]
    assert 2 * len(light) == sum(match is not None for _, match in found)
    for k, match in light:
        alt, path, name, _, scheme = match.groups()
        assert scheme == "light"
        assert len(alt) > 20, f"{name} has no alternative text"
        assert (page.parent / path).is_file()
        assert lines[k + 1] == lines[k].replace("light.svg#only-light", "dark.svg#only-dark")
        # Below the picture stands a caption: one sentence in italics.
        assert lines[k + 2] == ""
        assert re.fullmatch(r"\*[^*]+\.\*", lines[k + 3]), f"{name} has no caption"


@pytest.mark.parametrize("path", sorted(ASSETS.glob("*.svg")), ids=lambda path: path.name)
def test_a_picture_is_small_and_contains_no_script_or_time(path):
    text = path.read_text(encoding="utf-8")
    assert len(text) < 150_000
    names = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(text).iter()}
    assert not names & {"script", "metadata", "foreignObject"}
    assert "http" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", text)


@pytest.mark.parametrize(
    "method",
    [
        "svc",
        "ollawv",
        "nlsgd",
        "mnsvm",
        "nnisda",
        "newton",
        "linear",
        "sgd",
        "gd",
        "classes",
        "nu",
        "svr",
        "one-class",
    ],
)
def test_a_method_page_has_a_picture(method):
    page = ROOT / "docs" / "methods" / f"{method}.md"
    assert EMBEDDED.search(page.read_text(encoding="utf-8"))
