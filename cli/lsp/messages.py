"""Lenses, hovers and diagnostics of one text, as plain values that go through a pipe.

Lines count from 0, as in the protocol (Language Server Protocol 3.17), columns in UTF-16 units.
"""

from __future__ import annotations

from msgspec import Struct, convert, to_builtins

from ..visible import visible_in


class Lens(Struct, frozen=True):
    """One line of text over a loop nest or a kernel."""

    line: int
    title: str


class Hover(Struct, frozen=True):
    """The derivation of a nest, for any of its lines."""

    line: int
    end_line: int
    text: str


class Problem(Struct, frozen=True, kw_only=True):
    """One diagnostic on one line; severity as in the protocol (1 error, 2 warning, 3 information)."""

    line: int
    column: int
    end_column: int
    severity: int
    code: str
    message: str


class Edit(Struct, frozen=True):
    """New text for the characters between two positions."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


class Action(Struct, frozen=True):
    """A change of the text that follows an advice on a nest in some lines."""

    line: int
    end_line: int
    title: str
    edits: tuple[Edit, ...]


class Insight(Struct, frozen=True):
    """All messages about one text; ``complaint`` says why options cannot be used, empty where they can.

    ``is_partial`` where something had to be given up.
    """

    lenses: tuple[Lens, ...] = ()
    hovers: tuple[Hover, ...] = ()
    problems: tuple[Problem, ...] = ()
    actions: tuple[Action, ...] = ()
    complaint: str = ""
    is_partial: bool = False

    def as_primitive(self) -> dict[str, object]:
        """Return dictionaries and lists, every text visible."""
        primitive = visible_in(to_builtins(self))
        assert isinstance(primitive, dict)
        return primitive

    @classmethod
    def of_primitive(cls, primitive: dict[str, list[dict[str, object]]]) -> Insight:
        """Return the insight of :meth:`as_primitive`."""
        return convert(primitive, cls)

    def hover_at(self, line: int) -> Hover | None:
        """Return the smallest nest around a line."""
        around = [hover for hover in self.hovers if hover.line <= line <= hover.end_line]
        return min(around, key=lambda hover: hover.end_line - hover.line, default=None)
