"""Models of all types of LIBSVM go to its files and come from there; LIBSVM is the oracle."""

import ctypes

import numpy as np
import pytest
import scipy.sparse as sp

import softmargin
from softmargin import SVC, SVR, NuSVC, NuSVR, OneClassSVM

svmutil = pytest.importorskip("libsvm.svmutil", reason="needs the package libsvm-official")
svm = pytest.importorskip("libsvm.svm", reason="needs the package libsvm-official")

KERNELS = [
    {"kernel": "linear"},
    {"kernel": "rbf", "gamma": 0.7},
    {"kernel": "poly", "gamma": 0.5, "degree": 2, "coef0": 1.5},
    {"kernel": "sigmoid", "gamma": 0.01, "coef0": -0.25},
]
TYPES = {"one_class": OneClassSVM, "epsilon_svr": SVR, "nu_svr": NuSVR}


@pytest.fixture
def samples(rng):
    X = rng.normal(size=(120, 4))
    return X, X[:, 0] + X[:, 1] ** 2 + 0.1 * rng.normal(size=120)


def of_libsvm(path, X):
    """Return LIBSVM's predictions, and its decision values."""
    model = svmutil.svm_load_model(str(path))
    predicted, values = [], []
    for row in X.toarray() if sp.issparse(X) else X:
        nodes, _ = svm.gen_svm_nodearray(row.astype(np.float64))
        room = (ctypes.c_double * 8)()
        predicted.append(svm.libsvm.svm_predict_values(model, nodes, room))
        values.append(room[0])
    return np.array(predicted), np.array(values)


def decisions(model, X):
    return model.decision_function(X) if isinstance(model, OneClassSVM) else model.predict(X)


def first_line(path):
    with path.open(encoding="ascii") as stream:
        return stream.readline().split()


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel["kernel"])
@pytest.mark.parametrize("svm_type", TYPES)
def test_libsvm_computes_what_we_do(samples, tmp_path, svm_type, kernel, layout):
    X, path = layout(samples[0]), tmp_path / "model"
    model = TYPES[svm_type](**kernel).fit(X, samples[1])
    softmargin.dump_libsvm_model(model, path)
    assert first_line(path) == ["svm_type", svm_type]
    predicted, values = of_libsvm(path, X)
    np.testing.assert_allclose(values, decisions(model, X), rtol=1e-9, atol=1e-9)
    # LIBSVM and softmargin may round values at the boundary to different sides.
    is_clear = np.abs(values) > 1e-9
    np.testing.assert_allclose(predicted[is_clear], model.predict(X)[is_clear], rtol=1e-9)
    again = softmargin.load_libsvm_model(path, n_features=4)
    assert type(again) is type(model)
    np.testing.assert_allclose(decisions(again, X), decisions(model, X), rtol=1e-12, atol=1e-12)
    assert (again.status_, again.fit_status_) == ("unknown", 0)
    assert again.get_params()["kernel"] == kernel["kernel"]


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ("-s 2 -n 0.2 -t 2 -g 0.5", OneClassSVM),
        ("-s 2 -n 0.2 -t 0", OneClassSVM),
        ("-s 2 -n 0.4 -t 2 -b 1", OneClassSVM),
        ("-s 3 -p 0.2 -c 4 -t 2 -g 0.5", SVR),
        ("-s 3 -t 1 -d 2 -g 0.5 -r 1 -b 1", SVR),
        ("-s 4 -n 0.3 -c 2 -t 2", NuSVR),
        ("-s 4 -n 0.3 -t 3 -g 0.01 -b 1", NuSVR),
    ],
)
def test_we_compute_what_libsvm_does(samples, tmp_path, options, kind):
    X, y = samples
    svmutil.svm_save_model(str(tmp_path / "model"), svmutil.svm_train(y, X, f"{options} -q"))
    model = softmargin.load_libsvm_model(tmp_path / "model", n_features=4)
    assert type(model) is kind
    predicted, values = of_libsvm(tmp_path / "model", X)
    np.testing.assert_allclose(decisions(model, X), values, rtol=1e-9, atol=1e-9)
    is_clear = np.abs(values) > 1e-9
    np.testing.assert_allclose(model.predict(X)[is_clear], predicted[is_clear], rtol=1e-9)
    softmargin.dump_libsvm_model(model, tmp_path / "copy")
    np.testing.assert_allclose(of_libsvm(tmp_path / "copy", X)[1], values, rtol=1e-12, atol=1e-12)


