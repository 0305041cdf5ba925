"""Whether the iterations of a loop are independent: loops of the IR to their :class:`~..parallelism.Parallelism`.

A loop is parallel where a pragma or a library says so.  Else its iterations are independent where no scalar goes from
one to another, and no two of them touch one element that either writes.  Two references are apart where, in some
dimension, the subscripts of two iterations differ whatever the loops inside do: with ``c*x + p`` in one and ``c*x + q``
in the other, ``p - q`` in an interval that holds no multiple of ``c`` but 0 (Allen, Kennedy, *Optimizing compilers for
modern architectures*, 2001, chapter 3).  Subscripts of linearised rows are assumed to stay inside their rows, and
pointers not to overlap.  What cannot be decided is a dependence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..counts.innermost.distance import is_never_zero
from ..domains.access_relations import delinearize
from ..domains.iteration_pairs import may_share_element
from ..ir.index import Poly, var
from ..ir.names import in_source, source_name
from ..ir.nodes import Array, Guard, Loop, Node, Region, Statement, Strided
from ..ir.nodes import Mapping as LoopMapping
from ..ir.scalars import carried_scalars
from ..ir.traverse import accesses, all_nodes, indices_of
from ..ir.types import ScalarType
from ..ir.values import Access, Apply, Opaque, Operation, Register, Value, walk_values
from ..ir.walk import may_end_early
from ..parallelism import Ground, Parallelism

_MOST_PAIRS = 3000  # of references that are compared for one loop; beyond, nothing is proven
_PARALLEL = (LoopMapping.THREADS, LoopMapping.GANG)
_REDUCING = (
    frozenset({Operation.ADD, Operation.SUB, Operation.FMA}),
    frozenset({Operation.MUL}),
    frozenset({Operation.MIN}),
    frozenset({Operation.MAX}),
)


def first_parallel(nodes: Iterable[Node]) -> Loop | None:
    """Return the first loop that a pragma or a library runs on several cores; None where there is none."""
    loops = (node for node in all_nodes(nodes) if isinstance(node, Loop) and node.mapping in _PARALLEL)
    return next(loops, None)


def parallelism_of(
    loop: Loop, region: Region, values: Mapping[str, int], *, others_are: bool, is_repeated: bool
) -> Parallelism:
    """Return why a nest of a region, of which ``others_are`` declared parallel, runs on several cores or on one.

    One that ``is_repeated`` starts its threads each time.
    """
    declared = first_parallel((loop,))
    if declared is not None:
        ground = Ground.LIBRARY if declared.library else Ground.PRAGMA
        return _of(declared, ground, threads=declared.threads, name=declared.library)
    if others_are:
        return _of(loop, Ground.BESIDE)
    found = _independence(loop, _Test.of(loop, region.arrays, values))
    return _started(found, loop, values) if is_repeated and found.ground is Ground.INDEPENDENT else found


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
    inner = [*_inner_loops(loop.body)]
    inside = [_independence(each, test) for each in inner]
    if not inside or any(each.ground is not Ground.INDEPENDENT for each in inside):
        return found
    inside = [_started(one, each, test.values) for one, each in zip(inside, inner, strict=True)]
    if len(inside) == 1:
        return inside[0]
    most = _most(each.iterations for each in inside)
    executions = _most(each.executions for each in inside)
    return replace(inside[0], name=source_name(loop.iterator), iterations=most, executions=executions)


def _started(found: Parallelism, loop: Loop, values: Mapping[str, int]) -> Parallelism:
    """Return the same of a loop that another one starts again and again; a loop in it may be the parallel one."""
    return found if found.executions is not None else replace(found, executions=_executions(loop, values))


def _most(numbers: Iterable[int | None]) -> int | None:
    """Return the largest of some numbers; None where one is not known."""
    known = [*numbers]
    return None if None in known else max(number for number in known if number is not None)


def _executions(loop: Loop, values: Mapping[str, int]) -> int | None:
    """Return how often the innermost loops of a loop iterate in one run of it; None where that is not known."""
    own = _iterations(loop.range, values) if isinstance(loop.range, Strided) else None
    inner = [_executions(each, values) for each in _inner_loops(loop.body)]
    if own is None or None in inner:
        return None
    return own * max(1, sum(each for each in inner if each is not None))


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
    """What the tests of all loops of a nest share: its subscripts by row and column, and values of symbols."""

    renamed: Mapping[Access, Access]
    values: Mapping[str, int]
    local: frozenset[str]

    @classmethod
    def of(cls, nest: Loop, arrays: Sequence[Array], values: Mapping[str, int]) -> _Test:
        """Prepare the tests of a nest."""
        nodes = [*all_nodes((nest,))]
        iterators = frozenset(node.iterator for node in nodes if isinstance(node, Loop))
        found = (access for node in nodes if isinstance(node, Statement) for access, _ in accesses(node))
        return cls(delinearize(found, iterators), values, frozenset(array.name for array in arrays if array.local))

    def of_loop(self, loop: Loop) -> Parallelism:
        """Return whether the iterations of one loop are independent."""
        nodes = [*all_nodes(loop.body)]
        if may_end_early(loop, nodes):
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
        carried = _used_of(loop, nodes)
        if carried:
            return _of(loop, Ground.DEPENDENCE, name=carried[0])
        pairs = self._pairs(statements, loop.iterator)
        if len(pairs) > _MOST_PAIRS:
            return _of(loop, Ground.NOT_PROVEN)
        inside = {node.iterator: node for node in nodes if isinstance(node, Loop)}
        own = _Subscripts(loop, inside, self.values)
        for one, other in pairs:
            if not own.are_apart(one, other):
                return _of(loop, Ground.DEPENDENCE, name=_name(one))
        return replace(_of(loop, Ground.INDEPENDENT), iterations=_iterations(loop.range, self.values))

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


def _iterations(values_of: Strided, values: Mapping[str, int]) -> int | None:
    """Return the number of iterations of a loop; None where it is not known, or depends on a loop around."""
    distance = (values_of.stop - values_of.start).substitute(values).constant
    return None if distance is None else max(0, -(-int(distance) // values_of.step))


def _used_of(loop: Loop, nodes: Sequence[Node]) -> list[str]:
    """Return the integers that a loop carries on and that something in it uses."""
    if not loop.carried:
        return []
    atoms = (atom for node in nodes for index in indices_of(node) for atom in index.unknowns())
    return sorted({atom.label for atom in atoms} & loop.carried)


def _is_ordered(value: Value) -> bool:
    """Return whether a value has to be found in the order of the source: not understood, or a call like printf."""
    return isinstance(value, Opaque) or (
        isinstance(value, Apply) and value.operation is Operation.CALL and value.type.scalar is ScalarType.VOID
    )


class _Subscripts(Struct, frozen=True):
    """The subscripts inside a loop, as those of two different iterations of it."""

    loop: Loop
    inside: Mapping[str, Loop]
    values: Mapping[str, int]

    def are_apart(self, one: Access, other: Access) -> bool:
        """Return whether two iterations never touch one element by these references."""
        if len(one.subscripts) != len(other.subscripts) or one.strides_bytes != other.strides_bytes:
            return False
        first, second = sorted((one, other), key=lambda access: access.offset_bytes)
        if first.offset_bytes + first.type.size_bytes <= second.offset_bytes:
            return True
        pairs = [
            (left, right)
            for left, right in zip(one.subscripts, other.subscripts, strict=True)
            if not left.unknowns() and not right.unknowns()
        ]
        if not pairs:
            return False
        return any(self._differ(left, right) for left, right in pairs) or not may_share_element(
            pairs, self.loop, self.inside, self.values
        )

    def _differ(self, left: Poly, right: Poly) -> bool:
        """Return whether two subscripts differ because the iterator does, or because they always do."""
        iterator = self.loop.iterator
        factor = left.coefficient(iterator)
        difference = left - right
        changing = {*self.inside, iterator}
        if not difference.terms:
            rest = left - factor * var(iterator)
            return bool(factor.terms) and not (factor.names() | rest.names()) & changing
        return is_never_zero(difference) and not (left.names() | right.names()) & changing


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
    return in_source(access.spelling)
