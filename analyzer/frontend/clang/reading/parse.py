"""Whole C and C++ files, unmodified: source text -> surface tree, by libclang.

Parses against our own declarations of the standard library (``headers/``) unless the options ask for the machine's.
What is no plain file is never read, and with ``confine`` nothing outside its folders exists (:mod:`...confinement`).
Parsing goes on past every error; a function with an error inside is left out, the others are whole.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from ....diagnostics import Diagnostic
from ....python.regex import regex
from ....source import Language, SourceFile, Span
from ...options import Parsed, ParseOptions, Supplied
from ...surface.nodes import Function, FunctionKind, Unit
from ..cplusplus.ranges.range_loops import Wanted, written_out
from ..cplusplus.template_values import with_choices
from ..cplusplus.templates import MEMBERS, POINTERS
from ..kinds import Severity
from ..translation_unit import lower
from ..unit import Message, Position, TranslationUnit
from . import intrinsics
from .confined_files import SUPPLIED, guarded_unit, missing_header
from .defines import parse_with_values
from .guesses import guessed_constants
from .instances import (
    WITHOUT_ACCESS_CONTROL,
    bases_of_instances,
    constructors_of_instances,
    destructors_of_instances,
    members_of_instances,
    members_of_ranges,
    methods_of_instances,
    with_instances,
    without_final,
)
from .missing import choices_at, read_with_missing
from .modules import without_modules

_HEADERS = Path(__file__).parents[2] / "headers"
_LANGUAGES = {Language.C: "c", Language.CXX: "c++", Language.CUDA: "cuda"}
_STANDARDS = {Language.C: "gnu17", Language.CXX: "gnu++20", Language.CUDA: "gnu++17"}
_BEFORE_17 = frozenset({"98", "03", "0x", "11", "1y", "14"})
_TARGET = "--target=x86_64-unknown-linux-gnu"  # the same sizes on every host
_OPENMP = ("-fopenmp", "-qopenmp", "-fiopenmp", "-mp")
_CUDA = (
    "--cuda-device-only",  # one pass; the host code is in its tree too
    "--cuda-gpu-arch=sm_80",
    "--no-cuda-version-check",
    "-nocudalib",
    "-nocudainc",
    *("-Xclang", "-include", "-Xclang", str(_HEADERS / "cuda" / "ai_prelude.h")),
)
_NVCC = ("-D__CUDACC__=1", "-D__NVCC__=1")
_COMMON = (
    "-ferror-limit=0",
    "-fbracket-depth=4096",
    "-Wno-everything",  # also what clang makes an error and other compilers accept
    "-Wimplicit-function-declaration",
    "-Wno-error=implicit-function-declaration",
)
_MOST_NAMES = 5
_MISSING_HEADER = regex(r"'(?P<name>.+)' file not found")
_UNKNOWN_NAME = regex(
    r"(?:undeclared identifier|unknown type name|no type named|no member named"
    r"|no template named|undeclared function) '(?P<name>[^']+)'"
)

_NO_FINDINGS = (POINTERS, MEMBERS, "an attribute list cannot appear here")
"""Texts of messages about what was added, and about ``__shared__ alignas(16)``, which nvcc takes and clang reads."""
_UNDECLARED = regex(r"(?:call to undeclared|implicit declaration of) function '(?P<name>[^']+)'")


def parse_clang(source: SourceFile, options: ParseOptions) -> Parsed:
    """Read one file; ``SourceError`` where libclang is missing or gives no tree."""
    text, missing = _readable(source)
    read = read_with_missing(lambda chosen: _parsed(source, text, chosen), options, source)
    options, unit, refused, messages, macros = read.options, read.unit, read.refused, read.messages, read.macros
    added = members_of_instances(unit) if source.language is not Language.C else ""
    if added:
        unit, refused, messages, macros = _parsed(source, text + added, options)
    undeclared = _found(_UNDECLARED, messages)
    try:
        tree, findings, wanted = lower(unit, source, undeclared, _defined(options))
        # Those in the lists of an instance show once this is chosen.
        while (chosen := with_choices(text, wanted.templates)) != text:
            again = _parsed(source, chosen + added, options)
            if _errors(again[2]) > _errors(messages):  # what only the type of its position chooses
                break
            text, (unit, refused, messages, macros) = chosen, again
            tree, findings, wanted = lower(unit, source, undeclared, _defined(options))
        known = Wanted()
        # Once for containers, once for their iterators; once for each base class of a base class.
        while wanted.loops or not wanted.is_in(known):
            known = known.joined(wanted)
            text, before = written_out(text, wanted.loops), text
            if text == before and wanted.loops:
                break
            named = (
                members_of_ranges(known.classes)
                + bases_of_instances(known.bases)
                + methods_of_instances(known.methods)
                + destructors_of_instances(known.destroyed)
                + constructors_of_instances(known.constructed)
            )
            inherited = without_final(text, (name for name, _ in known.methods))
            unit, refused, messages, macros = _parsed(source, inherited + added + named, options)
            tree, findings, wanted = lower(unit, source, undeclared, _defined(options))
    except ctypes.ArgumentError as error:  # what ctypes makes of a recursion that is too deep
        if RecursionError.__name__ not in str(error):
            raise
        raise RecursionError from error
    whole, diagnostics = _without_broken(tree, unit, messages, source, options)
    everything = (*read.guesses, *refused, *missing, *diagnostics, *findings)
    return Parsed(whole, everything, "clang", macros, options.missing)


def _defined(options: ParseOptions) -> dict[str, str]:
    """Return the macros of the command line and of the build, those of the user last."""
    given = (word[2:].partition("=") for word in options.compile_args if word.startswith("-D"))
    return {**{name: value or "1" for name, _, value in given}, **options.defines}


def _errors(messages: list[Message]) -> int:
    return sum(message.severity >= Severity.ERROR for message in messages)


def _found(pattern: re.Pattern[str], messages: list[Message]) -> set[str]:
    """Return the names that messages of one form hold."""
    return {found["name"] for message in messages if (found := pattern.search(message.text))}


def _parsed(
    source: SourceFile, text: str, options: ParseOptions
) -> tuple[TranslationUnit, list[Diagnostic], list[Message], frozenset[str]]:
    """Parse a text, and name the macros that were given; messages about what was added to it are none of the user's."""
    plus = () if text == source.text else WITHOUT_ACCESS_CONTROL

    def parse(chosen: ParseOptions) -> tuple[TranslationUnit, list[Diagnostic]]:
        return guarded_unit(source, text.encode(), (*arguments_of(source, chosen), *plus), chosen, str(_HEADERS))

    unit, refused, messages, macros = parse_with_values(parse, options)
    unknown = intrinsics.declarations(_found(_UNKNOWN_NAME, messages) | _found(_UNDECLARED, messages))
    if unknown:
        declared = replace(options, compile_args=(*options.compile_args, f"-D{intrinsics.MACRO}={unknown}"))
        unit, refused, messages, macros = parse_with_values(parse, declared)
    last = source.text.count("\n") + 1
    own = [item for item in messages if item.position.path != source.path or item.position.line <= last]
    return unit, refused, [item for item in own if not any(text in item.text for text in _NO_FINDINGS)], macros


