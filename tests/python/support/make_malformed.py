"""Write the binary files of tests/data/malformed; the text files are edited by hand.

Run this program after a format has changed: ``python tests/python/support/make_malformed.py``.
"""

import pickle
import warnings
import zipfile

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline

import softmargin
from archives import member, pack, parts, rebuild
from malformed import CORPUS, RUN, empty_table
from softmargin import (
    OLLAWV,
    SGDSVC,
    SVC,
    SVR,
    LinearSVC,
    MinMaxScaler,
    NuSVC,
    NuSVR,
    OneClassSVM,
)
from softmargin._selection.checkpoint import Checkpoint

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 1.5], [0.5, 0.25]])
Y = np.array(["a", "b", "c", "b", "a"])
T = np.array([0.5, -1.25, 3.0, 2.0, 0.0])
warnings.filterwarnings("ignore", ".*text labels in alphabetical order")
# An array whose header states 10^15 - 1 numbers.
HUGE = member(np.zeros(2)).replace(b"(2,), }" + b" " * 14, b"(999999999999999,), }")


def models():
    stream = SGDSVC(multi_class="ordinal", epochs=1, record_every=2, random_state=0).fit(X, Y)
    stream.curve_["seconds"] *= 0  # the same in every run
    yield "kernel", SVC(C=2, class_weight={"a": 2.0}, warm_start="support_vectors").fit(X, Y)
    yield "sparse", SVC(multi_class="ovr").fit(sp.csr_matrix(X, dtype=np.float32), Y)
    yield "precomputed", OLLAWV(kernel="precomputed", multi_class="ordinal").fit(X @ X.T, Y)
    yield "stream", stream
    yield "linear", LinearSVC().fit(X, Y == "a")
    yield "nu", NuSVC(nu=0.4).fit(X, Y)
    yield "regression", SVR(C=2, epsilon=0.2).fit(X, T)
    yield "tube", NuSVR(nu=0.4, C=3).fit(sp.csr_matrix(X), T)
    yield "novelty", OneClassSVM(kernel="precomputed", nu=0.4).fit(X @ X.T)
    yield "scaled", make_pipeline(MinMaxScaler(), OLLAWV(gamma=1.0)).fit(X, Y)


def model_of_table(folder):
    """Save a model with the schema of a table."""
    path = folder / "table.csv"
    path.write_text("size,colour,kind\n1,red,1.0\n2,green,2.0\n3,blue,1.0\n4,red,2.0\n")
    data = softmargin.datasets.read(path)
    path.unlink()
    model = SVC(C=2).fit(data.X, data.labels)
    softmargin.save(model, folder / "table.softmargin", schema=data.schema)


def regression_of_table(folder):
    """Save a regressor with the schema of a table."""
    path = folder / "table.csv"
    path.write_text("size,colour,price\n1,red,1.5\n2,green,2\n3,blue,1\n4,red,0.25\n")
    data = softmargin.datasets.read(path, targets=True)
    path.unlink()
    model = SVR(C=2).fit(data.X, data.y)
    softmargin.save(model, folder / "targets.softmargin", schema=data.schema)


