"""Recognition of loops: from the effects of one iteration to iterator, range and the values of all that moves.

A loop that each thread runs for its share of one range is that range, parallel (``i = id; i < n; i += threads``).  A
variable that moves evenly and is tested counts the loop; else one that doubles or halves; else one with an unknown
step.  A loop with none of these is counted by a symbol.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from ....given_values import TRIP
from ....ir.conditions import map_condition_indices
from ....ir.index import (
    ZERO,
    Atom,
    FloorDiv,
    Poly,
    TruncDiv,
    const,
    extremum,
    single_atom,
    unknown,
    var,
)
from ....ir.nodes import (
    Compare,
    Condition,
    DataDependent,
    Geometric,
    Range,
    Steps,
    Strided,
    SymbolOrigin,
    Truth,
    Uncounted,
)
from ....ir.nodes import Mapping as LoopMapping
from ....source import Span
from ...surface import nodes as sx
from .. import logic
from ..emitter import Emitter
from ..flow import LoopFacts
from ..names.symbols import THREAD, THREADS, Symbols
from ..rewrite import normal_range
from .bounds import Bound, bound_of, ceil_div, power_bound_of, square_bound_of
from .clamps import as_quotient, without_clamp
from .counter import Counter
from .induction import (
    COUNT,
    GeometricStep,
    closed_forms,
    geometric_next,
    geometric_step,
    geometric_trip,
    geometric_trips,
    in_terms_of,
    once,
    steps_by_residue,
    trip_count,
)
from .multiplied import of_multiplied
from .placeholders import Moving

Forms = Mapping[str, Poly]
"""Closed forms in the number of the iteration, by the name of the placeholder."""


class LoopContext(Struct, frozen=True, kw_only=True):
    """A loop whose body was lowered with placeholders, and the parts of the lowering that its recognition adds to.

    ``ends`` are the values of placeholders after one iteration (None: not expressible), ``loops`` the loops around.
    """

    emitter: Emitter
    symbols: Symbols
    loops: Sequence[LoopFacts]
    condition: Condition
    test_last: bool
    moving: Sequence[Moving]
    ends: Mapping[str, Poly | None]
    iterator: str
    span: Span

    def candidates(self) -> list[Moving]:
        """Return the variables that the condition tests, the one that most likely counts first."""
        tested = self.condition.names
        return sorted(
            (item for item in self.moving if item.name in tested), key=lambda item: item.name != self.iterator
        )

    def is_trip_count_given(self) -> bool:
        """Return whether the user or a run gives the trip count."""
        return self.symbols.is_trip_count_given(self.emitter.position(self.span).line)

    def trip_symbol(self, value: int | None = None) -> str:
        """Return the name of a new symbol for the trip count."""
        return self.symbols.trip_count(self.emitter.position(self.span).line, value)


class Recognized(Struct):
    """A loop understood: ``values`` in an iteration, ``final`` at the failing test, its guard and its other exits.

    An iteration of the range only ``takes_place`` under a condition, and ``mapping`` is what executes them, where the
    bounds of the loop tell.
    """

    range: Range
    values: dict[str, Poly]
    final: dict[str, Poly] = field(default_factory=dict)
    guard: Condition = logic.ALWAYS
    exits: list[Condition] = field(default_factory=list)
    takes_place: Condition = logic.ALWAYS
    mapping: LoopMapping | None = None


class _Parts(Struct):
    """The conjuncts of a loop's condition, sorted by their relation to the iterator."""

    stops: list[Poly] = field(default_factory=list)
    unknown_stops: list[tuple[Poly, Condition]] = field(default_factory=list)
    invariant: list[Condition] = field(default_factory=list)
    data: list[Condition] = field(default_factory=list)


def recognize(context: LoopContext) -> Recognized | None:
    """Return the iterator and the range of a loop; None where it has no closed form."""
    entries = _entries(context)
    forms = _forms(context, entries)
    return (
        _shared(context, forms)
        or _strided(context, forms)
        or _geometric(context, entries, forms)
        or _by_residue(context, entries, forms)
        or _symbolic_step(context, forms)
    )


def _forms(context: LoopContext, entries: Mapping[str, Poly]) -> Forms:
    ends = context.ends.items()
    return closed_forms({name: (entries[name], end) for name, end in ends if end is not None and name in entries})


