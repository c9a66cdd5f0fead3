"""Compare fitted estimators with their copies."""

import pickle

import numpy as np
import scipy.sparse as sp

from softmargin._estimators.model_state import to_dict


def dense(values):
    """Return an attribute as a dense array; it is sparse after a fit on sparse samples."""
    return values.toarray() if sp.issparse(values) else np.asarray(values)


def assert_same_estimator(copy, model):
    """Compare the class, the parameters and all attributes, also private ones, bit for bit."""
    assert type(copy) is type(model)
    assert copy.get_params() == model.get_params()
    mine, theirs = model.__getstate__(), copy.__getstate__()
    assert mine.keys() == theirs.keys()
    for name in mine.keys() - model.get_params().keys():
        assert_same(theirs[name], mine[name], name)


def assert_same(copy, value, name):
    assert type(copy) is type(value), name
    if isinstance(value, np.ndarray):
        assert (copy.dtype, copy.shape) == (value.dtype, value.shape), name
        same = copy.tolist() == value.tolist() or copy.tobytes() == value.tobytes()
        assert same, name
        assert copy.flags.writeable or not value.flags.writeable, name
    elif isinstance(value, dict):
        assert copy.keys() == value.keys(), name
        for key in value:
            assert_same(copy[key], value[key], f"{name}[{key!r}]")
    elif isinstance(value, list | tuple):
        assert len(copy) == len(value), name
        for place, (one, other) in enumerate(zip(copy, value, strict=True)):
            assert_same(one, other, f"{name}[{place}]")
    elif hasattr(value, "state"):  # a model of the core
        assert pickle.dumps(to_dict(copy)) == pickle.dumps(to_dict(value)), name
    elif hasattr(value, "__dict__"):
        assert_same(vars(copy), vars(value), name)
    else:
        assert copy == value, name
