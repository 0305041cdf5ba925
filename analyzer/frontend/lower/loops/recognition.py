"""From what one iteration does to the range of a loop: iterator, bounds, and the values of everything that moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from ....ir.conditions import names_of
from ....ir.index import ZERO, Poly, extremum, unknown, var
from ....ir.nodes import Compare, Condition, DataDependent, Geometric, Range, Strided, SymbolOrigin, Truth, Uncounted
from ....source import Span
from .. import logic
from ..bindings import Pointer, Slot
from ..rewrite import normal_range
from ..state import State
from .induction import (
    COUNT,
    Bound,
    bound_of,
    ceil_div,
    closed_forms,
    geometric_factor,
    geometric_trip,
    in_terms_of,
    once,
    trip_count,
)


class Moving(Struct, frozen=True):
    """A variable that a loop may change: its placeholder, its value at entry, and the pointer it was at entry.

    ``exchanged`` pointers swap their targets in each iteration; they are followed by their names at entry.
    """

    slot: Slot
    name: str
    entry: Poly | None
    pointer: Pointer | None
    exchanged: bool = False


class Recognized(Struct):
    """A loop understood: ``values`` in an iteration, ``final`` at the failing test, what guards or ends it besides."""

    range: Range
    values: dict[str, Poly]
    final: dict[str, Poly] = field(default_factory=dict)
    guard: Condition = logic.ALWAYS
    exits: list[Condition] = field(default_factory=list)


class _Parts(Struct):
    """The conjuncts of a loop's condition, sorted by what they are to the iterator."""

    stops: list[Poly] = field(default_factory=list)
    unknown_stops: list[tuple[Poly, Condition]] = field(default_factory=list)
    invariant: list[Condition] = field(default_factory=list)
    data: list[Condition] = field(default_factory=list)


def recognize(state: State, condition: Condition, test_last: bool, moving: Sequence[Moving],
              ends: Mapping[str, Poly | None], iterator: str, span: Span) -> Recognized:  # fmt: skip
    """Find the iterator and the range of a loop; what cannot be found is counted by a symbol."""
    entries = _entries(state, moving, ends, condition)
    forms = closed_forms({n: (entries[n], end) for n, end in ends.items() if end is not None and n in entries})
    main = _main(state, condition, moving, forms, iterator)
    if main is not None:
        name, entry, step = main
        found = _strided(state, condition, test_last, moving, forms, iterator, name, entry, step, span)
        if found is not None:
            return found
    geometric = _geometric(state, condition, test_last, moving, ends, entries, forms, iterator, span)
    if geometric is not None:
        return geometric
    symbolic = _symbolic_step(state, condition, test_last, moving, forms, iterator, span)
    if symbolic is not None:
        return symbolic
    return _uncounted(state, condition, test_last, moving, forms, iterator, span)


def _entries(
    state: State, moving: Sequence[Moving], ends: Mapping[str, Poly | None], condition: Condition
) -> dict[str, Poly]:
    """Values at entry; an uninitialised variable becomes a symbol only where it takes part in an induction."""
    entries: dict[str, Poly] = {}
    names = {item.name for item in moving}
    for item in moving:
        end = ends[item.name]
        if item.entry is not None:
            entries[item.name] = item.entry
        elif end is not None and item.name in end.names() & names:
            origin = (
                SymbolOrigin.UNDECLARED if item.slot.variable.storage.value == "undeclared" else SymbolOrigin.VARIABLE
            )
            entries[item.name] = state.symbol(item.slot.variable.name + item.slot.path, origin)
    return entries


def _main(state: State, condition: Condition, moving: Sequence[Moving], forms: Mapping[str, Poly],
          iterator: str) -> tuple[str, Poly, int] | None:  # fmt: skip
    """The variable that counts: tested, with a constant non-zero step; the guessed one before others."""
    tested = names_of(condition)
    for item in sorted(moving, key=lambda item: item.name != iterator):
        form = forms.get(item.name)
        if form is None or item.name not in tested:
            continue
        slope = form.coefficient(COUNT)
        entry = form.substitute({COUNT: ZERO})
        if entry + slope * var(COUNT) != form:
            continue
        step = slope.constant
        if step is None and not slope.unknowns():
            step = _known_value(state, slope)
        if step:
            return item.name, entry, step
    return None


