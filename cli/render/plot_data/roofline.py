"""What a roofline plot shows, as plain numbers: the roofs of each machine, a point for each region and machine."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from analyzer.ir.launches import Launch
from analyzer.ir.types import ScalarType
from roofline.machine.figures import Basis, PeakMode
from roofline.machine.machine import Machine
from roofline.machine.units import format_rate
from roofline.model.intensity import Ratio
from roofline.model.levels import host_memory
from roofline.model.projection import Projection
from roofline.report.report import FileReport, RegionReport, Report
from roofline.report.sentences import reason_text, reason_title

from ..typesetting.shortened import cut_text
from ..words.names import label_of, regions_shown, shown_whole
from ..words.rates import bound_text

_MODES = ((PeakMode.FMA, True, "FMA"), (PeakMode.NO_FMA, True, "no FMA"), (PeakMode.NO_FMA, False, "no FMA, no SIMD"))
_LONGEST_LABEL = 40
Position = tuple[str, int, str, Launch | None]


class Slope(Struct, frozen=True):
    """A memory roof: byte/s from ``level``."""

    label: str
    bytes_per_s: float
    level: str


class Flat(Struct, frozen=True):
    """A compute roof: FLOP/s of one precision, or of several that reach the same."""

    label: str
    flop_per_s: float
    precisions: tuple[str, ...]


class Roofs(Struct, frozen=True):
    """The roofs of one machine, highest first; ``number`` is its place in the report.

    ``memory`` is its own memory; a link to that of the host is below it.
    """

    number: int
    machine: str
    slopes: tuple[Slope, ...]
    flats: tuple[Flat, ...]
    memory: str = ""

    @property
    def peak(self) -> float:
        """Return the highest compute roof."""
        return self.flats[0].flop_per_s

    @property
    def outer(self) -> Slope:
        """Return the roof of the machine's own memory, else the lowest."""
        return next((slope for slope in self.slopes if slope.level == self.memory), self.slopes[-1])

    @property
    def outermost(self) -> float:
        """Return the bytes/s of the machine's own memory."""
        return self.outer.bytes_per_s

    @property
    def ridge(self) -> float:
        """Return the intensity at which the roof of the machine's own memory meets the highest compute roof."""
        return self.peak / self.outermost


class Measured(Struct, frozen=True):
    """What was measured of the region that starts at ``line`` of the file ``path``, on the machine of this id.

    ``intensity`` is in FLOP/byte, by the bytes of memory; launches of one kernel are distinguished by ``launch``.
    """

    path: str
    line: int
    machine: str
    intensity: float
    flop_per_s: float
    launch: Launch | None = None

    @property
    def position(self) -> Position:
        """Return the key that joins it to a region on a machine."""
        return self.path, self.line, self.machine, self.launch


class Best(Struct, frozen=True):
    """The intensity at a level, and the ``most`` that any order of the operations could have there."""

    level: str
    now: float
    most: float


class Point(Struct, frozen=True):
    """A region on a machine; ``levels`` are the intensities at each level that serves bytes, innermost first.

    ``intensity`` is None where there is nothing to place on logarithmic axes; ``why`` says so then, and ``why_short``
    in a few words.  ``interval`` is that of an intensity that depends on data, ``rates`` are the attainable rates at
    its ends.  ``measured`` is the partner that was measured.  ``best`` is what no order of the operations is above, at
    the level that limits, where that was asked for.  ``seconds`` are the expected time, else the least, 0 where sizes
    are not known; the number 0 marks a point that is not named (:func:`hottest`).  ``is_whole``: other
    regions shown are its nests.
    """

    number: int
    label: str
    machine: int
    intensity: float | None
    flop_per_s: float | None
    levels: tuple[tuple[str, float], ...]
    bound: str
    why: str = ""
    why_short: str = ""
    interval: tuple[float, float] | None = None
    rates: tuple[float, float] | None = None
    measured: Measured | None = None
    best: Best | None = None
    seconds: float = 0.0
    is_whole: bool = False

    @property
    def others(self) -> tuple[float, ...]:
        """Return the intensities at the levels other than the memory."""
        return tuple(value for _, value in self.levels if value != self.intensity)


def roofs_of(report: Report, *, brief: bool | None = None) -> tuple[Roofs, ...]:
    """Return the roofs of the report's machines, for the precisions that its regions compute in.

    ``brief`` leaves out the inner levels and what comes below the peaks (None: where there are several machines).
    """
    precisions = _precisions(report)
    short = len(report.machines) > 1 if brief is None else brief
    found = (_roofs(number, machine, report, precisions, brief=short) for number, machine in enumerate(report.machines))
    return tuple(roofs for roofs in found if roofs is not None)


def points_of(files: Iterable[FileReport], measured: Iterable[Measured] = ()) -> tuple[Point, ...]:
    """Return one point for each region shown and machine, numbered in the order of the source."""
    partners = {found.position: found for found in measured}
    return tuple(
        point
        for number, (label, part) in enumerate(labelled(files), 1)
        for point in points_of_region(part, number, label, partners)
    )


