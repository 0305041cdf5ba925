"""The sentences below the terminal's table: why each nest is bound, what would help, what was counted and assumed.

Reasons that are the same for several nests are reported once; those of the nests that take longest come first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from msgspec import Struct
from msgspec.structs import replace

from roofline.model.advice.kinds import TransformLoops
from roofline.model.intensity import number
from roofline.model.projection import Bound, Projection
from roofline.report.advice_sentences import advice_text
from roofline.report.report import FileReport, RegionReport, Report

from ..typesetting.shortened import cut_formula
from ..words.assumptions import assumptions_of
from ..words.launches import range_text
from ..words.names import regions_shown
from ..words.remarks import Remark
from ..words.summary import Entry, Verdict

_MOST_REASONS = 3
_MOST_NESTS = 6
_MOST_NAMES = 6
_MOST_ASSUMPTIONS = 5
_MOST_FINDINGS = 6
_LONGEST_FORMULA = 240
_LONGEST = 900
_REST = "(--format text has all of it)"
_BLOCKING = "AI405"
_OF_EVERY_NEST = (_BLOCKING, "AI406", "AI407", "AI409")


class Note(Struct, frozen=True):
    """A label and a text; ``kind`` is the bound that it explains, if any."""

    label: str
    text: str
    kind: Bound | None = None


class _Shown(Struct, frozen=True):
    entry: Entry
    region: RegionReport
    weight: float


def notes_of(report: Report, file: FileReport) -> Iterator[Note]:
    """Yield the notes of a file, most important first, each of a length that can be read."""
    for note in _whole_notes(report, file):
        if len(note.text) <= _LONGEST:
            yield note
        else:
            yield replace(note, text=f"{cut_formula(note.text, _LONGEST)} {_REST}")


def _whole_notes(report: Report, file: FileReport) -> Iterator[Note]:
    shown = [
        _Shown(Entry(part, region), part, _weight(part))
        for region in file.regions
        for part in regions_shown(region)
        if not part.nests
    ]
    shown.sort(key=lambda found: -found.weight)
    yield from _levels(shown, len(report.machines))
    yield from _findings(shown, len(report.machines))
    if report.machines:
        yield from _reasons(shown, len(report.machines))
        yield from _cores(shown)
        yield from _help(shown)
        yield from _help_of_drivers(file)
        yield from _intervals(shown)
        yield from _counted(shown)
        yield from _machines(report)
    else:
        yield from _without_machine(shown)
        yield from _help(shown, (_BLOCKING,))
    if any(each.entry.exceptions for each in shown):
        yield Note("formulas", "for large sizes; --format text has what small ones give instead")
    assumed = assumptions_of(file)
    for found in assumed[:_MOST_ASSUMPTIONS]:
        yield Note("assumed", str(found))
    if len(assumed) > _MOST_ASSUMPTIONS:
        yield Note("assumed", f"{len(assumed) - _MOST_ASSUMPTIONS} more (--format text has all)")


def _weight(region: RegionReport) -> float:
    """Return how much a nest matters: its time, else its FLOPs, else that its size is not known."""
    times = [projection.time.value for projection in region.projections if projection.time is not None]
    if times:
        return times[0]
    if region.projections:
        return float("inf") if not region.profile.work.flops.is_zero else 0.0
    return float(number(region.profile.work.flops.estimate, region.profile.values) or 0)


def _levels(shown: list[_Shown], machines: int) -> Iterator[Note]:
    """Yield the bytes of every level, one line for each nest and machine, and what another model finds."""
    for found in shown[:_MOST_NESTS]:
        entry = found.entry
        launches = range_text(found.entry.region)
        if launches:
            yield Note(entry.label, launches)
        if any(not other.is_nothing for other in entry.region.alternatives):
            yield Note(entry.label, f"else {entry.alternatives}")
        if entry.kept:
            yield Note(f"{entry.label} caches", entry.kept)
        if not entry.verdicts:
            yield from _level_notes(entry.label, entry.levels, entry.check)
        for verdict in entry.verdicts:
            label = f"{entry.label} on {verdict.machine_id}" if machines > 1 else entry.label
            yield from _level_notes(label, verdict.levels, verdict.check)


def _findings(shown: list[_Shown], machines: int) -> Iterator[Note]:
    """Set conflicts and what the models of the caches leave undecided: once for the nests of a region."""
    reported: dict[tuple[str, Remark], None] = {}
    for found in shown:
        function = found.region.profile.function
        where = function or found.entry.label
        for verdict in found.entry.verdicts:
            label = f"caches of {verdict.machine_id}, {where}" if machines > 1 else f"caches, {where}"
            reported.update(dict.fromkeys((label, remark) for remark in verdict.findings))
        if not found.entry.verdicts:
            reported.update(dict.fromkeys((f"caches, {where}", remark) for remark in found.entry.findings))
    for label, remark in list(reported)[:_MOST_FINDINGS]:
        yield Note(label, str(remark))
    if len(reported) > _MOST_FINDINGS:
        yield Note("caches", f"{len(reported) - _MOST_FINDINGS} more findings (--format text has all)")


def _level_notes(label: str, levels: str, check: str) -> Iterator[Note]:
    if levels:
        yield Note(label, levels)
    if check:
        yield Note(f"{label} verified", check)


def _reasons(shown: list[_Shown], machines: int) -> Iterator[Note]:
    """Yield each reason once, with the nests that it holds for; with the machine where there are several."""
    grounds: dict[tuple[str, str], list[tuple[Entry, Verdict]]] = {}
    for found in shown:
        for verdict in found.entry.verdicts:
            grounds.setdefault((verdict.machine_id, verdict.ground), []).append((found.entry, verdict))
    most = _MOST_REASONS * machines
    most += len(grounds) == most + 1
    for (machine, ground), held in list(grounds.items())[:most]:
        verdict = held[0][1]
        text = verdict.reason if len(held) == 1 else ground
        names = _names([entry.label for entry, _ in held])
        yield Note(f"{names} on {machine}" if machines > 1 else names, text, verdict.kind)
    if len(grounds) > most:
        yield Note("more", f"{len(grounds) - most} more reasons: --explain gives that of every nest")


def _cores(shown: list[_Shown]) -> Iterator[Note]:
    """Yield on how many cores nests run and why, each sentence once."""
    held: dict[str, list[str]] = {}
    for found in shown:
        for verdict in found.entry.verdicts:
            if verdict.cores:
                held.setdefault(verdict.cores, []).append(found.entry.label)
    for text, labels in [*held.items()][:_MOST_REASONS]:
        yield Note("cores" if len(held) == 1 else f"cores, {_names(labels)}", text)
    if len(held) > _MOST_REASONS:
        yield Note("cores", f"{len(held) - _MOST_REASONS} more reasons (--format text has all)")


def _names(labels: list[str]) -> str:
    names = list(dict.fromkeys(labels))
    more = len(names) - _MOST_NAMES
    return ", ".join([*names[:_MOST_NAMES], *([f"{more} more"] if more > 0 else [])])


def _help(shown: list[_Shown], codes: Collection[str] | None = None) -> Iterator[Note]:
    """Yield how good nests could be and what would help.

    Advice is for the nest that takes longest; of the others it is which loops to block and requests to mend.
    ``codes`` are those to yield; None: all of them.
    """
    first = next((found for found in shown if found.entry.advice), None)
    for found in shown[:_MOST_NESTS]:
        if found.entry.best:
            yield Note(f"{found.entry.label} at best", found.entry.best)
        for advice in found.entry.advice:
            if (found is first or advice.code in _OF_EVERY_NEST) and (codes is None or advice.code in codes):
                yield Note(f"to speed up {found.entry.label}", str(advice))


def _help_of_drivers(file: FileReport) -> Iterator[Note]:
    """Yield what transforms loops that repeat several nests, as tiles that go through several of their iterations."""
    drivers = [(nest, region) for region in file.regions for nest in region.all_nests if len(nest.nests) > 1]
    for nest, region in drivers[:_MOST_NESTS]:
        for advice in nest.advice:
            if isinstance(advice, TransformLoops):
                yield Note(f"to speed up {Entry(nest, region).label}", f"{advice_text(advice)} [{advice.code}]")


def _intervals(shown: list[_Shown]) -> Iterator[Note]:
    """Yield the intervals of nests that depend on data."""
    wide = [found for found in shown if any(_is_wide(projection) for projection in found.region.projections)]
    for found in wide[:_MOST_REASONS]:
        verdict = found.entry.verdicts[0]
        moved = cut_formula(verdict.moves.bytes, _LONGEST_FORMULA)
        more = f" {_REST}" if moved != verdict.moves.bytes else ""
        yield Note(
            f"{found.entry.label} is an estimate",
            f"bytes {moved}{more}, FLOP/byte {verdict.moves.intensity}, {verdict.rate}",
        )


def _is_wide(projection: Projection) -> bool:
    interval = projection.attainable_range
    return interval is not None and interval[0] != interval[1]


def _counted(shown: list[_Shown]) -> Iterator[Note]:
    """Yield the convention by which bytes are counted, and its machines."""
    machines: dict[tuple[str, str], dict[str, None]] = {}
    for found in shown:
        for verdict in found.entry.verdicts:
            key = (verdict.moves.convention, verdict.moves.meaning)
            machines.setdefault(key, {})[verdict.machine_id] = None
    for (convention, meaning), names in machines.items():
        yield Note("bytes" if len(machines) == 1 else f"bytes on {', '.join(names)}", f"{convention}, {meaning}")


def _machines(report: Report) -> Iterator[Note]:
    peak = report.options.get("peak", "sustained")
    for machine in report.machines:
        yield Note(machine.id, f"{machine.name}, {peak} figures (ai-estimate machines show {machine.id})")


def _without_machine(shown: list[_Shown]) -> Iterator[Note]:
    for convention, meaning in dict.fromkeys((f.entry.moves.convention, f.entry.moves.meaning) for f in shown):
        yield Note("bytes", f"{convention}, {meaning}")
    allocating = [
        f"{found.entry.label} {other.intensity}"
        for found in shown
        for other in found.entry.others
        if other.convention == "write-allocate"
    ]
    if allocating:
        yield Note("FLOP/byte with write-allocate", "; ".join(allocating[:_MOST_NAMES]))
    yield Note("bound", "name a machine to see it, as in --machine v100 (ai-estimate machines lists them)")
