"""Logarithmic axes with tick labels that are short and do not overlap.

Import this module only where matplotlib is known to be installed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.ticker import Formatter, Locator, MaxNLocator, NullFormatter


def log_ticks(axis: Any, formatter: Formatter | None = None) -> None:
    """Give a logarithmic axis as many labels as it has room for; numbers are plain if short."""
    axis.set_major_locator(_Ticks())
    axis.set_major_formatter(formatter or _Numbers())
    axis.set_minor_formatter(NullFormatter())


class _Ticks(Locator):
    """Ticks at 1, 2, 5, 10, at powers of ten, or at every second, third, ... power."""

    axis: Any

    def __call__(self) -> Any:
        return self.tick_values(*self.axis.get_view_interval())

    def tick_values(self, vmin: float, vmax: float) -> Any:
        low, high = sorted((vmin, vmax))
        room = max(2, self._room())
        if not low > 0:
            return np.array([])
        fine = self._inside(low, high, (1, 2, 5))
        if len(fine) < 3:
            ticks = np.asarray(
                MaxNLocator(min(room, 5), steps=[1, 2, 5, 10]).tick_values(low, high)
            )
            return ticks[(ticks >= low) & (ticks <= high)]
        decades = self._inside(low, high, (1,))
        if len(fine) <= min(room, 7):
            return fine
        if len(decades) < 2:
            return fine[:: -(-len(fine) // room)]
        return decades[:: -(-len(decades) // room)]

    def _room(self) -> int:
        """Return how many labels fit along the axis."""
        if self.axis is None or not hasattr(self.axis, "get_tick_space"):
            return 9
        # Matplotlib counts labels of three times the font size; "100,000" has five.
        share = 0.6 if self.axis.axis_name == "x" else 0.8
        return int(share * self.axis.get_tick_space())

    @staticmethod
    def _inside(low: float, high: float, of: tuple[int, ...]) -> Any:
        first, last = np.floor(np.log10(low)), np.ceil(np.log10(high))
        if last - first > 700:
            return np.array([low, high])
        powers = 10.0 ** np.arange(first, last + 1)
        ticks = np.outer(powers, of).ravel()
        return ticks[(ticks >= low * (1 - 1e-9)) & (ticks <= high * (1 + 1e-9))]


class _Numbers(Formatter):
    """Plain numbers if all are between 0.001 and 100,000, else powers of ten."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        return _plain(x)

    def format_ticks(self, values: Any) -> list[str]:
        values = np.asarray(values, dtype=np.float64)
        exponents = np.log10(values[values > 0])
        is_short = bool(len(exponents)) and exponents.min() > -3.5 and exponents.max() < 5.5
        if is_short or not np.allclose(exponents, np.round(exponents)):
            return [_plain(value) for value in values]
        return [f"$10^{{{round(exponent)}}}$" for exponent in exponents]


def _plain(value: float) -> str:
    return f"{value:,.0f}" if 1000 <= value < 1e7 else f"{value:.4g}"
