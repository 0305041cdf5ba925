"""Expressions of host code on what is known: values, and the places that assignments change."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import assert_never

from . import syntax as sx
from .host_options import OptionScanner
from .host_values import (
    UNKNOWN,
    Fields,
    Known,
    Memory,
    Reference,
    Strings,
    Value,
    binary,
    converted,
    truth,
    unary,
)

_STEPS = 200_000
_ELEMENTS = 64
Place = tuple[sx.Variable, str]
State = dict[sx.Variable, dict[str, Known]]


class Leave(Exception):
    """``exit()`` was called, or the budget is spent."""


class Expressions(ABC):
    """What is known of every variable, by path within it; ``shared`` are globals that stand for one another."""

    def __init__(self, shared: Mapping[sx.Variable, sx.Variable]) -> None:
        """Nothing is known."""
        self._shared = shared
        self._options = OptionScanner()
        self._state: State = {}
        self._steps = 0
        self._static: set[sx.Variable] = set()

    @property
    def _is_spent(self) -> bool:
        return self._steps > _STEPS

    def _step(self) -> None:
        self._steps += 1
        if self._is_spent:
            raise Leave

    @abstractmethod
    def _call(self, call: sx.Call) -> Value:
        """The result of a call, with its effects."""

    @abstractmethod
    def _launch(self, expression: sx.Launch) -> None:
        """Note a launch."""

    def _reference(self, argument: sx.Expression) -> Value:
        place = self._place(argument)
        return self._value(argument) if place is None else Reference(*place)

    # --- expressions -----------------------------------------------------------------------------------------------

    def _value(self, expression: sx.Expression) -> Value:
        self._step()
        match expression:
            case sx.Number():
                return expression.value
            case sx.Text():
                return expression.text
            case sx.Name() | sx.Member() | sx.Index():
                return self._read(expression)
            case sx.Unary():
                return self._unary(expression)
            case sx.Binary():
                return self._binary(expression)
            case sx.Assign():
                return self._assign(expression)
            case sx.Conditional():
                condition = truth(self._value(expression.condition))
                if condition is None:
                    return UNKNOWN
                return self._value(expression.then if condition else expression.orelse)
            case sx.Call():
                return self._call(expression)
            case sx.Launch():
                self._launch(expression)
                return UNKNOWN
            case sx.Cast():
                return converted(self._value(expression.operand), expression.type)
            case sx.Comma():
                self._value(expression.left)
                return self._value(expression.right)
            case sx.InitializerList():
                return self._aggregate(expression)
            case sx.OpaqueExpression():
                for operand in expression.operands:
                    self._value(operand)
                return UNKNOWN
            case _:
                assert_never(expression)

    def _binary(self, expression: sx.Binary) -> Value:
        left = self._value(expression.left)
        if expression.operator in ("&&", "||"):
            first = truth(left)
            if first is not None and first == (expression.operator == "||"):
                return int(first)
            second = truth(self._value(expression.right))
            if second is not None and second == (expression.operator == "||"):
                return int(second)
            return UNKNOWN if first is None or second is None else int(second)
        return binary(expression.operator, left, self._value(expression.right))

    def _unary(self, expression: sx.Unary) -> Value:
        match expression.operator:
            case "&":
                return self._reference(expression.operand)
            case "*":
                return self._read(expression)
            case "++x" | "--x" | "x++" | "x--":
                old = self._value(expression.operand)
                new = binary(expression.operator.strip("x")[0], old, 1)
                place = self._place(expression.operand)
                if place is not None:
                    self._store(place, new)
                return old if expression.operator.startswith("x") else new
            case _:
                return unary(expression.operator, self._value(expression.operand))

    def _assign(self, expression: sx.Assign) -> Value:
        value = self._value(expression.value)
        if expression.operator:
            value = binary(expression.operator, self._value(expression.target), value)
        place = self._place(expression.target)
        if place is None:
            return value
        if not place[1]:
            value = converted(value, place[0].type)
        self._store(place, value)
        return value

    def _aggregate(self, expression: sx.InitializerList) -> Value:
        values = [self._value(item) for item in expression.items]
        match expression.type:
            case sx.StructT(fields=fields):
                names = [f".{item.name}" for item in fields]
            case sx.ArrayT():
                names = [f"[{number}]" for number in range(len(values))]
            case sx.PointerT():
                return Memory(len(values))
            case _:
                return values[0] if len(values) == 1 else UNKNOWN
        parts: dict[str, Known] = {}
        for name, value in zip(names, values, strict=False):
            parts.update(flattened(name, value))
        return Fields(parts)

    # --- places ----------------------------------------------------------------------------------------------------

    def _read(self, expression: sx.Name | sx.Member | sx.Index | sx.Unary) -> Value:
        if isinstance(expression, sx.Index):
            base = self._value(expression.base)
            if isinstance(base, Strings | str):
                return _element(base, self._value(expression.index))
        place = self._place(expression)
        if place is None:
            return UNKNOWN
        variable, path = place
        if variable.storage is sx.Storage.GLOBAL and variable.name in ("optarg", "optind"):
            return self._options.variable(variable.name)
        parts = self._state.get(variable, {})
        known = parts.get(path)
        if known is not None:
            return known
        inner = {inner[len(path) :]: value for inner, value in parts.items() if inner.startswith(path)}
        if inner:
            return Fields(inner)
        if variable.initial is not None and variable.storage is not sx.Storage.LOCAL:
            if place[1]:
                value = self._value(variable.initial)
                return value.parts.get(path, UNKNOWN) if isinstance(value, Fields) else UNKNOWN
            return (
                converted(self._value(variable.initial), variable.type) if not self._was_changed(variable) else UNKNOWN
            )
        return UNKNOWN

    def _was_changed(self, variable: sx.Variable) -> bool:
        return variable in self._static

    def _place(self, expression: sx.Expression) -> Place | None:
        match expression:
            case sx.Name(variable=named):
                variable = self._shared.get(named, named)
                bound = self._state.get(variable, {}).get("")
                return (
                    (bound.variable, bound.path)
                    if variable.reference and isinstance(bound, Reference)
                    else (variable, "")
                )
            case sx.Member(base=base, name=name):
                owner = self._place(base)
                return None if owner is None else (owner[0], f"{owner[1]}.{name}")
            case sx.Index(base=base, index=index):
                position, owner = self._value(index), self._place(base)
                return None if owner is None or not isinstance(position, int) else (owner[0], f"{owner[1]}[{position}]")
            case sx.Unary(operator="*", operand=operand):
                pointer = self._value(operand)
                return (pointer.variable, pointer.path) if isinstance(pointer, Reference) else None
            case sx.Cast(operand=operand):
                return self._place(operand)
            case _:
                return None

    def _store(self, place: Place, value: Value) -> None:
        variable, path = place
        self._forget(variable, path)
        parts = self._state.setdefault(variable, {})
        for inner, known in flattened(path, value).items():
            if len(parts) < _ELEMENTS:
                parts[inner] = known

    def _forget(self, variable: sx.Variable, path: str = "") -> None:
        variable = self._shared.get(variable, variable)
        if variable.storage is not sx.Storage.LOCAL:
            self._static.add(variable)
        parts = self._state.get(variable)
        if parts:
            for inner in [inner for inner in parts if inner.startswith(path)] if path else list(parts):
                del parts[inner]


def flattened(path: str, value: Value) -> dict[str, Known]:
    """The known parts of a value, by path."""
    if isinstance(value, Fields):
        return {path + inner: known for inner, known in value.parts.items()}
    return {} if value is UNKNOWN else {path: value}


def _element(base: Strings | str, index: Value) -> Value:
    if not isinstance(index, int) or index < 0:
        return UNKNOWN
    if isinstance(base, Strings):
        return base.texts[index] if index < len(base.texts) else UNKNOWN
    return ord(base[index]) if index < len(base) else 0 if index == len(base) else UNKNOWN
