"""``softmargin train`` and ``predict`` for regression, with the options of svm-train."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score
from sklearn.pipeline import make_pipeline

import softmargin
from commands import call, facts_of_command, stdout_of
from softmargin import SVR, LinearSVR, NuSVR
from softmargin._selection.folds import shuffled_folds

NAMES = {"3": SVR, "svr": SVR, "epsilon-svr": SVR, "4": NuSVR, "nu-svr": NuSVR}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The even and odd samples of diabetes as LIBSVM text, and as arrays."""
    monkeypatch.chdir(tmp_path)
    X, y = load_diabetes(return_X_y=True)
    X, y = np.round(10 * X[:120], 6), y[:120] / 100
    softmargin.dump_libsvm(X[::2], y[::2], "sugar")
    softmargin.dump_libsvm(X[1::2], y[1::2], "sugar.t")
    return X[::2], y[::2], X[1::2], y[1::2]


@pytest.mark.parametrize("name", NAMES)
def test_the_letters_and_names_of_svm_train_are_methods(files, name):
    X, y, X_test, _ = files
    stdout_of("train", "sugar", "m", "-s", name, "-c", 3, "-g", 0.5, "-e", "1e-5")
    own = NAMES[name](C=3, gamma=0.5, tol=1e-5).fit(X, y)
    again = softmargin.load("m")
    assert type(again) is NAMES[name]
    np.testing.assert_allclose(again.predict(X_test), own.predict(X_test), rtol=1e-9)


def test_linear_regression_is_a_method(files):
    X, y = softmargin.load_libsvm("sugar")
    facts = facts_of_command("train", "sugar", "m", "-s", "linear-svr", "-p", 0.1, "-c", 2)
    own = LinearSVR(epsilon=0.1, C=2, random_state=0).fit(X, y)
    assert facts["iterations"] == own.n_iter_
    assert facts["fit"]["mean_squared_error"] == pytest.approx(np.mean((own.predict(X) - y) ** 2))
    assert "status" in stdout_of("train", "sugar", "m", "-s", "linear-svr")
    assert "Mean squared error" in stdout_of("predict", "sugar.t", "m", "out")


def test_regressors_are_selected_and_compared(files):
    words = ("--grid", "C=1,4", "--outer", 2, "--inner", 2)
    facts = facts_of_command("nested-cv", "sugar", "-s", "svr", "-s", "linear-svr", *words)
    X, y = softmargin.load_libsvm("sugar")
    own = softmargin.nested_cv(
        X, y, ["svr", "linear-svr"], {"C": [1, 4]}, outer=2, inner=2, random_state=0
    )
    assert facts["scoring"] == "r2"
    for name in ("svr", "linear-svr"):
        assert facts["methods"][name]["mean_score"] == pytest.approx(own[name].mean_score)
    words += ("--scoring", "neg_mean_absolute_error")
    assert "neg_mean_absolute_error" in stdout_of("nested-cv", "sugar", "-s", "svr", *words)


@pytest.mark.parametrize("scale", [[], ["--scale"]])
def test_cross_validation_prints_the_errors_as_svm_train_does(files, scale):
    X, y = softmargin.load_libsvm("sugar")
    model = SVR(C=3, gamma="auto")
    model = make_pipeline(softmargin.MinMaxScaler(), model) if scale else model
    fold = shuffled_folds(len(y), 4, 0)
    predicted = np.empty(len(y))
    for number in range(4):
        own = fold == number
        predicted[own] = model.fit(X[~own], y[~own]).predict(X[own])
    lines = stdout_of("train", "sugar", "-s", "svr", "-c", 3, "-v", 4, *scale).splitlines()
    found = [float(line.split(" = ")[1]) for line in lines]
    assert [line.split(" = ")[0] for line in lines] == [
        "Cross Validation Mean squared error",
        "Cross Validation Squared correlation coefficient",
    ]
    correlation = np.corrcoef(y, predicted)[0, 1] ** 2
    assert found == pytest.approx([mean_squared_error(y, predicted), correlation], rel=1e-3)
    facts = facts_of_command("cv", "sugar", "-s", "svr", "-c", 3, "-v", 4, *scale)
    scores = [r2_score(y[fold == number], predicted[fold == number]) for number in range(4)]
    assert facts["scores"] == pytest.approx(scores, abs=1e-3)
    assert facts["pooled"]["mean_squared_error"] == pytest.approx(found[0], rel=1e-4)
    words = ("cv", "sugar", "-s", "linear-svr", "--scoring", "neg_mean_absolute_error")
    assert "neg_mean_absolute_error" in stdout_of(*words)


