"""Index expressions: polynomials in iterators and symbols, in one normal form.

Subscripts, loop bounds, guard operands, and (with rational coefficients) exact counts are all values of
:class:`Poly`.  An *atom* of a monomial is a name (iterator or symbol) or one of the small non-polynomial
forms below.  Equal polynomials compare equal and print the same.

>>> i, j, n = var("i"), var("j"), var("N")
>>> str((i - 1) * n + j + 2 * n)
'N*i + N + j'
>>> str(trunc_div(n + 1, 2))
'(N + 1)/2'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import Union, assert_never

from msgspec import Struct

from ..errors import AnalyzerError
from .given_array import GivenArray

Number = Union[int, Fraction]
Atom = Union[str, "FloorDiv", "TruncDiv", "Extremum", "Power", "Log", "Root", "Sum", "Tree", "Element", "Unknown"]
Monomial = tuple[Atom, ...]

_MODULO = " mod "
_LONGEST_SHIFT = 1024  # of a number: below it powers are numbers
_LARGEST_EXPONENT = 1 << 16
_MOST_SIZES = 1 << 14  # of the calls of a recursive function
_MOST_TERMS = 1 << 17  # of one sum that is evaluated term by term: half a second


def _exact(value: Number) -> Number:
    return value if isinstance(value, int) or value.denominator != 1 else int(value)


class Poly(Struct, frozen=True, eq=False, dict=True):
    """A polynomial: ``terms`` maps each monomial (sorted atoms, () for the constant) to a non-zero number."""

    terms: Mapping[Monomial, Number]

    @cached_property
    def _key(self) -> frozenset[tuple[Monomial, Number]]:
        return frozenset(self.terms.items())

    def __eq__(self, other: object) -> bool:
        """Compare by value."""
        return isinstance(other, Poly) and self.terms == other.terms

    def __ne__(self, other: object) -> bool:
        """Compare by value; that of ``Struct`` would compare identity."""
        return not self == other

    def __hash__(self) -> int:
        """Hash by value."""
        return hash(self._key)

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
        """Sum."""
        right = _poly(other)
        if not self.terms or not right.terms:
            return self if self.terms else right
        return _collect([*self.terms.items(), *right.terms.items()])

    __radd__ = __add__

    def __neg__(self) -> Poly:
        """Negation."""
        return Poly({monomial: -number for monomial, number in self.terms.items()})

    def __sub__(self, other: Poly | Number) -> Poly:
        """Difference."""
        right = _poly(other)
        if not right.terms:
            return self
        return _collect([*self.terms.items(), *[(monomial, -number) for monomial, number in right.terms.items()]])

    def __rsub__(self, other: Poly | Number) -> Poly:
        """Difference, reversed."""
        return _poly(other) - self

    def __mul__(self, other: Poly | Number) -> Poly:
        """Product."""
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
        return Poly({m: n if type(n) is int else _exact(n) for m, n in products})

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
            for operand in operands_of(atom):
                yield from operand.nested_atoms()

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
                    continue
                if isinstance(atom, Unknown):
                    found |= atom.depends
                if isinstance(atom, Sum | Tree):
                    found |= _bodies(atom) - {atom.index}
                for operand in operands_of(atom):
                    found |= operand.names()
        return frozenset(found)

    def unknowns(self) -> frozenset[Unknown]:
        """Return the unknown atoms that occur anywhere."""
        return frozenset(atom for atom in self.nested_atoms() if isinstance(atom, Unknown))

    def map_atoms(self, replace: Callable[[Atom], Poly]) -> Poly:
        """Replace every top-level atom by a polynomial; ``replace`` is asked once for each atom."""
        known: dict[Atom, Poly | None] = {}
        total: list[tuple[Monomial, Number]] = []
        for monomial, number in self.terms.items():
            product: Poly | None = None
            kept: list[Atom] = []
            for atom in monomial:
                if atom not in known:
                    found = replace(atom)
                    known[atom] = None if found.terms == {(atom,): 1} else found
                new = known[atom]
                if new is None:
                    kept.append(atom)
                else:
                    product = new if product is None else product * new
            if product is None:
                total.append((monomial, number))
            else:
                total.extend((product * Poly({tuple(kept): number})).terms.items())
        return _collect(total)

    def substitute(self, values: Mapping[str, Poly | Number]) -> Poly:
        """Replace names by polynomials or numbers, everywhere, and simplify."""
        if not values or self.names().isdisjoint(values):
            return self

        def replace(atom: Atom) -> Poly:
            match atom:
                case str():
                    return _poly(values[atom]) if atom in values else var(atom)
                case FloorDiv():
                    return floor_div(atom.numerator.substitute(values), atom.denominator.substitute(values))
                case TruncDiv():
                    return trunc_div(atom.numerator.substitute(values), atom.denominator.substitute(values))
                case Extremum():
                    return extremum(atom.largest, [operand.substitute(values) for operand in atom.operands])
                case Power():
                    return power(atom.base, atom.exponent.substitute(values))
                case Log():
                    return logarithm(atom.base, atom.argument.substitute(values), up=atom.up)
                case Root():
                    return root(atom.radicand.substitute(values))
                case Sum():
                    free = {name: value for name, value in values.items() if name != atom.index}
                    return sum_of(atom.index, atom.count.substitute(free), atom.body.substitute(free))
                case Tree():
                    free = {name: value for name, value in values.items() if name != atom.index}
                    calls = tuple((often.substitute(free), size.substitute(free)) for often, size in atom.calls)
                    return tree_of(atom.index, atom.start.substitute(free), calls, atom.body.substitute(free))
                case Element():
                    return element_of(atom.table, atom.label, atom.index.substitute(values))
                case Unknown():
                    depends = frozenset(atom.depends)
                    for name in atom.depends & values.keys():
                        depends = (depends - {name}) | _poly(values[name]).names()
                    return Poly({(Unknown(atom.label, depends),): 1})

        return self.map_atoms(replace)

    def evaluate(self, values: Mapping[str, Number]) -> Number:
        """Return exact value; raises ``KeyError`` for a name without value and ``ValueError`` for an unknown atom."""
        total: Number = 0
        for monomial, number in self.terms.items():
            product: Number = number
            for atom in monomial:
                product *= evaluate_atom(atom, values)
            total += product
        return _exact(total)

    def coefficient(self, name: str) -> Poly:
        """Return the factor of ``name`` to the first power (other atoms may be part of it)."""
        return Poly({_without(m, name): n for m, n in self.terms.items() if m.count(name) == 1})

    def degree_in(self, names: frozenset[str]) -> int:
        """Return the largest number of factors from ``names`` in any monomial, nested atoms counted as one factor."""
        return max((sum(_involves(atom, names) for atom in monomial) for monomial in self.terms), default=0)

    def __str__(self) -> str:
        """Canonical text: monomials by falling degree, then by name, but for a leading minus where there is a plus."""
        return self._shown

    @cached_property
    def _shown(self) -> str:
        return _text(self)

    def __repr__(self) -> str:
        """Readable in test failures."""
        return f"Poly({self._shown})"


class _Division(Struct, frozen=True, cache_hash=True):
    """An atom that is looked up far more often than made: it hashes once."""

    numerator: Poly
    denominator: Poly


class FloorDiv(_Division, frozen=True, cache_hash=True):
    """``floor(numerator / denominator)``: shifts and masks, and the result of counting."""

    def __str__(self) -> str:
        """Render as ``floor(e/d)``."""
        return f"floor({_operand(self.numerator)}/{_operand(self.denominator)})"


class TruncDiv(_Division, frozen=True, cache_hash=True):
    """C's ``/`` on integers, which rounds towards zero."""

    def __str__(self) -> str:
        """Render as ``e/d``."""
        return f"{_operand(self.numerator)}/{_operand(self.denominator)}"


