"""A summary in place of a call: its parameters are the arguments, globals have their values before the call.

Its other symbols are those of this call.

A loop that data end has one symbol for its trip count in all of these calls: the mean of all times that it is entered.
Products of such means are the totals of all calls, as each mean is taken over what the one around it counts.

Integers that the function may change have any value afterwards, as after the call of a function that is not followed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .....ir.conditions import leaves
from .....ir.index import Poly
from .....ir.nodes import DataDependent, Guard, Loop, Node, SymbolOrigin, Uncounted
from .....ir.traverse import all_nodes, decisive_indices
from .....ir.types import INT32
from .....ir.walk import exits_in
from .....python.regex import regex
from .....source import Span
from ....surface import nodes as sx
from ...names.bindings import Slot
from ...names.symbols import wanted_name
from ...rewrite import Rewriter
from ...state import State
from ...summaries.renaming import Names, renamed
from ...summaries.summary import Summary

_TRIP = regex(r"trip_L([0-9]+)")


def instantiate(
    state: State, summary: Summary, parameters: Sequence[sx.Variable], given: Sequence[Poly | None]
) -> None:
    """Append what a call takes; ``given`` are the integers among its arguments, None where they are not expressed."""
    arguments = {parameter.name: value for parameter, value in zip(parameters, given, strict=False)}
    arguments |= {name: state.integer(Slot(each, each.type)).value for name, each in summary.at_entry.items()}
    trips: dict[str, str] = {}
    values: dict[str, Poly] = {}
    means = _means(summary.nodes)
    for symbol in summary.symbols:
        line = _TRIP.match(symbol.name)
        value = arguments.get(symbol.name)
        if symbol.origin is SymbolOrigin.TRIP_COUNT and line is not None:
            loop, number = means.get(symbol.name), int(line[1])
            made = state.symbols.trip_count(number) if loop is None else state.symbols.mean_trip_count(loop, number)
            trips[symbol.name] = made
        else:
            values[symbol.name] = state.lost(wanted_name(symbol.name)) if value is None else value
    nodes = renamed(summary.nodes, _own_names(state, summary.nodes, trips))
    for node in Rewriter(state.emitter, state.symbols, values).nodes(nodes):
        state.emitter.append(node)
    state.flow.summarized += summary.size
    for found in summary.diagnostics:
        state.emitter.diagnostics.setdefault((found.code, found.form, found.fields, found.span.line), found)
    for assumed in summary.assumptions:
        state.emitter.assumptions.setdefault(assumed)


def _means(nodes: Sequence[Node]) -> Mapping[str, Span]:
    """Return the trip counts that only multiply what is counted, with where their loops are.

    No bound and no condition depends on the iteration or on their number, and nothing leaves the loop early.
    """
    found: dict[str, Loop] = {}
    deciding: set[str] = set()
    for node in all_nodes(nodes):
        deciding.update(*(index.names() for index in decisive_indices(node)))
        if not isinstance(node, Loop) or not isinstance(node.range, Uncounted):
            continue
        if node.range == Uncounted(node.range.trip) and not any(True for _ in exits_in(node)):
            found[node.range.trip] = node
    return {trip: loop.span for trip, loop in found.items() if deciding.isdisjoint((loop.iterator, trip))}


def _own_names(state: State, nodes: Sequence[Node], trips: Mapping[str, str]) -> Names:
    iterators: dict[str, str] = {}
    conditions: dict[str, str] = {}
    for node in all_nodes(nodes):
        if isinstance(node, Loop):
            iterators[node.iterator] = state.symbols.unique(wanted_name(node.iterator))
        elif isinstance(node, Guard):
            for leaf in leaves(node.condition):
                if isinstance(leaf, DataDependent):
                    for name in (leaf.name, leaf.subject):
                        if name and name not in conditions:
                            conditions[name] = state.emitter.new_register(INT32).name
    return Names(iterators, trips, conditions)
