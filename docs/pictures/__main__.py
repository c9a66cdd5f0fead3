"""Draw the pictures of the documentation into ``docs/assets``.

    python docs/pictures              draw all of them
    python docs/pictures svc-bounds   draw some, by name

Each picture is an SVG in a light and a dark variant. They are made from data that is generated or
bundled, with fixed seeds, and from the numbers in ``docs/results`` and ``benches/results``; no
picture depends on how long something takes.
"""

import sys

import benchmarks  # noqa: F401
import classes  # noqa: F401
import exact_solvers  # noqa: F401
import geometry  # noqa: F401
import gradient_solvers  # noqa: F401
import kernel_boundaries  # noqa: F401
import model_selection  # noqa: F401
import papers  # noqa: F401
import regression  # noqa: F401
import tubes  # noqa: F401
from drawing import PICTURES, save

if __name__ == "__main__":
    names = sys.argv[1:] or list(PICTURES)
    unknown = [name for name in names if name not in PICTURES]
    if unknown:
        sys.exit(f"unknown pictures: {', '.join(unknown)}; known are {', '.join(PICTURES)}")
    for name in names:
        for path in save(name):
            print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
