"""The ``simulate`` model: program and hierarchy -> lines moved at every level, by simulating the reference stream.

The caches are set-associative (or fully associative) with true least-recently-used replacement, write back, allocate
on writes and start cold; see :mod:`.lru` and :mod:`.lru_arrays`.  A stream of at most ``budget`` references is
simulated from its first to its last reference and the result is exact.  Of a longer one that given arrays decide, some
sets are simulated (:mod:`.set_sampling`); of others windows are simulated (:mod:`.sampling`) and extrapolated by
numbers of references, with a standard error from the spread between windows and from what a window cannot know.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ...diagnostics import Field, Phrase
from ...ir.nodes import Assumption
from ...source import Span
from ..hierarchy import CacheLevel, Hierarchy, Inclusion
from ..program.program import CountedLoop, NotNumeric, Program
from .lru_arrays import exact_caches
from .reference_counts import ReferenceCounts
from .sampling import LONG, SHORT, Sample
from .set_sampling import MOST_REFERENCES, group_counts
from .stream import Stream
from .warmup_bias import WarmupBias

Floats = NDArray[np.float64]
Estimate = tuple[Floats, Floats, Floats, Floats, Floats]

BUDGET = 2_500_000  # references; of a longer stream windows are simulated


SHORT_STREAM = 1_500_000  # references that cost less to simulate, at most 0.1 to 0.5 s, than to sample well


class Simulated(Struct, frozen=True, eq=False):
    """Lines per level (rows, from the innermost) and child of the program (columns), with standard errors in lines.

    ``read`` and ``allocate`` are filled by loads and by stores in the innermost cache; ``written`` is written back,
    by the child whose store made the line dirty, and includes the lines that are dirty at the end unless the start is
    warm.  The errors are zero where ``exact``; those of ``read_error`` are of read and allocate together.
    ``references`` were simulated, of about ``stream`` in all.
    """

    read: Floats
    allocate: Floats
    written: Floats
    read_error: Floats
    written_error: Floats
    exact: bool
    references: int
    stream: int
    notes: tuple[Phrase, ...]

    @property
    def filled(self) -> Floats:
        """Return lines per level that came from the next level."""
        return np.asarray((self.read + self.allocate).sum(axis=1))

    @property
    def written_back(self) -> Floats:
        """Return lines per level that went to the next level."""
        return np.asarray(self.written.sum(axis=1))

    @property
    def filled_error(self) -> Floats:
        """Return the standard error of :attr:`filled`."""
        return np.asarray(np.sqrt((self.read_error**2).sum(axis=1)))

    @property
    def written_back_error(self) -> Floats:
        """Return the standard error of :attr:`written_back`."""
        return np.asarray(np.sqrt((self.written_error**2).sum(axis=1)))


class NotFollowed(Exception):
    """The elements of given arrays are too many to be simulated, or others that are not given choose elements too."""

    def __init__(self, references: int, *, is_drawn: bool) -> None:
        """Say how many ``references`` there are; ``is_drawn``: some are to elements that are not known."""
        super().__init__()
        fields: dict[str, Field] = {} if is_drawn else {"references": references}
        self._form, self._fields = "drawn" if is_drawn else "long", fields

    def note(self, span: Span) -> Assumption:
        """Return why the bytes are those of a model that does not know the elements."""
        return Assumption.of("AI320", span, self._form, **self._fields)


def lines_of_short(program: Program, levels: Sequence[CacheLevel]) -> tuple[Floats, Floats, Floats] | None:
    """Return the exact lines of cold caches with lines of one size: read, allocated, written, levels by children.

    None for a long stream, and for one that depends on data.
    """
    stream = short_stream(program, levels)
    if stream is None:
        return None
    found = _whole(program, tuple(levels), stream, 1)
    return found.read, found.allocate, found.written


def short_stream(program: Program, levels: Sequence[CacheLevel]) -> Stream | None:
    """Return the stream of a program with few references; None of one with many, or of which data choose elements."""
    stream = _stream(program, levels)
    work = ReferenceCounts(program, stream.work)
    if stream.irregular or sum(work.of(child) for child in program.children) > SHORT_STREAM:
        return None
    return stream


def simulate(program: Program, hierarchy: Hierarchy, *, warm: bool = False, budget: int = BUDGET) -> Simulated:
    """Simulate the caches of a hierarchy; raises :class:`NotNumeric` where they cannot be.

    ``budget`` counts references that a cache has to look at (a million takes 0.2 to 1 s); what an iteration of an
    innermost loop repeats of the one before is nearly free.  ``warm`` counts the second of two runs in a row.
    """
    levels = hierarchy.levels
    line_bytes = levels[0].line_bytes
    if any(level.line_bytes != line_bytes for level in levels) or line_bytes & (line_bytes - 1):
        raise NotNumeric("line-sizes")
    stream = _stream(program, levels)
    work = ReferenceCounts(program, stream.work)
    passes = 2 if warm else 1
    looked_at = sum(work.of(child) for child in program.children)
    if program.has_given and (stream.irregular or passes * looked_at > MOST_REFERENCES):
        raise NotFollowed(round(looked_at), is_drawn=stream.irregular)
    if passes * looked_at <= budget:
        found = _whole(program, levels, stream, passes)
    elif program.has_given:
        found = _some_sets(program, levels, stream, looked_at, budget, passes)
    else:
        found = _sampled(program, levels, stream, work, budget, warm=warm)
    return found


def _stream(program: Program, levels: Sequence[CacheLevel]) -> Stream:
    first = levels[0]
    return Stream(program, first.line_bytes, first.sets, min(first.ways or first.lines, first.lines))


def _whole(program: Program, levels: tuple[CacheLevel, ...], stream: Stream, passes: int) -> Simulated:
    caches = exact_caches(levels, len(program.children))
    references = 0
    for _ in range(passes):
        caches.counts.clear()
        references = 0
        for chunk in stream.chunks():
            caches.use(chunk)
            references += chunk.references
        caches.settle()
    if passes == 1:
        caches.flush()
    counts = caches.counts
    nothing = np.zeros_like(counts.read, dtype=np.float64)
    return Simulated(
        counts.read.astype(np.float64),
        counts.allocate.astype(np.float64),
        counts.written.astype(np.float64),
        nothing,
        nothing,
        not stream.irregular,
        references,
        references,
        (*_notes(program, levels), Phrase.of("AI305", "all-simulated", references=references)),
    )


def _some_sets(
    program: Program, levels: tuple[CacheLevel, ...], stream: Stream, work: float, budget: int, passes: int
) -> Simulated:
    counts = group_counts(program, levels, stream, work, budget, passes)
    part = len(counts.read) / counts.groups
    note = Phrase.of("AI305", "some-sets", references=counts.references, share=part)
    return Simulated(
        counts.total(counts.read),
        counts.total(counts.allocate),
        counts.total(counts.written),
        counts.error(counts.read + counts.allocate),
        counts.error(counts.written),
        len(counts.read) == counts.groups,
        round(counts.references * part),
        counts.references,
        (*_notes(program, levels), note),
    )


def _sampled(
    program: Program, levels: tuple[CacheLevel, ...], stream: Stream, work: ReferenceCounts, budget: int, *, warm: bool
) -> Simulated:
    bias = WarmupBias(program, levels, warm=warm)
    samples = [Sample(program, levels, stream, work, bias, plan, budget, warm=warm) for plan in (LONG, SHORT)]
    for sample in samples:
        sample.run()
    found = _surest(*(sample.result() for sample in samples))
    bias.at_least(*found)
    total = round(sum(samples[0].references))
    simulated = sum(sample.simulated for sample in samples)
    windows, counted = sum(sample.windows for sample in samples), sum(sample.measured for sample in samples)
    note = Phrase.of("AI305", "sampled", simulated=simulated, total=total, counted=counted, windows=windows)
    return Simulated(*found, False, simulated, total, (*_notes(program, levels), note))


def _surest(long: Estimate, short: Estimate) -> Estimate:
    """Return per level the estimate with the smaller error: of long windows (which outer caches need) or short ones."""
    read, allocate, written, fill_error, written_error = (lines.copy() for lines in long)
    for level in range(len(read)):
        fills = [estimate[0][level] + estimate[1][level] for estimate in (long, short)]
        if _choose(fills[0], fill_error[level], fills[1], short[3][level]):
            read[level], allocate[level] = short[0][level], short[1][level]
        if _choose(written[level], written_error[level], short[2][level], short[4][level]):
            written[level] = short[2][level]
    return read, allocate, written, fill_error, written_error


def _choose(long: Floats, long_error: Floats, short: Floats, short_error: Floats) -> bool:
    """Return whether short windows are surer; ``long_error`` becomes the error of the choice.

    The smaller error may be that of the luckier windows: half the difference is added as far as the other explains it.
    """
    sizes = [float(np.linalg.norm(error)) for error in (long_error, short_error)]
    chosen = sizes[1] < sizes[0]
    if chosen:
        long_error[:] = short_error
    doubt = min(abs(float(short.sum() - long.sum())) / 2, max(sizes))
    largest = int(np.argmax(short if chosen else long))
    long_error[largest] = np.hypot(long_error[largest], doubt)
    return chosen


def _notes(program: Program, levels: tuple[CacheLevel, ...]) -> Iterator[Phrase]:
    drawn = sorted({use.array for leaf in program.leaves for use in leaf.irregular if use.address is None})
    for array in drawn:
        known = program.arrays[array].size_bytes > levels[0].line_bytes
        yield Phrase.of("AI305", "drawn" if known else "one-line", array=array)
    if any(level.inclusion is Inclusion.VICTIM for level in levels):
        yield Phrase.of("AI305", "victim")
    if any(isinstance(child, CountedLoop) and _is_parallel(child) for child in program.children):
        yield Phrase.of("AI305", "one-thread")


def _is_parallel(loop: CountedLoop) -> bool:
    """Return whether a loop or one below it is shared by threads."""
    return loop.parallel or any(isinstance(child, CountedLoop) and _is_parallel(child) for child in loop.children)
