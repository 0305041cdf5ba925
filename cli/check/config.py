"""The configuration of ``ai-estimate check``: the nearest file upwards of each source, read and checked.

``.ai-estimate.toml``, ``ai-estimate.toml`` or the table ``[tool.ai-estimate]`` of ``pyproject.toml``, whichever is
found first from the folder of the source upwards::

    machine = "haswell"                 # or a list; a path to a .toml file is relative to this file, as all paths are
    defines = { n = 4096 }              # sizes and macros, as -D
    select = ["AI1"]                    # codes or beginnings of codes
    ignore = ["AI112"]
    fail-on = "warning"                 # error, warning or note
    exclude = ["third_party/*"]         # as lines of .gitignore
    baseline = "ai-baseline.json"
    min-ai = 0.05                       # of loops that are marked hot

    [[budget]]                          # later ones go before earlier ones
    file = "src/*.c"                    # patterns; a loop is its counter or its number in the function
    function = "triad"
    loop = "i"
    hot = true
    min-ai = "1/12"
    bound = "memory"                    # memory, compute, or a level of the machine

Everything else that may be set is in :data:`KEYS`; the names are those of the options.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from analyzer.data_files.toml_lines import KeyPath, key_lines, line_of
from analyzer.errors import OptionError
from analyzer.source import Span
from roofline.rules.demands import Budget, Demand

from ..parser import CACHE_MODELS, CONVENTIONS, ELEMENT_TYPES
from .parser import SEVERITIES

NAMES = (".ai-estimate.toml", "ai-estimate.toml")
PYPROJECT = "pyproject.toml"
_TOML_LINE = re.compile(r"at line (\d+)")


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings of one file: ``values`` by the names of the options, budgets, and the folder of relative paths."""

    path: str | None = None
    folder: Path = field(default_factory=Path)
    values: Mapping[str, Any] = field(default_factory=dict)
    budgets: tuple[Budget, ...] = ()


NOTHING = Configuration()


class Finder:
    """Finds and reads the configuration of sources, each file once."""

    def __init__(self) -> None:
        self._of: dict[Path, Configuration] = {}

    def nearest(self, source: str) -> Configuration:
        """The configuration in the folder of a source or the nearest above; raises ``OptionError``."""
        return self._in(Path(source).absolute().parent)

    def _in(self, folder: Path) -> Configuration:
        if folder not in self._of:
            own = _own(folder)
            above = NOTHING if folder.parent == folder else self._in(folder.parent) if own is None else NOTHING
            self._of[folder] = above if own is None else own
        return self._of[folder]


def _own(folder: Path) -> Configuration | None:
    for name in NAMES:
        if (folder / name).is_file():
            return read_configuration(folder / name)
    path = folder / PYPROJECT
    return read_configuration(path, optional=True) if path.is_file() else None


def read_configuration(path: Path, *, optional: bool = False) -> Configuration | None:
    """Read one file; None for a ``pyproject.toml`` without our table, where that is ``optional``.

    Raises ``OptionError`` with file and line.
    """
    shown = _short(path)
    text = ""
    try:
        text = path.read_text("utf-8")
        document = tomllib.loads(text)
    except OSError as error:
        raise OptionError(f"cannot be read: {error.strerror}", path=shown, hint="check the path") from error
    except UnicodeDecodeError:
        raise OptionError("is not UTF-8 text", path=shown) from None
    except tomllib.TOMLDecodeError as error:
        if optional and "tool.ai-estimate" not in text:
            return None
        place = _TOML_LINE.search(str(error))
        line = int(place[1]) if place else max(1, text.count("\n"))
        raise OptionError(f"is not valid TOML: {error}", path=shown, line=line, hint="mend the syntax") from None
    root: KeyPath = ()
    if path.name == PYPROJECT:
        root = ("tool", "ai-estimate")
        tools = document.get("tool", {})
        if "ai-estimate" not in tools:
            if optional:
                return None
            raise OptionError("has no table [tool.ai-estimate]", path=shown, hint="add it, or name another file")
        document = tools["ai-estimate"]
    return _Reader(shown, path.parent, key_lines(text), root).configuration(document)


def _short(path: Path) -> str:
    here = Path.cwd()
    whole = path.absolute()
    return str(whole.relative_to(here)) if whole.is_relative_to(here) else str(path)


