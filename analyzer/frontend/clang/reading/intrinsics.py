"""Vector instructions that our headers do not have: messages of clang -> declarations, so that they are called unknown.

Without a declaration their result is an ``int``, which no vector can be, and the whole function would be lost.
"""

from __future__ import annotations

from collections.abc import Iterable

from ....python.regex import regex

_X86 = regex(r"_mm(?P<width>256|512|)_(?P<name>\w+)")
_NEON = regex(r"v[a-z0-9]+(?:_[a-z0-9]+)*_(?P<suffix>[fsu])(?P<bits>8|16|32|64)")
_STORES = regex(r"(?:^|_)(?:store|storeu|stream|scatter|i32scatter|i64scatter|maskstore|compressstoreu)(?:_|$)")
_NUMBERS = regex(r"^(?:movemask|test\w|comi\w+|ucomi\w+|extract|cvtsi128|k\w+)(?:_|$)|_mask$")
_REDUCED = regex(r"^(?:mask_)?reduce_")
_WIDTHS = {"": "__m128", "256": "__m256", "512": "__m512"}
_NEON_TYPES = {"f": "float", "s": "int", "u": "uint"}
_Q_BITS, _D_BITS = 128, 64
MACRO = "AI_UNKNOWN_INTRINSICS"


def declarations(undeclared: Iterable[str]) -> str:
    """Return declarations of what is named like a vector instruction; empty where nothing is.

    >>> declarations(["_mm256_fancy_ps", "helper"])
    '__m256 _mm256_fancy_ps AI_ANY;'
    """
    found = ((name, _result(name)) for name in sorted(undeclared))
    return " ".join(f"{kind} {name} AI_ANY;" for name, kind in found if kind)


def _result(name: str) -> str:
    """Return the type of the result, as the name says it; empty for other functions."""
    x86 = _X86.fullmatch(name)
    if x86:
        return _x86_result(x86["width"], x86["name"])
    neon = _NEON.fullmatch(name)
    if neon is None:
        return ""
    bits = int(neon["bits"])
    if name.startswith("vst"):
        return "void"
    lanes = (_Q_BITS if "q_" in name else _D_BITS) // bits
    return f"{_NEON_TYPES[neon['suffix']]}{bits}x{lanes}_t"


def _x86_result(width: str, name: str) -> str:
    suffix = name.rpartition("_")[2]
    if _STORES.search(name):
        return "void"
    if _REDUCED.match(name):
        return {"ps": "float", "pd": "double"}.get(suffix, "long long")
    if _NUMBERS.search(name):
        return "int"
    return _WIDTHS[width] + {"ps": "", "ss": "", "pd": "d", "sd": "d"}.get(suffix, "i")
