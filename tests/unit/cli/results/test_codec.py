"""Results to JSON and back."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from analyzer.ir.index import FloorDiv, Poly, var
from analyzer.pipeline import analyze
from analyzer.source import Span, read_source
from cli.results.codec import CodecError, decode, encode

CORPUS = Path(__file__).parents[4] / "corpus"


@pytest.mark.parametrize("case", ["stencil7/kernel.c", "cuda_transpose/kernel.cu", "vector_triad/README.md"])
def test_profiles_come_back_as_they_were(case: str) -> None:
    profiles = analyze(read_source(str(CORPUS / case)))
    assert repr(decode(encode(profiles))) == repr(profiles)


def test_plain_values() -> None:
    value = (1, True, 1.5, None, "a", Fraction(1, 3), frozenset({"x", "y"}), {"k": (1,)}, Span("f.c", 1, 2))
    found = decode(encode(value))
    assert found == value
    assert [type(part) for part in found[:2]] == [int, bool]


def test_polynomials() -> None:
    poly = (var("n") + 1) * var("m") + Poly({(FloorDiv(var("n"), var("m")),): Fraction(1, 2)})
    assert decode(encode(poly)) == poly


def test_shared_parts_are_stored_once() -> None:
    span = Span("f.c", 1, 2)
    assert len(json.loads(encode((span, span, span)))["nodes"]) == len(json.loads(encode((span,)))["nodes"])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"classes":[],"nodes":[]}',
        '{"classes":[],"nodes":[[9]]}',
        '{"classes":[["os:system",["command"]]],"nodes":["true",[4,0]]}',
        '{"classes":[["analyzer.source:Path",[]]],"nodes":[[4]]}',
        '{"classes":[["analyzer.source:read_source",[]]],"nodes":["x",[4,0]]}',
        '{"classes":[["analyzer.source:Span",["path"]]],"nodes":["x",[4,0]]}',
        '{"classes":[["analyzer.source:Language",[]]],"nodes":[[4,"cobol"]]}',
        '{"classes":[],"nodes":[[3,1,0]]}',
    ],
)
def test_other_data_is_refused(text: str) -> None:
    with pytest.raises(CodecError):
        decode(text)


def test_only_plain_data_is_stored() -> None:
    with pytest.raises(CodecError, match="object is not plain data"):
        encode((object(),))
