"""Placeholders replaced by their values, in nodes that were lowered before these were known.

Ranges whose bounds prove to depend on data become ``Uncounted``, comparisons become data dependent, and within a
loop of T > 0 iterations ``max(0, T)`` is T.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import assert_never

from msgspec.structs import replace

from ...given_values import trip_of_line
from ...ir.branches import PROBABILITY
from ...ir.conditions import with_compared
from ...ir.index import (
    ZERO,
    Atom,
    Extremum,
    Poly,
    Unknown,
    const,
    extremum,
    floor_div,
    is_given,
    single_atom,
    unknown,
    var,
)
from ...ir.nodes import (
    And,
    Compare,
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
    Statement,
    Strided,
    Truth,
    Uncounted,
)
from ...ir.traverse import map_bounds
from ...ir.types import INT32
from ...ir.values import Access, Apply, Constant, IndexValue, Load, Opaque, Operation, Register, Value
from ...source import Span
from . import logic
from .emitter import Emitter
from .names.symbols import Symbols


class Rewriter:
    """Replaces names by polynomials, in nodes, conditions and values; ``facts`` are extrema known within a loop."""

    def __init__(self, emitter: Emitter, symbols: Symbols, values: Mapping[str, Poly]) -> None:
        """Replace the keys of ``values``."""
        self._emitter = emitter
        self._symbols = symbols
        self.values = dict(values)
        self.facts: dict[Extremum, Poly] = {}
        self._known: dict[Poly, Poly] = {}
        self._conditions: dict[Condition, Condition] = {}

    def _forget(self) -> None:
        """Forget what was rewritten with other values."""
        self._known, self._conditions = {}, {}

    # --- nodes ---

    def nodes(self, nodes: Iterable[Node]) -> list[Node]:
        """Return a sequence of nodes rewritten; guards whose condition became constant disappear."""
        result: list[Node] = []
        for node in nodes:
            match node:
                case Statement():
                    result.append(self.statement(node))
                case Loop():
                    result.append(self._loop(node))
                case Guard():
                    result.extend(self._guard(node))
                case Exit():
                    result.append(node)
                case _:
                    assert_never(node)
        return result

    def statement(self, node: Statement) -> Statement:
        """Return one statement rewritten."""
        target = self._access(node.target) if isinstance(node.target, Access) else node.target
        value = self._value(node.value)
        if target is node.target and value is node.value:
            return node
        return replace(node, target=target, value=value)

    def _loop(self, node: Loop) -> Loop:
        bounds, iterator_value = self.range(node.range, node.iterator, node.span)
        added = None
        if isinstance(bounds, Strided) and bounds.step == 1:
            trip = bounds.stop - bounds.start
            clamped = single_atom(extremum(True, [ZERO, trip]))
            if isinstance(clamped, Extremum) and trip.constant is None and clamped not in self.facts:
                added = clamped
                self.facts[clamped] = trip
                self._forget()
        if iterator_value is not None:
            self.values[node.iterator] = iterator_value
            self._forget()
        header, body = tuple(self.statement(item) for item in node.header), tuple(self.nodes(node.body))
        if iterator_value is not None:
            del self.values[node.iterator]
            self._forget()
        if added is not None:
            del self.facts[added]
            self._forget()
        return replace(node, range=bounds, header=header, body=body)

    def range(self, bounds: Range, iterator: str, span: Span) -> tuple[Range, Poly | None]:
        """Return a range rewritten, and the value of its iterator where the range is counted from 0 instead."""
        match bounds:
            case Strided():
                moved = replace(bounds, start=self.poly(bounds.start), stop=self.poly(bounds.stop))
                return normal_range(self._emitter, self._symbols, moved, iterator, span)
            case Geometric():
                start, stop = self.poly(bounds.start), self.poly(bounds.stop)
                if start.unknowns() or stop.unknowns():
                    return Uncounted(bounds.trip), unknown(iterator, {iterator})
                return replace(bounds, start=start, stop=stop), None
            case Uncounted():
                moved_calls = map_bounds(bounds, self.poly)
                assert isinstance(moved_calls, Uncounted)
                if moved_calls.calls is not None and moved_calls.calls.start.unknowns():
                    return Uncounted(bounds.trip), unknown(iterator, {iterator})
                return moved_calls, None
        assert_never(bounds)

    def _guard(self, node: Guard) -> Iterator[Node]:
        statements: list[Statement] = []
        condition = self.condition(node.condition, statements, node.span)
        yield from statements
        if isinstance(condition, Truth):
            yield from self.nodes(node.body if condition.holds else node.orelse)
            return
        body, orelse = tuple(self.nodes(node.body)), tuple(self.nodes(node.orelse))
        if body or orelse:
            yield replace(node, condition=condition, body=body, orelse=orelse)

    def condition(self, condition: Condition, statements: list[Statement], span: Span) -> Condition:
        """Return a condition rewritten; ``statements`` get the comparisons of parts that became data dependent."""
        found = self._conditions.get(condition)
        if found is None:
            before = len(statements)
            found = self._rewritten(condition, statements, span)
            if len(statements) == before:
                self._conditions[condition] = found
        return found

    def _rewritten(self, condition: Condition, statements: list[Statement], span: Span) -> Condition:
        match condition:
            case Compare():
                left, right = self.poly(condition.left), self.poly(condition.right)
                if not left.unknowns() and not right.unknowns():
                    return logic.compare(condition.comparison, left, right)
                register = self._emitter.new_register(INT32)
                operands = (IndexValue(left, INT32), IndexValue(right, INT32))
                statements.append(Statement(register, Apply(Operation.COMPARE, INT32, operands), span))
                if is_given(left - right):
                    return Compare(condition.comparison, left, right)
                text = f"{left} {condition.comparison.value} {right}"
                symbol = f"{PROBABILITY}{self._emitter.position(span).line}"
                self._emitter.report("AI202", span, "guarded", symbol=symbol)
                return DataDependent(register.name, text)
            case And():
                return logic.conjunction([self.condition(item, statements, span) for item in condition.operands])
            case Or():
                return logic.disjunction([self.condition(item, statements, span) for item in condition.operands])
            case Not():
                return logic.negate(self.condition(condition.operand, statements, span))
            case DataDependent():
                return with_compared(replace(condition, text=self._label(condition.text)), self.poly)
            case Truth():
                return condition
        assert_never(condition)

    # --- values ---

    def _value(self, value: Value) -> Value:
        match value:
            case Load():
                access = self._access(value.access)
                return value if access is value.access else Load(access)
            case IndexValue():
                return self._index_value(value)
            case Apply() | Opaque():
                operands = tuple(self._value(operand) for operand in value.operands)
                same = all(new is old for new, old in zip(operands, value.operands, strict=True))
                return value if same else replace(value, operands=operands)
            case Constant() | Register():
                return value
        assert_never(value)

    def _index_value(self, value: IndexValue) -> Value:
        index = self.poly(value.index)
        if index is value.index or value.index.constant is not None:  # of a launch
            return value
        if index.unknowns():
            atom = single_atom(value.index)
            register = self._symbols.register_of(atom) if isinstance(atom, str) else None
            if register is not None:
                return Register(register, value.type)
        number = index.constant
        if number is not None and value.element is None:
            return Constant(number, value.type)
        return replace(value, index=index, element=None if value.element is None else self._access(value.element))

    def _access(self, access: Access) -> Access:
        subscripts = tuple(self.poly(subscript) for subscript in access.subscripts)
        strides = tuple(None if stride is None else self.poly(stride) for stride in access.strides_bytes)
        if subscripts == access.subscripts and strides == access.strides_bytes:
            return access
        return replace(access, subscripts=subscripts, strides_bytes=strides)

    def poly(self, poly: Poly) -> Poly:
        """Return a polynomial rewritten; unknown values have readable labels."""
        known = self._known.get(poly)
        if known is None:
            known = poly.substitute(self.values)
            if self.facts:
                known = known.map_atoms(self._apply_fact)
            if known is not poly and known.unknowns():
                known = known.map_atoms(self._relabel)
            if known == poly:
                known = poly
            self._known[poly] = known
        return known

    def _apply_fact(self, atom: Atom) -> Poly:
        return self.facts[atom] if isinstance(atom, Extremum) and atom in self.facts else Poly({(atom,): 1})

    def _relabel(self, atom: Atom) -> Poly:
        if isinstance(atom, Unknown) and "@" in atom.label:
            return Poly({(replace(atom, label=self._label(atom.label)),): 1})
        return Poly({(atom,): 1})

    def _label(self, label: str) -> str:
        if "@" in label:
            for name, value in sorted(self.values.items(), key=lambda item: -len(item[0])):
                label = label.replace(name, str(value))
        return label


def normal_range(
    emitter: Emitter, symbols: Symbols, bounds: Strided, iterator: str, span: Span
) -> tuple[Range, Poly | None]:
    """Return a strided range in normal form, and the value of its iterator where that is counted from 0.

    That is so where only the number of iterations is known; where not even that is, the range is uncounted.
    """
    start, stop, step = bounds.start, bounds.stop, bounds.step
    if not start.unknowns() and not stop.unknowns():
        return bounds, None
    value = start + var(iterator) * step
    length = stop - start
    if not length.unknowns():
        return Strided(ZERO, length, step) if step == 1 else _counted(length, step), value
    line = emitter.position(span).line
    emitter.report("AI203", span, "data", symbol=trip_of_line(line))
    trip = symbols.trip_count(line)
    symbols.lengths[trip] = _count(length, step)
    return Uncounted(trip, symbols.lengths[trip] if is_given(length) else None), value


def _counted(length: Poly, step: int) -> Range:
    return Strided(ZERO, _count(length, step), 1)


def _count(length: Poly, step: int) -> Poly:
    if step == 1:
        return length
    return floor_div(length + (step - 1), const(step)) if step > 0 else floor_div(-length + (-step - 1), const(-step))
