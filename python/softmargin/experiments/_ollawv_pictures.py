"""The pictures of the study of OLLAWV."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import softmargin
from softmargin.experiments._findings import Column, Picture, Section, Table, number, word
from softmargin.experiments._paper_tables import Numbers, common
from softmargin.experiments._study import Record

SIZES_1_1 = (200, 2_000)


def classifiers(n_rows: int) -> dict[str, Any]:
    """Return the two classifiers of figure 1.1, trained on this many samples."""
    data = softmargin.datasets.two_gaussians(n_rows, random_state=0)
    return {
        "OLLAWV": softmargin.OLLAWV(gamma=0.25, margin=0.1, max_sv_fraction=0.5).fit(
            data.X, data.y
        ),
        "SVC": softmargin.SVC(gamma=0.25, C=1.0).fit(data.X, data.y),
    }


def boundary_section(record: Record | None) -> Section:
    """Return figure 1.1 with the error of each classifier."""
    rows = []
    if record is not None:
        for n in SIZES_1_1:
            values = [record.get(f"OLLAWV-{n}"), record.get(f"SVC-{n}"), record.get("bayes")]
            rows.append([word(f"{n:,} samples"), *map(number, values)])
    columns = [Column("trained on", is_number=False), *map(Column, ("OLLAWV", "SVC", "Bayes"))]
    return Section(
        "Two Gaussian classes (figure 1.1)",
        "The paper does not state means and covariances; ours are in "
        "softmargin.datasets.two_gaussians. With more samples both decision boundaries approach "
        "the Bayes boundary, which has the smallest possible error.",
        [Table("Error on 20,000 test samples, %", columns, rows)] if rows else [],
        [_boundary(n) for n in SIZES_1_1],
    )


def _boundary(n_rows: int) -> Picture:
    def draw() -> Any:
        import matplotlib.pyplot as plt

        from softmargin import plots

        data = softmargin.datasets.two_gaussians(n_rows, random_state=0)
        figure, axes = plt.subplots(1, 2, figsize=(10.5, 4.4), layout="constrained")
        for ax, (label, model) in zip(axes, classifiers(n_rows).items(), strict=True):
            margin = model.margin if isinstance(model, softmargin.OLLAWV) else 1.0
            plots.decision_boundary(
                model,
                data.X,
                data.y,
                ax=ax,
                margin=margin,
                bayes=softmargin.datasets.bayes_decision,
            )
            ax.set_title(label)
        return figure

    title = f"Figure 1.1: OLLAWV and SVC, {n_rows:,} samples"
    caption = "Decision boundary, margin and support vectors of both, and the Bayes boundary."
    return Picture(f"figure-1.1-{n_rows}", title, caption, draw)


def mean_accuracies(ours: Numbers, paper: Numbers, methods: Mapping[str, str]) -> Picture | None:
    """Return figure 1.9: mean accuracies, ours and the published ones, over the same data sets."""
    sets = [name for name in common(ours, list(methods)) if name in paper]
    if not sets:
        return None

    def draw() -> Any:
        from softmargin import plots

        bars = {
            whose: [float(np.mean([numbers[name][key] for name in sets])) for key in methods]
            for whose, numbers in (("ours", ours), ("paper", paper))
        }
        return plots.accuracy_bars(bars, sets=list(methods.values()), perfect=100)

    caption = f"Means over the {len(sets)} data sets that were run with all of these methods."
    return Picture("figure-1.9", "Figure 1.9: mean accuracy", caption, draw)
