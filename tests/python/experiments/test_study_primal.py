"""The study of Duros and Katzman (2014): claims and entries follow the records and methods."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.svm import LinearSVC

import softmargin
from softmargin.experiments import _duros_katzman_2014 as printed
from softmargin.experiments import _primal_claims as claims
from softmargin.experiments._phrase_records import load_bag, run_entry, run_newton
from softmargin.experiments._primal_study import PrimalStudy
from softmargin.experiments._study import Settings

# As in a run of the study: records say what did not converge.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

STUDY = PrimalStudy()
FEW = ("GD", "SSG", "NM", "NM5", "NML")
WORDS = ["good", "bad", "fine", "dull", *(f"word{k}" for k in range(30))]


def entries(**of_method):
    """Return entries of two settings from accuracy and seconds of each method."""
    return {
        (name, mode, "bin"): {"accuracy": accuracy, "seconds": seconds, "largest": 0.6}
        for name, (accuracy, seconds) in of_method.items()
        for mode in ("bin", "multi")
    }


@pytest.mark.parametrize(
    ("power", "holds"), [(3.0, True), (2.8, True), (2.5, None), (2.2, False), (2.0, False)]
)
def test_growth_is_told_apart_by_its_power(power, holds):
    times = {n: 1e-9 * n**power for n in (1_000, 2_000, 4_000)}
    assert claims.exponents(times) == pytest.approx([power, power])
    assert claims.growth_claim(times).holds is holds
    assert "2.2, 1.9, 2.0 and 2.0" in claims.growth_claim(times).evidence  # the paper's
    del times[1_000]
    assert claims.growth_claim(times).holds is None


@pytest.mark.parametrize(
    ("gd", "ssg", "holds"),
    [
        ((0.80, 2.0), (0.81, 1.0), True),
        ((0.80, 2.0), (0.81, 3.0), False),
        ((0.80, 2.0), (0.77, 1.0), False),
        ((0.80, 2.0), None, None),
    ],
)
def test_pegasos_is_to_be_as_accurate_and_faster(gd, ssg, holds):
    found = entries(GD=gd) if ssg is None else entries(GD=gd, SSG=ssg)
    assert claims.pegasos_claim(found, "here").holds is holds


def test_newton_is_to_be_slower_and_not_better():
    slow, better = entries(SSG=(0.8, 1.0), NM=(0.79, 9.0)), entries(SSG=(0.8, 1.0), NM=(0.9, 9.0))
    assert claims.newton_claim(slow, "here").holds is True
    assert claims.newton_claim(better, "here").holds is False
    assert "+10.00 points" in claims.newton_claim(better, "here").evidence
    assert claims.newton_claim(entries(NM=(0.9, 9.0)), "here").holds is None
    assert claims.all_rows_claim(better).holds is False
    assert claims.all_rows_claim(entries(SSG=(0.8, 1.0))).holds is None


def test_five_steps_are_allowed_in_each_stage():
    assert claims.steps_claim({1_000: 5, 2_000: 10, 16_000: 25}).holds is True
    found = claims.steps_claim({1_000: 5, 2_000: 11})
    assert found.holds is False
    assert found.evidence == "5 steps for 1,000 samples and 11 steps for 2,000 samples (2 stages)."
    assert claims.steps_claim({1_000: 6}).holds is False
    assert claims.steps_claim({}).holds is None


def test_the_kernel_is_judged_by_the_accuracy_of_newton():
    for linear, holds in ((0.83, True), (0.81, False), (0.75, False)):
        found = claims.kernel_claim(entries(NM=(0.8, 1.0), NML=(linear, 1.0)), "here")
        assert found.holds is holds
    assert claims.kernel_claim(entries(NM=(0.8, 1.0)), "here").holds is None


def test_the_time_of_a_visit_is_told_but_decides_nothing():
    few, every = (
        {key: record | {"rows": rows} for key, record in entries(SSG=(0.8, seconds)).items()}
        for rows, seconds in ((1_000, 0.0045), (100_000, 0.09))
    )
    found = claims.visits_claim(few, every)
    assert found.holds is None
    assert "0.10 µs (1,000 phrases) and 0.20 µs (all)" in found.evidence
    assert claims.visits_claim({}, every).holds is None


def test_chance_is_the_share_of_the_largest_class():
    found = claims.chance_claim(entries(GD=(0.8, 1.0)), printed.TABLE_4, "here")
    assert found.holds is False
    assert "8.28 to 24.85 points above" in found.evidence
    assert claims.chance_claim({}, printed.TABLE_4, "here").holds is None


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """1,500 phrases in which four words count, and chance."""
    random, place = np.random.default_rng(1), tmp_path_factory.mktemp("corpus")
    lines = ["PhraseId\tSentenceId\tPhrase\tSentiment"]
    for k in range(1_500):
        words = random.choice(WORDS, size=6)
        is_good, is_bad = np.isin(words, ["good", "fine"]), np.isin(words, ["bad", "dull"])
        label = np.clip(2 + is_good.sum() - is_bad.sum() + random.integers(-1, 2), 0, 4)
        lines.append(f"{k}\t{k}\t{' '.join(words)} ,\t{label}")
    (place / "rotten_tomatoes_sst.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(place)


def test_an_entry_is_the_accuracy_of_its_method_in_rounds(folder):
    settings = Settings(folder=folder, n_jobs=1)
    found = run_entry("dual", "bin", "freq", None, 3, settings)
    phrases, labels = softmargin.load_phrases(f"{folder}/rotten_tomatoes_sst.tsv")
    X, y = CountVectorizer().fit_transform(phrases), labels > 2
    assert found["words"] == X.shape[1] == len(WORDS)
    assert found["largest"] == pytest.approx(max(y.mean(), 1 - y.mean()))
    scores = []
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(y))
        model = LinearSVC(loss="hinge", random_state=0, max_iter=100_000, **found["parameters"])
        model.fit(X[order[150:]], y[order[150:]])
        scores.append(model.score(X[order[:150]], y[order[:150]]))
    assert found["accuracy"] == pytest.approx(np.mean(scores), abs=0.005)
    assert found["deviation"] == pytest.approx(np.std(scores, ddof=1), abs=0.005)


def test_words_are_there_or_counted_without_punctuation(folder):
    phrases, labels = softmargin.load_phrases(f"{folder}/rotten_tomatoes_sst.tsv")
    counts = CountVectorizer().fit_transform(phrases).toarray()
    there, counted = (load_bag(None, "multi", features, folder) for features in ("bin", "freq"))
    np.testing.assert_array_equal(counted.X.toarray(), counts)
    np.testing.assert_array_equal(there.X.toarray(), counts > 0)
    np.testing.assert_array_equal(there.y, labels)


def test_a_small_run_fills_its_tables(folder):
    settings = Settings(folder=folder, n_jobs=1)
    tasks = {task.key: task for task in STUDY.tasks(settings)}
    keys = [f"1000 phrases/{name}/multi/bin" for name in FEW] + ["newton/1000"]
    records = {key: tasks[key].run() for key in keys}
    assert all(record["complete"] for record in records.values())
    assert all(records[key]["accuracy"] > records[key]["largest"] for key in keys[:-1])
    growth, _, few = STUDY.sections(records, settings)
    assert growth.tables[0].rows[0][3].value == records["newton/1000"]["steps"]
    shown = [row for row in few.tables[0].rows if row[3].value is not None]
    assert [row[0].text for row in shown] == [
        "gradient descent",
        "Pegasos",
        "Newton",
        "Newton, at most 5 full steps",
        "Newton, linear kernel",
    ]
    assert len(few.pictures) == 1


def test_without_records_the_paper_is_shown():
    for size in ("small", "medium", "large"):
        growth, every, few = STUDY.sections({}, Settings(size))
        assert [row[2].value for row in growth.tables[0].rows] == list(printed.TABLE_2.values())
        for section, paper in ((every, printed.TABLE_3), (few, printed.TABLE_4)):
            shown = [row[5].value for row in section.tables[0].rows]
            assert sorted(shown) == sorted(accuracy for accuracy, _ in paper.values())
        assert {c.holds for s in (growth, every, few) for c in s.claims} == {None}


def test_runs_that_are_out_of_time_are_not_complete(folder):
    settings = Settings(folder=folder, n_jobs=1, time_limit=1e-9)
    assert not run_entry("GD", "bin", "bin", 1_000, 2, settings)["complete"]
    found = run_newton(1_000, settings)
    assert found["complete"] == (found["seconds"] is not None)
