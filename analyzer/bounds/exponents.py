"""Exponents ``s_j`` with ``|E| <= prod |phi_j(E)|^s_j`` for every finite set E of iterations.

They exist where ``rank(H) <= sum s_j rank(phi_j(H))`` for all subgroups H of Z^d; it is enough to ask that of the
lattice that the kernels of the projections generate (Bennett, Carbery, Christ, Tao, *Finite bounds for
Hoelder-Brascamp-Lieb multilinear inequalities*, 2010; Christ, Demmel, Knight, Scanlon, Yelick, *Communication lower
bounds and optimal algorithms for programs that reference arrays*, 2013, theorem 3.2; Valdimarsson, *The
Brascamp-Lieb polyhedron*, 2010).  The linear program over them is solved exactly: its vertices are few.

>>> from .subspaces import kernel
>>> products = [kernel(rows, 3) for rows in ([(1, 0, 0), (0, 0, 1)], [(0, 0, 1), (0, 1, 0)], [(1, 0, 0), (0, 1, 0)])]
>>> [tuple(map(str, exponents)) for exponents in least_exponents(products, 3)]
[('1/2', '1/2', '1/2')]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import gcd

from .subspaces import Subspace, intersection, lattice, span

Exponents = tuple[Fraction, ...]
_Row = tuple[tuple[int, ...], int]  # sum of factors times exponents is at least the number

_REMEMBERED = 512  # results that are kept, which bounds memory
_MOST_VERTICES = 20_000  # systems of equations that are tried


def least_exponents(kernels: Sequence[Subspace], dimension: int) -> tuple[Exponents, ...]:
    """Return exponents with the least sum, of the projections with these kernels: the vertices, then their mean.

    Returns () where there are none, or where finding them takes too long.
    """
    return _least_exponents(_in_simple_coordinates(kernels, dimension), dimension)


def _in_simple_coordinates(kernels: Sequence[Subspace], dimension: int) -> tuple[Subspace, ...]:
    """Return what a change of coordinates makes of the kernels, the same for all that one makes of one another.

    The conditions are about ranks, which no change of coordinates changes.
    """
    rows = [vector for each in kernels for vector in each]
    columns = span(zip(*rows, strict=True), len(rows)) if rows else ()
    changed = iter([*zip(*columns, strict=True)] if columns else [()] * len(rows))
    padding = (Fraction(0),) * (dimension - len(columns))
    return tuple(span([(*next(changed), *padding) for _ in each], dimension) for each in kernels)


@lru_cache(maxsize=_REMEMBERED)
def _least_exponents(kernels: tuple[Subspace, ...], dimension: int) -> tuple[Exponents, ...]:
    subspaces = lattice((*kernels, _whole(dimension)), dimension)
    if subspaces is None:
        return ()
    rows = _irredundant({_row(subspace, kernels, dimension) for subspace in subspaces if subspace})
    if any(not any(factors) for factors, _ in rows):
        return ()
    vertices = set(_vertices(rows, len(kernels)))
    if not vertices:
        return ()
    least = min(map(sum, vertices))
    best = sorted(each for each in vertices if sum(each) == least)
    mean = tuple(sum(column, Fraction(0)) / len(best) for column in zip(*best, strict=True))
    return tuple(dict.fromkeys((*best, mean)))


def _whole(dimension: int) -> Subspace:
    return tuple(tuple(Fraction(row == column) for column in range(dimension)) for row in range(dimension))


def _row(subspace: Subspace, kernels: Sequence[Subspace], dimension: int) -> _Row:
    """Return the condition of one subgroup: the rank of its image under each projection, and its own rank."""
    rank = len(subspace)
    return tuple(rank - len(intersection(subspace, each, dimension)) for each in kernels), rank


def _irredundant(rows: set[_Row]) -> list[_Row]:
    """Return the conditions that no single other one implies."""

    def implies(one: _Row, other: _Row) -> bool:
        return one != other and one[1] >= other[1] and all(a <= b for a, b in zip(one[0], other[0], strict=True))

    return sorted(row for row in rows if not any(implies(other, row) for other in rows))


def _vertices(rows: Sequence[_Row], count: int) -> Iterator[Exponents]:
    """Yield the points where so many conditions hold with equality that one point is left, and all hold."""
    bounds: list[_Row] = [(tuple(int(k == position) for k in range(count)), 0) for position in range(count)]
    for number, chosen in enumerate(combinations((*rows, *bounds), count)):
        if number >= _MOST_VERTICES:
            return
        point = _solved(chosen, count)
        if point is not None and min(point) >= 0 and all(_holds(row, point) for row in rows):
            yield point


def _holds(row: _Row, point: Exponents) -> bool:
    return sum(factor * value for factor, value in zip(row[0], point, strict=True)) >= row[1]


def _solved(rows: Sequence[_Row], count: int) -> Exponents | None:
    """Return the only solution of as many equations as unknowns; None where there is none, or more than one."""
    system = [[*factors, right] for factors, right in rows]
    for column in range(count):
        chosen = next((number for number in range(column, count) if system[number][column]), None)
        if chosen is None:
            return None
        pivot = system.pop(chosen)
        system = [_without(row, pivot, column) if row[column] else row for row in system]
        system.insert(column, pivot)
    return tuple(Fraction(row[-1], row[column]) for column, row in enumerate(system))


def _without(row: list[int], pivot: list[int], column: int) -> list[int]:
    """Return a multiple of an equation without one of its unknowns, in small numbers."""
    left, right = pivot[column], row[column]
    found = [left * entry - right * other for entry, other in zip(row, pivot, strict=True)]
    divisor = gcd(*found) or 1
    return [entry // divisor for entry in found]
