"""Results of a study survive a stop, and are never mixed with those of another protocol."""

import csv
import json

import numpy as np
import pytest

from softmargin.experiments._store import OtherProtocolError, Store

PROTOCOL = {"text": "five folds", "version": "1"}


def test_what_was_added_is_there_again(tmp_path):
    store = Store(tmp_path, "study", PROTOCOL)
    store.add("iris/svc", {"accuracy": np.float64(96.5), "folds": np.array([1, 2]), "gap": np.inf})
    again = Store(tmp_path, "study", PROTOCOL)
    assert again["iris/svc"] == {"accuracy": 96.5, "folds": [1, 2], "gap": None}
    assert store["iris/svc"] == again["iris/svc"]
    assert "wine/svc" not in again
    assert again.get("wine/svc") is None


@pytest.mark.parametrize("n_cut", [1, 5, 20])
def test_a_line_that_was_cut_off_is_computed_again(tmp_path, n_cut):
    store = Store(tmp_path, "study", PROTOCOL)
    store.add("a", {"x": 1})
    store.add("b", {"x": 2})
    path = tmp_path / "results.jsonl"
    path.write_bytes(path.read_bytes()[:-n_cut])
    again = Store(tmp_path, "study", PROTOCOL)
    assert again["a"] == {"x": 1}
    assert "b" not in again
    again.add("b", {"x": 3})
    assert Store(tmp_path, "study", PROTOCOL)["b"] == {"x": 3}


@pytest.mark.parametrize(
    ("study", "protocol"), [("other", PROTOCOL), ("study", PROTOCOL | {"version": "2"})]
)
def test_results_of_another_protocol_are_not_mixed_in(tmp_path, study, protocol):
    Store(tmp_path, "study", PROTOCOL).add("a", {"x": 1})
    before = (tmp_path / "results.jsonl").read_bytes()
    with pytest.raises(OtherProtocolError, match="another study or protocol"):
        Store(tmp_path, study, protocol)
    assert (tmp_path / "results.jsonl").read_bytes() == before


@pytest.mark.parametrize("text", ["", "not json\n", "[1, 2]\n", '{"study": "study"}\n', "\xff\n"])
def test_a_file_that_is_none_of_ours_is_refused(tmp_path, text):
    (tmp_path / "results.jsonl").write_bytes(text.encode("latin-1"))
    with pytest.raises(OtherProtocolError):
        Store(tmp_path, "study", PROTOCOL)


def test_a_line_that_is_too_deep_is_left_out(tmp_path):
    Store(tmp_path, "study", PROTOCOL).add("a", {"x": 1})
    with open(tmp_path / "results.jsonl", "a") as file:
        file.write("[" * 200_000 + "\n")
    assert Store(tmp_path, "study", PROTOCOL)["a"] == {"x": 1}


@pytest.mark.parametrize(
    "damage", [b'{"neither": 1}', b'{"key": "x", "result": {"x"', b"\xff", b"", b"[1]", b"null"]
)
def test_a_damaged_line_costs_no_other(tmp_path, damage):
    """Hours of work may stand on the lines after it."""
    store = Store(tmp_path, "study", PROTOCOL)
    for key in "abc":
        store.add(key, {"x": key})
    path = tmp_path / "results.jsonl"
    lines = path.read_bytes().split(b"\n")
    lines[2] = damage
    path.write_bytes(b"\n".join(lines))
    for _ in range(2):  # the first writes the file anew
        again = Store(tmp_path, "study", PROTOCOL)
        assert (again.get("a"), again.get("b"), again["c"]) == ({"x": "a"}, None, {"x": "c"})


def test_the_export_holds_the_asked_records_as_json_and_csv(tmp_path):
    store = Store(tmp_path, "study", PROTOCOL)
    store.add("iris/svc", {"accuracy": 96.5, "folds": [1, 2], "set": 'a "name", quoted'})
    store.add("wine/svc", {"accuracy": 97.5, "seconds": 1.5})
    store.add("left/out", {"accuracy": 0.0})
    store.export(["iris/svc", "wine/svc", "not/run"], {"threads": "2"})
    document = json.loads((tmp_path / "results.json").read_text())
    assert document["facts"] == {"threads": "2"}
    assert list(document["results"]) == ["iris/svc", "wine/svc"]
    with open(tmp_path / "results.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["key"] for row in rows] == ["iris/svc", "wine/svc"]
    assert rows[0]["set"] == 'a "name", quoted'
    assert float(rows[1]["seconds"]) == 1.5
    assert "folds" not in rows[0]
    assert not list(tmp_path.glob("*.part"))


def test_without_a_folder_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = Store(None, "study", PROTOCOL)
    store.add("a", {"x": 1})
    store.export(["a"], {})
    assert store["a"] == {"x": 1}
    assert not list(tmp_path.iterdir())
