"""Which files a preprocessor could read: a scan of the text for what it names, without looking at conditions.

``SourceFile`` + folders -> every name of ``#include``, ``#import``, ``#embed`` and ``__has_include`` that is reached,
with the path of every file of that name.  More is found than is read, never less; a name that is computed by a
macro is unknown (``Reached.name`` is empty).
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from ...data_files.files import read_bytes
from ...errors import SourceError
from ...python.regex import regex
from ...source import SourceFile

FROM_ENVIRONMENT = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH")  # libclang reads them, as compilers do
_WITH_FOLDER = ("-I", "-isystem", "-iquote")
_GAP = rb"(?:[^\S\n]++|(?>/\*[^\n]*?\*/)){0,8}+"  # atomic: no line takes more than linear time
_NAMED = rb'(?:"(?P<quoted>[^"\n]+)"|<(?P<angled>[^>\n]+)>|(?P<computed>\S))'
_DIRECTIVE = regex(
    rb"(?:^|\*/)" + _GAP + rb"(?:#|%:|\?\?=)" + _GAP + rb"(?:include(?:_next)?|import|embed)\b" + _GAP + _NAMED, re.M
)
_ASKED = regex(rb"__has_(?:include(?:_next)?|embed)\b" + _GAP + rb"\(" + _GAP + _NAMED)
_SPLICE = regex(rb"\\[^\S\n]*\n")
_FOLDERS_WITH_SIBLINGS, _MOST_SIBLINGS = 3, 64
_MOST_FOLDERS_ABOVE, _OF_HEADERS = 4, ("include", "inc", "src")
_LARGEST_HEADER = 64 * 2**20


class Folders(Struct, frozen=True):
    """Where headers are looked for: next to the file that asks (if quoted), then in these; ``forced`` come first."""

    searched: tuple[str, ...]
    forced: tuple[str, ...] = ()


class Reached(Struct, frozen=True):
    """A name (empty: computed), the path of one file of that name (None: there is none), and what can be read there."""

    name: str
    path: str | None
    header: Header | None = None


class Name(Struct, frozen=True):
    """A name as a directive gives it."""

    text: str
    quoted: bool


class Header(Struct, frozen=True):
    """A file that is read: the digest of its text, and the files that it names itself."""

    digest: bytes
    names: tuple[Name, ...]


def folders_of(arguments: Sequence[str], include_dirs: Sequence[str], environment: Mapping[str, str]) -> Folders:
    """Return the folders that the arguments of a build, the user and the environment name."""
    pairs = list(pairwise(arguments))
    named = [value for option, value in pairs if option in _WITH_FOLDER]
    inherited = [path or "." for name in FROM_ENVIRONMENT if name in environment for path in _split(environment[name])]
    forced = tuple(value for option, value in pairs if option == "-include")
    return Folders((*named, *include_dirs, *inherited), forced)


def _split(paths: str) -> list[str]:
    return paths.split(os.pathsep) if paths else []


def reached_from(file: SourceFile, folders: Folders) -> Iterator[Reached]:
    """Yield everything that a file can reach, in no particular order."""
    near = os.path.dirname(file.path)
    waiting = [(name, near) for name in _names(file.text.encode("utf-8", "surrogatepass"))]
    waiting += [(Name(path, True), "") for path in folders.forced]
    asked: set[tuple[Name, str]] = set()
    missing: dict[str, None] = {}
    found_near: dict[str, None] = {}
    read: set[str] = set()
    while waiting:
        question = waiting.pop()
        if question not in asked:
            asked.add(question)
            wanted, folder = question
            paths = list(paths_of(wanted.text, [folder, *folders.searched] if wanted.quoted else folders.searched))
            elsewhere = None if paths else nearby(wanted.text, folder)
            if not paths:
                missing[wanted.text] = None
            if elsewhere is not None:
                found_near[elsewhere[: -len(wanted.text)]] = None
            elif not paths:
                yield Reached(wanted.text, None)
            for path in paths:
                header = _header(path)
                yield Reached(wanted.text, path, header)
                waiting += _named_in(header, path)
        if not waiting and found_near:  # what is missing may be in any folder in which something else was found
            for name in missing:
                for path in paths_of(name, list(found_near)):
                    if path not in read:
                        read.add(path)
                        header = _header(path)
                        yield Reached(name, path, header)
                        waiting += _named_in(header, path)


def _named_in(header: Header | None, path: str) -> list[tuple[Name, str]]:
    return [] if header is None else [(name, os.path.dirname(path)) for name in header.names]


def paths_of(name: str, folders: Sequence[str]) -> Iterator[str]:
    """Yield the files and devices of a name in some folders, in order; folders of that name do not count."""
    if not name or "\0" in name:
        return
    for path in dict.fromkeys(os.path.join(folder, name) for folder in folders or ("",)):
        if os.path.exists(path) and not os.path.isdir(path):
            yield path


def text_of(path: str) -> str:
    """Return the text of a header; raises ``SourceError``."""
    return read_bytes(path, error=SourceError, most_bytes=_LARGEST_HEADER).decode("utf-8", "replace")


def texts_of(reached: Iterable[Reached]) -> Iterator[str | None]:
    """Yield the texts of what is reached; None for a computed name, and for a file that cannot be read."""
    for each in reached:
        if not each.name:
            yield None
        elif each.path is not None:
            try:
                yield text_of(each.path)
            except SourceError:
                yield None


def nearby(name: str, folder: str) -> str | None:
    """Return the file of a name in a folder above another one, in a folder of headers there, or in one next to it.

    Builds name such folders with ``-I``; where they do not say so, a header is looked for up to the top of a checkout,
    the innermost first; among the folders next to one it counts where only one of them has it.  ``/dev/random`` is no
    header ``<random>``.
    """
    above = os.path.abspath(folder)
    for level in range(_MOST_FOLDERS_ABOVE):
        headers = paths_of(name, [above, *(os.path.join(above, inner) for inner in _OF_HEADERS)])
        found = next(filter(os.path.isfile, headers), None)
        if found is None and 0 < level <= _FOLDERS_WITH_SIBLINGS:
            siblings = [*filter(os.path.isfile, paths_of(name, _folders_in(above)))]
            found = siblings[0] if len(siblings) == 1 else None
        if found is not None:
            return os.path.normpath(found)
        if os.path.exists(os.path.join(above, ".git")) or os.path.dirname(above) == above:
            return None
        above = os.path.dirname(above)
    return None


def _folders_in(folder: str) -> list[str]:
    """Return the folders in one, in order; none where they are too many to be parts of one project."""
    try:
        with os.scandir(folder) as entries:
            found = sorted(entry.path for entry in entries if entry.is_dir() and not entry.name.startswith("."))
    except OSError:
        return []
    return found if len(found) <= _MOST_SIBLINGS else []


def _header(path: str) -> Header | None:
    """Return a header; None for a device, a pipe, an unreadable file, and one that is too large."""
    try:
        state = os.stat(path)
        return _read(path, state.st_mtime_ns, state.st_size)
    except (OSError, SourceError):
        return None


@lru_cache(maxsize=4096)
def _read(path: str, _changed_ns: int, _size: int) -> Header:
    text = read_bytes(path, error=SourceError, most_bytes=_LARGEST_HEADER)
    return Header(hashlib.sha256(text).digest(), tuple(_names(text)))


def _names(text: bytes) -> Iterator[Name]:
    plain = _SPLICE.sub(b"", text)
    for pattern in (_DIRECTIVE, _ASKED):
        for found in pattern.finditer(plain):
            raw = found["quoted"] or found["angled"] or b""
            yield Name(raw.decode("utf-8", "surrogateescape"), bool(found["quoted"]))
