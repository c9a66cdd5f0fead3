"""Rows that come in blocks train as partial_fit does, from whatever gives the blocks."""

import numpy as np
import pytest
import scipy.sparse as sp

from softmargin import SGDSVC

PARAMS = {"shuffle": False, "lambda_": 0.05, "epochs": 3}


def problem(n=120, d=5, k=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    X = np.round(rng.normal(size=(n, d)) + np.eye(k, d)[y], 3)
    return X * (rng.uniform(size=(n, d)) < 0.7), y


def blocks_of(X, y, size=50):
    return [(X[first : first + size], y[first : first + size]) for first in range(0, len(y), size)]


def by_hand(blocks, epochs=3, **params):
    model = SGDSVC(**PARAMS | params)
    for _ in range(epochs):
        for X, y, *weights in blocks:
            model.partial_fit(X, y, [0, 1, 2], *weights)
    return model


def same(one, two):
    np.testing.assert_array_equal(one.coef_, two.coef_)
    np.testing.assert_array_equal(one.intercept_, two.intercept_)
    assert one.t_ == two.t_
    assert one.classes_.tolist() == two.classes_.tolist()


@pytest.mark.parametrize("scheme", ["ovr", "ovo", "ordinal"])
@pytest.mark.parametrize("optimizer", ["pegasos", "momentum"])
def test_blocks_train_as_partial_fit_does(scheme, optimizer):
    X, y = problem()
    blocks = blocks_of(X, y)
    params = {"multi_class": scheme, "optimizer": optimizer}
    expected = by_hand(blocks, **params)
    for given, classes in (
        (blocks, None),
        (tuple(blocks), [0, 1, 2]),
        (lambda: iter(blocks), None),
        (lambda: blocks_of(sp.csr_matrix(X).toarray(), y), None),
    ):
        model = SGDSVC(**PARAMS | params).fit_blocks(given, classes=classes)
        same(model, expected)
        assert model.n_iter_ == 3
        np.testing.assert_array_equal(model.predict(X), expected.predict(X))


def test_blocks_in_order_are_a_fit_in_order():
    X, y = problem()
    blocks = SGDSVC(average=1, **PARAMS).fit_blocks(blocks_of(X, y))
    whole = SGDSVC(average=1, **PARAMS).fit(X, y)
    np.testing.assert_allclose(blocks.coef_, whole.coef_, rtol=1e-10)


def test_blocks_may_have_weights(rng):
    X, y = problem()
    weights = rng.uniform(0, 2, len(y))
    blocks = [(X[:70], y[:70], weights[:70]), (X[70:], y[70:], None)]
    same(SGDSVC(**PARAMS).fit_blocks(blocks), by_hand(blocks))


def test_a_generator_serves_one_epoch_of_known_classes():
    X, y = problem()
    blocks = blocks_of(X, y)
    for epochs, classes in ((3, [0, 1, 2]), (1, None)):
        with pytest.raises(ValueError, match="only once"):
            SGDSVC(**PARAMS | {"epochs": epochs}).fit_blocks(iter(blocks), classes=classes)
    model = SGDSVC(**PARAMS | {"epochs": 1}).fit_blocks(iter(blocks), classes=[0, 1, 2])
    same(model, by_hand(blocks, epochs=1))


def test_blocks_start_anew():
    X, y = problem()
    blocks = blocks_of(X, y)
    model = SGDSVC(**PARAMS).fit(X[::-1], y[::-1])
    same(model.fit_blocks(blocks), by_hand(blocks))
    other = SGDSVC(**PARAMS).fit(X[:, :2], y > 0)
    same(other.fit_blocks(blocks), by_hand(blocks))


def failing(blocks, place):
    def generate():
        yield from blocks[:place]
        raise OSError("the disk is gone")

    return generate


def test_what_fails_in_the_middle_leaves_the_old_model():
    X, y = problem()
    blocks = blocks_of(X, y)
    model = SGDSVC(**PARAMS).fit(X, y)
    before = dict(vars(model))
    bad = [*blocks[:2], (np.full((3, 5), np.nan), [0, 1, 2])]
    for given, classes, error, sentence in (
        (failing(blocks, 2), [0, 1, 2], OSError, "the disk is gone"),
        (bad, None, ValueError, "NaN"),
        ([*blocks[:2], (X[:5, :4], y[:5])], None, ValueError, "4 features"),
        ([], [0, 1], ValueError, "blocks is empty"),
        (blocks, [0, 1], ValueError, "not one of classes"),
    ):
        with pytest.raises(error, match=sentence):
            model.fit_blocks(given, classes=classes)
        assert vars(model).keys() == before.keys()
        assert all(vars(model)[name] is value for name, value in before.items())


def test_no_blocks_at_all_are_refused():
    with pytest.raises(ValueError, match="blocks is empty"):
        SGDSVC().fit_blocks([])
    with pytest.raises(ValueError, match="blocks is empty"):
        SGDSVC().fit_blocks(lambda: iter(()))


def test_blocks_of_dask_arrays_are_blocks():
    dask_array = pytest.importorskip("dask.array")
    X, y = problem()
    rows, labels = dask_array.from_array(X, chunks=(50, -1)), dask_array.from_array(y, chunks=50)

    def blocks():
        for i in range(rows.numblocks[0]):
            yield rows.blocks[i].compute(), labels.blocks[i].compute()

    model = SGDSVC(**PARAMS).fit_blocks(blocks, classes=[0, 1, 2])
    np.testing.assert_array_equal(model.coef_, by_hand(blocks_of(X, y)).coef_)
