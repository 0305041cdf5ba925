"""The test of a loop, part by part: what bounds the iterator, what data decide, and what nothing is known of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from .....given_values import trip_of_line
from .....ir.index import Climb, FloorDiv, Poly, TruncDiv, const, unknown, var
from .....ir.nodes import Compare, Condition, DataDependent, Truth
from ... import logic
from ..bounds import Bound, bound_of, power_bound_of, square_bound_of
from ..context import LoopContext
from ..placeholders import Moving
from .counter import Counter

"""Closed forms in the number of the iteration, by the name of the placeholder."""


class Parts(Struct):
    """The conjuncts of a loop's condition, sorted by their relation to the iterator."""

    stops: list[Poly] = field(default_factory=list)
    unknown_stops: list[tuple[Poly, Condition]] = field(default_factory=list)
    invariant: list[Condition] = field(default_factory=list)
    data: list[Condition] = field(default_factory=list)


def sorted_parts(context: LoopContext, values: Mapping[str, Poly], counter: Counter) -> Parts:
    """Sort the conjuncts of a loop's condition, with ``values`` put in, by their relation to the counter."""
    unresolved = {item.name for item in context.moving} - values.keys()
    parts = Parts()
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


def _sort_comparison(context: LoopContext, parts: Parts, part: Condition, counter: Counter) -> None:
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


def exit_conditions(context: LoopContext, parts: Sequence[Condition], values: Mapping[str, Poly]) -> list[Condition]:
    """Return data-dependent conjuncts as conditions for leaving at the top of the body."""
    found: list[Condition] = []
    for part in parts:
        if isinstance(part, Compare):
            text = f"{part.left.substitute(values)} {part.comparison.value} {part.right.substitute(values)}"
            part = DataDependent(f"L{context.span.line}.{len(found)}", text)
        found.append(logic.negate(part))
    if found:
        context.emitter.report("AI204", context.span, "loop", symbol=trip_of_line(context.span.line))
    return found


def add_unknowns(context: LoopContext, values: dict[str, Poly]) -> None:
    """Add the variables without a closed form: unknown, varying with every iterator in scope."""
    scope = [*(loop.iterator for loop in context.loops), context.iterator]
    for item in context.moving:
        if item.name not in values:
            taken, climbs = _taken(context, item, values), _climbs(context, item)
            values[item.name] = unknown(item.register, scope, taken=taken, variable=item.register, climbs=climbs)


def _taken(context: LoopContext, item: Moving, values: Mapping[str, Poly]) -> tuple[Poly, Poly] | None:
    """Return the two indices between which data choose that of a maximum: at entry, and where a condition holds."""
    ways, stays = _ways(context, item), var(item.name)
    moves = next((way for way in ways if way != stays), None)
    if item.entry is None or stays not in ways or moves is None:
        return None
    is_known = moves.names().isdisjoint({other.name for other in context.moving} - values.keys())
    return (item.entry, moves.substitute(values)) if is_known and not moves.unknowns() else None


def _ways(context: LoopContext, item: Moving) -> tuple[Poly, ...]:
    """Return the two values of a variable after an iteration of which data choose one; nothing where it is another."""
    end = context.ends[item.name]
    atoms = () if end is None else tuple(end.unknowns())
    return context.symbols.chosen_by_data.get(atoms[0].label, ()) if len(atoms) == 1 else ()


def _climbs(context: LoopContext, item: Moving) -> Climb | None:
    """Return by how much a variable moves in the iterations in which data say so: ``if (x[i] > t) out[k++] = x[i]``."""
    ways, stays = _ways(context, item), var(item.name)
    steps = [(way - stays).constant for way in ways if way != stays]
    end = context.ends[item.name]
    if end is None or stays not in ways or len(steps) != 1 or not isinstance(steps[0], int):
        return None
    branch, negated = next(context.symbols.branches.get(atom.label, ("", False)) for atom in end.unknowns())
    return Climb(context.iterator, steps[0], item.entry, branch, negated is (ways[0] != stays))


def _divides_by(part: Compare, name: str) -> bool:
    """Return whether a comparison has a quotient by something with a name in it."""
    atoms = (atom for side in (part.left, part.right) for atom in side.nested_atoms())
    return any(isinstance(atom, FloorDiv | TruncDiv) and name in atom.denominator.names() for atom in atoms)
