"""Results of earlier runs on disk, by the digest of everything they depend on.

Entries are compressed JSON (:mod:`.codec`), written whole or not at all, so that concurrent runs can share a folder;
one that cannot be read counts as missing.  The oldest go when a part of the store grows beyond its share of the limit.
A folder of another user is not used.
"""

from __future__ import annotations

import os
import zlib
from contextlib import suppress
from pathlib import Path

from analyzer.errors import AnalyzerError
from analyzer.profile import FileProfile

from ..output import write_file
from .codec import CodecError, decode, encode

MOST_BYTES = 512 * 2**20
_PARTS = 256
_PRIVATE = 0o700  # results hold the text of the sources
_LARGEST = 64 * 2**20


class Store:
    """A folder of results; trouble with it never fails a run."""

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        self._folder = folder / "v1" if _is_ours(folder) else None
        self._most_bytes = most_bytes

    def get(self, digest: str) -> tuple[FileProfile, ...] | None:
        """The result of this digest, None where there is none."""
        path = self._path(digest)
        if path is None:
            return None
        try:
            text = decompressed(path.read_bytes())
            found = decode(text)
        except (OSError, CodecError):
            return None
        if not isinstance(found, tuple) or not all(isinstance(profile, FileProfile) for profile in found):
            return None
        with suppress(OSError):
            os.utime(path)
        return found

    def put(self, digest: str, profiles: tuple[FileProfile, ...]) -> None:
        """Keep a result."""
        path = self._path(digest)
        if path is None:
            return
        with suppress(OSError, CodecError, AnalyzerError):
            data = compressed(encode(profiles))
            path.parents[2].mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(str(path), data)
            self._shrink(path.parent)

    def _path(self, digest: str) -> Path | None:
        return None if self._folder is None else self._folder / digest[:2] / digest[2:]

    def _shrink(self, part: Path) -> None:
        """Remove what was not used for longest until the part is within its share."""
        entries = []
        for entry in os.scandir(part):
            with suppress(OSError):
                entries.append((entry.stat().st_mtime_ns, entry.stat().st_size, entry.path))
        excess = sum(size for _, size, _ in entries) - self._most_bytes // _PARTS
        for _, size, path in sorted(entries):
            if excess <= 0:
                return
            with suppress(OSError):
                os.unlink(path)
            excess -= size


def _is_ours(folder: Path) -> bool:
    """Whether a folder is this user's, or is not there yet: what others may have put there is not believed."""
    try:
        return not hasattr(os, "geteuid") or folder.stat().st_uid == os.geteuid()
    except OSError:
        return True


def compressed(text: str) -> bytes:
    """Text as it is stored."""
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def decompressed(data: bytes, *, limited: bool = True) -> str:
    """The text of :func:`compressed`; raises ``CodecError``, also where it would be absurdly large."""
    try:
        expander = zlib.decompressobj()
        raw = expander.decompress(data, _LARGEST if limited else 0)
        if expander.unconsumed_tail:
            raise CodecError("too large")
        return raw.decode("utf-8", "surrogatepass")
    except (zlib.error, UnicodeDecodeError) as error:
        raise CodecError(str(error)) from error
