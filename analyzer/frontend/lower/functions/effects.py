"""Effects of source, read off the syntax: the variables, the storage and the struct members that it may change.

A loop binds every variable that it may change to a placeholder before its body is lowered.  Calls of functions with
bodies change globals and the objects whose addresses they are given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from msgspec import Struct, field
from msgspec.structs import replace

from ...known_functions import MemoryFunction, canonical_name, table
from ...surface import nodes as sx
from ...surface.designation import bases, is_address, is_null, roots, without_casts
from ...surface.traverse import Tree, children, walk
from ...surface.types import may_be_address, type_of
from .handed import handed_containers

_THIS = "this"
_ONE_ELEMENT = 16  # bytes
_LOOPS = (sx.For, sx.While, sx.Repeated)
_WITH_EFFECTS = frozenset(
    {
        *_LOOPS,
        *(sx.Assign, sx.Unary, sx.Call, sx.OpaqueExpression, sx.Declare),
        *(sx.Break, sx.Continue, sx.Goto, sx.Return),
    }
)
"""Nodes that have effects of their own: most nodes of a tree have none, and are not looked at any further."""
_FREES = frozenset({"free", "_mm_free", "aligned_free"})
_PARTS_OF_OBJECTS = (sx.Name, sx.Cast, sx.Index, sx.Member, sx.Binary)
"""Arguments by value that may hold addresses: a struct, an undeclared name, an address that was cast to a number."""


class Effects(Struct, kw_only=True):
    """Variables that are assigned or whose address is taken, names of written storage, written members, calls.

    ``members_in_memory`` are those of objects other than variables of the function.  ``threads`` are the libraries of
    started threads, and "" where some are waited for.  Of the trees alone, without what they call: ``pointers`` are
    declared in them, ``references`` to what may change have what they are bound to; they free memory (``frees``), hold
    a ``break``, ``continue``, ``goto`` or ``return`` (``jumps``), or hand a list of arguments on (``writes_text``).
    """

    variables: dict[sx.Variable, None] = field(default_factory=dict)
    storage: set[str] = field(default_factory=set)
    members: set[str] = field(default_factory=set)
    members_in_memory: set[str] = field(default_factory=set)
    calls: dict[str, None] = field(default_factory=dict)
    pointers: list[sx.Variable] = field(default_factory=list)
    references: list[tuple[sx.Variable, sx.Expression]] = field(default_factory=list)
    loops: bool = False
    resizes: bool = False
    threads: dict[str, None] = field(default_factory=dict)
    frees: bool = False
    jumps: bool = False
    writes_text: bool = False

    def include(self, other: Effects) -> None:
        """Include the effects of a part of the trees."""
        self.add(other)
        self.calls.update(other.calls)
        self.pointers += other.pointers
        self.references += other.references
        self.frees = self.frees or other.frees
        self.jumps = self.jumps or other.jumps
        self.writes_text = self.writes_text or other.writes_text

    def add(self, other: Effects, own: Set[sx.Variable] = frozenset()) -> None:
        """Include the effects of a called function, which has variables of its ``own`` in each call."""
        self.variables.update(dict.fromkeys(each for each in other.variables if each not in own))
        self.storage |= other.storage
        self.members |= other.members
        self.members_in_memory |= other.members_in_memory
        self.loops = self.loops or other.loops
        self.resizes = self.resizes or other.resizes
        self.threads.update(other.threads)


class _Mentions(Struct, frozen=True):
    """The variables that a tree names itself, and the functions with bodies that it calls."""

    variables: frozenset[sx.Variable]
    calls: frozenset[str]


class EffectTable:
    """Effects of trees of one unit, each found once: an inlined function is lowered at each of its calls."""

    def __init__(self, functions: Mapping[str, sx.Function]) -> None:
        """Start with no tree read."""
        self._functions = functions
        self._pointed_at: set[str] | None = None
        self._set_to_null: set[str] | None = None
        self._keys = {id(function.body): key for key, function in functions.items()}
        self._direct: dict[str, Effects] = {}
        self._own: dict[int, tuple[Tree, Effects]] = {}
        self._variables: dict[str, frozenset[sx.Variable]] = {}
        self._sizes: dict[str, int] = {}
        self._known: dict[tuple[int, ...], tuple[Sequence[Tree | None], Effects]] = {}
        self._named: dict[int, tuple[Tree, frozenset[sx.Variable]]] = {}
        self._mentioned: dict[int, tuple[Tree, _Mentions]] = {}

    def of(self, *trees: Tree | None) -> Effects:
        """Return the effects of some trees and of every function that they call, directly or not."""
        key = tuple(map(id, trees))
        known = self._known.get(key)
        if known is None:
            self._known[key] = known = (trees, self._with_called(trees))  # a tree that lives keeps its id
        return known[1]

    def of_call(self, key: str) -> Effects:
        """Return the effects of a function on what is there before it is called."""
        effects, own = self.of(self._functions[key].body), self._own_variables(key)
        return replace(effects, variables=dict.fromkeys(each for each in effects.variables if each not in own))

    def _own_variables(self, key: str) -> frozenset[sx.Variable]:
        """Return the variables that each call of a function has anew: in a recursive one they are not the caller's."""
        known = self._variables.get(key)
        if known is None:
            function = self._functions[key]
            declared = (node.variable for node in walk(function.body) if isinstance(node, sx.Declare))
            each_time = (variable for variable in declared if variable.storage is sx.Storage.LOCAL)
            self._variables[key] = known = frozenset((*function.parameters, *each_time))
        return known

    def variables_in(self, tree: Tree) -> frozenset[sx.Variable]:
        """Return the variables that a tree names, and those that the functions name which it calls, directly or not."""
        known = self._named.get(id(tree))
        if known is None:
            found = self._mentions(tree)
            variables, seen, waiting = set(found.variables), set(found.calls), [*found.calls]
            while waiting:
                called = self._mentions(self._functions[waiting.pop()].body)
                variables |= called.variables
                waiting += called.calls - seen
                seen |= called.calls
            self._named[id(tree)] = known = (tree, frozenset(variables))
        return known[1]

    def _mentions(self, tree: Tree) -> _Mentions:
        known = self._mentioned.get(id(tree))
        if known is None:
            variables, calls = set[sx.Variable](), set[str]()
            for node in walk(tree):
                if type(node) is sx.Name:
                    variables.add(node.variable)
                elif type(node) is sx.Call:
                    calls |= {node.function, *(key for _, key in node.bodies)} & self._functions.keys()
            self._mentioned[id(tree)] = known = (tree, _Mentions(frozenset(variables), frozenset(calls)))
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

    def called(self) -> frozenset[str]:
        """Return the keys of the functions that others call."""
        others = ((key, called) for key in self._functions for called in self._of_function(key).calls)
        return frozenset(called for key, called in others if called != key)

    def size(self, key: str) -> int:
        """Return the lines of a function and of all that it calls: a rough measure of the work to lower it."""
        known = self._sizes.get(key)
        if known is None:
            span = self._functions[key].span
            self._sizes[key] = own = span.end_line - span.line + 1  # also the answer within a recursion
            self._sizes[key] = known = own + sum(map(self.size, self._of_function(key).calls))
        return known

    def is_text_function(self, key: str) -> bool:
        """Return whether a function hands its list of arguments to one like ``vprintf``, so that it is like that."""
        return self._of_function(key).writes_text

    def _of_function(self, key: str) -> Effects:
        """Return the effects of a function itself, without those of the functions that it calls."""
        direct = self._direct.get(key)
        if direct is None:
            self._direct[key] = direct = self._of_trees((self._functions[key].body,))
        return direct

    def _of_these(self, trees: Sequence[Tree | None]) -> Effects:
        """Return the effects of some trees themselves, as a value that may be changed."""
        key = self._keys.get(id(trees[0])) if len(trees) == 1 else None
        if key is None:
            return self._of_trees(trees)
        found = Effects()
        found.include(self._of_function(key))
        return found

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
            found.add(direct, self._own_variables(key))
            waiting.extend(direct.calls)
        return found

    def _of_trees(self, trees: Iterable[Tree | None]) -> Effects:
        found = Effects()
        for tree in trees:
            if tree is not None:
                found.include(self._of_tree(tree))
        return found

    def _of_tree(self, tree: Tree) -> Effects:
        """Return the effects of a tree itself; the loops around one ask for them again and again."""
        known = self._own.get(id(tree))
        if known is None:
            self._own[id(tree)] = known = (tree, self._found_in(tree))
        return known[1]

    def _found_in(self, tree: Tree) -> Effects:
        found = Effects(loops=isinstance(tree, _LOOPS))
        for node in walk(*(children(tree) if found.loops else (tree,)), not_into=_LOOPS):
            if type(node) not in _WITH_EFFECTS:
                continue
            if isinstance(node, _LOOPS):
                found.include(self._of_tree(node))
                continue
            found.frees = found.frees or (isinstance(node, sx.Call) and node.name in _FREES)
            match node:
                case sx.Assign():
                    _add_target(found, node.target)
                    if not isinstance(node.target, sx.Name) and isinstance(kind := type_of(node.target), sx.StructT):
                        found.members_in_memory.update(entry.name for entry in kind.fields)
                case sx.Unary(operator="++x" | "--x" | "x++" | "x--" | "&"):
                    _add_target(found, node.operand)
                case sx.Call(name=name) if name in table().threads:
                    found.threads[table().threads[name]] = None
                case sx.Call(bodies=bodies) if bodies or node.function in self._functions:
                    for key in {node.function, *(key for _, key in bodies)} & self._functions.keys():
                        found.calls[key] = None
                        self._add_arguments(found, node, self._functions[key])
                case sx.Call(name=name, arguments=(target, *_)) if canonical_name(name) in table().atomics:
                    _add_pointed_at(found, target)
                case sx.Call(name=name, arguments=arguments) if canonical_name(name) in table().outputs:
                    for position, argument in enumerate(arguments):
                        if position in table().outputs[canonical_name(name)]:
                            _add_pointed_at(found, argument)
                case sx.Call(name=name, arguments=arguments) if canonical_name(name) in table().memory:
                    _add_memory_function(found, arguments, table().memory[canonical_name(name)])
                case sx.OpaqueExpression(called=called) if called is not None:
                    self._add_indirect(found, node)
                case sx.Call(name=name) if canonical_name(name) in table().forwarding:
                    found.writes_text = True
                case sx.Call(name="swap", arguments=arguments):
                    for argument in arguments:
                        _add_target(found, argument)
                case sx.Call(name=name, arguments=(owner, *_)) if name in table().resizing:
                    _add_resized(found, (owner,))
                case sx.Call() if handed := handed_containers(node):
                    _add_resized(found, handed)
                case sx.Break() | sx.Continue() | sx.Goto() | sx.Return():
                    found.jumps = True
                case sx.Declare(variable, initial) if variable.reference and not variable.constant and initial:
                    found.references.append((variable, initial))
                case sx.Declare(variable) if isinstance(variable.type, sx.PointerT):
                    found.pointers.append(variable)
        _add_referred(found)
        return found

    def _add_indirect(self, found: Effects, call: sx.OpaqueExpression) -> None:
        for key in self._with_addresses():
            found.calls[key] = None
            parameters = self._functions[key].parameters
            for argument in call.operands:
                if any(parameter.reference for parameter in parameters):
                    _add_target(found, argument)
                    _add_pointed_at(found, argument)

    def _with_addresses(self) -> set[str]:
        """Return the functions whose addresses the unit takes: a call through a pointer may be of each."""
        if self._pointed_at is None:
            nodes = (node for function in self._functions.values() for node in walk(function.body))
            self._pointed_at = {node.function for node in nodes if isinstance(node, sx.OpaqueExpression)}
            self._pointed_at &= self._functions.keys()
        return self._pointed_at

    def may_be_null(self, pointer: sx.Expression) -> bool:
        """Return whether a pointer is a member that the unit sets to null, in whatever object."""
        pointer = without_casts(pointer)
        if self._set_to_null is None:
            nodes = (node for function in self._functions.values() for node in walk(function.body))
            targets = (node.target for node in nodes if isinstance(node, sx.Assign) and is_null(node.value))
            members = (target for target in targets if isinstance(target, sx.Member))
            self._set_to_null = {member.name for member in members if isinstance(type_of(member), sx.PointerT)}
        return isinstance(pointer, sx.Member) and pointer.name in self._set_to_null

    def _add_arguments(self, found: Effects, call: sx.Call, function: sx.Function) -> None:
        """Add the storage that a function with a body may write, and the variables that it may change by reference."""
        for argument, parameter in zip(call.arguments, function.parameters, strict=False):
            if parameter.reference or may_be_address(parameter.type):
                _add_pointed_at(found, argument)
            if parameter.reference:
                _add_target(found, argument)


