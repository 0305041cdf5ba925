"""Which of the names given with ``-D`` a file depends on, and which names it may be given.

A value is used where the lowering asked for it.  A macro is used where the text, or that of a header that it can
reach, mentions its name; headers that are not known may mention any.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from ..given_values import is_macro, line_of, symbol_of, trip_of_line
from ..ir.branches import branch_symbols
from ..ir.nodes import Geometric, Loop, Range, Region, Strided, Uncounted
from ..ir.passes.stated_trips import ending_early
from ..ir.walk import walk
from ..python.regex import regex
from ..source import Language, SourceFile
from .lower import LowerOptions, lower_unit
from .options import Parsed, ParseOptions, numeric_defines
from .text.includes import folders_of, reached_from, texts_of

_WORD = regex(r"[A-Za-z_]\w*")
_DIRECTIVE = regex(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b(.*)$", re.MULTILINE)
_OF_LIBRARIES = regex(r"_.*|NDEBUG")  # what compilers and headers of systems ask for
_INCOMPLETE = frozenset({"AI001", "AI213"})  # syntax errors, and parts that are left out
_MOST_NAMES = 2000


def names_used(
    source: SourceFile, regions: Iterable[Region], parsed: Parsed, options: ParseOptions, defines: Mapping[str, str]
) -> frozenset[str]:
    """Return the names of the ``defines`` that the file depends on, or may depend on where it was not read whole."""
    asked = frozenset(name for region in regions for name in _asked(region))
    used = {name for name in defines if name in asked or _OF_LIBRARIES.fullmatch(name)}
    open_ones = {name: symbol_of(name.partition("(")[0]) for name in defines if name not in used}
    unclear = source.language is Language.CUDA or any(found.code in _INCOMPLETE for found in parsed.diagnostics)
    macros = _macros(source, parsed, options)
    wanted = {name for name in open_ones if unclear or (is_macro(name) and name in macros)}
    for text in _texts(source, options) if wanted else ():
        if text is None:
            return frozenset(used | wanted)
        words = set(_WORD.findall(text))
        used |= {name for name in wanted if words.issuperset(_WORD.findall(open_ones[name]))}
    return frozenset(used)


def names_asked_alone(
    source: SourceFile, parsed: Parsed, options: LowerOptions, doubted: frozenset[str]
) -> frozenset[str]:
    """Return those of the ``doubted`` names that the file depends on where nothing else is given.

    Every name that a report prints may be given together with others, whose values may settle which code runs.
    """
    words = frozenset(_WORD.findall(source.text))
    lines = source.first_line + source.text.count("\n")
    named = frozenset(name for name in doubted if _may_be_in(symbol_of(name), words, lines))
    if not named:
        return named
    alone = replace(
        options,
        defines={name: value for name, value in options.defines.items() if name in named},
        averages={name: value for name, value in options.averages.items() if name in named},
        given={
            key: {name: value for name, value in values.items() if any(one.startswith(f"{name}@") for one in named)}
            for key, values in options.given.items()
        },
    )
    asked = {name for region in lower_unit(parsed.unit, alone).regions for name in _asked(region)}
    return named & asked


def _may_be_in(name: str, words: frozenset[str], lines: int) -> bool:
    """Return whether a symbol of this name may come from a text of these words and so many lines."""
    of_line = line_of(name)
    return not words.isdisjoint(_WORD.findall(name)[:1]) if of_line is None else of_line <= lines


def names_to_give(source: SourceFile, regions: Iterable[Region]) -> frozenset[str]:
    """Return names that may be given: those of symbols, and those that directives ask for."""
    found = dict.fromkeys(
        name for region in regions for name in sorted({*region.asked, *branch_symbols(region)} - _counters(region))
    )
    found |= dict.fromkeys(word for line in _DIRECTIVE.findall(source.text) for word in _WORD.findall(line))
    found.pop("defined", None)
    return frozenset(list(found)[:_MOST_NAMES])


def _asked(region: Region) -> Iterator[str]:
    symbols = (symbol.name for symbol in region.symbols)
    for name in region.asked.union(symbols, _trip_counts(region), branch_symbols(region)) - _counters(region):
        yield name
        yield f"{name}@{region.function}"
        yield f"{name}@{region.function.partition('<')[0]}"


def _counters(region: Region) -> frozenset[str]:
    """Return the names that only count iterations: a value given for one has no effect."""
    counters = frozenset(visit.node.iterator for visit in walk(region) if isinstance(visit.node, Loop))
    return counters - {symbol.name for symbol in region.symbols}


def _trip_counts(region: Region) -> Iterator[str]:
    """Yield the names of trip counts where bounds are not affine (counting may need them, or not) or a loop may end."""
    for visit in walk(region):
        if isinstance(visit.node, Loop) and not _is_linear(visit.node.range):
            yield trip_of_line(visit.node.span.line)
            yield f"{trip_of_line(visit.node.span.line)}_{visit.node.iterator}"
    yield from (trip_of_line(loop.span.line) for loop, _ in ending_early(region.body))


def _is_linear(values: Range) -> bool:
    """Return whether the iterations follow from sizes and other iterators, so that no trip count is asked for."""
    match values:
        case Strided(start, stop, _):
            return all(not end.forms and all(len(term) < 2 for term in end.terms) for end in (start, stop))
        case Geometric(start, stop):
            return start.constant is not None and stop.constant is not None
        case Uncounted():
            return False


def _macros(source: SourceFile, parsed: Parsed, options: ParseOptions) -> frozenset[str]:
    """Return the names that the preprocessor was given; that of snippets is given no numbers but for directives."""
    if parsed.frontend == "clang":
        return parsed.macros
    asked = {word for line in _DIRECTIVE.findall(source.text) for word in _WORD.findall(line)}
    return frozenset(options.defines) - (numeric_defines(options.defines) - asked)


def _texts(source: SourceFile, options: ParseOptions) -> Iterator[str | None]:
    """Yield the text of the source and of every header that it can reach; None for what is not known."""
    yield source.text
    if options.system_headers:
        yield None
    yield from texts_of(reached_from(source, folders_of(options.compile_args, options.include_dirs, os.environ)))
