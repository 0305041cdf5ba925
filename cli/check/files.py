"""Arguments of a check to the files that may hold loops."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from analyzer.data_files.files import read_bytes
from analyzer.errors import SourceError
from analyzer.python.regex import regex
from analyzer.source import LARGEST_BYTES, is_header

from ..files.selection import Selected, select
from ..options import STANDARD_INPUT
from ..output import complain

_LOOPS = regex(r"\b(?:for|while|do|goto|__global__)\b")


class Given(Struct, frozen=True):
    """The files with something to check by their paths, how many have nothing, and whether all could be used."""

    files: Mapping[str, Selected]
    without_loops: int
    complete: bool


def files_to_check(parsed: argparse.Namespace) -> Given:
    """Return the files that the arguments name; unusable arguments are reported on standard error."""
    named = parsed.files or ([] if parsed.compile_commands else ["."])
    selection = select(named, parsed.exclude, parsed.compile_commands)
    for error in selection.errors:
        complain(f"error: {error}")
    found = {file.path: file for file in (replace(file, path=normal_path(file.path)) for file in selection.files)}
    chosen = {path: file for path, file in found.items() if _may_hold_loops(path)}
    return Given(chosen, len(found) - len(chosen), not selection.errors)


def normal_path(path: str) -> str:
    """Return a path without ``./`` and the like."""
    return path if path == STANDARD_INPUT else os.path.normpath(path)


def _may_hold_loops(path: str) -> bool:
    """Return False for empty files, and for headers without a word that starts a loop: most headers."""
    if path == STANDARD_INPUT:
        return True
    try:
        text = read_bytes(path, error=SourceError, most_bytes=LARGEST_BYTES).decode("utf-8", "replace")
    except SourceError:
        return True  # the analysis says what is wrong
    return bool(text.strip()) and (not is_header(path) or _LOOPS.search(text) is not None)
