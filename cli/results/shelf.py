"""Profiles of many files in little memory: beyond the first few each is held compressed, and unpacked on demand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import overload

from analyzer.profile import FileProfile

from .codec import CodecError, decode, encode
from .store import compressed, decompressed

MANY = 64


class Packed:
    """One profile, compressed but for its diagnostics."""

    __slots__ = ("_data", "diagnostics")

    def __init__(self, profile: FileProfile) -> None:
        """Pack; raises ``CodecError`` for a profile that cannot be stored (an integer of thousands of digits)."""
        self._data = compressed(encode(profile))
        self.diagnostics = profile.diagnostics

    def unpacked(self) -> FileProfile:
        """The profile again."""
        found = decode(decompressed(self._data, limited=False))
        assert isinstance(found, FileProfile)
        return found


def packed(profile: FileProfile | Packed) -> FileProfile | Packed:
    """A profile in little memory; one without regions, or that cannot be stored, is left as it is."""
    if isinstance(profile, Packed) or not profile.regions:
        return profile
    try:
        return Packed(profile)
    except CodecError:
        return profile


class Shelf(Sequence[FileProfile]):
    """Profiles in order."""

    def __init__(self) -> None:
        self._held: list[FileProfile | Packed] = []

    def extend(self, profiles: Iterable[FileProfile | Packed]) -> None:
        """Add some."""
        for profile in profiles:
            self._held.append(profile if len(self._held) < MANY else packed(profile))

    @property
    def is_packed(self) -> bool:
        """Whether there are more than a few."""
        return len(self._held) > MANY

    def __len__(self) -> int:
        """How many there are."""
        return len(self._held)

    @overload
    def __getitem__(self, place: int) -> FileProfile: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[FileProfile]: ...

    def __getitem__(self, place: int | slice) -> FileProfile | Sequence[FileProfile]:
        """One, unpacked anew each time, or a list of some."""
        if isinstance(place, slice):
            return [self[k] for k in range(*place.indices(len(self)))]
        found = self._held[place]
        return found.unpacked() if isinstance(found, Packed) else found
