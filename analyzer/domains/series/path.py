"""What encloses a statement, from the outside."""

from __future__ import annotations

from typing import Union

from msgspec import Struct

from ...ir.conditions import condition_indices
from ...ir.nodes import Condition, Loop
from ...ir.traverse import bounds_of


class Doubt(Struct, frozen=True):
    """An exit that data decide: from here on nothing runs for certain."""


Step = Union[Loop, Condition, Doubt]
"""Loops, conditions, and exits that may prevent what is inside."""


def names_of(step: Step) -> frozenset[str]:
    """Return the names in the bounds of a loop, or in a condition."""
    match step:
        case Doubt():
            return frozenset()
        case Loop():
            return frozenset().union(*(bound.names() for bound in bounds_of(step.range)))
        case _:
            return frozenset().union(*(index.names() for index in condition_indices(step)))
