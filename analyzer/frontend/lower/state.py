"""The state of one lowering: what variables are bound to, where nodes go, which names are taken.

A variable is bound to a *value*, not to a cell: integers to polynomials, pointers to places.  Inside a loop the
variables that it changes are bound to placeholders (names with an ``@``), which are replaced once the body is known.
"""

from __future__ import annotations

import contextlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from collections.abc import Mapping as Table

from ...diagnostics import Diagnostic, Field
from ...ir.index import Poly, unknown, var
from ...ir.nodes import (
    Array,
    Assumption,
    Condition,
    DataDependent,
    Exit,
    Guard,
    Mapping,
    MemorySpace,
    Node,
    Statement,
    Symbol,
    SymbolOrigin,
)
from ...ir.types import ElementType, ScalarType
from ...ir.values import Access, Constant, Register, Value
from ...source import Span
from ..surface import nodes as sx
from .bindings import (
    Binding,
    Environment,
    Frame,
    Integer,
    Key,
    Limits,
    LoopFacts,
    Lvalue,
    Result,
    Slot,
    Target,
    as_poly,
)
from .effects import EffectTable
from .logic import ALWAYS, conjunction, negate


class State(ABC):
    """Everything that changes during the lowering of one region; the abstract methods are the mutual recursion."""

    def __init__(self, unit: sx.Unit, defines: Table[str, int], element_type: ScalarType, effects: EffectTable) -> None:
        """Start an empty region."""
        self.unit = unit
        self.defines = defines
        self.element_type = element_type
        self.effects = effects
        self.arguments: Table[str, int] = {}
        self.written_members: frozenset[str] = frozenset()
        self.limits = Limits()
        self.environment: Environment = {}
        self.defaults: dict[Key, Integer] = {}
        self.block: list[Node] = []
        self.path: list[Condition] = []
        self.targets: list[Target] = []
        self.frames: list[Frame] = []
        self.loops: list[LoopFacts] = []
        self.arrays: dict[str, Array] = {}
        self.symbols: dict[str, Symbol] = {}
        self.wanted: dict[str, str] = {}
        self.library_call: Span | None = None
        self.unaliased: set[str] = set()
        self.allocated: set[str] = set()
        self.constants: dict[sx.Variable, Constant | None] = {}
        self.choices: dict[tuple[Condition, Poly, Poly], Poly] = {}
        self.names: set[str] = set()
        self.reserved: set[str] = set()
        self.storage: dict[sx.Variable, str] = {}
        self.registers: dict[sx.Variable, str] = {}
        self.extents: dict[int, tuple[sx.ArrayT, Poly | None]] = {}
        self.diagnostics: dict[tuple[str, str, int], Diagnostic] = {}
        self.assumptions: dict[Assumption, Assumption] = {}
        self.written_names: frozenset[str] = frozenset()
        self.indexing = False
        self.index_operations = 0
        self.terminated = False
        self.abandoned = False
        self.collapse = (Mapping.SEQUENTIAL, 0)
        self.temporaries = 0
        self.placeholders = 0
        self.emitted = 0
        self.inlined = 0

    # --- mutual recursion ---

    @abstractmethod
    def evaluate(self, expression: sx.Expression) -> Result:
        """Value, pointer or aggregate of an expression, with its side effects."""

    @abstractmethod
    def lvalue(self, expression: sx.Expression) -> Lvalue | None:
        """Where an expression designates an object, or None."""

    @abstractmethod
    def condition(self, expression: sx.Expression) -> Condition:
        """Truth of an expression."""

    @abstractmethod
    def run(self, statement: sx.Statement) -> None:
        """Lower one statement into the current block."""

    @abstractmethod
    def call(self, expression: sx.Call) -> Result:
        """A call."""

    # --- nodes ---

    def emit(self, target: Access | Register | None, value: Value, span: Span) -> None:
        """Append a statement that carries the index operations met since the last one."""
        self.append(Statement(target, value, self.placed(span), self.index_operations))
        self.index_operations = 0

    def placed(self, span: Span) -> Span:
        """Where the user's source stands: a function of a library is at its call."""
        return self.library_call or span

    def append(self, node: Node) -> None:
        """Append a node to the current block."""
        self.emitted += 1
        self.block.append(node)

    def temporary(self, value: Value, type: ElementType, span: Span) -> Register:
        """Hold a value in a new register."""
        self.temporaries += 1
        register = Register(f"${self.temporaries}", type)
        self.emit(register, value, span)
        return register

    def leave(self, iterator: str | None, span: Span) -> None:
        """Append an exit; what follows in this block is not reached."""
        self.append(Exit(iterator, span))
        self.terminated = True

    @contextlib.contextmanager
    def capture(self) -> Iterator[list[Node]]:
        """Collect the nodes of the body of the ``with`` statement instead of appending them."""
        outer, self.block = self.block, []
        pending, self.index_operations = self.index_operations, 0
        try:
            yield self.block
        finally:
            self.block = outer
            self.index_operations = pending

    @contextlib.contextmanager
    def guarded(self, condition: Condition) -> Iterator[list[Node]]:
        """Collect the nodes that run under a condition."""
        self.path.append(condition)
        try:
            with self.capture() as nodes:
                yield nodes
        finally:
            self.path.pop()

    def append_guard(self, condition: Condition, body: list[Node], orelse: list[Node], span: Span) -> None:
        """Append a guard in normal form: no constant condition, no empty first arm."""
        if not body and not orelse:
            return
        if condition == ALWAYS or condition == negate(ALWAYS):
            self.block.extend(body if condition == ALWAYS else orelse)
            return
        if not body:
            condition, body, orelse = negate(condition), orelse, []
        self.append(Guard(condition, tuple(body), tuple(orelse), self.placed(span)))

    def since(self, depth: int) -> Condition:
        """The conjunction of the guards that are open beyond a depth."""
        return conjunction(self.path[depth:])

    # --- findings ---

    def report(self, code: str, span: Span, message: str, hint: str = "") -> None:
        """Add a diagnostic, once for one code, message and line."""
        span = self.placed(span)
        self.diagnostics.setdefault((code, message, span.line), Diagnostic(code, span, message, hint))

    def assume(self, code: str, text: str, span: Span) -> None:
        """Add an assumption, once."""
        self._assume(Assumption(code, text, self.placed(span)))

    def assume_that(self, code: str, span: Span, form: str, subject: str = "", /, **fields: Field) -> None:
        """Add an assumption whose sentence is in the catalog of messages, once."""
        self._assume(Assumption.of(code, self.placed(span), form, subject, **fields))

    def _assume(self, found: Assumption) -> None:
        self.assumptions.setdefault(found, found)

    # --- names ---

    def unique(self, wanted: str) -> str:
        """A name for an iterator or a symbol that nothing else in the region has."""
        name, number = wanted, 1
        while name in self.names:
            number += 1
            name = f"{wanted}.{number}"
        self.names.add(name)
        return name

    def reserve(self, name: str) -> None:
        """Keep a name for the symbol of a variable whose value at entry a loop starts from."""
        if name not in self.names:
            self.names.add(name)
            self.reserved.add(name)

    def final_name(self, placeholder: str) -> str:
        """The name that a symbol has in the finished region."""
        wanted = self.wanted[placeholder]
        if wanted in self.reserved:
            self.reserved.discard(wanted)
            return wanted
        return self.unique(wanted)

    def placeholder(self, wanted: str) -> str:
        """A name that is replaced before the region is done."""
        self.placeholders += 1
        name = f"{wanted}@{self.placeholders}"
        self.wanted[name] = wanted
        return name

    def symbol(self, wanted: str, origin: SymbolOrigin) -> Poly:
        """A new integer that the counts depend on; it gets its final name when the region is done."""
        name = self.placeholder(wanted)
        self.symbols[name] = Symbol(name, self.defines.get(wanted), origin)
        return var(name)

    def named_symbol(self, name: str, origin: SymbolOrigin, value: int | None = None) -> Poly:
        """The symbol of exactly this name, made on first use."""
        if name not in self.symbols:
            self.names.add(name)
            self.symbols[name] = Symbol(name, self.defines.get(name, value), origin)
        return var(name)

    def trip_symbol(self, span: Span, value: int | None = None) -> str:
        """The symbol for the trip count of the loop on a line."""
        name = self.unique(f"trip_L{self.placed(span).line}")
        self.symbols[name] = Symbol(name, self.defines.get(name, value), SymbolOrigin.TRIP_COUNT)
        return name

    def lost(self, wanted: str) -> Poly:
        """The value of an integer that cannot be expressed: a symbol outside of loops, else unknown."""
        if not self.loops:
            return self.symbol(wanted, SymbolOrigin.VARIABLE)
        self.placeholders += 1
        return unknown(f"{wanted}#{self.placeholders}", (loop.iterator for loop in self.loops))

    def choice(self, wanted: str, condition: Condition, then: Poly, orelse: Poly) -> Poly:
        """``condition ? then : orelse`` that cannot be expressed: unknown, but the same wherever it is chosen again."""
        if isinstance(condition, DataDependent) and not condition.name:
            return self.lost(wanted)
        key = (condition, then, orelse)
        if key not in self.choices:
            self.choices[key] = self.lost(wanted)
        return self.choices[key]

    def register_name(self, variable: sx.Variable) -> str:
        """The register of a scalar variable; variables that share a name get numbers."""
        if variable not in self.registers:
            taken = set(self.registers.values())
            name, number = variable.name, 1
            while name in taken:
                number += 1
                name = f"{variable.name}.{number}"
            self.registers[variable] = name
        return self.registers[variable]

    def array_name(self, variable: sx.Variable) -> str:
        """The storage that a variable owns or first points at."""
        if variable not in self.storage:
            taken = set(self.storage.values()) | self.arrays.keys()
            name, number = variable.name, 1
            while name in taken:
                number += 1
                name = f"{variable.name}.{number}"
            self.storage[variable] = name
        return self.storage[variable]

    def add_array(self, name: str, element: ElementType, element_bytes: int, extents: tuple[Poly | None, ...],
                  space: MemorySpace = MemorySpace.GLOBAL, local: bool = False) -> None:  # fmt: skip
        """Make storage known, once."""
        if name not in self.arrays:
            self.arrays[name] = Array(name, element, element_bytes, extents, space, local)

    # --- bindings ---

    def integer(self, slot: Slot) -> Integer:
        """What an integer variable holds now."""
        match self.environment.get(slot.key):
            case Integer() as known:
                return known
            case _:
                if slot.key not in self.defaults:
                    self.defaults[slot.key] = Integer(self._initial(slot))
                return self.defaults[slot.key]

    def _initial(self, slot: Slot) -> Poly:
        variable = slot.variable
        name = variable.name + slot.path
        keeps = variable.kept is not sx.Kept.NO and name not in self.defines
        if variable.initial is not None and (variable.constant or keeps) and not slot.path:
            value = self.quietly(variable.initial)
            if value is not None:
                if variable.kept is sx.Kept.ASSUMED:
                    self.assume_that("AI314", variable.span, "keeps", name, value=str(value))
                return value
        match variable.storage:
            case sx.Storage.PARAMETER if variable in self.frames[0].function.parameters:
                return self.named_symbol(name, SymbolOrigin.PARAMETER, self.arguments.get(name))
            case sx.Storage.CONSTANT if name in self.arguments:
                return self.named_symbol(name, SymbolOrigin.PARAMETER, self.arguments[name])
            case sx.Storage.UNDECLARED:
                return self.symbol(name, SymbolOrigin.UNDECLARED)
            case _:
                return self.symbol(name, SymbolOrigin.VARIABLE)

    def quietly(self, expression: sx.Expression) -> Poly | None:
        """Value of an integer expression that has no side effects and leaves no trace; None where it needs data."""
        mode, pending, self.indexing = self.indexing, self.index_operations, True
        with self.capture() as nodes:
            poly = as_poly(self.evaluate(expression))
        self.indexing, self.index_operations = mode, pending
        return None if nodes or poly is None else poly

    def rebind(self, slot: Slot, binding: Binding) -> None:
        """Give a variable a new value."""
        self.environment[slot.key] = binding

    def is_written(self, array: str) -> bool:
        """Whether any statement of the region may store into an array, by the name of its variable."""
        return re.split(r"[.\[]|->", array, maxsplit=1)[0] in self.written_names
