"""Run a study: compute missing results, store them, and write the report."""

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
from softmargin.experiments._study import SIZES, MissingPackageError, Settings, Size, Study

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
"""The studies by name, for :func:`reproduce`."""

# Called before each task with its number, the number of tasks, and its key.
Watcher = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Reproduction:
    """Result of :func:`reproduce`: findings, records by key, and the path of the report."""

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
    """Repeat the experiments of a paper and compare the results with the published numbers.

    Parameters
    ----------
    study : str
        "nlsgd" (Melki and Kecman 2016), "sgd-variants" (Lu and Jin 2017), "seeding" (Nguyen and Ho
        2005), "ollawv" (Melki 2018) or "primal" (Duros and Katzman 2014).
    size : {"small", "medium", "large"}, default="small"
        Which data sets to use. The run takes about a minute, up to an hour, or several hours.
    output : path or None, default=None
        Folder for the report, the records and the tables. If it contains records of the same
        study, of any size, the run resumes from them.
    folder : path or None, default=None
        Folder with additional data sets; None for the environment variable ``SOFTMARGIN_DATA``.
    n_jobs : int, default=-1
        Number of threads; -1 for all cores.
    time_limit : float or None, default=None
        Time limit in seconds for each entry of a table; entries that reach it are reported as
        incomplete.
    progress : callable or None, default=None
        Called before each task with its number, the number of tasks, and its name.

    Returns
    -------
    Reproduction

    Examples
    --------
    >>> from softmargin import experiments
    >>> result = experiments.reproduce("ollawv", output="results")  # doctest: +SKIP
    >>> result.report  # doctest: +SKIP
    PosixPath('results/report.html')
    """
    if study not in STUDIES:
        raise ValueError(f"study = {study!r} is not valid: it must be one of {', '.join(STUDIES)}")
    if size not in SIZES:
        raise ValueError(f"size = {size!r} is not valid: it must be one of {', '.join(SIZES)}")
    if output is not None:
        environment_of_pages()  # fail before hours of work, not after
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
        except MissingPackageError as error:
            others[str(error)] = None
    if progress is not None:
        progress(len(tasks), len(tasks), "")
    records = {task.key: store[task.key] for task in tasks if task.key in store}
    report = None
    with _rejecting_foreign_records(store.origin):
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
def _rejecting_foreign_records(origin: Path | None) -> Iterator[None]:
    """Raise ValueError if the records of a file cannot be those of the study."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        if origin is None:
            raise
        raise ValueError(
            f"{origin} contains records that do not fit the study ({type(error).__name__}: "
            f"{error}). Choose another folder, or delete the file to start over."
        ) from error


def _missing(absent: dict[str, str]) -> list[str]:
    """Return a message for the data sets that were not found."""
    if len(absent) < 2:
        return list(absent.values())
    return [
        f"These data sets were not found: {', '.join(absent)}. Set SOFTMARGIN_DATA to a folder "
        "that contains them as NAME.npz, NAME.svm, NAME.csv or NAME.arff ('softmargin datasets' "
        "lists the available ones)."
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
