"""The tables of docs/benchmarks.md and README.md agree with the results in benches/results."""

import importlib.util
import json

import pytest

import checkout

ROOT = checkout.root()
# The chart of the README has results of its own form, which benches/chart.py draws.
README_RESULTS = ROOT / "benches" / "results" / "readme.json"
RESULTS = sorted(set(README_RESULTS.parent.glob("*.json")) - {README_RESULTS})


@pytest.fixture(scope="module")
def tables():
    spec = importlib.util.spec_from_file_location(
        "tables", ROOT / "benches" / "compare" / "tables.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["PAGE", "README"])
def test_the_page_is_up_to_date(tables, name):
    page = getattr(tables, name).read_text(encoding="utf-8")
    assert tables.rendered(page) == page, "run python benches/compare/tables.py"


def test_every_result_is_on_the_page(tables):
    shown = {name for _, name, _ in tables.MARKED.findall(tables.PAGE.read_text(encoding="utf-8"))}
    assert shown == {path.stem for path in RESULTS}


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_a_result_states_its_conditions(path):
    result = json.loads(path.read_text(encoding="utf-8"))
    for fact in ("question", "date", "machine", "dtype", "threads", "peer", "command"):
        assert result[fact], fact
    assert all(len(row) == len(result["columns"]) for row in result["rows"])


def test_a_changed_number_makes_the_page_stale(tables, tmp_path, monkeypatch):
    page = tables.PAGE.read_text(encoding="utf-8")
    for path in RESULTS:
        (tmp_path / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    changed = tmp_path / "newton_growth.json"
    changed.write_text(changed.read_text(encoding="utf-8").replace("6805", "6806"))
    monkeypatch.setattr(tables, "RESULTS", tmp_path)
    assert tables.rendered(page) != page


def test_the_results_of_the_readme_state_their_conditions():
    if not README_RESULTS.exists():
        pytest.skip("benches/compare/readme.py has not been run")
    results = json.loads(README_RESULTS.read_text(encoding="utf-8"))
    settings = results["settings"]
    for fact in ("threads", "repeats", "dtype", "softmargin", "scikit-learn", "data", "date"):
        assert settings[fact], fact
    assert not settings["quick"], "tiny sizes are for checking the script only"
    for rows in results["panels"].values():
        assert all(row["ours_seconds"] > 0 and row["peer_seconds"] > 0 for row in rows)
