"""The packages of softmargin depend on each other in one direction."""

import ast
from pathlib import Path

import pytest

import checkout
import softmargin

PACKAGE = Path(softmargin.__file__).parent

# A package imports only from itself and from packages to its left.
LAYERS = (
    "_core",
    "_checks",
    "_estimators",
    "_files",
    "_selection",
    "statistics",
    "plots",
    "datasets",
    "experiments",
    "cli",
)

# Convenience methods, which import when they are called: ``SVC.save``, ``NestedResult.plot``.
DEFERRED = {("_estimators", "_files"), ("_selection", "plots")}


def imports(tree):
    """Yield the imported packages of softmargin, and whether the import is inside a function."""
    inside = {
        child
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for child in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == "softmargin" and len(parts) > 1 and parts[1] in LAYERS:
                yield parts[1], node in inside


@pytest.mark.parametrize("package", LAYERS[1:])
def test_packages_import_only_from_the_left(package):
    files = list((PACKAGE / package).rglob("*.py"))
    assert files
    for path in files:
        for other, is_deferred in imports(ast.parse(path.read_text(encoding="utf-8"))):
            is_left = LAYERS.index(other) <= LAYERS.index(package)
            is_allowed = is_deferred and (package, other) in DEFERRED
            assert is_left or is_allowed, f"{path.name} imports {other}"


def test_the_architecture_page_shows_these_layers():
    page = (checkout.root() / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert " → ".join(LAYERS) in " ".join(page.split())
