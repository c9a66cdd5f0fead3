"""Text and HTML tables of nested cross-validation, and the progress of incomplete runs."""

import dataclasses
import io
import itertools
import pickle
import sys
import xml.etree.ElementTree as ET
from collections.abc import Mapping

import numpy as np
import pytest

from estimators import problem
from softmargin import NestedComparison, nested_cv
from softmargin._selection import engine

GRID = {"C": [1.0, 4.0], "gamma": [0.1, 0.5, 2.0]}
RUN = {"grid": GRID, "outer": 4, "inner": 3, "random_state": 0}
METHODS = ["svc", "newton", "nnisda", "mnsvm", "nlsgd"]


@pytest.fixture(scope="module")
def data():
    return problem(n=90, k=3)


@pytest.fixture(scope="module")
def results(data):
    return nested_cv(*data, METHODS, **RUN)


def stop_after(monkeypatch, n_inner, n_outer=0):
    """Interrupt a run after some inner splits, or after some outer folds."""
    evaluate = engine.evaluate

    def some(candidates, rows, splits, scoring, resources, table=None, wanted=None):
        limit = n_outer if len(splits) == RUN["outer"] else n_inner
        wanted = np.ones(table.done.shape, dtype=bool) if wanted is None else wanted.copy()
        wanted[limit:] = False
        evaluate(candidates, rows, splits, scoring, resources, table, wanted)
        return table, KeyboardInterrupt() if limit < len(splits) else None

    monkeypatch.setattr(engine, "evaluate", some)


def cells(page):
    """Return the cells of an HTML table, row by row."""
    return [["".join(cell.itertext()) for cell in row] for row in ET.fromstring(page).iter("tr")]


@pytest.mark.case(103)
@pytest.mark.parametrize(("n_inner", "searches", "folds"), [(1, 0, "1 of 3"), (7, 2, "3")])
def test_an_interrupted_run_says_how_far_it_came(data, monkeypatch, n_inner, searches, folds):
    whole = nested_cv(*data, "svc", **RUN)
    stop_after(monkeypatch, n_inner)
    result = nested_cv(*data, "svc", **RUN)
    assert (result.complete, result.stopped, result.planned) == (False, "interrupt", 4 * 3 * 6 + 4)
    assert result.counts["trainings"] == 6 * n_inner
    shown = str(result)
    assert f"not complete, interrupted after {6 * n_inner} of 76 trainings" in shown
    assert f"finished: {searches} of 4 inner searches, 0 of 4 outer folds" in shown
    reached = whole.inner_scores[: max(1, searches)]
    means = reached.mean(axis=1) if searches else reached[:, :1].mean(axis=1)
    fold, cell = np.unravel_index(means.argmax(), means.shape)
    params = ", ".join(f"{name}={value:g}" for name, value in whole.cells[cell].items())
    best = f"best inner accuracy so far: {means.max():.4f} ({params}; mean of {folds} inner folds"
    assert best in " ".join(shown.split())
    assert f"of outer fold {fold})" in " ".join(shown.split())
    assert result.best_inner_score == means.max() if searches else np.isnan(result.best_inner_score)
    for text in (shown, result._repr_html_()):
        assert "nan" not in text
        assert "outer fold 1:" not in text


@pytest.mark.case(103)
def test_a_run_that_is_interrupted_among_its_outer_folds_shows_those_that_are_judged(
    data, monkeypatch
):
    whole = nested_cv(*data, "svc", **RUN)
    stop_after(monkeypatch, 12, n_outer=2)
    result = nested_cv(*data, "svc", **RUN)
    assert result.mean_score == whole.outer_scores[:2].mean()
    shown = str(result)
    assert f"accuracy {result.mean_score:.4f} ± {result.std_score:.4f} on 2 of 4 outer" in shown
    assert "not complete, interrupted after 74 of 76 trainings" in shown
    assert "finished: 4 of 4 inner searches, 2 of 4 outer folds" in shown
    for fold in range(4):
        assert (f"outer fold {fold}: {whole.outer_scores[fold]:.4f}" in shown) == (fold < 2)
    assert "nan" not in shown + result._repr_html_()
    assert len(cells(f"<div>{result._repr_html_()}</div>")) == 1 + 2 + 1


@pytest.mark.case(103)
def test_the_methods_of_an_interrupted_run_are_told_apart(data, monkeypatch):
    stop_after(monkeypatch, 7)
    results = nested_cv(*data, ["svc", "newton", "nnisda"], **RUN)
    assert not results.complete
    assert (list(results), results.not_started) == (["svc"], ("newton", "nnisda"))
    text = " ".join(str(results).split())
    assert "svc: not complete, interrupted after 42 of 76 trainings; finished: 2 of 4" in text
    assert "not started: newton, nnisda" in text
    for shown in (text, results._repr_html_()):
        assert "nan" not in shown
        assert " - " not in shown


def test_a_time_limit_is_told_from_an_interrupt(data):
    for search, planned in (("grid", " of 76"), ("pattern", "")):
        result = nested_cv(*data, "svc", **RUN, search=search, time_limit=1e-9)
        assert result.stopped == "time limit"
        assert f"not complete, stopped by the time limit after 0{planned} trainings" in str(result)
        assert "best inner accuracy so far: none" in str(result)


