"""The hotspots of a report: those of all its regions, one for each nest or kernel, in the order of their weight.

Input: a report.  Output: :class:`Costs`.  The weight is the time where all sizes are known.  Where they are not, and
for times of nests that know theirs, it counts as often as the loops around the calls of the function say with the same
size (:mod:`.weights`); what the program repeats comes first then, and what sets it up last (:mod:`.roles`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from analyzer.ir.nodes import RegionKind
from analyzer.profile import RegionProfile
from analyzer.usage import FunctionUsage
from roofline.report.report import Report

from ..words.assumptions import assumptions_of
from ..words.remarks import Remark
from .hotspots import Hotspot, in_order
from .instances import hotspots_at, together_in_function
from .nests import contains, leaves_of
from .roles import Location, Program, Role
from .weights import ASSUMED_SIZE, at_common_sizes, own_share


class Costs(Struct, frozen=True):
    """The hotspots of a report, the heaviest first, those of one heading together; and what is assumed, each once.

    Without times of all of them they are ``by_role``: what the program repeats first, what sets it up last.  The
    ``parts`` are in functions that only nests with times call: these have their work already.
    """

    spots: tuple[Hotspot, ...]
    parts: tuple[Hotspot, ...]
    assumed: tuple[Remark, ...]
    by_role: bool


def costs_of(report: Report) -> Costs:
    """Return the hotspots of all files, and what is assumed of them."""
    runs: dict[Location, list[Hotspot]] = {}
    owners: dict[Location, dict[str, None]] = {}
    assumed: dict[Remark, None] = {}
    usages: list[FunctionUsage] = []
    timed: list[Location] = []  # functions with times of all that they call
    for file in report.files:
        usages += file.profile.usage
        assumed.update(dict.fromkeys(found.remark for found in assumptions_of(file)))
        for region in file.regions:
            found: dict[Location, Hotspot] = {}
            for leaf in leaves_of(region, region, None, 1, 1.0):
                if leaf.is_timed is False and leaf.flops.is_zero:
                    continue  # what a benchmark sets up, and does not measure
                found[leaf.location] = (
                    together_in_function(found[leaf.location], leaf) if leaf.location in found else leaf
                )
                if contains(region.profile.span, leaf.location):
                    owners.setdefault(leaf.location, {})[region.profile.function] = None
            for location, leaf in found.items():
                runs.setdefault(location, []).append(leaf)
            if found and all(leaf.time is not None for leaf in found.values()):
                span = region.profile.span
                timed.append((span.path, span.line, span.end_line))
    program = Program(usages)
    shown_apart = [location for location, several in runs.items() if _role_of(several[0], program) is not Role.SET_UP]

    def weighed(spot: Hotspot, share: float = 1.0) -> Hotspot:
        role = Role.DRIVING if spot.weight and not share else spot.role
        return replace(spot, weight=share * spot.weight * ASSUMED_SIZE ** program.loops_around(spot.region), role=role)

    spots = [
        spot
        for location, several in runs.items()
        for spot in hotspots_at(
            [weighed(one, own_share(one, shown_apart)) if one.time is None else one for one in several],
            [*owners.get(location, {})],
        )
    ]
    spots = [_named(spot, program) for spot in _without_wholes(spots)]
    parts = tuple(_parts(spots, timed, program))
    spots = [spot for spot in spots if spot not in parts]
    if all(spot.time is not None for spot in spots):
        spots = [replace(spot, weight=0.0) if spot.first.transfers else spot for spot in spots]
        return Costs(in_order(spots), parts, tuple(assumed), by_role=False)
    spots = [spot if spot.time is None else weighed(spot) for spot in spots]
    spots = [spot if spot.role is Role.DRIVING else replace(spot, role=_role_of(spot, program)) for spot in spots]
    by_role = len({spot.role for spot in spots}) > 1
    return Costs(in_order(spots), parts, tuple(assumed), by_role=by_role)


def _named(spot: Hotspot, program: Program) -> Hotspot:
    """Return a hotspot with the names of the functions that it and its heading are in, where the source has them."""
    heading = spot.heading
    if heading is not None:
        heading = replace(heading, function=program.function_at(heading.location))
    return replace(spot, within=spot.within or program.function_at(spot.location), heading=heading)


def _without_wholes(spots: Sequence[Hotspot]) -> Iterator[Hotspot]:
    """Yield the hotspots, but for a loop without a time whose nests have times where a caller gives the sizes."""
    is_timed = [spot.time is not None for spot in spots]
    timed = [spot.location for spot, known in zip(spots, is_timed, strict=True) if known]
    headings = {spot.heading.location for spot in spots if spot.heading is not None and spot.time is not None}
    for spot, known in zip(spots, is_timed, strict=True):
        path, first, last = spot.location
        has_timed = any(one == path and first <= start and end <= last for one, start, end in timed)
        if known or (spot.location not in headings and not has_timed):
            yield spot


def _parts(spots: Sequence[Hotspot], functions: Sequence[Location], program: Program) -> Iterator[Hotspot]:
    """Yield the hotspots whose lines others with times have counted, wherever their functions are called.

    They are called in the others, or in ``functions`` all nests of which have times.
    """
    counted: dict[tuple[str, int], set[Location]] = {}
    for spot in spots:
        for line in spot.profile.lines if spot.time is not None else ():
            counted.setdefault((line.path or spot.location[0], line.line), set()).add(spot.location)
    others = [spot for spot in spots if spot.profile.kind is not RegionKind.KERNEL]
    timed = [*functions, *(spot.location for spot in spots if spot.time is not None)]
    known = program.parts_of(timed, [spot.location for spot in others])
    for spot in (spot for spot in others if spot.location in known):
        path, first, last = spot.location
        lines = {(path, at) for at in range(first, last + 1)}
        if spot.time is None:  # also those of a driver's nests
            lines.update((line.path or path, line.line) for line in spot.profile.lines)
        if any(counted.get(line, set()) - {spot.location} for line in lines):
            yield spot


def _computes_integers(profile: RegionProfile) -> bool:
    """Return whether a nest reads at least as often as it writes, and has more operations on integers than of both."""
    counts = (profile.work.integer_operations, profile.loads.elements, profile.stores.elements)
    operations, loads, stores = (at_common_sizes(each.estimate, profile) for each in counts)
    return loads >= stores and operations > loads + stores


def _role_of(spot: Hotspot, program: Program) -> Role:
    profile = spot.profile
    if spot.is_timed is not None:
        return Role.REPEATED if spot.is_timed else Role.SET_UP
    moved = profile.compulsory_traffic
    read, written = (at_common_sizes(part.estimate, profile) for part in (moved.read_bytes, moved.write_bytes))
    computes = (not spot.flops.estimate.is_zero and read >= written) or _computes_integers(profile)
    only_fills = moved.read_bytes.is_zero and not moved.write_bytes.is_zero
    if spot.heading is None and program.is_set_up(spot.location, only_fills=only_fills, computes=computes):
        return Role.SET_UP
    if spot.heading is None and not program.loops_around(spot.location):
        return Role.ONCE
    return Role.MOVING if spot.flops.estimate.is_zero else Role.REPEATED
