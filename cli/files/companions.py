"""The related files of a source in its program: those that may contain the launches of its kernels.

Only CUDA sources have any.  The names in all files of their program are read once, so that the time is linear in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache

from analyzer.errors import SourceError
from analyzer.frontend.confinement import is_within
from analyzer.frontend.related_files import components
from analyzer.frontend.text.dialect import dialect_of
from analyzer.frontend.text.lexical import with_joined_lines, without_comments
from analyzer.source import Language, SourceFile, read_source

from ..options import STANDARD_INPUT


def companions_of(programs: Sequence[Sequence[str]], allowed: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return, for every CUDA source with related files, these files, itself among them."""
    companions: dict[str, tuple[str, ...]] = {}
    for program in programs:
        paths = [path for path in program if path != STANDARD_INPUT]
        if len(paths) < 2:
            continue
        kernels: list[str] = []
        together = components(_readable(paths, allowed, kernels))
        companions.update({path: together[path] for path in kernels if len(together[path]) > 1})
    return companions


def _readable(paths: Sequence[str], allowed: tuple[str, ...], kernels: list[str]) -> Iterator[SourceFile]:
    """Yield the files that can be read; those that may have kernels are added to ``kernels``."""
    for path in paths:
        with suppress(SourceError):
            source = read_allowed(path, allowed)
            if _may_have_kernels(source):
                kernels.append(path)
            yield source


def _may_have_kernels(source: SourceFile) -> bool:
    if source.language is Language.CUDA or dialect_of(source.text) is not Language.CUDA:
        return source.language is Language.CUDA
    return dialect_of(with_joined_lines(without_comments(source.text))) is Language.CUDA


@lru_cache(maxsize=256)
def read_companion(path: str, allowed: tuple[str, ...]) -> SourceFile | None:
    """Return another file of the program; None where it cannot be read."""
    with suppress(SourceError):
        return read_allowed(path, allowed)
    return None


def read_allowed(path: str, allowed: tuple[str, ...]) -> SourceFile:
    """Return a source below the allowed folders (empty: anywhere); raises ``SourceError``."""
    if allowed and not is_within(path, allowed):
        raise SourceError("is outside the folders of --confine and was not read", path=path, hint="add --confine DIR")
    return read_source(path)
