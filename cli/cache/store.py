"""Results of earlier runs on disk, by the digest of everything they depend on.

Entries are compressed JSON (:mod:`.codec`), sealed with a key of this user (:mod:`.seal`) for their digest, in folders
that this user alone can write (:mod:`.private`).  They are written whole or not at all, so that concurrent runs can
share a folder; one that cannot be read, or that was not written for this digest, counts as missing.  The oldest
go when a part of the store grows beyond its share of the limit.
"""

from __future__ import annotations

import re
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from analyzer.profile import AnalyzedFile

from .codec import CodecError, decode, encode
from .private import Folder, UntrustedError, private_folder
from .seal import key_in, made_key, sealed, unsealed

MOST_BYTES = 512 * 2**20
_PARTS = 256
_LARGEST = 64 * 2**20
_VERSION = "v1"


class Store:
    """A folder of results; trouble with it never fails a run."""

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        self._folder = folder
        self._most_bytes = most_bytes

    def get(self, digest: str) -> tuple[AnalyzedFile, ...] | None:
        """Return the result of this digest, None where there is none."""
        try:
            with self._part(digest) as (root, part):
                data = unsealed(part.read(digest[2:], _LARGEST), digest, key_in(root))
                found = decode(decompressed(data))
                if not isinstance(found, tuple) or not all(isinstance(profile, AnalyzedFile) for profile in found):
                    return None
                with suppress(OSError):
                    part.touch(digest[2:])
                return found
        except (OSError, CodecError):
            return None

    def put(self, digest: str, profiles: tuple[AnalyzedFile, ...]) -> None:
        """Store a result; without effect where that fails."""
        with suppress(OSError, CodecError):
            data = compressed(encode(profiles))
            with self._part(digest, make=True) as (root, part):
                part.write(digest[2:], sealed(data, digest, made_key(root)))
                self._shrink(part)

    @contextmanager
    def _part(self, digest: str, *, make: bool = False) -> Iterator[tuple[Folder, Folder]]:
        """Yield the whole folder, and the one that holds the entry of a digest."""
        with (
            private_folder(self._folder, make=make) as root,
            root.inner(_VERSION, make=make) as version,
            version.inner(digest[:2], make=make) as part,
        ):
            yield root, part

    def _shrink(self, part: Folder) -> None:
        """Remove the least recently used entries until the part is within its share."""
        entries = []
        for entry in part.entries():
            with suppress(OSError):
                state = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(state.st_mode):
                    entries.append((state.st_mtime_ns, state.st_size, entry.name))
        excess = sum(size for _, size, _ in entries) - self._most_bytes // _PARTS
        for _, size, name in sorted(entries):
            if excess <= 0:
                return
            with suppress(OSError):
                part.remove(name)
            excess -= size


def refusal(folder: Path) -> str | None:
    """Return why a folder of results cannot be trusted, one sentence for the user; None where it can, or is missing."""
    try:
        with private_folder(folder) as root, root.inner(_VERSION) as version:
            for entry in version.entries():
                if re.fullmatch("[0-9a-f]{2}", entry.name):
                    with version.inner(entry.name):
                        pass
    except UntrustedError as error:
        return (
            f"results of earlier runs are neither used nor stored, since {error}: make it a folder that only you can "
            "write (chmod go-w), or name another in AI_ESTIMATE_CACHE_DIR"
        )
    except OSError:
        return None
    return None


def compressed(text: str) -> bytes:
    """Return text as it is stored."""
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def decompressed(data: bytes, *, limited: bool = True) -> str:
    """Return the text of :func:`compressed`; raises ``CodecError``, also where it would be absurdly large."""
    try:
        expander = zlib.decompressobj()
        raw = expander.decompress(data, _LARGEST if limited else 0)
        if not expander.eof or expander.unused_data:
            raise CodecError("too large, or not whole")
        return raw.decode("utf-8", "surrogatepass")
    except (zlib.error, UnicodeDecodeError) as error:
        raise CodecError(str(error)) from error