def _readable(source: SourceFile) -> tuple[str, list[Diagnostic]]:
    """Return the text in words that libclang reads, and findings for what is missing in it."""
    match source.language:
        case Language.CUDA:
            return with_instances(source.text), []
        case Language.CXX:
            text, missing = without_modules(source)
            return with_instances(text), missing
        case _:
            return source.text, []


def arguments_of(source: SourceFile, options: ParseOptions) -> tuple[str, ...]:
    """Return compiler arguments, those of the build first, so that those of the user win."""
    arguments = [
        "--no-default-config",
        *(_NVCC if source.language is Language.CUDA else ()),
        *(word for argument in options.compile_args for word in _portable(argument)),
        "-x",
        _LANGUAGES[source.language],
        f"-std={_standard(source, options)}",
    ]
    arguments += [f"-D{name}={value}" for name, value in options.defines.items()]
    arguments += [f"-I{folder}" for folder in options.include_dirs]
    if not options.system_headers:
        arguments += [_TARGET, "-nostdinc", "-nostdinc++", *_own_headers(source.language)]
    else:  # those of the compiler itself, which the library does not bring along
        arguments += ["-idirafter", str(_HEADERS / "c")]
    if source.language is Language.CUDA:
        arguments += _CUDA
    return (*arguments, *_supplied(options.missing), *_COMMON)


def _supplied(missing: Supplied) -> Iterator[str]:
    """Yield the arguments for what an earlier parse lacked."""
    for header in (*missing.headers, *((SUPPLIED,) if missing.declarations else ())):
        yield from ("-Xclang", "-include", "-Xclang", header)
    for folder in missing.folders:  # what it finds in quotes is of the project; clang takes the rest for the system's
        yield from ("-iquote", folder, "-idirafter", folder)


def _portable(argument: str) -> tuple[str, ...]:
    """Return an argument as our clang takes it: OpenMP is read from the pragmas, so clang only learns that it is on.

    Forced headers go past clang's driver, which would take a compiled header (``.pch``, ``.gch``) that lies next to it.
    """
    if argument == "-include":
        return ("-Xclang", argument, "-Xclang")
    return ("-D_OPENMP=201511" if argument.startswith(_OPENMP) else argument,)


