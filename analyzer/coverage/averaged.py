"""Regions as a run had them: means where sizes vary from call to call, and a note of the values that they take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from ..frontend.lower.logic import negate
from ..given_values import TRIP, number_of
from ..ir.branches import PROBABILITY, branch_symbols
from ..ir.conditions import condition_indices, leaves
from ..ir.nodes import Assumption, Condition, DataDependent, Guard, Loop, Node, Not, Region, Strided, Truth
from ..ir.passes.stated_trips import with_mean
from ..ir.text import condition_text
from ..ir.traverse import bounds_of, map_bodies, walk
from .binding import Bound

_MOST_NAMED = 8


def with_run(regions: Iterable[Region], bound: Bound) -> tuple[Region, ...]:
    """Return the regions with the mean trip counts of loops that are still open, and with what they take as a note."""
    if not (bound.trips or bound.chances):
        return tuple(regions)
    return with_notes((_with_chances(_with_means(region, bound), bound) for region in regions), bound)


def _with_means(region: Region, bound: Bound) -> Region:
    """Return a region in which loops whose sizes vary from call to call, or that end early, have their mean."""
    known = {symbol.name for symbol in region.symbols if symbol.value is not None}
    for visit in walk(region):
        loop = visit.node
        if not isinstance(loop, Loop) or not isinstance(loop.range, Strided):
            continue
        where = (loop.span.path, loop.span.line)
        ratio = bound.trips.get(where)
        outer = {around.iterator for around in visit.loops}
        names = (loop.range.start.names() | loop.range.stop.names()) - known - outer
        if ratio is None or not (names or where in bound.ended_early):
            continue
        region = with_mean(region, loop, f"{TRIP}{loop.span.line}", ratio.value, has_exits=True)
    return region


def _with_chances(region: Region, bound: Bound) -> Region:
    """Return a region in which conditions on open sizes hold as often as they did in the run."""
    guards = [visit.node for visit in walk(region) if isinstance(visit.node, Guard)]
    on_data = {_where(guard) for guard in guards if _is_on_data(guard)}
    fixed = _fixed_names(region)
    counted = [guard for guard in guards if _where(guard) in bound.chances.keys() - on_data]
    opposites = {condition_text(negate(guard.condition)): guard for guard in counted}
    always: set[str] = set()

    def changed(node: Node) -> Node:
        node = map_bodies(node, lambda body: tuple(map(changed, body)))
        if not isinstance(node, Guard) or not _open_names(node, fixed):
            return node
        if _where(node) in bound.chances:
            condition = node.condition if _where(node) in on_data else _held(node, bound)
            span = node.span
        elif (other := opposites.get(condition_text(node.condition))) is not None:  # what follows an early return
            condition, span = negate(_held(other, bound)), other.span
        else:
            return node
        if isinstance(condition, Truth):
            held = node.condition if condition.holds else negate(node.condition)
            always.add(f"{condition_text(held)} in line {span.line}")
        return replace(node, condition=condition, span=span)

    body = tuple(map(changed, region.body))
    return _with_note(replace(region, body=body), sorted(always))


def _fixed_names(region: Region) -> frozenset[str]:
    """Return the symbols with a value, and the iterators that start and stop at such."""
    fixed = {symbol.name for symbol in region.symbols if symbol.value is not None} | dict(region.averages).keys()
    for visit in walk(region):
        if isinstance(visit.node, Loop) and all(bound.names() <= fixed for bound in bounds_of(visit.node.range)):
            fixed.add(visit.node.iterator)
    return frozenset(fixed)


def _held(guard: Guard, bound: Bound) -> Condition:
    """Return the condition of a guard as the run has it: always, never, or with the probability of its line."""
    chance = bound.chances[_where(guard)]
    name = f"{PROBABILITY}{guard.span.line}"
    always, never = chance.ratio.part == chance.ratio.whole, chance.ratio.part == 0
    if (always or never) and name in bound.values:
        return Truth(always is not chance.is_negated)
    condition = DataDependent(f"run_L{guard.span.line}", condition_text(guard.condition))
    return Not(condition) if chance.is_negated else condition


def with_notes(regions: Iterable[Region], bound: Bound) -> tuple[Region, ...]:
    """Return the regions, each with the values that it takes from the run as an assumption."""
    done = []
    for region in regions:
        names = {*(symbol.name for symbol in region.symbols), *branch_symbols(region), *dict(region.averages)}
        names |= {f"{TRIP}{visit.node.span.line}" for visit in walk(region) if isinstance(visit.node, Loop)}
        texts = []
        for name in sorted(names):
            value = bound.values.get(f"{name}@{region.function}", bound.values.get(name))
            if value is not None and _is_open(region, name):
                texts.append(f"{name} = {_shown(value)}")
        done.append(_with_note(region, texts))
    return tuple(done)


def _with_note(region: Region, texts: Sequence[str]) -> Region:
    if not texts:
        return region
    more = ("...",) if len(texts) > _MOST_NAMED else ()
    note = Assumption.of("AI319", region.span, "bound", values=(*texts[:_MOST_NAMED], *more))
    return replace(region, assumptions=(*region.assumptions, note))


def _is_open(region: Region, name: str) -> bool:
    """Return whether a trip count is one that the region depends on; of other names it is known."""
    if not name.startswith(TRIP):
        return True
    return any(symbol.name == name for symbol in region.symbols) or name in dict(region.averages)


def _shown(value: str) -> str:
    number = number_of(value)
    return value if number is None or isinstance(number, int) else f"{float(number):.4g}"


def _where(node: Node) -> tuple[str, int]:
    return node.span.path, node.span.line


def _is_on_data(guard: Guard) -> bool:
    """Return whether data decide a condition, which has the probability of its line as it is."""
    unknown = any(index.unknowns() for index in condition_indices(guard.condition))
    return unknown or any(isinstance(leaf, DataDependent) for leaf in leaves(guard.condition))


def _open_names(guard: Guard, bound: frozenset[str]) -> frozenset[str]:
    return frozenset().union(*(index.names() for index in condition_indices(guard.condition))) - bound
