"""Expressions of host code on what is known: values, and the locations that assignments change."""

from __future__ import annotations

from typing import assert_never

from msgspec.structs import replace

from ....ir.arithmetic import SHIFTS
from ...surface import nodes as sx
from ...surface.constructs import construct
from ...surface.layout import size_bytes
from ...surface.types import common, type_of
from ..library.streams import INPUT, OUTPUT, has_read, is_stream, made_stream, read_from, write_to
from ..library.text import element
from ..library.trees import is_tree, made_tree
from ..memory import Location
from ..state import HostState
from ..values import (
    UNKNOWN,
    Code,
    Fields,
    Reference,
    Strings,
    Unknown,
    Value,
    array_of,
    as_unsigned,
    binary,
    converted,
    depending,
    derived,
    element_of,
    flattened,
    shifted,
    truth,
    unary,
)

_LARGEST_INT = (1 << 31) - 1


def evaluate(state: HostState, expression: sx.Expression) -> Value:
    """Return the value of an expression, with its effects."""
    state.step()
    match expression:
        case sx.Number():
            return expression.value
        case sx.Name() | sx.Member() | sx.Index():
            return _read(state, expression)
        case sx.Binary():
            return _binary(state, expression)
        case sx.Unary():
            return _unary(state, expression)
        case sx.Assign():
            return _assign(state, expression)
        case sx.Cast():
            return _cast(expression, has_read(evaluate(state, expression.operand)))
        case sx.Text():
            return expression.text
        case sx.Conditional():
            return _conditional(state, expression)
        case sx.Call():
            return state.handlers.call(state, expression)
        case sx.Launch():
            state.handlers.launch(state, expression)
            return UNKNOWN
        case sx.Comma():
            return _comma(state, expression)
        case sx.InitializerList():
            return _aggregate(state, expression)
        case sx.OpaqueExpression():
            return _opaque(state, expression)
        case _:
            assert_never(expression)


def _comma(state: HostState, expression: sx.Comma) -> Value:
    """Return the right operand; what is read from or written to a string stream is on the left of it."""
    stream = location_of(state, expression.right) if is_stream(state.program.type_of(expression.right)) else None
    if stream is None or not isinstance(expression.left, sx.Call) or expression.left.name not in (INPUT, OUTPUT):
        evaluate(state, expression.left)
        return evaluate(state, expression.right)
    values = [evaluate(state, argument) for argument in expression.left.arguments]
    if expression.left.name == INPUT:
        read_from(state, expression.left, stream, values)
    else:
        write_to(state, stream, expression.left, values)
    return state.memory.read(stream) or UNKNOWN


def _cast(expression: sx.Cast, value: Value) -> Value:
    """Return a value in another type; of addresses elements are counted in those of the new type."""
    element = element_of(value.path) if isinstance(value, Reference) else None
    if element is None or not element[1] or not isinstance(value, Reference):
        return converted(value, expression.type)
    kinds = (type_of(expression.operand), expression.type)
    old, new = (size_bytes(kind.target) if isinstance(kind, sx.PointerT) else None for kind in kinds)
    if not old or not new or old == new:
        return value
    return UNKNOWN if element[1] * old % new else Reference(value.variable, f"{element[0]}[{element[1] * old // new}]")


def _conditional(state: HostState, expression: sx.Conditional) -> Value:
    given = evaluate(state, expression.condition)
    condition = truth(given)
    if condition is not None:
        return evaluate(state, expression.then if condition else expression.orelse)
    then, orelse = evaluate(state, expression.then), evaluate(state, expression.orelse)
    return then if then == orelse else depending("?:", (given, then, orelse))


def _opaque(state: HostState, expression: sx.OpaqueExpression) -> Value:
    if expression.function:
        return Code(expression.function, tuple(evaluate(state, operand) for operand in expression.operands))
    called = state.handlers.call_through_value(state, expression)
    if called is not None:
        return called
    values = [evaluate(state, operand) for operand in expression.operands]
    if expression.what == construct("operator", sign="!") and len(values) == 1:
        return unary("!", has_read(values[0]))
    if expression.what == construct("copy-of-a-container") and len(values) == 2:
        location = location_of(state, expression.operands[0])
        if location is not None:
            state.store(location, values[1])
        return values[1]
    for value in values:
        state.set_by("", value, expression, "set-by-other")
    result = derived(*values)
    return result if result.sources else state.unknown("", "expression", expression)


def _binary(state: HostState, expression: sx.Binary) -> Value:
    left = evaluate(state, expression.left)
    if expression.operator not in ("&&", "||"):
        return _operated(state, expression, left, evaluate(state, expression.right))
    decides = expression.operator == "||"
    first = truth(left)
    if first == decides:
        return int(decides)
    right = evaluate(state, expression.right)
    second = truth(right)
    if second == decides:
        return int(decides)
    return depending("?", (left, right)) if first is None or second is None else int(second)


