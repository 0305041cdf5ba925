"""Polynomials and the forms in them as functions of Python, for sums that are worked out term by term.

Each form becomes one assignment, so that it is worked out once wherever it stands, and the expression what is returned.
The function has the value of :meth:`~.poly.Poly.evaluate`, many times as fast, but divides by zero also where another
factor is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatchmethod
from typing import cast

from .divisions import FloorDiv, TruncDiv, truncated
from .extrema import Extremum
from .poly import Form, Number, Poly
from .powers import Power

_BITS = 1024  # of a power that is worked out as a whole number at once


def compiled(poly: Poly, names: Sequence[str]) -> Callable[..., Number]:
    """Return a function of the values of some names, in order, which are all that the expression depends on.

    Raises what :meth:`~.poly.Poly.evaluate` does, and ``ZeroDivisionError`` also in products with 0.

    >>> from .divisions import floor_div
    >>> from .poly import var
    >>> compiled(floor_div(var("t"), var("u")) * 3, ("t", "u"))(7, 2)
    9
    """
    source = _Source(names)
    result = source.poly(poly)
    lines = (f"def function({', '.join(source.arguments.values())}):", *source.lines, f"return {result}")
    exec("\n    ".join(lines), source.known)  # text of our own, of numbers and operators
    return cast(Callable[..., Number], source.known["function"])


def _power(form: Power, exponent: Number) -> Number:
    if type(exponent) is int and 0 <= exponent <= _BITS:
        return cast(int, form.base**exponent)
    return form.at(exponent)


class _Source:
    """Writes expressions of arguments: ``lines`` work out the forms, ``known`` are the objects that they name."""

    def __init__(self, names: Sequence[str]) -> None:
        self.arguments = {name: f"v{number}" for number, name in enumerate(names)}
        self.known: dict[str, object] = {"truncated": truncated, "power": _power}
        self.lines: list[str] = []
        self._found: dict[Form, str] = {}

    def poly(self, poly: Poly) -> str:
        """Return a sum of products in parentheses."""
        products = (
            "*".join((self._number(number), *(self._atom(atom) for atom in monomial)))
            for monomial, number in poly.terms.items()
        )
        return f"({' + '.join(products) or '0'})"

    def _number(self, number: Number) -> str:
        return f"({number})" if isinstance(number, int) else self._object(number)

    def _object(self, value: object) -> str:
        name = f"c{len(self.known)}"
        self.known[name] = value
        return name

    def _atom(self, atom: str | Form) -> str:
        if isinstance(atom, str):
            return self.arguments[atom]
        if atom not in self._found:
            text = self._form(atom)
            self._found[atom] = name = f"f{len(self._found)}"
            self.lines.append(f"{name} = {text}")
        return self._found[atom]

    @singledispatchmethod
    def _form(self, form: Form) -> str:
        """Return what a form is; for most kinds the call of its own evaluation."""
        values = ", ".join(f"{name!r}: {argument}" for name, argument in self.arguments.items())
        return f"{self._object(form)}.evaluate({{{values}}})"

    @_form.register
    def _(self, form: FloorDiv) -> str:
        return f"{self.poly(form.numerator)} // {self.poly(form.denominator)}"

    @_form.register
    def _(self, form: TruncDiv) -> str:
        return f"truncated({self.poly(form.numerator)}, {self.poly(form.denominator)})"

    @_form.register
    def _(self, form: Extremum) -> str:
        return f"{'max' if form.largest else 'min'}({', '.join(map(self.poly, form.operands))})"

    @_form.register
    def _(self, form: Power) -> str:
        return f"power({self._object(form)}, {self.poly(form.exponent)})"
