"""Top level of a C text: tokens to items (functions, declarations, bare statements) without parsing them.

The split serves two ends: the choice of a reader (does the text have bare statements?) and recovery (an error in one
item leaves the others whole).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from enum import Enum

from msgspec import Struct

from .lexical import Token, TokenKind, text_at

CONTROL = frozenset({"for", "while", "do", "if", "switch", "else", "return", "goto", "break", "continue", "case"})
TYPE_WORDS = frozenset(
    {
        *("void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool", "bool"),
        *("_Complex", "__int128", "_Float16", "__fp16", "struct", "union", "enum", "const", "volatile", "restrict"),
        *("static", "extern", "inline", "register", "typedef", "auto", "_Noreturn", "_Static_assert", "_Alignas"),
        *("_Atomic", "_Thread_local"),
    }
)
_AGGREGATES = frozenset({"struct", "union", "enum", "class"})
_STARTS = frozenset({"for", "while", "do", "if", "switch"})
_BEFORE_INITIALISERS = frozenset({")", "noexcept"})
_CLOSING = {"(": ")", "[": "]", "{": "}"}


class ItemKind(Enum):
    """What a top-level item is."""

    FUNCTION = "function"
    DECLARATION = "declaration"
    STATEMENT = "statement"
    STRAY = "stray"


class Item(Struct, frozen=True):
    """Tokens ``first`` to ``last`` (inclusive); ``unclosed`` is the index of a bracket that nothing closes."""

    kind: ItemKind
    first: int
    last: int
    unclosed: int | None = None


def split_items(tokens: Sequence[Token], type_names: Collection[str] = ()) -> Iterator[Item]:
    """Yield items of a token sequence in order; ``type_names`` are names of types besides C's own."""
    position = 0
    while position < len(tokens):
        if tokens[position].text in ("}", ")", "]"):
            yield Item(ItemKind.STRAY, position, position)
            position += 1
            continue
        last, unclosed = statement_end(tokens, position)
        if unclosed is not None:
            last = _next_start(tokens, position, unclosed, type_names) - 1
        yield Item(_kind(tokens, position, last, type_names), position, last, unclosed)
        position = last + 1


def statement_end(tokens: Sequence[Token], position: int) -> tuple[int, int | None]:
    """Return the index of the last token of the statement or function at ``position``, and an unclosed bracket."""
    conditionals: list[int] = []  # nesting of `if` and `do` whose body is being skipped
    while position < len(tokens):
        word = tokens[position].text
        if word in ("for", "while", "switch", "if"):
            if word == "if":
                conditionals.append(position)
            position += 1
            if text_at(tokens, position) == "(":
                close = closing(tokens, position)
                if close is None:
                    return len(tokens) - 1, position
                position = close + 1
            continue
        if word in ("else", "do"):
            if word == "do":
                conditionals.append(position)
            position += 1
            continue
        last, unclosed = _simple_end(tokens, position)
        if unclosed is not None:
            return last, unclosed
        next_position = _resume(tokens, last, conditionals)
        if next_position is None:
            return last, None
        position = next_position
    return len(tokens) - 1, None


def _resume(tokens: Sequence[Token], last: int, conditionals: list[int]) -> int | None:
    """Return where a statement continues after a body that ended at ``last``, or None where it is complete."""
    while conditionals:
        opener = tokens[conditionals[-1]].text
        following = text_at(tokens, last + 1)
        conditionals.pop()
        if opener == "if" and following == "else":
            return last + 1
        if opener == "do" and following == "while":
            return last + 2
    return None


