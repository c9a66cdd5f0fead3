"""A model file that is cut off, changed or something else is refused, or as good."""

import io
import os
import pickle
import re
import tracemalloc
import zipfile

import numpy as np
import pytest

import softmargin
from archives import member, pack, parts, rebuild
from softmargin import SGDSVC, SVC

pytestmark = pytest.mark.case(89)

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 1.5]])
Y = np.array(["a", "b", "c", "b"])


@pytest.fixture(scope="module", params=["kernel", "stream"])
def good(request, tmp_path_factory):
    """A model, its file, and the bytes of that."""
    if request.param == "kernel":
        model = SVC(C=2, class_weight={"a": 2.0}, warm_start="support_vectors").fit(X, Y)
    else:
        model = SGDSVC(multi_class="ordinal", epochs=1, record_every=1, random_state=0)
        with pytest.warns(UserWarning, match="alphabetical"):
            model.fit(X, Y)
    path = tmp_path_factory.mktemp("models") / "model.softmargin"
    model.save(path)
    return model, path, path.read_bytes()


def refusal(path, sentence=""):
    with pytest.raises(
        ValueError, match=re.escape(str(path)) + rf".*is not a valid model.*{sentence}"
    ):
        softmargin.load(path)


@pytest.mark.case(90)
def test_every_prefix_is_refused(good, tmp_path):
    content = good[2]
    for length in sorted({*range(0, len(content), 41), *range(len(content) - 60, len(content))}):
        path = tmp_path / "cut"
        path.write_bytes(content[:length])
        refusal(path)


@pytest.mark.case(90)
def test_a_flipped_bit_is_refused_or_of_no_effect(good, tmp_path):
    model, _, content = good
    values, path, n_refused = model.decision_function(X), tmp_path / "flipped", 0
    places = range(0, len(content), 11)
    for place in places:
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        path.write_bytes(changed)
        try:
            other = softmargin.load(path)
        except ValueError as refused:
            assert str(path) in str(refused)  # noqa: PT017
            n_refused += 1
        else:
            np.testing.assert_array_equal(other.decision_function(X), values)
            assert other.get_params() == model.get_params()
    assert n_refused > len(places) / 2


def members(path):
    with zipfile.ZipFile(path) as archive:
        return [(info.filename, archive.read(info)) for info in archive.infolist()]


def test_packed_members_are_refused_before_they_are_unpacked(tmp_path):
    path = tmp_path / "bomb"
    rows = [("model/rows.npy", member(np.zeros((1000, 20_000))))]
    pack(path, [("header.json", "{}"), *rows], compression=zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 1e6
    del rows
    tracemalloc.start()
    try:
        refusal(path, "must not be compressed")
        assert tracemalloc.get_traced_memory()[1] < 1e6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "description",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999999,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999, 99999999), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (2,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 2), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }",
        "{'descr': '<f3', 'fortran_order': False, 'shape': (2,), }",
        "{'descr': '<U0', 'fortran_order': False, 'shape': (999999999999,), }",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,), }",
        "__import__('os').abort()",
        "(" * 5000,
    ],
)
def test_the_description_of_an_array_is_not_believed(good, tmp_path, description):
    text = description.encode() + b"\n"
    bad = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(16)
    path = tmp_path / "model"
    pack(path, [*members(good[1]), ("other.npy", bad)])
    tracemalloc.start()
    try:
        refusal(path, r"other\.npy")
        assert tracemalloc.get_traced_memory()[1] < 1e6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("bad", [b"", b"\x93NUMPY", b"\x93NUMPY\x02\x00" + bytes(90), bytes(99)])
def test_what_is_no_array_is_refused(good, tmp_path, bad):
    pack(tmp_path / "model", [*members(good[1]), ("other.npy", bad)])
    refusal(tmp_path / "model", r"other\.npy")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[" * 100_000, ""),
        ("{" + '"a":{' * 100_000, ""),
        ("", ""),
        ("[]", "must be a JSON object"),
        ('{"format": "softmargin model", "format": "softmargin model"}', "duplicate key"),
        ('{"format": NaN}', "NaN"),
        ('{"format": ' + "9" * 10_000 + "}", ""),
        (b"\xff\xfe{\x00}\x00", ""),
        ("{}", "format"),
    ],
    ids=["deep list", "deep object", "empty", "list", "twice", "NaN", "long", "utf-16", "nothing"],
)
def test_a_header_that_is_none_is_refused(tmp_path, text, sentence):
    pack(tmp_path / "model", [("header.json", text)])
    refusal(tmp_path / "model", sentence)


def test_members_that_do_not_belong_are_refused(good, tmp_path):
    own = members(good[1])
    pack(tmp_path / "more", [*own, ("virus.exe", b"MZ")])
    refusal(tmp_path / "more", r"virus\.exe")
    pack(tmp_path / "array", [*own, ("other.npy", member(np.zeros(3)))])
    refusal(tmp_path / "array", "other")
    with pytest.warns(UserWarning, match="Duplicate"):
        pack(tmp_path / "twice", [*own, own[-1]])
    refusal(tmp_path / "twice", "twice")
    pack(tmp_path / "object", [*own, ("other.npy", member(np.array([{}], dtype=object)))])
    refusal(tmp_path / "object", "other")


def test_other_files_are_refused(good, tmp_path):
    path = tmp_path / "file"
    checkpoint, text = io.BytesIO(), b"svm_type c_svc\nkernel_type linear\n"
    np.savez(checkpoint, version=np.array(3))
    for content in (b"", b"PK", text, pickle.dumps(good[0]), checkpoint.getvalue(), bytes(10**5)):
        path.write_bytes(content)
        refusal(path)


def test_the_system_says_why_a_file_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        softmargin.load(tmp_path / "nowhere")
    with pytest.raises((IsADirectoryError, PermissionError)):
        softmargin.load(tmp_path)
    for path in (None, 3, b"model"):
        with pytest.raises(TypeError):
            softmargin.load(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a pipe with a name")
def test_a_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    refusal(tmp_path / "pipe", "regular file")
    with pytest.raises(ValueError, match="pipe"):
        SVC().fit(X, Y).save(tmp_path / "pipe")


class Trap:
    """Makes a folder when it is unpickled."""

    def __init__(self, folder):
        self.folder = str(folder)

    def __reduce__(self):
        return os.mkdir, (self.folder,)


def test_nothing_in_a_file_is_run(tmp_path):
    path, folder = tmp_path / "model", tmp_path / "trapped"
    traps = np.array([Trap(folder)] * 3, dtype=object)
    SVC().fit(X, Y).save(path)
    header, arrays = parts(path)
    rebuild(path, header, arrays | {"classes_": traps})
    refusal(path, "classes_")
    path.write_bytes(pickle.dumps(traps))
    refusal(path)
    assert not folder.exists()
    pickle.loads(pickle.dumps(traps[0]))
    assert folder.exists()
