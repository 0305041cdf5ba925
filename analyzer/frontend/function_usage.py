"""What the functions of a file call and do besides arithmetic: ``Unit`` -> values of :mod:`analyzer.usage`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ..usage import CallSite, Clue, FunctionUsage, Lines, Occurrence
from .known_functions import table
from .surface import nodes as sx
from .surface.traverse import Tree, children, walk
from .surface.types import type_of

_LOOPS = (sx.For, sx.While, sx.Repeated)
_CONDITIONS = (sx.If, sx.Switch, sx.Conditional)
_THREADS = frozenset({"thread", "jthread", "future"})
_DISTRIBUTION = "_distribution"
_RANDOM = "rand"  # in the name of a generator that the program has itself


def function_usage(unit: sx.Unit) -> tuple[FunctionUsage, ...]:
    """Return the usage of the functions of a unit that are its own, without those of our headers."""
    own_headers = str(Path(__file__).with_name("headers"))
    return tuple(
        _usage(function, unit.functions)
        for function in unit.functions.values()
        if not function.is_linked and not function.span.path.startswith(own_headers)
    )


def _usage(function: sx.Function, functions: Mapping[str, sx.Function]) -> FunctionUsage:
    calls: list[CallSite] = []
    clues: list[Occurrence] = []
    owned: set[int] = set()  # calls that make the memory of a local container, which frees it
    for node, loops, condition in _nodes(function.body):
        line = node.span.line
        if isinstance(node, sx.Launch) and node.function:
            calls.append(CallSite(node.function, line, loops, condition))
        if isinstance(node, sx.Declare) and isinstance(node.variable.type, sx.PointerT) and node.variable.type.owns:
            owned.update(map(id, walk(node.initial)))
        if not isinstance(node, sx.Call) or id(node) in owned:
            continue
        known = [key for key in (node.function, *(key for _, key in node.bodies)) if key in functions]
        if known or not _is_of_library(node):
            calls.extend(CallSite(key, line, loops, condition) for key in known or [node.function])
        clues.extend(Occurrence(clue, line, condition) for clue in _clues(node))
        if any(_grows(functions[key]) for key in known):
            clues.append(Occurrence(Clue.GROWS, line, condition))
    span = function.span
    return FunctionUsage(
        key=function.key,
        name=function.name,
        path=span.path,
        lines=(span.line, span.end_line),
        is_static=function.is_static,
        calls=tuple(dict.fromkeys(calls)),
        clues=tuple(dict.fromkeys(clues)),
    )


def _nodes(body: Tree) -> Iterator[tuple[Tree, tuple[Lines, ...], int]]:
    """Yield the nodes of a body, each with the loops around it and the line of the innermost condition, or 0."""
    waiting: list[tuple[Tree, tuple[Lines, ...], int]] = [(body, (), 0)]
    while waiting:
        node, loops, condition = waiting.pop()
        yield node, loops, condition
        if isinstance(node, _LOOPS):
            loops = (*loops, (node.span.line, node.span.end_line))
        elif isinstance(node, _CONDITIONS):
            condition = node.span.line
        waiting.extend((child, loops, condition) for child in children(node))


def _is_of_library(call: sx.Call) -> bool:
    known = call.function == sx.BOOKKEEPING or table().is_computed(call.name)
    return known or any(clue is not Clue.DRAWS for clue in _clues(call))


def _grows(called: sx.Function) -> bool:
    """Return whether a function is the subscript of a map, which makes an element where there is none."""
    holder, _, method = called.name.rpartition("::")
    return method == "operator[]" and holder.partition("<")[0] in table().bookkeeping


def _holds_threads(call: sx.Call) -> bool:
    """Return whether the elements that a call adds to a container are threads, which compute."""
    element = type_of(call.arguments[0]) if call.arguments else None
    while isinstance(element, sx.PointerT):
        element = element.target
    return isinstance(element, sx.StructT) and element.name.rpartition("::")[2].partition("<")[0] in _THREADS


def _clues(call: sx.Call) -> Iterator[Clue]:
    known, name = table(), call.name
    bare = name.rsplit("::", 1)[-1]
    if bare in known.allocation or bare in known.allocation_by_address:
        yield Clue.ALLOCATES
    if bare in known.releasing:
        yield Clue.FREES
    if bare in known.resizing and not _holds_threads(call):
        yield Clue.GROWS
    if bare in known.opening:
        yield Clue.OPENS
    if bare in known.transferring:
        yield Clue.TRANSFERS
    if _RANDOM in bare.lower() or bare.endswith(_DISTRIBUTION):
        yield Clue.DRAWS
    if known.is_end(name) or bare in known.checking:
        yield Clue.ENDS
