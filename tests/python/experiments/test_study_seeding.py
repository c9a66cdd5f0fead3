"""The study of Nguyen and Ho (2005): claims follow the records, and solutions are those of other
solvers.
"""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVC

from softmargin.experiments import _seeding_claims as claims
from softmargin.experiments._savings import Run, key_of, saved, saved_at, shared
from softmargin.experiments._seeding_study import SeedingStudy
from softmargin.experiments._series import cells_of
from softmargin.experiments._study import Settings

# As in a run of the study: records say what did not converge.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

STUDY = SeedingStudy()
WAYS = ("alone", "random", "queue", "coefficients")
SHAPE = {"rows": 90, "test_rows": 10, "features": 4, "split": "as published"}


def record(
    queue=0.5,
    coefficients=0.25,
    random=1.0,
    apart=1e-8,
    same=100.0,
    unfinished=0,
    common=80,
    chosen=None,
):
    """Return a record of a linear series in which ways take shares of the time alone."""
    cells, shares = cells_of("linear", is_thin=True), (1.0, random, queue, coefficients)
    chosen = chosen or [80, 90, 89, 85]
    machines = {}
    for what in ("loops", "steps", "values", "seconds"):
        for way, share in zip(WAYS, shares, strict=True):
            machines[f"{what}_{way}"] = [1_000.0] + [100 * share] * (len(cells) - 1)
    for way in WAYS:
        machines[f"unfinished_{way}"] = [unfinished] * len(cells)
        machines[f"objective_{way}"] = [apart] * len(cells)
        machines[f"same_{way}"] = [same] * len(cells)
        machines[f"clear_{way}"] = [75.0] * len(cells)
        machines[f"accuracy_{way}"] = [80, 90, 89, 85]
    machines["accuracy_queue"] = chosen
    totals = {key: sum(each[1:]) for key, each in machines.items()}
    vectors = {"vectors_first": 90, "vectors_second": 100, "vectors_common": common}
    return {"cells": cells, "machines": machines, "complete": True, **SHAPE, **totals, **vectors}


def runs(family="rbf", **of_record):
    return [Run("satimage", family, True, record(**of_record)), Run("letter", family, True, {})]


def test_savings_leave_out_the_first_setting():
    (run, nothing) = runs(queue=0.6, coefficients=1.5)
    assert saved(run, "loops", "queue") == pytest.approx(40)
    assert saved(run, "seconds", "coefficients") == pytest.approx(-50)
    assert saved(runs(queue=0.6, random=2.0)[0], "loops", "queue", "random") == pytest.approx(70)
    assert saved_at(run, 7, "queue") == pytest.approx(40)
    assert saved_at(run, 1, "queue") is None
    assert shared(run) == 80
    assert saved(nothing, "loops", "queue") is saved_at(nothing, 7, "queue") is None
    assert shared(nothing) is None


def of_loops(than):
    return lambda found: claims.loops_claim(found, "own", than)


def of_time(than):
    return lambda found: claims.time_claim(found, "own", than)


@pytest.mark.parametrize(
    ("make", "good", "bad"),
    [
        (claims.common_claim, {"common": 51}, {"common": 50}),
        (of_loops("alone"), {"queue": 0.99, "random": 0.5}, {"queue": 1.0, "random": 2.0}),
        (of_loops("random"), {"queue": 1.99, "random": 2.0}, {"queue": 0.5, "random": 0.5}),
        (of_time("alone"), {"queue": 0.77, "random": 0.5}, {"queue": 0.78, "random": 2.0}),
        (of_time("random"), {"queue": 1.54, "random": 2.0}, {"queue": 0.4, "random": 0.5}),
        (claims.solutions_claim, {"apart": 1e-4, "same": 99.95}, {"apart": 2e-3}),
        (claims.solutions_claim, {"same": 99.9}, {"same": 99.8}),
        (claims.selection_claim, {"chosen": [0, 70, 0, 0]}, {"chosen": [0, 0, 70, 0]}),
        (claims.kernels_claim, {"coefficients": 1.2}, {"coefficients": 0.9}),
    ],
)
def test_a_claim_holds_or_does_not_by_its_records(make, good, bad):
    assert make(runs(**good)).holds is True
    assert make(runs(**bad)).holds is False
    assert make([Run("satimage", "rbf", True, {})]).holds is None


def test_a_selection_that_changes_is_told_with_the_labels_that_were_not_clear():
    found = claims.selection_claim(runs(chosen=[0, 0, 70, 0]))
    assert "1 of 2 seeded series" in found.evidence
    assert "1.00 points less accurate (satimage, RBF)" in found.evidence
    assert "25 % of the test samples" in found.evidence


def test_machines_that_did_not_converge_say_nothing_about_the_result():
    found = claims.solutions_claim(runs(unfinished=1, apart=0.5))
    assert found.holds is None
    assert "did not converge" in found.evidence


@pytest.mark.parametrize("size", ["small", "medium", "large"])
@pytest.mark.parametrize("is_run", [False, True])
def test_sections_are_made_of_any_records(size, is_run):
    is_thin = size == "small"
    known = {key_of("satimage", "linear", False, is_thin): record(random=2.0)} if is_run else {}
    sections = STUDY.sections(known, Settings(size))
    tables = [table for section in sections for table in section.tables]
    assert all(len(row) == len(table.columns) for table in tables for row in table.rows)
    said = {row[0].text: row for row in tables[-1].rows}["satimage, linear, C = 7"]
    assert said[1].value == 85.5
    assert [cell.value for cell in said[5:]] == (
        [pytest.approx(share) for share in (75, 50, 75)] if is_run else [None] * 3
    )
    assert len(sections[1].pictures) == is_run


@pytest.fixture
def wine(tmp_path):
    X, y = load_wine(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    np.savez(tmp_path / "satimage.npz", X=X[order].astype(np.float32), y=y[order], n_train=120)
    return tmp_path


def test_a_series_has_the_machines_of_another_solver(wine):
    settings = Settings(folder=str(wine), n_jobs=1)
    tasks = {task.key: task for task in STUDY.tasks(settings)}
    found = {key: task.run() for key, task in tasks.items()}
    of_linear = found[key_of("satimage", "linear", True, True)]
    data = np.load(wine / "satimage.npz")
    X = minmax_scale(data["X"][:120].astype(float))
    for name, cost in (("first", 1), ("second", 2)):
        machines = [SVC(kernel="linear", C=cost).fit(X, data["y"][:120] == c) for c in range(3)]
        n_vectors = sum(len(machine.support_) for machine in machines)
        assert of_linear[f"vectors_{name}"] == pytest.approx(n_vectors, abs=3)
    assert all(record["complete"] for record in found.values())
    # On so few samples, no way is sure to take fewer steps.
    assert all(of_linear[f"steps_{way}"] > 0 for way in WAYS)
    sections = STUDY.sections(found, settings)
    (same,) = [c for s in sections for c in s.claims if "change the result" in c.text]
    assert same.holds


def test_a_series_that_is_out_of_time_is_not_complete(wine):
    settings = Settings(folder=str(wine), n_jobs=1, time_limit=1e-9)
    task = STUDY.tasks(settings)[0]
    found = task.run()
    assert not found["complete"]
    assert STUDY.sections({task.key: found}, settings)
