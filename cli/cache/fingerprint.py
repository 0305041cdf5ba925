"""The inputs of a result as one digest: this program, the options, the source, and every header it can read.

Headers are looked for without looking at conditions (:mod:`analyzer.frontend.text.includes`): every name in every file
that is reached counts, with every path at which it exists, or that there is none.  A header that is edited, that
appears or that goes away therefore changes the digest.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from msgspec.structs import replace

import analyzer
from analyzer.counts.policy import load_policy
from analyzer.errors import AnalyzerError
from analyzer.frontend.compile_commands import arguments_for
from analyzer.frontend.text.includes import Folders, folders_of, reached_from
from analyzer.options import AnalysisOptions
from analyzer.source import SourceFile

_LIBRARIES = ("clang", "islpy", "pcpp", "pycparser", "numpy")


def fingerprint(source: SourceFile, options: AnalysisOptions) -> str | None:
    """Return a digest in hexadecimal; None where the files read are not known (system headers, computed includes)."""
    if options.system_headers:
        return None
    digest = hashlib.sha256(_program().encode())
    try:
        digest.update(repr(load_policy(options.policy)).encode())
        for file in (source, *options.companions):
            arguments = arguments_for(file.path, options.compile_commands) if options.compile_commands else ()
            digest.update(repr((file, arguments)).encode("utf-8", "surrogatepass"))
            for part in _headers(file, folders_of(arguments, options.include_dirs, os.environ)):
                digest.update(part)
    except (_Unknown, AnalyzerError):
        return None
    others = replace(options, companions=(), compile_commands=None, policy="", reported_s=0)
    digest.update(repr(others).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


class _Unknown(Exception):
    """An include whose name is computed."""


def _headers(file: SourceFile, folders: Folders) -> Iterator[bytes]:
    """Yield the name, path and digest of every header that a file can reach."""
    for reached in reached_from(file, folders):
        if not reached.name:
            raise _Unknown
        digest = b"" if reached.header is None else reached.header.digest
        yield f"{reached.name}\0{reached.path}\0".encode("utf-8", "surrogateescape") + digest


@cache
def _program() -> str:
    """Return the version of the analysis and of its libraries: it changes whenever a file of them does."""
    paths = [
        os.path.join(folder, name)
        for folder, _, names in os.walk(Path(analyzer.__file__).parent)
        if os.path.basename(folder) != "__pycache__"
        for name in names
    ]
    paths += [spec.origin for name in _LIBRARIES if (spec := find_spec(name)) is not None and spec.origin is not None]
    states = ((path, os.stat(path)) for path in sorted(paths))
    return repr([(path, state.st_size, state.st_mtime_ns) for path, state in states])
