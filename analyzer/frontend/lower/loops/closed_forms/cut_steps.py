"""Counters whose last step is cut to what is left: ``m = min(B, x); x -= m``, or ``m = min(B, n - x); x += m``.

Where the test lets an iteration run only with something left, all steps before it were whole ones of B: in each
iteration the counter, and what moves along with it, is where steps of B lead.  At the failing test nothing is left:
the steps sum up to what was left at entry, L, and a variable that moves by ``k*m + c`` in each of N iterations is at
``entry + k*max(0, L) + c*N``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from msgspec import Struct

from .....ir.index import ZERO, Atom, Extremum, Poly, maximum, single_atom, var
from .....ir.nodes import Compare, Condition
from ... import logic
from ..bounds import bound_of

Ends = Mapping[str, tuple[Poly, Poly]]
"""Values at entry and after one iteration."""


class CutSteps(Struct, frozen=True, kw_only=True):
    """Steps of ``size``, but for the last one, over what is ``left`` at entry; ``step`` is the ``min(B, x)``."""

    step: Extremum
    size: Poly
    left: Poly

    def whole(self, end: Poly) -> Poly:
        """Return the value after one iteration that is not the last one."""
        return _replaced(end, self.step, self.size)

    def final(self, name: str, entry: Poly, end: Poly, trips: Poly, moving: Set[str]) -> Poly | None:
        """Return the value at the failing test of a variable that moves along; None where that is not known."""
        without = _replaced(end, self.step, ZERO) - var(name)
        moved = end.map_atoms(lambda atom: _as_one(atom, self.step)) - var(name) - without
        times = _replaced(moved, self.step, ZERO + 1).constant
        if times is None or moved != Poly({(self.step,): times}) or without.names() & moving or without.unknowns():
            return None
        return entry + maximum([ZERO, self.left]) * times + without * trips


def cut_steps(ends: Ends, moving: Set[str], condition: Condition) -> CutSteps | None:
    """Return the cut steps of a counter that the condition ends where nothing is left; None where there are none."""
    for name, (entry, end) in ends.items():
        for sign in (1, -1):
            atom = single_atom((end - var(name)) * sign)
            if not isinstance(atom, Extremum) or atom.largest or len(atom.operands) != 2:
                continue
            for size, left in (atom.operands, atom.operands[::-1]):
                is_left = (left + var(name) * sign).names().isdisjoint(moving)
                number = size.constant
                if is_left and number is not None and number > 0 and _ends_with(condition, name, left, sign):
                    return CutSteps(step=atom, size=size, left=left.substitute({name: entry}))
    return None


def _ends_with(condition: Condition, name: str, left: Poly, sign: int) -> bool:
    """Return whether a loop ends as soon as nothing is left for a counter that moves in a direction."""
    return any(left.substitute({name: stop}) == ZERO for stop in _stops(condition, name, sign))


def _stops(condition: Condition, name: str, sign: int) -> Iterator[Poly]:
    for part in logic.conjuncts(condition):
        bound = bound_of(part, name, sign) if isinstance(part, Compare) else None
        if bound is not None and (bound.equality or bound.upper == (sign > 0)):
            yield bound.stop


def _replaced(form: Poly, step: Extremum, new: Poly) -> Poly:
    """Return a form with the step, and the number of iterations of a loop over it, replaced."""
    return form.map_atoms(lambda atom: new if _as_one(atom, step) == Poly({(step,): 1}) else Poly({(atom,): 1}))


def _as_one(atom: Atom, step: Extremum) -> Poly:
    """Return ``max(0, m)`` of a step m, which is positive while the loop runs, as m; other atoms as they are."""
    own = Poly({(step,): 1})
    return own if Poly({(atom,): 1}) == maximum([ZERO, own]) else Poly({(atom,): 1})
