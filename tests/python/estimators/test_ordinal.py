"""Ordinal classes: machines for neighbours, and labels counted by the pattern of their signs."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

import reference
import softmargin
from ordinal_methods import METHODS, ordinal
from softmargin import NLSGD, SVC

K = 5


@pytest.fixture(scope="module")
def grades():
    """Five grades along a curve, noisy and of unequal size, and rows without a grade."""
    rng = np.random.default_rng(4)
    X, Z = rng.normal(size=(150, 3)), 2 * rng.normal(size=(300, 3))
    level = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.4 * rng.normal(size=150)
    return X, np.searchsorted([-0.8, 0.0, 0.5, 1.5], level), Z


def outputs(model, X):
    """The output of each machine."""
    model.set_params(decision_function_shape="ovo")
    values = model.decision_function(X)
    model.set_params(decision_function_shape="ovr")
    return values


def assert_counted(model, X, codes, Z, weights=None):
    """Scores and predictions are those that the training rows count."""
    weights = np.ones(len(codes)) if weights is None else weights
    k = len(model.classes_)
    used = weights > 0
    train = outputs(model, X)[used]
    expected = reference.by_patterns(train, codes[used], weights[used], outputs(model, Z), k)
    np.testing.assert_allclose(model.decision_function(Z), expected, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(Z), model.classes_[expected.argmax(axis=1)])


@pytest.mark.parametrize("method", METHODS)
def test_machines_are_those_of_neighbours(grades, method):
    X, y, Z = grades
    model = ordinal(METHODS[method]).fit(X, y)
    assert model.dual_coef_.shape == (K - 1, len(model.support_))
    assert model.intercept_.shape == model.n_iter_.shape == (K - 1,)
    pairs = []
    for a in range(K - 1):
        rows = (y == a) | (y == a + 1)
        alone = clone(METHODS[method]).fit(X[rows], y[rows] == a)
        pairs.append(alone.decision_function(Z))
        of_others = ~np.isin(y[model.support_], (a, a + 1))
        assert not model.dual_coef_[a, of_others].any()
    np.testing.assert_allclose(outputs(model, Z), np.column_stack(pairs), atol=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_labels_are_counted_by_pattern(grades, method):
    X, y, Z = grades
    model = ordinal(METHODS[method]).fit(X, y)
    assert_counted(model, X, y, Z)
    assert softmargin.fit(X, y, method, **model.get_params()).predict(Z).tolist() == (
        model.predict(Z).tolist()
    )
    assert model.score(X, y) > 0.5


@pytest.mark.parametrize("method", METHODS)
def test_threads_do_not_change_a_bit(grades, method):
    X, y, Z = grades
    one, two = (ordinal(METHODS[method], n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(two.decision_function(Z), one.decision_function(Z))
    np.testing.assert_array_equal(outputs(two, Z), outputs(one, Z))


@pytest.mark.parametrize("method", METHODS)
def test_two_classes_are_one_machine_as_ever(grades, method):
    X, y, Z = grades
    model, other = ordinal(METHODS[method]).fit(X, y > 1), clone(METHODS[method]).fit(X, y > 1)
    np.testing.assert_array_equal(model.decision_function(Z), other.decision_function(Z))
    np.testing.assert_array_equal(model.predict(Z), other.predict(Z))
    assert model._model.state().patterns is None


# Machine (0, 1) looks at the first feature, machine (1, 2) at the second.
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])


@pytest.mark.parametrize(("sizes", "label"), [((2, 3, 5), "c"), ((4, 6, 6), "b"), ((3, 3, 3), "a")])
def test_an_unseen_pattern_falls_back_to_the_most_frequent_label(sizes, label):
    X, y = np.repeat(CORNERS, sizes, axis=0), pd.Categorical(np.repeat(list("abc"), sizes))
    y = y.as_ordered()
    model = SVC(C=100, kernel="linear", multi_class="ordinal").fit(X, y)
    assert model.score(X, y) == 1.0
    corner = [[0.0, 1.0]]
    assert (outputs(model, corner) > 0).tolist() == [[True, False]]
    assert model.predict(corner).tolist() == [label]
    np.testing.assert_allclose(model.decision_function(corner), [np.array(sizes) / sum(sizes)])
    np.testing.assert_allclose(
        model.coef_ @ X.T + model.intercept_[:, None], outputs(model, X).T, atol=1e-12
    )


def test_equal_counts_go_to_the_lower_label_and_zero_is_positive():
    """A row that no kernel reaches has outputs of 0, and rows of all classes share a pattern."""
    model = NLSGD(kernel="precomputed", multi_class="ordinal", random_state=0)
    y = np.array([7, 5, 6, 6, 7, 5])
    K = np.zeros((6, 6))
    model.fit(K, y)
    assert not outputs(model, K).any()
    assert model.predict(K).tolist() == [5] * 6
    np.testing.assert_array_equal(model.decision_function(K), np.full((6, 3), 1 / 3))


def test_a_row_counts_its_sample_weight_but_not_that_of_its_class(grades):
    X, y, Z = grades
    weights = np.random.default_rng(0).integers(0, 4, size=len(y)).astype(float)
    for kind in ("svc", "nlsgd", "newton"):
        model = ordinal(METHODS[kind], class_weight={0: 5.0, 3: 0.1})
        model.fit(X, y, sample_weight=weights)
        assert_counted(model, X, y, Z, weights)
    small = 0.1 * weights + 0.05
    assert_counted(ordinal(METHODS["svc"]).fit(X, y, sample_weight=small), X, y, Z, small)


@pytest.mark.parametrize("layout", [sp.csr_matrix, np.float32, sp.csr_array])
def test_layouts_and_types_of_rows(grades, layout):
    X, y, Z = grades
    for kind in ("svc", "ollawv"):
        model = ordinal(METHODS[kind]).fit(layout(X), y)
        assert_counted(model, layout(X), y, layout(Z))


@pytest.mark.parametrize("weighted", [False, True])
def test_kernels_that_the_caller_computes(grades, weighted):
    X, y, Z = grades
    weights = np.arange(len(y)) % 3 if weighted else np.ones(len(y))
    plain = ordinal(METHODS["svc"]).fit(X, y, sample_weight=weights)

    def kernel(A, B):
        return rbf_kernel(A, B, gamma=0.5)

    called = ordinal(METHODS["svc"], kernel=kernel).fit(X, y, sample_weight=weights)
    given = ordinal(METHODS["svc"], kernel="precomputed")
    given.fit(kernel(X, X), y, sample_weight=weights)
    expected = plain.decision_function(Z)
    np.testing.assert_allclose(called.decision_function(Z), expected)
    np.testing.assert_allclose(given.decision_function(kernel(Z, X)), expected)


def test_the_order_of_strings_is_the_order_of_the_classes(grades):
    X, y, Z = grades
    names = np.array(["1 poor", "2 fair", "3 good", "4 great", "5 best"])
    plain = ordinal(METHODS["svc"]).fit(X, y)
    with pytest.warns(UserWarning, match="'1 poor' < '2 fair' < '3 good' < '4 great' < '5 best'"):
        named = ordinal(METHODS["svc"]).fit(X, names[y])
    np.testing.assert_array_equal(named.predict(Z), names[plain.predict(Z)])
    np.testing.assert_array_equal(named.decision_function(Z), plain.decision_function(Z))


def test_one_run_gives_the_patterns_of_all_margins(grades):
    X, y, Z = grades
    margins = [0.01, 0.5, 0.1]
    model = ordinal(METHODS["ollawv"])
    for path in model.margin_path(X, y, margins):
        alone = ordinal(METHODS["ollawv"], margin=path.margin).fit(X, y)
        np.testing.assert_array_equal(path.decision_function(Z), alone.decision_function(Z))


@pytest.mark.parametrize("method", ["mnsvm", "newton", "nnisda", "svc"])
def test_certificates_and_starts(grades, method):
    X, y, Z = grades
    model = ordinal(METHODS[method]).fit(X, y)
    assert len(model.certificate_) == K - 1
    assert max(c.violation for c in model.certificate_) < 1e-3
    again = ordinal(METHODS[method], C=20.0).fit(X, y, init=model)
    cold = ordinal(METHODS[method], C=20.0).fit(X, y)
    warm = ordinal(METHODS[method], warm_start=True).fit(X, y).set_params(C=20.0).fit(X, y)
    for other in (again, warm):
        np.testing.assert_allclose(outputs(other, Z), outputs(cold, Z), atol=1e-4)
    with pytest.raises(ValueError, match="multi_class"):
        clone(METHODS[method]).fit(X, y, init=model)


def test_seeds_of_support_vectors_start_each_machine(grades):
    X, y, Z = grades
    model = ordinal(METHODS["svc"], warm_start="support_vectors").fit(X, y)
    assert len(model._seeds.rows) == K - 1
    model.set_params(C=20.0).fit(X, y)
    cold = ordinal(METHODS["svc"], C=20.0).fit(X, y)
    np.testing.assert_allclose(outputs(model, Z), outputs(cold, Z), atol=1e-4)
    rows = ordinal(METHODS["svc"], C=20.0).fit(X, y, init=np.arange(20))
    np.testing.assert_allclose(outputs(rows, Z), outputs(cold, Z), atol=1e-4)


def test_kernel_values_of_the_counting_are_counted(grades):
    X, y, _ = grades
    model = ordinal(METHODS["ollawv"]).fit(X, y)
    of_machines = sum(
        n * np.isin(y, (a, a + 1)).sum() for a, n in enumerate(model.n_iter_.tolist())
    )
    assert model.n_kernel_evals_ == of_machines + len(y) * len(model.support_)


@parametrize_with_checks([SVC(gamma=0.5, tol=1e-9, multi_class="ordinal")])
def test_every_check_of_scikit_learn_passes(estimator, check):
    check(estimator)
