"""Pointers to one of several arrays: these are rows of a table, and the number of the array is the first subscript.

The number is an index like others: loops exchange it (double buffers), a condition on counters decides it, or it is
unknown.  A variable that is bound to one of two pointers is bound to both, with the condition (:class:`Either`), so
that what uses it can be lowered for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from ....ir.index import Poly, const, exact_quotient, unknown
from ....ir.nodes import Condition
from ....ir.values import Constant
from ....source import Span
from ...surface import nodes as sx
from ...surface.constructs import construct
from ..layout import offset_of, size_bytes
from ..logic import ALWAYS, NEVER, conjunction, disjunction, negate, truth_index
from ..names.bindings import BETWEEN, Aggregate, Either, Location, Pointer, Result, Slot, fold, with_last
from ..names.memory import Memory
from ..state import State


def table_of(memory: Memory, arrays: Iterable[str]) -> str:
    """Return the table of some arrays, or tables."""
    members: frozenset[str] = frozenset().union(*(memory.members(array) for array in arrays))
    for array in memory.arrays:
        if array in members:
            memory.number(array)
    ordered = sorted(members, key=memory.number)
    name = BETWEEN.join(ordered)
    if name not in memory.tables:
        memory.tables[name] = members
        memory.arrays[name] = replace(memory.arrays[ordered[0]], name=name, extents=(None, None))
    return name


def as_row(memory: Memory, location: Location, table: str) -> Location:
    """Return a location in one of the arrays of a table as one in the table."""
    if location.array in memory.tables:
        return replace(location, array=table)
    subscripts = (const(memory.number(location.array)), *location.subscripts)
    return replace(location, array=table, subscripts=subscripts, strides=(None, *location.strides))


def in_table(state: State, location: Location, arrays: Iterable[str]) -> Location:
    """Return a location in one of some arrays as one in their table."""
    return as_row(state.memory, location, table_of(state.memory, (location.array, *arrays)))


def arrays_of(memory: Memory, bound: Pointer | Either) -> frozenset[str]:
    """Return the arrays that a pointer may point at."""

    def of(pointer: Pointer) -> frozenset[str]:
        return frozenset() if isinstance(pointer.target, Slot) else memory.members(pointer.target.array)

    return fold(bound, of, lambda _, first, second: first | second)


def row_of(state: State, number: Poly, locations: Sequence[Location]) -> Location:
    """Return the location among some of several arrays that a number picks, the first for 0."""
    table = table_of(state.memory, (location.array for location in locations))
    rows = in_shape(state, (as_row(state.memory, location, table) for location in locations))
    numbers = [row.subscripts[0] for row in rows]
    step = (numbers[1] - numbers[0]).constant if len(numbers) > 1 else 0
    if step is None or any(each != numbers[0] + index * step for index, each in enumerate(numbers)):
        row = unknown(state.symbols.label(table), state.flow.iterators())
    else:
        row = numbers[0] + number * step
    inner = {each.subscripts[1:] for each in rows}
    if len(inner) == 1:
        return replace(rows[0], subscripts=(row, *inner.pop()))
    element = unknown(state.symbols.label(table), state.flow.iterators())
    return replace(_flat(state, rows[0]), subscripts=(row, element))


def in_shape(state: State, rows: Iterable[Location]) -> list[Location]:
    """Return rows of a table with the same dimensions: one where they have not the same."""
    given = list(rows)
    shapes = {(row.strides, row.offset_bytes, row.member) for row in given}
    return given if len(shapes) == 1 else [_flat(state, row) for row in given]


def _flat(state: State, row: Location) -> Location:
    """Return a row of a table with one subscript within it, unknown where its address is."""
    inside = replace(row, subscripts=row.subscripts[1:], strides=row.strides[1:])
    offset, size = offset_of(inside), size_bytes(state, row.type)
    number = None if size is None else size.constant
    element = exact_quotient(offset, number) if offset is not None and number else None
    if element is None:
        element = unknown(state.symbols.label(row.array), state.flow.iterators())
    return replace(row, subscripts=(row.subscripts[0], element), strides=(None, size), offset_bytes=0, member="")


def settled(state: State, slot: Slot, bound: Either) -> Pointer:
    """Return the pointer to one of several objects as one into a table of them."""
    name, span = slot.variable.name + slot.path, slot.variable.span

    def one_of(chosen: Either, first: Pointer, second: Pointer) -> Pointer:
        return either(state, name, chosen.condition, first, second, span)

    return fold(bound, lambda pointer: pointer, one_of)


def either(state: State, name: str, condition: Condition, first: Pointer, second: Pointer, span: Span) -> Pointer:
    """Return the pointer that is the first one where a condition holds, the second one elsewhere."""
    if first.valid == NEVER or second.valid == NEVER:
        return only_where(second, negate(condition)) if first.valid == NEVER else only_where(first, condition)
    found = _one_of_both(state, name, condition, first, second, span)
    if first.valid is None and second.valid is None:
        return found
    arms = ((condition, first.valid or ALWAYS), (negate(condition), second.valid or ALWAYS))
    return replace(found, valid=disjunction(conjunction(arm) for arm in arms))


def only_where(pointer: Pointer, condition: Condition) -> Pointer:
    """Return a pointer that is null where a condition does not hold."""
    return replace(pointer, valid=conjunction((condition, pointer.valid or ALWAYS)))


def _one_of_both(state: State, name: str, condition: Condition, first: Pointer, second: Pointer, span: Span) -> Pointer:
    left, right = first.target, second.target
    if left == right:
        return first
    if (
        isinstance(left, Slot)
        and isinstance(right, Slot)
        and {left.variable, right.variable} <= state.instances.keys.keys()
    ):
        return _of_either(state, Either(condition, first, second), left.type, span)
    if isinstance(left, Slot) and isinstance(right, Slot) and left.type == right.type and not _is_number(left.type):
        return _of_either(state, Either(condition, first, second), left.type, span)
    if isinstance(left, Slot) or isinstance(right, Slot):
        return _of_variables(state, first, second, span)
    if differ_in_last(left, right):
        return _with_chosen_last(state, name, condition, left, right)
    memory = state.memory
    spaces = {memory.arrays[each].space for location in (left, right) for each in memory.members(location.array)}
    if len(spaces) > 1:
        return _of_variables(state, first, second, span)
    found = _in_table(state, name, condition, left, right)
    memory.undecided = True
    if condition.depends_on_data or not condition.names & set(state.flow.iterators()):
        memory.chosen[found.array, found.subscripts] = Either(
            condition, chosen_from(memory, first), chosen_from(memory, second)
        )
    return Pointer(found)


def either_object(state: State, condition: Condition, then: Result, orelse: Result, span: Span) -> Result:
    """Return ``c ? x : y`` of objects or addresses: one of both, or the only one that is known."""
    if isinstance(then, Pointer) and isinstance(orelse, Pointer):
        return either(state, "choice", condition, then, orelse, span)
    if isinstance(then, Aggregate) and isinstance(orelse, Aggregate):
        found = either(state, "choice", condition, Pointer(then.location), Pointer(orelse.location), span)
        return Aggregate(found.target, then.copied and orelse.copied)
    if isinstance(then, Pointer) and is_null(orelse):
        return only_where(then, condition)
    if isinstance(orelse, Pointer) and is_null(then):
        return only_where(orelse, negate(condition))
    return then if isinstance(then, Pointer | Aggregate) else orelse


def is_null(result: Result) -> bool:
    """Return whether a result is the number 0, as null pointers are written."""
    return isinstance(result, Constant) and result.number == 0


def _is_number(kind: sx.CType) -> bool:
    return not isinstance(kind, sx.StructT)


def _of_either(state: State, chosen: Either, kind: sx.CType, span: Span) -> Pointer:
    """Return one of two pointers to functions or objects: a variable that is bound to it is bound to both."""
    variable = sx.Variable("choice", kind, sx.Storage.LOCAL, span)
    state.memory.chosen[variable] = chosen
    state.memory.undecided = True
    return Pointer(Slot(variable, kind))


def _of_variables(state: State, first: Pointer, second: Pointer, span: Span) -> Pointer:
    """Return one of two pointers that are not both into memory: registers hold floating-point numbers at no cost.

    Of two objects it is neither: what its members hold, and of classes that differ what its methods do, is not known.
    """
    kinds = [each.target.type for each in (first, second) if isinstance(each.target, Slot)]
    floats = [isinstance(kind, sx.ScalarT) and kind.element.scalar.is_float for kind in kinds]
    if len(kinds) < 2 or not all(floats):
        state.emitter.lose(construct("either-object"), span)
    if len(kinds) > 1 and not any(isinstance(kind, sx.ScalarT) for kind in kinds):
        is_either = kinds[0] != kinds[1]
        variable = sx.Variable("choice", kinds[0], sx.Storage.LOCAL, span, reference=is_either)
        return Pointer(Slot(variable, kinds[0]))
    return second if isinstance(first.target, Slot) else first


def _in_table(state: State, name: str, condition: Condition, left: Location, right: Location) -> Location:
    table = table_of(state.memory, (left.array, right.array))
    first, second = in_shape(state, (as_row(state.memory, each, table) for each in (left, right)))
    (one, *inner), (other, *others) = first.subscripts, second.subscripts
    chosen = [_chosen(state, name, condition, each, rest) for each, rest in zip(inner, others, strict=True)]
    return replace(first, subscripts=(_number(state, name, condition, one, other), *chosen))


def _number(state: State, name: str, condition: Condition, first: Poly, second: Poly) -> Poly:
    """Return the number of the array that a condition decides: exact where counters decide it."""
    if first == second:
        return first
    truth = truth_index(condition) if condition.names & set(state.flow.iterators()) else None
    if truth is None or (first - second).constant is None:
        return unknown(state.symbols.label(name), state.flow.iterators())
    return second + truth * (first - second)


def _chosen(state: State, name: str, condition: Condition, first: Poly, second: Poly) -> Poly:
    if first == second:
        return first
    found = state.extreme(condition, first, second)
    return state.choice(name, condition, first, second) if found is None else found


def differ_in_last(left: Location, right: Location) -> bool:
    """Return whether two locations are in one row of one array, or the same."""
    same = left.array == right.array and left.strides == right.strides and bool(left.subscripts)
    same = same and (left.offset_bytes, left.member) == (right.offset_bytes, right.member)
    return same and left.subscripts[:-1] == right.subscripts[:-1]


def _with_chosen_last(state: State, name: str, condition: Condition, left: Location, right: Location) -> Pointer:
    """Return the pointer to one of two locations in one row."""
    return Pointer(with_last(left, _chosen(state, name, condition, left.subscripts[-1], right.subscripts[-1])))


def chosen_from(memory: Memory, pointer: Pointer) -> Pointer | Either:
    """Return the pointers between which a condition decided, where a pointer is one of two; else itself."""
    location = pointer.target
    if isinstance(location, Slot):
        return memory.chosen.get(location.variable, pointer)
    return memory.chosen.get((location.array, location.subscripts), pointer)


def map_pointers(bound: Pointer | Either, change: Callable[[Pointer], Pointer]) -> Pointer | Either:
    """Return a binding with each of its pointers changed."""

    def one_of(chosen: Either, first: Pointer | Either, second: Pointer | Either) -> Pointer | Either:
        return first if first == second else Either(chosen.condition, first, second)

    return fold(bound, change, one_of)
