"""Integers that data give: as formulas over unknown values, in the range that their types and operations leave them.

``unsigned char c = img[i]`` is ``?{img[i]}`` modulo 256, ``b = key[i] >> 24`` is 0 to 255, ``b < 0 ? 0 : b`` a maximum.
"""

from __future__ import annotations

from msgspec.structs import replace

from .....ir.arithmetic import is_unsigned
from .....ir.index import Poly, Unknown, const, floor_mod, names_in, unknown, var
from .....ir.names import is_temporary
from .....ir.nodes import Compare, Comparison, Guard, Node, Statement
from .....ir.types import ScalarType
from .....ir.values import Access, Apply, IndexValue, Operation, Register, Value
from ....surface import nodes as sx
from ....surface.traverse import walk
from ...names.bindings import Location, as_poly
from ...state import State
from .warp import are_same, rise_of

_SHORT_BYTES = 2
_MOST_PARTS = 32
_PARTS = (sx.Name, sx.Number, sx.Binary, sx.Unary, sx.Cast, sx.Conditional, sx.Index, sx.Member)
_WAITING = frozenset(
    (Operation.ADD, Operation.SUB, Operation.MUL, Operation.DIV, Operation.REM, Operation.BITWISE, Operation.SHIFT)
)
_ORDERS = frozenset(("<", "<=", ">", ">="))
_EQUALITIES = frozenset(("==", "!="))


def element_value(state: State, label: str, element: Location | Access, scalar: ScalarType, *, written: bool) -> Poly:
    """Return the unknown value of an element; of one that is ``written``, of this moment.

    That is the same in all iterations of the loops that do not store to its array.
    """
    array, names = element.array, names_in(element.subscripts)
    rises = are_same(state, element.subscripts)
    same = f"{array}.{element.member}+{element.offset_bytes}"
    if not written:
        value = unknown(label, names, rises, array=array, element=(same, element.subscripts))
        return in_range(value, scalar)
    around = {loop.iterator for loop in state.flow.loops if element.member or loop.may_store_to(array)}
    moment = state.emitter.stores
    value = unknown(
        f"{label}#{moment}", {*names, *around}, rises, array=array, element=(f"{same}#{moment}", element.subscripts)
    )
    return in_range(value, scalar)


def computed_value(state: State, value: Apply) -> Poly:
    """Return the unknown value of operations that are no formula, which waits for the integers in them."""
    lost = state.lost("value", rise_of(state, value))
    computed = tuple(_computed_from(value).items())
    return lost.map_atoms(
        lambda atom: Poly({(replace(atom, computed=computed) if isinstance(atom, Unknown) else atom,): 1})
    )


def _computed_from(value: Value) -> dict[Poly, int]:
    """Return the integers that an expression needs, with the most operations on the way from each of them.

    For what a condition chooses a processor need not wait: it may be predicted.
    """
    match value:
        case Register(name=name):
            return {var(name): 0}
        case IndexValue(index=index):
            return {index: 0} if index.constant is None else {}
        case Apply(operation=operation, operands=operands) if operation in _WAITING:
            found: dict[Poly, int] = {}
            for operand in operands:
                for index, number in _computed_from(operand).items():
                    found[index] = max(found.get(index, 0), number + 1)
            return found
        case _:
            return {}


def in_range(value: Poly, scalar: ScalarType) -> Poly:
    """Return an unknown value of a short integer type within the range of the type, others as they are.

    >>> from .....ir.index import unknown
    >>> str(in_range(unknown("c"), ScalarType.UINT8)), str(in_range(unknown("k"), ScalarType.INT32))
    ('?{c} mod 256', '?{k}')
    """
    if not scalar.is_integer or scalar.size_bytes > _SHORT_BYTES or not value.unknowns():
        return value
    values = 1 << 8 * scalar.size_bytes
    least = 0 if is_unsigned(scalar) or scalar is ScalarType.BOOL else values // 2
    return floor_mod(value + least, const(values)) - least


def formula_of(state: State, expression: sx.Expression) -> Poly | None:
    """Return an integer expression within a loop as a formula over unknown values, emitting nothing; else None."""
    if not state.flow.loops or not _is_plain(expression):
        return None
    with state.trial() as nodes, state.as_index():
        poly = as_poly(state.evaluate(expression))
    is_kept = poly is not None and not any(is_temporary(atom.variable) for atom in poly.unknowns())
    return poly if is_kept and all(map(_is_pure, nodes)) else None


def comparison_of(state: State, expression: sx.Binary) -> Compare | None:
    """Return a comparison of integers that data give as one of formulas; None for others."""
    sides = (expression.left, expression.right)
    is_order = expression.operator in _ORDERS and all(
        isinstance(side, sx.Name | sx.Number | sx.Binary) for side in sides
    )
    if not is_order and expression.operator not in _EQUALITIES:
        return None
    left, right = (formula_of(state, side) for side in sides)
    return None if left is None or right is None else Compare(Comparison(expression.operator), left, right)


def _is_pure(node: Node) -> bool:
    if isinstance(node, Guard):
        return all(map(_is_pure, (*node.body, *node.orelse)))
    return isinstance(node, Statement) and isinstance(node.target, Register)


def _is_plain(expression: sx.Expression) -> bool:
    parts = list(walk(expression))
    return len(parts) <= _MOST_PARTS and all(isinstance(part, _PARTS) for part in parts)
