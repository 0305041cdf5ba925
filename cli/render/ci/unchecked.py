"""What a check did not look at, in words: it never passes for what nothing was found in."""

from __future__ import annotations

from msgspec import Struct


class Unchecked(Struct, frozen=True):
    """How many of the files that were given could not be used, hold no loop, or are excluded, and of how many
    functions were left out."""

    unusable: int = 0
    without_loops: int = 0
    excluded: int = 0
    in_part: int = 0

    @property
    def nothing(self) -> str:
        """Say why no file at all was checked.

        >>> Unchecked(without_loops=1, excluded=2).nothing
        'nothing was checked: 1 file holds no loop, 2 files are excluded'
        """
        parts = [
            *_part(self.unusable, "could not be used", "could not be used"),
            *_part(self.without_loops, "holds no loop", "hold no loop"),
            *_part(self.excluded, "is excluded", "are excluded"),
        ]
        return f"nothing was checked: {', '.join(parts) if parts else 'no file was found'}"

    @property
    def also_missing(self) -> str:
        """Say what is missing in addition to what was checked; empty where nothing is.

        >>> Unchecked(unusable=2, in_part=1).also_missing
        '; 2 files could not be used; 1 file was checked in part'
        """
        unusable = _part(self.unusable, "could not be used", "could not be used")
        in_part = _part(self.in_part, "was checked in part", "were checked in part")
        return "".join(f"; {part}" for part in (*unusable, *in_part))


def _part(number: int, one: str, several: str) -> list[str]:
    return [f"1 file {one}" if number == 1 else f"{number} files {several}"] if number else []
