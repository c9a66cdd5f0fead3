"""Probabilities of SVC are those of Platt's method, as in scikit-learn."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn import datasets, svm
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import softmargin
from softmargin import SVC
from softmargin._estimators.probabilities import couple, sigmoid


def parts(name):
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    X, y = StandardScaler().fit_transform(X[:900]), y[:900]
    return train_test_split(X, y, random_state=0)


def theirs(**options):
    """Return scikit-learn's estimator, whose probabilities are deprecated."""
    return svm.SVC(probability=True, random_state=0, **options)


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("name", ["breast_cancer", "wine", "digits"])
@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_probabilities_are_as_good_as_those_of_scikit_learn(name, shape):
    X, X_test, y, y_test = parts(name)
    ours = SVC(probability=True, decision_function_shape=shape).fit(X, y)
    other = theirs(decision_function_shape=shape).fit(X, y)
    P, Q = ours.predict_proba(X_test), other.predict_proba(X_test)
    assert P.shape == Q.shape
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    assert np.abs(P - Q).mean() < 0.02
    assert log_loss(y_test, P) < 1.05 * log_loss(y_test, Q) + 0.01
    assert ours.probA_.shape == other.probA_.shape
    np.testing.assert_allclose(ours.probA_, other.probA_, rtol=0.5)
    np.testing.assert_array_equal(ours.predict(X_test), SVC().fit(X, y).predict(X_test))
    np.testing.assert_allclose(ours.predict_log_proba(X_test), np.log(P))


def test_sigmoids_are_fitted_to_held_out_decision_values():
    """Against five separate fits, for two and for several classes."""
    for name in ("breast_cancer", "wine"):
        X, _, y, _ = parts(name)
        model = SVC(probability=True, tol=1e-8, gamma=0.05, random_state=3).fit(X, y)
        held_out = softmargin._core.fold_labels(
            np.unique(y, return_inverse=True)[1].astype(np.uint32),
            len(model.classes_),
            5,
            model._fold_seed(),
        )
        plain = clone(model).set_params(probability=False, decision_function_shape="ovo")
        values = np.zeros((len(y), len(model.intercept_)))
        for fold in range(5):
            own = plain.fit(X[held_out != fold], y[held_out != fold])
            found = own.decision_function(X[held_out == fold])
            values[held_out == fold] = found.reshape(len(found), -1)
        pairs = [(a, b) for a in model.classes_ for b in model.classes_ if a < b]
        for number, (a, b) in enumerate(pairs):
            used = np.isin(y, (a, b))
            sign = -1 if len(model.classes_) == 2 else 1
            expected = softmargin._estimators.probabilities.fit_sigmoid(
                sign * values[used, number], y[used] == a
            )
            found = model.probA_[number], model.probB_[number]
            np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_probabilities_follow_from_sigmoids_and_coupling():
    X, X_test, y, _ = parts("wine")
    model = SVC(probability=True, decision_function_shape="ovo").fit(X, y)
    pairwise = sigmoid(model.decision_function(X_test), model.probA_, model.probB_)
    np.testing.assert_allclose(model.predict_proba(X_test), couple(pairwise), rtol=1e-12)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr", "ordinal"])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "precomputed", "function"])
def test_all_schemes_and_kernels_have_probabilities(multi_class, kernel):
    X, X_test, y, y_test = parts("wine")
    if kernel == "precomputed":
        X, X_test = X @ X.T, X_test @ X.T
    options = {"kernel": (lambda A, B: A @ B.T) if kernel == "function" else kernel}
    model = SVC(probability=True, multi_class=multi_class, **options).fit(X, y)
    P = model.predict_proba(X_test)
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    assert (P >= 0).all()
    assert (P.argmax(axis=1) == y_test).mean() > 0.9


def test_results_are_deterministic_and_independent_of_threads():
    X, X_test, y, _ = parts("digits")
    first = SVC(probability=True).fit(X, y).predict_proba(X_test)
    for options in ({}, {"n_jobs": 2}, {"random_state": None}):
        again = SVC(probability=True, **options).fit(X, y).predict_proba(X_test)
        np.testing.assert_array_equal(first, again)
    seeded = [SVC(probability=True, random_state=s).fit(X, y).probA_ for s in (1, 1, 2)]
    np.testing.assert_array_equal(seeded[0], seeded[1])
    assert (seeded[0] != seeded[2]).any()


