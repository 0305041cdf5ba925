"""Graphs of CUDA and HIP that a stream records: what is launched while it records runs whenever the graph is launched.

``cudaStreamBeginCapture -> launches -> cudaStreamEndCapture -> cudaGraphInstantiate -> cudaGraphLaunch``.  A graph is
the address of a block, and so is its executable form.  What a program adds to a graph node by node is not followed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...surface import nodes as sx
from ..program import GRAPH_LAUNCHES
from ..state import HostState, LibraryFunction
from ..values import Reference, Value

_APIS = ("cuda", "hip")


def _begin(state: HostState, _call: sx.Call, _values: Sequence[Value]) -> Value:
    """Run ``cudaStreamBeginCapture(stream, mode)``."""
    state.record.begin_graph()
    return 0


def _end(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``cudaStreamEndCapture(stream, &graph)``."""
    graph = state.allocated(call, "graph")
    state.record.end_graph(graph.variable, call.span)
    if len(values) > 1:
        state.put(values[1], graph)
    return 0


def _instantiate(state: HostState, _call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``cudaGraphInstantiate(&executable, graph, ...)``."""
    if len(values) > 1:
        state.put(values[0], values[1])
    return 0


def _launch(state: HostState, _call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``cudaGraphLaunch(executable, stream)``."""
    if values and isinstance(values[0], Reference):
        state.launch_graph(values[0].variable)
    return 0


_BY_NAME: Mapping[str, LibraryFunction] = {
    "StreamBeginCapture": _begin,
    "StreamEndCapture": _end,
    "GraphInstantiate": _instantiate,
    "GraphInstantiateWithFlags": _instantiate,
}
GRAPHS: Mapping[str, LibraryFunction] = {
    **{api + name: handler for name, handler in _BY_NAME.items() for api in _APIS},
    **dict.fromkeys(GRAPH_LAUNCHES, _launch),
}
"""Functions of the runtime that record and launch graphs."""
