"""Results to JSON and back."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from analyzer.frontend.lower.kernels.kernel import KernelLaunch
from analyzer.ir.index import FloorDiv, Poly, var
from analyzer.ir.launches import Launch
from analyzer.pipeline import analyze
from analyzer.source import Span, read_source
from analyzer.usage import FunctionUsage
from cli.cache.codec import CodecError, decode, encode
from cli.cache.store import compressed, decompressed

CORPUS = Path(__file__).parents[4] / "corpus"


def _text(value: object) -> str:
    """Return the representation of a value, with sets in order: theirs follows the seed of hashes."""
    return re.sub(r"frozenset\(\{([^{}]*)\}\)", lambda found: str(sorted(found[1].split(", "))), repr(value))


@pytest.mark.parametrize("case", ["stencil7/kernel.c", "cuda_transpose/kernel.cu", "vector_triad/README.md"])
def test_profiles_come_back_as_they_were(case: str) -> None:
    profiles = analyze(read_source(str(CORPUS / case)))
    assert _text(decode(encode(profiles))) == _text(profiles)


def test_plain_values() -> None:
    value = (1, True, 1.5, None, "a", Fraction(1, 3), frozenset({"x", "y"}), {"k": (1,)}, Span("f.c", 1, 2))
    found = decode(encode(value))
    assert found == value
    assert [type(part) for part in found[:2]] == [int, bool]


def test_sets_of_objects_without_an_order_come_back() -> None:
    used = frozenset({Span("f.c", 1, 2), Span("a.c", 3, 4)})
    assert decode(encode(used)) == used
    assert encode(used) == encode(frozenset(sorted(used, key=str)))


def test_fields_that_are_given_by_keyword_come_back() -> None:
    used = FunctionUsage(key="f", name="f", path="a.c", lines=(1, 2), is_static=False, calls=(), clues=())
    launch = KernelLaunch(kernel="k", launch=Launch((1, 1, 1), (32, 1, 1), None, "a.cu:3"))
    assert decode(encode((used, launch))) == (used, launch)


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
        '{"classes":[["analyzer.source:Span",["path","line","end_line","column"]]],"nodes":["x",1,[4,0,1,1]]}',
        '{"classes":[["analyzer.source:Span",["path","line","end_line","column"]]],"nodes":["x",1,[4,0,1,1,1,1]]}',
        '{"classes":[["analyzer.source:Span",["path","line","end_line","column"]]],"nodes":["x",true,[4,0,1,1,1]]}',
        '{"classes":[["analyzer.source:Span",["path","end_line","line","column"]]],"nodes":["x",1,[4,0,1,1,1]]}',
        '{"classes":[["analyzer.source:Language",[]]],"nodes":[[4,"c","c"]]}',
        '{"classes":[["re:RegexFlag",[]]],"nodes":[[4,2]]}',
        '{"classes":[],"nodes":[[3,1,0]]}',
        '{"classes":[],"nodes":[[3,1]]}',
        '{"classes":[],"nodes":[[3,0.5,1]]}',
        '{"classes":[],"nodes":[[-1]]}',
        '{"classes":[],"nodes":[{}]}',
        '{"classes":[],"nodes":[NaN]}',
        '{"classes":[],"nodes":[1e999]}',
        '{"classes":[],"nodes":[1],"more":1}',
        '{"classes":[],"nodes":[' + "9" * 5000 + "]}",
        "[" * 100_000,
    ],
)
def test_other_data_is_refused(text: str) -> None:
    with pytest.raises(CodecError):
        decode(text)


def test_only_plain_data_is_stored() -> None:
    with pytest.raises(CodecError, match="object is not plain data"):
        encode((object(),))


def nested(depth: int) -> Poly:
    found = var("n")
    for _ in range(depth):
        found = Poly({(FloorDiv(found, var("m")),): 1})
    return found


def test_what_nests_too_deeply_is_refused() -> None:
    assert decode(encode(nested(40))) == nested(40)
    text = encode(nested(60))
    with pytest.raises(CodecError, match="nested"):
        decode(text)
    assert decode(text, trusted=True) == nested(60)


def test_what_cannot_come_back_is_not_stored() -> None:
    for value in (float("nan"), float("inf"), 10**5000, nested(2000)):
        with pytest.raises(CodecError):
            encode((value,))


def test_nothing_divides_by_zero() -> None:
    for divisor in (Poly({}), Poly({(): 0})):
        with pytest.raises(CodecError):
            decode(encode(Poly({(FloorDiv(var("n"), divisor),): 1})))


def test_a_size_is_known_before_all_is_unpacked() -> None:
    with pytest.raises(CodecError):
        decompressed(compressed("x" * (65 * 2**20)))
    with pytest.raises(CodecError):
        decompressed(compressed("text")[:-1])
    with pytest.raises(CodecError):
        decompressed(compressed("text") + b"x")