def hottest(points: Sequence[Point], most: int) -> Sequence[Point]:
    """Return the points with numbers for so many regions at most: those that take longest, then the first ones.

    Where there are more, these are numbered anew, the hottest first, and the others have the number 0.  Regions that no
    mark stands for (without FLOPs) come after all that have one, and the sums of several nests after these.
    """
    seconds: dict[int, float] = {}
    marked: set[int] = set()
    wholes = {point.number for point in points if point.is_whole}
    for point in points:
        seconds[point.number] = max(seconds.get(point.number, 0.0), point.seconds)
        if point.intensity is not None:
            marked.add(point.number)
    if len(seconds) <= most:
        return points
    chosen = sorted(seconds, key=lambda number: (number in wholes, number not in marked, -seconds[number]))[:most]
    numbers = {old: new for new, old in enumerate(chosen, 1)}
    found = [replace(point, number=numbers.get(point.number, 0)) for point in points]
    return sorted(found, key=lambda point: point.number or len(found))


def labelled(files: Iterable[FileReport]) -> list[tuple[str, RegionReport]]:
    """Return every region shown with its label, which has the file where functions of several files share a name."""
    shown = [
        (file.profile.path.rpartition("/")[2], label_of(part, region), part)
        for file in files
        for region in file.regions
        for part in regions_shown(region)
    ]
    files_of: dict[str, set[str]] = {}
    for path, _, part in shown:
        files_of.setdefault(part.profile.function, set()).add(path)
    named = [
        (label if len(files_of[part.profile.function]) == 1 else f"{path}: {label}", part)
        for path, label, part in shown
    ]
    return [(_shortened(label), part) for label, part in named]


def _shortened(label: str) -> str:
    """Cut a long label: what stands behind the lines at its end, then the name in its middle, as ends distinguish it.

    >>> _shortened("seidel-2d.c: main:130-160, all loops if argc = 43")
    'seidel-2d.c: main:130-160, all loops if…'
    >>> _shortened("a_function_that_copies_with_a_long_name_3:12-14")
    'a_function_that_...h_a_long_name_3:12-14'
    """
    name, colon, behind = label.rpartition(":")
    room = _LONGEST_LABEL - 3 - len(colon + behind)
    if len(label) <= _LONGEST_LABEL:
        return label
    if " " in behind or room < 2:
        return cut_text(label, _LONGEST_LABEL)
    half = room // 2
    return f"{name[: room - half]}...{name[-half:]}{colon}{behind}"


def points_of_region(
    region: RegionReport,
    number: int,
    label: str,
    measured: Mapping[Position, Measured] = MappingProxyType({}),
) -> list[Point]:
    """Return the points of one region, one for each machine; ``measured`` by file, first line and machine."""
    span = region.profile.span
    return [
        replace(
            _point(projection, number, label, index),
            measured=measured.get((span.path, span.line, projection.machine.id, region.profile.launch)),
            best=None if index else _best_of(region, projection),
            is_whole=is_sum(region),
        )
        for index, projection in enumerate(region.projections)
    ]


def _best_of(region: RegionReport, projection: Projection) -> Best | None:
    """Return the most intensity of the level that limits a region, else of memory, where a bound is known."""
    if not region.best:
        return None
    own = next((each for each in region.best if each.level == projection.level), region.best[-1])
    return None if own.most is None else Best(own.level, own.now, own.most)


def is_sum(region: RegionReport) -> bool:
    """Return whether a region that is shown is the sum of nests that are shown too."""
    return bool(region.nests) and shown_whole(region) is region


def _point(projection: Projection, number: int, label: str, machine: int) -> Point:
    own = projection.intensity.number
    rate = None if projection.attainable is None else projection.attainable.value
    why = why_short = ""
    if projection.bandwidth_rate is not None:
        why_short = "no FLOPs"
        why = f"{why_short}: {format_rate(projection.bandwidth_rate.value, 'B/s')}"
    elif not own:
        why = why_short = "intensity depends on sizes" if projection.intensity.formula else "no intensity"
    elif not rate:
        why, why_short = reason_text(projection.reason), reason_title(projection.reason)
    ends = projection.attainable_range
    return Point(
        number,
        label,
        machine,
        intensity=float(own) if own and rate else None,
        flop_per_s=rate,
        levels=tuple((each.level, float(each.intensity.number)) for each in projection.levels if each.intensity.number),
        bound=bound_text(projection),
        why=why,
        why_short=why_short,
        interval=_interval(projection.intensity),
        rates=None if ends is None or ends[0] == ends[1] else (ends[0].value, ends[1].value),
        seconds=projection.seconds or 0.0,
    )


