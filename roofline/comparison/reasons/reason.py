"""A likely reason of a difference, and the case that the rules look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct, field

from ...measured.results import Sample
from ..performance import Performance
from ..predictions import Prediction
from ..quantities import Row, Verdict
from ..tolerance import Tolerance
from .codes import Code

_LIKE = 0.03


class Delivered(Struct, frozen=True):
    """A level that delivered more bytes per second than its roof."""

    level: str
    bytes_per_s: float
    roof_bytes_per_s: float


class Reason(Struct, frozen=True):
    """What may explain that ``quantity`` (at ``level``) differs.

    ``evidence`` are the numbers that it rests on, ``names`` what these are of, and ``delivered`` the levels above their
    roofs.
    """

    code: Code
    quantity: str
    level: str
    evidence: Mapping[str, float] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    delivered: tuple[Delivered, ...] = ()


class Case(Struct, frozen=True):
    """One joined kernel: measured, predicted, compared.  ``policies`` gives FLOPs by other policies, when asked."""

    sample: Sample
    prediction: Prediction
    rows: tuple[Row, ...]
    performance: Performance
    tolerance: Tolerance
    policies: Callable[[Prediction], Mapping[str, float]]

    def row(self, quantity: str, level: str = "") -> Row | None:
        """Return the row of a quantity at a level."""
        return next((row for row in self.rows if row.quantity == quantity and row.level == level), None)

    def agrees(self, quantity: str, level: str = "") -> bool:
        """Return whether a quantity was compared and agrees."""
        row = self.row(quantity, level)
        return row is not None and row.verdict is Verdict.AGREES

    def differs(self, quantity: str, level: str = "") -> bool:
        """Return whether a quantity was compared and differs."""
        row = self.row(quantity, level)
        return row is not None and row.verdict is Verdict.DIFFERS


def alike(measured: float, candidate: float) -> bool:
    """Return whether a number is close enough to another to be taken for it."""
    return abs(measured - candidate) <= _LIKE * abs(candidate) if candidate else measured == 0