def _known_value(state: State, poly: Poly) -> int | None:
    """The whole number that a polynomial is where the values of all its symbols are given."""
    symbols = {name: state.symbols.get(name) for name in poly.names()}
    values = {name: symbol.value for name, symbol in symbols.items() if symbol is not None and symbol.value is not None}
    number = poly.evaluate(values) if len(values) == len(symbols) else None
    return number if isinstance(number, int) else None


def _sorted_parts(state: State, condition: Condition, values: Mapping[str, Poly], unresolved: set[str], iterator: str,
                  entry: Poly, step: int, span: Span) -> _Parts:  # fmt: skip
    parts = _Parts()
    for part in logic.conjuncts(condition):
        match part:
            case Truth():
                if not part.holds:
                    parts.stops.append(entry)
                continue
            case Compare():
                if (part.left.names() | part.right.names()) & unresolved:
                    parts.data.append(part)
                    continue
                moved = logic.compare(part.comparison, part.left.substitute(values), part.right.substitute(values))
                _sort_comparison(state, parts, moved, iterator, entry, step, span)
            case _:
                invariant = not logic.depends_on_data(part) and iterator not in names_of(part)
                fixed = invariant and not names_of(part) & (unresolved | values.keys())
                (parts.invariant if fixed else parts.data).append(part)
    return parts


def _sort_comparison(
    state: State, parts: _Parts, part: Condition, iterator: str, entry: Poly, step: int, span: Span
) -> None:
    if not isinstance(part, Compare):
        if part == logic.NEVER:
            parts.stops.append(entry)
        return
    names = part.left.names() | part.right.names()
    has_unknown = bool(part.left.unknowns() | part.right.unknowns())
    if iterator not in names and not has_unknown:
        parts.invariant.append(part)
        return
    bound: Bound | None = bound_of(part, iterator, step)
    if bound is None:
        parts.data.append(part)
        return
    if bound.equality:
        state.assume_that("AI304", span, "bound")
    if bound.upper != (step > 0):
        start = logic.compare(part.comparison, part.left.substitute({iterator: entry}),
                              part.right.substitute({iterator: entry}))  # fmt: skip
        (parts.data if logic.depends_on_data(start) else parts.invariant).append(start)
    elif has_unknown:
        parts.unknown_stops.append((bound.stop, part))
    else:
        parts.stops.append(bound.stop)


def _strided(state: State, condition: Condition, test_last: bool, moving: Sequence[Moving], forms: Mapping[str, Poly],
             iterator: str, name: str, entry: Poly, step: int, span: Span) -> Recognized | None:  # fmt: skip
    """A loop over the values of one variable."""
    value = var(iterator)
    values = {other: in_terms_of(form, value, entry, step) for other, form in forms.items()}
    values[name] = value
    unresolved = {item.name for item in moving} - values.keys()
    parts = _sorted_parts(state, condition, values, unresolved, iterator, entry, step, span)
    if not parts.stops and not parts.unknown_stops:
        return None
    exits: list[Condition] = list(parts.data)
    if parts.stops:
        stop = extremum(step < 0, parts.stops)
        exits += [part for _, part in parts.unknown_stops]
    else:
        stop = extremum(step < 0, [bound for bound, _ in parts.unknown_stops])
    if test_last:
        stop = once(entry, stop + step, step)
    bounds, counted = normal_range(state, entry, stop, step, iterator, span)
    final: dict[str, Poly] = {}
    if isinstance(bounds, Strided):
        count = trip_count(bounds.start, bounds.stop, bounds.step, state.loops)
        last = count - 1 if test_last else count
        final = {other: form.substitute({COUNT: last}) for other, form in forms.items()}
    if counted is not None:
        values = {other: in_terms_of(form, var(iterator), ZERO, 1) for other, form in forms.items()}
    _add_unknowns(state, moving, values, iterator)
    guard = logic.ALWAYS if test_last else logic.conjunction(parts.invariant)
    return Recognized(bounds, values, final, guard, _exit_conditions(state, exits, values, span))


