"""Scores of the predictions and decision values that the core returns.

Scikit-learn's own scorers compute the scores: they get an object that answers ``predict`` and
``decision_function`` for the samples of a split. Scores that depend on counts per class only are
computed for many candidates at once (:mod:`softmargin._selection.confusion`).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, OutlierMixin, RegressorMixin
from sklearn.metrics import accuracy_score, r2_score
from sklearn.metrics._scorer import _BaseScorer, _MultimetricScorer, _PassthroughScorer
from sklearn.model_selection._validation import _score

from softmargin._selection.confusion import ConfusionScore, Counts, confusion_score
from softmargin._selection.kinds import Kind, kind_of
from softmargin._selection.ranking import is_area, roc_areas
from softmargin._selection.residuals import ResidualScore, residual_score

# The name of a single score, as in scikit-learn's results.
SINGLE = "score"
# Scores that the core computes itself.
CORE_SCORES = ("accuracy", "balanced_accuracy", "f1_macro")


class UnavailableError(BaseException):
    """A scorer needs more than predictions and decision values; the message says what.

    Not an ``Exception``, so that it passes through handlers of failed scores.
    """


class Outputs(NamedTuple):
    """Predictions and decision values of candidates for the samples of a split.

    ``classes`` are the classes of the training samples; ``predicted`` refers to all classes.
    Without classes, ``predicted`` contains what ``predict`` returns.
    """

    predicted: NDArray[Any]
    decisions: NDArray[np.float64] | None
    classes: NDArray[Any]


class ScoredSamples(NamedTuple):
    """The samples to score with their labels, classes, arguments of scorers, and numbers.

    Regressors also have ``targets``, in the units of y.
    """

    X: Any
    y: Any
    codes: NDArray[np.uint32]
    params: dict[str, Any]
    numbers: NDArray[Any]
    targets: NDArray[np.float64] | None = None


class _Answers(BaseEstimator):
    """A fitted estimator that knows its answers for one set of samples.

    It looks like an estimator of the class ``kind``, so that scoring functions that treat
    pipelines differently ask for what is not there instead of taking another path.
    """

    def __init__(self, X: Any, classes: Any, predicted: Any, decisions: Any, kind: type) -> None:
        self._X = X
        self._kind = kind
        self._predicted = predicted
        self._decisions = decisions
        if classes is not None:
            self.classes_ = classes

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return self._kind

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> Any:
        self._check(X)
        return self._predicted

    def decision_function(self, X: Any) -> Any:
        self._check(X)
        if self._decisions is None:
            raise UnavailableError("decision_function")
        # Scorers may change the values, for example their sign.
        return self._decisions.copy()

    def _check(self, X: Any) -> None:
        if X is not self._X:
            raise UnavailableError("predictions for other samples than those of a split")

    def __getitem__(self, key: Any) -> Any:
        raise UnavailableError("the fitted steps of the pipeline")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in ("predict_proba", "predict_log_proba"):
            raise AttributeError(name)
        raise UnavailableError(f"the attribute {name} of the fitted estimator")


class _ClassifierAnswers(ClassifierMixin, _Answers):
    """A fitted classifier that knows its answers."""


class _RegressorAnswers(RegressorMixin, _Answers):
    """A fitted regressor that knows its answers."""


class _DetectorAnswers(OutlierMixin, _Answers):
    """A fitted detector of outliers that knows its answers."""


_ANSWERS: dict[Kind, type[_Answers]] = {
    "classifier": _ClassifierAnswers,
    "regressor": _RegressorAnswers,
    "detector": _DetectorAnswers,
}


class Scoring:
    """All scores of a run.

    ``scorer`` is what scikit-learn's searches use: a scorer, several of them, or a function.
    ``kind`` is the class of the estimator, for functions.
    """

    def __init__(
        self,
        scorer: Any,
        classes: NDArray[Any],
        estimators: Sequence[Any],
        *,
        is_train: bool = False,
        error_score: Any = "raise",
        has_params: bool = False,
        kind: type | None = None,
    ) -> None:
        self._arguments = {
            "scorer": scorer,
            "classes": classes,
            "estimators": estimators,
            "is_train": is_train,
            "error_score": error_score,
            "has_params": has_params,
            "kind": kind,
        }
        self.scorer = scorer
        self.classes = classes
        self.is_train = is_train
        self.error_score = error_score
        self.is_multimetric = isinstance(scorer, _MultimetricScorer)
        self._answers = _ANSWERS[kind_of(estimators[0])]
        self._has_classes = self._answers is _ClassifierAnswers
        self._kind: type = self._answers
        scorers = scorer._scorers if self.is_multimetric else {SINGLE: scorer}
        self.names = tuple(scorers)
        self.fast: dict[str, ConfusionScore] = {}
        # Scores of the residuals of regressors.
        self._residual: dict[str, ResidualScore] = {}
        # Scores that are areas under the ROC curve of two classes.
        self._areas: list[str] = []
        self._slow: dict[str, Any] = {}
        self.is_plain_function = False
        for name, own in scorers.items():
            fast = residual = None
            if self._has_classes and not has_params:
                fast = _fast(own, classes)
            elif self._answers is _RegressorAnswers and not has_params:
                residual = _residual(own)
            if fast is not None:
                self.fast[name] = fast
            elif residual is not None:
                self._residual[name] = residual
            elif self._has_classes and not has_params and len(classes) == 2 and is_area(own):
                self._areas.append(name)
            else:
                self._slow[name] = own
                self.is_plain_function |= _is_function(own)
        if self.is_plain_function:
            self._kind = kind or type(estimators[0])
        needs = [_method(own, estimators) for own in self._slow.values()]
        self.needs_decisions = bool(self._areas) or any(need != "predict" for need in needs)
        # The scores that the core computes, if it computes all of them.
        self.core: dict[str, str] = {}
        if self._has_classes and not is_train and not self._slow and not self._areas:
            found = {name: _core_score(own) for name, own in scorers.items()}
            if None not in found.values():
                self.core = {name: str(core) for name, core in found.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to build this object in another process; fast scores are not pickled."""
        return _scoring_of, (self._arguments,)

    def scores(
        self, outputs: Outputs, samples: ScoredSamples
    ) -> tuple[list[dict[str, float]], float]:
        """Return the scores of each candidate, and the seconds that scikit-learn's scorers took."""
        n_candidates = len(outputs.predicted)
        found: dict[str, NDArray[np.float64]] = {}
        if self.fast:
            counts = Counts.of(samples.codes, outputs.predicted, len(self.classes))
            found = {name: score(counts) for name, score in self.fast.items()}
        if samples.targets is not None:
            for name, residual in self._residual.items():
                found[name] = residual(samples.targets, outputs.predicted)
        if self._areas and outputs.decisions is not None:
            areas = roc_areas(samples.codes, outputs.decisions, outputs.classes)
            found |= dict.fromkeys(self._areas, areas)
        start = time.perf_counter()
        results = []
        for number in range(n_candidates):
            own = {name: float(scores[number]) for name, scores in found.items()}
            slow = self._slow | {
                name: self._scorer(name) for name, score in own.items() if np.isnan(score)
            }
            if slow:
                own |= self._slow_scores(slow, outputs, number, samples)
            # In the order of the scorers; a function may return scores of other names.
            results.append({name: own[name] for name in (*self.names, *own) if name in own})
        return results, time.perf_counter() - start

    def _scorer(self, name: str) -> Any:
        return self.scorer._scorers[name] if self.is_multimetric else self.scorer

    def _slow_scores(
        self, scorers: dict[str, Any], outputs: Outputs, number: int, samples: ScoredSamples
    ) -> dict[str, float]:
        """Return the scores of scikit-learn's scorers for one candidate."""
        decisions = None
        if outputs.decisions is not None:
            decisions = outputs.decisions[number]
            decisions = decisions[:, 0] if decisions.shape[1] == 1 else decisions
        predicted, classes = outputs.predicted[number], None
        if self._has_classes:
            predicted, classes = self.classes[predicted], self.classes[outputs.classes]
        answers = self._answers(samples.X, classes, predicted, decisions, self._kind)
        scorers = {
            name: own if isinstance(own, _BaseScorer) else _Function(own)
            for name, own in scorers.items()
        }
        scorer: Any = scorers.get(SINGLE)
        if self.is_multimetric:
            raises = self.error_score == "raise"
            scorer = _MultimetricScorer(scorers=scorers, raise_exc=raises)
        found = _score(answers, samples.X, samples.y, scorer, samples.params, self.error_score)
        return dict(found) if isinstance(found, Mapping) else {SINGLE: found}


