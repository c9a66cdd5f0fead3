"""States of stochastic gradient descent, from which training resumes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softmargin._checks.fields import Fields

# Steps, weights, memory, averaged steps and initial step length of a binary classifier.
State = tuple[int, NDArray[np.float64], NDArray[np.float64], int, float]

# An upper bound on the steps in a file, far from an overflow when training resumes.
_MAX_STEPS = 2**62


def to_fields(states: list[State]) -> dict[str, Any]:
    """Return states as fields of a file."""
    steps, weights, memories, averaged, etas = zip(*states, strict=True)
    return {
        "states/steps": np.array(steps, dtype=np.int64),
        "states/weights": np.array(weights),
        "states/memory": np.concatenate(memories),
        "states/has_memory": np.array([len(memory) > 0 for memory in memories], dtype=np.uint8),
        "states/averaged": np.array(averaged, dtype=np.int64),
        "states/eta": np.array(etas, dtype=np.float64),
    }


def from_fields(saved: Fields, n_classifiers: int, n_features: int) -> list[State]:
    """Return the states in a file; the core rejects states that are not finite."""
    m, width = n_classifiers, n_features + 1
    steps = saved.array("states/steps", "i8", (m,))
    averaged = saved.array("states/averaged", "i8", (m,))
    has_memory = saved.array("states/has_memory", "u1", (m,))
    fits = (
        (steps <= _MAX_STEPS).all()
        and (averaged >= 0).all()
        and (averaged <= np.where(has_memory, steps, 0)).all()
        and (has_memory <= 1).all()
    )
    if not fits:
        raise ValueError(
            "'states/steps', 'states/averaged' and 'states/has_memory' are inconsistent"
        )
    n_memories = int(has_memory.sum())
    memory = saved.array("states/memory", "f8", (n_memories * width,), is_finite=False)
    memories = iter(memory.reshape(n_memories, width))
    return [
        (step, weights, next(memories) if has_own else np.empty(0), count, eta)
        for step, weights, has_own, count, eta in zip(
            steps.tolist(),
            saved.array("states/weights", "f8", (m, width), is_finite=False),
            has_memory,
            averaged.tolist(),
            saved.array("states/eta", "f8", (m,)).tolist(),
            strict=True,
        )
    ]
