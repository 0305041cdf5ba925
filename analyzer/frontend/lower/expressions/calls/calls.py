"""Calls: a body is inlined, mathematical functions are operations, other known functions give data or nothing.

A body of the program wins over the table of known functions, and that over the bodies of our own headers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import prod

from msgspec.structs import replace

from .....ir.index import ZERO, Poly, const
from .....ir.nodes import SymbolOrigin
from .....ir.types import INT32, INT64, UNKNOWN, ElementType, ScalarType
from .....ir.values import Apply, Constant, IndexValue, Load, Opaque, Operation, Value
from ....known_functions import canonical_name, table
from ....surface import nodes as sx
from ....surface.constructs import construct
from ....surface.designation import without_casts
from ....surface.nodes import BOOKKEEPING, COPY, EACH, FILL, LIST, MADE, MISSING, SIZE, UNCOUNTED, VIEW
from ....surface.types import type_of
from ...functions.handed import handed_containers
from ...functions.stored_values import is_seen
from ...layout import element_type, size_bytes
from ...names.bindings import Aggregate, Fresh, Pointer, Result, Slot
from ...names.symbols import SET_THREADS, THREAD, THREADS
from ...state import State
from ..containers.methods import container_method, lose_counts
from ..conversions import index_value
from ..followed_elements import give_away
from ..pointers import pointer_to
from ..references import read
from ..tables import listed
from ..updates import update
from ..values.function import MOST_BODIES, one_of
from .atomics import atomic
from .inlining import inline, is_of_library
from .mathematics import mathematical, rounded_quotient
from .memory_functions import memory_function
from .registered_sizes import registered_size
from .sizes_of_containers import size_of_container
from .texts import compared_texts
from .textures import read_texture, write_surface
from .unknown import clobber, is_end, unknown, unknown_result

_TENSOR_WORK = "__ai_tensor"
_NONTEMPORAL = "__ai_nontemporal"
_NEW = "new"
_SWAP = "swap"


def lower_call(state: State, call: sx.Call) -> Result:
    """Return the result of a call, with its statements in the current block."""
    if call.bodies:
        return _virtual(state, call)
    if call.function == BOOKKEEPING:
        return _bookkeeping(state, call)
    if call.function == UNCOUNTED:
        with state.emitter.capture():
            return state.evaluate(call.arguments[0])
    function = state.inputs.unit.functions.get(call.function)
    if function is not None and not is_of_library(function):
        if state.inputs.effects.is_text_function(function.key):
            return _bookkeeping(state, call, "texts")
        return inline(state, call, function)
    name = canonical_name(call.name)
    compared = compared_texts(state, call, name)
    if compared is not None:
        return compared
    if name in table().atomics:
        return atomic(state, call, name)
    if name == _TENSOR_WORK:
        return _tensor(state, call)
    if name == _NONTEMPORAL:
        state.emitter.nontemporal = True
        return Constant(None, ElementType(ScalarType.VOID))
    if table().is_computed(name) and not (function is not None and _is_of_objects(call, function)):
        return mathematical(state, call, name)
    if function is not None:
        return inline(state, call, function)
    if name in table().memory and (copied := memory_function(state, call, name)) is not None:
        return copied
    if name in table().barriers:
        state.emitter.wait(table().barriers[name], call.span)
    return _by_name(state, call, name)


def _is_of_objects(call: sx.Call, function: sx.Function) -> bool:
    """Return whether a function of the library takes a range or objects, or gives one: no operation on numbers."""
    kinds = sx.PointerT | sx.ArrayT | sx.StructT
    return isinstance(call.type, sx.StructT) or any(isinstance(each.type, kinds) for each in function.parameters)


def _virtual(state: State, call: sx.Call) -> Result:
    """Return the result of a virtual method: of the body for the class of the object, or of one of several bodies."""
    owner_listed = listed(state, call.arguments[0])
    if owner_listed is not None:
        call = replace(call, arguments=(owner_listed, *call.arguments[1:]))
    with state.emitter.capture():
        owner = state.evaluate(call.arguments[0])
    bodies, functions = dict(call.bodies), state.inputs.unit.functions
    slot = owner.target if isinstance(owner, Pointer) else None
    kind = slot.type if isinstance(slot, Slot) and not slot.variable.reference else None
    is_known = isinstance(kind, sx.StructT)
    keys = [bodies.get(kind.name, "")] if isinstance(kind, sx.StructT) else sorted({*bodies.values()} - {""})
    if not 0 < len(keys) <= MOST_BODIES or not functions.keys() >= set(keys):
        state.emitter.report("AI201", call.span, "virtual", function=call.name)
        return unknown_result(state, call, has_work=True)
    if not is_known:
        state.emitter.assume("AI315", call.span, "not-overridden", call.name)
    if len(keys) == 1:
        return inline(state, call, functions[keys[0]])
    return one_of(state, [replace(call, function=key, bodies=()) for key in keys])


def _bookkeeping(state: State, call: sx.Call, form: str = "not-counted") -> Result:
    """Return the result of a function that works on texts, files, trees of keys or clocks: data, without work."""
    changed = container_method(state, call) or size_of_container(state, call, call.name)
    if changed is not None:
        return changed
    state.emitter.assume("AI318", call.span, form, function=call.name)
    _take_time(state, call)
    return unknown_result(state, call, has_work=False)


def _tensor(state: State, call: sx.Call) -> Result:
    """Emit a thread's part of a product of matrices, given by FLOPs and a null pointer to the type of the factors."""
    work, multiplied = call.arguments
    factor = multiplied.type if isinstance(multiplied, sx.Cast) else None
    target = factor.target if isinstance(factor, sx.PointerT) else None
    scalar = target.element.scalar if isinstance(target, sx.ScalarT) else ScalarType.FP32  # a tag: tf32
    flops = state.quietly(work)
    if scalar.tensor is not None and flops is not None and flops.constant is not None:
        kind = ElementType(scalar.tensor)
        state.emitter.emit(None, Apply(Operation.TENSOR, kind, (), "mma_sync", flops.constant), call.span)
    return Constant(None, ElementType(ScalarType.VOID))


