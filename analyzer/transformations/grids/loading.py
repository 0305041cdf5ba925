"""How the threads of a block load a tile together: rows by the threads along y, neighbouring elements by those along x.

A tile narrower than the block has several rows loaded at once, by all threads in the order of their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from ...ir.conditions import map_condition_indices
from ...ir.index import ZERO, Poly, const, floor_div, floor_mod, var
from ...ir.nodes import (
    And,
    Array,
    Compare,
    Comparison,
    Condition,
    Loop,
    MemorySpace,
    Node,
    Or,
    Statement,
    Strided,
    elements_of,
)
from ...ir.nodes import Mapping as Axis
from ...ir.values import Access, Load
from .grid import Grid, under
from .tiles import Tile

_INDEX_OPERATIONS = 3  # of an element that is loaded into a tile: a row, an element of it, and what is before them


class Loaded(Struct, frozen=True):
    """A ``tile`` in a shared ``array``: ``source`` is one of the references to it, ``positions`` are all of them there.

    ``alone`` are the counters that a dimension is, but for a number that is added: counter, dimension and number, for
    each reference that differs in these.
    """

    tile: Tile
    array: Array
    source: Access
    positions: Mapping[Access, Access]
    alone: tuple[tuple[tuple[str, int, int], ...], ...]

    @classmethod
    def of(cls, tile: Tile, positions: Mapping[Access, tuple[Poly, ...]], grid: Grid, number: int) -> Loaded:
        """Return a tile of which references have these positions.

        Rows are longer by one element where neighbouring threads are in different ones, which are one bank else.
        """
        source = next(iter(positions))
        along = grid.iterator(Axis.THREAD_X)
        is_column = any(along in row.names() for position in positions.values() for row in position[:-1])
        rows, pitch = prod(tile.extents[:-1]), tile.extents[-1] + is_column
        size = source.type.size_bytes
        extents = (const(rows), const(pitch))
        array = Array(f"{tile.array}.tile{number}", source.type, size, extents, MemorySpace.SHARED)
        shared = {
            access: shared_element(access, array.name, (_row(position[:-1], tile.extents[:-1]), position[-1]), pitch)
            for access, position in positions.items()
        }
        return cls(
            tile, array, source, shared, tuple(dict.fromkeys(tuple(_alone(each)) for each in positions.values()))
        )

    @property
    def bytes(self) -> int:
        """Return the size of the shared array."""
        return self.array.element_bytes * (elements_of(self.array) or 0)


def loading(
    loaded: Loaded, grid: Grid, conditions: Sequence[Condition], loop: Loop, rest: Poly | None
) -> tuple[Node, ...]:
    """Return the nodes by which the threads of a block load a tile, in loops where it has more elements than threads.

    ``rest`` are the iterations of ``loop`` that are left, None where they fill a tile: what is beyond is not loaded,
    nor is that of threads for which the ``conditions`` around the loop do not hold.
    """
    width, rows = loaded.tile.extents[-1], prod(loaded.tile.extents[:-1])
    x = _iterator(grid, Axis.THREAD_X)
    across = grid.extent(Axis.THREAD_X)
    above = _iterator(grid, Axis.THREAD_Y) + grid.extent(Axis.THREAD_Y) * _iterator(grid, Axis.THREAD_Z)
    thread = x + across * above
    name = f"{loaded.array.name}.{{}}"
    if width >= across:
        column, columns, inside = _steps(x, across, width, name.format("column"))
        row, each, below = _steps(above, grid.block // across, rows, name.format("row"))
    else:
        column, columns, inside = floor_mod(thread, const(width)), 1, ()
        row, each, below = _steps(floor_div(thread, const(width)), grid.block // width, rows, name.format("row"))
    position = (*_digits(row, loaded.tile.extents[:-1]), column)
    index = sum((one * unit for one, unit in zip(position, loaded.tile.units, strict=True)), loaded.tile.origin)
    source = replace(
        loaded.source,
        subscripts=(index,),
        strides_bytes=(const(loaded.source.type.size_bytes),),
        offset_bytes=0,
        member="",
        declared=False,
    )
    pitch = loaded.array.extents[-1]
    assert pitch is not None
    target = shared_element(loaded.source, loaded.array.name, (row, column), pitch)
    made: Node = Statement(target, Load(source), loop.span, _INDEX_OPERATIONS)
    tests = (*inside, *below, *_tests(loaded, position, conditions, loop, rest, grid.threads))
    made = under(tests, (made,)) if tests else made
    for iterator, trip in ((name.format("column"), columns), (name.format("row"), each)):
        made = Loop(iterator, Strided(ZERO, const(trip)), (made,), loop.span) if trip > 1 else made
    return (made,)


def _iterator(grid: Grid, axis: Axis) -> Poly:
    name = grid.iterator(axis)
    return ZERO if name is None else var(name)


def _steps(first: Poly, step: int, extent: int, name: str) -> tuple[Poly, int, tuple[Condition, ...]]:
    """Return the index that a thread goes on with by ``step`` below an ``extent``, how often, and its test."""
    trip = -(-extent // step)
    index = first if trip == 1 else first + step * var(name)
    tests = (Compare(Comparison.LT, index, const(extent)),) if extent % step else ()
    return index, trip, tests


def _tests(
    loaded: Loaded,
    position: Sequence[Poly],
    conditions: Sequence[Condition],
    loop: Loop,
    rest: Poly | None,
    all_threads: frozenset[str],
) -> Iterator[Condition]:
    """Yield the tests of the loop and of the source for the rows that are a counter each, of any of the references."""
    found = (
        _tests_of({name: position[row] - number for name, row, number in alone}, conditions, loop, rest, all_threads)
        for alone in loaded.alone
    )
    alternatives = tuple(dict.fromkeys(map(tuple, found)))
    if len(alternatives) == 1:
        yield from alternatives[0]
    elif all(alternatives):
        yield Or(tuple(each[0] if len(each) == 1 else And(each) for each in alternatives))


def _tests_of(
    values: Mapping[str, Poly],
    conditions: Sequence[Condition],
    loop: Loop,
    rest: Poly | None,
    all_threads: frozenset[str],
) -> Iterator[Condition]:
    """Yield the tests of one reference, where its counters have these ``values``."""
    if loop.iterator in values and rest is not None:
        yield Compare(Comparison.LT, values[loop.iterator], rest)
    threads = {name: value for name, value in values.items() if name != loop.iterator}
    for condition in conditions:
        if condition.names & threads.keys() and not condition.names & (all_threads - threads.keys()):
            yield map_condition_indices(condition, lambda index: index.substitute(threads))


def _alone(position: Sequence[Poly]) -> Iterator[tuple[str, int, int]]:
    """Yield the counters that a dimension is, with the dimension and what is added."""
    for dimension, row in enumerate(position):
        number = row.terms.get((), 0)
        name = (row - number).as_name
        if name is not None and isinstance(number, int):
            yield name, dimension, number


def _digits(row: Poly, extents: Sequence[int]) -> Iterator[Poly]:
    """Yield the subscripts of a row of a tile with these outer dimensions."""
    for number in range(len(extents)):
        inner = prod(extents[number + 1 :])
        digit = row if inner == 1 else floor_div(row, const(inner))
        yield digit
        row = row - digit * inner


def _row(position: Sequence[Poly], extents: Sequence[int]) -> Poly:
    """Return the row of a tile with these outer dimensions."""
    return sum((each * prod(extents[number + 1 :]) for number, each in enumerate(position)), ZERO)


def shared_element(access: Access, array: str, position: tuple[Poly, Poly], pitch: Poly | int) -> Access:
    """Return the reference to an element of a shared tile."""
    size = const(access.type.size_bytes)
    return Access(
        array=array,
        subscripts=position,
        strides_bytes=(size * pitch, size),
        type=access.type,
        unaliased=True,
        shared=True,
        declared=True,
    )
