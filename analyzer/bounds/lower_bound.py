"""The least that any order of the operations of a nest loads into a cache: terms of its statements, and first uses.

Terms whose values are different ones count different loads, and add up.  So does each first use of an array of which
no term counts elements.  *Any order*: every operation is executed once, and finds the values that it finds in the
source; sums may be taken in any order of their summands, each in one variable.  Where values are stored does not
matter, nor how long lines are, nor which of them a cache evicts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from msgspec.structs import replace

from ..domains.domain import StatementDomain
from ..domains.limits import OverBudget
from ..ir.names import source_name
from ..traffic.results import Footprint
from .live_values import live_values
from .projections import Projection, chains_through, merged, projections_of
from .references import Statements
from .results import BoundProjection, BoundTerm, LiveTerm, LowerBound, SurfaceTerm
from .surface import surface_of
from .terms import Term, joined, share_values, term_of, typical_values

_MOST_TERMS = 6  # the largest ones
_MOST_STATEMENTS = 24  # that are bounded alone, the deepest ones: bounds time
_MOST_TOGETHER = 4  # statements of one bound: bounds time


def lower_bound_of(
    statements: Sequence[StatementDomain], footprint: Footprint, values: Mapping[str, int]
) -> LowerBound | None:
    """Return the bound of statements that run one after the other; None where not all of them are understood."""
    found = Statements(tuple(statements))
    if not found.are_understood:
        return None
    read = {each.array: each.read.bytes for each in footprint.arrays}
    first_uses = LowerBound((), (), read, footprint.written.bytes)
    try:
        _ = found.reads  # which names all sizes that any of them depends on
    except OverBudget:
        return first_uses
    stencils = dict(_surfaces(found, values))
    bounded = frozenset(number for some in stencils for number in some if _is_closed(found, some))
    single = tuple(_terms(found, values, bounded))
    terms = (*single, *_joined(single))
    return replace(
        first_uses,
        terms=tuple(map(_plain, terms)),
        sums=tuple(_sums(terms)),
        live=tuple(_live(found, values, bounded)),
        surfaces=tuple(stencils.values()),
    )


def _surfaces(statements: Statements, values: Mapping[str, int]) -> Iterator[tuple[tuple[int, ...], SurfaceTerm]]:
    """Yield the stencils among the statements, of one or of several that alternate, with their bounds."""
    numbers = _numbers(statements)
    point = typical_values(statements.all, values)
    bounded: set[int] = set()
    for some in (*_several(numbers, statements), *([number] for number in numbers[:_MOST_STATEMENTS])):
        try:
            found = None if bounded.issuperset(some) else surface_of(statements, some, point)
        except OverBudget:
            continue
        if found is not None:
            bounded.update(some)
            yield tuple(some), found


def _is_closed(statements: Statements, numbers: Sequence[int]) -> bool:
    """Return whether some statements read nothing but what they write themselves: nothing else bounds them better."""
    written = {each.location for each in statements.references[1] if each.statement in numbers}
    return all(read.reference.location in written for number in numbers for read in statements.reads.get(number, ()))


def _live(statements: Statements, values: Mapping[str, int], bounded: frozenset[int]) -> Iterator[LiveTerm]:
    """Yield what each outermost loop has to hand on from one iteration to the next, unless all in it is bounded."""
    together: dict[str, list[int]] = {}
    for number, each in enumerate(statements.all):
        if each.loops and not each.is_header and each.domain.is_exact and statements.operations[number] == number:
            together.setdefault(each.loops[0].iterator, []).append(number)
    point = typical_values(statements.all, values)
    for numbers in together.values():
        if bounded.issuperset(numbers):
            continue
        try:
            found = live_values(statements, numbers, point)
        except OverBudget:
            continue
        if found is not None:
            yield LiveTerm(found.line, found.lines, found.paths, found.times, found.size_bytes)


def _plain(term: Term) -> BoundTerm:
    """Return a term without what only finding it takes."""
    projections = (
        BoundProjection(used.projection.label, _direction(used.projection), used.exponent, used.group)
        for used in term.projections
    )
    return BoundTerm(
        lines=tuple(sorted({each.node.span.line for each in term.statements})),
        iterators=tuple(source_name(loop.iterator) for loop in term.statements[0].loops),
        operations=term.operations,
        charged=term.charged,
        projections=tuple(projections),
        growth=term.growth,
        size_bytes=term.size_bytes,
        arrays=term.arrays,
        mirrored=tuple(map(source_name, term.mirrored)),
    )


def _direction(projection: Projection) -> str:
    """Return the step of a chain: ``(1, 0, -1)``; "" for an operand."""
    return f"({', '.join(map(str, projection.step))})" if projection.step else ""


def _terms(statements: Statements, values: Mapping[str, int], bounded: frozenset[int]) -> Iterator[Term]:
    """Yield the largest terms of statements that are not bounded yet, and of several that alternate."""
    numbers = [number for number in _numbers(statements) if number not in bounded]
    point = typical_values(statements.all, values)
    deepest = sorted(numbers, key=lambda number: -len(statements.all[number].loops))[:_MOST_STATEMENTS]
    left = _MOST_TERMS
    for some in (*_several(numbers, statements), *([number] for number in deepest)):
        try:
            found = _projections(some, statements)
            term = term_of([statements.all[number] for number in some], found, point)
        except OverBudget:
            continue
        if term is not None and left:
            left -= 1
            yield term


def _numbers(statements: Statements) -> list[int]:
    """Return the statements in two loops and more whose operations are all known."""
    return [
        number
        for number, each in enumerate(statements.all)
        if len(each.loops) > 1
        and not each.is_header
        and each.domain.is_exact
        and statements.operations[number] == number
    ]


def _projections(some: Sequence[int], statements: Statements) -> list[Projection]:
    """Return the projections of a statement, or those of several that are taken together."""
    if len(some) == 1:
        return list(projections_of(some[0], statements))
    if _are_apart(some, statements):
        meaning = statements.all[some[0]].domain.names.meaning
        return list(merged([list(projections_of(number, statements)) for number in some], meaning))
    return list(chains_through(some, statements))


def _several(numbers: Sequence[int], statements: Statements) -> Iterator[list[int]]:
    """Yield the statements of one outermost loop that are in the same number of loops, where they are several."""
    together: dict[tuple[str, int], list[int]] = {}
    for number in numbers:
        loops = statements.all[number].loops
        together.setdefault((loops[0].iterator, len(loops)), []).append(number)
    yield from (some for some in together.values() if 1 < len(some) <= _MOST_TOGETHER)


def _are_apart(some: Sequence[int], statements: Statements) -> bool:
    """Return whether no iteration is one of two of the statements."""
    domains = [statements.all[number].domain.upper for number in some]
    return not any(one.meets(other) for one, other in combinations(domains, 2))


def _joined(terms: Sequence[Term]) -> Iterator[Term]:
    """Yield the bounds of two statements that share some of their values."""
    for one, other in combinations(terms, 2):
        try:
            found = None if set(one.statements) & set(other.statements) else joined(one, other)
        except OverBudget:
            continue
        if found is not None:
            yield found


def _sums(terms: Sequence[Term]) -> Iterator[tuple[int, ...]]:
    """Yield the sets of terms that count different loads."""
    apart = {(one, other) for one, other in combinations(range(len(terms)), 2) if not _meet(terms[one], terms[other])}
    for size in range(1, min(len(terms), _MOST_TERMS) + 1):
        for chosen in combinations(range(len(terms)), size):
            if all(pair in apart for pair in combinations(chosen, 2)):
                yield chosen


def _meet(one: Term, other: Term) -> bool:
    try:
        return share_values(one.values, other.values)
    except OverBudget:
        return True