def _exit_conditions(
    state: State, parts: Sequence[Condition], values: Mapping[str, Poly], span: Span
) -> list[Condition]:
    """Data-dependent conjuncts as conditions for leaving at the top of the body."""
    found: list[Condition] = []
    for part in parts:
        if isinstance(part, Compare):
            text = f"{part.left.substitute(values)} {part.comparison.value} {part.right.substitute(values)}"
            part = DataDependent(f"L{span.line}.{len(found)}", text)
        found.append(logic.negate(part))
    if found:
        state.report("AI204", span, "the loop may end early, depending on data")
    return found


def _add_unknowns(state: State, moving: Sequence[Moving], values: dict[str, Poly], iterator: str) -> None:
    """Whatever has no closed form varies with every iterator in scope."""
    scope = [*(loop.iterator for loop in state.loops), iterator]
    for item in moving:
        if item.name not in values and item.exchanged:
            values[item.name] = item.entry or ZERO
        elif item.name not in values:
            values[item.name] = unknown(item.slot.variable.name + item.slot.path, scope)


def _geometric(state: State, condition: Condition, test_last: bool, moving: Sequence[Moving],
               ends: Mapping[str, Poly | None], entries: Mapping[str, Poly], forms: Mapping[str, Poly],
               iterator: str, span: Span) -> Recognized | None:  # fmt: skip
    """A loop that doubles or halves its iterator."""
    tested = names_of(condition)
    for item in sorted(moving, key=lambda item: item.name != iterator):
        end = ends[item.name]
        factor = None if end is None or item.name not in tested else geometric_factor(item.name, end)
        if factor is None or item.name not in entries or test_last:
            continue
        times, shrinking = factor
        values = {name: form for name, form in forms.items() if COUNT not in form.names()}
        values[item.name] = var(iterator)
        unresolved = {other.name for other in moving} - values.keys()
        entry = entries[item.name]
        parts = _sorted_parts(state, condition, values, unresolved, iterator, entry, -1 if shrinking else 1, span)
        if not parts.stops or entry.unknowns():
            continue
        stop = extremum(shrinking, parts.stops)
        trip = state.trip_symbol(span, geometric_trip(entry, stop, times, shrinking))
        _add_unknowns(state, moving, values, iterator)
        exits = [*parts.data, *(part for _, part in parts.unknown_stops)]
        return Recognized(Geometric(entry, stop, times, shrinking, trip), values, {},
                          logic.conjunction(parts.invariant), _exit_conditions(state, exits, values, span))  # fmt: skip
    return None


def _symbolic_step(state: State, condition: Condition, test_last: bool, moving: Sequence[Moving],
                   forms: Mapping[str, Poly], iterator: str, span: Span) -> Recognized | None:  # fmt: skip
    """``i += stride`` with an unknown stride, taken to be positive: iterations are numbered from 0."""
    tested = names_of(condition)
    for item in sorted(moving, key=lambda item: item.name != iterator):
        form = forms.get(item.name)
        if form is None or item.name not in tested or test_last:
            continue
        slope, entry = form.coefficient(COUNT), form.substitute({COUNT: ZERO})
        if entry + slope * var(COUNT) != form or not slope.names() or slope.unknowns():
            continue
        values = {name: other.substitute({COUNT: var(iterator)}) for name, other in forms.items()}
        marker = f"{iterator}@"
        marked = {**values, item.name: var(marker)}
        unresolved = {other.name for other in moving} - values.keys()
        parts = _sorted_parts(state, condition, marked, unresolved, marker, entry, 1, span)
        if not parts.stops or parts.unknown_stops or entry.unknowns():
            continue
        state.assume_that("AI304", span, "step", step=str(slope))
        stop = ceil_div(extremum(False, parts.stops) - entry, slope)
        _add_unknowns(state, moving, values, iterator)
        return Recognized(Strided(ZERO, stop, 1), values, {}, logic.conjunction(parts.invariant),
                          _exit_conditions(state, parts.data, values, span))  # fmt: skip
    return None


def _uncounted(state: State, condition: Condition, test_last: bool, moving: Sequence[Moving],
               forms: Mapping[str, Poly], iterator: str, span: Span) -> Recognized:  # fmt: skip
    """A loop whose trip count is a symbol; what moves evenly is known relative to its start."""
    state.report("AI203", span, "the number of iterations is not known from the source")
    values = {name: form.substitute({COUNT: var(iterator)}) for name, form in forms.items()}
    _add_unknowns(state, moving, values, iterator)
    return Recognized(Uncounted(state.trip_symbol(span)), values)
