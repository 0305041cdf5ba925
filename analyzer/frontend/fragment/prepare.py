"""Dialects to plain C99: preprocessed text to text that a C99 parser reads, and the type names it must know.

Attributes, qualifiers of compilers and inline assembly are replaced; the few C++ spellings that occur in snippets
(``std::sqrt``, ``auto``, ``static_cast<T>(x)``, ``constexpr``) are respelled.  Line numbers stay, columns may move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from ..text.items import CONTROL, TYPE_WORDS, closing
from ..text.lexical import Token, TokenKind, text_at, tokens_of
from .type_names import is_known_type, may_be_variable

ASM_CALL = "__inline_assembly__"
AUTO_TYPE = "__auto_type_of_initial__"

_DROPPED = frozenset({"__extension__", "__thread", "thread_local", "__forceinline", "__signed", "__w64"})
_DROPPED_CALLS = frozenset({"__attribute__", "__attribute", "__declspec", "alignas", "_Alignas", "__aligned"})
_RESPELLED = {
    "__restrict__": "restrict",
    "__restrict": "restrict",
    "RESTRICT": "restrict",
    "__inline__": "inline",
    "__inline": "inline",
    "__const": "const",
    "__const__": "const",
    "__volatile__": "volatile",
    "__volatile": "volatile",
    "__signed__": "signed",
    "__complex__": "_Complex",
    "constexpr": "const",
    "consteval": "const",
    "nullptr": "0",
    "auto": AUTO_TYPE,
    "__auto_type": AUTO_TYPE,
}
_ASM = frozenset({"asm", "__asm__", "__asm"})
_CUDA_WORDS = frozenset({"__global__", "__device__", "__host__", "__shared__", "__constant__", "__managed__"})
_WORDS = (
    TYPE_WORDS
    | CONTROL
    | _CUDA_WORDS
    | {"template", "class", "namespace", "using", "public", "private"}
    | {"sizeof", "default", "_Generic", "_Alignof", "alignof", "typeof"}
)
_STATEMENT_START = frozenset({"", ";", "{", "}", ":"})
_QUALIFIERS = frozenset({"const", "volatile", "restrict", "static", "extern", "inline", "register", "typedef"})
_FLOATS = frozenset({"float", "double", "long"})
_AFTER_DECLARATOR = frozenset({";", "=", ",", "[", ")"})


class Prepared(Struct, frozen=True):
    """Text for the parser, its tokens, and the names of types in it that C does not know (with their first line).

    ``declared`` are the names that a ``typedef`` of the text declares.
    """

    text: str
    tokens: tuple[Token, ...]
    assumed: Mapping[str, int]
    known: frozenset[str]
    declared: frozenset[str]


def prepare(text: str) -> Prepared:
    """Respell dialects and find the names of types."""
    respelled = _respelled(text)
    tokens = tokens_of(respelled)
    declared = _declared_types(tokens)
    used = {token.text for token in tokens if token.kind is TokenKind.NAME}
    known = {name for name in used if is_known_type(name) and not may_be_variable(name)} - declared
    known |= used & {AUTO_TYPE}
    assumed: dict[str, int] = {}
    decorations: set[int] = set()
    for index, token in enumerate(tokens):
        if token.kind is not TokenKind.NAME or token.text in _WORDS or token.text in declared:
            continue
        if _is_decoration(tokens, index):
            decorations.add(index)
        elif token.text not in known and _names_type(tokens, index, frozenset(known | declared | assumed.keys())):
            if is_known_type(token.text):
                known.add(token.text)
            else:
                assumed.setdefault(token.text, token.line)
    if decorations:
        respelled = _edited(respelled, tokens, dict.fromkeys(decorations, ""))
        tokens = tokens_of(respelled)
    return Prepared(respelled, tokens, assumed, frozenset(known), declared)


def _respelled(text: str) -> str:
    tokens = tokens_of(text)
    edits: dict[int, str] = {}
    index = 0
    while index < len(tokens):
        word = tokens[index].text
        if word in _DROPPED_CALLS:
            index = _drop_group(tokens, index, edits)
        elif word in _ASM:
            statement = index == 0 or tokens[index - 1].text in ("{", "}", ";", ")", ":", "else", "do")
            if statement and index and tokens[index - 1].text == ")" and _follows_declarator(tokens, index):
                statement = False
            end = _drop_group(tokens, index, edits)
            if statement:
                edits[index] = f"{ASM_CALL}()"
            index = end
        elif word in _DROPPED:
            edits[index] = ""
        elif word in _RESPELLED:
            edits[index] = _RESPELLED[word]
        elif word == "complex" and {text_at(tokens, index - 1), text_at(tokens, index + 1)} & _FLOATS:
            edits[index] = "_Complex"
        elif word == "std" and text_at(tokens, index + 1) == "::":
            edits[index] = edits[index + 1] = ""
        elif word == "static_cast" and text_at(tokens, index + 1) == "<":
            _respell_cast(tokens, index, edits)
        elif word == "[" and text_at(tokens, index + 1) == "[" and tokens[index + 1].start == tokens[index].start + 1:
            index = _drop_group(tokens, index - 1, edits, keep_first=True)
        index += 1
    return _edited(text, tokens, edits) if edits else text


def _respell_cast(tokens: Sequence[Token], index: int, edits: dict[int, str]) -> None:
    """Respell ``static_cast<T>(x)`` as ``(T)(x)``."""
    for end in range(index + 2, min(index + 12, len(tokens))):
        if tokens[end].text == ">" and text_at(tokens, end + 1) == "(":
            edits[index] = ""
            edits[index + 1] = "("
            edits[end] = ")"
            return


def _drop_group(tokens: Sequence[Token], index: int, edits: dict[int, str], *, keep_first: bool = False) -> int:
    """Drop the word at ``index`` and the bracketed group after it; give the index of the group's last token."""
    if not keep_first:
        edits[index] = ""
    position = index + 1
    while not keep_first and text_at(tokens, position) in ("volatile", "__volatile__", "goto", "inline", "const"):
        edits[position] = ""
        position += 1
    if text_at(tokens, position) not in ("(", "["):
        return position - 1
    close = closing(tokens, position)
    last = len(tokens) - 1 if close is None else close
    edits.update(dict.fromkeys(range(position, last + 1), ""))
    return last


