"""Changing the import is enough: the examples of scikit-learn's guide and gallery come out alike.

Every script below does what an example of scikit-learn does, without the drawing. It is run as
it stands, and again from its own text with the import of ``softmargin`` in place of scikit-learn's.
"""

import inspect

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import datasets, svm
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import RFE, SelectPercentile
from sklearn.metrics import classification_report, confusion_matrix, roc_auc_score
from sklearn.metrics.pairwise import laplacian_kernel
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    ShuffleSplit,
    StratifiedShuffleSplit,
    cross_val_score,
    permutation_test_score,
    train_test_split,
    validation_curve,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import softmargin

IMPORTS = {
    "from sklearn.svm import SVC": "from softmargin import SVC",
    "from sklearn import svm": "import softmargin as svm",
}


def plane(X, steps=25):
    """Return the points where a picture of two features would show the decision."""
    low, high = X.min(axis=0) - 1, X.max(axis=0) + 1
    axes = np.meshgrid(*np.linspace(low, high, steps).T)
    return np.column_stack([axis.ravel() for axis in axes])


def two_features_of_iris():
    X, y = datasets.load_iris(return_X_y=True)
    return X[:, :2], y


def unbalanced_blobs():
    return datasets.make_blobs(
        [300, 30], centers=[[0, 0], [2, 2]], cluster_std=[1.5, 0.5], random_state=0
    )


# The user guide.


def two_points():
    from sklearn import svm

    model = svm.SVC().fit([[0, 0], [1, 1]], [0, 1])
    return {
        "model": model,
        "labels": model.predict([[2.0, 2.0], [-1.0, 0.0]]),
        "vectors": model.support_vectors_,
        "text": repr(model),
    }


def pairs_of_classes_or_classes():
    from sklearn import svm

    model = svm.SVC(decision_function_shape="ovo").fit([[0], [1], [2], [3]], list("abcd"))
    pairs = model.decision_function([[1], [2.4]])
    model.decision_function_shape = "ovr"
    return {"model": model, "pairs": pairs, "classes": model.decision_function([[1], [2.4]])}


def weights_of_a_linear_machine():
    from sklearn.svm import SVC

    X, y = datasets.load_iris(return_X_y=True)
    three = SVC(kernel="linear").fit(X, y)
    two = SVC(kernel="linear").fit(X[:100], y[:100])
    by_hand = X[:100] @ two.coef_[0] + two.intercept_[0]
    return {"three": three, "two": two, "by hand": by_hand}


def weights_of_classes_and_rows():
    from sklearn.svm import SVC

    X, y = unbalanced_blobs()
    results = {}
    for class_weight in (None, "balanced", {1: 10}):
        model = SVC(kernel="linear", class_weight=class_weight).fit(X, y)
        results[f"decision {class_weight}"] = model.decision_function(plane(X))
        results[f"labels {class_weight}"] = model.predict(X)
    rows = np.where(np.arange(len(y)) % 5, 1.0, 4.0)
    results["rows"] = SVC().fit(X, y, sample_weight=rows)
    return results


def four_kernels():
    from sklearn import svm

    X, y = datasets.load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    results = {}
    for kernel in ("linear", "poly", "rbf", "sigmoid"):
        # A small gamma, for which the sigmoid kernel has one optimum only.
        gamma = 0.01 if kernel == "sigmoid" else "scale"
        model = svm.SVC(kernel=kernel, gamma=gamma).fit(X, y)
        results |= {kernel: model, f"labels {kernel}": model.predict(X)}
        results[f"decision {kernel}"] = model.decision_function(X)
    return results


def kernel_from_python():
    from sklearn import svm

    X, y = two_features_of_iris()
    scale = np.array([[2.0, 0.0], [0.0, 1.0]])
    own = svm.SVC(kernel=lambda A, B: A @ scale @ B.T, tol=1e-6).fit(X, y)
    rows, _ = datasets.load_iris(return_X_y=True)
    ready = svm.SVC(kernel=laplacian_kernel, tol=1e-6).fit(rows, y)
    return {
        "own": own.decision_function(plane(X)),
        "own labels": own.predict(plane(X)),
        "ready": ready,
        "ready labels": ready.predict(rows),
    }


