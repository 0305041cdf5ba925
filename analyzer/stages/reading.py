"""Reading one file of a program: its surface tree, what other files give to it, and the launches of its kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from ..diagnostics import Diagnostic, unreadable, why_given_up
from ..errors import SourceError
from ..frontend.compile_commands import arguments_for
from ..frontend.linking import link, link_device_code
from ..frontend.lower.kernels.series import KernelSeries
from ..frontend.options import Parsed, ParseOptions, Supplied
from ..frontend.reader import read
from ..frontend.related_files import linked_with, names_defined_in
from ..frontend.surface.nodes import FunctionKind, Unit
from ..given_values import given_values
from ..limits.hard_limit import GIVEN_UP, LOWERED, READ, Account, cause_of, hard_limit
from ..options import AnalysisOptions
from ..python.regex import regex
from ..source import Language, SourceFile, Span

_HOST_CODE = 0.5  # of the time in which the file is lowered
_LINKED: Final = "clang"  # the reader whose units have linkage names
_FILES_OF_A_PROGRAM = 64
_WORD = regex(r"[A-Za-z_]\w*")
_NOTHING: Final = Supplied()

read_once = lru_cache(maxsize=_FILES_OF_A_PROGRAM)(read)
"""As :func:`read`, with a cache of the last results: files of a program are read for one another."""


def read_source(source: SourceFile, options: AnalysisOptions, account: Account, missing: Supplied = _NOTHING) -> Parsed:
    """Return the surface tree; raises ``SourceError``, also where reading takes too long or too much memory.

    ``missing`` is what another file of its program lacked.
    """
    reader = read_once if options.companions else read
    try:
        with hard_limit(account.left(READ), f"reading {source.path}"):
            chosen = replace(parse_options(source, options), missing=missing)
            return reader(source, chosen, options.frontend)
    except GIVEN_UP as error:
        raise unreadable(source.path, cause_of(error)) from None


def linked(
    source: SourceFile, parsed: Parsed, options: AnalysisOptions, account: Account
) -> tuple[Parsed, tuple[Diagnostic, ...]]:
    """Return the file with what it takes from the other files of its program.

    A file with kernels takes device functions alone: host code of other files is linked where launches are looked for.
    """
    others = {other.path: other for other in options.companions}
    if parsed.frontend != _LINKED or not others:
        return parsed, ()

    def unit_of(path: str) -> Unit | None:
        with suppress(SourceError):
            is_cuda = others[path].language is Language.CUDA  # read by clang in any case, and for its own kernels
            alone = options if is_cuda else replace(options, frontend=_LINKED)
            return read_source(others[path], alone, account, parsed.supplied.of_program()).unit
        return None

    def words_at(position: Span) -> frozenset[str]:
        file = source if position.path == source.path else others.get(position.path)
        lines = () if file is None else file.text.split("\n")[position.line - file.first_line :]
        return frozenset(_WORD.findall(lines[0])) if lines else frozenset()

    names = {path: names_defined_in(other.text) for path, other in others.items()}
    linked = (link_device_code if _has_kernels(parsed.unit) else link)(parsed.unit, names, unit_of, words_at)
    return replace(parsed, unit=linked.unit), linked.diagnostics


def launches_in(
    source: SourceFile, unit: Unit, options: AnalysisOptions, defines: Mapping[str, int], account: Account
) -> tuple[tuple[KernelSeries, ...], tuple[Diagnostic, ...]]:
    """Return the launches of kernels, and diagnostics for missing ones; host code is read only where there are any."""
    if not _has_kernels(unit):
        return (), ()
    from ..frontend.launches.launches import launches_of
    from ..frontend.launches.series import series_of

    others = tuple(_companion_units(source, options, account))
    try:
        with hard_limit(_HOST_CODE * account.left(LOWERED), "host code"):
            arguments, device = options.program_arguments, options.device
            found, missing = launches_of(unit, options.launches, arguments, defines, others, device)
            return series_of(found), missing
    except GIVEN_UP as error:
        span = Span(source.path, source.first_line, source.first_line)
        return (), (Diagnostic.of("AI213", span, "host-code", why=why_given_up(cause_of(error))),)


def _has_kernels(unit: Unit) -> bool:
    return any(item.kind is FunctionKind.KERNEL for item in unit.functions.values())


def parse_options(source: SourceFile, options: AnalysisOptions) -> ParseOptions:
    """Return how a file is parsed: what concerns the parsers, with the compiler arguments of that file."""
    return ParseOptions(
        defines=given_values(options.defines).macros,
        include_dirs=options.include_dirs,
        std=options.std,
        element_type=options.element_type,
        system_headers=options.system_headers,
        confine=options.confine,
        compile_args=arguments_for(source.path, options.compile_commands) if options.compile_commands else (),
    )


def _companion_units(source: SourceFile, options: AnalysisOptions, account: Account) -> Iterator[Unit]:
    """Yield the other files of the program that this one is linked with, as far as they can be read."""
    for other in linked_with(source, options.companions):
        with suppress(SourceError):
            yield read_source(other, options, account).unit
