"""Functions of host code: calls with their arguments, virtual methods, calls through values, recursion.

A call that launches nothing has a budget of its own; where it is spent, what the call may have changed is unknown.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from ..surface import nodes as sx
from ..surface.traverse import walk
from .expressions import Expressions
from .memory import Parts
from .program import ends_program
from .state import SOFT_STEPS, STEPS, Leave, Spent
from .values import UNKNOWN, Code, Fields, Reference, Unknown, Value, depending

_DEPTH = 24
_CALL_STEPS = 40_000


class Jump(Struct):
    """How a statement ended, where not at its end: ``break``, ``continue`` or ``return``."""

    kind: str


class Frame(Struct):
    """A function that runs: what it returned, under which condition, and whether an open branch leaves a loop."""

    function: str
    results: list[Value] = field(default_factory=list)
    guards: dict[int, tuple[Value, bool]] = field(default_factory=dict)
    torn: bool = False


class Calls(Expressions):
    """Enters functions."""

    def __init__(
        self,
        functions: Mapping[str, sx.Function],
        shared: dict[sx.Variable, sx.Variable],
        launching: Mapping[str, frozenset[str]],
    ) -> None:
        """``launching`` are the kernels that functions launch."""
        super().__init__(shared)
        self._functions = functions
        self._launching = launching
        self._frames: list[Frame] = []
        self._path: list[int] = []  # the calls that led here
        self._overrides: dict[str, list[sx.Function]] | None = None
        self._locals: dict[str, tuple[sx.Variable, ...]] = {}

    @abstractmethod
    def _run(self, statement: sx.Statement) -> Jump | None:
        """Run a statement."""

    @abstractmethod
    def _declare(self, variable: sx.Variable, value: Value | None) -> None:
        """Give a declared variable its first value."""

    def _enter(self, function: sx.Function, arguments: Sequence[Value]) -> Value:
        if len(self._frames) > _DEPTH:
            return self._unknown(f"{function.name}()", "calls itself too often", function.body)
        kept = self._kept(function)
        for position, parameter in enumerate(function.parameters):
            value = arguments[position] if position < len(arguments) else UNKNOWN
            self._declare(parameter, value)
        self._frames.append(Frame(function.key))
        try:
            self._run(function.body)
        finally:
            frame = self._frames.pop()
        for variable, parts in kept.items():
            self._memory.put(variable, parts)
        return self._result(function, frame)

    def _result(self, function: sx.Function, frame: Frame) -> Value:
        """What a function returned: a choice where open conditions decide."""
        results = frame.results
        if not results:
            return UNKNOWN
        if all(result == results[0] for result in results):
            return results[0]
        if any(isinstance(result, Fields) for result in results):
            return UNKNOWN
        if frame.guards.keys() == set(range(len(results) - 1)):
            value = results[-1]
            for number in reversed(range(len(results) - 1)):
                given, is_then = frame.guards[number]
                arms = (results[number], value) if is_then else (value, results[number])
                value = depending("?:", (given, *arms))
            return value
        sources = [source for result in results if isinstance(result, Unknown) for source in result.sources]
        if sources:
            return Unknown(tuple(dict.fromkeys(sources))[:4])
        return self._unknown(f"{function.name}()", "depends on what is not known", function.body)

    def _dispatched(self, call: sx.Call, function: sx.Function | None) -> sx.Function | None:
        """The body that runs for a virtual method: that of the class of the object, where it is known."""
        if self._overrides is None:
            self._overrides = {}
            for item in self._functions.values():
                if item.is_virtual:
                    self._overrides.setdefault(item.name.rsplit("::", 1)[-1], []).append(item)
        known = [item for item in self._overrides.get(call.name, []) if len(item.parameters) == len(call.arguments)]
        if known == [function]:
            return function
        this = self._value(call.arguments[0]) if call.arguments else UNKNOWN
        if not isinstance(this, Reference) or this.path not in ("", "[0]"):
            return None
        kind = this.variable.type
        owner = kind.name.rsplit("::", 1)[-1] if isinstance(kind, sx.StructT) else ""
        own = [item for item in known if item.name == f"{owner}::{call.name}"]
        return own[0] if own else None

    def _enter_briefly(self, call: sx.Call, function: sx.Function, values: Sequence[Value]) -> Value:
        """A call that launches nothing: where it takes too long its effects are unknown."""
        depth, memory, apart = len(self._frames), self._memory, self._apart
        given = min(_CALL_STEPS, (STEPS - self._steps) // 3)
        self._limit, self._soft_limit = self._steps + given, min(SOFT_STEPS, self._steps + given // 2)
        try:
            return self._enter(function, values)
        except Spent:
            self._memory, self._apart = memory, apart
            del self._frames[depth:]
            for value in values:
                self._set_by(function.name, value, call)
            return self._unknown(f"{function.name}()", "takes too long to follow", call)
        finally:
            self._limit, self._soft_limit = STEPS, SOFT_STEPS

    def _kept(self, function: sx.Function) -> dict[sx.Variable, Parts | None]:
        """The variables of a function that is running already."""
        if not any(frame.function == function.key for frame in self._frames):
            return {}
        own = self._locals.get(function.key)
        if own is None:
            declared = (node.variable for node in walk(function.body) if isinstance(node, sx.Declare))
            own = (*function.parameters, *(item for item in declared if item.storage is sx.Storage.LOCAL))
            self._locals[function.key] = own
        return {item: dict(parts) if (parts := self._memory.of(item)) is not None else None for item in own}

    def _call(self, call: sx.Call) -> Value:
        if ends_program(call, self._functions):
            if self._apart is None:
                raise Leave
            return UNKNOWN
        function = self._functions.get(call.function)
        if function.is_virtual if function is not None else "@S@" in call.function:
            function = self._dispatched(call, function)
            if function is None and call.function in self._functions:
                return self._unknown(f"{call.name}()", "depends on the class of an object", call)
        if function is not None and function.kind is not sx.FunctionKind.KERNEL:
            values = self._arguments_of(function, call.arguments)
            if self._limit < STEPS or function.key in self._launching:
                return self._enter_at(call, function, values)
            return self._enter_briefly(call, function, values)
        return self._library(call, [self._given(call, argument) for argument in call.arguments])

    def _given(self, call: sx.Call, argument: sx.Expression) -> Value:
        """An argument of the library: streams and ``swap`` take references."""
        if call.name in ("operator>>", "swap", "getline"):
            place = self._place(argument)
            if place is not None:
                return self._reference(place)
        return self._value(argument)

    def _call_value(self, expression: sx.OpaqueExpression) -> Value | None:
        value = None if expression.called is None else self._value(expression.called)
        function = self._functions.get(value.key) if isinstance(value, Code) else None
        if function is None or function.kind is sx.FunctionKind.KERNEL:
            return None
        return self._enter_at(expression, function, self._arguments_of(function, expression.operands))

    def _enter_at(self, call: sx.Expression, function: sx.Function, values: Sequence[Value]) -> Value:
        """Enter a function that may launch: its launches are those of this call; a recursion is one call."""
        is_new = id(call) not in self._path
        if is_new:
            self._path.append(id(call))
        try:
            return self._enter(function, values)
        finally:
            if is_new:
                self._path.pop()

    def _arguments_of(self, function: sx.Function, arguments: Sequence[sx.Expression]) -> list[Value]:
        return [
            self._argument(parameter, argument)
            for argument, parameter in zip(arguments, function.parameters, strict=False)
        ]
