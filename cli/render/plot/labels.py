"""Places for labels in a plot such that none covers another: the first of a few candidates that is free.

A label, level or rotated, is taken as a row of small squares in pixels; so is whatever must not be covered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field

Square = tuple[float, float, float]  # centre and half side, in pixels
_ASPECT = 0.62
_LINE_STEP = 8.0


class Anchor(Struct, frozen=True):
    """A candidate: where the label starts (``ha`` left), ends or is centred, in pixels."""

    x: float
    y: float
    ha: str = "left"


class Placer(Struct):
    """Remembers what is taken in one plot of the given frame (left, bottom, right, top in pixels)."""

    frame: tuple[float, float, float, float]
    dots_per_point: float
    _taken: list[Square] = field(default_factory=list)

    def block(self, x: float, y: float, half: float) -> None:
        """Keep labels off a marker."""
        self._taken.append((x, y, half))

    def block_line(self, begin: tuple[float, float], end: tuple[float, float]) -> None:
        """Keep labels off a line."""
        number = max(1, math.ceil(math.dist(begin, end) / _LINE_STEP))
        for index in range(number + 1):
            share = index / number
            x, y = (a + (b - a) * share for a, b in zip(begin, end, strict=True))
            self._taken.append((x, y, 1.0))

    def choose(self, text: str, size: float, anchors: Sequence[Anchor], angle: float = 0.0) -> Anchor:
        """Return the first anchor whose label is free, else the one that covers least; takes its place."""
        scored = [(self._cost(self._squares(text, size, anchor, angle)), index) for index, anchor in enumerate(anchors)]
        chosen = anchors[min(scored)[1]]
        self._taken += self._squares(text, size, chosen, angle)
        return chosen

    def _squares(self, text: str, size: float, anchor: Anchor, angle: float) -> list[Square]:
        height = size * self.dots_per_point
        width = len(text) * height * _ASPECT
        start = {"left": 0.0, "center": -width / 2, "right": -width}[anchor.ha]
        half = height * 0.55
        number = max(1, math.ceil(width / (2 * half)))
        turn = math.radians(angle)
        steps = [start + width * (index + 0.5) / number for index in range(number)]
        return [(anchor.x + step * math.cos(turn), anchor.y + step * math.sin(turn), half) for step in steps]

    def _cost(self, squares: list[Square]) -> int:
        left, bottom, right, top = self.frame
        cost = 0
        for x, y, half in squares:
            if x - half < left or x + half > right or y - half < bottom or y + half > top:
                cost += 5
            cost += sum(
                1
                for other in self._taken
                if abs(x - other[0]) < half + other[2] and abs(y - other[1]) < half + other[2]
            )
        return cost


def pixels(axes: Any, x: float, y: float) -> tuple[float, float]:
    """Return the pixels of data coordinates."""
    found = axes.transData.transform((x, y))
    return float(found[0]), float(found[1])


def draw(axes: Any, placer: Placer, text: str, anchors: Sequence[Anchor], *, size: float, **style: Any) -> Anchor:
    """Write a label at the best of its anchors."""
    angle = style.pop("angle", 0.0)
    chosen = placer.choose(text, size, anchors, angle)
    axes.text(
        *axes.transData.inverted().transform((chosen.x, chosen.y)),
        text,
        fontsize=size,
        ha=chosen.ha,
        va="center_baseline" if angle == 0 else "center",
        rotation=angle,
        rotation_mode="anchor",
        parse_math=False,
        **style,
    )
    return chosen