def _simple_end(tokens: Sequence[Token], position: int) -> tuple[int, int | None]:
    """End of a block, a declaration, a function or an expression statement."""
    start = position
    assigned = initialised = False
    while position < len(tokens):
        word = tokens[position].text
        if word == ";":
            body = _old_style_body(tokens, start, position)
            if body is None:
                return position, None
            position = body
            continue
        if word == "=":
            assigned = True
        if word == ":" and position > start and tokens[position - 1].text in _BEFORE_INITIALISERS:
            initialised = True
        if word in _CLOSING:
            close = closing(tokens, position)
            if close is None:
                return len(tokens) - 1, position
            if word == "{" and initialised and tokens[position - 1].kind is TokenKind.NAME:
                pass  # of a member: S(int n) : size{n} { }
            elif word == "{" and not assigned and not _opens_type(tokens, start, position):
                return close, None
            position = close
        elif word in ("}", ")", "]"):
            return max(position - 1, start), None
        position += 1
    return len(tokens) - 1, None


def _old_style_body(tokens: Sequence[Token], start: int, semicolon: int) -> int | None:
    """Return the index of the brace that opens a function in the old style: ``f(a, n) double *a; int n; {``."""
    opening = next((index for index in range(start, semicolon) if tokens[index].text == "("), semicolon)
    close = next((index for index in range(opening, semicolon) if tokens[index].text == ")"), semicolon)
    names = tokens[opening + 1 : close]
    if start == opening or not names or tokens[start].text in CONTROL or close + 1 >= semicolon:
        return None
    if not all(
        _is_plain_name(token) if position % 2 == 0 else token.text == "," for position, token in enumerate(names)
    ):
        return None
    for index in range(close + 1, len(tokens)):
        word = tokens[index].text
        if word == "{":
            return index if tokens[index - 1].text == ";" else None
        if word in ("}", "=") or (word == "(" and text_at(tokens, index + 1) != "*" and tokens[index - 1].text != ")"):
            return None
    return None


def _is_plain_name(token: Token) -> bool:
    return token.kind is TokenKind.NAME and token.text not in TYPE_WORDS


def _opens_type(tokens: Sequence[Token], start: int, brace: int) -> bool:
    """Return True where the brace opens the members of a struct, union or enum."""
    before = brace - 1
    while before >= start and tokens[before].kind is TokenKind.NAME:
        if tokens[before].text in _AGGREGATES:
            return True
        before -= 1
    return False


def closing(tokens: Sequence[Token], position: int) -> int | None:
    """Return the index of the bracket that closes the one at ``position``, None where nothing does."""
    open_brackets: list[str] = []
    for index in range(position, len(tokens)):
        word = tokens[index].text
        if word in _CLOSING:
            open_brackets.append(_CLOSING[word])
        elif word in (")", "]", "}"):
            if word == "}":
                while open_brackets and open_brackets[-1] != "}":  # a forgotten parenthesis: the brace still closes
                    open_brackets.pop()
                if not open_brackets:
                    return None
            if open_brackets and open_brackets[-1] == word:
                open_brackets.pop()
            if not open_brackets:
                return index
    return None


def _next_start(tokens: Sequence[Token], item: int, unclosed: int, type_names: Collection[str]) -> int:
    """Return the index of the next token that starts anew at the left margin after a bracket that nothing closes.

    A function does; after a bare statement so does another one.
    """
    bare = tokens[item].text in CONTROL
    for index in range(unclosed + 1, len(tokens)):
        token = tokens[index]
        if token.column != 1 or token.kind is not TokenKind.NAME:
            continue
        if token.text in CONTROL:
            if bare and token.text in _STARTS:
                return index
            continue
        last, open_again = statement_end(tokens, index)
        if open_again is None and _kind(tokens, index, last, type_names) is ItemKind.FUNCTION:
            return index
    return len(tokens)


def _kind(tokens: Sequence[Token], first: int, last: int, type_names: Collection[str]) -> ItemKind:
    word = tokens[first].text
    if word in CONTROL or word in ("{", ";") or tokens[first].kind is not TokenKind.NAME:
        return ItemKind.STATEMENT
    if tokens[last].text == "}" and any(token.text == "(" for token in tokens[first:last]):
        return ItemKind.FUNCTION
    if word in TYPE_WORDS or word in type_names:
        return ItemKind.DECLARATION
    return ItemKind.STATEMENT