def _entries(context: LoopContext) -> dict[str, Poly]:
    """Return values at entry; an uninitialised variable becomes a symbol only where it takes part in an induction."""
    entries: dict[str, Poly] = {}
    names = {item.name for item in context.moving}
    for item in context.moving:
        end, variable = context.ends[item.name], item.slot.variable
        if item.entry is not None:
            entries[item.name] = item.entry
        elif end is not None and item.name in end.names() & names:
            is_undeclared = variable.storage is sx.Storage.UNDECLARED
            origin = SymbolOrigin.UNDECLARED if is_undeclared else SymbolOrigin.VARIABLE
            entries[item.name] = context.symbols.new(variable.name + item.slot.path, origin)
    return entries


def _linear(form: Poly) -> tuple[Poly, Poly] | None:
    """Return entry and slope of a form that is linear in the number of the iteration, else None."""
    slope, entry = form.coefficient(COUNT), form.substitute({COUNT: ZERO})
    return (entry, slope) if entry + slope * var(COUNT) == form else None


def _main(context: LoopContext, forms: Forms) -> Counter | None:
    """Return the variable that counts: tested, with a constant non-zero step; the guessed one before others."""
    for item in context.candidates():
        linear = _linear(forms[item.name]) if item.name in forms else None
        if linear is None:
            continue
        entry, slope = linear
        step = slope.constant
        if step is None and not slope.unknowns():
            step = context.symbols.value_of(slope)
        if step:
            return Counter(item.name, entry, step, item.scalar)
    return None


def _sorted_parts(context: LoopContext, values: Mapping[str, Poly], counter: Counter) -> _Parts:
    """Sort the conjuncts of a loop's condition, with ``values`` put in, by their relation to the counter."""
    unresolved = {item.name for item in context.moving} - values.keys()
    parts = _Parts()
    for part in logic.conjuncts(context.condition):
        match part:
            case Truth():
                if not part.holds:
                    parts.stops.append(counter.entry)
            case Compare():
                if (part.left.names() | part.right.names()) & unresolved:
                    parts.data.append(part)
                    continue
                moved = logic.compare(part.comparison, part.left.substitute(values), part.right.substitute(values))
                _sort_comparison(context, parts, moved, counter)
            case _:
                invariant = not part.depends_on_data and counter.name not in part.names
                fixed = invariant and not part.names & (unresolved | values.keys())
                (parts.invariant if fixed else parts.data).append(part)
    return parts


def _sort_comparison(context: LoopContext, parts: _Parts, part: Condition, counter: Counter) -> None:
    if not isinstance(part, Compare):
        if part == logic.NEVER:
            parts.stops.append(counter.entry)
        return
    names = part.left.names() | part.right.names()
    has_unknown = bool(part.left.unknowns() | part.right.unknowns())
    if counter.name not in names and not has_unknown:
        parts.invariant.append(part)
        return
    bound: Bound | None = bound_of(part, counter.name, counter.step)
    if bound is None and counter.step > 0 and (counter.entry.constant or 0) > 0:
        bound = square_bound_of(part, counter.name)
    elif bound is None and counter.step > 0 and counter.entry.constant == 0:
        bound = None if _divides_by(part, counter.name) else square_bound_of(part, counter.name)
        bound = power_bound_of(part, counter.name) if bound is None else bound
    if bound is None:
        parts.data.append(part)
        return
    if bound.equality:
        stop = counter.reached(bound.stop, context.symbols.value_of(bound.stop - counter.entry))
        if stop is None:
            parts.data.append(part)
            return
        bound = replace(bound, stop=stop)
        context.emitter.assume("AI304", context.span, "bound")
    if bound.upper != (counter.step > 0):
        at_entry = {counter.name: counter.entry}
        start = logic.compare(part.comparison, part.left.substitute(at_entry), part.right.substitute(at_entry))
        (parts.data if start.depends_on_data else parts.invariant).append(start)
        if (end := counter.wraps_at) is not None:
            parts.stops.append(const(end))
    elif has_unknown:
        parts.unknown_stops.append((bound.stop, part))
    else:
        parts.stops.append(bound.stop)


