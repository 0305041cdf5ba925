"""What may be done to a nest: names, loops and sizes of a transformation, as a person would write it down."""

from __future__ import annotations

from typing import Union

from msgspec import Struct

_TILES = ".block"


def tiles_of(iterator: str) -> str:
    """Return the iterator of the loop over the tiles of another loop."""
    return f"{iterator}{_TILES}"


def is_over_tiles(iterator: str) -> bool:
    """Return whether a loop with this iterator, which a cut made, is over the tiles of another."""
    return iterator.endswith(_TILES)


def without_tiles(iterator: str) -> str:
    """Return the iterator whose tiles a loop is over; any other as it is."""
    return iterator.removesuffix(_TILES)


class Split(Struct, frozen=True):
    """The statements at ``lines`` in loops of their own, so that the loop over ``loop`` holds nothing but another loop.

    ``expanded`` are the scalars that become an element for each iteration.
    """

    loop: str
    lines: tuple[int, ...]
    expanded: tuple[str, ...]


class Interchange(Struct, frozen=True):
    """Loops in another order, outermost first, by the iterators of the source; ``line`` is that of the outermost."""

    order: tuple[str, ...]
    before: tuple[str, ...]
    line: int


class Cut(Struct, frozen=True):
    """One loop in tiles: ``inner`` (at ``line``) by ``tile``, the loop over the tiles outside ``outer``."""

    inner: str
    line: int
    tile: int
    outer: str


class Jam(Struct, frozen=True):
    """The loop over ``outer`` (at ``line``) unrolled ``by`` times, its copies inside one innermost loop."""

    outer: str
    line: int
    by: int


class Side(Struct, frozen=True):
    """The side of a box along ``loop`` (at ``line``), of its iterator plus ``skew`` times that of ``outermost``.

    Backwards it is along ``skew`` times that of ``outermost`` less its iterator; it may ``lean`` so many times that of
    ``second``, too.
    """

    loop: str
    line: int
    side: int
    skew: int = 0
    outermost: str = ""
    is_backwards: bool = False
    lean: int = 0
    second: str = ""


class Box(Struct, frozen=True):
    """The whole nest in boxes, the loops over them outside of it: from the outermost to the innermost of these."""

    sides: tuple[Side, ...]


class Separate(Struct, frozen=True):
    """The ``members`` that the nest at ``line`` uses of structures in ``array``, each in an array of its own."""

    array: str
    members: tuple[str, ...]
    line: int


class Fuse(Struct, frozen=True):
    """The nests at ``lines`` as one, ``loops`` of each made one from the outside; they share ``arrays``."""

    lines: tuple[int, ...]
    loops: tuple[str, ...]
    arrays: tuple[str, ...]


class Padded(Struct, frozen=True):
    """An ``array`` with rows of ``row`` elements, of which each dimension but the outermost is longer ``by`` so many.

    The last one is that of the rows, in elements; those before are in rows, and so on.
    """

    array: str
    row: int
    by: tuple[int, ...]


class Pad(Struct, frozen=True):
    """The rows of ``arrays`` in the nest at ``line`` longer, so that neighbours fall into other sets of the caches."""

    arrays: tuple[Padded, ...]
    line: int


class Narrow(Struct, frozen=True):
    """The nest at ``line`` in single precision, with the elements of ``arrays``, in place of double."""

    arrays: tuple[str, ...]
    line: int


class Staged(Struct, frozen=True):
    """Elements of an ``array`` in shared memory: ``extents`` of the tile that a block reads, outermost first."""

    array: str
    extents: tuple[int, ...]


class Stage(Struct, frozen=True):
    """The loop over ``loop`` (at ``line``) by ``tile`` iterations, for which a block loads tiles of ``arrays``."""

    loop: str
    line: int
    tile: int
    arrays: tuple[Staged, ...]


class Turn(Struct, frozen=True):
    """Columns of ``arrays`` that the kernel at ``line`` loads or stores, through tiles that its block transposes."""

    arrays: tuple[Staged, ...]
    line: int


class Coarsen(Struct, frozen=True):
    """The results of ``by`` blocks along x, y and z in one thread of the kernel at ``line``: as many blocks fewer."""

    by: tuple[int, int, int]
    line: int


class Exchange(Struct, frozen=True):
    """The axes x and y of the kernel at ``line`` exchanged, in the launch too."""

    line: int


class Reshape(Struct, frozen=True):
    """The kernel at ``line`` in blocks of so many threads along x and y."""

    block: tuple[int, int]
    line: int


class Widen(Struct, frozen=True):
    """A thread of the kernel at ``line`` does what ``by`` neighbours did, with elements of ``arrays`` as vectors."""

    by: int
    arrays: tuple[str, ...]
    line: int


Transformation = Union[
    Split, Interchange, Cut, Jam, Box, Separate, Fuse, Pad, Narrow, Stage, Turn, Coarsen, Widen, Exchange, Reshape
]
