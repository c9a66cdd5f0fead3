"""``softmargin info``: versions and resources, for bug reports."""

from __future__ import annotations

import contextlib
import os
import platform
import re

from softmargin import __version__, simd_level
from softmargin.cli._output import Output, facts_table

_PACKAGES = ("numpy", "scipy", "scikit-learn", "joblib")
# A metadata line such as "onnx>=1.16 ; extra == 'onnx'".
_OF_EXTRA = re.compile(r"([\w.-]+).*extra == ['\"]([\w-]+)['\"]")


def show_info(output: Output) -> None:
    """Show versions, threads and memory, for bug reports.

    Examples:
      softmargin info
      softmargin info --json
    """
    import joblib

    from softmargin._checks import resources

    cores, threads = joblib.cpu_count(), resources.thread_count(-1)
    memory, free = _memory_bytes(), resources.memory_bytes()
    packages = {name: _version(name) for name in _PACKAGES}
    extras = _extras()
    if output.as_json:
        output.document(
            {
                "softmargin": __version__,
                "python": platform.python_version(),
                "platform": platform.platform(),
                "simd_level": simd_level(),
                "cores": cores,
                "threads": threads,
                "memory_bytes": memory,
                "usable_bytes": int(free),
                "packages": packages,
                "extras": extras,
                "SOFTMARGIN_DATA": os.environ.get("SOFTMARGIN_DATA"),
            }
        )
        return
    facts = {
        "softmargin": __version__,
        "Python": f"{platform.python_version()} on {platform.platform()}",
        "SIMD instructions": simd_level(),
        "threads": f"{threads} of {cores} cores",
        "memory": ("" if memory is None else f"{memory / 2**30:.1f} GB, ")
        + f"{free / 2**30:.1f} GB available",
        **{name: version or "not installed" for name, version in packages.items()},
        "SOFTMARGIN_DATA": os.environ.get("SOFTMARGIN_DATA", "not set"),
    }
    for extra, parts in extras.items():
        installed = ", ".join(f"{name} {version}" for name, version in parts.items() if version)
        missing = " ".join(name for name, version in parts.items() if not version)
        facts[f"extra {extra}"] = f"missing: pip install {missing}" if missing else installed
    output.print(facts_table(facts))


def _version(package: str) -> str | None:
    from importlib import metadata

    with contextlib.suppress(metadata.PackageNotFoundError):
        return metadata.version(package)
    return None


def _extras() -> dict[str, dict[str, str | None]]:
    """Return the packages of each extra with their installed versions."""
    from importlib import metadata

    extras: dict[str, dict[str, str | None]] = {}
    with contextlib.suppress(metadata.PackageNotFoundError):
        for line in metadata.requires("softmargin") or []:
            match = _OF_EXTRA.match(line)
            if match is not None and match[1] != "softmargin":
                extras.setdefault(match[2], {})[match[1]] = _version(match[1])
    return dict(sorted(extras.items()))


def _memory_bytes() -> int | None:
    """Return the physical memory in bytes, or None if unknown."""
    with contextlib.suppress(AttributeError, OSError, ValueError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None
