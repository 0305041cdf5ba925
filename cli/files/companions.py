"""The related files of a source in its program: those with the launches of its kernels, or with what it calls.

The names in all files of a program are read once, so that the time is linear in them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from analyzer.errors import SourceError
from analyzer.frontend.related_files import components, needed_files
from analyzer.frontend.text.dialect import dialect_of, dialect_of_file
from analyzer.frontend.text.lexical import with_joined_lines, without_comments
from analyzer.source import Language, SourceFile, is_header

from ..options import STANDARD_INPUT
from .confined import read_allowed
from .selection import Selection


def companions_of(selection: Selection, allowed: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return, for every source with related files, these files: of C and C++ what it needs, of CUDA also itself."""
    companions: dict[str, tuple[str, ...]] = {}
    kernels: set[str] = set()
    program = _sources(file.path for file in selection.files)
    if len(program) > 1:
        headers = _headers_near(program, allowed)
        needed = needed_files(_without_kernels(_readable(program, allowed), kernels), headers)
        companions.update({path: others for path, others in needed.items() if others})
    for part in map(_sources, selection.parts()):
        if len(part) > 1 and not kernels.isdisjoint(part):
            together = components(_readable(part, allowed))
            companions.update({path: together[path] for path in together if path in kernels and together[path][1:]})
    return companions


def _sources(paths: Iterable[str]) -> list[str]:
    """Return paths but for standard input, which has no file beside it."""
    return [path for path in paths if path != STANDARD_INPUT]


def _readable(paths: Sequence[str], allowed: tuple[str, ...]) -> Iterator[SourceFile]:
    for path in paths:
        with suppress(SourceError):
            yield read_allowed(path, allowed)


def _without_kernels(sources: Iterable[SourceFile], kernels: set[str]) -> Iterator[SourceFile]:
    """Yield the sources without kernels; the others are added to ``kernels``."""
    for source in sources:
        if _may_have_kernels(source):
            kernels.add(source.path)
        else:
            yield source


def _headers_near(paths: Sequence[str], allowed: tuple[str, ...]) -> Iterator[str]:
    """Yield the texts of the headers in the folders of some sources, and in an ``include`` next to them."""
    folders = {os.path.dirname(path) for path in paths}
    folders |= {os.path.join(os.path.dirname(folder), "include") for folder in folders}
    for folder in sorted(folders):
        with suppress(OSError):
            names = sorted(name for name in os.listdir(folder or ".") if is_header(name))
            for header in _readable([os.path.join(folder, name) for name in names], allowed):
                yield header.text


def _may_have_kernels(source: SourceFile) -> bool:
    if source.language is Language.CUDA or dialect_of(source.text) is not Language.CUDA:
        return source.language is Language.CUDA
    return dialect_of_file(source, with_joined_lines(without_comments(source.text))) is Language.CUDA
