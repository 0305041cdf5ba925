"""Names that are numbered to keep them apart: ``i.2`` is the second counter that the source calls ``i``.

The whole name is the identity of an iterator or a symbol.  What stands here is for people only: the name that they
wrote, in what they state about a loop and in what they are shown.

>>> numbered("i", 2), iteration_name("i", 2), source_name("i.2.block"), in_source("a[i.2][threadIdx.x + $t.1] * 0.5")
('i.2', 'i.at2', 'i.block', 'a[i][threadIdx.x + $t.1] * 0.5')
"""

from __future__ import annotations

from ..python.regex import regex

_NUMBERS = regex(r"\.(?:at)?\d+(?=\.|$)")
_NAME = regex(r"[$A-Za-z_][\w$]*(?:\.\w+)*")


def numbered(name: str, number: int) -> str:
    """Return a name of its own for one of several with the same name in the source."""
    return f"{name}.{number}"


def iteration_name(name: str, counter: int) -> str:
    """Return the name of an iterator in the one iteration of an unrolled loop in which its counter has a value."""
    return f"{name}.at{counter}"


UNUSED = "unused$"
"""The register of what is computed and not used, which nothing reads."""


def temporary_name(number: int) -> str:
    """Return the name of a register that the source does not have."""
    return f"${number}"


def is_temporary(name: str) -> bool:
    """Return whether a register has a value that the source does not name."""
    return name.startswith("$")


def source_name(name: str) -> str:
    """Return the name in the source, without the numbers that keep it apart from others."""
    return _NUMBERS.sub("", name)


def in_source(text: str) -> str:
    """Return a printed expression with its names as the source has them; those of helpers (``$t.1``) stay."""
    return _NAME.sub(lambda found: found[0] if "$" in found[0] else source_name(found[0]), text)
