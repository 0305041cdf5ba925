"""References of kernels that are not affine: which of them make requests, as :mod:`.registers` says of affine ones."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from ..program.program import Irregular, Leaf, Program
from ..program.schedules.lockstep import THREADS
from .registers import WITHOUT_REQUESTS, moved_bytes, runs_before, served_iterations


class RequestedIrregular(Struct, frozen=True):
    """A reference that is not affine and makes requests, each of which may serve so many ``iterations``."""

    reference: Irregular
    iterations: int


def requested_irregular(program: Program) -> Mapping[int, tuple[RequestedIrregular, ...]]:
    """Return the references of every statement (by its ``id``) that are not affine and make requests.

    A later statement of the same body uses the value that was loaded or stored, unless something may be stored to the
    array in between, and the members of one vector move together.
    """
    bodies: dict[tuple[object, ...], dict[object, _Gathered]] = {}
    left: list[_Gathered] = []
    for leaf in program.leaves:
        if leaf.barrier:
            for array in (array for array, placed in program.arrays.items() if placed.changes):
                for gathered in bodies.values():
                    _forget(gathered, array)
        known = bodies.setdefault(tuple(id(loop) for loop in leaf.loops if loop.mapping not in THREADS), {})
        for reference in leaf.references:
            if reference.write:
                _forget(known, reference.array)
        for item in leaf.irregular:
            if program.arrays[item.array].space in WITHOUT_REQUESTS:
                continue
            subscripts, offset = item.element
            vector = offset // moved_bytes(program, item.array)
            key = (item.array, subscripts, item.write, vector)
            before = known.get(key)
            stored = known.get((item.array, subscripts, True, vector))
            if not item.write and stored is not None and stored.has(leaf, item):
                continue
            if item.write and before is None:
                _forget(known, item.array)
            if before is not None and before.takes(leaf, item):
                continue
            left.append(_Gathered(leaf, item))
            known[key] = left[-1]
    found: dict[int, list[RequestedIrregular]] = {}
    for use in left:
        requested = RequestedIrregular(use.item, served_iterations(program, use.leaf, use.item, frozenset()))
        found.setdefault(id(use.leaf), []).append(requested)
    return {leaf: tuple(requested) for leaf, requested in found.items()}


class _Gathered(Struct):
    """A reference of a statement that is not affine, widened to the members that move with it."""

    leaf: Leaf
    item: Irregular

    def has(self, leaf: Leaf, item: Irregular) -> bool:
        """Return whether the bytes of a later reference are among those of this one, for certain."""
        start, first = self.item.element[1], item.element[1]
        is_inside = start <= first and first + item.size_bytes <= start + self.item.size_bytes
        return is_inside and not (self.item.atomic or item.atomic) and runs_before(self.leaf, leaf)

    def takes(self, leaf: Leaf, item: Irregular) -> bool:
        """Return whether this leaves nothing to request for a later reference to the same vector; it may get wider."""
        if not runs_before(self.leaf, leaf):
            return False
        known = self.item
        first, start = min((known, item), key=lambda each: each.element[1]), known.element[1]
        last = max(start + known.size_bytes, item.element[1] + item.size_bytes)
        self.item = replace(first, size_bytes=last - first.element[1])
        return True


def _forget(known: dict[object, _Gathered], array: str) -> None:
    """Leave out the references to an array that something is stored to."""
    for key in [key for key, use in known.items() if use.item.array == array]:
        del known[key]