class Extremum(Struct, frozen=True):
    """The largest or the smallest of some expressions."""

    largest: bool
    operands: tuple[Poly, ...]

    def __str__(self) -> str:
        """Render as ``min(a, b)``."""
        return f"{'max' if self.largest else 'min'}({', '.join(map(str, self.operands))})"


class Power(Struct, frozen=True):
    """``base ** exponent`` of a number above 1: what a counter is that a loop multiplies."""

    base: int
    exponent: Poly

    def __str__(self) -> str:
        """Render as ``2^t``."""
        return f"{self.base}^{_operand(self.exponent)}"


class Log(Struct, frozen=True):
    """The logarithm to a whole base, rounded down or ``up``: of 1 it is 0; below it -1, or rounded up 0.

    ``floor(log(x)) + 1`` is the number of ``t >= 0`` with ``base^t <= x``, ``ceil(log(x))`` that with ``base^t < x``.
    With ``whole`` the argument is known to be a power of the base.
    """

    base: int
    argument: Poly
    up: bool = False
    whole: bool = False

    def __str__(self) -> str:
        """Render as ``floor(log2(n))``."""
        text = f"log{self.base}({self.argument})"
        return text if self.whole else f"{'ceil' if self.up else 'floor'}({text})"


class Root(Struct, frozen=True):
    """The square root, rounded down; -1 of what is negative."""

    radicand: Poly

    def __str__(self) -> str:
        """Render as ``floor(sqrt(n))``."""
        return f"floor(sqrt({self.radicand}))"


