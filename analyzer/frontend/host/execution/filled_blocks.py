"""Blocks of memory that a loop fills with whole numbers by a closed form: ``h[i] = m``, ``p[i] = 4*i``.

The form of a block is known beside its elements, which may be too many to be followed.  The loop counts from 0 on, does
nothing but store to ``h[i]`` of one or several blocks, and covers them.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from ...surface import nodes as sx
from ...surface.designation import is_null, without_casts
from ...surface.layout import size_bytes
from ...surface.traverse import is_variable, walk
from ..memory import COUNT, Form
from ..state import HostState
from ..values import Reference
from .expressions import evaluate
from .repetition import advance_of

_LARGEST = (1 << 31) - 1
_BOUNDS = {"<": 0, "!=": 0, "<=": 1}


class _Store(Struct, frozen=True):
    """``base[counter] = value``."""

    base: sx.Expression
    value: sx.Expression


def note_filled_blocks(state: HostState, loop: sx.For) -> None:
    """Note the closed forms of the blocks that a loop, which has run, filled."""
    counter, step = (None, 0) if loop.advance is None else advance_of(loop.advance)
    if counter is None or step != 1 or state.summarized is not None or not _starts_at_zero(loop, counter):
        return
    stores = [_store(state, item, counter) for item in _statements(loop.body)]
    known = [store for store in stores if store is not None]
    count = _count(state, loop, counter) if known and len(known) == len(stores) else None
    if count is None:
        return
    blocks = [evaluate(state, store.base) for store in known]
    starts = [block.variable for block in blocks if isinstance(block, Reference) and block.path == "[0]"]
    if len({*starts}) < len(blocks):
        return
    for block, store in zip(starts, known, strict=True):
        form = _form(state, store.value, counter)
        if form is not None and abs(form[0]) + abs(form[1]) * count <= _LARGEST and _covers(state, block, store, count):
            state.memory.set_form(block, form)


def _statements(body: sx.Statement) -> Iterator[sx.Statement]:
    if isinstance(body, sx.Block):
        for statement in body.statements:
            yield from _statements(statement)
    else:
        yield body


def _starts_at_zero(loop: sx.For, counter: sx.Variable) -> bool:
    match loop.initial:
        case sx.Declare(variable=variable, initial=initial):
            return variable == counter and initial is not None and is_null(initial)
        case sx.Evaluate(expression=sx.Assign(operator="", target=target, value=value)):
            return is_variable(target, counter) and is_null(value)
        case _:
            return False


def _count(state: HostState, loop: sx.For, counter: sx.Variable) -> int | None:
    """Return how many iterations ``counter < bound`` allows, where the bound is known."""
    test = loop.condition
    if (
        not isinstance(test, sx.Binary)
        or test.operator not in _BOUNDS
        or not is_variable(without_casts(test.left), counter)
    ):
        return None
    bound = _form(state, test.right, counter)
    return bound[0] + _BOUNDS[test.operator] if bound is not None and bound[1] == 0 else None


def _store(state: HostState, statement: sx.Statement, counter: sx.Variable) -> _Store | None:
    """Return what a statement stores to an element of a block, where it does nothing else."""
    match statement:
        case sx.Evaluate(expression=sx.Assign(operator="", target=sx.Index(base=base, index=index), value=value)):
            is_plain = all(isinstance(node, sx.Name | sx.Member | sx.Cast) for node in walk(base))
            if is_plain and is_variable(without_casts(index), counter) and not _has_effects(state, value):
                return _Store(base, value)
    return None


def _has_effects(state: HostState, value: sx.Expression) -> bool:
    """Return whether an expression may store something, but for what functions of the library keep for themselves."""
    return any(
        isinstance(node, sx.Assign | sx.OpaqueExpression)
        or (isinstance(node, sx.Unary) and ("++" in node.operator or "--" in node.operator or node.operator == "&"))
        or (isinstance(node, sx.Call) and node.function in state.program.functions)
        for node in walk(value)
    )


def _form(state: HostState, value: sx.Expression, counter: sx.Variable) -> Form | None:
    """Return the first value and the step of an expression that is affine in the counter; None for any other."""
    match value:
        case sx.Number(value=int(number)):
            return number, 0
        case sx.Cast(type=sx.ScalarT(element=kind)) if kind.scalar.is_integer and kind.lanes == 1:
            return _form(state, value.operand, counter)
        case sx.Name(variable=variable) if variable == counter:
            return 0, 1
        case sx.Name() | sx.Member():
            known = evaluate(state, value)
            return (known, 0) if isinstance(known, int) else None
        case sx.Binary(operator="+" | "-" | "*" as sign):
            left, right = _form(state, value.left, counter), _form(state, value.right, counter)
            return None if left is None or right is None else _combined(sign, left, right)
        case _:
            return None


def _combined(sign: str, left: Form, right: Form) -> Form | None:
    if sign == "+":
        return left[0] + right[0], left[1] + right[1]
    if sign == "-":
        return left[0] - right[0], left[1] - right[1]
    if left[1] and right[1]:
        return None
    return left[0] * right[0], left[0] * right[1] + left[1] * right[0]


def _covers(state: HostState, block: sx.Variable, store: _Store, count: int) -> bool:
    """Return whether so many elements are all of a block of whole numbers."""
    kind = state.program.type_of(store.base)
    element = kind.target if isinstance(kind, sx.PointerT) else kind.element if isinstance(kind, sx.ArrayT) else None
    if not isinstance(element, sx.ScalarT) or not element.element.scalar.is_integer or element.element.lanes > 1:
        return False
    held = state.memory.exact((block, COUNT))
    if held is not None:
        return held == count
    size, bytes_each = state.block_bytes.get(block), size_bytes(element)
    if size is None and isinstance(block.type, sx.ArrayT):
        size = size_bytes(block.type)
    return size is not None and bytes_each is not None and bytes_each >= _LEAST_BYTES and count * bytes_each >= size


_LEAST_BYTES = 4
"""Of whole numbers that are taken not to wrap."""
