"""What samples are trained for."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray


class Outcomes(NamedTuple):
    """The class of each sample, or its target, or nothing for novelty detection.

    Without classes, all codes are 0.
    """

    codes: NDArray[np.uint32]
    # The label of each class, in the order of the codes.
    classes: NDArray[Any] | None = None
    targets: NDArray[np.float64] | None = None

    @classmethod
    def without_classes(cls, n_samples: int, targets: NDArray[np.float64] | None = None) -> Self:
        """Return the outcomes of samples that have a target, or nothing."""
        return cls(np.zeros(n_samples, dtype=np.uint32), None, targets)

    @property
    def n_classes(self) -> int:
        """The number of classes of the core."""
        return 1 if self.classes is None else len(self.classes)

    def take(self, rows: NDArray[np.intp]) -> Self:
        """Return the outcomes of some samples."""
        targets = None if self.targets is None else self.targets[rows]
        return self._replace(codes=self.codes[rows], targets=targets)
