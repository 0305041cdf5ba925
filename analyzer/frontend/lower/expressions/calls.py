"""Calls: known functions are inlined, mathematical ones are operations, the rest is opaque and told to the user."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ....ir.arithmetic import common_type, in_type, known_number
from ....ir.index import Poly, const, floor_div, maximum, minimum
from ....ir.nodes import MemorySpace, SymbolOrigin
from ....ir.types import FP64, INT32, UNKNOWN, ElementType, ScalarType
from ....ir.values import Apply, Constant, IndexValue, Load, Opaque, Operation, Register, Value
from ....limits.hard_limit import cpu_seconds
from ...surface import nodes as sx
from ..bindings import Aggregate, Frame, Fresh, Integer, Leaf, Place, Pointer, Result, Slot, Target
from ..layout import access, element_type
from ..logic import conjunction, extreme_of
from ..merging import join_targets
from ..state import State
from .assignment import update
from .conversions import convert, index_of, type_of
from .expression import as_value
from .known_functions import canonical_name, table
from .references import bind_pointer, decayed, pointer_to, slot_name

_IN_SHARED = ".shared"  # of a floating-point number: the compiler makes a loop of it
_TENSOR_WORK = "__ai_tensor"
_LIBRARY = str(Path(__file__).parents[2] / "headers")


def lower_call(state: State, call: sx.Call) -> Result:
    """A call as a value, with its statements in the current block."""
    function = state.unit.functions.get(call.function)
    if function is not None and not function.span.path.startswith(_LIBRARY):
        return _inline(state, call, function)  # what the program defines is what it is, whatever it is called
    name = canonical_name(call.name)
    if name in table().atomics:
        return _atomic(state, call, name)
    if name == _TENSOR_WORK:
        return _tensor(state, call)
    if name in table().operations or name in table().mathematics or name == "abs":
        return _mathematical(state, call, name)
    if function is not None:
        return _inline(state, call, function)
    return _by_name(state, call, name)


def _tensor(state: State, call: sx.Call) -> Result:
    """A thread's part of a product of matrices: FLOPs, and a null pointer to the type of the factors."""
    work, multiplied = call.arguments
    factor = multiplied.type if isinstance(multiplied, sx.Cast) else None
    target = factor.target if isinstance(factor, sx.PointerT) else None
    scalar = target.element.scalar if isinstance(target, sx.ScalarT) else ScalarType.FP32  # a tag: tf32
    flops = state.quietly(work)
    if scalar.tensor is not None and flops is not None and flops.constant is not None:
        kind = ElementType(scalar.tensor)
        state.emit(None, Apply(Operation.TENSOR, kind, (), "mma_sync", flops.constant), call.span)
    return Constant(None, ElementType(ScalarType.VOID))


def _by_name(state: State, call: sx.Call, name: str) -> Result:
    if table().is_silent(name) or table().is_silent(call.name):
        for argument in call.arguments:
            _evaluate_silently(state, argument)
        return Constant(None, element_type(state, call.type) if isinstance(call.type, sx.ScalarT) else INT32)
    if name in table().allocation:
        return Fresh()
    if name in table().allocation_by_address and call.arguments:
        return _allocate_at(state, call)
    if table().is_data(name) and isinstance(call.type, sx.ScalarT | sx.StructT):
        if table().is_texture(name):
            state.assume("AI313", f"what {call.name} reads counts neither as loads nor as bytes", call.span)
        kind = UNKNOWN if isinstance(call.type, sx.StructT) else element_type(state, call.type)
        return Opaque(f"call of {call.name}", kind, tuple(_data_operands(state, call)))
    folded = _rounded_quotient(state, call, name) or _size_of_container(state, call, name)
    return _unknown(state, call) if folded is None else folded


def _allocate_at(state: State, call: sx.Call) -> Value:
    """``posix_memalign(&p, 64, n)``: fresh memory for ``p``, and the result of success."""
    address = call.arguments[0]
    while isinstance(address, sx.Cast):
        address = address.operand
    by_name = isinstance(address, sx.Unary) and address.operator == "&"
    pointer = address.operand if isinstance(address, sx.Unary) and by_name else sx.Unary("*", address, call.span)
    place = state.lvalue(pointer)
    if place is not None:
        update(state, place, "", Fresh(), call.span)
    return Constant(0, INT32)


def _data_operands(state: State, call: sx.Call) -> Iterator[Value]:
    mode, state.indexing = state.indexing, False
    for argument in call.arguments:
        result = state.evaluate(argument)
        if not isinstance(result, Pointer | Aggregate | Fresh):
            yield result
    state.indexing = mode


