"""What the lowering of a unit leaves for later: functions to visit, loops to write out in another reading."""

from __future__ import annotations

from msgspec import Struct

from .binding import Cursor


class Pending(Struct, frozen=True):
    """A function whose body is still to be lowered; no other file can call one that ``is_static``."""

    key: str
    definition: Cursor
    body: Cursor
    is_static: bool


class RangeLoop(Struct, frozen=True, kw_only=True):
    """A loop over a range, by the offsets of its parts in bytes: its variable, what it goes over, and its body."""

    start: int
    item: int
    source: tuple[int, int]
    body: int
    end: int
