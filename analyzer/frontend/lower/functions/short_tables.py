"""Integers and pointers that a function stores itself in short arrays of its own: ``int n[2] = {rows, columns};``.

Input: a region as it was lowered.  Output: for each short array of integers, of pointers or of structures that the
function makes, on the stack, by ``new`` or as a container, and of ``main`` for those of the file, the elements and
members that are stored once, outside of
loops: integers by a value in the sizes of the function, pointers by any.  With these it is lowered again.  Loops that
store to such an array, or whose positions in it decide what runs, run step by step then, so that strides that follow
from extents are known, and so is which object a member points at.

What a kernel has in shared memory is known likewise where one statement stores it, whichever thread executes it, and
its value is the same in all threads of a block: who reads it waits for that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec.structs import replace

from ....ir.index import Poly
from ....ir.nodes import (
    Array,
    Guard,
    Loop,
    MemorySpace,
    Node,
    Region,
    Statement,
    Strided,
    SymbolOrigin,
    Uncounted,
    elements_of,
)
from ....ir.nodes import Mapping as LoopMapping
from ....ir.traverse import all_nodes, children_of, decisive_indices
from ....ir.types import ElementType, ScalarType
from ....ir.values import Access, Load, Value, walk_values
from ...surface import nodes as sx
from ..names.bindings import BETWEEN
from .stored_values import number_of

_MAIN = "main"
LONGEST, LONGEST_LOCAL = 8, 64  # elements: in any memory, and on the stack
_GRID = frozenset(
    mapping for axes in "XYZ" for mapping in (LoopMapping[f"BLOCK_{axes}"], LoopMapping[f"THREAD_{axes}"])
)

Element = tuple[str, int]
"""A member ("": the whole element) and the number of the element."""
Tables = Mapping[str, Mapping[Element, Poly | None]]
"""What arrays hold; None: a pointer, which is followed from where it is stored."""


def short_arrays(region: Region, storage: Mapping[sx.Variable, str]) -> frozenset[str]:
    """Return the short arrays of integers that a function makes, and loads from.

    ``storage`` are the arrays of its variables.  Of those of any length only such as have known elements count.
    """
    made = {array for variable, name in storage.items() for array in _made(variable, name)}
    arrays = [array for array in region.arrays if _may_be_table(array)]
    of_block = {array.name for array in arrays if array.space is MemorySpace.SHARED}
    of_program = {name for variable, name in storage.items() if region.function == _MAIN and _is_of_file(variable)}
    own = ((array, LONGEST if array.name in of_block else LONGEST_LOCAL) for array in arrays)
    local = {
        array.name
        for array, longest in own
        if (array.local or array.name in of_block | of_program) and 0 < (elements_of(array) or 0) <= longest
    }
    heap = (array for array in arrays if not array.local and array.name in made)
    others = {array.name for array in heap if (elements_of(array) or 0) <= LONGEST}
    if not local and not others:
        return frozenset()
    loads = {access.array for node in all_nodes(region.body) for access in _taken_by(node)}
    tables = short_tables(region, frozenset(others & loads))
    listed = {name for name, elements in tables.items() if elements}
    if count_open(region):
        listed |= tables.keys() & _stored_in_short_loops(region)
    return frozenset(local | listed) if loads & (local | listed) else frozenset()


def integers_on_the_stack(region: Region, arrays: frozenset[str]) -> frozenset[str]:
    """Return those of some short arrays that have integers or structures, and belong to variables of the function."""
    found = (array for array in region.arrays if array.name in arrays and array.local)
    kinds = ((array.name, array.element.scalar) for array in found)
    return frozenset(name for name, scalar in kinds if scalar.is_integer or scalar is ScalarType.UNKNOWN)


def _may_be_table(array: Array) -> bool:
    """Return whether the elements of an array are integers, pointers, or structures, which may have such members."""
    scalar, lanes = array.element.scalar, array.element.lanes
    is_structure = scalar is ScalarType.UNKNOWN and array.element_bytes > 0
    is_pointer = scalar is ScalarType.POINTER and not array.local  # local ones are rows of a table
    return is_structure or is_pointer or (scalar.is_integer and lanes == 1)


def _taken_by(node: Node) -> Iterator[Access]:
    """Yield the references to integers and pointers that a statement loads."""
    loads = walk_values(node.value) if isinstance(node, Statement) else ()
    return (load.access for load in loads if isinstance(load, Load) and _is_held(load.access.type))


def _is_held(kind: ElementType) -> bool:
    return _is_pointer(kind) or (kind.scalar.is_integer and kind.lanes == 1)


def _is_pointer(kind: ElementType) -> bool:
    return kind.scalar is ScalarType.POINTER


def _made(variable: sx.Variable, name: str) -> Iterator[str]:
    """Yield the arrays of a variable that are memory of the function, or containers handed to it.

    A container that is made for a call (``f({-1, 0, 1})``) has the name of the parameter; one that is a member has the
    name of its object.
    """
    is_own = variable.storage is sx.Storage.LOCAL and not variable.reference
    match variable.type:
        case sx.PointerT(owns=owns) if owns or is_own:
            yield name
        case sx.StructT(fields=fields) if is_own:
            for entry in fields:
                if isinstance(entry.type, sx.StructT) or (isinstance(entry.type, sx.PointerT) and entry.type.owns):
                    yield from _made(replace(variable, type=entry.type), f"{name}.{entry.name}")


def _stored_in_short_loops(region: Region) -> frozenset[str]:
    """Return the arrays to which a loop of few iterations stores, which may run step by step (``v.push_back(...)``)."""
    found: set[str] = set()
    for loop in region.body:
        if isinstance(loop, Loop) and isinstance(loop.range, Strided):
            length = (loop.range.stop - loop.range.start).constant
            if length is not None and abs(length) <= LONGEST * abs(loop.range.step):
                targets = (node.target for node in all_nodes(loop.body) if isinstance(node, Statement))
                found.update(target.array for target in targets if isinstance(target, Access))
    return frozenset(found)


def _is_of_file(variable: sx.Variable) -> bool:
    """Return whether a variable is an array that no other file can name, so that ``main`` finds what it starts with."""
    is_array = isinstance(variable.type, sx.ArrayT) and not variable.constant
    return is_array and variable.storage is sx.Storage.GLOBAL and not variable.linkage


def may_decide(tables: Tables, body: Sequence[Node], changed: Collection[str]) -> bool:
    """Return whether elements of known tables, at positions that a loop has ``changed``, may decide what it does."""
    if not any(tables.values()):
        return False
    nodes = all_nodes(body)
    taken = [access for node in nodes for access in _taken_from(tables, node, changed)]
    return any(_is_pointer(access.type) for access in taken) or (bool(taken) and any(map(_is_open, nodes)))


def count_open(region: Region) -> int:
    """Return how many loops, conditions and references of a region are not known, or whole numbers that decide them."""
    made = sum(symbol.origin is SymbolOrigin.VARIABLE and symbol.value is None for symbol in region.symbols)
    return made + sum(map(_is_open, all_nodes(region.body)))


def _is_open(node: Node) -> bool:
    """Return whether it is not known how often a loop runs, whether a condition holds, or what is referred to."""
    match node:
        case Loop(range=Uncounted()):
            return True
        case Guard(condition=condition) if condition.depends_on_data:
            return True
        case _:
            return any(index.unknowns() for index in decisive_indices(node))


def _taken_from(tables: Tables, node: Node, changed: Collection[str]) -> Iterator[Access]:
    """Yield the references of a statement that load from a known table at a position in some names."""
    found = (access for access in _taken_by(node) if _has_member(tables.get(access.array, {}), access.member))
    return (
        access for access in found if any(not subscript.names().isdisjoint(changed) for subscript in access.subscripts)
    )


def _has_member(elements: Mapping[Element, Poly | None], member: str) -> bool:
    return any(member == known for known, _ in elements)


def short_tables(region: Region, arrays: frozenset[str]) -> dict[str, dict[Element, Poly | None]]:
    """Return the elements of some arrays that are stored by values that are known; none where others change.

    What an array starts with may be stored over, as long as nothing has loaded from it.
    """
    seen = {
        array.name: _Seen(array.element_bytes, array.space is MemorySpace.SHARED, starts=not array.local)
        for array in region.arrays
        if array.name in arrays
    }
    outside = {id(node) for node in region.body}
    by_threads = set(map(id, _once_in_a_block(region.body)))
    for node in (node for node in all_nodes(region.body) if isinstance(node, Statement)):
        for load in walk_values(node.value):
            if isinstance(load, Load) and load.access.array in seen:
                seen[load.access.array].load(load.access)
        target = node.target
        for name in target.array.split(BETWEEN) if isinstance(target, Access) else ():
            if name in seen and isinstance(target, Access):
                once = by_threads if seen[name].is_shared else outside
                seen[name].store(target, node.value, is_once=id(node) in once and name == target.array)
    return {name: one.known() for name, one in seen.items() if one.is_table()}


def _once_in_a_block(nodes: Sequence[Node]) -> Iterator[Statement]:
    """Yield the statements of a kernel that each thread executes at most once."""
    for node in nodes:
        if isinstance(node, Statement):
            yield node
        elif isinstance(node, Guard) or (isinstance(node, Loop) and node.mapping in _GRID):
            yield from _once_in_a_block(children_of(node))


class _Seen:
    """What is seen of one array: its elements, the loaded members, and members that other stores change.

    Threads of a block store to one that ``is_shared`` in an order that is not known.  One that ``starts`` with values
    has these where it is loaded from before something is stored.
    """

    def __init__(self, element_bytes: int, is_shared: bool, *, starts: bool) -> None:
        self.is_shared = is_shared
        self._starts = starts
        self._loaded: set[str] = set()
        self._loaded_at: set[tuple[str, int | None]] = set()
        self._element_bytes = element_bytes
        self._elements: dict[Element, Poly | None] = {}
        self._stored: set[Element] = set()
        self._open: set[str] = set()
        self._bytes: dict[str, range] = {}

    def load(self, access: Access) -> None:
        """Take note of a load."""
        self._loaded.add(access.member)
        self._loaded_at.add((access.member, self._number(access)))

    def store(self, target: Access, value: Value, *, is_once: bool) -> None:
        """Take note of a store; one that is not executed ``is_once`` may change any element."""
        member, number = target.member, self._number(target)
        self._bytes[member] = range(target.offset_bytes, target.offset_bytes + target.type.size_bytes)
        before = (member, number) in self._stored and (self.is_shared or member in self._loaded)
        started = (
            self._starts and not self.is_shared and not self._loaded_at.isdisjoint({(member, number), (member, None)})
        )
        if number is None or not is_once or before or started:
            self._open.add(member)
            return
        self._stored.add((member, number))
        self._elements.pop((member, number), None)
        stored = number_of(value)
        if _is_pointer(target.type):
            self._elements[member, number] = None
        elif stored is not None and all(map(self._is_size, stored.names())):
            self._elements[member, number] = stored

    def _is_size(self, name: str) -> bool:
        """Return whether a name is that of a size, or of a block of which an array in shared memory is."""
        return name.isidentifier() or (self.is_shared and name.startswith(("blockIdx.", "gridDim.", "blockDim.")))

    def _number(self, target: Access) -> int | None:
        """Return the number of the element that a reference reaches, as a whole or a member of it; else None."""
        if len(target.subscripts) != 1 or (target.offset_bytes and not target.member):
            return None
        stride = target.strides_bytes[0]
        return None if stride is None or stride.constant != self._element_bytes else target.subscripts[0].constant

    def is_table(self) -> bool:
        """Return whether members are apart, and stores that may change any element are to members alone."""
        ranges = sorted(self._bytes.values(), key=lambda each: (each.start, each.stop))
        apart = all(one.stop <= other.start for one, other in pairwise(ranges))
        return apart and "" not in self._open

    def known(self) -> dict[Element, Poly | None]:
        """Return the elements and members that are known."""
        return {key: value for key, value in self._elements.items() if key[0] not in self._open}
