"""A scaler and its classifier are kept in one file, which is checked like any other."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import softmargin
from archives import parts, rebuild
from equality import assert_same_estimator
from softmargin import OLLAWV, SVC, LinearSVC, MinMaxScaler

X, Y = load_wine(return_X_y=True)
COLUMNS = [f"column {number}" for number in range(13)]


@pytest.mark.parametrize(
    "rows",
    [X, X.astype(np.float32), sp.csr_matrix(X), pd.DataFrame(X, columns=COLUMNS)],
    ids=["dense", "float32", "csr", "pandas"],
)
@pytest.mark.parametrize("model", [SVC(), OLLAWV(gamma=1), LinearSVC()], ids=str)
def test_a_pipeline_comes_back_as_it_was(tmp_path, rows, model):
    whole = make_pipeline(MinMaxScaler(), model).fit(rows, Y)
    softmargin.save(whole, tmp_path / "m")
    again = softmargin.load(tmp_path / "m")
    assert [name for name, _ in again.steps] == [name for name, _ in whole.steps]
    for copy, own in zip(again, whole, strict=True):
        assert_same_estimator(copy, own)
    np.testing.assert_array_equal(again.decision_function(rows), whole.decision_function(rows))


def test_steps_keep_their_names(tmp_path):
    whole = Pipeline([("to [0, 1]", MinMaxScaler()), ("machine", SVC())]).fit(X, Y)
    softmargin.save(whole, tmp_path / "m")
    assert list(softmargin.load(tmp_path / "m").named_steps) == ["to [0, 1]", "machine"]


@pytest.mark.parametrize("names", [["a", "a"], ["a__b", "c"], ["a"], [1, 2], "ab"])
def test_names_that_steps_cannot_have_are_refused(tmp_path, names):
    path = tmp_path / "m"
    softmargin.save(make_pipeline(MinMaxScaler(), SVC()).fit(X, Y), path)
    header, arrays = parts(path)
    header["fitted"]["steps"] = names
    rebuild(path, header, arrays)
    with pytest.raises(ValueError, match="'steps'"):
        softmargin.load(path)


class Clipped(MinMaxScaler):
    """A scaler that does something else, which a file does not say."""

    def transform(self, rows):
        return np.clip(super().transform(rows), 0.3, 0.5)


def test_an_estimator_alone_is_saved_as_it_saves_itself(tmp_path):
    model = SVC().fit(X, Y)
    softmargin.save(model, tmp_path / "by function")
    model.save(tmp_path / "by method")
    assert (tmp_path / "by function").read_bytes() == (tmp_path / "by method").read_bytes()


def test_the_choice_of_nested_cv_can_be_saved(tmp_path):
    found = softmargin.nested_cv(X, Y, "ollawv", outer=2, inner=2, random_state=0).refit()
    softmargin.save(found, tmp_path / "m")
    assert (softmargin.load(tmp_path / "m").predict(X) == found.predict(X)).all()


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(StandardScaler(), SVC()),
        make_pipeline(Clipped(), SVC()),
        make_pipeline(MinMaxScaler(), MinMaxScaler(), SVC()),
        make_pipeline(SVC()),
        MinMaxScaler(),
        None,
    ],
    ids=["other scaler", "derived scaler", "two scalers", "no scaler", "no classifier", "nothing"],
)
def test_anything_else_is_refused(tmp_path, model):
    with pytest.raises(TypeError, match="a pipeline of a softmargin"):
        softmargin.save(model, tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_a_pipeline_must_be_fitted(tmp_path):
    with pytest.raises(NotFittedError):
        softmargin.save(make_pipeline(MinMaxScaler(), SVC()), tmp_path / "m")
    with pytest.raises(NotFittedError):
        softmargin.save(make_pipeline(MinMaxScaler(), SVC().fit(X, Y)), tmp_path / "m")


CHANGES = {
    "no range": lambda arrays: arrays.pop("scaler.data_range_"),
    "no minimum": lambda arrays: arrays.pop("scaler.data_min_"),
    "range 0": lambda arrays: arrays["scaler.data_range_"].__setitem__(3, 0),
    "NaN": lambda arrays: arrays["scaler.data_min_"].__setitem__(3, np.nan),
    "length": lambda arrays: arrays.update({"scaler.data_min_": np.zeros(12)}),
    "type": lambda arrays: arrays.update({"scaler.data_min_": np.zeros(13, dtype=np.float32)}),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_scaler_is_refused_by_its_name(tmp_path, change):
    softmargin.save(make_pipeline(MinMaxScaler(), SVC()).fit(X, Y), tmp_path / "m")
    header, arrays = parts(tmp_path / "m")
    CHANGES[change](arrays)
    rebuild(tmp_path / "m", header, arrays)
    with pytest.raises(ValueError, match=r"scaler\.data_"):
        softmargin.load(tmp_path / "m")