def gram_matrix():
    from sklearn import svm

    X, y = datasets.make_classification(n_samples=60, random_state=0)
    train, test, labels, _ = train_test_split(X, y, random_state=0)
    model = svm.SVC(kernel="precomputed").fit(train @ train.T, labels)
    values = model.decision_function(test @ train.T)
    return {"model": model, "values": values, "labels": model.predict(test @ train.T)}


def sparse_rows():
    from sklearn.svm import SVC

    X, y = datasets.load_digits(return_X_y=True)
    X = sp.csr_matrix(X[:300] / 16)
    model = SVC(tol=1e-6).fit(X, y[:300])
    results = {name: getattr(model, name) for name in ("support_", "n_support_", "shape_fit_")}
    return results | {
        "vectors": model.support_vectors_.toarray(),
        "values": model.decision_function(X),
        "labels": model.predict(X),
    }


# The gallery.


def kernels_in_the_plane():
    from sklearn import svm

    X, y = datasets.make_moons(n_samples=16, noise=0.1, random_state=0)
    results = {}
    for kernel in ("linear", "poly", "rbf"):
        model = svm.SVC(kernel=kernel, gamma=2, tol=1e-6).fit(X, y)
        results |= {kernel: model, f"decision {kernel}": model.decision_function(plane(X))}
    return results


def iris_with_four_machines():
    from sklearn import svm

    X, y = two_features_of_iris()
    machines = {
        "linear": svm.SVC(kernel="linear", C=1.0),
        "rbf": svm.SVC(kernel="rbf", gamma=0.7, C=1.0),
        "poly": svm.SVC(kernel="poly", degree=3, gamma="auto", C=1.0),
        "scaled": make_pipeline(StandardScaler(), svm.SVC()),
    }
    # A point as near to a border as tol, or as libsvm's float32 values of a polynomial kernel
    # are to the true ones, may fall on either side.
    return {
        f"plane {name}": machine.fit(X, y).predict(plane(X)) for name, machine in machines.items()
    }


def hyperplane_of_maximum_margin():
    from sklearn import svm

    X, y = datasets.make_blobs(n_samples=40, centers=2, random_state=6)
    model = svm.SVC(kernel="linear", C=1000).fit(X, y)
    return {
        "model": model,
        "vectors": model.support_vectors_,
        "decision": model.decision_function(plane(X)),
    }


def margins_wide_and_narrow():
    from sklearn import svm

    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(-2, 1, (20, 2)), rng.normal(2, 1, (20, 2))]
    results = {}
    for name, penalty in (("narrow", 1), ("wide", 0.05)):
        model = svm.SVC(kernel="linear", C=penalty).fit(X, np.repeat([0, 1], 20))
        slope = -model.coef_[0, 0] / model.coef_[0, 1]
        results |= {name: model, f"line {name}": slope * np.linspace(-5, 5) - model.intercept_[0]}
        results[f"margin {name}"] = 1 / np.sqrt(np.sum(model.coef_**2))
    return results


def weighted_samples():
    from sklearn import svm

    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(1, 1, (10, 2)), rng.normal(0, 1, (10, 2))]
    y = np.repeat([1, -1], 10)
    weights = np.abs(rng.normal(size=20))
    weights[[9, 15]] *= 10
    results = {}
    for name, rows in (("plain", None), ("weighted", weights)):
        model = svm.SVC(gamma=1).fit(X, y, sample_weight=rows)
        results |= {name: model, f"decision {name}": model.decision_function(plane(X))}
    return results


def ties():
    from sklearn.svm import SVC

    X, y = datasets.make_blobs(random_state=27)
    results = {}
    for break_ties in (False, True):
        model = SVC(kernel="linear", C=1, break_ties=break_ties, tol=1e-6).fit(X, y)
        results[f"break_ties={break_ties}"] = model.predict(plane(X, 60))
    assert (results["break_ties=True"] != results["break_ties=False"]).any()
    return results


def search_for_c_and_gamma():
    from sklearn.svm import SVC

    X, y = datasets.load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    grid = {"C": np.logspace(-2, 6, 5), "gamma": np.logspace(-5, 3, 5)}
    cv = StratifiedShuffleSplit(n_splits=3, test_size=0.2, random_state=42)
    search = GridSearchCV(SVC(), param_grid=grid, cv=cv).fit(X, y)
    # With C = 1e6 a row of a fold is as near to a border as tol.
    return {
        "one row": 1 / 30,
        "score": search.best_score_,
        "score of all": search.cv_results_["mean_test_score"],
        "best": search.best_params_,
        "model": search.best_estimator_,
    }


