"""Constant propagation through host code: which kernels are launched, with what grid, block and arguments.

Starts at ``main`` (with the program's command line where it is given), then at every function that launches a kernel
nobody reached.  Known conditions choose a branch; unknown ones run both and keep what they agree on.  Loops run while
their condition is known, up to a limit, then what they change is unknown; one whose body neither launches nor changes
a number that outlives it is not run at all.  What stays unknown is a symbol of the kernel's region.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from ..ir.nodes import Launch
from . import syntax as sx
from .host_expressions import Expressions, Leave, State, flattened
from .host_options import SCANNERS, OptionScanner
from .host_program import launches_in, launching_functions, linked, shared_globals
from .host_values import (
    UNKNOWN,
    Fields,
    Reference,
    Strings,
    Value,
    as_number,
    converted,
    library_call,
    truth,
)
from .lower.effects import EffectTable
from .lower.kernels import KernelLaunch

_DEPTH = 24
_ITERATIONS = 4096
_LOOP_STEPS = 6_000
_LAUNCHING_ITERATIONS = 12
_DIFFERENT = 8
_HEAP = frozenset({"malloc", "calloc", "new"})
_LEAVE = frozenset({"exit", "abort", "_exit", "quick_exit"})
_Triple = tuple[int | None, int | None, int | None]


def find_launches(
    units: Sequence[sx.Unit],
    program_arguments: Sequence[str] | None = None,
    defines: Mapping[str, int] | None = None,
) -> tuple[KernelLaunch, ...]:
    """Launches in the order in which they are met, those of one kernel that differ in grid, block or shared memory.

    ``units`` are linked: a function without a body in its own unit is looked for by name in the others.

    ``program_arguments`` is the command line without the program; ``defines`` are values of variables by name.
    """
    return _Host(linked(units), shared_globals(units), program_arguments, defines or {}).launches()


@dataclass(slots=True)
class _Jump:
    """How a statement ended, where not at its end: ``break``, ``continue`` or ``return``."""

    kind: str


@dataclass(slots=True)
class _Frame:
    """A function that runs: what it returned."""

    results: list[Value] = field(default_factory=list)


class _Host(Expressions):
    def __init__(
        self,
        functions: Mapping[str, sx.Function],
        shared: Mapping[sx.Variable, sx.Variable],
        arguments: Sequence[str] | None,
        defines: Mapping[str, int],
    ) -> None:
        self._functions = functions
        super().__init__(shared)
        self._arguments = arguments
        self._defines = defines
        self._effects = EffectTable(functions)
        self._launching = launching_functions(functions)
        self._frames: list[_Frame] = []
        self._found: dict[tuple[str, Launch], KernelLaunch] = {}

    def launches(self) -> tuple[KernelLaunch, ...]:
        order = sorted(
            {item.key: item for item in self._functions.values() if item.key in self._launching}.values(),
            key=lambda function: function.name != "main",
        )
        for function in order:
            reached = {found.kernel for found in self._found.values()}
            if function.name == "main" or not self._launching[function.key] <= reached:
                self._state, self._steps, self._options = {}, 0, OptionScanner()
                try:
                    self._enter(function, self._program(function))
                except Leave:
                    continue
        return tuple(self._found.values())

    def _program(self, function: sx.Function) -> list[Value]:
        """The arguments of ``main``."""
        if function.name != "main" or self._arguments is None:
            return []
        return [len(self._arguments) + 1, Strings(("program", *self._arguments))]

    # --- functions -------------------------------------------------------------------------------------------------

    def _enter(self, function: sx.Function, arguments: Sequence[Value]) -> Value:
        if len(self._frames) > _DEPTH:
            return UNKNOWN
        for position, parameter in enumerate(function.parameters):
            self._forget(parameter)
            value = arguments[position] if position < len(arguments) else UNKNOWN
            self._declare(parameter, value)
        self._frames.append(_Frame())
        self._run(function.body)
        results = self._frames.pop().results
        return results[0] if results and all(result == results[0] for result in results) else UNKNOWN

    def _call(self, call: sx.Call) -> Value:
        if call.name in _LEAVE:
            raise Leave
        function = self._functions.get(call.function)
        if function is not None and function.kind is not sx.FunctionKind.KERNEL:
            values = [
                self._reference(argument) if parameter.reference else self._value(argument)
                for argument, parameter in zip(call.arguments, function.parameters, strict=False)
            ]
            return self._enter(function, values)
        values = [self._value(argument) for argument in call.arguments]
        if call.name in SCANNERS:
            return self._options.next(values)
        if call.name in _HEAP and not (values and isinstance(values[0], int) and call.name == "new"):
            heap = sx.Variable("heap", sx.UnknownT("heap"), sx.Storage.LOCAL, call.span)
            self._store((heap, ""), values[0] if call.name == "new" and values else UNKNOWN)
            return Reference(heap, "")
        result = library_call(call.name, values)
        if result is UNKNOWN:
            for value in values:
                if isinstance(value, Reference):
                    self._forget(value.variable, value.path)
        return result

    # --- statements ------------------------------------------------------------------------------------------------

    def _run(self, statement: sx.Statement) -> _Jump | None:
        self._step()
        match statement:
            case sx.Block():
                for inner in statement.statements:
                    jump = self._run(inner)
                    if jump is not None:
                        return jump
            case sx.Declare():
                self._run_declaration(statement)
            case sx.Evaluate():
                self._value(statement.expression)
            case sx.If():
                return self._run_if(statement)
            case sx.For():
                if statement.initial is not None:
                    self._run(statement.initial)
                return self._loop(statement, statement.condition, statement.advance, statement.body)
            case sx.While():
                if statement.test_last:
                    jump = self._run(statement.body)
                    if jump is not None and jump.kind != "continue":
                        return None if jump.kind == "break" else jump
                return self._loop(statement, statement.condition, None, statement.body)
            case sx.Switch():
                return self._switch(statement)
            case sx.Return():
                result = UNKNOWN if statement.value is None else self._value(statement.value)
                if self._frames:
                    self._frames[-1].results.append(result)
                return _Jump("return")
            case sx.Break():
                return _Jump("break")
            case sx.Continue():
                return _Jump("continue")
            case sx.OpaqueStatement():
                pass
            case _:
                assert_never(statement)
        return None

    def _run_declaration(self, statement: sx.Declare) -> None:
        variable = statement.variable
        if variable.storage is sx.Storage.GLOBAL and variable in self._static:
            return
        self._static.add(variable)
        self._forget(variable)
        if statement.initial is None:
            self._declare(variable, UNKNOWN)
        else:
            reference = variable.reference
            self._declare(variable, self._reference(statement.initial) if reference else self._value(statement.initial))

    def _declare(self, variable: sx.Variable, value: Value) -> None:
        given = self._defines.get(variable.name)
        if given is not None and isinstance(variable.type, sx.ScalarT) and not variable.reference:
            value = given
        self._store((variable, ""), converted(value, variable.type))

    def _run_if(self, statement: sx.If) -> _Jump | None:
        condition = truth(self._value(statement.condition))
        if condition is not None:
            chosen = statement.then if condition else statement.orelse
            return None if chosen is None else self._run(chosen)
        return self._either([(statement.then,), (statement.orelse,) if statement.orelse is not None else ()])

    def _either(self, arms: Sequence[Sequence[sx.Statement]]) -> _Jump | None:
        """Run every arm from here; what is known afterwards is what those agree on that go on."""
        before = self._state
        ends: list[State] = []
        jump: _Jump | None = None
        left = False
        for arm in arms:
            self._state = {variable: dict(parts) for variable, parts in before.items()}
            try:
                jump = self._sequence(arm)
            except Leave:
                if self._is_spent:
                    raise
                left = True
                continue
            if jump is None:
                ends.append(self._state)
        if not ends:
            self._state = before
            if jump is None and left:
                raise Leave
            return jump
        self._state = ends[0]
        for other in ends[1:]:
            self._agree(other)
        return None

    def _agree(self, other: State) -> None:
        """Keep what another state has the same value for."""
        for variable, parts in self._state.items():
            theirs = other.get(variable, {})
            for path in [path for path, value in parts.items() if theirs.get(path) != value]:
                del parts[path]

    def _sequence(self, statements: Sequence[sx.Statement]) -> _Jump | None:
        for statement in statements:
            jump = self._run(statement)
            if jump is not None:
                return jump
        return None

    def _switch(self, statement: sx.Switch) -> _Jump | None:
        subject = self._value(statement.subject)
        if subject is UNKNOWN:
            jump = self._either([case.statements for case in statement.cases] or [()])
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

    # --- loops -----------------------------------------------------------------------------------------------------

    def _loop(
        self,
        loop: sx.Statement,
        condition: sx.Expression | None,
        advance: sx.Expression | None,
        body: sx.Statement,
    ) -> _Jump | None:
        effects = self._effects.of(condition, advance, body)
        launches = launches_in(body, self._launching)
        counts = self._effects.of(advance).variables
        if not launches and not any(_is_number(item) and item not in counts for item in effects.variables):
            for item in effects.variables:
                self._forget(item)
            return None
        limit = _LAUNCHING_ITERATIONS if launches else _ITERATIONS
        jump: _Jump | None = None
        start = self._steps
        for _ in range(limit):
            if not launches and self._steps - start > _LOOP_STEPS:
                break
            holds = True if condition is None else truth(self._value(condition))
            if holds is False:
                return None
            if holds is None and not launches:
                break
            jump = self._run(body)
            if jump is not None and jump.kind != "continue":
                break
            if advance is not None:
                self._value(advance)
            if holds is None:
                break
        if jump is not None and jump.kind == "break":
            return None
        if jump is not None and jump.kind == "return":
            return jump
        for item in effects.variables:
            self._forget(item)
        return None

    # --- launches --------------------------------------------------------------------------------------------------

    def _launch(self, expression: sx.Launch) -> None:
        grid = self._triple(expression.grid)
        block = self._triple(expression.block)
        shared = 0 if expression.shared is None else as_number(self._value(expression.shared))
        source = f"{expression.span.path.rsplit('/', 1)[-1]}:{expression.span.line}"
        launch = Launch(grid, block, int(shared) if shared is not None else None, source)
        kernel = self._functions.get(expression.function)
        if kernel is None:
            return
        same = [key for key in self._found if key[0] == expression.function and key[1].source == source]
        if len(same) < _DIFFERENT:
            values = [self._value(argument) for argument in expression.arguments]
            known = KernelLaunch(expression.function, launch, dict(_parameters(kernel, values)))
            self._found.setdefault((expression.function, launch), known)

    def _triple(self, expression: sx.Expression | None) -> _Triple:
        value = UNKNOWN if expression is None else self._value(expression)
        if isinstance(value, Fields):
            found = [as_number(value.parts.get(f".{axis}", UNKNOWN)) for axis in "xyz"]
        else:
            number = as_number(value)
            found = [number, 1, 1] if number is not None else [None, None, None]
        x, y, z = (int(number) if number is not None and number > 0 else None for number in found)
        return x, y, z


def _parameters(kernel: sx.Function, values: Sequence[Value]) -> Iterator[tuple[str, int]]:
    for parameter, value in zip(kernel.parameters, values, strict=False):
        for path, known in flattened("", converted(value, parameter.type)).items():
            if isinstance(known, int):
                yield parameter.name + path, known


def _is_number(variable: sx.Variable) -> bool:
    return isinstance(variable.type, sx.ScalarT) and variable.type.element.lanes == 1