def _shared(context: LoopContext, forms: Forms) -> Recognized | None:
    """Return the loop that all threads make together of ``i = id; i < n; i += threads``, or of neighbouring blocks."""
    for item in () if context.test_last else context.candidates():
        linear = _linear(forms[item.name]) if item.name in forms else None
        if linear is None or THREAD not in linear[0].names():
            continue
        entry, slope = linear
        values = {name: form for name, form in forms.items() if COUNT not in form.names()}
        values[item.name] = var(context.iterator)
        parts = _sorted_parts(context, values, Counter(context.iterator, entry, 1))
        if len(parts.stops) != 1 or parts.unknown_stops or parts.data or parts.invariant:
            continue
        bounds = _of_all_threads(entry, slope, parts.stops[0])
        if bounds is not None:
            add_unknowns(context, values)
            return Recognized(bounds, values, mapping=LoopMapping.THREADS)
    return None


def _of_all_threads(entry: Poly, slope: Poly, stop: Poly) -> Strided | None:
    """Return the iterations of all threads, given those of one; None where they are not one range."""
    start = entry - var(THREAD)
    own = frozenset((THREAD, THREADS))
    if slope == var(THREADS) and own.isdisjoint(start.names() | stop.names()):
        return Strided(start, stop, 1)
    if slope.constant == 1 and entry.substitute({THREAD: var(THREAD) + 1}) == stop:
        return Strided(entry.substitute({THREAD: ZERO}), entry.substitute({THREAD: var(THREADS)}), 1)
    return None


def _strided(context: LoopContext, forms: Forms) -> Recognized | None:
    """Return the loop over the values of one variable, None where no variable counts it."""
    main = _main(context, forms)
    if main is None:
        return None
    iterator, entry, step = context.iterator, main.entry, main.step
    values = {other: in_terms_of(form, var(iterator), entry, step) for other, form in forms.items()}
    values[main.name] = var(iterator)
    parts = _sorted_parts(context, values, Counter(iterator, entry, step, main.scalar))
    if not parts.stops and not parts.unknown_stops:
        return None
    exits = [*parts.data, *(part for _, part in parts.unknown_stops if parts.stops)]
    stop = extremum(step < 0, parts.stops or [bound for bound, _ in parts.unknown_stops])
    if context.test_last:
        stop = once(entry, stop + step, step)
    if not context.test_last:
        stop, runs = without_clamp(entry, as_quotient(stop), step)
        parts.invariant.append(runs)
    bounds, counted = normal_range(context.emitter, context.symbols, Strided(entry, stop, step), iterator, context.span)
    final = _final(context, forms, bounds) if isinstance(bounds, Strided) else {}
    if counted is not None:
        values = {other: in_terms_of(form, var(iterator), ZERO, 1) for other, form in forms.items()}
    add_unknowns(context, values)
    guard = logic.ALWAYS if context.test_last else logic.conjunction(parts.invariant)
    return Recognized(bounds, values, final, guard, _exit_conditions(context, exits, values))


def _final(context: LoopContext, forms: Forms, bounds: Strided) -> dict[str, Poly]:
    """Return the values at the failing test."""
    count = trip_count(bounds.start, bounds.stop, bounds.step, context.loops)
    last = count - 1 if context.test_last else count
    return {other: form.substitute({COUNT: last}) for other, form in forms.items()}


def _exit_conditions(context: LoopContext, parts: Sequence[Condition], values: Mapping[str, Poly]) -> list[Condition]:
    """Return data-dependent conjuncts as conditions for leaving at the top of the body."""
    found: list[Condition] = []
    for part in parts:
        if isinstance(part, Compare):
            text = f"{part.left.substitute(values)} {part.comparison.value} {part.right.substitute(values)}"
            part = DataDependent(f"L{context.span.line}.{len(found)}", text)
        found.append(logic.negate(part))
    if found:
        context.emitter.report("AI204", context.span, "loop", symbol=f"{TRIP}{context.span.line}")
    return found


def add_unknowns(context: LoopContext, values: dict[str, Poly]) -> None:
    """Add the variables without a closed form: unknown, varying with every iterator in scope."""
    scope = [*(loop.iterator for loop in context.loops), context.iterator]
    for item in context.moving:
        if item.name not in values:
            name = item.slot.variable.name + item.slot.path
            values[item.name] = unknown(name, scope, taken=_taken(context, item, values), variable=name)


