"""What a plot of the instruction roofline shows: GIPS over instructions per transaction (Ding and Williams, PMBS 2019).

The numbers stand where those of the plain roofline do: a slope is transactions/s of a level instead of byte/s, a flat
roof instructions/s instead of FLOP/s, a point is placed by instructions per transaction instead of FLOP/byte.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from roofline.machine.figures import Basis
from roofline.machine.machine import Machine
from roofline.model.projection import Projection
from roofline.report.report import FileReport, Report

from ..words.instructions import unknown_text
from .roofline import Flat, Point, Roofs, Slope, is_sum, labelled

_INSTRUCTIONS, _INTEGERS = "instructions", "integers"


def instruction_roofs_of(report: Report) -> tuple[Roofs, ...]:
    """Return the roofs of the machines that state how many instructions they start."""
    found = (_roofs(number, machine, report) for number, machine in enumerate(report.machines))
    return tuple(roofs for roofs in found if roofs is not None)


def instruction_points_of(files: Iterable[FileReport]) -> tuple[Point, ...]:
    """Return one point for each region shown and machine, numbered in the order of the source."""
    return tuple(
        replace(_point(projection, number, label, machine), is_whole=is_sum(part))
        for number, (label, part) in enumerate(labelled(files), 1)
        for machine, projection in enumerate(part.projections)
    )


def _roofs(number: int, machine: Machine, report: Report) -> Roofs | None:
    basis, cores = Basis(str(report.options.get("peak", Basis.SUSTAINED.value))), report.options.get("cores")
    peak, integers = machine.instruction_rate(cores), machine.integer_rate(cores)
    brief = len(report.machines) > 1
    slopes = [
        Slope(f"{name} {rate}", rate.value, name)
        for name in ((machine.memory.name,) if brief else machine.level_names)
        if (rate := machine.transaction_rate(name, basis, cores)) is not None
    ]
    if peak is None or not slopes:
        return None
    flats = [Flat(f"instruction issue {peak}", peak.value, (_INSTRUCTIONS,))]
    if integers is not None and integers < peak and not brief:
        flats.append(Flat(f"integer operations {integers}", integers.value, (_INTEGERS,)))
    return Roofs(
        number,
        machine.name,
        tuple(sorted(slopes, key=lambda slope: -slope.bytes_per_s)),
        tuple(flats),
        machine.memory.name,
    )


def _point(projection: Projection, number: int, label: str, machine: int) -> Point:
    roof, memory = projection.instructions, projection.machine.memory.name
    rate = None if roof is None or roof.attainable is None else roof.attainable.value
    levels = () if roof is None else tuple((found.level, found.intensity) for found in roof.transactions)
    intensity = dict(levels).get(memory)
    why = unknown_text(roof) if rate is None else "" if intensity is not None else f"no transactions of {memory}"
    return Point(
        number,
        label,
        machine,
        intensity=intensity if rate is not None else None,
        flop_per_s=rate if intensity is not None else None,
        levels=levels,
        bound="",
        why=why,
        why_short=why,
        seconds=projection.seconds or 0.0,
    )