class Sum(Struct, frozen=True):
    """``body`` summed over ``index = 0, 1, ... count - 1``, where that has no closed form; ``index`` is bound."""

    index: str
    count: Poly
    body: Poly

    def __str__(self) -> str:
        """Render as ``sum(floor(n/2^t) for t < floor(log2(n)))``."""
        return f"sum({self.body} for {self.index} < {self.count})"


class Tree(Struct, frozen=True):
    """``body`` summed over the sizes of the calls of a recursive function, of which the first has the size ``start``.

    A call of a size makes each of its ``calls`` as often as the first part says, of the size that is the second one.
    """

    index: str
    start: Poly
    calls: tuple[tuple[Poly, Poly], ...]
    body: Poly

    def __str__(self) -> str:
        """Render as ``sum(m for m in calls from n to floor(m/2))``."""
        sizes = dict.fromkeys(str(size) for _, size in self.calls)
        return f"sum({self.body} for {self.index} in calls from {self.start} to {', '.join(sizes)})"


class Unknown(Struct, frozen=True):
    """A value that the source does not tell, such as ``idx[i]``; ``depends`` are the names it varies with."""

    label: str
    depends: frozenset[str]

    def __str__(self) -> str:
        """Render as ``?label``."""
        return f"?{{{self.label}}}"


class Element(Unknown, frozen=True):
    """An element of a table of constants, ``cx[q]``: unknown as long as its ``index`` (from 0) is no number.

    Or one of an array that the user gives: what depends on it can be evaluated, once all iterators have numbers.
    """

    table: tuple[int, ...] | GivenArray
    index: Poly


def operands_of(atom: Atom) -> tuple[Poly, ...]:
    """Return the expressions in an atom, () for names and unknown values."""
    match atom:
        case Element(index=index):
            return (index,)
        case FloorDiv(numerator, denominator) | TruncDiv(numerator, denominator):
            return (numerator, denominator)
        case Extremum(_, operands):
            return operands
        case Power(exponent=operand) | Log(argument=operand) | Root(radicand=operand) | Sum(count=operand):
            return (operand,)
        case Tree(start=operand):
            return (operand,)
        case str() | Unknown():
            return ()
        case _:
            assert_never(atom)


def const(value: Number) -> Poly:
    """Return a constant."""
    return Poly({(): _exact(value)}) if value else ZERO


def var(name: str) -> Poly:
    """Return an iterator or a symbol."""
    return Poly({(name,): 1})


def unknown(label: str, depends: Iterable[str] = ()) -> Poly:
    """Return a value that the source does not tell."""
    return Poly({(Unknown(label, frozenset(depends)),): 1})


def element_of(table: tuple[int, ...] | GivenArray, label: str, index: Poly) -> Poly:
    """Return an element of a table: its number where the index is one within the table."""
    position = index.constant
    if position is not None and 0 <= position < len(table):
        return const(table[position])
    return Poly({(Element(label, index.names(), table, index),): 1})


def given_elements(poly: Poly) -> frozenset[Element]:
    """Return the elements of given arrays that occur anywhere."""
    return frozenset(
        atom for atom in poly.nested_atoms() if isinstance(atom, Element) and isinstance(atom.table, GivenArray)
    )


