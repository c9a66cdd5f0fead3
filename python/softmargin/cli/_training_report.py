"""What a trained estimator tells: machines, support vectors, how near the optimum is."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from softmargin.cli._values import text_of

if TYPE_CHECKING:
    from softmargin._estimators.base import Classifier


def facts_of_model(estimator: Classifier, n_rows: int, certified: bool) -> dict[str, Any]:
    """Return what a JSON document tells about a model that was trained on some rows."""
    import numpy as np

    machines = _machines(estimator, certified)
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


def _machines(estimator: Classifier, certified: bool) -> list[dict[str, Any]]:
    """Return what is known of each machine."""
    names = names_of_machines(estimator)
    machines: list[dict[str, Any]] = [{"classes": pair} for pair in names]
    columns: dict[str, Any] = {
        "bias": estimator.intercept_,
        "status": getattr(estimator, "status_", None),
        # Linear methods count them together.
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


def names_of_machines(
    estimator: Classifier, labels: list[str] | None = None
) -> list[tuple[str, str]]:
    """Return the classes that each machine tells apart, in the order of the intercepts.

    ``labels`` are the classes as they are to be written.
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
    """Return the same for a table, machines taken together."""
    machines = facts["machines"]
    n_converged = sum(machine.get("status") == "converged" for machine in machines)
    ends = {None: "", True: ", converged", False: f", {n_converged} converged"}
    lines = {"machines": f"{len(machines):,}{ends[facts['converged']]}"}
    if "support_vectors" in facts:
        share = 100 * facts["support_fraction"]
        lines["support vectors"] = f"{facts['support_vectors']:,} ({share:.1f} % of the rows)"
    lines["iterations"] = f"{facts['iterations']:,}"
    if "primal" in facts:
        lines["objective"] = f"{facts['dual']:.6g} (dual), {facts['primal']:.6g} (primal)"
        lines["largest gap"] = f"{facts['largest_gap']:.3g}"
        lines["largest violation"] = f"{facts['largest_violation']:.3g}"
    return lines
