"""Files of coverage tools to counts: the format follows from the contents, and gzip is unpacked."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator

from ..data_files.files import read_bytes
from ..errors import OptionError
from .counts import ExecutionCounts, FileCounts, merged
from .gcov import read_gcov
from .lcov import read_lcov
from .lines_csv import read_lines_csv
from .llvm import KIND, read_llvm

_MOST_BYTES = 64 << 20
_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 31  # of zlib: with the header of gzip
_COMPILED = (b"adcg", b"gcda", b"oncg", b"gcno", b"\x81rforpl\xff", b"\xfflprofr\x81", b"\xfflprofi\x81")


def read_counts(paths: Iterable[str]) -> ExecutionCounts:
    """Return the counts of some files added up; raises ``OptionError`` for one that is not understood."""
    return merged(file for path in dict.fromkeys(paths) for file in _read(path))


def _read(path: str) -> Iterator[FileCounts]:
    data = read_bytes(path, error=OptionError, most_bytes=_MOST_BYTES)
    if data.startswith(_COMPILED):
        hint = "export it: gcov --json-format --branch-probabilities, or llvm-cov export"
        raise OptionError("holds counts as the compiler's library writes them", path=path, hint=hint)
    text = _text(_unpacked(data, path) if data.startswith(_GZIP) else data, path)
    start = text.lstrip()
    if start.startswith("{"):
        yield from read_llvm(text, path) if _is_llvm(text) else read_gcov(text, path)
    elif start.startswith(("TN:", "SF:")):
        yield from read_lcov(text, path)
    else:
        yield from read_lines_csv(text, path)


def _is_llvm(text: str) -> bool:
    return json.dumps(KIND) in text


def _unpacked(data: bytes, path: str) -> bytes:
    unpack = zlib.decompressobj(_GZIP_WINDOW)
    try:
        found = unpack.decompress(data, _MOST_BYTES)
    except zlib.error as error:
        hint = "the file is damaged: write it again"
        raise OptionError(f"cannot be unpacked: {error}", path=path, hint=hint) from None
    if unpack.unconsumed_tail:
        raise OptionError(f"unpacks to more than {_MOST_BYTES >> 20} MiB", path=path, hint="name fewer source files")
    if not unpack.eof:
        raise OptionError("ends in the middle", path=path, hint="the file is cut off: write it again")
    return found


def _text(data: bytes, path: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        hint = "give gcov's JSON, LCOV, llvm-cov's JSON, or a CSV of file,line,count"
        raise OptionError("is not UTF-8 text", path=path, hint=hint) from None