class _Reader:
    """Checks the keys and values of one document."""

    def __init__(self, path: str, folder: Path, lines: dict[KeyPath, int], root: KeyPath) -> None:
        self._path, self._folder, self._lines, self._root = path, folder.absolute(), lines, root

    def configuration(self, document: Any) -> Configuration:
        if not isinstance(document, dict):
            self.fail("must be a table", ())
        self._check_keys(document, (*KEYS, "budget"), ())
        values = {key: KEYS[key](self, value, (key,)) for key, value in document.items() if key != "budget"}
        tables = document.get("budget", [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            self.fail("budget must be an array of tables", ("budget",), "write [[budget]]")
        budgets = tuple(self._budget(table, ("budget", number)) for number, table in enumerate(tables))
        return Configuration(self._path, self._folder, values, budgets)

    def _budget(self, table: dict[str, Any], place: KeyPath) -> Budget:
        self._check_keys(table, _BUDGET_KEYS, place)
        found = {key: _BUDGET_KEYS[key](self, value, (*place, key)) for key, value in table.items()}
        demand = Demand(found.get("hot", False), found.get("min-ai"), found.get("bound"))
        if not demand.is_marked:
            self.fail("a budget asks for nothing", place, "add min-ai, bound or hot = true")
        file, function, loop = (found.get(key, "*") for key in ("file", "function", "loop"))
        line = line_of(self._lines, (*self._root, *place))
        return Budget(demand, file, function, loop, str(self._folder), Span(self._path, line, line))

    def _check_keys(self, table: Mapping[str, Any], known: Mapping[str, Any] | tuple[str, ...], place: KeyPath) -> None:
        for key in table:
            if key not in known:
                close = difflib.get_close_matches(key.replace("_", "-").lower(), known, n=1, cutoff=0.5)
                hint = f"did you mean {close[0]}?" if close else f"known: {', '.join(known)}"
                self.fail(f"unknown key {key!r}", (*place, key), hint)

    def fail(self, message: str, place: KeyPath, hint: str | None = None) -> NoReturn:
        """Raise the error for a place in the document."""
        line = line_of(self._lines, (*self._root, *place))
        raise OptionError(message, path=self._path, line=line, hint=hint)

    def resolved(self, path: str) -> str:
        """A path relative to the file, as the current folder sees it."""
        return _short(Path(os.path.normpath(self._folder / path)))


_Check = Callable[[_Reader, Any, KeyPath], Any]


def _name(place: KeyPath) -> str:
    return str(place[-1])


def _text(reader: _Reader, value: Any, place: KeyPath) -> str:
    if not isinstance(value, str) or not value:
        reader.fail(f"{_name(place)} must be a text, not {value!r}", place)
    return value


def _texts(reader: _Reader, value: Any, place: KeyPath) -> list[str]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(item, str) and item for item in listed):
        reader.fail(f"{_name(place)} must be a text or a list of texts, not {value!r}", place)
    return list(listed)


def _flag(reader: _Reader, value: Any, place: KeyPath) -> bool:
    if not isinstance(value, bool):
        reader.fail(f"{_name(place)} must be true or false, not {value!r}", place)
    return value


def _count(reader: _Reader, value: Any, place: KeyPath) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        reader.fail(f"{_name(place)} must be a whole number of at least 1, not {value!r}", place)
    return value


def _intensity(reader: _Reader, value: Any, place: KeyPath) -> Fraction:
    try:
        number = Fraction(str(value)) if not isinstance(value, bool) else Fraction(0)
    except (ValueError, ZeroDivisionError):
        number = Fraction(0)
    if number <= 0:
        reader.fail(f"{_name(place)} must be a number above 0, not {value!r}", place, 'write 0.4 or "1/12"')
    return number


def _probability(reader: _Reader, value: Any, place: KeyPath) -> str:
    return str(value) if isinstance(value, int | float) else _text(reader, value, place)


def _loop(reader: _Reader, value: Any, place: KeyPath) -> str:
    return str(_count(reader, value, place)) if isinstance(value, int) else _text(reader, value, place)


def _path(reader: _Reader, value: Any, place: KeyPath) -> str:
    return reader.resolved(_text(reader, value, place))


def _paths(reader: _Reader, value: Any, place: KeyPath) -> list[str]:
    return [reader.resolved(path) for path in _texts(reader, value, place)]


def _machines(reader: _Reader, value: Any, place: KeyPath) -> list[str]:
    names = _texts(reader, value, place)
    return [reader.resolved(name) if name.endswith(".toml") else name for name in names]


def _defines(reader: _Reader, value: Any, place: KeyPath) -> list[str]:
    if not isinstance(value, dict):
        reader.fail(f"defines must be a table, not {value!r}", place, "write defines = { n = 4096 }")
    for name, number in value.items():
        if not isinstance(number, int | str) or isinstance(number, bool):
            reader.fail(f"the value of {name} must be a whole number or a text, not {number!r}", (*place, name))
    return [f"{name}={number}" for name, number in value.items()]


def _one_of(*choices: str) -> _Check:
    def check(reader: _Reader, value: Any, place: KeyPath) -> str:
        if value not in choices:
            close = difflib.get_close_matches(str(value), choices, n=1)
            hint = f"did you mean {close[0]}?" if close else f"one of {', '.join(choices)}"
            reader.fail(f"{_name(place)} cannot be {value!r}", place, hint)
        return str(value)

    return check


KEYS: Mapping[str, _Check] = {
    "machine": _machines,
    "defines": _defines,
    "include-dirs": _paths,
    "confine": _paths,
    "std": _text,
    "compile-commands": _path,
    "element-type": _one_of(*ELEMENT_TYPES),
    "policy": _text,
    "convention": _one_of(*CONVENTIONS),
    "cache": _one_of(*CACHE_MODELS),
    "hierarchy": _text,
    "peak": _one_of("theoretical", "sustained"),
    "cores": _count,
    "branch-probability": _probability,
    "nontemporal": _flag,
    "reassociate": _flag,
    "select": _texts,
    "ignore": _texts,
    "fail-on": _one_of(*SEVERITIES),
    "exclude": _texts,
    "baseline": _path,
    "min-ai": _intensity,
}
_BUDGET_KEYS: Mapping[str, _Check] = {
    "file": _text,
    "function": _text,
    "loop": _loop,
    "hot": _flag,
    "min-ai": _intensity,
    "bound": _text,
}
