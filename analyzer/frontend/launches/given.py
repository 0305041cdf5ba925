"""Launches as users write them, instead of those of the host code.

A launch is written ``kernel:grid=1024x1x1,block=256,shared=2048,n=1000``: dimensions with ``x`` between them, missing
ones are 1; ``regs`` are the registers of a thread; ``trip_L12=2.5`` and ``prob_L12=0.1`` are averages and probabilities
of what depends on data, as ``-D`` gives them; any other name is a parameter of the kernel.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import prod

from msgspec import Struct, field
from msgspec.structs import replace

from ...errors import OptionError
from ...near_names import near_names
from ...python.regex import regex

_HINT = "write --launch 'kernel:grid=1024x1x1,block=256x1x1'"
_SPEC = regex(r"(?P<kernel>.+?):(?P<rest>(?:\s*[\w.]+\s*=\s*[^,=]+,?)+)")
_ITEM = regex(r"(?P<name>[\w.]+)\s*=\s*(?P<value>[^,=]+)")

_SYMBOL = regex(r"(?:trip|prob)_L\d+(?:\.\d+)?")

_MOST_REGISTERS = 255
_MOST_THREADS = 1024  # CUDA C++ Programming Guide, technical specifications per compute capability
_ALIKE = 0.7
Dimensions = tuple[int | None, int | None, int | None]
UNKNOWN_EXTENTS: Dimensions = (None, None, None)


class GivenLaunch(Struct, frozen=True, kw_only=True):
    """A launch as the user writes it; ``kernel`` is a name with or without template arguments.

    ``symbols`` are values of symbols that are no parameters, as they are written.
    """

    kernel: str
    grid: Dimensions = UNKNOWN_EXTENTS
    block: Dimensions = UNKNOWN_EXTENTS
    shared_bytes: int | None = None
    registers: int | None = None
    arguments: Mapping[str, int] = field(default_factory=dict)
    symbols: Mapping[str, str] = field(default_factory=dict)


def parse_launch(text: str) -> GivenLaunch:
    """Read ``kernel:grid=...,block=...``; raises ``OptionError``.

    >>> parse_launch("axpy:grid=4x2,block=256").grid
    (4, 2, 1)
    """
    found = _SPEC.fullmatch(text.strip())
    if found is None:
        raise OptionError(f"--launch {text} is not a launch", hint=_HINT)
    given = GivenLaunch(kernel=found["kernel"].strip())
    arguments: dict[str, int] = {}
    symbols: dict[str, str] = {}
    for item in _ITEM.finditer(found["rest"]):
        name, value = item["name"], item["value"].strip()
        match name:
            case "grid":
                given = replace(given, grid=_dimensions(text, value))
            case "block":
                given = replace(given, block=_dimensions(text, value))
            case "shared":
                given = replace(given, shared_bytes=_whole(text, value))
            case "regs":
                given = replace(given, registers=_registers(text, value))
            case _ if _SYMBOL.fullmatch(name):
                symbols[name] = value
            case _:
                arguments[name] = _whole(text, value)
    _check(text, given, arguments)
    return replace(given, arguments=arguments, symbols=symbols)


def _check(text: str, given: GivenLaunch, arguments: Mapping[str, int]) -> None:
    """Raise ``OptionError`` for a misspelled grid or block, and for a block that no GPU runs."""
    missing = [name for name, extents in (("grid", given.grid), ("block", given.block)) if extents is UNKNOWN_EXTENTS]
    if len(missing) == 1 and arguments:
        name = missing[0]
        close = near_names(name, arguments, least_alike=_ALIKE)
        if close:
            raise OptionError(f"--launch {text}: it has no {name}, but {close[0]}", hint=f"did you mean {name}=?")
    threads = prod(size or 1 for size in given.block)
    if threads > _MOST_THREADS:
        hint = "take a smaller block and a larger grid"
        raise OptionError(f"--launch {text}: a block has at most {_MOST_THREADS} threads, not {threads}", hint=hint)


def _dimensions(text: str, value: str) -> Dimensions:
    sizes = [_whole(text, part) for part in re.split("[xX*]", value)]
    if len(sizes) > len(UNKNOWN_EXTENTS) or min(sizes) < 1:
        raise OptionError(f"--launch {text}: {value} is no size of a grid or block", hint=_HINT)
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def _registers(text: str, value: str) -> int:
    number = _whole(text, value)
    if not 1 <= number <= _MOST_REGISTERS:
        raise OptionError(f"--launch {text}: a thread has 1 to {_MOST_REGISTERS} registers, not {number}", hint=_HINT)
    return number


def _whole(text: str, value: str) -> int:
    try:
        return int(value.strip(), 0)
    except ValueError:
        raise OptionError(f"--launch {text}: {value} is not a whole number", hint=_HINT) from None
