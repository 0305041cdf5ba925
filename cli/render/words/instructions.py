"""The instruction roofline of a region, as text."""

from __future__ import annotations

from collections.abc import Iterator

from roofline.machine.units import format_rate, format_share, format_time
from roofline.model.instructions import InstructionMix, InstructionRoof, LevelTransactions
from roofline.model.projection import Projection
from roofline.report.report import RegionReport, Report

from ..typesetting.sheet import Sheet, render_markdown_sheet, render_plain
from .names import label_of, regions_shown

_DIGITS = 3
_MEANING = (
    "instructions of warps on a GPU, of full vectors on a CPU, at least; transactions of the level that allows the "
    "fewest GIPS (Ding and Williams, PMBS 2019)"
)


def instructions_text(projection: Projection) -> Iterator[str]:
    """Yield the instruction roofline line by line: how many there are, what each level allows, the part of the peak."""
    roof = projection.instructions
    attainable = None if roof is None else roof.attainable
    if roof is None or roof.mix is None or attainable is None:
        return
    kind = "warp instructions" if roof.of_warps else "instructions"
    yield f"{kind} >= {amount_text(roof.mix.total)} ({_mix_text(roof.mix)}); peak {roof.peak}"
    for ceiling in roof.ceilings:
        if ceiling.instructions:
            took = format_time(ceiling.seconds)
            yield f"{ceiling.name}: {amount_text(ceiling.instructions)} at {ceiling.rate} take {took}"
    for level in roof.transactions:
        yield _level_text(level)
    yield f"instruction roofline: at most {attainable}, {share_text(roof)} of the peak"


def render_instructions_table(report: Report, *, markdown: bool) -> str:
    """Render the instruction roofline of every nest on every machine as a table."""
    sheet = instructions_sheet(report)
    return render_markdown_sheet(sheet) if markdown else render_plain([sheet])


def instructions_sheet(report: Report) -> Sheet:
    """Return a row for each nest and machine: instructions, transactions of the level that binds, part of the peak."""
    several = len(report.machines) > 1
    rows = [
        (label, *([projection.machine.id] if several else []), *_cells(projection))
        for label, part in labelled_regions(report)
        for projection in part.projections
    ]
    counts = ("instructions >=", "integer", "per transaction", "bound", "GIPS <=", "of peak")
    headings = ("loop nest", *(["machine"] if several else []), *counts)
    numbers = (position for position, name in enumerate(headings) if name in counts and name != "bound")
    return Sheet("Instruction roofline", headings, tuple(rows), frozenset(numbers), (_MEANING,))


def labelled_regions(report: Report) -> list[tuple[str, RegionReport]]:
    """Return the regions that are shown, each with its label."""
    return [
        (label_of(part, region), part)
        for file in report.files
        for region in file.regions
        for part in regions_shown(region)
    ]


def _cells(projection: Projection) -> tuple[str, ...]:
    roof = projection.instructions
    if roof is None or roof.mix is None or roof.attainable is None:
        return ("-", "-", "-", unknown_text(roof), "-", "-")
    level = min(roof.transactions, key=lambda found: found.attainable.value, default=None)
    intensity = "-" if level is None else f"{level.intensity:.{_DIGITS}g}"
    name = "peak" if level is None or level.attainable == roof.peak else level.level
    number, part = amount_text(roof.mix.total), format_share(roof.mix.integer / roof.mix.total)
    return (number, part, intensity, name, f"{roof.attainable.giga:.4g}", share_text(roof))


def unknown_text(roof: InstructionRoof | None) -> str:
    """Return why a region has no instruction roofline."""
    if roof is None:
        return "no issue rate is stated"
    return "sizes are not known" if roof.mix is None else "no instructions"


def _mix_text(mix: InstructionMix) -> str:
    parts = ((mix.memory, "to memory"), (mix.floating, "floating-point"), (mix.integer, "integer"))
    return ", ".join(f"{amount_text(number)} {name}" for number, name in parts if number)


def _level_text(level: LevelTransactions) -> str:
    number = f"{amount_text(level.number)} transactions of {level.bytes_each} B"
    return (
        f"{level.level}: {number}, {level.intensity:.{_DIGITS}g} instructions per transaction; "
        f"at {level.rate} at most {level.attainable}"
    )


def share_text(roof: InstructionRoof) -> str:
    """Return the part of the peak that is attainable; empty where no instructions are known."""
    if roof.attainable is None:
        return ""
    return f"{100 * roof.attainable.value / roof.peak.value:.{_DIGITS}g} %"


def amount_text(number: float) -> str:
    """Return a number of instructions or transactions with a prefix.

    >>> amount_text(8388608.0), amount_text(12.0)
    ('8.39 M', '12')
    """
    return format_rate(number, "", digits=_DIGITS).strip()
