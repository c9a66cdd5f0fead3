"""Conversion of values to JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def plain(value: Any) -> Any:
    """Return a value as JSON would return it; non-finite numbers become None."""
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if hasattr(value, "tolist"):  # numpy arrays and scalars
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value)


def text_of(value: Any, indent: int | None = None) -> str:
    """Return a value as strictly valid JSON text."""
    return json.dumps(plain(value), ensure_ascii=False, allow_nan=False, indent=indent)
