"""Data files made of data files by their structure: trees of JSON and TOML, rows of tables; now and then bytes as well.

Bytes changed at random hardly ever leave a document.  Here values change their types and places, keys go, stand twice
or take other names, numbers and texts become extreme ones, and tables nest; the result is written as a document again.
"""

from __future__ import annotations

import json
import random
import tomllib
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ..property.damage import damaged

TEXTS = (
    *("", " ", "x", "0", "-1", "1e999999999", "1/0", "1/12", "nan", "true", "a\nb", "\0", "\ud800", "\udcff", "\u202e"),
    *("../../x", "/dev/zero", "~", "*a*a*a*a*a*b", "[", "'", '"', "::error::", "9" * 30, "9" * 5000, "x" * 5000),
    *("/" * 300, "a/" * 300, "%s", "{}", "fp64", "$(x)", "\\"),
)
NUMBERS = (
    *(0, 1, -1, 2, 7, 64, 2**31, 2**63 - 1, 2**63, 2**64, 10**30, 10**31, 10**400, -(2**63), True, False),
    *(0.0, -0.0, 0.5, 1.0, 1e-9, 1e-320, 1e308, -1e308, float("inf"), float("nan")),
)
_SHARE_OF_BYTES = 0.15
_MOST_CHARACTERS = 1 << 20
_ENCODINGS = ("utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "utf-7", "cp037")


class Pairs(list[list[Any]]):
    """A table as its pairs, so that a key can stand twice."""


def mutated(data: bytes, form: str, chance: random.Random) -> bytes:
    """Return another document of a form (``json``, ``jsonl``, ``toml``, ``table`` or ``lines``)."""
    parse, write = _FORMS[form]
    document = _copied(_parsed(parse, data))
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3, 6))):
        document = (_edited_rows if form in ("table", "lines") else _edited)(document, chance)
    try:
        text = write(document)
    except RecursionError:  # nested by several edits
        text = chance.choice("[{") * 400
    text = text[:_MOST_CHARACTERS]
    if chance.random() < _SHARE_OF_BYTES:
        return _bytes_changed(text, chance)
    return text.encode("utf-8", "surrogatepass")


def _copied(value: Any) -> Any:
    if isinstance(value, Pairs):
        return Pairs([key, _copied(item)] for key, item in value)
    return [_copied(item) for item in value] if isinstance(value, list) else value


@lru_cache(maxsize=256)
def _parsed(parse: Callable[[str], Any], data: bytes) -> Any:
    return parse(data.decode("utf-8"))


def _bytes_changed(text: str, chance: random.Random) -> bytes:
    match chance.randrange(4):
        case 0:
            return text.encode(chance.choice(_ENCODINGS), "replace")
        case 1:
            data = text.encode("utf-8", "surrogatepass")
            return data[: chance.randrange(len(data) + 1)]
        case 2:
            changed = bytearray(text.encode("utf-8", "surrogatepass") or b"\n")
            for _ in range(chance.choice((1, 1, 3, 10))):
                changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
            return bytes(changed)
        case _:
            return damaged(text, chance).encode("utf-8", "surrogatepass")


def _slots(document: Any) -> list[tuple[Any, int]]:
    """Return where the values of a document stand: a list or a pair, and the index in it."""
    found: list[tuple[Any, int]] = []
    waiting = [document]
    while waiting:
        container = waiting.pop()
        slots = (
            [(pair, 1) for pair in container]
            if isinstance(container, Pairs)
            else [(container, k) for k in range(len(container))]
        )
        found += slots
        waiting += [holder[at] for holder, at in slots if isinstance(holder[at], list)]
    return found


def _edited(document: Any, chance: random.Random) -> Any:
    slots = _slots(document) if isinstance(document, list) else []
    if not slots or chance.random() < 0.01:
        return _extreme(chance)
    holder, at = chance.choice(slots)
    value = holder[at]
    match chance.randrange(10):
        case 0 | 1 | 2:
            holder[at] = _extreme(chance)
        case 3:
            holder[at] = _other_type(value)
        case 4:
            other, index = chance.choice(slots)
            holder[at] = _copied(other[index])
        case 5 if isinstance(value, list):
            value *= chance.choice((0, 2, 2, 3, 20))
        case 5:
            holder[at] = [value] if chance.random() < 0.5 else Pairs([[chance.choice(TEXTS), value]])
        case 6:
            holder[at] = _nested(value, chance)
        case _:
            _edit_keys(slots, document, chance)
    return document


def _edit_keys(slots: list[tuple[Any, int]], document: Any, chance: random.Random) -> None:
    """Take away, repeat or rename the key of a table."""
    tables = [
        found for found in (document, *(holder[at] for holder, at in slots)) if isinstance(found, Pairs) and found
    ]
    if not tables:
        return
    table = chance.choice(tables)
    at = chance.randrange(len(table))
    match chance.randrange(4):
        case 0 | 1:
            del table[at]
        case 2:
            table.insert(chance.randrange(len(table) + 1), _copied(table[at]))
        case _:
            table[at][0] = chance.choice(
                (*TEXTS, table[at][0] + "s", table[at][0][:-1], chance.choice(chance.choice(tables))[0])
            )


