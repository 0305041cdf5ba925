"""Canonical text of a region: one line per node, by indentation, without positions in the source.

``--dump ir`` prints it, and the parity tests of the frontends compare it.  Strides are written only where they differ
from the declared layout of the array, the type of an access only where it differs from that of its elements.

>>> from ..index import var
>>> from ..values import Apply, Constant, Operation, Register
>>> from ..types import FP64
>>> value_text(Apply(Operation.MUL, FP64, (Constant(2.0, FP64), Register("x", FP64))))
'mul.fp64(2.0, x)'
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from ..index import Poly, const
from ..nodes import (
    And,
    Array,
    Barrier,
    Compare,
    Condition,
    DataDependent,
    Exit,
    Geometric,
    Guard,
    Loop,
    MemorySpace,
    Node,
    Not,
    Or,
    Range,
    Region,
    Statement,
    Strided,
    Truth,
    Uncounted,
)
from ..nodes import Mapping as LoopMapping
from ..values import Access, Apply, Constant, IndexValue, Load, Opaque, Register, Value

_INDENT = "  "


def region_text(region: Region) -> str:
    """Return the whole region, ending in a newline."""
    arrays = {array.name: array for array in region.arrays}
    lines = [f"{region.kind.value} {region.name}"]
    for symbol in region.symbols:
        known = "" if symbol.value is None else f" = {symbol.value}"
        lines.append(f"symbol {symbol.name}{known} ({symbol.origin.value})")
    lines.extend(_array_line(array) for array in region.arrays)
    lines.extend(f"assume {item.code}: {item.text}" for item in region.assumptions)
    lines.extend(nodes_text(region.body, arrays))
    return "\n".join(lines) + "\n"


def nodes_text(nodes: Sequence[Node], arrays: Mapping[str, Array]) -> Iterator[str]:
    """Yield lines of a sequence of nodes, however deep they nest."""
    pending: list[tuple[Node | str, int]] = [(node, 0) for node in reversed(nodes)]
    while pending:
        node, depth = pending.pop()
        indent = _INDENT * depth
        match node:
            case str():
                yield f"{indent}{node}"
            case Loop():
                yield f"{indent}for {node.iterator} in {range_text(node.range)}{_loop_suffix(node)}"
                for statement in node.header:
                    yield f"{indent}{_INDENT}test {_statement_text(statement, arrays)}"
                pending.extend((child, depth + 1) for child in reversed(node.body))
            case Guard():
                yield f"{indent}if {condition_text(node.condition)}"
                if node.orelse:
                    pending.extend((child, depth + 1) for child in reversed(node.orelse))
                    pending.append(("else", depth))
                pending.extend((child, depth + 1) for child in reversed(node.body))
            case Statement(barrier=Barrier() as barrier):
                yield f"{indent}wait for the {barrier.value}"
            case Statement():
                yield f"{indent}{_statement_text(node, arrays)}"
            case Exit():
                yield f"{indent}{'return' if node.loop is None else f'break {node.loop}'}"
            case _:
                assert_never(node)


def range_text(range: Range) -> str:
    """Return ``0 .. n step 2``: the start, the first value not taken, the step."""
    match range:
        case Strided():
            return f"{range.start} .. {range.stop}" + ("" if range.step == 1 else f" step {range.step}")
        case Geometric():
            return (
                f"{range.start} .. {range.stop} {'/' if range.shrinking else '*'} {range.factor} ({range.trip} times)"
            )
        case Uncounted(calls=calls) if calls is not None:
            sizes = ", ".join(f"{size} if {condition_text(condition)}" for condition, size in calls.inner)
            return f"calls from {calls.start}: {sizes} ({range.trip} times)"
        case Uncounted():
            return f"{range.trip} times"
    assert_never(range)


def condition_text(condition: Condition) -> str:
    """Return ``i < n and not ?{$1: a[i] > 0}``."""
    match condition:
        case Compare():
            return f"{condition.left} {condition.comparison.value} {condition.right}"
        case And():
            return " and ".join(_nested(operand) for operand in condition.operands)
        case Or():
            return " or ".join(_nested(operand) for operand in condition.operands)
        case Not():
            return f"not {_nested(condition.operand)}"
        case DataDependent():
            return f"?{{{condition.name}: {condition.text}}}" if condition.text else f"?{{{condition.name}}}"
        case Truth():
            return str(condition.holds).lower()
    assert_never(condition)


def value_text(value: Value, arrays: Mapping[str, Array] | None = None) -> str:
    """Return a value as nested calls, written from left to right without recursion."""
    parts: list[str] = []
    pending: list[Value | str] = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, Apply | Opaque):
            pending.append(")")
            for number, operand in enumerate(reversed(item.operands)):
                pending.extend((", ", operand) if number else (operand,))
        parts.append(item if isinstance(item, str) else _head_text(item, arrays))
    return "".join(parts)


def _head_text(value: Value, arrays: Mapping[str, Array] | None) -> str:
    """Return a leaf, or an operation up to its opening parenthesis."""
    match value:
        case Constant():
            return "?" if value.number is None else repr(value.number)
        case Register():
            return value.name
        case IndexValue():
            return f"index({value.index})"
        case Load():
            return access_text(value.access, arrays)
        case Apply():
            name = f"{value.operation.value}[{value.function}]" if value.function else value.operation.value
            return f"{name}.{value.type}("
        case Opaque():
            return f"opaque.{value.type}{{{value.what}}}("
    assert_never(value)


def access_text(access: Access, arrays: Mapping[str, Array] | None = None) -> str:
    """Return ``a[i][j]``, with ``.member+offset``, ``<strides>`` and ``:type`` where they say something new."""
    text = access.spelling
    if access.member or access.offset_bytes:
        text += f"{'' if access.member else '.'}+{access.offset_bytes}"
    array = None if arrays is None else arrays.get(access.array)
    if array is not None:
        if access.strides_bytes != declared_strides(array):
            text += f"<{', '.join('?' if stride is None else str(stride) for stride in access.strides_bytes)}>"
        if access.type != array.element:
            text += f":{access.type}"
    return f"atomic {text}" if access.atomic else text


def declared_strides(array: Array) -> tuple[Poly | None, ...]:
    """Return byte strides of an array stored row by row."""
    strides: list[Poly | None] = []
    size: Poly | None = const(array.element_bytes)
    for extent in reversed(array.extents):
        strides.append(size)
        size = None if size is None or extent is None else size * extent
    return tuple(reversed(strides))


def _nested(condition: Condition) -> str:
    text = condition_text(condition)
    return f"({text})" if isinstance(condition, And | Or) else text


def _loop_suffix(loop: Loop) -> str:
    threads = "" if loop.threads is None else f"{loop.threads} "
    mapping = "" if loop.mapping is LoopMapping.SEQUENTIAL else f" on {threads}{loop.mapping.value}"
    mapping += " timed" if loop.timed else ""
    return mapping + ("" if loop.unroll is None else f" unroll {loop.unroll}")


def _statement_text(statement: Statement, arrays: Mapping[str, Array]) -> str:
    match statement.target:
        case None:
            target = "_"
        case Register():
            target = statement.target.name
        case Access():
            target = access_text(statement.target, arrays)
    work = f" ({statement.index_operations} index)" if statement.index_operations else ""
    past = " past caches" if statement.nontemporal else ""
    return f"{target} := {value_text(statement.value, arrays)}{work}{past}"


def _array_line(array: Array) -> str:
    extents = "".join(f"[{'?' if extent is None else extent}]" for extent in array.extents)
    size = "" if array.element_bytes == array.element.size_bytes else f" of {array.element_bytes} bytes"
    space = "" if array.space is MemorySpace.GLOBAL else f" {array.space.value}"
    return f"array {array.name}{extents} {array.element}{size}{space}{' private' if array.local else ''}"
