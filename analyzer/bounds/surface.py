"""The bound of a stencil: values that cross the surface of a part of its operations, inwards and outwards.

Operations V are points of Z^n, and x reads the values of x - d for each of some constant vectors d that span Z^n.
With B of these vectors and 0, any finite A in Z^n has (Gardner, Gronchi, *A Brunn-Minkowski inequality for the integer
lattice*, Transactions of the AMS 353, 2001)

    |A + B|^(1/n) >= |A|^(1/n) + c^(1/n),  c = (|B| - n)/n!,  so that |A + B| >= G(|A|), G(m) = (m^(1/n) + c^(1/n))^n.

An operation is *inner* where all x - d and all x + d are operations that exchange their values with it; V* are these,
and O the other ones.  Cut an execution into parts E of m inner operations and j others.

* *In*: the inner ones of E read |E* - B| >= G(m) values, of which E computes m + j at most.
* *Out*: those y of E* with all y + d in E make E' with |E' + B| <= m + j, so G(|E'|) <= m + j, and |E'| is at most
  R(m) + j, R(m) = (m^(1/n) - c^(1/n))^n the inverse of G (G grows by 1 at least).  The other m - R(m) - j are read by a
  later part.

What goes in is among the S elements of the cache when the part starts, or is loaded in it; what goes out is among those
S of the end, or is stored in the part.  Over all parts that is

    loads          >= floor(|V*|/m) * (G(m) - m - S) - |O|                for each m,
    loads + stores >= floor(|V*|/m) * (G(m) - R(m) - 2*S) - 2*|O|.

An operation that reads the element that it writes may be one of a sum, whose order is free: this read is no step.  In
another order than that of the source another operation makes the value that y makes there, one before y that is not
inner, as no other one reads what it makes in the source.  There are |O| of these at most; *Out* lacks as many more.

The best m is about ``(S/c^(1/n))^(n/(n - 1))``, whence ``(n - 1) * |V| * (c/S)^(1/(n - 1))`` loads and as many stores
for large V.  These are loads and stores of values that V computes and reads: first uses of arrays add to the loads, and
to the stores each element that is written, unless its last value is one of V*.

A value may be handed on by way of another statement that reads it: a copy back, or the element that a scalar is stored
to.  Where each of its operations z is between one y and all that read y by way of this statement, what crosses the
surface is the value of y or that of z, another one for each y.

Where all steps go back by one layer, and the layers are boxes, :mod:`.layers` has a sharper bound of both.

Statements that alternate in an outermost loop t (``B`` from ``A``, then ``A`` from ``B``) are one lattice: iteration
(t, i, ...) of the p-th of s statements is the point (s*t + p, i, ...).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct

from ..domains.isl.dataflow import constant_step, image_of, within
from ..domains.isl.sets import Points, Relation, union
from ..ir.index import Number
from ..quantities.quasipolynomial import Count, total, weighted
from .layers import Layers
from .references import Statements
from .results import SurfaceTerm
from .subspaces import span

_MOST_OPERATIONS = Fraction(3, 4)  # that have an edge along a step, else the step is left out: O grows with it
_Step = tuple[int, ...]


class _Edges(Struct, frozen=True, eq=False):
    """Along one step: for each statement the iterations that read a value, and those whose value is read."""

    readers: Mapping[int, Points]
    makers: Mapping[int, Points]


def surface_of(statements: Statements, numbers: Sequence[int], point: Mapping[str, Number]) -> SurfaceTerm | None:
    """Return the bound of a statement, or of several that alternate; None where their steps do not span the lattice.

    Which steps are worth it is judged at a point in the symbols.  Raises ``OverBudget``.
    """
    own = [statements.all[number] for number in numbers]
    dimension = len(own[0].loops)
    meaning = own[0].domain.names.meaning
    every = [each.domain.count(upper=False) for each in own]
    operations = total(every)
    least = _MOST_OPERATIONS * operations.evaluate(point)
    inner = {number: statements.all[number].domain.upper for number in numbers}
    chosen: list[_Step] = []
    steps, passing = _edges_of(statements, numbers)
    between = {each: statements.all[each].domain.upper for each in passing}
    for step, edges in steps.items():
        if len(edges.readers) < len(numbers) or len(edges.makers) < len(numbers):
            continue
        if total([each.count(meaning) for each in edges.readers.values()]).evaluate(point) < least:
            continue
        chosen.append(step)
        inner = {number: inner[number] & edges.readers[number] & edges.makers[number] for number in numbers}
    if dimension < 2 or len(span(chosen, dimension)) < dimension:
        return None
    counts = [inner[number].count(meaning) for number in numbers]
    if total(counts).evaluate(point) <= 0:
        return None
    return SurfaceTerm(
        lines=tuple(sorted({each.node.span.line for each in own})),
        steps=tuple(sorted(chosen, reverse=True)),
        operations=operations,
        inner=total(counts),
        others=weighted([(operations, 1), *((count, -1) for count in counts)]),
        last=_last_values(statements, {**between, **inner}),
        is_a_sum=any(map(statements.accumulates, numbers)),
        size_bytes=min(map(statements.size_bytes, (*numbers, *between))),
        layers=_layers_of(statements, numbers, {step: steps[step] for step in chosen}, between),
    )


def _layers_of(
    statements: Statements, numbers: Sequence[int], steps: Mapping[_Step, _Edges], between: Mapping[int, Points]
) -> Layers | None:
    """Return the layers of a stencil that reads a star around its point, one layer before; None of others."""
    own = [statements.all[number] for number in numbers]
    meaning, sides = own[0].domain.names.meaning, range(1, len(own[0].loops))
    center = (1, *[0] * len(sides))
    along = [[tuple(way * int(each == side) for each in sides) for way in (1, -1)] for side in sides]
    star = [center, *((1, *step) for both in along for step in both)]
    if any(step not in steps for step in star) or any(map(statements.accumulates, numbers)):
        return None

    def read(step: _Step) -> Count:
        return total([each.count(meaning) for each in steps[step].readers.values()])

    def extent(side: int) -> Count:
        others = [position for position in range(len(sides) + 1) if position != side]
        return union(tuple(each.domain.upper.without(others) for each in own)).count(meaning)

    return Layers(
        levels=total([each.domain.upper.without(sides).count(meaning) for each in own]),
        sides=tuple(map(extent, sides)),
        center=read(center),
        along=tuple((read((1, *one)), read((1, *other))) for one, other in along),
        last=_last_values(statements, {**between, **steps[center].makers}),
    )


def _edges_of(statements: Statements, numbers: Sequence[int]) -> tuple[Mapping[_Step, _Edges], frozenset[int]]:
    """Return the constant steps from operations to those whose values they read, and the statements between them."""
    found: dict[_Step, dict[tuple[int, int], Relation]] = {}
    passing: dict[tuple[int, int], _Step] = {}
    for position, number in enumerate(numbers):
        for reached in _reached(statements, number, numbers):
            apart = constant_step(reached.made_by)
            if apart is None:
                continue
            if reached.between is not None and passing.setdefault(reached.between, reached.last) != reached.last:
                continue
            outer = len(numbers) * apart[0] + position - numbers.index(reached.maker)
            some = found.setdefault((outer, *apart[1:]), {})
            key = (number, reached.maker)
            some[key] = some[key] | reached.made_by if key in some else reached.made_by
    edges = {
        step: _Edges(
            readers={reader: made_by.domain for (reader, _), made_by in some.items()},
            makers={maker: image_of(made_by) for (_, maker), made_by in some.items()},
        )
        for step, some in found.items()
        if any(step)
    }
    return edges, frozenset(between for between, _ in passing)


class _Reached(Struct, frozen=True, eq=False):
    """Iterations that need the values of a statement, mapped to its own.

    Where they do so by way of another one, ``between`` are that and the maker, and ``last`` is the step from one to the
    other.
    """

    maker: int
    made_by: Relation
    between: tuple[int, int] | None = None
    last: _Step = ()


def _reached(statements: Statements, number: int, numbers: Sequence[int]) -> Iterator[_Reached]:
    """Yield what a statement reads of some, straight and by way of one that passes on a single value."""
    for read in statements.reads.get(number, ()):
        if read.found is None or read.reference.location.is_scalar or statements.is_of_a_sum(read.reference):
            continue
        for writer in read.found.writers:
            made_by = within(writer.made_by, statements.all[number].domain.upper)
            if writer.write in numbers:
                yield _Reached(writer.write, made_by)
            elif _passes_on(statements, writer.write):
                yield from _through(statements, writer.write, made_by, numbers)


def _through(statements: Statements, between: int, first: Relation, numbers: Sequence[int]) -> Iterator[_Reached]:
    for read in statements.reads.get(between, ()):
        for writer in () if read.found is None else read.found.writers:
            last = constant_step(writer.made_by) if writer.write in numbers else None
            if last is not None:
                yield _Reached(writer.write, first.then(writer.made_by), (between, writer.write), last)


def _passes_on(statements: Statements, number: int) -> bool:
    """Return whether all operations of a statement are known, and none is one of a sum."""
    each = statements.all[number]
    return each.domain.is_exact and statements.operations[number] == number and not statements.accumulates(number)


def _last_values(statements: Statements, some: Mapping[int, Points]) -> Count:
    """Return how many of some operations make the last value of an element."""
    writes = (each for each in statements.references[1] if each.statement in some)
    counts = []
    for location in dict.fromkeys(each.location for each in writes if not each.location.is_scalar):
        for number, points in statements.last_writes(location).items():
            if number in some:
                counts.append((points & some[number]).count(statements.all[number].domain.names.meaning))
    return total(counts)
