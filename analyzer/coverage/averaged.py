"""Regions as a run had them: mean trip counts, shares of conditions, and nothing that leaves a loop early.

A loop that data may end, or whose sizes vary, has its mean trip count, a condition on data the share of its evaluations
in which it held, and what follows a statement that may leave a block the share in which it was reached.  Their products
along a path are what the run did if each was recorded as often as the path says (:attr:`.Region.counted`).  They are
not where a function was called from several points, or where instances of a template share the counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from ..frontend.lower.logic import negate
from ..given_values import is_trip, number_of, trip_of_line
from ..ir.branches import branch_symbols
from ..ir.conditions import condition_indices
from ..ir.index import ZERO, Number, Poly, const, maximum, var
from ..ir.nodes import (
    Assumption,
    DataDependent,
    Exit,
    Guard,
    Loop,
    Node,
    Range,
    Region,
    Statement,
    Strided,
    Symbol,
    SymbolOrigin,
    Uncounted,
)
from ..ir.traverse import all_nodes, bounds_of
from ..ir.walk import exits_in, walk
from ..ir.written.text import condition_text
from ..source import Span
from .binding import Bound, trip_of
from .loop_counts import Ratio
from .shares import Here, Shares

_MOST_NAMED = 8


class OfRun(Struct, frozen=True):
    """Regions as a run had them, and the lines of ways out of loops and functions that it counted."""

    regions: tuple[Region, ...]
    settled: frozenset[int]


def with_run(regions: Iterable[Region], bound: Bound) -> OfRun:
    """Return the regions with the means and shares of the run, and with the values that they take as a note."""
    if not (bound.ratios.trips or bound.ratios.chances):
        return OfRun(tuple(regions), frozenset())
    found = [_OfRun(region, bound) for region in regions]
    rewritten = with_notes((one.region() for one in found), bound)
    return OfRun(rewritten, frozenset().union(*(one.ways_out for one in found)))


class _Left(Struct, frozen=True):
    """What nodes became, and how often they leave each loop (None: the region) in one execution of the region.

    ``exits`` is None where that is not known: they are still there.
    """

    nodes: tuple[Node, ...]
    exits: Mapping[str | None, Fraction] | None


class _Context(Struct, frozen=True):
    """The context of a node: it runs so many ``times`` in one execution of the region, if that is known.

    ``known`` are the symbols with a value and the iterators of loops around it that take the same values each time;
    ``on_data``: below conditions on data.  ``recorded`` is how often the block around it ran, by function.
    """

    times: Fraction | None
    known: frozenset[str]
    on_data: bool = False
    recorded: Mapping[Span, int] = {}

    def below(self, share: Fraction | None, *, on_data: bool) -> _Context:
        """Return the context of an arm that is taken in a share of all executions."""
        times = None if share is None or self.times is None else self.times * share
        return replace(self, times=times, on_data=self.on_data or on_data, recorded={})


class _OfRun:
    """A region that is rewritten."""

    def __init__(self, region: Region, bound: Bound) -> None:
        self._region = region
        self._fixed = frozenset(symbol.name for symbol in region.symbols if symbol.value is not None)
        self._shares = Shares(region, bound)
        self._symbols = {symbol.name: symbol for symbol in region.symbols}
        self._averages = dict(region.averages)
        self._values = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
        if self._values.keys() & bound.given:  # of another run
            self._shares.are_counted = False
        self._means: dict[str, Number] = {}
        self.ways_out: set[int] = set()
        self._notes: dict[str, None] = {}
        self._alike: dict[Poly, Ratio] = {}  # by the trip counts of loops that each execution of the region enters once

    def region(self) -> Region:
        """Return the region as the run had it."""
        found = self._block(self._region.body, _Context(Fraction(1), self._fixed))
        region = replace(
            self._region,
            body=found.nodes,
            symbols=tuple(self._symbols.values()),
            averages=tuple(self._averages.items()),
            counted=self._shares.are_counted and found.exits is not None,
        )
        return _with_note(region, sorted(self._notes))

    def _block(self, nodes: Sequence[Node], context: _Context) -> _Left:
        """Return nodes in a row: what follows one that may leave them runs in the share in which it did not.

        What never ran is left out.
        """
        if context.times == 0:
            self.ways_out |= {node.span.line for node in all_nodes(nodes) if isinstance(node, Exit)}
            return _Left((), {})
        kept: list[Node] = []
        for index, node in enumerate(nodes):
            context = replace(context, recorded={**context.recorded, **self._shares.recorded(node)})
            found = self._node(node, context)
            kept += found.nodes
            if found.exits is None:
                rest = self._block(nodes[index + 1 :], replace(context, times=None))
                return _Left((*kept, *rest.nodes), None)
            if not found.exits or context.times is None:
                continue
            share = 1 - sum(found.exits.values()) / context.times if context.times else Fraction(0)
            rest = self._block(nodes[index + 1 :], context.below(share, on_data=True)) if share > 0 else _Left((), {})
            if rest.nodes:
                stays = DataDependent(f"stays_L{node.span.line}", f"line {node.span.line} does not leave", share=share)
                kept.append(Guard(stays, rest.nodes, (), node.span))
            return _Left(tuple(kept), _sum(found.exits, rest.exits))
        return _Left(tuple(kept), {})

    def _node(self, node: Node, context: _Context) -> _Left:
        match node:
            case Statement():
                return _Left((node,), {})
            case Exit():
                if context.times is None:
                    return _Left((node,), None)
                self._shares.leave(node.span.line, context.times)
                self.ways_out.add(node.span.line)
                return _Left((), {node.loop: context.times})
            case Guard():
                return self._guard(node, context)
            case Loop():
                return self._loop(node, context)

    def _is_open(self, names: frozenset[str], context: _Context) -> bool:
        """Return whether names have other values from one execution to the next, or in those that data choose."""
        return not names <= (self._fixed if context.on_data else context.known)

    def _guard(self, guard: Guard, context: _Context) -> _Left:
        loop = _entered_by(guard)
        if loop is not None and self._mean_of(loop, context) is not None:
            return self._loop(loop, context)  # the mean is that of all times, also of those without an iteration
        names = frozenset().union(*(index.names() for index in condition_indices(guard.condition)))
        here = Here(context.times, context.recorded)
        decided = self._shares.of(guard, here, is_open=self._is_open(names, context))
        if decided.is_always is not None:
            held = guard.condition if decided.is_always else negate(guard.condition)
            self._notes[f"{condition_text(held)} in line {guard.span.line}"] = None
        inverse = None if decided.share is None else 1 - decided.share
        then = self._block(guard.body, context.below(decided.share, on_data=decided.is_on_data))
        orelse = self._block(guard.orelse, context.below(inverse, on_data=decided.is_on_data))
        condition, body, others = decided.condition, then.nodes, orelse.nodes
        if not body:
            condition, body, others = negate(condition), others, ()
        made = replace(guard, condition=condition, body=body, orelse=others, span=decided.span)
        return _Left((made,) if body else (), _sum(then.exits, orelse.exits))

    def _has_open_bounds(self, loop: Loop, context: _Context) -> bool:
        return self._is_open(frozenset().union(*(bound.names() for bound in bounds_of(loop.range))), context)

    def _mean_of(self, loop: Loop, context: _Context) -> Ratio | None:
        """Return the iterations of a loop that takes its mean from the run; None of one that keeps its range."""
        leaves = any(True for node in loop.body for _ in exits_in(node))
        is_averaged = leaves or isinstance(loop.range, Uncounted) or self._has_open_bounds(loop, context)
        if not is_averaged:
            return None
        found, trip = self._shares.trip(loop), trip_of(loop)
        if leaves or trip is None or context.times != 1 or context.on_data:
            return found
        trip = maximum((ZERO, trip))
        return self._alike.get(trip) if found is None else self._alike.setdefault(trip, found)

    def _loop(self, loop: Loop, context: _Context) -> _Left:
        ratio = self._mean_of(loop, context)
        if ratio is None:
            known = self._shares.trip(loop)
            return self._as_it_is(loop, context, known, is_open=self._has_open_bounds(loop, context))
        self._shares.check(ratio, context.times)
        mean, nodes = self._entered(loop, ratio)
        times = None if context.times is None else context.times * mean
        recorded = self._shares.iterations(loop, ratio) if mean == ratio.value else {}
        found = self._block(nodes, replace(context, times=times, recorded=recorded))
        changed = replace(loop, range=self._averaged(loop, mean), body=found.nodes)
        if found.exits is None:
            return _Left((changed,), None if any(True for _ in exits_in(loop)) else {})
        outer = {target: number for target, number in found.exits.items() if target != loop.iterator}
        return _Left(self._tested(replace(changed, ends_early=False), ratio), outer)

    def _entered(self, loop: Loop, ratio: Ratio) -> tuple[Fraction, tuple[Node, ...]]:
        """Return how often the body of a loop is entered, and the body without tests of the loop's condition.

        Where loops compute the condition these stand in the body, which is entered once more: with the share in which
        each test leaves the loop.
        """
        tests = [index for index, node in enumerate(loop.body) if self._shares.is_of_condition(node, loop)]
        before = loop.body[: tests[-1]] if tests else ()
        operands = self._shares.tests(loop.span)[-len(tests) :]
        if all(isinstance(node, Statement) or index in tests for index, node in enumerate(before)):
            return ratio.value, tuple(node for index, node in enumerate(loop.body) if index not in tests)
        if len(operands) < len(tests):
            self._shares.are_counted = False
            return ratio.value, tuple(node for index, node in enumerate(loop.body) if index not in tests)
        nodes = list(loop.body)
        for index, held in zip(tests, operands, strict=True):
            share = 1 - held.value if held.whole else Fraction(0)
            ends = DataDependent(f"ends_L{loop.span.line}.{index}", "the condition of the loop ends it", share=share)
            nodes[index] = Guard(ends, (Exit(loop.iterator, loop.span),), (), loop.span)
        return Fraction(operands[0].whole, ratio.whole), tuple(nodes)

    def _as_it_is(self, loop: Loop, context: _Context, ratio: Ratio | None, *, is_open: bool) -> _Left:
        """Return a loop with the range that the source gives it."""
        trip = trip_of(loop)
        number = None if trip is None else trip.substitute(self._values).constant
        if ratio is not None and number is not None and max(number, 0) != ratio.value:
            self._shares.are_counted = False
        times = None if ratio is None or context.times is None else context.times * ratio.value
        known = context.known if is_open or isinstance(loop.range, Uncounted) else context.known | {loop.iterator}
        found = self._block(loop.body, replace(context, times=times, known=known, recorded={}))
        if is_open or isinstance(loop.range, Uncounted) or found.exits is None:
            self._shares.are_counted = False
        changed = replace(loop, body=found.nodes)
        return _Left((changed,), None if any(True for _ in exits_in(changed)) else {})

    def _tested(self, loop: Loop, ratio: Ratio) -> tuple[Node, ...]:
        """Return a loop whose condition is computed as often as the run did."""
        if not loop.header:
            return (loop,)
        operands = self._shares.tests(loop.span)
        tests = operands[-1].whole if 0 < len(operands) < 3 else 0
        if tests < ratio.part:
            self._shares.are_counted = False
            return (loop,)
        if tests == ratio.part + ratio.whole:
            return (loop,)
        within = replace(loop, header=(), body=(*loop.header, *loop.body))
        last = DataDependent(
            f"last_L{loop.span.line}", "the condition ends it", share=Fraction(tests - ratio.part, ratio.whole)
        )
        return (within, Guard(last, loop.header, (), loop.span)) if tests > ratio.part else (within,)

    def _averaged(self, loop: Loop, mean: Fraction) -> Range:
        """Return the range of a loop that has so many iterations on average."""
        if isinstance(loop.range, Uncounted) and loop.range.trip in self._symbols:
            self._give(loop.range.trip, mean)
            return loop.range
        name = self._name(loop, mean)
        self._symbols.setdefault(name, Symbol(name, None, SymbolOrigin.VARIABLE))
        self._give(name, mean)
        match loop.range:
            case Strided(start, _, step):
                return Strided(start, start + var(name) * const(step), step)
            case _:
                return Strided(ZERO, var(name))

    def _name(self, loop: Loop, mean: Fraction) -> str:
        wanted = name = trip_of_line(loop.span.line)
        number = 1
        while self._means.get(name, mean) != mean or (name in self._symbols and name not in self._means):
            number += 1
            name = f"{wanted}.{number}"
        return name

    def _give(self, name: str, mean: Fraction) -> None:
        self._means[name] = mean
        if mean.denominator == 1:
            self._averages.pop(name, None)
            self._symbols[name] = replace(self._symbols[name], value=int(mean))
        else:
            self._averages[name] = mean
            self._symbols[name] = replace(self._symbols[name], value=None)


def _entered_by(guard: Guard) -> Loop | None:
    """Return the loop that a condition which stands where the loop does lets in: that its bounds leave an iteration."""
    match guard:
        case Guard(body=(Loop() as loop,), orelse=(), span=span) if span == loop.span:
            return loop
        case _:
            return None


def _sum(
    one: Mapping[str | None, Fraction] | None, other: Mapping[str | None, Fraction] | None
) -> dict[str | None, Fraction] | None:
    if one is None or other is None:
        return None
    return {target: one.get(target, Fraction(0)) + other.get(target, Fraction(0)) for target in {**one, **other}}


def with_notes(regions: Iterable[Region], bound: Bound) -> tuple[Region, ...]:
    """Return the regions, each with the values that it takes from the run as an assumption."""
    done = []
    for region in regions:
        names = {*(symbol.name for symbol in region.symbols), *branch_symbols(region), *dict(region.averages)}
        names |= {trip_of_line(visit.node.span.line) for visit in walk(region) if isinstance(visit.node, Loop)}
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
    form = "bound" if region.counted else "means"
    note = Assumption.of("AI319", region.span, form, values=(*texts[:_MOST_NAMED], *more))
    return replace(region, assumptions=(*region.assumptions, note))


def _is_open(region: Region, name: str) -> bool:
    """Return whether a trip count is one that the region depends on; of other names it is known."""
    if not is_trip(name):
        return True
    return any(symbol.name == name for symbol in region.symbols) or name in dict(region.averages)


def _shown(value: str) -> str:
    number = number_of(value)
    return value if number is None or isinstance(number, int) else f"{float(number):.4g}"
