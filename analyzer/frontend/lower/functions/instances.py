"""Instances of functions: for each call a body of its own, so that calls share no parameter and no local variable.

The same call gives the same instance however often it is lowered.  A lambda names variables of the functions around
it: these are the ones of the instances that are being lowered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from msgspec.structs import replace

from ....source import Span
from ...surface import nodes as sx
from ...surface.designation import without_casts
from ...surface.traverse import Tree, map_children, walk
from .effects import Effects

Renaming = Mapping[sx.Variable, sx.Variable]
Root = TypeVar("Root", bound=Tree)


class Instances:
    """The instances of the calls of one region, and the objects that calls construct in place.

    ``keys`` are the functions that variables stand for, so that a pointer to a function is one to its variable.
    """

    def __init__(self) -> None:
        """Start without calls."""
        self._objects: dict[
            int, tuple[sx.Call, sx.Variable | str]
        ] = {}  # with the call, so that no other has its place
        self.keys: dict[sx.Variable, str] = {}
        self._functions: dict[str, sx.Variable] = {}
        self._known: dict[tuple[int, str], tuple[sx.Call, sx.Function, Renaming]] = {}
        self._calls: dict[tuple[int, sx.Variable], tuple[sx.OpaqueExpression, sx.Call]] = {}
        self._objects_called: dict[int, tuple[sx.OpaqueExpression, sx.Variable]] = {}
        self._temporaries: dict[int, tuple[sx.Expression, sx.Variable]] = {}

    def function(self, key: str, name: str, span: Span) -> sx.Variable:
        """Return the variable that stands for a function whose address is taken."""
        if key not in self._functions:
            kind = sx.UnknownT("function")
            self._functions[key] = made = sx.Variable(name, kind, sx.Storage.GLOBAL, span)
            self.keys[made] = key
        return self._functions[key]

    def note_object(self, call: sx.Call, made: sx.Variable | str) -> None:
        """Take note of the variable that a call constructs, or of a name for the object that it does."""
        self._objects.setdefault(id(call), (call, made))

    def of(self, call: sx.Call, function: sx.Function, around: Sequence[Renaming]) -> tuple[sx.Function, Renaming]:
        """Return the instance of a called function, and its own variables by those of the function.

        ``around`` are the variables of the instances that are being lowered, the innermost last.
        """
        known = self._known.get((id(call), function.key))
        if known is None:
            _, made = self._objects.get(id(call), (call, None))
            own = _own_variables(function, made)
            everything = {old: new for renaming in (*around, own) for old, new in renaming.items()}
            self._known[id(call), function.key] = known = (call, _Renamer(everything).function(function), own)
        return known[1], known[2]

    def object_called(self, made: sx.OpaqueExpression, kind: sx.CType, key: str) -> sx.Variable:
        """Return the variable that stands for a function with the object that it is called with."""
        known = self._objects_called.get(id(made))
        if known is None:
            variable = sx.Variable("function", kind, sx.Storage.LOCAL, made.span)
            self._objects_called[id(made)] = known = (made, variable)
            self.keys[variable] = key
        return known[1]

    def is_object(self, variable: sx.Variable) -> bool:
        """Return whether a variable that stands for a function is the object that it is called with."""
        return variable in self.keys and variable.storage is sx.Storage.LOCAL

    def call(
        self,
        indirect: sx.OpaqueExpression,
        target: sx.Variable,
        function: sx.Function,
        given: tuple[sx.Expression, ...],
    ) -> sx.Call:
        """Return the call that an indirect one is, of what the pointer points at, with ``given`` arguments first."""
        known = self._calls.get((id(indirect), target))
        if known is None:
            arguments = (*given, *indirect.operands)
            call = sx.Call(function.key, function.name, arguments, indirect.type, indirect.span)
            self._calls[id(indirect), target] = known = (indirect, call)
        return known[1]

    def temporary(self, made: sx.Expression, kind: sx.CType) -> sx.Variable:
        """Return the variable that an object or a value without a name is held in."""
        known = self._temporaries.get(id(made))
        if known is None:
            name = kind.name if isinstance(kind, sx.StructT) and kind.name else "value"
            variable = sx.Variable(name, kind, sx.Storage.LOCAL, made.span)
            self._temporaries[id(made)] = known = (made, variable)
        return known[1]


def with_own(effects: Effects, around: Sequence[Renaming]) -> Effects:
    """Return effects with the variables of the instances that are being lowered added to those of their functions."""
    own = {new: None for renaming in around for old, new in renaming.items() if old in effects.variables}
    return replace(effects, variables={**effects.variables, **own}) if own else effects


def returned_object(function: sx.Function) -> sx.Variable | None:
    """Return the local object that every return of a function gives, None where there is none."""
    if not isinstance(function.result, sx.StructT | sx.ArrayT):
        return None
    variable = _returned(function, lambda value: value)
    return variable if variable is not None and variable.type == function.result else None


def _returned(
    function: sx.Function, read: Callable[[sx.Expression | None], sx.Expression | None]
) -> sx.Variable | None:
    """Return the variable of the outermost block that every return of a function gives, None where there is none."""
    values = [read(node.value) for node in walk(function.body) if isinstance(node, sx.Return)]
    found = {value.variable if isinstance(value, sx.Name) else None for value in values}
    variable = found.pop() if len(found) == 1 else None
    if variable is None or variable.reference or variable.storage is not sx.Storage.LOCAL:
        return None
    declared = any(isinstance(item, sx.Declare) and item.variable is variable for item in function.body.statements)
    return variable if declared else None


def _own_variables(function: sx.Function, wanted: sx.Variable | str | None) -> dict[sx.Variable, sx.Variable]:
    own = {parameter: replace(parameter) for parameter in function.parameters}
    for node in walk(function.body):
        if isinstance(node, sx.Declare) and node.variable.storage is sx.Storage.LOCAL:
            own[node.variable] = replace(node.variable)
    made = None if wanted is None else returned_object(function)
    if made is not None and wanted is not None:
        own[made] = replace(made, name=wanted) if isinstance(wanted, str) else wanted
    is_pointer = wanted is not None and isinstance(function.result, sx.PointerT)
    held = _returned(function, without_casts) if is_pointer else None
    if held is not None and wanted is not None:  # the memory that it points at is named after the caller's pointer
        own[held] = replace(held, name=wanted if isinstance(wanted, str) else wanted.name)
    renamer = _Renamer(own)
    for old, new in own.items():
        kind = renamer.type(old.type)
        if kind is not old.type:
            own[old] = replace(new, type=kind)
    return own


class _Renamer:
    """Replaces variables in trees and in the extents of types."""

    def __init__(self, names: Renaming) -> None:
        self._names = names

    def function(self, function: sx.Function) -> sx.Function:
        parameters = tuple(self._names[parameter] for parameter in function.parameters)
        return replace(function, parameters=parameters, body=self.tree(function.body))

    def tree(self, tree: Root) -> Root:
        match tree:
            case sx.Name(variable=variable):
                new = self._names.get(variable)
                return tree if new is None else replace(tree, variable=new)
            case sx.Declare(variable=variable) if variable in self._names:
                return replace(map_children(tree, self.tree), variable=self._names[variable])
            case sx.Cast(type=kind):
                return replace(map_children(tree, self.tree), type=self.type(kind))
            case sx.Call():
                return replace(map_children(tree, self.tree))
            case sx.InitializerList():
                return replace(map_children(tree, self.tree))
            case _:
                return map_children(tree, self.tree)

    def type(self, kind: sx.CType) -> sx.CType:
        match kind:
            case sx.PointerT(target=target):
                new = self.type(target)
                return kind if new is target else replace(kind, target=new)
            case sx.ArrayT(element=element, extent=extent):
                inner = self.type(element)
                count = None if extent is None else self.tree(extent)
                return kind if inner is element and count is extent else sx.ArrayT(inner, count)
            case _:
                return kind
