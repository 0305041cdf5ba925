"""Files of ``--values``: values of symbols by name, as reports print them.

TOML (``.toml``), where a dotted key is a dotted name, or else lines ``NAME = VALUE`` with ``#`` before comments.
Values are those of ``-D``, without ranges::

    n = 4096            # of every function
    n@relax = 64        # of one; in TOML such names are quoted: "n@relax" = 64, "g->nx" = 128
    g->nx = 128
    x.size = 1e6
    trip_L12 = 2.5      # an average
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from msgspec import Struct

from analyzer.data_files.documents import read_toml
from analyzer.data_files.files import read_text
from analyzer.data_files.values import Value
from analyzer.errors import OptionError

from .defines import Define, parse_define


class GivenAt(Struct, frozen=True):
    """A value with the file and line that give it."""

    define: Define
    path: str
    line: int


def read_values(path: str) -> tuple[GivenAt, ...]:
    """Return the values of a file in order; raises ``OptionError`` at the line of a mistake."""
    entries = _of_toml(path) if PurePath(path).suffix == ".toml" else _of_lines(path)
    found: dict[str, GivenAt] = {}
    for name, value, line in entries:
        if name in found:
            hint = f"remove it or that of line {found[name].line}"
            raise OptionError(f"{name} has a value already", path=path, line=line, hint=hint)
        found[name] = GivenAt(_define(name, value, path, line), path, line)
    return tuple(found.values())


def _define(name: str, value: str, path: str, line: int) -> Define:
    try:
        define = parse_define(f"{name}={value}")
    except OptionError as error:
        raise OptionError(error.message.removeprefix("-D "), path=path, line=line, hint=error.hint) from None
    if define.values or define.name != name:
        text = f"{name} = {value} is not one value" if define.values else f"{name!r} is not a name"
        raise OptionError(text, path=path, line=line, hint="give a range with -D or --sweep" if define.values else None)
    return define


def _of_lines(path: str) -> Iterator[tuple[str, str, int]]:
    text = read_text(path, error=OptionError)
    for number, line in enumerate(text.splitlines(), 1):
        plain = line.partition("#")[0].strip()
        if not plain:
            continue
        name, equals, value = (part.strip() for part in plain.partition("="))
        if not equals or not name or not value:
            raise OptionError(f"{plain!r} gives no value", path=path, line=number, hint="write NAME = VALUE")
        yield name, value, number


def _of_toml(path: str) -> Iterator[tuple[str, str, int]]:
    root = read_toml(path, error=OptionError)
    for name, value in _flat(root.data, root, ()):
        yield name, _text(value), value.origin.line_of(value.position) or 1


def _flat(table: Mapping[str, Any], root: Value, position: tuple[str, ...]) -> Iterator[tuple[str, Value]]:
    for key, data in table.items():
        here = (*position, key)
        if isinstance(data, dict):
            yield from _flat(data, root, here)
        else:
            yield ".".join(here), Value(data, here, root.origin)


def _text(value: Value) -> str:
    if isinstance(value.data, bool) or not isinstance(value.data, int | float | str):
        raise value.wrong("a number or a text", 'write n = 4096 or n = "64Ki"')
    return str(value.data)
