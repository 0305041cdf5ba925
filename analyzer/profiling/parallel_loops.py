"""Whether the iterations of a loop are independent: loops of the IR to their :class:`~..parallelism.Parallelism`.

A loop is parallel where a pragma or a library says so.  Else its iterations are independent where no scalar goes from
one to another, and no two of them touch one element that either writes.  Two references are apart where, in some
dimension, the subscripts of two iterations differ whatever the loops inside do: with ``c*x + p`` in one and ``c*x + q``
in the other, ``p - q`` in an interval that holds no multiple of ``c`` but 0 (Allen, Kennedy, *Optimizing compilers for
modern architectures*, 2001, chapter 3).  Subscripts of linearised rows are taken to stay inside their rows, and
pointers not to overlap.  What cannot be decided is a dependence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Union

from msgspec import Struct

from ..counts.innermost.distance import is_never_zero
from ..domains.access_relations import delinearize
from ..ir.index import Extremum, Poly, var
from ..ir.names import in_source, source_name
from ..ir.nodes import Array, Exit, Guard, Loop, Node, Region, Statement, Strided
from ..ir.nodes import Mapping as LoopMapping
from ..ir.scalars import carried_scalars
from ..ir.traverse import accesses, all_nodes
from ..ir.types import ScalarType
from ..ir.values import Access, Apply, Opaque, Operation, Register, Value, walk_values
from ..parallelism import Ground, Parallelism
from ..traffic.program.intervals import bounds_of

_MOST_PAIRS = 3000  # of references that are compared for one loop; beyond, nothing is proven
_PARALLEL = (LoopMapping.THREADS, LoopMapping.GANG)
_REDUCING = (
    frozenset({Operation.ADD, Operation.SUB, Operation.FMA}),
    frozenset({Operation.MUL}),
    frozenset({Operation.MIN}),
    frozenset({Operation.MAX}),
)
_Span = tuple[Union[int, None], Union[int, None]]


def first_parallel(nodes: Iterable[Node]) -> Loop | None:
    """Return the first loop that a pragma or a library runs on several cores; None where there is none."""
    loops = (node for node in all_nodes(nodes) if isinstance(node, Loop) and node.mapping in _PARALLEL)
    return next(loops, None)


def parallelism_of(loop: Loop, region: Region, values: Mapping[str, int], *, others_are: bool) -> Parallelism:
    """Return why a nest of a region, of which ``others_are`` declared parallel, runs on several cores or on one."""
    declared = first_parallel((loop,))
    if declared is not None:
        ground = Ground.LIBRARY if declared.library else Ground.PRAGMA
        return _of(declared, ground, threads=declared.threads, name=declared.library)
    if others_are:
        return _of(loop, Ground.BESIDE)
    return _independence(loop, _Test.of(loop, region.arrays, values))


def iterations_of(loop: Loop, arrays: Sequence[Array], values: Mapping[str, int]) -> Parallelism:
    """Return whether the iterations of one loop are independent, whatever pragmas say and the loops inside are."""
    return _Test.of(loop, arrays, values).of_loop(loop)


def _of(loop: Loop, ground: Ground, *, threads: int | None = None, name: str = "") -> Parallelism:
    return Parallelism(
        ground=ground, iterator=source_name(loop.iterator), line=loop.span.line, threads=threads, name=name
    )


def _independence(loop: Loop, test: _Test) -> Parallelism:
    """Return the independent loop, from the outside; where a loop is not, all loops in it have to be or have some."""
    found = test.of_loop(loop)
    if found.ground is Ground.INDEPENDENT:
        return found
    inside = [_independence(each, test) for each in _inner_loops(loop.body)]
    return inside[0] if inside and all(each.ground is Ground.INDEPENDENT for each in inside) else found


def _inner_loops(nodes: Sequence[Node]) -> Iterator[Loop]:
    for node in nodes:
        match node:
            case Loop():
                yield node
            case Guard():
                yield from _inner_loops((*node.body, *node.orelse))
            case _:
                pass


class _Test(Struct, frozen=True):
    """What the tests of all loops of a nest share: its subscripts by row and column, and ranges of its iterators."""

    renamed: Mapping[Access, Access]
    ranges: Mapping[str, tuple[int, int]]
    local: frozenset[str]

    @classmethod
    def of(cls, nest: Loop, arrays: Sequence[Array], values: Mapping[str, int]) -> _Test:
        """Prepare the tests of a nest."""
        nodes = [*all_nodes((nest,))]
        iterators = frozenset(node.iterator for node in nodes if isinstance(node, Loop))
        found = (access for node in nodes if isinstance(node, Statement) for access, _ in accesses(node))
        ranges = {name: (value, value) for name, value in values.items()}
        for node in nodes:
            if isinstance(node, Loop) and isinstance(node.range, Strided):
                by = 1 if node.range.step > 0 else -1
                ends = [bounds_of(end, ranges) for end in (node.range.start, node.range.stop - by)]
                if ends[0] is not None and ends[1] is not None:
                    ranges[node.iterator] = (min(ends[0][0], ends[1][0]), max(ends[0][1], ends[1][1]))
        return cls(delinearize(found, iterators), ranges, frozenset(array.name for array in arrays if array.local))

    def of_loop(self, loop: Loop) -> Parallelism:
        """Return whether the iterations of one loop are independent."""
        nodes = [*all_nodes(loop.body)]
        if any(isinstance(node, Exit) and node.loop in (None, loop.iterator) for node in nodes):
            return _of(loop, Ground.END)
        if not isinstance(loop.range, Strided):
            return _of(loop, Ground.NOT_PROVEN)
        statements = [*loop.header, *(node for node in nodes if isinstance(node, Statement))]
        if any(_is_ordered(value) for each in statements for value in walk_values(each.value)):
            return _of(loop, Ground.NOT_PROVEN)
        scalars = carried_scalars((*loop.header, *loop.body))
        if scalars:
            scalar = scalars[0]
            ground = Ground.REDUCTION if _only_reduces(scalar, statements) else Ground.DEPENDENCE
            return _of(loop, ground, name=in_source(scalar))
        pairs = self._pairs(statements, loop.iterator)
        if len(pairs) > _MOST_PAIRS:
            return _of(loop, Ground.NOT_PROVEN)
        inside = {node.iterator: node for node in nodes if isinstance(node, Loop)}
        own = _Subscripts(loop, loop.range.step, inside, self.ranges)
        for one, other in pairs:
            if not own.are_apart(one, other):
                return _of(loop, Ground.DEPENDENCE, name=_name(one))
        return _of(loop, Ground.INDEPENDENT)

    def _pairs(self, statements: Sequence[Statement], iterator: str) -> list[tuple[Access, Access]]:
        """Return each written reference with all references of its array, once each.

        An array of the function that an iteration starts with writing, at elements of its own, is one of the iteration.
        """
        written: dict[Access, None] = {}
        touched: dict[str, dict[Access, None]] = {}
        private: set[str] = set()
        for statement in statements:
            for access, write in accesses(statement):
                split = self.renamed.get(access, access)
                if access.array not in touched and write and access.array in self.local:
                    private.add(access.array)
                touched.setdefault(access.array, {})[split] = None
                if write and not access.atomic:
                    written[split] = None
        for array in private:
            if any(iterator in subscript.names() for access in touched[array] for subscript in access.subscripts):
                private = private - {array}
        return [(one, other) for one in written if one.array not in private for other in touched[one.array]]


def _is_ordered(value: Value) -> bool:
    """Return whether a value has to be found in the order of the source: not understood, or a call like printf."""
    return isinstance(value, Opaque) or (
        isinstance(value, Apply) and value.operation is Operation.CALL and value.type.scalar is ScalarType.VOID
    )


class _Subscripts(Struct, frozen=True):
    """The subscripts inside a loop, as those of two different iterations of it."""

    loop: Loop
    step: int
    inside: Mapping[str, Loop]
    ranges: Mapping[str, tuple[int, int]]

    def are_apart(self, one: Access, other: Access) -> bool:
        """Return whether two iterations never touch one element by these references."""
        if len(one.subscripts) != len(other.subscripts) or one.strides_bytes != other.strides_bytes:
            return False
        first, second = sorted((one, other), key=lambda access: access.offset_bytes)
        if first.offset_bytes + first.type.size_bytes <= second.offset_bytes:
            return True
        return any(self._differ(left, right) for left, right in zip(one.subscripts, other.subscripts, strict=True))

    def _differ(self, left: Poly, right: Poly) -> bool:
        if left.unknowns() or right.unknowns():
            return False
        names = left.names() | right.names()
        if is_never_zero(left - right) and not names & (self.inside.keys() | {self.loop.iterator}):
            return True
        if not names & self.inside.keys() and (self._is_beyond(left - right) or self._is_beyond(right - left)):
            return True
        first, second = self._split(left), self._split(right)
        if first is None or second is None:
            return False
        (factor, own, low, high), (by, rest, least, most) = first, second
        number = factor.constant
        if factor != by or not factor.terms:
            return False
        apart = own - rest
        if number is None:
            return not apart.terms and (low, high, least, most) == (0, 0, 0, 0)
        constant = apart.constant
        if constant is None or low is None or high is None or least is None or most is None:
            return False
        return not _holds_multiple(constant + low - most, constant + high - least, abs(number * self.step))

    def _is_beyond(self, difference: Poly) -> bool:
        """Return whether a difference in which the iterator stands once is positive in all iterations."""
        iterator, range_ = self.loop.iterator, self.loop.range
        factor = difference.coefficient(iterator).constant
        if not factor or not isinstance(range_, Strided):
            return False
        ends = (range_.start, range_.stop - 1) if self.step > 0 else (range_.stop + 1, range_.start)
        least = difference.substitute({iterator: ends[0] if factor > 0 else ends[1]}).constant
        return least is not None and least > 0

    def _split(self, subscript: Poly) -> tuple[Poly, Poly, int | None, int | None] | None:
        """Return the factor of the iterator, what the loops inside do not change, and the range of what they add."""
        expanded, spans = self._from_start(subscript)
        iterator = self.loop.iterator
        factor = expanded.coefficient(iterator)
        rest = expanded - factor * var(iterator)
        if iterator in rest.names() or factor.names() & (self.inside.keys() | {iterator}):
            return None
        low: int | None = 0
        high: int | None = 0
        for name in rest.names() & self.inside.keys():
            by = rest.coefficient(name)
            rest = rest - by * var(name)
            number = by.constant
            if number is None or name in rest.names():
                return None
            least, most = spans.get(name, (None, None))
            if least is None or most is None or low is None or high is None:
                low = high = None
                continue
            low, high = low + min(number * least, number * most), high + max(number * least, number * most)
        return None if rest.names() & self.inside.keys() else (factor, rest, low, high)

    def _from_start(self, subscript: Poly) -> tuple[Poly, dict[str, _Span]]:
        """Return a subscript with iterators of loops inside that start where an outer one is counted from there."""
        spans: dict[str, _Span] = {}
        for name, inner in reversed([*self.inside.items()]):
            if name not in subscript.names() or not isinstance(inner.range, Strided):
                continue
            start, stop, step = inner.range.start, inner.range.stop, inner.range.step
            distance = _upper_bound(stop - start)
            known = self.ranges.get(name)
            if start.names() & ({self.loop.iterator} | self.inside.keys()) and distance is not None and step > 0:
                subscript = subscript.substitute({name: var(name) + start})
                spans[name] = (0, max(distance - 1, 0))
            elif known is not None:
                spans[name] = known
        return subscript, spans


def _upper_bound(distance: Poly) -> int | None:
    """Return a number that a distance is at most: that of one operand of a minimum, say."""
    if distance.constant is not None:
        return distance.constant
    for monomial, number in distance.terms.items():
        if number == 1 and len(monomial) == 1 and isinstance(monomial[0], Extremum) and not monomial[0].largest:
            rest = distance - Poly({monomial: 1})
            found = [value for each in monomial[0].operands if (value := _upper_bound(each + rest)) is not None]
            return min(found, default=None)
    return None


def _holds_multiple(low: int, high: int, of: int) -> bool:
    """Return whether a multiple of a number other than 0 is in an interval.

    >>> _holds_multiple(-3, 3, 4), _holds_multiple(-3, 4, 4), _holds_multiple(1, 3, 4)
    (False, True, False)
    """
    return any(
        first <= last and last // of * of >= first for first, last in ((max(low, 1), high), (low, min(high, -1)))
    )


def _only_reduces(name: str, statements: Sequence[Statement]) -> bool:
    """Return whether a scalar is only added to, or only multiplied, or only made larger, or smaller."""
    for statement in statements:
        reads = _reads(statement.value, name)
        is_own = isinstance(statement.target, Register) and statement.target.name == name
        if is_own != bool(reads) or (is_own and not _is_term(statement.value, name)):
            return False
    return True


def _reads(value: Value, name: str) -> int:
    return sum(isinstance(each, Register) and each.name == name for each in walk_values(value))


def _is_term(value: Value, name: str) -> bool:
    """Return whether a scalar enters a value once, by one associative operation or several of the same kind."""
    kinds: set[frozenset[Operation]] = set()
    while isinstance(value, Apply):
        group = next((group for group in _REDUCING if value.operation in group), None)
        operands = [operand for operand in value.operands if _reads(operand, name)]
        if group is None or len(operands) != 1:
            return False
        position = {Operation.SUB: 0, Operation.FMA: -1}.get(value.operation)
        if position is not None and operands[0] is not value.operands[position]:
            return False
        kinds.add(group)
        value = operands[0]
    return isinstance(value, Register) and len(kinds) == 1


def _name(access: Access) -> str:
    return in_source(access.array + "".join(f"[{subscript}]" for subscript in access.subscripts) + access.member)
