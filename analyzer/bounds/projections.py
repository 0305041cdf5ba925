"""Projections of a statement's iterations: what distinguishes the values that they need from before.

Two kinds, each with the kernel of a linear map of the iterations E of one part of the execution, so that E needs at
least ``|phi(E)|`` different values that it does not compute itself:

* an *operand* ``A[i][k]``: different elements are different values.  Those that the nest computes may be computed in
  the same part; each of them is *charged*, that is counted as a load that need not be.
* a *chain*: iteration x needs a value of iteration x - d of the same statement, straight or by way of others, and each
  line along d that enters E does so with a value from before.  It is charged where it starts, but for values that were
  there at the start and that no two lines share.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from ..domains.isl.dataflow import constant_step, holds_all_of, image_of, keeps_leading, within
from ..domains.isl.sets import Points, Relation, union
from ..ir.index import Poly
from ..quantities.quasipolynomial import NOTHING, Count, total, weighted
from .references import Location, Matrix, Reads, Statements
from .subspaces import Subspace, kernel, span

_LONGEST_PATH = 3  # reads on the way from an iteration to the one whose value it needs
_MOST_PATHS = 120  # from one statement: bounds time
_Values = Mapping[tuple[str, object], Points]


class ProjectionKind(Enum):
    """What distinguishes the values."""

    OPERAND = "operand"
    CHAIN = "chain"


class Projection(Struct, frozen=True, eq=False):
    """A projection of one statement: see the module.

    ``values`` are what it needs from before: by location, elements that were there at the start, and by statement
    iterations that make a value.  ``computed`` are values that are charged, as is the number ``starts``, and
    ``most_computed`` where it is not known which these are.  ``step`` is d of a chain; ``matrix`` and ``offsets`` are
    those of the subscripts of an operand.
    """

    kind: ProjectionKind
    label: str
    location: Location
    size_bytes: int
    kernel: Subspace
    values: _Values
    computed: Mapping[int, Points]
    starts: Count = NOTHING
    most_computed: Count = NOTHING
    step: tuple[int, ...] = ()
    matrix: Matrix | None = None
    offsets: tuple[Poly, ...] = ()


def projections_of(number: int, statements: Statements) -> Iterator[Projection]:
    """Yield the projections of a statement whose iterations are known; raises ``OverBudget``."""
    statement = statements.all[number]
    reads = statements.reads.get(number, ())
    iterations = statement.domain.upper
    dimension = len(statement.loops)
    for read in reads:
        reference = read.reference
        if reference.matrix is not None and not reference.location.is_scalar:
            yield _operand(read, read.reference.matrix or (), reference.label, iterations, dimension)
    yield from _through_scalars(number, statements, dimension)
    yield from _chains(number, statements)


def _operand(read: Reads, matrix: Matrix, label: str, iterations: Points, dimension: int) -> Projection:
    """Return the projection of an operand that the iterations of a statement read."""
    reference = read.reference
    assert reference.element is not None
    values: dict[tuple[str, object], Points] = {}
    computed: dict[int, Points] = {}
    most = read.most_written
    if read.found is None:
        values[("before", reference.location)] = reference.element.image(iterations)
    else:
        most = NOTHING
        values[("before", reference.location)] = reference.element.image(read.found.before & iterations)
        for write, made_by in _makers(read, iterations):
            made = image_of(made_by)
            computed[write] = made if write not in computed else computed[write] | made
        values |= {("made", write): points for write, points in computed.items()}
    return Projection(
        kind=ProjectionKind.OPERAND,
        label=label,
        location=reference.location,
        size_bytes=reference.size_bytes,
        kernel=kernel(matrix, dimension),
        values=values,
        computed=computed,
        most_computed=most,
        matrix=matrix,
        offsets=reference.offsets,
    )


def _makers(read: Reads, iterations: Points) -> Iterator[tuple[int, Relation]]:
    """Yield the statements that make what a read finds in some iterations, and which of theirs."""
    for writer in () if read.found is None else read.found.writers:
        yield writer.write, within(writer.made_by, iterations)


def _through_scalars(number: int, statements: Statements, dimension: int) -> Iterator[Projection]:
    """Yield the operands that a scalar holds which the same iteration has set: ``x = A[i][k]``."""
    own = statements.all[number]
    for read in statements.reads.get(number, ()):
        if not read.reference.location.is_scalar or read.found is None or len(read.found.writers) != 1:
            continue
        ((write, made_by),) = _makers(read, own.domain.upper)
        if write == number or not keeps_leading(made_by) or not holds_all_of(made_by.domain, own.domain.upper):
            continue
        for source in statements.reads.get(write, ()):
            matrix = source.reference.matrix
            if matrix is None or source.reference.location.is_scalar:
                continue
            padded = tuple((*row, *[0] * (dimension - len(row))) for row in matrix)
            yield _operand(source, padded, source.reference.label, image_of(made_by), dimension)


class _Path(Struct, frozen=True, eq=False):
    """A way from iterations to those of another statement whose value they need; ``first`` is the first read of it."""

    statement: int
    to: Relation
    first: Reads
    between: tuple[tuple[int, Points], ...] = ()


class _Edge(Struct, frozen=True, eq=False):
    """A path of a statement to iterations of others, and the iterations that have it."""

    path: _Path
    reached: Points


def _chains(number: int, statements: Statements) -> Iterator[Projection]:
    """Yield a chain for each constant step between iterations of a statement: that with the fewest starts."""
    found: dict[tuple[int, ...], dict[int, _Edge]] = {}
    for path in _paths(number, statements):
        step = constant_step(path.to)
        if step is not None and any(step):
            _keep(found.setdefault(step, {}), number, path)
    for step, edges in found.items():
        yield _chain(step, edges, [number], statements)


def chains_through(numbers: Sequence[int], statements: Statements) -> Iterator[Projection]:
    """Yield the chains of several statements that alternate in their outermost loop; raises ``OverBudget``.

    Iteration (t, i, ...) of the p-th of n statements is the point (n*t + p, i, ...).
    """
    found: dict[tuple[int, ...], dict[int, _Edge]] = {}
    for position, number in enumerate(numbers):
        for read in statements.reads.get(number, ()):
            for write, made_by in _makers(read, statements.all[number].domain.upper):
                step = constant_step(made_by) if write in numbers else None
                if step is not None:
                    outer = len(numbers) * step[0] + position - numbers.index(write)
                    _keep(found.setdefault((outer, *step[1:]), {}), number, _Path(write, made_by, read))
    for step, edges in found.items():
        if any(step) and len(edges) == len(numbers):
            yield _chain(step, edges, numbers, statements)


def _keep(edges: dict[int, _Edge], number: int, path: _Path) -> None:
    """Keep the path that more iterations have."""
    reached, known = path.to.domain, edges.get(number)
    if known is None or (not holds_all_of(known.reached, reached) and holds_all_of(reached, known.reached)):
        edges[number] = _Edge(path, reached)


def _chain(
    step: tuple[int, ...], edges: Mapping[int, _Edge], numbers: Sequence[int], statements: Statements
) -> Projection:
    """Return the chain of some statements along a step; one without an edge starts a line in each iteration."""
    values: dict[tuple[str, object], Points] = {}
    starts: list[tuple[Count, int]] = []
    for number in numbers:
        own, edge = statements.all[number].domain, edges[number]
        made = [(edge.path.statement, image_of(edge.path.to)), *edge.path.between]
        for write, points in made:
            values[("made", write)] = points if ("made", write) not in values else values[("made", write)] | points
        begun = own.upper - edge.reached
        starts.append((begun.count(own.names.meaning), 1))
        for location, fresh in _first_uses(edge.path.first, begun, statements):
            number_of = fresh.count(own.names.meaning)
            if ("before", location) not in values and not number_of.is_zero:
                values[("before", location)] = fresh
                starts.append((number_of, -1))
    first = edges[numbers[0]].path.first.reference
    return Projection(
        kind=ProjectionKind.CHAIN,
        label=first.label,
        location=first.location,
        size_bytes=min(edges[number].path.first.reference.size_bytes for number in numbers),
        kernel=span([step], len(step)),
        values=values,
        computed={},
        starts=weighted(starts),
        step=step,
    )


def merged(kinds: Sequence[Sequence[Projection]], meaning: Mapping[str, Poly]) -> Iterator[Projection]:
    """Yield the projections that several statements without a common iteration share, each as one of all iterations.

    They need an operand by the same subscripts, or are chains along the same step that no other statement is between.
    """
    first, *others = kinds
    for each in first:
        same = [next((other for other in some if _is_same(each, other)), None) for some in others]
        found: Projection | None = each
        for other in same:
            found = None if found is None or other is None else _merged(found, other, meaning)
        if found is not None:
            yield found


def _is_same(one: Projection, other: Projection) -> bool:
    if one.kind is not other.kind or one.kernel != other.kernel:
        return False
    if one.kind is ProjectionKind.CHAIN:
        return one.step == other.step
    return (one.location, one.matrix, one.offsets) == (other.location, other.matrix, other.offsets)


def _merged(one: Projection, other: Projection, meaning: Mapping[str, Poly]) -> Projection | None:
    starts = [one.starts, other.starts]
    values, computed = dict(one.values), dict(one.computed)
    for key, points in other.values.items():
        if key in values and one.kind is ProjectionKind.CHAIN:
            if key[0] == "made":
                return None
            starts.append((values[key] & points).count(meaning))
        values[key] = points if key not in values else values[key] | points
    for write, points in other.computed.items():
        computed[write] = points if write not in computed else computed[write] | points
    return replace(one, values=values, computed=computed, starts=total(starts))


def without_values(chain: Projection, operands: Sequence[Projection], meaning: Mapping[str, Poly]) -> Projection:
    """Return a chain that shares no value with some operands: where it would, it is charged; raises ``OverBudget``."""
    values, starts = dict(chain.values), [chain.starts]
    for key, points in chain.values.items():
        shared = [each.values[key] & points for each in operands if key in each.values]
        if shared:
            both = union(tuple(shared))
            number_of = both.count(meaning)
            if not number_of.is_zero:
                values[key] = points - both
                starts.append(number_of)
    return chain if len(starts) == 1 else replace(chain, values=values, starts=total(starts))


def _first_uses(read: Reads, starts: Points, statements: Statements) -> Iterator[tuple[Location, Points]]:
    """Yield elements that were there at the start and that lines start with, straight or by way of one statement."""
    found, element = read.found, read.reference.element
    if found is None or element is None:
        return
    yield read.reference.location, element.image(found.before & starts)
    for write, made_by in _makers(read, starts):
        made = image_of(made_by)
        for source in statements.reads.get(write, ()):
            if source.found is not None and source.reference.element is not None:
                uses = source.found.before & made
                yield source.reference.location, source.reference.element.image(uses)
                made = made - source.found.before


def _paths(number: int, statements: Statements) -> Iterator[_Path]:
    """Yield the ways from a statement to itself, short ones first, each statement between at most once."""
    iterations = statements.all[number].domain.upper
    pending = [
        _Path(write, made_by, read)
        for read in statements.reads.get(number, ())
        for write, made_by in _makers(read, iterations)
    ]
    left = _MOST_PATHS
    for length in range(_LONGEST_PATH):
        longer: list[_Path] = []
        for path in pending:
            if path.statement == number:
                yield path
            elif length + 1 < _LONGEST_PATH and path.statement not in dict(path.between):
                longer += _longer(path, statements)
        pending = longer[:left]
        left -= len(pending)


def _longer(path: _Path, statements: Statements) -> Sequence[_Path]:
    made = image_of(path.to)
    return [
        _Path(write, path.to.then(made_by), path.first, (*path.between, (path.statement, made)))
        for read in statements.reads.get(path.statement, ())
        for write, made_by in _makers(read, made)
    ]
