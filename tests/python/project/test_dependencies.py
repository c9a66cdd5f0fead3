"""docs/dependencies.md names every direct dependency, and NOTICES the licences of all crates."""

import json
import re
import shutil
import subprocess
import sys
import tomllib

import pytest

import checkout

ROOT = checkout.root()
needs_cargo = pytest.mark.skipif(
    shutil.which("cargo") is None, reason="the list of crates is cargo's"
)


def tables():
    """Return the rows, without the last column, of the tables under each heading."""
    found, rows = {}, []
    for line in (ROOT / "docs" / "dependencies.md").read_text().splitlines():
        if line.startswith("## "):
            found[line.removeprefix("## ")] = rows = []
        elif line.startswith("| `"):
            *names, reason = [cell.strip() for cell in line.strip("| ").split(" | ")]
            assert reason, f"there is no reason for {names}"
            rows.append(tuple(name.replace("`", "") for name in names))
    return found


def package(requirement):
    """Return the name of what is required, without version and extras."""
    return re.match(r"[\w.-]+", requirement)[0].lower()


def test_every_crate_is_there():
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text())
    by_system = manifest.get("target", {}).values()
    parts = [manifest, *by_system]
    kinds = ("dependencies", "dev-dependencies", "build-dependencies")
    crates = [name for part in parts for kind in kinds for name in part.get(kind, {})]
    assert sorted(tables()["Rust"]) == sorted((name,) for name in crates)


def test_every_package_is_there():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    needed = {(package(name),) for name in project["project"]["dependencies"]}
    optional = {
        (package(name), extra)
        for extra, names in project["project"]["optional-dependencies"].items()
        for name in names
        if package(name) != "softmargin"
    }
    groups = {
        (package(name), group)
        for group, names in project["dependency-groups"].items()
        for name in names
        if isinstance(name, str)  # and not another group
        and (package(name),) not in needed  # the group `build` repeats them
    }
    build = {(package(name), "build") for name in project["build-system"]["requires"]}
    rows = tables()["Python"]
    listed = {
        (row[0], group) if row[1:] else row
        for row in rows
        for group in (row[1].split(", ") if row[1:] else [""])
    }
    assert listed == needed | optional | groups | build
    assert len(rows) == len(set(rows))


def test_hinge_is_only_the_name_of_a_loss():
    """It names no package, no module and no environment variable."""
    files = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    files += [path for path in (ROOT / "python").rglob("*") if path.suffix in (".py", ".j2")]
    other = re.compile(r"pip install \W?hinge|import hinge|hinge\.[A-Za-z_]|HINGE_")
    assert [path for path in files if other.search(path.read_text("utf-8"))] == []


def is_allowed(licence, allowed):
    """Whether an expression such as "(MIT OR Apache-2.0) AND Zlib" is met by what is allowed."""
    words = re.findall(r"[()/]|[\w.-]+(?: WITH [\w.-]+)?", licence)
    known = {"(": "(", ")": ")", "/": "or", "OR": "or", "AND": "and"}
    return eval(" ".join(known.get(word, str(word in allowed)) for word in words))


def test_a_licence_is_allowed_as_a_whole():
    allowed = {"MIT", "Apache-2.0", "A WITH B"}
    for licence in ("MIT", "MIT/GPL-3.0", "GPL-3.0 OR (MIT AND Apache-2.0)", "A WITH B"):
        assert is_allowed(licence, allowed)
    for licence in ("GPL-3.0", "MIT AND GPL-3.0", "(MIT OR GPL-3.0) AND Zlib", "A", "MIT WITH B"):
        assert not is_allowed(licence, allowed)


@needs_cargo
def test_every_crate_has_a_licence_and_a_source_that_are_allowed():
    rules = tomllib.loads((ROOT / "deny.toml").read_text())
    allowed = set(rules["licenses"]["allow"])
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features"]
    found = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    others = [each for each in json.loads(found)["packages"] if each["name"] != "softmargin"]
    assert len(others) > 50
    for crate in others:
        assert is_allowed(crate["license"] or "", allowed), (crate["name"], crate["license"])
        assert crate["source"].startswith("registry+"), (crate["name"], crate["source"])
        assert crate["source"].endswith("/crates.io-index"), (crate["name"], crate["source"])


@needs_cargo
def test_the_notices_are_those_of_the_crates_in_use():
    command = [sys.executable, ROOT / ".github" / "notices.py"]
    found = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, encoding="utf-8")
    assert (ROOT / "NOTICES").read_text(encoding="utf-8") == found.stdout, "run: make notices"