def malformed_models(folder):
    """Write models with a single fault and valid checksums."""

    def header(name, change, good=None):
        own, arrays = parts(good or folder / "valid" / "kernel.softmargin")
        change(own)
        rebuild(folder / f"{name}.softmargin", own, arrays)

    def array(name, of, change):
        own, arrays = parts(good)
        rebuild(folder / f"{name}.softmargin", own, arrays | {of: change(arrays[of])})

    def broken(name, content):
        (folder / f"{name}.softmargin").write_bytes(content)

    good = folder / "valid" / "kernel.softmargin"
    header("version-newer", lambda h: h.update(version=2))
    header("parameter-unknown", lambda h: h["params"].update(alpha=1))
    header("kernel-unknown", lambda h: h["fitted"].update({"model/kernel": "cosine"}))
    header("columns-negative", lambda h: h["fitted"].update({"n_features_in_": -5}))
    header("columns-huge", lambda h: h["fitted"].update({"model/n_cols": 2_000_000_000}))
    header("field-missing", lambda h: h["fitted"].pop("model/degree"))
    table = folder / "valid" / "table.softmargin"
    header("schema-text", lambda h: h["fitted"].update(schema="size"), table)
    header("schema-labels", lambda h: h["fitted"]["schema"].update(labels=["2.0", "1.0"]), table)
    header("schema-columns", lambda h: h["fitted"]["schema"]["features"].pop(), table)
    targets = folder / "valid" / "targets.softmargin"
    header("schema-targets", lambda h: h["fitted"]["schema"].pop("has_targets"), targets)
    tube = folder / "valid" / "tube.softmargin"
    header("epsilon-list", lambda h: h["fitted"].update(epsilon_=[np.pi]), tube)
    header("scheme-of-others", lambda h: h.update({"class": "OneClassSVM", "params": {}}), tube)
    array("bias-nan", "model/intercept", lambda b: b * np.nan)
    array("vectors-missing", "model/rows", lambda rows: rows[:0])
    array("counts-huge", "model/n_support", lambda n: n + np.uint64(2**63))
    array("python-objects", "classes_", lambda c: c.astype(object))
    pack(folder / "header-deep.softmargin", [("header.json", "[" * 2_000)])
    pack(folder / "header-nan.softmargin", [("header.json", '{"format": NaN}')])
    pack(folder / "shape-huge.softmargin", [("header.json", "{}"), ("a.npy", HUGE)])
    bomb = [("header.json", "{}"), ("a.npy", member(np.zeros(50_000)))]
    pack(folder / "packed.softmargin", bomb, compression=zipfile.ZIP_DEFLATED)
    broken("cut-off", good.read_bytes()[:-30])
    name, length = b"classes_.npy", (12).to_bytes(2, "little")
    start = good.read_bytes().index(name) - 4  # of the length of this name
    content = bytearray(good.read_bytes())
    assert content[start : start + 2] == length
    content[start : start + 2] = (2000).to_bytes(2, "little")
    broken("name-length-wrong", bytes(content))
    broken("checksum-wrong", good.read_bytes().replace(b'"converged"', b'"stalled!!"', 1))


def npz(path, compression=zipfile.ZIP_DEFLATED, **arrays):
    """Write arrays as ``numpy.savez`` does."""
    named = [(f"{name}.npy", member(np.asarray(array))) for name, array in arrays.items()]
    pack(path, named, compression=compression)


def csr(rows):
    rows = sp.csr_matrix(rows)
    names = ("data", "indices", "indptr", "shape")
    return {name: np.asarray(getattr(rows, name)) for name in names}


def datasets(folder):
    npz(folder / "valid" / "dense.npz", X=X.astype(np.float32), y=Y, n_train=3)
    npz(folder / "valid" / "sparse.npz", **csr(X), y=[0, 1, 2, 1, 0], classes=["p", "q", "r"])
    npz(folder / "rows-and-labels-differ.npz", X=X, y=Y[:-1])
    npz(folder / "labels-missing.npz", X=X)
    npz(folder / "value-nan.npz", X=np.where(X == 3, np.nan, X), y=Y)
    npz(folder / "python-objects.npz", X=X, y=Y.astype(object))
    npz(folder / "rows-of-words.npz", X=X.astype(str), y=Y)
    npz(folder / "character-unknown.npz", X=X, y=np.array([2**21] * 5, "<u4").view("<U1"))
    npz(folder / "member-in-folder.npz", y=Y, **{"a/X": X})
    text = member(np.array(4)).replace(b"'shape': ()", b" False : ()")
    own = [("X.npy", member(X)), ("y.npy", member(Y)), ("n_train.npy", text)]
    pack(folder / "description-with-odd-names.npz", own)
    comma = member(np.array(4)).replace(b"'<i8'", b"',i8'")
    own = [("X.npy", member(X)), ("y.npy", member(Y)), ("n_train.npy", comma)]
    pack(folder / "type-with-a-comma.npz", own)
    npz(folder / "one-dimension.npz", X=X[0], y=Y[:2])
    npz(folder / "training-part-too-long.npz", X=X, y=Y, n_train=9)
    npz(folder / "class-out-of-range.npz", X=X, y=[0, 1, 2, 1, 0], classes=["p", "q"])
    npz(folder / "shape-negative.npz", **csr(X) | {"shape": [-5, 2]}, y=Y)
    npz(folder / "shape-huge.npz", **csr(X) | {"shape": [2_000_000_000, 2]}, y=Y)
    npz(folder / "index-out-of-range.npz", **csr(X) | {"indices": csr(X)["indices"] + 1}, y=Y)
    npz(folder / "row-ends-descend.npz", **csr(X) | {"indptr": csr(X)["indptr"][::-1]}, y=Y)
    (folder / "cut-off.npz").write_bytes((folder / "valid" / "dense.npz").read_bytes()[:200])


