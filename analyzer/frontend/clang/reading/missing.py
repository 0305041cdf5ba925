"""What a source uses and nothing that it includes declares: looked for, else guessed, and read again.

In this order; what is guessed is kept where clang then finds fewer errors:

1. names of the standard libraries, whose headers other libraries' headers include (``declared_names.toml``);
2. headers of the project in folders that no ``-I`` names, and those that a build makes of templates;
3. a macro that a build must choose, for want of which an ``#error`` stands, or a header declares a name under a
   condition alone (:mod:`.configurations`);
4. unknown types and macros, which a header that is not here declares: a scalar type by its name, a macro in front of a
   declaration as empty, one in an expression as an integer constant, a function of C++ as one without a body.

Everything of 2 to 4 is reported.
"""

from __future__ import annotations

import os
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ....diagnostics import Diagnostic
from ....ir.types import ScalarType
from ....python.regex import regex
from ....source import Language, SourceFile, Span, language_of
from ...options import ParseOptions, Supplied
from ...text.includes import folders_of, nearby, reached_from, texts_of
from ..kinds import CursorKind, Severity
from ..unit import Message, TranslationUnit
from .configurations import chosen_by, declaring
from .templates_of_headers import made_header

Parse = Callable[[ParseOptions], tuple[TranslationUnit, list[Diagnostic], list[Message], frozenset[str]]]

_MOST_ROUNDS = 6
_MOST_CHOICES = 4
_FUNCTIONS = (CursorKind.FUNCTION_DECL, CursorKind.FUNCTION_TEMPLATE)
_MISSING_HEADER = regex(r"'(?P<name>.+)' file not found")
_UNDECLARED = regex(
    r"(?:undeclared identifier|unknown type name|no type named|no member named|no template named|undeclared function"
    r"|undefined template|incomplete type) '(?:::)?(?:std::)?(?P<name>\w+)|include <(?P<header>\w+)>"
)
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


class Read(Struct, frozen=True):
    """A parse: the options that gave it, and what was found or guessed for it."""

    options: ParseOptions
    unit: TranslationUnit
    refused: list[Diagnostic]
    messages: list[Message]
    macros: frozenset[str]
    guesses: tuple[Diagnostic, ...] = ()

    @property
    def errors(self) -> int:
        """Return how many errors clang found."""
        return sum(message.severity >= Severity.ERROR for message in self.messages)


class _Change(Struct, frozen=True):
    """What to add to the options, and what to report of it."""

    supplied: Supplied
    guesses: tuple[Diagnostic, ...] = ()


def read_with_missing(parse: Parse, options: ParseOptions, source: SourceFile) -> Read:
    """Parse; where names or headers are missing, parse again with what declares them, or with guesses.

    What another file of the program lacked is kept where with it nothing is missing.
    """
    read = Read(options, *parse(options))
    if options.missing != Supplied():
        if not read.errors:
            return read
        options = replace(options, missing=Supplied())
        read = Read(options, *parse(options))
    for find in (_our_headers, _folders_near, _templates):
        read = _with_changes(parse, read, source, find)
    for names in _choices(read):
        read = _with_choice(parse, read, source, names)
    for find in (_our_headers, _keyword_of_c, _conditions, _guesses):
        read = _with_changes(parse, read, source, find)
    return read


def _with_changes(
    parse: Parse, read: Read, source: SourceFile, find: Callable[[Read, SourceFile], _Change | None]
) -> Read:
    """Read again with what is found, as long as something is and it helps."""
    for _ in range(_MOST_ROUNDS):
        change = find(read, source)
        if change is None:
            break
        again = _changed(parse, read, change)
        if again.errors >= read.errors and find is not _folders_near:  # a header that is there is no guess
            break
        read = again
    return read


def _changed(parse: Parse, read: Read, change: _Change) -> Read:
    chosen = replace(read.options, missing=change.supplied)
    return Read(chosen, *parse(chosen), (*read.guesses, *change.guesses))


def _choices(read: Read) -> list[tuple[str, ...]]:
    """Return the macros of which a build chooses one, by the ``#error`` that stands without."""
    found: dict[tuple[str, ...], None] = {}
    for message in _errors(read):
        names = choices_at(read.unit, message)
        if names:
            found[names[:_MOST_CHOICES]] = None
    return list(found)


