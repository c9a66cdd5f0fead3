"""Evaluation of candidates on splits of the data, in as few runs of the core as possible."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softmargin import _core
from softmargin._checks import class_order
from softmargin._checks.resources import limited_blas
from softmargin._selection import loop
from softmargin._selection.ahead import Ahead
from softmargin._selection.candidates import Candidates, Group
from softmargin._selection.kinds import predictions
from softmargin._selection.samples import Place, Samples, Sources, Split
from softmargin._selection.scoring import Outputs, Scoring
from softmargin._selection.table import Table, Watcher

if TYPE_CHECKING:
    from softmargin._core import _PathValue


class Resources(NamedTuple):
    """Limits of a run, and its observer."""

    threads: int
    budget_bytes: int
    time_limit: float | None = None
    watcher: Watcher | None = None
    # Accumulates the seconds of all threads by phase.
    seconds: dict[str, float] | None = None
    # Whether the exception of a failed fit is raised; otherwise the table contains it.
    raises: bool = True


def evaluate(
    candidates: Candidates,
    samples: Samples,
    splits: Sequence[Split],
    scoring: Scoring,
    resources: Resources,
    table: Table | None = None,
    wanted: NDArray[np.bool_] | None = None,
) -> tuple[Table, BaseException | None]:
    """Return the results of all candidates on all splits; a given table is completed.

    ``wanted[s, c]`` selects candidates and splits; None selects all. Results that are missing
    because of an interrupt (which is returned, not raised) or the time limit are not marked as
    done.
    """
    from softmargin._selection import workers

    table = Table(len(splits), len(candidates.cells)) if table is None else table
    missing = ~table.done if wanted is None else wanted & ~table.done
    if workers.uses_processes():
        return workers.evaluate(candidates, samples, splits, scoring, resources, table, missing)
    run = _Run(candidates, samples, splits, scoring, resources, table)
    stopped = None
    try:
        run.evaluate(missing)
    except KeyboardInterrupt as interrupt:
        stopped = interrupt
    return table, stopped


# Shares of the memory budget for transformed samples, for predictions and decision values, and for
# counts of terms.
_SAMPLES_SHARE = 4
_OUTPUTS_SHARE = 4
_TEXTS_SHARE = 4


class _Run:
    """One call of :func:`evaluate`."""

    def __init__(
        self,
        candidates: Candidates,
        samples: Samples,
        splits: Sequence[Split],
        scoring: Scoring,
        resources: Resources,
        table: Table,
    ) -> None:
        self.candidates = candidates
        self.samples = samples
        self.splits = splits
        self.scoring = scoring
        self.resources = resources
        self.table = table
        limit = resources.time_limit
        self._end = None if limit is None else time.monotonic() + limit
        # The core can score the samples that it was trained on, unless steps transform them
        # differently, or samples of weight 0 are not trained on.
        weights = samples.sample_weight
        is_same = samples.steps is None and (weights is None or bool((weights > 0).all()))
        self._has_train_outputs = scoring.is_train and is_same
        self._scores_train = scoring.is_train and not is_same
        # The predictions of regressors are their decision values.
        self._takes_decisions = scoring.needs_decisions or samples.kind != "classifier"

    def evaluate(self, missing: NDArray[np.bool_]) -> None:
        """Add the missing results to the table."""
        for cell, error in self.candidates.errors.items():
            for split in np.flatnonzero(missing[:, cell]).tolist():
                self._fail(split, [cell], error)
        missing = missing & ~self.table.done
        if self.scoring.is_plain_function and missing.any():
            # Find out what the function needs before all trainings.
            first = np.zeros_like(missing)
            first[tuple(np.argwhere(missing)[0])] = True
            self._evaluate_batches(first)
            missing = missing & ~self.table.done
        self._evaluate_batches(missing)

    def _evaluate_batches(self, missing: NDArray[np.bool_]) -> None:
        for sources, pairs in self._batches(missing):
            self._evaluate_batch(sources, pairs, missing)
            if self._is_late():
                return

    def _evaluate_batch(
        self, sources: Sources, pairs: list[tuple[int, int]], missing: NDArray[np.bool_]
    ) -> None:
        """Evaluate the missing candidates of some splits with some settings."""
        own = np.zeros_like(missing)
        for split, setting in pairs:
            own[split] |= missing[split] & (self.candidates.setting_of == setting)
        own &= ~self.table.done
        if self.candidates.reason is not None:
            self._fit_separately(sources, own)
            return
        for group in self.candidates.groups:
            self._evaluate_group(group, sources, pairs, own)
            if group.limit is not None:
                repeated = self._near_limit(group) & own
                self.table.done[repeated] = False
                self._fit_separately(sources, repeated)

    def _batches(
        self, missing: NDArray[np.bool_]
    ) -> Iterator[tuple[Sources, list[tuple[int, int]]]]:
        """Yield splits and settings whose samples and outputs fit the memory budget."""
        budget = self.resources.budget_bytes
        sources = Sources(self.samples, self.splits, self._scores_train)
        pairs: list[tuple[int, int]] = []
        n_bytes = 0
        ahead = Ahead(sources, self.candidates, list(self._pairs(missing)), self.resources.threads)
        used = [self.splits[split] for split in np.flatnonzero(missing.any(axis=1)).tolist()]
        self.samples.start_sharing(used, self.resources.threads, budget // _TEXTS_SHARE)
        for split, setting in self._pairs(missing):
            if self._is_late():
                break
            sources.ready |= ahead.prepared(split, setting)
            cells = np.flatnonzero(missing[split] & (self.candidates.setting_of == setting))
            try:
                with limited_blas(self.resources.threads):
                    place = sources.place(split, setting, self.candidates.settings[setting])
            except Exception as error:
                self._fail(split, cells.tolist(), error)
                continue
            if place.errors[0] is not None and not self.scoring.is_train:
                self._fail_to_score(split, cells.tolist(), place.errors[0], False)
                continue
            pairs.append((split, setting))
            n_bytes += self._output_bytes(split, len(cells))
            is_full = sources.n_bytes() > budget // _SAMPLES_SHARE
            if is_full or n_bytes > budget // _OUTPUTS_SHARE:
                yield sources, pairs
                ready = sources.ready
                sources = Sources(self.samples, self.splits, self._scores_train)
                sources.ready, pairs, n_bytes = ready, [], 0
        if pairs:
            yield sources, pairs

    def _pairs(self, missing: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
        for split in np.flatnonzero(missing.any(axis=1)).tolist():
            settings = np.unique(self.candidates.setting_of[missing[split]])
            yield from ((split, setting) for setting in settings.tolist())

    def _output_bytes(self, split: int, n_cells: int) -> int:
        """Return the memory of the predictions and decision values of a split."""
        if self.scoring.core:
            return 0
        train, test = self.splits[split]
        n_rows = len(test) + (len(train) if self.scoring.is_train else 0)
        n_classes = len(self.samples.classes)
        width = 0
        if self._takes_decisions:
            has_pairs = any(own.scheme.decisions == "pairs" for own in self.candidates.groups)
            width = n_classes * (n_classes - 1) // 2 if has_pairs else n_classes
        return n_rows * n_cells * (4 + 8 * width)

    def _evaluate_group(
        self,
        group: Group,
        sources: Sources,
        pairs: list[tuple[int, int]],
        missing: NDArray[np.bool_],
    ) -> None:
        """Add the missing results of a group to the table."""
        order = self.samples.order if group.scheme.multi_class == "ordinal" else None
        work = _Work.of(group, self.candidates, missing, sources, pairs, order)
        if work is None:
            return
        try:
            self._run_core(work, group, sources)
        except (ValueError, TypeError) as error:
            if type(error) not in (ValueError, TypeError):
                raise  # from a signal handler
            if self.resources.raises:
                raise
            if len(pairs) == 1:
                self._find_failure(group, sources, pairs, missing, error)
                return
            # Find out which splits fail.
            for pair in pairs:
                left = np.zeros_like(missing)
                left[pair[0]] = missing[pair[0]] & ~self.table.done[pair[0]]
                left[pair[0]] &= self.candidates.setting_of == pair[1]
                self._evaluate_group(group, sources, [pair], left)

    def _find_failure(
        self,
        group: Group,
        sources: Sources,
        pairs: list[tuple[int, int]],
        missing: NDArray[np.bool_],
        error: Exception,
    ) -> None:
        """Mark the candidates of a group that fail on one split, such as those with a large nu."""
        split = pairs[0][0]
        own = [number for number, _, _ in group.cells]
        cells = np.intersect1d(own, np.flatnonzero(missing[split] & ~self.table.done[split]))
        if len(cells) <= 1:
            self._fail(split, cells.tolist(), error)
            return
        for half in np.array_split(cells, 2):
            left = np.zeros_like(missing)
            left[split, half] = True
            self._evaluate_group(group, sources, pairs, left)

    def _run_core(self, work: _Work, group: Group, sources: Sources) -> None:
        resources = self.resources
        limits = _core.Limits(
            threads=resources.threads,
            memory_bytes=resources.budget_bytes,
            time_limit=None if self._end is None else max(self._end - time.monotonic(), 1e-9),
            progress=self._reporter(work),
        )
        stopped: BaseException | None = None
        try:
            used = _with_order(sources.all, work.order)
            work.evaluation.run(used, self._plan(group, work.order), limits)
        except KeyboardInterrupt as interrupt:
            stopped = interrupt  # finished results are kept
        finally:
            self._collect(work)
        if resources.seconds is not None:
            for phase, seconds in work.evaluation.seconds():
                resources.seconds[phase] = resources.seconds.get(phase, 0.0) + seconds
        self._notify()
        if stopped is not None:
            raise stopped

    def _plan(self, group: Group, order: NDArray[np.intp] | None) -> _core.Plan:
        """Return the settings of all jobs, with the classes in this order."""
        samples, scoring, weights = self.samples, self.scoring, group.scheme.class_weights
        if order is not None:
            weights = None if weights is None else weights[order]
        single = samples.single_precision
        return _core.Plan(
            len(samples.classes),
            class_weights=weights,
            multi_class=group.scheme.multi_class,
            break_ties=group.scheme.break_ties,
            scaling=samples.scaling,
            single_precision=group.tolerates_rounding if single is None else single,
            predictions=not scoring.core,
            decisions=group.scheme.decisions if self._takes_decisions else None,
            train_outputs=self._has_train_outputs,
        )

    def _collect(self, work: _Work) -> None:
        """Copy the finished results to the table, and score them."""
        found = work.evaluation.table()
        done = found.done[work.place] & ~self.table.done[work.split, work.cell]
        split, cell, place = work.split[done], work.cell[done], work.place[done]
        counts = {name: getattr(found, name)[place] for name in self.table.counts}
        self.table.set_counts(split, cell, counts)
        if self.scoring.core:
            for name, core in self.scoring.core.items():
                self.table.column(name)[split, cell] = getattr(found, core)[place]
            self.table.done[split, cell] = True
            return
        for job in work.jobs:
            first = job.first
            for kernel, size in enumerate(job.sizes):
                taken = work.evaluation.take_outputs(job.number, kernel)
                if taken is not None:
                    self._score_job(work, job, slice(first, first + size), *taken)
                first += size

    def _score_job(
        self,
        work: _Work,
        job: _JobPlace,
        places: slice,
        predicted: NDArray[np.uint32],
        decisions: NDArray[np.float64],
    ) -> None:
        """Score the predictions of one kernel on one split."""
        own = (work.place >= places.start) & (work.place < places.stop)
        own &= ~self.table.done[work.split, work.cell]
        if not own.any():
            return
        cells, settings = work.cell[own], work.place[own] - places.start
        split = int(work.split[own][0])
        train, test = self.splits[split]
        n_rows = predicted.shape[1]
        values = None
        if self._takes_decisions:
            values = decisions.reshape(len(predicted), n_rows, -1)
        codes: NDArray[Any] = predicted
        if values is not None and self.samples.kind != "classifier":
            codes = predictions(self.samples.kind, values[:, :, 0])
            if job.place.inverse is not None:
                codes = job.place.inverse(codes)
        classes: NDArray[Any] = np.unique(self.samples.codes[train])
        if work.order is not None:
            # The core numbers the classes in their own order.
            codes = work.order[codes].astype(np.uint32)
            classes = work.order[np.isin(work.order, classes)]
        n_test = len(test) if job.place.errors[0] is None else 0
        parts = [(False, slice(0, n_test), test)]
        if self.scoring.is_train:
            parts.append((True, slice(n_test, None), train))
        for is_train, rows, numbers in parts:
            error = job.place.errors[is_train]
            if error is not None:
                self._fail_to_score(split, cells.tolist(), error, is_train)
                continue
            outputs = Outputs(
                codes[settings, rows],
                None if values is None else values[settings, rows],
                classes,
            )
            scored = self.samples.scored(numbers, self.scoring.is_plain_function)
            for cell, scores in zip(
                cells.tolist(), self.scoring.scores(outputs, scored)[0], strict=True
            ):
                self.table.set_scores(split, cell, scores, is_train)
        self.table.done[split, cells] = True

    def _fit_separately(self, sources: Sources, missing: NDArray[np.bool_]) -> None:
        """Evaluate candidates by separate fits of the estimator."""
        for split, cell in np.argwhere(missing).tolist():
            if self._is_late():
                return
            setting = int(self.candidates.setting_of[cell])
            try:
                with limited_blas(self.resources.threads):
                    place = sources.place(split, setting, self.candidates.settings[setting])
                loop.fit_and_score(self, sources.all[place.source], place, split, cell)
            except Exception as error:
                self._fail(split, [cell], error)
            self.table.done[split, cell] = True
            self._notify()

    def _near_limit(self, group: Group) -> NDArray[np.bool_]:
        """Return the results of a group for which a separate fit might reach the step limit."""
        table = self.table
        own = np.isin(np.arange(table.done.shape[1]), [number for number, _, _ in group.cells])
        is_near = table.counts["n_unfinished"] > 0
        if group.cold_start and group.limit is not None:
            is_near |= table.counts["n_iter"] * _LIMIT_MARGIN > group.limit
        return np.asarray(table.done & own & is_near)

    def _fail(self, split: int, cells: list[int], error: Exception) -> None:
        """Mark failed trainings; raise the exception if the caller wants that."""
        if self.resources.raises:
            raise error
        for cell in cells:
            if not self.table.done[split, cell]:
                self.table.fail(split, cell, error)

    def _fail_to_score(
        self, split: int, cells: list[int], error: Exception, is_train: bool
    ) -> None:
        """Mark trainings whose test or training samples cannot be scored."""
        if self.resources.raises:
            raise error
        errors = self.table.train_errors if is_train else self.table.score_errors
        for cell in cells:
            errors[split, cell] = error
            self.table.done[split, cell] = True

    def _is_late(self) -> bool:
        return self._end is not None and time.monotonic() >= self._end

    def _notify(self) -> None:
        if self.resources.watcher is not None:
            self.resources.watcher.update(self.table)

    def _reporter(self, work: _Work) -> Callable[[int], None] | None:
        """Return the progress callback of the core."""
        if self.resources.watcher is None:
            return None
        last = 0

        def report(_: int) -> None:
            nonlocal last
            n_done = work.evaluation.n_done()
            if n_done > last:
                last = n_done
                self._collect(work)
                self._notify()

        return report


def _with_order(sources: list[_core.Source], order: NDArray[np.intp] | None) -> list[_core.Source]:
    """Return the sources with the classes numbered in this order."""
    if order is None:
        return sources
    ranks = class_order.ranks(order)
    return [
        _core.Source(source.rows, ranks[source.codes], source.sample_weights) for source in sources
    ]


# A result counts as unaffected by the limit if it took at most 1 / _LIMIT_MARGIN of the steps: a
# separate fit, whose kernel values differ by rounding, may need more steps.
_LIMIT_MARGIN = 10


class _Paths(NamedTuple):
    """Kernels with their paths, and the number and position of each candidate."""

    kernels: list[_core.Kernel]
    paths: list[list[_PathValue]]
    cells: list[tuple[int, int]]


def _paths(group: Group, wanted: NDArray[np.bool_]) -> _Paths:
    """Return the wanted candidates by kernel; positions are numbered by kernel, then by value."""
    kernels: dict[tuple[_core.Kernel, _PathValue | None], dict[_PathValue, list[int]]] = {}
    for number, kernel, value in group.cells:
        if wanted[number]:
            own = kernels.setdefault((kernel, value if group.cold_start else None), {})
            own.setdefault(value, []).append(number)
    cells: list[tuple[int, int]] = []
    first = 0
    for values in kernels.values():
        for place, numbers in enumerate(values.values(), first):
            cells += [(number, place) for number in numbers]
        first += len(values)
    return _Paths([kernel for kernel, _ in kernels], [list(own) for own in kernels.values()], cells)


class _JobPlace(NamedTuple):
    """A job of an evaluation, and the position of its first result."""

    number: int
    first: int
    # The length of the path of each kernel.
    sizes: list[int]
    place: Place


class _Work(NamedTuple):
    """An evaluation in the core, and the positions of its results in the table."""

    evaluation: _core.Evaluation
    # Order of the classes in the evaluation; None for sorted classes.
    order: NDArray[np.intp] | None
    jobs: list[_JobPlace]
    split: NDArray[np.int64]
    cell: NDArray[np.int64]
    place: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        group: Group,
        candidates: Candidates,
        missing: NDArray[np.bool_],
        sources: Sources,
        pairs: list[tuple[int, int]],
        order: NDArray[np.intp] | None = None,
    ) -> _Work | None:
        """Return the evaluation of the missing candidates of a group; None if there are none."""
        jobs: list[_core.Job] = []
        places: list[_JobPlace] = []
        parts: list[NDArray[np.int64]] = []
        known: dict[bytes, _Paths] = {}
        n_before = 0
        for split, setting in pairs:
            wanted = missing[split] & (candidates.setting_of == setting)
            key = wanted.tobytes()
            if key not in known:
                known[key] = _paths(group, wanted)
            found = known[key]
            if not found.kernels:
                continue
            place = sources.place(split, setting, candidates.settings[setting])
            jobs.append(
                _core.Job(place.source, place.train, place.test, found.kernels, found.paths)
            )
            sizes = [len(path) for path in found.paths]
            places.append(_JobPlace(len(jobs) - 1, n_before, sizes, place))
            placed = np.empty((len(found.cells), 3), dtype=np.int64)
            placed[:, 0] = split
            placed[:, 1:] = found.cells
            placed[:, 2] += n_before
            parts.append(placed)
            n_before += sum(sizes)
        if not jobs:
            return None
        evaluation = _core.Evaluation(group.solver, jobs)
        return cls(evaluation, order, places, *np.concatenate(parts).T)
