"""Guesses for names that no header at hand declares: types, constants, functions, and macros that stand for nothing."""

from __future__ import annotations

from msgspec.structs import replace

from ....diagnostics import Diagnostic
from ....ir.types import ScalarType
from ....python.regex import regex
from ....source import Language, SourceFile
from ..unit import Message
from .readings import MISSING_HEADER, UNDECLARED, Change, Read, errors_of, span_of

_TYPE = regex(r"unknown type name '(?P<name>\w+)'")
_VALUE = regex(r"use of undeclared identifier '(?P<name>\w+)'")
_CONSTANT = regex(r"[A-Z][A-Z0-9_]*")
_CONSTANT_OF = "extern const long "
_WORD = regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_AFTER = regex(r"\s*(?P<sign>::|[A-Za-z_]\w*|.)?\s*(?P<next>[A-Za-z_]\w*)?")
_SPECIFIER = regex(
    r"void|int|long|short|char|float|double|unsigned|signed|bool|const|static|inline|extern|struct|enum|union|class"
    r"|virtual|template|typename|constexpr|explicit|friend|auto|volatile"
)
_ARGUMENT = regex(r"(?:\w\s*<(?:[\w:\s]+,)*|\bsizeof\s*\()\s*$")  # of a template, of which a value is one rarely
_QUALIFIED = regex(r"\w\s*\*\s*(?:const\s+)?(?P<name>[A-Z][A-Z0-9_]+)\s+[A-Za-z_]")
_HINT = regex(
    rb"[ \t]*(?P<name>[A-Z][A-Z0-9_]*)[ \t]*(?P<arguments>\((?:[^();{}]|\([^();{}]*\))*\))?"
    rb"\s*(?:for|while|do|if|switch)\b"
)
_TRUTH = regex(r"bool|boolean|flag")
_INTEGER = regex(
    r"int|integer|idx|index|indices|size|len|length|count|num|id|dim|ordinal|lid|gid|offset|long|uint|unsigned|local"
    r"|global|rank|stride|return|status|error|err|device|handle|result|kind|mode|flags|state|comm|request|event|enum"
)
_SINGLE = regex(r"float|single")
_SPELLED = {
    ScalarType.FP32: "float",
    ScalarType.INT32: "int",
    ScalarType.INT64: "long",
    ScalarType.FP80: "long double",
}
_ANY_RESULT = """struct ai_unknown {
  operator double() const;
  template <class T> operator T *() const;
};
"""
_RESTRICT = "#define restrict __restrict\n"
_RESTRICTED = regex(rb"\*\s*restrict\b")


def guesses(read: Read, source: SourceFile) -> Change | None:
    """Guess declarations for the types, macros and functions that nothing declares."""
    known = read.options.missing
    hidden = _missing_headers(read)
    declared: dict[str, tuple[str, Diagnostic]] = {}
    errors = list(errors_of(read))
    types = {found["name"] for message in errors if (found := _TYPE.search(message.text))}
    for message in errors:
        qualifier = _qualifier(read, message)
        if qualifier and qualifier not in declared:
            note = Diagnostic.of("AI003", span_of(message, source), "empty-macro", name=qualifier, headers=hidden)
            declared[qualifier] = (f"#define {qualifier}", note)
        of_type = _TYPE.search(message.text)
        match = of_type or _VALUE.search(message.text)
        if match is None or match["name"] in declared or (of_type is None and match["name"] in types):
            continue
        guess = _guess(read, message, match["name"], of_type is not None, source)
        if guess is not None:
            text, form, fields = guess
            span = span_of(message, source)
            code = "AI301" if form == "type" else "AI003"
            note = Diagnostic.of(code, span, form, name=match["name"], **fields, headers=hidden)
            declared[match["name"]] = (text, note)
    if not declared:
        return None
    once = "" if source.language is Language.C or _ANY_RESULT in known.declarations else _ANY_RESULT
    lines = "".join(f"{text}\n" for text, _ in declared.values())
    more = replace(known, declarations=known.declarations + once + lines)
    return Change(more, tuple(found for _, found in declared.values()))


def _missing_headers(read: Read) -> str:
    headers = {found["name"] for item in read.messages if (found := MISSING_HEADER.search(item.text))}
    return ", ".join(sorted(headers)) or "its header"


