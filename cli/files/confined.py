"""Paths that --confine leaves out because they cannot be read, reported once in a process."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache

from analyzer.frontend.confinement import unseen_in

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
