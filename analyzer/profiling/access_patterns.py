"""Access patterns of a loop nest, found without counting: nodes of the IR to :class:`AccessPatterns`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from ctypes import c_float

from ..access_patterns import AccessPatterns, Division, LoopTrait, Promotion, Reference
from ..ir.arithmetic import is_exact_divisor
from ..ir.names import in_source, is_temporary, source_name
from ..ir.nodes import Array, Loop, MemorySpace, Node, Statement, Strided, loops_of_source
from ..ir.passes.steps import step_bytes, trip_of
from ..ir.traverse import accesses
from ..ir.types import ScalarType
from ..ir.values import (
    Access,
    Apply,
    Constant,
    IndexValue,
    Load,
    Opaque,
    Operation,
    Register,
    Value,
    operands_of,
    walk_values,
)
from ..ir.walk import Visit, walk_nodes
from ..ir.written.labels import label_of
from ..ir.written.text import access_text, nodes_text
from ..python.regex import regex

_NAME = regex(r"[$A-Za-z_][\w$]*(?:\.\w+)*")
_TRIP = regex(r"trip_L\d+")
_DIGITS = 16  # hexadecimal, of a fingerprint
_ON_CHIP = (MemorySpace.SHARED, MemorySpace.LOCAL, MemorySpace.CONSTANT)
_LONGEST = 60


def access_patterns_of(nodes: Sequence[Node], arrays: Sequence[Array], *, in_full: bool = True) -> AccessPatterns:
    """Return the access patterns of a nest (or of several nodes), or a part of them; linear in its size."""
    by_name = {array.name: array for array in arrays}
    walked = list(walk_nodes(tuple(nodes)))
    visits = [visit for visit in walked if isinstance(visit.node, Statement) and not _is_of_a_header(visit)]
    holding = {
        id(loops_of_source(visit.loops)[-1])
        for visit in walked
        if isinstance(visit.node, Loop) and not visit.node.is_condition and visit.loops
    }
    unchanged: dict[int, Callable[[Value], bool]] = {}
    traits: dict[int, LoopTrait] = {}
    references = dict.fromkeys(found for visit in visits for found in _references(visit, by_name, holding, traits))
    divisions = tuple(dict.fromkeys(found for visit in visits for found in _divisions(visit, holding, unchanged)))
    if not in_full:
        return AccessPatterns(references=tuple(references), divisions=divisions)
    return AccessPatterns(
        fingerprint_of(nodes, by_name),
        tuple(references),
        divisions,
        tuple(dict.fromkeys(found for visit in visits for found in _promotions(visit))),
    )


def fingerprint_of(nodes: Sequence[Node], arrays: Mapping[str, Array]) -> str:
    """Return a short digest of the nodes that does not depend on source lines nor on names of iterators and helpers."""
    iterators = {loop.iterator for visit in walk_nodes(tuple(nodes)) for loop in _loops_at(visit)}
    numbers: dict[str, str] = {}

    def renamed(found: re.Match[str]) -> str:
        name = found[0]
        if name in iterators or is_temporary(name) or _TRIP.match(name):
            return numbers.setdefault(name, f"#{len(numbers)}")
        return source_name(name)

    import hashlib  # here, as stored results are read without the analysis

    text = "\n".join(_NAME.sub(renamed, line) for line in nodes_text(nodes, arrays))
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def _loops_at(visit: Visit) -> tuple[Loop, ...]:
    return (*visit.loops, visit.node) if isinstance(visit.node, Loop) else visit.loops


def _references(
    visit: Visit, arrays: Mapping[str, Array], holding: Set[int], traits: dict[int, LoopTrait]
) -> Iterator[Reference]:
    """Yield the references of a statement; ``traits`` caches those of loops."""
    statement = visit.node
    assert isinstance(statement, Statement)
    around = loops_of_source(visit.loops)
    loops = tuple(traits.get(id(loop)) or traits.setdefault(id(loop), _trait(loop, holding)) for loop in around)
    for access, write in accesses(statement):
        array = arrays.get(access.array)
        unit = access.type.size_bytes if array is None else array.element_bytes
        yield Reference(
            access.array,
            in_source(access_text(access)),
            statement.span.line,
            write,
            unit,
            array is not None and array.space in _ON_CHIP,
            loops,
            tuple(step_bytes(access, loop) for loop in around),
        )


def _trait(loop: Loop, holding: Set[int]) -> LoopTrait:
    start, step = (loop.range.start, loop.range.step) if isinstance(loop.range, Strided) else (None, None)
    return LoopTrait(
        iterator=source_name(loop.iterator),
        line=loop.span.line,
        trip=trip_of(loop),
        is_innermost=id(loop) not in holding,
        start=start,
        step=step,
    )


def _is_of_a_header(visit: Visit) -> bool:
    """Return whether a statement comes from another file than the nest that it is in: a call of a header's function."""
    return bool(visit.loops) and visit.node.span.path != visit.loops[0].span.path


