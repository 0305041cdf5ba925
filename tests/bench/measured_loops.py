"""The loops that are timed: templates of C functions, each at sizes from L1 to memory, and their fixed split.

Models are made with the templates of the first draw (:mod:`.measured_first`), of the second (:mod:`.measured_second`,
:mod:`.measured_third`), of the third (:mod:`.measured_fourth`), which were held out at first, and with half of those
that generators drew (:mod:`.measured_fifth`, :mod:`.measured_sixth`); the other half is held out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from .measured_fifth import FIFTH, HELD_OUT_FIFTH
from .measured_first import FIRST
from .measured_fourth import FOURTH
from .measured_second import SECOND
from .measured_sixth import HELD_OUT_SIXTH, SIXTH
from .measured_template import Template
from .measured_third import THIRD

_MOST_WORK = 4_000_000  # innermost iterations of one call
TEMPLATES = (*FIRST, *SECOND, *THIRD, *FOURTH, *FIFTH, *SIXTH)
HELD_OUT = HELD_OUT_FIFTH | HELD_OUT_SIXTH


class Loop(Struct, frozen=True):
    """A template at a size; ``level`` names the innermost level that holds its data."""

    template: Template
    level: str
    n: int

    @property
    def name(self) -> str:
        """Return the name of the instance."""
        return f"{self.template.name}.{self.level}"

    @property
    def held_out(self) -> bool:
        """Whether models are not made with it."""
        return self.template.name in HELD_OUT


def loops(targets: Sequence[tuple[str, int]]) -> Iterator[Loop]:
    """Yield every template at the bytes of each target level, where one call is short enough."""
    for template in TEMPLATES:
        for level, size in targets:
            n = template.size_within(size)
            if n**template.work <= _MOST_WORK or template.work == 1:
                yield Loop(template, level, n)
