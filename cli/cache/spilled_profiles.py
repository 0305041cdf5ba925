"""Profiles of many files in little memory: beyond the first few each is put aside, and unpacked on demand."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import IO, overload

from msgspec import Struct

from analyzer.profile import AnalyzedFile

MANY = 64


class Packed:
    """One profile, compressed but for its diagnostics."""

    __slots__ = ("data", "diagnostics")

    def __init__(self, profile: AnalyzedFile) -> None:
        """Pack a profile; raises ``CodecError`` where it cannot be stored (an integer of thousands of digits)."""
        from .codec import encode  # here, as few files are never packed
        from .store import compressed

        self.data = compressed(encode(profile))
        self.diagnostics = profile.diagnostics

    def unpacked(self) -> AnalyzedFile:
        """Return the profile."""
        return _unpacked(self.data)


def _unpacked(data: bytes) -> AnalyzedFile:
    from .codec import decode
    from .store import decompressed

    found = decode(decompressed(data, limited=False), trusted=True)
    assert isinstance(found, AnalyzedFile)
    return found


def packed(profile: AnalyzedFile | Packed) -> AnalyzedFile | Packed:
    """Return a profile in little memory; one without regions, or that cannot be stored, is left as it is."""
    if isinstance(profile, Packed) or not profile.regions:
        return profile
    from .codec import CodecError

    try:
        return Packed(profile)
    except CodecError:
        return profile


class _Stored(Struct, frozen=True):
    """Where a packed profile stands in the shelf's file."""

    offset: int
    size: int


class Shelf(Sequence[AnalyzedFile]):
    """Profiles in order; packed ones are in a file without a name, or in memory where there is no room for it."""

    def __init__(self) -> None:
        self._held: list[AnalyzedFile | Packed | _Stored] = []
        self._file: IO[bytes] | None = None

    def __del__(self) -> None:
        """Give the file back."""
        if self._file is not None:
            self._file.close()

    def extend(self, profiles: Iterable[AnalyzedFile | Packed]) -> None:
        """Add some."""
        for profile in profiles:
            held = profile if len(self._held) < MANY else packed(profile)
            self._held.append(self._stored(held) if isinstance(held, Packed) else held)

    def _stored(self, profile: Packed) -> Packed | _Stored:
        try:
            if self._file is None:
                import tempfile  # here, as few runs have so many files

                self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  # closed in __del__
            offset = self._file.seek(0, os.SEEK_END)
            if self._file.write(profile.data) < len(profile.data):
                return profile
        except OSError:
            return profile
        return _Stored(offset, len(profile.data))

    @property
    def is_packed(self) -> bool:
        """Return whether there are more than a few."""
        return len(self._held) > MANY

    def __len__(self) -> int:
        """Return the number of profiles."""
        return len(self._held)

    @overload
    def __getitem__(self, index: int) -> AnalyzedFile: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[AnalyzedFile]: ...

    def __getitem__(self, index: int | slice) -> AnalyzedFile | Sequence[AnalyzedFile]:
        """Return one profile, unpacked anew each time, or a list of some."""
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        found = self._held[index]
        if isinstance(found, _Stored):
            assert self._file is not None
            self._file.seek(found.offset)
            return _unpacked(self._file.read(found.size))
        return found.unpacked() if isinstance(found, Packed) else found
