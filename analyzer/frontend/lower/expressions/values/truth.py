"""Comparisons and logical operators: values used as numbers, and what is known of them for certain.

The right operand of ``&&`` and ``||`` only runs where the left one does not decide.
"""

from __future__ import annotations

from .....ir.arithmetic import common_type, is_unsigned
from .....ir.index import ZERO, Poly, const
from .....ir.nodes import Compare, Comparison, Condition, Truth
from .....ir.types import INT32
from .....ir.values import Apply, Constant, Operation, Value
from ....surface import nodes as sx
from ....surface.types import type_of as source_type_of
from ...logic import ALWAYS, NEVER, compare, conjunction, disjunction, negate, truth_index
from ...names.bindings import Aggregate, Fresh, Integer, Location, Pointer, Result, Slot
from ...state import State
from ..conversions import convert, index_of, index_value, type_of
from ..pointers import as_value, decay, distance, is_same_object, validity

_INT_BYTES = INT32.size_bytes
_EQUALITIES = frozenset({Comparison.EQ, Comparison.NE})
_COMPARISONS = frozenset(item.value for item in Comparison)
_LOGICAL = _COMPARISONS | {"&&", "||"}  # operators of two operands whose value is a truth


def is_truth(expression: sx.Binary | sx.Unary) -> bool:
    """Return whether an operator gives whether something holds."""
    return expression.operator in _LOGICAL if isinstance(expression, sx.Binary) else expression.operator == "!"


def truth_value(state: State, expression: sx.Binary | sx.Unary) -> Value:
    """Return the value of a comparison or logical operator used as a number."""
    with state.as_data(), state.emitter.capture() as nodes:
        result = _plain_truth(state, expression)
    state.emitter.block.extend(nodes)
    return result


def _plain_truth(state: State, expression: sx.Binary | sx.Unary) -> Value:
    if isinstance(expression, sx.Unary):
        return _negation(state, as_value(state.evaluate(expression.operand)))
    if expression.operator not in _COMPARISONS and not is_free(expression.right):
        return _short_circuit(state, expression)
    left = state.evaluate(expression.left)
    if expression.operator in _COMPARISONS:
        right = state.evaluate(expression.right)
        known = known_comparison(state, expression, left, right)
        if isinstance(known, Truth):
            return Constant(int(known.holds), INT32)
        return comparison_value(as_value(left), as_value(right))
    return _logical((as_value(left), as_value(state.evaluate(expression.right))))


def is_free(expression: sx.Expression) -> bool:
    """Return whether evaluating an operand of ``&&`` or ``||`` for nothing is no work: integers in registers alone."""
    match expression:
        case sx.Number():
            return True
        case sx.Name(variable=variable):
            in_register = variable.storage in (sx.Storage.LOCAL, sx.Storage.PARAMETER) and not variable.reference
            return in_register and isinstance(variable.type, sx.ScalarT)
        case sx.Binary(left=left, right=right):
            is_whole = is_truth(expression) or _is_integer(source_type_of(expression))
            return is_free(left) and is_free(right) and is_whole
        case sx.Unary(operator="-" | "!" | "~", operand=operand) | sx.Cast(operand=operand):
            return is_free(operand)
        case _:
            return False


def _is_integer(kind: sx.CType) -> bool:
    return isinstance(kind, sx.ScalarT) and kind.element.scalar.is_integer


def _short_circuit(state: State, expression: sx.Binary) -> Value:
    """Evaluate ``a && b`` as ``a ? b != 0 : 0`` and ``a || b`` as ``a ? 1 : b != 0``: the right one may not run."""
    zero, one = (sx.Number(number, sx.INT, expression.span) for number in (0, 1))
    right = expression.right
    if not isinstance(right, sx.Binary | sx.Unary) or not is_truth(right):
        right = sx.Binary("!=", right, zero, expression.span)
    then, orelse = (right, zero) if expression.operator == "&&" else (one, right)
    return as_value(state.evaluate(sx.Conditional(expression.left, then, orelse, expression.span)))


def _negation(state: State, operand: Value) -> Value:
    """Return ``!operand``, of an index as an index."""
    index = index_of(operand)
    if index is None or index.unknowns():
        return _logical((operand,))
    state.emitter.index_operations += index.constant is None
    found = truth_index(Compare(Comparison.EQ, index, ZERO))
    return _logical((operand,)) if found is None else index_value(found, INT32)


def _logical(operands: tuple[Value, ...]) -> Value:
    if all(isinstance(operand, Constant) for operand in operands):
        return Constant(None, INT32)
    return Apply(Operation.LOGICAL, INT32, operands)


