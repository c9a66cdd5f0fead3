"""The study of Melki (2018), checked against the published numbers and a small real run."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from softmargin.experiments import _melki_2018 as printed
from softmargin.experiments._ollawv_study import OLLAWVStudy
from softmargin.experiments._study import Settings

STUDY = OLLAWVStudy()
NAMES = {"ollawv": "OLLAWV", "nnisda": "NNISDA", "mnsvm": "MNSVM"}
OTHERS = {"knn": "KNN", "tree": "J48", "bayes": "Naive Bayes", "logistic": "Logistic"}


def records_of_the_paper():
    """Return records as if our runs had given what the paper prints."""
    records = {}
    for name, row in printed.TABLE_1_3.items():
        for key, label in NAMES.items():
            accuracy, seconds, share = row[label]
            records[f"{name}/{key}"] = {
                "rows": printed.DATASETS[name][0],
                "accuracy": accuracy,
                "deviation": 1.0,
                "seconds": seconds,
                "support_vectors": share,
                "c_has_effect": False,
                "classifiers": 2,
                "limited": 0,
            }
        for key, label in OTHERS.items():
            mean, deviation = printed.TABLE_1_5[name][label]
            records[f"{name}/{key}"] = {"accuracy": mean, "deviation": deviation}
    return records


def sections(records, size="large"):
    return {each.title: each for each in STUDY.sections(records, Settings(size))}


def claims(records, size="large"):
    return {claim.text: claim for each in sections(records, size).values() for claim in each.claims}


def claim(records, words, size="large"):
    (found,) = [each for text, each in claims(records, size).items() if words in text]
    return found


def test_the_papers_own_numbers_bear_out_its_claims_but_those_of_c_and_growth():
    found = claims(records_of_the_paper())
    failing = [text for text, each in found.items() if not each.holds]
    assert failing == [
        # The times of MN-SVM, which is slow on small data sets, grow with a lower power.
        "The time of OLLAWV grows more gradually with the number of samples (figure 1.6).",
        "C is a parameter of OLLAWV (the paper searches eight values of it).",
    ]


def test_the_papers_own_numbers_give_its_ranks_of_time_and_size():
    tables = sections(records_of_the_paper())["Friedman ranks"].tables
    for table in tables[1:]:
        for row in table.rows:
            ours, computed, as_printed = (cell.value for cell in row[1:])
            assert ours == computed == pytest.approx(as_printed, abs=2e-3)


def test_the_printed_ranks_of_accuracy_are_those_of_the_lowest_first():
    table = sections(records_of_the_paper())["Friedman ranks"].tables[0]
    for row in table.rows:
        _, computed, as_printed = (cell.value for cell in row[1:])
        assert computed == pytest.approx(4 - as_printed, abs=2e-3)


def test_an_accuracy_two_deviations_off_is_marked_and_named():
    records = records_of_the_paper()
    records["iris/ollawv"]["accuracy"] -= 3  # the paper's deviation is 1.49
    found = claim(records, "of table 1.3")
    assert found.holds is False
    assert "OLLAWV on iris" in found.evidence
    table = sections(records)["OLLAWV and two L2 SVMs"].tables[0]
    marked = [cell.text for row in table.rows for cell in row if cell.is_off]
    assert marked == ["94.33"]


def test_slower_and_larger_models_refute_the_claims():
    records = records_of_the_paper()
    for name in printed.TABLE_1_3:
        for what in ("seconds", "support_vectors"):
            records[f"{name}/ollawv"][what] *= 10
    assert claim(records, "two times as fast").holds is False
    assert claim(records, "1.7 times smaller").holds is False
    assert claim(records, "better than both others in runtime").holds is False
    assert claim(records, "except in one case").holds is False


def test_the_most_accurate_on_average_outperforms():
    records = records_of_the_paper()
    assert claim(records, "outperforms").holds
    assert "most accurate on 7, including ties" in claim(records, "outperforms").evidence
    for name in printed.TABLE_1_3:
        records[f"{name}/ollawv"]["accuracy"] -= 1
    assert claim(records, "outperforms").holds is False


def test_growth_is_the_power_that_fits_the_times_best():
    records = records_of_the_paper()
    for name, (rows, *_) in printed.DATASETS.items():
        for key, power in (("ollawv", 1.2), ("nnisda", 2.0), ("mnsvm", 1.7)):
            records[f"{name}/{key}"]["seconds"] = 1e-6 * rows**power
    found = claim(records, "more gradually")
    assert found.holds
    assert "1.20 for OLLAWV, 2.00 for NN-ISDA and 1.70 for MN-SVM" in found.evidence
    few = {key: record for key, record in records.items() if key.startswith(("iris/", "wine/"))}
    assert claim(few, "more gradually", "small").holds is None


def test_a_limit_that_ends_training_refutes_that_none_is_needed():
    records = records_of_the_paper()
    assert claim(records, "no maximum number").holds
    records["glass/ollawv"]["limited"] = 1
    found = claim(records, "no maximum number")
    assert found.holds is False
    assert "of 1 of 46 binary classifiers" in found.evidence


def test_with_few_sets_a_difference_that_is_not_significant_refutes_nothing():
    records = {
        key: record
        for key, record in records_of_the_paper().items()
        if key.split("/")[0] in ("iris", "wine", "sonar")
    }
    assert claim(records, "better than both others in runtime", "small").holds is None


@pytest.mark.parametrize("size", ["small", "medium", "large"])
def test_without_records_every_claim_is_open_and_the_papers_numbers_stand(size):
    assert all(each.holds is None for each in claims({}, size).values())
    table = sections({}, size)["OLLAWV and two L2 SVMs"].tables[0]
    assert [cell.text for cell in table.rows[0]] == [
        "iris",
        "–",
        "97.33",
        "–",
        "94.00",
        "–",
        "96.67",
    ]
    assert not table.foot


def test_an_incomplete_record_is_not_counted():
    records = records_of_the_paper()
    records["iris/ollawv"] |= {"complete": False, "accuracy": 0.0}
    table = sections(records)["OLLAWV and two L2 SVMs"].tables[0]
    assert table.rows[0][1].text == "–"


def test_a_task_runs_and_its_record_fills_the_tables(tmp_path):
    for name, load in (("iris", load_iris), ("wine", load_wine)):
        X, y = load(return_X_y=True)
        rows = np.sort(np.random.default_rng(0).permutation(len(y))[:90])
        np.savez(tmp_path / f"{name}.npz", X=X[rows], y=y[rows])
    settings = Settings("small", folder=str(tmp_path), n_jobs=1)
    wanted = [f"{name}/{key}" for name in ("iris", "wine") for key in (*NAMES, *OTHERS)]
    tasks = {task.key: task for task in STUDY.tasks(settings)}
    records = {key: tasks[key].run() for key in wanted}
    assert all(record["accuracy"] > 80 for record in records.values())
    assert records["iris/ollawv"]["c_has_effect"] is False
    assert records["iris/ollawv"]["classifiers"] == 3
    assert 0 <= records["iris/ollawv"]["limited"] <= 3
    found = {each.title: each for each in STUDY.sections(records, settings)}
    means = found["OLLAWV and two L2 SVMs"].tables[0].foot[0]
    assert means[0].text == "mean of 2"
    accuracies = [records[f"{name}/ollawv"]["accuracy"] for name in ("iris", "wine")]
    assert means[1].value == pytest.approx(np.mean(accuracies))


def test_rules_are_tried_only_where_they_end_in_time():
    def sets_with_rules(size):
        tasks = STUDY.tasks(Settings(size))
        return [task.key.split("/")[0] for task in tasks if task.key.endswith("/rules")]

    assert not sets_with_rules("small")
    assert set(sets_with_rules("large")) == {
        name
        for name, (rows, _, classes, _) in printed.DATASETS.items()
        if rows <= 400 and classes == 2
    }