def is_given(poly: Poly) -> bool:
    """Return whether something is unknown, and all of it are elements of given arrays.

    >>> rows = GivenArray.of("p", [0, 2, 5], source="p.npy")
    >>> is_given(element_of(rows, "p[i]", var("i")) + var("j")), is_given(var("j")), is_given(unknown("p[i]"))
    (True, False, False)
    """
    unknowns = poly.unknowns()
    return bool(unknowns) and unknowns == given_elements(poly)


def floor_div(numerator: Poly, denominator: Poly | int) -> Poly:
    """Return ``floor(numerator / denominator)``, simplified where the division is exact or constant."""
    return _divide(numerator, _poly(denominator), truncate=False)


def trunc_div(numerator: Poly, denominator: Poly | int) -> Poly:
    """Return C's integer division, simplified where the division is exact or constant."""
    return _divide(numerator, _poly(denominator), truncate=True)


def exact_quotient(numerator: Poly, denominator: int) -> Poly | None:
    """Return the quotient by a number that is not zero where it divides every term, else None."""
    terms: dict[Monomial, Number] = {}
    for monomial, number in numerator.terms.items():
        if not isinstance(number, int) or number % denominator:
            return None
        terms[monomial] = number // denominator
    return Poly(terms)


def floor_mod(numerator: Poly, denominator: Poly | int) -> Poly:
    """Return mathematical modulus, never negative for a positive denominator; masks ``& (2^k - 1)`` are this."""
    return numerator - denominator * floor_div(numerator, denominator)


def trunc_mod(numerator: Poly, denominator: Poly | int) -> Poly:
    """Return C's ``%``, which has the sign of the numerator."""
    return numerator - denominator * trunc_div(numerator, denominator)


def minimum(operands: Iterable[Poly]) -> Poly:
    """Return the smallest of the operands."""
    return extremum(False, operands)


def maximum(operands: Iterable[Poly]) -> Poly:
    """Return the largest of the operands."""
    return extremum(True, operands)


def extremum(largest: bool, operands: Iterable[Poly]) -> Poly:
    """Return the largest or smallest: flattened, without duplicates, constants folded."""
    flat: list[Poly] = []
    for operand in operands:
        nested = single_atom(operand)
        flat.extend(nested.operands if isinstance(nested, Extremum) and nested.largest is largest else [operand])
    numbers = [operand.constant for operand in flat]
    constants = [number for number in numbers if number is not None]
    distinct = {operand for operand, number in zip(flat, numbers, strict=True) if number is None}
    if constants:
        distinct.add(const(max(constants) if largest else min(constants)))
    if len(distinct) == 1:
        return distinct.pop()
    return Poly({(Extremum(largest, tuple(sorted(distinct, key=str))),): 1})


def power(base: int, exponent: Poly) -> Poly:
    """Return ``base ** exponent`` for a base above 1, numbers in the exponent as a factor.

    >>> str(power(2, var("t") + 1)), str(power(2, power(2, var("t")) * 0 + 5))
    ('2*2^t', '32')
    """
    number = exponent.terms.get((), 0)
    if not isinstance(number, int) or not -_LONGEST_SHIFT <= number <= _LONGEST_SHIFT:
        return Poly({(Power(base, exponent),): 1})
    rest = exponent - number
    factor = Fraction(base) ** number
    return const(factor) if not rest.terms else Poly({(Power(base, rest),): _exact(factor)})


def logarithm(base: int, argument: Poly, *, up: bool = False) -> Poly:
    """Return the logarithm, rounded (see :class:`Log`); that of a power of the base is its exponent.

    >>> str(logarithm(2, power(2, var("t")) * 3)), str(logarithm(10, const(1000), up=True))
    ('t + 1', '3')
    """
    number = argument.constant
    if number is not None:
        return const(_logarithm(base, number, up=up))
    if len(argument.terms) == 1:
        ((monomial, factor),) = argument.terms.items()
        powers = [atom for atom in monomial if isinstance(atom, Power) and atom.base == base]
        if len(powers) == len(monomial) and isinstance(factor, int) and factor > 0:
            exponents = sum((atom.exponent for atom in powers), const(0))
            return exponents + _logarithm(base, factor, up=up)
    return Poly({(Log(base, argument, up),): 1})


def root(radicand: Poly) -> Poly:
    """Return the square root, rounded down."""
    number = radicand.constant
    return Poly({(Root(radicand),): 1}) if number is None else const(_root(number))


