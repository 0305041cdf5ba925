"""What a source uses and nothing that it includes declares: looked for, else guessed, and read again.

In this order; what is guessed is kept where clang then finds fewer errors:

1. names of the standard libraries, whose headers other libraries' headers include (``declared_names.toml``);
2. headers of the project in folders that no ``-I`` names, and those that a build makes of templates;
3. a macro that a build must choose, for want of which an ``#error`` stands, or a header declares a name under a
   condition alone (:mod:`.configurations`);
4. unknown types and macros, which a header that is not here declares: a scalar type by its name, a macro in front of a
   declaration or a statement as empty, one in an expression as an integer constant, a function of C++ as one without a
   body (:mod:`.guesses`).

Everything of 2 to 4 is reported.
"""

from __future__ import annotations

import os
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from ....diagnostics import Diagnostic
from ....source import Language, SourceFile, language_of
from ...options import ParseOptions, Supplied
from ...text.includes import folders_of, nearby, reached_from, texts_of
from ..kinds import CursorKind
from ..unit import Message, TranslationUnit
from .configurations import chosen_by, declaring
from .guesses import guesses, hints, keyword_of_c
from .readings import MISSING_HEADER, UNDECLARED, Change, Read, errors_of, span_of
from .templates_of_headers import made_header

Parse = Callable[[ParseOptions], tuple[TranslationUnit, list[Diagnostic], list[Message], frozenset[str]]]

_MOST_ROUNDS = 6
_MOST_CHOICES = 4
_FUNCTIONS = (CursorKind.FUNCTION_DECL, CursorKind.FUNCTION_TEMPLATE)


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
    for find in (_our_headers, keyword_of_c, _conditions, hints, guesses):
        read = _with_changes(parse, read, source, find)
    return read


def _with_changes(
    parse: Parse, read: Read, source: SourceFile, find: Callable[[Read, SourceFile], Change | None]
) -> Read:
    """Read again with what is found, as long as something is and it helps."""
    for _ in range(_MOST_ROUNDS):
        change = find(read, source)
        if change is None:
            break
        again = _changed(parse, read, change)
        if not _is_better(find, again, read):
            break
        read = again
    return read


def _is_better(find: Callable[[Read, SourceFile], Change | None], again: Read, read: Read) -> bool:
    """Return whether a change helps: a header that is there is no guess, and behind a hint there may be more errors."""
    if find is not hints:
        return find is _folders_near or again.errors < read.errors
    before, after = (next((each.position for each in errors_of(found)), None) for found in (read, again))
    if before is None or after is None or before.path != after.path:
        return again.errors < read.errors
    return after.line > before.line


def _changed(parse: Parse, read: Read, change: Change) -> Read:
    chosen = replace(read.options, missing=change.supplied)
    return Read(chosen, *parse(chosen), (*read.guesses, *change.guesses))


def _choices(read: Read) -> list[tuple[str, ...]]:
    """Return the macros of which a build chooses one, by the ``#error`` that stands without."""
    found: dict[tuple[str, ...], None] = {}
    for message in errors_of(read):
        names = choices_at(read.unit, message)
        if names:
            found[names[:_MOST_CHOICES]] = None
    return list(found)


def _with_choice(parse: Parse, read: Read, source: SourceFile, names: tuple[str, ...]) -> Read:
    """Define the one of these macros with which clang finds the fewest errors, where there are fewer.

    Of several in a file that is not of CUDA it is the first that makes a program of the host.
    """
    standing = next((item for item in errors_of(read) if choices_at(read.unit, item)[:_MOST_CHOICES] == names), None)
    if standing is None:  # an earlier choice settles it
        return read
    known, tried = read.options.missing, [read]
    for name in names:
        others = ", ".join(other for other in names if other != name)
        form = "choice" if others else "needed"
        note = Diagnostic.of("AI003", span_of(standing, source), form, name=name, others=others, error=standing.text)
        defined = replace(known, declarations=f"#define {name} 1\n{known.declarations}")
        tried.append(_changed(parse, read, Change(defined, (note,))))
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


def _our_headers(read: Read, source: SourceFile) -> Change | None:
    """Find headers of ours that declare what clang does not know."""
    if read.options.system_headers:
        return None
    headers = _declared_in("c" if source.language is Language.C else "cxx")
    found: dict[str, None] = {}
    for match in filter(None, (UNDECLARED.search(message.text) for message in errors_of(read))):
        header = match["header"] or headers.get(match["name"])
        if header is not None:
            found[header] = None
    known = read.options.missing
    more = [header for header in found if header not in known.headers]
    return Change(replace(known, headers=(*known.headers, *more))) if more else None


@cache
def _declared_in(language: str) -> Mapping[str, str]:
    """Return the header of each name."""
    text = (Path(__file__).parents[2] / "declared_names.toml").read_text("utf-8")
    return {name: header for header, names in tomllib.loads(text)[language].items() for name in names.split()}


def _folders_near(read: Read, source: SourceFile) -> Change | None:
    """Find headers that clang did not find in folders of the project that no option names."""
    known = read.options.missing
    folders: dict[str, None] = {}
    guesses: list[Diagnostic] = []
    for message in read.messages:
        missing = MISSING_HEADER.search(message.text)
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
            guesses.append(Diagnostic.of("AI002", span_of(message, source), "near", name=name, folder=folder))
    if not folders:
        return None
    return Change(replace(known, folders=(*known.folders, *folders)), tuple(guesses))


def _templates(read: Read, source: SourceFile) -> Change | None:
    """Find templates of headers that a build makes."""
    known = read.options.missing
    texts, folders, guesses = dict(known.texts), dict.fromkeys(known.folders), []
    for message in read.messages:
        missing = MISSING_HEADER.search(message.text)
        if missing is None or not message.position.path:
            continue
        name = missing["name"]
        made = made_header(name, str(Path(message.position.path).parent), read.options)
        if made is not None and made[0] not in texts:
            texts[made[0]] = made[1]
            folders[made[0][: -len(name)].rstrip("/") or "/"] = None
            guesses.append(Diagnostic.of("AI002", span_of(message, source), "template", name=name))
    if not guesses:
        return None
    return Change(replace(known, texts=tuple(texts.items()), folders=tuple(folders)), tuple(guesses))


def _conditions(read: Read, source: SourceFile) -> Change | None:
    """Define the macro under which files of the project declare most of the names that are not declared."""
    names: dict[str, Message] = {}
    for message in errors_of(read):
        found = UNDECLARED.search(message.text)
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
    note = Diagnostic.of("AI003", span_of(names[name], source), "declares", name=macro, declared=name)
    return Change(replace(known, declarations=f"#define {macro} 1\n{known.declarations}"), (note,))


def _texts(read: Read, source: SourceFile) -> Iterator[str]:
    """Yield the texts of a file and of the headers that it can reach."""
    yield source.text
    options = read.options
    folders = (*options.include_dirs, *options.missing.folders)
    yield from filter(None, texts_of(reached_from(source, folders_of(options.compile_args, folders, os.environ))))
