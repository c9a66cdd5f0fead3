"""A model file whose content was changed is refused by the name of the field."""

import numpy as np
import pytest
import scipy.sparse as sp

import softmargin
from archives import parts, rebuild
from estimators import CLASSIFIERS, each
from softmargin import SGDSVC, SVC, LinearSVC

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))
Y = np.array(["a", "b", "c", "d"])[np.arange(40) % 4]


def models():
    weights = np.r_[0.0, np.ones(39)]
    yield "dense", SVC(warm_start="support_vectors").fit(X, Y)
    yield "csr", SVC(multi_class="ovr").fit(sp.csr_matrix(X), Y)
    yield "precomputed", SVC(kernel="precomputed").fit(X @ X.T, Y, sample_weight=weights)
    yield "stream", SGDSVC(epochs=1, random_state=0, record_every=9).fit(X, Y)
    with pytest.warns(UserWarning, match="alphabetical"):
        yield "ordinal", LinearSVC(multi_class="ordinal").fit(X, Y)


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    found = {}
    for name, model in models():
        model.save(folder / name)
        found[name] = parts(folder / name)
    return found


def setting(place, value):
    """Return a change of the header; a value of ... deletes."""

    def change(header, arrays):
        *path, last = place.split(".")
        for name in path:
            header = header[name]
        if value is ...:
            del header[last]
        else:
            header[last] = value

    return change


def array(name, make):
    """Return a change of an array; a new one of ... deletes."""

    def change(header, arrays):
        new = make(arrays[name].copy())
        arrays.pop(name) if new is ... else arrays.update({name: new})

    return change


def put(value, place=0):
    """Return a change of one number of an array."""

    def change(numbers):
        numbers.flat[place] = value
        return numbers

    return change


def newer(place, sentence):
    """Return the case of a version that is not known yet."""
    return pytest.param("dense", setting(place, 2), sentence, marks=pytest.mark.case(91))