def _size_of_container(state: State, call: sx.Call, name: str) -> Value | None:
    """``v.size()`` is the symbol ``v.size``."""
    if name.rsplit(".", 1)[-1] not in table().accessors or len(call.arguments) != 1:
        return None
    container = call.arguments[0]
    while isinstance(container, sx.Unary) and container.operator in "&*":
        container = container.operand
    place = state.lvalue(container)
    if place is None:
        return None
    owner = place.array if isinstance(place, Place) else place.variable.name + place.path
    if isinstance(place, Place) and place.member:
        owner = f"{place.array}->{place.member}"
    kind = element_type(state, call.type) if isinstance(call.type, sx.ScalarT) else INT32
    return IndexValue(state.named_symbol(f"{owner}.{name}", SymbolOrigin.VARIABLE), kind)


def _evaluate_silently(state: State, argument: sx.Expression) -> None:
    if isinstance(argument, sx.Unary) and argument.operator == "&":
        _clobber(state, argument)
        return
    if isinstance(argument, sx.Text):
        return
    result = state.evaluate(argument)
    if isinstance(result, Apply | Load | Opaque):
        state.emit(None, result, argument.span)


def _clobber(state: State, argument: sx.Unary) -> None:
    """A variable whose address goes to an unknown function may have any value afterwards."""
    place = state.lvalue(argument.operand)
    if isinstance(place, Slot) and isinstance(place.type, sx.ScalarT) and place.type.element.scalar.is_integer:
        state.rebind(place, Integer(state.lost(place.variable.name + place.path)))


def _unknown(state: State, call: sx.Call) -> Result:
    operands: list[Value] = []
    for argument in call.arguments:
        if isinstance(argument, sx.Unary) and argument.operator == "&":
            _clobber(state, argument)
            continue
        mode, state.indexing = state.indexing, False
        operands.append(as_value(state, state.evaluate(argument)))
        state.indexing = mode
    state.report(
        "AI201", call.span, f"the body of {call.name} is not known; its work is not counted", "define it in this file"
    )
    return _opaque(state, call, operands)


def _opaque(state: State, call: sx.Call, operands: Sequence[Value]) -> Result:
    kind = UNKNOWN if isinstance(call.type, sx.StructT | sx.ArrayT) else element_type(state, call.type)
    unknown = Opaque(f"call of {call.name}", kind, tuple(operands), has_work=True)
    if not isinstance(call.type, sx.PointerT):
        return unknown
    state.emit(None, unknown, call.span)
    return Fresh()


# --- mathematics ---------------------------------------------------------------------------------------------------


def _mathematical(state: State, call: sx.Call, name: str) -> Result:
    folded = _rounded_quotient(state, call, name)
    if folded is not None:
        return folded
    results = [state.evaluate(argument) for argument in call.arguments]
    values = [as_value(state, result) for result in results if not isinstance(result, Pointer)]
    if not values:
        return Opaque(f"call of {call.name}", element_type(state, call.type))
    if name in ("min", "max", "abs"):
        index = _integer_extreme(name, values)
        if index is not None:
            state.index_operations += 1
            return index
    kind = type_of(values[0])
    for value in values[1:]:
        kind = common_type(kind, type_of(value))
    if kind.scalar.is_integer and name not in ("min", "max", "abs"):
        kind = FP64
    if name not in ("min", "max", "abs") and isinstance(call.type, sx.ScalarT) and call.type.element.scalar.is_float:
        kind = _declared(call, name, kind)
    operands = tuple(convert(value, kind) for value in values)
    operation = Operation.ABS if name == "abs" else table().operations.get(name, Operation.CALL)
    if name == "sqrt" and kind.scalar.component is not kind.scalar:
        operation = Operation.CALL
    whole = Apply(operation, kind, operands, name)
    if all(isinstance(operand, Constant) for operand in operands):
        number = known_number(whole)
        return Constant(None, kind) if number is None else in_type(float(number), kind)
    return whole


def _declared(call: sx.Call, name: str, kind: ElementType) -> ElementType:
    """``sqrtf`` computes in float; the plain C name computes in double, whatever it is given."""
    assert isinstance(call.type, sx.ScalarT)
    declared = call.type.element
    return declared if declared.scalar.type_class is kind.scalar.type_class else kind


def _integer_extreme(name: str, values: list[Value]) -> Value | None:
    indices = [index_of(value) for value in values if type_of(value).scalar.is_integer]
    known = [index for index in indices if index is not None]
    if len(known) != len(values):
        return None
    result = maximum([known[0], -known[0]]) if name == "abs" else (minimum if name == "min" else maximum)(known)
    number = result.constant
    return IndexValue(result, INT32) if number is None else Constant(number, INT32)