def test_nu_and_epsilon_are_options(files):
    X, y = softmargin.load_libsvm("sugar")
    stdout_of("train", "sugar", "m", "-s", 3, "-p", 0.4)
    expected = SVR(epsilon=0.4, gamma="auto", n_jobs=-1)
    assert softmargin.load("m").get_params() == expected.get_params()
    facts = facts_of_command("train", "sugar", "m", "-s", 4, "-n", 0.2)
    own = NuSVR(nu=0.2, gamma="auto").fit(X, y)
    assert facts["epsilon"] == pytest.approx(own.epsilon_)
    assert softmargin.load("m").nu == 0.2


def test_the_report_has_the_fit_and_the_certificate(files):
    X, y, _, _ = files
    facts = facts_of_command("train", "sugar", "m", "-s", "svr")
    own = SVR(gamma="auto").fit(softmargin.load_libsvm("sugar")[0], y)
    predicted = own.predict(X)
    assert facts["fit"]["mean_squared_error"] == pytest.approx(mean_squared_error(y, predicted))
    assert facts["fit"]["mean_absolute_error"] == pytest.approx(mean_absolute_error(y, predicted))
    correlation = np.corrcoef(y, predicted)[0, 1] ** 2
    assert facts["fit"]["squared_correlation"] == pytest.approx(correlation)
    assert facts["data"]["targets"] == {"min": y.min(), "max": y.max()}
    (machine,) = facts["machines"]
    assert machine["status"] == "converged"
    assert machine["gap"] == pytest.approx(own.certificate_.gap, abs=1e-9)
    assert facts["support_vectors"] == len(own.support_)
    without = facts_of_command("train", "sugar", "m", "-s", "svr", "--no-certificate")
    assert not {"fit", "primal"} & without.keys()
    lines = stdout_of("train", "sugar", "m", "-s", "nu-svr").splitlines()
    heads = [line.split("  ")[0] for line in lines if not line.startswith(" ")]
    assert heads == [
        *("data", "method", "status", "support vectors", "iterations", "objective", "gap"),
        *("violation", "epsilon", "training error", "squared correlation", "seconds", "model"),
    ]


@pytest.mark.parametrize("scale", [[], ["--scale"]])
def test_predictions_and_errors_are_those_of_the_model(files, scale, tmp_path):
    _, y, _, y_test = files
    stdout_of("train", "sugar", "m", "-s", "svr", *scale)
    own = SVR(gamma="auto")
    own = make_pipeline(softmargin.MinMaxScaler(), own) if scale else own
    own.fit(softmargin.load_libsvm("sugar")[0], y)
    said = stdout_of("predict", "sugar.t", "m", "out").splitlines()
    predicted = own.predict(softmargin.load_libsvm("sugar.t")[0])
    written = np.array((tmp_path / "out").read_text().split(), dtype=float)
    np.testing.assert_allclose(written, predicted, rtol=1e-9)
    assert said == [
        f"Mean squared error = {mean_squared_error(y_test, predicted):g} (regression)",
        "Squared correlation coefficient = "
        f"{np.corrcoef(y_test, predicted)[0, 1] ** 2:g} (regression)",
        f"Mean absolute error = {mean_absolute_error(y_test, predicted):g} (regression)",
    ]
    result = call("predict", "sugar.t", "m")
    assert result.stderr.splitlines() == said
    np.testing.assert_array_equal(np.array(result.stdout.split(), dtype=float), written)
    facts = facts_of_command("predict", "sugar.t", "m")
    np.testing.assert_array_equal(facts["targets"], written)
    assert facts["mean_squared_error"] == pytest.approx(mean_squared_error(y_test, predicted))
    assert "accuracy" not in facts
    ignored = call("predict", "sugar.t", "m", "--no-labels")
    assert ignored.stdout == result.stdout
    assert ignored.stderr == "no errors: the data has no targets\n"


def test_the_errors_are_those_of_svm_predict(files):
    svmutil = pytest.importorskip("libsvm.svmutil", reason="needs the package libsvm-official")
    _, _, _, y_test = files
    stdout_of("train", "sugar", "m", "-s", "svr")
    predicted = facts_of_command("predict", "sugar.t", "m")
    _, mse, correlation = svmutil.evaluations(y_test, predicted["targets"])
    assert predicted["mean_squared_error"] == pytest.approx(mse, rel=1e-9)
    assert predicted["squared_correlation"] == pytest.approx(correlation, rel=1e-9)


