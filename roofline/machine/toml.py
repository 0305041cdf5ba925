"""Typed access to one TOML document, with errors that name the file, the line and the key that was meant.

A :class:`Table` checks its keys against those allowed as soon as it is opened; its accessors check type and sign. Every
complaint is a ``MachineError`` at the line of the offending key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeVar

from msgspec import Struct

from analyzer.data_files.documents import parse_toml
from analyzer.data_files.toml_lines import KeyPath
from analyzer.data_files.values import MOST_COUNT, Origin, value_text
from analyzer.errors import MachineError
from analyzer.near_names import near_names
from analyzer.python.regex import regex

_FEW = 4  # words that are all named
_LONGEST_KEY = 60
_LEAST, _MOST = 1e-6, 1e12  # of every number in its unit: GFLOP/s, GB/s, KiB, GHz, cycles, counts
EnumT = TypeVar("EnumT", bound=StrEnum)
T = TypeVar("T")

_UNIT = regex(
    r"_(?:b|bytes?|kb|mb|gb|tb|kib|mib|gib|tib|[kmgt]i?b_?p?s|[kmgt]i?b_per_s|hz|khz|mhz|ghz|[kmgtp]?flops?|[kmgtp]?ops"
    r"|[kmgtp]flop_per_s|bits?|cycles?|ns)$"
)
_STEMS = {
    "size": "capacity",
    "cache": "capacity",
    "bw": "bandwidth",
    "throughput": "bandwidth",
    "clock": "nominal",
    "frequency": "nominal",
    "freq": "nominal",
    "turbo": "boost",
    "peak": "fma",
    "nofma": "no_fma",
    "tensor": "matrix",
    "line_size": "line",
    "cacheline": "line",
    "associativity": "ways",
    "cores": "count",
    "simd_width": "simd",
    "vector": "simd",
}
_KEY_MEANING = {
    "capacity_kib": "1 KiB = 1024 bytes",
    "capacity_mib": "1 MiB = 1024 KiB",
    "capacity_gib": "1 GiB = 1024 MiB",
    "bandwidth_gbs": "1e9 byte/s",
    "fma_gflops": "1e9 FLOP/s, an FMA counts as two",
    "nominal_ghz": "1e9 Hz",
}


class Mistake(MachineError):
    """What is wrong at a position of a machine file; ``missing`` is the key that the table there lacks, if any."""

    def __init__(self, message: str, path: str, line: int | None, hint: str | None, position: KeyPath) -> None:
        """Store the parts and the position."""
        super().__init__(message, path=path, line=line, hint=hint)
        self.position = position
        self.missing = ""


class Document(Struct, frozen=True):
    """A parsed TOML document with where it comes from."""

    data: Mapping[str, Any]
    origin: Origin

    def error(self, key_path: KeyPath, message: str, hint: str | None = None) -> Mistake:
        """Build the error for the line of a key."""
        return Mistake(message, self.origin.path, self.origin.line_of(key_path), hint, key_path)


def parse_document(text: str, path: str) -> Document:
    """Parse TOML text; a syntax error becomes a MachineError at its line."""
    root = parse_toml(text, path, error=MachineError)
    return Document(root.data, root.origin)


class Table(Struct, frozen=True):
    """One table of a document, whose keys have been checked."""

    document: Document
    key_path: KeyPath
    data: Mapping[str, Any]

    def error(self, key: str | None, message: str, hint: str | None = None) -> Mistake:
        """Build the error for the line of a key of this table (of the table itself for None)."""
        return self.document.error(self.key_path if key is None else (*self.key_path, key), message, hint)

    def table(self, key: str, allowed: Iterable[str]) -> Table | None:
        """Open a sub-table, None where it is absent."""
        value = self.data.get(key)
        return None if value is None else open_table(self.document, (*self.key_path, key), value, allowed)

    def tables(self, key: str, allowed: Iterable[str]) -> tuple[Table, ...]:
        """Open an array of tables, empty where it is absent."""
        value = self.data.get(key, [])
        if not isinstance(value, list):
            raise self.error(key, f"`{key}` must be an array of tables", f"write [[{key}]] above each entry")
        return tuple(
            open_table(self.document, (*self.key_path, key, position), entry, allowed)
            for position, entry in enumerate(value)
        )

    def read_each(
        self, key: str, readers: Mapping[str, Reader], number: Mapping[str, Any]
    ) -> list[tuple[Table, dict[str, Any]]]:
        """Return the tables of a key, one or an array of them, with their values.

        A number is a table of its own: the key ``value`` with those of ``number``.
        """
        value = self.data.get(key, [])
        if isinstance(value, dict):
            entries: Iterable[Table] = (open_table(self.document, (*self.key_path, key), value, readers),)
        elif isinstance(value, list):
            entries = self.tables(key, readers)
        else:
            data = {**number, "value": positive_number(self, key, value)}
            entries = (Table(self.document, (*self.key_path, key), data),)
        return [(entry, entry.read(readers)) for entry in entries]

    def read_named(self, key: str, readers: Mapping[str, Reader]) -> dict[str, dict[str, Any]]:
        """Return the values of the tables within a table, by their names, which are free."""
        names = self.data.get(key, {})
        outer = self.table(key, names if isinstance(names, dict) else ())
        return {} if outer is None else {name: outer.required_table(name, readers).read(readers) for name in outer.data}

    def text(self, key: str) -> str | None:
        """Return a non-empty string, None where it is absent."""
        value = self.data.get(key)
        if value is None:
            return None
        if not isinstance(value, str) or not value.strip():
            raise self.error(key, f"`{key}` must be a non-empty string, not {value_text(value)}")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return an array of strings; a single string counts as an array of one."""
        value = self.data.get(key, [])
        entries = [value] if isinstance(value, str) else value
        if not isinstance(entries, list) or not all(isinstance(entry, str) and entry.strip() for entry in entries):
            raise self.error(key, f"`{key}` must be a string or an array of strings")
        return tuple(entries)

    def flag(self, key: str) -> bool | None:
        """Return true or false, None where it is absent."""
        value = self.data.get(key)
        if value is not None and not isinstance(value, bool):
            raise self.error(key, f"`{key}` must be true or false, not {value_text(value)}")
        return value

    def number(self, key: str) -> float | None:
        """Return a positive finite number, None where it is absent."""
        value = self.data.get(key)
        return None if value is None else positive_number(self, key, value)

    def integer(self, key: str) -> int | None:
        """Return a positive integer, None where it is absent."""
        value = self.number(key)
        if value is None:
            return None
        if value != int(value) or value > MOST_COUNT:
            raise self.error(key, f"`{key}` must be a whole number of at most {MOST_COUNT}, not {value:g}")
        return int(value)

    def choice(self, key: str, options: type[EnumT]) -> EnumT | None:
        """Return a member of an enumeration, None where it is absent."""
        value = self.text(key)
        if value is None:
            return None
        try:
            return options(value)
        except ValueError:
            known = [option.value for option in options]
            raise self.error(
                key, f"`{key}` cannot be {value_text(value)}", _word_meant(value[:_LONGEST_KEY], known)
            ) from None

    def read(self, readers: Mapping[str, Reader]) -> dict[str, Any]:
        """Return the values of several keys, each by its reader, which is a method of this class or made by one_of."""
        return {key: read(self, key) for key, read in readers.items()}

    def is_set(self, key: str) -> bool:
        """Return whether a flag is there and true."""
        return self.flag(key) is True

    def required_text(self, key: str) -> str:
        """Return a string that must be there."""
        return self._require(key, self.text(key))

    def required_integer(self, key: str) -> int:
        """Return a positive integer that must be there."""
        return self._require(key, self.integer(key))

    def required_number(self, key: str) -> float:
        """Return a positive number that must be there."""
        return self._require(key, self.number(key))

    def required_choice(self, key: str, options: type[EnumT]) -> EnumT:
        """Return a member of an enumeration that must be there."""
        known = ", ".join(option.value for option in options)
        return self._require(key, self.choice(key, options), f"add the key `{key}`: {known}")

    def required_table(self, key: str, allowed: Iterable[str]) -> Table:
        """Open a sub-table that must be there."""
        return self._require(key, self.table(key, allowed), f"add the table {table_name((*self.key_path, key))}")

    def _require(self, key: str, value: T | None, hint: str = "") -> T:
        if value is None:
            table = table_name(self.key_path)
            error = self.error(None, f"{table} lacks `{key}`", hint or f"add the key `{key}`")
            error.missing = key
            raise error
        return value


