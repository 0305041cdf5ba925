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
S of the end, or is stored in the part.  Over all parts, with ``(n - 1)/n`` of what crosses beyond the cache,

    loads          >= floor(|V*|/m) * (G(m) - m - S) - |O|                for each m,
    loads + stores >= floor(|V*|/m) * (G(m) - R(m) - 2*S) - 2*|O|.

An operation that reads the element that it writes may be one of a sum, whose order is free: this read is no step.  In
another order than that of the source another operation makes the value that y makes there, one before y that is not
inner, as no other one reads what it makes in the source.  There are |O| of these at most; *Out* lacks as many more.

The best m is about ``(S/c^(1/n))^(n/(n - 1))``, whence ``(n - 1) * |V| * (c/S)^(1/(n - 1))`` loads and as many stores
for large V.  These are loads and stores of values that V computes and reads: first uses of arrays add to the loads, and
to the stores each element that is written, unless its last value is one of V*.

Statements that alternate in an outermost loop t (``B`` from ``A``, then ``A`` from ``B``) are one lattice: iteration
(t, i, ...) of the p-th of s statements is the point (s*t + p, i, ...).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from msgspec import Struct

from ..domains.isl.dataflow import constant_step, image_of, within
from ..domains.isl.sets import Points, Relation
from ..ir.index import Number
from ..quantities.quasipolynomial import Count, total, weighted
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
    for step, edges in _edges_of(statements, numbers).items():
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
        last=_last_values(statements, inner),
        is_a_sum=any(map(statements.accumulates, numbers)),
        size_bytes=min(map(statements.size_bytes, numbers)),
    )


def _edges_of(statements: Statements, numbers: Sequence[int]) -> Mapping[_Step, _Edges]:
    """Return the constant steps from operations to those whose values they read."""
    found: dict[_Step, dict[tuple[int, int], Relation]] = {}
    for position, number in enumerate(numbers):
        for read in statements.reads.get(number, ()):
            if read.found is None or read.reference.location.is_scalar or statements.is_of_a_sum(read.reference):
                continue
            for writer in read.found.writers:
                if writer.write not in numbers:
                    continue
                made_by = within(writer.made_by, statements.all[number].domain.upper)
                apart = constant_step(made_by)
                if apart is None:
                    continue
                outer = len(numbers) * apart[0] + position - numbers.index(writer.write)
                some = found.setdefault((outer, *apart[1:]), {})
                key = (number, writer.write)
                some[key] = some[key] | made_by if key in some else made_by
    return {
        step: _Edges(
            readers={reader: made_by.domain for (reader, _), made_by in some.items()},
            makers={maker: image_of(made_by) for (_, maker), made_by in some.items()},
        )
        for step, some in found.items()
        if any(step)
    }


def _last_values(statements: Statements, inner: Mapping[int, Points]) -> Count:
    """Return how many inner operations make the last value of an element."""
    locations = {each.location for each in statements.references[1] if each.statement in inner}
    counts = []
    for location in locations:
        for number, points in statements.last_writes(location).items():
            if number in inner:
                counts.append((points & inner[number]).count(statements.all[number].domain.names.meaning))
    return total(counts)
