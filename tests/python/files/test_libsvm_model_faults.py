"""Files that are no models of LIBSVM are refused, and models that LIBSVM has not."""

import os
import re
import tracemalloc

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

import softmargin
from softmargin import OLLAWV, SVC, LinearSVC

pytestmark = pytest.mark.case(89)

TEXT = """\
svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 3
total_sv 4
rho 0.25 -0.5 0
label 4 -1 2
probA 1 2 3
probB 1 2 3
nr_sv 1 2 1
SV
1 0.5 1:1 3:-2.5e-1
-1 0.25 2:1
0 0.75 1:1 2:1
-0.5 -1 3:4
"""
X = np.array(
    [[1.0, 0.0, -0.25], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 4.0], [0.5, 0.5, 0.5]]
)


def values_by_hand():
    """Return the values of pairs (4, -1), (4, 2), (-1, 2) by their definition."""
    K = np.exp(-0.5 * ((X[:, None] - X[None, :4]) ** 2).sum(axis=2))
    return np.column_stack(
        [
            K @ [1, -1, 0, 0] - 0.25,
            K @ [0.5, 0, 0, -0.5] + 0.5,
            K @ [0, 0.25, 0.75, -1] - 0,
        ]
    )


@pytest.fixture
def written(tmp_path):
    """A function that writes a text to a file."""

    def write(text):
        path = tmp_path / "a.model"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def refusal(path, sentence=""):
    pattern = re.escape(str(path)) + rf"' is not a valid LIBSVM model.*{sentence}"
    with pytest.raises(ValueError, match=pattern) as refused:
        softmargin.load_libsvm_model(path)
    assert len(str(refused.value)) < 500


def test_a_model_is_what_its_definition_says(written):
    model = softmargin.load_libsvm_model(written(TEXT))
    assert model.classes_.tolist() == [-1, 2, 4]
    assert model.n_support_.tolist() == [2, 1, 1]
    by_hand = values_by_hand()
    model.set_params(decision_function_shape="ovo")
    expected = np.column_stack([by_hand[:, 2], -by_hand[:, 0], -by_hand[:, 1]])
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-15)
    options = {"decision_function_shape": "ovo", "probability": True}
    assert model.get_params() == SVC(gamma=0.5, **options).get_params()
    assert model.probA_.tolist() == [3, 1, 2]
    assert model.probB_.tolist() == [3, -1, -2]
    assert (model.status_, model.fit_status_, model.shape_fit_) == (["unknown"] * 3, 0, (4, 3))


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("\n", "\r\n"),
        TEXT.replace("1:1 3:-2.5e-1", "1:1\t3:-0.25 "),
        TEXT.replace("probA 1 2 3\nprobB 1 2 3\n", "prob_density_marks 1 2\n"),
        TEXT.replace("c_svc", "nu_svc").replace("rbf\n", "rbf\ndegree 3\ncoef0 0\n"),
        TEXT + "\n",
    ],
    ids=["crlf", "blanks", "marks", "nu", "empty line"],
)
def test_accepted_files_have_the_same_model(written, text):
    expected = softmargin.load_libsvm_model(written(TEXT)).decision_function(X)
    values = softmargin.load_libsvm_model(written(text)).decision_function(X)
    np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("svm_type c_svc\n", "", "svm_type is missing"),
        ("c_svc", "svc", "svm_type is 'svc'; expected one of c_svc, nu_svc, one_class"),
        ("c_svc", "one_class", "label is not a field of a model of type one_class"),
        ("c_svc", "epsilon_svr", "label is not a field of a model of type epsilon_svr"),
        ("c_svc", "c_svc nu_svc", "svm_type has 2 values"),
        ("rbf", "precomputed", "kernel_type is 'precomputed'"),
        ("rbf", "cosine", "kernel_type"),
        ("rbf", "polynomial", "degree is missing"),
        ("rbf\n", "polynomial\ndegree -2\ncoef0 0\n", "degree"),
        ("rbf\n", "polynomial\ndegree 2.5\ncoef0 0\n", "degree"),
        ("rbf", "sigmoid", "coef0 is missing"),
        ("gamma 0.5\n", "", "gamma is missing"),
        ("gamma 0.5", "gamma -1", "gamma"),
        ("gamma 0.5", "gamma nan", "gamma"),
        ("gamma 0.5", "gamma 0.5\ngamma 0.5", "line 4: duplicate field gamma"),
        ("gamma 0.5", "gamma 0_5", "gamma"),
        ("gamma 0.5", "gamma ٥", "gamma"),
        ("gamma 0.5", "sigma 0.5", "line 3: unknown field 'sigma'"),
        ("nr_class 3", "nr_class 2", "label has 3 values"),
        ("nr_class 3", "nr_class 1", "nr_class"),
        ("nr_class 3", "nr_class -5", "nr_class"),
        ("nr_class 3", "nr_class 2000000000", "label has 3"),
        ("total_sv 4", "total_sv 2000000000", "total_sv is 2000000000, but the sum of nr_sv is 4"),
        ("total_sv 4", "total_sv -5", "total_sv"),
        ("total_sv 4", "total_sv 99999999999999999999", "total_sv"),
        ("total_sv 4", "total_sv four", "total_sv"),
        ("rho 0.25", "rho nan", "rho"),
        ("rho 0.25", "rho 1e999", "rho"),
        ("rho 0.25", "rho", "rho has 2 values"),
        ("label 4", "label 2", "duplicate"),
        ("label 4", "label 4.5", "label"),
        ("label 4", "label a", "label"),
        ("label 4", "label 3000000000", "label"),
        ("probA 1", "probA one", "probA"),
        ("probA 1", "probA", "probA has 2"),
        ("nr_sv 1 2 1", "nr_sv 1 1 1", "total_sv"),
        ("nr_sv 1 2 1", "nr_sv 5 -2 1", "nr_sv"),
        ("nr_sv 1 2 1\n", "", "nr_sv is missing"),
        ("SV\n1", "1", "line 11: unknown field '1'"),
        ("SV\n", "SV 4\n", "unknown field 'SV'"),
        ("1 0.5 1:1", "nan 0.5 1:1", "line 12"),
        ("1 0.5 1:1", "1 inf 1:1", "line 12"),
        ("1 0.5 1:1", "1 1:1", "line 12.*label"),
        ("1 0.5 1:1", "1:1", "line 12: a coefficient is '1:1'"),
        ("1 0.5 1:1", "1e999 0.5 1:1", "line 12: a coefficient"),
        ("1 0.5 1:1", "1 0.5 # 1:1", "line 12"),
        ("1 0.5 1:1", "1 0.5 0:1", "line 12.*index 0"),
        ("1 0.5 1:1", "1 0.5 3:1", "line 12.*ascend"),
        ("1 0.5 1:1", "1 0.5 -1:1", "line 12"),
        ("2:1\n0", "2:\n0", "line 13"),
        ("2:1\n0", "2:1e300\n0", "overflows"),
        ("2:1\n0", "2147483648:1\n0", "line 13.*2147483647"),
        ("-0.5 -1 3:4\n", "", "total_sv is 4, but the file has 3 support vectors"),
        ("-0.5 -1 3:4\n", "-0.5 -1 3:4\n0 0 1:1\n", "the file has 5 support vectors"),
        ("-0.5 -1 3:4\n", "-0.5 -1 3:4", "truncated"),
        ("-0.5 -1 3:4\n", "-0.5\n", "line 15: expected 2 coefficients"),
    ],
)
def test_what_is_wrong_is_named(written, old, new, sentence):
    assert old in TEXT
    tracemalloc.start()
    try:
        refusal(written(TEXT.replace(old, new, 1)), sentence)
        assert tracemalloc.get_traced_memory()[1] < 1e6
    finally:
        tracemalloc.stop()