def _add_resized(found: Effects, containers: Iterable[sx.Expression]) -> None:
    for container in containers:
        found.resizes = True
        _add_target(found, container)
        _add_pointed_at(found, container)


def _add_memory_function(found: Effects, arguments: Sequence[sx.Expression], function: MemoryFunction) -> None:
    """Add what a copy or fill writes: it is a loop, where it is longer than one element."""
    if len(arguments) > max(function.target, function.size):
        _add_pointed_at(found, arguments[function.target])
        size = arguments[function.size]
        found.loops = found.loops or not isinstance(size, sx.Number) or size.value > _ONE_ELEMENT


def _add_target(found: Effects, target: sx.Expression, *, through_memory: bool = False) -> None:
    """Add the effects of an assignment to ``target``."""
    match target:
        case sx.Name(variable=variable) if through_memory:
            found.storage.add(variable.name)
        case sx.Name(variable=variable):
            found.variables[variable] = None
        case sx.Member(name=name):
            found.members.add(name)
            if not _is_own(target):
                found.members_in_memory.add(name)
        case sx.Index() | sx.Unary(operator="*") | sx.Call():
            through_memory = True
    for base in bases(target):
        _add_target(found, base, through_memory=through_memory)


def _is_own(member: sx.Member) -> bool:
    """Return whether a member is of an object that is a variable of the function: nothing in memory changes with it.

    It may be the object that a constructor makes, to which its own ``this`` points; that of a closure is constant.
    """
    base: sx.Expression = member
    while isinstance(base, sx.Member):
        base = base.base
    if isinstance(base, sx.Unary) and base.operator == "*" and isinstance(base.operand, sx.Name):
        pointer = base.operand.variable
        return pointer.name == _THIS and pointer.storage is sx.Storage.LOCAL and not pointer.constant
    if not isinstance(base, sx.Name) or not isinstance(base.variable.type, sx.StructT) or base.variable.reference:
        return False
    return base.variable.storage is sx.Storage.LOCAL


