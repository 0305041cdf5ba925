"""Subspaces of Q^d as reduced bases of exact numbers: sums, intersections, and the lattice that some generate.

>>> first, second = span([(1, 0, 0), (0, 1, 0)], 3), span([(0, 1, 0), (0, 0, 1)], 3)
>>> intersection(first, second, 3) == span([(0, 2, 0)], 3), len(sum_of(first, second, 3))
(True, 3)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations

from ..ir.index import Number

Vector = tuple[Fraction, ...]
Subspace = tuple[Vector, ...]

_MOST_SUBSPACES = 80  # three subspaces generate 28 at most, four may generate infinitely many (Dedekind 1900)


def span(vectors: Iterable[Sequence[Number]], dimension: int) -> Subspace:
    """Return the reduced echelon basis of what some vectors span."""
    rows = [[Fraction(entry) for entry in vector] for vector in vectors]
    basis: list[list[Fraction]] = []
    for column in range(dimension):
        pivot = next((row for row in rows if row[column]), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        pivot = [entry / pivot[column] for entry in pivot]
        rows, basis = ([_reduced(row, pivot, column) for row in some] for some in (rows, basis))
        basis.append(pivot)
    return tuple(tuple(row) for row in basis)


def _reduced(row: list[Fraction], pivot: list[Fraction], column: int) -> list[Fraction]:
    factor = row[column]
    return [entry - factor * other for entry, other in zip(row, pivot, strict=True)] if factor else row


def kernel(rows: Iterable[Sequence[Number]], dimension: int) -> Subspace:
    """Return the vectors that are orthogonal to all rows: the kernel of the matrix."""
    basis = span(rows, dimension)
    pivots = [next(column for column, entry in enumerate(row) if entry) for row in basis]
    found = []
    for free in (column for column in range(dimension) if column not in pivots):
        vector = [Fraction(column == free) for column in range(dimension)]
        for pivot, row in zip(pivots, basis, strict=True):
            vector[pivot] = -row[free]
        found.append(vector)
    return span(found, dimension)


def sum_of(first: Subspace, second: Subspace, dimension: int) -> Subspace:
    """Return the least subspace with both in it."""
    return span((*first, *second), dimension)


def intersection(first: Subspace, second: Subspace, dimension: int) -> Subspace:
    """Return what is in both: orthogonal to all that is orthogonal to one of them."""
    return kernel((*kernel(first, dimension), *kernel(second, dimension)), dimension)


def lattice(generators: Iterable[Subspace], dimension: int) -> frozenset[Subspace] | None:
    """Return all sums and intersections of some subspaces and of these; None where there are too many."""
    found = set(generators)
    pending = list(combinations(found, 2))
    while pending:
        first, second = pending.pop()
        for made in (sum_of(first, second, dimension), intersection(first, second, dimension)):
            if made in found:
                continue
            if len(found) >= _MOST_SUBSPACES:
                return None
            pending += [(made, other) for other in found]
            found.add(made)
    return frozenset(found)
