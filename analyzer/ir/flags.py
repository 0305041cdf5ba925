"""Flags: symbols that only choose between alternatives, with the values that tell these apart.

:mod:`.passes.flags` finds them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice, product

from msgspec import Struct

from .index import Number, Poly
from .names import source_name

_MOST_ASSIGNMENTS = 256


class Flag(Struct, frozen=True):
    """A symbol that only chooses; of a condition the texts of what each of the values stands for.

    ``usual`` is the value that nearly all sizes give, of which nothing has to be said; other sizes are those of which
    the ``difference`` is 0.
    """

    name: str
    values: tuple[int, ...]
    texts: tuple[str, ...] = ()
    usual: int | None = None
    difference: Poly | None = None

    @property
    def is_of_data(self) -> bool:
        """Return whether it stands for a condition on data."""
        return bool(self.texts) and self.usual is None

    def text(self, value: int) -> str:
        """Return what a value of the flag means."""
        if not self.texts:
            return f"{source_name(self.name)} = {value}"
        return self.texts[self.values.index(value)]


def decided(flags: Sequence[Flag], values: Mapping[str, Number]) -> dict[str, int]:
    """Return the values of those flags that stand for the equality of sizes which have values."""
    return {
        flag.name: int(flag.difference.evaluate(values) == 0)
        for flag in flags
        if flag.difference is not None and flag.difference.names() <= values.keys()
    }


def sizes_for(flags: Sequence[Flag], values: Mapping[str, int]) -> dict[str, Fraction]:
    """Return the sizes that these values of flags leave no choice: 4 where the flag of ``n = 4`` is 1."""
    found: dict[str, Fraction] = {}
    for flag in flags:
        if flag.difference is not None and values.get(flag.name) != flag.usual:
            found |= crossing_of(flag.difference)
    return found


def crossing_of(difference: Poly) -> dict[str, Fraction]:
    """Return the value of its only symbol where a linear difference is 0; empty where it is none of one symbol.

    >>> from .index import var
    >>> crossing_of(2 * var("n") - 8), crossing_of(var("n") - var("m"))
    ({'n': Fraction(4, 1)}, {})
    """
    name = next(iter(difference.names()), "")
    slope = difference.terms.get((name,))
    if slope is None or difference.terms.keys() - {(name,), ()}:
        return {}
    return {name: -Fraction(difference.terms.get((), 0)) / Fraction(slope)}


def assignments(flags: Sequence[Flag]) -> Iterator[dict[str, int]]:
    """Yield combinations of values of some flags, not too many."""
    for values in islice(product(*(flag.values for flag in flags)), _MOST_ASSIGNMENTS):
        yield dict(zip((flag.name for flag in flags), values, strict=True))