def _rounded_quotient(state: State, call: sx.Call, name: str) -> Value | None:
    """``floor((double)n / d)``, ``ceil(...)``, ``floord(n, d)``, ``ceild(n, d)`` of index expressions."""
    parts: tuple[sx.Expression, ...]
    match name, call.arguments:
        case "floor" | "ceil", (sx.Binary(operator="/", left=left, right=right),):
            parts = (left, right)
        case "floord" | "ceild", (left, right):
            parts = (left, right)
        case _:
            return None
    indices = [_plain_index(state, part) for part in parts]
    numerator, denominator = indices
    if numerator is None or denominator is None or denominator == const(0):
        return None
    state.index_operations += 1
    if len(parts) == len(call.arguments) or state.frames[0].function.kind is not sx.FunctionKind.KERNEL:
        return _rounded(name, numerator, denominator)
    quotient = state.evaluate(call.arguments[0])  # a kernel computes it in floating point, once
    if isinstance(quotient, Apply):
        state.emit(None, quotient, call.span)
    return _rounded(name, numerator, denominator)


def _rounded(name: str, numerator: Poly, denominator: Poly) -> Value:
    rounded = floor_div(numerator, denominator)
    if name.startswith("ceil"):
        rounded = floor_div(numerator + denominator - 1, denominator)
    number = rounded.constant
    return IndexValue(rounded, INT32) if number is None else Constant(number, INT32)


def _plain_index(state: State, expression: sx.Expression) -> Poly | None:
    while isinstance(expression, sx.Cast):
        expression = expression.operand
    if isinstance(expression, sx.Number) and isinstance(expression.value, float):
        return const(int(expression.value)) if expression.value.is_integer() else None
    return state.quietly(expression)


def _atomic(state: State, call: sx.Call, name: str) -> Result:
    operation = table().atomics[name]
    if not call.arguments:
        return _unknown(state, call)
    pointer = pointer_to(state, call.arguments[0])
    operands = [as_value(state, state.evaluate(argument)) for argument in call.arguments[1:]]
    if pointer is not None and isinstance(pointer.target, Slot) and operation is not None:
        return _atomic_of_variable(state, call, Apply(operation, INT32, tuple(operands), name), pointer.target)
    if pointer is None or not isinstance(pointer.target, Place):
        return _unknown(state, call)
    kind = element_type(state, pointer.target.type)
    target = access(state, pointer.target, atomic=True)
    converted = tuple(convert(operand, kind) for operand in operands)
    array = state.arrays.get(pointer.target.array)
    is_loop = kind.scalar.is_float and array is not None and array.space is MemorySpace.SHARED
    value = Apply(operation or Operation.SELECT, kind, (Load(target), *converted), name + _IN_SHARED * is_loop)
    state.emit(target, value, call.span)
    return Register(f"{name}.old", kind)


def _atomic_of_variable(state: State, call: sx.Call, update: Apply, slot: Slot) -> Result:
    """An update of a scalar in shared memory; of an integer nothing is known afterwards."""
    kind = element_type(state, slot.type)
    if slot.variable.storage is not sx.Storage.SHARED or not kind.scalar.is_float:
        return _unknown(state, call)
    register = Register(slot_name(state, slot), kind)
    operands = (register, *(convert(operand, kind) for operand in update.operands))
    state.emit(register, Apply(update.operation, kind, operands, update.function + _IN_SHARED), call.span)
    return Register(f"{update.function}.old", kind)


# --- inlining ------------------------------------------------------------------------------------------------------


def _inline(state: State, call: sx.Call, function: sx.Function) -> Result:
    if any(frame.function is function for frame in state.frames):
        state.report("AI207", call.span, f"{function.name} calls itself; the inner call is not counted")
        operands = tuple(as_value(state, state.evaluate(argument)) for argument in call.arguments)
        return Opaque(f"inner call of {function.name}", element_type(state, function.result), operands, has_work=True)
    state.inlined += 1
    too_many = state.inlined > state.limits.inlined_calls or state.emitted > state.limits.nodes
    if too_many or len(state.frames) > state.limits.inline_depth:
        return _not_followed(state, call, function, f"{function.name} is nested too deeply to follow")
    if cpu_seconds() > state.limits.until:
        text = f"following {function.name} takes too long; its work is not counted"
        return _not_followed(state, call, function, text)
    mode, state.indexing = state.indexing, False
    _bind_parameters(state, call, function)
    _forget_storage(state, function)
    target = Target("function", len(state.path), len(state.loops))
    frame = Frame(function, target)
    outer = state.library_call
    if outer is None and function.span.path.startswith(_LIBRARY):
        state.library_call = call.span
    state.frames.append(frame)
    state.targets.append(target)
    state.run(function.body)
    state.library_call = outer
    state.targets.pop()
    state.frames.pop()
    join_targets(state, target)
    state.terminated = state.abandoned = False
    state.indexing = mode
    return _result(state, frame, call)


