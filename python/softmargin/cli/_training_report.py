"""Report of a trained model: binary classifiers, support vectors, and optimality."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from softmargin.cli._values import text_of

if TYPE_CHECKING:
    from softmargin._estimators.base import Classifier


def facts_of_model(estimator: Classifier, n_rows: int, certified: bool) -> dict[str, Any]:
    """Return the JSON description of a model trained on ``n_rows`` samples."""
    import numpy as np

    machines = _binary_classifiers(estimator, certified)
    facts: dict[str, Any] = {"machines": machines}
    facts["iterations"] = int(np.sum(estimator.n_iter_))
    status = getattr(estimator, "status_", None)
    facts["converged"] = None if status is None else all(each == "converged" for each in status)
    if hasattr(estimator, "support_"):
        facts["support_vectors"] = len(estimator.support_)
        facts["support_fraction"] = len(estimator.support_) / n_rows
        counts = zip(estimator.classes_, estimator.n_support_, strict=True)
        facts["support_by_class"] = {text_of(label): int(count) for label, count in counts}
        facts["kernel_evaluations"] = estimator.n_kernel_evals_
    if certified and "primal" in machines[0]:
        for name in ("primal", "dual"):
            facts[name] = sum(machine[name] for machine in machines)
        for name in ("gap", "violation"):
            facts[f"largest_{name}"] = max(machine[name] for machine in machines)
    return facts


def _binary_classifiers(estimator: Classifier, certified: bool) -> list[dict[str, Any]]:
    """Return the JSON description of each binary classifier."""
    names = binary_classes(estimator)
    machines: list[dict[str, Any]] = [{"classes": pair} for pair in names]
    columns: dict[str, Any] = {
        "bias": estimator.intercept_,
        "status": getattr(estimator, "status_", None),
        # Linear methods count the iterations of all binary classifiers together.
        "iterations": estimator.n_iter_ if hasattr(estimator, "support_") else None,
    }
    for name, values in columns.items():
        if values is not None:
            for machine, value in zip(machines, values, strict=True):
                machine[name] = value
    proofs = getattr(estimator, "certificate_", None) if certified else None
    for machine, proof in zip(machines, proofs or [], strict=False):
        machine.update(proof._asdict())
    return machines


def binary_classes(estimator: Classifier, labels: list[str] | None = None) -> list[tuple[str, str]]:
    """Return the two classes of each binary classifier, in the order of the intercepts.

    ``labels`` are the classes as text.
    """
    labels = labels or [text_of(label) for label in estimator.classes_]
    if len(labels) == 2:
        return [(labels[0], labels[1])]
    if estimator.multi_class == "ovr":
        return [(label, "rest") for label in labels]
    if estimator.multi_class == "ordinal":
        return list(itertools.pairwise(labels))
    return list(itertools.combinations(labels, 2))


def lines_of_model(facts: dict[str, Any]) -> dict[str, str]:
    """Return the lines of a table, which summarize all binary classifiers."""
    machines = facts["machines"]
    n_converged = sum(machine.get("status") == "converged" for machine in machines)
    ends = {None: "", True: ", converged", False: f", {n_converged} converged"}
    lines = {"binary classifiers": f"{len(machines):,}{ends[facts['converged']]}"}
    if "support_vectors" in facts:
        share = 100 * facts["support_fraction"]
        lines["support vectors"] = f"{facts['support_vectors']:,} ({share:.1f} % of the samples)"
    lines["iterations"] = f"{facts['iterations']:,}"
    if "primal" in facts:
        lines["objective"] = f"{facts['dual']:.6g} (dual), {facts['primal']:.6g} (primal)"
        lines["largest gap"] = f"{facts['largest_gap']:.3g}"
        lines["largest violation"] = f"{facts['largest_violation']:.3g}"
    return lines
