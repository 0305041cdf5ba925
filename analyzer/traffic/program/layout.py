"""Lays a region out in memory: builds the :class:`~.program.Program` of a region whose symbols are all bound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import assert_never

from msgspec.structs import replace

from ...diagnostics import Field
from ...ir.index import Atom, Poly, Unknown, const, is_given, var
from ...ir.nodes import (
    Assumption,
    Barrier,
    Exit,
    Geometric,
    Guard,
    Loop,
    Node,
    Not,
    Region,
    Statement,
    Strided,
    Uncounted,
)
from ...ir.traverse import accesses, accesses_in
from ...ir.values import Access
from ...ir.written.text import range_text
from ...python.cached_property import cached_property
from .addresses.given import depths_of, range_of
from .addresses.leaf_references import refer
from .addresses.packed_rows import PackedRows
from .addresses.pieces import pieces_of
from .addresses.placement import declared_bytes, placed_arrays
from .addresses.reach import reach_of
from .addresses.rows import Rows
from .bounds import floored, operands_of
from .handed_out import Streams, entries_of, handed_out, step_in
from .intervals import without_wraps
from .predicates import computed, test_of
from .program import (
    Affine,
    Bound,
    Child,
    Computed,
    CountedLoop,
    CounterName,
    Leaf,
    NotNumeric,
    Placed,
    Program,
    affine,
    guarded_hull,
    hull,
    leaves_of,
    span,
)
from .random_indices import random_names
from .scope import Scope, Use, at_position, depths, in_counters, with_tests
from .unroll import with_whole_periods

_LARGEST = 2**48  # virtual addresses of both architectures; sums of some of them still fit in 64 bits


def lay_out(region: Region, *, unwrapped: bool = False, pieces: bool = True, computing: bool = False) -> Program:
    """Build the program of a region whose symbols are all bound; raises :class:`NotNumeric`.

    An address that is affine in a few pieces has a statement for each of them, unless without ``pieces``.  With
    ``unwrapped`` what else wraps around at the rim of an array is taken to go on.  Statements that compute without a
    reference to memory are left out, unless those that are ``computing`` are wanted.
    """
    whole = with_whole_periods(region)
    rows = Rows()
    program = _Builder(whole, rows, unwrapped=unwrapped, pieces=pieces, computing=computing).program()
    if not rows.found:
        return program
    sizes = {array.name: array.element_bytes for array in region.arrays}
    measured = _Builder(whole, rows.measured(), unwrapped=unwrapped, pieces=pieces, computing=computing)
    return replace(measured.program(), row_bytes=rows.lengths(sizes))


class _Builder:
    def __init__(self, region: Region, rows: Rows, *, unwrapped: bool, pieces: bool, computing: bool) -> None:
        self._region = region
        self._rows = rows
        self._unwrapped = unwrapped
        self._in_pieces = pieces
        self._computing = computing
        self._trips = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
        self._leaves: list[Leaf] = []
        self._notes: dict[Assumption, None] = {}
        self._packed = PackedRows(region.arrays)
        self._waiting: list[tuple[Leaf, Sequence[Use]]] = []
        self._has_given = False
        self._random = random_names(region)
        self._handed_out = handed_out(region)

    def program(self) -> Program:
        children: list[Child] = []
        origins: list[int] = []
        for position, node in enumerate(self._region.body):
            self._add((node,), Scope(), children)
            origins += [position] * (len(children) - len(origins))
        arrays = placed_arrays(self._region, self._waiting)
        starts = {name: placed.start for name, placed in arrays.items()}
        for leaf, uses in self._waiting:
            refer(leaf, uses, starts, self._random)
        kept = [(child, origin) for child, origin in zip(children, origins, strict=True) if leaves_of(child)]
        self._check_sizes(arrays)
        nodes, positions = tuple(child for child, _ in kept), tuple(origin for _, origin in kept)
        return Program(nodes, positions, tuple(self._leaves), arrays, tuple(self._notes), has_given=self._has_given)

    def _check_sizes(self, arrays: Mapping[str, Placed]) -> None:
        """Raise where counters or addresses are beyond what the models count with, in 64 bits and with room to add."""
        if any(placed.start + placed.size_bytes > _LARGEST for placed in arrays.values()):
            raise NotNumeric("wide-addresses")
        for leaf in self._leaves:
            values = [expression for test in leaf.tests for expression in test.needed]
            values += [bound.limit for counted in leaf.loops for bound in (*counted.lows, *counted.highs)]
            values += [reference.address for reference in leaf.references]
            ranges = hull(leaf.loops) or [(0, 0)] * len(leaf.loops)
            ends = [end for expression in values for end in span(expression, ranges)]
            terms = [
                number for expression in values for number in (expression.constant, *dict(expression.terms).values())
            ]
            if any(abs(number) > _LARGEST for number in (*ends, *terms, *(end for pair in ranges for end in pair))):
                raise NotNumeric("wide-counters", line=leaf.line)

    def _children(self, nodes: Sequence[Node], scope: Scope) -> list[Child]:
        found: list[Child] = []
        self._add(nodes, scope, found)
        return found

    def _add(self, nodes: Sequence[Node], scope: Scope, found: list[Child]) -> None:
        """Append the children of one loop body; conditionals do not nest, their tests go with what they guard."""
        for node in nodes:
            position = at_position(scope, len(found))
            match node:
                case Statement(barrier=Barrier()):
                    found.append(self._leaf(node, (), position))
                case Statement():
                    for uses in self._parts(node, scope):
                        found.append(self._leaf(node, uses, at_position(scope, len(found))))
                case Loop():
                    counted = self._loop(node, position)
                    if counted.leaves:
                        found.append(counted)
                case Guard():
                    self._guard(node, scope, found)
                case Exit():
                    self._note("early-exits")
                case _:
                    assert_never(node)

    def _guard(self, guard: Guard, scope: Scope, found: list[Child]) -> None:
        for condition, body in ((guard.condition, guard.body), (Not(guard.condition), guard.orelse)):
            if not body:
                continue
            test = test_of(condition, scope.iterators)
            if test is None:
                self._note("both-ways")
            inner = replace(scope, uncertain=True) if test is None else with_tests(scope, test)
            self._add(body, scope if test is not None and test.is_true else inner, found)

    def _parts(self, statement: Statement, scope: Scope) -> Iterator[tuple[Use, ...]]:
        """Yield the references of a statement, those apart that have their addresses under conditions of their own."""
        uses = [use for access, write in accesses(statement) for use in self._uses(access, write, scope)]
        parts = dict.fromkeys(use.tests for use in uses)
        if not parts and self._computing and statement.operations:
            parts = {(): None}
        last = {part: any(use.write for use in uses if use.tests == part) for part in parts}
        for part in sorted(parts, key=lambda part: last[part]):
            yield tuple(use for use in uses if use.tests == part)

    def _uses(self, access: Access, write: bool, scope: Scope) -> Iterator[Use]:
        """Yield a reference, once for each of the pieces of an address that is affine in pieces."""
        address = self._address(self._where_held(access), scope)
        ranges = guarded_hull(scope.loops, scope.tests) if isinstance(address, Poly) else None
        known = self._in_pieces and isinstance(address, Poly) and not address.unknowns()
        pieces = pieces_of(address, ranges) if known and ranges is not None and isinstance(address, Poly) else ()
        if not pieces:
            if self._unwrapped and ranges is not None and isinstance(address, Poly):
                address = self._going_on(address, ranges, access)
            reach = None if ranges is None or not isinstance(address, Poly) else self._reach(address, ranges, scope)
            streams = self._streams(access, scope) if isinstance(address, Poly) and self._handed_out else None
            yield Use(access, address, write, depths(access, scope), reach=reach, streams=streams)
        for piece in pieces:
            tests = tuple(test for each in piece.conditions if (test := test_of(each, {})) is not None)
            yield Use(access, piece.address, write, tests=tests)

    def _streams(self, access: Access, scope: Scope) -> Streams | None:
        """Return the streams of a reference that the entries of a table hand out; None of any other."""
        for atom in self._handed_out.keys() & {atom for each in access.subscripts for atom in each.unknowns()}:
            handed, moved = self._handed_out[atom], step_in(access, atom)
            if moved is None:
                continue
            table, reach = handed.entry, None
            where, ranges = self._address(table, scope), guarded_hull(scope.loops, scope.tests)
            if where is not None and ranges is not None:
                reach = span(where, ranges) if isinstance(where, Affine) else reach_of(where, ranges)
            array = next((each for each in self._region.arrays if each.name == table.array), None)
            declared = None if array is None else declared_bytes(array.extents, array.element_bytes)
            entries = entries_of(reach, declared, table.type.size_bytes)
            if entries is not None:
                self._note("handed-out", array=access.array, table=table.array)
                return Streams(entries, abs(moved * handed.step))
        return None

    @cached_property
    def _known(self) -> Set[tuple[str, int, tuple[Poly, ...]]]:
        """Return array, offset and subscripts of all accesses of the region."""
        known = accesses_in(self._region.body)
        return {(access.array, access.offset_bytes, access.subscripts) for access, _ in known}

    def _where_held(self, access: Access) -> Access:
        """Return the reference to the position of a maximum as one to where the search starts.

        It is that element, or one that the search has come to, and each iteration refers to it: it brings no line of
        its own.
        """
        atoms = {atom for each in access.subscripts for atom in each.unknowns() if atom.taken is not None}
        for number in (1, 0) if atoms else ():
            subscripts = tuple(_with_taken(each, number) for each in access.subscripts)
            if number and (access.array, access.offset_bytes, subscripts) not in self._known:
                return access
        return replace(access, subscripts=subscripts) if atoms else access

    def _reach(self, address: Poly, ranges: Sequence[tuple[int, int]], scope: Scope) -> tuple[int, int] | None:
        if not is_given(address):
            return reach_of(address, ranges)
        self._has_given = True
        return self._range_of(address, scope)

    def _leaf(self, statement: Statement, uses: tuple[Use, ...], scope: Scope) -> Leaf:
        tests = (*scope.tests, *uses[0].tests) if uses else scope.tests
        line, barrier = statement.span.line, statement.barrier
        operations = statement.operations if self._computing else 0
        leaf = Leaf(scope.loops, scope.positions, tests, (), (), line, scope.uncertain, barrier, operations)
        self._waiting.append((leaf, uses))
        self._leaves.append(leaf)
        for counted in scope.loops:
            counted.leaves.append(leaf)
        return leaf

    def _loop(self, loop: Loop, scope: Scope) -> CountedLoop:
        depth = len(scope.loops)
        lows, highs, value = self._range(loop, depth, scope)
        counted = CountedLoop(
            depth,
            loop.iterator,
            loop.source_iterator,
            lows,
            highs,
            scope.tests,
            loop.span.line,
            loop.mapping,
            self._average_trips(loop, depth),
            *self._length(loop, scope),
            loop.unroll == 1,
        )
        inner = replace(scope, loops=(*scope.loops, counted), iterators={**scope.iterators, loop.iterator: value})
        counted.children = self._children((*loop.header, *loop.body), inner)
        return counted

    def _range(self, loop: Loop, depth: int, scope: Scope) -> tuple[tuple[Bound, ...], tuple[Bound, ...], Poly]:
        counter = var(CounterName(depth))
        match loop.range:
            case Strided(start, stop, step):
                begin, end = (in_counters(bound, scope) for bound in (start, stop))
                if step < 0:
                    begin, end = -begin, -end
                starts = operands_of(begin, largest=True)
                if len(starts) > 1:
                    if abs(step) > 1:
                        raise NotNumeric("strided-maximum", line=loop.span.line)
                    shift = const(0)
                else:
                    shift = const(0) if abs(step) == 1 and _starts_at_counter(begin) else begin
                lows = tuple(Bound(self._affine(operand - shift, loop)) for operand in starts)
                ends = (floored(operand - shift - 1) for operand in operands_of(end, largest=False))
                highs = tuple(Bound(self._affine(end, loop), divisor * abs(step)) for end, divisor in ends)
                value = shift + counter * abs(step)
                return lows, highs, -value if step < 0 else value
            case Geometric():
                raise NotNumeric("multiplied", line=loop.span.line)
            case Uncounted(length=Poly() as length):
                longest = self._range_of(in_counters(length, scope), scope)
                return (Bound(Affine(0)),), (Bound(Affine(longest[1] - 1)),), counter
            case Uncounted(trip):
                number = self._trips.get(trip)
                if number is None:
                    raise NotNumeric("trip", line=loop.span.line, trip=trip)
                self._packed.measured(depth, number)
                return (Bound(Affine(0)),), (Bound(Affine(number - 1)),), counter
            case _:
                assert_never(loop.range)

    def _average_trips(self, loop: Loop, depth: int) -> int | None:
        is_average = depth and isinstance(loop.range, Uncounted) and loop.range.length is None
        return self._trips.get(loop.range.trip) if is_average and isinstance(loop.range, Uncounted) else None

    def _length(self, loop: Loop, scope: Scope) -> tuple[Computed | None, frozenset[int]]:
        """Return the iterations of a loop that given arrays count, and the counters that they depend on."""
        length = loop.range.length if isinstance(loop.range, Uncounted) else None
        if length is None:
            return None, frozenset()
        self._has_given = True
        inside = in_counters(length, scope)
        return computed(inside), depths_of(inside)

    def _range_of(self, poly: Poly, scope: Scope) -> tuple[int, int]:
        """Return least and greatest value of an expression with elements of given arrays; 0 where nothing runs."""
        ranges = guarded_hull(scope.loops, scope.tests)
        return (
            range_of(poly, scope.loops, scope.tests) or (None if ranges is None else reach_of(poly, ranges)) or (0, 0)
        )

    def _affine(self, poly: Poly, loop: Loop) -> Affine:
        found = affine(poly)
        if found is None:
            raise NotNumeric("bound", line=loop.span.line, range=range_text(loop.range))
        return found

    def _address(self, access: Access, scope: Scope) -> Affine | Poly | None:
        """Return bytes from the start of the array, in counters, affine where it can be; None for rows anywhere."""
        total = const(access.offset_bytes)
        strides = self._rows.strides_of(access, guarded_hull(scope.loops, scope.tests), scope.iterators)
        for subscript, stride in zip(access.subscripts, strides, strict=True):
            if stride is None:
                return None
            if None in access.strides_bytes:
                self._note("rows", array=access.array.removesuffix("[]"))
            packed = self._as_packed(access.array, subscript, scope)
            total = total + in_counters(packed, scope) * in_counters(stride, scope)
        found = affine(total)
        return total if found is None else found

    def _going_on(self, address: Poly, ranges: Sequence[tuple[int, int]], access: Access) -> Affine | Poly:
        """Return an address that wraps around nearly nowhere as one that never does."""
        going_on = None if address.unknowns() else affine(without_wraps(address, ranges))
        if going_on is None:
            return address
        self._note("wrapping", array=access.array)
        return going_on

    def _as_packed(self, array: str, subscript: Poly, scope: Scope) -> Poly:
        """Return a subscript with rows whose start data says one behind the other."""
        found = None if is_given(subscript) else self._packed.start_of(array, subscript, scope.loops)
        if found is None:
            return subscript
        self._note("packed-rows")
        start, packed = found
        return subscript - Poly({(start,): 1}) + packed

    def _note(self, form: str, **fields: Field) -> None:
        self._notes[Assumption.of("AI306", self._region.span, form, **fields)] = None


def _with_taken(index: Poly, number: int) -> Poly:
    """Return an index with one of the two that data take in the place of what they choose."""

    def replaced(atom: Atom) -> Poly:
        if isinstance(atom, Unknown) and atom.taken is not None:
            return atom.taken[number]
        return Poly({(atom,): 1})

    return index.map_atoms(replaced)


def _starts_at_counter(begin: Poly) -> bool:
    """Return whether a loop starts next to a counter around it, as in a triangle.

    Its own counter then runs from there on: all iterations together cover a range without gaps, and addresses hold
    the two counters apart (``A[k][i]`` with ``k > i`` is a column of each ``i``).
    """
    found = affine(begin)
    return found is not None and len(found.terms) == 1 and abs(found.terms[0][1]) == 1
