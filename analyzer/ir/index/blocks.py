"""Sums of many terms that are alike in blocks: ``floor(n/(t + 1))`` has about ``2*sqrt(n)`` values for all ``t < n``.

This is Dirichlet's way to sum the divisors of all numbers to n (Hardy, Wright, *An Introduction to the Theory of
Numbers*, section 18.2).  The terms are polynomials in the index and in quotients, minima and maxima that never fall or
never rise with it: these are constant in each block, and what is left has a closed form for powers of the index.
"""

from __future__ import annotations

from bisect import bisect_left

from .divisions import FloorDiv, TruncDiv, floor_div
from .extrema import Extremum
from .poly import Atom, Monomial, Number, Poly, TooManyTerms, var

_MOST_BLOCKS = 1 << 16  # of one sum: half a second
_HIGHEST_POWER = 2  # of the index


def has_blocks(body: Poly, index: str) -> bool:
    """Return whether terms with quotients by the index are alike in blocks, whatever numbers the other names are.

    >>> n, t = var("n"), var("t")
    >>> has_blocks(floor_div(n + t, t + 1) * t, "t"), has_blocks(floor_div(t, n), "t"), has_blocks(t * n, "t")
    (True, False, False)
    """
    body = _without_remainders(body, index)
    steps = _steps(body, index)
    power = max((monomial.count(index) for monomial in body.terms), default=0)
    divides = any(isinstance(each, FloorDiv | TruncDiv) for step in steps for each in Poly({(step,): 1}).nested_atoms())
    return divides and power <= _HIGHEST_POWER and all(_is_step(atom, index) for atom in steps)


def summed_in_blocks(body: Poly, index: str, number: int) -> Number:
    """Return the sum over ``index = 0, 1, ... number - 1``; raises ``TooManyTerms`` where there are no few blocks."""
    body = _without_remainders(body, index)
    steps = [_Step(atom, index, number) for atom in _steps(body, index)]
    total: Number = 0
    first = 0
    for _ in range(_MOST_BLOCKS):
        if first >= number:
            return total
        values: dict[Atom, Number] = {step.form: step.at(first) for step in steps}
        last = min([number - 1, *(step.last for step in steps)])
        for monomial, factor in body.terms.items():
            term = factor * _powers(monomial.count(index), first, last)
            for atom in monomial:
                term *= 1 if atom == index else values[atom]
            total += term
        first = last + 1
    raise TooManyTerms(f"the sum of {body} is not worked out", hint=f"it has more than {_MOST_BLOCKS} different terms")


class _Step:
    """An atom that never falls or never rises with the index: its value, and the ``last`` index that has it."""

    def __init__(self, atom: Atom, index: str, number: int) -> None:
        if isinstance(atom, str) or not _direction(Poly({(atom,): 1}), index):
            raise TooManyTerms(f"{atom} is not summed", hint="it has no direction")
        self.form, self.last = atom, -1
        self._index, self._end = index, number - 1
        self._value: Number = 0

    def at(self, first: int) -> Number:
        """Return the value at an index, which is not below those before."""
        if first > self.last:
            self._value = self.form.evaluate({self._index: first})
            self.last = self._last(first)
        return self._value

    def _last(self, first: int) -> int:
        """Return the last index of the same value: twice as far until it differs, then by bisection."""
        least, reach = first, 1
        while least < self._end:
            ahead = min(least + reach, self._end)
            if self._differs(ahead):
                return least + bisect_left(range(least + 1, ahead), x=True, key=self._differs)
            least, reach = ahead, reach * 2
        return self._end

    def _differs(self, at: int) -> bool:
        return self.form.evaluate({self._index: at}) != self._value


def _steps(body: Poly, index: str) -> list[Atom]:
    """Return the atoms that depend on the index, but for itself."""
    atoms = dict.fromkeys(body.atoms())
    return [atom for atom in atoms if atom != index and index in Poly({(atom,): 1}).names()]