def _by_name(state: State, call: sx.Call, name: str) -> Result:
    if name in (THREAD, THREADS):
        return IndexValue(state.symbols.named(name, SymbolOrigin.VARIABLE), INT32)
    if name == SET_THREADS and call.arguments:
        asked = state.quietly(call.arguments[0])
        state.flow.threads = None if asked is None else state.symbols.value_of(asked)
    if name in table().parallel and state.flow.frames:
        state.flow.run_in_parallel(table().parallel[name])
    if name == SIZE and (registered := registered_size(state, call)) is not None:
        return index_value(registered, INT64)
    if is_end(state, call) or table().is_silent(name) or table().is_silent(call.name):
        return _without_work(state, call)
    if table().is_message(name) and _is_plain(state, call, name):
        state.emitter.assume("AI316", call.span, "not-counted", function=call.name)
        return _without_work(state, call)
    if name in table().allocation:
        size, elements = _size_of_allocation(state, call, name), _elements_of_allocation(state, call, name)
        factors = () if name == _NEW else tuple(_factors_of_size(state, call, name) or ())
        return Fresh(size, elements, allocated=name != _NEW, factors=factors)
    if name in _MADE_UP:
        return _MADE_UP[name](state, call)
    if name == _SWAP and (exchanged := _exchange(state, call)) is not None:
        return exchanged
    if name in (FILL, EACH):
        number, value = call.arguments
        size = _size_of_allocation(state, call, _NEW)
        return Fresh(size, count=state.quietly(number), value=value, each=name == EACH)
    if name in table().identity and call.arguments:
        return state.evaluate(call.arguments[0])
    if name in table().allocation_by_address and call.arguments:
        return _allocate_at(state, call)
    if name in table().surface_writes and len(call.arguments) > 1 and write_surface(state, call):
        return Constant(None, ElementType(ScalarType.VOID))
    if table().is_data(name) and isinstance(call.type, sx.PointerT):
        for operand in _data_operands(state, call.arguments):
            state.emitter.emit(None, operand, call.span)
        return Fresh()
    if table().is_data(name) and isinstance(call.type, sx.ScalarT | sx.StructT | sx.UnknownT):
        kind = element_type(state.inputs, call.type) if isinstance(call.type, sx.ScalarT) else UNKNOWN
        is_lost = table().is_texture(name)
        arguments = call.arguments[1:] if is_lost else call.arguments  # a texture is no number
        operands = tuple(_data_operands(state, arguments))
        if is_lost:
            found = read_texture(state, call, operands)
            if found is not None:
                return found
            state.emitter.assume("AI313", call.span, "not-counted", function=call.name)
        if name in table().string_functions:
            state.emitter.assume("AI318", call.span, "texts", function=call.name)
        if table().takes_time(name):
            operands = (_timed(name, operands),)
        return Opaque(construct("call", function=call.name), kind, operands, has_work=is_lost)
    changed = container_method(state, call)
    if changed is not None:
        return changed
    folded = rounded_quotient(state, call, name) or size_of_container(state, call, name)
    return unknown(state, call) if folded is None else folded


