"""A long model selection reports its progress, can be interrupted, and resumes from a file."""

import errno
import os

import numpy as np
import pytest
from sklearn import datasets

import softmargin
from processes import facts_of
from softmargin import nested_cv
from softmargin._selection import engine, nested_run
from softmargin._selection.checkpoint import Checkpoint
from systems import posix

GRID = {"C": [1.0, 16.0], "gamma": [0.1, 1.0, 4.0]}


@pytest.fixture
def digits():
    X, y = datasets.load_digits(return_X_y=True)
    return X[:400], y[:400]


def test_a_function_hears_how_far_it_is(digits):
    heard = []
    result = nested_cv(
        *digits, "svc", GRID, outer=3, inner=2, progress=heard.append, random_state=0
    )
    assert heard[-1]["done"] == heard[-1]["total"] == 6 * 6
    assert [facts["done"] for facts in heard] == sorted(facts["done"] for facts in heard)
    means = result.inner_scores.mean(axis=1)
    assert heard[-1]["best"] == result.best_inner_score == means.max()


def test_a_bar_is_shown_on_stderr_only(digits, capfd):
    nested_cv(*digits, "svc", GRID, outer=2, inner=2, progress=True, random_state=0)
    out, err = capfd.readouterr()
    assert out == ""
    assert "best accuracy" in err
    nested_cv(*digits, "svc", GRID, outer=2, inner=2, random_state=0)
    assert capfd.readouterr().err == ""
    with pytest.raises(TypeError, match="progress"):
        nested_cv(*digits, "svc", GRID, progress="loud")


def test_an_exception_of_the_function_comes_through(digits):
    def fail(facts):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        nested_cv(*digits, "svc", GRID, progress=fail, random_state=0)


class EnoughError(Exception):
    pass


def test_a_run_goes_on_from_its_checkpoint(digits, tmp_path):
    path = tmp_path / "run.npz"
    arguments = {"grid": GRID, "outer": 3, "inner": 3, "random_state": 0, "checkpoint": path}
    alone = nested_cv(*digits, "svc", **arguments | {"checkpoint": None})

    def stop(facts):
        raise EnoughError

    with pytest.raises(EnoughError):
        nested_cv(*digits, "svc", progress=stop, **arguments)
    with np.load(path, allow_pickle=False) as file:
        done = file["svc/done"]
    assert done.any()
    result = nested_cv(*digits, "svc", **arguments)
    np.testing.assert_array_equal(result.inner_scores, alone.inner_scores)
    np.testing.assert_array_equal(result.outer_scores, alone.outer_scores)


def test_a_checkpoint_holds_several_methods(digits, tmp_path):
    arguments = {"grid": {"gamma": [0.1, 1.0]}, "outer": 2, "inner": 2, "random_state": 0}
    arguments["checkpoint"] = tmp_path / "run.npz"
    first = nested_cv(*digits, ["svc", "ollawv"], **arguments)
    again = nested_cv(*digits, ["ollawv", "svc"], **arguments)
    for name, result in first.items():
        np.testing.assert_array_equal(again[name].inner_scores, result.inner_scores)


def test_nothing_is_trained_twice(digits, tmp_path, monkeypatch):
    arguments = {"grid": GRID, "outer": 2, "inner": 2, "random_state": 0}
    arguments["checkpoint"] = tmp_path / "run.npz"
    first = nested_cv(*digits, "svc", **arguments)
    started = []

    def spy(solver, jobs):
        started.extend(jobs)
        return evaluation(solver, jobs)

    evaluation = softmargin._core.Evaluation
    monkeypatch.setattr(softmargin._core, "Evaluation", spy)
    again = nested_cv(*digits, "svc", **arguments)
    assert len(started) == 2, "only the outer folds"
    np.testing.assert_array_equal(again.outer_scores, first.outer_scores)


@pytest.mark.parametrize("change", ["rows", "labels", "grid", "seed", "scale"])
def test_a_checkpoint_of_another_run_is_refused(digits, tmp_path, change):
    X, y = digits
    arguments = {"grid": GRID, "outer": 2, "inner": 2, "random_state": 0}
    arguments["checkpoint"] = tmp_path / "run.npz"
    nested_cv(X, y, "svc", **arguments)
    if change == "rows":
        X = X + 1
    elif change == "labels":
        y = y[::-1]
    elif change == "grid":
        arguments["grid"] = {"C": [2.0]}
    elif change == "seed":
        arguments["random_state"] = 1
    else:
        arguments["scale"] = None
    with pytest.raises(ValueError, match="belongs to a different run"):
        nested_cv(X, y, "svc", **arguments)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", b"\x93NUMPY rubbish"])
def test_a_file_that_is_no_checkpoint_is_named(digits, tmp_path, content):
    path = tmp_path / "run.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"run\.npz.*is not a valid checkpoint"):
        nested_cv(*digits, "svc", GRID, random_state=0, checkpoint=path)
    assert path.read_bytes() == content


