"""Print the licenses of all crates that are linked into the wheel, for ``make notices``."""

from __future__ import annotations

import json
import subprocess
from collections import defaultdict
from pathlib import Path

HEAD = """\
Third-party notices

The compiled extension of softmargin contains the crates listed below and the Rust standard library
(MIT OR Apache-2.0, https://github.com/rust-lang/rust). Each is used under its own license; the
license texts and copyright notices follow.
"""


def linked() -> list[dict[str, object]]:
    """Return the packages that the extension contains on any platform, sorted by name."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--features", "python"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    packages = {package["id"]: package for package in found["packages"]}
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    reached, waiting = set(), [found["resolve"]["root"]]
    while waiting:
        node = nodes[waiting.pop()]
        for dependency in node["deps"]:
            kinds = {kind["kind"] for kind in dependency["dep_kinds"]}
            package = packages[dependency["pkg"]]
            is_macro = any("proc-macro" in target["kind"] for target in package["targets"])
            if None in kinds and not is_macro and package["id"] not in reached:
                reached.add(package["id"])
                waiting.append(package["id"])
    return sorted(
        (packages[each] for each in reached), key=lambda each: (each["name"], each["version"])
    )


def texts(package: dict[str, object]) -> list[str]:
    """Return the license texts of a package; only the MIT license if there is a choice."""
    folder = Path(str(package["manifest_path"])).parent
    files = sorted(
        path
        for path in folder.iterdir()
        if path.is_file() and path.name.lower().startswith(("license", "licence", "copying"))
    )
    chosen = [path for path in files if "mit" in path.name.lower()] or files
    return [path.read_text(encoding="utf-8").strip() for path in chosen]


def main() -> None:
    """Print the notices."""
    print(HEAD)
    owners = defaultdict(list)
    for package in linked():
        name = f"{package['name']} {package['version']}"
        print(f"{name}: {package['license']}, {package['repository']}")
        for text in texts(package) or [f"(no text in the package; {package['license']})"]:
            owners[text].append(name)
    for text, names in owners.items():
        print("\n" + "=" * 80 + "\n" + ", ".join(names) + "\n" + "=" * 80 + f"\n\n{text}")


if __name__ == "__main__":
    main()
