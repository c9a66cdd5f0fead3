"""Cross-validation of regressors with given hyperparameters."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from softmargin._selection.spread import with_spread
from softmargin.cli._output import table
from softmargin.cli._regression_errors import RegressionErrors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from softmargin.cli._estimator_options import EstimatorOptions
    from softmargin.datasets import Dataset


@dataclass
class RegressionFolds:
    """Predictions of all samples by models that were trained without them."""

    targets: NDArray[np.float64]
    predicted: NDArray[np.float64]
    held_out: NDArray[np.uint32]
    seconds: float

    @classmethod
    def run(
        cls, data: Dataset, estimator: Any, options: EstimatorOptions, n_folds: int
    ) -> RegressionFolds:
        """Train on all folds except one and predict that one, for each fold."""
        import numpy as np
        from sklearn.pipeline import make_pipeline

        from softmargin import MinMaxScaler, cross_val_predict
        from softmargin._selection.folds import shuffled_folds

        start = time.perf_counter()
        held_out = shuffled_folds(data.n_rows, n_folds, options.seed)
        splits = [
            (np.flatnonzero(held_out != fold), np.flatnonzero(held_out == fold))
            for fold in range(n_folds)
        ]
        model = make_pipeline(MinMaxScaler(), estimator) if options.scale else estimator
        predicted = cross_val_predict(model, data.X, data.y, cv=splits, n_jobs=options.jobs)
        return cls(data.y, predicted, held_out, time.perf_counter() - start)

    @property
    def errors(self) -> RegressionErrors:
        """Return the errors over the samples of all folds."""
        return RegressionErrors.of(self.predicted, self.targets)

    def scores(self, scoring: str) -> list[float]:
        """Return a score of scikit-learn for each fold."""
        from sklearn.metrics import get_scorer

        scorer = get_scorer(scoring)
        folds = [self.held_out == fold for fold in range(int(self.held_out.max()) + 1)]
        return [
            float(scorer._sign * scorer._score_func(self.targets[own], self.predicted[own]))
            for own in folds
        ]

    def facts(self, scoring: str) -> dict[str, Any]:
        """Return the JSON description."""
        import numpy as np

        scores = np.array(self.scores(scoring))
        return {
            "scoring": scoring,
            "scores": scores,
            "mean_score": float(scores.mean()),
            "std_score": float(scores.std()),
            "rows": len(self.targets),
            "pooled": self.errors._asdict(),
            "seconds": self.seconds,
        }

    def lines(self) -> list[str]:
        """Return the lines that svm-train prints."""
        errors = self.errors
        return [
            f"Cross Validation Mean squared error = {errors.mean_squared_error:g}",
            f"Cross Validation Squared correlation coefficient = {errors.squared_correlation:g}",
        ]

    def table(self, scoring: str) -> Any:
        """Return a table with the score of each fold."""
        import numpy as np

        scores, n_test = self.scores(scoring), np.bincount(self.held_out).tolist()
        rows = [
            (str(fold), f"{n:,}", f"{score:.4f}")
            for fold, (n, score) in enumerate(zip(n_test, scores, strict=True))
        ]
        rows.append(("mean", "", with_spread(float(np.mean(scores)), float(np.std(scores)))))
        heads = ("fold", "samples", scoring)
        return table(heads, rows, right=heads[1:], flexible="fold")
