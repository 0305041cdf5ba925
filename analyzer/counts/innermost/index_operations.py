"""The operations between the value of a register and an integer expression of it, as a processor executes them.

An integer expression is a polynomial in normal form; its operations are those of the shortest way through it: a product
with a number is a shift where that is a power of two, terms are added up, and a quotient by a power of two is a shift.
A remainder (``x - d*floor(x/d)``) is a mask by a power of two.  A bitwise operation with a constant may have become
either, so that a chain through it may be shorter by a cycle, and longer by none.
"""

from __future__ import annotations

from collections.abc import Collection

from ...ir.index import Atom, FloorDiv, Number, Poly, TruncDiv, Unknown, is_power_of_two
from ...ir.values import Operation

Operations = tuple[Operation, ...]


def names_in(index: Poly) -> frozenset[str]:
    """Return the names of registers whose values an expression may have in it."""
    unknowns = index.unknowns()
    computed = {name for atom in unknowns for operand, _ in atom.computed for name in names_in(operand)}
    return index.names() | computed | {atom.variable for atom in unknowns if atom.variable}


def operations_from(name: str, index: Poly) -> Operations | None:
    """Return the operations from the value of a register to that of an expression; None where it does not depend on it.

    >>> from ...ir.index import unknown
    >>> t = unknown("t", variable="t")
    >>> [each.value for each in operations_from("t", 5 * t + 3)]
    ['mul', 'add']
    """
    found = [way for monomial, number in index.terms.items() if (way := _through(name, monomial, number)) is not None]
    if not found:
        return None
    longest = max(found, key=len)
    if _is_mask(index):
        return (*longest[:-2], Operation.BITWISE)
    return (*longest, Operation.ADD) if len(index.terms) > 1 else longest


def _is_mask(index: Poly) -> bool:
    """Return whether an expression is ``x - d*floor(x/d)`` for a power of two."""
    divisions = [
        (atom, number) for monomial, number in index.terms.items() for atom in monomial if isinstance(atom, FloorDiv)
    ]
    if len(divisions) != 1:
        return False
    ((division, number),) = divisions
    divisor = division.denominator.constant
    return isinstance(divisor, int) and number == -divisor and is_power_of_two(divisor)


def _through(name: str, monomial: Collection[Atom], number: Number) -> Operations | None:
    ways = [way for atom in monomial if (way := _inside(name, atom)) is not None]
    if not ways:
        return None
    products = (Operation.MUL,) * (len(monomial) - 1)
    scaled: Operations = ()
    if abs(number) != 1:
        scaled = (Operation.SHIFT,) if is_power_of_two(abs(number)) else (Operation.MUL,)
    return (*max(ways, key=len), *products, *scaled)


def _inside(name: str, atom: Atom) -> Operations | None:
    if atom == name or (isinstance(atom, Unknown) and atom.variable == name):
        return ()
    ways = [way for operand in _operands(atom) if (way := operations_from(name, operand)) is not None]
    for operand, number in atom.computed if isinstance(atom, Unknown) else ():
        way = operations_from(name, operand)
        ways += [] if way is None else [(*way, *(Operation.BITWISE,) * number)]
    if not ways:
        return None
    last: Operations = ()
    if isinstance(atom, FloorDiv | TruncDiv):
        divisor = atom.denominator.constant
        last = (Operation.SHIFT,) if divisor is not None and is_power_of_two(abs(divisor)) else (Operation.DIV,)
    return (*max(ways, key=len), *last)


def _operands(atom: Atom) -> tuple[Poly, ...]:
    return () if isinstance(atom, str) else atom.operands