def _taken(context: LoopContext, item: Moving, values: Mapping[str, Poly]) -> tuple[Poly, Poly] | None:
    """Return the two indices between which data choose that of a maximum: at entry, and where a condition holds."""
    end = context.ends[item.name]
    (label,) = [atom.label for atom in end.unknowns()] if end is not None and len(end.unknowns()) == 1 else ("",)
    ways = context.symbols.chosen_by_data.get(label, ())
    stays = var(item.name)
    moves = next((way for way in ways if way != stays), None)
    if item.entry is None or stays not in ways or moves is None:
        return None
    is_known = moves.names().isdisjoint({other.name for other in context.moving} - values.keys())
    return (item.entry, moves.substitute(values)) if is_known and not moves.unknowns() else None


def _geometric(context: LoopContext, entries: Mapping[str, Poly], forms: Forms) -> Recognized | None:
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
        parts = _sorted_parts(context, values, counter)
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
        return Recognized(bounds, values, final, guard, _exit_conditions(context, exits, values))
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
    parts = _sorted_parts(context, {**values, item.name: var(marker)}, counter)
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
    exits = _exit_conditions(context, parts.data, values)
    return Recognized(Strided(ZERO, trips), values, final, guard, exits)


def _divides_by(part: Compare, name: str) -> bool:
    """Return whether a comparison has a quotient by something with a name in it."""
    atoms = (atom for side in (part.left, part.right) for atom in side.nested_atoms())
    return any(isinstance(atom, FloorDiv | TruncDiv) and name in atom.denominator.names() for atom in atoms)


def _by_residue(context: LoopContext, entries: Mapping[str, Poly], forms: Forms) -> Recognized | None:
    """Return a loop whose counter steps as its own remainder says, with its iterations numbered; None for others."""
    for item in () if context.test_last else context.candidates():
        end = context.ends[item.name]
        steps = None if end is None or item.name not in forms else steps_by_residue(item.name, entries[item.name], end)
        if steps is None:
            continue
        marker = f"{context.iterator}@"
        values = {name: form.substitute({COUNT: var(context.iterator)}) for name, form in forms.items()}
        counter = Counter(marker, entries[item.name], 1, item.scalar)
        parts = _sorted_parts(context, {**values, item.name: var(marker)}, counter)
        if len(parts.stops) != 1 or parts.unknown_stops or parts.data:
            continue
        trips = steps.below(parts.stops[0])
        add_unknowns(context, values)
        final = {name: form.substitute({COUNT: trips}) for name, form in forms.items()}
        return Recognized(Strided(ZERO, trips), values, final, logic.conjunction(parts.invariant))
    return None


def _symbolic_step(context: LoopContext, forms: Forms) -> Recognized | None:
    """Return ``i += stride`` with an unknown stride, taken to be positive: iterations are numbered from 0."""
    for item in () if context.test_last else context.candidates():
        linear = _linear(forms[item.name]) if item.name in forms else None
        if linear is None or not linear[1].names() or linear[1].unknowns():
            continue
        entry, slope = linear
        values = {name: other.substitute({COUNT: var(context.iterator)}) for name, other in forms.items()}
        marker = f"{context.iterator}@"
        parts = _sorted_parts(context, {**values, item.name: var(marker)}, Counter(marker, entry, 1))
        if not parts.stops or parts.unknown_stops or entry.unknowns():
            continue
        context.emitter.assume("AI304", context.span, "step", step=str(slope))
        bounds = Strided(ZERO, ceil_div(extremum(False, parts.stops) - entry, slope), 1)
        add_unknowns(context, values)
        guard = logic.conjunction(parts.invariant)
        return Recognized(bounds, values, {}, guard, _exit_conditions(context, parts.data, values))
    return None


def uncounted(context: LoopContext, steps: Steps | None) -> Recognized:
    """Return a loop whose trip count is a symbol; linear forms are known relative to the start."""
    forms = _forms(context, _entries(context))
    line = context.emitter.position(context.span).line
    context.emitter.report("AI203", context.span, "not-known", symbol=f"trip_L{line}")
    values = {name: form.substitute({COUNT: var(context.iterator)}) for name, form in forms.items()}
    add_unknowns(context, values)
    return Recognized(Uncounted(context.trip_symbol(), steps=steps), values)
