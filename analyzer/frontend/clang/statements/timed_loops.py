"""Loops that Google Benchmark repeats to time them: ``for (auto _ : state)`` and ``while (state.KeepRunning())``.

The library chooses how often they run and reports the time of one iteration.  They become loops of one iteration with
the pragma :data:`~...surface.nodes.TIMED`, of which each figure is that of an iteration after others.
"""

from __future__ import annotations

from ....ir.types import ElementType, ScalarType
from ...surface.nodes import TIMED, Binary, Declare, For, Name, Number, ScalarT, Statement, Storage, Unary, Variable
from ..binding import Cursor
from ..kinds import CursorKind
from ..scope import Scope

_COUNTER = ScalarT(ElementType(ScalarType.INT64))
_CLASS, _NAMESPACE = "State", "benchmark"
_KEEPS_RUNNING = frozenset({"KeepRunning", "KeepRunningBatch"})


def is_timed_range(scope: Scope, range_: Cursor) -> bool:
    """Return whether a range is the state of a benchmark."""
    kind = scope.library.canonical_type(scope.library.type_of(scope.unit.stripped(range_)))
    return _is_state(scope, scope.library.declaration(kind))


def is_timed_condition(scope: Scope, condition: Cursor) -> bool:
    """Return whether a condition asks the state of a benchmark whether to go on."""
    call = scope.unit.stripped(condition)
    if call.kind != CursorKind.CALL_EXPR:
        return False
    method = scope.library.referenced(call)
    return scope.unit.spelling(method) in _KEEPS_RUNNING and _is_state(scope, scope.library.semantic_parent(method))


def timed_loop(scope: Scope, body: Statement, pragmas: tuple[str, ...]) -> list[Statement]:
    """Return the loop with the body of a benchmark."""
    counter = Variable("timed", _COUNTER, Storage.LOCAL, scope.span)
    here = Name(counter, scope.span)
    return [
        For(
            initial=Declare(counter, Number(0, _COUNTER, scope.span), scope.span),
            condition=Binary("<", here, Number(1, _COUNTER, scope.span), scope.span),
            advance=Unary("++x", here, scope.span),
            body=body,
            span=scope.span,
            pragmas=(*pragmas, TIMED),
        )
    ]


def _is_state(scope: Scope, declaration: Cursor) -> bool:
    namespace = scope.library.semantic_parent(declaration)
    return scope.unit.spelling(declaration) == _CLASS and scope.unit.spelling(namespace) == _NAMESPACE
