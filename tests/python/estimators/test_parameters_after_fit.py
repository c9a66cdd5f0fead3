"""A parameter of training that is changed after it changes nothing of the model."""

import copy
import pickle

import numpy as np
import pytest

from estimators import KERNEL, each, problem
from softmargin import OLLAWV, SVC, NewtonSVC

X, Y = problem(n=60, k=4)


KEPT = {
    "itself": lambda model, again: model,
    "copied": lambda model, again: copy.deepcopy(model),
    "pickled": lambda model, again: pickle.loads(pickle.dumps(model)),
    "saved": lambda model, again: again(model),
}


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize(("before", "after"), [("ovo", "ovr"), ("ovr", "ovo"), ("ordinal", "ovr")])
@each(KERNEL)
def test_another_scheme_waits_for_the_next_fit(estimator, again, before, after, kept):
    model = estimator.set_params(multi_class=before, decision_function_shape="ovo").fit(X, Y)
    expected = model.decision_function(X)
    model = KEPT[kept](model.set_params(multi_class=after), again)
    np.testing.assert_array_equal(model.decision_function(X), expected)
    starts = SVC(multi_class=before, kernel="rbf").fit(X, Y, init=model)
    np.testing.assert_array_equal(starts.classes_, model.classes_)
    with pytest.raises(ValueError, match=f"init was fitted with multi_class = '{before}'"):
        SVC(multi_class=after).fit(X, Y, init=model)


def test_weights_of_features_are_those_of_the_fitted_machines():
    model = SVC(kernel="linear").fit(X, Y)
    expected = model.coef_
    np.testing.assert_array_equal(model.set_params(multi_class="ovr").coef_, expected)


def test_models_of_a_margin_path_know_their_scheme():
    (model,) = OLLAWV(decision_function_shape="ovo").margin_path(X, Y, [0.1])
    assert model.set_params(multi_class="ovr").decision_function(X).shape == (60, 6)


@pytest.mark.parametrize(("before", "after"), [("penalized", True), (True, "penalized")])
def test_a_certificate_is_of_the_bias_that_was_fitted(before, after):
    model, same = (NewtonSVC(bias=before).fit(X, Y) for _ in range(2))
    assert model.set_params(bias=after).certificate_ == same.certificate_
    assert max(own.violation for own in model.certificate_) < 1e-6
