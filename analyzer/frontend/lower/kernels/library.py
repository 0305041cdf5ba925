"""What libraries run on the GPU beside the kernels of a file, without rows: calls of Thrust, CUB, cuBLAS and others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from ....diagnostics import Diagnostic
from ...known_functions import table
from ...surface import nodes as sx
from ...surface.traverse import walk
from ..functions.effects import EffectTable

_LIBRARIES = frozenset({"thrust", "cub"})  # folders of our headers
_KERNELS = "__rest_of_"  # by which our headers call the kernels that a function of CUB launches


def library_kernels(unit: sx.Unit, effects: EffectTable) -> Iterator[Diagnostic]:
    """Yield which algorithms are left out beside the kernels of a file, a message for each function that calls some."""
    functions = unit.functions
    if not any(function.kind is sx.FunctionKind.KERNEL for function in functions.values()):
        return
    libraries = {key: library for key, function in functions.items() if (library := _library(function))}
    launching = {key for key in libraries if _launches(functions[key])}
    launching |= effects.with_loops() & libraries.keys() if libraries else set()
    for function in functions.values():
        if function.kind is not sx.FunctionKind.HOST or not function.listed:
            continue
        calls = [node for node in walk(function.body) if isinstance(node, sx.Call)]
        calls = [call for call in calls if call.function in launching or table().launches(call.function)]
        if calls:
            names = dict.fromkeys(_name(libraries.get(call.function, ""), call) for call in calls)
            first = min(calls, key=lambda call: call.span.line)
            yield Diagnostic.of("AI201", first.span, "library", names=tuple(sorted(names)))


def _launches(function: sx.Function) -> bool:
    return any(isinstance(node, sx.Call) and node.name.startswith(_KERNELS) for node in walk(function.body))


def _name(library: str, call: sx.Call) -> str:
    return f"{library}::{call.name}" if library else call.name


def _library(function: sx.Function) -> str:
    """Return the library whose header a function is from, empty for none."""
    return next((part for part in PurePath(function.span.path).parts[:-1] if part in _LIBRARIES), "")
