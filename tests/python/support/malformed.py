"""All readers of the package, and the properties that must hold for every file.

A reader accepts a file, or rejects it with a ``ValueError`` of one line. Accepted files are
complete: a data set is consistent, a model predicts and can be saved and loaded again. The folder
``tests/data/malformed`` contains examples: the folder ``valid`` of each reader has files that it
accepts, the folder above files that it rejects, with the messages in ``refusals.toml``.
"""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier, is_regressor

import mutations
import softmargin
from softmargin import datasets
from softmargin._files import libsvm_text
from softmargin._selection.checkpoint import Checkpoint
from softmargin._selection.table import Table

CORPUS = Path(__file__).parents[2] / "data" / "malformed"
# Method and signature of the run in the checkpoints.
RUN = ("svc", "a run of two splits and three cells")


class Reader(NamedTuple):
    """Functions that read a kind of file, check the result, and mutate files."""

    read: Callable[[Path], Any]
    check: Callable[[Any, Path], None]
    mutate: Callable[..., bytes]

    def refusal(self, path):
        """Return the message with which a file is rejected; None if it is accepted and valid."""
        try:
            found = self.read(path)
        except ValueError as error:
            sentence = str(error)
        else:
            self.check(found, path)
            return None
        assert 0 < len(sentence) < 1000, f"a message of {len(sentence)} characters"
        assert "\n" not in sentence, f"a message of several lines: {sentence!r}"
        return sentence


def files(reader, *, valid):
    """Return the examples of a reader, in the same order everywhere."""
    folder = CORPUS / reader
    return sorted(path for path in (folder / "valid" if valid else folder).iterdir() if path.suffix)


def check_rows(X, n_rows):
    values = X.data if sp.issparse(X) else X
    assert X.shape[0] == n_rows > 0
    assert np.isfinite(values).all()
    if sp.issparse(X):
        X.check_format(full_check=True)
        assert X.has_canonical_format


# Data sets


def refusal_of(read):
    """Return the result of a function and None, or None and the message of its ValueError."""
    try:
        return read(), None
    except ValueError as error:
        return None, str(error)


def read_text(path):
    """Read a file at once and in blocks; both must give the same samples or the same error."""
    found, refusal = refusal_of(lambda: softmargin.load_libsvm(path))
    _, other = refusal_of(lambda: list(softmargin.LibsvmBlocks(path, 1)))
    # Smaller pieces read more lines before the end of compressed data; blocks name the file.
    alike = [word for word in ("cannot read the file", "has no samples") if word in (refusal or "")]
    is_same = alike[0] in (other or "") if alike else other == refusal
    assert is_same, f"{refusal!r} at once, but {other!r} in blocks"
    if refusal is not None:
        raise ValueError(refusal)
    return found


def check_text(found, path):
    X, y = found
    check_rows(X, len(y))
    for piece, rows in ((13, 1), (libsvm_text._SMALL_PIECE, len(y) + 1)):
        blocks = softmargin.LibsvmBlocks(path, rows)
        parts = list(in_pieces(piece, blocks))
        assert blocks.n_features == X.shape[1]
        np.testing.assert_array_equal(np.concatenate([labels for _, labels in parts]), y)
        assert (sp.vstack([part for part, _ in parts], format="csr") != X).nnz == 0
    if X.shape[1] == 0:  # cannot be written
        return
    copy = path.with_name("copy.txt")
    softmargin.dump_libsvm(X, y, copy)
    again, labels = softmargin.load_libsvm(copy, n_features=X.shape[1])
    np.testing.assert_array_equal(labels, y)
    np.testing.assert_array_equal(again.data, X.data)
    np.testing.assert_array_equal(again.indices, X.indices)


def in_pieces(size, blocks):
    """Yield the blocks of a file that is read in pieces of ``size`` bytes."""
    usual, libsvm_text._SMALL_PIECE = libsvm_text._SMALL_PIECE, size
    try:
        yield from blocks
    finally:
        libsvm_text._SMALL_PIECE = usual


def read_table(path):
    """Read a table or ARFF file; check that missing="drop" works if the error suggests it."""
    found, refusal = refusal_of(lambda: datasets.read(path))
    if refusal is None:
        return found
    if "missing='drop'" in refusal:
        found, _ = refusal_of(lambda: datasets.read(path, missing="drop"))
        if found is not None:
            check_dataset(found, path)
    raise ValueError(refusal)


