"""Report of a trained model: binary classifiers, support vectors, and optimality."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from softmargin.cli._regression_errors import RegressionErrors
from softmargin.cli._values import text_of

if TYPE_CHECKING:
    from softmargin._estimators.base import Estimator
    from softmargin.datasets import Dataset


def facts_of_model(
    fitted: Any, estimator: Estimator, data: Dataset, certified: bool
) -> dict[str, Any]:
    """Return the JSON description of a model that was trained on a data set.

    ``fitted`` is the estimator or a pipeline with it.
    """
    import numpy as np

    n_rows = data.n_rows
    machines = _machines(estimator, certified)
    facts: dict[str, Any] = {"machines": machines}
    facts["iterations"] = int(np.sum(estimator.n_iter_))
    status = getattr(estimator, "status_", None)
    is_known = status is not None
    facts["converged"] = all(each == "converged" for each in _each(status)) if is_known else None
    if hasattr(estimator, "support_"):
        facts["support_vectors"] = len(estimator.support_)
        facts["support_fraction"] = len(estimator.support_) / n_rows
        if hasattr(estimator, "classes_"):
            counts = zip(estimator.classes_, estimator.n_support_, strict=True)
            facts["support_by_class"] = {text_of(label): int(count) for label, count in counts}
        facts["kernel_evaluations"] = estimator.n_kernel_evals_
    if certified and "primal" in machines[0]:
        for name in ("primal", "dual"):
            facts[name] = sum(machine[name] for machine in machines)
        for name in ("gap", "violation"):
            facts[f"largest_{name}"] = max(machine[name] for machine in machines)
    if hasattr(estimator, "epsilon_"):
        facts["epsilon"] = estimator.epsilon_
    if certified and not hasattr(estimator, "classes_"):
        facts |= _fit_of(fitted, data)
    return facts


def _fit_of(fitted: Any, data: Dataset) -> dict[str, Any]:
    """Return the errors of the training targets, or the share of outliers without targets."""
    predicted = fitted.predict(data.X)
    if data.has_targets:
        return {"fit": RegressionErrors.of(predicted, data.y)._asdict()}
    n_outliers = int((predicted == -1).sum())
    return {"outliers": n_outliers, "outlier_fraction": n_outliers / data.n_rows}


def _machines(estimator: Any, certified: bool) -> list[dict[str, Any]]:
    """Return the JSON description of each binary classifier, or of the only machine."""
    is_single = not hasattr(estimator, "classes_")
    machines: list[dict[str, Any]] = (
        [{}] if is_single else [{"classes": pair} for pair in binary_classes(estimator)]
    )
    columns: dict[str, Any] = {
        "bias": estimator.intercept_,
        "status": getattr(estimator, "status_", None),
        # Linear methods count the iterations of all binary classifiers together.
        "iterations": estimator.n_iter_ if is_single or hasattr(estimator, "support_") else None,
        "C": getattr(estimator, "C_", None) if estimator._method == "nu-svc" else None,
    }
    for name, values in columns.items():
        if values is not None:
            for machine, value in zip(machines, _each(values), strict=True):
                machine[name] = value
    proofs = getattr(estimator, "certificate_", None) if certified else None
    for machine, proof in zip(machines, [] if proofs is None else _each(proofs), strict=False):
        machine.update(proof._asdict())
    return machines


def _each(values: Any) -> Any:
    """Return the values of all machines; those of a single one are not in a list."""
    is_one = isinstance(values, str | int | float) or hasattr(values, "_asdict")
    return [values] if is_one else values


def binary_classes(estimator: Any, labels: list[str] | None = None) -> list[tuple[str, str]]:
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
    if "classes" not in machines[0]:
        lines = {"status": machines[0]["status"]}
    if "support_vectors" in facts:
        share = 100 * facts["support_fraction"]
        lines["support vectors"] = f"{facts['support_vectors']:,} ({share:.1f} % of the samples)"
    lines["iterations"] = f"{facts['iterations']:,}"
    if "primal" in facts:
        largest = "largest " if "classes" in machines[0] else ""
        lines["objective"] = f"{facts['dual']:.6g} (dual), {facts['primal']:.6g} (primal)"
        lines[f"{largest}gap"] = f"{facts['largest_gap']:.3g}"
        lines[f"{largest}violation"] = f"{facts['largest_violation']:.3g}"
    if "epsilon" in facts:
        lines["epsilon"] = f"{facts['epsilon']:.6g}"
    if "fit" in facts:
        fit = facts["fit"]
        lines["training error"] = (
            f"{fit['mean_squared_error']:.6g} (mean squared), "
            f"{fit['mean_absolute_error']:.6g} (mean absolute)"
        )
        lines["squared correlation"] = f"{fit['squared_correlation']:.6g}"
    if "outliers" in facts:
        share = 100 * facts["outlier_fraction"]
        lines["outliers"] = f"{facts['outliers']:,} ({share:.1f} % of the samples)"
    return lines
