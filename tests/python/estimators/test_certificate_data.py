"""A certificate is that of the data that was trained, or there is none."""

import threading

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import rbf_kernel

import softmargin
from estimators import EXACT, each
from softmargin._checks import resources
from softmargin._estimators.certificate import Training

KERNEL = {name: model for name, model in EXACT.items() if name != "LinearSVC"}


def problem(n=80, d=4):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n) > 0.7).astype(int)


# How rows are passed, and the array of the caller in which a change would be seen.
LAYOUTS = {
    "float64": lambda X: (X, X),
    "float32": lambda X: (single := X.astype(np.float32), single),
    "view": lambda X: (X, X[::2]),
    "csr": lambda X: (rows := sp.csr_matrix(X), rows.data),
    "csr array": lambda X: (rows := sp.csr_array(X), rows.data),
    "frame": lambda X: (pd.DataFrame(X, copy=False), X),
}


def is_refused_or(model, expected):
    """Tell whether the certificate is the right one, or whether there is none."""
    try:
        return model.certificate_ == expected
    except AttributeError as refusal:
        return "certificate_ is not available" in str(refusal)


@pytest.mark.case(111)
@pytest.mark.parametrize("layout", LAYOUTS)
@each(EXACT)
def test_a_certificate_is_not_that_of_changed_data(estimator, layout):
    X, y = problem()
    rows, memory = LAYOUTS[layout](X)
    expected = estimator.fit(rows, y).certificate_
    model = estimator.fit(rows, y)
    for change in (3.0, 1e-3, np.nan):
        memory *= change
        assert is_refused_or(model, expected)


@pytest.mark.case(111)
@each(EXACT)
def test_a_single_changed_value_is_noticed(estimator):
    X, y = problem()
    expected = estimator.fit(X, y).certificate_
    for place in ((0, 0), (41, 2), (79, 3)):
        model = estimator.fit(X, y)
        value, X[place] = X[place], np.nextafter(X[place], np.inf)
        assert is_refused_or(model, expected)
        X[place] = value
        assert model.certificate_ == expected


@pytest.mark.case(111)
@each(KERNEL)
def test_a_kernel_matrix_and_a_kernel_function_are_watched_as_well(estimator):
    X, y = problem()
    K = rbf_kernel(X)
    weights = np.arange(len(y)) % 3.0
    for kernel in ("precomputed", lambda A, B, K=K: K):
        rows = K if kernel == "precomputed" else X
        estimator.set_params(kernel=kernel)
        expected = estimator.fit(rows, y).certificate_
        model = estimator.fit(rows, y)
        K += 1
        assert is_refused_or(model, expected)
        K -= 1
    estimator.set_params(kernel="precomputed")
    expected = estimator.fit(K, y, sample_weight=weights).certificate_
    model = estimator.fit(K, y, sample_weight=weights)
    K += 1  # only a copy of the rows with a weight was trained
    assert model.certificate_ == expected


@pytest.mark.case(111)
@each(KERNEL)
def test_predictions_of_a_kernel_function_do_not_change_with_x(estimator):
    X, y = problem()
    queries = X[:7] + 0.1
    model = estimator.set_params(kernel=rbf_kernel).fit(X, y)
    expected, vectors = model.decision_function(queries), model.support_vectors_.copy()
    X *= 3
    np.testing.assert_array_equal(model.decision_function(queries), expected)
    np.testing.assert_array_equal(model.support_vectors_, vectors)


def test_data_that_was_changed_back_is_the_training_data():
    X, y = problem()
    model, expected = softmargin.SVC().fit(X, y), softmargin.SVC().fit(X, y).certificate_
    X *= 2
    with pytest.raises(AttributeError, match=r"changed after fit.*copy of X"):
        _ = model.certificate_
    X /= 2
    assert model.certificate_ == expected


@pytest.mark.case(112)
@each(EXACT)
def test_threads_that_read_a_model_see_the_same(estimator):
    X, y = problem(400)
    alone = estimator.fit(X, y)
    expected, decided = alone.certificate_, alone.decision_function(X)
    for _ in range(10):
        model = estimator.fit(X, y)
        start, found = threading.Barrier(6), []

        def read(model=model, start=start, found=found):
            start.wait()
            try:
                found.append((model.certificate_, model.decision_function(X)))
            except Exception as error:
                found.append(error)

        threads = [threading.Thread(target=read) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 6
        for certificate, values in found:
            assert certificate == expected
            np.testing.assert_array_equal(values, decided)


@pytest.mark.case(112)
@each(KERNEL)
def test_a_thread_that_finds_another_one_finished_gets_the_same(estimator, monkeypatch):
    """The other one reads the certificate when this one is about to compute it."""
    X, y = problem()
    expected = estimator.fit(X, y).certificate_
    model, threads_of, found = estimator.fit(X, y), resources.thread_count, []

    def interrupted(n_jobs):
        monkeypatch.undo()
        other = threading.Thread(target=lambda: found.append(model.certificate_))
        other.start()
        other.join()
        return threads_of(n_jobs)

    monkeypatch.setattr(resources, "thread_count", interrupted)
    found.append(model.certificate_)
    assert found == [expected, expected]


@pytest.mark.case(112)
@each(KERNEL)
def test_a_fit_during_the_computation_leaves_no_certificate_of_the_old_model(
    estimator, monkeypatch
):
    X, y = problem()
    expected = estimator.fit(X[::2], y[::2]).certificate_
    model, compute = estimator.fit(X, y), Training.certificates

    def interrupted(*arguments):
        monkeypatch.undo()
        model.fit(X[::2], y[::2])
        return compute(*arguments)

    monkeypatch.setattr(Training, "certificates", interrupted)
    assert model.certificate_ != expected
    assert model.certificate_ == expected
