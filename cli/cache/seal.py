"""Entries that only this user can have written: a keyed digest over the name and the content (BLAKE2b, RFC 7693).

The key is random and lies in the folder of the entries, in a file that this user alone can read.  One that others
could have read or written, or that is no key, is replaced by another: entries sealed with it are then not believed.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import blake2b
from hmac import compare_digest

from .private import Folder, UntrustedError

_KEY = "key"
_KEY_BYTES = _SEAL_BYTES = 32


def sealed(data: bytes, name: str, key: bytes) -> bytes:
    """Return an entry: the seal, and the data sealed for this name."""
    return _seal(data, name, key) + data


def unsealed(entry: bytes, name: str, key: bytes) -> bytes:
    """Return the data sealed for this name; raises ``UntrustedError`` where that was not done with the key."""
    data = memoryview(entry)[_SEAL_BYTES:]
    if not compare_digest(_seal(data, name, key), entry[:_SEAL_BYTES]):
        raise UntrustedError(f"{name} was not written with this key")
    return bytes(data)


def _seal(data: bytes | memoryview, name: str, key: bytes) -> bytes:
    state = blake2b(name.encode() + b"\0", digest_size=_SEAL_BYTES, key=key)
    state.update(data)
    return state.digest()


def key_in(folder: Folder) -> bytes:
    """Return the key of a folder; raises ``OSError`` where there is none that can be trusted."""
    key = folder.read(_KEY, _KEY_BYTES)
    if len(key) != _KEY_BYTES:
        raise UntrustedError("the key has another length")
    return key


def made_key(folder: Folder) -> bytes:
    """Return the key of a folder, which is made where there is none, and made anew where it cannot be trusted.

    Of several runs that make it at once one is first; all take what it made.
    """
    for replace in (False, True):
        with suppress(OSError):
            return key_in(folder)
        with suppress(OSError):
            folder.write(_KEY, os.urandom(_KEY_BYTES), replace=replace)
    return key_in(folder)
