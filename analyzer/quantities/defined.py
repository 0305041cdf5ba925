"""Values of symbols at which no quotient divides by zero: ``order / (procs / group)`` has none for fewer ``procs``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..ir.index import FloorDiv, Log, Number, Poly, Power, TruncDiv

_TIMES, _BITS = 1000, 10  # by which what is divided grows where its quotient is zero, and a number of bits does
_ROUNDS = 8


def where_defined(polys: Iterable[Poly], values: Mapping[str, Number]) -> dict[str, Number]:
    """Return values at which divisors are not zero: what these divide themselves is larger than given where it must be.

    Divisors that no such values make other than zero stay zero.

    >>> from analyzer.ir.index import trunc_div, var
    >>> each = trunc_div(var("order"), trunc_div(var("procs"), var("group")))
    >>> where_defined([each], {"order": 9, "procs": 7, "group": 8})
    {'order': 9, 'procs': 7000, 'group': 8}
    """
    found = dict(values)
    atoms = [atom for poly in polys if poly.forms for atom in poly.nested_atoms()]
    divisors = {atom.denominator for atom in atoms if isinstance(atom, FloorDiv | TruncDiv) and atom.denominator.forms}
    bits = {name for atom in atoms if isinstance(atom, Power) for name in outside_logarithms(atom.exponent)}
    for _ in range(_ROUNDS if divisors else 0):
        small = {name for poly in divisors if _is_zero_at(poly, found) for name in _divided(poly)}
        if not small:
            break
        for name in small & found.keys():
            found[name] = found[name] + _BITS if name in bits else found[name] * _TIMES
    return found


def outside_logarithms(exponent: Poly) -> Iterator[str]:
    """Yield the names in an exponent but those in logarithms, which may be large."""
    for atom in exponent.atoms():
        if isinstance(atom, str):
            yield atom
        elif not isinstance(atom, Log):
            for operand in atom.operands:
                yield from outside_logarithms(operand)


def _is_zero_at(poly: Poly, values: Mapping[str, Number]) -> bool:
    try:
        return poly.evaluate(values) == 0
    except (KeyError, ValueError, ZeroDivisionError):  # of a divisor in it, which is one of its own, or not known
        return False


def _divided(poly: Poly) -> Iterator[str]:
    """Yield the names in what the quotients of a polynomial divide."""
    for form in poly.forms:
        if isinstance(form, FloorDiv | TruncDiv):
            yield from form.numerator.names()
