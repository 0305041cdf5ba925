"""Access patterns of a loop nest, for the rules.

* ``fingerprint``: a digest of the canonical text of the nest with its iterators numbered: it stays the same when lines
  move, and when other loops come or go.
* ``references``: the stride of each memory reference in each loop around it.
* ``divisions`` by a value that is invariant in the innermost loop around them.
* ``promotions``: arithmetic in fp64 on fp32 data and constants.
"""

from __future__ import annotations

from msgspec import Struct

from .ir.index import Poly


class LoopTrait(Struct, frozen=True):
    """A loop around a reference: iterator, line, trip count (None: not a polynomial), and whether it is innermost.

    ``start`` is the first value of its iterator, which may have those of loops around it, and ``step`` what each
    iteration adds; None where the values of the iterator are not evenly spaced.
    """

    iterator: str
    line: int
    trip: Poly | None
    is_innermost: bool
    start: Poly | None = None
    step: int | None = None


class Reference(Struct, frozen=True):
    """One memory reference in a nest.

    ``loops`` are around it, outermost first, and ``steps_bytes`` are its strides in them (None: not known).
    ``unit_bytes`` is the distance of neighbouring elements.  ``on_chip`` memory has no sectors.
    """

    array: str
    text: str
    line: int
    write: bool
    unit_bytes: int
    on_chip: bool
    loops: tuple[LoopTrait, ...]
    steps_bytes: tuple[Poly | None, ...]


class Division(Struct, frozen=True):
    """A floating-point division whose divisor is invariant in the loop over ``iterator``."""

    divisor: str
    line: int
    iterator: str


class Promotion(Struct, frozen=True):
    """Arithmetic in fp64 of which all data are fp32, and some constants are not data."""

    line: int
    end_line: int


class AccessPatterns(Struct, frozen=True):
    """The input of the rules for one nest; empty where there is none."""

    fingerprint: str = ""
    references: tuple[Reference, ...] = ()
    divisions: tuple[Division, ...] = ()
    promotions: tuple[Promotion, ...] = ()
