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

    [[budget]]                          # later ones take precedence over earlier ones
    file = "src/*.c"                    # patterns; a loop is its counter or its number in the function
    function = "triad"
    loop = "i"
    hot = true
    min-ai = "1/12"
    bound = "memory"                    # memory, compute, or a level of the machine
    max-distance = 4                    # bytes of memory over the least of any order of the operations

Everything that may be set is in :data:`KEYS`, of which ``cli/OPTIONS.md`` is made; the names are those of the options.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct, field

from analyzer.data_files.documents import parse_toml
from analyzer.data_files.files import read_text
from analyzer.data_files.numbers import rational
from analyzer.data_files.values import Value
from analyzer.errors import AnalyzerError, OptionError
from analyzer.given_data.texts import is_made, split_matrix
from analyzer.given_values import may_be_fraction
from analyzer.near_names import did_you_mean
from analyzer.source import Span
from roofline.rules.demands import Budget, Demand

from ..parser import CACHE_MODELS, CONVENTIONS, ELEMENT_TYPES
from .parser import SEVERITIES

NAMES = (".ai-estimate.toml", "ai-estimate.toml")
PYPROJECT = "pyproject.toml"
_TABLE = "ai-estimate"
_LONGEST_TEXT = 4096
_LONGEST_KEY = 60
_MOST_INTENSITY = 10**6
_T = TypeVar("_T")


class Configuration(Struct, frozen=True):
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
        """Return the configuration in the folder of a source or the nearest above; raises ``OptionError``."""
        return self._in(Path(source).absolute().parent)

    def _in(self, folder: Path) -> Configuration:
        if folder not in self._of:
            own = _own(folder)
            above = NOTHING if folder.parent == folder else self._in(folder.parent) if own is None else NOTHING
            self._of[folder] = above if own is None else own
        return self._of[folder]


def _own(folder: Path) -> Configuration | None:
    for name in NAMES:
        if os.path.lexists(folder / name):
            return read_configuration(folder / name)
    path = folder / PYPROJECT
    return read_configuration(path, optional=True) if os.path.isfile(path) else None


def read_configuration(path: Path, *, optional: bool = False) -> Configuration | None:
    """Read one file; None for a ``pyproject.toml`` without our table, where that is ``optional``.

    Raises ``OptionError`` with file and line.
    """
    name = _short(path)
    text = _contents(path, name)
    if optional and _TABLE not in text:  # a project's own file, whatever is wrong with it
        return None
    document = parse_toml(text, name, error=OptionError)
    if path.name == PYPROJECT:
        tools = document.entries().get("tool")
        ours = None if tools is None else tools.entries().get(_TABLE)
        if ours is None and optional:
            return None
        if ours is None:
            raise document.error("has no table [tool.ai-estimate]", "add it, or name another file")
        document = ours
    return _Reader(name, path.parent).configuration(document)


def _contents(path: Path, name: str) -> str:
    """Return the text; messages name the file as the current folder sees it."""
    try:
        return read_text(path, error=OptionError)
    except OptionError as error:
        raise OptionError(error.message, path=name, line=error.line, hint=error.hint) from None


def _short(path: Path) -> str:
    here = Path.cwd()
    whole = path.absolute()
    return str(whole.relative_to(here)) if whole.is_relative_to(here) else str(path)


