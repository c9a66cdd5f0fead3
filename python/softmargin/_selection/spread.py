"""Means with their standard deviations, as text."""

from __future__ import annotations

import math
import sys


def with_spread(mean: float, deviation: float) -> str:
    """Return a mean of scores with its standard deviation; a dash where there is none."""
    return "-" if math.isnan(mean) else f"{mean:.4f} {_sign()} {deviation:.4f}"


def _sign() -> str:
    """Return the sign ±, or its ASCII form where stdout cannot show it."""
    try:
        "±".encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (LookupError, UnicodeEncodeError):
        return "+-"
    return "±"
