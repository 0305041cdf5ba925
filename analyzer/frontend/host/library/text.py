"""The string functions of C and C++ on known texts: comparison, search, parsing of numbers, ``sscanf``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from ....python.regex import regex
from ..values import UNKNOWN, Strings, Value

TO_INTEGER = frozenset(
    {"atoi", "atol", "atoll", "strtol", "strtoul", "strtoll", "strtoull"} | {"stoi", "stol", "stoll", "stoul", "stoull"}
)
TO_FLOAT = frozenset({"atof", "strtod", "strtof", "stod", "stof", "strtold"})
_NUMBER = regex(r"\s*[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)")
_DIRECTIVE = regex(r"%(?P<skip>\*)?(?P<width>\d*)(?P<size>hh|h|ll|l|z|j|t|L|q)?(?P<kind>[diuxXofgeEGscn%])|\s+|[^%\s]")
_FIELDS = {
    **dict.fromkeys("di", r"\s*[-+]?\d+"),
    "u": r"\s*\+?\d+",
    **dict.fromkeys("xX", r"\s*(?:0[xX])?[0-9a-fA-F]+"),
    "o": r"\s*[0-7]+",
    **dict.fromkeys("fgeEG", _NUMBER.pattern),
    "s": r"\s*\S+",
    "c": r"(?s:.)",
}
_CLASSES: dict[str, Callable[[str], bool]] = {
    "isdigit": lambda c: "0" <= c <= "9",
    "isalpha": lambda c: c.isascii() and c.isalpha(),
    "isalnum": lambda c: c.isascii() and c.isalnum(),
    "isspace": lambda c: c in " \t\n\v\f\r",
    "isupper": lambda c: c.isascii() and c.isupper(),
    "islower": lambda c: c.isascii() and c.islower(),
    "isxdigit": lambda c: c in "0123456789abcdefABCDEF",
    "ispunct": lambda c: c.isascii() and c.isprintable() and not c.isalnum() and c != " ",
}
_NOWHERE = (1 << 64) - 1


def text_function(name: str, arguments: Sequence[Value]) -> Value | None:
    """Run a function of ``<string.h>``, ``<ctype.h>`` or ``std::string`` on known values; None for any other."""
    match name, arguments:
        case (("strcmp" | "strcoll" | "compare"), [str(left), str(right)]):
            return (left > right) - (left < right)
        case "compare", [str(text), int(start), int(count), str(right)]:
            return (text[start : start + count] > right) - (text[start : start + count] < right)
        case (("strcasecmp" | "stricmp"), [str(left), str(right)]):
            return (left.lower() > right.lower()) - (left.lower() < right.lower())
        case (("strncmp" | "strncasecmp" | "strnicmp"), [str(left), str(right), int(count)]):
            left, right = left[:count], right[:count]
            if name != "strncmp":
                left, right = left.lower(), right.lower()
            return (left > right) - (left < right)
        case (("strlen" | "size" | "length" | "strnlen"), [str(text), *_]):
            return len(text)
        case (("strdup" | "c_str" | "str" | "basename" | "data"), [str(text)]):
            return text
        case "strchr", [str(text), int(character)]:
            return _from(text, text.find(chr(character & 255)))
        case "strrchr", [str(text), int(character)]:
            return _from(text, text.rfind(chr(character & 255)))
        case "strstr", [str(text), str(part)]:
            return _from(text, text.find(part))
        case "strspn", [str(text), str(among)]:
            return len(text) - len(text.lstrip(among)) if among else 0
        case "strcspn", [str(text), str(among)]:
            return next((n for n, character in enumerate(text) if character in among), len(text))
        case (("find" | "rfind" | "find_first_of" | "find_last_of"), [str(text), sought, *rest]):
            return _found(name, text, sought, rest)
        case "substr", [str(text), int(start), *rest]:
            end = start + rest[0] if rest and isinstance(rest[0], int) else len(text)
            return text[start:end]
        case (("starts_with" | "ends_with" | "contains"), [str(text), str(part)]):
            return int({"starts_with": text.startswith, "ends_with": text.endswith}.get(name, text.__contains__)(part))
        case (("tolower" | "toupper"), [int(character)]) if 0 <= character < 128:
            return ord(chr(character).lower() if name == "tolower" else chr(character).upper())
        case "to_string", [int() | float() as number]:
            return str(number) if isinstance(number, int) else f"{number:f}"
    if name in _CLASSES and len(arguments) == 1 and isinstance(arguments[0], int):
        return int(0 <= arguments[0] < 128 and _CLASSES[name](chr(arguments[0])))
    return None


def _from(text: str, position: int) -> Value:
    return 0 if position < 0 else text[position:]


def _found(name: str, text: str, sought: Value, rest: Sequence[Value]) -> Value:
    if isinstance(sought, int):
        sought = chr(sought & 255)
    if not isinstance(sought, str) or (rest and not isinstance(rest[0], int)):
        return UNKNOWN
    start = rest[0] if rest and isinstance(rest[0], int) else 0
    match name:
        case "find":
            index = text.find(sought, start)
        case "rfind":
            index = text.rfind(sought)
        case "find_first_of":
            index = next((n for n in range(start, len(text)) if text[n] in sought), -1)
        case _:
            index = next((n for n in reversed(range(len(text))) if text[n] in sought), -1)
    return _NOWHERE if index < 0 else index


def element(base: Strings | str, index: Value) -> Value:
    """Return ``argv[i]``, or a character of a text; both end in 0."""
    if not isinstance(index, int) or index < 0:
        return UNKNOWN
    if isinstance(base, Strings):
        return base.texts[index] if index < len(base.texts) else 0 if index == len(base.texts) else UNKNOWN
    return ord(base[index]) if index < len(base) else 0 if index == len(base) else UNKNOWN


def parsed(name: str, text: str, base: int = 10) -> tuple[int | float, str]:
    """Return the number at the start of a text, and what follows it; 0 and the whole text where there is none."""
    if name in TO_FLOAT:
        found = _NUMBER.match(text)
        return (float(found[0]), text[found.end() :]) if found else (0.0, text)
    digits = re.compile(r"\s*([-+]?)(0[xX](?=[0-9a-fA-F]))?" if base in (0, 16) else r"\s*([-+]?)()")
    start = digits.match(text)
    if start is None:
        return 0, text
    if base == 0:
        base = 16 if start[2] else 8 if text[start.end() : start.end() + 1] == "0" else 10
    end = start.end()
    while end < len(text) and text[end].isascii() and text[end].isalnum() and int(text[end], 36) < base:
        end += 1
    if end == start.end():
        return 0, text
    return int(start[1] + text[start.end() : end], base), text[end:]


def scanned(text: str, form: str) -> Iterator[int | float | str | None]:
    """Yield the values that ``sscanf`` reads, in order, and None where the text does not fit the form."""
    for part in _DIRECTIVE.finditer(form):
        kind = part["kind"]
        if kind is None or kind == "%":
            if part[0].isspace():
                text = text.lstrip()
            elif text.lstrip().startswith(part[0][-1]) if kind else text.startswith(part[0]):
                text = text.lstrip()[1:] if kind else text[1:]
            else:
                yield None
                return
            continue
        found = re.match(_FIELDS.get(kind, r"(?!)"), text)
        if found is None:
            yield None
            return
        word = found[0][: int(part["width"]) + len(found[0]) - len(found[0].lstrip())] if part["width"] else found[0]
        text = text[len(word) :]
        if part["skip"]:
            continue
        yield _scanned(kind, word)


def _scanned(kind: str, word: str) -> int | float | str:
    if kind in "diuxXo":
        return int(word, {"x": 16, "X": 16, "o": 8}.get(kind, 10))
    if kind in "fgeEG":
        return float(word)
    return ord(word) if kind == "c" else word.strip()