def _operated(state: HostState, expression: sx.Binary, left: Value, right: Value) -> Value:
    """Return the result of an operator; where that is unsigned, so are the operands (if they are compared, too)."""
    sign = expression.operator
    if _may_wrap(left) or _may_wrap(right):
        kind, other = state.program.type_of(expression.left), state.program.type_of(expression.right)
        if sign not in SHIFTS:
            kind = common(kind, other)
            right = as_unsigned(right, kind)
        left = as_unsigned(left, kind)
    result = binary(sign, left, right)
    return as_unsigned(result, state.program.type_of(expression)) if _may_wrap(result) else result


def _may_wrap(value: Value) -> bool:
    """Return whether a value lies outside of what every type of 32 bits holds, so that its type has to be looked at."""
    return isinstance(value, int) and not 0 <= value <= _LARGEST_INT


def _unary(state: HostState, expression: sx.Unary) -> Value:
    match expression.operator:
        case "&":
            location = location_of(state, expression.operand)
            return evaluate(state, expression.operand) if location is None else Reference(*location)
        case "*":
            return _read(state, expression)
        case "++x" | "--x" | "x++" | "x--":
            old = evaluate(state, expression.operand)
            new = binary(expression.operator.strip("x")[0], old, 1)
            _change(state, expression.operand, new)
            return old if expression.operator.startswith("x") else new
        case _:
            result = unary(expression.operator, evaluate(state, expression.operand))
            return as_unsigned(result, state.program.type_of(expression)) if _may_wrap(result) else result


def _assign(state: HostState, expression: sx.Assign) -> Value:
    value = evaluate(state, expression.value)
    if expression.operator:
        value = binary(expression.operator, evaluate(state, expression.target), value)
    _change(state, expression.target, value)
    target = expression.target
    while isinstance(target, sx.Member):
        target = target.base
    if isinstance(target, sx.Index) and isinstance(value, Unknown):
        state.note_random(evaluate(state, target.base), expression.value)
    return value


def _change(state: HostState, target: sx.Expression, value: Value) -> None:
    """Assign to a location; where it is not known which element, all of them change."""
    location = location_of(state, target)
    if location is not None:
        kind = location[0].type if not location[1] else type_of(target)
        state.store(location, converted(value, kind), isinstance(kind, sx.ScalarT | sx.PointerT))
        return
    if isinstance(target, sx.Index):
        base = evaluate(state, target.base)
        if isinstance(base, Reference):
            changed = derived(value)
            state.memory.fill_elements(base.variable, array_of(base.path), changed)
            return
    state.doubt_forms(None)


def _aggregate(state: HostState, expression: sx.InitializerList) -> Value:
    values = [evaluate(state, _typed(item, expression.type)) for item in expression.items]
    fields: tuple[sx.FieldT, ...] = ()
    match expression.type:
        case sx.StructT() as kind if is_stream(kind):
            return made_stream(values)
        case sx.StructT() as kind if is_tree(kind):
            return made_tree(kind, [_listed(state, value) for value in values]) or UNKNOWN
        case sx.StructT(fields=fields):
            names = [f".{item.name}" for item in fields]
        case sx.ArrayT(extent=extent):
            return _array_of(values, extent)
        case sx.PointerT(target=target):
            if len(values) == 1 and isinstance(values[0], Reference) and not isinstance(target, sx.PointerT):
                return values[0]  # a pointer made of one: ``unique_ptr<T>{new T}``
            block = state.allocated(expression)
            for number, value in enumerate(values):
                state.memory.store((block.variable, f"[{number}]"), value)
            state.set_count(block, len(values))
            return block
        case sx.ScalarT(element=kind) if kind.lanes > 1:
            names = [f".{name}" for name in "xyzw"]
        case _:
            return values[0] if len(values) == 1 else UNKNOWN
    parts: dict[str, Value] = {}
    for number, name in enumerate(names):
        if number < len(values):
            parts.update(flattened(name, values[number]))
        elif isinstance(expression.type, sx.StructT) and isinstance(fields[number].type, sx.ScalarT):
            parts[name] = 0
    return Fields(parts)


def _typed(item: sx.Expression, kind: sx.CType) -> sx.Expression:
    """Return an element of an array; a list without a type has that of the elements."""
    if isinstance(kind, sx.ArrayT) and isinstance(item, sx.InitializerList) and item.type == sx.VOID:
        return replace(item, type=kind.element)
    return item


def _listed(state: HostState, value: Value) -> Value:
    """Return the elements of a list that is memory of its own."""
    found = state.memory.read((value.variable, "")) if isinstance(value, Reference) else value
    return value if found is None else found


def _array_of(values: list[Value], extent: sx.Expression | None) -> Value:
    """Return an array of elements; those that are not given are zero."""
    parts: dict[str, Value] = {}
    for number, value in enumerate(values):
        parts.update(flattened(f"[{number}]", value))
    if extent is not None and not (isinstance(extent, sx.Number) and extent.value == len(values)):
        parts["*"] = 0
    return Fields(parts)


