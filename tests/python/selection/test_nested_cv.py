"""The engine gives the results of a plain loop over estimators, with any options."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import datasets, metrics, model_selection
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ParameterGrid, StratifiedKFold
from sklearn.pipeline import make_pipeline

import softmargin
from softmargin import MNSVM, NLSGD, NNISDA, OLLAWV, SVC, MinMaxScaler, NewtonSVC, nested_cv

METHODS = {
    "svc": SVC,
    "ollawv": OLLAWV,
    "nlsgd": NLSGD,
    "mnsvm": MNSVM,
    "nnisda": NNISDA,
    "newton": NewtonSVC,
}
SMALL = {method: {"C": [0.5, 8.0, 64.0], "gamma": [0.1, 1.0]} for method in METHODS}
SMALL["ollawv"] = {"margin": [0.01, 0.1, 0.5], "gamma": [0.1, 1.0]}
# Tolerances so small that the starting point does not matter, and a fixed order of samples.
TIGHT = {
    "svc": {"tol": 1e-5},
    "mnsvm": {"eps": 1e-7},
    "nnisda": {"tol": 1e-7},
    "nlsgd": {"random_state": 0},
}


def wine(dtype=np.float32):
    X, y = datasets.load_wine(return_X_y=True)
    return X.astype(dtype), y


def folds(n=3):
    return {
        "outer": StratifiedKFold(n, shuffle=True, random_state=0),
        "inner": StratifiedKFold(n, shuffle=True, random_state=1),
    }


def plain_loop(X, y, estimator, grid, scale, scorer=metrics.accuracy_score):
    """Nested cross-validation as a plain loop."""
    X = MinMaxScaler().fit_transform(X).astype(np.float32) if scale == "global" else X
    split = folds()
    inner_scores, outer_scores, best = [], [], []
    cells = list(ParameterGrid(grid))
    path = "margin" if isinstance(estimator, OLLAWV) else "C"
    cells = sorted(cells, key=lambda cell: cell[path])

    def score(cell, train, test):
        scaler = MinMaxScaler().fit(X[train]) if scale == "fold" else None
        rows = (X[train], X[test])
        if scaler is not None:
            # Like the engine: scale in float64, then compute kernel values in float32.
            rows = tuple(scaler.transform(part.astype(np.float64)) for part in rows)
            rows = tuple(part.astype(np.float32) for part in rows)
        model = clone(estimator).set_params(**cell).fit(rows[0], y[train])
        return scorer(y[test], model.predict(rows[1]))

    for train, test in split["outer"].split(X, y):
        inside = [(train[a], train[b]) for a, b in split["inner"].split(X[train], y[train])]
        table = np.array([[score(cell, a, b) for cell in cells] for a, b in inside])
        chosen = cells[int(np.argmax(table.mean(axis=0)))]
        inner_scores.append(table)
        best.append(chosen)
        outer_scores.append(score(chosen, train, test))
    return np.array(inner_scores), np.array(outer_scores), best


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("multi_class", ["ovo", "ovr", "ordinal"])
@pytest.mark.parametrize("scale", ["fold", "global", None])
def test_the_engine_equals_a_plain_loop(method, multi_class, scale):
    X, y = wine()
    X = X / X.max(axis=0)
    estimator = METHODS[method](multi_class=multi_class, **TIGHT.get(method, {}))
    found = nested_cv(X, y, method=estimator, grid=SMALL[method], scale=scale, **folds())
    inner, outer, best = plain_loop(X, y, estimator, SMALL[method], scale)
    np.testing.assert_array_equal(found.inner_scores, inner)
    np.testing.assert_array_equal(found.outer_scores, outer)
    assert found.best_params == best
    assert found.complete
    assert found.counts["trainings"] == 9 * 6 + 3
    assert found.mean_score == pytest.approx(outer.mean())
    assert found.std_score == pytest.approx(outer.std())


SCORERS = {
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "f1_macro": lambda y, found: metrics.f1_score(y, found, average="macro"),
}


@pytest.mark.parametrize("scoring", SCORERS)
def test_scores_are_those_of_scikit_learn(scoring):
    X, y = wine()
    keep = np.r_[0:59, 59:80, 130:150]  # unequal classes
    X, y = X[keep], y[keep]
    estimator = OLLAWV()
    found = nested_cv(X, y, estimator, SMALL["ollawv"], scoring=scoring, **folds())
    inner, outer, _ = plain_loop(X, y, estimator, SMALL["ollawv"], "fold", SCORERS[scoring])
    np.testing.assert_allclose(found.inner_scores, inner)
    np.testing.assert_allclose(found.outer_scores, outer)


@pytest.mark.parametrize("method", METHODS)
def test_threads_do_not_change_a_bit(method):
    X, y = wine()
    estimator = METHODS[method](random_state=0)
    results = [
        nested_cv(X, y, estimator, SMALL[method], n_jobs=n, random_state=3) for n in (1, 2, 8)
    ]
    for other in results[1:]:
        np.testing.assert_array_equal(other.inner_scores, results[0].inner_scores)
        np.testing.assert_array_equal(other.outer_scores, results[0].outer_scores)
        assert other.counts == results[0].counts


@pytest.mark.parametrize("method", METHODS)
def test_a_small_budget_gives_the_same_answer(method):
    X, y = wine()
    estimator = METHODS[method](**TIGHT.get(method, {}))
    large, small, tiny = (
        nested_cv(X, y, estimator, SMALL[method], memory_budget=budget, random_state=0, n_jobs=2)
        for budget in (None, 3 * 4 * 178 * 178, 1000)
    )
    for other in (small, tiny):
        np.testing.assert_array_equal(other.inner_scores, large.inner_scores)
        assert other.best_params == large.best_params


def test_sparse_rows_give_the_answer_of_dense_ones():
    X, y = datasets.load_digits(return_X_y=True)
    X, y = X[:300], y[:300]
    dense = nested_cv(X, y, "svc", SMALL["svc"], outer=3, inner=2, random_state=0)
    sparse = nested_cv(sp.csr_matrix(X), y, "svc", SMALL["svc"], outer=3, inner=2, random_state=0)
    np.testing.assert_allclose(sparse.inner_scores, dense.inner_scores, atol=0.02)
    assert sparse.mean_score == pytest.approx(dense.mean_score, abs=0.01)


def test_methods_are_compared_on_the_same_folds():
    X, y = wine()
    both = nested_cv(X, y, ["svc", "ollawv"], random_state=5, outer=3, inner=2)
    assert list(both) == ["svc", "ollawv"]
    for name, result in both.items():
        alone = nested_cv(X, y, name, random_state=5, outer=3, inner=2)
        np.testing.assert_array_equal(alone.outer_scores, result.outer_scores)
        assert len(result.cells) == 64


def test_a_pattern_search_looks_at_fewer_cells_and_ends_at_a_local_optimum():
    X, y = wine()
    grid = nested_cv(X, y, "svc", random_state=0, outer=3, inner=3)
    pattern = nested_cv(X, y, "svc", random_state=0, outer=3, inner=3, search="pattern")
    looked = ~np.isnan(pattern.inner_scores)
    assert looked.mean() < 0.5
    np.testing.assert_array_equal(pattern.inner_scores[looked], grid.inner_scores[looked])
    for fold, best in enumerate(pattern.best_params):
        means = grid.inner_scores[fold].mean(axis=0).reshape(8, 8)
        a, b = np.unravel_index(pattern.cells.index(best), (8, 8))
        for c, d in ((a - 1, b), (a + 1, b), (a, b - 1), (a, b + 1)):
            if 0 <= c < 8 and 0 <= d < 8:
                assert means[a, b] >= means[c, d]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scoring", ["accuracy", "f1_macro"])
def test_pruning_changes_no_choice(method, scoring):
    X, y = wine()
    arguments = {"scoring": scoring, "random_state": 1, "outer": 3, "inner": 4}
    if method in ("mnsvm", "nnisda"):  # slow for the largest C of the default grid
        arguments["grid"] = {"C": 4.0 ** np.arange(-1, 4), "gamma": 4.0 ** np.arange(-5, 2)}
    estimator = METHODS[method](**TIGHT.get(method, {}))
    whole = nested_cv(X, y, estimator, **arguments)
    pruned = nested_cv(X, y, estimator, prune=True, **arguments)
    assert pruned.best_params == whole.best_params
    np.testing.assert_array_equal(pruned.outer_scores, whole.outer_scores)
    assert pruned.complete
    looked = ~np.isnan(pruned.inner_scores)
    assert looked.mean() < 1
    np.testing.assert_array_equal(pruned.inner_scores[looked], whole.inner_scores[looked])


def test_weights_and_balanced_classes_reach_the_trainings():
    X, y = wine()
    y = (y == 2).astype(int)
    weights = np.random.default_rng(0).uniform(0.1, 2, len(y))
    estimator = SVC(class_weight="balanced", tol=1e-5)
    found = nested_cv(X, y, estimator, SMALL["svc"], sample_weight=weights, **folds())
    split = folds()
    for o, (train, test) in enumerate(split["outer"].split(X, y)):
        scaler = MinMaxScaler().fit(X[train].astype(np.float64))
        rows = [
            scaler.transform(X[part].astype(np.float64)).astype(np.float32)
            for part in (train, test)
        ]
        model = clone(estimator).set_params(**found.best_params[o])
        model.fit(rows[0], y[train], sample_weight=weights[train])
        assert found.outer_scores[o] == model.score(rows[1], y[test])
        assert found.support_fraction[o] == len(model.support_) / len(train)


def test_a_class_missing_from_a_split_is_no_reason_to_stop():
    X, y = wine()
    y = y.copy()
    y[:2] = 7  # only two samples
    with pytest.warns(UserWarning, match="smallest class"):
        result = nested_cv(X, y, "svc", SMALL["svc"], outer=3, inner=3, random_state=0)
    assert result.complete


def test_a_result_can_be_shown_and_fitted_again():
    X, y = wine()
    result = nested_cv(X, y, "svc", SMALL["svc"], random_state=0, outer=3, inner=3)
    assert "svc: accuracy" in str(result)
    wall = result.seconds["inner"] + result.seconds["outer"]
    assert str(result).endswith(f"trainings in {wall:.2f} s")
    assert result._repr_html_().count("<tr>") == 5  # including the header and the mean
    frame = result.to_frame()
    assert len(frame) == 3 * 6
    assert frame["chosen"].sum() == 3
    model = result.refit()
    assert model.score(X, y) > 0.95
    assert model.steps[0][0] == "minmaxscaler"
    assert (
        nested_cv(X / 100, y, "ollawv", SMALL["ollawv"], scale=None).refit().score(X / 100, y) > 0.5
    )


def test_a_heat_map_shows_the_table_and_what_was_chosen():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X, y = wine()
    result = nested_cv(X, y, "svc", SMALL["svc"], random_state=0, outer=3, inner=3)
    ax = result.heatmap()
    drawn = np.asarray(ax.images[0].get_array())
    np.testing.assert_allclose(drawn.ravel(), result.inner_scores.mean(axis=(0, 1)))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("gamma", "C")
    frames = len({tuple(cell.values()) for cell in result.best_params})
    assert len(ax.patches) == frames
    with pytest.raises(ValueError, match="two parameters"):
        nested_cv(X, y, "svc", {"C": [1.0, 2.0]}, random_state=0).heatmap()


def test_a_time_limit_returns_what_is_done():
    X, y = datasets.load_digits(return_X_y=True)
    result = nested_cv(X, y, "svc", time_limit=0.02, random_state=0)
    assert not result.complete
    assert np.isnan(result.inner_scores).any()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"method": "forest"}, "method = 'forest'"),
        ({"grid": {"width": [1]}}, "width"),
        ({"grid": {"C": []}}, "C"),
        ({"grid": {"C": [-1.0], "gamma": [1]}}, "C = -1"),
        ({"scale": "all"}, "scale = 'all'"),
        ({"scoring": "speed"}, "scoring = 'speed'"),
        ({"search": "halves"}, "search = 'halves'"),
        ({"search": "random", "n_iter": 0}, "n_iter = 0"),
        ({"scoring": ["accuracy", "f1_macro"]}, "must name the score"),
        ({"scoring": "neg_log_loss"}, "needs probabilities"),
        ({"groups": np.arange(9)}, "groups has 9 values, but X has 178 samples"),
        ({"groups": np.arange(178) % 3}, "outer = 5 is not valid"),
        ({"prune": True, "scoring": "neg_mean_squared_error"}, "prune = True is not valid"),
        ({"outer": 1}, "outer = 1"),
        ({"time_limit": 0}, "time_limit = 0"),
        ({"memory_budget": 0}, "memory_budget = 0"),
    ],
    ids=str,
)
def test_what_is_wrong_is_named(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        nested_cv(*wine(), **arguments)


def one_split(train, test):
    return {"outer": [(np.arange(train), np.asarray(test))], "inner": 2}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"method": SVC(kernel="precomputed")}, "precomputed"),
        ({"method": SVC(kernel=lambda A, B: A @ B.T)}, "not valid with a kernel function"),
        ({"grid": {"kernel": ["rbf", "precomputed"]}}, "precomputed"),
        ({"method": SVC(time_limit=1.0)}, "time_limit"),
        ({"method": "ollawv", "sample_weight": np.ones(178)}, "does not support sample_weight"),
        (one_split(100, [500]), "index 500, but there are 178 samples"),
        (one_split(100, [-1]), "index -1, but there are 178 samples"),
        (one_split(100, np.empty(0, int)), "training and test samples"),
        (one_split(100, [True, False]), "non-empty arrays of indices"),
        ({"outer": [], "inner": 2}, "no splits"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_cannot_be_evaluated_is_refused(arguments, sentence):
    arguments = {"method": "svc", "grid": {"gamma": [1.0]}} | arguments
    with pytest.raises(ValueError, match=sentence):
        nested_cv(*wine(), **arguments)


def test_machines_that_did_not_converge_are_told():
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        nested_cv(*wine(), SVC(max_iter=2), {"C": [1.0]}, random_state=0)


SEARCHES = [
    (SVC(), {"C": [1, 10], "gamma": [0.01, "scale"], "kernel": ["rbf", "poly"]}),
    (SVC(gamma=0.1), [{"C": [1.0, 2.0]}, {"kernel": ["linear"], "C": [0.1]}]),
    (
        SVC(gamma=0.1, class_weight="balanced", multi_class="ovr"),
        {"C": [1, 5], "tol": [1e-3, 1e-2]},
    ),
    (
        OLLAWV(gamma=0.5),
        {"margin": [0.05, 0.5], "multi_class": ["ovo", "ovr"], "bias": [True, False]},
    ),
    (make_pipeline(MinMaxScaler(), SVC()), {"svc__C": [1, 10], "svc__gamma": [0.1, 1.0]}),
    (NewtonSVC(gamma=0.5), {"lambda_": [0.1, 1.0], "bias": [True, False, "penalized"]}),
    (NLSGD(gamma=0.5, random_state=0), {"C": [10, 100], "average": [0, 0.5], "step": ["t", "m"]}),
    (NNISDA(gamma=0.5, tol=1e-7), {"C": [1.0, 4.0], "kernel": ["rbf", "linear"]}),
    (
        MNSVM(gamma=0.5, eps=1e-7, random_state=0),
        {"C": [1.0, 4.0], "selection": ["worst", "random"]},
    ),
]


@pytest.mark.parametrize(("estimator", "grid"), SEARCHES, ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("scoring", [None, "f1_macro"])
def test_a_grid_search_is_that_of_scikit_learn(estimator, grid, scoring):
    X, y = wine(np.float64)
    X = X if "pipeline" in type(estimator).__name__.lower() else X / X.max(axis=0)
    ours = softmargin.GridSearchCV(estimator, grid, scoring=scoring, cv=3).fit(X, y)
    theirs = model_selection.GridSearchCV(estimator, grid, scoring=scoring, cv=3).fit(X, y)
    assert ours.used_engine_
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_index_ == theirs.best_index_
    assert ours.best_score_ == pytest.approx(theirs.best_score_)
    assert ours.cv_results_.keys() == theirs.cv_results_.keys()
    for name, expected in theirs.cv_results_.items():
        if name.endswith("test_score"):
            np.testing.assert_allclose(ours.cv_results_[name], expected)
        elif name.startswith("param"):
            assert list(ours.cv_results_[name]) == list(expected)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.n_splits_ == 3
    assert ours.classes_.tolist() == [0, 1, 2]


def test_kernel_matrices_training_scores_and_several_scores_are_shared():
    X, y = wine(np.float64)
    X = X / X.max(axis=0)
    K = X @ X.T
    for estimator, rows, options in (
        (SVC(kernel="precomputed"), K, {}),
        (SVC(), X, {"return_train_score": True}),
        (SVC(), X, {"scoring": ["accuracy", "f1_macro"], "refit": "accuracy"}),
    ):
        search = softmargin.GridSearchCV(estimator, {"C": [1, 10]}, **options).fit(rows, y)
        plain = model_selection.GridSearchCV(estimator, {"C": [1, 10]}, **options).fit(rows, y)
        assert search.used_engine_
        assert search.best_params_ == plain.best_params_


def test_a_pattern_search_looks_the_same_both_ways():
    X, y = wine(np.float64)
    X = X / X.max(axis=0)
    grid = {"C": [4.0**p for p in range(-2, 6)], "gamma": [4.0**p for p in range(-5, 3)]}
    shared = softmargin.PatternSearchCV(SVC(), grid, cv=3).fit(X, y)

    class Own(SVC):
        """Its own methods must be called."""

    general = softmargin.PatternSearchCV(Own(), grid, cv=3).fit(X, y)
    assert shared.used_engine_
    assert not general.used_engine_
    assert shared.best_params_ == general.best_params_
    assert len(shared.cv_results_["params"]) == len(general.cv_results_["params"]) < 64


def test_a_search_tells_of_machines_that_did_not_converge():
    X, y = wine()
    search = softmargin.GridSearchCV(SVC(max_iter=1), {"C": [1.0, 64.0]}, cv=3, refit=False)
    with pytest.warns(
        ConvergenceWarning, match="binary classifiers in 6 trainings did not converge"
    ):
        search.fit(X, y)
    assert search.used_engine_
