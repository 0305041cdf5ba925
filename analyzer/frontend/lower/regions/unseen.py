"""The functions of a program with a loop that no row of the functions of the file shows.

They are those of headers that are not in place of all their calls, and instances of templates that are in place of
none: what calls them is not followed, as where a function object in a map does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set

from ....ir.nodes import Region
from ....ir.traverse import all_nodes
from ...surface import nodes as sx
from ..expressions.calls.inlining import is_of_library
from ..functions.effects import EffectTable


def unseen_functions(
    unit: sx.Unit, own: Set[str], apart: Set[str], effects: EffectTable, regions: Iterable[Region]
) -> Iterator[sx.Function]:
    """Yield these functions; ``own`` have rows, ``apart`` are not in place of a call. Of some the outermost ones."""
    others = {
        key: function
        for key, function in unit.functions.items()
        if key not in own and _is_own_code(function) and effects.of(function.body).loops
    }
    shown = _lines(regions)
    unseen = {key for key, each in others.items() if _is_instance(each) and not _is_shown(each, shown)}
    called = {inner for key in unseen for inner in effects.of(others[key].body).calls if inner != key}
    yield from (function for key, function in others.items() if key in apart or key in unseen - called)


def _is_own_code(function: sx.Function) -> bool:
    return function.kind is sx.FunctionKind.HOST and not function.is_linked and not is_of_library(function)


def _is_instance(function: sx.Function) -> bool:
    return "<" in function.name


def _lines(regions: Iterable[Region]) -> Mapping[str, Set[int]]:
    """Return the lines of what is in some region, by file."""
    found: dict[str, set[int]] = {}
    for region in regions:
        for node in all_nodes(region.body):
            found.setdefault(node.span.path, set()).add(node.span.line)
    return found


def _is_shown(function: sx.Function, lines: Mapping[str, Set[int]]) -> bool:
    span = function.span
    return any(span.line <= line <= span.end_line for line in lines.get(span.path, ()))
