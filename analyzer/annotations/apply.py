"""Facts that annotations of the source state: values of sizes, and regions with stated trip counts.

``assume`` holds in the function in or above which it stands, else in the whole file; a name that the file never
declares is a macro, and so holds everywhere.  Values that are given from outside (``-D``) take precedence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..diagnostics import Diagnostic
from ..frontend.text.lexical import without_comments
from ..given_values import number_of
from ..ir.index import Number
from ..ir.nodes import Assumption, Region, RegionKind
from ..ir.passes.stated_trips import StatedTrip, state_trip
from ..ir.walk import walk
from ..ir.written.expression import parse_index
from ..python.regex import regex
from ..source import SourceFile, Span
from .model import Annotation, Role

_WORD = regex(r"[A-Za-z_]\w*")


class Scope(Struct, frozen=True):
    """A function: its key and its place."""

    key: str
    span: Span


class StatedValue(Struct, frozen=True):
    """The value of a size; ``scope`` is the key of the function in which it holds, empty for the file."""

    name: str
    value: Number
    scope: str
    annotation: Annotation


class AnnotatedRegions(Struct, frozen=True):
    """Regions with the facts in them; what is said of facts that apply to nothing; lines of loops that were unknown."""

    regions: tuple[Region, ...]
    diagnostics: tuple[Diagnostic, ...]
    settled: frozenset[int]


def stated_values(
    annotations: Sequence[Annotation], given: Mapping[str, int], scopes: Iterable[Scope] = ()
) -> tuple[tuple[StatedValue, ...], tuple[Diagnostic, ...]]:
    """Return the values of all ``assume``, in order; a value may name sizes that were stated before it or are given."""
    functions = tuple(scopes)
    found: list[StatedValue] = []
    diagnostics: list[Diagnostic] = []
    known: dict[str, Number] = dict(given)
    for annotation in annotations:
        if annotation.role is not Role.ASSUME:
            continue
        value = number_of(annotation.value)
        if value is None:
            value = parse_index(annotation.value).substitute(known).constant
        if value is None:
            names = {"name": annotation.name, "value": annotation.value}
            diagnostics.append(Diagnostic.of("AI005", annotation.span, "value-unknown", **names))
            continue
        stated = StatedValue(annotation.name, value, _scope_of(annotation, functions), annotation)
        first = next((one for one in found if (one.name, one.scope) == (stated.name, stated.scope)), stated)
        if first.value != value:
            diagnostics.append(_contradiction(annotation, first.annotation))
        found.append(stated)
        known.setdefault(annotation.name, value)
    return tuple(found), tuple(diagnostics)


def values_in(values: Iterable[StatedValue], scope: str) -> dict[str, Number]:
    """Return the sizes stated for a function (for the file: the empty scope); what is said first holds."""
    found: dict[str, Number] = {}
    for stated in values:
        if stated.scope == scope:
            found.setdefault(stated.name, stated.value)
    return found


def with_annotations(
    source: SourceFile,
    regions: Iterable[Region],
    annotations: Sequence[Annotation],
    values: Sequence[StatedValue],
    given: Mapping[str, int],
) -> AnnotatedRegions:
    """Put the trip counts into the regions, and tell what was taken from the source."""
    trips = [annotation for annotation in annotations if annotation.role is Role.TRIP]
    used: set[Annotation] = set()
    settled: set[int] = set()
    done: list[Region] = []
    for region in regions:
        own = [stated for stated in values if not stated.scope or _speaks_of(stated.annotation, region)]
        notes = tuple(_noted(region, own, given, _text_of(region, source)))
        region = replace(region, assumptions=(*region.assumptions, *notes))
        stated_sizes = {stated.name: stated.value for stated in own if isinstance(stated.value, int)}
        sizes = {**stated_sizes, **given}
        for annotation in trips:
            if not _speaks_of(annotation, region):
                continue
            trip = parse_index(annotation.value)
            stated = StatedTrip(
                iterator=annotation.name,
                trip=trip,
                text=annotation.value,
                within=_loop_at(region, annotation),
                span=annotation.span,
            )
            found = state_trip(region, stated, sizes)
            if found is not None:
                region = found.region
                used.add(annotation)
                settled |= found.lines
        done.append(region)
    unused = [_no_loop(annotation) for annotation in trips if annotation not in used]
    return AnnotatedRegions(tuple(done), (*unused, *_unnamed(source, done, values)), frozenset(settled))


def _unnamed(source: SourceFile, regions: Sequence[Region], values: Sequence[StatedValue]) -> Iterator[Diagnostic]:
    """Yield sizes that are stated and that neither the code nor any region names."""
    if not values:
        return
    named = frozenset(_WORD.findall(without_comments(source.text)))
    named |= {symbol.name for region in regions for symbol in region.symbols}
    texts = (stated.annotation.value for stated in values)
    named |= {name for text in texts if number_of(text) is None for name in parse_index(text).names()}
    for stated in values:
        if stated.name not in named and not (_is_extent(stated) and any(map(_is_kernel, regions))):
            annotation = stated.annotation
            yield Diagnostic.of("AI005", annotation.span, "no-such-size", directive=str(annotation), name=stated.name)


def _no_loop(annotation: Annotation) -> Diagnostic:
    return Diagnostic.of("AI005", annotation.span, "no-such-loop", directive=str(annotation), name=annotation.name)


def _contradiction(annotation: Annotation, first: Annotation) -> Diagnostic:
    line = first.span.line
    return Diagnostic.of(
        "AI005", annotation.span, "contradiction", directive=str(annotation), line=line, other=str(first)
    )


def _scope_of(annotation: Annotation, functions: Sequence[Scope]) -> str:
    positions = (annotation.span.line, annotation.target)
    return next((f.key for f in functions if any(f.span.line <= line <= f.span.end_line for line in positions)), "")


def _speaks_of(annotation: Annotation, region: Region) -> bool:
    """Return whether an annotation stands in a region, right above it, or outside of all functions."""
    first, last = region.span.line, region.span.end_line
    return any(first <= line <= last for line in (annotation.span.line, annotation.target))


def _loop_at(region: Region, annotation: Annotation) -> tuple[int, int] | None:
    """Return the lines of the loop that starts where the annotation applies."""
    loops = (loop for visit in walk(region) for loop in visit.loops)
    return next(((loop.span.line, loop.span.end_line) for loop in loops if loop.span.line == annotation.target), None)


def _is_extent(stated: StatedValue) -> bool:
    """Return whether it is an extent of the grid or the block of kernels."""
    return stated.name.startswith(("gridDim.", "blockDim."))


def _is_kernel(region: Region) -> bool:
    return region.kind is RegionKind.KERNEL


def _text_of(region: Region, source: SourceFile) -> str:
    lines = source.text.split("\n")
    return "\n".join(lines[max(0, region.span.line - source.first_line) : region.span.end_line - source.first_line + 1])


def _number(value: Number) -> int | float:
    return value if isinstance(value, int) else float(value)


def _noted(region: Region, values: Iterable[StatedValue], given: Mapping[str, int], text: str) -> Iterator[Assumption]:
    """Yield what the region takes from the source: values of its sizes, and of macros that its text names."""
    symbols: dict[str, Number | None] = {symbol.name: symbol.value for symbol in region.symbols}
    symbols |= dict(region.averages)
    words = frozenset(_WORD.findall(text))
    for stated in values:
        used = stated.name in words or stated.name in symbols or (_is_extent(stated) and _is_kernel(region))
        if stated.name in given or not used:
            continue
        if symbols.get(stated.name, stated.value) == stated.value:
            yield Assumption.of("AI309", stated.annotation.span, "value", stated.name, value=_number(stated.value))
