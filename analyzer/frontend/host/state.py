"""The state of host code that runs: memory, frames, the budget, and the loop whose effects are summarized.

While ``summarized`` is set, a loop is not run but its effects are gone through once: every branch is taken and whatever
is assigned becomes unknown.  An assignment through a pointer that is itself unknown is taken not to change a size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Literal

from msgspec import Struct, field

from ...diagnostics import Phrase
from ...source import Span
from ..surface import nodes as sx
from .getopt import OptionScanner
from .launch_record import LaunchRecord
from .linked_program import LinkedProgram
from .memory import COUNT, Location, Memory
from .values import UNKNOWN, Fields, Reference, Source, Unknown, Value, array_of, as_integer, derived, element_of

HEAP, DEVICE, PINNED, MANAGED = "heap", "device memory", "pinned memory of the host", "managed memory"
STEPS = 150_000
SOFT_STEPS = 60_000


class Leave(Exception):
    """``exit()`` was called, or the budget is spent."""


class Spent(Exception):
    """A call that launches nothing takes too long."""


Jump = Literal["break", "continue", "return"]
"""How a statement ended, where not at its end."""


class Frame(Struct):
    """A function that runs: what it returned, under which condition, and whether an open branch leaves a loop."""

    function: str
    results: list[Value] = field(default_factory=list)
    guards: dict[int, tuple[Value, bool]] = field(default_factory=dict)
    leaves_loop: bool = False


class Handlers(Struct, frozen=True, kw_only=True):
    """What lower modules need of higher ones: the mutual recursion of expressions, calls and statements."""

    run: Callable[[HostState, sx.Statement], Jump | None]
    call: Callable[[HostState, sx.Call], Value]
    call_through_value: Callable[[HostState, sx.OpaqueExpression], Value | None]
    launch: Callable[[HostState, sx.Launch], None]


class HostState:
    """What is known at this point of a run of one program from one function on."""

    def __init__(self, program: LinkedProgram, handlers: Handlers, record: LaunchRecord) -> None:
        """Start with nothing known; launches go to ``record``."""
        self.program = program
        self.handlers = handlers
        self.record = record
        self.memory = Memory()
        self.static: set[sx.Variable] = set()  # written variables that are not local
        self.block_bytes: dict[sx.Variable, int] = {}  # of allocated memory, where it is a number
        self.prefetched: set[sx.Variable] = set()  # managed memory that was moved to the GPU
        self.random: set[sx.Variable] = set()  # memory whose elements are random numbers
        self.options = OptionScanner()
        self.frames: list[Frame] = []
        self.path: list[int] = []  # the calls that led here
        self.summarized: sx.Statement | None = None
        self.open_conditions = 0  # conditions around that are not known
        self.unfollowed: Span | None = None  # where the loop is that may launch more than was met
        self.watched: dict[Span, dict[Location, list[Value]]] = {}  # what is wanted after which statement
        self.steps = 0
        self.launching_steps = 0
        self.limit = STEPS
        self.soft_limit = SOFT_STEPS

    @property
    def frame(self) -> Frame:
        """Return the function that runs."""
        return self.frames[-1]

    @property
    def is_spent(self) -> bool:
        """Return whether the budget of the run is spent."""
        return self.steps > STEPS

    @property
    def is_short(self) -> bool:
        """Return whether loops that launch nothing are no longer run."""
        return self.steps > self.soft_limit

    @property
    def is_certain(self) -> bool:
        """Return whether what runs here runs in any case."""
        return not self.open_conditions and not any(frame.leaves_loop for frame in self.frames)

    def launch_graph(self, graph: sx.Variable) -> None:
        """Count the launches of a graph, or note them where a loop is only gone through."""
        if self.summarized is not None:
            self.record.pass_over_graph(graph, self.summarized.span, self.unfollowed)
        else:
            self.record.count_graph(graph, is_certain=self.is_certain)

    def step(self) -> None:
        """Count one step; raise ``Leave`` where the run, or ``Spent`` where a call, has no more of them."""
        self.steps += 1
        if self.steps > self.limit:
            raise Leave if self.steps > STEPS else Spent

    def unknown(
        self,
        name: str | Phrase,
        form: str,
        tree: sx.Statement | sx.Expression | sx.Variable,
        *,
        taken: int | None = None,
        **fields: str,
    ) -> Unknown:
        """Return a new source, whose origin is among the sentences of AI212.

        ``taken`` is the value assumed where nothing gives one.
        """
        return self.unknown_by(name, Phrase.of("AI212", form, name=name, **fields), tree, taken)

    def unknown_by(
        self,
        name: str | Phrase,
        origin: Phrase,
        tree: sx.Statement | sx.Expression | sx.Variable,
        taken: int | None = None,
    ) -> Unknown:
        """Return a new source with this origin."""
        return Unknown((Source(name, origin, tree.span, next(self.program.source_numbers), taken),), "")

    # --- memory ----------------------------------------------------------------------------------------------------

    def load(self, location: Location, otherwise: str, tree: sx.Expression) -> Value:
        """Return what a location holds; where nothing is known it becomes a source, so that it equals itself."""
        found = self.memory.read(location)
        if found is None:
            variable, path = location
            found = self.unknown(_name(location), otherwise, tree)
            parts = self.memory.of(variable)
            self.steps += len(parts) // 16 if parts else 0
            if not isinstance(variable.type, sx.StructT) or path:
                self.memory.store(location, found)
        return found

    def store(self, location: Location, value: Value, is_plain: bool = False) -> None:
        """Assign to a location."""
        variable, path = location
        if variable.storage is not sx.Storage.LOCAL:
            self.static.add(variable)
        if self.summarized is None:
            self.memory.store(location, value, is_plain)
            return
        changed = self.unknown(_name(location), "loop", self.summarized)
        array, _, _ = path.partition("[")
        if "[" in path:
            self.memory.fill_elements(variable, array, changed)
        else:
            self.memory.store(location, changed)

    def watch(self, statement: sx.Statement) -> None:
        """Note the values that are wanted after a statement that has run."""
        for location, values in self.watched.get(statement.span, {}).items():
            value = self.memory.read(location) if self.summarized is None else None
            is_later = value is None and isinstance(
                statement, sx.Declare
            )  # of ``int n = 1, m = 2``, which have one span
            if not is_later:
                values.append(UNKNOWN if value is None else value)

    def set_by(self, name: str, address: Value, call: sx.Expression, form: str = "set") -> None:
        """Make unknown what a function without a body (or a kernel, or other code) may have written at an address."""
        if not isinstance(address, Reference):
            return
        location = (address.variable, address.path)
        base = element_of(address.path)
        if name in _READERS:
            changed = self.unknown(_name(location), "file", call)
        elif form == "set":
            changed = self.unknown(_name(location), form, call, function=f"{name}{'' if ' ' in name else '()'}")
        else:
            changed = self.unknown(_name(location), form, call)
        if base is None:
            self.store(location, changed)
            return
        self.memory.fill_elements(address.variable, base[0], changed)
        if self.memory.read((address.variable, base[0] + COUNT)) is not None and name in _READERS:
            self.memory.store((address.variable, base[0] + COUNT), changed)

    def count(self, container: Value, call: sx.Expression) -> Value:
        """Return how many elements a container holds."""
        if not isinstance(container, Reference):
            return derived(container)
        return self.load((container.variable, array_of(container.path) + COUNT), "not-known", call)

    def set_count(self, container: Value, count: Value) -> None:
        """Set how many elements a container holds."""
        if isinstance(container, Reference):
            self.store((container.variable, array_of(container.path) + COUNT), count)

    def allocated(self, call: sx.Expression, what: str = HEAP, kind: sx.CType | None = None) -> Reference:
        """Return the first element of a new block; ``kind`` is the class of what was constructed there."""
        return Reference(sx.Variable(what, kind or sx.UnknownT(HEAP), sx.Storage.LOCAL, call.span), "[0]")

    def note_bytes(self, block: Reference, *factors: Value) -> None:
        """Note the bytes of a new block, the product of some values, where all of them are numbers."""
        known = [number for number in map(as_integer, factors) if number is not None]
        if len(known) == len(factors):
            self.block_bytes[block.variable] = prod(known)

    def note_random(self, address: Value, value: sx.Expression) -> None:
        """Note that an element of the memory at an address is given a value, where that is a random number."""
        if isinstance(address, Reference) and self.program.random_numbers.holds(self.frame.function, value):
            self.random.add(address.variable)

    def note_filled(self, function: sx.Function, values: Sequence[Value]) -> None:
        """Note the memory that a function or a kernel fills with random numbers, by the values of its arguments."""
        filled = self.program.random_numbers.filled(function.key)
        for parameter, value in zip(function.parameters, values, strict=False):
            if parameter.name in filled and isinstance(value, Reference):
                self.random.add(value.variable)

    def note_order(self, name: str, values: Sequence[Value]) -> None:
        """Note whether a function of a library leaves random numbers in the memory that it is given."""
        plain = name.rsplit("::", 1)[-1]
        position = 1 if plain.startswith(_GENERATORS) else 0
        address = values[position] if len(values) > position else None
        if not isinstance(address, Reference):
            return
        if position or plain in _DISORDERING:
            self.random.add(address.variable)
        elif plain in _ORDERING:
            self.random.discard(address.variable)

    def doubt_forms(self, values: Sequence[Value] | None) -> None:
        """Forget the closed forms of blocks to which some values, or written globals, lead; of all where None."""
        if not self.memory.formed:
            return
        waiting = [] if values is None else [*values, *(Reference(variable, "") for variable in self.static)]
        reached = set(self.memory.formed) if values is None else set[sx.Variable]()
        while waiting:
            value = waiting.pop()
            if isinstance(value, Fields):
                waiting += value.parts.values()
            elif isinstance(value, Reference) and value.variable not in reached:
                reached.add(value.variable)
                waiting += (self.memory.of(value.variable) or {}).values()
        for block in reached & self.memory.formed:
            self.memory.set_form(block, None)

    def at_address(self, address: Value) -> Value | None:
        """Return the value at an address."""
        return self.memory.read((address.variable, address.path)) if isinstance(address, Reference) else None

    def put(self, address: Value, value: Value) -> None:
        """Store at an address, as a library function does."""
        if isinstance(address, Reference):
            self.store((address.variable, address.path), value)


LibraryFunction = Callable[[HostState, sx.Call, Sequence[Value]], Value]
"""Runs a call of the library with the values of its arguments."""

_ORDERING = frozenset({"sort", "stable_sort", "qsort", "sort_by_key", "iota", "sequence", "fill", "fill_n", "memset"})
_DISORDERING = frozenset({"shuffle", "random_shuffle", "generate", "generate_n"})
_GENERATORS = ("curandGenerate", "hiprandGenerate")
_READERS = frozenset(
    {"operator>>", "scanf", "fscanf", "fread", "fgets", "getline", "read", "get", "getc", "fgetc", "ifstream"}
)


def _name(location: Location) -> str | Phrase:
    variable, path = location
    name = variable.name
    if name == HEAP:  # named by where it is made
        line = variable.span.line
        if path.endswith(COUNT):
            return Phrase.of("AI212", "elements-made", line=line)
        return Phrase.of("AI212", "made", part=path.removeprefix("[0]."), line=line)
    return f"{name}{path.removesuffix(COUNT)}.size()" if path.endswith(COUNT) else name + path
