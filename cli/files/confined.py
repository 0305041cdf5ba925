"""Paths that --confine leaves out because they cannot be read, reported once in a process."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache

from analyzer.errors import SourceError
from analyzer.frontend.confinement import is_within, unseen_in
from analyzer.source import SourceFile, read_source

from ..output import complain

_MOST_NAMED = 3


def report_unseen(folders: Sequence[str]) -> None:
    """Write the unreadable paths in the folders to standard error, where that was not done before."""
    if folders:
        _report(tuple(folders), os.getcwd())


@lru_cache(maxsize=64)
def _report(folders: tuple[str, ...], _here: str) -> None:
    unseen = unseen_in(folders)
    named = "; ".join(f"{entry.path}: {entry.reason}" for entry in unseen[:_MOST_NAMED])
    more = f"; {len(unseen) - _MOST_NAMED} more" if len(unseen) > _MOST_NAMED else ""
    if unseen:
        complain(f"warning: --confine takes what cannot be looked at to be outside: {named}{more}")


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
