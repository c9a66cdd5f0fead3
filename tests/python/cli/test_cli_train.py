"""``softmargin train`` writes the machine that Python trains, with the options of svm-train."""

import numpy as np
import pytest
from sklearn import svm
from sklearn.datasets import load_iris, load_wine
from sklearn.pipeline import make_pipeline

import softmargin
from commands import call, facts_of_command, stdout_of
from softmargin._estimators.methods import class_of
from softmargin.cli._estimator_options import CLASSIFIERS

OPTIONS = {
    "-c 10 -g 0.5": {"C": 10, "gamma": 0.5},
    "-t 0": {"kernel": "linear"},
    "-t 1 -d 2 -r -1 -g 1": {"kernel": "poly", "degree": 2, "coef0": -1, "gamma": 1},
    "-t sigmoid -g2^-3": {"kernel": "sigmoid", "gamma": 0.125},
    "-w 1=5 -w 3=0.5": {"class_weight": {1: 5.0, 3: 0.5}},
    "-s 0 -g scale -e 1e-6 -m 1": {"gamma": "scale", "tol": 1e-6, "cache_size": 1},
    "--multi-class ovr --set shrinking=false": {"multi_class": "ovr", "shrinking": False},
    "--set max_iter=100000 -j 1": {"max_iter": 100_000},
}


@pytest.fixture
def text(tmp_path, monkeypatch):
    """Iris as LIBSVM text in the current folder, and as arrays."""
    monkeypatch.chdir(tmp_path)
    X, y = load_iris(return_X_y=True)
    softmargin.dump_libsvm(X, y + 1, "iris.svm")
    return "iris.svm", X, y + 1


def test_the_defaults_are_those_of_svm_train(text):
    file, X, y = text
    facts = facts_of_command("train", file, "-e", "1e-8")
    peer = svm.SVC(gamma="auto", tol=1e-8).fit(X, y)
    assert facts["model"] == "iris.model"
    assert facts["support_vectors"] == len(peer.support_)
    assert list(facts["support_by_class"].values()) == peer.n_support_.tolist()
    assert facts["converged"] is True


@pytest.mark.parametrize("words", OPTIONS)
def test_options_are_parameters_of_the_estimator(text, words):
    file, _, y = text
    stdout_of("train", file, "m", *words.split())
    X = softmargin.load_libsvm(file)[0]
    own = softmargin.SVC(**{"gamma": "auto"} | OPTIONS[words]).fit(X, y)
    np.testing.assert_array_equal(
        softmargin.load("m").decision_function(X), own.decision_function(X)
    )


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("method", CLASSIFIERS)
def test_every_method_is_trained_scaled_and_read_back(text, method):
    facts = facts_of_command("train", "wine", "m", "-s", method, "--scale")
    X, y = load_wine(return_X_y=True)
    own = class_of(method)(random_state=0)
    if hasattr(own, "gamma"):
        own.set_params(gamma="auto")
    whole = make_pipeline(softmargin.MinMaxScaler(), own).fit(X, y)
    again = softmargin.load("m")
    np.testing.assert_array_equal(again.decision_function(X), whole.decision_function(X))
    assert facts["iterations"] == np.sum(own.n_iter_)
    assert [machine["bias"] for machine in facts["machines"]] == own.intercept_.tolist()


def test_the_certificate_is_that_of_the_estimator(text):
    X, y = load_wine(return_X_y=True)
    proofs = softmargin.SVC(C=2, gamma=1e-3).fit(X, y).certificate_
    facts = facts_of_command("train", "wine", "m", "-c", 2, "-g", 1e-3)
    for machine, proof in zip(facts["machines"], proofs, strict=True):
        assert {name: machine[name] for name in proof._fields} == pytest.approx(proof._asdict())
    assert facts["dual"] == pytest.approx(sum(proof.dual for proof in proofs))
    assert "dual" not in facts_of_command("train", "wine", "m", "--no-certificate")


def test_labels_of_words_and_the_column_they_are_in_are_kept(text):
    X, y = load_iris(return_X_y=True)
    words = np.array(["née", "a=b", "c c"])[y]
    rows = [",".join([word, *map(str, row)]) for word, row in zip(words, X.tolist(), strict=True)]
    with open("tisch ü.csv", "w", encoding="utf-8") as stream:
        stream.write("\n".join(["kind,a,b,c,d", *rows]))
    stdout_of("train", "tisch ü.csv", "--label-column", "kind", "-w", "a=b=2")
    model = softmargin.load("tisch ü.model")
    own = softmargin.SVC(gamma="auto", class_weight={"a=b": 2.0}).fit(X, words)
    assert (model.predict(X) == own.predict(X)).all()
    assert set(model.predict(X)) == {"née", "a=b", "c c"}


def test_a_libsvm_model_is_that_of_the_estimator(text):
    file, X, y = text
    stdout_of("train", file, "m", "--format", "libsvm", "-c", 4)
    with open("m", encoding="ascii") as stream:
        assert stream.readline() == "svm_type c_svc\n"
    own = softmargin.SVC(C=4, gamma="auto").fit(X, y)
    assert (softmargin.load_libsvm_model("m").predict(X) == own.predict(X)).all()
    refused = call("train", file, "--format", "libsvm", "--scale")
    assert refused.exit_code == 2
    assert "scaling" in refused.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-s linear -g 1", "the method 'linear' has no parameter 'gamma'"),
        ("-s linear -t 2", "the method 'linear' has no parameter 'kernel'"),
        ("--margin 0.1", "the method 'svc' has no parameter 'margin'"),
        (
            "-s ollawv --set tol=1",
            "the method 'ollawv' has no parameter 'tol'; its",
        ),
        ("-w 1", "'1' does not have the form LABEL=WEIGHT"),
        ("-w 9=2", "unknown class '9'; the classes are 1, 2, 3"),
        ("-w 1=many", "the weight 'many' of class '1' is not a number"),
        ("--set tol", "'tol' does not have the form NAME=VALUE"),
        ("--set tol=1 --set tol=2", "'tol' is set twice"),
        ("-g wide", "'wide' is not a number, 'auto' or 'scale'"),
        ("-n 0.1", "the method 'svc' has no parameter 'nu'"),
        ("-p 0.1", "the method 'svc' has no parameter 'epsilon'"),
        ("--no-labels", "the method 'svc' requires labels"),
        ("-t 4", "'4' is not one of linear, poly, rbf, sigmoid"),
        ("-s nu", "'nu' is not one of gd, linear"),
        ("-s 5", "'5' is not one of gd, linear"),
        ("-v 1", "'-v' / '--cross-validation'"),
        ("m -v 5", "-v does not write a model"),
        ("iris.svm", "MODEL and DATA are the same file"),
    ],
)
def test_wrong_usage_is_named(text, words, said):
    result = call("train", text[0], *words.split())
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
    assert result.stdout == ""