def test_an_interrupt_of_the_last_report_keeps_what_is_done(data):
    def interrupt(facts):
        if facts["done"] == facts["total"]:
            raise KeyboardInterrupt

    result = nested_cv(*data, "svc", **RUN, progress=interrupt)
    assert result.counts["trainings"] == 72
    assert not result.complete


def test_a_comparison_is_a_mapping(results, data):
    assert isinstance(results, Mapping)
    assert list(results) == METHODS
    assert len(results) == 5
    assert "svc" in results
    assert "forest" not in results
    assert dict(results.items())["svc"] is results["svc"]
    alone = nested_cv(*data, "svc", **RUN)
    np.testing.assert_array_equal(results["svc"].outer_scores, alone.outer_scores)
    assert results.complete
    again = pickle.loads(pickle.dumps(results))
    assert list(again) == METHODS
    assert str(again) == str(results)


def test_a_comparison_is_a_table_of_80_columns(results):
    lines = str(results).splitlines()
    assert lines[0] == "accuracy on 4 outer folds"
    assert max(map(len, lines)) <= 80
    words = [line.split() for line in lines]
    heads = [row for row in words if set(row) <= set(METHODS) and row]
    assert [name for row in heads for name in row] == METHODS
    for fold in range(4):
        found = [row[3:] for row in words if row[:3] == ["outer", "fold", str(fold)]]
        expected = [f"{result.outer_scores[fold]:.4f}" for result in results.values()]
        assert list(itertools.chain(*found)) == expected
    means = [line for line in lines if line.startswith("mean")]
    for name, result in results.items():
        shown = f"{result.mean_score:.4f} ± {np.std(result.outer_scores):.4f}"
        assert any(shown in line for line in means), name


def test_a_comparison_is_a_table_of_html(results):
    head, *folds, mean, support, trainings, time = cells(results._repr_html_())
    assert head == ["", *METHODS]
    assert [row[0] for row in folds] == [f"outer fold {fold}" for fold in range(4)]
    assert folds[2][1] == f"{results['svc'].outer_scores[2]:.4f}"
    svc = results["svc"]
    assert mean[:2] == ["mean", f"{svc.mean_score:.4f} ± {svc.std_score:.4f}"]
    assert support[1] == f"{100 * svc.support_fraction.mean():.1f} %"
    assert trainings[1] == "76"
    assert time[0] == "time"


def test_a_result_is_a_table_of_html_with_its_mean(results):
    svc = results["svc"]
    page = f"<div>{svc._repr_html_()}</div>"
    head, *folds, mean = cells(page)
    assert head == ["outer fold", "accuracy", "C", "gamma", "support vectors"]
    best = svc.best_params[1]
    assert folds[1][:4] == ["1", f"{svc.outer_scores[1]:.4f}", f"{best['C']:g}", f"{best['gamma']}"]
    assert mean[1] == f"{svc.mean_score:.4f} ± {svc.std_score:.4f}"
    assert f"76 trainings in {svc.wall_seconds:.2f} s" in page


def test_names_are_escaped_in_html(results):
    bad = "<script>&'"
    changed = dataclasses.replace(results["svc"], method=bad, best_params=[{bad: bad}] * 4)
    for page in (changed._repr_html_(), NestedComparison({bad: changed}, [bad])._repr_html_()):
        assert "<script" not in page
        text = "".join(ET.fromstring(f"<div>{page}</div>").itertext())
        assert bad in text


def test_a_frame_has_a_row_for_each_method_and_fold(results):
    frame = results.to_frame()
    assert list(frame) == ["method", "outer_fold", "score", "support_fraction", "C", "gamma"]
    assert len(frame) == 5 * 4
    means = frame.groupby("method")["score"].mean()
    for name, result in results.items():
        assert means[name] == pytest.approx(result.mean_score)
        chosen = frame[frame["method"] == name]
        assert chosen["C"].tolist() == [params["C"] for params in result.best_params]


def test_one_of_equal_cells_is_chosen(data):
    result = nested_cv(*data, "svc", {"C": [1, 1.0, 1], "gamma": [0.5]}, outer=3, inner=2)
    frame = result.to_frame()
    assert frame["chosen"].tolist() == [True, False, False] * 3
    assert frame["outer_score"].dropna().tolist() == result.outer_scores.tolist()


def test_no_methods_and_none_that_is_judged_can_be_shown(results):
    assert str(NestedComparison({}, ["svc"])) == "no results\n\nnot started: svc"
    assert "not started: svc" in NestedComparison({}, ["svc"])._repr_html_()


@pytest.mark.parametrize(("encoding", "sign"), [("ascii", "+-"), ("utf-8", "±"), ("latin-1", "±")])
def test_a_stream_without_the_sign_gets_ascii(results, monkeypatch, encoding, sign):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    print(results, results["svc"])
    stream.flush()
    assert f" {sign} " in stream.buffer.getvalue().decode(encoding)
