"""Counting the points of a set: in this process where that is fast, else in a child with a limit on its CPU time."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Iterable, Sequence
from math import lcm, prod
from typing import Any

import islpy as isl
from msgspec import Struct

from ...child_processes import fork
from ...ir.index import Poly, var
from ...limits.cpu_timers import CpuTimer
from ...limits.hard_limit import count_children
from ...quantities.chambers import Chamber, Constraint
from ...quantities.quasipolynomial import Count, fixed, total
from ..limits import OverBudget, at_most, check, operations
from .budget import Budget, remembered
from .conversion import MOST_PIECES, new_family, to_count
from .covered import has_more_cases
from .digits import without_digits

_PARAM, _SET, _DIV = isl.dim_type.param, isl.dim_type.set, isl.dim_type.div

# A count in a child may use this many of isl's operations: of the whole set, of its parts, and with numbers for all
# symbols.  A second does one to three million of them, and an ordinary count takes fewer than ten thousand.
_WHOLE, _PARTS, _NUMERIC = 1 << 16, 1 << 19, 1 << 20
# CPU time of a child, for what barvinok does besides: several times what the operations take, so that they decide.
_CHILD_S = 2.0
# In isl's operations, of which a second has some two million.
_DISJOINT_BUDGET = 50_000
# From these sizes on a set is counted in a child: only such were seen to take over 20 ms, and some would take hours.
_FEW_CONSTRAINTS = 5
_MANY_DIVISIONS, _DEEP_DIVISIONS = 8, 5  # of all pieces, and of one
_MANY_DIMENSIONS = 8
_MANY_CASES, _MANY_BOUNDS, _DEEP = 8, 64, 20  # times symbols
_FEW_DIVISIONS = 2  # and symbols
_FEW_PIECES = 6
_SEVERAL_WITNESSES = 2  # a set of three took 25 s for a million points
# Pieces that repeat every 5, 7 and 11 points take 0.7 s together in one dimension, more than 5 s in two; of 3, 5 and 7
# (105) some take 0.1 s, and of any two periods less.
_SEVERAL_PERIODS, _LONG_PERIOD = 3, 128
_FLAT, _FEW_RANGES, _BOUNDS_OF_A_RANGE = 2, 3, 8


def count(plain: Numbered, symbols: tuple[Poly, ...]) -> Count | None:
    """Return the number of points of a set in the symbols of its parameters, None where the budget is too small.

    Under more conditions on symbols than a count may have cases, isl's answer has even more: it is not asked for one.
    """
    if symbols and plain.points.n_basic_set() > MOST_PIECES and _has_too_many_cases(plain):
        return None
    return _counted(plain, symbols)


@remembered
def _has_too_many_cases(plain: Numbered) -> bool:
    return has_more_cases(plain.points, MOST_PIECES)


def in_order(points: Any) -> Any:
    """Return the same points with the parameters ``s0``, ``s1``, ... in order: isl's results follow it."""
    names = points.get_var_names(_PARAM)
    ordered = sorted(names, key=lambda name: (len(name), name))
    return points if names == ordered else points.align_params(_parameters(tuple(ordered)))


def numbered(points: Any) -> Numbered:
    """Return a set with the parameters ``s0``, ``s1``, ... in this order: equal sets of several nests are one."""
    for position, name in enumerate(points.get_var_names(_PARAM)):
        if name != _name(position):
            points = points.set_dim_name(_PARAM, position, _name(position))
    return Numbered(points)


def _name(position: int) -> str:
    return f"s{position}"


@remembered
def _parameters(names: tuple[str, ...]) -> Any:
    return isl.Set(f"[{', '.join(names)}] -> {{ : }}").get_space()


class Numbered(Struct, frozen=True, eq=False):
    """A set that equals only what isl sees at once to be the same; its own ``==`` can take seconds."""

    points: Any

    def __hash__(self) -> int:
        """Hash what isl sees of the set."""
        return hash(self.points)

    def __eq__(self, other: object) -> bool:
        """Compare as isl does at once."""
        return isinstance(other, Numbered) and bool(self.points.plain_is_equal(other.points))


@remembered
def _counted(plain: Numbered, symbols: tuple[Poly, ...]) -> Count | None:
    """Return the number of points, or None where the budget does not suffice."""
    points = without_digits(plain.points)
    plain = plain if points is plain.points else Numbered(points)
    may_hang = _may_hang(points)
    if not points.dim(_PARAM) and (may_hang or _has_witnesses(points)):
        from .marking import number_of_points  # with numpy, which few counts need

        number = number_of_points(points)
        if number is not None:
            return fixed(number)
        may_hang = hasattr(os, "fork")
    if not may_hang and not _may_be_slow(points):
        try:
            card = _card(plain)
            with Budget(operations()):
                return to_count(card, symbols)
        except OverBudget:
            return None
    check()
    found = _counted_apart(plain)
    return None if found is None else _renamed(found, symbols)