def test_float32_and_sparse_samples_have_nearly_the_same_probabilities():
    from scipy import sparse

    X, X_test, y, _ = parts("wine")
    expected = SVC(probability=True, tol=1e-6).fit(X, y).predict_proba(X_test)
    for convert in (lambda A: A.astype(np.float32), sparse.csr_matrix):
        model = SVC(probability=True, tol=1e-6).fit(convert(X), y)
        found = model.predict_proba(convert(X_test))
        np.testing.assert_allclose(found, expected, atol=1e-4)


def test_weights_are_repetitions():
    X, X_test, y, _ = parts("breast_cancer")
    X, y = X[:120], y[:120]
    model = SVC(probability=True, tol=1e-6).fit(X, y, sample_weight=np.full(len(y), 2.0))
    double = SVC(probability=True, tol=1e-6, C=2.0).fit(X, y)
    # The same classifiers; only the prior counts in the targets differ.
    np.testing.assert_allclose(model.predict_proba(X_test), double.predict_proba(X_test), atol=0.06)
    ignored = np.r_[np.ones(100), np.zeros(20)]
    weighted = SVC(probability=True).fit(X, y, sample_weight=ignored)
    without = SVC(probability=True).fit(X[:100], y[:100])
    np.testing.assert_array_equal(weighted.probA_, without.probA_)


def test_rare_classes_have_probabilities():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2)) + np.repeat([[0, 0], [4, 0], [0, 4]], [30, 9, 1], axis=0)
    y = np.repeat([0, 1, 2], [30, 9, 1])
    for rows in (np.arange(40), [0, 1, 2, 30, 31, 39], [0, 30, 39], [0, 30]):
        P = SVC(probability=True).fit(X[rows], y[rows]).predict_proba(X)
        assert np.isfinite(P).all()
        np.testing.assert_allclose(P.sum(axis=1), 1.0)


def test_methods_exist_only_if_they_were_asked_for():
    X, X_test, y, _ = parts("wine")
    plain = SVC().fit(X, y)
    assert not hasattr(plain, "predict_proba")
    assert len(plain.probA_) == len(plain.probB_) == 0
    with pytest.raises(AttributeError, match="has no attribute 'predict_proba'"):
        plain.predict_proba(X_test)
    with pytest.raises(NotFittedError, match="fitted with probability=False"):
        plain.set_params(probability=True).predict_proba(X_test)
    with pytest.raises(NotFittedError):
        SVC(probability=True).predict_proba(X_test)
    with pytest.raises(TypeError, match="probability = 'yes' is not valid"):
        SVC(probability="yes").fit(X, y)


def test_probabilities_survive_files(tmp_path):
    for name in ("breast_cancer", "wine"):
        X, X_test, y, _ = parts(name)
        model = SVC(probability=True).fit(X, y)
        expected = model.predict_proba(X_test)
        model.save(tmp_path / "own.model")
        for again in (pickle.loads(pickle.dumps(model)), softmargin.load(tmp_path / "own.model")):
            np.testing.assert_array_equal(again.predict_proba(X_test), expected)
        softmargin.dump_libsvm_model(model, tmp_path / "libsvm.model")
        again = softmargin.load_libsvm_model(tmp_path / "libsvm.model", n_features=X.shape[1])
        np.testing.assert_allclose(again.predict_proba(X_test), expected, atol=1e-9)


def test_libsvm_reads_the_probabilities(tmp_path):
    svmutil = pytest.importorskip("libsvm.svmutil")
    for name in ("breast_cancer", "wine"):
        X, X_test, y, _ = parts(name)
        model = SVC(probability=True).fit(X, y)
        softmargin.dump_libsvm_model(model, tmp_path / "libsvm.model")
        other = svmutil.svm_load_model(str(tmp_path / "libsvm.model"))
        _, _, values = svmutil.svm_predict([], X_test.tolist(), other, "-b 1 -q")
        found = np.array(values)[:, np.argsort(other.get_labels())]
        np.testing.assert_allclose(found, model.predict_proba(X_test), atol=0.01)


def test_a_time_limit_still_gives_probabilities():
    X, y = datasets.load_digits(return_X_y=True)
    model = SVC(probability=True, time_limit=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        P = model.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