def _scoring_of(arguments: dict[str, Any]) -> Scoring:
    return Scoring(**arguments)


class _Function:
    """A scoring function; an error may mean that it needs more than predictions."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, *args: Any, **params: Any) -> Any:
        try:
            return self.function(*args, **params)
        except Exception as error:
            # If it is the fault of the function, the fallback reports it.
            name = getattr(self.function, "__name__", repr(self.function))
            raise UnavailableError(
                f"the fitted estimator: without it, {name} raised {error!r}"
            ) from None

    def _accept_sample_weight(self) -> bool:
        return bool(getattr(self.function, "_accept_sample_weight", lambda: False)())


def unsupported(scorer: Any, estimators: Sequence[Any]) -> str | None:
    """Return why a scorer cannot be computed from predictions and decision values."""
    scorers = scorer._scorers if isinstance(scorer, _MultimetricScorer) else {"": scorer}
    for name, own in scorers.items():
        if _is_function(own) and any(hasattr(e, "predict_proba") for e in estimators):
            return "a scoring function may use the probabilities of the fitted estimator"
        if _method(own, estimators) == "predict_proba":
            shown = f"the score {name!r}" if name else "the score"
            return f"{shown} needs probabilities, which are computed for each fit"
    return None


def _is_function(scorer: Any) -> bool:
    """Return whether a scorer is a function of the fitted estimator."""
    return not isinstance(scorer, _BaseScorer | _PassthroughScorer)


def _method(scorer: Any, estimators: Sequence[Any]) -> str:
    """Return the method of the estimator whose values a scorer needs."""
    if isinstance(scorer, _PassthroughScorer):
        return "predict"
    if not isinstance(scorer, _BaseScorer):
        return "decision_function"  # and predictions: it may use both
    wanted = scorer._response_method
    for name in (wanted,) if isinstance(wanted, str) else wanted:
        if name in ("predict", "decision_function"):
            return str(name)
        if any(hasattr(estimator, name) for estimator in estimators):
            return "predict_proba"
    return "predict_proba"


def _function(scorer: Any) -> tuple[Any, int, Mapping[str, Any]] | None:
    """Return function, sign and arguments of a scorer of predictions."""
    if isinstance(scorer, _PassthroughScorer):
        return accuracy_score, 1, {}
    if isinstance(scorer, _BaseScorer) and scorer._response_method == "predict":
        return scorer._score_func, scorer._sign, scorer._kwargs
    return None


def _fast(scorer: Any, classes: NDArray[Any]) -> ConfusionScore | None:
    found = _function(scorer)
    return None if found is None else confusion_score(*found, classes)


def _residual(scorer: Any) -> ResidualScore | None:
    """Return the fast version of a score of regression."""
    if isinstance(scorer, _PassthroughScorer):
        return residual_score(r2_score, 1, {})
    found = _function(scorer)
    return None if found is None else residual_score(*found)


def _core_score(scorer: Any) -> str | None:
    """Return the name of the core's version of a score."""
    from sklearn.metrics import balanced_accuracy_score, f1_score

    found = _function(scorer)
    if found is None or found[1] != 1:
        return None
    function, _, kwargs = found
    known: list[tuple[Any, dict[str, Any], str]] = [
        (accuracy_score, {}, "accuracy"),
        (balanced_accuracy_score, {}, "balanced_accuracy"),
        (f1_score, {"average": "macro"}, "f1_macro"),
        (f1_score, {"average": "macro", "pos_label": None}, "f1_macro"),
    ]
    for own, arguments, name in known:
        if function is own and dict(kwargs) == arguments:
            return name
    return None
