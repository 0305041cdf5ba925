"""What libclang may read: plain files only, and with ``confine`` nothing outside its folders.

A parse reads headers by itself, so the guard stands before it: pipes and devices that the text names are given to clang
as empty files, and a confined parse runs in a file system of its own (:mod:`...confinement`).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from ....diagnostics import Diagnostic
from ....errors import SourceError
from ....source import SourceFile, Span
from ...confinement import is_within, overlay
from ...options import ParseOptions
from ...text.includes import Folders, folders_of, paths_of, reached_from
from ..unit import TranslationUnit
from .compiled_prelude import preludes
from .salvage import whole_or_salvaged

_PRELUDE = ("cuda", "ai_prelude.h")
SUPPLIED = str(Path(__file__).parents[2] / "headers" / "ai-estimate-supplied.h")
"""The name of the header with what a parse lacked."""


def guarded_unit(
    source: SourceFile, text: bytes, arguments: Sequence[str], options: ParseOptions, own_headers: str
) -> tuple[TranslationUnit, list[Diagnostic]]:
    """Parse under guard, and report what was not read; raises ``SourceError``."""
    given = {path: text.encode() for path, text in options.missing.texts}
    if options.missing.declarations:
        given[SUPPLIED] = options.missing.declarations.encode()
    read = partial(TranslationUnit, source.path, folders=options.missing.folders)
    if options.confine:
        import tempfile  # here, as few runs are confined

        system = overlay(options.confine, own_headers, system=options.system_headers)
        try:
            with tempfile.NamedTemporaryFile("w", prefix="ai-estimate-", suffix=".yaml", encoding="utf-8") as stream:
                stream.write(system)
                stream.flush()
                confined = (*arguments, "-ivfsoverlay", stream.name)
                return whole_or_salvaged(source, text, lambda some: read(some, confined, given))
        except OSError as error:
            raise SourceError(f"--confine needs a temporary file: {error.strerror}", path=source.path) from error
    special = {
        item.path: item.name
        for item in reached_from(source, _folders(options))
        if item.path is not None and not os.path.isfile(item.path)
    }
    refused = [Diagnostic.of("AI006", _line_of(name, source), "no-file", name=name) for name in special.values()]
    texts = given | dict.fromkeys(special, b"")
    compiled = preludes.compiled(tuple(arguments), os.path.join(own_headers, *_PRELUDE))

    def parse(some: bytes) -> TranslationUnit:
        if compiled is not None:
            with suppress(SourceError):  # the text does where the compiled header is lost
                return read(some, compiled, texts, without_compiled=True)
        return read(some, arguments, texts)

    unit, left_out = whole_or_salvaged(source, text, parse)
    return unit, refused + left_out


def missing_header(name: str, span: Span, options: ParseOptions) -> Diagnostic:
    """Return the finding for a header that clang did not find: it does not exist, or it may not be read."""
    if options.confine:
        near = os.path.dirname(span.path)
        paths = paths_of(name, [near, *_folders(options).searched])
        if any(not is_within(path, options.confine) for path in paths):
            return Diagnostic.of("AI006", span, "outside", name=name)
    return Diagnostic.of("AI002", span, "not-found", name=name)


def _folders(options: ParseOptions) -> Folders:
    return folders_of(options.compile_args, options.include_dirs, os.environ)


def _line_of(name: str, source: SourceFile) -> Span:
    lines = source.text.split("\n")
    line = next((number for number, text in enumerate(lines) if name in text), 0) + source.first_line
    return Span(source.path, line, line)
