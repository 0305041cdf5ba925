"""The door to the C parser: prepared text to syntax trees, one top-level item at a time, and syntax errors.

Every item is parsed on its own, so an error in one leaves the others whole.  Lines and columns of the trees are those
of the prepared text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from pycparser import c_ast
from pycparser.c_lexer import CLexer
from pycparser.c_parser import CParser, ParseError

from ...diagnostics import Field, Phrase
from ...python.regex import regex
from ...source import Language
from ..text.dialect import dialect_of
from ..text.items import Item, ItemKind, split_items
from ..text.lexical import TokenKind
from .prepare import Prepared

_SPOKEN = {Language.CXX: "C++", Language.CUDA: "CUDA"}
_MAX_DEPTH = 3000
_POSITION = regex(r"^(?P<file>[^:\n]*):(?P<line>\d+)(?::(?P<column>\d+))?:\s*(?P<message>.*)$", re.DOTALL)


class _Lexer(CLexer):  # type: ignore[misc]  # pycparser publishes no types
    """The parser's lexer, which remembers how far it has read."""

    last_line = 0

    def token(self) -> Any:
        """Return the next token."""
        token = super().token()
        if token is not None:
            self.last_line = token.lineno
        return token


class ParsedItem(Struct, frozen=True):
    """A top-level item and its nodes: external declarations, or the statements of a bare one."""

    kind: ItemKind
    nodes: tuple[Any, ...]
    line: int
    end_line: int


class SyntaxProblem(Struct, frozen=True):
    """What cannot be parsed, where (a line of the prepared text), and why."""

    line: int
    what: Phrase

    @classmethod
    def of(cls, line: int, form: str, /, **fields: Field) -> SyntaxProblem:
        """Return a problem with one of the sentences of AI001."""
        return cls(line, Phrase.of("AI001", form, **fields))


def parse_items(prepared: Prepared) -> Iterator[ParsedItem | SyntaxProblem]:
    """Parse each top-level item of the text."""
    tokens = prepared.tokens
    types = prepared.known | prepared.declared | prepared.assumed.keys()
    for item in split_items(tokens, types):
        if item.kind is ItemKind.STRAY:
            yield SyntaxProblem.of(tokens[item.first].line, "closes-nothing", word=tokens[item.first].text)
        elif item.unclosed is not None:
            opener = tokens[item.unclosed]
            yield SyntaxProblem.of(opener.line, "never-closed", word=opener.text)
        else:
            yield _parse(prepared, item, types)


def _parse(prepared: Prepared, item: Item, types: frozenset[str]) -> ParsedItem | SyntaxProblem:
    tokens = prepared.tokens
    first, last = tokens[item.first], tokens[item.last]
    names = {token.text for token in tokens[item.first : item.last + 1] if token.kind is TokenKind.NAME}
    needed = sorted(names & types)
    body = " " * (first.column - 1) + prepared.text[first.start : last.end]
    bare = item.kind is ItemKind.STATEMENT
    # The semicolon is for a last statement without one, as formulas in a text are.
    opening, closing = ("void __bare__(void) {", "\n;}") if bare else ("", "\n")
    prefix = "".join(f"typedef int {name};" for name in needed)
    parser = CParser(lexer=_Lexer)
    try:
        unit = parser.parse(f'{prefix}{opening}\n#line {first.line} "text"\n{body}{closing}', "text")
    except ParseError as error:
        return _reworded(_problem(str(error), parser.clex.last_line or first.line, last.line), prepared, item, body)
    except RecursionError:
        return SyntaxProblem.of(first.line, "too-deep")
    except Exception as error:  # the parser asserts and indexes its way through malformed input; all of it is syntax
        return SyntaxProblem.of(first.line, "crash", error=type(error).__name__)
    nodes = tuple(unit.ext[len(needed) :])
    if bare:
        nodes = tuple(nodes[0].body.block_items or ())
    if any(isinstance(node, c_ast.FuncDef) and not isinstance(node.decl.type, c_ast.FuncDecl) for node in nodes):
        return SyntaxProblem.of(first.line, "unexpected-body", word=first.text)
    if _is_deep(nodes):
        return SyntaxProblem.of(first.line, "too-deep")
    return ParsedItem(item.kind, nodes, first.line, last.line)


def _reworded(problem: SyntaxProblem, prepared: Prepared, item: Item, text: str) -> SyntaxProblem:
    """Say what the whole item is where that helps more than the word that cannot be read."""
    first = prepared.tokens[item.first]
    language = dialect_of(text)
    if language is not Language.C:
        return SyntaxProblem.of(problem.line, "language", problem=problem.what, language=_SPOKEN[language])
    if item.kind is ItemKind.FUNCTION and prepared.tokens[item.first + 1].text == "(":
        return SyntaxProblem.of(first.line, "macro", word=first.text)
    return problem


def _problem(text: str, reached_line: int, last_line: int) -> SyntaxProblem:
    found = _POSITION.match(text)
    if found is None:  # some have no position; the line that the parser has reached is near
        message = text.partition(": ")[2] or text
        if "end of input" in message.lower():
            return SyntaxProblem.of(last_line, "ends")
        return SyntaxProblem.of(min(reached_line, last_line), "compiler", message=message[:1].lower() + message[1:])
    message = found["message"]
    line = min(int(found["line"]), last_line)
    if (before := re.match(r"before: (.*)", message)) is not None:
        word = before[1]
        if word == "...":
            return SyntaxProblem.of(line, "ellipsis")
        return SyntaxProblem.of(line, "unexpected", word=word)
    return SyntaxProblem.of(line, "compiler", message=message[:1].lower() + message[1:])


def _is_deep(nodes: tuple[Any, ...]) -> bool:
    """Return True where a tree is too deep for the recursive readers behind."""
    level = list(nodes)
    for _ in range(_MAX_DEPTH):
        level = [child for node in level for _, child in node.children()]
        if not level:
            return False
    return True
