"""Initialisers with designators: ``{[2] = 5, 6, [0] = 1}`` in the order of the elements, ``{1, 0, 5, 6}``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...source import Span
from .constructs import construct
from .nodes import INT, CType, Expression, InitializerList, Number, OpaqueExpression, ScalarT

_MOST_ELEMENTS = 1 << 16


def in_order(
    items: Iterable[tuple[Sequence[int], Expression]],
    element: CType | None,
    span: Span,
    defaults: Mapping[int, Expression] | None = None,
) -> tuple[Expression, ...]:
    """Return values in the order of their positions, the default or 0 or ``{}`` for those left out.

    An item has the positions that its designators name, none where it follows the one before.  ``element`` is the type
    of the elements of an array, None for a struct.
    """
    placed: dict[int, Expression] = dict(defaults or {})
    following = 0
    for positions, value in items:
        is_known = len(positions) > 0 and positions[0] >= 0 and positions[-1] < _MOST_ELEMENTS
        chosen = positions if is_known else (following,)
        placed.update(dict.fromkeys(chosen, value))
        following = chosen[-1] + 1
    is_row = element is not None and not isinstance(element, ScalarT)
    nothing = (
        InitializerList(element, (), span, clears=True) if element is not None and is_row else Number(0, INT, span)
    )
    return tuple(placed.get(number, nothing) for number in range(max(placed, default=-1) + 1))


def part_of_element(value: Expression, span: Span) -> Expression:
    """Return what ``[1][2] = value`` gives to element 1: something that is no number."""
    return OpaqueExpression(construct("initializer"), (value,), INT, span)