def sum_of(index: str, count: Poly, body: Poly) -> Poly:
    """Return a sum term by term; as a number where there is nothing else in it and it is not too long."""
    number = count.constant
    if not body.terms or (number is not None and number <= 0):
        return ZERO
    if index not in body.names() and number is not None:
        return body * number
    found = Poly({(Sum(index, count, body),): 1})
    if found.names() or found.unknowns() or number is None or number > _MOST_TERMS:
        return found
    return const(found.evaluate({}))


def tree_of(index: str, start: Poly, calls: tuple[tuple[Poly, Poly], ...], body: Poly) -> Poly:
    """Return a sum over calls; as a number where there is nothing else in it."""
    if not body.terms:
        return ZERO
    found = Poly({(Tree(index, start, calls, body),): 1})
    return const(found.evaluate({})) if not found.names() else found


def _bodies(atom: Sum | Tree) -> frozenset[str]:
    parts = [atom.body] if isinstance(atom, Sum) else [atom.body, *(part for call in atom.calls for part in call)]
    return frozenset().union(*(part.names() for part in parts))


def _tree(tree: Tree, values: Mapping[str, Number]) -> Number:
    """Return the sum over all calls, those of one size at once, the largest first."""
    waiting: dict[Number, Number] = {tree.start.evaluate(values): 1}
    total: Number = 0
    for _ in range(_MOST_SIZES):
        if not waiting:
            return total
        size = max(waiting)
        often, known = waiting.pop(size), {**values, tree.index: size}
        total += often * tree.body.evaluate(known)
        for times, smaller in tree.calls:
            made = often * times.evaluate(known)
            if made:
                inner = smaller.evaluate(known)
                if inner >= size:
                    raise TooManyTerms(f"{tree} is not worked out", hint=f"a call of size {size} makes one of {inner}")
                waiting[inner] = waiting.get(inner, 0) + made
    raise TooManyTerms(f"{tree} is not worked out", hint=f"its calls have more than {_MOST_SIZES} sizes")


def _logarithm(base: int, number: Number, *, up: bool) -> int:
    """Return how many powers of the base are below a number (``up``), or one less than are not above it."""
    found, reached = (0, 1) if up else (-1, 1)
    while reached < number if up else reached <= number:
        found, reached = found + 1, reached * base
    return found