def _exchange(state: State, call: sx.Call) -> Value | None:
    """Let two containers change their elements, as ``a.swap(b)`` does; None where they are not both known."""
    swapped = [state.lvalue(argument) for argument in call.arguments]
    held = [each for each in swapped if each is not None and isinstance(each.type, sx.PointerT)]
    if len(held) != 2 or len(swapped) != 2:
        return None
    first, second = (read(state, location, call.span) for location in held)
    update(state, held[0], "", second, call.span)
    update(state, held[1], "", first, call.span)
    return Constant(None, ElementType(ScalarType.VOID))


def _without_work(state: State, call: sx.Call) -> Value:
    """Return some value; of the call only its arguments are counted, and variables whose addresses they are change."""
    for container in handed_containers(call):
        lose_counts(state, container)
    for argument in call.arguments:
        _evaluate_silently(state, argument, only_reads=is_seen(call))
    _take_time(state, call)
    if not isinstance(call.type, sx.ScalarT):
        return Constant(None, INT32)
    kind = element_type(state.inputs, call.type)
    if kind.scalar is ScalarType.VOID:
        return Constant(None, kind)
    return Opaque(construct("call", function=call.name), kind, (), has_work=False)


def _take_time(state: State, call: sx.Call) -> None:
    """Emit a call of the library whose result is not used, where it takes time."""
    if table().takes_time(call.name):
        state.emitter.emit(None, _timed(call.name, ()), call.span)


def _timed(name: str, operands: tuple[Value, ...]) -> Value:
    """Return a call of the library that is no operation of the source's arithmetic, but takes time."""
    return Apply(Operation.CALL, ElementType(ScalarType.VOID), operands, name)


def _is_plain(state: State, call: sx.Call, name: str) -> bool:
    """Return whether a message needs no arithmetic with a number of elements that is not known."""
    position = table().reductions.get(name)
    if position is None:
        return True
    count = state.quietly(call.arguments[position]) if 0 <= position < len(call.arguments) else None
    return count is not None and count.constant is not None


def _listed(state: State, call: sx.Call) -> Result:
    """Return memory with the elements that are given; that of an array, which cannot grow, has its size."""
    listed = sx.InitializerList(call.type, call.arguments, call.span)
    owner = call.type if isinstance(call.type, sx.PointerT) else None
    each = None if owner is None or owner.owns else size_bytes(state, owner.target)
    size = None if each is None or each.constant is None else each.constant * len(call.arguments)
    return Fresh(size, count=const(len(call.arguments)), value=listed)


def _copied_range(state: State, call: sx.Call) -> Result:
    """Return memory with copies of the elements from one pointer to another."""
    first, count = call.arguments
    pointer = state.evaluate(first)
    return Fresh(count=state.quietly(count), copied=pointer) if isinstance(pointer, Pointer) else Fresh()


def _view(state: State, call: sx.Call) -> Result:
    """Return the pointer to some elements, with their number."""
    first, number = call.arguments
    pointer, count = pointer_to(state, first), state.quietly(number)
    if pointer is None:
        return state.emitter.not_understood(construct("initializer"), call.span)
    return Pointer(pointer.target, state.lost("size") if count is None else count)


def _missing(state: State, call: sx.Call) -> Value:
    """Return the null pointer of a file that the program can do without, which is assumed not to be there."""
    file = without_casts(call.arguments[0])
    state.emitter.assume("AI328", call.span, "missing", file.text if isinstance(file, sx.Text) else "")
    return Constant(0, INT32)


