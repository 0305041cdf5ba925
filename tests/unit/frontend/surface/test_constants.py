"""Values of constant expressions."""

import pytest

from analyzer.frontend.surface import nodes as sx
from analyzer.frontend.surface.constants import constant_integer, constant_value
from analyzer.source import Span

_AT = Span("x.c", 1, 1)


def number(value: float) -> sx.Number:
    return sx.Number(value, sx.INT, _AT)


def binary(sign: str, left: sx.Expression, right: sx.Expression) -> sx.Expression:
    return sx.Binary(sign, left, right, _AT)


@pytest.mark.parametrize(
    ("sign", "left", "right", "value"),
    [("/", -7, 2, -3), ("%", -7, 2, -1), ("/", 1, 0, None), ("<<", 1, 64, None), (">>", 8, 2, 2), ("/", 1.0, 2, 0.5)],
)
def test_arithmetic_of_c(sign: str, left: float, right: float, value: float | None) -> None:
    assert constant_value(binary(sign, number(left), number(right))) == value


def test_the_arm_that_is_not_chosen_may_be_anything() -> None:
    unknown = sx.Text("t", _AT)
    assert constant_integer(sx.Conditional(number(1), number(4), unknown, _AT)) == 4
    assert constant_integer(sx.Conditional(number(0), number(4), unknown, _AT)) is None
    assert constant_integer(sx.Conditional(unknown, number(4), number(4), _AT)) is None
    assert constant_integer(sx.Cast(sx.INT, sx.Unary("-", number(3), _AT), _AT)) == -3
    assert constant_integer(None) is None
