"""Choice of a reader: source text and options to ``Parsed``, by libclang or by the reader of snippets.

The choice is a scan of the text (no parser is loaded for it), in this order:

1. a statement at file level (a bare loop, kerncraft's kernel format): **fragment**, for no compiler reads that; in C++
   and CUDA only where there is neither a function nor an ``#include``: there it is a macro that a header defines;
2. C++ or CUDA, by suffix or by its words: **clang**;
3. standard input or a Markdown block without ``#include``: **fragment**;
4. a function or an ``#include``: **clang**; anything else: **fragment**.

C++ that includes a header of the CUDA toolkit, which clang does not find, is read again as CUDA, without what nvcc
defines: it calls the runtime.

Of a text of more than a million characters only the first are scanned, and clang reads it.
In ``auto``, where the chosen reader reports syntax errors and the other could do better, the other is asked too, and
the answer with more functions, then with fewer syntax errors, is kept; another reader than the chosen one is reported.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from itertools import islice
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from ..diagnostics import Diagnostic
from ..errors import SourceError
from ..limits.hard_limit import GIVEN_UP, hard_limit, remaining
from ..python.regex import regex
from ..source import STANDARD_INPUT, Language, SourceFile, Span
from .options import Parsed, ParseOptions, numeric_defines
from .text.dialect import dialect_of_file
from .text.includes import Reached, folders_of, reached_from
from .text.items import CONTROL, TYPE_WORDS, Item, ItemKind, split_items
from .text.lexical import Token, TokenKind, tokens_of, with_joined_lines, without_comments
from .text.markdown import is_markdown

Reader = Literal["clang", "fragment"]
Choice = Literal["auto", "clang", "fragment"]

_REFUSED = "AI006"
_HIP = "hip/hip_runtime"
_TOOLKIT = Path(__file__).parent / "headers" / "cuda"
_ONLY_HOST = ("-U__CUDACC__", "-U__NVCC__", "-U__CUDA_ARCH__")
_MOST_SCANNED = 1_000_000  # characters; a scan of them takes about a second
_SCAN, _OTHER_READER = 0.25, 0.5  # of the time that is left for reading
_MOST_MENTIONS, _WIDTH = 1_000, 400
_DIRECTIVE = regex(r"^[ \t]*#.*$", re.MULTILINE)
_CONDITIONAL = regex(r"[ \t]*#[ \t]*(if|elif|else|endif)")
_INCLUDE = regex(r"^[ \t]*#[ \t]*include\b", re.MULTILINE)
_LOOPS = frozenset({"for", "while", "do", "if", "switch", "{"})
_ASSIGNS = frozenset({"=", "+=", "-=", "*=", "/=", "[", "++", "--"})


def choose(source: SourceFile) -> Reader:
    """Return the reader for a source, by the rule above; costs a scan of the text."""
    return _choice(_Scan(source))


def read(source: SourceFile, options: ParseOptions, frontend: Choice = "auto") -> Parsed:
    """Read a source; ``SourceError`` where the only possible reader gives nothing at all."""
    scan = _scanned(source, options)
    reached = () if scan.language is not Language.CXX or options.confine else _reached(source, options)
    if any(header.name.startswith(_HIP) for header in reached):  # then it is in that language, whatever its suffix says
        scan.language = Language.CUDA
    options = replace(options, defines=_macros(scan, options.defines))
    if not options.system_headers:
        scan.toolkit = frozenset(header.name for header in reached if header.path is None and _is_of_cuda(header.name))
    if frontend != "auto":
        return _read(scan, options, frontend)
    first = _choice(scan)
    other: Reader = "fragment" if first == "clang" else "clang"
    other_may_help = _may_help(scan, other)
    try:
        parsed = _read(scan, options, first)
    except SourceError:
        if not other_may_help:
            raise
        return _read(scan, options, other)
    if not other_may_help or not _syntax_errors(parsed) or _is_broken_by_options(parsed, scan, options, first):
        return parsed
    return _better(parsed, scan, options, other)


def _reached(source: SourceFile, options: ParseOptions) -> tuple[Reached, ...]:
    """Return the headers that a file can reach."""
    folders = folders_of(options.compile_args, options.include_dirs, os.environ)
    return tuple(reached_from(source, folders))


def _is_of_cuda(name: str) -> bool:
    """Return whether a header is one of the toolkit, of which there are declarations of our own."""
    return (_TOOLKIT / name).is_file()


def _is_broken_by_options(parsed: Parsed, scan: _Scan, options: ParseOptions, reader: Reader) -> bool:
    """Return whether the reader understands more of the file without the macros.

    Then it is no matter of another reader.
    """
    if not options.defines:
        return False
    return _merit(_read(scan, replace(options, defines={}), reader)) > _merit(parsed)


def _scanned(source: SourceFile, options: ParseOptions) -> _Scan:
    """Return the scan, that of a large text where it takes too long."""
    try:
        with hard_limit(_SCAN * remaining()):
            return _Scan(source, _macros_given(options))
    except GIVEN_UP:
        return _Scan(source, is_large=True)


def _macros_given(options: ParseOptions) -> frozenset[str]:
    """Return the names of the macros that the user and the build define."""
    named = (word[2:].partition("=")[0] for word in options.compile_args if word.startswith("-D"))
    return frozenset((*options.defines, *named))


def _choice(scan: _Scan) -> Reader:
    path = scan.source.path
    is_file = scan.has_functions or scan.has_includes
    if scan.has_bare_statements and not (is_file and scan.language is not Language.C):
        return "fragment"
    if scan.language is not Language.C or scan.has_includes:
        return "clang"
    if path in (STANDARD_INPUT, "-", "") or is_markdown(path):
        return "fragment"
    return "clang" if scan.has_functions else "fragment"


def _may_help(scan: _Scan, reader: Reader) -> bool:
    """Return whether the other reader may help: pycparser not with C++ or CUDA, libclang not with bare statements."""
    if scan.is_large:
        return False
    return scan.language is Language.C if reader == "fragment" else not scan.has_bare_statements


def _better(parsed: Parsed, scan: _Scan, options: ParseOptions, other: Reader) -> Parsed:
    """Return the answer of the other reader where it is better than the one at hand."""
    try:
        with hard_limit(_OTHER_READER * remaining()):
            second = _read(scan, options, other)
    except (SourceError, *GIVEN_UP):
        return parsed
    if _merit(second) <= _merit(parsed):
        return parsed
    refused = tuple(found for found in parsed.diagnostics if found.code == _REFUSED)  # that it was is worth telling
    span = Span(scan.source.path, scan.source.first_line, scan.source.first_line)
    lost = dict.fromkeys(name for found in parsed.diagnostics for name in _missing_header(found))
    if other != "fragment":
        retried = Diagnostic.of("AI007", span, "file")
    elif lost:
        retried = Diagnostic.of("AI007", span, "snippet-for-lack", names=tuple(lost))
    else:
        retried = Diagnostic.of("AI007", span, "snippet")
    return replace(second, diagnostics=(retried, *refused, *second.diagnostics))


def _missing_header(found: Diagnostic) -> tuple[str, ...]:
    """Return the name of the header that a message calls missing."""
    return (str(dict(found.fields)["name"]),) if (found.code, found.form) == ("AI002", "not-found") else ()


def _merit(parsed: Parsed) -> tuple[int, int]:
    return len(parsed.unit.functions), -_syntax_errors(parsed)


def _syntax_errors(parsed: Parsed) -> int:
    return sum(diagnostic.code == "AI001" for diagnostic in parsed.diagnostics)


def _read(scan: _Scan, options: ParseOptions, reader: Reader) -> Parsed:
    if reader == "clang":
        from .clang.reading.parse import parse_clang  # libclang loads only where it is wanted

        parsed = parse_clang(replace(scan.source, language=scan.language), options)
        if scan.toolkit.isdisjoint(name for found in parsed.diagnostics for name in _missing_header(found)):
            return parsed
        # Code of the host alone, which calls the runtime: nvcc hands such a file to the compiler of the host.
        hosted = replace(options, compile_args=(*options.compile_args, *_ONLY_HOST))
        return parse_clang(replace(scan.source, language=Language.CUDA), hosted)
    from .fragment.reader import parse_fragment  # likewise the C parser

    return parse_fragment(scan.source, options)


class _Scan:
    """What the text shows without parsing it; of a large one hardly anything."""

    tokens: tuple[Token, ...]
    toolkit: frozenset[str] = frozenset()
    """The headers of CUDA that it can reach and no folder has: what includes one of them calls its runtime."""

    def __init__(self, source: SourceFile, given: Collection[str] = (), *, is_large: bool = False) -> None:
        self.source = source
        self.is_large = is_large or len(source.text) > _MOST_SCANNED
        if is_large:
            self.tokens, self.language = (), source.language
            self.has_includes, self.has_functions, self.has_bare_statements = True, True, False
            return
        text = with_joined_lines(without_comments(source.text[:_MOST_SCANNED]))
        if self.is_large:
            self.tokens = ()
            self.has_includes, self.has_functions, self.has_bare_statements = True, True, False
            self.language = dialect_of_file(source, text, given)
            return
        self.tokens = tokens_of(_DIRECTIVE.sub("", _first_branches(text)))
        self.has_includes = _INCLUDE.search(text) is not None
        self.language = dialect_of_file(source, text, given)
        items = list(split_items(self.tokens))
        self.has_functions = any(item.kind is ItemKind.FUNCTION for item in items)
        self.has_bare_statements = any(_is_bare(self.tokens, item) for item in items)


def _first_branches(text: str) -> str:
    """Return the text without what stands behind ``#else`` and ``#elif``.

    One branch opens as many braces as it closes.
    """
    kept: list[str] = []
    skipping: list[bool] = []
    for line in text.split("\n"):
        match = _CONDITIONAL.match(line)
        if match and match[1] == "if":
            skipping.append(bool(skipping and skipping[-1]))
        elif match and match[1] == "endif":
            skipping and skipping.pop()
        elif match and skipping:
            skipping[-1] = True
        kept.append("" if skipping and skipping[-1] else line)
    return "\n".join(kept)


def _is_bare(tokens: tuple[Token, ...], item: Item) -> bool:
    """Return whether a loop, branch or assignment is at file level (but no ``using``, ``template`` or declaration)."""
    if item.kind is not ItemKind.STATEMENT:
        return False
    first = tokens[item.first]
    if first.text in _LOOPS:
        return True
    following = tokens[item.first + 1].text if item.first < item.last else ""
    return first.kind is TokenKind.NAME and first.text not in CONTROL and following in _ASSIGNS


def _macros(scan: _Scan, defines: Mapping[str, str]) -> Mapping[str, str]:
    """Return the defines that are macros: a number given for a name that the text *declares* (``int n``) is its value.

    Such a name stays a parameter of the analysis; as a macro it would turn ``int n`` into ``int 100``.
    """
    numeric = numeric_defines(defines)
    if not numeric:
        return defines
    tokens = scan.tokens
    declared = {token.text for index, token in enumerate(tokens) if token.text in numeric and _declares(tokens, index)}
    if scan.is_large:
        declared = {name for name in numeric if _is_declared_in(scan.source.text, name)}
    return {name: value for name, value in defines.items() if name not in declared}


def _is_declared_in(text: str, name: str) -> bool:
    """Return whether one of the first mentions of a name in a large text declares it."""
    for mention in islice(re.finditer(rf"\b{re.escape(name)}\b", text), _MOST_MENTIONS):
        line = max(text.rfind("\n", 0, mention.start()) + 1, mention.start() - _WIDTH)
        tokens = tokens_of(text[line : mention.end()])
        if tokens and _declares(tokens, len(tokens) - 1):
            return True
    return False


def _declares(tokens: tuple[Token, ...], index: int) -> bool:
    """Return true for the last name of ``int n``, ``size_t n`` and ``int i, n``."""
    before = tokens[index - 1] if index else None
    if before is None:
        return False
    if before.kind is TokenKind.NAME:
        return before.text not in CONTROL and before.text != "sizeof"
    if before.text != ",":
        return False
    start = index - 1
    while start > 0 and tokens[start - 1].text not in (";", "{", "}", "("):
        start -= 1
    return tokens[start].text in TYPE_WORDS and (start == 0 or tokens[start - 1].text != "(")
