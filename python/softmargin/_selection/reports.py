"""What a search prints, and the callbacks that it calls."""

from __future__ import annotations

from typing import Any

from joblib import logger


def print_fits(
    search: Any, candidates: list[dict[str, Any]], fits: list[dict[str, Any]], n_splits: int
) -> None:
    """Print a line for each fit in the format of scikit-learn, with the mean fit time."""
    verbose, with_train = search.verbose, search.return_train_score
    for number, fit in enumerate(fits):
        candidate = candidates[number // n_splits]
        place = ""
        if verbose > 2:
            place = f" {number % n_splits + 1}/{n_splits}"
        if verbose > 9:
            place += f"; {number // n_splits + 1}/{len(candidates)}"
        named = ", ".join(f"{name}={candidate[name]}" for name in sorted(candidate))
        if verbose > 9:
            head = f"[CV{place}] START {named}"
            print(head + "." * (80 - len(head)))
        text = named + (";" if named else "")
        if verbose > 2:
            text += _shown(fit, with_train)
        text += f" total time={logger.short_format_time(fit['fit_time'])}"
        head = f"[CV{place}] END "
        print(head + "." * (80 - len(head) - len(text)) + text)


def _shown(fit: dict[str, Any], with_train: bool) -> str:
    test, train = fit["test_scores"], fit.get("train_scores")
    if not isinstance(test, dict):
        if with_train:
            return f", score=(train={train:.3f}, test={test:.3f})"
        return f", score={test:.3f}"
    text = ""
    for name in sorted(test):
        text += f" {name}: ("
        if with_train and isinstance(train, dict):
            text += f"train={train[name]:.3f}, "
        text += f"test={test[name]:.3f})"
    return text


def report_callbacks(search: Any, context: Any, n_fits: int) -> None:
    """Call the callbacks of scikit-learn for each fit of a round."""
    if context is None:
        return
    for number in range(n_fits):
        own = context.subcontext(task_name="candidate-split-evaluation", task_id=number)
        own.call_on_fit_task_begin(estimator=search)
        own.call_on_fit_task_end(estimator=search)


def end_callbacks(search: Any) -> None:
    """End the callbacks that were started before a search falls back to scikit-learn."""
    if hasattr(search, "_callback_fit_ctx"):
        from sklearn.callback._callback_support import callback_management_context

        with callback_management_context(search):
            pass