def test_a_damaged_checkpoint_is_named_or_means_the_same(digits, tmp_path):
    path, arguments = tmp_path / "run.npz", {"outer": 2, "inner": 2, "random_state": 0}
    nested_cv(*digits, "ollawv", {"margin": [0.1]}, checkpoint=path, **arguments)
    whole = path.read_bytes()
    intact = Checkpoint(path, "ollawv", "")._read()
    rng = np.random.default_rng(0)
    errors = []
    for place in range(0, len(whole), 3):
        damaged = bytearray(whole)
        damaged[place] ^= int(rng.integers(1, 256))
        path.write_bytes(damaged)
        try:
            found = Checkpoint(path, "ollawv", "")._read()
        except ValueError as error:
            errors.append(str(error))
        else:
            for name in intact.keys() & found.keys():
                np.testing.assert_array_equal(found[name], intact[name])
    assert len(errors) > 200
    assert all("is not a valid checkpoint" in error for error in errors)


def test_a_checkpoint_needs_folds_that_come_again(digits, tmp_path):
    with pytest.raises(ValueError, match="random_state"):
        nested_cv(*digits, "svc", GRID, checkpoint=tmp_path / "run.npz")
    assert os.listdir(tmp_path) == []


INTERRUPTED = """
from sklearn.datasets import load_digits
X, y = load_digits(return_X_y=True)

def interrupt(facts):
    if not sent:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

sent = []
result = softmargin.nested_cv(X, y, "svc", random_state=0, n_jobs=N, progress=interrupt)
report(
    delay=time.monotonic() - sent[0],
    complete=result.complete,
    some=bool((~np.isnan(result.inner_scores)).any()),
    all=bool((~np.isnan(result.inner_scores)).all()),
    shown="not complete" in str(result),
)
"""


@posix
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_keeps_what_is_done(n_jobs):
    found = facts_of(f"N = {n_jobs}\n" + INTERRUPTED)
    assert found["delay"] < 1
    assert (found["complete"], found["some"], found["all"], found["shown"]) == (
        False,
        True,
        False,
        True,
    )


def test_an_interrupt_of_the_next_method_keeps_those_that_are_done(digits, monkeypatch):
    select = nested_run.Run.select

    def interrupt(run, task):
        if task.name == "ollawv":
            raise KeyboardInterrupt
        return select(run, task)

    monkeypatch.setattr(nested_run.Run, "select", interrupt)
    arguments = {"grid": {"gamma": [0.1, 1.0]}, "outer": 2, "inner": 2, "random_state": 0}
    results = nested_cv(*digits, ["svc", "ollawv", "newton"], **arguments)
    assert list(results) == ["svc"]
    assert results["svc"].complete
    with pytest.raises(KeyboardInterrupt):
        nested_cv(*digits, ["ollawv", "svc"], **arguments)


@pytest.mark.case(93)
def test_a_checkpoint_that_cannot_be_written_is_refused_at_once(digits, tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "evaluate", None)  # nothing is trained
    path = tmp_path / "nowhere" / "run.npz"
    with pytest.raises(FileNotFoundError, match="checkpoint cannot be written") as refusal:
        nested_cv(*digits, "svc", GRID, random_state=0, checkpoint=path)
    assert refusal.value.filename == str(path)


@pytest.mark.case(93)
def test_a_run_goes_on_where_its_checkpoint_cannot_be_written(digits, tmp_path, monkeypatch):
    arguments = {"grid": GRID, "outer": 2, "inner": 2, "random_state": 0}
    alone = nested_cv(*digits, "svc", **arguments)

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.warns(RuntimeWarning, match=r"run\.npz.*No space left.*continues") as warned:
        result = nested_cv(*digits, "svc", **arguments, checkpoint=tmp_path / "run.npz")
    assert len(warned) == 1
    np.testing.assert_array_equal(result.inner_scores, alone.inner_scores)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("svc/accuracy", -1),
        ("svc/accuracy", 2**40),
        ("svc/accuracy", 0.123456),
        ("svc/f1_macro", np.nan),
        ("svc/n_iter", -5),
        ("svc/more", 0),
        ("other", 0),
    ],
)
def test_numbers_that_cannot_be_are_no_checkpoint(digits, tmp_path, name, value):
    path = tmp_path / "run.npz"
    arguments = {"outer": 2, "inner": 2, "random_state": 0, "checkpoint": path}
    nested_cv(*digits, "svc", GRID, **arguments)
    with np.load(path) as found:
        arrays = dict(found)
    arrays[name] = np.full_like(arrays.get(name, np.zeros(3)), value)
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=f"is not a valid checkpoint: .*{name.rpartition('/')[2]}"):
        nested_cv(*digits, "svc", GRID, **arguments)