def _standard(source: SourceFile, options: ParseOptions) -> str:
    """Return the language version asked for, at least C++17, of which older versions are nearly a subset."""
    spelled = [
        argument.partition("=")[2] for argument in options.compile_args if argument.lstrip("-").startswith("std=")
    ]
    standard = options.std or (spelled[-1] if spelled else _STANDARDS[source.language])
    if source.language is not Language.C and not options.system_headers and standard[-2:] in _BEFORE_17:
        return "gnu++17"
    return standard


def _own_headers(language: Language) -> list[str]:
    """Return the folders of our headers: C++ first; those of C count as ``extern "C"`` and as system headers."""
    plain = ["-Xclang", "-internal-externc-isystem", "-Xclang", str(_HEADERS / "c")]
    if language is Language.C:
        return plain
    cuda = [f"-isystem{_HEADERS / 'cuda'}"] if language is Language.CUDA else []
    return [f"-isystem{_HEADERS / 'cxx'}", *cuda, *plain]


def _without_broken(
    tree: Unit, unit: TranslationUnit, messages: list[Message], source: SourceFile, options: ParseOptions
) -> tuple[Unit, list[Diagnostic]]:
    """Leave out functions that hold an error, and word the messages."""
    broken: dict[str, Function] = {}
    diagnostics: list[Diagnostic] = []
    for message in messages:
        missing = _MISSING_HEADER.search(message.text)
        if not message.position.path and missing is not None:  # a header that the build forces on the file
            start = Span(source.path, source.first_line, source.first_line)
            diagnostics.append(missing_header(missing["name"], start, options))
        position = _position_of(message)
        if position is None:
            continue
        shift = source.first_line - 1 if position.path == source.path else 0
        line = position.line + shift
        span = Span(position.path, line, line, position.column)
        if message.severity >= Severity.ERROR and missing is None:
            held = [function for function in tree.functions.values() if span.is_within(function.span)]
            broken |= {function.key: function for function in held}
            if not held and position != message.position:
                continue
        finding = _finding(message, span, unit) if missing is None else missing_header(missing["name"], span, options)
        if finding is not None:
            diagnostics.append(finding)
    positions = {function.span: function for function in broken.values()}  # one of the instances of a template
    diagnostics += [_left_out(function.name, span, options) for span, function in positions.items()]
    kept = {key: function for key, function in tree.functions.items() if key not in broken}
    if source.language is Language.CUDA:  # host code shows the launches, as far as it did parse
        hosts = {key: item for key, item in broken.items() if item.kind is FunctionKind.HOST}
        kept |= {key: replace(function, listed=False) for key, function in hosts.items()}
    return replace(tree, functions=kept), _once(diagnostics)


def _left_out(name: str, span: Span, options: ParseOptions) -> Diagnostic:
    """Return the finding of a function with an error, which constants may have that are guessed."""
    guessed = guessed_constants(options.missing.declarations)
    if not guessed:
        return Diagnostic.of("AI001", span, "function", name=name)
    names = " ".join(f"-D {constant}=VALUE" for constant in guessed[:_MOST_NAMES])
    more = " ..." if len(guessed) > _MOST_NAMES else ""
    return Diagnostic.of("AI001", span, "function-of-constants", name=name, names=names + more)


def _position_of(message: Message) -> Position | None:
    """Return where the program has an error: for one in a template of our headers, what instantiates that.

    None for arguments that only other compilers know, and for what no function of the program instantiates.
    """
    own = str(_HEADERS)
    found = (message.position, *(message.causes if message.severity >= Severity.ERROR else ()))
    return next((position for position in found if position.path and not position.path.startswith(own)), None)


def _once(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Return each finding once, at its first position: a name may be missing in a hundred of them."""
    first: dict[Diagnostic, Diagnostic] = {}
    for diagnostic in diagnostics:
        first.setdefault(replace(diagnostic, span=Span(diagnostic.span.path, 0, 0)), diagnostic)
    return list(first.values())


def _finding(message: Message, span: Span, unit: TranslationUnit) -> Diagnostic | None:
    unknown = _UNKNOWN_NAME.search(message.text) or _UNDECLARED.search(message.text)
    if unknown is not None:
        return Diagnostic.of("AI003", span, "compiler", message=message.text)
    if message.severity < Severity.ERROR:
        return None
    names = choices_at(unit, message)
    if names:
        return Diagnostic.of("AI001", span, "choice", message=message.text, names=", ".join(f"-D {n}" for n in names))
    return Diagnostic.of("AI001", span, "compiler", message=message.text)