def _made(state: State, call: sx.Call) -> Result:
    """Return the pointer to an object that ``new`` makes; those that a loop makes are elsewhere each time."""
    (value,) = call.arguments
    kind = type_of(value)
    if not state.flow.loops and (isinstance(value, sx.Call) or isinstance(kind, sx.StructT)):
        held = state.instances.temporary(value, kind)
        state.memory.objects.add(held)
        state.run(sx.Declare(held, value, call.span))
        return Pointer(Slot(held, held.type))
    if not state.flow.loops:
        return state.evaluate(sx.Unary("&", value, call.span))
    state.evaluate(value)
    state.emitter.blur(construct("object-of-a-loop"), call.span)
    return Fresh()


def _allocate_at(state: State, call: sx.Call) -> Value:
    """Give ``p`` fresh memory in ``posix_memalign(&p, 64, n)``, and return success; other ``&x`` may have any value."""
    address = call.arguments[0]
    while isinstance(address, sx.Cast):
        address = address.operand
    by_name = isinstance(address, sx.Unary) and address.operator == "&"
    pointer = address.operand if isinstance(address, sx.Unary) and by_name else sx.Unary("*", address, call.span)
    location = state.lvalue(pointer)
    if location is not None:
        update(state, location, "", Fresh(_size_of_allocation(state, call, call.name)), call.span)
    for argument in call.arguments[1:]:
        if isinstance(argument, sx.Unary) and argument.operator == "&":
            clobber(state, argument)
    return Constant(0, INT32)


def _size_of_allocation(state: State, call: sx.Call, name: str) -> int | None:
    """Return the bytes that a call allocates, where they are a number."""
    sizes = _factors_of_size(state, call, name)
    if sizes is None:
        return None
    numbers = [None if size.unknowns() else state.symbols.value_of(size) for size in sizes]
    return None if None in numbers else prod(number for number in numbers if number is not None)


def _factors_of_size(state: State, call: sx.Call, name: str) -> list[Poly] | None:
    """Return the numbers whose product is the bytes that a call allocates; None where one is not known."""
    positions = table().allocation_sizes.get(name, (0,))
    if not positions or max(positions) >= len(call.arguments):
        return None
    sizes = [_number_of(state, call.arguments[position]) for position in positions]
    if name == _NEW:
        sizes.append(size_bytes(state, call.type.target) if isinstance(call.type, sx.PointerT) else None)
    found = [size for size in sizes if size is not None]
    return found if len(found) == len(sizes) else None


def _elements_of_allocation(state: State, call: sx.Call, name: str) -> Poly | None:
    """Return the elements that ``new`` or a container starts with: none in one that is made without arguments."""
    if name != _NEW or not isinstance(call.type, sx.PointerT):
        return None
    if not call.arguments:
        return ZERO if call.type.owns else None
    return _number_of(state, call.arguments[0])


def _number_of(state: State, argument: sx.Expression) -> Poly | None:
    """Return a number of elements or bytes; None of what a container is made of whose number is not known."""
    return None if isinstance(argument, sx.OpaqueExpression) else state.quietly(argument)


def _data_operands(state: State, arguments: Iterable[sx.Expression]) -> Iterator[Value]:
    for argument in arguments:
        with state.as_data():
            result = state.evaluate(argument)
        if not isinstance(result, Pointer | Aggregate | Fresh):
            yield result


def _evaluate_silently(state: State, argument: sx.Expression, *, only_reads: bool) -> None:
    if isinstance(argument, sx.Unary) and argument.operator == "&":
        clobber(state, argument)
        return
    if isinstance(argument, sx.Text):
        return
    result = state.evaluate(argument)
    if not only_reads:
        give_away(state, result)
    if isinstance(result, Apply | Load | Opaque):
        state.emitter.emit(None, result, argument.span)


_MADE_UP: Mapping[str, Callable[[State, sx.Call], Result]] = {
    LIST: _listed,
    COPY: _copied_range,
    VIEW: _view,
    MISSING: _missing,
    MADE: _made,
}
"""The functions of readers that stand for what the source has no call of."""
