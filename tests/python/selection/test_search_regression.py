"""Searches of regressors, nu-SVC and detectors of outliers have the tables of scikit-learn's."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import loguniform
from sklearn import datasets, model_selection, svm
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.decomposition import PCA
from sklearn.metrics import get_scorer, make_scorer, mean_absolute_error
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer, StandardScaler

import softmargin
from softmargin import SVC, SVR, LinearSVR, NuSVC, NuSVR, OneClassSVM
from softmargin._selection.residuals import residual_score

TOL = 1e-6
GRID = {"svr__C": [1.0, 100.0], "svr__epsilon": [0.01, 1.0], "svr__gamma": [0.01, 0.1]}


@pytest.fixture(scope="module")
def friedman():
    return datasets.make_friedman1(150, n_features=8, noise=1.0, random_state=0)


@pytest.fixture(scope="module")
def tumors():
    X, y = datasets.load_breast_cancer(return_X_y=True)
    return X[::3], np.where(y[::3] == 1, 1, -1)


def scaled(model):
    return make_pipeline(StandardScaler(), model)


def theirs(estimator):
    """Return scikit-learn's estimator for one of ours, with the same parameters."""
    if not hasattr(estimator, "get_params"):
        return estimator
    kinds = {SVR: svm.SVR, NuSVR: svm.NuSVR, NuSVC: svm.NuSVC, OneClassSVM: svm.OneClassSVM}
    if type(estimator) in kinds:
        kind = kinds[type(estimator)]
        names = kind().get_params()
        return kind(
            **{k: v for k, v in estimator.get_params().items() if k in names} | {"cache_size": 200}
        )
    params = estimator.get_params(deep=False)
    if "steps" in params:
        return make_pipeline(*(theirs(step) for _, step in estimator.steps))
    if "regressor" in params:
        return clone(estimator).set_params(regressor=theirs(estimator.regressor))
    return clone(estimator)


def assert_same_tables(
    model, grid, X, y, *, atol=2e-5, engine=True, kind="GridSearchCV", **options
):
    """Search with both packages; all scores must agree."""
    fit = {name: options.pop(name) for name in ("groups",) if name in options}
    ours = getattr(softmargin, kind)(clone(model), grid, **options).fit(X, y, **fit)
    expected = getattr(model_selection, kind)(theirs(model), grid, **options).fit(X, y, **fit)
    assert ours.used_engine_ == engine, ours.engine_reason_
    names = [name for name in expected.cv_results_ if name.startswith("split")]
    for name in names:
        np.testing.assert_allclose(
            ours.cv_results_[name], expected.cv_results_[name], rtol=1e-4, atol=atol, err_msg=name
        )
    assert ours.best_params_ == expected.best_params_
    return ours


@pytest.mark.parametrize(
    "scoring",
    [None, "r2", "neg_mean_squared_error", "neg_mean_absolute_error", "neg_max_error"],
)
def test_every_score_of_predictions_is_that_of_scikit_learn(friedman, scoring):
    assert_same_tables(scaled(SVR(tol=TOL)), GRID, *friedman, scoring=scoring, cv=3, atol=1e-3)


def test_several_scores_and_training_scores(friedman):
    scoring = {"r2": "r2", "error": make_scorer(mean_absolute_error, greater_is_better=False)}
    assert_same_tables(
        scaled(SVR(tol=TOL)),
        GRID,
        *friedman,
        scoring=scoring,
        refit="r2",
        cv=3,
        return_train_score=True,
    )


def test_a_scoring_function_of_the_estimator(friedman):
    def largest(estimator, X, y):
        return -np.abs(estimator.predict(X) - y).max()

    assert_same_tables(SVR(tol=TOL), {"C": [1.0, 10.0]}, *friedman, scoring=largest, cv=3)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
def test_every_kernel(friedman, kernel):
    X, y = friedman
    model = SVR(kernel=kernel, tol=TOL, gamma=0.1)
    assert_same_tables(scaled(model), {"svr__C": [0.1, 1.0]}, X, y, cv=3)


def test_kernel_matrices_and_functions(friedman):
    X, y = friedman
    grid = {"C": [0.1, 1.0], "epsilon": [0.1, 1.0]}
    assert_same_tables(SVR(kernel="precomputed", tol=TOL), grid, X @ X.T, y, cv=3)
    assert_same_tables(SVR(kernel=linear_values, tol=TOL), grid, X, y, cv=3)


def linear_values(A, B):
    return A @ B.T


def test_sparse_samples_and_data_frames(friedman):
    from scipy.sparse import csr_matrix

    X, y = friedman
    grid = {"C": [1.0, 10.0]}
    assert_same_tables(SVR(tol=TOL), grid, csr_matrix(np.where(X > 0.5, X, 0)), y, cv=3)
    table = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    found = assert_same_tables(
        scaled(SVR(tol=TOL)), {"svr__C": [1.0, 10.0]}, table, pd.Series(y), cv=3
    )
    assert list(found.best_estimator_.feature_names_in_) == list(table.columns)