def check_dataset(found, path):
    check_rows(found.X, len(found.y))
    check_targets(path)
    assert found.y.min() >= 0
    assert found.y.max() < len(found.classes) == len(set(found.classes.tolist()))
    assert found.n_train is None or 0 < found.n_train < len(found.y)
    assert repr(found)


def check_targets(path):
    """Check that a file is read with targets if its labels are numbers."""
    found, refusal = refusal_of(lambda: datasets.read(path, targets=True))
    if refusal is not None:
        assert "\n" not in refusal
        return
    assert found.y.dtype == np.float64
    assert np.isfinite(found.y).all()
    assert len(found.y) == found.X.shape[0]
    assert repr(found)


def check_table(found, path):
    """Check that reading a table with its own schema gives the same data."""
    check_dataset(found, path)
    header = None if path.suffix == ".arff" else found.schema.has_header
    again = datasets.read(path, header=header, schema=found.schema)
    np.testing.assert_array_equal(again.y, found.y)
    np.testing.assert_array_equal(again.labels, found.labels)
    assert again.X.shape == found.X.shape
    assert sp.issparse(again.X) == sp.issparse(found.X)
    assert not (again.X != found.X).sum()


def check_phrases(found, path):
    phrases, labels = found
    assert len(phrases) == len(labels) > 0


# Models


def check_predictions(model):
    """Check that the model predicts; with a precomputed kernel, samples are kernel values."""
    n = model.n_features_in_
    n_jobs = getattr(model[-1] if hasattr(model, "steps") else model, "n_jobs", None) or 1
    if n > 10_000 or n_jobs > 8:  # may need too much memory
        return np.zeros(3)
    rows = np.array([np.zeros(n), np.ones(n), np.arange(n) / n])
    labels, refusal = refusal_of(lambda: model.predict(rows))
    if refusal is not None:
        assert "overflows the" in refusal or "the model was fitted with" in refusal, refusal
        return np.zeros(3)
    assert labels.shape == (3,)
    if is_regressor(model):
        assert np.isfinite(labels).all()
        return labels
    classes = model.classes_.tolist() if is_classifier(model) else [-1, 1]
    assert set(labels.tolist()) <= set(classes)
    values = model.decision_function(rows)
    assert values.shape[0] == 3
    return values


def check_model(model, path):
    values = check_predictions(model)
    copies = [path.with_name("copy.softmargin"), path.with_name("copy of copy.softmargin")]
    softmargin.save(model, copies[0])
    again = softmargin.load(copies[0])
    softmargin.save(again, copies[1])
    assert copies[0].read_bytes() == copies[1].read_bytes()
    np.testing.assert_array_equal(check_predictions(again), values)


def check_libsvm_model(model, path):
    values = check_predictions(model)
    copy = path.with_name("copy.model")
    softmargin.dump_libsvm_model(model, copy)
    again = softmargin.load_libsvm_model(copy, n_features=model.n_features_in_)
    np.testing.assert_array_equal(check_predictions(again), values)


def read_state(path):
    kind, state = pickle.loads(path.read_bytes())
    model = getattr(softmargin, kind)()
    model.__setstate__(state)
    return model


def check_state(model, path):
    values = check_predictions(model)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(check_predictions(again), values)


# Checkpoints


def empty_table():
    """Return an empty table of two splits and three candidates."""
    return Table(2, 3)


def read_checkpoint(path):
    table = empty_table()
    Checkpoint(path, *RUN).load(table, np.array([3, 3]), "score")
    return table


def check_checkpoint(table, path):
    copy = path.with_name("copy.npz")
    copy.write_bytes(path.read_bytes())
    Checkpoint(copy, *RUN).save(table)
    stored = read_checkpoint(copy)
    np.testing.assert_array_equal(table.done, stored.done)
    for kind in ("counts", "test", "train"):
        own, other = getattr(table, kind), getattr(stored, kind)
        assert own.keys() == other.keys()
        for name, values in own.items():
            np.testing.assert_array_equal(values, other[name])


READERS = {
    "libsvm-text": Reader(read_text, check_text, mutations.text),
    "libsvm-model": Reader(softmargin.load_libsvm_model, check_libsvm_model, mutations.text),
    "table": Reader(read_table, check_table, mutations.text),
    "arff": Reader(read_table, check_table, mutations.text),
    "phrases": Reader(softmargin.load_phrases, check_phrases, mutations.text),
    "npz": Reader(datasets.read, check_dataset, mutations.archive),
    "model": Reader(softmargin.load, check_model, mutations.archive),
    "checkpoint": Reader(read_checkpoint, check_checkpoint, mutations.archive),
    "pickled-state": Reader(read_state, check_state, mutations.state),
}
