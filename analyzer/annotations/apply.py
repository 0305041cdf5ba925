"""Facts that comments of the source state: directives to values of sizes, and to regions with stated trip counts.

``assume`` holds in the function in or above which it stands, else in the whole file; a name that the file never
declares is a macro, and so holds everywhere.  Values that are given from outside (``-D``) go before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..diagnostics import Diagnostic
from ..frontend.text.lexical import without_comments
from ..ir.expression import parse_index
from ..ir.facts import StatedTrip, state_trip
from ..ir.nodes import Assumption, Region, RegionKind
from ..ir.traverse import walk
from ..source import SourceFile, Span
from .model import Directive, Role

_WORD = re.compile(r"[A-Za-z_]\w*")


class Scope(Struct, frozen=True):
    """A function: its key and its place."""

    key: str
    span: Span


class StatedValue(Struct, frozen=True):
    """The value of a size; ``scope`` is the key of the function in which it holds, empty for the file."""

    name: str
    value: int
    scope: str
    directive: Directive


class WithFacts(Struct, frozen=True):
    """Regions with the facts in them; what is said of facts that apply to nothing; lines of loops that were unknown."""

    regions: tuple[Region, ...]
    diagnostics: tuple[Diagnostic, ...]
    settled: frozenset[int]


def stated_values(
    directives: Sequence[Directive], given: Mapping[str, int], scopes: Iterable[Scope] = ()
) -> tuple[tuple[StatedValue, ...], tuple[Diagnostic, ...]]:
    """The values of all ``assume``, in order; a value may name sizes that were stated before it or are given."""
    functions = tuple(scopes)
    found: list[StatedValue] = []
    diagnostics: list[Diagnostic] = []
    known = dict(given)
    for directive in directives:
        if directive.role is not Role.ASSUME:
            continue
        value = parse_index(directive.value).substitute(known).constant
        if value is None:
            names = {"name": directive.name, "value": directive.value}
            diagnostics.append(Diagnostic.of("AI005", directive.span, "value-unknown", **names))
            continue
        stated = StatedValue(directive.name, value, _scope_of(directive, functions), directive)
        first = next((one for one in found if (one.name, one.scope) == (stated.name, stated.scope)), stated)
        if first.value != value:
            diagnostics.append(_contradiction(directive, first.directive))
        found.append(stated)
        known.setdefault(directive.name, value)
    return tuple(found), tuple(diagnostics)


def values_in(values: Iterable[StatedValue], scope: str) -> dict[str, int]:
    """The sizes stated for a function (for the file: the empty scope); what is said first holds."""
    found: dict[str, int] = {}
    for stated in values:
        if stated.scope == scope:
            found.setdefault(stated.name, stated.value)
    return found


def with_facts(
    source: SourceFile,
    regions: Iterable[Region],
    directives: Sequence[Directive],
    values: Sequence[StatedValue],
    given: Mapping[str, int],
) -> WithFacts:
    """Put the trip counts into the regions, and tell what was taken from the source."""
    trips = [directive for directive in directives if directive.role is Role.TRIP]
    used: set[Directive] = set()
    settled: set[int] = set()
    done: list[Region] = []
    for region in regions:
        own = [stated for stated in values if not stated.scope or _speaks_of(stated.directive, region)]
        notes = tuple(_noted(region, own, given, _text_of(region, source)))
        region = replace(region, assumptions=(*region.assumptions, *notes))
        sizes = {**{stated.name: stated.value for stated in own}, **given}
        for directive in trips:
            if not _speaks_of(directive, region):
                continue
            trip = parse_index(directive.value)
            stated = StatedTrip(directive.name, trip, directive.value, _loop_at(region, directive), directive.span)
            found = state_trip(region, stated, sizes)
            if found is not None:
                region = found.region
                used.add(directive)
                settled |= found.lines
        done.append(region)
    unused = [_no_loop(directive) for directive in trips if directive not in used]
    return WithFacts(tuple(done), (*unused, *_unnamed(source, done, values)), frozenset(settled))


def _unnamed(source: SourceFile, regions: Sequence[Region], values: Sequence[StatedValue]) -> Iterator[Diagnostic]:
    """Sizes that are stated and that neither the code nor any region names."""
    if not values:
        return
    named = frozenset(_WORD.findall(without_comments(source.text)))
    named |= {symbol.name for region in regions for symbol in region.symbols}
    named |= {name for stated in values for name in parse_index(stated.directive.value).names()}
    for stated in values:
        if stated.name not in named and not (_is_extent(stated) and any(map(_is_kernel, regions))):
            directive = stated.directive
            yield Diagnostic.of("AI005", directive.span, "no-such-size", directive=str(directive), name=stated.name)


def _no_loop(directive: Directive) -> Diagnostic:
    return Diagnostic.of("AI005", directive.span, "no-such-loop", directive=str(directive), name=directive.name)


def _contradiction(directive: Directive, first: Directive) -> Diagnostic:
    line = first.span.line
    return Diagnostic.of(
        "AI005", directive.span, "contradiction", directive=str(directive), line=line, other=str(first)
    )


def _scope_of(directive: Directive, functions: Sequence[Scope]) -> str:
    places = (directive.span.line, directive.target)
    return next((f.key for f in functions if any(f.span.line <= line <= f.span.end_line for line in places)), "")


def _speaks_of(directive: Directive, region: Region) -> bool:
    """Whether a directive stands in a region, above it, or outside of all functions (nothing else is between)."""
    first, last = region.span.line, region.span.end_line
    return any(first <= line <= last for line in (directive.span.line, directive.target))


def _loop_at(region: Region, directive: Directive) -> tuple[int, int] | None:
    """The lines of the loop that starts where the directive applies."""
    loops = (loop for visit in walk(region) for loop in visit.loops)
    return next(((loop.span.line, loop.span.end_line) for loop in loops if loop.span.line == directive.target), None)


def _is_extent(stated: StatedValue) -> bool:
    """Whether it is an extent of the grid or the block of kernels."""
    return stated.name.startswith(("gridDim.", "blockDim."))


def _is_kernel(region: Region) -> bool:
    return region.kind is RegionKind.KERNEL


def _text_of(region: Region, source: SourceFile) -> str:
    lines = source.text.split("\n")
    return "\n".join(lines[max(0, region.span.line - source.first_line) : region.span.end_line - source.first_line + 1])


def _noted(region: Region, values: Iterable[StatedValue], given: Mapping[str, int], text: str) -> Iterator[Assumption]:
    """What the region takes from the source: values of its sizes, and of macros that its text names."""
    symbols = {symbol.name: symbol.value for symbol in region.symbols}
    words = frozenset(_WORD.findall(text))
    for stated in values:
        used = stated.name in words or stated.name in symbols or (_is_extent(stated) and _is_kernel(region))
        if stated.name in given or not used:
            continue
        if symbols.get(stated.name, stated.value) == stated.value:
            yield Assumption.of("AI309", stated.directive.span, "value", stated.name, value=stated.value)
