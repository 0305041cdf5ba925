"""What libraries run on the GPU beside the kernels of a file: calls of Thrust in host functions, which have no rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from ...diagnostics import Diagnostic
from ..surface import nodes as sx
from ..surface.traverse import walk
from .functions.effects import EffectTable

_LIBRARIES = frozenset({"thrust"})  # folders of our headers


def library_kernels(unit: sx.Unit, effects: EffectTable) -> Iterator[Diagnostic]:
    """Yield which algorithms are left out beside the kernels of a file, a message for each function that calls some."""
    functions = unit.functions
    if not any(function.kind is sx.FunctionKind.KERNEL for function in functions.values()):
        return
    libraries = {key: library for key, function in functions.items() if (library := _library(function))}
    looping = effects.with_loops() & libraries.keys() if libraries else frozenset()
    for function in functions.values():
        if not looping or function.kind is not sx.FunctionKind.HOST or not function.listed:
            continue
        calls = [node for node in walk(function.body) if isinstance(node, sx.Call) and node.function in looping]
        if calls:
            names = sorted({f"{libraries[call.function]}::{call.name}" for call in calls})
            first = min(calls, key=lambda call: call.span.line)
            yield Diagnostic.of("AI201", first.span, "library", names=tuple(names))


def _library(function: sx.Function) -> str:
    """Return the library whose header a function is from, empty for none."""
    return next((part for part in PurePath(function.span.path).parts[:-1] if part in _LIBRARIES), "")
