"""Flags: symbols that only choose between alternatives, with the values that tell these apart.

:mod:`.passes.flags` finds them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product

from msgspec import Struct

_MOST_ASSIGNMENTS = 256


class Flag(Struct, frozen=True):
    """A symbol that only chooses; of a condition on data the texts of what each of the values stands for."""

    name: str
    values: tuple[int, ...]
    texts: tuple[str, ...] = ()

    @property
    def is_of_data(self) -> bool:
        """Return whether it stands for a condition on data."""
        return bool(self.texts)

    def text(self, value: int) -> str:
        """Return what a value of the flag means."""
        if not self.is_of_data:
            return f"{self.name} = {value}"
        return self.texts[self.values.index(value)]


def assignments(flags: Sequence[Flag]) -> Iterator[dict[str, int]]:
    """Yield combinations of values of some flags, not too many."""
    for values in islice(product(*(flag.values for flag in flags)), _MOST_ASSIGNMENTS):
        yield dict(zip((flag.name for flag in flags), values, strict=True))
