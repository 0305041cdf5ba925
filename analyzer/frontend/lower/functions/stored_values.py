"""Integers that a function stores itself by a closed form: ``p[0] = 0; for (i = 0; i < n; i++) p[i + 1] = p[i] + 27``.

Input: a region as it was lowered, with what it loads from such arrays unknown.  Output: for each array all of whose
stores say ``p[k] = first + step*k`` these two numbers, with which the function is lowered again, so that loops from
``p[i]`` to ``p[i + 1]`` have known bounds.  The stores are statements of the function itself or stand directly in
outermost loops; what follows the last of these loops sees the form.  Elements that nothing stored, but the zeros of
a new container, are taken not to be read.  An array that a call of a function without a body may write has no form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from ....ir.given_array import GivenArray
from ....ir.index import ZERO, Atom, Extremum, Poly, const, element_of, var
from ....ir.nodes import Guard, Loop, Node, Region, Statement, Strided, SymbolOrigin
from ....ir.traverse import all_nodes, indices_of
from ....ir.values import Access, Apply, Constant, IndexValue, Load, Operation, Value
from ...known_functions import canonical_name, table
from ...surface import nodes as sx
from ...surface.designation import roots, without_casts
from ...surface.traverse import walk
from ...surface.types import type_of

Functions = Mapping[str, sx.Function]


class StoredForm(Struct, frozen=True):
    """``p[k] = first + step*k``, once so many outermost ``loops`` that store elements have run."""

    first: Poly
    step: Poly
    loops: int

    def at(self, position: Poly) -> Poly:
        """Return an element."""
        return self.first + self.step * position


class StoredElements(Struct, frozen=True):
    """The ``elements`` of an array, by running what stores them, once so many outermost ``loops`` of it have run."""

    elements: GivenArray
    loops: int

    def at(self, position: Poly) -> Poly:
        """Return an element."""
        name = self.elements.name
        return element_of(self.elements, f"{name}[{position}]", position, array=name)


class _Store(Struct, frozen=True):
    """A store to ``p[position]`` in a loop over ``iterator`` (empty: outside of loops), at first to ``p[start]``.

    It stores ``value``, or (None) what is ``added`` to the element before it.
    """

    iterator: str
    position: Poly
    start: Poly
    value: Poly | None
    added: Poly


def stored_forms(region: Region) -> dict[str, StoredForm]:
    """Return the closed forms of integer arrays that a region stores, and elements of which it takes as indices."""
    known = frozenset(symbol.name for symbol in region.symbols if symbol.origin is SymbolOrigin.PARAMETER)
    wanted = _wanted(region)
    targets = (node.target for node in all_nodes(region.body) if isinstance(node, Statement)) if wanted else ()
    every = Counter(target.array for target in targets if isinstance(target, Access))
    forms = {name: _form(region, name, every[name], known) for name in wanted}
    return {name: form for name, form in forms.items() if form is not None}


def _wanted(region: Region) -> frozenset[str]:
    integers = {array.name for array in region.arrays if array.element.scalar.is_integer and array.element.lanes == 1}
    if not integers:
        return frozenset()
    nodes = (node for node in all_nodes(region.body) if not isinstance(node, Guard) or node.condition.depends_on_data)
    indices = (index for node in nodes for index in indices_of(node))
    taken = {atom.array for index in indices for atom in index.unknowns()}
    return frozenset(integers & taken)


def _form(region: Region, array: str, every: int, known: frozenset[str]) -> StoredForm | None:
    """Return the form of an array to which so many statements store; None where it has none."""
    stores: list[_Store] = []
    zeros: list[_Store] = []
    loops = 0
    for node in region.body:
        found = list(_stores_in(node, array))
        if any(store is None for store in found):
            return None
        into = zeros if not stores and all(map(_clears, found)) else stores
        into += [store for store in found if store is not None]
        loops += bool(found) and isinstance(node, Loop)
    if not loops or len(zeros) + len(stores) != every:
        return None
    line = _line(stores or zeros)
    if line is None or not (line[0].names() | line[1].names()) <= known:
        return None
    return StoredForm(*line, loops)


def _clears(store: _Store | None) -> bool:
    """Return whether a store in a loop is of zeros, with which a container starts."""
    return store is not None and bool(store.iterator) and store.value == ZERO


def _is_store(node: Node, array: str) -> bool:
    return isinstance(node, Statement) and isinstance(node.target, Access) and node.target.array == array


def _stores_in(node: Node, array: str) -> Iterator[_Store | None]:
    """Yield the stores to an array in a node of the region itself; None for one of another kind."""
    body: Sequence[Node] = node.body if isinstance(node, Loop) else (node,)
    for inner in body:
        if isinstance(inner, Statement) and isinstance(inner.target, Access) and _is_store(inner, array):
            yield _store(inner.target, inner.value, node if isinstance(node, Loop) else None)


def _store(target: Access, value: Value, loop: Loop | None) -> _Store | None:
    position = position_of(target)
    if position is None or target.atomic:
        return None
    iterator, start = "", position
    if loop is not None:
        if not isinstance(loop.range, Strided) or abs(loop.range.step) != 1 or loop.range.start.unknowns():
            return None
        iterator = loop.iterator
        start = position.substitute({iterator: loop.range.start})
        if (position - var(iterator)).names() & {iterator}:
            return None
    stored = number_of(value)
    if stored is not None:
        return _Store(iterator, position, start, stored, ZERO)
    added = _added(value, target, position)
    upwards = loop is not None and isinstance(loop.range, Strided) and loop.range.step == 1
    if added is None or not upwards or iterator in added.names():
        return None
    return _Store(iterator, position, start, None, added)


def position_of(access: Access) -> Poly | None:
    """Return the index of the element that a reference reaches; None where it is no single subscript of an array."""
    if len(access.subscripts) != 1 or access.offset_bytes or access.subscripts[0].unknowns():
        return None
    stride = access.strides_bytes[0]
    return None if stride is None or stride.constant != access.type.size_bytes else access.subscripts[0]


def number_of(value: Value) -> Poly | None:
    """Return the index that a value is; None of other values."""
    match value:
        case Constant(number=int() as number):
            return const(number)
        case IndexValue(index=index) if not index.unknowns():
            return index
        case _:
            return None


def _added(value: Value, target: Access, position: Poly) -> Poly | None:
    """Return what is added to the element before the one that is stored; None where that is not what is stored."""
    if not isinstance(value, Apply) or value.operation not in (Operation.ADD, Operation.SUB):
        return None
    left, right = value.operands
    if isinstance(right, Load) and value.operation is Operation.ADD:
        left, right = right, left
    added = number_of(right)
    if not isinstance(left, Load) or added is None or left.access.array != target.array:
        return None
    if position_of(left.access) != position - 1:
        return None
    return added if value.operation is Operation.ADD else -added


def _line(stores: Sequence[_Store]) -> tuple[Poly, Poly] | None:
    """Return the two numbers that all stores agree on."""
    lines = [line for store in stores if store.iterator and (line := _line_of(store, stores)) is not None]
    if not lines:
        return None
    first, step = lines[0]
    agree = all(_line_of(store, stores) == (first, step) for store in stores if store.iterator)
    fixed = (store for store in stores if not store.iterator)
    agree = agree and all(_if_not_empty(store.value) == first + step * store.position for store in fixed)
    return (first, step) if agree else None


def _if_not_empty(value: Poly | None) -> Poly | None:
    """Return a value with ``max(0, n)`` as n: after loops that run, as without rows there is nothing to read."""
    return None if value is None else value.map_atoms(_without_zero)


def _without_zero(atom: Atom) -> Poly:
    if isinstance(atom, Extremum) and atom.largest and len(atom.operands) == 2 and ZERO in atom.operands:
        return atom.operands[0] + atom.operands[1]
    return Poly({(atom,): 1})


def _line_of(store: _Store, stores: Sequence[_Store]) -> tuple[Poly, Poly] | None:
    if store.value is None:
        before = [other for other in stores if not other.iterator and other.position == store.start - 1]
        if len(before) != 1 or before[0].value is None:
            return None
        return before[0].value - store.added * (store.start - 1), store.added
    step = store.value.coefficient(store.iterator)
    rest = store.value - step * var(store.iterator)
    if store.iterator in rest.names() | step.names():
        return None
    shift = store.position - var(store.iterator)
    return rest - step * shift, step


# --- arrays that functions without a body may write ------------------------------------------------------------------


def handed(functions: Functions, function: sx.Function, storage: Mapping[sx.Variable, str]) -> frozenset[str] | None:
    """Return the arrays that calls of functions without a body may write; None where that may be any.

    They are no arrays of floating-point numbers, so that neither such a number nor a pointer to them leads there; nor
    does an object of the library whose members are not seen, such as a generator of random numbers, where nothing leads
    there that it was made from.
    """
    found: set[str] = set()
    reached = _reached(functions, function)
    for caller in reached:
        for argument in _arguments(functions, caller, reached):
            if _leads_nowhere(type_of(without_casts(argument))):
                continue
            for name in roots(argument):
                if name.variable in storage:
                    found.add(storage[name.variable])
                elif isinstance(name.variable.type, sx.PointerT) and not _is_float(name.variable.type.target):
                    return None
    return frozenset(found)


def _is_float(kind: sx.CType) -> bool:
    return isinstance(kind, sx.ScalarT) and kind.element.scalar.is_float


def _leads_nowhere(kind: sx.CType) -> bool:
    """Return whether a value has nothing but floating-point numbers behind it, or no members."""
    is_empty = isinstance(kind, sx.StructT) and not kind.fields
    return is_empty or _is_float(kind) or (isinstance(kind, sx.PointerT) and _is_float(kind.target))


def _reached(functions: Functions, function: sx.Function) -> list[sx.Function]:
    reached, waiting = {function.key: function}, [function]
    while waiting:
        for node in walk(waiting.pop().body):
            keys: tuple[str, ...] = ()
            if isinstance(node, sx.Call):
                keys = (node.function, *(key for _, key in node.bodies))
            elif isinstance(node, sx.OpaqueExpression):  # it may run where its address goes
                keys = (node.function,)
            for key in keys:
                if key in functions and key not in reached:
                    reached[key] = functions[key]
                    waiting.append(functions[key])
    return list(reached.values())


def _arguments(functions: Functions, function: sx.Function, reached: Sequence[sx.Function]) -> Iterator[sx.Expression]:
    """Yield what a function hands to calls that may write through it and whose statements are not seen."""
    for node in walk(function.body):
        if isinstance(node, sx.OpaqueExpression):
            if not _is_of_functions(node, function, functions, reached):
                yield from node.operands
        elif isinstance(node, sx.Call) and not (_has_bodies(functions, node) or is_seen(node)):
            yield from node.arguments


def _is_of_functions(
    call: sx.OpaqueExpression, caller: sx.Function, functions: Functions, reached: Sequence[sx.Function]
) -> bool:
    """Return whether a call goes through a parameter that is a function with a body in each call of its caller."""
    called = without_casts(call.called)
    parameter = called.variable if isinstance(called, sx.Name) else None
    if parameter is None or parameter not in caller.parameters:
        return False
    position = caller.parameters.index(parameter)
    calls = (node for each in reached for node in walk(each.body) if isinstance(node, sx.Call))
    given = [node.arguments[position : position + 1] for node in calls if node.function == caller.key]
    return bool(given) and all(each and _is_function(each[0], functions) for each in given)


def _is_function(argument: sx.Expression, functions: Functions) -> bool:
    argument = without_casts(argument)
    return isinstance(argument, sx.OpaqueExpression) and argument.function in functions


def _has_bodies(functions: Functions, call: sx.Call) -> bool:
    """Return whether all bodies that a call may run are there: that of its function, or those of a virtual method."""
    keys = {key for _, key in call.bodies if key} or {call.function}
    return keys <= functions.keys()


def is_seen(call: sx.Call) -> bool:
    """Return whether a call writes nothing, or what it writes is in the region."""
    known, name = table(), canonical_name(call.name)
    if name in known.outputs:
        return False
    by_name = known.only_reads(name) or known.only_reads(call.name) or known.is_computed(name)
    stores = name in known.memory or name in known.atomics or name in known.allocation or name in known.resizing
    sizes = name in known.accessors or name in known.reserving
    makes = call.name in (sx.COPY, sx.FILL, sx.EACH, sx.LIST, sx.VIEW, sx.UNCOUNTED)
    return by_name or stores or sizes or makes or name in known.identity or name in known.integers
