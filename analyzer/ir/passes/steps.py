"""Trip counts of counted loops, and how far a reference moves from one iteration to the next."""

from __future__ import annotations

from ..index import Poly, const, floor_div
from ..nodes import Geometric, Loop, Strided
from ..values import Access


def trip_of(loop: Loop) -> Poly | None:
    """Return the trip count of a counted loop, None for others."""
    match loop.range:
        case Strided(start, stop, step):
            length = (stop - start) * (1 if step > 0 else -1)
            return length if abs(step) == 1 else floor_div(length + const(abs(step) - 1), abs(step))
        case _:
            return None


def step_bytes(access: Access, loop: Loop) -> Poly | None:
    """Return how far an access moves from one iteration to the next; None where that is not the same everywhere."""
    total = const(0)
    for subscript, stride in zip(access.subscripts, access.strides_bytes, strict=True):
        if loop.iterator not in subscript.names():
            continue
        if stride is None or not subscript.is_linear_in(loop.iterator):
            return None
        total = total + subscript.coefficient(loop.iterator) * stride
    if total.unknowns() or loop.iterator in total.names() or isinstance(loop.range, Geometric):
        return None if total.terms else total
    return total * (loop.range.step if isinstance(loop.range, Strided) else 1)
