"""The checked samples, scaling and score of nested cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import check_scoring, get_scorer, get_scorer_names
from sklearn.metrics._scorer import _MultimetricScorer
from sklearn.utils import indexable

from softmargin._checks import class_order
from softmargin._checks.rows import check_rows
from softmargin._checks.weights import sample_weights
from softmargin._estimators.base import Estimator
from softmargin._estimators.methods import estimator_of
from softmargin._estimators.scaling import MinMaxScaler
from softmargin._selection.candidates import Candidates
from softmargin._selection.kinds import (
    NO_CLASSES,
    Kind,
    check_outcomes,
    check_weights,
    kind_of,
)
from softmargin._selection.samples import Samples, Scaling, n_samples
from softmargin._selection.scoring import SINGLE, Scoring, unsupported
from softmargin._selection.splits import check_groups
from softmargin._selection.steps import has_steps, is_target

Scale = Literal["fold", "standard", "global"] | None

_SCALES = ("auto", "fold", "standard", "global", None)
_SCALINGS: dict[str | None, Scaling] = {"fold": "minmax", "standard": "standard"}


@dataclass
class Problem:
    """Validated samples, with the scaling and the score."""

    rows: Samples
    X: Any
    y: Any
    scale: Scale
    scoring: Any
    # The scorer of scikit-learn, the name of the score that guides the search, and how it is shown.
    scorer: Any
    guide: str
    shown: str
    groups: NDArray[Any] | None

    @classmethod
    def check(
        cls,
        X: Any,
        y: Any,
        method: Any,
        scale: Any,
        scoring: Any,
        refit: Any,
        sample_weight: Any,
        groups: Any,
    ) -> Problem:
        """Validate the arguments of :func:`nested_cv`."""
        methods = method if isinstance(method, list | tuple) else [method]
        is_pipeline = any(has_steps(each) for each in methods)
        if not (isinstance(scale, str) or scale is None) or scale not in _SCALES:
            names = ", ".join(repr(name) for name in _SCALES[:-1])
            raise ValueError(f"scale = {scale!r} is not valid: it must be {names} or None")
        if is_pipeline and scale not in ("auto", None):
            raise ValueError(
                f"scale = {scale!r} is not valid for a pipeline, whose steps scale the samples; "
                "use scale='auto' or None"
            )
        has_matrix = any(_kernel_of(each) == "precomputed" for each in methods)
        if has_matrix and scale not in ("auto", None):
            raise ValueError(
                f"scale = {scale!r} is not valid with kernel = 'precomputed': X is a kernel "
                "matrix, which cannot be scaled; use scale='auto' or None"
            )
        if scale == "auto":
            scale = None if is_pipeline or has_matrix else "fold"
        if is_pipeline:
            X, y = indexable(X, y)
            checked = X
        else:
            checked = check_rows(X)
        kind = _kind_of(methods)
        n_rows = n_samples(checked)
        outcomes = check_outcomes(kind, y, n_rows)
        classes, codes = outcomes.classes, outcomes.codes
        classes = NO_CLASSES if classes is None else classes
        if len(codes) != n_samples(checked):
            raise ValueError(
                f"X has {n_samples(checked)} samples, but y has {len(codes)} labels; they must "
                "have the same length"
            )
        weights = sample_weights(sample_weight, len(codes))
        if weights is not None and check_weights(kind, weights, classes, codes) is not None:
            row = int(np.argmin(weights))
            raise ValueError(
                f"sample_weight[{row}] = 0 is not valid: weights must be positive in nested_cv; "
                "remove the sample instead"
            )
        scoring = _default_score(kind) if scoring is None else scoring
        scorer, guide, shown = _check_scoring(scoring, refit)
        if scale == "global":
            checked = MinMaxScaler().fit_transform(checked).astype(np.float32)
        rows = Samples(
            checked,
            classes,
            codes,
            weights,
            outcomes.targets,
            kind,
            scaling=_SCALINGS.get(scale, "none"),
            single_precision=True if scale is not None else None,
            order=class_order.order_of(y, classes) if kind == "classifier" else None,
            given=(X, y),
        )
        own_groups = check_groups(groups, len(codes))
        return cls(rows, X, y, scale, scoring, scorer, guide, shown, own_groups)

    def scoring_of(self, candidates: Candidates, kind: type) -> Scoring:
        """Return the scores of a method; raise ValueError if they need more than predictions."""
        if reason := unsupported(self.scorer, candidates.models):
            raise ValueError(
                f"scoring = {self.scoring!r} is not valid: {reason}. Use a score of predictions or "
                "decision values, such as 'roc_auc', or cross_validate a GridSearchCV"
            )
        return Scoring(self.scorer, self.rows.classes, candidates.models, kind=kind)


def _kind_of(methods: Any) -> Kind:
    """Return the kind of all methods; raise ValueError if they differ."""
    kinds: dict[Kind, str] = {}
    for method in methods:
        last = method
        while has_steps(last):
            last = last.regressor if is_target(last) else last.steps[-1][1]
        if isinstance(last, str):
            last = estimator_of(last)[1]
        if isinstance(last, Estimator):
            kinds.setdefault(kind_of(last), type(last).__name__)
    if len(kinds) > 1:
        one, other, *_ = kinds.items()
        raise ValueError(
            f"method contains {one[1]}, a {one[0]}, and {other[1]}, a {other[0]}; all methods must "
            "be of one kind, so that the same score compares them"
        )
    return next(iter(kinds), "classifier")


def _default_score(kind: Kind) -> str:
    if kind == "detector":
        raise ValueError(
            "scoring = None is not valid for the detection of outliers: name a score of the labels "
            "1 and -1, such as 'balanced_accuracy' or 'roc_auc'"
        )
    return "r2" if kind == "regressor" else "accuracy"


def _kernel_of(method: Any) -> Any:
    """Return the kernel of an estimator; None for other methods."""
    kernel = getattr(method, "kernel", None)
    return kernel if isinstance(kernel, str) else None


def _check_scoring(scoring: Any, refit: Any) -> tuple[Any, str, str]:
    """Return the scorer, and the name and the title of the score that guides the search."""
    if isinstance(scoring, str):
        name = scoring
        if name not in get_scorer_names():
            raise ValueError(
                f"scoring = {scoring!r} is not valid: it must be a name that "
                "sklearn.metrics.get_scorer_names() lists, a function, or several of them"
            )
        return get_scorer(name), SINGLE, name
    if callable(scoring):
        return scoring, SINGLE, getattr(scoring, "__name__", "score")
    scorer = check_scoring(_Any(), scoring, raise_exc=True)
    if not isinstance(scorer, _MultimetricScorer):
        raise ValueError(f"scoring = {scoring!r} is not valid")
    names = list(scorer._scorers)
    if refit is None and len(names) == 1:
        refit = names[0]
    if refit not in names:
        shown = ", ".join(repr(name) for name in names)
        raise ValueError(
            f"refit = {refit!r} is not valid: with several scores, it must name the score that "
            f"guides the search: {shown}"
        )
    return scorer, refit, refit


class _Any:
    """An estimator of which scikit-learn's check of scores only needs ``fit``."""

    def fit(self, X: Any, y: Any) -> None:
        """Do nothing."""
