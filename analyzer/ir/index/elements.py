"""Elements of tables of constants, and of arrays that the user gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..given_array import GivenArray
from .poly import Number, Poly, Unknown, const


class Element(Unknown, frozen=True, kw_only=True):
    """An element of a table of constants, ``cx[q]``: unknown as long as its ``index`` (from 0) is no number.

    Or one of an array that the user gives: what depends on it can be evaluated, once all iterators have numbers.
    """

    table: tuple[int, ...] | GivenArray
    index: Poly

    @property
    def operands(self) -> tuple[Poly, ...]:
        """Return the index."""
        return (self.index,)

    def rebuilt(self, operands: Sequence[Poly]) -> Poly:
        """Return the element at another index."""
        return element_of(self.table, self.label, *operands, array=self.array)

    def substitute(self, values: Mapping[str, Poly | Number]) -> Poly:
        """Return the element at the index in which names are replaced."""
        return self.rebuilt([self.index.substitute(values)])


def element_of(table: tuple[int, ...] | GivenArray, label: str, index: Poly, *, array: str = "") -> Poly:
    """Return an element of a table, or of the ``array`` that has it: its number where the index is one within it."""
    position = index.constant
    if position is not None and 0 <= position < len(table):
        return const(table[position])
    return Poly({(Element(label, index.names(), array=array, table=table, index=index),): 1})


def given_elements(poly: Poly) -> frozenset[Element]:
    """Return the elements of given arrays that occur anywhere."""
    return frozenset(
        atom for atom in poly.unknowns() if isinstance(atom, Element) and isinstance(atom.table, GivenArray)
    )


def open_arrays(poly: Poly) -> frozenset[str]:
    """Return the arrays, none of which is given, whose elements decide a value, or which of these elements.

    >>> from .poly import unknown, var
    >>> row = unknown("p[i]", "i", array="p")
    >>> columns = GivenArray.of("c", [0, 2, 5], source="c.npy")
    >>> sorted(open_arrays(element_of(columns, "c[k]", row + var("k"), array="c")))
    ['p']
    """
    atoms, found = [*poly.unknowns()], set[str]()
    while atoms:
        atom = atoms.pop()
        if atom.array and not isinstance(atom, Element):
            found.add(atom.array)
        within = (*(value for _, value in atom.at), *(value for value, _ in atom.computed))
        atoms += (other for value in within for other in value.unknowns())
    return frozenset(found)


def is_given(poly: Poly) -> bool:
    """Return whether something is unknown, and all of it are elements of given arrays.

    >>> from .poly import unknown, var
    >>> rows = GivenArray.of("p", [0, 2, 5], source="p.npy")
    >>> is_given(element_of(rows, "p[i]", var("i")) + var("j")), is_given(var("j")), is_given(unknown("p[i]"))
    (True, False, False)
    """
    unknowns = poly.unknowns()
    return bool(unknowns) and unknowns == given_elements(poly)
