"""Polynomials in iterators and symbols, in one normal form; what is no polynomial is a :class:`Form` within one.

A new kind of form is a class with an operation that makes it, in a module of its own beside this one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any, Union

from msgspec import Struct
from msgspec.structs import replace

from ...errors import AnalyzerError
from ...python.cached_property import cached_property

Number = Union[int, Fraction]
Atom = Union[str, "Form"]
Monomial = tuple[Atom, ...]

_MODULO = " mod "
_NO_UNKNOWNS: frozenset[Unknown] = frozenset()


def exact(value: Number) -> Number:
    """Return a number, as an ``int`` where it is whole."""
    return value if isinstance(value, int) or value.denominator != 1 else int(value)


class Poly(Struct, frozen=True, eq=False, dict=True):
    """A polynomial: ``terms`` maps each monomial (sorted atoms, () for the constant) to a non-zero number."""

    terms: Mapping[Monomial, Number]

    @cached_property
    def _hash(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __eq__(self, other: object) -> bool:
        """Compare by value."""
        return self is other or (isinstance(other, Poly) and self.terms == other.terms)

    def __ne__(self, other: object) -> bool:
        """Compare by value; that of ``Struct`` would compare identity."""
        return not self == other

    def __hash__(self) -> int:
        """Hash by value."""
        return self._hash

    @property
    def constant(self) -> int | None:
        """Return the integer value when there is nothing but an integer constant, else None."""
        if not self.terms:
            return 0
        value = self.terms.get(()) if len(self.terms) == 1 else None
        return value if isinstance(value, int) else None

    @property
    def as_name(self) -> str | None:
        """Return the name when the expression is one iterator or symbol, else None."""
        atom = single_atom(self)
        return atom if isinstance(atom, str) else None

    def __add__(self, other: Poly | Number) -> Poly:
        """Return the sum."""
        right = as_poly(other)
        if not self.terms or not right.terms:
            return self if self.terms else right
        return _collect([*self.terms.items(), *right.terms.items()])

    __radd__ = __add__

    def __neg__(self) -> Poly:
        """Return the negative."""
        return Poly({monomial: -number for monomial, number in self.terms.items()})

    def __sub__(self, other: Poly | Number) -> Poly:
        """Return the difference."""
        right = as_poly(other)
        if not right.terms:
            return self
        return _collect([*self.terms.items(), *[(monomial, -number) for monomial, number in right.terms.items()]])

    def __rsub__(self, other: Poly | Number) -> Poly:
        """Return the difference of a number and this."""
        return as_poly(other) - self

    def __mul__(self, other: Poly | Number) -> Poly:
        """Return the product."""
        if not isinstance(other, Poly):
            return self._scaled(other) if other else ZERO
        right = other
        for one, factor in ((self, right), (right, self)):  # most products have a number on one side
            if len(factor.terms) == 1 and () in factor.terms:
                return one._scaled(factor.terms[()])
        return _collect([(_merge(m1, m2), n1 * n2) for m1, n1 in self.terms.items() for m2, n2 in right.terms.items()])

    __rmul__ = __mul__

    def _scaled(self, factor: Number) -> Poly:
        """Return product with a number that is not zero."""
        if factor == 1:
            return self
        products = [(monomial, number * factor) for monomial, number in self.terms.items()]
        return Poly({m: n if type(n) is int else exact(n) for m, n in products})

    def atoms(self) -> Iterator[Atom]:
        """Yield every atom at the top level, with repetitions, in no particular order."""
        for monomial in self.terms:
            yield from monomial

    def atoms_named(self) -> Iterator[str]:
        """Yield every name at the top level, with repetitions."""
        return (atom for atom in self.atoms() if isinstance(atom, str))

    def nested_atoms(self) -> Iterator[Atom]:
        """Yield every atom at any depth, an outer one before those in it, with repetitions."""
        for atom in self.atoms():
            yield atom
            if not isinstance(atom, str):
                for operand in atom.operands:
                    yield from operand.nested_atoms()

    @cached_property
    def forms(self) -> tuple[Form, ...]:
        """Return the atoms at the top level that are no names, each once, in order."""
        atoms = [atom for monomial in self.terms for atom in monomial if not isinstance(atom, str)]
        return tuple(dict.fromkeys(atoms))

    def names(self) -> frozenset[str]:
        """Return iterators and symbols that occur anywhere, also inside division, min/max and unknown atoms."""
        return self._names

    @cached_property
    def _names(self) -> frozenset[str]:
        found: set[str] = set()
        for monomial in self.terms:
            for atom in monomial:
                if isinstance(atom, str):
                    found.add(atom)
                else:
                    found |= atom.names()
        return frozenset(found)

    def unknowns(self) -> frozenset[Unknown]:
        """Return the unknown atoms that occur anywhere."""
        return self._unknowns

    @cached_property
    def _unknowns(self) -> frozenset[Unknown]:
        if not self.forms:
            return _NO_UNKNOWNS
        found: set[Unknown] = set()
        for form in self.forms:
            if isinstance(form, Unknown):
                found.add(form)
            for operand in form.operands:  # each keeps its own: an expression is part of many others
                found |= operand.unknowns()
        return frozenset(found)

    def map_atoms(self, replace: Callable[[Atom], Poly]) -> Poly:
        """Replace every top-level atom by a polynomial; ``replace`` is asked once for each atom."""
        known: dict[Atom, Poly | None] = {}
        products: dict[Monomial, Poly] = {}  # of what replaces atoms: monomials have most of these in common
        total: list[tuple[Monomial, Number]] = []
        for monomial, number in self.terms.items():
            product: Poly | None = None
            kept: list[Atom] = []
            replaced: Monomial = ()
            for atom in monomial:
                if atom not in known:
                    found = replace(atom)
                    known[atom] = None if found.terms == {(atom,): 1} else found
                new = known[atom]
                if new is None:
                    kept.append(atom)
                    continue
                replaced = (*replaced, atom)
                if product is None:
                    product = new
                else:
                    if replaced not in products:
                        products[replaced] = product * new
                    product = products[replaced]
            if product is None:
                total.append((monomial, number))
            else:
                total.extend((product * Poly({tuple(kept): number})).terms.items())
        return _collect(total)

    def substitute(self, values: Mapping[str, Poly | Number]) -> Poly:
        """Replace names by polynomials or numbers, everywhere, and simplify."""
        if not values or self.names().isdisjoint(values):
            return self
        if not self.forms and not any(isinstance(values.get(name), Poly) for name in self.names()):
            return self._with_numbers(values)

        def replace(atom: Atom) -> Poly:
            if isinstance(atom, str):
                return as_poly(values[atom]) if atom in values else var(atom)
            return atom.substitute(values)

        return self.map_atoms(replace)

    def _with_numbers(self, values: Mapping[Any, Any]) -> Poly:
        """Return a polynomial without forms with numbers in place of names: most of what is put in are sizes."""
        total: dict[Monomial, Number] = {}
        for monomial, number in self.terms.items():
            left: list[Atom] = []
            for atom in monomial:
                value = values.get(atom)
                if value is None:
                    left.append(atom)
                else:
                    number *= value
            if number:
                rest = tuple(left)
                total[rest] = total.get(rest, 0) + number
        return Poly({m: n if type(n) is int else exact(n) for m, n in total.items() if n})

    def evaluate(self, values: Mapping[str, Number]) -> Number:
        """Return exact value; raises ``KeyError`` for a name without value and ``ValueError`` for an unknown atom.

        Of a product with 0 all other factors may divide by 0: a loop with a step of 0 that no iteration comes to.
        Raises ``ZeroDivisionError`` for another division by 0.
        """
        total: Number = 0
        for monomial, number in self.terms.items():
            product: Number = number
            try:
                for atom in monomial:
                    product *= values[atom] if isinstance(atom, str) else atom.evaluate(values)
            except ZeroDivisionError:
                if not any(_is_zero(atom, values) for atom in monomial):
                    raise
                continue
            total += product
        return exact(total)

    def coefficient(self, name: str) -> Poly:
        """Return the factor of ``name`` to the first power (other atoms may be part of it)."""
        return Poly({_without(m, name): n for m, n in self.terms.items() if m.count(name) == 1})

    def is_linear_in(self, name: str) -> bool:
        """Return whether the name is in each monomial at most once, and in no form."""
        return all(
            monomial.count(name) <= 1 and all(isinstance(atom, str) or name not in atom.names() for atom in monomial)
            for monomial in self.terms
        )

    def degree_in(self, names: frozenset[str]) -> int:
        """Return the largest number of factors from ``names`` in any monomial, nested atoms counted as one factor."""
        return max((sum(_involves(atom, names) for atom in monomial) for monomial in self.terms), default=0)

    def __str__(self) -> str:
        """Return the canonical text: monomials by falling degree, then by name; a plus precedes a leading minus."""
        return self._shown

    @cached_property
    def _shown(self) -> str:
        return _text(self)

    def __repr__(self) -> str:
        """Return the text with the type, for test failures."""
        return f"Poly({self._shown})"


class Form(Struct, frozen=True, cache_hash=True):
    """An atom that is no name: a form of other expressions, its operands, that is no polynomial of them.

    What is said here holds of one without operands, of which nothing is known.
    """

    @property
    def operands(self) -> tuple[Poly, ...]:
        """Return the expressions in it, without those in which it binds a name."""
        return ()

    def rebuilt(self, operands: Sequence[Poly]) -> Poly:
        """Return the form of other operands, simplified."""
        return Poly({(self,): 1})

    def substitute(self, values: Mapping[str, Poly | Number]) -> Poly:
        """Replace names by polynomials or numbers, and simplify."""
        return self.rebuilt([operand.substitute(values) for operand in self.operands])

    def names(self) -> frozenset[str]:
        """Return the names that it depends on, at any depth."""
        return frozenset().union(*(operand.names() for operand in self.operands))

    def evaluate(self, values: Mapping[str, Number]) -> Number:
        """Return exact value; errors are those of :meth:`Poly.evaluate`."""
        raise ValueError(f"the value of {self} is not known")

    def factor_text(self, times: int, *, alone: bool) -> str:
        """Return the text of its power as a factor of a product, or as all of it (``alone``)."""
        return str(self) if times == 1 else f"{self}^{times}"

    def divided(self) -> tuple[Atom, int] | None:
        """Return atom and divisor where it is one atom divided by a number, rounded down: remainders print as such."""
        return None


class Climb(Struct, frozen=True):
    """How data move a counter: by a ``step`` or not at all from one iteration of a loop to the next.

    The loop is that of ``iterator``, before it the counter is ``entry`` (None: not known).  It moves where the
    condition of a ``branch`` holds (empty: that has no name), or does not, where it is ``negated``.
    """

    iterator: str
    step: int
    entry: Poly | None = None
    branch: str = ""
    negated: bool = False


class Unknown(Form, frozen=True):
    """A value that the source does not tell, such as ``idx[i]``; ``depends`` are the names it varies with.

    It is a function of these: where one of them is replaced by more than another name, it is the value ``at`` that, so
    that those of two iterations are not assumed to be the same.  From an active thread of a warp to the next one it
    ``rises`` by so much: an index that a counter hands out by that of the counter, what they all read from one element
    by 0.  None where nothing is known of it.

    It is ``taken`` from two indices where data choose: what it is before a loop, and what a condition in the loop sets
    it to (the position of a maximum).

    It ``climbs`` where from one iteration of a loop to the next it moves by a number or not at all.

    ``label`` distinguishes it from others, and is what reports show.  It is an element of an ``array``, the value of a
    ``variable`` or register, or neither of them.  The ``element`` is that with one name and the same subscripts,
    whatever the names of the iterators in the label.  It may be ``computed`` from others, by so many operations.
    """

    label: str
    depends: frozenset[str]
    at: tuple[tuple[str, Poly], ...] = ()
    rises: int | None = None
    taken: tuple[Poly, Poly] | None = None
    array: str = ""
    variable: str = ""
    climbs: Climb | None = None
    element: tuple[str, tuple[Poly, ...]] | None = None
    computed: tuple[tuple[Poly, int], ...] = ()

    def names(self) -> frozenset[str]:
        """Return the names that it varies with, and those of its operands."""
        entry = None if self.climbs is None else self.climbs.entry
        others = (*(self.taken or ()), *(() if entry is None else (entry,)))
        return self.depends.union(super().names(), *(poly.names() for poly in others))

    def substitute(self, values: Mapping[str, Poly | Number]) -> Poly:
        """Return the value that varies with the names in what replaces names."""
        replaced = {name: as_poly(values[name]) for name in sorted(self.depends & values.keys())}
        depends = self.depends.difference(replaced).union(*(value.names() for value in replaced.values()))
        at = [(name, value.substitute(values)) for name, value in self.at]
        at += [(name, value) for name, value in replaced.items() if value.as_name is None]
        taken = None if self.taken is None else (self.taken[0].substitute(values), self.taken[1].substitute(values))
        climbs, element = self._climbs_in(values), self.element
        if element is not None:
            element = (element[0], tuple(subscript.substitute(values) for subscript in element[1]))
        computed = tuple((value.substitute(values), number) for value, number in self.computed)
        changed = replace(
            self, depends=depends, at=tuple(at), taken=taken, climbs=climbs, element=element, computed=computed
        )
        return Poly({(changed,): 1})

    def _climbs_in(self, values: Mapping[str, Poly | Number]) -> Climb | None:
        """Return how it climbs where others replace names; None where its iterator becomes that of no loop.

        A loop that starts elsewhere (``k`` becomes ``k + 2*lo``) stays its loop.
        """
        if self.climbs is None:
            return None
        own = self.climbs.iterator
        entry = None if self.climbs.entry is None else self.climbs.entry.substitute(values)
        value = as_poly(values.get(own, var(own)))
        name = own if own not in (value - var(own)).names() else (value - value.terms.get((), 0)).as_name
        return None if name is None else replace(self.climbs, iterator=name, entry=entry)

    def evaluate(self, values: Mapping[str, Number]) -> Number:
        """Raise ``ValueError``."""
        raise ValueError(f"the value of {self.label} is not known")

    def __str__(self) -> str:
        """Render as ``?label``."""
        return f"?{{{self.label}}}"


class TooManyTerms(AnalyzerError):
    """A sum without a closed form is too long, or a power too large, at these sizes."""


def const(value: Number) -> Poly:
    """Return a constant."""
    return Poly({(): exact(value)}) if value else ZERO


def var(name: str) -> Poly:
    """Return an iterator or a symbol."""
    return Poly({(name,): 1})


def unknown(
    label: str,
    depends: Iterable[str] = (),
    rises: int | None = None,
    taken: tuple[Poly, Poly] | None = None,
    *,
    array: str = "",
    variable: str = "",
    climbs: Climb | None = None,
    element: tuple[str, tuple[Poly, ...]] | None = None,
) -> Poly:
    """Return a value that the source does not tell."""
    return Poly({(Unknown(label, frozenset(depends), (), rises, taken, array, variable, climbs, element),): 1})


ZERO = Poly({})
ONE = Poly({(): 1})


def as_poly(value: Poly | Number) -> Poly:
    """Return a number as a constant, a polynomial as it is."""
    return value if isinstance(value, Poly) else const(value)


def names_in(polys: Iterable[Poly]) -> frozenset[str]:
    """Return the iterators and symbols that occur in any of some polynomials."""
    return frozenset().union(*(poly.names() for poly in polys))


def single_atom(poly: Poly) -> Atom | None:
    """Return the atom when the expression is nothing but one, else None."""
    if len(poly.terms) != 1:
        return None
    (monomial, number), *_ = poly.terms.items()
    return monomial[0] if len(monomial) == 1 and number == 1 else None


def _collect(terms: Iterable[tuple[Monomial, Number]]) -> Poly:
    total: dict[Monomial, Number] = {}
    for monomial, number in terms:
        total[monomial] = total.get(monomial, 0) + number
    return Poly({m: n if type(n) is int else exact(n) for m, n in total.items() if n})


def _merge(left: Monomial, right: Monomial) -> Monomial:
    if not left:
        return right
    return left if not right else tuple(sorted(left + right, key=_atom_order))


def _atom_order(atom: Atom) -> tuple[bool, str]:
    return (not isinstance(atom, str), str(atom))


def _is_zero(atom: Atom, values: Mapping[str, Number]) -> bool:
    with suppress(ZeroDivisionError):
        return (values[atom] if isinstance(atom, str) else atom.evaluate(values)) == 0
    return False


def _without(monomial: Monomial, name: str) -> Monomial:
    position = monomial.index(name)
    return monomial[:position] + monomial[position + 1 :]


def _involves(atom: Atom, names: frozenset[str]) -> bool:
    return atom in names if isinstance(atom, str) else not names.isdisjoint(atom.names())


def operand_text(poly: Poly) -> str:
    """Return the text of an expression as an operand, in parentheses where it is no single name or number."""
    text = str(poly)
    simple = len(poly.terms) <= 1 and "*" not in text and "/" not in text and not text.startswith("-")
    return text if simple else f"({text})"


def _text(poly: Poly) -> str:
    terms, remainders = _remainders(poly.terms)
    if not terms:
        return _joined(remainders) or "0"
    ordered = sorted(terms.items(), key=lambda term: (-len(term[0]), [_atom_order(atom) for atom in term[0]]))
    parts = []
    for monomial, number in ordered:
        body = "*".join(_powers(monomial, alone=abs(number) == 1 and len(monomial) == 1))
        parts.append((body, number))
    return _joined([*parts, *remainders])


def _joined(terms: Sequence[tuple[str, Number]]) -> str:
    """Return terms and their factors as a sum, but for a leading minus where there is a plus."""
    ordered = [*terms]
    first = next((position for position, (_, number) in enumerate(ordered) if number > 0), 0)
    ordered.insert(0, ordered.pop(first)) if ordered else None
    found = ""
    for body, number in ordered:
        sign, size = "-" if number < 0 else "+", abs(number)
        whole = size == 1 and len(ordered) == 1 and body.startswith("(") and _MODULO in body
        text = f"{size}*{body}" if body and size != 1 else body[1:-1] if whole else body or str(size)
        found += f" {sign} {text}" if found else f"-{text}" if number < 0 else text
    return found


def _remainders(terms: Mapping[Monomial, Number]) -> tuple[dict[Monomial, Number], list[tuple[str, Number]]]:
    """Return the terms without those that are remainders, and the remainders: ``3*n - 12*floor(n/4)``."""
    rest = dict(terms)
    found: list[tuple[str, Number]] = []
    for monomial, number in terms.items():
        divided = monomial[0].divided() if len(monomial) == 1 and not isinstance(monomial[0], str) else None
        if divided is None:
            continue
        atom, divisor = divided
        if rest.get((atom,)) == -Fraction(number) / divisor:
            factor = rest.pop((atom,))
            del rest[monomial]
            found.append((f"({atom}{_MODULO}{divisor})", factor))
    return rest, found


def _powers(monomial: Monomial, *, alone: bool) -> Iterator[str]:
    for position, atom in enumerate(monomial):
        if position and monomial[position - 1] == atom:
            continue
        times = monomial.count(atom)
        if isinstance(atom, str):
            yield atom if times == 1 else f"{atom}^{times}"
        else:
            yield atom.factor_text(times, alone=alone)
