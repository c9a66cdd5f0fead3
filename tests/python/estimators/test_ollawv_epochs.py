"""OLLAWV in several epochs takes the steps of its definition, one after the other."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import minmax_scale

import reference
import softmargin
from softmargin import OLLAWV, SVC

MARGINS = [0.3, 0.0, 5.0, 0.1, 0.1, 1e6]


def signs(y):
    return np.where(y == 1, 1.0, -1.0)


def assert_is_run(model, machine):
    """Same support vectors with the sums of their steps, same bias, same number of steps."""
    alpha = np.zeros(model.support_.max() + 1)
    np.add.at(alpha, machine.rows, machine.alphas)
    np.testing.assert_array_equal(np.sort(model.support_), np.unique(machine.rows))
    np.testing.assert_allclose(model.dual_coef_[0], alpha[model.support_], rtol=1e-12)
    np.testing.assert_allclose(model.intercept_, [machine.bias], rtol=1e-9, atol=1e-13)
    assert model.n_iter_.tolist() == [len(machine.rows)]


@pytest.mark.parametrize("step", ["2/sqrt(t)", "1/t"])
@pytest.mark.parametrize("epochs", [1, 2, 3, 10])
@pytest.mark.parametrize("margin", [0.0, 0.1, 1.0, 1e6])
def test_a_fit_takes_the_steps_of_the_definition(noisy, epochs, margin, step):
    X, y = noisy
    K = reference.kernel(X, X, gamma=0.4)
    machine = reference.ollawv_in_epochs(K, signs(y), margin, epochs=epochs, step=step)
    assert_is_run(OLLAWV(margin=margin, gamma=0.4, epochs=epochs, step=step).fit(X, y), machine)


@pytest.mark.parametrize("step", ["2/sqrt(t)", "1/t"])
@pytest.mark.parametrize("fraction", [1e-9, 0.05, 0.3, 0.99])
@pytest.mark.parametrize("margin", [0.05, 0.5, 1e6])
def test_the_limit_counts_support_vectors_and_lets_them_be_used_again(
    noisy, fraction, margin, step
):
    X, y = noisy
    K = reference.kernel(X, X, gamma=0.4)
    options = {"epochs": 3, "step": step, "max_sv_fraction": fraction}
    machine = reference.ollawv_in_epochs(K, signs(y), margin, **options)
    model = OLLAWV(margin=margin, gamma=0.4, **options).fit(X, y)
    assert_is_run(model, machine)
    assert len(model.support_) <= np.ceil(fraction * len(y))
    if margin == 1e6:
        assert model.n_iter_[0] == 3 * len(model.support_) == 3 * np.ceil(fraction * len(y))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kernel", ["linear", "precomputed"])
def test_other_kernels_and_class_weights_take_the_steps_of_the_definition(noisy, kernel, bias):
    X, y = noisy
    K = reference.kernel(X, X, "linear")
    by_class = np.array([3.0, 0.5])
    machine = reference.ollawv_in_epochs(K, signs(y), 0.3, epochs=4, bias=bias, weights=by_class[y])
    weights = {0: 3.0, 1: 0.5}
    model = OLLAWV(margin=0.3, kernel=kernel, epochs=4, bias=bias, class_weight=weights)
    assert_is_run(model.fit(K if kernel == "precomputed" else X, y), machine)


@pytest.mark.parametrize("seed", range(4))
def test_ties_go_to_the_lower_row_of_the_caller_in_every_epoch(seed):
    rng = np.random.default_rng(seed)
    distinct = rng.normal(size=(14, 3))
    copies = rng.permutation(np.repeat(np.arange(14), 5))
    X, y = distinct[copies], copies % 2
    K = reference.kernel(distinct, distinct, gamma=0.4)[np.ix_(copies, copies)]
    for options in ({"max_sv_fraction": 1.0}, {"max_sv_fraction": 0.2}):
        machine = reference.ollawv_in_epochs(K, signs(y), 2.0, epochs=3, **options)
        assert_is_run(OLLAWV(margin=2.0, gamma=0.4, epochs=3, **options).fit(X, y), machine)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("options", [{}, {"max_sv_fraction": 0.2, "multi_class": "ovr"}], ids=str)
def test_a_margin_path_has_the_models_of_single_fits_to_the_bit(three_classes, options, dtype):
    X, y = three_classes
    X = X.astype(dtype)
    params = {"gamma": 0.8, "epochs": 3, **options}
    path = OLLAWV(**params).margin_path(X, y, MARGINS)
    for model, margin in zip(path, MARGINS, strict=True):
        alone = OLLAWV(margin=margin, **params).fit(X, y)
        for name in ("support_", "dual_coef_", "intercept_", "n_iter_"):
            np.testing.assert_array_equal(getattr(model, name), getattr(alone, name))
    lengths = [path[k].n_iter_.sum() for k in np.argsort(MARGINS)]
    assert all(small <= large for small, large in pairwise(lengths))


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_the_result_does_not_depend_on_threads_cache_or_search(three_classes, multi_class):
    X, y = three_classes
    params = {"gamma": 0.8, "epochs": 3, "multi_class": multi_class}
    expected = OLLAWV(**params).fit(X, y)
    for other in ({"n_jobs": 2}, {"cache_size": 0.01}, {"cache_size": 0.01, "n_jobs": 2}):
        model = OLLAWV(**params, **other).fit(X, y)
        np.testing.assert_array_equal(model.dual_coef_, expected.dual_coef_)
        np.testing.assert_array_equal(model.intercept_, expected.intercept_)
    grid = {"margin": [0.01, 0.1, 1.0], "epochs": [1, 3]}
    search = softmargin.GridSearchCV(OLLAWV(**params), grid, cv=3).fit(X, y)
    assert search.engine_reason_ is None
    own = OLLAWV(**params | search.best_params_).fit(X, y)
    np.testing.assert_array_equal(search.best_estimator_.dual_coef_, own.dual_coef_)


def test_more_epochs_come_closer_to_the_exact_objective():
    X, y = load_breast_cancer(return_X_y=True)
    X = minmax_scale(X)
    y = np.where(np.random.default_rng(0).random(len(y)) < 0.1, 1 - y, y)

    def hinge(model):
        """Return the mean hinge loss of the decision function, scaled by its best multiple."""
        f = signs(y) * model.decision_function(X)
        return min(np.maximum(0, 1 - scale * f).mean() for scale in np.geomspace(0.01, 100, 200))

    exact = hinge(SVC(C=1e4, gamma=1.0, max_iter=100_000).fit(X, y))
    losses = [
        hinge(OLLAWV(gamma=1.0, margin=0.3, epochs=epochs).fit(X, y)) for epochs in (1, 3, 10)
    ]
    assert exact < losses[2] < losses[1] < losses[0]


@pytest.mark.parametrize(
    ("params", "error", "sentence"),
    [
        ({"epochs": 0}, ValueError, "epochs = 0 is not valid"),
        ({"epochs": -1}, ValueError, "epochs = -1 is not valid"),
        ({"epochs": 10**7}, ValueError, "epochs = 10000000 is not valid: it must be from 1 to"),
        ({"epochs": 1.5}, (TypeError, ValueError), "epochs = 1.5 is not valid"),
        ({"step": "t"}, ValueError, "step = 't' is not valid"),
    ],
)
def test_a_value_outside_its_domain_is_named(noisy, params, error, sentence):
    with pytest.raises(error, match=sentence):
        OLLAWV(**params).fit(*noisy)