def _with_choice(parse: Parse, read: Read, source: SourceFile, names: tuple[str, ...]) -> Read:
    """Define the one of these macros with which clang finds the fewest errors, where there are fewer.

    Of several in a file that is not of CUDA it is the first that makes a program of the host.
    """
    standing = next((item for item in _errors(read) if choices_at(read.unit, item)[:_MOST_CHOICES] == names), None)
    if standing is None:  # an earlier choice settles it
        return read
    known, tried = read.options.missing, [read]
    for name in names:
        others = ", ".join(other for other in names if other != name)
        form = "choice" if others else "needed"
        note = Diagnostic.of("AI003", _span_of(standing, source), form, name=name, others=others, error=standing.text)
        defined = replace(known, declarations=f"#define {name} 1\n{known.declarations}")
        tried.append(_changed(parse, read, _Change(defined, (note,))))
    return min(
        tried, key=lambda each: (each.errors, language_of(source.path) is not Language.CUDA and _has_kernels(each.unit))
    )


def _has_kernels(unit: TranslationUnit) -> bool:
    """Return whether a file that clang read has functions for a GPU, outside of namespaces."""
    functions = (each for each in unit.top_level if each.kind in _FUNCTIONS)
    return any(child.kind == CursorKind.CUDA_GLOBAL_ATTR for each in functions for child in unit.children(each))


def choices_at(unit: TranslationUnit, message: Message) -> tuple[str, ...]:
    """Return the macros for want of which an ``#error`` stands; none for other messages."""
    path = message.position.path
    return chosen_by(unit.contents(path).decode("utf-8", "replace"), message.position.line) if path else ()


def _errors(read: Read) -> Iterator[Message]:
    return (message for message in read.messages if message.severity >= Severity.ERROR)


def _our_headers(read: Read, source: SourceFile) -> _Change | None:
    """Find headers of ours that declare what clang does not know."""
    if read.options.system_headers:
        return None
    headers = _declared_in("c" if source.language is Language.C else "cxx")
    found: dict[str, None] = {}
    for match in filter(None, (_UNDECLARED.search(message.text) for message in _errors(read))):
        header = match["header"] or headers.get(match["name"])
        if header is not None:
            found[header] = None
    known = read.options.missing
    more = [header for header in found if header not in known.headers]
    return _Change(replace(known, headers=(*known.headers, *more))) if more else None


@cache
def _declared_in(language: str) -> Mapping[str, str]:
    """Return the header of each name."""
    text = (Path(__file__).parents[2] / "declared_names.toml").read_text("utf-8")
    return {name: header for header, names in tomllib.loads(text)[language].items() for name in names.split()}


def _folders_near(read: Read, source: SourceFile) -> _Change | None:
    """Find headers that clang did not find in folders of the project that no option names."""
    known = read.options.missing
    folders: dict[str, None] = {}
    guesses: list[Diagnostic] = []
    for message in read.messages:
        missing = _MISSING_HEADER.search(message.text)
        if missing is None or not message.position.path:
            continue
        name = missing["name"]
        near = (nearby(name, str(Path(each).parent)) for each in (message.position.path, source.path))
        path = next((found for found in near if found is not None), None)
        if path is None or not path.endswith(name):
            continue
        folder = path[: -len(name)].rstrip("/") or "/"
        if folder not in known.folders:
            folders[folder] = None
            guesses.append(Diagnostic.of("AI002", _span_of(message, source), "near", name=name, folder=folder))
    if not folders:
        return None
    return _Change(replace(known, folders=(*known.folders, *folders)), tuple(guesses))


def _templates(read: Read, source: SourceFile) -> _Change | None:
    """Find templates of headers that a build makes."""
    known = read.options.missing
    texts, folders, guesses = dict(known.texts), dict.fromkeys(known.folders), []
    for message in read.messages:
        missing = _MISSING_HEADER.search(message.text)
        if missing is None or not message.position.path:
            continue
        name = missing["name"]
        made = made_header(name, str(Path(message.position.path).parent), read.options)
        if made is not None and made[0] not in texts:
            texts[made[0]] = made[1]
            folders[made[0][: -len(name)].rstrip("/") or "/"] = None
            guesses.append(Diagnostic.of("AI002", _span_of(message, source), "template", name=name))
    if not guesses:
        return None
    return _Change(replace(known, texts=tuple(texts.items()), folders=tuple(folders)), tuple(guesses))