def test_steps_with_parameters(friedman):
    model = make_pipeline(StandardScaler(), PCA(), SVR(tol=TOL))
    grid = {"pca__n_components": [2, 6], "svr__C": [1.0, 10.0]}
    assert_same_tables(model, grid, *friedman, cv=3)


@pytest.mark.parametrize(
    "splitter",
    [KFold(3, shuffle=True, random_state=1), ShuffleSplit(4, random_state=0), GroupKFold(3)],
)
def test_splitters(friedman, splitter):
    groups = {"groups": np.arange(150) % 7} if isinstance(splitter, GroupKFold) else {}
    assert_same_tables(SVR(tol=TOL), {"C": [1.0, 10.0]}, *friedman, cv=splitter, **groups)


def test_random_candidates(friedman):
    space = {
        "C": loguniform(0.1, 100),
        "epsilon": loguniform(0.01, 1),
        "gamma": loguniform(0.01, 1),
    }
    assert_same_tables(
        SVR(tol=TOL), space, *friedman, kind="RandomizedSearchCV", n_iter=12, random_state=0, cv=3
    )


def test_nu_regression(friedman):
    grid = {"nusvr__C": [1.0, 10.0], "nusvr__nu": [0.13, 0.51, 1.0]}
    assert_same_tables(scaled(NuSVR(tol=TOL)), grid, *friedman, cv=3)


