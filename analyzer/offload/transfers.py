"""The bytes that directives move over the link for a kernel: in each launch, or once for the data region around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..ir.index import ZERO, Poly, const
from ..ir.nodes import Array, Assumption, Loop, MemorySpace, Offload, OffloadModel, Region, Statement, elements_of
from ..ir.traverse import accesses, all_nodes, array_uses
from .data import DataDirective, Section


def transfers_of(
    region: Region, loop: Loop, offload: Offload, left: list[DataDirective], directives: Sequence[DataDirective]
) -> Iterator[Assumption]:
    """Yield what moves for a kernel; of the directives that are ``left`` those of its function that no row has yet.

    The latter are taken from ``left``, as the first kernel behind one, or within it, reports it.
    """
    arrays = {array.name: array for array in region.arrays}
    span = loop.span
    own = [each for each in directives if each.is_construct and each.line == span.line]
    around = [each for each in directives if not each.is_construct]
    there = {name for name in arrays if any(each.holds(name, span.line) for each in around)}
    into, back = (
        [section for each in own for section in getattr(each, way) if section.array not in there]
        for way in ("into", "back")
    )
    named = frozenset().union(*(each.named for each in own))
    for array in _implicit(region, loop, offload, arrays, named | there):
        section = Section(array.name, _elements(array))
        into.append(section)
        if _is_written(loop, array.name):
            back.append(section)
    bytes_into, bytes_back, unknown = _moved(region, into, back)
    if bytes_into is not None:
        yield Assumption.of("AI323", span, "launch", into=bytes_into, back=bytes_back)
    if unknown:
        yield Assumption.of("AI323", span, "unknown", arrays=unknown)
    within = [each for each in left if not each.is_construct and region.span.line <= each.line <= region.span.end_line]
    for directive in within:
        left.remove(directive)
        bytes_into, bytes_back, unknown = _moved(region, directive.into, directive.back)
        line, last = directive.line, directive.last or directive.line
        if bytes_into is not None and last > line:
            yield Assumption.of("AI323", span, "region", line=line, last=last, into=bytes_into, back=bytes_back)
        elif bytes_into is not None:
            yield Assumption.of("AI323", span, "once", line=line, into=bytes_into, back=bytes_back)
        if unknown:
            yield Assumption.of("AI323", span, "unknown", arrays=unknown)


def array_bytes(region: Region, directives: Iterable[DataDirective]) -> tuple[tuple[str, int], ...]:
    """Return the sizes of the arrays of a region that clauses tell, the largest of each."""
    known = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
    sizes = {array.name: array.element_bytes for array in region.arrays}
    found: dict[str, int] = {}
    for directive in directives:
        for section in (*directive.into, *directive.back):
            count = None if section.elements is None else section.elements.substitute(known).constant
            if count and section.array in sizes:
                found[section.array] = max(found.get(section.array, 0), count * sizes[section.array])
    return tuple(found.items())


def _implicit(
    region: Region, loop: Loop, offload: Offload, arrays: dict[str, Array], named: Iterable[str]
) -> Iterator[Array]:
    """Yield the arrays that move though no clause names them."""
    used = array_uses((loop,))
    for name, array in arrays.items():
        if name not in used or name in named or (array.local and not _is_used_elsewhere(region, loop, name)):
            continue
        moves = offload.model is OffloadModel.OPENACC or (array.extents and array.extents[0] is not None)
        if moves and array.space in (MemorySpace.GLOBAL, MemorySpace.LOCAL):
            yield array


def _is_used_elsewhere(region: Region, loop: Loop, name: str) -> bool:
    inside = {id(node) for node in all_nodes((loop,))}
    outside = (node for node in all_nodes(region.body) if id(node) not in inside and isinstance(node, Statement))
    return any(access.array == name for node in outside for access, _ in accesses(node))


def _is_written(loop: Loop, name: str) -> bool:
    nodes = (node for node in all_nodes((loop,)) if isinstance(node, Statement))
    return any(write and access.array == name for node in nodes for access, write in accesses(node))


def _elements(array: Array) -> Poly | None:
    count = elements_of(array)
    return None if count is None else const(count)


def _moved(region: Region, into: Sequence[Section], back: Sequence[Section]) -> tuple[str | None, str, tuple[str, ...]]:
    """Return the bytes in both directions (None: nothing moves), and the arrays whose bytes are not known."""
    unknown: dict[str, None] = {}
    totals = [_bytes(region, sections, unknown) for sections in (into, back)]
    moves = any(total.terms for total in totals)
    return _text(totals[0]) if moves else None, _text(totals[1]), tuple(unknown)


def _bytes(region: Region, sections: Sequence[Section], unknown: dict[str, None]) -> Poly:
    """Return the bytes of sections; single elements and scalars are left out."""
    known = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
    arrays = {array.name: array for array in region.arrays}
    total = ZERO
    for section in sections:
        array = arrays.get(section.array)
        if array is None:
            continue
        count = section.elements if section.elements is not None else _elements(array)
        if count is None:
            unknown[section.array] = None
        else:
            total += count.substitute(known) * array.element_bytes
    return total


def _text(total: Poly) -> str:
    number = total.constant
    return str(total) if number is None else f"{number:,}"
