"""One program to run: its functions and globals, what is given from outside, and facts of it that hold in every run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count

from ..lower.functions.effects import EffectTable
from ..surface import nodes as sx
from ..surface.traverse import walk
from ..surface.types import type_of
from .launch_slice import Name, Relevance
from .program import launches_in, launching_functions, linked, shared_globals
from .random_numbers import RandomNumbers


class LinkedProgram:
    """A program of several units; what is worked out of a function or a loop is worked out once."""

    def __init__(
        self,
        units: Sequence[sx.Unit],
        arguments: Sequence[str] | None,
        defines: Mapping[str, int] | None,
        device: Mapping[str, int] | None = None,
        needed: frozenset[Name] = frozenset(),
        *,
        is_environment_empty: bool = False,
    ) -> None:
        """Link the units; ``arguments`` are those of the command line, ``defines`` values of variables by name.

        ``device`` are properties of the GPU by their names in the CUDA runtime; ``needed`` are variables and members
        whose values are wanted too.  Where the ``is_environment_empty``, ``getenv`` finds nothing.
        """
        self.arguments = arguments
        self.defines = defines or {}
        self.device = device or {}
        self.is_environment_empty = is_environment_empty
        self.functions = linked(units)
        self.shared = shared_globals(units)
        self.launching = launching_functions(self.functions)
        self.relevance = Relevance(self.functions, self.launching, needed)
        self.random_numbers = RandomNumbers(self.functions)
        self.source_numbers = count(1)
        self._effects = EffectTable(self.functions)
        self._launch_loops: dict[int, tuple[sx.Statement, bool]] = {}
        self._types: dict[int, tuple[sx.Expression, sx.CType]] = {}
        self._locals: dict[str, tuple[sx.Variable, ...]] = {}
        self._outputs: dict[str, tuple[str, ...]] = {}
        self._overrides: dict[str, list[sx.Function]] | None = None
        self._written_members: frozenset[str] | None = None

    def has_launch(self, loop: sx.For | sx.While) -> bool:
        """Return whether the body of a loop launches a kernel, itself or by a call."""
        known = self._launch_loops.get(id(loop))
        if known is None:
            self._launch_loops[id(loop)] = known = (loop, launches_in(loop.body, self.launching))
        return known[1]

    def type_of(self, expression: sx.Expression) -> sx.CType:
        """Return the type of an expression."""
        known = self._types.get(id(expression))
        if known is None:
            self._types[id(expression)] = known = (expression, type_of(expression))
        return known[1]

    def overrides(self, name: str) -> Sequence[sx.Function]:
        """Return the virtual methods of a name, of all classes."""
        if self._overrides is None:
            self._overrides = {}
            for item in self.functions.values():
                if item.is_virtual:
                    self._overrides.setdefault(item.name.rsplit("::", 1)[-1], []).append(item)
        return self._overrides.get(name, [])

    def local_variables(self, function: sx.Function) -> tuple[sx.Variable, ...]:
        """Return the parameters and local variables of a function."""
        own = self._locals.get(function.key)
        if own is None:
            declared = (node.variable for node in walk(function.body) if isinstance(node, sx.Declare))
            own = (*function.parameters, *(item for item in declared if item.storage is sx.Storage.LOCAL))
            self._locals[function.key] = own
        return own

    def outputs(self, kernel: sx.Function) -> tuple[str, ...]:
        """Return the parameters of a kernel through which it may write numbers, "" for the others."""
        known = self._outputs.get(kernel.key)
        if known is None:
            written = self._effects.of(kernel.body)
            names = written.storage | _handed_on(kernel)
            known = tuple(
                item.name if _shows_numbers(item.type) and (written.pointers or item.name in names) else ""
                for item in kernel.parameters
            )
            self._outputs[kernel.key] = known
        return known

    def written_members(self) -> frozenset[str]:
        """Return the members that some function of the device writes."""
        if self._written_members is None:
            device = [item for item in self.functions.values() if item.kind is not sx.FunctionKind.HOST]
            self._written_members = frozenset().union(*(self._effects.of(item.body).members for item in device))
        return self._written_members


def _handed_on(kernel: sx.Function) -> set[str]:
    """Return the names that a kernel gives to functions."""
    return {
        name.variable.name
        for node in walk(kernel.body)
        if isinstance(node, sx.Call)
        for argument in node.arguments
        for name in (argument.operand if isinstance(argument, sx.Cast) else argument,)
        if isinstance(name, sx.Name)
    }


def _shows_numbers(kind: sx.CType) -> bool:
    return isinstance(kind, sx.PointerT) and isinstance(kind.target, sx.ScalarT)
