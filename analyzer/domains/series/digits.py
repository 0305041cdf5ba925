"""Counting the numbers of a range whose digits to some bases have given values: bits, remainders, flipped bits.

With ``low <= (x mod m) < high`` for each of some digits, the modulus of one a multiple of that of the next, the number
of such ``0 <= x < n`` is ``F(n)`` with ::

    F(n; m, low, high, rest) = floor(n/m)*(F(high; rest) - F(low; rest)) + F(min(max(n mod m, low), high); rest)
                               - F(low; rest),        F(n; nothing) = n

as what is asked of the lower digits has a period that divides m.  A bit ``k`` of x, a power of two, is the digit
``x mod 2*k``: it is set from k on.  ``(x ^ k) > x`` holds where it is not set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ...ir.conditions import map_condition_indices
from ...ir.index import (
    ONE,
    ZERO,
    BitAnd,
    FloorDiv,
    Number,
    Poly,
    TruncDiv,
    exact_quotient,
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
from .magnitudes import Magnitudes
from .path import Step, names_of


class Digit(Struct, frozen=True, kw_only=True):
    """``low <= (x mod modulus) < high``, or (not ``inside``) the opposite.

    ``low`` and ``high`` of one that ``is_even`` are multiples of the modulus of the next digit.
    """

    modulus: Poly
    low: Poly
    high: Poly
    inside: bool = True
    is_even: bool = False


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
    bits = _bits_decided(asked, known)
    for step in asked:
        digit = _digit(step, loop.iterator, start, known)
        ends = _ends(_with_bits(step, bits), loop.iterator) if digit is None else None
        if ends is not None:
            start = start if ends[0] is None else _chosen(start, ends[0], known, largest=True)
            stop = stop if ends[1] is None else _chosen(stop, ends[1], known, largest=False)
        elif digit is not None:
            digits[digit] = None
        else:
            return None
    ordered = _ordered([*digits], known)
    if ordered is None or all(digit.modulus.constant is not None for digit in digits):
        return None
    guard = [digit.modulus - 1 for digit in ordered if not known.is_positive(digit.modulus)]
    if not known.is_natural(stop - start):
        guard.append(stop - start)
    return DigitLoop(start, stop, ordered, tuple(map(Constraint, guard)))


def _bits_decided(conditions: Sequence[Compare], known: Magnitudes) -> dict[BitAnd, Poly]:
    """Return what conditions on single bits say of these."""
    found: dict[BitAnd, Poly] = {}
    for condition in conditions:
        for atom in _bits_of(condition):
            for bit in (atom.left, atom.right):
                digit = _bit(condition.comparison, condition.left - condition.right, atom, bit, known)
                if digit is not None and digit.high - digit.low == bit:
                    found[atom] = digit.low
    return found


def _bits_of(condition: Compare) -> list[BitAnd]:
    return [atom for atom in (condition.left - condition.right).atoms() if isinstance(atom, BitAnd)]


def _with_bits(condition: Compare, bits: Mapping[BitAnd, Poly]) -> Compare:
    """Return a comparison with the values that bits have where the conditions on these hold."""
    for atom, value in bits.items():
        condition = Compare(
            condition.comparison, _with(condition.left, atom, value), _with(condition.right, atom, value)
        )
    return condition


def _chosen(one: Poly, other: Poly, known: Magnitudes, *, largest: bool) -> Poly:
    """Return the larger or the smaller of two ends, as one of them where that is known."""
    if known.is_positive(one - other) or known.is_positive(other - one):
        return one if known.is_positive(one - other) is largest else other
    return maximum([one, other]) if largest else minimum([one, other])


def _ends(condition: Compare, x: str) -> tuple[Poly | None, Poly | None] | None:
    """Return the first number for which a comparison holds and the first above for which it does not.

    None where it is not linear in the number.
    """
    difference = condition.left - condition.right
    slope = difference.coefficient(x).constant
    rest = difference - var(x) * (slope or 0)
    if slope not in (1, -1) or x in rest.names():
        return None
    bound = rest * -slope
    match condition.comparison if slope > 0 else condition.comparison.mirrored:
        case Comparison.LT:
            return None, bound
        case Comparison.LE:
            return None, bound + 1
        case Comparison.GT:
            return bound + 1, None
        case Comparison.GE:
            return bound, None
        case Comparison.EQ:
            return bound, bound + 1
        case _:
            return None


def _digit(condition: Compare, x: str, start: Poly, known: Magnitudes) -> Digit | None:
    """Return a comparison as one of a digit, else None."""
    difference = condition.left - condition.right
    for atom in difference.atoms():
        found: Digit | None = None
        match atom:
            case BitAnd(left, right) if var(x) in (left, right):
                found = _bit(condition.comparison, difference, atom, right if left == var(x) else left, known)
            case FloorDiv(numerator, modulus) | TruncDiv(numerator, modulus) if x in numerator.names():
                if isinstance(atom, FloorDiv) or known.is_natural(start):
                    found = _remainder(
                        condition.comparison, difference, Poly({(atom,): 1}), (numerator, modulus), x, known
                    )
        if found is not None and x not in (found.modulus.names() | found.low.names() | found.high.names()):
            return found
    return None


def _bit(comparison: Comparison, difference: Poly, atom: BitAnd, bit: Poly, known: Magnitudes) -> Digit | None:
    """Return a comparison that depends on one bit, or on all below a power of two."""
    if known.is_power_of_two(bit + 1):
        factor = difference.terms.get((atom,), 0)
        return _interval(comparison, (factor, difference - Poly({(atom,): 1}) * factor), bit + 1, ONE, known)
    if not known.is_power_of_two(bit):
        return None
    cases = [_truth(comparison, _with(difference, atom, value), known) for value in (ZERO, bit)]
    if None in cases or cases[0] is cases[1]:
        return None
    low, high = (ZERO, bit) if cases[0] else (bit, 2 * bit)
    return Digit(modulus=2 * bit, low=low, high=high)


def _with(poly: Poly, atom: BitAnd, value: Poly) -> Poly:
    return poly.map_atoms(lambda each: value if each == atom else Poly({(each,): 1}))


def _truth(comparison: Comparison, poly: Poly, known: Magnitudes) -> bool | None:
    """Return whether a product of positive factors compares so with 0."""
    if poly.terms and not (known.is_positive(poly) or known.is_positive(-poly)):
        return None
    sign = 0 if not poly.terms else 1 if known.is_positive(poly) else -1
    match comparison:
        case Comparison.LT:
            return sign < 0
        case Comparison.LE:
            return sign <= 0
        case Comparison.GT:
            return sign > 0
        case Comparison.GE:
            return sign >= 0
        case Comparison.EQ:
            return sign == 0
        case Comparison.NE:
            return sign != 0


def _remainder(
    comparison: Comparison, difference: Poly, quotient: Poly, parts: tuple[Poly, Poly], x: str, known: Magnitudes
) -> Digit | None:
    """Return a comparison with a remainder, ``x mod m`` or ``floor(x/w) mod m``."""
    numerator, modulus = parts
    weight = ONE
    if numerator != var(x):
        match single_atom(numerator):
            case FloorDiv(whole, divisor) | TruncDiv(whole, divisor) if whole == var(x):
                weight = divisor
            case _:
                return None
    (monomial,) = numerator.terms
    factor = difference.terms.get(monomial, 0)
    rest = difference - (numerator - modulus * quotient) * factor
    return None if x in rest.names() else _interval(comparison, (factor, rest), modulus, weight, known)


def _interval(
    comparison: Comparison, linear: tuple[Number, Poly], modulus: Poly, weight: Poly, known: Magnitudes
) -> Digit | None:
    """Return a comparison of ``factor*d + rest`` with 0 as one of the digit d, of a weight."""
    factor, rest = linear
    if not isinstance(factor, int) or not factor:
        return None
    if factor < 0:
        comparison, rest, factor = comparison.mirrored, -rest, -factor
    bound = exact_quotient(-rest, factor)
    if bound is None:
        return None
    above = bound + (comparison in (Comparison.LE, Comparison.GT, Comparison.EQ, Comparison.NE))
    low = bound if comparison in (Comparison.EQ, Comparison.NE) else ZERO
    inside = comparison in (Comparison.LT, Comparison.LE, Comparison.EQ)
    is_below = above == ONE or known.is_at_least(modulus, above) or known.is_natural(modulus - above)
    is_above = known.is_positive(above) or known.is_natural(above - 1)
    if not (is_below and is_above and known.is_natural(low)):
        return None
    return Digit(modulus=weight * modulus, low=weight * low, high=weight * above, inside=inside)


def _ordered(digits: Sequence[Digit], known: Magnitudes) -> tuple[Digit, ...] | None:
    """Return digits with each modulus a multiple of the next; None where there is no such order."""
    left, found = [*digits], list[Digit]()
    while left:
        first = next(
            (one for one in left if all(known.is_multiple(one.modulus, other.modulus) for other in left)), None
        )
        if first is None:
            return None
        left.remove(first)
        if found:
            last = found[-1]
            is_even = all(not end.terms or known.is_multiple(end, first.modulus) for end in (last.low, last.high))
            found[-1] = replace(last, is_even=is_even)
        found.append(first)
    return tuple(found)
