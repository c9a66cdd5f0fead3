"""How more than two classes are reduced to binary problems."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import make_blobs

from drawing import bare, ink, panels, picture
from softmargin import SVC, plots

SCHEMES = {"ovo": "one-vs-one: pairs", "ovr": "one-vs-rest", "ordinal": "ordinal: neighbors"}
CENTERS = [[-3.0, -1.4], [0.0, 1.2], [3.0, -0.6]]


@picture("classes")
def classes() -> Any:
    """Draw the boundaries of the binary problems and the predicted regions of each scheme."""
    X, y = make_blobs(150, centers=CENTERS, cluster_std=0.85, random_state=3)
    _, axes = panels(1, 3, 2.6)
    for ax, (scheme, title) in zip(axes, SCHEMES.items(), strict=True):
        shape = "ovr" if scheme == "ovr" else "ovo"
        model = SVC(kernel="linear", multi_class=scheme, decision_function_shape=shape).fit(X, y)
        plots.decision_boundary(model, X, y, ax, support=False, margin=None, resolution=80)
        bare(ax)
        spans = [np.linspace(*limits, 80) for limits in (ax.get_xlim(), ax.get_ylim())]
        grid = np.column_stack([part.ravel() for part in np.meshgrid(*spans)])
        values = model.decision_function(grid)
        for k in range(values.shape[1]):
            look = {"colors": [ink()], "linewidths": 1.6, "linestyles": ["--"]}
            ax.contour(*spans, values[:, k].reshape(80, 80), levels=[0.0], **look)
        ax.set_title(f"{title}\n{values.shape[1]} problems")
    return axes[0]