def decisions_over_c_and_gamma():
    from sklearn.svm import SVC

    X, y = two_features_of_iris()
    X, y = StandardScaler().fit_transform(X[y > 0]), y[y > 0]
    return {
        f"C={C}, gamma={gamma}": SVC(C=C, gamma=gamma).fit(X, y).decision_function(plane(X))
        for C in (1e-2, 1, 1e2)
        for gamma in (1e-1, 1, 1e1)
    }


def features_chosen_before():
    from sklearn.svm import SVC

    X, y = datasets.load_iris(return_X_y=True)
    X = np.hstack([X, 2 * np.random.default_rng(0).random((len(X), 36))])
    model = make_pipeline(SelectPercentile(), StandardScaler(), SVC(gamma="auto"))
    results = {}
    for percentile in (1, 10, 40, 100):
        model.set_params(selectpercentile__percentile=percentile)
        results[f"score {percentile}"] = cross_val_score(model, X, y)
    return results


def digits_by_hand():
    from sklearn import svm

    X, y = datasets.load_digits(return_X_y=True)
    train, test, known, true = train_test_split(X, y, test_size=0.5, shuffle=False)
    model = svm.SVC(gamma=0.001).fit(train, known)
    labels = model.predict(test)
    return {
        "labels": labels,
        "report": classification_report(true, labels),
        "confusion": confusion_matrix(true, labels),
    }


def nested_cross_validation():
    from sklearn.svm import SVC

    X, y = datasets.load_iris(return_X_y=True)
    grid = {"C": [1, 10, 100], "gamma": [0.01, 0.1]}
    inner, outer = (KFold(n_splits=4, shuffle=True, random_state=seed) for seed in (0, 1))
    search = GridSearchCV(SVC(kernel="rbf"), grid, cv=inner)
    nested = cross_val_score(search, X=X, y=y, cv=outer)
    search.fit(X, y)
    return {"score": search.best_score_, "best": search.best_params_, "score nested": nested}


def penalty_and_number_of_rows():
    from sklearn.svm import SVC

    X, y = datasets.make_classification(n_samples=100, n_features=60, random_state=1)
    results = {}
    for share in (0.3, 0.5, 0.7):
        cv = ShuffleSplit(train_size=share, test_size=0.3, n_splits=5, random_state=1)
        penalties = np.logspace(-3, 1, 4) / (share * len(X))
        model = SVC(kernel="linear")
        curves = validation_curve(model, X, y, param_name="C", param_range=penalties, cv=cv)
        results |= {f"score train {share}": curves[0], f"score {share}": curves[1]}
    return results


def calibrated_probabilities():
    from sklearn.svm import SVC

    X, y = datasets.load_iris(return_X_y=True)
    results = {}
    for method in ("sigmoid", "isotonic"):
        model = CalibratedClassifierCV(SVC(tol=1e-6), method=method, cv=3).fit(X, y)
        results[f"probabilities {method}"] = model.predict_proba(X)
        results[f"labels {method}"] = model.predict(X)
    return results


def confusion_of_named_classes():
    from sklearn import svm

    iris = datasets.load_iris()
    names = iris.target_names[iris.target]
    train, test, known, true = train_test_split(iris.data, names, random_state=0)
    model = svm.SVC(kernel="linear", C=0.01).fit(train, known)
    labels = model.predict(test)
    return {
        "model": model,
        "labels": labels,
        "confusion": confusion_matrix(true, labels, normalize="true"),
        "report": classification_report(true, labels, zero_division=0),
    }


def features_struck_out_by_weight():
    from sklearn.svm import SVC

    X, y = datasets.load_digits(n_class=3, return_X_y=True)
    chosen = RFE(SVC(kernel="linear", C=1), n_features_to_select=8, step=8).fit(X / 16, y)
    return {"rank": chosen.ranking_, "labels": chosen.predict(X / 16)}


def many_labels_of_a_row():
    from sklearn.svm import SVC

    X, Y = datasets.make_multilabel_classification(n_classes=2, n_labels=1, random_state=1)
    model = OneVsRestClassifier(SVC(kernel="linear")).fit(X, Y)
    weights = np.vstack([machine.coef_ for machine in model.estimators_])
    return {"labels": model.predict(X), "weights": weights}


