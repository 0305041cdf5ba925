"""Constant propagation through host code: which kernels are launched, with what grid, block and arguments.

Starts at ``main`` (with the program's command line where it is given), then at every function that launches a kernel
nobody reached.  Known conditions choose a branch; unknown ones run both and keep what they agree on.  What stays
unknown is a symbol of the kernel's region, and its sources say why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from msgspec import field
from msgspec.structs import replace

from ...ir.nodes import Launch
from ...ir.types import ElementType
from ...source import Span
from ..lower.effects import EffectTable
from ..lower.kernels import KernelLaunch
from ..surface import nodes as sx
from ..surface.traverse import walk
from .launch_slice import Relevance
from .library.getopt import OptionScanner
from .memory import Memory
from .program import launching_functions, linked, shared_globals
from .solve import Solved
from .state import Leave
from .statements import Statements
from .tally import LaunchKey, Site, Tally
from .values import UNKNOWN, Code, Fields, Reference, Source, Strings, Unknown, Value, as_number, converted, flattened

_FEW = 64
_ELEMENT = re.compile(r"\[\d+\]")
_Triple = tuple[int | None, int | None, int | None]


class FoundLaunch(KernelLaunch, frozen=True):
    """A launch that the host code makes; ``missing`` are its unknown parts: ``gridDim.x``, ``blockDim.y``, ``n``.

    ``sizes`` are numbers of the host code that a launch given by the user tells.  ``site`` is where it is made,
    ``open_in`` the loop around it that was not followed to its end; ``differs`` are its parts that are not known and
    not the same each time.
    """

    missing: Mapping[str, Unknown] = field(default_factory=dict)
    sizes: tuple[tuple[Source, Solved], ...] = ()
    site: Site = ()
    open_in: Span | None = None
    differs: tuple[str, ...] = ()


def find_launches(
    units: Sequence[sx.Unit],
    program_arguments: Sequence[str] | None = None,
    defines: Mapping[str, int] | None = None,
) -> tuple[FoundLaunch, ...]:
    """Launches in the order in which they are met, those that differ in a known part or in where they are made apart.

    ``units`` are linked: a function without a body in its own unit is looked for by name in the others.

    ``program_arguments`` is the command line without the program; ``defines`` are values of variables by name.
    """
    return _Host(linked(units), shared_globals(units), program_arguments, defines or {}).launches()


class _Host(Statements):
    def __init__(
        self,
        functions: Mapping[str, sx.Function],
        shared: dict[sx.Variable, sx.Variable],
        arguments: Sequence[str] | None,
        defines: Mapping[str, int],
    ) -> None:
        launching = launching_functions(functions)
        super().__init__(functions, shared, launching, Relevance(functions, launching), defines)
        self._arguments = arguments
        self._found: dict[LaunchKey, FoundLaunch] = {}
        self._differs: dict[LaunchKey, dict[str, None]] = {}
        self._open: dict[tuple[str, Site], Span] = {}
        self._known: frozenset[tuple[str, Launch]] = frozenset()  # found from another start
        self._written: frozenset[str] | None = None
        self._outputs: dict[str, tuple[str, ...]] = {}
        self._passed: dict[str, FoundLaunch] = {}  # met only where a loop is no longer followed

    def launches(self) -> tuple[FoundLaunch, ...]:
        order = sorted(
            {item.key: item for item in self._functions.values() if item.key in self._launching}.values(),
            key=lambda function: function.name != "main",
        )
        made: list[FoundLaunch] = []
        for function in order:
            reached = {found.kernel for found in made}
            if function.name == "main" or not self._launching[function.key] - {""} <= reached:
                self._start(function)
                made += self._made()
                reached = {found.kernel for found in made}
                made += [item for item in self._passed.values() if item.kernel not in reached]
                self._known = frozenset((item.kernel, item.launch) for item in made)
        return tuple(made)

    def _start(self, function: sx.Function) -> None:
        """Run a function that nobody who was run calls."""
        self._memory, self._steps, self._options, self._tally = Memory(), 0, OptionScanner(), Tally.empty()
        self._frames.clear()
        self._path.clear()
        self._apart = None
        self._doubts = self._launching_steps = 0
        self._unfollowed = None
        self._found.clear()
        self._differs.clear()
        self._open.clear()
        self._passed.clear()
        with suppress(Leave):
            self._enter(function, self._program(function))
        if self._is_spent:
            for key in self._found:
                self._open.setdefault((key.kernel, key.site), function.span)

    def _made(self) -> Iterator[FoundLaunch]:
        """The launches of the run that ended, with how often they were made."""
        for key, (least, most) in self._tally.counts.items():
            yield replace(
                self._found[key],
                least=least,
                most=most,
                site=key.site,
                open_in=self._open.get((key.kernel, key.site)),
                differs=tuple(self._differs.get(key, ())),
            )

    def _program(self, function: sx.Function) -> list[Value]:
        """The arguments of ``main``, and of what nobody calls."""
        if function.name == "main" and self._arguments is not None:
            return [len(self._arguments) + 1, Strings(("program", *self._arguments))]
        reason = "is on the command line" if function.name == "main" else f"is an argument of {function.name}"
        return [self._unknown(parameter.name, reason, parameter) for parameter in function.parameters]

    def _launch(self, expression: sx.Launch) -> None:
        grid, open_grid = self._triple(expression.grid, "gridDim")
        block, open_block = self._triple(expression.block, "blockDim")
        shared = 0 if expression.shared is None else as_number(self._value(expression.shared))
        source = f"{expression.span.path.rsplit('/', 1)[-1]}:{expression.span.line}"
        launch = Launch(grid, block, int(shared) if shared is not None else None, source)
        called = None if expression.called is None else self._value(expression.called)
        key = called.key if isinstance(called, Code) else expression.function
        kernel = self._functions.get(key)
        if kernel is None:
            return
        site = (*self._path, id(expression))
        values = self._arguments_of(kernel, expression.arguments)
        parts = {**self._constants(), **dict(self._behind(kernel, values)), **dict(_parameters(kernel, values))}
        arguments = {name: value for name, value in parts.items() if isinstance(value, int)}
        missing = {name: value for name, value in parts.items() if isinstance(value, Unknown)}
        self._note(FoundLaunch(key, launch, arguments, missing=open_grid | open_block | missing), site)
        for name, value in zip(self._written_through(kernel), values, strict=False):
            if name and isinstance(value, Reference) and self._memory.of(value.variable):
                self._set_by(kernel.name, value, expression)

    def _note(self, found: FoundLaunch, site: Site) -> None:
        """Count a launch where it is run, else only that there may be more."""
        if self._apart is not None:
            self._passed.setdefault(found.kernel, replace(found, least=0, site=site, open_in=self._apart.span))
            if self._unfollowed is not None:
                self._open.setdefault((found.kernel, site), self._unfollowed)
            return
        if (found.kernel, found.launch) in self._known:
            return
        arguments, missing = frozenset(found.arguments.items()), frozenset(found.missing)
        key = LaunchKey(found.kernel, found.launch, arguments, missing, site)
        known = self._found.setdefault(key, found)
        if known.missing != found.missing:
            names = [name for name, value in found.missing.items() if known.missing[name] != value]
            self._differs.setdefault(key, {}).update(dict.fromkeys(names))
        is_certain = not self._doubts and not any(frame.torn for frame in self._frames)
        self._tally.add(key, int(is_certain), 1)

    def _constants(self) -> dict[str, Value]:
        """Whole numbers that the host copied to ``__constant__`` variables."""
        found: dict[str, Value] = {}
        for variable in self._memory.variables():
            if variable.storage is sx.Storage.CONSTANT and variable in self._static:
                parts = self._memory.of(variable) or {}
                found.update({variable.name + path: value for path, value in parts.items() if isinstance(value, int)})
        return found

    def _behind(self, kernel: sx.Function, values: Sequence[Value]) -> Iterator[tuple[str, Value]]:
        """Whole members of the one struct that a pointer shows, where no kernel writes them, and a few elements."""
        for parameter, value in zip(kernel.parameters, values, strict=False):
            kind = parameter.type.target if isinstance(parameter.type, sx.PointerT) else sx.UnknownT("")
            if not isinstance(value, Reference) or value.path != "[0]":
                continue
            parts = self._memory.of(value.variable) or {}
            if len(parts) > _FEW:
                continue
            for path, held in parts.items():
                member = path.removeprefix("[0].")
                if not isinstance(held, int):
                    continue
                if isinstance(kind, sx.StructT) and member != path and member not in self._written_members():
                    yield f"{parameter.name}->{member}", held
                elif _is_whole(kind) and _ELEMENT.fullmatch(path):
                    yield parameter.name + path, held

    def _written_through(self, kernel: sx.Function) -> tuple[str, ...]:
        """The parameters of a kernel through which it may write numbers, "" for the others."""
        known = self._outputs.get(kernel.key)
        if known is None:
            effects = EffectTable(self._functions).of(kernel.body)
            handed = {
                name.variable.name
                for node in walk(kernel.body)
                if isinstance(node, sx.Call)
                for argument in node.arguments
                for name in (argument.operand if isinstance(argument, sx.Cast) else argument,)
                if isinstance(name, sx.Name)
            }
            known = tuple(
                item.name
                if isinstance(item.type, sx.PointerT)
                and isinstance(item.type.target, sx.ScalarT)
                and (effects.pointers or item.name in effects.storage | handed)
                else ""
                for item in kernel.parameters
            )
            self._outputs[kernel.key] = known
        return known

    def _written_members(self) -> frozenset[str]:
        """Members that some function of the device writes."""
        if self._written is None:
            device = [item for item in self._functions.values() if item.kind is not sx.FunctionKind.HOST]
            table = EffectTable(self._functions)
            self._written = frozenset().union(*(table.of(item.body).members for item in device))
        return self._written

    def _triple(self, expression: sx.Expression | None, name: str) -> tuple[_Triple, dict[str, Unknown]]:
        value = UNKNOWN if expression is None else self._value(expression)
        if isinstance(value, Fields):
            found = [value.parts.get(f".{axis}", UNKNOWN) for axis in "xyz"]
        else:
            found = [value, 1, 1] if as_number(value) is not None else [value, *_others(value)]
        missing = {f"{name}.{axis}": item for axis, item in zip("xyz", found, strict=True) if isinstance(item, Unknown)}
        numbers = [as_number(item) for item in found]
        x, y, z = (int(number) if number is not None and number > 0 else None for number in numbers)
        return (x, y, z), missing


def _others(value: Value) -> tuple[Value, Value]:
    """The other two extents where the first is unknown: 1 where it is a number."""
    is_number = isinstance(value, Unknown) and value.operator != "?"
    return (1, 1) if is_number else (value, value)


def _parameters(kernel: sx.Function, values: Sequence[Value]) -> Iterator[tuple[str, Value]]:
    for parameter, value in zip(kernel.parameters, values, strict=False):
        for path, known in flattened("", converted(value, parameter.type)):
            if _is_whole(_part(parameter.type, path)):
                yield parameter.name + path, known


def _part(kind: sx.CType, path: str) -> sx.CType:
    """The type of a member of a member of a struct."""
    for name in path.split(".")[1:]:
        if isinstance(kind, sx.ScalarT):  # int2
            return sx.ScalarT(ElementType(kind.element.scalar))
        fields = kind.fields if isinstance(kind, sx.StructT) else ()
        kind = next((item.type for item in fields if item.name == name), sx.UnknownT(name))
    return kind


def _is_whole(kind: sx.CType) -> bool:
    return isinstance(kind, sx.ScalarT) and kind.element.scalar.is_integer and kind.element.lanes == 1
