"""A machine file from measured roofs: those of ERT, rocprof-compute, CARM and nersc-roofline.

Roofline tools measure bandwidths and peaks, but neither clocks nor cores nor the sizes of caches.  These come from
the machine that was measured (its *base*): the measured figures precede those of the base and become its sustained
ones.  The result is checked like every machine file, so that roofs of another machine are noticed; a figure somewhat
above the theoretical one (clocks above the nominal one, data that stayed in the cache inside) stays in the file, with
a note.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from analyzer.errors import MachineError

from .machine.figures import BandwidthFigure, Figure, FigureKind, Peak, PeakMode, Precision
from .machine.hardware import Source
from .machine.machine import Machine
from .machine.schema import parse_machine
from .machine.text import machine_text
from .machine.units import format_rate, format_share
from .measured.all_importers import roof_importers
from .measured.errors import MeasurementError
from .measured.results import DRAM
from .measured.roofs import SHARED, MeasuredBandwidth, MeasuredPeak, MeasuredRoofs
from .measured.text import read_text

FigureT = TypeVar("FigureT", bound=Figure)

_SOURCE = "imported"
_MOST_ABOVE = 1.5
_NEAR = 1.25
_FAR = 2


class Imported(Struct, frozen=True):
    """The machine, its file, and what has to be said: what is not in it, and what is above the theoretical figures."""

    machine: Machine
    text: str
    remarks: tuple[str, ...]


def import_machine(path: str, base: Machine, precision: str = "fp64") -> Imported:
    """Return the base with the measured roofs of a file; ``precision`` is that of peaks whose tool records none.

    Raises ``MeasurementError`` for the file, ``MachineError`` where the roofs do not fit the base.
    """
    roofs = read_roofs(path)
    left_out = list(roofs.left_out)
    source = Source(_SOURCE, f"{roofs.how}, {PurePath(path).name}", "benchmark")
    machine = replace(
        base,
        id=f"{base.id}-{PurePath(path).stem.lower().replace('_', '-')}",
        name=f"{base.name}, measured by {roofs.tool}",
        aliases=(),
        sources=(*(found for found in base.sources if found.id != _SOURCE), source),
    )
    above: list[str] = []
    machine = _with_bandwidths(machine, _by_figure(machine, roofs.bandwidths, left_out), left_out, above)
    machine = replace(machine, peaks=_peaks(machine, roofs.peaks, precision, left_out, above))
    machine = replace(machine, discrepancies=(*machine.discrepancies, *above))
    text = machine_text(machine)
    try:
        return Imported(parse_machine(text, path), text, (*left_out, *above))
    except MachineError as error:
        raise MachineError(
            f"the roofs do not fit {base.id}: {error.message}", path=path, hint="name the machine that was measured"
        ) from error


def read_roofs(path: str) -> MeasuredRoofs:
    """Return the roofs of a file in any of the formats; raises ``MeasurementError``."""
    text = read_text(path)
    found = next((form for form in roof_importers() if form.recognises(text)), None)
    if found is None:
        names = ", ".join(form.name for form in roof_importers())
        raise MeasurementError("has no roofs of a machine", path=path, line=1, hint=f"known formats: {names}")
    return found.read(text, path)


def _by_figure(machine: Machine, found: Sequence[MeasuredBandwidth], remarks: list[str]) -> Iterator[MeasuredBandwidth]:
    """Yield bandwidths at the level whose figure they are near, where that is far from the one they are named after.

    Tools that find levels as plateaus of the bandwidth name the first one L1, also where the code cannot reach it.
    """
    known = {level.name: [figure.value for figure in level.bandwidths] for level in machine.levels}
    named = {bandwidth.level for bandwidth in found}
    for bandwidth in found:
        own = known.get(bandwidth.level, [])
        near = [
            level
            for level, values in known.items()
            if level not in named and any(1 / _NEAR < bandwidth.value / value < _NEAR for value in values)
        ]
        is_far = bool(own) and all(value > _FAR * bandwidth.value for value in own)
        if len(near) == 1 and is_far:
            rate = format_rate(bandwidth.value, "B/s")
            name = near[0]
            remarks.append(f"{bandwidth.level}: {rate} is near {name}, far below {bandwidth.level}: used as {name}")
            yield replace(bandwidth, level=near[0])
        else:
            yield bandwidth


def _with_bandwidths(
    machine: Machine, found: Iterable[MeasuredBandwidth], left_out: list[str], above: list[str]
) -> Machine:
    """Return the machine with measured bandwidths before those of its levels; levels that it lacks are left out."""
    by_level: dict[str, list[BandwidthFigure]] = {}
    for bandwidth in found:
        units = bandwidth.threads if bandwidth.threads and bandwidth.threads < machine.units.count else None
        figure = BandwidthFigure(
            value=bandwidth.value, kind=FigureKind.MEASURED, source=_SOURCE, sustained=units is None
        )
        by_level.setdefault(bandwidth.level, []).append(replace(figure, pattern=bandwidth.pattern, units=units))

    def put(level: str, known: tuple[BandwidthFigure, ...]) -> tuple[BandwidthFigure, ...]:
        return _before([_explained(new, known, level, above) for new in by_level.pop(level, ())], known)

    levels = tuple(replace(level, bandwidths=put(level.name, level.bandwidths)) for level in machine.levels)
    memory = replace(machine.memory, bandwidths=put(DRAM, machine.memory.bandwidths))
    gpu = machine.gpu
    if gpu is not None:
        gpu = replace(gpu, shared_bandwidths=put(SHARED, gpu.shared_bandwidths))
    left_out += [f"{machine.id} has no level {level}" for level in by_level]
    return replace(machine, levels=levels, memory=memory, gpu=gpu)


def _explained(new: FigureT, known: Sequence[Figure], what: str, above: list[str]) -> FigureT:
    """Return a figure with an explanation where it is above the theoretical one by at most half, else as it is."""
    stated = [figure.value for figure in known if figure.kind is not FigureKind.MEASURED]
    if not stated or not max(stated) < new.value <= _MOST_ABOVE * max(stated):
        return new
    above_it = format_share(new.value / max(stated) - 1)
    text = f"{what}: measured {above_it} above the theoretical figure (a higher clock, or data of the level inside)"
    above.append(text)
    return replace(new, explain=text)


def _peaks(
    machine: Machine, found: Sequence[MeasuredPeak], default: str, left_out: list[str], above: list[str]
) -> tuple[Peak, ...]:
    """Return the peaks with measured ones before those of the machine."""
    peaks = {peak.precision: peak for peak in machine.peaks}
    for peak in found:
        if peak.threads is not None and peak.threads < machine.units.count:
            left_out.append(f"the peak with {peak.threads} threads is not of the whole machine")
            continue
        name = Precision(peak.precision or default)
        mode = PeakMode(peak.mode).value
        figure = Figure(value=peak.value, kind=FigureKind.MEASURED, source=_SOURCE, sustained=True)
        known = peaks.get(name, Peak(name))
        what = f"the {name.value} peak ({mode})"
        new = _explained(figure, known.figures(PeakMode(mode)), what, above)
        changed: dict[str, Any] = {mode: _before((new,), getattr(known, mode))}
        peaks[name] = replace(known, **changed)
    return tuple(peaks.values())


def _before(new: Iterable[FigureT], old: Iterable[FigureT]) -> tuple[FigureT, ...]:
    """Return new figures before old ones; where there are any, the old ones are no longer the sustained ones."""
    first = tuple(new)
    replaced = any(figure.sustained for figure in first)
    return (*first, *(replace(figure, sustained=False) if replaced else figure for figure in old))