# --- locations ----------------------------------------------------------------------------------------------------


def _read(state: HostState, expression: sx.Name | sx.Member | sx.Index | sx.Unary) -> Value:
    if isinstance(expression, sx.Name):
        name = expression.variable
        if name.storage is sx.Storage.GLOBAL and name.name in ("optarg", "optind"):
            return state.options.variable(name.name)
    elif isinstance(expression, sx.Index):
        base, index = evaluate(state, expression.base), evaluate(state, expression.index)
        return _element(state, base, index, expression)
    elif isinstance(expression, sx.Unary):
        return _element(state, evaluate(state, expression.operand), 0, expression)
    location = location_of(state, expression)
    if location is None:
        return _member_of_value(state, expression) if isinstance(expression, sx.Member) else UNKNOWN
    return _at(state, location, expression)


def _at(state: HostState, location: Location, expression: sx.Expression) -> Value:
    """Return what a location holds; an array is the address of its first element."""
    kind = expression.variable.type if isinstance(expression, sx.Name) else None
    if isinstance(expression, sx.Member | sx.Index):
        kind = type_of(expression)
    if isinstance(kind, sx.ArrayT):
        held = state.memory.exact(location)
        return held if isinstance(held, str | Reference | Strings) else Reference(location[0], f"{location[1]}[0]")
    return state.load(location, "not-set", expression)


def _element(state: HostState, base: Value, index: Value, expression: sx.Expression) -> Value:
    if isinstance(base, str | Strings):
        return element(base, index)
    if isinstance(base, Unknown):
        return derived(base)
    if not isinstance(base, Reference) or not isinstance(index, int):
        return derived(index)
    location = shifted(base, index)
    return _at(state, (location.variable, location.path), expression) if isinstance(location, Reference) else UNKNOWN


def _member_of_value(state: HostState, expression: sx.Member) -> Value:
    """Return ``f().x``."""
    owner = evaluate(state, expression.base)
    if not isinstance(owner, Fields):
        return derived(owner)
    name = f".{expression.name}"
    found = owner.parts.get(name)
    if found is not None:
        return found
    below = (name + ".", name + "[")
    inner = {path[len(name) :]: value for path, value in owner.parts.items() if path.startswith(below)}
    return Fields(inner) if inner else owner.parts.get("*", UNKNOWN)


def location_of(state: HostState, expression: sx.Expression) -> Location | None:
    """Return the memory location that an expression designates, None where it is none or not known."""
    match expression:
        case sx.Name(variable=named):
            return _location_of(state, state.program.shared.get(named, named))
        case sx.Member(base=base, name=name):
            owner = location_of(state, base)
            return None if owner is None else (owner[0], f"{owner[1]}.{name}")
        case sx.Index(base=base, index=index):
            address, position = evaluate(state, base), evaluate(state, index)
            if isinstance(address, Reference) and isinstance(position, int):
                address = shifted(address, position)
                return (address.variable, address.path) if isinstance(address, Reference) else None
            return None
        case sx.Unary(operator="*", operand=operand):
            pointer = evaluate(state, operand)
            return (pointer.variable, pointer.path) if isinstance(pointer, Reference) else None
        case sx.Unary(operator="++x" | "--x", operand=operand):
            evaluate(state, expression)
            return location_of(state, operand)
        case sx.Assign(target=target):
            evaluate(state, expression)
            return location_of(state, target)
        case sx.Cast(operand=operand):
            return location_of(state, operand)
        case sx.Comma(right=right) if is_stream(state.program.type_of(right)):
            evaluate(state, expression)
            return location_of(state, right)
        case sx.Conditional(condition=condition, then=then, orelse=orelse):
            holds = truth(evaluate(state, condition))
            return None if holds is None else location_of(state, then if holds else orelse)
        case _:
            return None


def _location_of(state: HostState, variable: sx.Variable) -> Location:
    if variable.reference:
        bound = state.memory.read((variable, ""))
        if isinstance(bound, Reference):
            return bound.variable, bound.path
    elif variable.storage is not sx.Storage.LOCAL and state.memory.of(variable) is None:
        _initialise(state, variable)
    return variable, ""


def _initialise(state: HostState, variable: sx.Variable) -> None:
    """Give a global its first value, at its first use."""
    if variable.initial is not None:
        state.memory.put(variable, {})
        state.memory.store((variable, ""), converted(evaluate(state, variable.initial), variable.type))


def passed(state: HostState, parameter: sx.Variable, argument: sx.Expression) -> Value:
    """Return the value, or for a reference the address, of an argument."""
    if not parameter.reference:
        return converted(evaluate(state, argument), parameter.type)
    location = location_of(state, argument)
    if location is not None:
        return Reference(*location)
    value = evaluate(state, argument)
    if isinstance(value, Reference) and isinstance(parameter.type, sx.PointerT):  # a pointer that lies nowhere
        held = state.allocated(argument)
        state.memory.store((held.variable, ""), value)
        return Reference(held.variable, "")
    return value
