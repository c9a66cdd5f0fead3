"""Ordinal machines take the order of classes that labels state; text without one warns."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import model_selection
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_score

import softmargin
from commands import call
from estimators import CLASSIFIERS, each

# Neither alphabetical nor the order of the numbers.
NAMES = np.array(["poor", "fair", "good", "best"], dtype=object)
NUMBERS = np.array([7, 1, 5, 3])
ALPHABET = "'best' < 'fair' < 'good' < 'poor'"


def grades(n=240):
    """Rows along a line, which four grades cut into pieces."""
    rng = np.random.default_rng(2)
    level = rng.normal(size=n)
    X = np.c_[level + 0.2 * rng.normal(size=n), rng.normal(size=n)]
    return X, np.digitize(level, [-1.0, 0.0, 1.0])


def ordered(labels, codes):
    """Labels with an order, and with categories that no row has."""
    unused = ["none"] if labels is NAMES else [99]
    categories = [*unused, *labels.tolist()]
    return pd.Series(pd.Categorical(labels[codes], categories=categories, ordered=True))


FORMS = {
    "Series": lambda codes: ordered(NAMES, codes),
    "Categorical": lambda codes: pd.Categorical(ordered(NAMES, codes)),
    "numbers": lambda codes: ordered(NUMBERS, codes),
    "Enum": lambda codes: pl.Series(NAMES[codes].tolist(), dtype=pl.Enum([*NAMES, "none"])),
}


@pytest.mark.case(116)
@pytest.mark.parametrize("form", FORMS)
@each(CLASSIFIERS)
def test_a_stated_order_gives_the_model_of_integers_in_that_order(estimator, form):
    X, codes = grades()
    estimator.set_params(multi_class="ordinal")
    plain = clone(estimator).fit(X, codes)
    model = clone(estimator).fit(X, FORMS[form](codes))
    labels = NUMBERS if form == "numbers" else NAMES
    assert model.classes_.tolist() == labels.tolist()
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))
    np.testing.assert_array_equal(model.predict(X), labels[plain.predict(X)])
    assert model.score(X, labels[codes]) == plain.score(X, codes)


@pytest.mark.case(116)
@each(CLASSIFIERS)
def test_other_schemes_keep_the_sorted_order_of_scikit_learn(estimator):
    X, codes = grades()
    model = clone(estimator).fit(X, ordered(NAMES, codes))
    plain = clone(estimator).fit(X, NAMES[codes])
    assert model.classes_.tolist() == sorted(NAMES)
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))


@pytest.mark.case(116)
@each(CLASSIFIERS)
def test_text_without_an_order_warns_in_one_sentence(estimator):
    X, codes = grades()
    estimator.set_params(multi_class="ordinal")
    sentence = (
        f"alphabetical order of the text labels: {ALPHABET}. To set a different order.*Categorical"
    )
    for labels in (NAMES[codes], pd.Series(NAMES[codes], dtype="category")):
        with pytest.warns(UserWarning, match=sentence) as caught:
            model = estimator.fit(X, labels)
        assert len(caught) == 1
        assert caught[0].filename == __file__
        assert model.classes_.tolist() == sorted(NAMES)


@each(CLASSIFIERS)
def test_two_classes_stay_sorted_as_scikit_learns_scorers_need_it(estimator):
    X, codes = grades()
    y = pd.Series(pd.Categorical(NAMES[codes // 2], categories=NAMES[:2], ordered=True))
    model = estimator.set_params(multi_class="ordinal").fit(X, y)
    assert model.classes_.tolist() == ["fair", "poor"]
    scorer = cross_val_score(model, X, y, scoring="roc_auc")
    assert scorer.min() > 0.9
    assert roc_auc_score(y, model.decision_function(X)) > 0.9


@each(CLASSIFIERS)
def test_the_order_outlives_files_and_pickles(estimator, again):
    X, codes = grades()
    for labels in (NAMES, NUMBERS):
        model = clone(estimator).set_params(multi_class="ordinal", class_weight={labels[3]: 2.0})
        model.fit(X, ordered(labels, codes))
        for same in (again(model), pickle.loads(pickle.dumps(model))):
            assert same.classes_.tolist() == labels.tolist()
            np.testing.assert_array_equal(same.predict(X), model.predict(X))
        plain = clone(model).set_params(class_weight={3: 2.0}).fit(X, codes)
        np.testing.assert_array_equal(model.predict(X), labels[plain.predict(X)])


def test_a_frame_of_one_column_states_its_order():
    X, codes = grades()
    with pytest.warns(match="column-vector"):
        model = softmargin.SVC(multi_class="ordinal").fit(X, ordered(NAMES, codes).to_frame())
    assert model.classes_.tolist() == NAMES.tolist()


def scores_of(search):
    """Return the mean score of each candidate."""
    found = search.cv_results_
    cells = [repr(sorted(cell.items())) for cell in found["params"]]
    return dict(zip(cells, found["mean_test_score"], strict=True))


@pytest.mark.parametrize("search", [softmargin.GridSearchCV, softmargin.PatternSearchCV])
def test_a_search_gives_the_scores_of_integers_in_that_order(search):
    X, codes = grades()
    grid = {"C": [0.1, 1.0], "multi_class": ["ordinal", "ovo", "ovr"], "class_weight": [None]}
    grid["class_weight"] += ["balanced"]
    splits = list(model_selection.StratifiedKFold(3).split(X, codes))
    y = ordered(NAMES, codes)
    found = search(softmargin.SVC(), grid, cv=splits).fit(X, y)
    assert found.used_engine_
    loop = model_selection.GridSearchCV(softmargin.SVC(), grid, cv=splits).fit(X, y)
    scores = scores_of(loop)
    for cell, score in scores_of(found).items():
        assert score == pytest.approx(scores[cell])
    fixed = {"multi_class": ["ordinal"], "class_weight": [dict.fromkeys(NAMES, 2.0) | {"best": 1}]}
    best = search(softmargin.SVC(), fixed, cv=splits).fit(X, y)
    loop = model_selection.GridSearchCV(softmargin.SVC(), fixed, cv=splits).fit(X, y)
    assert best.best_score_ == loop.best_score_
    assert best.classes_.tolist() == NAMES.tolist()


def test_nested_cv_gives_the_scores_of_integers_in_that_order():
    X, codes = grades()
    folds = {"outer": model_selection.StratifiedKFold(3), "inner": 2, "random_state": 0}
    arguments = {"grid": {"C": [1.0], "class_weight": [None, "balanced"]}, **folds}
    model = softmargin.SVC(multi_class="ordinal")
    y = ordered(NAMES, codes)
    found = softmargin.nested_cv(X, y, model, scale=None, **arguments)
    for fold, (train, test) in enumerate(model_selection.StratifiedKFold(3).split(X, y)):
        chosen = clone(model).set_params(**found.best_params[fold]).fit(X[train], codes[train])
        assert found.outer_scores[fold] == chosen.score(X[test], codes[test])
    assert found.refit().classes_.tolist() == NAMES.tolist()


@pytest.mark.case(101, 116, of="nested_cv")
@pytest.mark.parametrize("form", ["Series", "Enum"])
def test_nested_cv_gives_an_own_class_the_order_too(form):
    class Own(softmargin.SVC):
        def predict(self, X):
            return super().predict(X)

    X, codes = grades(120)
    run = {"grid": {"C": [1.0, 10.0]}, "outer": 2, "inner": 2, "random_state": 0, "n_jobs": 1}
    own, plain = (
        softmargin.nested_cv(X, FORMS[form](codes), kind(multi_class="ordinal"), **run)
        for kind in (Own, softmargin.SVC)
    )
    np.testing.assert_array_equal(own.inner_scores, plain.inner_scores)


def test_searches_warn_once_of_text(tmp_path):
    X, codes = grades()
    model, y = softmargin.SVC(multi_class="ordinal"), NAMES[codes]
    calls = {
        "fit": lambda: softmargin.fit(X, y, "svc", multi_class="ordinal"),
        "search": lambda: softmargin.GridSearchCV(model, {"C": [1.0, 2.0]}).fit(X, y),
        "nested": lambda: softmargin.nested_cv(X, y, model, {"C": [1.0]}, outer=2, inner=2).refit(),
    }
    for made in calls.values():
        with pytest.warns(UserWarning, match=ALPHABET) as caught:
            made()
        assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize("command", ["train", "cv"])
def test_the_command_line_names_the_order_of_text(tmp_path, command):
    X, codes = grades()
    table = tmp_path / "table.csv"
    pd.DataFrame(X, columns=["x", "z"]).assign(grade=NAMES[codes]).to_csv(table, index=False)
    model = [tmp_path / "a.model"] if command == "train" else []
    result = call(command, table, *model, "--multi-class", "ordinal")
    assert result.exit_code == 0
    assert result.stderr.count(ALPHABET) == 1


@pytest.mark.parametrize("kind", [softmargin.SVC, softmargin.LinearSVC])
def test_a_graph_has_the_classes_in_their_order(kind):
    runtime = pytest.importorskip("onnxruntime", reason="needs the package onnxruntime")
    X, codes = grades()
    for labels in (NAMES, NUMBERS):
        model = kind(multi_class="ordinal").fit(X, ordered(labels, codes))
        graph = softmargin.to_onnx(model, dtype=np.float64).SerializeToString()
        session = runtime.InferenceSession(graph, providers=["CPUExecutionProvider"])
        found, scores = session.run(None, {"X": X})
        assert found.tolist() == model.predict(X).tolist()
        np.testing.assert_allclose(scores, model.decision_function(X))


def test_a_checkpoint_belongs_to_the_order_of_its_classes(tmp_path):
    X, codes = grades()
    arguments = {"grid": {"C": [1.0]}, "outer": 2, "inner": 2, "random_state": 0}
    arguments["checkpoint"] = tmp_path / "run.npz"
    model, y = softmargin.SVC(multi_class="ordinal"), ordered(NAMES, codes)
    first = softmargin.nested_cv(X, y, model, **arguments)
    again = softmargin.nested_cv(X, y, model, **arguments)
    np.testing.assert_array_equal(again.outer_scores, first.outer_scores)
    with pytest.raises(ValueError, match="belongs to a different run"):
        softmargin.nested_cv(
            X, y.cat.reorder_categories([*NAMES, "none"][::-1]), model, **arguments
        )


def test_a_fit_in_another_order_does_not_start_from_the_last_one():
    X, codes = grades()
    y = ordered(NAMES, codes)
    other = y.cat.reorder_categories(["none", *sorted(NAMES)])
    for start in (True, "support_vectors"):
        model = softmargin.SVC(multi_class="ordinal", warm_start=start).fit(X, y)
        model.set_params(C=2.0).fit(X, other)
        cold = softmargin.SVC(multi_class="ordinal", C=2.0).fit(X, other)
        np.testing.assert_allclose(model.decision_function(X), cold.decision_function(X))
    with pytest.raises(ValueError, match="init was fitted to the classes of y in another order"):
        softmargin.SVC(multi_class="ordinal").fit(X, y, init=model)
