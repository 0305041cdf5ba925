"""``getopt`` and ``getopt_long`` on a known command line, as POSIX and GNU define them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .values import UNKNOWN, Fields, Strings, Value

SCANNERS = frozenset({"getopt", "getopt_long", "getopt_long_only"})
_END = -1
_LongOption = tuple[str, int, int]


class OptionScanner:
    """The state of ``getopt`` between calls: ``optind`` and ``optarg``."""

    def __init__(self) -> None:
        """Start at the first argument."""
        self._next = 1
        self._argument: str | None = None

    def variable(self, name: str) -> Value:
        """Return the global ``optarg`` or ``optind``."""
        if name == "optind":
            return self._next
        return UNKNOWN if self._argument is None else self._argument

    def next(self, values: Sequence[Value]) -> Value:
        """Run one call on ``argc``, ``argv``, the short options, and for the long form the array of long ones."""
        if len(values) < 3 or not isinstance(values[1], Strings) or not isinstance(values[2], str):
            return UNKNOWN
        words, short = values[1].texts, values[2]
        while self._next < len(words):
            word = words[self._next]
            self._next += 1
            if word == "--":
                return _END
            if word.startswith("--") and len(values) > 3:
                return self._long(word[2:], words, values[3])
            if word.startswith("-") and len(word) > 1:
                return self._short(word, words, short)
        return _END

    def _short(self, word: str, words: Sequence[str], short: str) -> int:
        index = short.find(word[1])
        if index < 0 or word[1] == ":":
            return ord("?")
        self._argument = None
        if short[index + 1 : index + 2] == ":":
            optional = short[index + 2 : index + 3] == ":"
            self._argument = word[2:] or (None if optional else self._following(words))
        return ord(word[1])

    def _long(self, word: str, words: Sequence[str], table: Value) -> Value:
        name, _, given = word.partition("=")
        for option, takes, value in _long_options(table):
            if option == name:
                self._argument = given or (self._following(words) if takes == 1 else None)
                return value
        return ord("?")

    def _following(self, words: Sequence[str]) -> str | None:
        if self._next >= len(words):
            return None
        self._next += 1
        return words[self._next - 1]


def _long_options(table: Value) -> Iterator[_LongOption]:
    if not isinstance(table, Fields):
        return
    for path, name in table.parts.items():
        entry, _, member = path.partition(".")
        takes, value = table.parts.get(f"{entry}.has_arg"), table.parts.get(f"{entry}.val")
        if member == "name" and isinstance(name, str) and isinstance(takes, int) and isinstance(value, int):
            yield name, takes, value