def ranges_text(numbers: Sequence[int]) -> str:
    """Render numbers with runs contracted.

    >>> ranges_text([1, 2, 3, 5, 7, 8])
    '1-3, 5, 7, 8'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def _interval(intensity: Ratio) -> tuple[float, float] | None:
    """Return both ends where they differ; 0 and infinity are among them."""
    lower, upper = intensity.lower, intensity.upper
    if intensity.formula or lower is None or lower == upper:
        return None
    return float(lower), math.inf if upper is None else float(upper)


def _precisions(report: Report) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for file in report.files:
        for region in file.regions:
            for precision, flops in region.profile.work.flops_by_precision.items():
                if precision.is_float and not flops.is_zero:
                    names["fp64" if precision is ScalarType.FP80 else precision.value] = None
    return tuple(names) or ("fp64",)


def _roofs(number: int, machine: Machine, report: Report, precisions: Sequence[str], *, brief: bool) -> Roofs | None:
    basis = Basis(str(report.options.get("peak", Basis.SUSTAINED.value)))
    cores = report.options.get("cores")
    slopes = []
    linked = _linked(machine, report)
    for name in (machine.memory.name, *linked) if brief else (*machine.level_names, *linked):
        chosen = machine.bandwidth(name, basis, cores)
        if chosen is not None:
            slopes.append(_slope(name, chosen.rate.value))
    slopes += () if brief else _paths(machine, report)
    found: dict[float, dict[str, str]] = {}
    for precision in precisions:
        if machine.peak_of(precision) is None:
            continue
        for mode, simd, label in _MODES[: 1 if brief else None]:
            if not simd and machine.core is None:
                continue
            peak = machine.choose_peak(precision, mode=mode, simd=simd, kind=basis, cores=cores)
            if peak is not None:
                found.setdefault(peak.rate.value, {}).setdefault(precision, label)
    flats = [Flat(_flat_label(labels, rate), rate, tuple(labels)) for rate, labels in found.items()]
    if not slopes or not flats:
        return None
    return Roofs(
        number,
        machine.name,
        tuple(sorted(slopes, key=lambda slope: -slope.bytes_per_s)),
        tuple(sorted(flats, key=lambda flat: -flat.flop_per_s)),
        machine.memory.name,
    )


def _slope(name: str, bytes_per_s: float) -> Slope:
    return Slope(f"{name} {format_rate(bytes_per_s, 'B/s')}", bytes_per_s, name)


def _paths(machine: Machine, report: Report) -> Iterator[Slope]:
    """Yield the roofs that bound a region and are none of a level, such as the path from L1 to the registers."""
    parts = (part for region in report.regions for part in regions_shown(region))
    own = [found for part in parts for found in part.projections if found.machine.id == machine.id]
    levels = {level.level: level for found in own for level in found.levels if level.level == found.level}
    for name, level in levels.items():
        if name not in (*machine.level_names, host_memory(machine)):
            yield _slope(name, level.bandwidth.rate.value)


def _linked(machine: Machine, report: Report) -> tuple[str, ...]:
    """Return the memory of the host where a region moves bytes over the link to it."""
    name = host_memory(machine)
    parts = (part for region in report.regions for part in regions_shown(region))
    used = {level.level for part in parts for found in part.projections for level in found.levels}
    return (name,) if name in used and name is not None else ()


def _flat_label(labels: Mapping[str, str], rate: float) -> str:
    """Return the precisions with what they compute with, together where that is the same.

    >>> _flat_label({"fp32": "no FMA", "fp64": "FMA"}, 2e12), _flat_label({"fp32": "FMA", "fp64": "FMA"}, 2e12)
    ('fp32 no FMA, fp64 FMA 2 TFLOP/s', 'fp32, fp64 FMA 2 TFLOP/s')
    """
    together: dict[str, list[str]] = {}
    for precision, label in labels.items():
        together.setdefault(label, []).append(precision)
    parts = [f"{', '.join(precisions)} {label}" for label, precisions in together.items()]
    return f"{', '.join(parts)} {format_rate(rate)}"


def limits(roofs: Sequence[Roofs], positions: Sequence[tuple[float, float]]) -> tuple[float, float, float, float]:
    """Return limits that hold every point and every ridge, rounded outwards to half decades."""
    ridges = [flat.flop_per_s / slope.bytes_per_s for m in roofs for flat in m.flats[:1] for slope in m.slopes]
    xs = [x for x, _ in positions] + ridges or [0.1, 10.0]
    left, right = outwards(min(xs) / 2.5, -1), outwards(max(xs) * 4, 1)
    ys = [y for _, y in positions] + [m.outermost * left * 1.5 for m in roofs] or [1e9]
    tops = [m.peak for m in roofs] + [y for _, y in positions] or [1e12]
    return left, right, outwards(min(ys) / 2, -1), outwards(max(tops) * 1.6, 1)


def outwards(value: float, direction: int) -> float:
    """Round to the half decade below (``direction`` -1) or above (1)."""
    exponent = math.log10(value) * 2
    return float(10 ** ((math.floor(exponent) if direction < 0 else math.ceil(exponent)) / 2))
