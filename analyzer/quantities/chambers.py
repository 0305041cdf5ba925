"""Chambers of a guarded sum, and where they lie relative to one another.

Barvinok's chambers of one set have no point in common; those of different sets may, and where several hold their values
add up.  :func:`cut` splits a chamber along those that it meets, so that each part has one value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import lru_cache
from typing import ClassVar

from msgspec import Struct

from ..ir.index import ZERO, Monomial, Number, Poly, names_in
from ..python.cached_property import cached_property
from ..python.equality import PartlyCompared

_MOST_STEPS, _STEPS_OF_A_SUM = 1000, 15  # budget of one elimination, and what one sum of inequalities takes of it
_SMALL = 2

Slope = frozenset[tuple[Monomial, Number]]


class Constraint(Struct, frozen=True, cache_hash=True, dict=True):
    """``expression >= 0``, or ``== 0`` when ``equality``."""

    expression: Poly
    equality: bool = False

    @cached_property
    def sides(self) -> tuple[tuple[Slope, Number], ...]:
        """Return the slope and the offset with ``slope + offset >= 0``; both of these for an equality."""
        offset = self.expression.terms.get((), 0)
        slope = frozenset((monomial, number) for monomial, number in self.expression.terms.items() if monomial)
        return ((slope, offset), (_negated(slope), -offset)) if self.equality else ((slope, offset),)

    def holds(self, values: Mapping[str, Number]) -> bool:
        """Return whether it holds for these values of the symbols: it does not where it divides by zero there."""
        if self.expression.unknowns():  # of a divisor that was zero
            return False
        try:
            value = self.expression.evaluate(values)
        except ZeroDivisionError:
            return False
        return value == 0 if self.equality else value >= 0

    def bind(self, values: Mapping[str, Number]) -> Constraint | bool:
        """Return the condition with values in place of some symbols; whether it holds where that leaves none."""
        expression = self.expression.substitute(values)
        bound = self if expression is self.expression else Constraint(expression, self.equality)
        return bound if expression.names() else bound.holds({})

    def __str__(self) -> str:
        """Render as ``e >= 0``, with the constant moved to the right."""
        constant = self.expression.terms.get((), 0)
        left = self.expression - constant
        turned = left.terms and all(number < 0 for number in left.terms.values())
        if turned or (self.equality and str(left).startswith("-")):
            return f"{-left} {'=' if self.equality else '<='} {constant}"
        return f"{left} {'=' if self.equality else '>='} {-constant}"


class _Guarded(Struct, frozen=True, eq=False, dict=True):
    """What some conditions say together, worked out where it is asked for."""

    guard: tuple[Constraint, ...]

    @cached_property
    def names(self) -> frozenset[str]:
        return names_in([constraint.expression for constraint in self.guard])

    @cached_property
    def conditions(self) -> frozenset[Constraint]:
        return frozenset(self.guard)

    @cached_property
    def sides(self) -> dict[Slope, Number]:
        found: dict[Slope, Number] = {}
        for constraint in self.guard:
            for slope, offset in constraint.sides:
                found[slope] = min(offset, found.get(slope, offset))
        return found


class Chamber(PartlyCompared, frozen=True, eq=False, dict=True):
    """A polynomial and the conditions under which it contributes.

    Chambers with a member of ``families`` in common have no point in common.
    """

    not_compared: ClassVar[frozenset[str]] = frozenset(["families"])

    guard: tuple[Constraint, ...]
    value: Poly
    families: frozenset[str] = frozenset()

    @cached_property
    def symbols(self) -> frozenset[str]:
        """Return the names in the polynomial and in its conditions."""
        return self.value.names() | self.bounded if self.guard else self.value.names()

    @cached_property
    def _guarded(self) -> _Guarded:
        """Return what is worked out of the conditions alone: one object for all chambers that are made of one."""
        return _Guarded(self.guard)

    def holds(self, values: Mapping[str, Number], known: dict[Constraint, bool] | None = None) -> bool:
        """Return whether the conditions hold for these values of the symbols; ``known`` are those asked for so far."""
        found = {} if known is None else known
        for item in self.guard:
            holds = found.get(item)
            if holds is None:
                holds = found[item] = item.holds(values)
            if not holds:
                return False
        return True

    @property
    def bounded(self) -> frozenset[str]:
        """Return the names in the conditions."""
        return self._guarded.names

    @property
    def conditions(self) -> frozenset[Constraint]:
        """Return the conditions without their order."""
        return self._guarded.conditions

    @property
    def sides(self) -> dict[Slope, Number]:
        """Return for every slope the least offset: ``slope + offset >= 0`` holds."""
        return self._guarded.sides

    @property
    def guard_text(self) -> str:
        """Return the conditions as text, both bounds of one expression together: ``1 <= n <= 9 and m >= 2``."""
        ranges: dict[Slope, str] = {}
        for slope, offset in self.sides.items():
            back, expression = self.sides.get(_negated(slope), -offset), str(Poly(dict(slope)))
            if back != -offset and not expression.startswith("-") and _negated(slope) not in ranges:
                ranges[slope] = f"{-offset} <= {expression} <= {back}"
        inside = {*ranges, *map(_negated, ranges)}
        others = (item for item in self.guard if not any(slope in inside for slope, _ in item.sides))
        return " and ".join([*ranges.values(), *map(str, others)])

    def with_value(self, value: Poly, families: frozenset[str] = frozenset()) -> Chamber:
        """Return another polynomial under the same conditions."""
        more = self.families if families <= self.families else self.families | families
        found = Chamber(self.guard, value, more)
        found.__dict__["_guarded"] = self._guarded
        return found


def cut(
    chamber: Chamber, others: Sequence[Chamber], usual: Set[int] = frozenset(), steps: int = _MOST_STEPS
) -> tuple[list[Chamber], bool]:
    """Return parts of a chamber, each with the sum of all that holds there, and whether there is no more of it.

    What cannot be written as a conjunction is left out.  A rest where some symbol is at most 2 does not count, nor one
    where symbols are in another order than in the ``usual`` of the others (by position): loops that do not run there.
    After some ``steps`` the rest is left out as well.
    """
    waiting = [(chamber, 0, ())]  # type: list[tuple[Chamber, int, tuple[int, ...]]]
    parts: list[Chamber] = []
    whole = True
    while waiting:
        steps -= 1
        if steps < 0:
            return parts, False
        part, number, without = waiting.pop()
        if number == len(others):
            met = [position for position in without if may_meet(part, others[position])]
            if not met:
                parts.append(part)
            elif not any(_hardly_misses(part, others[position], usual=position in usual) for position in met):
                whole = False
            continue
        other = others[number]
        if not may_meet(part, other):
            waiting.append((part, number + 1, without))
            continue
        steps -= _STEPS_OF_A_SUM
        added = tuple(item for item in other.guard if not is_implied(item, part))
        if added:
            waiting.append((part, number + 1, (*without, number)))
        more = Chamber(added, ZERO)
        kept = tuple(item for item in part.guard if not is_implied(item, more)) if added else part.guard
        both = Chamber((*kept, *added), part.value + other.value, part.families | other.families)
        waiting.append((both, number + 1, without))
    return parts, whole


def joined(chambers: Sequence[Chamber]) -> list[Chamber]:
    """Return the chambers, those of one value as one where they touch: ``n <= 9`` and ``10 <= n <= 20``.

    Those that may have points in common stay: their values add up there.
    """
    found: list[Chamber] = []
    for chamber in chambers:
        whole, at = chamber, 0
        while at < len(found):
            union = _union(found[at], whole)
            if union is None:
                at += 1
            else:
                del found[at]
                whole, at = union, 0
        found.append(whole)
    return found


def _union(one: Chamber, other: Chamber) -> Chamber | None:
    """Return the union of two chambers whose guards differ in the range of one slope, without a gap in between."""
    if one.value != other.value or may_meet(one, other):
        return None
    differ = [slope for slope in one.sides | other.sides if one.sides.get(slope) != other.sides.get(slope)]
    if not differ or len({frozenset((slope, _negated(slope))) for slope in differ}) > 1:
        return None
    if any(not isinstance(number, int) for _, number in differ[0]):
        return None
    slope, back = differ[0], _negated(differ[0])
    for first, second in ((one, other), (other, one)):  # the second begins no later than one past the end of the first
        end, begin = first.sides.get(back), second.sides.get(slope)
        if end is not None and begin is not None and -begin > end + 1:
            return None
    kept = [item for item in one.guard if not any(side in (slope, back) for side, _ in item.sides)]
    for side in (slope, back):
        offsets = (one.sides.get(side), other.sides.get(side))
        if offsets[0] is not None and offsets[1] is not None:
            kept.append(Constraint(Poly(dict(side)) + max(offsets[0], offsets[1])))
    return Chamber(tuple(kept), one.value, one.families & other.families)


@lru_cache(maxsize=4096)
def _negated(slope: Slope) -> Slope:
    return frozenset((monomial, -number) for monomial, number in slope)


def may_meet(one: Chamber, other: Chamber) -> bool:
    """Return whether neither their origin nor opposite constraints show that the chambers have no point in common."""
    if not one.families.isdisjoint(other.families):
        return False
    few, many = sorted((one.sides, other.sides), key=len)
    for slope, offset in few.items():
        opposite = many.get(_negated(slope))
        if opposite is not None and offset + opposite < 0:
            return False
    return True


def is_implied(constraint: Constraint, by: Chamber) -> bool:
    """Return whether the guard of a chamber has the constraint, or a stronger one of its form."""
    return all(slope in by.sides and by.sides[slope] <= offset for slope, offset in constraint.sides)


def _hardly_misses(part: Chamber, other: Chamber, *, usual: bool) -> bool:
    """Return whether the other chamber holds in all of the part but where a symbol is at most 2, or no loop runs."""
    missing = (item for item in other.guard if not is_implied(item, part))
    return all(_excludes_small(item) or (usual and len(item.expression.names()) > 1) for item in missing)


def _excludes_small(constraint: Constraint) -> bool:
    ((slope, offset), *more) = constraint.sides
    return not more and len(slope) == 1 and all(number > 0 and -offset <= (_SMALL + 1) * number for _, number in slope)