def _not_followed(state: State, call: sx.Call, function: sx.Function, why: str) -> Result:
    """The call as one of a function that is not known; integers that it may change may have any value afterwards."""
    state.report("AI208", call.span, why)
    mode, state.indexing = state.indexing, False
    results = [state.evaluate(argument) for argument in call.arguments]
    state.indexing = mode
    for parameter, argument in zip(function.parameters, call.arguments, strict=False):
        place = state.lvalue(argument) if parameter.reference else None
        if isinstance(place, Slot):
            _lose(state, place)
    for result in results:
        if isinstance(result, Pointer) and isinstance(result.target, Slot):
            _lose(state, result.target)
    for variable in state.effects.of(function.body).variables:
        if variable.storage is sx.Storage.GLOBAL:
            _lose(state, Slot(variable, variable.type))
    return _opaque(state, call, [result for result in results if not isinstance(result, Pointer | Aggregate | Fresh)])


def _lose(state: State, slot: Slot) -> None:
    """The integers of a variable may have any value from now on."""
    parts = {key for key, bound in state.environment.items() if key[0] is slot.variable and isinstance(bound, Integer)}
    if isinstance(slot.type, sx.ScalarT) and slot.type.element.scalar.is_integer:
        parts.add(slot.key)
    for variable, path in parts:
        if path.startswith(slot.path):
            state.environment[variable, path] = Integer(state.lost(variable.name + path))


def _forget_storage(state: State, function: sx.Function) -> None:
    """What a local pointer gets in this call (``p = malloc(n)``) is not what it got in an earlier one."""
    for pointer in state.effects.of(function.body).pointers:
        state.storage.pop(pointer, None)


def _result(state: State, frame: Frame, call: sx.Call) -> Result:
    result = frame.result
    if result is None:
        return Constant(None, ElementType(ScalarType.VOID))
    kind = element_type(state, frame.function.result)
    if isinstance(result, Pointer | Aggregate | Fresh):
        return result
    if frame.returns > 1 or frame.values:
        return _joined_result(state, frame, result, kind)
    if isinstance(frame.function.result, sx.ScalarT) and kind.scalar is not ScalarType.VOID:
        result = convert(result, kind)
    if state.indexing and kind.scalar.is_integer and index_of(result) is None:
        if isinstance(result, Apply | Load | Opaque):
            state.temporary(result, kind, call.span)
        return IndexValue(state.lost(frame.function.name), kind)
    return result


def _joined_result(state: State, frame: Frame, result: Value, kind: ElementType) -> Value:
    """The result of several returns: exact where it is a minimum or maximum of two index expressions."""
    if kind.scalar.is_integer:
        if len(frame.values) == 2:
            (path, first), (_, second) = frame.values
            chosen = None if first is None or second is None else extreme_of(conjunction(path), first, second)
            if chosen is not None:
                number = chosen.constant
                return IndexValue(chosen, kind) if number is None else Constant(number, kind)
        if state.indexing:
            return IndexValue(state.lost(frame.function.name), kind)
    return result


def _bind_parameters(state: State, call: sx.Call, function: sx.Function) -> None:
    bindings = []
    for parameter, argument in zip(function.parameters, call.arguments, strict=False):
        if parameter.reference:
            place = state.lvalue(argument)
            bindings.append((parameter, Pointer(place) if place is not None else state.evaluate(argument)))
        else:
            bindings.append((parameter, state.evaluate(argument)))
    assigned = state.effects.of(function.body).variables
    state.extents.clear()
    for parameter, result in bindings:
        slot = Slot(parameter, parameter.type)
        for key in [key for key in state.environment if key[0] is parameter]:
            del state.environment[key]
        if parameter.reference and isinstance(result, Pointer):
            state.rebind(slot, result)
        elif isinstance(parameter.type, sx.PointerT | sx.ArrayT):
            if isinstance(result, Aggregate) and isinstance(result.place, Place):
                result = decayed(state, result.place)
            bind_pointer(state, slot, result, call.span)
        elif isinstance(result, Constant | Register) and parameter not in assigned:
            kind = element_type(state, parameter.type)
            if kind.scalar.is_integer and (index := index_of(result)) is not None:
                state.rebind(slot, Integer(index))
            else:
                _bind_leaf(state, slot, result, kind, call)
        else:
            update(state, slot, "", result, call.span)


def _bind_leaf(state: State, slot: Slot, value: Constant | Register, kind: ElementType, call: sx.Call) -> None:
    converted = convert(value, kind)
    if isinstance(converted, Constant | Register) and not kind.scalar.is_integer:
        state.rebind(slot, Leaf(converted))
    else:
        update(state, slot, "", value, call.span)
