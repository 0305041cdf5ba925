"""Packed triangles: rows of different lengths, one behind the other, as rows of their own.

Input: a region with ``a[i*(i+1)/2 + j]``; output: the region with ``a[i][j]``, whose rows are no fixed distance apart.
Row ``e`` starts at ``T(e) = q*e^2 + p*e + r`` and has ``T(e+1) - T(e)`` elements; ``q`` is a number, ``p`` may have
symbols (``i*n - i*(i-1)/2``, the upper triangle).  A subscript ``T(e) + c`` with ``0 <= c < T(e+1) - T(e)`` wherever it
is used has one ``e`` and one ``c``: lengths are linear in ``e``, so that rows between two of positive length are not
empty.  Where no ``T`` holds for all subscripts of an array with squares of counters, these stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import floor

from msgspec import Struct
from msgspec.structs import replace

from ..ir.index import ZERO, Atom, FloorDiv, Monomial, Number, Poly, TruncDiv, var
from ..ir.nodes import Loop, Region, RegionKind, Statement
from ..ir.traverse import accesses, accesses_in, all_nodes, map_accesses, map_statements
from ..ir.values import Access
from .domain import StatementDomain
from .formula import NotAffine
from .isl.budget import Budget
from .isl.sets import points
from .limits import OverBudget, deadline
from .statement_domains import statement_domains_of

_MOST_SUBSCRIPTS = 64  # of one array
_MOST_STARTS = 4  # subscripts from which the starts of rows are read
_MOST_RESIDUES = 64  # of the names in a quotient
_MOST_OPERATIONS = 4_000_000  # of isl for a region, some two seconds; 300 to 30,000 are usual


def with_triangular_rows(region: Region) -> Region:
    """Return a region of the host with rows and columns for its packed triangles."""
    if region.kind is RegionKind.KERNEL:
        return region
    iterators = frozenset(node.iterator for node in all_nodes(region.body) if isinstance(node, Loop))
    found = dict.fromkeys(access for access, _ in accesses_in(region.body))
    forms = {access: form for access in found if (form := _form_of(access, iterators)) is not None}
    if not forms:
        return region
    try:
        with deadline(0, _MOST_OPERATIONS):
            statements = statement_domains_of(region).statements
        with Budget(_MOST_OPERATIONS):
            split = _split(forms, statements)
    except OverBudget:
        return region
    return replace(region, body=map_statements(region.body, lambda each: _changed(each, split))) if split else region


def _changed(statement: Statement, split: Mapping[Access, Access]) -> Statement:
    if not any(access in split for access, _ in accesses(statement)):
        return statement
    return map_accesses(statement, lambda access: split.get(access, access))


def _split(forms: Mapping[Access, _Form], statements: Sequence[StatementDomain]) -> dict[Access, Access]:
    """Return the references to packed triangles by row and column."""
    arrays: dict[tuple[str, Poly | None], dict[_Form, list[StatementDomain]]] = {}
    for statement in statements:
        for access in dict.fromkeys(access for access, _ in accesses(statement.node)):
            if access in forms:
                uses = arrays.setdefault((access.array, access.strides_bytes[0]), {})
                uses.setdefault(forms[access], []).append(statement)
    rows = {key: _rows_of(uses) for key, uses in arrays.items()}
    found: dict[Access, Access] = {}
    for access, form in forms.items():
        row = rows.get((access.array, access.strides_bytes[0]), {}).get(form)
        if row is not None:
            found[access] = replace(access, subscripts=row, strides_bytes=(None, *access.strides_bytes))
    return found


class _Form(Struct, frozen=True):
    """A subscript ``square*line^2 + (mixed + linear)*line + rest + others``.

    ``line`` is a sum of iterators, ``mixed`` of symbols, ``linear`` a number; ``rest`` are all terms without iterators.
    """

    whole: Poly
    line: Poly
    square: Number
    mixed: Poly
    linear: Number
    rest: Poly


class _Start(Struct, frozen=True):
    """Where rows start: ``square*e^2 + (mixed + linear)*e + first``."""

    square: Number
    mixed: Poly
    linear: Number
    first: Poly

    def of(self, row: Poly) -> Poly:
        """Return the position of the first element of a row."""
        return self.square * (row * row) + (self.mixed + self.linear) * row + self.first


def _form_of(access: Access, iterators: frozenset[str]) -> _Form | None:
    """Return the form of a subscript with the square of a sum of iterators; None of all others."""
    if len(access.subscripts) != 1 or access.type.lanes > 1:
        return None
    if not any(len(each) > 1 or _is_quotient(each) for each in access.subscripts[0].terms):
        return None
    whole = access.subscripts[0].map_atoms(_without_division)
    parts: dict[int, dict[Monomial, Number]] = {0: {}, 1: {}, 2: {}}
    for monomial, number in whole.terms.items():
        inside = [atom for atom in monomial if not Poly({(atom,): 1}).names().isdisjoint(iterators)]
        if len(inside) > 2 or not all(isinstance(atom, str) for atom in inside) or len(monomial) > 2:
            return None
        parts[len(inside)][monomial] = number
    found = _root_of(Poly(parts[2]))
    if found is None:
        return None
    square, line, name = found
    once = Poly(parts[1])
    linear = once.terms.get((name,), 0)
    mixed = once.coefficient(name) - linear
    symbolic = Poly({monomial: number for monomial, number in once.terms.items() if len(monomial) > 1})
    return _Form(whole, line, square, mixed, linear, Poly(parts[0])) if mixed * line == symbolic else None


def _root_of(squares: Poly) -> tuple[Number, Poly, str] | None:
    """Return ``q`` and ``L`` of ``q*L^2``, and the iterator in ``L`` whose factor is 1; None of others."""
    name = next((monomial[0] for monomial in squares.terms if monomial[0] == monomial[1]), None)
    if not isinstance(name, str):
        return None
    square = squares.terms[(name, name)]
    line = var(name) + squares.coefficient(name) * (1 / Fraction(2 * square))
    return (square, line, name) if square * (line * line) == squares else None


def _is_quotient(monomial: Monomial) -> bool:
    return any(isinstance(atom, FloorDiv | TruncDiv) for atom in monomial)


def _without_division(atom: Atom) -> Poly:
    """Return a quotient that has no remainder for any whole numbers as a polynomial, other atoms as they are."""
    whole = Poly({(atom,): 1})
    divisor = atom.denominator.constant if isinstance(atom, FloorDiv | TruncDiv) else None
    if not isinstance(atom, FloorDiv | TruncDiv) or not divisor or atom.numerator.forms:
        return whole
    names = sorted(atom.numerator.names())
    if abs(divisor) ** len(names) > _MOST_RESIDUES:
        return whole
    if any(not isinstance(number, int) for number in atom.numerator.terms.values()):
        return whole
    residues = product(range(abs(divisor)), repeat=len(names))
    if any(atom.numerator.evaluate(dict(zip(names, each, strict=True))) % divisor for each in residues):
        return whole
    return atom.numerator * Fraction(1, divisor)


def _rows_of(uses: Mapping[_Form, Sequence[StatementDomain]]) -> dict[_Form, tuple[Poly, Poly]]:
    """Return row and column of each subscript of an array; none where no starts of rows hold for all of them."""
    if len(uses) > _MOST_SUBSCRIPTS:
        return {}
    for start in dict.fromkeys(start for form in list(uses)[:_MOST_STARTS] for start in _starts(form)):
        found: dict[_Form, tuple[Poly, Poly]] = {}
        for form, statements in uses.items():
            inside = (row for row in _rows(form, start) if all(_is_inside(each, row, start) for each in statements))
            row = next(inside, None)
            if row is None:
                break
            found[form] = row[0], row[1]
        else:
            return found
    return {}


def _starts(form: _Form) -> Iterator[_Start]:
    """Yield the starts of rows that a subscript may have been written for."""
    for mixed, first, inside in product({form.mixed: 0, ZERO: 0}, {ZERO: 0, form.rest: 0}, (0, 1, -1)):
        yield _Start(form.square, mixed, form.linear - inside, first)


def _rows(form: _Form, start: _Start) -> Iterator[tuple[Poly, Poly]]:
    """Yield rows and columns of a subscript, where rows start so, that are whole numbers."""
    if form.square != start.square:
        return
    for sign in (1, -1):
        shift = (sign * form.mixed - start.mixed) * (1 / Fraction(2 * start.square))
        about = floor(Fraction(sign * form.linear - start.linear) / (2 * start.square))
        for number in (about, about + 1, about - 1, about + 2):
            row = sign * form.line + shift + number
            column = form.whole - start.of(row)
            if _is_whole(row) and _is_whole(column):
                yield row, column


def _is_whole(poly: Poly) -> bool:
    return all(isinstance(number, int) for number in poly.terms.values())


def _is_inside(statement: StatementDomain, position: tuple[Poly, Poly], start: _Start) -> bool:
    """Return whether a column is always within its row."""
    row, column = position
    length = start.of(row + 1) - start.of(row)
    formula = statement.formula.renewed()
    try:
        within, end = formula.affine(column), formula.affine(length)
    except NotAffine:
        return False
    names = statement.domain.names
    dims = ", ".join(names.iterator(name) for name in statement.domain.iterators)
    condition = formula.close([f"({within} < 0 or {within} >= {end})"])
    return not points(f"{names.parameters_in(condition)} -> {{ [{dims}] : {condition} }}").meets(statement.domain.upper)
