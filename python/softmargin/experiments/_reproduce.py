"""Run a study: what is not known yet is computed, kept, and shown."""

from __future__ import annotations

import contextlib
import datetime
import os
import platform
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sklearn.exceptions import ConvergenceWarning

import softmargin
from softmargin._files.atomic_file import write_text
from softmargin.datasets import DatasetNotFound
from softmargin.experiments._findings import Findings
from softmargin.experiments._markdown import to_markdown
from softmargin.experiments._nlsgd_study import NLSGDStudy
from softmargin.experiments._ollawv_study import OLLAWVStudy
from softmargin.experiments._primal_study import PrimalStudy
from softmargin.experiments._report import environment_of_pages, write_report
from softmargin.experiments._seeding_study import SeedingStudy
from softmargin.experiments._sgd_variants_study import SGDVariantsStudy
from softmargin.experiments._store import Store
from softmargin.experiments._study import SIZES, NotAtHandError, Settings, Size, Study

STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        NLSGDStudy(),
        SGDVariantsStudy(),
        SeedingStudy(),
        OLLAWVStudy(),
        PrimalStudy(),
    )
}
"""The studies by their names, for :func:`reproduce`."""

# Called before a task is run: its number, how many there are, its key.
Watcher = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Reproduction:
    """What :func:`reproduce` returns: findings, records by key, and the page that was written."""

    findings: Findings
    records: dict[str, dict[str, Any]]
    report: Path | None


def reproduce(
    study: str,
    size: Size = "small",
    output: str | os.PathLike[str] | None = None,
    folder: str | os.PathLike[str] | None = None,
    n_jobs: int = -1,
    time_limit: float | None = None,
    progress: Watcher | None = None,
) -> Reproduction:
    """Run the experiments of a paper again, and put ours beside its numbers.

    Parameters
    ----------
    study : str
        "nlsgd", "sgd-variants", "seeding", "ollawv" or "primal": papers 000 to 004.
    size : {"small", "medium", "large"}, default="small"
        Which data sets: about a minute, up to an hour, hours.
    output : path or None
        A folder for the page, the records and the tables. A run that finds records of the same
        study there goes on from them, whatever its size was.
    folder : path or None
        Data sets beside the embedded ones; None for ``SOFTMARGIN_DATA``.
    n_jobs : int, default=-1
        Threads.
    time_limit : float or None
        Seconds for each entry of a table; what takes longer is shown as not complete.
    progress : function or None
        Called with the number of a task, how many there are, and its name.

    Returns
    -------
    Reproduction

    Examples
    --------
    >>> from softmargin import experiments
    >>> found = experiments.reproduce("ollawv", output="ollawv-again")  # doctest: +SKIP
    >>> found.report  # doctest: +SKIP
    PosixPath('ollawv-again/report.html')
    """
    if study not in STUDIES:
        raise ValueError(f"study = {study!r} is not valid: it must be one of {', '.join(STUDIES)}")
    if size not in SIZES:
        raise ValueError(f"size = {size!r} is not valid: it must be one of {', '.join(SIZES)}")
    if output is not None:
        environment_of_pages()  # before hours of work, not after
    chosen = STUDIES[study]
    settings = Settings(size, None if folder is None else os.fspath(folder), n_jobs, time_limit)
    store = Store(output, chosen.name, {"text": chosen.protocol, "version": softmargin.__version__})
    tasks = chosen.tasks(settings)
    absent: dict[str, str] = {}
    others: dict[str, None] = {}
    for number, task in enumerate(tasks):
        known = store.get(task.key)
        if known is not None and known.get("complete", True):
            continue
        if progress is not None:
            progress(number, len(tasks), task.key)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                store.add(task.key, task.run())
        except DatasetNotFound as error:
            absent[error.name] = str(error)
        except NotAtHandError as error:
            others[str(error)] = None
    if progress is not None:
        progress(len(tasks), len(tasks), "")
    records = {task.key: store[task.key] for task in tasks if task.key in store}
    report = None
    with _misfits_refused(store.origin):
        findings = Findings(
            title=chosen.title,
            paper=chosen.paper,
            command=f"softmargin reproduce {chosen.name} --{size}",
            protocol=chosen.protocol,
            sections=chosen.sections(records, settings),
            missing=(*_missing(absent), *others),
            facts=_facts(settings),
        )
        store.export(list(records), findings.facts)
        if output is not None:
            report = Path(output) / "report.html"
            write_report(findings, report)
            write_text(report.with_suffix(".md"), to_markdown(findings))
    return Reproduction(findings, records, report)


@contextlib.contextmanager
def _misfits_refused(origin: Path | None) -> Iterator[None]:
    """Refuse a file, from which there are records, if they are not those of the study."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        if origin is None:
            raise
        raise ValueError(
            f"{origin} holds records that do not fit the study ({type(error).__name__}: {error}): "
            "choose another folder, or remove it to begin anew"
        ) from error


def _missing(absent: dict[str, str]) -> list[str]:
    """Return a sentence for the sets that were not found."""
    if len(absent) < 2:
        return list(absent.values())
    return [
        f"Not at hand are {', '.join(absent)}: set SOFTMARGIN_DATA to a folder that holds them as "
        "NAME.npz, NAME.svm, NAME.csv or NAME.arff ('softmargin datasets' shows what is there)."
    ]


def _facts(settings: Settings) -> dict[str, str]:
    from softmargin._checks import resources

    return {
        "date": datetime.date.today().isoformat(),
        "softmargin": softmargin.__version__,
        "instructions": softmargin.simd_level(),
        "threads": str(resources.thread_count(settings.n_jobs)),
        "processor": platform.machine(),
        "system": platform.system(),
    }