def _divisions(visit: Visit, holding: Set[int], unchanged: dict[int, Callable[[Value], bool]]) -> Iterator[Division]:
    """Yield the divisions by a value that is invariant in an innermost loop: one that is not among ``holding``, which
    hold others.  ``unchanged`` caches tests by loop.
    """
    statement = visit.node
    assert isinstance(statement, Statement)
    if not visit.loops:
        return
    loop = loops_of_source(visit.loops)[-1]
    if id(loop) in holding or loop.mapping.is_of_grid:
        return
    for value in walk_values(statement.value):
        if not isinstance(value, Apply) or value.operation is not Operation.DIV or not value.type.scalar.is_float:
            continue
        same = unchanged.get(id(loop)) or unchanged.setdefault(id(loop), _unchanged_in(loop))
        dividend, divisor = value.operands
        if same(divisor) and not same(dividend) and not _is_exact_inverse(divisor):
            plain = _plain(divisor)
            text = in_source(label_of(plain))
            yield Division(
                text if len(text) <= _LONGEST else "its divisor", statement.span.line, source_name(loop.iterator)
            )


def _unchanged_in(loop: Loop) -> Callable[[Value], bool]:
    """Return whether a value is the same in every iteration of a loop."""
    inside = [visit for visit in walk_nodes((loop,)) if isinstance(visit.node, Statement)]
    targets = [visit.node.target for visit in inside if isinstance(visit.node, Statement)]
    registers = {target.name for target in targets if isinstance(target, Register)}
    arrays = {target.array for target in targets if isinstance(target, Access)}
    iterators = {inner.iterator for visit in inside for inner in visit.loops}

    def same(value: Value) -> bool:
        return all(_is_same(leaf) for leaf in walk_values(value))

    def _is_same(leaf: Value) -> bool:
        match leaf:
            case Register(name):
                return name not in registers
            case IndexValue(index):
                return index.names().isdisjoint(iterators) and not index.unknowns()
            case Load(access):
                fixed = (s.names().isdisjoint(iterators) and not s.unknowns() for s in access.subscripts)
                return access.array not in arrays and all(fixed)
            case Opaque():
                return False
            case Apply(Operation.CALL):
                return False
            case _:
                return True

    return same


def _is_exact_inverse(divisor: Value) -> bool:
    """Return whether compilers multiply by the inverse anyway: a power of two, once rounded to its type."""
    plain = _plain(divisor)
    if not isinstance(plain, Constant) or plain.number in (None, 0):
        return False
    number = float(plain.number or 1)
    if divisor.type.scalar is ScalarType.FP32:
        number = c_float(number).value
    return is_exact_divisor(number)


def _plain(value: Value) -> Value:
    while isinstance(value, Apply) and value.operation is Operation.CONVERT:
        (value,) = value.operands
    return value


def _promotions(visit: Visit) -> Iterator[Promotion]:
    statement = visit.node
    assert isinstance(statement, Statement)
    for value in walk_values(statement.value):
        narrows = _is_converted(value) and value.type.scalar is ScalarType.FP32
        if not (narrows or _is_compared(value)):
            continue
        leaves = [leaf for operand in operands_of(value) for leaf in _wide_leaves(operand)]
        constants = [leaf for leaf in leaves if isinstance(leaf, Constant)]
        converted = [leaf for leaf in leaves if _is_converted(leaf)]
        whole = constants and converted and len(constants) + len(converted) == len(leaves)
        if whole and not _is_narrowed(value, constants):
            yield Promotion(statement.span.line, statement.span.end_line)


def _is_narrowed(value: Value, constants: Sequence[Constant]) -> bool:
    """Return whether compilers compute in fp32 anyway: one operation on operands that fp32 holds, rounded at once.

    The products, sums and quotients of two fp32 numbers come out the same (Figueroa, SIGNUM Newsletter 30(3), 1995).
    """
    (operation,) = (value,) if _is_compared(value) else operands_of(value)
    if not isinstance(operation, Apply) or operation.operation not in _NARROWED:
        return False
    leaves = operation.operands
    return all(_is_converted(leaf) or leaf in constants for leaf in leaves) and all(map(_fits_fp32, constants))


_NARROWED = (Operation.ADD, Operation.SUB, Operation.MUL, Operation.DIV, Operation.COMPARE)


_FUNCTIONS = (Operation.ABS, Operation.SQRT, Operation.CALL)


def _is_compared(value: Value) -> bool:
    return isinstance(value, Apply) and value.operation is Operation.COMPARE


def _fits_fp32(constant: Constant) -> bool:
    number = float(constant.number or 0)
    return number == c_float(number).value


def _is_converted(value: Value) -> bool:
    return isinstance(value, Apply) and value.operation is Operation.CONVERT


def _wide_leaves(value: Value) -> Iterator[Value]:
    """Yield the leaves of arithmetic in fp64: constants, data, and conversions from fp32.

    Others count as data, as do results of functions of double, which are in fp64 whatever the constants are.
    """
    pending = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, Apply) and node.type.scalar is ScalarType.FP64 and node.operation not in _FUNCTIONS:
            (source, *_) = node.operands or (node,)
            if not _is_converted(node):
                pending.extend(node.operands)
            elif source.type.scalar is ScalarType.FP32:
                yield node
            else:
                yield source
        else:
            yield node
