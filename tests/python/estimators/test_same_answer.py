"""The answer depends on the data and the parameters, not on how it is computed."""

import numpy as np
import pytest
import scipy.sparse as sp

from equality import dense
from softmargin import OLLAWV, _core

KERNELS = [
    _core.Kernel("rbf", 0.5, 3, 0.0),
    _core.Kernel("linear", "auto", 3, 0.0),
    _core.Kernel("poly", "scale", 2, 1.0),
    _core.Kernel("sigmoid", 0.1, 3, 0.1),
]


def train(
    X,
    y,
    kernel=KERNELS[0],
    *,
    fraction=1.0,
    multi_class="ovo",
    row_source="auto",
    cache_bytes=1 << 20,
    threads=1,
):
    """Call the core: the estimator has no parameter for the source of kernel rows."""
    rows = (X.indptr, X.indices, X.data, X.shape[1]) if sp.issparse(X) else X
    weights = np.ones(y.max() + 1)
    data = _core.TrainingData(rows, y.astype(np.uint32), weights, multi_class=multi_class)
    solver = _core.OllawvSolver(
        c=1.0, bias=True, max_sv_fraction=fraction, epochs=1, step="2/sqrt(t)"
    )
    limits = _core.Limits(threads=threads, memory_bytes=cache_bytes)
    (model,) = _core.fit(solver, [0.5], data, kernel, limits, row_source)
    return model


def assert_equal_to_the_bit(one, other):
    for name in ("support", "n_support", "dual_coef", "intercept", "n_iter", "gamma", "status"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", KERNELS, ids=[kernel.kernel for kernel in KERNELS])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_kernel_rows_give_the_same_machines_from_any_source(
    three_classes, multi_class, kernel, dtype, sparse
):
    X, y = three_classes
    X = np.where(X < 0.3, 0, X).astype(dtype)
    X = sp.csr_matrix(X) if sparse else X
    gram = train(X, y, kernel, multi_class=multi_class, row_source="gram")
    for source in ("auto", "computed", "cached"):
        for cache_bytes in (1, 4000, 1 << 30):
            other = train(
                X, y, kernel, multi_class=multi_class, row_source=source, cache_bytes=cache_bytes
            )
            assert_equal_to_the_bit(other, gram)


@pytest.mark.parametrize("source", ["gram", "cached", "computed"])
def test_machines_do_not_depend_on_the_number_of_threads(ten_classes, source):
    X, y = ten_classes
    X = X.astype(np.float32)
    one = train(X, y, row_source=source)
    for threads in (2, 3, 8):
        assert_equal_to_the_bit(train(X, y, row_source=source, threads=threads), one)


