"""Names of kernels, loops and benchmarks as tools write them, to names that can be compared.

Mangled names follow the Itanium C++ ABI; what the demangler cannot read gives its length-prefixed identifiers.

>>> kernel_name("void ns::axpy<double, (int)4>(T1 *, const T1 *, T1, int)")
KernelName(base='axpy', qualified='ns::axpy', arguments=('double', '4'))
>>> kernel_name("_Z4axpyIdLi4EEvPT_PKS0_S0_i").base, kernel_name("[loop in triad at triad.c:12]").base
('axpy', 'triad')
>>> benchmark_names("BM_triad/16777216"), benchmark_names("Fixture/axpy<float>/n:64/threads:4")
(('BM_triad', 'triad'), ('axpy<float>',))
"""

from __future__ import annotations

from msgspec import Struct

from analyzer.python.regex import regex

_LOOP = regex(r"\[loop in (?P<function>.+?)(?: at [^\]]*)?\]")
_ANONYMOUS = regex(r"\(anonymous namespace\)::|<unnamed>::|_GLOBAL__N_1::")
_IDENTIFIER = regex(r"[0-9]{1,9}")
_CAST = regex(r"^\((?:unsigned |signed )?[\w ]+\)")
_SUFFIX = regex(r"(?<=\d)(?:[uU]?[lL]{0,2}|[fF])$")
_PREFIX = regex(r"^(?:BM|bm|bench|benchmark|Benchmark|Bench)_+")
_BRACKETS = {"(": ")", "<": ">", "[": "]", "{": "}"}


class KernelName(Struct, frozen=True):
    """A name without types and parameters; ``arguments`` of a template, None where none are written."""

    base: str
    qualified: str
    arguments: tuple[str, ...] | None = None

    def matches(self, other: KernelName) -> bool:
        """Return whether both may name the same kernel: qualifiers and arguments count where both have them."""
        if self.base != other.base:
            return False
        if self.arguments is not None and other.arguments is not None and self.arguments != other.arguments:
            return False
        both = "::" in self.qualified and "::" in other.qualified
        return not both or self.qualified == other.qualified


def kernel_name(text: str) -> KernelName:
    """Return the name of a kernel, a function or a loop, in whatever form it comes."""
    plain = text.strip()
    loop = _LOOP.search(plain)
    if loop is not None:
        plain = loop["function"]
    if plain.startswith("_Z"):
        plain = _demangled(plain)
    plain = _ANONYMOUS.sub("", plain)
    head = _without_type(_without_parameters(plain))
    opening = head.find("<")
    if opening > 0 and head.endswith(">"):
        qualified = head[:opening]
        arguments = tuple(_argument(part) for part in _split(head[opening + 1 : -1]))
        return KernelName(_last(qualified), qualified, arguments)
    return KernelName(_last(head), head)


def benchmark_names(text: str) -> tuple[str, ...]:
    """Return the function in a benchmark's name, without fixture and arguments: with its prefix and without.

    Nothing where the name has no such parts: then it is no benchmark's.
    """
    parts = [part for part in text.split("/") if part and ":" not in part.replace("::", "") and not part.isdigit()]
    return tuple(dict.fromkeys((parts[-1], _PREFIX.sub("", parts[-1])))) if parts else ()


def _demangled(text: str) -> str:
    from itanium_demangler import parse

    try:
        found = parse(text)
    except (NotImplementedError, ValueError, AttributeError, TypeError, IndexError, KeyError, RecursionError):
        found = None
    return _identifiers(text) if found is None else str(found)


def _identifiers(text: str) -> str:
    """Return ``ns::scale`` for ``_ZN2ns5scaleE...``: its length-prefixed identifiers up to the first other thing."""
    at = 3 if text.startswith("_ZN") else 2
    parts: list[str] = []
    while match := _IDENTIFIER.match(text, at):
        size = int(match[0])
        parts.append(text[match.end() : match.end() + size])
        at = match.end() + size
        if not text.startswith("_ZN"):
            break
    return "::".join(parts) or text


def _without_parameters(text: str) -> str:
    """Return the text before the parameter list: the first bracket neither in a template nor of an operator."""
    depth = 0
    for at, letter in enumerate(text):
        if letter == "<":
            depth += 1
        elif letter == ">" and depth:
            depth -= 1
        elif letter == "(" and not depth and at and not text[:at].endswith("operator"):
            return text[:at].strip()
    return text


def _without_type(text: str) -> str:
    """Return the last word outside brackets: return types stand before it."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        if text[at] in ">)]}":
            depth += 1
        elif text[at] in _BRACKETS and depth:
            depth -= 1
        elif text[at] == " " and not depth:
            return text[at + 1 :].lstrip("*&")
    return text


def _split(text: str) -> list[str]:
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in _BRACKETS) - (letter in _BRACKETS.values())
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _argument(text: str) -> str:
    """Return ``4`` for ``(int)4`` and ``4u``, ``1`` for ``true``, without blanks."""
    plain = _SUFFIX.sub("", _CAST.sub("", text.strip()))
    return {"true": "1", "false": "0"}.get(plain, plain.replace(" ", ""))


def _last(qualified: str) -> str:
    return qualified.rsplit("::", 1)[-1]