def test_nu_svc_is_written_and_read_as_such(three_classes, tmp_path):
    X, y = three_classes
    for labels in (y, (y > 0) * 2 - 1):
        model = NuSVC(nu=0.2, gamma=0.5).fit(X, labels)
        softmargin.dump_libsvm_model(model, tmp_path / "model")
        assert first_line(tmp_path / "model") == ["svm_type", "nu_svc"]
        predicted, _ = of_libsvm(tmp_path / "model", X)
        np.testing.assert_array_equal(predicted, model.predict(X))
        again = softmargin.load_libsvm_model(tmp_path / "model")
        assert type(again) is NuSVC
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        assert np.isnan(again.C_).all()


def test_derived_classes_are_written_as_their_base(samples, tmp_path):
    class Renamed(SVR):
        """Nothing of its own."""

    class Shifted(SVR):
        def predict(self, X):
            return super().predict(X) + 1

    class Contrary(OneClassSVM):
        def predict(self, X):
            return -super().predict(X)

    softmargin.dump_libsvm_model(Renamed().fit(*samples), tmp_path / "model")
    assert first_line(tmp_path / "model") == ["svm_type", "epsilon_svr"]
    for model in (Shifted(), Contrary()):
        with pytest.raises(TypeError, match="whose own predict cannot be exported"):
            softmargin.dump_libsvm_model(model.fit(*samples), tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_a_constant_regressor_is_a_file_too(samples, tmp_path):
    X, y = samples
    model = SVR(epsilon=100).fit(X, y)
    assert len(model.support_) == 0
    softmargin.dump_libsvm_model(model, tmp_path / "model")
    np.testing.assert_allclose(of_libsvm(tmp_path / "model", X[:3])[0], model.predict(X[:3]))
    for options in ({}, {"n_features": 4}, {"n_features": 4, "dtype": np.float32}):
        again = softmargin.load_libsvm_model(tmp_path / "model", **options)
        assert again.n_features_in_ == options.get("n_features", 1)
        rows = X[:3, : again.n_features_in_].astype(options.get("dtype", np.float64))
        np.testing.assert_allclose(again.predict(rows), model.predict(X[:3]))


def test_a_model_of_libsvm_is_saved_as_it_is(samples, tmp_path):
    X, y = samples
    for options in ("-s 2", "-s 3", "-s 4", "-s 1 -n 0.2"):
        labels = (y > 0.5).astype(int) if "-s 1" in options else y
        trained = svmutil.svm_train(labels, X, f"{options} -q")
        svmutil.svm_save_model(str(tmp_path / "theirs"), trained)
        model = softmargin.load_libsvm_model(tmp_path / "theirs")
        model.save(tmp_path / "ours")
        again = softmargin.load(tmp_path / "ours")
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        assert type(again) is type(model)
        if isinstance(model, NuSVR):
            assert np.isnan(model.epsilon_)
            assert np.isnan(again.epsilon_)


def test_what_libsvm_does_not_support_is_refused(samples, tmp_path):
    X, y = samples
    K = X @ X.T
    for model in (SVR(kernel="precomputed").fit(K, y), OneClassSVM(kernel=np.inner).fit(X)):
        with pytest.raises(ValueError, match="precomputed or callable kernel"):
            softmargin.dump_libsvm_model(model, tmp_path / "model")
    with pytest.raises(TypeError, match="NuSVR, OneClassSVM"):
        softmargin.dump_libsvm_model(softmargin.LinearSVC().fit(X, y > 0), tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_svc_is_still_an_svc(samples, tmp_path):
    X, y = samples
    softmargin.dump_libsvm_model(SVC().fit(X, (y > 0).astype(int)), tmp_path / "model")
    assert type(softmargin.load_libsvm_model(tmp_path / "model")) is SVC
