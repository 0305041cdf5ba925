"""Sizes that a library of benchmarks hands to a function: ``state.range(0)`` is one number wherever it is asked for.

It has the name of the variable that it is given to first (``int n = state.range(0)``), else its own, and the value of
the largest registered run, where the user gives none.
"""

from __future__ import annotations

from collections.abc import Iterator

from .....ir.index import Poly
from .....ir.nodes import SymbolOrigin
from ....surface import nodes as sx
from ....surface.designation import without_casts
from ....surface.traverse import walk
from ...state import State

_ASKS = "range"


def registered_size(state: State, call: sx.Call) -> Poly | None:
    """Return the size of a benchmark that a call asks for; None where its number is not known."""
    number = state.quietly(call.arguments[0])
    at = None if number is None else number.constant
    if not isinstance(at, int) or at < 0:
        return None
    names = state.symbols.sizes
    if at not in names:
        own = f"state.{_ASKS}({at})"
        names[at] = next((name for name in _declared(state, at) if name not in state.symbols.taken), own)
        sizes = state.inputs.sizes
        registered = sizes[at] if at < len(sizes) else None
        by_user = state.symbols.given(own)
        state.symbols.named(names[at], SymbolOrigin.VARIABLE, registered if by_user is None else by_user)
        if registered is not None and by_user is None and state.symbols.given(names[at]) is None:
            span = state.flow.frames[0].function.span
            state.emitter.assume("AI327", span, "largest", names[at], value=registered)
    return state.symbols.named(names[at], SymbolOrigin.VARIABLE)


def _declared(state: State, at: int) -> Iterator[str]:
    """Yield the names of the variables that start with a size, in the function that asks for it and its callers."""
    for frame in reversed(state.flow.frames):
        for node in walk(frame.function.body):
            if isinstance(node, sx.Declare) and isinstance(node.variable.type, sx.ScalarT):
                value = without_casts(node.initial)
                if isinstance(value, sx.Call) and value.name == _ASKS and _number(value) == at:
                    yield node.variable.name


def _number(call: sx.Call) -> int | float | None:
    last = call.arguments[-1]
    return last.value if isinstance(last, sx.Number) else None
