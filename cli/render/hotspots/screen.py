"""The first screen as a value: a heading, rows at any level of detail, and notes; renderers lay it out.

What does not fit is folded: a note says how much of the time that is, and which option shows it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from analyzer.cache_lines import DEFAULT_LINE_BYTES
from analyzer.ir.index import Poly
from analyzer.ir.nodes import RegionKind
from roofline.model.advice.kinds import ReuseData
from roofline.model.expectation.expected import Holder
from roofline.model.projection import Bound
from roofline.report.report import Report
from roofline.report.sentences import TOO_CLOSE

from ..words.numbers import times
from .alike import alike_together
from .costs import Costs, costs_of
from .groups import Group, group_rows, groups_of
from .hotspots import Hotspot, in_order
from .reasons import Note, best_advice, cores_of, notes_of
from .roles import Location, Role
from .rows import Context, Detail, Row, percent_text, rows_of, without_cut_columns
from .view import Sort, View
from .weights import ASSUMED_SIZE, at_common_sizes

_TOP_OF_A_FILE, _TOP_OF_SEVERAL = 12, 24
_SHOWN_WEIGHT = 0.99
_MOST_WEIGHT, _LITTLE = 0.9, 0.01  # beyond which what is that little, one by one, is folded
_ALL = 0
_LEAST_ROWS = 3
_MOST_INSTANCES = 3  # of a template whose rows alone would fill the screen
_LOST = frozenset({"AI001", "AI213", "AI216"})  # syntax errors, parts left out, figures that contradict


class Screen(Struct, frozen=True, kw_only=True):
    """What was analyzed on which machines, the rows at a level of detail (none above a sweep), and the notes.

    ``nothing`` says why there is no row; it is empty where there are some.  ``order`` has the locations of all
    hotspots, the heaviest first, also of those folded.
    """

    heading: str
    rows: Callable[[Detail], Sequence[Row]]
    notes: tuple[Note, ...]
    nothing: str = ""
    order: tuple[Location, ...] = ()


def screen_of(report: Report, view: View) -> Screen:
    """Return the first screen of a report."""
    costs, heading = costs_of(report), _heading(report)
    order = tuple(spot.location for spot in costs.spots)
    if not costs.spots:
        return Screen(heading=heading, rows=lambda _: (), notes=(), nothing=_nothing(report))
    if view.is_above_sweep:  # whose tables have the figures of every size
        return Screen(heading=heading, rows=lambda _: (), notes=tuple(cores_of(costs.spots)))
    context = _context(costs, report, view)
    if view.by == "nest":
        costs = costs if view.top == _ALL else replace(costs, spots=alike_together(costs.spots))
        shown = _shown(costs, view, context)
        parts = costs.parts if view.top == _ALL else ()
        reasons = tuple(notes_of(shown, names_all=view.top == _ALL))
        notes = (
            *([_of_first(report)] if reasons and context.machines > 1 else ()),
            *reasons,
            *_undecided(shown, reasons),
            *_ordered(costs, view),
            *_folded(costs, [*shown, *parts]),
            *_more(costs, report),
        )

        def rows(detail: Detail) -> Sequence[Row]:
            return without_cut_columns(tuple(rows_of(shown, context, detail, parts)))

        return Screen(heading=heading, rows=rows, notes=notes, order=order)
    groups = groups_of(_sorted(costs.spots, view.sort), view.by)
    few = groups[: _most(view, context)]
    notes = (*_folded_groups(groups, few, view.by), *_more(costs, report))
    return Screen(heading=heading, rows=lambda detail: tuple(group_rows(few, context, detail)), notes=notes)


def _of_first(report: Report) -> Note:
    """Return which of several machines the reasons and the advice are for."""
    return Note("machine", f"limits and advice below are those on {report.machines[0].id}, the first one")


def _nothing(report: Report) -> str:
    """Return why there is no row: there is no loop, or what there is was left out."""
    left_out = any(found.code in _LOST for file in report.files for found in file.profile.diagnostics)
    return "nothing to show: what was found is left out, as the messages say" if left_out else "no loop found"


def _heading(report: Report) -> str:
    """Return what was analyzed, and on which machines with how many cores."""
    paths = {profile.path for profile in report.profiles}
    what = next(iter(paths)) if len(paths) == 1 else f"{len(paths):,} files"
    if len(paths) == 1 < len(report.files):
        what += f" ({len(report.files):,} code blocks)"
    peak = report.options.get("peak", "sustained")
    machines = []
    for target in report.targets:
        cores = target.machine.unit_count(target.options.cores)
        name = target.machine.units.name if target.machine.gpu is not None else "core"
        units = name if cores == 1 else f"{name}s"
        machines.append(f"{target.machine.id} ({cores} {units})")
    if machines:
        return f"{what} on {', '.join(machines)}, {peak} figures"
    return f"{what}, advice from strides alone: gains need --machine" if report.options.get("advise") else what


def _context(costs: Costs, report: Report, view: View) -> Context:
    spots = costs.spots
    timed = all(spot.time is not None for spot in spots)
    return Context(
        seconds=sum(spot.weight for spot in spots) if timed else None,
        several_files=len({spot.location[0] for spot in spots}) > 1,
        machines=len(report.machines),
        exact=view.exact,
        by_role=costs.by_role and view.sort == "time",
    )


def _sorted(spots: Sequence[Hotspot], key: Sort) -> Sequence[Hotspot]:
    """Return hotspots in an order: by time as they are; by an amount the largest first."""

    def amount(spot: Hotspot) -> float:
        if key == "intensity":
            return float(spot.first.intensity.number or 0)
        return at_common_sizes((spot.flops if key == "flops" else spot.first.moved).estimate, spot.profile)

    match key:
        case "time":
            return spots
        case "source":
            return sorted(spots, key=lambda spot: spot.location)
        case "flops" | "bytes" | "intensity":
            return sorted(spots, key=amount, reverse=True)
        case _:
            assert_never(key)


def _most(view: View, context: Context) -> int | None:
    """Return how many rows there are at most; None for all."""
    if view.top is not None:
        return view.top or None
    return _TOP_OF_SEVERAL if context.several_files else _TOP_OF_A_FILE


def _shown(costs: Costs, view: View, context: Context) -> Sequence[Hotspot]:
    """Return the rows that are not folded: as many as asked for, else the heaviest with nearly all of the time.

    Where the order is by role these are what the program repeats, with the heaviest of the others, but for its set-up
    and what only drives them.
    """
    most = _most(view, context)
    if view.top is not None or view.sort != "time":
        return _sorted(costs.spots, view.sort)[:most]
    spots: Sequence[Hotspot] = costs.spots
    if costs.by_role:
        computing = [spot for spot in spots if spot.role < Role.DRIVING]
        spots = costs.spots[: max(len(computing), _LEAST_ROWS)]
    usual = [spot for spot in spots if _works_at_common_sizes(spot)]
    spots = usual if len(usual) >= _LEAST_ROWS else spots
    spots = spots if most is None or len(spots) <= most else _heaviest_instances(spots)
    repeated = [spot for spot in spots if costs.by_role and spot.role is Role.REPEATED][:most]
    wanted: set[Location] = {spot.location for spot in repeated}
    others = [spot for spot in spots if spot.location not in wanted]
    total, kept = (sum(spot.weight for spot in several) for several in (spots, repeated))
    for spot in sorted(others, key=lambda spot: (spot.role, -spot.weight))[
        : None if most is None else most - len(wanted)
    ]:
        is_little = kept >= _MOST_WEIGHT * total and spot.weight < _LITTLE * total
        if len(wanted) >= _LEAST_ROWS and (is_little or kept >= _SHOWN_WEIGHT * total):
            break
        wanted.add(spot.location)
        kept += spot.weight
    return in_order([spot for spot in spots if spot.location in wanted])


def _heaviest_instances(spots: Sequence[Hotspot]) -> Sequence[Hotspot]:
    """Return the rows with the heaviest instances of each template alone."""
    of_location: dict[Location, list[Hotspot]] = {}
    for spot in spots:
        of_location.setdefault(spot.location, []).append(spot)
    kept = (sorted(each, key=lambda spot: -spot.weight)[:_MOST_INSTANCES] for each in of_location.values())
    return [spot for each in kept for spot in each]


def _works_at_common_sizes(spot: Hotspot) -> bool:
    """Return whether a nest does its work at sizes that are not special (``if (n == 3) for ...``), if it does any."""
    counted = [count for count in (spot.flops, spot.first.moved) if not count.is_zero]
    return not counted or any(at_common_sizes(count.estimate, spot.profile) for count in counted)


def _ordered(costs: Costs, view: View) -> Iterator[Note]:
    """Yield what the order is, where it is not that of times alone."""
    if costs.by_role and view.sort == "time":
        yield Note(
            "order",
            f"what loops call or repeat first, then by growth (unknown sizes as {ASSUMED_SIZE:,}); "
            "set-up, input and output last",
        )


def _undecided(shown: Sequence[Hotspot], reasons: Sequence[Note]) -> Iterator[Note]:
    """Yield what a question mark after a bound means, where no reason says it."""
    found = (spot.first.projection for spot in shown)
    is_marked = any(projection is not None and projection.close_call for projection in found)
    if is_marked and not any(TOO_CLOSE in note.text for note in reasons):
        yield Note("?", "another bound is within the spread of the figures")


def _folded(costs: Costs, shown: Sequence[Hotspot]) -> Iterator[Note]:
    """Yield how many nests are not shown, and their part of the time, or how many of them are set-up."""
    spots = costs.spots
    instances = _folded_instances(spots, shown)
    for name, number in instances.items():
        yield Note("folded", f"{times(number, 'more instance')} of {name} (--all)")
    less = len(spots) + len(costs.parts) - len(shown) - instances.total()
    if not less:
        return
    if costs.by_role:
        what = "".join(
            f", {held} of them {kind}"
            for role, kind in ((Role.SET_UP, "set-up, input or output"), (Role.DRIVING, "drivers of other nests"))
            if (held := _count(spots, role) - _count(shown, role))
        )
    else:
        total = sum(spot.weight for spot in spots)
        part = sum(spot.weight for spot in spots if spot not in shown) / total if total else 0.0
        sizes = "" if all(spot.time is not None for spot in spots) else f" with unknown sizes of {ASSUMED_SIZE:,}"
        what = f", {percent_text(part)} of the time{sizes}" if part > 0 else ""
    inside = len([spot for spot in costs.parts if spot not in shown])
    what += f", {inside} of them counted in those above" if inside else ""
    yield Note("folded", f"{times(less, 'more nest')}{what} (--all, --top N)")


def _folded_instances(spots: Sequence[Hotspot], shown: Sequence[Hotspot]) -> Counter[str]:
    """Return how many instances are not shown of templates of which some are, by name."""
    locations, rows = {spot.location for spot in shown}, {(spot.location, spot.within) for spot in shown}
    folded = [spot for spot in spots if spot.location in locations and (spot.location, spot.within) not in rows]
    return Counter(spot.within.partition("<")[0] for spot in folded)


def _count(spots: Sequence[Hotspot], role: Role) -> int:
    return sum(1 for spot in spots if spot.role is role)


def _folded_groups(groups: Sequence[Group], shown: Sequence[Group], by: str) -> Iterator[Note]:
    if len(groups) > len(shown):
        yield Note("folded", f"{times(len(groups) - len(shown), f'more {by}')} (--all, --top N)")


def _is_held_by_core(spot: Hotspot) -> bool:
    projection = spot.first.projection
    expected = None if projection is None else projection.expected
    return expected is not None and expected.held_by is Holder.CORE


def _goes_from_line_to_line(spot: Hotspot) -> bool:
    """Return whether several loops on a CPU could go along lines, which the innermost one goes across."""
    if spot.profile.kind is RegionKind.KERNEL:
        return False
    references = (each for each in spot.profile.access_patterns.references if len(each.loops) > 1)
    return any(step is not None and _is_far(step) for each in references for step in each.steps_bytes[-1:])


def _is_far(step: Poly) -> bool:
    return bool(step.terms) and (step.constant is None or abs(step.constant) >= DEFAULT_LINE_BYTES)


def _more(costs: Costs, report: Report) -> Iterator[Note]:
    """Yield what is assumed, in short, and which options show more."""
    if costs.assumed:
        first, others = costs.assumed[0], len(costs.assumed) - 1
        yield Note("assumed", f"{first}" + (f", and {others:,} more" if others else ""))
    if not report.machines:
        yield Note("bound", "name a machine to see it, as in --machine v100 (ai-estimate machines lists them)")
    hottest = costs.spots[0]
    advice = best_advice(hottest.advice)
    repeated = hottest.heading is not None and hottest.first.bound is Bound.MEMORY
    waits = advice is None and (hottest.first.bound is Bound.LATENCY or _is_held_by_core(hottest))
    orders = repeated or waits or isinstance(advice, ReuseData) or _goes_from_line_to_line(hottest)
    untried = "; --advise tries other loop orders" if orders and not _is_tried(report) else ""
    yield Note("more", f"-v has formulas, bytes by level and what is assumed; --explain the derivation{untried}")


def _is_tried(report: Report) -> bool:
    return bool(report.options.get("advise")) or all(machine.gpu is not None for machine in report.machines)
