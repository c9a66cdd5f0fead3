"""The figures of the result pages, from the tables on these pages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib import pyplot as plt

from drawing import panels, picture
from softmargin import OLLAWV, SVC, plots
from softmargin.datasets import bayes_decision, two_gaussians
from softmargin.experiments._melki_2018 import DATASETS
from softmargin.plots._look import COLOURS, DASHES, HATCHES, MARKS, tidy
from softmargin.statistics import compare
from tables import page_table

THREE = ("OLLAWV", "NN-ISDA", "MN-SVM")
FIVE = ("OLLAWV", "k-NN", "J48", "naive Bayes", "logistic")
NLSGD = ("NL-SGD", "NN-ISDA", "MN-SVM")


def _ours(page: str, title: str, methods: tuple[str, ...]) -> tuple[list[str], dict[str, Any]]:
    """Return the data sets of a table, and our numbers of each method."""
    rows = page_table(page, title)
    numbers = {name: [row.get(f"{name} ours", np.nan) for row in rows] for name in methods}
    return [row["data set"] for row in rows], numbers


def _growth(page: str, title: str, methods: tuple[str, ...], label: str, **more: Any) -> Any:
    sets, numbers = _ours(page, title, methods)
    sizes = {name: DATASETS[name][0] for name in sets}
    series = {name: (list(sizes.values()), of) for name, of in numbers.items()}
    _, ax = panels(1, 1, 4.6)
    return plots.growth(series, label, ax, sets=sizes, **more)


@picture("results-ollawv-time")
def ollawv_time() -> Any:
    """Draw the time of nested runs by the size of the data set."""
    return _growth("ollawv", "Table 1.3: runtime, s", THREE, "Nested cross-validation (s)")


@picture("results-ollawv-support")
def ollawv_support() -> Any:
    """Draw the share of support vectors by the size of the data set."""
    title = "Table 1.3: support vectors, %"
    return _growth("ollawv", title, THREE, "Support vectors (%)", yscale="linear")


@picture("results-ollawv-accuracy")
def ollawv_accuracy() -> Any:
    """Draw the accuracies of table 1.3."""
    sets, numbers = _ours("ollawv", "Table 1.3: accuracy, %", THREE)
    _, ax = panels(1, 1, 7.4, width=5.4)
    return plots.accuracy_bars(numbers, ax=ax, sets=sets, perfect=100, horizontal=True)


@picture("results-ollawv-means")
def ollawv_means() -> Any:
    """Draw mean accuracies, ours and those of the paper."""
    rows = page_table("ollawv", "Table 1.5: accuracy, %")
    bars = {
        whose: [np.mean([row[f"{name} {whose}"] for row in rows]) for name in FIVE]
        for whose in ("ours", "paper")
    }
    _, ax = panels(1, 1, 3.2)
    return plots.accuracy_bars(bars, ax=ax, sets=FIVE, perfect=100)


@picture("critical-difference")
def critical_difference() -> Any:
    """Draw the ranks of table 1.5 and their critical difference."""
    return plots.critical_difference(_ranks())


@picture("critical-difference-nemenyi")
def critical_difference_nemenyi() -> Any:
    """Draw the groups of methods of table 1.5 that do not differ."""
    return plots.critical_difference(_ranks(), test="nemenyi")


def _ranks() -> Any:
    """Return the comparison of table 1.5 with the ranks of the page.

    Those of its accuracies, which are rounded, would have more ties.
    """
    _, numbers = _ours("ollawv", "Table 1.5: accuracy, %", FIVE)
    rows = page_table("ollawv", "Accuracy: mean ranks", "## OLLAWV and methods other than SVMs")
    ranks = {row["method"]: row["ours"] for row in rows}
    return replace(compare(numbers), ranks=np.array([ranks[name] for name in FIVE]))


@picture("results-gaussians")
def gaussians() -> Any:
    """Draw figure 1.1 of Melki (2018): both classifiers and the Bayes boundary."""
    data = two_gaussians(200, random_state=0)
    models = {
        "OLLAWV": OLLAWV(gamma=0.25, margin=0.1, max_sv_fraction=0.5),
        "SVC": SVC(gamma=0.25, C=1.0),
    }
    figure, axes = panels(1, 2, 3.4)
    for ax, (name, model) in zip(axes, models.items(), strict=True):
        model.fit(data.X, 2 * data.y - 1)
        margin = model.margin if name == "OLLAWV" else 1.0
        plots.decision_boundary(
            model, data.X, 2 * data.y - 1, ax, margin=margin, bayes=bayes_decision, resolution=150
        )
        handles = list(ax.get_legend().legend_handles)
        ax.get_legend().remove()
        ax.set(title=f"{name}: {len(model.support_)} support vectors", xlabel="", ylabel="")
    handles[-1].set_label("support vectors")
    handles[3].set_label("margin")
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
    return figure


@picture("results-nlsgd-accuracy")
def nlsgd_accuracy() -> Any:
    """Draw the accuracies of table II."""
    sets, numbers = _ours("nlsgd", "Table II: accuracy, %", NLSGD)
    _, ax = panels(1, 1, 5.6, width=5.4)
    return plots.accuracy_bars(numbers, ax=ax, sets=sets, perfect=100, horizontal=True)


@picture("results-nlsgd-time")
def nlsgd_time() -> Any:
    """Draw the times of table III by the size of the data set."""
    return _growth("nlsgd", "Table III: time, s", NLSGD, "Nested cross-validation (s)")


@picture("results-primal-newton")
def primal_newton() -> Any:
    """Draw the time of Newton's method by the number of samples."""
    rows = page_table("primal", "Table 2: time of Newton's method")
    sizes = [row["samples"] for row in rows]
    series = {
        name: (sizes, [row.get(f"time, s {whose}", np.nan) for row in rows])
        for name, whose in (("Softmargin", "ours"), ("Duros and Katzman (2014)", "paper"))
    }
    _, ax = panels(1, 1, 3.4)
    return plots.growth(series, ax=ax)


