"""Files that are written in one step."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def replace_text(path: Path, text: str) -> None:
    """Write a file so that a reader, or a crash, sees the old text or the new, never a part."""
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open(part, "x", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
