"""What libraries run on the GPU beside the kernels of a file: calls of Thrust, CUB, cuBLAS and others.

Calls whose loops our headers have are kernels with rows; the other ones are named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from msgspec import Struct

from ....diagnostics import Diagnostic
from ....ir.nodes import Loop, Region
from ....ir.walk import walk as walk_region
from ...known_functions import table
from ...surface import nodes as sx
from ...surface.traverse import walk
from ..functions.device_libraries import (
    functions_with_loops,
    functions_with_open_kernels,
    is_open_algorithm,
    library_of,
    runs_on_device,
)
from ..functions.effects import EffectTable


def callers_of_kernels(unit: sx.Unit) -> Set[str]:
    """Return the keys of the functions of the host, beside kernels, that call algorithms whose kernels have rows."""
    modelled = functions_with_loops(unit.functions) if _has_kernels(unit) else {}
    if not modelled:
        return frozenset()
    return {
        key
        for key, function in unit.functions.items()
        if _is_of_host(function) and any(_has_row(call, modelled) for call in _calls(function))
    }


def about_kernels(region: Region, diagnostics: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield the findings of a function of the host at the kernels of libraries, and in the loops around them."""
    visits = [visit for visit in walk_region(region) if isinstance(visit.node, Loop) and visit.node.offload]
    spans = [(*visit.loops, visit.node)[0].span for visit in visits]
    lines = {line for span in spans for line in range(span.line, span.end_line + 1)}
    yield from (found for found in diagnostics if found.span.line in lines)


def library_kernels(unit: sx.Unit, effects: EffectTable, *, rows: bool) -> Iterator[Diagnostic]:
    """Yield which algorithms are left out beside the kernels of a file, a message for each function that calls some.

    Those whose loops our headers have are not left out if such kernels have ``rows``.
    """
    if not _has_kernels(unit):
        return
    known = _Libraries.of(unit, effects, rows=rows)
    for function in filter(_is_of_host, unit.functions.values()):
        calls = [call for call in _calls(function) if known.leaves_out(call)]
        if calls:
            names = {known.name(call) for call in calls}
            first = min(calls, key=lambda call: call.span.line)
            yield Diagnostic.of("AI201", first.span, "library", names=tuple(sorted(names)))


class _Libraries(Struct, frozen=True):
    """The functions from headers of libraries, those of them with rows, and with kernels at all."""

    libraries: Mapping[str, str]
    modelled: Mapping[str, str]
    launching: Set[str]

    @classmethod
    def of(cls, unit: sx.Unit, effects: EffectTable, *, rows: bool) -> _Libraries:
        functions = unit.functions
        libraries = {key: library for key, function in functions.items() if (library := library_of(function))}
        launching = {*functions_with_open_kernels(functions), *(effects.with_loops() & libraries.keys())}
        return cls(libraries, functions_with_loops(functions) if rows else {}, launching)

    def leaves_out(self, call: sx.Call) -> bool:
        """Return whether a call runs kernels on the GPU that have no row."""
        if is_open_algorithm(call) or table().launches(call.function):
            return True
        if call.function not in self.launching or _has_row(call, self.modelled):
            return False
        return runs_on_device(call, self.libraries[call.function]) is not False

    def name(self, call: sx.Call) -> str:
        """Return how a message names the function of a call."""
        library = "thrust" if is_open_algorithm(call) else self.libraries.get(call.function, "")
        return f"{library}::{call.name}" if library else call.name


def _calls(function: sx.Function) -> Iterator[sx.Call]:
    return (node for node in walk(function.body) if isinstance(node, sx.Call))


def _has_kernels(unit: sx.Unit) -> bool:
    return any(function.kind is sx.FunctionKind.KERNEL for function in unit.functions.values())


def _is_of_host(function: sx.Function) -> bool:
    return function.kind is sx.FunctionKind.HOST and function.listed


def _has_row(call: sx.Call, modelled: Mapping[str, str]) -> bool:
    return call.function in modelled and bool(runs_on_device(call, modelled[call.function]))