@picture("results-primal-accuracy")
def primal_accuracy() -> Any:
    """Draw the accuracies of table 3, with the share of the largest class."""
    rows = [
        row for row in page_table("primal", "Table 3: all phrases") if row["features"] == "words"
    ]
    methods = list(dict.fromkeys(row["method"] for row in rows))
    labels = ("two", "five")

    def numbers(column: str) -> dict[str, list[float]]:
        found = {(row["method"], row["labels"]): row.get(column, np.nan) for row in rows}
        return {name: [found[name, each] for each in labels] for name in methods}

    largest = [
        next(row["largest class"] for row in rows if row["labels"] == each) for each in labels
    ]
    _, ax = panels(1, 1, 3.4)
    bars = {"largest class": largest} | numbers("accuracy ours")
    spread = {"largest class": [np.nan, np.nan]} | numbers("accuracy deviation")
    return plots.accuracy_bars(
        bars, spread, ax, sets=[f"{each} labels" for each in labels], floor=0
    )


@picture("results-seeding-loops")
def seeding_loops() -> Any:
    """Draw the loops of both ways of seeding, relative to training alone."""
    return _saved("Figure 2: loops, total of a series", "Loops (% of training from scratch)")


@picture("results-seeding-time")
def seeding_time() -> Any:
    """Draw the time of both ways of seeding, relative to training alone."""
    title = "Figure 2: time in seconds, total of a series"
    return _saved(title, "Time (% of training from scratch)")


def _saved(title: str, label: str) -> Any:
    rows = page_table("seeding", title)
    names = [f"{row['series']},\n{_working_set(row['working set'])}" for row in rows]
    _, ax = panels(1, 1, 4.2)
    thick = 0.36
    for k, way in enumerate(("queue", "coefficients")):
        lengths = [100 * row[f"{way} sum"] / row["alone"] for row in rows]
        places = np.arange(len(rows)) + (k - 0.5) * thick
        look = {"facecolor": (COLOURS[k], 0.55), "edgecolor": COLOURS[k], "hatch": HATCHES[k]}
        ax.barh(places, lengths, thick, label=way, **look)
        for place, length in zip(places, lengths, strict=True):
            ax.annotate(
                f"{length:.0f}",
                (length, place),
                xytext=(4, 0),
                va="center",
                textcoords="offset points",
                fontsize=9,
            )
    ax.axvline(100, color=plt.rcParams["text.color"], linewidth=1, linestyle="--")
    ax.set_yticks(range(len(rows)), names)
    ax.set(ylim=(len(rows) - 0.4, -0.6), xlabel=label, xlim=(0, 130))
    tidy(ax, "x")
    handles, labels = ax.get_legend_handles_labels()
    ax.figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False)
    return ax


def _working_set(value: Any) -> str:
    return "default set" if value == "default" else f"set of {value:,.0f}"


@picture("results-sgd-steps")
def sgd_steps() -> Any:
    """Draw the accuracy of each rule after 100, 1,000 and 10,000 steps and at the end."""
    rows = page_table("sgd-variants", "Accuracy by steps")
    columns = (
        "accuracy after 100 steps, %",
        "after 1,000 steps",
        "after 10,000 steps",
        "final accuracy, %",
    )
    figure, axes = panels(1, 3, 3.2, sharey=True)
    for ax, name in zip(axes, ("mnist", "letter", "usps"), strict=True):
        for k, row in enumerate(row for row in rows if row["data set"] == name):
            look = {"color": COLOURS[k], "linestyle": DASHES[k], "marker": MARKS[k]}
            ax.plot([row[each] for each in columns], label=row["rule"], markersize=4.5, **look)
        ax.set_xticks(range(4), ["100", "1k", "10k", "end"])
        ax.set(title=name, xlabel="Steps")
        tidy(ax)
    axes[0].set_ylabel("Accuracy (%)")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside upper center",
        ncols=5,
        frameon=False,
        handlelength=2.4,
        columnspacing=1.0,
    )
    return figure


@picture("results-sgd-accuracy")
def sgd_accuracy() -> Any:
    """Draw the accuracies of table 2 beside those of the paper."""
    rules = ("Pegasos", "Momentum", "RMSprop", "NAG")
    rows = page_table("sgd-variants", "Table 2: accuracy on the test part, %")
    ends = page_table("sgd-variants", "Accuracy by steps")
    spread = {(row["data set"], row["rule"]): row["deviation"] for row in ends}
    rows = [row for row in rows if "Pegasos ours" in row and "Pegasos paper" in row]
    figure, axes = panels(1, len(rows), 2.7, sharey=True)
    for ax, row in zip(axes, rows, strict=True):
        name = row["data set"]
        ours, paper = ([row[f"{rule} {whose}"] for rule in rules] for whose in ("ours", "paper"))
        errors = [spread[name, rule] for rule in rules]
        look = {"linestyle": "none", "markersize": 6}
        ax.errorbar(ours, range(4), xerr=errors, marker="o", color=COLOURS[0], label="ours", **look)
        ax.plot(paper, range(4), marker="D", color=COLOURS[1], label="Lu and Jin (2017)", **look)
        ax.set(title=name, xlabel="Accuracy (%)", ylim=(3.5, -0.5))
        ax.set_yticks(range(4), rules)
        tidy(ax)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False)
    return figure
