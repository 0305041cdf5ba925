"""Rules on memory access by CPUs: AI105 column walks, AI108 write-allocate, AI110 set conflicts, AI113 capacities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analyzer.access_patterns import Reference
from analyzer.cache_lines import DEFAULT_LINE_BYTES
from analyzer.diagnostics import Field, Phrase
from analyzer.ir.index import Poly
from analyzer.ir.nodes import Assumption
from analyzer.python.regex import regex

from ..model.advice.kinds import StreamingStores
from ..report.locations import spelled_reference
from ..report.source_names import source_name
from .findings import Finding
from .sentences import Shown
from .subject import Rule, Subject

_OF_THE_LIBRARY = regex(r"^(?!.*\bfor\b).*\bmem(?:set|cpy|move)\s*\(")
_HELD_BYTES = 16 * 1024
_JUST_ABOVE = 1.25
_NOTICEABLE = 1.05
_PAGE_BYTES = 4096
_MANY_ITERATIONS = 32
_WAYS_HELD = 16
_MANY_CONFLICTS = 0.1  # of the misses of a cache


def column_walk(subject: Subject) -> Iterator[Finding]:
    """Find AI105: the innermost loop strides over lines whose neighbours another loop of the nest goes through.

    Not where all lines of one iteration of the outer loop stay in 16 KiB, half of a common L1.  Of several references
    of a line the one is named whose other loop is the nearest, of several lines that use an array alike the first.
    """
    if subject.is_kernel:
        return
    found: dict[tuple[int, str], tuple[int, Reference, str]] = {}
    for reference in subject.profile.access_patterns.references:
        other = _contiguous_loop(subject, reference)
        if other is None:
            continue
        place = reference.line, reference.loops[-1].iterator
        depth = max(level for level, loop in enumerate(reference.loops) if loop.iterator == other)
        if place not in found or found[place][0] < depth:
            found[place] = depth, reference, other
    reported: set[tuple[str, str, str]] = set()
    for (line, inner), (_, reference, other) in found.items():
        if (reference.array, inner, other) in reported:
            continue
        reported.add((reference.array, inner, other))
        text, column = spelled_reference(reference.array, reference.text, subject.lines_from(line))
        fields: dict[str, Shown] = {
            "reference": text,
            "inner": inner,
            "step_bytes": str(reference.steps_bytes[-1]),
            "outer": other,
        }
        opposite = _opposite(subject, reference, other)
        if opposite is not None:
            fields["opposite"] = spelled_reference(opposite.array, opposite.text, subject.lines_from(opposite.line))[0]
        form = "columns" if opposite is None else "both-ways"
        yield subject.finding("AI105", form, fields, at=(line, line), column=column)


def _opposite(subject: Subject, walked: Reference, other: str) -> Reference | None:
    """Return a reference that an interchange with the ``other`` loop would make go from line to line instead."""
    for reference in subject.profile.access_patterns.references:
        if [loop.iterator for loop in reference.loops] != [loop.iterator for loop in walked.loops]:
            continue
        steps = dict(zip((loop.iterator for loop in reference.loops), reference.steps_bytes, strict=True))
        own, outer = reference.steps_bytes[-1], steps[other]
        is_unit = own is not None and own.constant is not None and abs(own.constant) == reference.unit_bytes
        if is_unit and outer is not None and _is_far(subject, outer):
            return reference
    return None


def _contiguous_loop(subject: Subject, reference: Reference) -> str | None:
    """Return the loop that goes through neighbouring elements where the innermost one goes from line to line."""
    if len(reference.loops) < 2 or not reference.loops[-1].is_innermost:
        return None
    inner = reference.steps_bytes[-1]
    if inner is None or not _is_far(subject, inner) or _stays(subject, reference):
        return None
    for loop, step in zip(reversed(reference.loops[:-1]), reversed(reference.steps_bytes[:-1]), strict=True):
        if step is not None and step.constant is not None and abs(step.constant) == reference.unit_bytes:
            return loop.iterator
    return None


def _is_far(subject: Subject, step: Poly) -> bool:
    """Return whether a step leaves the line; one in unknown sizes does."""
    number = _number(subject, step)
    return abs(number) >= _line_bytes(subject) if number is not None else bool(step.names())


def _stays(subject: Subject, reference: Reference) -> bool:
    trip = reference.loops[-1].trip
    trip_count = None if trip is None else _number(subject, trip)
    return trip_count is not None and trip_count * _line_bytes(subject) <= _HELD_BYTES


def _line_bytes(subject: Subject) -> int:
    """Return the line size of the first CPU that the nest is projected on; the default without one."""
    hierarchies = (projection.hierarchy for projection in subject.nest.projections)
    levels = (each.levels[0] for each in hierarchies if each is not None and each.gpu is None)
    return next((level.line_bytes for level in levels), DEFAULT_LINE_BYTES)


def set_conflicts(subject: Subject) -> Iterator[Finding]:
    """Find AI110: set conflicts in the model of the caches; without one, strides of a power of two."""
    if subject.is_kernel:
        return
    for note in _worst_conflicts(subject):
        yield subject.finding("AI110", "modelled", {"note": Phrase(note.code, note.form, note.fields)})
    if subject.nest.traffic.models:
        return
    reported: set[str] = set()
    for reference in subject.profile.access_patterns.references:
        if not reference.loops or reference.array in reported or not _is_power_stride(subject, reference):
            continue
        reported.add(reference.array)
        text, column = spelled_reference(reference.array, reference.text, subject.lines_from(reference.line))
        fields: dict[str, Shown] = {
            "reference": text,
            "step_bytes": str(reference.steps_bytes[-1]),
            "iterator": reference.loops[-1].iterator,
        }
        yield subject.finding("AI110", "stride", fields, at=(reference.line, reference.line), column=column)


def _worst_conflicts(subject: Subject) -> Iterator[Assumption]:
    """Yield the set conflicts of arrays that the nest walks with a stride or uses together, of the worst cache."""
    shares: dict[Assumption, float] = {}
    for note in (note for found in subject.nest.traffic.models for note in found.notes if note.code == "AI404"):
        arrays, share, stride = (dict(note.fields).get(name) for name in ("arrays", "share", "stride_bytes"))
        if not isinstance(share, float) or share < _MANY_CONFLICTS or not isinstance(arrays, tuple):
            continue
        if note.form == "together" or any(_strides(subject, array, stride) for array in arrays):
            shares[note] = share
    if shares:
        yield max(shares, key=lambda note: shares[note])


def _strides(subject: Subject, array: Field, stride: Field | None) -> bool:
    """Return whether an innermost loop goes through an array by so many bytes."""
    steps = (
        reference.steps_bytes[-1]
        for reference in subject.profile.access_patterns.references
        if reference.array == array and reference.steps_bytes
    )
    numbers = [_number(subject, step) for step in steps if step is not None]
    return any(number is not None and abs(number) == stride for number in numbers)


def _is_power_stride(subject: Subject, reference: Reference) -> bool:
    """Return whether lines of one run of the innermost loop share sets, more than a set holds, and are used again."""
    step = reference.steps_bytes[-1]
    number = None if step is None else _number(subject, step)
    trip = reference.loops[-1].trip
    trip_count = None if trip is None else _number(subject, trip)
    again = _contiguous_loop(subject, reference) is not None
    return bool(
        again
        and number
        and number % _PAGE_BYTES == 0
        and (trip_count is None or trip_count > _WAYS_HELD * _MANY_ITERATIONS)
    )


def write_allocate(subject: Subject) -> Iterator[Finding]:
    """Find AI108: streaming stores would spare the load of lines that are only written.

    Not of ``memcpy`` and ``memset``, which choose such stores themselves where much is written.
    """
    if _OF_THE_LIBRARY.search(next(iter(subject.lines_from(subject.nest.profile.span.line)), "")):
        return
    for advice in subject.nest.advice:
        if isinstance(advice, StreamingStores) and advice.gain >= _NOTICEABLE:
            yield subject.finding("AI108", "advised", {"advice": advice}, facts={"gain": advice.gain})


def just_above_a_level(subject: Subject) -> Iterator[Finding]:
    """Find AI113: a working set exceeds a cache by less than a quarter of its size."""
    projections = subject.nest.projections
    for projection in projections[:1]:
        hierarchy = projection.hierarchy
        if hierarchy is None or hierarchy.gpu is not None:
            return
        reported: set[str] = set()
        for reuse in subject.nest.reuses:
            size = _number(subject, reuse.working_set)
            for level in hierarchy.levels:
                if (
                    size is None
                    or level.name in reported
                    or not level.capacity_bytes < size <= _JUST_ABOVE * level.capacity_bytes
                ):
                    continue
                reported.add(level.name)
                fields: dict[str, Shown] = {
                    "array": reuse.array,
                    "size_bytes": size,
                    "excess": size / level.capacity_bytes - 1,
                    "level": level.name,
                }
                facts = {"working_set_bytes": size}
                if reuse.loop:
                    loop = source_name(reuse.loop)
                    yield subject.finding("AI113", "over-loop", {**fields, "loop": loop}, facts=facts)
                else:
                    yield subject.finding("AI113", "between-loops", fields, facts=facts)


def _number(subject: Subject, value: Poly) -> float | None:
    values = subject.profile.values
    return float(value.evaluate(values)) if value.names() <= values.keys() and not value.unknowns() else None


RULES: Mapping[str, Rule] = {
    "AI105": column_walk,
    "AI108": write_allocate,
    "AI110": set_conflicts,
    "AI113": just_above_a_level,
}
