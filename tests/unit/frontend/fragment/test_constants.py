"""Constant expressions of snippets: extents and enumerators are numbers by C's rules."""

import pytest

from analyzer.frontend.fragment.reader import parse_fragment
from analyzer.frontend.options import ParseOptions
from analyzer.frontend.surface.constants import constant_integer
from analyzer.frontend.surface.nodes import ArrayT
from analyzer.source import Language, SourceFile


@pytest.mark.parametrize(
    ("extent", "expected"),
    [
        ("(int)3.7", 3),
        ("(unsigned char)300", 44),
        ("7 / 2 - 7 % 4", 0),
        ("-7 / 2 + 10", 7),
        ("-1 < 0u ? 5 : 6", 6),
        ("~0u >> 28", 15),
        ("sizeof(int) - 5 > 0 ? 2 : 3", 2),
        ("100000 * 100000", 10**10),
        ("8 / (4 - 4)", None),
    ],
)
def test_extents(extent: str, expected: int | None) -> None:
    parsed = parse_fragment(SourceFile("a.c", f"double a[{extent}];", Language.C), ParseOptions())
    (variable,) = parsed.unit.globals
    assert isinstance(variable.type, ArrayT)
    assert constant_integer(variable.type.extent) == expected