def test_a_constant_prediction_has_no_correlation(files):
    stdout_of("train", "sugar", "m", "-s", "svr", "-p", 100)
    assert "Squared correlation coefficient = nan" in stdout_of("predict", "sugar.t", "m", "out")
    assert facts_of_command("predict", "sugar.t", "m")["squared_correlation"] is None


@pytest.mark.parametrize(("method", "svm_type"), [("svr", "epsilon_svr"), ("nu-svr", "nu_svr")])
def test_libsvm_models_are_written_and_read(files, method, svm_type):
    stdout_of("train", "sugar", "theirs", "-s", method, "--format", "libsvm")
    stdout_of("train", "sugar", "ours", "-s", method)
    with open("theirs", encoding="ascii") as stream:
        assert stream.readline() == f"svm_type {svm_type}\n"
    theirs, ours = (facts_of_command("predict", "sugar.t", name) for name in ("theirs", "ours"))
    np.testing.assert_allclose(theirs["targets"], ours["targets"], rtol=1e-9)


def test_tables_are_matched_by_name(files):
    frame = pd.DataFrame({"size": np.arange(20.0), "color": ["red", "blue"] * 10})
    frame["price"] = 2 * frame["size"] + (frame["color"] == "red")
    frame.to_csv("train.csv", index=False)
    stdout_of("train", "train.csv", "m", "-s", "svr", "-c", 100, "--scale")
    expected = stdout_of("predict", "train.csv", "m")
    frame[["price", "color", "size"]].to_csv("order.csv", index=False)
    assert stdout_of("predict", "order.csv", "m") == expected
    frame.drop(columns="price").to_csv("new.csv", index=False)
    result = call("predict", "new.csv", "m")
    assert (result.stdout, result.stderr) == (expected, "no errors: the data has no targets\n")
    stdout_of("train", "train.csv", "size.model", "-s", "svr", "--label-column", "size")
    assert softmargin.datasets.load_schema("size.model").label == "size"


@pytest.mark.case(109)
def test_text_in_the_target_column_is_named(files, tmp_path):
    (tmp_path / "bad.csv").write_text("size,price\n1,2\n2,cheap\n")
    result = call("train", "bad.csv", "m", "-s", "svr")
    assert result.exit_code == 1
    assert "line 3: 'cheap' in column 'price' is not a number" in result.stderr
    assert not (tmp_path / "m").exists()
    result = call("train", "iris", "m", "-s", "svr")
    assert result.exit_code == 1
    assert "the label of row 0 is 'setosa', but the targets of a regression" in result.stderr


def test_standard_input_has_targets_too(files):
    with open("sugar", encoding="ascii") as stream:
        text = stream.read()
    result = call("train", "-", "m", "-s", "svr", "--json", stdin=text)
    assert result.exit_code == 0
    assert "targets" in json.loads(result.stdout)["data"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("train sugar -s svr -w 1=2", "the method 'svr' has no classes"),
        ("train sugar -s svr -n 0.2", "the method 'svr' has no parameter 'nu'"),
        ("train sugar -s nu-svr -p 0.2", "the method 'nu-svr' has no parameter 'epsilon'"),
        ("train sugar -s svr --multi-class ovr", "has no parameter 'multi_class'"),
        ("train sugar -s svr --no-labels", "the method 'svr' requires labels"),
        ("cv sugar -s nu-svr --scoring f1_macro", "'f1_macro' is not one of r2,"),
        ("train sugar m -s svr -v 3", "-v does not write a model"),
        ("nested-cv sugar -s svr -s svc", "classifiers and regressors cannot be compared"),
        ("nested-cv sugar -s svr --scoring accuracy", "'accuracy' is not one of r2,"),
        ("nested-cv sugar --scoring r2", "'r2' is not one of accuracy,"),
        ("predict sugar m --scores", "the model is a regressor, whose predictions are its"),
    ],
)
def test_wrong_usage_is_named(files, words, said):
    stdout_of("train", "sugar", "m", "-s", "svr")
    result = call(*words.split())
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
    assert result.stdout == ""


def test_an_infeasible_parameter_is_named(files):
    for words, said in (("-p -1", "epsilon = -1"), ("-c 0", "C = 0")):
        result = call("train", "sugar", "m", "-s", "svr", *words.split())
        assert result.exit_code == 1
        assert said in result.stderr
