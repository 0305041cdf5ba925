"""Vectors of neighbouring elements: a thread does what some neighbours did, and loads and stores all at once.

``out[i] = 2*a[i]`` becomes ``out[4*i + v] = 2*a[4*i + v]`` for v from 0 to 3, with a quarter of the threads: the four
elements are one ``float4``, a request of 16 bytes (Luitjens, *CUDA Pro Tip: Increase Performance with Vectorized Memory
Access*, NVIDIA 2013).

It is legal in kernels whose threads share nothing and are known by their index in the grid alone, as no order of two
threads is promised.  Left as they are:

* kernels in which data decide what runs, as the copies do not decide alike;
* arrays of which not all elements of each vector are used, or whose rows are no whole number of vectors;
* loops with loads that neighbours share, which tiles and several results of a thread save (:mod:`.coarsening`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from ...ir.conditions import map_leaves
from ...ir.index import Poly, const, var
from ...ir.nodes import Array, Compare, Comparison, Condition, DataDependent, Guard, MemorySpace, Node, Statement, Truth
from ...ir.nodes import Mapping as Axis
from ...ir.passes.substitute import bind_nodes
from ...ir.traverse import accesses_in, map_accesses, map_bodies, map_statements
from ...ir.values import Access, byte_offset
from ..kinds import Widen
from .axes import by_index, is_apart
from .coarsening import Copies, dependent_on, is_idle, is_plain
from .grid import Grid, pushed, settled

_MOST, _VECTOR_BYTES = 4, 16  # elements of a vector type (float4), and bytes that a thread moves at once
_LANES = "xyzw"


def widened(grid: Grid) -> tuple[Widen, Grid] | None:
    """Return the kernel with vectors of elements for each thread; None where that is not legal, or nothing moves so."""
    number, thread = grid.iterator(Axis.BLOCK_X), grid.iterator(Axis.THREAD_X)
    if number is None or thread is None or not is_apart(grid) or not is_plain(grid.body):
        return None
    body = by_index(grid, grid.body, number, thread)
    by = 0 if body is None else _lanes(grid, body, thread)
    if body is None or by < 2:
        return None
    width, total = grid.extent(Axis.THREAD_X), grid.extent(Axis.BLOCK_X) * grid.extent(Axis.THREAD_X)
    blocks = -(-total // (by * width))
    beyond = settled(body, {**grid.ranges, thread: (total, blocks * by * width - 1)})
    if not is_idle(beyond, thread, none=total % (by * width) == 0):
        return None
    copies = Copies(thread, by, dependent_on(body, thread))
    if copies.shares(body):
        return None
    made = _joined(_tightened(copies.nodes(pushed(body)), by))
    vectors = _vectors(grid, made, thread, by)
    if not vectors:
        return None
    made = map_statements(made, lambda each: _in_vectors(each, vectors, by))
    made = bind_nodes(made, {thread: var(thread) + width * var(number)})
    own = [each for array in grid.region.arrays if array.name in copies.dependent for each in copies.copies_of(array)]
    arrays = [_vector(array, by) if array.name in vectors else array for array in grid.region.arrays]
    start = replace(grid, region=replace(grid.region, arrays=tuple(arrays)))
    found = start.made(made, {Axis.BLOCK_X: blocks}, own)
    step = Widen(by, tuple(vectors), grid.region.span.line)
    return step, replace(found, body=settled(found.body, found.ranges))


def _lanes(grid: Grid, body: Sequence[Node], thread: str) -> int:
    """Return how many elements a vector has: as many of the largest that are contiguous as fill one; 0 without any."""
    spaces = {array.name: array.space for array in grid.region.arrays}
    sizes = [
        access.type.size_bytes
        for access, _ in accesses_in(body)
        if spaces.get(access.array) is MemorySpace.GLOBAL and _step(access, thread) == access.type.size_bytes
    ]
    return min(_MOST, _VECTOR_BYTES // max(sizes)) if sizes else 0


def _step(access: Access, thread: str) -> int | None:
    """Return the bytes between the elements of neighbouring threads."""
    address = byte_offset(access.subscripts, access.strides_bytes, access.offset_bytes)
    return None if address is None or address.unknowns() else address.coefficient(thread).constant


def _tightened(nodes: Sequence[Node], by: int) -> tuple[Node, ...]:
    """Return nodes whose conditions are on whole vectors where they are the same for all elements of one."""
    found: list[Node] = []
    for node in nodes:
        made = map_bodies(node, lambda body: _tightened(body, by))
        found.append(replace(made, condition=_of_vectors(made.condition, by)) if isinstance(made, Guard) else made)
    return tuple(found)


def _of_vectors(condition: Condition, by: int) -> Condition:
    """Return a condition with ``by*p + r < 0`` as ``p < 0``, for r from 0 to ``by - 1``."""

    def leaf(each: Compare | DataDependent | Truth) -> Condition:
        split = None if not isinstance(each, Compare) or each.depends_on_data else _split(each.difference, by)
        if split is None or not isinstance(each, Compare):
            return each
        whole, rest = split
        closest = {Comparison.LE: Comparison.LT, Comparison.GT: Comparison.GE} if rest else {}
        if rest and each.comparison in (Comparison.EQ, Comparison.NE):
            return each
        return Compare(closest.get(each.comparison, each.comparison), whole, const(0))

    return map_leaves(condition, leaf)


def _split(index: Poly, by: int) -> tuple[Poly, int] | None:
    """Return p and r of ``by*p + r`` with r from 0 to ``by - 1``; None where an index has no such form.

    >>> whole, rest = _split(4 * var("i") - 5, 4)
    >>> str(whole), rest
    ('i - 2', 3)
    """
    if index.unknowns() or any(not isinstance(number, int) for number in index.terms.values()):
        return None
    constant = index.terms.get((), 0)
    if not isinstance(constant, int) or any(number % by for key, number in index.terms.items() if key):
        return None
    rest = constant % by
    return Poly({key: number // by for key, number in (index - rest).terms.items()}), rest


def _joined(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Return nodes with neighbours under the same condition on counters under one."""
    found: list[Node] = []
    for node in nodes:
        last = found[-1] if found else None
        if isinstance(node, Guard) and isinstance(last, Guard) and _are_alike(node, last):
            found[-1] = replace(last, body=(*last.body, *node.body))
        else:
            found.append(node)
    return tuple(map_bodies(node, _joined) for node in found)