CASES = [
    ("dense", setting("format", "other"), "format"),
    newer("version", "format version 2, written by softmargin .*, but this is softmargin"),
    ("dense", setting("version", True), "version"),
    ("dense", setting("softmargin", ...), "softmargin"),
    ("dense", setting("class", "OtherSVC"), "unknown estimator class 'OtherSVC'"),
    ("dense", setting("class", "GridSearchCV"), "unknown estimator class"),
    ("dense", setting("class", "SGDSVC"), "no parameter"),
    ("dense", setting("class", ["SVC"]), "class"),
    ("dense", setting("more", 1), "more"),
    ("dense", setting("params", []), "params"),
    ("dense", setting("params.alpha", 1), "'alpha'; the file was written by softmargin"),
    ("dense", setting("params.C", [1]), "parameters must be"),
    ("dense", setting("params.C", {"float": "1"}), "parameters must be"),
    ("dense", setting("params.class_weight", {"dict": [[{"dict": []}, 1]]}), "parameters must be"),
    ("dense", setting("params.n_jobs", "all"), "n_jobs"),
    ("dense", setting("params.n_jobs", 0), "n_jobs"),
    ("dense", setting("params.break_ties", "no"), "break_ties"),
    ("dense", setting("params.multi_class", "all"), "multi_class"),
    ("dense", setting("params.decision_function_shape", 3), "decision_function_shape"),
    ("dense", setting("fitted", None), "fitted"),
    ("dense", setting("fitted.more", 1), "'more' is an unknown field"),
    ("dense", setting("fitted.classes_", ["a", "b", "c", "d"]), "'classes_' occurs twice"),
    ("dense", setting("fitted.n_features_in_", 4), "n_features_in_"),
    ("dense", setting("fitted.n_features_in_", 3.0), "n_features_in_"),
    ("dense", setting("fitted.n_features_in_", -3), "n_features_in_"),
    ("dense", setting("fitted.feature_names_in_", ["a", "b"]), "feature_names_in_"),
    ("dense", setting("fitted.feature_names_in_", ["a", "b", 3]), "feature_names_in_"),
    newer("fitted.model/version", "version 2"),
    ("dense", setting("fitted.model/kernel", "cosine"), "model/kernel"),
    ("dense", setting("fitted.model/kernel", "precomputed"), "does not exist among 3"),
    ("dense", setting("fitted.model/gamma", "scale"), "model/gamma"),
    ("dense", setting("fitted.model/gamma", -1.0), "gamma"),
    ("dense", setting("fitted.model/gamma", 10**400), "model/gamma"),
    ("dense", setting("fitted.model/degree", 2**40), "degree"),
    ("dense", setting("fitted.model/n_cols", 2), "model/rows"),
    ("dense", setting("fitted.model/n_cols", 2**62), "model/rows"),
    ("dense", setting("fitted.model/dtype", "float32"), "model/rows"),
    ("dense", setting("fitted.model/multi_class", "ovr"), "coefficients do not match"),
    ("dense", setting("fitted.model/status", ["converged"]), "model/status"),
    ("dense", setting("fitted.model/n_kernel_evals", 2**64), "model/n_kernel_evals"),
    ("dense", setting("fitted.seeds/size", 0), "seeds/size"),
    ("dense", setting("fitted.seeds/size", 1), "seeds"),
    ("dense", array("classes_", lambda c: c[::-1].copy()), "classes_"),
    ("dense", array("classes_", lambda c: c[:3]), "n_support"),
    ("dense", array("classes_", lambda c: c[:1]), "classes_"),
    ("dense", array("classes_", lambda c: c.reshape(2, 2)), "classes_"),
    ("dense", array("classes_", lambda c: np.array([0, 1, np.nan, 3])), "classes_"),
    ("dense", array("classes_", lambda c: np.array([2**21, 9], "<u4").view("<U1")), "classes_"),
    ("dense", array("classes_", lambda c: np.array([0, 2], "u1").view(bool)), "classes_"),
    ("dense", array("model/rows", lambda r: r[:-1]), "n_support"),
    ("dense", array("model/rows", lambda r: r.astype("f4")), "model/rows"),
    ("dense", array("model/rows", put(np.nan)), "model/rows"),
    ("dense", array("model/rows", put(1e300)), "overflows"),
    ("dense", array("model/support", put(2**31)), "model/support"),
    ("dense", array("model/support", put(40)), "shape_fit_"),
    ("dense", array("model/support", lambda s: s * 0), "model/support"),
    ("dense", array("model/n_support", put(2**64 - 1)), "n_support"),
    ("dense", array("model/dual_coef", put(np.inf)), "model/dual_coef"),
    ("dense", array("model/dual_coef", lambda d: d[:-1]), "coefficients do not match"),
    ("dense", array("model/intercept", put(np.nan)), "model/intercept"),
    ("dense", array("model/intercept", lambda b: b[:-1]), "status"),
    ("dense", array("model/intercept", lambda b: ...), "'model/intercept' is missing"),
    ("dense", array("model/n_iter", put(2**63)), "model/n_iter"),
    ("dense", array("shape_fit_", put(0)), "shape_fit_"),
    ("dense", array("shape_fit_", put(9, 1)), "shape_fit_"),
    ("dense", array("shape_fit_", lambda s: s[:1]), "shape_fit_"),
    ("dense", array("class_weight_", lambda w: w[:2]), "class_weight_"),
    ("dense", array("seeds/rows", put(40)), "seeds/rows"),
    ("dense", array("seeds/lengths", put(-1)), "seeds/lengths"),
    ("dense", array("seeds/lengths", put(2**62)), "seeds/lengths"),
    ("csr", array("model/rows/indices", put(3)), "sparse"),
    ("csr", array("model/rows/indices", put(-1)), "sparse"),
    ("csr", array("model/rows/indptr", put(5)), "sparse"),
    ("csr", array("model/rows/indptr", put(2**62, -1)), "sparse"),
    ("csr", array("model/rows/data", lambda d: d[:-1]), "sparse"),
    ("csr", array("model/rows/data", lambda d: ...), "'model/rows/data' is missing"),
    ("csr", setting("fitted.model/n_cols", 2), "sparse"),
    ("csr", setting("fitted.model/n_cols", 4), "n_features_in_"),
    ("precomputed", array("support_", put(40)), "support_"),
    ("precomputed", array("support_", put(-1)), "support_"),
    ("precomputed", array("support_", lambda s: s[:-1]), "support_"),
    ("precomputed", array("used_columns", put(40, -1)), "used_columns"),
    ("precomputed", array("used_columns", lambda c: c[::-1].copy()), "used_columns"),
    ("precomputed", array("used_columns", lambda c: c[:-1]), "n_cols"),
    ("precomputed", array("used_columns", lambda c: ...), "n_cols"),
    ("precomputed", setting("fitted.model/n_cols", 3), "does not exist"),
    ("precomputed", setting("fitted.model/kernel", "rbf"), "model/rows"),
    ("stream", setting("fitted.scheme", "ovo"), "coef_"),
    ("stream", setting("fitted.scheme", "all"), "scheme"),
    ("stream", setting("fitted.scheme", "ordinal"), "coef_"),
    ("stream", setting("fitted.optimizer", "adam"), "optimizer"),
    ("stream", setting("fitted.n_iter_", -1), "n_iter_"),
    ("stream", setting("fitted.status_", "conv"), "status_"),
    ("stream", array("coef_", lambda w: w[:, :-1]), "coef_"),
    ("stream", array("coef_", put(np.nan)), "coef_"),
    ("stream", array("intercept_", put(np.inf)), "intercept_"),
    ("stream", array("curve_/loss", lambda c: c[:-1]), "curve_/loss"),
    ("stream", array("curve_/loss", lambda c: ...), "curve_"),
    ("stream", array("states/steps", put(2**63 - 1)), "states"),
    ("stream", array("states/averaged", put(-1)), "states"),
    ("stream", array("states/averaged", put(2**40)), "states"),
    ("stream", array("states/has_memory", put(0)), "states"),
    ("stream", array("states/has_memory", put(255)), "states"),
    ("stream", array("states/memory", lambda m: m[:-1]), "states/memory"),
    ("stream", array("states/weights", lambda w: w[:, :-1]), "states/weights"),
    ("stream", array("states/eta", put(np.nan)), "states/eta"),
    ("ordinal", array("patterns", put(2)), "fit"),
    ("ordinal", array("patterns", lambda p: p[:-1]), "match"),
    ("ordinal", array("patterns", lambda p: ...), "'patterns' is missing"),
    ("ordinal", array("pattern_counts", put(-1)), "pattern_counts"),
    ("ordinal", array("pattern_counts", lambda c: c[:-1]), "match"),
    ("ordinal", array("certificate_", lambda c: c[:-1]), "certificate_"),
]


