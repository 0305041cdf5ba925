"""Loops that go on where data have left a counter: ``while (i < n) c[k++] = a[i++];`` behind a merge.

The counter only rises in the loop before, so that it starts at what it was before that at the earliest; where data say.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from .....given_values import trip_of_line
from .....ir.index import Atom, Poly, Unknown, single_atom, var
from .....ir.nodes import Condition, DataDependent
from ... import logic
from ...names.symbols import Symbols
from ..context import LoopContext


def direction(ends: Iterable[Poly | None], name: str, symbols: Symbols) -> int:
    """Return 1 where what iterations, and ways out of them, make of an integer never falls, -1 where it never rises.

    0 where neither is known.
    """
    steps: set[int] = set()
    for end in ends:
        found = None if end is None else _steps(end, name, symbols, set())
        if found is None:
            return 0
        steps |= found
    if min(steps) < 0 < max(steps):
        return 0
    return 1 if max(steps) > 0 else -1


def _steps(end: Poly, name: str, symbols: Symbols, seen: Set[str]) -> frozenset[int] | None:
    """Return the numbers of which data choose one to add to an integer; None where it changes otherwise."""
    step = (end - var(name)).constant
    if isinstance(step, int):
        return frozenset((step,))
    atom = single_atom(end)
    ways = symbols.chosen_by_data.get(atom.label) if isinstance(atom, Unknown) and atom.label not in seen else None
    if ways is None or not isinstance(atom, Unknown):
        return None
    found = [_steps(way, name, symbols, seen | {atom.label}) for way in ways]
    return None if None in found else frozenset(step for steps in found if steps is not None for step in steps)


def note_moved(left: Poly, entry: Poly, sign: int, symbols: Symbols) -> None:
    """Note that a value that a loop leaves is ``entry``, or beyond it in the direction of a ``sign``."""
    name = _name(single_atom(left))
    if sign and name and not entry.unknowns():
        symbols.moved[name] = (entry, sign)


def earliest(entry: Poly, step: int, symbols: Symbols) -> Poly | None:
    """Return where a loop starts at the earliest whose counter a loop before has left somewhere; None of any other."""
    return _earliest(single_atom(entry), step, symbols)


def at_earliest(index: Poly, step: int, symbols: Symbols) -> Poly:
    """Return an index with the counters that loops before have left somewhere where they are at the earliest."""
    for atom in index.atoms():
        start = _earliest(atom, step, symbols)
        factor = index.coefficient(atom).constant if isinstance(atom, str) else index.terms.get((atom,))
        if start is not None and factor == 1:
            index = index - Poly({(atom,): 1}) + start
    return index


def _earliest(atom: Atom | None, step: int, symbols: Symbols) -> Poly | None:
    start, sign = symbols.moved.get(_name(atom), (None, 0))
    return start if sign * step > 0 else None


def _name(atom: Atom | None) -> str:
    """Return the name of a symbol, or the label of a value that is not known; empty of anything else."""
    if isinstance(atom, Unknown):
        return atom.label
    return atom if isinstance(atom, str) else ""


def late_start(context: LoopContext, first: Poly, start: Poly) -> list[Condition]:
    """Return the condition for leaving a loop that is counted from its ``first`` iteration, not from its start."""
    if first == start:
        return []
    context.emitter.report("AI204", context.span, "late", symbol=trip_of_line(context.span.line))
    return [logic.negate(DataDependent(f"L{context.span.line}.start", f"{context.iterator} >= {start}"))]