def checkpoints(folder):
    table = empty_table()
    table.done[0] = True
    scores = table.column("score")
    scores[0] = [1 / 3, 2 / 3, 1.0]
    n_iter = table.counts["n_iter"]
    good = folder / "valid" / "half.npz"
    good.unlink(missing_ok=True)
    Checkpoint(good, *RUN).save(table)
    with np.load(good) as file:
        arrays = {name: file[name] for name in file.files}
    other = {name.replace("svc", "sgd"): array for name, array in arrays.items()}

    def malformed(name, **changes):
        npz(folder / f"{name}.npz", zipfile.ZIP_STORED, **arrays | changes)

    npz(folder / "valid" / "other-method.npz", zipfile.ZIP_STORED, **other)
    malformed("version-older", version=1)
    malformed("version-text", version="three")
    malformed("run-of-other-rows", **{"svc/run": "0123"})
    short = {name: array[:1] for name, array in arrays.items() if array.ndim == 2}
    malformed("table-too-short", **short)
    malformed("shapes-differ", **{"svc/n_iter": n_iter[:1]})
    malformed("table-of-floats", **{"svc/n_iter": n_iter * 0.5})
    malformed("python-objects", **{"svc/n_iter": n_iter.astype(object)})
    malformed("array-unknown", a=[1.0])
    malformed("method-unknown", **{"svm/n_iter": n_iter})
    malformed("field-unknown", **{"svc/confusion": n_iter})
    malformed("accuracy-of-other-rows", **{"svc/test/score": scores / 2})
    malformed("score-above-one", **{"svc/test/score": scores + 1.5})
    malformed("score-not-a-number", **{"svc/test/score": scores * np.nan})
    malformed("steps-negative", **{"svc/n_iter": n_iter - 1})
    npz(folder / "compressed.npz", **arrays)
    without = {name: array for name, array in arrays.items() if name != "svc/test/score"}
    npz(folder / "scores-missing.npz", zipfile.ZIP_STORED, **without)
    few = {name: array for name, array in arrays.items() if name != "svc/n_iter"}
    npz(folder / "field-missing.npz", zipfile.ZIP_STORED, **few)
    (folder / "cut-off.npz").write_bytes(good.read_bytes()[:300])
    version = ("version.npy", member(np.array(4)))
    pack(folder / "shape-huge.npz", [version, ("svc/run.npy", HUGE)])
    pack(folder / "not-an-array.npz", [version, ("svc/run.npy", b"text")])


def states(folder):
    for name, model in models():
        if name in ("kernel", "sparse", "precomputed", "nu", "regression", "tube", "novelty"):
            content = type(model).__name__, model.__getstate__()
            (folder / "valid" / f"{name}.pickle").write_bytes(pickle.dumps(content, 4))

    def malformed(name, **changes):
        kind, state = pickle.loads((folder / "valid" / "kernel.pickle").read_bytes())
        state["_model"] |= changes
        (folder / f"{name}.pickle").write_bytes(pickle.dumps((kind, state), 4))

    malformed("bias-nan", intercept=np.full(3, np.nan))
    malformed("counts-huge", n_support=np.array([2**63, 2**63, 5], dtype=np.uint64))
    malformed("kernel-unknown", kernel="cosine")
    malformed("gamma-negative", gamma=-1.0)
    malformed("vectors-missing", rows=np.zeros((0, 2)))
    malformed("vectors-by-columns", rows=np.asfortranarray(X))
    malformed("version-newer", version=2)
    kind, state = pickle.loads((folder / "valid" / "regression.pickle").read_bytes())
    model = state["_model"] | {"multi_class": "ovo"}
    content = kind, state | {"_model": model}
    (folder / "scheme-of-others.pickle").write_bytes(pickle.dumps(content, 4))
    kind, state = pickle.loads((folder / "valid" / "kernel.pickle").read_bytes())
    content = kind, state | {"classes_": state["classes_"][:2]}
    (folder / "classes-missing.pickle").write_bytes(pickle.dumps(content, 4))


if __name__ == "__main__":
    for name, model in models():
        softmargin.save(model, CORPUS / "model" / "valid" / f"{name}.softmargin")
    model_of_table(CORPUS / "model" / "valid")
    regression_of_table(CORPUS / "model" / "valid")
    malformed_models(CORPUS / "model")
    datasets(CORPUS / "npz")
    checkpoints(CORPUS / "checkpoint")
    states(CORPUS / "pickled-state")