def test_every_prefix_is_refused(written):
    for length in range(len(TEXT)):
        refusal(written(TEXT[:length]))


def test_a_flipped_bit_is_refused_or_a_usable_model(written):
    """Text has no checksum: another digit is another model."""
    content, n_refused = TEXT.encode(), 0
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        try:
            model = softmargin.load_libsvm_model(written(bytes(changed)))
        except ValueError as refused:
            assert "is not a valid LIBSVM model" in str(refused)  # noqa: PT017
            n_refused += 1
        else:
            rows = np.zeros((2, model.n_features_in_))
            assert np.isfinite(model.decision_function(rows)).all()
            assert set(model.predict(rows)) <= set(model.classes_)
    assert n_refused > len(content) / 2


def test_other_files_are_refused(written, tmp_path):
    for content in (
        b"",
        b"\n",
        b"SV\n",
        b"\x00" * 1000,
        b"PK\x03\x04",
        b"\xff\xfes\x00",
        b"1 1:2\n",
    ):
        refusal(written(content))
    with pytest.raises(FileNotFoundError, match="nowhere"):
        softmargin.load_libsvm_model(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="n_features"):
        softmargin.load_libsvm_model(written(TEXT), n_features=0)
    with pytest.raises(ValueError, match="n_features"):
        softmargin.load_libsvm_model(written(TEXT), n_features=2)
    with pytest.raises(ValueError, match="dtype"):
        softmargin.load_libsvm_model(written(TEXT), dtype=np.int8)


def test_models_that_libsvm_has_not_are_refused(noisy, three_classes, tmp_path):
    (X, y), path = noisy, tmp_path / "model"
    for model, sentence in (
        (OLLAWV(multi_class="ovr").fit(*three_classes), "multi_class = 'ovr'"),
        (OLLAWV(multi_class="ordinal").fit(*three_classes), "multi_class = 'ordinal'"),
        (SVC(kernel="precomputed").fit(rbf_kernel(X), y), "precomputed"),
        (SVC(kernel=rbf_kernel).fit(X, y), "callable"),
        (SVC().fit(X, np.where(y, "yes", "no")), "labels 'no', 'yes'"),
        (SVC().fit(X, y == 1), "labels False, True"),
        (SVC().fit(X, y * 2**31), "32-bit integers"),
        (SVC().fit(X, y - 2.0**32), "32-bit integers"),
    ):
        with pytest.raises(ValueError, match=sentence):
            softmargin.dump_libsvm_model(model, path)
    with pytest.raises(TypeError, match="LinearSVC"):
        softmargin.dump_libsvm_model(LinearSVC().fit(X, y), path)
    with pytest.raises(NotFittedError):
        softmargin.dump_libsvm_model(SVC(), path)
    assert os.listdir(tmp_path) == []


def test_two_classes_are_written_whatever_the_scheme(noisy, tmp_path):
    X, y = noisy
    for scheme in ("ovo", "ovr", "ordinal"):
        model = OLLAWV(multi_class=scheme).fit(X, y)
        softmargin.dump_libsvm_model(model, tmp_path / "model")
        values = softmargin.load_libsvm_model(tmp_path / "model").decision_function(X)
        np.testing.assert_array_equal(values, model.decision_function(X))