def _follows_declarator(tokens: Sequence[Token], index: int) -> bool:
    """Return True for ``int f(int) asm("name")``: the text before the parenthesis starts with a type."""
    start = index
    while start > 0 and tokens[start - 1].text not in (";", "{", "}"):
        start -= 1
    return tokens[start].text in TYPE_WORDS


def _edited(text: str, tokens: Sequence[Token], edits: Mapping[int, str]) -> str:
    parts: list[str] = []
    position = 0
    for index, replacement in sorted(edits.items()):
        token = tokens[index]
        parts += [text[position : token.start], replacement.ljust(len(token.text))]
        position = token.end
    parts.append(text[position:])
    return "".join(parts)


# --- names of types ------------------------------------------------------------------------------------------------


def _declared_types(tokens: Sequence[Token]) -> frozenset[str]:
    """Return the names that the text's own typedefs declare."""
    names: set[str] = set()
    for index, token in enumerate(tokens):
        if token.text != "typedef":
            continue
        depth = 0
        for position in range(index + 1, len(tokens)):
            word = tokens[position].text
            if word in ("{", "("):
                depth += 1
                if word == "(" and depth == 1 and text_at(tokens, position + 1) == "*":
                    names.add(text_at(tokens, position + 2))  # a pointer to a function or an array
            elif word in ("}", ")"):
                depth -= 1
            elif depth == 0 and word in (";", ",", "["):
                before = tokens[position - 1]
                if before.kind is TokenKind.NAME and before.text not in TYPE_WORDS:
                    names.add(before.text)
                if word == ";":
                    break
    return frozenset(name for name in names if name.isidentifier())


def _is_decoration(tokens: Sequence[Token], index: int) -> bool:
    """Return True for a macro that decorates a declaration (``API static void f()``): C has no name before a type."""
    following = text_at(tokens, index + 1)
    return (
        text_at(tokens, index - 1) in _STATEMENT_START
        and following in TYPE_WORDS
        and following not in ("const", "volatile", "restrict")
    )


def _names_type(tokens: Sequence[Token], index: int, types: frozenset[str]) -> bool:
    """Return True for a name at a position where only a type can stand."""
    before, after = text_at(tokens, index - 1), text_at(tokens, index + 1)
    if before in (".", "->", "struct", "union", "enum", "goto"):
        return False
    heads = before in _STATEMENT_START or before in ("(", ",") or before in _QUALIFIERS
    next_is_name = index + 1 < len(tokens) and tokens[index + 1].kind is TokenKind.NAME
    if heads and next_is_name and (after not in TYPE_WORDS or after in ("restrict", "const", "volatile")):
        return before != ":" and after not in ("else", "while")
    if after == "*" and (before in _QUALIFIERS or _declares_pointer(tokens, index, types)):
        return True
    return before == "(" and _is_cast(tokens, index)


def _declares_pointer(tokens: Sequence[Token], index: int, types: frozenset[str]) -> bool:
    """Return True for ``real *p;`` at the start of a statement, or ``real *p`` among parameters."""
    position = index + 1
    while text_at(tokens, position) in ("*", "const", "restrict", "volatile"):
        position += 1
    if position >= len(tokens) or tokens[position].kind is not TokenKind.NAME:
        return False
    if text_at(tokens, position + 1) not in _AFTER_DECLARATOR:
        return False
    before = text_at(tokens, index - 1)
    if before in _STATEMENT_START:
        return text_at(tokens, position + 1) != ")"
    return before in ("(", ",") and _in_parameters(tokens, index, types)


def _in_parameters(tokens: Sequence[Token], index: int, types: frozenset[str]) -> bool:
    """Return True inside the parentheses of ``type name(...)`` at the top level."""
    depth = 0
    position = index - 1
    while position >= 0 and tokens[position].text not in (";", "{", "}"):
        depth += (tokens[position].text == ")") - (tokens[position].text == "(")
        position -= 1
    if depth != -1 or position + 2 >= index:
        return False
    first, second = tokens[position + 1], tokens[position + 2]
    typed = first.text in TYPE_WORDS or first.text in types
    return typed or (first.kind is TokenKind.NAME and second.kind is TokenKind.NAME)


def _is_cast(tokens: Sequence[Token], index: int) -> bool:
    """Return True for ``(real)x``, ``(real *)p`` or ``(real (*)[n])p``."""
    opener = tokens[index - 2] if index >= 2 else None
    if opener is not None and (
        (opener.kind is TokenKind.NAME and opener.text not in ("return", "sizeof")) or opener.text in (")", "]")
    ):
        return False
    position = index + 1
    while text_at(tokens, position) in ("*", "const", "restrict", "volatile"):
        position += 1
    if text_at(tokens, position) == "(" and text_at(tokens, position + 1) == "*":
        return text_at(tokens, position + 2) == ")" and text_at(tokens, position + 3) == "["
    if text_at(tokens, position) != ")" or position + 1 >= len(tokens):
        return False
    if position > index + 1:
        return True
    return tokens[position + 1].kind in (TokenKind.NAME, TokenKind.NUMBER)
