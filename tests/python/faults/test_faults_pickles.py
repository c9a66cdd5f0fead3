"""A pickled estimator whose attributes were changed is refused, or can be used."""

import copy
import pickle

import numpy as np
import pytest

from estimators import CLASSIFIERS, each, problem
from softmargin import SVC, LinearSVC

X, Y = problem(n=60, k=3)


def changes(value):
    """Yield what stands in the place of a fitted attribute; ... deletes it."""
    yield from (None, "x", [], {}, 3.5, -1, ...)
    if isinstance(value, np.ndarray):
        yield from (value[:-1], np.concatenate([value, value]), value.ravel()[:1])
        if value.dtype.kind == "f":
            yield np.full_like(value, np.nan)


@pytest.mark.case(92)
@each(CLASSIFIERS)
def test_a_changed_attribute_is_refused_or_usable(estimator):
    model = estimator.fit(X, Y)
    state = model.__getstate__()
    expected = model.decision_function(X)
    n_refused = 0
    for name in state.keys() - model.get_params().keys() - {"_sklearn_version"}:
        for value in changes(state[name]):
            changed = {key: kept for key, kept in state.items() if key != name}
            if value is not ...:
                changed[name] = value
            again = type(model).__new__(type(model))
            try:
                again.__setstate__(changed)
                found = again.decision_function(X)
            except ValueError:
                n_refused += 1
                continue
            assert found.shape == expected.shape, (name, value)
            assert np.isfinite(found).all(), (name, value)
            assert set(again.predict(X)) <= set(Y), (name, value)
    assert n_refused > 10
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


@pytest.mark.case(92)
@each(CLASSIFIERS)
def test_an_unfitted_estimator_is_pickled_as_it_is(estimator):
    again = pickle.loads(pickle.dumps(estimator))
    assert again.get_params() == estimator.get_params()
    with pytest.raises(ValueError, match="not fitted"):
        again.predict(X)


def test_attributes_that_were_set_by_hand_are_kept():
    """As in scikit-learn, coef_ and intercept_ are the model, and a number is enough for 0."""
    model = LinearSVC().fit(X, Y)
    model.coef_, model.intercept_ = 2 * model.coef_, 0.0
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


@pytest.mark.case(92)
def test_columns_and_rows_of_other_kernels_are_checked():
    weights = np.r_[0.0, np.ones(59)]
    model = SVC(kernel="precomputed").fit(X @ X.T, Y, sample_weight=weights)
    state = model.__getstate__()
    for columns in (np.arange(59) + 2, -np.arange(59), np.arange(59.0), np.zeros((2, 2), int), "x"):
        with pytest.raises(ValueError, match="_used_columns"):
            SVC().__setstate__(state | {"_used_columns": columns})
    called = SVC(kernel=np.inner).fit(X, Y)
    with pytest.raises(ValueError, match="_kernel_samples"):
        SVC().__setstate__(called.__getstate__() | {"_kernel_samples": [1.0, 2.0]})


@pytest.mark.case(92)
@pytest.mark.parametrize("state", [None, 3, "x", [1], (1, 2)], ids=repr)
@each(CLASSIFIERS)
def test_a_state_that_is_no_dictionary_is_refused(estimator, state):
    model = estimator.fit(X, Y)
    with pytest.raises(ValueError, match="not a dictionary"):
        model.__setstate__(state)


@pytest.mark.case(92)
@each(CLASSIFIERS)
def test_a_refused_state_leaves_the_old_one(estimator):
    model = estimator.fit(X, Y)
    expected = model.decision_function(X)
    with pytest.raises(ValueError, match="not the state of a fitted"):
        model.__setstate__(model.__getstate__() | {"classes_": [1]})
    np.testing.assert_array_equal(model.decision_function(X), expected)