@remembered
def _card(plain: Numbered) -> Any:
    with Budget(0):  # barvinok does not survive isl's giving up under a limit around
        return plain.points.card()


@remembered
def _counted_apart(plain: Numbered) -> Count | None:
    """Return the number of points in the names of the parameters, counted in children; None where it takes too long."""
    points = plain.points
    symbols = [var(name) for name in points.get_var_names(_PARAM)]
    if not points.dim(_PARAM) or _may_hang(points):
        return _count_in_child([points], symbols, _NUMERIC)
    pieces = points.n_basic_set()
    if pieces == 1:
        return _count_of([points], symbols, _WHOLE + _PARTS)
    together = pieces <= _FEW_PIECES and not _has_apart_periods(points)
    found = _count_of([points], symbols, _WHOLE) if together else None
    if found is None:
        parts = _parts(points)
        found = _count_of(parts, symbols, _PARTS) if parts else None
    return found


def _count_of(parts: Sequence[Any], symbols: Sequence[Poly], most: int) -> Count | None:
    """Count in a child, or here where that takes no longer than the start of one."""
    return _count_in_child(parts, symbols, most) if any(map(_is_slow, parts)) else _sum(parts, symbols)


def _renamed(count: Count, symbols: Sequence[Poly]) -> Count:
    """Return a count in the names of the parameters as one in these symbols."""
    values = {_name(position): symbol for position, symbol in enumerate(symbols)}
    families = {family: new_family() for chamber in count.chambers for family in chamber.families}
    chambers = []
    for chamber in count.chambers:
        guard = (Constraint(item.expression.substitute(values), item.equality) for item in chamber.guard)
        members = frozenset(families[family] for family in chamber.families)
        chambers.append(Chamber(tuple(guard), chamber.value.substitute(values), members))
    return Count(tuple(chambers))


def _has_witnesses(points: Any) -> bool:
    """Return whether several divisions of a piece are no quotients of its dimensions."""
    return any(
        piece.dim(_DIV) - piece.remove_unknown_divs().dim(_DIV) >= _SEVERAL_WITNESSES
        for piece in points.get_basic_sets()
        if piece.dim(_DIV) >= _SEVERAL_WITNESSES
    )


def _may_hang(points: Any) -> bool:
    """Return whether there are many dimensions, or divisions without symbols.

    Most of these are counted in milliseconds, but some would take hours.
    """
    if not hasattr(os, "fork"):
        return False
    if points.dim(_SET) >= _MANY_DIMENSIONS:
        return True
    if points.dim(_PARAM):
        return False
    divisions = [piece.dim(_DIV) for piece in points.get_basic_sets()]
    return sum(divisions) >= _MANY_DIVISIONS or max(divisions, default=0) >= _DEEP_DIVISIONS


def _may_be_slow(points: Any) -> bool:
    """Return whether there are symbols with divisions, many pieces, dimensions or bounds: others take under 20 ms."""
    symbols, pieces = points.dim(_PARAM), points.get_basic_sets()
    divisions = sum(piece.dim(_DIV) for piece in pieces)
    constraints = sum(piece.n_constraint() for piece in pieces)
    if constraints <= _FEW_CONSTRAINTS:
        return False
    many = _is_large(symbols, len(pieces), constraints, points.dim(_SET))
    hard = (many and (divisions or not _has_few_ranges(pieces))) or _is_hard(symbols, divisions)
    return bool(symbols and hard and hasattr(os, "fork"))


def _is_large(symbols: int, pieces: int, constraints: int, dimensions: int) -> bool:
    """Return whether there are many symbols for so many pieces, constraints or dimensions."""
    return symbols * pieces > _MANY_CASES or symbols * constraints > _MANY_BOUNDS or symbols * dimensions > _DEEP


def _is_hard(symbols: int, divisions: int) -> bool:
    """Return whether there are divisions with several symbols, or several with one."""
    return bool(symbols and divisions and symbols + divisions > _FEW_DIVISIONS)


def _has_apart_periods(points: Any) -> bool:
    """Return whether pieces repeat with several long periods without a common factor: together they take too long."""
    periods = {
        abs(one.get_coefficient_val(_DIV, number).to_python())
        for piece in points.get_basic_sets()
        for one in piece.get_constraints()
        for number in range(piece.dim(_DIV))
        if one.is_equality() and one.involves_dims(_DIV, number, 1)
    }
    return len(periods) >= _SEVERAL_PERIODS and _LONG_PERIOD < prod(periods) == lcm(*periods)