@pytest.mark.case(89)
@pytest.mark.parametrize(("name", "change", "sentence"), CASES)
def test_what_was_tampered_with_is_named(contents, tmp_path, name, change, sentence):
    header, arrays = contents[name]
    header = {
        key: dict(value) if isinstance(value, dict) else value for key, value in header.items()
    }
    arrays = dict(arrays)
    path = tmp_path / "changed.softmargin"
    rebuild(path, header, arrays)
    softmargin.load(path)
    change(header, arrays)
    rebuild(path, header, arrays)
    with pytest.raises(ValueError, match=rf"changed\.softmargin' is not a valid model.*{sentence}"):
        softmargin.load(path)


def test_a_parameter_that_a_file_is_too_old_for_has_its_default(contents, tmp_path):
    header, arrays = contents["dense"]
    old = header | {"params": {"C": 2}}
    rebuild(tmp_path / "old.softmargin", old, arrays)
    assert softmargin.load(tmp_path / "old.softmargin").get_params() == SVC(C=2).get_params()


def numbers(array):
    """Return an array whose numbers are changed, each as no model has them."""
    if array.dtype.kind == "f":
        return [put(np.nan)(array.copy()), put(np.inf, -1)(array.copy())]
    if array.dtype.kind in "iu":
        extremes = np.iinfo(array.dtype)
        return [put(value)(array.copy()) for value in (extremes.max, extremes.min)]
    return []


@pytest.mark.case(89)
@each(CLASSIFIERS)
def test_every_part_of_every_estimator_is_checked(estimator, tmp_path):
    """Counts of 2e9 and below 0, sections that are missing or cut off, text for numbers, NaN."""
    path = tmp_path / "model"
    model = estimator.fit(X, Y)
    model.save(path)
    expected = model.decision_function(X)
    header, arrays = parts(path)
    tried = []
    for name, array in arrays.items():
        for changed in (array[:-1], array.ravel()[:0], array.astype("U"), *numbers(array)):
            tried.append((header, arrays | {name: changed}))
        tried.append((header, {key: kept for key, kept in arrays.items() if key != name}))
    for name in header["fitted"]:
        for value in (2_000_000_000, -5, "word", None, [], float("nan")):
            tried.append((header | {"fitted": header["fitted"] | {name: value}}, arrays))
        cut = {key: kept for key, kept in header["fitted"].items() if key != name}
        tried.append((header | {"fitted": cut}, arrays))
    n_refused = 0
    for parts_of_it in tried:
        rebuild(path, *parts_of_it)
        try:
            found = softmargin.load(path).decision_function(X)
        except ValueError:
            n_refused += 1
            continue
        np.testing.assert_array_equal(found, expected)
    assert n_refused > 0.6 * len(tried)
