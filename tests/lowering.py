"""Text of snippets after the shared lowering, for the tests of the frontends."""

from collections.abc import Mapping

from analyzer.frontend.fragment.reader import parse_fragment
from analyzer.frontend.lower import Lowered, LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.ir.verify import verify
from analyzer.ir.written.text import nodes_text
from analyzer.source import Language, SourceFile


def lower(text: str, function: str | None = None, defines: Mapping[str, int] | None = None) -> Lowered:
    """Regions and findings of a snippet; every region keeps the invariants of the IR."""
    parsed = parse_fragment(SourceFile("x.c", text, Language.C), ParseOptions())
    wanted = None if function is None else frozenset({function})
    lowered = lower_unit(parsed.unit, LowerOptions(defines=defines or {}, functions=wanted))
    for region in lowered.regions:
        verify(region)
    return lowered


def body(text: str, function: str | None = None, defines: Mapping[str, int] | None = None) -> list[str]:
    """Lines of the nodes of the only region of a snippet."""
    (region,) = lower(text, function, defines).regions
    return list(nodes_text(region.body, {array.name: array for array in region.arrays}))


def lines(text: str) -> list[str]:
    """The lines of an indented triple-quoted text."""
    kept = [line for line in text.splitlines() if line.strip()]
    margin = min(len(line) - len(line.lstrip()) for line in kept)
    return [line[margin:] for line in kept]


def codes(text: str) -> list[str]:
    """Codes of the findings of a snippet."""
    return [diagnostic.code for diagnostic in lower(text).diagnostics]
