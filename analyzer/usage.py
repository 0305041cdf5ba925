"""How a program uses its functions: what each calls, in which loops, and what it does besides arithmetic.

These are facts of the source, found for each file alone; :mod:`cli.render.hotspots.roles` puts those of a program
together.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from msgspec import Struct

Lines: TypeAlias = tuple[int, int]


class Clue(Enum):
    """What a statement does besides arithmetic, as far as it separates set-up, checks and output from computation."""

    ALLOCATES = "allocates"
    FREES = "frees"
    GROWS = "grows a container"
    OPENS = "opens a file"
    TRANSFERS = "reads or writes text"
    DRAWS = "draws random numbers"
    ENDS = "may end the program"


class Occurrence(Struct, frozen=True):
    """A clue in a line; ``condition`` is the line of the innermost condition that it depends on, 0 without one."""

    clue: Clue
    line: int
    condition: int


class CallSite(Struct, frozen=True):
    """A call of the function of this key, inside loops (outermost first) and, in line ``condition``, a condition."""

    function: str
    line: int
    loops: tuple[Lines, ...]
    condition: int


class FunctionUsage(Struct, frozen=True, kw_only=True):
    """A function with the calls and clues in its body; no other file can call one that ``is_static``."""

    key: str
    name: str
    path: str
    lines: Lines
    is_static: bool
    calls: tuple[CallSite, ...]
    clues: tuple[Occurrence, ...]
