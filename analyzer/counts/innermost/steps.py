"""How far the references of an innermost loop move per iteration, and which of them share lines.

Input: the register-level references that stay in the loop.  Output: a :class:`~..results.Step` for each.  References
of one array and direction with one stride whose elements are less than a stride apart are of one *stream*: the parts
of complex numbers, the members of structures.  Where a reference starts is known to within a line (64 bytes).  A
reference whose element one of the same array meets in a later iteration (``b[i]`` and ``b[i + 1]``) is *reused*, as
are those that other loops meet again (:mod:`.repeats`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from ...cache_lines import DEFAULT_LINE_BYTES
from ...domains.domain import Domain
from ...ir.index import Poly, var
from ...ir.nodes import Loop, Strided
from ...ir.values import Access, byte_offset
from ..references import Direction, RegisterReference
from ..results import Step
from .distance import is_indirect, stride_bytes, stride_of
from .repeats import is_met_again

_Group = tuple[str, Direction, "int | None", tuple[Poly, ...]]


def steps_of(
    references: Sequence[RegisterReference],
    loop: Loop,
    step: int,
    values: Mapping[str, int],
    runs: Callable[[Domain], Fraction],
    around: Sequence[Loop],
) -> tuple[Step, ...]:
    """Return the steps of references of a loop whose domain ``runs`` so often per iteration.

    ``around`` are the loops of the nest that the references depend on, outermost first.
    """
    iterator = loop.iterator
    streams = _Streams(values)
    found = []
    for reference in references:
        access = reference.access
        stride = stride_bytes(access, iterator, step, values)
        stream, follows = streams.number(access, reference.direction, stride)
        found.append(
            Step(
                stream=stream,
                is_store=reference.direction is Direction.STORE,
                size_bytes=access.type.size_bytes,
                stride_bytes=stride,
                is_indirect=any(is_indirect(subscript, iterator) for subscript in access.subscripts),
                runs=runs(reference.domain),
                start_bytes=_start(access, loop, values),
                stride=None if stride is not None else stride_of(access, iterator),
                row=access.array if _is_row(access, iterator) else "",
                is_reused=follows or is_met_again(access, around),
                is_aligned=access.declared or access.private,
            )
        )
    return tuple(found)


def _is_row(access: Access, iterator: str) -> bool:
    """Return whether the iterator and a number choose the element, and nothing else."""
    return len(access.subscripts) == 1 and (access.subscripts[0] - var(iterator)).constant is not None


def _start(access: Access, loop: Loop, values: Mapping[str, int]) -> int | None:
    """Return the bytes from a line's start to the first element; None where it is not always the same."""
    if not isinstance(loop.range, Strided):
        return None
    address = byte_offset(access.subscripts, access.strides_bytes, access.offset_bytes)
    if address is None:
        return None
    address = address.substitute({loop.iterator: loop.range.start}).substitute(dict(values))
    if any(monomial and number % DEFAULT_LINE_BYTES for monomial, number in address.terms.items()):
        return None
    start = address.terms.get((), 0) % DEFAULT_LINE_BYTES
    return start if isinstance(start, int) else None


class _Streams:
    """Numbers of streams, in order of appearance."""

    def __init__(self, values: Mapping[str, int]) -> None:
        self._values = values
        self._starts: dict[_Group, list[tuple[int, int]]] = {}
        self._next = 0

    def number(self, access: Access, direction: Direction, stride: int | None) -> tuple[int, bool]:
        """Return the number of the stream that a reference is of, and whether it follows another one's elements."""
        rest, start = self._split(access)
        known = self._starts.setdefault((access.array, direction, stride, rest), [])
        follows = any(stride and start != first and (start - first) % stride == 0 for first, _ in known)
        for first, number in known:
            if stride is not None and abs(start - first) < abs(stride):
                return number, follows
        self._next += 1
        known.append((start, self._next))
        return self._next, follows

    def _split(self, access: Access) -> tuple[tuple[Poly, ...], int]:
        """Return the subscripts without their constants, and the bytes that these make."""
        start, rest = access.offset_bytes, []
        for subscript, stride in zip(access.subscripts, access.strides_bytes, strict=True):
            constant = subscript.terms.get((), 0)
            width = None if stride is None else _number(stride, self._values)
            if isinstance(constant, int) and width is not None:
                start += constant * width
                rest.append(subscript - constant)
            else:
                rest.append(subscript)
        return tuple(rest), start


def _number(size: Poly, values: Mapping[str, int]) -> int | None:
    bound = size.substitute({name: values[name] for name in size.names() & values.keys()})
    return bound.constant