class _Reader:
    """Checks the keys and values of one document; all that is wrong comes in one error."""

    def __init__(self, path: str, folder: Path) -> None:
        self._path, self._folder = path, folder.absolute()
        self._wrong: list[AnalyzerError] = []

    def configuration(self, document: Value) -> Configuration:
        """Return what the document says; raises ``OptionError`` with every mistake in it."""
        entries = document.entries()
        budgets = entries.pop("budget", None)
        values = self._checked(entries, KEYS, "budget")
        tables = () if budgets is None else self._tried(lambda: _tables(budgets)) or ()
        found = [self._tried(partial(self._budget, table)) for table in tables]
        if self._wrong:
            first, *others = sorted(self._wrong, key=lambda each: each.line or 0)
            raise OptionError(first.message, path=first.path, line=first.line, hint=first.hint, others=others)
        return Configuration(self._path, self._folder, values, tuple(each for each in found if each is not None))

    def _budget(self, table: Value) -> Budget | None:
        before = len(self._wrong)
        found = self._checked(table.entries(), BUDGET_KEYS)
        if len(self._wrong) > before:
            return None
        demand = Demand(found.get("hot", False), found.get("min-ai"), found.get("bound"), found.get("max-distance"))
        if not demand.is_marked:
            raise table.error("a budget asks for nothing", "add min-ai, bound, max-distance or hot = true")
        file, function, loop = (found.get(key, "*") for key in ("file", "function", "loop"))
        line = table.origin.line_of(table.position) or 1
        return Budget(demand, file, function, loop, str(self._folder), Span(self._path, line, line))

    def _checked(self, entries: Mapping[str, Value], keys: Mapping[str, Key], *others: str) -> dict[str, Any]:
        """Return the values that are right, and note what is wrong with the others."""
        found = {}
        for key, value in entries.items():
            if key not in keys:
                self._wrong.append(_unknown(key, value, (*keys, *others)))
                continue
            checked = self._tried(partial(keys[key].check, self, value))
            if checked is not None:
                found[key] = checked
        return found

    def _tried(self, check: Callable[[], _T]) -> _T | None:
        """Return what a check returns; None where it finds a mistake, which is noted."""
        try:
            return check()
        except AnalyzerError as error:
            self._wrong.append(error)
            return None

    def resolved(self, path: str) -> str:
        """Return a path relative to the file, as the current folder sees it."""
        return _short(Path(os.path.normpath(self._folder / path)))


def _unknown(key: str, value: Value, known: Sequence[str]) -> AnalyzerError:
    plain = key.replace("_", "-").lower()
    hint = did_you_mean(plain, known, least_alike=0.5) or f"known: {', '.join(known)}"
    return value.error(f"unknown key {key[:_LONGEST_KEY]!r}", hint)


def _tables(budgets: Value) -> Sequence[Value]:
    if not isinstance(budgets.data, list):
        raise budgets.wrong("an array of tables", "write [[budget]]")
    return budgets.items()


_Check = Callable[[_Reader, Value], Any]


def _text(_reader: _Reader, value: Value) -> str:
    text = value.text()
    if not text:
        raise value.wrong("a text that is not empty")
    if len(text) > _LONGEST_TEXT:
        raise value.wrong(f"a text of at most {_LONGEST_TEXT} characters")
    return text


def _texts(reader: _Reader, value: Value) -> list[str]:
    if not isinstance(value.data, str | list):
        raise value.wrong("a text or a list of texts")
    values = (value,) if isinstance(value.data, str) else value.items()
    return [_text(reader, one) for one in values]


def _flag(_reader: _Reader, value: Value) -> bool:
    return value.flag()


def _count(_reader: _Reader, value: Value) -> int:
    return value.integer(1)


def _intensity(_reader: _Reader, value: Value) -> Fraction:
    hint = 'write 0.4 or "1/12"'
    if isinstance(value.data, bool) or not isinstance(value.data, int | float | str):
        raise value.wrong("a number above 0", hint)
    try:
        number = rational(str(value.data))
    except ValueError as error:
        raise value.wrong(f"a number above 0 ({error})", hint) from None
    if not 0 < number <= _MOST_INTENSITY:
        raise value.wrong(f"a number above 0 and at most {_MOST_INTENSITY}", hint)
    return number


def _distance(_reader: _Reader, value: Value) -> Fraction:
    hint = 'write 4 or "3/2": the bytes over the least of any order of the operations'
    number = None if isinstance(value.data, bool) else _number(value.data)
    if number is None or not 1 <= number <= _MOST_INTENSITY:
        raise value.wrong(f"a number from 1 to {_MOST_INTENSITY}", hint)
    return number


def _number(data: object) -> Fraction | None:
    try:
        return rational(str(data)) if isinstance(data, int | float | str) else None
    except ValueError:
        return None


def _probability(reader: _Reader, value: Value) -> str:
    if isinstance(value.data, str):
        return _text(reader, value)
    return str(value.number(0, 1) if isinstance(value.data, float) else value.integer(0, 1))


def _loop(reader: _Reader, value: Value) -> str:
    return _text(reader, value) if isinstance(value.data, str) else str(value.integer(1))


def _path(reader: _Reader, value: Value) -> str:
    return reader.resolved(_text(reader, value))


def _paths(reader: _Reader, value: Value) -> list[str]:
    return [reader.resolved(path) for path in _texts(reader, value)]


