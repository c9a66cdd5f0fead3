"""One run gives the models of all margins."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone

from softmargin import OLLAWV

MARGINS = [0.3, 0.0, 5.0, 0.1, 0.1, 1e6]


def assert_equal_to_the_bit(one, other):
    for name in ("support_", "dual_coef_", "intercept_", "n_support_", "n_iter_", "classes_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"multi_class": "ovr"},
        {"bias": False, "kernel": "linear"},
        {"max_sv_fraction": 0.2, "C": 7.0},
        {"class_weight": "balanced", "kernel": "poly"},
    ],
)
def test_each_model_equals_a_fit_of_its_own_to_the_bit(three_classes, options, dtype):
    X, y = three_classes
    X = X.astype(dtype)
    base = OLLAWV(gamma=0.8, **options)
    path = base.margin_path(X, y, MARGINS)
    assert [model.margin for model in path] == MARGINS
    for model, margin in zip(path, MARGINS, strict=True):
        alone = clone(base).set_params(margin=margin).fit(X, y)
        assert_equal_to_the_bit(model, alone)
        np.testing.assert_array_equal(model.decision_function(X), alone.decision_function(X))


def test_the_steps_of_a_smaller_margin_are_a_prefix(noisy):
    X, y = noisy
    path = OLLAWV(gamma=0.8).margin_path(X, y, np.linspace(0, 3, 13))
    lengths = [int(model.n_iter_[0]) for model in path]
    assert lengths == sorted(lengths)
    assert lengths[0] < lengths[-1]
    sets = [set(model.support_.tolist()) for model in path]
    assert all(small <= large for small, large in pairwise(sets))


def test_a_path_costs_the_kernel_values_of_its_longest_run(noisy):
    X, y = noisy
    path = OLLAWV(gamma=0.8).margin_path(X, y, MARGINS)
    alone = OLLAWV(gamma=0.8, margin=max(MARGINS)).fit(X, y)
    assert {model.n_kernel_evals_ for model in path} == {alone.n_kernel_evals_}


def test_the_estimator_itself_stays_unfitted(noisy):
    X, y = noisy
    base = OLLAWV()
    base.margin_path(X, y, [0.1])
    assert not hasattr(base, "classes_")
    assert not hasattr(base, "n_features_in_")


def test_every_model_knows_the_names_of_the_features(noisy):
    pd = pytest.importorskip("pandas")
    X, y = noisy
    (model,) = OLLAWV().margin_path(pd.DataFrame(X, columns=list("abcd")), y, [0.1])
    assert model.feature_names_in_.tolist() == list("abcd")


@pytest.mark.parametrize("margins", [[], [0.1, -1.0], [0.1, float("nan")]])
def test_an_empty_or_impossible_path_is_refused(noisy, margins):
    with pytest.raises(ValueError, match="margin"):
        OLLAWV().margin_path(*noisy, margins)
