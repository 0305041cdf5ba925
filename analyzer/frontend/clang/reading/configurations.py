"""Macros that a build must choose: the text of a file around an ``#error`` -> the names without which it stops.

Code bases with several versions of one program say ``#if defined(A) ... #elif defined(B) ... #else #error ... #endif``.
"""

from __future__ import annotations

from ....regex import regex

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
