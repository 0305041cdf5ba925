"""Small loop nests, drawn as regions of the IR and valid by construction: by Hypothesis, which shrinks what fails, or
from a seed, which is some ten times faster.

Iterators never leave 0 .. N+M+K and rows are LD elements long, LD being larger than any last subscript, so that
different subscripts are different elements.  Every nest ends.  :func:`to_c` prints the same nest as C.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.vendor.pretty import RepresentationPrinter
from msgspec import Struct, field
from msgspec.structs import replace

from analyzer.ir.index import Poly, const, floor_div, floor_mod, maximum, minimum, trunc_div, trunc_mod, var
from analyzer.ir.nodes import (
    And,
    Array,
    Compare,
    Comparison,
    Condition,
    DataDependent,
    Exit,
    Geometric,
    Guard,
    Loop,
    Node,
    Not,
    Or,
    Range,
    Region,
    RegionKind,
    Statement,
    Strided,
    Symbol,
    SymbolOrigin,
    Uncounted,
)
from analyzer.ir.types import FP32, FP64, ElementType
from analyzer.ir.values import Access, Apply, Constant, Load, Operation, Register, Value
from analyzer.ir.verify import verify
from analyzer.source import Span
from tests.night import BY_NIGHT

from .c_text import to_c
from .interpreter import trip_count

__all__ = ["Nest", "Opacity", "nest_of_seed", "nests", "to_c"]

N, M, LD = var("N"), var("M"), var("LD")
_ROOM = 100
_OPERATIONS = (Operation.ADD, Operation.SUB, Operation.MUL, Operation.MUL, Operation.DIV, Operation.SQRT)
_Choice = TypeVar("_Choice")
_Number = Callable[[int, int], int]
_CELL_BYTES = 24


class Shape(Struct, frozen=True):
    """An array that nests may use; a struct of three doubles when ``members``."""

    array: Array
    type: ElementType
    members: tuple[str, ...] = ()
    linear: bool = False


def _shape(name: str, element: ElementType, rank: int) -> Shape:
    return Shape(Array(name, element, element.size_bytes, (None, *[LD] * (rank - 1))), element)


SHAPES = (
    _shape("a", FP64, 1),
    _shape("b", FP64, 2),
    _shape("c", FP64, 2),
    _shape("d", FP64, 3),
    _shape("f", FP32, 2),
    Shape(Array("g", FP64, 8, (None,)), FP64, linear=True),
    Shape(Array("p", FP64, _CELL_BYTES, (None,)), FP64, members=("x", "y", "z")),
)


class Opacity(Struct, frozen=True):
    """What makes counts inexact: data-dependent conditions, trip counts that are symbols, returns from inner loops.

    ``headers`` adds loads that loops make before each test.
    """

    conditions: bool = False
    trips: bool = False
    returns: bool = False
    headers: bool = False


_PLAIN = Opacity()


class Nest(Struct, frozen=True):
    """A region with some choices of values for its symbols."""

    region: Region
    sizes: tuple[dict[str, int], ...]

    @property
    def bound(self) -> Region:
        """The region with the first values written into its symbols."""
        symbols = tuple(replace(symbol, value=self.sizes[0][symbol.name]) for symbol in self.region.symbols)
        return replace(self.region, symbols=symbols)

    def __repr__(self) -> str:
        return f"sizes {self.sizes}\n{to_c(self.region)}"

    def _repr_pretty_(self, printer: RepresentationPrinter, cycle: bool) -> None:
        printer.text(repr(self))


# Loops of three levels with odd strides and conditions take a second each: these are drawn at night only.
DEEPEST = 3 if BY_NIGHT else 2


@st.composite
def nests(draw: st.DrawFn, opacity: Opacity = _PLAIN) -> Nest:
    """One to two top-level loops of depth 1 to ``DEEPEST``."""
    return _nest(lambda low, high: draw(st.integers(low, high)), opacity, DEEPEST)


def nest_of_seed(seed: int, opacity: Opacity = _PLAIN, deepest: int = 3) -> Nest:
    """The nest of a number: the same on every machine."""
    return _nest(random.Random(seed).randint, opacity, deepest)


def _nest(number: _Number, opacity: Opacity, deepest: int) -> Nest:
    builder = _Builder(number, opacity, deepest)
    body = tuple(builder.loop(()) for _ in range(number(1, 2)))
    symbols = [Symbol("N"), Symbol("M"), Symbol("LD")]
    symbols += [Symbol(trip, known, SymbolOrigin.TRIP_COUNT) for trip, known in builder.trips.items()]
    sizes = tuple(_sizes(builder) for _ in range(3))
    arrays = tuple(shape.array for shape in SHAPES)
    region = Region("nest", RegionKind.FUNCTION, "nest", Span("nest.c", 1, 1), arrays, tuple(symbols), body)
    verify(region)
    return Nest(region, sizes)


def _sizes(builder: _Builder) -> dict[str, int]:
    n, m = builder.pick([5, 6, 7, 4, 3, 2, 1, 0]), builder.pick([4, 6, 5, 7, 3, 2, 1, 0])
    unknown = {trip: builder.number(0, 4) if known is None else known for trip, known in builder.trips.items()}
    return {"N": n, "M": m, "LD": 2 * (n + m) + _ROOM, **unknown}


class _Builder(Struct):
    """Draws one nest; ``scope`` are the iterators in scope, outermost first."""

    number: _Number
    opacity: Opacity
    deepest: int
    trips: dict[str, int | None] = field(default_factory=dict)
    _made: int = 0
    _line: int = 1

    def loop(self, scope: tuple[str, ...]) -> Loop:
        self._made += 1
        iterator = f"i{self._made}"
        span = self.span()
        inner = (*scope, iterator)
        values = self.range(scope, span.line)
        body = self.body(inner)
        header = self.header(inner) if self.opacity.headers and self.chance(4) else ()
        return Loop(iterator, values, body, span, header=header)

    def header(self, scope: tuple[str, ...]) -> tuple[Statement, ...]:
        access = Access("a", (var(scope[-1]) + 2,), (const(8),), FP64)
        return (Statement(None, Load(access), self.span()),)

    def body(self, scope: tuple[str, ...]) -> tuple[Node, ...]:
        return tuple(self.node(scope) for _ in range(self.number(1, 3)))

    def node(self, scope: tuple[str, ...]) -> Node:
        kinds = ["statement"] * 4 + ["guard", "exit"]
        if len(scope) < self.deepest and self._made < 5:
            kinds += ["loop"] * 4
        match self.pick(kinds):
            case "loop":
                return self.loop(scope)
            case "guard":
                span = self.span()
                condition = self.guard_condition(scope, span.line)
                orelse = (self.statement(scope),) if self.chance(3) else ()
                inner = self.body(scope) if self.chance(3) else (self.statement(scope),)
                return Guard(condition, inner, orelse, span)
            case "exit":
                span = self.span()
                may_return = len(scope) == 1 or self.opacity.returns
                target = None if may_return and self.chance(4) else scope[-1]
                before = (self.statement(scope),) if self.chance(3) else ()
                condition = self.guard_condition(scope, span.line)
                return Guard(condition, (*before, Exit(target, self.span())), (), span)
            case _:
                return self.statement(scope)

    # --- loops ---

    def range(self, scope: tuple[str, ...], line: int) -> Range:
        if self.opacity.trips and self.chance(4):
            self.trips[f"trip_L{line}"] = None
            return Uncounted(f"trip_L{line}")
        if self.chance(8):
            return self.geometric(line)
        low, high = self.low(scope), self.high(scope)
        step = self.pick([1, 1, 1, 1, 2, 3, 4])
        if self.chance(4):
            return Strided(high - 1, low - 1, -step)
        return Strided(low, high, step)

    def geometric(self, line: int) -> Geometric:
        factor = self.pick([2, 2, 3])
        trip = f"trip_L{line}"
        if self.chance(2):
            values = Geometric(const(self.number(5, 30)), const(self.number(0, 2)), factor, True, trip)
        else:
            values = Geometric(const(self.number(1, 2)), const(self.number(1, 30)), factor, False, trip)
        self.trips[trip] = trip_count(values, {})
        return values

    def low(self, scope: tuple[str, ...]) -> Poly:
        """A bound that is never negative."""
        choices: list[Callable[[], Poly]] = [lambda: const(self.number(0, 2))] * 3
        choices += [lambda: trunc_div(N, 2), lambda: minimum([N, M])]
        if scope:
            outer = self.iterator(scope)
            choices += [lambda: outer, lambda: outer + self.number(0, 2)] * 2
            choices += [lambda: maximum([outer - 2, const(self.number(0, 2))]), lambda: floor_div(outer, 2)]
        return self.pick(choices)()

    def high(self, scope: tuple[str, ...]) -> Poly:
        choices: list[Callable[[], Poly]] = [lambda: N, lambda: M, lambda: N - 1, lambda: const(self.number(2, 6))]
        choices += [lambda: minimum([N, M + 2]), lambda: maximum([N - 2, M]), lambda: trunc_div(N + M, 2)]
        if scope:
            outer = self.iterator(scope)
            choices += [lambda: outer + self.number(0, 3), lambda: minimum([N, outer + 4]), lambda: N - outer]
        return self.pick(choices)()

    # --- conditions ---

    def guard_condition(self, scope: tuple[str, ...], line: int) -> Condition:
        if self.opacity.conditions and self.chance(2):
            return DataDependent(f"test{line}", "a[0] > 0")
        return self.condition(scope, 2)

    def condition(self, scope: tuple[str, ...], depth: int) -> Condition:
        if depth and self.chance(3):
            kind = self.pick([And, Or, Not])
            if kind is Not:
                return Not(self.condition(scope, depth - 1))
            return kind((self.condition(scope, depth - 1), self.condition(scope, depth - 1)))
        i, j = self.iterator(scope), self.iterator(scope)
        comparison = self.pick(list(Comparison))
        parity = const(self.number(0, 1))
        return self.pick(
            [
                Compare(comparison, i, const(self.number(0, 5))),
                Compare(comparison, i + j, N),
                Compare(comparison, i - j, const(self.number(-2, 2))),
                Compare(Comparison.EQ, floor_mod(i + j, const(2)), parity),
                Compare(comparison, trunc_mod(i - j, const(3)), parity),
                Compare(comparison, trunc_div(i - j, 2), const(self.number(-1, 1))),
                Compare(comparison, floor_div(i + 1, 4), trunc_div(j, 3)),
                Compare(comparison, M - i, const(1)),
            ]
        )

    # --- statements ---

    def statement(self, scope: tuple[str, ...]) -> Statement:
        kind = self.pick([FP64, FP64, FP64, FP32])
        span = self.span()
        target = self.access(scope, kind) if self.chance(2) else Register("s" if kind is FP64 else "t", kind)
        value = self.value(scope, kind, 2)
        if isinstance(target, Access) and self.chance(3):
            value = Apply(Operation.ADD, kind, (Load(target), value))
        return Statement(target, value, span)

    def value(self, scope: tuple[str, ...], kind: ElementType, depth: int) -> Value:
        if not depth or self.chance(3):
            return Load(self.access(scope, kind))
        operation = self.pick(
            [Operation.ADD, Operation.SUB, Operation.MUL, Operation.MUL, Operation.DIV, Operation.SQRT]
        )
        left = self.value(scope, kind, depth - 1)
        if operation is Operation.SQRT:
            return Apply(operation, kind, (left,), function="sqrt")
        right = self.pick(
            [
                lambda: self.value(scope, kind, depth - 1),
                lambda: Constant(1.5, kind),
                lambda: Register("s" if kind is FP64 else "t", kind),
            ]
        )()
        return Apply(operation, kind, (left, right))

    def access(self, scope: tuple[str, ...], kind: ElementType) -> Access:
        shape = self.pick([shape for shape in SHAPES if shape.type is kind])
        array = shape.array
        if shape.linear:
            subscript = self.first(scope) * LD + self.last(scope)
            return Access(array.name, (subscript,), (const(8),), kind)
        if shape.members:
            member = self.number(0, len(shape.members) - 1)
            stride = const(array.element_bytes)
            return Access(array.name, (self.first(scope),), (stride,), kind, 8 * member, shape.members[member])
        rank = len(array.extents)
        strides = [const(array.element_bytes)]
        while len(strides) < rank:
            strides.insert(0, strides[0] * LD)
        subscripts = (self.first(scope), *(self.last(scope) for _ in range(rank - 1)))
        return Access(array.name, subscripts, tuple(strides), kind)

    def first(self, scope: tuple[str, ...]) -> Poly:
        """An outermost subscript, possibly negative."""
        i, j = self.iterator(scope), self.iterator(scope)
        return self.pick([i - 1, i - j, trunc_div(i - j, 2), *[self.last(scope)] * 4])

    def last(self, scope: tuple[str, ...]) -> Poly:
        """A subscript in 0 .. LD - 1."""
        i, j = self.iterator(scope), self.iterator(scope)
        offset = self.number(0, 3)
        plain = [i, i, i, j, i + offset]
        return self.pick(
            [*plain, i + j, i * 2, i * 2 + offset, LD - 1 - i, const(offset), trunc_div(i, 2), floor_mod(i, const(4))]
        )

    # --- draws ---

    def iterator(self, scope: tuple[str, ...]) -> Poly:
        return var(self.pick([*scope, scope[-1]]))

    def chance(self, one_in: int) -> bool:
        return self.number(1, one_in) == one_in

    def pick(self, choices: Sequence[_Choice]) -> _Choice:
        return choices[self.number(0, len(choices) - 1)]

    def span(self) -> Span:
        self._line += 1
        return Span("nest.c", self._line, self._line)
