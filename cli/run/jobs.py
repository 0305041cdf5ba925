"""The analysis of many files: one job each, here, in processes of this machine, or by another executor.

Anything with the interface of ``concurrent.futures.Executor`` will do.  Outcomes come in the order of the jobs.  A job
that fails costs only itself, even where it takes its process down.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from analyzer.diagnostics import Diagnostic, why_given_up
from analyzer.errors import AnalyzerError, SourceError
from analyzer.limits.ending import Ending
from analyzer.options import AnalysisOptions
from analyzer.profile import AnalyzedFile
from analyzer.source import SourceFile

from ..cache.spilled_profiles import MANY, Packed, packed
from ..files.confined import read_allowed, read_companion
from ..options import SweptSize, Workers
from .internal_error import HINT, describe
from .isolated_worker import can_fork, in_children
from .process import loading

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

_FEW = 8
_AHEAD = 256
_PER_PROCESS = 256  # jobs, after which a process makes way for a fresh one: nothing piles up


class Job(Struct, frozen=True, kw_only=True):
    """One file to analyze.

    ``source`` is its text where it is no file, or why there is none; ``companions`` are the related files of
    its program, itself among them; ``store`` is the folder of earlier results.
    """

    path: str
    source: SourceFile | SourceError | None
    companions: tuple[str, ...]
    options: AnalysisOptions
    swept: SweptSize | None
    store: Path | None


class Outcome(Struct, frozen=True):
    """The result of a file: profiles to render, those at each value of a sweep, the symbolic ones; or an error."""

    profiles: tuple[AnalyzedFile | Packed, ...] = ()
    points: Mapping[int, tuple[AnalyzedFile, ...]] | None = None
    symbolic: tuple[AnalyzedFile, ...] = ()
    error: AnalyzerError | None = None


def run_jobs(jobs: Sequence[Job], workers: Workers, advance: Callable[[str], None]) -> Iterator[Outcome]:
    """Run every job; ``advance`` is called with the path of each when it is done."""
    if workers.executor is not None:
        from .executors import executor_at

        with executor_at(workers.executor) as executor:
            yield from _submitted(executor, partial(run_anew, _work(jobs)), jobs, advance)
        return
    count = _worth(len(jobs)) if workers.count is None else min(workers.count, len(jobs))
    if count <= 1:
        for job, outcome in zip(jobs, _here(jobs, workers.memory_mib), strict=True):
            yield outcome
            advance(job.path)
    else:
        yield from _in_processes(jobs, count, workers.memory_mib, advance)


def _here(jobs: Sequence[Job], memory_mib: int) -> Iterator[Outcome]:
    """Run one job after the other, where possible in a child."""
    work = _work(jobs)
    return in_children(jobs, work, _lost, memory_mib) if can_fork() else map(work, jobs)


def _lost(job: Job, cause: Ending) -> Outcome:
    hint = "see --budget; other files are not concerned"
    return Outcome(error=SourceError(str(why_given_up(cause)), path=job.path, hint=hint))


def _work(jobs: Sequence[Job]) -> Callable[[Job], Outcome]:
    return run_packed if len(jobs) > MANY else run_job


def run_anew(work: Callable[[Job], Outcome], job: Job) -> Outcome:
    """Analyze one file in a process that may outlive this run: files read before may have changed since."""
    from analyzer.stages.reading import read_once

    read_companion.cache_clear()
    read_once.cache_clear()
    return work(job)


def run_packed(job: Job) -> Outcome:
    """Analyze one file of many: the result stays packed until it is rendered."""
    outcome = run_job(job)
    if outcome.points is not None:
        return outcome
    return replace(outcome, profiles=tuple(map(packed, outcome.profiles)))


def run_job(job: Job) -> Outcome:
    """Analyze one file."""
    try:
        allowed = job.options.confine
        source = read_allowed(job.path, allowed) if job.source is None else job.source
        if isinstance(source, SourceError):
            raise source
        companions = (read_companion(path, allowed) for path in job.companions if path != job.path)
        others = tuple(other for other in companions if other is not None)
        return _analyzed(source, replace(job.options, companions=others), job)
    except AnalyzerError as error:
        return Outcome(error=error)
    except MemoryError:
        return _lost(job, Ending.PROCESS_MEMORY)
    except Exception as error:
        return Outcome(error=SourceError(describe(error), path=job.path, hint=HINT))


def _analyzed(source: SourceFile, options: AnalysisOptions, job: Job) -> Outcome:
    """Return the outcome of one source: the profiles to show, the points of a sweep, and the symbolic profiles.

    By formula where the swept name is a symbol of it, else analyzed anew for each value.
    The contents of caches are no formula: with a model of caches every value is analyzed.
    """
    if job.swept is None:
        return Outcome(_cached(source, options, job.store))
    from roofline.report.sweep import is_symbolic_in, rebound

    name, values = job.swept.name, job.swept.values
    try:
        symbolic = _cached(source, replace(options, cache=replace(options.cache, conditions=True)), job.store)
    except SourceError:
        symbolic = ()
    formula = bool(symbolic) and all(is_symbolic_in(file.profile, name) for file in symbolic)
    followers = job.swept.followers
    if formula and not options.cache.hierarchies and not followers:
        points = {value: tuple(rebound(profile, name, value) for profile in symbolic) for value in values}
        return Outcome(symbolic, points, symbolic)
    alone = replace(options, advise=False, cache=replace(options.cache, conditions=False))
    again = {
        value: _cached(
            source,
            replace(alone, defines={**options.defines, **dict.fromkeys((name, *followers), str(value))}),
            job.store,
        )
        for value in values
    }
    return Outcome(symbolic if formula else again[values[-1]], again, symbolic)


def _cached(source: SourceFile, options: AnalysisOptions, folder: Path | None) -> tuple[AnalyzedFile, ...]:
    """Return the result of an earlier run with the same input, else a new one."""
    if folder is None:
        return _anew(source, options)
    from ..cache.fingerprint import fingerprint
    from ..cache.store import Store

    digest = fingerprint(source, options)
    store = Store(folder)
    known = None if digest is None else store.get(digest)
    if known is not None:
        return known
    found = _anew(source, options)
    if digest is not None and not any(
        _is_left_out(diagnostic) for profile in found for diagnostic in profile.diagnostics
    ):
        store.put(digest, found)
    return found


def _anew(source: SourceFile, options: AnalysisOptions) -> tuple[AnalyzedFile, ...]:
    with loading("analyzer.pipeline"):
        from analyzer.pipeline import analyze  # here, as stored results are rendered without the analysis

    return analyze(source, options)


def _is_left_out(diagnostic: Diagnostic) -> bool:
    """Return whether a part is missing, for lack of time or of memory; another time there may be enough."""
    return diagnostic.code == "AI213"


def _worth(jobs: int) -> int:
    """Return how many processes are worth their start, which costs about as much as the analysis of a few files."""
    return min(_available(), jobs // _FEW)


def _available() -> int:
    """Return the processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _in_processes(
    jobs: Sequence[Job], count: int, memory_mib: int, advance: Callable[[str], None], per_process: int = _PER_PROCESS
) -> Iterator[Outcome]:
    """Run jobs in processes. Where one dies, the job that is next runs again in a process of its own.

    That job, or one that ran at the same time, was to blame; the pool is then started anew.
    """
    from concurrent.futures import BrokenExecutor

    from .executors import processes

    work = _work(jobs)
    done = 0
    while done < len(jobs):
        last = min(done + count * per_process, len(jobs))
        with processes(min(count, last - done), memory_mib) as pool:
            try:
                for outcome in _submitted(pool, work, jobs[done:last], advance):
                    done += 1
                    yield outcome
            except BrokenExecutor:
                pass
        if done < last:
            job = jobs[done]
            done += 1
            yield _alone(job, memory_mib)
            advance(job.path)


def _alone(job: Job, memory_mib: int) -> Outcome:
    """Return the outcome of a job that may end its process."""
    if can_fork():
        (outcome,) = in_children([job], run_job, _lost, memory_mib)
        return outcome
    from concurrent.futures import BrokenExecutor

    from .executors import processes

    with processes(1, memory_mib) as pool:
        try:
            return pool.submit(run_job, job).result()
        except BrokenExecutor:
            return _lost(job, Ending.LOST_SOMEHOW)


def _submitted(
    executor: Executor, work: Callable[[Job], Outcome], jobs: Sequence[Job], advance: Callable[[str], None]
) -> Iterator[Outcome]:
    """Yield the outcomes, in order, of jobs submitted up to 256 ahead; raises ``BrokenExecutor``."""
    waiting: deque[tuple[Job, Future[Outcome]]] = deque()
    left = iter(jobs)
    for job in islice(left, _AHEAD):
        waiting.append((job, executor.submit(work, job)))
    while waiting:
        job, future = waiting.popleft()
        for following in islice(left, 1):
            waiting.append((following, executor.submit(work, following)))
        yield future.result()
        advance(job.path)
