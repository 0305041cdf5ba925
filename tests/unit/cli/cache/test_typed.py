"""What the fields of stored values may hold."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from typing import Any, Union

import pytest
from msgspec import Struct

from analyzer.diagnostics import Diagnostic, Phrase
from analyzer.ir.nodes import Assumption
from analyzer.profile import FileProfile
from analyzer.source import Language, Span
from analyzer.traffic.hierarchy import CacheLevel, Inclusion
from cli.cache.typed import shape_of


class Color(Enum):
    RED = 1


class Part(Struct, frozen=True):
    line: int


class Holder(Struct, frozen=True):
    whole: int
    line_bytes: int
    share: float
    exact: Fraction
    text: str
    flag: bool
    color: Color
    part: Part | None
    row: tuple[Part, ...]
    pair: tuple[int | None, str]
    names: frozenset[str]
    terms: Mapping[tuple[str, ...], Union[int, Fraction]]  # as in the analysis


GOOD: dict[str, Any] = {
    "whole": 0, "line_bytes": 64, "share": 0.5, "exact": Fraction(-1, 2), "text": "x", "flag": True, "color": Color.RED,
    "part": None, "row": (Part(1), Part(2)), "pair": (None, "x"), "names": frozenset("ab"), "terms": {("n",): -1},
}  # fmt: skip
NAN, INFINITE = float("nan"), float("inf")
WRONG: dict[str, tuple[Any, ...]] = {
    "whole": (True, 1.0, "1", None, -1, 2**63, Color.RED),
    "line_bytes": (0, -64, 64.0),
    "share": (NAN, INFINITE, -0.5, "1", None, True, 2**63),
    "exact": (1, 0.5, Fraction(2**1000), Fraction(1, 2**1000)),
    "text": (1, b"x", None, ("x",)),
    "flag": (1, 0, None, "true"),
    "color": (1, "RED", None),
    "part": (1, Holder, "x", (Part(1),)),
    "row": (Part(1), (1,), (Part(1), None), [Part(1)], frozenset()),
    "pair": ((), (1,), (1, "x", "x"), ("x", 1), (1, None)),
    "names": ({"a"}, ("a",), frozenset((1,)), frozenset(("a", None))),
    "terms": (
        {"n": 1},
        {("n",): 0.5},
        {(1,): 1},
        {("n",): 2**1000},
        {("n",): 0},
        {("n",): Fraction(0)},
        {("n",): None},
        (("n", 1),),
    ),
}


def fits(**changed: Any) -> bool:
    return shape_of(Holder).fits(list((GOOD | changed).values()))


def test_what_is_right() -> None:
    assert fits()
    assert fits(part=Part(3), share=1, terms={(): Fraction(1, 3), ("n", "m"): 2**200}, row=(), names=frozenset())


@pytest.mark.parametrize("name", GOOD)
def test_what_is_wrong(name: str) -> None:
    assert [value for value in WRONG[name] if fits(**{name: value})] == []


def test_fields_are_all_there_and_no_more() -> None:
    values = list(GOOD.values())
    assert not any(shape_of(Holder).fits(row) for row in (values[:-1], [*values, 1], []))


def test_a_cache_is_no_larger_than_it_is() -> None:
    level = ["L1", 2**15, 8, 64, Inclusion.INCLUSIVE, 1, 0.5, False]
    assert shape_of(CacheLevel).fits(level)
    assert not any(shape_of(CacheLevel).fits([*level[:6], share, False]) for share in (0, 0.0, 1.5, 2, NAN))


def test_frontends_are_known() -> None:
    found = FileProfile("f.c", Language.C, "clang", (), (), "", "")
    profile = [getattr(found, name) for name in FileProfile.__struct_fields__]
    assert shape_of(FileProfile).fits(profile)
    assert not shape_of(FileProfile).fits([*profile[:2], "gcc", *profile[3:]])


def test_codes_are_known() -> None:
    span = Span("f.c", 1, 1)
    assert shape_of(Diagnostic).fits(["AI001", span, "ends", ()])
    assert not shape_of(Diagnostic).fits(["AI999", span, "ends", ()])
    assert not shape_of(Diagnostic).fits(["AI001", span, "not there", ()])


@pytest.mark.parametrize(
    ("form", "fields", "fits"),
    [
        ("near-capacity", (("level", "L2"), ("share", 0.5)), True),
        ("near-capacity", (("level", "L2"), ("share", "half")), False),
        ("near-capacity", (("level", "L2"),), False),
        ("another", (), False),
        ("near-capacity", (("level", Phrase.of("AI213", "memory")), ("share", 0)), True),
    ],
)
def test_an_assumption_has_a_sentence(form: str, fields: tuple[Any, ...], fits: bool) -> None:
    assert shape_of(Assumption).fits(["AI209", Span("a.c", 1, 1), form, "", fields]) is fits


@pytest.mark.parametrize(
    ("form", "fields", "fits"),
    [
        ("names", (("names", ("n", Phrase.of("AI210", "divisor"))),), True),
        ("names", (), False),
        ("another", (), False),
        ("names", (("names", b"n"),), False),
    ],
)
def test_a_phrase_is_of_the_catalog(form: str, fields: tuple[Any, ...], fits: bool) -> None:
    assert shape_of(Phrase).fits(["AI210", form, fields]) is fits
