"""Which loops of host code can matter for a launch: a slice backwards from the launches, without regard to order.

A name (a variable, or a member whatever its object) matters where it is read by what decides a launch: grid, block,
shared bytes, whole-number arguments, the conditions of branches that launch or leave, and function objects that are
called, where one may launch.  Whatever is assigned to a name that matters makes its operands matter, and so do the
conditions around it.  Arguments and parameters that are addresses share their fate.  A loop that assigns no such name,
launches nothing and leaves nothing needs no running.

Reference: M. Weiser, "Program Slicing", ICSE 1981; the flow-insensitive form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Union

from ..surface import nodes as sx
from ..surface.constructs import construct
from ..surface.traverse import Tree, children, walk
from .program import THROUGH_VALUES, ends_program, launches_graph

Name = Union[sx.Variable, str]
_RETURN = "return "
_LEAVE = "(leave)"
_GROWING = frozenset(
    {"push_back", "emplace_back", "resize", "insert", "pop_back", "clear", "reserve", "assign", "push"}
    | {"emplace", "try_emplace", "insert_or_assign", "erase", "append", "str"}
)
_LEAVES = frozenset({sx.Name, sx.Number, sx.Text})  # nothing flows in them
_COPY = construct("copy-of-a-container")


class Relevance:
    """The names that matter in one program, and what each function and loop assigns."""

    def __init__(
        self,
        functions: Mapping[str, sx.Function],
        launching: Mapping[str, frozenset[str]],
        needed: frozenset[Name] = frozenset(),
    ) -> None:
        """Work out the slice; ``launching`` are the kernels that functions launch, ``needed`` matter in any case."""
        self._functions = functions
        self._launching = launching
        self._flows: dict[Name, set[Name]] = {}
        self._needed: set[Name] = set(needed)
        self._loops: dict[int, tuple[Tree, bool]] = {}
        self._calls: dict[str, bool] = {}
        self._owners: dict[int, str] = {}
        self._summaries: dict[str, tuple[frozenset[Name], frozenset[str]]] = {}
        for key, function in functions.items():
            if function.kind is not sx.FunctionKind.KERNEL:
                self._read(key, function.body, frozenset())
        waiting = list(self._needed)
        while waiting:
            found = waiting.pop()
            for name in (*self._flows.get(found, ()), *_extents(found)):
                if name not in self._needed:
                    self._needed.add(name)
                    waiting.append(name)

    def matters(self, loop: sx.Statement) -> bool:
        """Return whether a loop has to be run."""
        known = self._loops.get(id(loop))
        if known is None:
            self._loops[id(loop)] = known = (loop, self._does_matter(loop))
        return known[1]

    def does_call_matter(self, call: sx.Call) -> bool:
        """Return whether a call as a statement has to be followed: for what it does, or for what its arguments do."""
        if call.function in self._launching:
            return True
        known = self._calls.get(call.function)
        if known is None:
            self._calls[call.function] = known = self._does_call(call.function, set())
        if known or self._may_leave(call.function, set()):
            return True
        return any(isinstance(node, sx.Assign | sx.Call) or _steps(node) for node in walk(*call.arguments))

    def _does_matter(self, loop: sx.Statement) -> bool:
        is_asked = f"{_RETURN}{self._owners.get(id(loop))}" in self._needed
        nodes = list(walk(loop))
        own = {node.variable for node in nodes if isinstance(node, sx.Declare)}
        for node in nodes:
            match node:
                case sx.Launch():
                    return True
                case sx.Return() if is_asked:
                    return True
                case sx.Call():
                    launches = launches_graph(node) or node.function in self._launching
                    if launches or self._does_call(node.function, set()):
                        return True
            for name, is_direct in _targets(node):
                if name in self._needed and not (is_direct and name in own):
                    return True
        return False

    def _does_call(self, key: str, seen: set[str]) -> bool:
        """Return whether a function, or one that it calls, assigns what matters outside of it."""
        if key in seen or key not in self._functions:
            return False
        seen.add(key)
        targets, calls = self._summary(key)
        if any(name in self._needed for name in targets):
            return True
        return any(self._does_call(call, seen) for call in calls)

    def _summary(self, key: str) -> tuple[frozenset[Name], frozenset[str]]:
        """Return the names that a function assigns and that outlive it, and the functions that it calls."""
        known = self._summaries.get(key)
        if known is None:
            targets: set[Name] = set()
            calls: set[str] = set()
            for node in walk(self._functions[key].body):
                if isinstance(node, sx.Call):
                    calls.add(node.function)
                    if ends_program(node, self._functions):
                        calls.add(_LEAVE)
                for name, is_direct in _targets(node):
                    if not is_direct or isinstance(name, str) or _outlives(name):
                        targets.add(name)
            self._summaries[key] = known = frozenset(targets), frozenset(calls)
        return known

    def _may_leave(self, key: str, seen: set[str]) -> bool:
        """Return whether a function may end the program."""
        if key in seen or key not in self._functions:
            return key == _LEAVE
        seen.add(key)
        return any(self._may_leave(call, seen) for call in self._summary(key)[1])

    # --- flows -----------------------------------------------------------------------------------------------------

    def _read(self, key: str, node: Tree, around: frozenset[Name]) -> None:
        """Note what flows where below a node; ``around`` are the names that decide whether it runs."""
        match node:
            case sx.If() | sx.For() | sx.While() | sx.Switch() | sx.Conditional():
                around |= _names(node.subject if isinstance(node, sx.Switch) else node.condition)
                if isinstance(node, sx.For | sx.While):
                    self._owners[id(node)] = key
            case sx.Launch():
                self._needed |= around
                for part in (node.grid, node.block, node.shared):
                    self._needed |= _names(part)
                kernel = self._functions.get(node.function)
                for parameter, argument in zip(kernel.parameters if kernel else (), node.arguments, strict=False):
                    if isinstance(parameter.type, sx.StructT) or _is_whole(parameter.type):
                        self._needed |= _names(argument) | _members(parameter.type)
            case sx.Call():
                self._read_call(node, around)
            case sx.OpaqueExpression(called=called) if called is not None and THROUGH_VALUES in self._launching:
                self._needed |= _names(called) | around
            case sx.Return():
                result = f"{_RETURN}{key}"
                self._flow(result, _names(node.value) | around)
                if key in self._launching:
                    self._needed |= around
            case sx.Declare(variable=variable, initial=initial) if initial is not None:
                self._flow(variable, _names(initial) | around)
                if variable.reference or isinstance(variable.type, sx.PointerT):
                    self._same(variable, initial)
            case sx.Assign(target=target, value=value):
                for name in _roots(target):
                    self._flow(name, _names(value) | _indices(target) | around)
                if isinstance(value, sx.Unary) and value.operator == "&":
                    self._same_as(_roots(target), value)
            case sx.OpaqueExpression(what=what, operands=(target, value)) if what == _COPY:
                for name in _roots(target):
                    self._flow(name, _names(value) | _indices(target) | around)
            case sx.Comma(left=sx.Call(name="std::istream::operator>>") as read, right=stream):
                for name, _ in _targets(read):
                    self._flow(name, _names(stream) | around)
            case sx.Unary(operator="++x" | "--x" | "x++" | "x--", operand=operand):
                for name in _roots(operand):
                    self._flow(name, around)
        for inner in children(node):
            if type(inner) not in _LEAVES:
                self._read(key, inner, around)

    def _read_call(self, call: sx.Call, around: frozenset[Name]) -> None:
        if ends_program(call, self._functions):
            self._needed |= around
        function = self._functions.get(call.function)
        if call.function in self._launching or launches_graph(call):
            self._needed |= around
        if function is None:
            given = frozenset[Name]().union(*(_names(argument) for argument in call.arguments), around)
            for name, _ in _targets(call):
                self._flow(name, given)
            return
        for parameter, argument in zip(function.parameters, call.arguments, strict=False):
            self._flow(parameter, _names(argument) | around)
            if parameter.reference or isinstance(parameter.type, sx.PointerT | sx.ArrayT):
                self._same(parameter, argument)

    def _flow(self, target: Name, names: frozenset[Name]) -> None:
        self._flows.setdefault(target, set()).update(names)

    def _same(self, variable: sx.Variable, argument: sx.Expression) -> None:
        """Note an address: where the argument is needed, so is what is written through the parameter."""
        self._same_as(frozenset({variable}), argument)

    def _same_as(self, names: frozenset[Name], argument: sx.Expression) -> None:
        for root in _roots(argument):
            self._flow(root, names)


def _steps(node: Tree) -> bool:
    return isinstance(node, sx.Unary) and ("++" in node.operator or "--" in node.operator)


def _extents(name: Name) -> frozenset[Name]:
    """Return the members of a grid or block, which matter where it matters as a whole."""
    match name:
        case sx.Variable(type=sx.StructT(name="dim3") as kind):
            return _members(kind)
        case _:
            return frozenset()


def _members(kind: sx.CType) -> frozenset[Name]:
    return frozenset(field.name for field in kind.fields) if isinstance(kind, sx.StructT) else frozenset()


def _is_whole(kind: sx.CType) -> bool:
    return isinstance(kind, sx.ScalarT) and kind.element.scalar.is_integer


def _targets(node: Tree) -> Iterator[tuple[Name, bool]]:
    """Yield names that one node assigns by itself, and whether it is the variable itself, nothing behind it."""
    match node:
        case sx.Assign(target=target) | sx.Unary(operator="++x" | "--x" | "x++" | "x--", operand=target):
            is_direct = isinstance(target, sx.Name)
            for name in _roots(target):
                yield name, is_direct
        case sx.Declare(variable=variable):
            yield variable, True
        case sx.OpaqueExpression(what=what, operands=(target, _)) if what == _COPY:
            for name in _roots(target):
                yield name, False
        case sx.Call(name=name, arguments=arguments) if name in _GROWING or name == "operator>>":
            for argument in arguments if name == "operator>>" else arguments[:1]:
                for root in _roots(argument):
                    yield root, False
        case sx.Call(arguments=arguments):
            for argument in arguments:
                if isinstance(argument, sx.Unary) and argument.operator == "&":
                    for root in _roots(argument):
                        yield root, isinstance(argument.operand, sx.Name)


def _outlives(variable: sx.Variable) -> bool:
    return variable.reference or variable.storage not in (sx.Storage.LOCAL, sx.Storage.PARAMETER)


def _roots(target: sx.Expression) -> frozenset[Name]:
    """Return the name that an assignment to ``target`` changes: the last member, else the variable."""
    while True:
        match target:
            case sx.Name():
                return frozenset({target.variable})
            case sx.Member():
                return frozenset({target.name})
            case sx.Index():
                target = target.base
            case sx.Unary() | sx.Cast():
                target = target.operand
            case sx.Binary():
                return _roots(target.left) | _roots(target.right)
            case sx.Conditional():
                return _roots(target.then) | _roots(target.orelse)
            case sx.Assign():
                target = target.target
            case sx.Comma():
                target = target.right
            case sx.Call():
                result: Name = f"{_RETURN}{target.function}"
                return frozenset({result}).union(*(_roots(item) for item in target.arguments[:1]))
            case _:
                return frozenset()


def _indices(target: sx.Expression) -> frozenset[Name]:
    return frozenset().union(*(_names(node.index) for node in walk(target) if isinstance(node, sx.Index)))


def _names(tree: Tree | None) -> frozenset[Name]:
    """Return every name that an expression reads, and the results of the functions that it calls."""
    if tree is None:
        return frozenset()
    found: set[Name] = set()
    for node in walk(tree):
        match node:
            case sx.Name():
                found.add(node.variable)
            case sx.Member():
                found.add(node.name)
            case sx.Call():
                found.add(f"{_RETURN}{node.function}")
    return frozenset(found)
