"""Statements of host code on what is known: declarations and branches; loops are in :mod:`.loops`.

A branch whose condition is not known runs both ways; what it launches may be launched or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from ..surface import nodes as sx
from ..surface.traverse import walk
from .calls import Jump
from .launch_slice import Relevance
from .loops import Loops
from .memory import Memory
from .state import Leave
from .values import UNKNOWN, Unknown, Value, converted, depending, truth


class Statements(Loops):
    """Runs statements."""

    def __init__(
        self,
        functions: Mapping[str, sx.Function],
        shared: dict[sx.Variable, sx.Variable],
        launching: Mapping[str, frozenset[str]],
        relevance: Relevance,
        defines: Mapping[str, int],
    ) -> None:
        """``defines`` are values of variables by name."""
        super().__init__(functions, shared, launching, relevance)
        self._defines = defines

    # --- statements ------------------------------------------------------------------------------------------------

    def _run(self, statement: sx.Statement) -> Jump | None:
        self._step()
        match statement:
            case sx.Block():
                for inner in statement.statements:
                    jump = self._run(inner)
                    if jump is not None and self._apart is None:
                        return jump
            case sx.Declare():
                self._run_declaration(statement)
            case sx.Evaluate(expression=sx.Call() as call) if self._is_idle(call):
                pass
            case sx.Evaluate():
                self._value(statement.expression)
            case sx.If():
                return self._run_if(statement)
            case sx.For():
                if statement.initial is not None:
                    self._run(statement.initial)
                return self._loop(statement, statement.advance)
            case sx.While():
                if statement.test_last and self._apart is None:
                    jump = self._run(statement.body)
                    if jump is not None and jump.kind != "continue":
                        return None if jump.kind == "break" else jump
                return self._loop(statement, None)
            case sx.Switch():
                return self._switch(statement)
            case sx.Return():
                result = UNKNOWN if statement.value is None else self._value(statement.value)
                if self._frames:
                    self._frames[-1].results.append(result)
                return Jump("return")
            case sx.Break():
                return Jump("break")
            case sx.Continue():
                return Jump("continue")
            case sx.Skippable() | sx.Repeated():
                return self._run(statement.body)
            case sx.Goto() | sx.Label() | sx.OpaqueStatement():
                pass
            case _:
                assert_never(statement)
        return None

    def _is_idle(self, call: sx.Call) -> bool:
        """Whether a call has no effect on any launch."""
        return call.function in self._functions and not self._relevance.does_call_matter(call)

    def _run_declaration(self, statement: sx.Declare) -> None:
        variable = statement.variable
        if variable.storage is sx.Storage.GLOBAL and self._memory.of(variable) is not None:
            return
        if statement.initial is None:
            self._memory.put(variable, None)
            self._declare(variable, None)
        else:
            self._declare(variable, self._argument(variable, statement.initial))

    def _declare(self, variable: sx.Variable, value: Value | None) -> None:
        given = self._defines.get(variable.name)
        if given is not None and isinstance(variable.type, sx.ScalarT) and not variable.reference:
            value = given
        if value is not None:
            self._memory.store((variable, ""), value if variable.reference else converted(value, variable.type))

    def _run_if(self, statement: sx.If) -> Jump | None:
        given = self._value(statement.condition)
        condition = truth(given)
        if condition is not None and self._apart is None:
            chosen = statement.then if condition else statement.orelse
            return None if chosen is None else self._run(chosen)
        results = self._frames[-1].results if self._frames else []
        before = len(results)
        jump = self._either(given, [(statement.then,), (statement.orelse,) if statement.orelse is not None else ()])
        if len(results) == before + 1 and self._frames:
            is_then = isinstance(statement.then, sx.Return) or _returns(statement.then)
            self._frames[-1].guards[before] = (given, is_then)
        elif len(results) == before + 2 and jump is not None and jump.kind == "return":
            results[before:] = [depending("?:", (given, *results[before:]))]
        return jump

    def _either(self, given: Value, arms: Sequence[Sequence[sx.Statement]]) -> Jump | None:
        """Run every arm from here; what is known afterwards is what those agree on that go on."""
        if self._apart is not None:
            for arm in arms:
                for statement in arm:
                    self._run(statement)
            return None
        before = self._memory
        ends: list[Memory] = []
        jumps: list[Jump] = []
        left = False
        for arm in arms:
            self._memory = before.copy()
            self._steps += before.size // 16
            self._doubts += 1
            try:
                jump = self._sequence(arm)
            except Leave:
                if self._is_spent:
                    raise
                left = True
                continue
            finally:
                self._doubts -= 1
            if jump is None:
                ends.append(self._memory)
            else:
                jumps.append(jump)
        if not ends:
            if not jumps and left:
                raise Leave
            return jumps[-1] if jumps else None
        if any(jump.kind != "return" for jump in jumps) and self._frames:
            self._frames[-1].torn = True
        self._memory = ends[0]
        for other in ends[1:]:
            self._memory.agree(other, given if len(arms) == 2 else UNKNOWN)
        return None

    def _sequence(self, statements: Sequence[sx.Statement]) -> Jump | None:
        for statement in statements:
            jump = self._run(statement)
            if jump is not None and self._apart is None:
                return jump
        return None

    def _switch(self, statement: sx.Switch) -> Jump | None:
        subject = self._value(statement.subject)
        if isinstance(subject, Unknown) or self._apart is not None:
            jump = self._either(subject, [case.statements for case in statement.cases] or [()])
            return jump if jump is not None and jump.kind != "break" else None
        running = False
        default = next((n for n, case in enumerate(statement.cases) if None in case.labels), None)
        labels = [[None if label is None else self._value(label) for label in case.labels] for case in statement.cases]
        start = next((number for number, values in enumerate(labels) if subject in values), default)
        for number, case in enumerate(statement.cases):
            running = running or number == start
            if running:
                jump = self._sequence(case.statements)
                if jump is not None:
                    return None if jump.kind == "break" else jump
                if not case.falls_through:
                    break
        return None


def _returns(statement: sx.Statement) -> bool:
    return any(isinstance(node, sx.Return) for node in walk(statement))
