"""Exports of models refuse what would predict otherwise than the model."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

import softmargin
from softmargin import SVC, LinearSVC

pytest.importorskip("onnx", reason="needs the package onnx")


class Shifted(SVC):
    def decision_function(self, X):
        return super().decision_function(X) + 1


class Contrary(LinearSVC):
    def predict(self, X):
        return self.classes_[0]


class Renamed(SVC):
    """Nothing of its own."""


@pytest.mark.parametrize(("kind", "name"), [(Shifted, "decision_function"), (Contrary, "predict")])
def test_a_derived_class_with_its_own_predictions_has_no_graph(noisy, kind, name):
    model = kind().fit(*noisy)
    for exported in (model, make_pipeline(softmargin.MinMaxScaler().fit(noisy[0]), model)):
        with pytest.raises(
            TypeError, match=f"{kind.__name__}, whose own {name} cannot be exported"
        ):
            softmargin.to_onnx(exported)


def test_a_derived_class_with_its_own_predictions_has_no_libsvm_file(noisy, tmp_path):
    path = tmp_path / "model"
    with pytest.raises(TypeError, match="Shifted, whose own decision_function cannot"):
        softmargin.dump_libsvm_model(Shifted().fit(*noisy), path)
    assert not path.exists()


def test_a_derived_class_without_its_own_predictions_is_exported(noisy, tmp_path):
    model = Renamed().fit(*noisy)
    softmargin.to_onnx(model)
    softmargin.dump_libsvm_model(model, tmp_path / "model")


def test_a_scaler_of_other_features_is_refused(noisy):
    X, y = noisy
    model = make_pipeline(softmargin.MinMaxScaler(), SVC()).fit(X, y)
    model[0].fit(X[:, :1])
    with pytest.raises(
        ValueError, match="scaler was fitted with 1 features, but the classifier with"
    ):
        softmargin.to_onnx(model)


@pytest.mark.parametrize("coef", [np.nan, 0.0])
def test_weights_that_were_changed_to_nonsense_are_refused(noisy, coef):
    model = LinearSVC().fit(*noisy)
    model.coef_ = np.full_like(model.coef_, coef) if coef else model.coef_[:, :1]
    with pytest.raises(ValueError, match="coef_"):
        softmargin.to_onnx(model)


def test_a_label_that_is_no_text_is_named(noisy):
    X, y = noisy
    model = SVC().fit(X, np.array(["a\ud800", "b"], dtype=object)[(y == y[0]).astype(int)])
    with pytest.raises(ValueError, match=r"label 'a\\ud800', which is not valid Unicode"):
        softmargin.to_onnx(model)