def _extreme(chance: random.Random) -> Any:
    return chance.choice((chance.choice(TEXTS), chance.choice(NUMBERS), None, [], Pairs()))


def _other_type(value: Any) -> Any:
    match value:
        case Pairs():
            return [pair[1] for pair in value]
        case list():
            return Pairs([[str(index), item] for index, item in enumerate(value)])
        case str():
            return len(value)
        case _:
            return str(value) if not isinstance(value, int) or abs(value) < 10**300 else "big"


def _nested(value: Any, chance: random.Random) -> Any:
    for _ in range(1 if isinstance(value, list) else chance.choice((1, 3, 70))):
        value = [value] if chance.random() < 0.5 else Pairs([["a", value]])
    return value


def _plain_pairs(value: Any) -> Any:
    if isinstance(value, dict):
        return Pairs([key, _plain_pairs(item)] for key, item in value.items())
    return [_plain_pairs(item) for item in value] if isinstance(value, list) else value


def _number(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**300:
        return "1" + "0" * 9999
    return json.dumps(value)


def write_json(value: Any) -> str:
    """Return JSON text; keys may stand twice."""
    match value:
        case Pairs():
            return "{" + ", ".join(f"{json.dumps(key)}: {write_json(item)}" for key, item in value) + "}"
        case list():
            return "[" + ", ".join(map(write_json, value)) + "]"
        case _:
            return _number(value)


def write_toml(value: Any) -> str:
    """Return TOML text: tables of the root under headers, everything below inline."""
    if not isinstance(value, Pairs):
        return f"a = {_inline(value)}\n"
    plain = [pair for pair in value if not isinstance(pair[1], Pairs)]
    tables = [pair for pair in value if isinstance(pair[1], Pairs)]
    text = "".join(f"{_toml_key(key)} = {_inline(item)}\n" for key, item in plain)
    for key, table in tables:
        text += f"[{_toml_key(key)}]\n" + "".join(f"{_toml_key(name)} = {_inline(item)}\n" for name, item in table)
    return text


def _toml_key(key: str) -> str:
    return key if key.replace("-", "_").isidentifier() and key.isascii() else _toml_text(key)


def _toml_text(text: str) -> str:
    return json.dumps(text, ensure_ascii="\0" in text)


def _inline(value: Any) -> str:
    match value:
        case Pairs():
            return "{ " + ", ".join(f"{_toml_key(key)} = {_inline(item)}" for key, item in value) + " }"
        case list():
            return "[" + ", ".join(map(_inline, value)) + "]"
        case str():
            return _toml_text(value)
        case float():
            return repr(value)
        case None:
            return "null"
        case _:
            return _number(value)


def _rows(text: str) -> list[list[str]]:
    return [line.split(",") for line in text.split("\n")]


def _edited_rows(rows: list[list[str]], chance: random.Random) -> list[list[str]]:
    """Return rows of which one cell, row or column is another."""
    at = chance.randrange(len(rows))
    row = rows[at]
    cell = chance.randrange(len(row)) if row else 0
    match chance.randrange(9):
        case 0 | 1 | 2 if row:
            row[cell] = str(_cell(chance))
        case 3 if row:
            row[cell] = f'"{row[cell]}' if chance.random() < 0.5 else row[cell] + chance.choice(TEXTS)
        case 4:
            return [[*one[:cell], *one[cell + 1 :]] for one in rows]
        case 5:
            return [
                [*one[: cell + 1], *one[cell : cell + 1] * chance.choice((1, 1, 5, 200)), *one[cell + 1 :]]
                for one in rows
            ]
        case 6:
            other = chance.randrange(len(rows))
            rows[at], rows[other] = rows[other], rows[at]
        case 7:
            rows[at : at + 1] = [list(row) for _ in range(chance.choice((0, 2, 2, 50)))]
        case _ if row:
            other = chance.choice(rows)
            row[cell] = chance.choice(other) if other else ""
    return rows or [[""]]


def _cell(chance: random.Random) -> object:
    value = chance.choice((chance.choice(TEXTS), chance.choice(NUMBERS)))
    return "9" * 5000 if isinstance(value, int) and abs(value) >= 10**300 else value


def _write_rows(rows: list[list[str]]) -> str:
    return "\n".join(map(",".join, rows))


def _parse_lines(text: str) -> Any:
    return [_plain_pairs(json.loads(line)) for line in text.split("\n") if line.strip()]


def _write_lines(documents: Any) -> str:
    return "\n".join(map(write_json, documents)) if isinstance(documents, list) else write_json(documents)


_FORMS: dict[str, tuple[Callable[[str], Any], Callable[[Any], str]]] = {
    "json": (lambda text: _plain_pairs(json.loads(text)), write_json),
    "jsonl": (_parse_lines, _write_lines),
    "toml": (lambda text: _plain_pairs(tomllib.loads(text)), write_toml),
    "table": (_rows, _write_rows),
    "lines": (lambda text: [line.split(" ") for line in text.split("\n")], lambda rows: "\n".join(map(" ".join, rows))),
}
