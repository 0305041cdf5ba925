"""Conditions on counters: as functions of numbers or numpy arrays, as isl's text, and as affine inequalities."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, assert_never

from ...ir.conditions import map_condition_indices
from ...ir.given_array import GivenArray
from ...ir.index import (
    Atom,
    BitAnd,
    Element,
    Extremum,
    FloorDiv,
    Poly,
    Power,
    TruncDiv,
    Unknown,
)
from ...ir.nodes import And, Compare, Comparison, Condition, DataDependent, Not, Or, Truth
from .program import Affine, Computed, CounterName, Counters, NotNumeric, Test, affine

_Values = dict[Atom, Any]
"""Values of counters, and of quotients and the like as they are worked out: numbers, or arrays of integers."""


def test_of(condition: Condition, iterators: Mapping[str, Poly]) -> Test | None:
    """Return a condition on counters, given what the iterators are in these; None where it depends on data."""
    on_counters = map_condition_indices(condition, lambda index: index.substitute(iterators))
    try:
        text = _text(on_counters)
    except NotNumeric:
        return None
    needed = tuple(_needed(on_counters))
    return Test(on_counters, lambda counters: holds(on_counters, values_of(counters)), text, needed)


def computed(address: Poly) -> Computed:
    """Return an address that counters decide in a way that is not affine."""
    return Computed(lambda counters: evaluate(address, values_of(counters)))


def values_of(counters: Counters) -> dict[str, Any]:
    """Return the values of counters by their names in polynomials."""
    return {CounterName(depth): value for depth, value in enumerate(counters)}


def evaluate(poly: Poly, values: Mapping[str, Any]) -> Any:
    """Return the value of a polynomial for numbers or arrays of integers."""
    return _value(poly, dict(values.items()))


def holds(condition: Condition, values: Mapping[str, Any]) -> Any:
    """Return whether a condition holds, for numbers or arrays of integers."""
    return _truth(condition, dict(values.items()))


def _value(poly: Poly, values: _Values) -> Any:
    total: Any = 0
    for monomial, number in poly.terms.items():
        product: Any = number
        for position, atom in enumerate(monomial):
            value = values.get(atom)
            if value is None:
                value = values[atom] = _atom(atom, values)
            product = value if not position and number == 1 else product * value
        total = total + product
    return total


def _atom(atom: Atom, values: _Values) -> Any:
    import numpy as np

    match atom:
        case str():
            return values[atom]
        case FloorDiv():
            return _value(atom.numerator, values) // _value(atom.denominator, values)
        case TruncDiv():
            top, bottom = _value(atom.numerator, values), _value(atom.denominator, values)
            return np.sign(top) * np.sign(bottom) * (abs(top) // abs(bottom))
        case Extremum():
            operands = [_value(operand, values) for operand in atom.operands]
            combine = np.maximum if atom.largest else np.minimum
            result = operands[0]
            for operand in operands[1:]:
                result = combine(result, operand)
            return result
        case BitAnd():
            return _value(atom.left, values) & _value(atom.right, values)
        case Element(table=GivenArray() as given, index=index):
            return _looked_up(given, _value(index, values))
        case Power():
            return atom.base ** _value(atom.exponent, values)
        case Unknown():
            raise NotNumeric("value", name=atom.label)
        case _:
            raise NotNumeric("value", name=str(atom))


def _looked_up(given: GivenArray, position: Any) -> Any:
    """Return elements of a given array; positions outside of it, which a message reports, are those at its ends."""
    import numpy as np

    numbers = np.frombuffer(given.data, dtype=np.int64)
    return numbers[np.clip(position, 0, given.count - 1)]


_COMPARE: Mapping[Comparison, Callable[[Any, Any], Any]] = {
    Comparison.LT: lambda left, right: left < right,
    Comparison.LE: lambda left, right: left <= right,
    Comparison.GT: lambda left, right: left > right,
    Comparison.GE: lambda left, right: left >= right,
    Comparison.EQ: lambda left, right: left == right,
    Comparison.NE: lambda left, right: left != right,
}


def _truth(condition: Condition, values: _Values) -> Any:
    import numpy as np

    match condition:
        case Compare(comparison, left, right):
            return _COMPARE[comparison](_value(left, values), _value(right, values))
        case And(operands):
            return np.logical_and.reduce(np.broadcast_arrays(*(_truth(operand, values) for operand in operands)))
        case Or(operands):
            return np.logical_or.reduce(np.broadcast_arrays(*(_truth(operand, values) for operand in operands)))
        case Not(operand):
            return np.logical_not(_truth(operand, values))
        case Truth(holds=truth):
            return truth
        case DataDependent():
            raise NotNumeric("condition")
        case _:
            assert_never(condition)


def _text(condition: Condition) -> str:
    """Return the condition as isl reads it, over counters."""
    match condition:
        case Compare(comparison, left, right):
            symbol = {"==": "=", "!=": "!="}.get(comparison.value, comparison.value)
            return f"{_isl(left)} {symbol} {_isl(right)}"
        case And(operands):
            return "(" + " and ".join(_text(operand) for operand in operands) + ")"
        case Or(operands):
            return "(" + " or ".join(_text(operand) for operand in operands) + ")"
        case Not(operand):
            return f"not ({_text(operand)})"
        case Truth(holds):
            return "0 = 0" if holds else "0 = 1"
        case DataDependent():
            raise NotNumeric("condition")
        case _:
            assert_never(condition)


def _needed(condition: Condition, *, holds: bool = True) -> Iterator[Affine]:
    """Yield affine expressions over counters that are not negative where the condition is true (or, if not, false)."""
    match condition:
        case And(operands) if holds:
            for operand in operands:
                yield from _needed(operand)
        case Or(operands) if not holds:
            for operand in operands:
                yield from _needed(operand, holds=False)
        case Not(operand):
            yield from _needed(operand, holds=not holds)
        case Compare(comparison, left, right):
            rise = right - left
            chosen = comparison if holds else comparison.opposite
            for poly in _not_negative(chosen, rise):
                found = affine(poly)
                if found is not None:
                    yield found
        case _:
            return


def _not_negative(comparison: Comparison, rise: Poly) -> tuple[Poly, ...]:
    """Return what is not negative where ``left ? right`` holds, ``rise`` being right less left."""
    match comparison:
        case Comparison.LT:
            return (rise - 1,)
        case Comparison.LE:
            return (rise,)
        case Comparison.GT:
            return (-rise - 1,)
        case Comparison.GE:
            return (-rise,)
        case Comparison.EQ:
            return (rise, -rise)
        case Comparison.NE:
            return ()
        case _:
            assert_never(comparison)


def _isl(poly: Poly) -> str:
    """Return an index expression as isl reads it; raises :class:`NotNumeric` for products and unknown values."""
    parts = []
    for monomial, number in poly.terms.items():
        if len(monomial) > 1:
            raise NotNumeric("not-affine", index=str(poly))
        parts.append(str(number) if not monomial else f"{number}*{_isl_atom(monomial[0])}")
    return "(" + (" + ".join(parts) or "0") + ")"


def _isl_atom(atom: Atom) -> str:
    match atom:
        case CounterName():
            return f"t{atom.depth}"
        case str():
            raise NotNumeric("value", name=atom)
        case FloorDiv(numerator, denominator) | TruncDiv(numerator, denominator):
            if not isinstance(denominator.constant, int):
                raise NotNumeric("divisor")
            return f"floor({_isl(numerator)}/{denominator.constant})"
        case Extremum(largest, operands):
            return f"{'max' if largest else 'min'}({', '.join(_isl(operand) for operand in operands)})"
        case Unknown():
            raise NotNumeric("value", name=atom.label)
        case _:
            raise NotNumeric("not-affine", index=str(atom))
