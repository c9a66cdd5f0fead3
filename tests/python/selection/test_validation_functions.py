"""Cross-validation functions return what scikit-learn's functions of the same names return."""

import numpy as np
import pytest
from sklearn import datasets, model_selection
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, RepeatedStratifiedKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import softmargin
from softmargin import OLLAWV, SVC, LinearSVC
from softmargin._selection import engine

MODELS = {
    "svc": SVC(tol=1e-8),
    "pipeline": make_pipeline(StandardScaler(), PCA(4), SVC(tol=1e-8)),
    "linear": make_pipeline(StandardScaler(), LinearSVC(tol=1e-8, max_iter=100_000)),
    "ollawv": make_pipeline(StandardScaler(), OLLAWV()),
}
each_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


@pytest.fixture(scope="module")
def wine():
    X, y = datasets.load_wine(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order]


@pytest.fixture
def engine_only(monkeypatch):
    """Scikit-learn's functions must not be called."""

    def install(*names):
        for name in names:
            monkeypatch.setattr(model_selection, name, None)

    return install


@each_model
def test_cross_validate(wine, engine_only, model):
    options = {
        "scoring": {"a": "accuracy", "f": "f1_macro"},
        "cv": RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
        "return_train_score": True,
        "return_indices": True,
    }
    expected = model_selection.cross_validate(model, *wine, **options)
    engine_only("cross_validate")
    found = softmargin.cross_validate(model, *wine, n_jobs=2, **options)
    assert found.keys() == expected.keys()
    for name in ("test_a", "test_f", "train_a", "train_f"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-12)
    for part in ("train", "test"):
        for own, other in zip(found["indices"][part], expected["indices"][part], strict=True):
            np.testing.assert_array_equal(own, other)


@each_model
def test_cross_val_score_with_groups(wine, engine_only, model):
    options = {"groups": np.arange(len(wine[1])) % 7, "cv": GroupKFold(4)}
    expected = model_selection.cross_val_score(model, *wine, **options)
    engine_only("cross_validate")
    found = softmargin.cross_val_score(model, *wine, **options)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_weights_are_passed_to_fit(wine):
    weights = np.random.default_rng(1).uniform(0.1, 3.0, len(wine[1]))
    options = {"params": {"sample_weight": weights}, "cv": StratifiedKFold(3)}
    found = softmargin.cross_val_score(SVC(tol=1e-8), *wine, **options)
    expected = model_selection.cross_val_score(SVC(tol=1e-8), *wine, **options)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@each_model
@pytest.mark.parametrize("method", ["predict", "decision_function"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_cross_val_predict(wine, engine_only, model, method, n_classes):
    X, y = wine
    y = np.array(["x", "y", "z"])[np.minimum(y, n_classes - 1)]
    expected = model_selection.cross_val_predict(model, X, y, method=method)
    engine_only("cross_val_predict")
    found = softmargin.cross_val_predict(model, X, y, method=method, n_jobs=2)
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    if method == "predict":
        np.testing.assert_array_equal(found, expected)
    else:
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_classes_without_training_samples_are_left_to_scikit_learn(wine):
    X, y = wine
    y = y.copy()
    y[:1] = 7
    with pytest.warns(RuntimeWarning, match="Number of classes in training fold"):
        found = softmargin.cross_val_predict(SVC(), X, y, method="decision_function", cv=KFold(3))
    assert found.shape == (len(y), 4)


@each_model
def test_validation_curve(wine, engine_only, model):
    name = "C" if isinstance(model, SVC) else f"{model.steps[-1][0]}__C"
    options = {"param_name": name, "param_range": [10, 0.1, 1], "cv": 3, "scoring": "f1_macro"}
    expected = model_selection.validation_curve(model, *wine, **options)
    engine_only("validation_curve")
    found = softmargin.validation_curve(model, *wine, **options)
    for own, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-12)


@each_model
@pytest.mark.parametrize("shuffle", [False, True])
def test_learning_curve(wine, engine_only, model, shuffle):
    options = {
        "train_sizes": [0.3, 0.6, 1.0],
        "cv": 3,
        "shuffle": shuffle,
        "random_state": 0,
        "return_times": True,
    }
    expected = model_selection.learning_curve(model, *wine, **options)
    engine_only("learning_curve")
    found = softmargin.learning_curve(model, *wine, **options)
    assert len(found) == len(expected)
    for own, other in zip(found[:3], expected[:3], strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-12)
    assert found[3].shape == expected[3].shape


def test_other_estimators_are_left_to_scikit_learn(wine, monkeypatch):
    monkeypatch.setattr(engine, "evaluate", None)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    found = softmargin.cross_validate(model, *wine, return_estimator=True)
    assert len(found["estimator"]) == 5
    np.testing.assert_array_equal(
        softmargin.cross_val_score(model, *wine), model_selection.cross_val_score(model, *wine)
    )
    np.testing.assert_array_equal(
        softmargin.cross_val_predict(model, *wine, method="predict_proba"),
        model_selection.cross_val_predict(model, *wine, method="predict_proba"),
    )
