"""Host code as one program: functions and globals of several units together, and who launches what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from ..known_functions import table
from ..surface import nodes as sx
from ..surface.traverse import Tree, walk

GRAPH_LAUNCHES = frozenset({"cudaGraphLaunch", "hipGraphLaunch"})
_OF_A_GRAPH = ""
THROUGH_VALUES: Final = "*"


def ends_program(call: sx.Call, functions: Mapping[str, sx.Function]) -> bool:
    """Return whether a call ends the program: ``exit`` and its like, which no function of the program is."""
    return call.function not in functions and table().is_end(call.name)


def linked(units: Sequence[sx.Unit]) -> dict[str, sx.Function]:
    """Return functions by key, and by name where it is that of one host function alone; the first unit wins."""
    functions: dict[str, sx.Function] = {}
    for unit in reversed(units):
        functions |= unit.functions
    if len(units) == 1:
        return functions
    hosts = [item for item in functions.values() if item.kind is sx.FunctionKind.HOST and "::" not in item.name]
    names = Counter(item.name for item in hosts)
    named = {item.name: item for item in hosts if names[item.name] == 1 and item.name != "main"}
    for function in list(functions.values()):
        for node in walk(function.body):
            if isinstance(node, sx.Call) and node.function not in functions and node.name in named:
                functions[node.function] = named[node.name]
    return functions


def shared_globals(units: Sequence[sx.Unit]) -> dict[sx.Variable, sx.Variable]:
    """Return the one variable behind the globals of a name in all units: one with an initialiser, else the first."""
    chosen: dict[str, sx.Variable] = {}
    for unit in units:
        for variable in unit.globals:
            known = chosen.setdefault(variable.name, variable)
            if known.initial is None and variable.initial is not None:
                chosen[variable.name] = variable
    found = {variable: chosen[variable.name] for unit in units for variable in unit.globals}
    return {variable: other for variable, other in found.items() if variable is not other}


def launching_functions(functions: Mapping[str, sx.Function]) -> dict[str, frozenset[str]]:
    """Return the kernels that each host function launches, itself or through what it calls; "" are those of a graph.

    ``THROUGH_VALUES`` has those of all functions that the program takes as values.
    """
    direct: dict[str, set[str]] = {THROUGH_VALUES: set()}
    calls: dict[str, set[str]] = {THROUGH_VALUES: set()}
    for key, function in functions.items():
        if function.kind is sx.FunctionKind.KERNEL:
            continue
        direct[key], calls[key] = set(), set()
        for node in walk(function.body):
            if isinstance(node, sx.Launch):
                direct[key].add(node.function)
            elif launches_graph(node):
                direct[key].add(_OF_A_GRAPH)
            elif isinstance(node, sx.Call):
                calls[key].update(_bodies_of(node) & functions.keys())
            elif isinstance(node, sx.OpaqueExpression):
                calls[THROUGH_VALUES].update({node.function} & functions.keys())
                calls[key].update({THROUGH_VALUES} if node.called is not None else ())
    changed = True
    while changed:
        changed = False
        for key, callees in calls.items():
            more = set().union(*(direct.get(callee, set()) for callee in callees)) - direct[key]
            if more:
                direct[key] |= more
                changed = True
    return {key: frozenset(kernels) for key, kernels in direct.items() if kernels}


def launches_in(tree: Tree, launching: Mapping[str, frozenset[str]]) -> bool:
    """Return whether a tree launches a kernel, itself or by a call."""
    return any(
        isinstance(node, sx.Launch)
        or launches_graph(node)
        or (isinstance(node, sx.Call) and not launching.keys().isdisjoint(_bodies_of(node)))
        or (isinstance(node, sx.OpaqueExpression) and node.called is not None and THROUGH_VALUES in launching)
        for node in walk(tree)
    )


def _bodies_of(call: sx.Call) -> frozenset[str]:
    """Return the keys of what a call may run: of a virtual method those of all classes."""
    return frozenset({call.function, *(key for _, key in call.bodies)})


def launches_graph(node: Tree) -> bool:
    """Return whether a node is a call that launches the kernels of a graph."""
    return isinstance(node, sx.Call) and node.name in GRAPH_LAUNCHES