def scores_by_chance():
    from sklearn.svm import SVC

    X, y = datasets.load_iris(return_X_y=True)
    model = SVC(kernel="linear", random_state=7)
    score, by_chance, p = permutation_test_score(
        model, X, y, cv=3, n_permutations=10, random_state=0
    )
    # Where labels are permuted, rows are as near to the border as tol.
    return {"one row": 1 / 50, "score": score, "score by chance": by_chance, "p": p}


def search_over_kernels_by_rank():
    from sklearn.svm import SVC

    X, y = datasets.make_moons(noise=0.352, random_state=1, n_samples=100)
    grid = [
        {"kernel": ["linear"]},
        {"kernel": ["poly"], "degree": [2, 3]},
        {"kernel": ["rbf"], "gamma": [0.1, 1, 10]},
    ]
    search = GridSearchCV(SVC(random_state=0), grid, scoring="roc_auc", cv=4).fit(X, y)
    area = roc_auc_score(y, search.decision_function(X))
    scores = search.cv_results_["mean_test_score"]
    return {"area": area, "best": search.best_params_, "score": scores}


def outcome(action):
    """Return the kind of error that a script would catch, or None."""
    try:
        action()
    except (ValueError, AttributeError) as error:
        kinds = (NotFittedError, ValueError, AttributeError)
        return next(kind.__name__ for kind in kinds if isinstance(error, kind))
    return None


def mistakes():
    from sklearn.svm import SVC

    X, y = datasets.load_iris(return_X_y=True)
    model = SVC().fit(X, y)
    pairs = SVC(break_ties=True, decision_function_shape="ovo").fit(X, y)
    actions = {
        "unfitted": lambda: SVC().predict(X),
        "one class": lambda: SVC().fit(X, np.zeros(len(y))),
        "missing value": lambda: SVC().fit(np.where(X > 5, np.nan, X), y),
        "too few labels": lambda: SVC().fit(X, y[:5]),
        "too few features": lambda: model.predict(X[:, :2]),
        "one row": lambda: model.predict(X[0]),
        "C": lambda: SVC(C=-1).fit(X, y),
        "kernel": lambda: SVC(kernel="cubic").fit(X, y),
        "gamma": lambda: SVC(gamma="large").fit(X, y),
        "weights": lambda: model.coef_,
        "probabilities": lambda: model.predict_proba(X),
        "pairs": lambda: pairs.predict(X),
        "not square": lambda: SVC(kernel="precomputed").fit(X, y),
        "strange class": lambda: SVC(class_weight={7: 2.0}).fit(X, y),
    }
    return {name: outcome(action) for name, action in actions.items()}


def is_script(value):
    is_ours = inspect.isfunction(value) and value.__module__ == __name__
    return is_ours and any(old in inspect.getsource(value) for old in IMPORTS)


SCRIPTS = {name: value for name, value in list(globals().items()) if is_script(value)}


def with_the_import_of_softmargin(script):
    """Return the script made again from its text, with only the import changed."""
    text = inspect.getsource(script)
    for old, new in IMPORTS.items():
        text = text.replace(old, new)
    assert text.count("softmargin") == 1
    assert "sklearn" not in text
    namespace = dict(globals())
    exec(text, namespace)
    return namespace[script.__name__]


def check_alike(ours, theirs, atol):
    """Check types and shapes, and the values: floats up to a tolerance."""
    assert type(ours) is type(theirs)
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    if theirs.dtype.kind == "f":
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=atol)
    else:
        np.testing.assert_array_equal(ours, theirs)


def check_models_alike(ours, theirs, atol):
    names = ["classes_", "support_", "n_support_", "shape_fit_", "intercept_"]
    names += ["class_weight_", "fit_status_"]
    optional = ["n_features_in_", "coef_"]
    for name in names + [name for name in optional if hasattr(theirs, name)]:
        check_alike(getattr(ours, name), getattr(theirs, name), atol)
    for name in ("dual_coef_", "n_iter_"):
        assert getattr(ours, name).shape == getattr(theirs, name).shape
        assert getattr(ours, name).dtype.kind == getattr(theirs, name).dtype.kind


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_a_script_comes_out_alike(script):
    theirs, ours = script(), with_the_import_of_softmargin(script)()
    assert ours.keys() == theirs.keys()
    # Decision values are as near as tol allows; labels and scores are the same, but for
    # 1 in 300 points of a plane, and for one row in each fold where a script says so.
    by_tol = 1e-4 if "tol=1e-6" in inspect.getsource(script) else 2e-2
    for name, expected in theirs.items():
        if name.startswith("plane"):
            assert np.mean(ours[name] != expected) < 1 / 300
            continue
        atol = theirs.get("one row", 0) + 1e-12 if name.startswith("score") else by_tol
        check = check_models_alike if hasattr(expected, "support_") else check_alike
        check(ours[name], expected, atol)