def comparison_value(left: Value, right: Value) -> Apply:
    """Return the operation of comparing two values, in their common type."""
    kind = common_type(type_of(left), type_of(right))
    return Apply(Operation.COMPARE, kind, (convert(left, kind), convert(right, kind)))


def known_comparison(state: State, expression: sx.Binary, left: Result, right: Result) -> Condition | None:
    """Return the exact condition of comparing indices, pointers into one array, or a pointer with null; else None."""
    left, right = decay(state, left), decay(state, right)
    kind = Comparison(expression.operator)
    if isinstance(left, Pointer) and isinstance(right, Pointer):
        steps = distance(state, left, right)
        if left.valid is not None or right.valid is not None:
            return None
        if steps is None:
            same = is_same_object(state, left, right, expression.span) if kind in _EQUALITIES else None
            return None if same is None else Truth(same == (kind is Comparison.EQ))
        last_left, last_right = _last(left), _last(right)
        if last_left is not None and last_right is not None and last_left - last_right == steps:
            return compare(kind, last_left, last_right)
        return compare(kind, steps, ZERO)
    if isinstance(left, Pointer | Aggregate | Fresh) or isinstance(right, Pointer | Aggregate | Fresh):
        null = isinstance(left, Constant) or isinstance(right, Constant)
        tested = expression.right if isinstance(left, Constant) else expression.left
        if not null or kind not in (Comparison.NE, Comparison.EQ):
            return None
        pointer = left if isinstance(left, Pointer) else right
        valid = validity(state, pointer, tested) if isinstance(pointer, Pointer) else ALWAYS
        return valid if kind is Comparison.NE else negate(valid)
    first, second = index_of(left), index_of(right)
    first = chosen_number(state, expression.left) if first is None else first
    second = chosen_number(state, expression.right) if second is None else second
    if first is None or second is None:
        return None
    scalar = common_type(type_of(as_value(left)), type_of(as_value(right))).scalar
    if is_unsigned(scalar) and not state.indexing and not (first.unknowns() or second.unknowns()):
        return _unsigned_comparison(state, kind, first, second, 8 * scalar.size_bytes)
    return state.compared(kind, first, second)


def chosen_number(state: State, expression: sx.Expression) -> Poly | None:
    """Return the value of a variable of which conditions on counters choose one of a few numbers; None of others."""
    while isinstance(expression, sx.Cast) and isinstance(expression.type, sx.ScalarT):
        scalar = expression.type.element.scalar
        if not scalar.is_integer or scalar.size_bytes < _INT_BYTES:
            return None
        expression = expression.operand
    location = state.lvalue(expression) if isinstance(expression, sx.Name) else None
    binding = state.environment.get(location) if isinstance(location, Slot) else None
    return binding.value if isinstance(binding, Integer) and state.is_chosen(binding.value) else None


def _unsigned_comparison(state: State, kind: Comparison, first: Poly, second: Poly, bits: int) -> Condition:
    """Return a comparison of unsigned numbers, which are held as if they did not wrap: below 0 they are the largest."""
    if kind in _EQUALITIES:
        return state.compared(kind, _below_half(first, bits), _below_half(second, bits))
    if kind in (Comparison.GT, Comparison.GE):
        return _unsigned_comparison(state, kind.mirrored, second, first, bits)
    first, second = _wrapped(first, bits), _wrapped(second, bits)
    less = state.compared(kind, first, second)
    is_left, is_right = _may_be_negative(first), _may_be_negative(second)
    if not (is_left or is_right):
        return less
    left_is_small = compare(Comparison.GE, first, ZERO) if is_left else ALWAYS
    right_is_large = compare(Comparison.LT, second, ZERO) if is_right else NEVER
    return disjunction(
        (
            conjunction((less, disjunction((left_is_small, right_is_large)))),
            conjunction((left_is_small, right_is_large)),
        )
    )


def _may_be_negative(index: Poly) -> bool:
    """Return whether an unsigned number has names or a constant subtracted; no name in it is negative.

    What a remainder or an operation on bits subtracts is never more than what it is subtracted from.
    """
    return any(number < 0 and all(isinstance(atom, str) for atom in term) for term, number in index.terms.items())


def _wrapped(index: Poly, bits: int) -> Poly:
    return index if index.constant is None else const(index.constant % (1 << bits))


def _below_half(index: Poly, bits: int) -> Poly:
    """Return a constant of the upper half as the negative number that it is held as elsewhere."""
    wrapped = _wrapped(index, bits)
    return wrapped - (1 << bits) if wrapped.constant is not None and wrapped.constant >> (bits - 1) else wrapped


def _last(pointer: Pointer) -> Poly | None:
    location = pointer.target
    return location.subscripts[-1] if isinstance(location, Location) and location.subscripts else None
