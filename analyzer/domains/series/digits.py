"""Counting the numbers of a range whose digits to some bases have given values: bits, remainders, flipped bits.

With ``low <= (x mod m) < high`` for each of some digits, the modulus of one a multiple of that of the next, the number
of such ``0 <= x < n`` is ``F(n)`` with ::

    F(n; m, low, high, rest) = floor(n/m)*(F(high; rest) - F(low; rest)) + F(min(max(n mod m, low), high); rest)
                               - F(low; rest),        F(n; nothing) = n

as what is asked of the lower digits has a period that divides m.  A bit ``k`` of x, a power of two, is the digit
``x mod 2*k``: it is set from k on.  ``(x ^ k) > x`` holds where it is not set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ...ir.conditions import map_condition_indices
from ...ir.index import (
    ONE,
    ZERO,
    BitAnd,
    FloorDiv,
    Poly,
    TruncDiv,
    floor_div,
    floor_mod,
    maximum,
    minimum,
    single_atom,
    var,
)
from ...ir.nodes import And, Compare, Comparison, Loop, Not, Strided
from ...quantities.chambers import Chamber, Constraint
from ...quantities.quasipolynomial import Count
from .asked_digits import Digit, bits_decided, digit_of, end_of_both, ends_of, in_order, with_bits
from .magnitudes import Magnitudes
from .path import Step, names_of


class DigitLoop(Struct, frozen=True):
    """A loop ``start <= x < stop``: the number of its iterations with some digits is a factor of a count."""

    start: Poly
    stop: Poly
    digits: tuple[Digit, ...]
    guard: tuple[Constraint, ...]

    @property
    def number(self) -> Poly:
        """Return the number of iterations with the digits, where the guard holds."""
        return _below(self.stop, self.digits) - _below(self.start, self.digits)

    def times(self, count: Count) -> Count:
        """Return the product of a count and of the number of iterations."""
        number = self.number
        return Count(
            tuple(
                Chamber((*chamber.guard, *self.guard), chamber.value * number, chamber.families)
                for chamber in count.chambers
            )
        )


def _below(end: Poly, digits: Sequence[Digit]) -> Poly:
    """Return F: how many numbers from 0 to below the end have the digits."""
    if not digits or not end.terms:
        return end
    first, rest = digits[0], digits[1:]
    if not first.inside:
        return _below(end, rest) - _below(end, (replace(first, inside=True), *rest))
    modulus, low, high = first.modulus, first.low, first.high
    if not rest and high - low == ONE:
        return floor_div(end + modulus - 1 - low, modulus)
    least = _up_to(low, first, rest)
    last = floor_mod(end, modulus)
    last = minimum([maximum([last, low]) if low.terms else last, high])
    return floor_div(end, modulus) * (_up_to(high, first, rest) - least) + _below(last, rest) - least


def _up_to(end: Poly, first: Digit, rest: Sequence[Digit]) -> Poly:
    """Return F of an end of the range of a digit."""
    if not first.is_even or not end.terms or not rest or not rest[0].inside:
        return _below(end, rest)
    inner = rest[0]
    each = _up_to(inner.high, inner, rest[1:]) - _up_to(inner.low, inner, rest[1:])
    return floor_div(end, inner.modulus) * each


def without_digits(path: Sequence[Step], known: Magnitudes) -> tuple[list[Step], list[DigitLoop]]:
    """Return a path without the loops whose digits conditions ask for and without these conditions; and these loops."""
    steps = [part for step in path for part in _parts(step)]
    found: list[DigitLoop] = []
    if not any(map(_may_ask, steps)):
        return steps, found
    for inner in [step for step in steps if isinstance(step, Loop)]:
        for outer in [step for step in steps if isinstance(step, Loop)]:
            for fused in (_fused(outer, inner, steps), _in_strides(outer, inner, steps, known)):
                one = None if fused is None else _digit_loop(fused[0], fused[1], known)
                if fused is not None and one is not None:
                    found.append(one)
                    steps = _without(fused[0], fused[1])
                    break
    for loop in [step for step in steps if isinstance(step, Loop)]:
        one = _digit_loop(loop, steps, known)
        if one is not None:
            found.append(one)
            steps = _without(loop, steps)
    return steps, found


def _may_ask(step: Step) -> bool:
    """Return whether a condition may ask for a digit, or a loop be one of strides: without such no loop is a factor."""
    match step:
        case Loop(range=Strided(stop=stop)):
            return isinstance(single_atom(stop), FloorDiv)
        case Compare(_, left, right):
            forms = (atom for side in (left, right) if side.forms for atom in side.nested_atoms())
            return any(isinstance(atom, BitAnd | FloorDiv | TruncDiv) for atom in forms)
        case _:
            return False


def _without(loop: Loop, steps: Sequence[Step]) -> list[Step]:
    """Return a path without a loop and the conditions on its iterator."""
    return [step for step in steps if step is not loop and loop.iterator not in names_of(step)]


def _fused(outer: Loop, inner: Loop, steps: Sequence[Step]) -> tuple[Loop, list[Step]] | None:
    """Return two loops as one over ``m*b + t``, with ``t < m``, and the path with it; None where more depends on them.

    These are the threads of blocks of m.
    """
    ranges = (outer.range, inner.range)
    if outer is inner or not all(isinstance(one, Strided) and one.start == ZERO and one.step == 1 for one in ranges):
        return None
    blocks, threads = (one.stop for one in ranges if isinstance(one, Strided))
    own = {outer.iterator, inner.iterator}
    name = f"{outer.iterator} {inner.iterator}"
    one = replace(inner, iterator=name, range=Strided(ZERO, blocks * threads))
    thread = {inner.iterator: var(name) - threads * var(outer.iterator)}
    found: list[Step] = []
    for step in steps:
        if step is inner:
            found.append(one)
        elif step is not outer:
            names = names_of(step)
            if not names.isdisjoint(own):
                if not isinstance(step, Compare):
                    return None
                step = map_condition_indices(step, lambda index: index.substitute(thread))
            if not names_of(step).isdisjoint(own):
                return None
            found.append(step)
    return one, found


def _in_strides(outer: Loop, inner: Loop, steps: Sequence[Step], known: Magnitudes) -> tuple[Loop, list[Step]] | None:
    """Return ``for (j < w) for (k = j; k < e; k += s)`` as one loop over k with ``k mod s < w``; None for others.

    The inner loop is numbered, so that it ends at ``floor((e - j + s - 1)/s)``.  No stride is shorter than w.
    """
    ranges = (outer.range, inner.range)
    if outer is inner or not all(isinstance(one, Strided) and one.start == ZERO and one.step == 1 for one in ranges):
        return None
    width, trips = (one.stop for one in ranges if isinstance(one, Strided))
    own, quotient = {outer.iterator, inner.iterator}, single_atom(trips)
    others = [step for step in steps if step is not outer and step is not inner]
    if not isinstance(quotient, FloorDiv) or not all(names_of(step).isdisjoint(own) for step in others):
        return None
    numerator, stride = quotient.operands
    end = numerator + var(outer.iterator) - stride + 1
    if not (end.names() | stride.names() | width.names()).isdisjoint(own) or not known.is_natural(stride - width):
        return None
    name = f"{outer.iterator} {inner.iterator}"
    one = replace(inner, iterator=name, range=Strided(ZERO, end))
    asked = Compare(Comparison.LT, floor_mod(var(name), stride), width)
    return one, [asked if step is outer else one if step is inner else step for step in steps]


def _parts(step: Step) -> Iterator[Step]:
    """Yield what has to hold together one by one, opposites of comparisons as comparisons."""
    match step:
        case And(operands):
            for operand in operands:
                yield from _parts(operand)
        case Not(Compare(comparison, left, right)):
            yield Compare(comparison.opposite, left, right)
        case _:
            yield step


def _digit_loop(loop: Loop, steps: Sequence[Step], known: Magnitudes) -> DigitLoop | None:
    """Return a loop with the digits that conditions ask of its iterator; None where something else depends on it."""
    if not isinstance(loop.range, Strided) or loop.range.step != 1:
        return None
    start, stop = loop.range.start, loop.range.stop
    digits: dict[Digit, None] = {}
    asked = [step for step in steps if isinstance(step, Compare) and loop.iterator in names_of(step)]
    if len(asked) < sum(loop.iterator in names_of(step) for step in steps):
        return None
    if start.unknowns() or stop.unknowns() or any(step.left.unknowns() or step.right.unknowns() for step in asked):
        return None
    bits = bits_decided(asked, known)
    for step in asked:
        digit = digit_of(step, loop.iterator, start, known)
        ends = ends_of(with_bits(step, bits), loop.iterator) if digit is None else None
        if ends is not None:
            start = start if ends[0] is None else end_of_both(start, ends[0], known, largest=True)
            stop = stop if ends[1] is None else end_of_both(stop, ends[1], known, largest=False)
        elif digit is not None:
            digits[digit] = None
        else:
            return None
    ordered = in_order([*digits], known)
    if ordered is None or all(digit.modulus.constant is not None for digit in digits):
        return None
    guard = [digit.modulus - 1 for digit in ordered if not known.is_positive(digit.modulus)]
    if not known.is_natural(stop - start):
        guard.append(stop - start)
    return DigitLoop(start, stop, ordered, tuple(map(Constraint, guard)))