def hints(read: Read, source: SourceFile) -> Change | None:
    """Define macros in front of loops and conditions, which stand for pragmas or hints to a compiler, as empty."""
    declared: dict[str, Diagnostic] = {}
    for message in errors_of(read):
        if not (message.text.startswith("expected") or UNDECLARED.search(message.text)):
            continue
        position = message.position
        text = read.unit.contents(position.path).split(b"\n", position.line - 1)[-1]
        found = _HINT.match(text) or _HINT.match(text, position.column - 1)
        if found is not None:
            name = found["name"].decode()
            note = Diagnostic.of(
                "AI003", span_of(message, source), "empty-macro", name=name, headers=_missing_headers(read)
            )
            declared[f"#define {name}{'(...)' if found['arguments'] else ''}\n"] = note
    known = read.options.missing
    new = [line for line in declared if line not in known.declarations]
    if not new:
        return None
    return Change(
        replace(known, declarations="".join((known.declarations, *new))), tuple(declared[line] for line in new)
    )


def keyword_of_c(read: Read, source: SourceFile) -> Change | None:
    """Let ``restrict`` be the keyword in C++ that compilers know as ``__restrict``."""
    known = read.options.missing
    if source.language is Language.C or _RESTRICT in known.declarations or not any(errors_of(read)):
        return None
    paths = {message.position.path for message in errors_of(read)}
    if not any(path and _RESTRICTED.search(read.unit.contents(path)) for path in paths):
        return None
    return Change(replace(known, declarations=known.declarations + _RESTRICT))


def _guess(
    read: Read, message: Message, name: str, is_type: bool, source: SourceFile
) -> tuple[str, str, dict[str, str]] | None:
    """Return a declaration for a name, the sentence that reports it, and the fields of that; None where none helps."""
    before, sign, after = _around(read, message, name)
    is_word = sign[:1].isalpha() or sign[:1] == "_"
    if sign in ("::", "<"):
        return None
    is_type = is_type or bool(
        sign in (",", ">", ")") and source.language is not Language.C and _ARGUMENT.search(before)
    )
    if is_type and is_word and (_SPECIFIER.fullmatch(sign) or after):
        return f"#define {name}", "empty-macro", {}
    if is_type:
        kind = _scalar_named(name, read.options.element_type)
        return f"typedef {kind} {name};", "type", {"type": kind}
    if sign == "(":
        if source.language is Language.C:
            return None
        return f"template <class... A> ai_unknown {name}(A &&...);", "function", {}
    if _CONSTANT.fullmatch(name) and sign not in (".", "[", "-"):
        return f"{_CONSTANT_OF}{name};", "constant", {}
    return None


def guessed_constants(declarations: str) -> tuple[str, ...]:
    """Return the names of the integer constants among guessed declarations."""
    lines = declarations.splitlines()
    return tuple(line.removeprefix(_CONSTANT_OF).rstrip(";") for line in lines if line.startswith(_CONSTANT_OF))


def _qualifier(read: Read, message: Message) -> str:
    """Return the macro that stands for ``restrict`` or the like where clang takes it for the name that is declared."""
    if not message.text.startswith("expected"):
        return ""
    found = _QUALIFIED.search(_line(read, message))
    return "" if found is None else found["name"]


def _line(read: Read, message: Message) -> str:
    """Return the line that a message is about."""
    position = message.position
    line = read.unit.contents(position.path).split(b"\n")[position.line - 1 : position.line]
    return b"".join(line).decode("utf-8", "replace")


def _around(read: Read, message: Message, name: str) -> tuple[str, str, str]:
    """Return the line in front of a name, the token behind it, and the name behind that, where they are names."""
    text = _line(read, message)
    start = text.find(name, max(0, message.position.column - 1))
    match = None if start < 0 else _AFTER.match(text, start + len(name))
    return ("", "", "") if match is None else (text[:start], match["sign"] or "", match["next"] or "")


def _scalar_named(name: str, element: ScalarType) -> str:
    """Return the type that a name suggests.

    >>> _scalar_named("Index_type", ScalarType.FP64), _scalar_named("Real_ptr", ScalarType.FP64)
    ('long', 'double *')
    """
    words = [word.lower() for word in _WORD.findall(name)]
    pointer = " *" if "ptr" in words or "pointer" in words else ""
    for pattern, kind in ((_TRUTH, "int"), (_INTEGER, "long"), (_SINGLE, "float")):
        if any(map(pattern.fullmatch, words)):
            return kind + pointer
    return f"{_SPELLED.get(element, 'double')}{pointer}"
