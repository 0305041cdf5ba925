"""What encloses a statement, from the outside."""

from __future__ import annotations

from typing import Union

from msgspec import Struct

from ...ir.nodes import Condition, Loop


class Doubt(Struct, frozen=True):
    """An exit that data decide: from here on nothing runs for certain."""


Step = Union[Loop, Condition, Doubt]
"""Loops, conditions, and exits that may prevent what is inside."""
