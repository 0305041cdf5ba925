"""Loops that the preprocessor leaves out of a source, as a macro that they wait for is not defined.

>>> loops_left_out("#ifdef IMPLEMENTATION\\nvoid f(void) { for (;;); }\\n#endif\\n", {})
('IMPLEMENTATION', 1)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from ...python.regex import regex
from .arms import DIRECTIVE
from .lexical import without_comments

_NAME = regex(r"(?P<opposite>!\s*)?\b(?:defined\b\s*)?\(?\s*(?P<name>[A-Za-z_]\w*)")
_NEVER = "0"
_LOOP = regex(r"\b(?:for|while)\s*\(")


def loops_left_out(text: str, given: Collection[str]) -> tuple[str, int] | None:
    """Return the macro without which most loops are left out, and how many these are; None where there are none.

    ``given`` are macros that are defined.  Of ``||`` and ``&&`` the first macro that would help is meant; those of
    compilers and systems (``_WIN32``) are theirs to define.
    """
    defined, around = set(given), list[str]()
    found: Counter[str] = Counter()
    for line in without_comments(text).splitlines():
        directive = DIRECTIVE.match(line)
        waits_for = next(filter(None, around), "")
        if directive is None:
            found[waits_for] += len(_LOOP.findall(line)) if waits_for and _NEVER not in around else 0
            continue
        match directive["kind"]:
            case "define":
                defined.update([] if waits_for else directive["rest"].partition("(")[0].split()[:1])
            case "endif":
                del around[-1:]
            case "ifdef" | "if" | "ifndef":
                around.append("" if directive["kind"] == "ifndef" else _missing(directive["rest"], defined))
            case "undef":
                pass
            case _ if around:
                around[-1] = ""
    return next(iter((+found).most_common(1)), None)


def _missing(condition: str, defined: Collection[str]) -> str:
    """Return the first macro without which a condition does not hold, "" where it may hold, "0" where it never does."""
    if condition.strip() == _NEVER:
        return _NEVER
    names = [each["name"] for each in _NAME.finditer(condition) if not each["opposite"]]
    missing = [name for name in names if name not in defined]
    may_hold = len(missing) < len(names) and "&&" not in condition
    return "" if may_hold or not missing or missing[0].startswith("_") else missing[0]