def _is_step(atom: Atom, index: str) -> bool:
    """Return whether an atom may have a direction, once the other names are numbers."""
    match atom:
        case FloorDiv() | TruncDiv():
            slope = atom.denominator.coefficient(index)
            is_linear = atom.denominator == slope * var(index) + atom.denominator.substitute({index: 0})
            return index not in atom.numerator.names() and is_linear and (slope.constant or 0) > 0
        case Extremum():
            inside = [part for operand in atom.operands for part in _steps(operand, index)]
            powers = [monomial.count(index) for operand in atom.operands for monomial in operand.terms]
            return max(powers, default=0) <= 1 and all(_is_step(part, index) for part in inside)
        case _:
            return False


def _direction(poly: Poly, index: str) -> int | None:
    """Return 1 for what never falls as the index does, -1 for what never rises, 0 for a constant; None: not known."""
    found: set[int] = set()
    for monomial, factor in poly.terms.items():
        moving = [atom for atom in monomial if index in Poly({(atom,): 1}).names()]
        if not moving:
            continue
        direction = _direction_of(moving[0], index) if len(monomial) == 1 else None
        if direction is None:
            return None
        found.add(direction if factor > 0 else -direction)
    found.discard(0)
    return None if len(found) > 1 else next(iter(found), 0)


def _direction_of(atom: Atom, index: str) -> int | None:
    if atom == index:
        return 1
    if isinstance(atom, FloorDiv | TruncDiv):
        top, first = atom.numerator.constant, atom.denominator.substitute({index: 0}).constant
        is_positive = first is not None and first > 0 and _direction(atom.denominator, index) == 1
        return None if top is None or not is_positive else (-1 if top > 0 else 1)
    if isinstance(atom, Extremum):
        directions = {_direction(operand, index) for operand in atom.operands} - {0}
        return None if len(directions) > 1 else next(iter(directions), 0)
    return None


def _without_remainders(body: Poly, index: str) -> Poly:
    """Return terms whose quotients have the index in the denominator alone: ``floor((n + t)/(t + 1))`` as 1 and more.

    >>> print(_without_remainders(floor_div(var("n") - var("t") * var("t"), var("t") + 1), "t"))
    floor((n - 1)/(t + 1)) - t + 1
    """

    def divided(atom: Atom) -> Poly:
        own = Poly({(atom,): 1})
        if isinstance(atom, Extremum):
            return atom.rebuilt([_without_remainders(operand, index) for operand in atom.operands])
        if not isinstance(atom, FloorDiv) or atom.denominator.coefficient(index).constant != 1:
            return own
        rest, whole = atom.numerator, Poly({})
        below = atom.denominator - var(index)
        if index in below.names():
            return own
        for power in range(max((monomial.count(index) for monomial in rest.terms), default=0), 0, -1):
            leading = {m: factor for m, factor in rest.terms.items() if m.count(index) == power}
            quotient = Poly({_without_one(m, index): factor for m, factor in leading.items()})
            whole, rest = whole + quotient, rest - quotient * (var(index) + below)
        is_whole = all(isinstance(factor, int) for factor in whole.terms.values())
        return whole + floor_div(rest, atom.denominator) if is_whole and index not in rest.names() else own

    return body.map_atoms(divided)


def _without_one(monomial: Monomial, index: str) -> Monomial:
    position = monomial.index(index)
    return (*monomial[:position], *monomial[position + 1 :])


def _powers(power: int, first: int, last: int) -> Number:
    """Return the sum of a power of all numbers from the first to the last.

    >>> [_powers(power, 3, 5) for power in (0, 1, 2)]
    [3, 12, 50]
    """
    if power == 0:
        return last - first + 1
    if power == 1:
        return (first + last) * (last - first + 1) // 2
    if power == _HIGHEST_POWER:
        return _squares(last) - _squares(first - 1)
    raise TooManyTerms(f"powers of {power} are not summed", hint="give smaller sizes")


def _squares(last: int) -> int:
    return last * (last + 1) * (2 * last + 1) // 6
