"""Means with their standard deviations, as text."""

from __future__ import annotations

import math
import sys


def with_spread(mean: float, deviation: float) -> str:
    """Return a mean score with its standard deviation; a dash if there is none."""
    return "-" if math.isnan(mean) else f"{mean:.4f} {_sign()} {deviation:.4f}"


def _sign() -> str:
    """Return the sign ±, or its ASCII form if stdout cannot encode it."""
    try:
        "±".encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (LookupError, UnicodeEncodeError):
        return "+-"
    return "±"