@pytest.mark.parametrize("source", ["cached", "computed"])
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
def test_a_machine_that_is_parallel_inside_does_not_depend_on_the_threads(rng, sparse, source):
    """30,000 rows: the sweep over a kernel row is cut into tasks."""
    X = rng.normal(size=(30_000, 30)).astype(np.float32)
    X[X < 0.8] = 0
    y = (X[:, 0] > X[:, 1]).astype(int)
    X = sp.csr_matrix(X) if sparse else X
    options = {"fraction": 0.004, "row_source": source, "cache_bytes": 1 << 25}
    kernel = _core.Kernel("rbf", 0.02, 3, 0.0)
    one = train(X, y, kernel, **options)
    assert one.n_iter.tolist() == [120]
    for threads in (2, 8):
        other = train(X, y, kernel, threads=threads, **options)
        assert_equal_to_the_bit(other, one)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_predictions_do_not_depend_on_the_number_of_threads(ten_classes, dtype):
    X, y = ten_classes
    X = X.astype(dtype)
    model = OLLAWV(gamma=0.05).fit(X, y)
    for shape in ("ovo", "ovr"):
        model.set_params(decision_function_shape=shape, n_jobs=1)
        one = model.decision_function(X), model.predict(X)
        for n_jobs in (2, 8):
            model.set_params(n_jobs=n_jobs)
            np.testing.assert_array_equal(model.decision_function(X), one[0])
            np.testing.assert_array_equal(model.predict(X), one[1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_whole_numbers_give_the_same_machines_dense_and_sparse(ten_classes, kernel, dtype):
    """Products of small whole numbers are exact in either layout, and so is all that follows."""
    X, y = ten_classes
    X = np.rint(4 * X).astype(dtype)
    options = {"kernel": kernel, "gamma": 0.125, "degree": 2}
    plain, other = (OLLAWV(**options).fit(rows, y) for rows in (X, sp.csr_matrix(X)))
    for name in ("support_", "dual_coef_", "intercept_"):
        np.testing.assert_array_equal(dense(getattr(other, name)), getattr(plain, name))
    np.testing.assert_array_equal(other.support_vectors_.toarray(), plain.support_vectors_)


@pytest.mark.parametrize(("dtype", "atol"), [(np.float64, 1e-9), (np.float32, 1e-4)])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid"])
def test_sparse_rows_are_decided_as_dense_ones(three_classes, kernel, dtype, atol):
    X, y = three_classes
    X = np.where(X < 0.3, 0, X).astype(dtype)
    options = {"kernel": kernel, "gamma": 0.3, "margin": 0.05}
    plain, sparse = (OLLAWV(**options).fit(rows, y) for rows in (X, sp.csr_matrix(X)))
    expected = plain.decision_function(X)
    for model, rows in ((plain, sp.csr_matrix(X)), (sparse, X), (sparse, sp.csr_matrix(X))):
        np.testing.assert_allclose(model.decision_function(rows), expected, atol=atol)


@pytest.mark.case(66, of="OLLAWV")
def test_float32_is_close_to_float64(three_classes):
    X, y = three_classes
    single, double = (OLLAWV(gamma=0.8).fit(X.astype(t), y) for t in (np.float32, np.float64))
    assert single.support_vectors_.dtype == np.float32
    assert double.support_vectors_.dtype == np.float64
    np.testing.assert_allclose(single.decision_function(X), double.decision_function(X), atol=1e-4)


def test_the_order_of_the_other_rows_does_not_matter(noisy, rng):
    X, y = noisy
    order = np.r_[0, 1 + rng.permutation(len(y) - 1)]
    straight, shuffled = OLLAWV().fit(X, y), OLLAWV().fit(X[order], y[order])
    one = dict(zip(straight.support_, straight.dual_coef_[0], strict=True))
    other = dict(zip(order[shuffled.support_], shuffled.dual_coef_[0], strict=True))
    assert other == one
    assert shuffled.intercept_ == straight.intercept_
    np.testing.assert_allclose(
        shuffled.decision_function(X), straight.decision_function(X), atol=1e-12
    )


@pytest.mark.case(71, of="OLLAWV")
def test_ollawv_depends_on_which_row_is_first(noisy):
    X, y = noisy
    order = np.r_[1 : len(y), 0]
    straight, turned = OLLAWV().fit(X, y), OLLAWV().fit(X[order], y[order])
    assert set(straight.support_) != set(order[turned.support_])
    assert not np.allclose(straight.decision_function(X), turned.decision_function(X))


@pytest.mark.case(72, of="OLLAWV")
def test_swapped_classes_give_the_mirrored_machine(noisy):
    X, y = noisy
    straight, mirrored = OLLAWV().fit(X, y), OLLAWV().fit(X, 1 - y)
    one = dict(zip(straight.support_, -straight.dual_coef_[0], strict=True))
    assert dict(zip(mirrored.support_, mirrored.dual_coef_[0], strict=True)) == one
    assert mirrored.intercept_ == -straight.intercept_
    np.testing.assert_allclose(
        mirrored.decision_function(X), -straight.decision_function(X), atol=1e-12
    )
