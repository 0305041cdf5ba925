"""A brute-force interpreter of the IR: region and values of its symbols -> everything that happened, in program order.

Truth for the symbolic counts: it walks every iteration and writes down every memory reference, and shares no code with
``analyzer.domains``, ``analyzer.counts`` and ``analyzer.traffic``.  Loads of a statement come in evaluation order,
before its store.  Rows behind unknown strides (pointer tables) are storage of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, assert_never

from msgspec import Struct

from analyzer.ir.index import Poly, const
from analyzer.ir.nodes import Exit, Geometric, Guard, Loop, Node, Region, Statement, Strided, Uncounted
from analyzer.ir.types import ScalarType, TypeClass
from analyzer.ir.values import Access, Apply, Load, Operation, Value, operands_of

from .evaluate import Choose, Evaluator, Guess, IndexFunction, State, refuse, truncate

Position = tuple[int | str, ...]
Storage = tuple[str, tuple[int, ...]]
OperationName = tuple[Operation, ScalarType, str]
Step = Callable[[State], str | None]

RETURN = "return"
_TRIP_LIMIT = 10_000_000


class Reference(NamedTuple):
    """One executed memory reference; ``offset`` is in bytes from the start of its storage."""

    storage: Storage
    offset: int
    size_bytes: int
    write: bool
    statement: int


class Distinct(NamedTuple):
    """How many different elements (or lines) were loaded, stored, either, both, and loaded before any store."""

    loaded: int
    stored: int
    either: int
    both: int
    read_first: int


class Execution(Struct, frozen=True):
    """What happened; ``executions[k]`` is how often the statement at ``positions[k]`` of the tree ran."""

    region: Region
    values: Mapping[str, int]
    positions: Sequence[Position]
    executions: Sequence[int]
    operations: Mapping[OperationName, int]
    references: Sequence[Reference]

    def count(self, *, write: bool) -> int:
        """Executed loads or stores."""
        return sum(reference.write is write for reference in self.references)

    def bytes(self, *, write: bool) -> int:
        """Bytes of executed loads or stores."""
        return sum(reference.size_bytes for reference in self.references if reference.write is write)

    def elements(self, array: str | None = None) -> Distinct:
        """Distinct elements, of one array or of all."""
        chosen = (r for r in self.references if array in (None, r.storage[0]))
        return _distinct((r.write, (r.storage, r.offset)) for r in chosen)

    def lines(self, array: str | None = None, line_bytes: int = 64) -> Distinct:
        """Distinct cache lines, of one array or of all; read first are those that hold an element that is."""
        bases = self.bases(gap=line_bytes)
        chosen = [r for r in self.references if array in (None, r.storage[0])]
        found = _distinct((r.write, line) for r in chosen for line in _lines_of(r, bases, line_bytes))
        first = {line for r in _read_first(chosen) for line in _lines_of(r, bases, line_bytes)}
        return found._replace(read_first=len(first))

    def line_stream(self, line_bytes: int = 64) -> Iterator[tuple[int, bool, int]]:
        """Line number, direction and bytes of each reference, in order."""
        bases = self.bases()
        return ((line, r.write, r.size_bytes) for r in self.references for line in _lines_of(r, bases, line_bytes))

    def bases(self, alignment: int = 4096, gap: int = 16) -> dict[Storage, int]:
        """Address of each storage: aligned, in order of declaration, a gap after the end of the one before."""
        lowest: dict[Storage, int] = {}
        highest: dict[Storage, int] = {}
        for reference in self.references:
            key, offset = reference.storage, reference.offset
            lowest[key] = min(lowest.get(key, 0), offset)
            highest[key] = max(highest.get(key, 0), offset + reference.size_bytes)
        order = {array.name: position for position, array in enumerate(self.region.arrays)}
        bases: dict[Storage, int] = {}
        free = 0
        for key in sorted(lowest, key=lambda storage: (order[storage[0]], storage[1])):
            start = _align(free - lowest[key], alignment)
            bases[key] = start
            free = start + max(highest[key], self._declared_bytes(key)) + gap
        return bases

    def _declared_bytes(self, key: Storage) -> int:
        array = next(array for array in self.region.arrays if array.name == key[0])
        size = array.element_bytes
        for extent in array.extents:
            if extent is None or extent.unknowns() or not extent.names() <= self.values.keys():
                return 0
            size *= int(extent.evaluate(self.values))
        return size


def run(
    region: Region,
    values: Mapping[str, int],
    *,
    choose: bool | Choose = True,
    guess: Guess = refuse,
) -> Execution:
    """Execute a region. ``choose`` decides data-dependent conditions, ``guess`` values that the source does not tell,
    among them trip counts that are not in ``values``.

    ``values`` come before the values that the region's symbols have from the source.  Raises ``KeyError`` for a name
    that has no value where it is used.
    """
    known = {s.name: s.value for s in region.symbols if s.value is not None} | dict(values)
    decide: Choose = choose if callable(choose) else (lambda name, where: bool(choose))
    machine = _Machine(region, Evaluator(decide, guess))
    machine.block(region.body, ())(dict(known))
    operations: Counter[OperationName] = Counter()
    for statement, number in zip(machine.statements, machine.executions, strict=True):
        for key, each in operations_of(statement.value).items():
            operations[key] += number * each
    found = {key: number for key, number in operations.items() if number}
    return Execution(region, known, machine.positions, machine.executions, found, machine.references)


def trip_count(values: Strided | Geometric, state: State) -> int:
    """Iterations of one execution of a counted loop."""
    evaluator = Evaluator(lambda name, where: True, refuse)
    return sum(inside for _, inside in _values_of(values, evaluator)(state))


def operations_of(value: Value) -> Counter[OperationName]:
    """Operations of one evaluation, each lane of a vector type as one."""
    found: Counter[OperationName] = Counter()
    for operand in operands_of(value):
        found.update(operations_of(operand))
    if isinstance(value, Apply):
        scalar = value.type.scalar
        if scalar.type_class is TypeClass.COMPLEX:
            raise NotImplementedError("complex arithmetic is not interpreted")
        times = value.work if value.operation is Operation.TENSOR else value.type.lanes
        found[value.operation, scalar, value.function] += times
    return found


class _Machine:
    """Turns nodes into functions of the state once, and runs them; the lists fill while it runs."""

    def __init__(self, region: Region, evaluator: Evaluator) -> None:
        self._arrays = {array.name: array for array in region.arrays}
        self._evaluator = evaluator
        self.statements: list[Statement] = []
        self.positions: list[Position] = []
        self.executions: list[int] = []
        self.references: list[Reference] = []

    def block(self, nodes: Sequence[Node], position: Position) -> Step:
        steps = [self._node(node, (*position, index)) for index, node in enumerate(nodes)]

        def run_block(state: State) -> str | None:
            for step in steps:
                left = step(state)
                if left is not None:
                    return left
            return None

        return run_block

    def _node(self, node: Node, position: Position) -> Step:
        match node:
            case Loop():
                return self._loop(node, position)
            case Guard():
                return self._guard(node, position)
            case Statement():
                return self._statement(node, position)
            case Exit(loop):
                return lambda state: RETURN if loop is None else loop
            case _:
                assert_never(node)

    def _loop(self, loop: Loop, position: Position) -> Step:
        values = _values_of(loop.range, self._evaluator)
        header = self.block(loop.header, (*position, "header"))
        body = self.block(loop.body, (*position, "body"))

        def run_loop(state: State) -> str | None:
            left: str | None = None
            for value, inside in values(state):
                state[loop.iterator] = value
                header(state)
                left = body(state) if inside else None
                if left is not None:
                    break
            state.pop(loop.iterator, None)
            return None if left == loop.iterator else left

        return run_loop

    def _guard(self, guard: Guard, position: Position) -> Step:
        holds = self._evaluator.condition(guard.condition)
        body = self.block(guard.body, (*position, "then"))
        orelse = self.block(guard.orelse, (*position, "else"))
        return lambda state: body(state) if holds(state) else orelse(state)

    def _statement(self, statement: Statement, position: Position) -> Step:
        index = len(self.statements)
        self.statements.append(statement)
        self.positions.append(position)
        self.executions.append(0)
        loads = [self._place(access) for access in _loads_of(statement.value)]
        stores = [self._place(statement.target)] if isinstance(statement.target, Access) else []
        places = [(*place, False) for place in loads] + [(*place, True) for place in stores]

        def run_statement(state: State) -> None:
            self.executions[index] += 1
            for array, row, offset, size, write in places:
                storage = (array, tuple(subscript(state) for subscript in row))
                self.references.append(Reference(storage, offset(state), size, write, index))

        return run_statement

    def _place(self, access: Access) -> tuple[str, tuple[IndexFunction, ...], IndexFunction, int]:
        offset: Poly = const(access.offset_bytes)
        row: list[IndexFunction] = []
        for subscript, stride in zip(access.subscripts, access.strides_bytes, strict=True):
            if stride is None:
                row.append(self._evaluator.index(subscript))
            else:
                offset = offset + subscript * stride
        size = access.type.size_bytes or self._arrays[access.array].element_bytes
        return access.array, tuple(row), self._evaluator.index(offset), size


def _loads_of(value: Value) -> Iterator[Access]:
    for operand in operands_of(value):
        yield from _loads_of(operand)
    if isinstance(value, Load):
        yield value.access


def _values_of(
    values: Strided | Geometric | Uncounted, evaluator: Evaluator
) -> Callable[[State], Iterator[tuple[int, bool]]]:
    """Values of the iterator, each with whether the body runs; the last one, which ends the loop, has False."""
    match values:
        case Strided(start, stop, step):
            first, end = evaluator.index(start), evaluator.index(stop)
            return lambda state: _walk(first(state), end(state), lambda value: value + step, downwards=step < 0)
        case Geometric(start, stop, factor, shrinking):
            first, end = evaluator.index(start), evaluator.index(stop)
            advance = (lambda value: truncate(value, factor)) if shrinking else (lambda value: value * factor)
            return lambda state: _walk(first(state), end(state), advance, downwards=shrinking)
        case Uncounted(trip):
            end = evaluator.trip(trip)
            return lambda state: _walk(0, end(state), lambda value: value + 1, downwards=False)
        case _:
            assert_never(values)


def _walk(value: int, end: int, advance: Callable[[int], int], *, downwards: bool) -> Iterator[tuple[int, bool]]:
    for _ in range(_TRIP_LIMIT):
        inside = value > end if downwards else value < end
        yield value, inside
        if not inside:
            return
        value = advance(value)
    raise RuntimeError(f"the loop did not end within {_TRIP_LIMIT} iterations")


def _read_first(references: Iterable[Reference]) -> Iterator[Reference]:
    """References that load an element which no earlier one stores."""
    stored: set[tuple[Storage, int]] = set()
    for reference in references:
        key = (reference.storage, reference.offset)
        if reference.write:
            stored.add(key)
        elif key not in stored:
            yield reference


def _distinct(uses: Iterator[tuple[bool, object]]) -> Distinct:
    loaded: set[object] = set()
    stored: set[object] = set()
    read_first: set[object] = set()
    for write, thing in uses:
        if write:
            stored.add(thing)
        else:
            loaded.add(thing)
            if thing not in stored:
                read_first.add(thing)
    return Distinct(len(loaded), len(stored), len(loaded | stored), len(loaded & stored), len(read_first))


def _lines_of(reference: Reference, bases: Mapping[Storage, int], line_bytes: int) -> range:
    address = bases[reference.storage] + reference.offset
    return range(address // line_bytes, (address + reference.size_bytes - 1) // line_bytes + 1)


def _align(number: int, alignment: int) -> int:
    return -(-number // alignment) * alignment
