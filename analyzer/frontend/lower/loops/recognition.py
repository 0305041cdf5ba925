"""Recognition of loops: from the effects of one iteration to iterator, range and the values of all that moves.

A loop that each thread runs for its share of one range is that range, parallel (``i = id; i < n; i += threads``).  A
variable that moves evenly and is tested counts the loop; else one that doubles or halves; else one with an unknown
step.  A loop with none of these is counted by a symbol.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from ....given_values import trip_of_line
from ....ir.index import (
    ZERO,
    FloorDiv,
    Poly,
    Unknown,
    extremum,
    single_atom,
    var,
)
from ....ir.nodes import (
    Compare,
    Comparison,
    Steps,
    Strided,
    SymbolOrigin,
    Uncounted,
)
from ....ir.nodes import Mapping as LoopMapping
from ...surface import nodes as sx
from .. import logic
from ..flow import LoopFacts, is_nonnegative
from ..names.symbols import THREAD, THREADS
from ..rewrite import normal_range
from .bounds import ceil_div
from .closed_forms.clamps import as_quotient, without_clamp
from .closed_forms.cut_steps import cut_steps
from .closed_forms.induction import COUNT, Known, closed_forms, in_terms_of, once, steps_by_residue, trip_count
from .closed_forms.last_set import last_set
from .closed_forms.phases import phases
from .closed_forms.rounds import Ends, forms_in_rounds, with_value
from .context import Forms, LoopContext, Recognized
from .placeholders import Moving
from .ranges.counter import Counter
from .ranges.ends import Parts, add_unknowns, exit_conditions, sorted_parts
from .ranges.geometric import geometric
from .ranges.late_starts import earliest, late_start


def recognize(context: LoopContext) -> Recognized | None:
    """Return the iterator and the range of a loop; None where it has no closed form."""
    entries = _entries(context)
    return _with_cut_steps(context, entries) or _recognize(context, entries)


def _with_cut_steps(context: LoopContext, entries: Mapping[str, Poly]) -> Recognized | None:
    """Return a loop whose counter takes whole steps but for the last one; None for any other."""
    ends, moving = _known_ends(context, entries), {item.name for item in context.moving}
    cut = None if context.test_last else cut_steps(ends, moving, context.condition)
    if cut is None:
        return None
    whole = {name: None if end is None else cut.whole(end) for name, end in context.ends.items()}
    stepped = replace(context, ends=whole)
    found = _strided(stepped, _forms(stepped, entries))
    if found is None or not isinstance(found.range, Strided):
        return None
    trips = trip_count(found.range.start, found.range.stop, found.range.step, context.loops)
    final = dict(found.final)
    for name in found.final.keys() & ends.keys():
        if whole[name] != context.ends[name]:
            del final[name]
            end = cut.final(name, *ends[name], trips, moving)
            if end is not None:
                final[name] = end
    found.final = final
    return found


def _recognize(context: LoopContext, entries: Mapping[str, Poly]) -> Recognized | None:
    forms = _forms(context, entries)
    return (
        _shared(context, forms)
        or _strided(context, forms)
        or geometric(context, entries, forms)
        or _by_residue(context, entries, forms)
        or _by_phases(context, entries, forms)
        or _by_rounds(context, entries, forms)
        or _numbered(context, forms)
        or _symbolic_step(context, forms)
    )


def _known_ends(context: LoopContext, entries: Mapping[str, Poly]) -> Ends:
    return {name: (entries[name], end) for name, end in context.ends.items() if end is not None and name in entries}


def _forms(context: LoopContext, entries: Mapping[str, Poly]) -> Forms:
    ends = _known_ends(context, entries)
    around = [*context.loops, LoopFacts(COUNT, ZERO)]

    def is_known(form: Poly) -> bool:
        return is_nonnegative(form, around)

    forms = closed_forms(ends, _rounds(context, ends), is_known)
    set_last = _set_last(context, ends, forms, is_known)
    return closed_forms(ends, {**forms, **set_last}, is_known) if set_last else forms


def _set_last(context: LoopContext, ends: Ends, forms: Forms, is_known: Known) -> Forms:
    """Return the forms of variables that only some iterations set, one in every few: ``if (i % 4 == 0) k = i``."""
    found: dict[str, Poly] = {}
    moving = {item.name for item in context.moving}
    for name, (entry, end) in ends.items():
        atom = single_atom(end)
        condition = context.symbols.conditions.get(atom.label) if isinstance(atom, Unknown) else None
        if name in forms or not isinstance(atom, Unknown) or condition is None:
            continue
        then, orelse = context.symbols.chosen_by_data[atom.label]
        if orelse != var(name):
            condition, then, orelse = logic.negate(condition), orelse, then
        holds = logic.truth_index(condition)
        if holds is None or orelse != var(name) or not (holds.names() | then.names()) & moving <= forms.keys():
            continue
        form = last_set(entry, holds.substitute(forms), then.substitute(forms), is_known)
        if form is not None:
            found[name] = form
    return found


def _rounds(context: LoopContext, ends: Ends) -> Forms:
    """Return the values of counters that go through rounds, of lengths assumed to be positive; none of others."""
    forms, lengths = forms_in_rounds(ends, var(COUNT))
    moving = {item.name for item in context.moving}
    known = [context.symbols.value_of(length) for length in lengths]
    is_fixed = all(form.names().isdisjoint(moving) for form in (*forms.values(), *lengths))
    if not is_fixed or any(number is not None and number < 1 for number in known):
        return {}
    for length, number in zip(lengths, known, strict=True):
        if number is None and not is_nonnegative(length - 1, list(context.loops)):
            context.emitter.assume("AI304", context.span, "step", step=str(length))
    return forms


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


def _shared(context: LoopContext, forms: Forms) -> Recognized | None:
    """Return the loop that all threads make together of ``i = id; i < n; i += threads``, or of neighbouring blocks."""
    for item in () if context.test_last else context.candidates():
        linear = _linear(forms[item.name]) if item.name in forms else None
        if linear is None or THREAD not in linear[0].names():
            continue
        entry, slope = linear
        values = {name: form for name, form in forms.items() if COUNT not in form.names()}
        values[item.name] = var(context.iterator)
        parts = sorted_parts(context, values, Counter(context.iterator, entry, 1))
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
    start = None if context.test_last else earliest(entry, step, context.symbols)
    values = {other: in_terms_of(form, var(iterator), entry, step) for other, form in forms.items()}
    values[main.name] = var(iterator)
    parts = sorted_parts(context, values, Counter(iterator, entry, step, main.scalar))
    if not parts.stops and not parts.unknown_stops:
        return None
    exits = [*parts.data, *(part for _, part in parts.unknown_stops if parts.stops)]
    stop = extremum(step < 0, parts.stops or [bound for bound, _ in parts.unknown_stops])
    if start is not None and not stop.unknowns():
        entry = start
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
    left = [*late_start(context, entry, main.entry), *exit_conditions(context, exits, values)]
    return Recognized(bounds, values, final, guard, left)


def _final(context: LoopContext, forms: Forms, bounds: Strided) -> dict[str, Poly]:
    """Return the values at the failing test."""
    count = trip_count(bounds.start, bounds.stop, bounds.step, context.loops)
    last = count - 1 if context.test_last else count
    return {other: form.substitute({COUNT: last}) for other, form in forms.items()}


def _tested_alone(
    context: LoopContext, entry: Poly, forms: Forms, item: Moving, step: int = 1
) -> tuple[dict[str, Poly], Parts | None]:
    """Return the values in a numbered iteration, and what the test says of one counter under a name of its own.

    None where it is not that one end of this counter decides.
    """
    marker = f"{context.iterator}@"
    values = {name: form.substitute({COUNT: var(context.iterator)}) for name, form in forms.items()}
    parts = sorted_parts(context, {**values, item.name: var(marker)}, Counter(marker, entry, step, item.scalar))
    return values, None if len(parts.stops) != 1 or parts.unknown_stops or parts.data else parts


def _by_residue(context: LoopContext, entries: Mapping[str, Poly], forms: Forms) -> Recognized | None:
    """Return a loop whose counter steps as its own remainder says, with its iterations numbered; None for others."""
    for item in () if context.test_last else context.candidates():
        end = context.ends[item.name]
        steps = None if end is None or item.name not in forms else steps_by_residue(item.name, entries[item.name], end)
        if steps is None:
            continue
        values, parts = _tested_alone(context, entries[item.name], forms, item)
        if parts is None:
            continue
        trips = steps.below(parts.stops[0])
        add_unknowns(context, values)
        final = {name: form.substitute({COUNT: trips}) for name, form in forms.items()}
        return Recognized(Strided(ZERO, trips), values, final, logic.conjunction(parts.invariant))
    return None


def _by_phases(context: LoopContext, entries: Mapping[str, Poly], forms: Forms) -> Recognized | None:
    """Return a loop whose counter changes its step at a threshold, with its iterations numbered; None for others."""
    moving = {item.name for item in context.moving}
    for item in () if context.test_last else context.candidates():
        end = context.ends[item.name]
        if end is None or item.name not in forms or end.names() & moving != {item.name}:
            continue
        counter = phases(entries[item.name], var(item.name), end)
        values, parts = (
            (None, None) if counter is None else _tested_alone(context, counter.entry, forms, item, counter.first)
        )
        if counter is None or values is None or parts is None:
            continue
        tests = (part for part in logic.conjuncts(context.condition) if isinstance(part, Compare))
        is_passed = all(part.comparison is not Comparison.NE for part in tests if item.name in part.names)
        trips = counter.before(parts.stops[0])
        if trips is None or not (is_passed or counter.comes_to(parts.stops[0])):
            continue
        add_unknowns(context, values)
        final = {name: form.substitute({COUNT: trips}) for name, form in forms.items()}
        return Recognized(Strided(ZERO, trips), values, final, logic.conjunction(parts.invariant))
    return None


def _by_rounds(context: LoopContext, entries: Mapping[str, Poly], forms: Forms) -> Recognized | None:
    """Return a loop that a counter ends which only moves where a round of others is over; None for others."""
    for item in () if context.test_last else context.candidates():
        moved = single_atom(forms[item.name] - entries[item.name]) if item.name in forms else None
        if not isinstance(moved, FloorDiv) or moved.numerator != var(COUNT) or COUNT in moved.denominator.names():
            continue
        values, parts = _tested_alone(context, entries[item.name], forms, item)
        if parts is None:
            continue
        rounds = trip_count(entries[item.name], parts.stops[0], 1, context.loops)
        trips, runs = without_clamp(ZERO, rounds * moved.denominator, 1)
        add_unknowns(context, values)
        over = rounds if runs == logic.ALWAYS else parts.stops[0] - entries[item.name]
        final = {name: with_value(form, moved, over).substitute({COUNT: trips}) for name, form in forms.items()}
        return Recognized(Strided(ZERO, trips), values, final, logic.conjunction([*parts.invariant, runs]))
    return None


def _numbered(context: LoopContext, forms: Forms) -> Recognized | None:
    """Return a loop by the number of its iteration, where what its test says of that bounds it: ``i += step++``."""
    tested = [item for item in context.candidates() if item.name in forms and COUNT in forms[item.name].names()]
    equalities = (Comparison.EQ, Comparison.NE)  # of which it is not known that an iteration comes to them
    compared = (part for part in logic.conjuncts(context.condition) if isinstance(part, Compare))
    if context.test_last or not tested or any(part.comparison in equalities for part in compared):
        return None
    counter = var(context.iterator)
    values = {name: form.substitute({COUNT: counter}) for name, form in forms.items()}
    parts = sorted_parts(context, values, Counter(context.iterator, ZERO, 1))
    if len(parts.stops) != 1 or parts.unknown_stops or parts.data or parts.stops[0].unknowns():
        return None
    trips, runs = without_clamp(ZERO, as_quotient(parts.stops[0]), 1)
    add_unknowns(context, values)
    count = trip_count(ZERO, trips, 1, context.loops)
    final = {name: form.substitute({COUNT: count}) for name, form in forms.items()}
    return Recognized(Strided(ZERO, trips), values, final, logic.conjunction([*parts.invariant, runs]))


def _symbolic_step(context: LoopContext, forms: Forms) -> Recognized | None:
    """Return ``i += stride`` with an unknown stride, assumed to be positive: iterations are numbered from 0."""
    for item in () if context.test_last else context.candidates():
        linear = _linear(forms[item.name]) if item.name in forms else None
        if linear is None or not linear[1].names() or linear[1].unknowns():
            continue
        entry, slope = linear
        values = {name: other.substitute({COUNT: var(context.iterator)}) for name, other in forms.items()}
        marker = f"{context.iterator}@"
        parts = sorted_parts(context, {**values, item.name: var(marker)}, Counter(marker, entry, 1))
        if not parts.stops or parts.unknown_stops or entry.unknowns():
            continue
        context.emitter.assume("AI304", context.span, "step", step=str(slope))
        bounds = Strided(ZERO, ceil_div(extremum(False, parts.stops) - entry, slope), 1)
        add_unknowns(context, values)
        guard = logic.conjunction(parts.invariant)
        return Recognized(bounds, values, {}, guard, exit_conditions(context, parts.data, values))
    return None


def uncounted(context: LoopContext, steps: Steps | None) -> Recognized:
    """Return a loop whose trip count is a symbol; linear forms are known relative to the start."""
    line = context.emitter.position(context.span).line
    context.emitter.report("AI203", context.span, "not-known", symbol=trip_of_line(line))
    return Recognized(Uncounted(context.trip_symbol(), steps=steps), values_by_count(context))


def values_by_count(context: LoopContext) -> dict[str, Poly]:
    """Return the values of what moves in an iteration by its number, unknown where they have no such form."""
    forms = _forms(context, _entries(context))
    values = {name: form.substitute({COUNT: var(context.iterator)}) for name, form in forms.items()}
    add_unknowns(context, values)
    return values
