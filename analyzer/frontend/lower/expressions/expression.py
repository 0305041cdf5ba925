"""Expressions to values: one descent, in which integers of iterators and symbols stay index expressions.

In *indexing* mode (subscripts, loop bounds) integers read from memory become unknown values after a statement that
loads them; elsewhere they are data, and arithmetic on them is counted as operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from msgspec.structs import replace

from ....ir.arithmetic import SHIFTS, common_type, promoted
from ....ir.index import ZERO, floor_mod
from ....ir.names import UNUSED
from ....ir.types import INT32, UNKNOWN, ElementType, ScalarType, TypeClass
from ....ir.values import Apply, Constant, IndexValue, Load, Opaque, Operation, Register, Value
from ....source import Span
from ...surface import nodes as sx
from ...surface.constants import constant_value
from ...surface.constructs import construct
from ..emitter import Emitter
from ..extremes import wrapped_remainder
from ..layout import access, element_type
from ..logic import NEVER
from ..names.bindings import UNKNOWN_VALIDITY, Aggregate, Fresh, Location, Pointer, Result, Slot
from ..state import State
from .assignment import assign, step_variable
from .conditional import conditional
from .conversions import apply, combine, convert, index_of, index_value, negated, type_of
from .initialization import made
from .pointers import advanced, as_value, decay, decayed, pointer_difference, retyped
from .references import index_from, is_vector, lane_of_memory, read
from .tables import is_address, listed, without_address
from .values.function import call_of_any, call_through, function_value
from .values.truth import is_truth, truth_value
from .values.unknown import computed_value


def evaluate(state: State, expression: sx.Expression) -> Result:
    """Return the value, pointer or aggregate of an expression; its side effects go to the current block."""
    match expression:
        case sx.Number():
            return Constant(expression.value, expression.type.element)
        case sx.Text():
            return Constant(None, ElementType(ScalarType.POINTER))
        case sx.Binary():
            return _binary_chain(state, expression)
        case sx.Name() | sx.Index() | sx.Member():
            return _read_lvalue(state, expression)
        case sx.Unary():
            return _unary(state, expression)
        case sx.Assign():
            return assign(state, expression)
        case sx.Conditional():
            return conditional(state, expression)
        case sx.Call():
            return state.call(expression)
        case sx.Launch():  # another region
            return Constant(None, ElementType(ScalarType.VOID))
        case sx.Cast():
            return _cast(state, expression)
        case sx.Comma():
            discard(state, expression.left)
            return state.evaluate(expression.right)
        case sx.InitializerList():
            return made(state, expression)
        case sx.OpaqueExpression():
            return _opaque(state, expression)
    assert_never(expression)


def discard(state: State, expression: sx.Expression) -> None:
    """Evaluate for side effects; operations whose result is not used count, too.

    A real number is the value of a register that nothing reads, which machine code of a kernel does not compute.
    """
    match expression:
        case sx.Assign():
            assign(state, expression, needed=False)
            result: Result = Fresh()
        case sx.Unary(operator="++x" | "--x" | "x++" | "x--"):
            step_variable(state, expression, needed=False)
            result = Fresh()
        case sx.Comma():
            discard(state, expression.left)
            discard(state, expression.right)
            return
        case _:
            result = state.evaluate(expression)
    if isinstance(result, Apply) and state.emitter.in_kernel and result.type.scalar.is_float:
        state.emitter.emit(Register(UNUSED, result.type), result, expression.span)
    elif isinstance(result, Apply | Opaque):
        state.emitter.emit(None, result, expression.span)
    state.emitter.index_operations = 0


def value(state: State, expression: sx.Expression) -> Value:
    """Return the value of an expression as data."""
    with state.as_data():
        result = state.evaluate(expression)
    return as_value(result)


def _read_lvalue(state: State, expression: sx.Name | sx.Index | sx.Member) -> Result:
    if isinstance(expression, sx.Index) and is_vector(expression.base):
        return _lane(state, expression)
    is_element = isinstance(expression, sx.Index) and isinstance(expression.base, sx.Name)
    if is_element or isinstance(expression, sx.Member):
        item = listed(state, expression)
        if item is not None and (is_address(item) or (is_element and not isinstance(item, sx.InitializerList))):
            return state.evaluate(item)
    location = state.lvalue(expression)
    if location is None:
        return state.emitter.not_understood(construct("this-reference"), expression.span)
    return read(state, location, expression.span)


def _lane(state: State, expression: sx.Index) -> Value:
    """Return one lane of a vector: a load of its own from memory, no work from a register."""
    location = lane_of_memory(state, expression)
    if location is not None:
        return as_value(read(state, location, expression.span))
    whole = value(state, expression.base)
    return Apply(Operation.SHUFFLE, ElementType(type_of(whole).scalar), (whole,))


def _opaque(state: State, expression: sx.OpaqueExpression) -> Result:
    if expression.function in state.inputs.unit.functions:
        return function_value(state, expression)
    if expression.called is not None and isinstance(choice := without_address(expression.called), sx.Conditional):
        then, orelse = (replace(expression, called=arm) for arm in (choice.then, choice.orelse))
        return conditional(state, sx.Conditional(choice.condition, then, orelse, expression.span))
    if expression.called is not None and (call := call_through(state, expression, expression.called)) is not None:
        return state.call(call)
    if (result := call_of_any(state, expression)) is not None:
        return result
    operands = tuple(value(state, operand) for operand in expression.operands)
    if expression.called is not None and state.inputs.effects.of(expression.called).variables:
        discard(state, expression.called)
    elif expression.called is not None:
        operands = (*operands, *_loaded_address(state, expression.called))
    state.emitter.report("AI206", expression.span, "expression", what=expression.what)
    return Opaque(expression.what, element_type(state.inputs, expression.type), operands, has_work=True)


def _loaded_address(state: State, called: sx.Expression) -> Iterator[Load]:
    """Yield the load of an address that a call takes from memory."""
    location = state.lvalue(without_address(called))
    if isinstance(location, Location) and isinstance(location.type, sx.PointerT):
        yield Load(access(state, location))


# --- operators -----------------------------------------------------------------------------------------------------


def _binary_chain(state: State, expression: sx.Binary) -> Result:
    """Evaluate a left-leaning chain ``a + b + c ...`` without recursion, however long."""
    chain = [expression]
    while isinstance(chain[-1].left, sx.Binary) and _is_arithmetic(chain[-1]) and _is_arithmetic(chain[-1].left):
        chain.append(chain[-1].left)
    if not _is_arithmetic(expression):
        return truth_value(state, expression)
    result = state.evaluate(chain[-1].left)
    if len(chain) > 1 and _takes_parity(chain):
        return _parity(state, chain, result)
    literal = constant_value(chain[-1].left) is not None
    for link in reversed(chain):
        literal = literal and constant_value(link.right) is not None
        left, right = result, state.evaluate(link.right)
        result = binary(state, link.operator, left, right, link.span)
        if not literal and isinstance(left, Constant) and isinstance(right, Constant) and isinstance(result, Constant):
            note_folded(state, apply(link.operator, left, right, result.type), link.span)
    return result


def note_folded(state: State, operation: Apply, span: Span) -> None:
    """Count an operation of floating point on numbers that variables hold, as where these are not known."""
    if operation.type.scalar.is_float:
        state.emitter.emit(None, operation, span)


def _takes_parity(chain: list[sx.Binary]) -> bool:
    """Return whether a chain is ``(a ^ b ^ c) & 1``: the parity of a sum."""
    mask, *rest = chain
    is_one = isinstance(mask.right, sx.Number) and mask.right.value == 1
    return mask.operator == "&" and is_one and all(link.operator == "^" for link in rest)


def _parity(state: State, chain: list[sx.Binary], first: Result) -> Result:
    """Return the lowest bit of the sum, which exclusive-or has; other operands than indices are combined as written."""
    operands = [first, *(state.evaluate(link.right) for link in reversed(chain[1:]))]
    indices = [index_of(as_value(operand)) for operand in operands]
    known = [index for index in indices if index is not None]
    if len(known) == len(operands):
        state.emitter.index_operations += len(chain)
        return IndexValue(floor_mod(sum(known, ZERO), 2), INT32)
    result = operands[0]
    for link, operand in zip(reversed(chain[1:]), operands[1:], strict=True):
        result = binary(state, link.operator, result, operand, link.span)
    return binary(state, "&", result, state.evaluate(chain[0].right), chain[0].span)


def _is_arithmetic(expression: sx.Binary) -> bool:
    return not is_truth(expression)


def _distance(state: State, value: Value) -> Value:
    """Return by how much a shift shifts: the number that follows from given values, as it has no formula else."""
    index = index_of(value)
    number = None if index is None or index.constant is not None else state.symbols.value_of(index)
    return value if number is None else Constant(number, type_of(value))


def binary(state: State, operator: str, left: Result, right: Result, span: Span) -> Result:
    """Return the result of an arithmetic operator on two results, which may be pointers."""
    left, right = decay(state, left), decay(state, right)
    if isinstance(left, Pointer) and isinstance(right, Pointer) and operator == "-":
        state.emitter.index_operations += 1
        return pointer_difference(state, left, right)
    if isinstance(left, Pointer) or isinstance(right, Pointer):
        return _pointer_arithmetic(state, operator, left, right, span)
    first, second = as_value(left), as_value(right)
    if operator in SHIFTS:
        second = _distance(state, second)
    kept = _remainder(state, first, second) if operator == "%" else None
    if kept is not None:
        state.emitter.index_operations += 1
        return kept
    result, operations = combine(operator, first, second, state.is_nonnegative)
    state.emitter.index_operations += operations
    if isinstance(result, Apply) and state.indexing and result.type.scalar.is_integer:
        state.emitter.index_operations += 1
        return IndexValue(computed_value(state, result), result.type)
    return result


def _remainder(state: State, left: Value, right: Value) -> Value | None:
    """Return the remainder of an index that passes a size at most once, else None."""
    value, length, kind = index_of(left), index_of(right), common_type(type_of(left), type_of(right))
    if value is None or length is None or not kind.scalar.is_integer:
        return None
    found = wrapped_remainder(value, length, set(state.flow.iterators()), state.is_nonnegative)
    return None if found is None else index_value(found, kind)


def _pointer_arithmetic(state: State, operator: str, left: Result, right: Result, span: Span) -> Result:
    pointer, other = (left, right) if isinstance(left, Pointer) else (right, left)
    if not isinstance(pointer, Pointer) or isinstance(other, Pointer) or operator not in ("+", "-"):
        return state.emitter.not_understood(construct("pointer", operator=operator), span)
    steps = index_from(state, other, span)
    state.emitter.index_operations += 1
    return advanced(state, pointer, steps if operator == "+" else -steps)


def _unary(state: State, expression: sx.Unary) -> Result:
    match expression.operator:
        case "++x" | "--x" | "x++" | "x--":
            return step_variable(state, expression)
        case "&":
            return _address(state, expression)
        case "*":
            location = state.lvalue(expression)
            if location is None:
                return state.emitter.not_understood(construct("this-dereference"), expression.span)
            return read(state, location, expression.span)
        case "!":
            return truth_value(state, expression)
    operand = state.evaluate(expression.operand)
    if isinstance(operand, Pointer | Aggregate | Fresh):
        return operand
    if expression.operator == "-":
        result, operations = negated(operand)
        state.emitter.index_operations += operations
        if isinstance(result, Constant) and constant_value(expression.operand) is None:
            note_folded(state, Apply(Operation.NEG, result.type, (operand,)), expression.span)
        return result
    if expression.operator == "~":
        return _complement(state.emitter, operand)
    return convert(operand, promoted(type_of(operand)))


def _complement(emitter: Emitter, operand: Value) -> Value:
    kind, known = promoted(type_of(operand)), index_of(operand)
    if known is not None:
        number = (-known - 1).constant
        emitter.index_operations += number is None
        return IndexValue(-known - 1, kind) if number is None else Constant(number, kind)
    if kind.scalar.type_class is TypeClass.COMPLEX:
        return Apply(Operation.NEG, kind, (operand,), "conj")
    return Apply(Operation.BITWISE, kind, (operand,))


def _address(state: State, expression: sx.Unary) -> Result:
    location = state.lvalue(expression.operand)
    if location is not None:
        return Pointer(location)
    what = construct("this-address")
    state.emitter.lose(what, expression.span)  # here, as what takes the address may not be part of any statement
    return Opaque(what, UNKNOWN)


def _cast(state: State, expression: sx.Cast) -> Result:
    result = state.evaluate(expression.operand)
    if isinstance(result, Aggregate) and isinstance(result.location, Location):
        result = result if isinstance(expression.type, sx.StructT) else decayed(state, result.location)
    if isinstance(expression.type, sx.PointerT | sx.ArrayT):
        if not isinstance(result, Pointer):
            return result
        found = retyped(state, result, _pointee(expression.type))
        if not expression.checked or not isinstance(found, Pointer):
            return found
        fits = dict(expression.checked).get(_class_of_object(result))
        return found if fits else replace(found, valid=UNKNOWN_VALIDITY if fits is None else NEVER)
    if isinstance(result, Pointer | Aggregate | Fresh):
        return result
    if not isinstance(expression.type, sx.ScalarT) or expression.type.element.scalar is ScalarType.VOID:
        return result
    kind = expression.type.element
    if kind.lanes > 1 and type_of(result) != kind:  # the same bits
        return state.emitter.temporary(result, kind, expression.span)
    is_complex = kind.scalar.type_class is TypeClass.COMPLEX
    if is_complex and type_of(result).scalar.type_class is not TypeClass.COMPLEX:
        return _with_imaginary_part(convert(result, kind), kind)
    constant = _constant_of(state, expression.operand) if kind.scalar.is_integer and kind.lanes == 1 else None
    return convert(result if constant is None else constant, kind)


def _constant_of(state: State, operand: sx.Expression) -> Constant | None:
    """Return the number of a ``const`` real variable, which makes a whole number without work; else None."""
    return state.environment.constants.get(operand.variable) if isinstance(operand, sx.Name) else None


def _class_of_object(pointer: Pointer) -> str:
    """Return the name of the class that the object at a pointer was made as; nothing where that is not known."""
    slot = pointer.target
    held = slot.type if isinstance(slot, Slot) and not slot.variable.reference else None
    return held.name if isinstance(held, sx.StructT) else ""


def _with_imaginary_part(real: Value, kind: ElementType) -> Value:
    """Return a number that the source makes complex, which operations compute with as with any other complex one."""
    if isinstance(real, Constant):
        return Constant(real.number, kind)
    return Opaque(construct("initializer"), kind, (real,))


def _pointee(ctype: sx.PointerT | sx.ArrayT) -> sx.CType:
    return ctype.target if isinstance(ctype, sx.PointerT) else ctype.element
