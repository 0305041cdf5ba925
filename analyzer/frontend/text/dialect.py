"""Language of a text by its words: C, C++ or CUDA, by a scan for constructs that C does not have."""

from __future__ import annotations

from collections.abc import Collection

from ...python.regex import regex
from ...source import Language, SourceFile

_CUDA = regex(r"\b(?:__global__|__device__|__shared__|__launch_bounds__|threadIdx|blockIdx|blockDim)\b|<<<")
_CXX = regex(
    r"::|\btemplate\s*<|\b(?:namespace|nullptr|constexpr|operator|typename|decltype|mutable|explicit|using)\b"
    r"|\b(?:static|reinterpret|const|dynamic)_cast\s*<|\bclass\s+[A-Za-z_]|\b(?:public|private|protected)\s*:"
    r"|\[[&=]\]\s*[({]|\bauto\s*[&*]|\bfor\s*\([^;()]*:[^;]*\)|\bnew\s+[A-Za-z_]|\bdelete\s*\[",
)
_STRING = regex(r'"(?:\\.|[^"\\\n])*"')
_ORDER = (Language.C, Language.CXX, Language.CUDA)


_CONDITION = regex(
    r"[ \t]*#[ \t]*(?P<kind>ifdef|ifndef|if|elif|else|endif)\b(?P<asked>[^\n]*)",
)
_MACRO = regex(r"(?<![!\w])[ \t]*\bdefined[ \t]*\(?[ \t]*(\w+)")


def dialect_of_file(source: SourceFile, text: str, given: Collection[str] = ()) -> Language:
    """Return the language of a file by its text without comments, ``given`` the macros that the build defines.

    What a file of C has for builds with other macros alone, a C compiler does not read.
    """
    if source.language is Language.C and source.path.endswith(".c"):
        text = _without_options(text, given)
    return dialect_of(text, source.language)


def _without_options(text: str, given: Collection[str]) -> str:
    """Return the text without what stands behind ``#ifdef X`` and ``#if defined(X)``, X not being given."""
    kept: list[str] = []
    left_out: list[bool] = []
    for line in text.split("\n"):
        match = _CONDITION.match(line)
        kind = match["kind"] if match else ""
        if kind.startswith("if"):
            left_out.append(_asks_for_other(kind, match["asked"] if match else "", given))
        elif kind == "endif" and left_out:
            left_out.pop()
        elif kind and left_out:
            left_out[-1] = kind == "elif" and _asks_for_other("if", match["asked"] if match else "", given)
        kept.append("" if any(left_out) else line)
    return "\n".join(kept)


def _asks_for_other(kind: str, asked: str, given: Collection[str]) -> bool:
    """Return whether a condition needs one of some macros, of which none is given."""
    names = [asked.strip()] if kind == "ifdef" else _MACRO.findall(asked) if kind == "if" else []
    return bool(names) and not any(name in given for name in names)


def dialect_of(text: str, declared: Language = Language.C) -> Language:
    """Return the declared language, or C++ or CUDA if the text uses their syntax. Expects text without comments.

    >>> dialect_of("__global__ void f(float *x) { x[threadIdx.x] = 0; }").value
    'cuda'
    """
    spoken = _spoken_in(text)
    if spoken is not Language.C:
        spoken = _spoken_in(_STRING.sub('""', text))
    return max(declared, spoken, key=_ORDER.index)


def _spoken_in(text: str) -> Language:
    return Language.CUDA if _CUDA.search(text) else Language.CXX if _CXX.search(text) else Language.C