def _guesses(read: Read, source: SourceFile) -> _Change | None:
    """Guess declarations for the types, macros and functions that nothing declares."""
    known = read.options.missing
    headers = {found["name"] for item in read.messages if (found := _MISSING_HEADER.search(item.text))}
    hidden = ", ".join(sorted(headers)) or "its header"
    declared: dict[str, tuple[str, Diagnostic]] = {}
    errors = list(_errors(read))
    types = {found["name"] for message in errors if (found := _TYPE.search(message.text))}
    for message in errors:
        qualifier = _qualifier(read, message)
        if qualifier and qualifier not in declared:
            note = Diagnostic.of("AI003", _span_of(message, source), "empty-macro", name=qualifier, headers=hidden)
            declared[qualifier] = (f"#define {qualifier}", note)
        of_type = _TYPE.search(message.text)
        match = of_type or _VALUE.search(message.text)
        if match is None or match["name"] in declared or (of_type is None and match["name"] in types):
            continue
        guess = _guess(read, message, match["name"], of_type is not None, source)
        if guess is not None:
            text, form, fields = guess
            span = _span_of(message, source)
            code = "AI301" if form == "type" else "AI003"
            note = Diagnostic.of(code, span, form, name=match["name"], **fields, headers=hidden)
            declared[match["name"]] = (text, note)
    if not declared:
        return None
    once = "" if source.language is Language.C or _ANY_RESULT in known.declarations else _ANY_RESULT
    lines = "".join(f"{text}\n" for text, _ in declared.values())
    more = replace(known, declarations=known.declarations + once + lines)
    return _Change(more, tuple(found for _, found in declared.values()))


def _conditions(read: Read, source: SourceFile) -> _Change | None:
    """Define the macro under which files of the project declare most of the names that are not declared."""
    names: dict[str, Message] = {}
    for message in _errors(read):
        found = _UNDECLARED.search(message.text)
        if found is not None and found["name"]:
            names.setdefault(found["name"], message)
    known, votes = read.options.missing, Counter[str]()
    declared: dict[str, str] = {}
    if not names or read.options.confine:
        return None
    for text in _texts(read, source):
        for name, macro in dict.fromkeys(declaring(text, names.keys())):
            votes[macro] += 1
            declared.setdefault(macro, name)
    taken = [macro for macro, _ in votes.most_common() if f"#define {macro} 1\n" not in known.declarations]
    if not taken:
        return None
    macro, name = taken[0], declared[taken[0]]
    note = Diagnostic.of("AI003", _span_of(names[name], source), "declares", name=macro, declared=name)
    return _Change(replace(known, declarations=f"#define {macro} 1\n{known.declarations}"), (note,))


def _texts(read: Read, source: SourceFile) -> Iterator[str]:
    """Yield the texts of a file and of the headers that it can reach."""
    yield source.text
    options = read.options
    folders = (*options.include_dirs, *options.missing.folders)
    yield from filter(None, texts_of(reached_from(source, folders_of(options.compile_args, folders, os.environ))))


def _keyword_of_c(read: Read, source: SourceFile) -> _Change | None:
    """Let ``restrict`` be the keyword in C++ that compilers know as ``__restrict``."""
    known = read.options.missing
    if source.language is Language.C or _RESTRICT in known.declarations or not any(_errors(read)):
        return None
    paths = {message.position.path for message in _errors(read)}
    if not any(path and _RESTRICTED.search(read.unit.contents(path)) for path in paths):
        return None
    return _Change(replace(known, declarations=known.declarations + _RESTRICT))


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


def _span_of(message: Message, source: SourceFile) -> Span:
    path = message.position.path
    line = message.position.line + (source.first_line - 1 if path == source.path else 0)
    return Span(path, line, line, message.position.column)
