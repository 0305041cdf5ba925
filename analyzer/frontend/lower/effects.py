"""What a piece of source may change, read off the syntax: variables, storage, struct members.

A loop binds every variable that it may change to a placeholder before its body is lowered.  Calls of functions with
bodies change globals and whatever their arguments give the address of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Union

from msgspec import Struct, field

from ..surface import nodes as sx

Tree = Union[sx.Statement, sx.Expression]


class Effects(Struct):
    """Variables that are assigned or whose address is taken, names of storage written, members written, calls.

    ``pointers`` are the pointers declared in the trees themselves.
    """

    variables: dict[sx.Variable, None] = field(default_factory=dict)
    storage: set[str] = field(default_factory=set)
    members: set[str] = field(default_factory=set)
    calls: dict[str, None] = field(default_factory=dict)
    pointers: list[sx.Variable] = field(default_factory=list)
    loops: bool = False

    def add(self, other: Effects) -> None:
        """Include the effects of a called function."""
        self.variables.update(other.variables)
        self.storage |= other.storage
        self.members |= other.members
        self.loops = self.loops or other.loops


class EffectTable:
    """Effects of trees of one unit, each found once: what is inlined is lowered again and again."""

    def __init__(self, functions: Mapping[str, sx.Function]) -> None:
        """Start with nothing known."""
        self._functions = functions
        self._keys = {id(function.body): key for key, function in functions.items()}
        self._direct: dict[str, Effects] = {}
        self._sizes: dict[str, int] = {}
        self._known: dict[tuple[int, ...], tuple[Sequence[Tree | None], Effects]] = {}

    def of(self, *trees: Tree | None) -> Effects:
        """Effects of some trees and of every function that they call, directly or not."""
        key = tuple(map(id, trees))
        known = self._known.get(key)
        if known is None:
            self._known[key] = known = (trees, self._with_called(trees))  # kept, so that their ids stay theirs
        return known[1]

    def with_loops(self) -> frozenset[str]:
        """Return the keys of the functions that hold a loop, or call one that does; linear in the calls of the unit."""
        callers: dict[str, list[str]] = {}
        for key in self._functions:
            for called in self._of_function(key).calls:
                callers.setdefault(called, []).append(key)
        waiting = [key for key in self._functions if self._of_function(key).loops]
        found = set(waiting)
        while waiting:
            new = [key for key in callers.get(waiting.pop(), ()) if key not in found]
            found.update(new)
            waiting += new
        return frozenset(found)

    def size(self, key: str) -> int:
        """Return how much there is to lower in a function, roughly: its lines, and those of all that it calls."""
        known = self._sizes.get(key)
        if known is None:
            span = self._functions[key].span
            self._sizes[key] = own = span.end_line - span.line + 1  # also for those that call it in a circle
            self._sizes[key] = known = own + sum(map(self.size, self._of_function(key).calls))
        return known

    def _of_function(self, key: str) -> Effects:
        """The effects of a function itself, without those of the functions that it calls."""
        direct = self._direct.get(key)
        if direct is None:
            self._direct[key] = direct = self._of_trees((self._functions[key].body,))
        return direct

    def _of_these(self, trees: Sequence[Tree | None]) -> Effects:
        """Effects of some trees themselves, as a value of its own."""
        key = self._keys.get(id(trees[0])) if len(trees) == 1 else None
        if key is None:
            return self._of_trees(trees)
        known = self._of_function(key)
        return Effects(
            dict(known.variables),
            set(known.storage),
            set(known.members),
            dict(known.calls),
            list(known.pointers),
            known.loops,
        )

    def _with_called(self, trees: Sequence[Tree | None]) -> Effects:
        found = self._of_these(trees)
        seen: set[str] = set()
        waiting = list(found.calls)
        while waiting:
            key = waiting.pop()
            if key in seen:
                continue
            seen.add(key)
            direct = self._of_function(key)
            found.add(direct)
            waiting.extend(direct.calls)
        return found

    def _of_trees(self, trees: Iterable[Tree | None]) -> Effects:
        found = Effects()
        stack: list[Tree] = [tree for tree in trees if tree is not None]
        stack.reverse()
        while stack:
            node = stack.pop()
            match node:
                case sx.Assign():
                    _target(found, node.target)
                case sx.Unary(operator="++x" | "--x" | "x++" | "x--" | "&"):
                    _target(found, node.operand)
                case sx.Call() if node.function in self._functions:
                    found.calls[node.function] = None
                    for argument, parameter in zip(
                        node.arguments, self._functions[node.function].parameters, strict=False
                    ):
                        _argument(found, argument)
                        if parameter.reference:
                            _target(found, argument)
                case sx.For() | sx.While() | sx.Repeated():
                    found.loops = True
                case sx.Declare(variable) if isinstance(variable.type, sx.PointerT):
                    found.pointers.append(variable)
            stack.extend(reversed(list(children(node))))
        return found


def _target(found: Effects, target: sx.Expression) -> None:
    through_memory = False
    while True:
        match target:
            case sx.Name():
                if through_memory:
                    found.storage.add(target.variable.name)
                else:
                    found.variables[target.variable] = None
                return
            case sx.Member():
                found.members.add(target.name)
                target = target.base
            case sx.Index():
                through_memory = True
                target = target.base
            case sx.Unary():
                through_memory = through_memory or target.operator == "*"
                target = target.operand
            case sx.Cast():
                target = target.operand
            case sx.Binary():
                target = target.left
            case sx.Assign():
                target = target.target
            case sx.Comma():
                target = target.right
            case _:
                return


def _argument(found: Effects, argument: sx.Expression) -> None:
    """An argument of a function with a body: storage it may write, a variable it may change by reference."""
    while isinstance(argument, sx.Cast | sx.Index | sx.Member | sx.Binary):
        match argument:
            case sx.Cast():
                argument = argument.operand
            case sx.Index() | sx.Member():
                argument = argument.base
            case sx.Binary():
                argument = argument.left
    if isinstance(argument, sx.Name):
        ctype = argument.variable.type
        if isinstance(ctype, sx.PointerT | sx.ArrayT | sx.StructT):
            found.storage.add(argument.variable.name)


def children(node: Tree) -> Iterator[Tree]:
    """Direct subtrees in source order."""
    match node:
        case sx.Unary() | sx.Cast():
            yield node.operand
        case sx.Binary() | sx.Comma():
            yield node.left
            yield node.right
        case sx.Assign():
            yield node.target
            yield node.value
        case sx.Conditional():
            yield from (node.condition, node.then, node.orelse)
        case sx.Call():
            yield from node.arguments
        case sx.Launch():
            yield from (part for part in (node.grid, node.block, node.shared) if part is not None)
            yield from node.arguments
        case sx.Index():
            yield from (node.base, node.index)
        case sx.Member():
            yield node.base
        case sx.InitializerList():
            yield from node.items
        case sx.OpaqueExpression():
            yield from node.operands
        case sx.Declare():
            if node.initial is not None:
                yield node.initial
        case sx.Evaluate():
            yield node.expression
        case sx.Block():
            yield from node.statements
        case sx.Skippable() | sx.Repeated():
            yield node.body
        case sx.If():
            yield from (part for part in (node.condition, node.then, node.orelse) if part is not None)
        case sx.For():
            parts = (node.initial, node.condition, node.advance, node.body)
            yield from (part for part in parts if part is not None)
        case sx.While():
            yield from (node.condition, node.body)
        case sx.Switch():
            yield node.subject
            for case in node.cases:
                yield from (label for label in case.labels if label is not None)
                yield from case.statements
        case sx.Return():
            if node.value is not None:
                yield node.value
        case sx.Number() | sx.Text() | sx.Name() | sx.OpaqueStatement():
            return
        case sx.Break() | sx.Continue() | sx.Goto() | sx.Label():
            return
