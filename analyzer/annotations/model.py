"""What comments of the form ``ai-estimate: ...`` say: facts, demands on loops, and findings to pass over.

The shapes only; :mod:`analyzer.annotations.parse` reads them from source text.
"""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from ..source import Span


class Role(Enum):
    """What an annotation is for; the value is how it is written."""

    HOT = "hot"
    MIN_AI = "min-ai"
    BOUND = "bound"
    ASSUME = "assume"
    TRIP = "trip"
    IGNORE = "ignore"
    IGNORE_NEXT_LINE = "ignore-next-line"
    IGNORE_BEGIN = "ignore-begin"
    IGNORE_END = "ignore-end"
    IGNORE_FILE = "ignore-file"


FACTS = frozenset({Role.ASSUME, Role.TRIP})
DEMANDS = frozenset({Role.HOT, Role.MIN_AI, Role.BOUND})
SUPPRESSIONS = frozenset(Role) - FACTS - DEMANDS


class Annotation(Struct, frozen=True):
    """One item of a comment.

    ``target`` is the line of code that it applies to: its own where code stands there, else the next one (0: none).
    ``name`` is the size of an ``assume`` and the iterator of a ``trip``; ``codes`` are those of an ``ignore``, all
    where there are none.
    """

    role: Role
    span: Span
    target: int
    name: str = ""
    value: str = ""
    codes: tuple[str, ...] = ()

    def covers(self, code: str) -> bool:
        """Return whether an ``ignore`` speaks of this code."""
        return not self.codes or code in self.codes

    def __str__(self) -> str:
        """Render as written."""
        match self.role:
            case Role.ASSUME:
                return f"assume {self.name}={self.value}"
            case Role.TRIP:
                return f"trip({self.name})={self.value}"
            case Role.MIN_AI | Role.BOUND:
                return f"{self.role.value}={self.value}"
            case _:
                codes = f"[{', '.join(self.codes)}]" if self.codes else ""
                return f"{self.role.value}{codes}"
