"""scikit-learn's tools, copies and data frames work with the estimators."""

import copy
import io
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from equality import dense
from softmargin import OLLAWV, MinMaxScaler, kernel_matrix


def dumped(model):
    stream = io.BytesIO()
    joblib.dump(model, stream)
    stream.seek(0)
    return joblib.load(stream)


COPIES = {f"pickle {p}": lambda m, p=p: pickle.loads(pickle.dumps(m, p)) for p in range(2, 6)}
COPIES |= {"deepcopy": copy.deepcopy, "joblib": dumped}


@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr", "ordinal"])
def test_a_copy_decides_to_the_bit(three_classes, make, dtype, layout, multi_class):
    X, y = three_classes
    X = layout(X.astype(dtype))
    model = OLLAWV(multi_class=multi_class).fit(X, y)
    again = make(model)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    for name in ("support_", "dual_coef_", "intercept_", "n_iter_", "n_kernel_evals_"):
        np.testing.assert_array_equal(dense(getattr(again, name)), dense(getattr(model, name)))


def test_a_copy_of_a_precomputed_model_decides_to_the_bit(three_classes):
    X, y = three_classes
    K = kernel_matrix(X, n_jobs=1)
    model = OLLAWV(kernel="precomputed").fit(K, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(K), model.decision_function(K))


def test_a_clone_is_unfitted_and_fits_to_the_same_model(iris):
    X, y = iris
    model = OLLAWV(margin=0.4, multi_class="ovr").fit(X, y)
    again = clone(model)
    assert not hasattr(again, "classes_")
    np.testing.assert_array_equal(again.fit(X, y).dual_coef_, model.dual_coef_)


def test_a_refit_forgets_the_fit_before(iris, noisy):
    model = OLLAWV().fit(*iris).fit(*noisy)
    fresh = OLLAWV().fit(*noisy)
    np.testing.assert_array_equal(model.dual_coef_, fresh.dual_coef_)
    np.testing.assert_array_equal(model.classes_, fresh.classes_)


def test_grid_search_finds_the_best_of_separate_runs(iris):
    X, y = iris
    grid = {"ollawv__margin": [0.01, 0.5], "ollawv__gamma": [0.01, 1.0]}
    pipeline = make_pipeline(MinMaxScaler(), OLLAWV())
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    scores = [
        cross_val_score(clone(pipeline).set_params(**params), X, y, cv=3).mean()
        for params in search.cv_results_["params"]
    ]
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], scores)
    assert search.best_score_ == max(scores) > 0.9


def test_grid_search_cuts_rows_and_columns_of_a_precomputed_kernel(iris):
    X, y = iris
    K = kernel_matrix(X, gamma=0.5, n_jobs=1)
    by_matrix = cross_val_score(OLLAWV(kernel="precomputed"), K, y, cv=3)
    by_rows = cross_val_score(OLLAWV(gamma=0.5), X, y, cv=3)
    np.testing.assert_array_equal(by_matrix, by_rows)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_data_frame_is_its_array_with_names(iris, frame):
    X, y = iris
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    table = frame(dict(zip(names, X.T, strict=True)))
    model, plain = OLLAWV().fit(table, y), OLLAWV().fit(X, y)
    assert model.feature_names_in_.tolist() == names
    np.testing.assert_array_equal(model.decision_function(table), plain.decision_function(X))
    np.testing.assert_array_equal(
        MinMaxScaler().fit(table).get_feature_names_out(), np.array(names, dtype=object)
    )


@pytest.mark.parametrize("frame", ["pandas", "polars"])
def test_the_scaler_returns_the_frame_it_is_asked_for(iris, frame):
    X, _ = iris
    table = pd.DataFrame(X, columns=list("abcd"))
    scaled = MinMaxScaler().set_output(transform=frame).fit_transform(table)
    assert list(scaled.columns) == list("abcd")
    np.testing.assert_array_equal(scaled.to_numpy(), MinMaxScaler().fit_transform(X))


def test_float32_frames_stay_float32(iris):
    X, y = iris
    model = OLLAWV().fit(pd.DataFrame(X.astype(np.float32)), y)
    assert model.support_vectors_.dtype == np.float32


@pytest.mark.parametrize("series", [pd.Series, pl.Series, pd.Categorical, list, tuple])
def test_labels_come_in_any_container(iris, series):
    X, y = iris
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = OLLAWV().fit(X, series(names.tolist()))
    assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert set(model.predict(X)) == set(names)
    assert model.score(X, names) > 0.9
