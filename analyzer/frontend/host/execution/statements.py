"""Statements of host code on what is known: declarations and branches; loops are in :mod:`.loops`.

A branch whose condition is not known runs both ways; what it launches may be launched or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from ...surface import nodes as sx
from ...surface.traverse import walk
from ..memory import Memory
from ..state import HostState, Jump, Leave
from ..values import UNKNOWN, Unknown, Value, depending, truth
from .calls import declare
from .expressions import evaluate, passed
from .filled_blocks import note_filled_blocks
from .loops import run_loop


def run(state: HostState, statement: sx.Statement) -> Jump | None:
    """Run a statement; return how it ended, None at its end."""
    state.step()
    jump = _run(state, statement)
    if jump is None and state.watched:
        state.watch(statement)
    return jump


def _run(state: HostState, statement: sx.Statement) -> Jump | None:
    match statement:
        case sx.Block():
            for inner in statement.statements:
                jump = run(state, inner)
                if jump is not None and state.summarized is None:
                    return jump
        case sx.Declare():
            _run_declaration(state, statement)
        case sx.Evaluate(expression=sx.Call() as call) if _is_idle(state, call):
            _note_data(state, call)
        case sx.Evaluate():
            evaluate(state, statement.expression)
        case sx.If():
            return _run_if(state, statement)
        case sx.For():
            if statement.initial is not None:
                run(state, statement.initial)
            jump = run_loop(state, statement, statement.advance)
            note_filled_blocks(state, statement)
            return jump
        case sx.While():
            if statement.test_last and state.summarized is None:
                jump = run(state, statement.body)
                if jump is not None and jump != "continue":
                    return None if jump == "break" else jump
            return run_loop(state, statement, None)
        case sx.Switch():
            return _switch(state, statement)
        case sx.Return():
            result = UNKNOWN if statement.value is None else evaluate(state, statement.value)
            state.frame.results.append(result)
            return "return"
        case sx.Break():
            return "break"
        case sx.Continue():
            return "continue"
        case sx.Skippable(label=label, body=body) if label.startswith(sx.BEHIND):
            return run(state, next(part for part in body.statements if isinstance(part, sx.Skippable)))
        case sx.Skippable() | sx.Repeated():
            return run(state, statement.body)
        case sx.Goto() | sx.Label() | sx.OpaqueStatement():
            pass
        case _:
            assert_never(statement)
    return None


def _is_idle(state: HostState, call: sx.Call) -> bool:
    """Return whether a call has no effect on any launch."""
    return call.function in state.program.functions and not state.program.relevance.does_call_matter(call)


def _note_data(state: HostState, call: sx.Call) -> None:
    """Note what kind of numbers a call that is not followed leaves in memory."""
    values = [evaluate(state, argument) for argument in call.arguments]
    state.note_order(call.name, values)
    state.note_filled(state.program.functions[call.function], values)
    state.doubt_forms(values)


def _run_declaration(state: HostState, statement: sx.Declare) -> None:
    variable = statement.variable
    if variable.storage is sx.Storage.GLOBAL and state.memory.of(variable) is not None:
        return
    if statement.initial is None:
        state.memory.put(variable, None)
        declare(state, variable, None)
    else:
        declare(state, variable, passed(state, variable, statement.initial))


def _run_if(state: HostState, statement: sx.If) -> Jump | None:
    given = evaluate(state, statement.condition)
    condition = truth(given)
    if condition is not None and state.summarized is None:
        chosen = statement.then if condition else statement.orelse
        return None if chosen is None else run(state, chosen)
    results = state.frame.results
    before = len(results)
    jump = _either(state, given, [(statement.then,), (statement.orelse,) if statement.orelse is not None else ()])
    if len(results) == before + 1:
        is_then = isinstance(statement.then, sx.Return) or _returns(statement.then)
        state.frame.guards[before] = (given, is_then)
    elif len(results) == before + 2 and jump == "return":
        results[before:] = [depending("?:", (given, *results[before:]))]
    return jump


def _either(state: HostState, given: Value, arms: Sequence[Sequence[sx.Statement]]) -> Jump | None:
    """Run every arm from here; what is known afterwards is what those agree on that go on."""
    if state.summarized is not None:
        for arm in arms:
            for statement in arm:
                run(state, statement)
        return None
    before = state.memory
    ends: list[Memory] = []
    jumps: list[Jump] = []
    left = False
    for arm in arms:
        state.memory = before.copy()
        state.steps += before.size // 16
        state.open_conditions += 1
        try:
            jump = _sequence(state, arm)
        except Leave:
            if state.is_spent:
                raise
            left = True
            continue
        finally:
            state.open_conditions -= 1
        if jump is None:
            ends.append(state.memory)
        else:
            jumps.append(jump)
    if not ends:
        if not jumps and left:
            raise Leave
        return jumps[-1] if jumps else None
    if any(jump != "return" for jump in jumps):
        state.frame.leaves_loop = True
    state.memory = ends[0]
    for other in ends[1:]:
        state.memory.agree(other, given if len(arms) == 2 else UNKNOWN)
    return None


def _sequence(state: HostState, statements: Sequence[sx.Statement]) -> Jump | None:
    for statement in statements:
        jump = run(state, statement)
        if jump is not None and state.summarized is None:
            return jump
    return None


def _switch(state: HostState, statement: sx.Switch) -> Jump | None:
    subject = evaluate(state, statement.subject)
    if isinstance(subject, Unknown) or state.summarized is not None:
        jump = _either(state, subject, [case.statements for case in statement.cases] or [()])
        return jump if jump is not None and jump != "break" else None
    running = False
    default = next((n for n, case in enumerate(statement.cases) if None in case.labels), None)
    labels = [[None if label is None else evaluate(state, label) for label in case.labels] for case in statement.cases]
    start = next((number for number, values in enumerate(labels) if subject in values), default)
    for number, case in enumerate(statement.cases):
        running = running or number == start
        if running:
            jump = _sequence(state, case.statements)
            if jump is not None:
                return None if jump == "break" else jump
            if not case.falls_through:
                break
    return None


def _returns(statement: sx.Statement) -> bool:
    return any(isinstance(node, sx.Return) for node in walk(statement))
