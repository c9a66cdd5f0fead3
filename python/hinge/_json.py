"""Values as JSON has them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def plain(value: Any) -> Any:
    """Return a value as it comes back from JSON; a number that is not finite becomes None."""
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if hasattr(value, "tolist"):  # arrays and numbers of numpy
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value)


def text_of(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON text that every reader takes."""
    return json.dumps(plain(value), ensure_ascii=False, allow_nan=False, indent=indent)