def _machines(reader: _Reader, value: Value) -> list[str]:
    names = _texts(reader, value)
    return [reader.resolved(name) if name.endswith(".toml") else name for name in names]


def _defines(reader: _Reader, value: Value) -> list[str]:
    if not isinstance(value.data, dict):
        raise value.wrong("a table", "write defines = { n = 4096 }")
    found = []
    for name, number in value.entries().items():
        if not isinstance(number.data, int | float | str) or isinstance(number.data, bool):
            raise number.wrong("a number or a text")
        if isinstance(number.data, float) and not may_be_fraction(name):
            raise number.wrong("a whole number")
        found.append(f"{name}={number.data}")
    return found


def _arrays(reader: _Reader, value: Value) -> list[str]:
    if not isinstance(value.data, dict):
        raise value.wrong("a table", 'write arrays = { col = "col.npy" }')
    found = []
    for name, given in value.entries().items():
        text = _text(reader, given)
        found.append(f"{name}={text if is_made(text) else reader.resolved(text)}")
    return found


def _matrices(reader: _Reader, value: Value) -> list[str]:
    parts = [split_matrix(text) for text in _texts(reader, value)]
    return [f"{key}={reader.resolved(path)}" if key else reader.resolved(path) for key, path in parts]


def _one_of(*choices: str) -> _Check:
    def check(reader: _Reader, value: Value) -> str:
        text = _text(reader, value)
        if text not in choices:
            hint = did_you_mean(text, choices) or f"one of {', '.join(choices)}"
            raise value.error(f"{value.name} cannot be {text[:_LONGEST_KEY]!r}", hint)
        return text

    return check


class Key(Struct, frozen=True):
    """How a value is checked, its form in words, and what it means; "" where that is the help of its option."""

    check: _Check
    form: str
    meaning: str = ""


_FLAG, _A_TEXT, _TEXTS = "`true` or `false`", "a text", "a text, or a list of them"
_INTENSITY = 'a number, or a text as `"1/12"`'


def _word(*choices: str) -> Key:
    return Key(_one_of(*choices), ", ".join(f"`{choice}`" for choice in choices))


KEYS: Mapping[str, Key] = {
    "machine": Key(_machines, _TEXTS),
    "defines": Key(_defines, "a table as `{ n = 4096 }`"),
    "include-dirs": Key(_paths, _TEXTS),
    "profile": Key(_paths, _TEXTS),
    "arrays": Key(_arrays, 'a table as `{ col = "col.npy" }`'),
    "matrices": Key(_matrices, _TEXTS),
    "confine": Key(_paths, _TEXTS),
    "std": Key(_text, _A_TEXT),
    "compile-commands": Key(_path, _A_TEXT),
    "element-type": _word(*ELEMENT_TYPES),
    "policy": Key(_text, _A_TEXT),
    "convention": _word(*CONVENTIONS),
    "cache": _word(*CACHE_MODELS),
    "hierarchy": Key(_text, _A_TEXT),
    "peak": _word("theoretical", "sustained"),
    "cores": Key(_count, "a number"),
    "branch-probability": Key(_probability, 'a number, or a text as `"1/2"`'),
    "nontemporal": Key(_flag, _FLAG),
    "reassociate": Key(_flag, _FLAG),
    "select": Key(_texts, _TEXTS),
    "ignore": Key(_texts, _TEXTS),
    "fail-on": _word(*SEVERITIES),
    "exclude": Key(_texts, _TEXTS),
    "baseline": Key(_path, _A_TEXT),
    "min-ai": Key(_intensity, _INTENSITY, "least intensity of loops that are marked `hot` and have no budget"),
}
BUDGET_KEYS: Mapping[str, Key] = {
    "file": Key(_text, "a pattern", "the files that it is for (default: all)"),
    "function": Key(_text, "a pattern", "the functions (default: all)"),
    "loop": Key(_loop, "a text or a number", "the counter of the loop, or its number in the function (default: all)"),
    "hot": Key(_flag, _FLAG, "as the comment `// ai-estimate: hot`"),
    "min-ai": Key(_intensity, _INTENSITY, "least FLOP per byte of main memory on the machine (AI101)"),
    "max-distance": Key(
        _distance, _INTENSITY, "most bytes of memory over the least of any order of the operations (AI115)"
    ),
    "bound": Key(
        _text, "`memory`, `compute`, or a level of the machine", "what has to limit it on the machine (AI102)"
    ),
}