def _has_few_ranges(pieces: Sequence[Any]) -> bool:
    """Return whether convex sets of few dimensions differ in little but conditions on symbols: never over 30 ms.

    Conditions such as ``s0 < 0 or s0 > 0`` multiply the pieces, and cost hardly anything.
    """
    dimensions = pieces[0].dim(_SET)
    if dimensions > _FLAT:
        return False
    ranges = {
        frozenset(str(one) for one in piece.get_constraints() if one.involves_dims(_SET, 0, dimensions))
        for piece in pieces
    }
    return len(ranges) <= _FEW_RANGES and all(len(bounds) <= _BOUNDS_OF_A_RANGE for bounds in ranges)


def _is_slow(points: Any) -> bool:
    """Return whether the bounds of a set are many, and not only the conditions on symbols, which cost hardly anything.

    Of the 219 sets of one program (kissfft) 2 ms are the rule where they are not, 80 the most; a child costs 10 to 30.
    """
    ranges = {frozenset(map(str, bounds)): bounds for bounds in map(_bounds, points.get_basic_sets())}
    every = [one for bounds in ranges.values() for one in bounds]
    symbols = sum(any(one.involves_dims(_PARAM, k, 1) for one in every) for k in range(points.dim(_PARAM)))
    divisions = sum(len(_divisions_of(bounds)) for bounds in ranges.values())
    if _is_hard(symbols, divisions):
        return True
    if not _is_large(symbols, len(ranges), len(every), points.dim(_SET)):
        return False
    few = points.dim(_SET) <= _FLAT and len(ranges) <= _FEW_RANGES
    return bool(divisions) or not few or any(len(bounds) > _BOUNDS_OF_A_RANGE for bounds in ranges.values())


def _bounds(piece: Any) -> list[Any]:
    """Return the constraints of a convex set that bound its dimensions, directly or by divisions."""
    rest, found = piece.get_constraints(), []
    linked = [(_SET, 0, piece.dim(_SET))]
    while linked:
        new = [any(one.involves_dims(*dims) for dims in linked) for one in rest]
        linked = [(_DIV, k, 1) for k in _divisions_of([one for one, is_new in zip(rest, new, strict=True) if is_new])]
        found += [one for one, is_new in zip(rest, new, strict=True) if is_new]
        rest = [one for one, is_new in zip(rest, new, strict=True) if not is_new]
    return found


def _divisions_of(constraints: Sequence[Any]) -> set[int]:
    """Return the positions of the divisions in some constraints of a convex set."""
    return {k for one in constraints for k in range(one.dim(_DIV)) if one.involves_dims(_DIV, k, 1)}


def _parts(points: Any) -> list[Any]:
    """Return convex sets without common points, none where they are too many: each has fewer cases than their union."""
    try:
        with Budget(_DISJOINT_BUDGET):
            parts = points.make_disjoint().coalesce().get_basic_sets()
    except OverBudget:
        return []
    return [isl.Set.from_basic_set(part) for part in parts] if len(parts) <= MOST_PIECES else []


def _count_in_child(parts: Sequence[Any], symbols: Sequence[Poly], most: int) -> Count | None:
    """Count in a child process with at most so many of isl's operations; None where they do not suffice.

    Barvinok cannot be interrupted, and crashes where isl gives up on it; a child costs 10 to 30 ms.  The operations
    decide, so that the answer is the same on every machine; the CPU time of the child is limited beyond what they take.
    Raises ``OverBudget`` where a deadline left less than that: with more time there may be an answer.
    """
    limit_s = at_most(_CHILD_S)

    def work(sender: int) -> int:
        with open(os.devnull, "w") as silent:
            os.dup2(silent.fileno(), 2)
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
        CpuTimer("SIGVTALRM", "ITIMER_VIRTUAL").set(limit_s)
        with Budget(most):
            found = _sum(parts, symbols)
            isl.Set.universe(parts[0].get_space())  # fails if no operation is left, which barvinok may overlook
        with open(sender, "wb") as pipe:
            pickle.dump(found, pipe)
        return 0

    child, receiver = fork(work)
    with open(receiver, "rb") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    count_children()
    if not status and answer:
        found: Count | None = pickle.loads(answer)
        return found
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGVTALRM and limit_s < _CHILD_S:
        raise OverBudget
    return None


def _sum(parts: Iterable[Any], symbols: Sequence[Poly]) -> Count | None:
    counts: list[Count] = []
    for part in parts:
        found = to_count(part.card(), symbols)
        if found is None:
            return None
        counts.append(found)
    found = total(counts)
    return found if len(found.chambers) <= MOST_PIECES else None
