"""What a result depends on, as one digest: this program, the options, the source, and every header it can read.

Headers are found as a preprocessor would find them, without looking at conditions: every ``#include`` of every file
that is reached counts, with the place where it is found or that it is found nowhere.  A header that is edited, that
appears or that goes away therefore changes the digest.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

import analyzer
from analyzer.counts.policy import load_policy
from analyzer.errors import AnalyzerError
from analyzer.frontend.compile_commands import arguments_for
from analyzer.frontend.linkage import linked_with
from analyzer.pipeline import AnalysisOptions
from analyzer.source import SourceFile

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*(?:include|import|include_next)\b[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>|(\S*))', re.M)
_WITH_FOLDER = ("-I", "-isystem", "-iquote")


def fingerprint(source: SourceFile, options: AnalysisOptions) -> str | None:
    """A digest in hexadecimal; None where what is read cannot be told (headers of the system, computed includes)."""
    if options.system_headers:
        return None
    digest = hashlib.sha256(_program().encode())
    try:
        digest.update(repr(load_policy(options.policy)).encode())
        for file in (source, *linked_with(source, options.beside)):
            arguments = arguments_for(file.path, options.compile_commands) if options.compile_commands else ()
            digest.update(repr((file, arguments)).encode("utf-8", "surrogatepass"))
            for part in _headers(file, [*_folders(arguments), *options.include_dirs], _forced(arguments)):
                digest.update(part)
    except (_Unknown, AnalyzerError):
        return None
    digest.update(repr(replace(options, beside=(), compile_commands=None, policy="")).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


class _Unknown(Exception):
    """An include whose name is computed."""


def _headers(file: SourceFile, folders: Sequence[str], forced: Sequence[str]) -> Iterator[bytes]:
    """Names, places and digests of all headers that a file can reach."""
    here = os.path.dirname(file.path)
    names = [(found, here) for found in _included(file.text.encode("utf-8", "surrogatepass"))]
    names += [((path, True), "") for path in forced]
    seen: set[str] = set()
    while names:
        (name, quoted), near = names.pop()
        place = _found(name, [near, *folders] if quoted else folders)
        yield f"{name}\0{place}\0".encode("utf-8", "surrogatepass")
        if place is None or place in seen:
            continue
        seen.add(place)
        digest, inner = _read(place, os.stat(place).st_mtime_ns)
        yield digest
        names += [(found, os.path.dirname(place)) for found in inner]


def _found(name: str, folders: Sequence[str]) -> str | None:
    places = (os.path.join(folder, name) for folder in folders)
    return next((place for place in places if os.path.isfile(place)), None)


@lru_cache(maxsize=4096)
def _read(path: str, _changed_ns: int) -> tuple[bytes, tuple[tuple[str, bool], ...]]:
    """Digest of a header and what it includes."""
    text = Path(path).read_bytes()
    return hashlib.sha256(text).digest(), tuple(_included(text))


def _included(text: bytes) -> Iterator[tuple[str, bool]]:
    """Names and whether they are quoted."""
    for quoted, angled, computed in _INCLUDE.findall(text):
        if computed:
            raise _Unknown
        yield (quoted or angled).decode("utf-8", "surrogateescape"), bool(quoted)


def _folders(arguments: Sequence[str]) -> Iterator[str]:
    """Folders of headers among the arguments of a build, in which an option and its path stand apart."""
    return (value for option, value in pairwise(arguments) if option in _WITH_FOLDER)


def _forced(arguments: Sequence[str]) -> list[str]:
    return [value for option, value in pairwise(arguments) if option == "-include"]


@cache
def _program() -> str:
    """This version of the analysis: changes whenever a file of the package does."""
    states: list[tuple[str, int, int]] = []
    for folder, folders, names in os.walk(Path(analyzer.__file__).parent):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            path = os.path.join(folder, name)
            state = os.stat(path)
            states.append((path, state.st_size, state.st_mtime_ns))
    return repr(states)
