"""What the first screen shows, as the command line asks for it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

By = Literal["nest", "function", "file"]
Sort = Literal["time", "flops", "bytes", "intensity", "source"]


class View(Struct, frozen=True, kw_only=True):
    """What the screen shows: how many rows (None: what fits, 0: all), in which order, one for each of what.

    ``is_above_sweep``: tables of the values of a size follow.
    """

    top: int | None = None
    sort: Sort = "time"
    by: By = "nest"
    exact: bool = False
    width: int | None = None
    color: bool = False
    is_above_sweep: bool = False