Reader = Callable[[Table, str], Any]
"""Reads the value of a key of a table."""


def one_of(options: type[EnumT]) -> Reader:
    """Return the reader of a member of an enumeration that must be there."""
    return lambda table, key: table.required_choice(key, options)


def open_table(document: Document, key_path: KeyPath, value: object, allowed: Iterable[str]) -> Table:
    """Check that a value is a table with only allowed keys."""
    if not isinstance(value, dict):
        raise document.error(key_path, f"{table_name(key_path)} must be a table, not {value_text(value)}")
    known = tuple(allowed)
    for key in value:
        if key not in known:
            raise document.error(
                (*key_path, key),
                f"{table_name(key_path)} has no key `{key[:_LONGEST_KEY]}`",
                suggest_key(key[:_LONGEST_KEY], known),
            )
    return Table(document, key_path, value)


def positive_number(table: Table, key: str, value: object) -> float:
    """Return a value as a float, or complain that it is no positive, finite number."""
    if isinstance(value, str):
        raise table.error(
            key,
            f"`{key}` is the text {value_text(value)} where a number is needed",
            "write it without quotation marks" if _is_number(value) else "leave the key out while it is not known",
        )
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise table.error(key, f"`{key}` must be a number, not {value_text(value)}")
    if not value > 0:
        raise table.error(
            key, f"`{key}` must be a positive number, not {value}", "leave the key out while it is not known"
        )
    if not _LEAST <= value <= _MOST:
        raise table.error(key, f"`{key}` must be between {_LEAST:g} and {_MOST:g}, not {value:g}", "is its unit right?")
    return float(value)


