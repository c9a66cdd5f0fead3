"""The target column of a regression."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from softmargin.datasets._columns import NumericColumn
from softmargin.datasets._request import Request


class TargetColumn(NumericColumn):
    """The targets of a table: either all or none of them may be missing."""

    def __init__(self, name: str, missing: Collection[str], request: Request) -> None:
        super().__init__(name, "; the targets of a regression are numbers")
        self._missing = missing
        self._request = request
        self._first_missing: int | None = None

    def add(self, words: Sequence[str], lines: Sequence[int]) -> None:
        """Append targets of these lines."""
        pairs = list(zip(words, lines, strict=True))
        present = [pair for pair in pairs if pair[0] not in self._missing]
        if len(present) < len(pairs) and self._first_missing is None:
            self._first_missing = next(line for word, line in pairs if word in self._missing)
        if present:
            words, lines = zip(*present, strict=True)
            super().add(words, lines)

    def is_empty(self) -> bool:
        """Return whether all targets are missing; raise ValueError if only some are."""
        if self._first_missing is None:
            return False
        if not len(self.values()):
            return True
        raise ValueError(
            f"line {self._first_missing}: the target is missing, but other samples have one. Use "
            f"{self._request.no_labels_option} to ignore the targets."
        )
