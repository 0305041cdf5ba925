"""What a document may hold: every limit, with the line and path of what passes it, in short time and little memory."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from analyzer.data_files.documents import parse_json, parse_toml
from analyzer.data_files.numbers import rational, whole
from analyzer.data_files.structure import (
    MOST_DEPTH,
    MOST_JSON_VALUES,
    MOST_KEY_PARTS,
    MOST_TOML_VALUES,
    BeyondLimit,
    check_json,
    check_toml,
)
from analyzer.data_files.values import Origin, Value
from analyzer.errors import OptionError

Parse = Callable[..., Value]
TOO_LARGE = {
    "brackets": (parse_toml, "x = 1\na = " + "[" * 50_000, "2: nests more than 64 levels"),
    "brackets that close": (parse_toml, "a = " + "[" * 65 + "]" * 65, "1: nests more than 64 levels"),
    "inline tables": (parse_toml, "a = " + "{a=" * 50_000, "1: nests more than 64 levels"),
    "key": (parse_toml, "\na" + ".a" * 50_000 + " = 1", "2: holds a key of more than 16 parts"),
    "quoted key": (parse_toml, '"a"' + " . 'a.b'" * 17 + " = 1", "1: holds a key of more than 16 parts"),
    "header": (parse_toml, "[a" + ".a" * 50_000 + "]", "1: holds a key of more than 16 parts"),
    "list": (parse_toml, "a = [" + "1," * 500_000 + "]", "1: holds more than 20000 values"),
    "sections": (parse_toml, "[a]\nb = 1\n" * 15_000, "20001: holds more than 20000 values"),
    "section twice": (parse_toml, "[a]\n[a]\n", "2: not a valid TOML file: Cannot declare"),
    "digits": (parse_toml, "x = 1\na = " + "1" * 10_000, "2: holds a number of too many digits"),
    "hexadecimal": (parse_toml, "[t]\na = [0x" + "1" * 10_000 + "]", "2: t.a[0] is beyond 9.2e+18"),
    "65 bits": (parse_toml, "a = 9223372036854775808", "1: a is beyond 9.2e+18"),
    "infinite": (parse_toml, "a = [1,\n{ b = 1e999 }]", "2: a[1].b is not a finite number"),
    "no number": (parse_toml, "a = nan", "1: a is not a finite number"),
    "escaped NUL": (parse_toml, 'a = "\\u0000"', "1: a holds a character that is no text"),
    "arrays": (parse_json, "\n" + "[" * 50_000, "2: nests more than 64 levels"),
    "objects": (parse_json, '{"a":' * 50_000, "1: nests more than 64 levels"),
    "behind texts": (parse_json, '["]\\"]", ' + "[" * 64, "1: nests more than 64 levels"),
    "long list": (parse_json, "[" + "1," * 10_000_000 + "1]", "1: holds more than 1000000 values"),
    "many digits": (parse_json, "[\n" + "1" * 10_000 + "]", "2: holds a number of too many digits"),
    "100 digits": (parse_json, '{"a": [0,\n' + "1" * 100 + "]}", "2: a[1] is beyond 1e+30"),
    "overflow": (parse_json, '{"a": 1e999}', "1: a is not a finite number"),
    "constant": (parse_json, '{"a": {"b": -Infinity}}', "1: a.b is not a finite number"),
    "key twice": (parse_json, '{"a": 1,\n"b": [{"c": 1,\n"c": 2}]}', "3: b[0].c stands twice"),
    "half a pair": (parse_json, '["\\ud800"]', "1: [0] holds a character that is no text"),
    "half a pair in a key": (parse_json, '{"\\udfff": 1}', "1: "),
    "NUL": (parse_json, '["\\u0000"]', "1: [0] holds a character that is no text"),
    "cut off": (parse_json, '{"a": [1,\n2', "2: is not valid JSON"),
    "empty": (parse_json, "", "1: is not valid JSON"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_asks_for_too_much_is_refused_with_its_line(name: str) -> None:
    parse, text, told = TOO_LARGE[name]
    tracemalloc.start()
    with pytest.raises(OptionError) as caught:
        parse(text, "f", error=OptionError)
    memory = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert str(caught.value).startswith(f"f:{told}")
    assert caught.value.hint
    assert memory < 50 << 20


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (parse_toml, "a = " + "[" * MOST_DEPTH + "]" * MOST_DEPTH, None),
        (parse_toml, "a" + ".a" * (MOST_KEY_PARTS - 1) + " = 1", None),
        (parse_toml, "a = [" + "1," * (MOST_TOML_VALUES - 2) + "]", None),
        (parse_toml, 'a = "[[[" # [[[\nb = \'{\'\nc = """["""\n', {"a": "[[[", "b": "{", "c": "["}),
        (parse_toml, "a = -9223372036854775808", {"a": -(2**63)}),
        (parse_json, "[" * MOST_DEPTH + "]" * MOST_DEPTH, None),
        (parse_json, '["\\udcff", "' + "[" * 100 + '"]', ["\udcff", "[" * 100]),
        (parse_json, "[1e30, 1000000000000000000000000000000]", [1e30, 10**30]),
    ],
)
def test_what_is_within_the_limits_is_read(parse: Parse, text: str, value: Any) -> None:
    data = parse(text, "f", error=OptionError).data
    assert value is None or data == value


@pytest.mark.slow
def test_limits_are_as_stated() -> None:
    check_json("[" + "," * (MOST_JSON_VALUES - 1))
    with pytest.raises(BeyondLimit):
        check_json("[" + "," * MOST_JSON_VALUES)
    check_toml("," * MOST_TOML_VALUES)
    with pytest.raises(BeyondLimit):
        check_toml("," * (MOST_TOML_VALUES + 1))


@pytest.mark.slow
@pytest.mark.parametrize("letters", ['"', "'", "\\", '\\"', '"""\\', "'''", "#", " ", "a", ".\n", '"a', "\n", "é"])
def test_the_check_is_linear(letters: str) -> None:
    start = time.process_time()
    for check in (check_json, check_toml):
        for text in (letters * 300_000, "a = " + letters * 300_000, "[" + letters * 300_000):
            try:
                check(text)
            except BeyondLimit:
                continue
    assert time.process_time() - start < 100  # a second; hours where it is quadratic


def test_nan_of_tools_is_not_measured() -> None:
    assert parse_json('{"cv": NaN}', "f", error=OptionError, nan_is_null=True).data == {"cv": None}


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (
            lambda v: v["ceilings"].items()[1].entries()["bandwidth"].number(0, 1),
            'ceilings[1].bandwidth must be a number, not "x"',
        ),
        (
            lambda v: v["ceilings"].items()[0].entries()["bandwidth"].number(0, 1),
            "ceilings[0].bandwidth must be between 0 and 1, not 7",
        ),
        (lambda v: v["ceilings"].items()[0].entries(("name",)), "ceilings[0] has no name (add name)"),
        (lambda v: v["cores"].integer(1, 64), "cores must be at most 64, not 65"),
        (lambda v: v["flag"].integer(0), "flag must be a whole number of at least 0, not true"),
        (lambda v: v["cores"].flag(), "cores must be true or false, not 65"),
        (lambda v: v["cores"].text(), "cores must be a text, not 65"),
        (lambda v: v["cores"].items(), "cores must be a list, not 65"),
        (lambda v: v["ceilings"].entries(), "ceilings must be a table, not a list"),
        (lambda v: v["long"].choice(("a", "b")), 'long must be one of a, b, not "' + "x" * 60 + '..."'),
    ],
)
def test_what_is_wrong_is_told_by_its_path(ask: Callable[[dict[str, Value]], object], told: str) -> None:
    data = {"ceilings": [{"bandwidth": 7}, {"bandwidth": "x"}], "cores": 65, "flag": True, "long": "x" * 10**6}
    entries = Value(data, (), Origin("f", OptionError)).entries()
    with pytest.raises(OptionError) as caught:
        ask(entries)
    assert str(caught.value) == f"f: {told}"


@pytest.mark.parametrize(
    "text", ["1e999999999", "1e-999999999", "9" * 41, "1/" + "9" * 41, "0." + "1" * 41, "1/0", "", "٣", "nan"]
)
def test_numbers_that_arithmetic_cannot_bear_are_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"digits|over 0"):
        rational(text)
    assert whole(text) is None