# What does not come out alike.


def sigmoid_plane(SVC):
    X, y = datasets.make_moons(n_samples=16, noise=0.1, random_state=0)
    return SVC(kernel="sigmoid", gamma=2).fit(X, y).predict(plane(X))


def shared_letters(A, B):
    return np.array([[len(set(a) & set(b)) for b in B] for a in A], dtype=float)


def fitted(SVC, layout=np.asarray, sample_weight=None, **parameters):
    X, y = datasets.load_iris(return_X_y=True)
    return SVC(**parameters).fit(layout(X), y, sample_weight=sample_weight)


def dot(A, B):
    return A @ B.T


HALF = np.arange(150) % 2
DIFFERENCES = {
    "softmargin keeps the support vectors of a kernel function": (
        lambda SVC: fitted(SVC, kernel=dot).support_vectors_
    ),
    "softmargin keeps float32 support vectors": (
        lambda SVC: fitted(SVC, layout=np.float32).support_vectors_
    ),
    "softmargin takes no kernel function of text": (
        lambda SVC: SVC(kernel=shared_letters).fit(["ab", "a", "c", "cd"], HALF[:4]).n_support_
    ),
    "softmargin takes no numbers as text": (
        lambda SVC: fitted(SVC, layout=lambda X: X.astype(str)).n_support_
    ),
    "softmargin takes no C = True": lambda SVC: fitted(SVC, C=True).n_support_,
    "softmargin takes no max_iter = 0": lambda SVC: fitted(SVC, max_iter=0).n_iter_.shape,
    "softmargin takes no weight of a class that is not there": (
        lambda SVC: fitted(SVC, class_weight={0: 1, 1: 1, 2: 1, 3: 1}).n_support_
    ),
    "softmargin takes no negative weight of a row": (
        lambda SVC: fitted(SVC, sample_weight=HALF - 0.5).n_support_
    ),
    "softmargin lets no weights of rows remove a class": (
        lambda SVC: fitted(SVC, sample_weight=np.arange(150) >= 50).n_support_
    ),
    "scikit-learn does not count rows of weight 0 in support_ (its issue 5150)": (
        lambda SVC: fitted(SVC, sample_weight=HALF).support_
    ),
    "a decision value of 0 is the first class in softmargin, the second in scikit-learn": (
        lambda SVC: SVC(kernel="linear").fit([[0], [1]], [0, 1]).predict([[0.5]])
    ),
    "the sigmoid kernel is not definite: both find an optimum, but not the same": sigmoid_plane,
}


def test_a_kernel_function_may_return_sparse_values():
    check_alike(
        *(fitted(SVC, sp.csr_matrix, kernel=dot).n_support_ for SVC in (softmargin.SVC, svm.SVC)), 0
    )


def test_coefficients_of_sparse_rows_are_sparse():
    found, expected = (
        fitted(SVC, layout=sp.csr_matrix, kernel="linear", tol=1e-6).coef_
        for SVC in (softmargin.SVC, svm.SVC)
    )
    assert sp.issparse(found)
    check_alike(found.toarray(), expected.toarray(), 1e-4)


def test_no_bound_of_alpha_is_taken():
    values = [fitted(SVC, C=np.inf, gamma=10, tol=1e-6) for SVC in (softmargin.SVC, svm.SVC)]
    X, _ = datasets.load_iris(return_X_y=True)
    check_alike(*(model.decision_function(X) for model in values), 1e-4)


@pytest.mark.filterwarnings("ignore:The `probability`:FutureWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("reason", DIFFERENCES)
def test_a_script_comes_out_alike_but_for(reason, request):
    script = DIFFERENCES[reason]
    theirs = script(svm.SVC)  # this must not fail
    request.applymarker(pytest.mark.xfail(strict=True, reason=reason))
    check_alike(script(softmargin.SVC), theirs, atol=1e-3)