def test_candidates_with_an_infeasible_nu_fail_alone(tumors):
    """As in scikit-learn, they have NaN scores, and the others are evaluated."""
    grid = {"nusvc__nu": [0.1, 0.3, 0.9], "nusvc__gamma": [0.01, 0.1]}
    options = {"scoring": ["accuracy", "roc_auc"], "refit": "accuracy", "cv": 3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # both warn of failed fits and of scores that are NaN
        found = assert_same_tables(scaled(NuSVC(tol=TOL)), grid, *tumors, **options)
    scores = found.cv_results_["mean_test_accuracy"]
    assert np.isnan(scores).sum() == 2
    with pytest.raises(ValueError, match=r"nu = 0\.9 is infeasible"):
        softmargin.GridSearchCV(scaled(NuSVC(tol=TOL)), grid, cv=3, error_score="raise").fit(
            *tumors
        )


def test_detectors_are_scored_by_labels(tumors):
    grid = {"oneclasssvm__nu": [0.1, 0.5], "oneclasssvm__gamma": [0.01, 0.1]}
    options = {"scoring": ["accuracy", "roc_auc", "f1"], "refit": "roc_auc", "cv": 3}
    assert_same_tables(scaled(OneClassSVM(tol=TOL)), grid, *tumors, **options)


def test_detectors_without_labels_are_searched_by_scikit_learn(tumors):
    def inside(estimator, X, y=None):
        return -abs((estimator.predict(X) == 1).mean() - 0.9)

    grid = {"nu": [0.1, 0.3]}
    assert_same_tables(OneClassSVM(tol=TOL), grid, tumors[0], None, scoring=inside, engine=False)


@pytest.mark.parametrize("transformer", [StandardScaler(), QuantileTransformer(n_quantiles=20)])
def test_targets_are_transformed_for_each_split(friedman, transformer):
    model = TransformedTargetRegressor(scaled(SVR(tol=TOL)), transformer=transformer)
    grid = {"regressor__svr__C": [0.1, 1.0], "regressor__svr__epsilon": [0.1, 0.3]}
    assert_same_tables(model, grid, *friedman, cv=3, return_train_score=True)


def test_transformed_targets_within_a_pipeline(friedman):
    X, y = friedman
    target = TransformedTargetRegressor(SVR(tol=TOL), func=np.log, inverse_func=np.exp)
    model = make_pipeline(StandardScaler(), target)
    grid = {"transformedtargetregressor__regressor__C": [0.1, 1.0]}
    assert_same_tables(model, grid, X, y - y.min() + 1, cv=3, scoring="neg_mean_absolute_error")


def test_searches_over_the_target_transformer_fall_back(friedman):
    model = TransformedTargetRegressor(SVR(tol=TOL))
    grid = {"transformer": [StandardScaler(), None]}
    assert_same_tables(model, grid, *friedman, cv=3, engine=False)


def test_several_targets_share_a_kernel_matrix(friedman):
    """Several targets are fitted to one matrix; each fit equals that to the samples."""
    X, y = friedman
    Y = np.column_stack([y, y**2, -y])
    K = softmargin.kernel_matrix(X, gamma=0.1)
    together = MultiOutputRegressor(SVR(kernel="precomputed", tol=TOL)).fit(K, Y)
    apart = MultiOutputRegressor(SVR(gamma=0.1, tol=TOL)).fit(X, Y)
    np.testing.assert_allclose(together.predict(K), apart.predict(X), atol=1e-4)


def test_weights_change_training_only(friedman):
    X, y = friedman
    weight = np.random.default_rng(0).uniform(0.1, 2, len(y))
    grid = {"C": [1.0, 10.0]}
    ours = softmargin.GridSearchCV(SVR(tol=TOL), grid, cv=3).fit(X, y, sample_weight=weight)
    expected = model_selection.GridSearchCV(svm.SVR(tol=TOL), grid, cv=3)
    expected.fit(X, y, sample_weight=weight)
    name = "mean_test_score"
    np.testing.assert_allclose(ours.cv_results_[name], expected.cv_results_[name], atol=1e-5)


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_results_do_not_depend_on_threads_or_memory(friedman, n_jobs):
    grid = {"C": [1.0, 100.0], "gamma": [0.01, 0.1], "epsilon": [0.1, 1.0]}
    first = softmargin.GridSearchCV(SVR(), grid, cv=3).fit(*friedman)
    other = softmargin.GridSearchCV(SVR(), grid, cv=3, n_jobs=n_jobs).fit(*friedman)
    name = "mean_test_score"
    np.testing.assert_array_equal(other.cv_results_[name], first.cv_results_[name])
    little = softmargin.GridSearchCV(SVR(tol=TOL), grid, cv=3, memory_budget=10_000).fit(*friedman)
    much = softmargin.GridSearchCV(SVR(tol=TOL), grid, cv=3).fit(*friedman)
    np.testing.assert_allclose(little.cv_results_[name], much.cv_results_[name], atol=1e-5)


def test_classifiers_and_regressors_are_not_mixed(friedman):
    model = make_pipeline(StandardScaler(), SVR())
    grid = {"svr": [SVR(), SVC()]}
    search = softmargin.GridSearchCV(model, grid, cv=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of SVC, which rejects continuous targets
        search.fit(*friedman)
    assert "all regressors" in search.engine_reason_


def test_functions_of_cross_validation(friedman):
    X, y = friedman
    for name in ("cross_val_score", "cross_val_predict"):
        found = getattr(softmargin, name)(SVR(tol=TOL), X, y)
        expected = getattr(model_selection, name)(svm.SVR(tol=TOL), X, y)
        np.testing.assert_allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize("y", [np.array([1.0, np.nan] * 75), np.array(["a", "b"] * 75)])
def test_invalid_targets_are_rejected_before_training(friedman, y):
    with pytest.raises(ValueError, match=r"y (contains|has dtype)"):
        softmargin.GridSearchCV(SVR(), {"C": [1.0]}).fit(friedman[0], y)


@pytest.mark.parametrize(
    "name",
    ["r2", "neg_mean_squared_error", "neg_root_mean_squared_error", "neg_mean_absolute_error"],
)
@pytest.mark.parametrize("targets", ["normal", "constant", "huge", "integer", "single"])
def test_fast_scores_are_those_of_scikit_learn_to_the_bit(name, targets):
    rng = np.random.default_rng(0)
    n = 1 if targets == "single" else 137
    y = {
        "normal": rng.normal(size=n),
        "constant": np.full(n, 2.0),
        "huge": 1e150 * rng.normal(size=n),
        "integer": rng.integers(0, 9, n).astype(float),
        "single": rng.normal(size=n),
    }[targets]
    predicted = y + rng.normal(size=(3, n)) * np.abs(y).max()
    scorer = get_scorer(name)
    score = residual_score(scorer._score_func, scorer._sign, scorer._kwargs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [
            scorer._sign * scorer._score_func(y, own, **scorer._kwargs) for own in predicted
        ]
    found = score(y, predicted)
    known = ~np.isnan(found)  # scikit-learn's function computes the others
    assert known.all() or targets in ("constant", "single")
    np.testing.assert_array_equal(found[known], np.array(expected)[known])


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_linear_regression_gives_the_scores_of_a_plain_loop(friedman, loss):
    """All candidates are trained by the core, along C and epsilon."""
    model = LinearSVR(loss=loss, tol=1e-6, max_iter=10_000, random_state=0)
    grid = {"linearsvr__C": [0.1, 10.0], "linearsvr__epsilon": [0.0, 1.0]}
    ours = softmargin.GridSearchCV(scaled(model), grid, cv=3).fit(*friedman)
    plain = model_selection.GridSearchCV(scaled(model), grid, cv=3).fit(*friedman)
    assert ours.used_engine_
    name = "mean_test_score"
    np.testing.assert_allclose(ours.cv_results_[name], plain.cv_results_[name], rtol=1e-9)
