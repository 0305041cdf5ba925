"""Lines of ``.gitignore`` and ``--exclude`` to a verdict on paths, in time that no line can make long.

The lines come from repositories that nobody has read: ``*a*a*a*a*b`` must not become a search.  Every ``*`` but the
last one of a name, and every ``**``, takes the least that lets what stands behind it match, and never gives it back:
what stands behind it has a fixed length (in characters, in names), so that its first match leaves most for the rest.

Form: https://git-scm.com/docs/gitignore#_pattern_format.  A line that means nothing there means nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from analyzer.errors import OptionError
from analyzer.python.regex import regex

MOST_RULES = 5000
_LONGEST = 1000
_FOLDERS = "**"
_ANYTHING = regex("")
_BELOW_ANYTHING = regex("/[^/]*/")


class _Rule(Struct, frozen=True):
    """The pattern of a line that leaves out or takes in again: a path ``itself``, and paths ``below`` a folder.

    Both patterns are of the path with a ``/`` before it.
    """

    leaves_out: bool
    itself: re.Pattern[str] | None
    below: re.Pattern[str] | None


class IgnoreRules:
    """The rules of some lines: those about a path override those about its folders, and later override earlier ones."""

    def __init__(self, lines: Iterable[str], path: str | None = None) -> None:
        """Read the lines of an option or of the file ``path``; raises ``OptionError`` where there are too many."""
        found: list[_Rule] = []
        for number, line in enumerate(lines, 1):
            where: dict[str, Any] = {} if path is None else {"path": path, "line": number}
            if len(line) > _LONGEST:
                raise OptionError(f"a pattern is longer than {_LONGEST} characters", **where)
            rule = _rule(line)
            if rule is not None:
                found.append(rule)
            if len(found) > MOST_RULES:
                raise OptionError(f"there are more than {MOST_RULES} patterns", **where)
        self._rules = tuple(reversed(found))

    def verdict(self, path: str) -> bool | None:
        """Return whether a path (a folder ends in ``/``) is left out, None where no rule speaks of it.

        >>> rules = IgnoreRules(["*.c", "!main.c", "build/"])
        >>> rules.verdict("a/b.c"), rules.verdict("main.c"), rules.verdict("build/x.h"), rules.verdict("x.h")
        (True, False, True, None)
        """
        rooted = f"/{path}"
        by_folder: bool | None = None
        for rule in self._rules:
            if rule.itself is not None and rule.itself.match(rooted):
                return rule.leaves_out
            if by_folder is None and rule.below is not None and rule.below.match(rooted):
                by_folder = rule.leaves_out
        return by_folder


def _rule(line: str) -> _Rule | None:
    """Return the rule of a line, None for a blank one, a comment, and one that means nothing."""
    text = line if line.endswith("\\ ") else line.rstrip()
    if not text or text.startswith("#"):
        return None
    leaves_out = not text.startswith("!")
    names = text.removeprefix("!").split("/")
    only_folders = not names[-1]
    if not names[0]:
        del names[0]
    elif len(names) - only_folders == 1:
        names.insert(0, _FOLDERS)
    if not any(names):
        return None
    names[-1] = names[-1] or _FOLDERS
    names = [name for at, name in enumerate(names) if name != _FOLDERS or at == 0 or names[at - 1] != _FOLDERS]
    if names in ([_FOLDERS], [_FOLDERS, "*"], [_FOLDERS, "*", _FOLDERS]):
        if only_folders:
            return _Rule(leaves_out, None, _BELOW_ANYTHING)
        return _Rule(leaves_out, _ANYTHING if len(names) < 3 else _BELOW_ANYTHING, None)
    try:
        found = _pattern(names[:-1] if names[-1] == _FOLDERS else names)
        itself, below = re.compile(rf"{found}\Z"), re.compile(found + "/")
    except (ValueError, re.error):  # re.error: a set such as [z-a]
        return None
    if names[-1] == _FOLDERS:
        return _Rule(leaves_out, None, below) if only_folders else _Rule(leaves_out, below, None)
    return _Rule(leaves_out, itself, below)


def _pattern(names: list[str]) -> str:
    """Return the expression for names one below the other; raise ``ValueError`` for one that means nothing."""
    runs: list[list[str]] = [[]]
    for name in names:
        if name == _FOLDERS:
            runs.append([])
        else:
            runs[-1].append("/" + ("[^/]+" if name == "*" else _name(name)))
    first, *others = ("".join(run) for run in runs)
    if not others:
        return first
    inner = "".join(rf"(?>(?:/[^/]*+)*?{run}(?=/))" for run in others[:-1])
    return f"{first}{'(?=/)' if first else ''}{inner}(?:/[^/]*+)*?{others[-1]}"


def _name(glob: str) -> str:
    """Return the expression for one name with wildcards."""
    first, *others = _parts(glob)
    if not others:
        return first
    return first + "".join(f"(?>[^/]*?{part})" for part in others[:-1] if part) + f"[^/]*{others[-1]}"


def _parts(glob: str) -> Iterator[str]:
    """Yield the parts between the asterisks of a name, each of a fixed length."""
    part = ""
    rest = iter(range(len(glob)))
    for at in rest:
        match glob[at]:
            case "*":
                yield part
                part = ""
            case "?":
                part += "[^/]"
            case "[":
                inner, end = _set(glob, at + 1)
                part += inner
                while next(rest) < end:
                    pass
            case "\\":
                escaped = next(rest, None)
                if escaped is None:
                    raise ValueError("nothing is escaped")
                part += re.escape(glob[escaped])
            case letter:
                part += re.escape(letter)
    yield part


def _set(glob: str, start: int) -> tuple[str, int]:
    """Return the expression for a set of characters, and where its bracket closes."""
    negated = glob[start : start + 1] in ("!", "^")
    first = start + negated
    end = glob.find("]", first + 1)
    if end < 0:
        raise ValueError("a bracket is left open")
    inner = "".join(map(_member, re.findall(r"(?s:.-.|.)", glob[first:end])))
    return f"(?!/)[{'^' if negated else ''}{inner}]", end


def _member(text: str) -> str:
    """Return a character of a set, or a range such as ``a-z``, for an expression."""
    return re.escape(text) if len(text) == 1 else f"{re.escape(text[0])}-{re.escape(text[2])}"
