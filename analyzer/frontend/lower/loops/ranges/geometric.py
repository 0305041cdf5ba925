"""Loops that multiply or divide their iterator."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from .....ir.conditions import map_condition_indices
from .....ir.index import ZERO, Atom, FloorDiv, Poly, TruncDiv, const, extremum, single_atom, var
from .....ir.nodes import Condition, Geometric, Strided
from ... import logic
from ..closed_forms.induction import (
    COUNT,
    GeometricStep,
    geometric_next,
    geometric_step,
    geometric_trip,
    geometric_trips,
    once,
)
from ..closed_forms.multiplied import of_multiplied
from ..context import Forms, LoopContext, Recognized
from ..placeholders import Moving
from .counter import Counter
from .ends import add_unknowns, exit_conditions, sorted_parts

"""Closed forms in the number of the iteration, by the name of the placeholder."""


def geometric(context: LoopContext, entries: Mapping[str, Poly], forms: Forms) -> Recognized | None:
    """Return a loop that multiplies or divides its iterator, as one over its values.

    Where other variables move with it, its iterations are numbered from 0 instead.
    """
    names = [item.name for item in context.candidates()]
    context = replace(context, condition=of_multiplied(context.condition, names, context.ends, forms))
    for item in context.candidates():
        end = context.ends[item.name]
        step = None if end is None else geometric_step(item.name, end)
        if end is None or step is None or item.name not in entries:
            continue
        condition, first = _of_counter(context, item, end, entries[item.name])
        is_later = condition is not context.condition or (context.test_last and step.shrinking)
        if is_later or any(COUNT in form.names() for name, form in forms.items() if name != item.name):
            found = _numbered(replace(context, condition=condition), first, forms, item, step)
            if found is not None:
                return found
        if context.test_last and step.shrinking:
            continue
        values = {name: form for name, form in forms.items() if COUNT not in form.names()}
        values[item.name] = var(context.iterator)
        entry = entries[item.name]
        counter = Counter(context.iterator, entry, -1 if step.shrinking else 1, item.scalar, doubles=True)
        parts = sorted_parts(context, values, counter)
        if not parts.stops or entry.unknowns():
            continue
        if context.test_last and (parts.data or parts.unknown_stops or parts.invariant):
            continue
        tested = extremum(step.shrinking, parts.stops)
        stop = once(entry, geometric_next(tested, step), 1) if context.test_last else tested
        start = context.symbols.value_of(entry)
        entry = entry if start is None or stop.constant is None else const(start)
        ends = context.symbols.value_of(stop)
        number = geometric_trip(entry, stop if ends is None else const(ends), step)
        trip = context.trip_symbol(number)
        add_unknowns(context, values)
        exits = [*parts.data, *(part for _, part in parts.unknown_stops)]
        bounds = Geometric(entry, stop, step.factor, step.shrinking, trip, step.shift)
        guard = logic.conjunction(parts.invariant)
        trips = const(number - int(context.test_last)) if number is not None else None
        if trips is None and not exits and not step.shrinking and (entry - step.shift).constant is not None:
            trips = geometric_trips(entry, tested, step)
        counted = {} if trips is None else {other: form.substitute({COUNT: trips}) for other, form in forms.items()}
        final = {other: form for other, form in counted.items() if not form.unknowns()}
        return Recognized(bounds, values, final, guard, exit_conditions(context, exits, values))
    return None


def _of_counter(context: LoopContext, item: Moving, end: Poly, entry: Poly) -> tuple[Condition, Poly]:
    """Return the condition of a loop as one of its counter, and what the first test tests.

    That of ``while (n >>= 1)`` is half of ``n``.
    """
    stepped = single_atom(end)

    def counted(atom: Atom) -> Poly:
        return var(_marker(context)) if atom == stepped else Poly({(atom,): 1})

    if isinstance(stepped, FloorDiv | TruncDiv):
        condition = map_condition_indices(context.condition, lambda index: index.map_atoms(counted))
        if condition != context.condition and item.name not in condition.names:
            return condition, end.substitute({item.name: entry})
    return context.condition, entry


def _marker(context: LoopContext) -> str:
    """Return the name of the value of a counter whose iterations are numbered."""
    return f"{context.iterator}@"


def _numbered(context: LoopContext, entry: Poly, forms: Forms, item: Moving, step: GeometricStep) -> Recognized | None:
    """Return a loop whose counter is multiplied or divided with its iterations numbered; None without its number.

    ``entry`` is the value of the counter in the first test.
    """
    marker = _marker(context)
    values = {name: form.substitute({COUNT: var(context.iterator)}) for name, form in forms.items()}
    counter = Counter(marker, entry, -1 if step.shrinking else 1, item.scalar, doubles=True)
    parts = sorted_parts(context, {**values, item.name: var(marker)}, counter)
    if item.name not in forms or len(parts.stops) != 1 or parts.unknown_stops or entry.unknowns():
        return None
    if context.test_last and (parts.invariant or parts.data):
        return None
    start = entry - step.shift
    if start.constant is not None and start.constant < 1:
        return None
    least = (parts.stops[0] - step.shift).constant
    if step.shrinking and (least is None or least < 0):
        return None
    tested = geometric_trips(entry, parts.stops[0], step)
    trips = tested + 1 if context.test_last else tested
    add_unknowns(context, values)
    guard = logic.conjunction(parts.invariant)
    final = {other: form.substitute({COUNT: tested}) for other, form in forms.items()}
    exits = exit_conditions(context, parts.data, values)
    return Recognized(Strided(ZERO, trips), values, final, guard, exits)