def _add_referred(found: Effects) -> None:
    """Add what references are bound to through which something is written."""
    left = found.references
    while written := [each for each in left if each[0] in found.variables or each[0].name in found.storage]:
        left = [each for each in left if each not in written]
        for variable, initial in written:
            _add_target(found, initial, through_memory=variable not in found.variables)


def with_pointed_at(body: sx.Statement, storage: Set[str]) -> frozenset[str]:
    """Return the names of written storage with those of what pointers of these names are set to in a function."""
    origins: dict[str, set[str]] = {}
    for node in walk(body):
        match node:
            case sx.Declare(variable=pointer, initial=value) if value is not None:
                pass
            case sx.Assign(target=sx.Name(variable=pointer), value=value):
                pass
            case _:
                continue
        if isinstance(pointer.type, sx.PointerT) and not pointer.type.owns:
            origins.setdefault(pointer.name, set()).update(name.variable.name for name in roots(value))
    found, waiting = set(storage), [*storage]
    while waiting:
        new = origins.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return frozenset(found)


def _add_pointed_at(found: Effects, argument: sx.Expression) -> None:
    """Add the storage that an argument points at; ``&x`` is a target wherever it is written."""
    if not is_address(argument) and not isinstance(argument, _PARTS_OF_OBJECTS):
        return
    for name in roots(argument):
        if isinstance(name.variable.type, sx.PointerT | sx.ArrayT | sx.StructT):
            found.storage.add(name.variable.name)