def _root(number: Number) -> int:
    return isqrt(number // 1) if number >= 0 else -1


def _sum(terms: Sum, values: Mapping[str, Number]) -> Number:
    number = terms.count.evaluate(values)
    if number > _MOST_TERMS:
        raise TooManyTerms(f"{terms} is not worked out", hint=f"it has more than {_MOST_TERMS} terms at these sizes")
    total: Number = 0
    for position in range(int(number)):
        total += terms.body.evaluate({**values, terms.index: position})
    return total


def _power(base: int, exponent: Number) -> Number:
    if not -_LARGEST_EXPONENT <= exponent <= _LARGEST_EXPONENT:
        raise TooManyTerms(f"{base}^{exponent} is not worked out", hint="such a size is no number of bits")
    return _exact(Fraction(base) ** int(exponent))


class TooManyTerms(AnalyzerError):
    """A sum without a closed form is too long, or a power too large, at these sizes."""


def evaluate_atom(atom: Atom, values: Mapping[str, Number]) -> Number:
    """Return the exact value of one atom; see :meth:`Poly.evaluate`."""
    match atom:
        case str():
            return values[atom]
        case FloorDiv():
            return atom.numerator.evaluate(values) // atom.denominator.evaluate(values)
        case TruncDiv():
            quotient = Fraction(atom.numerator.evaluate(values)) / Fraction(atom.denominator.evaluate(values))
            return int(quotient)
        case Extremum():
            results = [operand.evaluate(values) for operand in atom.operands]
            return max(results) if atom.largest else min(results)
        case Power():
            return _power(atom.base, atom.exponent.evaluate(values))
        case Log():
            return _logarithm(atom.base, atom.argument.evaluate(values), up=atom.up)
        case Root():
            return _root(atom.radicand.evaluate(values))
        case Sum():
            return _sum(atom, values)
        case Tree():
            return _tree(atom, values)
        case Unknown():
            raise ValueError(f"the value of {atom.label} is not known")


ZERO = Poly({})
ONE = Poly({(): 1})


def _poly(value: Poly | Number) -> Poly:
    return value if isinstance(value, Poly) else const(value)


def _collect(terms: Iterable[tuple[Monomial, Number]]) -> Poly:
    total: dict[Monomial, Number] = {}
    for monomial, number in terms:
        total[monomial] = total.get(monomial, 0) + number
    return Poly({m: n if type(n) is int else _exact(n) for m, n in total.items() if n})


def _merge(left: Monomial, right: Monomial) -> Monomial:
    if not left:
        return right
    return left if not right else tuple(sorted(left + right, key=_atom_order))


def _atom_order(atom: Atom) -> tuple[bool, str]:
    return (not isinstance(atom, str), str(atom))


def _without(monomial: Monomial, name: str) -> Monomial:
    position = monomial.index(name)
    return monomial[:position] + monomial[position + 1 :]


def _involves(atom: Atom, names: frozenset[str]) -> bool:
    return atom in names if isinstance(atom, str) else not names.isdisjoint(Poly({(atom,): 1}).names())


def single_atom(poly: Poly) -> Atom | None:
    """Return the atom when the expression is nothing but one, else None."""
    if len(poly.terms) != 1:
        return None
    (monomial, number), *_ = poly.terms.items()
    return monomial[0] if len(monomial) == 1 and number == 1 else None


def _divide(numerator: Poly, denominator: Poly, *, truncate: bool) -> Poly:
    """Divide, taking out what divides exactly; ``x / 0`` is left for the caller as an unknown value."""
    top, bottom = numerator.constant, denominator.constant
    if bottom == 0:
        return unknown(f"{numerator}/0", numerator.names())
    if bottom is not None and top is not None:
        return const(int(Fraction(top, bottom)) if truncate else top // bottom)
    if numerator == denominator:
        return ONE
    if bottom is not None:
        if bottom == 1:
            return numerator
        quotient = exact_quotient(numerator, bottom)
        if quotient is not None:
            return quotient
        if bottom < 0:
            return _divide(-numerator, const(-bottom), truncate=truncate)
        if not truncate:
            whole = {m: n // bottom for m, n in numerator.terms.items() if isinstance(n, int) and n // bottom}
            rest = numerator - Poly(whole) * bottom
            if whole:
                return Poly(whole) + _divide(rest, const(bottom), truncate=False)
    else:
        exact = _monomial_quotient(numerator, denominator)
        if exact is not None:
            return exact
    return Poly({((TruncDiv if truncate else FloorDiv)(numerator, denominator),): 1})


def _monomial_quotient(numerator: Poly, denominator: Poly) -> Poly | None:
    """Return ``(N*M*4) / (N*2)`` where a single monomial divides every term exactly."""
    if len(denominator.terms) != 1:
        return None
    (divisor, factor), *_ = denominator.terms.items()
    result: dict[Monomial, Number] = {}
    for monomial, number in numerator.terms.items():
        rest = list(monomial)
        for atom in divisor:
            if atom not in rest:
                return None
            rest.remove(atom)
        if Fraction(number) % Fraction(factor):
            return None
        result[tuple(rest)] = _exact(Fraction(number) / Fraction(factor))
    return Poly(result)


def _operand(poly: Poly) -> str:
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
        for atom in monomial:
            divided = single_atom(atom.numerator) if isinstance(atom, FloorDiv) else None
            divisor = atom.denominator.constant if isinstance(atom, FloorDiv) else None
            if divided is None or not divisor or len(monomial) > 1:
                continue
            if rest.get((divided,)) == -Fraction(number) / divisor:
                factor = rest.pop((divided,))
                del rest[monomial]
                found.append((f"({divided}{_MODULO}{divisor})", factor))
    return rest, found


def _powers(monomial: Monomial, *, alone: bool) -> Iterator[str]:
    for position, atom in enumerate(monomial):
        if position and monomial[position - 1] == atom:
            continue
        times = monomial.count(atom)
        text = f"({atom})" if isinstance(atom, TruncDiv) and not alone else str(atom)
        if isinstance(atom, Power) and times > 1:
            text, times = str(Power(atom.base, atom.exponent * times)), 1
        yield text if times == 1 else f"{text}^{times}"
