"""A region with numbers for all sizes, laid out in memory: the loop tree that the cache models walk.

Loops run over a counter ``t`` that rises by one from its lower bound; iterators are affine in the counters, so a loop
over tiles or one that counts down is like any other.  Counters of a reference are numbered by the depth of their loop.
Addresses are in bytes: arrays start on pages in the order of declaration, at least 16 bytes apart, as an allocator
places large blocks.  What is not affine (``x[col[k]]``) is kept apart as irregular.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union, assert_never

from ..ir.index import Atom, Extremum, FloorDiv, Poly, TruncDiv, Unknown, const, var
from ..ir.nodes import (
    And,
    Compare,
    Comparison,
    Condition,
    DataDependent,
    Exit,
    Geometric,
    Guard,
    Loop,
    MemorySpace,
    Node,
    Not,
    Or,
    Region,
    Statement,
    Strided,
    Truth,
    Uncounted,
)
from ..ir.nodes import Mapping as LoopMapping
from ..ir.values import Access, loads_of

if TYPE_CHECKING:
    pass

Counters = Any  # a sequence or matrix: one integer, or one numpy array of integers, per depth

PAGE_BYTES = 4096
_ALLOCATOR_BYTES = 16


class NotNumeric(Exception):
    """The region cannot be laid out with numbers; the text says why, for the user."""


@dataclass(frozen=True, slots=True)
class Affine:
    """``constant + sum of coefficient times counter``; ``terms`` are (depth, coefficient) by rising depth."""

    constant: int
    terms: tuple[tuple[int, int], ...] = ()

    def at(self, counters: Counters) -> Any:
        """Value for numbers or arrays of counters."""
        total: Any = self.constant
        for depth, coefficient in self.terms:
            total = total + coefficient * counters[depth]
        return total

    def coefficient(self, depth: int) -> int:
        """Factor of one counter."""
        return next((factor for place, factor in self.terms if place == depth), 0)


@dataclass(frozen=True, slots=True)
class Bound:
    """One bound of a counter: ``divisor * t <= limit`` of an upper bound, ``divisor * t >= limit`` of a lower one."""

    limit: Affine
    divisor: int = 1


@dataclass(frozen=True, slots=True)
class Test:
    """A condition on iterators, with the text that isl reads; ``holds`` takes numbers or arrays of counters.

    ``needed`` are affine expressions that are not negative where it holds: all of it, or a part.
    """

    holds: Callable[[Counters], Any]
    text: str
    needed: tuple[Affine, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """One affine memory reference: byte ``address`` of its first byte, ``order`` within its statement.

    ``text`` is the reference as the source has it, more or less.
    """

    array: str
    address: Affine
    size_bytes: int
    write: bool
    order: int
    text: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Irregular:
    """A reference whose element depends on data. Equal ``element`` in one statement is the same element."""

    array: str
    element: str
    size_bytes: int
    write: bool


@dataclass(slots=True, eq=False)
class Leaf:
    """One statement: ``loops`` around it from the outside, its place among siblings at every depth, its references."""

    loops: tuple[Turn, ...]
    places: tuple[int, ...]
    tests: tuple[Test, ...]
    references: tuple[Reference, ...]
    irregular: tuple[Irregular, ...]
    line: int


@dataclass(slots=True, eq=False)
class Turn:
    """One loop. ``depth`` numbers its counter; ``children`` run in order in every turn."""

    depth: int
    name: str
    lows: tuple[Bound, ...]
    highs: tuple[Bound, ...]
    tests: tuple[Test, ...]
    line: int
    mapping: LoopMapping
    children: list[Union[Turn, Leaf]] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)

    @property
    def parallel(self) -> bool:
        """Whether threads share the turns."""
        return self.mapping is LoopMapping.THREADS

    def range(self, counters: Counters) -> tuple[Any, Any]:
        """First and last value of the counter, for numbers or arrays of the outer counters."""
        return _tightest(self.lows, counters, upper=False), _tightest(self.highs, counters, upper=True)


Child = Union[Turn, Leaf]


@dataclass(frozen=True, slots=True)
class Placed:
    """An array in memory; ``is_known`` is False where only affine references tell its size."""

    name: str
    start: int
    size_bytes: int
    is_known: bool
    space: MemorySpace


@dataclass(frozen=True, slots=True)
class Program:
    """The tree, its statements in textual order, where the arrays lie, and what was taken for granted."""

    children: tuple[Child, ...]
    leaves: tuple[Leaf, ...]
    arrays: Mapping[str, Placed]
    notes: tuple[str, ...]


def lay_out(region: Region) -> Program:
    """Build the program of a region whose symbols are all bound; raises :class:`NotNumeric`."""
    return _Builder(region).program()


def _tightest(bounds: Sequence[Bound], counters: Counters, *, upper: bool) -> Any:
    values = [_quotient(bound, counters, upper=upper) for bound in bounds]
    best = values[0]
    for value in values[1:]:
        if isinstance(best, int) and isinstance(value, int):
            best = min(best, value) if upper else max(best, value)
        else:
            import numpy as np

            best = np.minimum(best, value) if upper else np.maximum(best, value)
    return best


def _quotient(bound: Bound, counters: Counters, *, upper: bool) -> Any:
    value = bound.limit.at(counters)
    if bound.divisor == 1:
        return value
    return value // bound.divisor if upper else -(-value // bound.divisor)


@dataclass(frozen=True, slots=True)
class _Scope:
    """What surrounds a node: loops, places among siblings, conditions, and what the iterators are in counters."""

    loops: tuple[Turn, ...] = ()
    places: tuple[int, ...] = ()
    tests: tuple[Test, ...] = ()
    iterators: Mapping[str, Poly] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Use:
    """A reference of a statement with its address from the start of the array."""

    access: Access
    address: Affine | None
    write: bool


class _Builder:
    def __init__(self, region: Region) -> None:
        self._region = region
        self._trips = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
        self._leaves: list[Leaf] = []
        self._notes: dict[str, None] = {}
        self._packed: dict[int, int] = {}
        self._waiting: list[tuple[Leaf, list[_Use]]] = []

    def program(self) -> Program:
        children = self._children(self._region.body, _Scope())
        arrays = self._place()
        starts = {name: placed.start for name, placed in arrays.items()}
        for leaf, uses in self._waiting:
            self._refer(leaf, uses, starts)
        kept = tuple(child for child in children if leaves_of(child))
        return Program(kept, tuple(self._leaves), arrays, tuple(self._notes))

    def _children(self, nodes: Sequence[Node], scope: _Scope) -> list[Child]:
        found: list[Child] = []
        self._add(nodes, scope, found)
        return found

    def _add(self, nodes: Sequence[Node], scope: _Scope, found: list[Child]) -> None:
        """Append the children of one loop body; conditionals do not nest, their tests go with what they guard."""
        for node in nodes:
            place = replace_places(scope, len(found))
            match node:
                case Statement():
                    leaf = self._leaf(node, place)
                    if leaf is not None:
                        found.append(leaf)
                case Loop():
                    turn = self._loop(node, place)
                    if turn.leaves:
                        found.append(turn)
                case Guard():
                    self._guard(node, scope, found)
                case Exit():
                    self._notes["early exits are not taken"] = None
                case _:
                    assert_never(node)

    def _guard(self, guard: Guard, scope: _Scope, found: list[Child]) -> None:
        for condition, body in ((guard.condition, guard.body), (Not(guard.condition), guard.orelse)):
            if not body:
                continue
            test = self._test(condition, scope)
            if test is None:
                self._notes["conditions on data are taken both ways"] = None
            inner = scope if test is None else _with_tests(scope, test)
            self._add(body, inner, found)

    def _leaf(self, statement: Statement, scope: _Scope) -> Leaf | None:
        accesses = [(access, False) for access in loads_of(statement.value)]
        if isinstance(statement.target, Access):
            accesses.append((statement.target, True))
        if not accesses:
            return None
        uses = [_Use(access, self._address(access, scope), write) for access, write in accesses]
        leaf = Leaf(scope.loops, scope.places, scope.tests, (), (), statement.span.line)
        self._waiting.append((leaf, uses))
        self._leaves.append(leaf)
        for turn in scope.loops:
            turn.leaves.append(leaf)
        return leaf

    def _loop(self, loop: Loop, scope: _Scope) -> Turn:
        depth = len(scope.loops)
        lows, highs, value = self._range(loop, depth, scope)
        turn = Turn(
            depth,
            loop.iterator,
            lows,
            highs,
            scope.tests,
            loop.span.line,
            loop.mapping,
        )
        inner = _Scope((*scope.loops, turn), scope.places, scope.tests, {**scope.iterators, loop.iterator: value})
        turn.children = self._children((*loop.header, *loop.body), inner)
        return turn

    def _range(self, loop: Loop, depth: int, scope: _Scope) -> tuple[tuple[Bound, ...], tuple[Bound, ...], Poly]:
        counter = var(_counter(depth))
        match loop.range:
            case Strided(start, stop, step):
                begin, end = start.substitute(scope.iterators), stop.substitute(scope.iterators)
                if step < 0:
                    begin, end = -begin, -end
                starts = _operands(begin, largest=True)
                if len(starts) > 1:
                    if abs(step) > 1:
                        raise NotNumeric(f"line {loop.span.line}: a strided loop that starts at a maximum")
                    shift = const(0)
                else:
                    shift = begin
                lows = tuple(Bound(self._affine(operand - shift, loop)) for operand in starts)
                highs = tuple(
                    Bound(self._affine(operand - shift - 1, loop), abs(step))
                    for operand in _operands(end, largest=False)
                )
                value = shift + counter * abs(step)
                return lows, highs, -value if step < 0 else value
            case Geometric():
                raise NotNumeric(f"line {loop.span.line}: the counter is multiplied and its values are not known")
            case Uncounted(trip):
                number = self._trips.get(trip)
                if number is None:
                    raise NotNumeric(f"line {loop.span.line}: the number of iterations ({trip}) is not known")
                self._packed[depth] = number
                return (Bound(Affine(0)),), (Bound(Affine(number - 1)),), counter
            case _:
                assert_never(loop.range)

    def _affine(self, poly: Poly, loop: Loop) -> Affine:
        found = affine(poly)
        if found is None:
            raise NotNumeric(f"line {loop.span.line}: a bound is not affine ({poly})")
        return found

    def _test(self, condition: Condition, scope: _Scope) -> Test | None:
        """The condition in counters; None where it depends on data (then it is taken to hold)."""
        try:
            text = _text(condition, scope.iterators)
        except NotNumeric:
            return None
        iterators = scope.iterators
        needed = tuple(_needed(condition, iterators))
        return Test(lambda counters: _holds(condition, _values(iterators, counters)), text, needed)

    def _address(self, access: Access, scope: _Scope) -> Affine | None:
        """Bytes from the start of the array, in counters; None where data decides."""
        total = const(access.offset_bytes)
        for subscript, stride in zip(access.subscripts, access.strides_bytes, strict=True):
            if stride is None:
                return None
            packed = self._as_packed(subscript, scope)
            total = total + packed.substitute(scope.iterators) * stride.substitute(scope.iterators)
        return affine(total)

    def _as_packed(self, subscript: Poly, scope: _Scope) -> Poly:
        """Rows of known length that start where data says (``val[rowptr[i] + k]``) are taken to follow each other."""
        unknown = subscript.unknowns()
        if len(unknown) != 1 or not self._packed:
            return subscript
        (start,) = unknown
        for turn in scope.loops[1:]:
            length = self._packed.get(turn.depth)
            outer = scope.loops[turn.depth - 1].name
            if length is None or start.depends != {outer} or subscript.coefficient(turn.name).constant != 1:
                continue
            if subscript.terms.get((start,)) == 1:
                self._notes["rows whose start depends on data are taken to follow each other"] = None
                return subscript - Poly({(start,): 1}) + var(outer) * length
        return subscript

    @staticmethod
    def _refer(leaf: Leaf, uses: Sequence[_Use], starts: Mapping[str, int]) -> None:
        affine_, irregular = [], []
        for order, use in enumerate(uses):
            array, size = use.access.array, use.access.type.size_bytes
            if use.address is None:
                element = ", ".join(map(str, use.access.subscripts))
                irregular.append(Irregular(array, f"{element}+{use.access.offset_bytes}", size, use.write))
            else:
                moved = Affine(use.address.constant + starts[array], use.address.terms)
                affine_.append(Reference(array, moved, size, use.write, order, _source_text(use.access)))
        leaf.references, leaf.irregular = tuple(affine_), tuple(irregular)

    def _place(self) -> dict[str, Placed]:
        """Arrays in order of declaration; sizes from their extents, else from what is touched."""
        extents = {array.name: _declared_bytes(array.extents, array.element_bytes) for array in self._region.arrays}
        spaces = {array.name: array.space for array in self._region.arrays}
        reached: dict[str, tuple[int, int]] = {}
        for leaf, uses in self._waiting:
            ranges = hull(leaf.loops)
            for use in uses:
                array = use.access.array
                low, high = (0, 0) if use.address is None or ranges is None else _span(use.address, ranges)
                known = reached.get(array, (0, 0))
                reached[array] = (min(known[0], low), max(known[1], high + use.access.type.size_bytes))
        placed: dict[str, Placed] = {}
        free = PAGE_BYTES
        for name in dict.fromkeys([*(n for n in extents if n in reached), *reached]):
            low, high = reached[name]
            size = max(extents.get(name) or 0, high)
            below = -(low // PAGE_BYTES) * PAGE_BYTES if low < 0 else 0
            space = spaces.get(name, MemorySpace.GLOBAL)
            placed[name] = Placed(name, free + below, size, extents.get(name) is not None, space)
            free += below + -(-(size + _ALLOCATOR_BYTES) // PAGE_BYTES) * PAGE_BYTES
        return placed


def replace_places(scope: _Scope, place: int) -> _Scope:
    """The scope of the child at a place of the current body."""
    return _Scope(scope.loops, (*scope.places[: len(scope.loops)], place), scope.tests, scope.iterators)


def _with_tests(scope: _Scope, test: Test) -> _Scope:
    return _Scope(scope.loops, scope.places, (*scope.tests, test), scope.iterators)


def leaves_of(child: Child) -> Sequence[Leaf]:
    """The statements under a node."""
    return child.leaves if isinstance(child, Turn) else (child,)


def _counter(depth: int) -> str:
    return f"t{depth}"


def affine(poly: Poly) -> Affine | None:
    """A polynomial in counters as an affine expression; None where it is not one."""
    constant, terms = 0, []
    for monomial, number in poly.terms.items():
        if not isinstance(number, int) or len(monomial) > 1:
            return None
        if not monomial:
            constant = number
        elif isinstance(monomial[0], str) and monomial[0][0] == "t" and monomial[0][1:].isdigit():
            terms.append((int(monomial[0][1:]), number))
        else:
            return None
    return Affine(constant, tuple(sorted(terms)))


def hull(loops: Sequence[Turn]) -> list[tuple[int, int]] | None:
    """Smallest and largest value of every counter of nested loops; None where some loop never runs."""
    ranges: list[tuple[int, int]] = []
    for turn in loops:
        low = max(-(-_span(bound.limit, ranges)[0] // bound.divisor) for bound in turn.lows)
        high = min(_span(bound.limit, ranges)[1] // bound.divisor for bound in turn.highs)
        if high < low:
            return None
        ranges.append((low, high))
    return ranges


def _span(expression: Affine, ranges: Sequence[tuple[int, int]]) -> tuple[int, int]:
    low = high = expression.constant
    for depth, factor in expression.terms:
        first, last = ranges[depth]
        low += min(factor * first, factor * last)
        high += max(factor * first, factor * last)
    return low, high


def _declared_bytes(extents: Sequence[Poly | None], element_bytes: int) -> int | None:
    size = element_bytes
    for extent in extents:
        number = None if extent is None else extent.constant
        if not isinstance(number, int):
            return None
        size *= number
    return size


def _source_text(access: Access) -> str:
    member = f".{access.member}" if access.member else ""
    return access.array + "".join(f"[{subscript}]" for subscript in access.subscripts) + member


def _operands(poly: Poly, *, largest: bool) -> list[Poly]:
    """The operands of a maximum or minimum plus a constant; the expression itself where it is none."""
    extrema = [atom for monomial in poly.terms for atom in monomial if isinstance(atom, Extremum)]
    if not extrema:
        return [poly]
    if len(extrema) > 1 or extrema[0].largest is not largest:
        raise NotNumeric("a bound is a minimum where a maximum is expected")
    atom = extrema[0]
    if poly.terms.get((atom,)) != 1:
        raise NotNumeric("a bound is a multiple of a minimum or maximum")
    rest = poly - Poly({(atom,): 1})
    return [found for operand in atom.operands for found in _operands(operand + rest, largest=largest)]


def _values(iterators: Mapping[str, Poly], counters: Counters) -> dict[str, Any]:
    names = {_counter(depth): value for depth, value in enumerate(counters)}
    return {name: evaluate(poly, names) for name, poly in iterators.items()}


def evaluate(poly: Poly, values: Mapping[str, Any]) -> Any:
    """Value of a polynomial for numbers or arrays of integers."""
    total: Any = 0
    for monomial, number in poly.terms.items():
        product: Any = number
        for atom in monomial:
            product = product * _atom(atom, values)
        total = total + product
    return total


def _atom(atom: Atom, values: Mapping[str, Any]) -> Any:
    import numpy as np

    match atom:
        case str():
            return values[atom]
        case FloorDiv():
            return evaluate(atom.numerator, values) // evaluate(atom.denominator, values)
        case TruncDiv():
            top, bottom = evaluate(atom.numerator, values), evaluate(atom.denominator, values)
            return np.sign(top) * np.sign(bottom) * (abs(top) // abs(bottom))
        case Extremum():
            operands = [evaluate(operand, values) for operand in atom.operands]
            combine = np.maximum if atom.largest else np.minimum
            result = operands[0]
            for operand in operands[1:]:
                result = combine(result, operand)
            return result
        case Unknown():
            raise NotNumeric(f"{atom.label} is not known")
        case _:
            assert_never(atom)


_COMPARE: Mapping[Comparison, Callable[[Any, Any], Any]] = {
    Comparison.LT: lambda left, right: left < right,
    Comparison.LE: lambda left, right: left <= right,
    Comparison.GT: lambda left, right: left > right,
    Comparison.GE: lambda left, right: left >= right,
    Comparison.EQ: lambda left, right: left == right,
    Comparison.NE: lambda left, right: left != right,
}


def _holds(condition: Condition, values: Mapping[str, Any]) -> Any:
    import numpy as np

    match condition:
        case Compare(comparison, left, right):
            return _COMPARE[comparison](evaluate(left, values), evaluate(right, values))
        case And(operands):
            return np.logical_and.reduce(np.broadcast_arrays(*(_holds(operand, values) for operand in operands)))
        case Or(operands):
            return np.logical_or.reduce(np.broadcast_arrays(*(_holds(operand, values) for operand in operands)))
        case Not(operand):
            return np.logical_not(_holds(operand, values))
        case Truth(holds):
            return holds
        case DataDependent():
            raise NotNumeric("a condition on data")
        case _:
            assert_never(condition)


def _text(condition: Condition, iterators: Mapping[str, Poly]) -> str:
    """The condition as isl reads it, over counters."""
    match condition:
        case Compare(comparison, left, right):
            symbol = {"==": "=", "!=": "!="}.get(comparison.value, comparison.value)
            return f"{_isl(left.substitute(iterators))} {symbol} {_isl(right.substitute(iterators))}"
        case And(operands):
            return "(" + " and ".join(_text(operand, iterators) for operand in operands) + ")"
        case Or(operands):
            return "(" + " or ".join(_text(operand, iterators) for operand in operands) + ")"
        case Not(operand):
            return f"not ({_text(operand, iterators)})"
        case Truth(holds):
            return "0 = 0" if holds else "0 = 1"
        case DataDependent():
            raise NotNumeric("a condition on data")
        case _:
            assert_never(condition)


def _needed(condition: Condition, iterators: Mapping[str, Poly], *, holds: bool = True) -> Iterator[Affine]:
    """Affine expressions over counters that are not negative where the condition is true (or, if not, false)."""
    match condition:
        case And(operands) if holds:
            for operand in operands:
                yield from _needed(operand, iterators)
        case Or(operands) if not holds:
            for operand in operands:
                yield from _needed(operand, iterators, holds=False)
        case Not(operand):
            yield from _needed(operand, iterators, holds=not holds)
        case Compare(comparison, left, right):
            rise = (right - left).substitute(iterators)
            chosen = comparison if holds else _OPPOSITE[comparison]
            for poly in _not_negative(chosen, rise):
                found = affine(poly)
                if found is not None:
                    yield found
        case _:
            return


def _not_negative(comparison: Comparison, rise: Poly) -> tuple[Poly, ...]:
    """What is not negative where ``left ? right`` holds, ``rise`` being right less left."""
    match comparison:
        case Comparison.LT:
            return (rise - 1,)
        case Comparison.LE:
            return (rise,)
        case Comparison.GT:
            return (-rise - 1,)
        case Comparison.GE:
            return (-rise,)
        case Comparison.EQ:
            return (rise, -rise)
        case Comparison.NE:
            return ()
        case _:
            assert_never(comparison)


_OPPOSITE = {
    Comparison.LT: Comparison.GE,
    Comparison.LE: Comparison.GT,
    Comparison.GT: Comparison.LE,
    Comparison.GE: Comparison.LT,
    Comparison.EQ: Comparison.NE,
    Comparison.NE: Comparison.EQ,
}


def _isl(poly: Poly) -> str:
    """An index expression as isl reads it; raises :class:`NotNumeric` for products and unknown values."""
    parts = []
    for monomial, number in poly.terms.items():
        if len(monomial) > 1:
            raise NotNumeric(f"{poly} is not affine")
        parts.append(str(number) if not monomial else f"{number}*{_isl_atom(monomial[0])}")
    return "(" + (" + ".join(parts) or "0") + ")"


def _isl_atom(atom: Atom) -> str:
    match atom:
        case str():
            return atom
        case FloorDiv(numerator, denominator) | TruncDiv(numerator, denominator):
            if not isinstance(denominator.constant, int):
                raise NotNumeric("division by a variable")
            return f"floor({_isl(numerator)}/{denominator.constant})"
        case Extremum(largest, operands):
            return f"{'max' if largest else 'min'}({', '.join(_isl(operand) for operand in operands)})"
        case Unknown():
            raise NotNumeric(f"{atom.label} is not known")
        case _:
            assert_never(atom)


def walk(children: Sequence[Child]) -> Iterator[Turn]:
    """Every loop of a tree, outer before inner."""
    for child in children:
        if isinstance(child, Turn):
            yield child
            yield from walk(child.children)
