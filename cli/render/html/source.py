"""The source of the HTML report: highlighted lines with their counts, and the bound of every loop in the margin.

This is the only module that sees pygments.  Lines far from anything that is counted are folded away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from msgspec import Struct
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CppLexer, CudaLexer
from pygments.style import Style
from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES

from analyzer.source import Language
from roofline.report.report import FileReport, RegionReport
from roofline.report.sentences import reason_text
from roofline.report.source_names import spelled

from ..words.listing import counts_by_line, is_own, lines_shown
from ..words.names import regions_shown
from ..words.rates import bound_text, rate_text
from .anchors import heading_id, line_id

_WIDEST = 40
_AROUND = 3
_LEAST_FOLDED = 8
_STYLES = ("default", "github-dark")


class Margin(Struct, frozen=True):
    """The bound of a loop that starts in a line; ``kind`` is the bare bound, ``title`` has the range and the reason."""

    text: str
    kind: str
    title: str
    inner: bool


class Line(Struct, frozen=True):
    """A line: number, id, highlighted code (HTML), counts as text, margins, and the bounds of the loops around it."""

    number: int
    id: str
    code: str
    runs: str
    flops: str
    loaded: str
    stored: str
    margins: tuple[Margin, ...]
    stripes: tuple[str, ...]


class Block(Struct, frozen=True):
    """Lines that follow one another, all shown or all folded."""

    lines: tuple[Line, ...]
    folded: bool


class Source(Struct, frozen=True):
    """A file with its blocks."""

    path: str
    id: str
    language: str
    frontend: str
    blocks: tuple[Block, ...]


class _Loop(Struct, frozen=True):
    """A loop with the bound of its nest on each machine."""

    line: int
    end_line: int
    text: str
    kind: str
    title: str
    inner: bool


def source_of(file: FileReport, position: int) -> Source:
    """Return the annotated source of the file at this position of the report."""
    profile = file.profile
    first = profile.first_line
    codes = _highlighted(profile.source_text, profile.language)
    counts = counts_by_line(file, _WIDEST)
    loops = _loops(file)
    wanted = lines_shown(
        file,
        {*counts, *(found.span.line for found in profile.diagnostics if is_own(file, found.span.path))},
        first,
        first + len(codes) - 1,
    )
    near = {line + shift for line in wanted for shift in range(-_AROUND, _AROUND + 1)}
    lines = []
    for number, code in enumerate(codes, first):
        around = [loop for loop in loops if loop.line <= number <= loop.end_line]
        margins = dict.fromkeys(Margin(x.text, x.kind, x.title, x.inner) for x in around if x.line == number)
        stripes = tuple(loop.kind for loop in _outermost_first(around))
        cells = counts.get(number, ("", "", "", ""))
        lines.append(Line(number, line_id(position, number), code, *cells, tuple(margins), stripes))
    return Source(
        profile.path, heading_id(position), profile.language.value, profile.frontend, tuple(_blocks(lines, near))
    )


def highlighting_css(selector: str) -> str:
    """Return the colours of the tokens in light and dark, as rules below a selector."""
    light, dark = (_colors(get_style_by_name(name)) for name in _STYLES)
    rules = []
    for token, short in STANDARD_TYPES.items():
        if short and (light.get(token) or dark.get(token)):
            colors = f"{light.get(token) or 'currentColor'}, {dark.get(token) or 'currentColor'}"
            rules.append(f"{selector} .{short} {{ color: light-dark({colors}); }}")
    return "\n".join(rules)


def _colors(style: type[Style]) -> dict[object, str]:
    return {token: f"#{found['color']}" for token, found in style if found["color"]}


def _highlighted(text: str, language: Language) -> list[str]:
    """Return the lines as HTML, as many as the text has."""
    lexer = CudaLexer if language is Language.CUDA else CppLexer
    made: str = highlight(text, lexer(stripnl=False, ensurenl=False), HtmlFormatter(nowrap=True))
    number = len(text.removesuffix("\n").split("\n"))
    lines = made.split("\n")
    return (lines + [""] * number)[:number]


def _loops(file: FileReport) -> list[_Loop]:
    """Return the loops of every region, those of a function that is inlined elsewhere as they are in itself."""
    spans = [region.profile.span for region in file.regions if is_own(file, region.profile.span.path)]
    found: list[_Loop] = []
    for region in file.regions:
        span = region.profile.span
        for loop in _loops_of(file, region):
            homes = [other for other in spans if other.line <= loop.line <= other.end_line]
            if span in homes or not homes:
                found.append(loop)
    return list(dict.fromkeys(found))


def _loops_of(file: FileReport, region: RegionReport) -> Iterator[_Loop]:
    """Yield the loops of a region that are in the text of a file, outermost first, with their bound on each machine."""
    shown = regions_shown(region)
    for part in shown[:-1] if len(shown) > 1 else shown:
        profile = part.profile
        several = len(part.projections) > 1
        loops = [loop for loop in reversed(profile.loops) if is_own(file, loop.path)]
        heads = {profile.span.line: (profile.span.end_line, "")} if is_own(file, profile.span.path) else {}
        heads |= {loop.line: (loop.end_line, spelled(loop.trip_text)) for loop in loops}
        for projection in part.projections:
            on = f"{projection.machine.id}: " if several else ""
            for line, (end, trip) in heads.items():
                inner = line != profile.span.line
                text = bound_text(projection) + ("" if inner or several else f", {rate_text(projection)}")
                title = f"{trip + '; ' if trip else ''}{reason_text(projection.reason)}"
                yield _Loop(line, end, on + text, projection.bound.value, title, inner)
        if not part.projections:
            for line, (end, trip) in heads.items():
                yield _Loop(line, end, trip, "unknown", "name a machine with --machine to see what binds", True)


def _outermost_first(loops: Iterable[_Loop]) -> list[_Loop]:
    """Return one loop for each span, outermost first."""
    spans = {(loop.line, loop.end_line): loop for loop in reversed(list(loops))}
    return sorted(spans.values(), key=lambda loop: (loop.line, -loop.end_line))


def _blocks(lines: Sequence[Line], near: set[int]) -> Iterator[Block]:
    """Yield runs of lines; what is far from everything counted is folded where that saves something."""
    for far, group in groupby(lines, key=lambda line: line.number not in near):
        run = tuple(group)
        yield Block(run, far and len(run) >= _LEAST_FOLDED)
