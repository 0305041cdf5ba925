"""Expressions of host code on what is known: values, and the places that assignments change."""

from __future__ import annotations

from abc import abstractmethod
from typing import assert_never

from ..surface import nodes as sx
from ..surface.types import type_of
from .library.functions import Library
from .library.getopt import OptionScanner
from .library.text import element
from .memory import Place
from .values import (
    UNKNOWN,
    Code,
    Fields,
    Reference,
    Strings,
    Unknown,
    Value,
    binary,
    converted,
    depending,
    element_of,
    flattened,
    shifted,
    truth,
    unary,
)


class Expressions(Library):
    """Evaluates expressions with their effects."""

    def __init__(self, shared: dict[sx.Variable, sx.Variable]) -> None:
        """Nothing is known."""
        super().__init__(shared)
        self._options = OptionScanner()

    @abstractmethod
    def _call(self, call: sx.Call) -> Value:
        """The result of a call, with its effects."""

    @abstractmethod
    def _call_value(self, expression: sx.OpaqueExpression) -> Value | None:
        """The result of a call through a value that holds a function; None where it is not known which."""

    @abstractmethod
    def _launch(self, expression: sx.Launch) -> None:
        """Note a launch."""

    def _value(self, expression: sx.Expression) -> Value:
        self._step()
        match expression:
            case sx.Number():
                return expression.value
            case sx.Name() | sx.Member() | sx.Index():
                return self._read(expression)
            case sx.Binary():
                return self._binary(expression)
            case sx.Unary():
                return self._unary(expression)
            case sx.Assign():
                return self._assign(expression)
            case sx.Cast():
                return converted(self._value(expression.operand), expression.type)
            case sx.Text():
                return expression.text
            case sx.Conditional():
                return self._conditional(expression)
            case sx.Call():
                return self._call(expression)
            case sx.Launch():
                self._launch(expression)
                return UNKNOWN
            case sx.Comma():
                self._value(expression.left)
                return self._value(expression.right)
            case sx.InitializerList():
                return self._aggregate(expression)
            case sx.OpaqueExpression():
                return self._opaque(expression)
            case _:
                assert_never(expression)

    def _conditional(self, expression: sx.Conditional) -> Value:
        given = self._value(expression.condition)
        condition = truth(given)
        if condition is not None:
            return self._value(expression.then if condition else expression.orelse)
        then, orelse = self._value(expression.then), self._value(expression.orelse)
        return then if then == orelse else depending("?:", (given, then, orelse))

    def _opaque(self, expression: sx.OpaqueExpression) -> Value:
        if expression.function:
            return Code(expression.function)
        called = self._call_value(expression)
        if called is not None:
            return called
        values = [self._value(operand) for operand in expression.operands]
        if expression.reason == "operator+" and len(values) == 2:
            return binary("+", values[0], values[1])
        if expression.reason == "copy of a container" and len(values) == 2:
            place = self._place(expression.operands[0])
            if place is not None:
                self._store(place, values[1])
            return values[1]
        for value in values:
            self._set_by("code that is not followed", value, expression)
        sources = tuple(source for value in values if isinstance(value, Unknown) for source in value.sources)
        return Unknown(sources[:4]) if sources else self._unknown("an expression", "is not followed", expression)

    def _binary(self, expression: sx.Binary) -> Value:
        left = self._value(expression.left)
        if expression.operator not in ("&&", "||"):
            return binary(expression.operator, left, self._value(expression.right))
        decides = expression.operator == "||"
        first = truth(left)
        if first == decides:
            return int(decides)
        right = self._value(expression.right)
        second = truth(right)
        if second == decides:
            return int(decides)
        return depending("?", (left, right)) if first is None or second is None else int(second)

    def _unary(self, expression: sx.Unary) -> Value:
        match expression.operator:
            case "&":
                place = self._place(expression.operand)
                return self._value(expression.operand) if place is None else Reference(*place)
            case "*":
                return self._read(expression)
            case "++x" | "--x" | "x++" | "x--":
                old = self._value(expression.operand)
                new = binary(expression.operator.strip("x")[0], old, 1)
                self._change(expression.operand, new)
                return old if expression.operator.startswith("x") else new
            case _:
                return unary(expression.operator, self._value(expression.operand))

    def _assign(self, expression: sx.Assign) -> Value:
        value = self._value(expression.value)
        if expression.operator:
            value = binary(expression.operator, self._value(expression.target), value)
        self._change(expression.target, value)
        return value

    def _change(self, target: sx.Expression, value: Value) -> None:
        """Assign to a place; where it is not known which element, all of them change."""
        place = self._place(target)
        if place is not None:
            kind = place[0].type if not place[1] else type_of(target)
            self._store(place, converted(value, kind), isinstance(kind, sx.ScalarT | sx.PointerT))
            return
        if isinstance(target, sx.Index):
            base = self._value(target.base)
            if isinstance(base, Reference):
                array = element_of(base.path)
                changed = Unknown(value.sources) if isinstance(value, Unknown) else UNKNOWN
                self._memory.fill_elements(base.variable, base.path if array is None else array[0], changed)

    def _aggregate(self, expression: sx.InitializerList) -> Value:
        values = [self._value(item) for item in expression.items]
        fields: tuple[sx.FieldT, ...] = ()
        match expression.type:
            case sx.StructT(fields=fields):
                names = [f".{item.name}" for item in fields]
            case sx.ArrayT(extent=extent):
                return self._array_of(values, extent)
            case sx.PointerT():
                block = self._allocated(expression)
                for number, value in enumerate(values):
                    self._memory.store((block.variable, f"[{number}]"), value)
                self._set_count(block, len(values))
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

    def _array_of(self, values: list[Value], extent: sx.Expression | None) -> Value:
        """Elements that are not given are zero."""
        parts: dict[str, Value] = {}
        for number, value in enumerate(values):
            parts.update(flattened(f"[{number}]", value))
        if extent is not None and not (isinstance(extent, sx.Number) and extent.value == len(values)):
            parts["*"] = 0
        return Fields(parts)

    # --- places ----------------------------------------------------------------------------------------------------

    def _read(self, expression: sx.Name | sx.Member | sx.Index | sx.Unary) -> Value:
        if isinstance(expression, sx.Name):
            name = expression.variable
            if name.storage is sx.Storage.GLOBAL and name.name in ("optarg", "optind"):
                return self._options.variable(name.name)
        elif isinstance(expression, sx.Index):
            base, index = self._value(expression.base), self._value(expression.index)
            return self._element(base, index, expression)
        elif isinstance(expression, sx.Unary):
            return self._element(self._value(expression.operand), 0, expression)
        place = self._place(expression)
        if place is None:
            return self._member_of_value(expression) if isinstance(expression, sx.Member) else UNKNOWN
        return self._at(place, expression)

    def _at(self, place: Place, expression: sx.Expression) -> Value:
        """What a place holds; an array is the address of its first element."""
        kind = expression.variable.type if isinstance(expression, sx.Name) else None
        if isinstance(expression, sx.Member | sx.Index):
            kind = type_of(expression)
        if isinstance(kind, sx.ArrayT):
            held = self._memory.exact(place)
            return held if isinstance(held, str | Reference | Strings) else Reference(place[0], f"{place[1]}[0]")
        return self._load(place, "is not set by code that was followed", expression)

    def _element(self, base: Value, index: Value, expression: sx.Expression) -> Value:
        if isinstance(base, str | Strings):
            return element(base, index)
        if isinstance(base, Unknown):
            return Unknown(base.sources)
        if not isinstance(base, Reference) or not isinstance(index, int):
            return Unknown(index.sources) if isinstance(index, Unknown) else UNKNOWN
        place = shifted(base, index)
        return self._at((place.variable, place.path), expression) if isinstance(place, Reference) else UNKNOWN

    def _member_of_value(self, expression: sx.Member) -> Value:
        """``f().x``."""
        owner = self._value(expression.base)
        if not isinstance(owner, Fields):
            return Unknown(owner.sources) if isinstance(owner, Unknown) else UNKNOWN
        name = f".{expression.name}"
        found = owner.parts.get(name)
        if found is not None:
            return found
        below = (name + ".", name + "[")
        inner = {path[len(name) :]: value for path, value in owner.parts.items() if path.startswith(below)}
        return Fields(inner) if inner else owner.parts.get("*", UNKNOWN)

    def _place(self, expression: sx.Expression) -> Place | None:
        match expression:
            case sx.Name(variable=named):
                return self._place_of(self._shared.get(named, named))
            case sx.Member(base=base, name=name):
                owner = self._place(base)
                return None if owner is None else (owner[0], f"{owner[1]}.{name}")
            case sx.Index(base=base, index=index):
                address, position = self._value(base), self._value(index)
                if isinstance(address, Reference) and isinstance(position, int):
                    address = shifted(address, position)
                    return (address.variable, address.path) if isinstance(address, Reference) else None
                return None
            case sx.Unary(operator="*", operand=operand):
                pointer = self._value(operand)
                return (pointer.variable, pointer.path) if isinstance(pointer, Reference) else None
            case sx.Unary(operator="++x" | "--x", operand=operand):
                self._value(expression)
                return self._place(operand)
            case sx.Assign(target=target):
                self._value(expression)
                return self._place(target)
            case sx.Cast(operand=operand):
                return self._place(operand)
            case sx.Conditional(condition=condition, then=then, orelse=orelse):
                holds = truth(self._value(condition))
                return None if holds is None else self._place(then if holds else orelse)
            case _:
                return None

    def _place_of(self, variable: sx.Variable) -> Place:
        if variable.reference:
            bound = self._memory.read((variable, ""))
            if isinstance(bound, Reference):
                return bound.variable, bound.path
        elif variable.storage is not sx.Storage.LOCAL and self._memory.of(variable) is None:
            self._initialise(variable)
        return variable, ""

    def _initialise(self, variable: sx.Variable) -> None:
        """A global has its first value when it is first met."""
        if variable.initial is not None:
            self._memory.put(variable, {})
            self._memory.store((variable, ""), converted(self._value(variable.initial), variable.type))

    def _argument(self, parameter: sx.Variable, argument: sx.Expression) -> Value:
        """The value, or for a reference the address, of an argument."""
        if not parameter.reference:
            return converted(self._value(argument), parameter.type)
        place = self._place(argument)
        return self._value(argument) if place is None else Reference(*place)

    def _reference(self, place: Place) -> Reference:
        return Reference(*place)