def _is_number(text: str) -> bool:
    try:
        return float(text) > 0
    except ValueError:
        return False


def suggest_key(key: str, allowed: tuple[str, ...]) -> str:
    """Say which key was meant: the same quantity in another unit, else one of similar spelling, else list them all."""
    stem = _UNIT.sub("", key.lower())
    stem = _STEMS.get(stem, stem)
    same = [name for name in allowed if _UNIT.sub("", name) == stem or name == stem]
    if same:
        meanings = [f"`{name}` ({_KEY_MEANING[name]})" if name in _KEY_MEANING else f"`{name}`" for name in same]
        return f"write {' or '.join(meanings)}"
    return _did_you_mean(key, allowed)


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    names = tuple(known)
    close = near_names(word.lower(), names, most=2)
    if close:
        return f"did you mean {' or '.join(f'`{name}`' for name in close)}?"
    return f"possible: {', '.join(names)}"


def _word_meant(word: str, known: Sequence[str]) -> str:
    """Return all words that a key may have, for the nearest in spelling may be the farthest in meaning."""
    return f"possible: {', '.join(known)}" if len(known) <= _FEW else _did_you_mean(word, known)


def table_name(key_path: KeyPath) -> str:
    """Return the table at a path as the user would write its header."""
    if not key_path:
        return "the machine"
    text = ""
    for part in key_path:
        text += f" entry {part + 1}" if isinstance(part, int) else f".{part}" if text else part
    return f"[{text}]"
