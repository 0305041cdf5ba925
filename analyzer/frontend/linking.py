"""A file of C or C++ with what it takes from the other files of its program: ``Unit`` + other units -> ``Unit``.

Functions are found by linkage name, which is their key: the name in C, clang's USR in C++.  A body brings along what it
calls; ``static`` functions stay those of their file (their keys get its path).  Globals of one linkage name are one
variable: the one whose declaration has extents and a value; one that is written somewhere has no known value.
Other files are asked for in the order in which calls need them, each once.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..diagnostics import Diagnostic
from ..source import Span
from .related_files import nearest
from .surface import nodes as sx
from .surface.traverse import Tree, map_children, walk

Read = Callable[[str], sx.Unit | None]
Words = Callable[[Span], frozenset[str]]


class Linked(Struct, frozen=True):
    """A unit with the bodies and globals of its program, and findings for names that are defined more than once."""

    unit: sx.Unit
    diagnostics: tuple[Diagnostic, ...]


def _no_words(_span: Span) -> frozenset[str]:
    return frozenset()


def link(unit: sx.Unit, others: Mapping[str, frozenset[str]], read: Read, words: Words = _no_words) -> Linked:
    """Link a unit with other files of its program, given by path with the names that each may define.

    ``read`` gives the unit of a file, None where it cannot be read; ``words`` those of the text at a position, by which
    a function is found whose name is a macro there and where it is defined.
    """
    return _Linker(unit, others, read, unit.functions.values(), words).linked()


def link_device_code(
    unit: sx.Unit, others: Mapping[str, frozenset[str]], read: Read, words: Words = _no_words
) -> Linked:
    """Link the kernels of a unit with device functions of other files, as ``nvcc -rdc=true`` does.

    Arguments are those of :func:`link`; globals stay those of each file.
    """
    device = [item for item in unit.functions.values() if item.kind is not sx.FunctionKind.HOST]
    return _Linker(unit, others, read, device, words).with_functions()


class _Linker:
    def __init__(
        self,
        unit: sx.Unit,
        others: Mapping[str, frozenset[str]],
        read: Read,
        callers: Iterable[sx.Function],
        words: Words,
    ) -> None:
        self._unit = unit
        self._others = others
        self._read = read
        self._words = words
        self._units: dict[str, sx.Unit | None] = {}
        self._functions = dict(unit.functions)
        self._diagnostics: list[Diagnostic] = []
        self._waiting = deque(_unknown_calls(callers, self._functions))

    def linked(self) -> Linked:
        """Return the unit with everything that it needs and the program has."""
        self._find()
        return Linked(self._with_globals(), tuple(self._diagnostics))

    def with_functions(self) -> Linked:
        """Return the unit with the functions that it needs and the program has; globals stay those of each file."""
        self._find()
        return Linked(replace(self._unit, functions=self._functions), tuple(self._diagnostics))

    def _find(self) -> None:
        seen: set[str] = set()
        while self._waiting:
            call = self._waiting.popleft()
            if call.function in self._functions or call.function in seen:
                continue
            seen.add(call.function)
            definition = self._definition(call)
            if definition is not None:
                self._take(*definition)

    def _definition(self, call: sx.Call) -> tuple[sx.Unit, str] | None:
        """Return the unit that defines what is called; None where none does, or where it is not clear which."""
        found = {}
        named = self._with(call.name) or [path for name in self._words(call.span) for path in self._with(name)]
        for path in dict.fromkeys(named):
            unit = self._of(path)
            function = None if unit is None else unit.functions.get(call.function)
            if unit is not None and function is not None and _can_be_called(function):
                found[path] = unit
        chosen = nearest(self._unit.path, list(found))
        if len(chosen) > 1:
            files = tuple(chosen)
            self._diagnostics.append(Diagnostic.of("AI201", call.span, "ambiguous", function=call.name, files=files))
        return (found[chosen[0]], call.function) if len(chosen) == 1 else None

    def _with(self, name: str) -> list[str]:
        """Return the files that may define a name."""
        return [path for path, names in self._others.items() if name in names]

    def _of(self, path: str) -> sx.Unit | None:
        if path not in self._units:
            self._units[path] = self._read(path)
        return self._units[path]

    def _take(self, unit: sx.Unit, key: str) -> None:
        """Add a function and what it calls in its own file."""
        reached = list(_reached(unit, key))
        renamed = {item.key: f"{item.key} in {unit.path}" for item in reached if item.is_static}
        taken = [_as_inlined(item, renamed) for item in reached]
        for function in taken:
            self._functions.setdefault(function.key, function)
        self._waiting.extend(_unknown_calls(taken, self._functions))

    def _with_globals(self) -> sx.Unit:
        """Return the unit with one variable for each global."""
        wanted = {item.linkage for unit in self._read_units() for item in unit.globals if _lacks_definition(item)}
        names = {linkage.rpartition("@")[2] for linkage in wanted}
        for path, defined in self._others.items():  # besides the files that calls lead to
            if not names.isdisjoint(defined):
                self._of(path)
        units = self._read_units()
        if len(units) == 1:
            return self._unit
        shared = _shared(units)
        functions = {key: _with_variables(item, shared) for key, item in self._functions.items()}
        everything = dict.fromkeys(shared.get(item, item) for unit in units for item in unit.globals)
        return replace(self._unit, functions=functions, globals=tuple(everything))

    def _read_units(self) -> list[sx.Unit]:
        return [self._unit, *(unit for unit in self._units.values() if unit is not None)]


def _unknown_calls(functions: Iterable[sx.Function], known: Mapping[str, object]) -> list[sx.Call]:
    nodes = (node for function in functions for node in walk(function.body))
    return [call for node in nodes for call in _calls(node) if call.function not in known]


def _calls(node: Tree) -> Iterator[sx.Call]:
    """Yield the calls that a node may be: of each body of a virtual method, and of a function whose address it is."""
    match node:
        case sx.Call(bodies=bodies):
            yield node
            yield from (replace(node, function=key) for _, key in bodies if key)
        case sx.OpaqueExpression(function=key, what=what) if key:
            yield sx.Call(key, str(dict(what.fields).get("name", key)), (), node.type, node.span)


def _reached(unit: sx.Unit, key: str) -> Iterator[sx.Function]:
    """Yield a function of a unit and those that it calls there, themselves or by way of others."""
    waiting, seen = [key], {key}
    while waiting:
        function = unit.functions[waiting.pop()]
        yield function
        for node in walk(function.body):
            for called in (call.function for call in _calls(node)):
                if called in unit.functions and called not in seen:
                    seen.add(called)
                    waiting.append(called)


def _can_be_called(function: sx.Function) -> bool:
    """Return whether other files may take this body: that of a function of the file itself, which is not ``static``."""
    return not function.is_static and (
        function.kind is sx.FunctionKind.DEVICE or (function.listed and function.kind is sx.FunctionKind.HOST)
    )


def _as_inlined(function: sx.Function, renamed: Mapping[str, str]) -> sx.Function:
    """Return the function as one that is there only to be inlined; calls have the new keys of ``static`` functions."""

    def call(tree: Tree) -> Tree:
        tree = map_children(tree, call)
        if isinstance(tree, sx.Call | sx.OpaqueExpression) and tree.function in renamed:
            return replace(tree, function=renamed[tree.function])
        return tree

    key = renamed.get(function.key, function.key)
    body = map_children(function.body, call) if renamed else function.body
    return replace(function, key=key, body=body, listed=False, is_linked=True)


def _lacks_definition(variable: sx.Variable) -> bool:
    """Return whether another declaration of a global may tell its extents or its value."""
    if not variable.linkage:
        return False
    kind = variable.type
    while isinstance(kind, sx.ArrayT):
        if kind.extent is None:
            return True
        kind = kind.element
    return variable.initial is None and isinstance(kind, sx.ScalarT) and kind is variable.type


def _shared(units: Sequence[sx.Unit]) -> dict[sx.Variable, sx.Variable]:
    """Return the one variable behind each global that several units name; one that is written has no known value."""
    chosen: dict[str, sx.Variable] = {}
    count: Counter[str] = Counter()
    for variable in (item for unit in units for item in unit.globals if item.linkage):
        count[variable.linkage] += 1
        known = chosen.setdefault(variable.linkage, variable)
        if _lacks_definition(known) and not _lacks_definition(variable):
            chosen[variable.linkage] = variable
    kept = {chosen[name].linkage for name, times in count.items() if times > 1 and chosen[name].kept is not sx.Kept.NO}
    written = {name for unit in units for name in _written(unit)} if kept else set()
    for name in kept & written:
        chosen[name] = replace(chosen[name], initial=None, kept=sx.Kept.NO)
    return {
        variable: chosen[variable.linkage]
        for unit in units
        for variable in unit.globals
        if count[variable.linkage] > 1 and chosen[variable.linkage] is not variable
    }


def _written(unit: sx.Unit) -> Iterator[str]:
    """Yield the linkage names of the globals that some function of a unit may write, by name or through an address."""
    for function in unit.functions.values():
        for node in walk(function.body):
            match node:
                case sx.Assign(target=sx.Name(variable)):
                    yield variable.linkage
                case sx.Unary(operator=("&" | "++x" | "--x" | "x++" | "x--"), operand=sx.Name(variable)):
                    yield variable.linkage
                case sx.Call(arguments=arguments):
                    yield from (item.variable.linkage for item in arguments if isinstance(item, sx.Name))


def _with_variables(function: sx.Function, shared: Mapping[sx.Variable, sx.Variable]) -> sx.Function:
    if not shared:
        return function

    def named(tree: Tree) -> Tree:
        if isinstance(tree, sx.Name):
            return replace(tree, variable=shared[tree.variable]) if tree.variable in shared else tree
        return map_children(tree, named)

    body = map_children(function.body, named)
    return function if body is function.body else replace(function, body=body)
