"""Macros that a build must choose: the text of a file -> names without which it stops, or does not declare a name.

Code bases with several versions of one program say ``#if defined(A) ... #elif defined(B) ... #else #error ... #endif``,
or declare what one of them needs under ``#ifdef A``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ....python.regex import regex

_DIRECTIVE = regex(r"\s*#\s*(?P<kind>if|ifdef|ifndef|elif|else|endif|error)\b(?P<rest>.*)")
_WANTED = regex(r"(?<![!\w])\s*defined\s*(?:\(\s*(?P<inner>\w+)\s*\)|(?P<bare>\w+))")
_UNWANTED = regex(r"!\s*defined\s*(?:\(\s*(?P<inner>\w+)\s*\)|(?P<bare>\w+))")
_NAME = regex(r"\s*(?P<bare>[A-Za-z]\w*)\s*(?://.*|/\*.*)?")
_COMMENT = regex(r"//.*|/\*.*?\*/")


def chosen_by(text: str, line: int) -> tuple[str, ...]:
    """Return the macros of which one keeps the ``#error`` in a line (from 1) away; none where that is not clear.

    >>> chosen_by("#if defined(A)\\n#elif B\\n#else\\n#error no model\\n#endif", 4)
    ('A', 'B')
    >>> chosen_by("#ifndef N\\n#error N?\\n#endif", 2), chosen_by("#error always", 1)
    (('N',), ())
    """
    chains: list[list[tuple[str, str]]] = []
    for number, written in enumerate(text.split("\n"), 1):
        found = _DIRECTIVE.match(written)
        if found is None:
            continue
        kind, rest = found["kind"], _COMMENT.sub("", found["rest"])
        if kind == "error":
            if number == line:
                return _names(chains[-1]) if chains else ()
        elif kind == "endif":
            del chains[-1:]
        elif kind in ("elif", "else"):
            if chains:
                chains[-1].append((kind, rest))
        else:
            chains.append([(kind, rest)])
    return ()


_WORD = regex(r"[A-Za-z_]\w*")
_PLATFORMS = frozenset(("WIN32", "WIN64", "APPLE", "MSVC", "NDEBUG", "DEBUG"))  # which nobody asks for on Linux


def declaring(text: str, names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield names that stand under one condition alone in a header, each with the macro that the condition asks for.

    >>> list(declaring("#ifdef GPU\\n#define BLOCK 9\\nvoid check(int);\\n#endif\\nint n;", {"BLOCK", "check", "n"}))
    [('BLOCK', 'GPU'), ('check', 'GPU')]
    """
    wanted: list[str | None] = []
    for written in text.split("\n"):
        found = _DIRECTIVE.match(written)
        if found is None:
            open_ones = [each for each in wanted if each is not None]
            if len(open_ones) == 1:
                yield from ((word, open_ones[0]) for word in _WORD.findall(written) if word in names)
        elif found["kind"] == "endif":
            del wanted[-1:]
        elif found["kind"] in ("elif", "else"):
            wanted[-1:] = [None]
        elif found["kind"] != "error":
            wanted.append(_asked_by(found["kind"], _COMMENT.sub("", found["rest"])))


def _asked_by(kind: str, condition: str) -> str | None:
    """Return the one macro that must be defined for what follows; None for other conditions."""
    if kind == "ifdef":
        names = _names([("ifndef", condition)])
    elif kind == "if" and "&&" not in condition:
        names = tuple(found["inner"] or found["bare"] for found in _WANTED.finditer(condition))
    else:
        return None
    return names[0] if len(names) == 1 and names[0] not in _PLATFORMS and not names[0].startswith("_") else None


def _names(arms: list[tuple[str, str]]) -> tuple[str, ...]:
    """Return the macros that would lead to another arm than the last one."""
    kind, condition = arms[-1]
    names: list[str] = []
    if kind == "else":
        for earlier, test in arms[:-1]:
            alone = _NAME.fullmatch(test)
            if alone and earlier != "ifndef":
                names.append(alone["bare"])
            elif earlier in ("if", "elif"):
                names += [found["inner"] or found["bare"] for found in _WANTED.finditer(test)]
    elif kind == "ifndef":
        names += condition.split()[:1]
    else:
        names += [found["inner"] or found["bare"] for found in _UNWANTED.finditer(condition)]
    return tuple(name for name in dict.fromkeys(names) if not name.startswith("_"))  # those are of compilers
