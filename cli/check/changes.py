"""Lines that changed since a commit: the contents of files then (:mod:`.git`) and now, compared line by line.

Contents are compared as they are stored, but for the ends of lines, which git may convert.  A file that another filter
of the repository stores differently has changed as a whole, and so has one that is new, or went by another name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from analyzer.data_files.files import read_bytes
from analyzer.errors import OptionError, SourceError
from roofline.rules.changes import WHOLE, ChangedLines

from ..output import complain
from .git import LARGEST_BYTES, Base, base_of, compared, contents_at, repository_of


def changes_since(ref: str, paths: Iterable[str]) -> dict[str, ChangedLines]:
    """Return the lines of each file that differ from where this branch left ``ref``; raises ``OptionError``."""
    members: dict[str, list[str]] = {}
    repositories: dict[str, str | None] = {}
    for path in paths:
        folder = os.path.dirname(os.path.realpath(path))
        if folder not in repositories:
            repositories[folder] = repository_of(folder)
        repository = repositories[folder]
        if repository is None:
            raise OptionError(f"--diff-base needs a git repository, and {folder} is in none")
        members.setdefault(repository, []).append(path)
    found: dict[str, ChangedLines] = {}
    for repository, files in members.items():
        base = base_of(repository, ref)
        if not base.is_common:
            why = f"{ref} and HEAD have no commit in common (is the history shallow?)"
            complain(f"warning: {repository}: {why}: files are compared with {ref} itself")
        found.update(_changes(base, files))
    return found


def _changes(base: Base, paths: Iterable[str]) -> dict[str, ChangedLines]:
    """Return the changed lines of the files of one repository."""
    named: dict[str, list[str]] = {}
    for path in paths:
        named.setdefault(_name_in(base.top, path), []).append(path)
    found = {path: WHOLE for same in named.values() for path in same}
    differing: list[tuple[list[str], tuple[bytes, bytes]]] = []
    for name, then in contents_at(base, list(named)):
        now = _stored(named[name][0])
        if now is None:
            continue
        if _lines(then) != _lines(now):
            differing.append((named[name], (_lines(then), _lines(now))))
        else:
            found.update(dict.fromkeys(named[name], ChangedLines(())))
    if differing:
        for (same, _), lines in zip(differing, compared([pair for _, pair in differing]), strict=True):
            found.update(dict.fromkeys(same, lines))
    return found


def _name_in(top: str, path: str) -> str:
    """Return the name of a file in the repository; for a link the name of its target."""
    name = os.path.relpath(os.path.realpath(path), os.path.realpath(top))
    if name.split(os.sep)[0] == os.pardir:
        raise OptionError(f"is not in {top}, the working tree of its repository", path=path)
    return name.replace(os.sep, "/")


def _lines(contents: bytes) -> bytes:
    return contents.replace(b"\r\n", b"\n")


def _stored(path: str) -> bytes | None:
    """Return the contents of a plain file, None of anything else or larger: the analysis reports the error."""
    try:
        return read_bytes(path, error=SourceError, most_bytes=LARGEST_BYTES)
    except SourceError:
        return None