def _are_alike(one: Guard, other: Guard) -> bool:
    """Return whether counters decide both, in the same way."""
    return one.condition == other.condition and not (one.orelse or other.orelse or one.condition.depends_on_data)


def _vectors(grid: Grid, body: Sequence[Node], thread: str, by: int) -> dict[str, int]:
    """Return the size of the elements of the arrays that are used in whole vectors alone."""
    arrays = {array.name: array for array in grid.region.arrays}
    lanes: dict[str, dict[tuple[object, ...], set[int]]] = defaultdict(lambda: defaultdict(set))
    sizes: dict[str, int] = {}
    left_out: set[str] = set()
    for access, writes in accesses_in(body):
        size, array = access.type.size_bytes, arrays.get(access.array)
        lane = _lane(access, by)
        is_plain_array = array is not None and array.space is MemorySpace.GLOBAL and set(array.extents) == {None}
        if lane is None or not is_plain_array or access.atomic or access.private or _step(access, thread) != by * size:
            left_out.add(access.array)
            continue
        if array is not None and array.element_bytes == size == sizes.setdefault(access.array, size):
            lanes[access.array][lane[0], writes].add(lane[1])
        else:
            left_out.add(access.array)
    whole = set(range(by))
    used = {name for name, vectors in lanes.items() if all(each == whole for each in vectors.values())}
    return {name: sizes[name] for name in arrays if name in used - left_out}


def _lane(access: Access, by: int) -> tuple[Poly, int] | None:
    """Return the number of a vector and the lane in it; None where its address does not tell them."""
    address = byte_offset(access.subscripts, access.strides_bytes, access.offset_bytes)
    size = access.type.size_bytes
    split = None if address is None or not size else _split(address, by * size)
    return None if split is None or split[1] % size else (split[0], split[1] // size)


def _in_vectors(statement: Statement, vectors: Mapping[str, int], by: int) -> Statement:
    """Return a statement with its elements as members of vectors; one of later members has no address to compute."""

    def member(access: Access) -> Access:
        found = _lane(access, by) if access.array in vectors else None
        if found is None:
            return access
        vector, lane = found
        size = vectors[access.array]
        stride = (const(by * size),)
        return replace(
            access, subscripts=(vector,), strides_bytes=stride, offset_bytes=lane * size, member=_LANES[lane]
        )

    made = map_accesses(statement, member)
    is_later = made.accesses and all(access.array in vectors and access.offset_bytes for access, _ in made.accesses)
    return replace(made, index_operations=0) if is_later else made


def _vector(array: Array, by: int) -> Array:
    """Return an array of vectors."""
    size = array.element_bytes * by
    return replace(array, element_bytes=size, aligned_bytes=size, extents=(None,))
