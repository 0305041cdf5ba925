"""``--budget 10s,4GiB``: the limits of an analysis.

==========  =====================================================================================================
``10s``     CPU time of a file, which ends within twice that (also ``500ms``, ``2min``, or a bare number of seconds)
``4GiB``    memory: a quarter of it for the process that reports, the rest for that which analyzes; with ``-j`` of
            each process that analyzes (also ``MiB``, ``GB``, ``MB``)
``20Mop``   operations of isl for one request (also ``kop``, ``op``); default: what it does in that time
==========  =====================================================================================================

>>> parse_budget("2s,512MiB")
Budget(seconds=2.0, memory_mib=512, operations=4000000)
"""

from __future__ import annotations

import math

from msgspec import Struct

from analyzer.domains.limits import OPERATIONS_PER_SECOND
from analyzer.errors import OptionError
from analyzer.python.regex import regex

_PART = regex(r"(\d+(?:\.\d*)?|\.\d+)\s*([A-Za-z]*)")
_SECONDS = {"": 1.0, "s": 1.0, "ms": 1e-3, "min": 60.0}
_MEBIBYTES = {"MiB": 1.0, "GiB": 1024.0, "MB": 1e6 / 2**20, "GB": 1e9 / 2**20}
_OPERATIONS = {"op": 1.0, "kop": 1e3, "Mop": 1e6}
_LEAST_MIB = 256
_HINT = "write --budget 10s,4GiB"


class Budget(Struct, frozen=True):
    """CPU seconds of a file (0: no limit), memory, operations of isl for one request (0: no limit)."""

    seconds: float
    memory_mib: int
    operations: int


def parse_budget(text: str) -> Budget:
    """Read the argument of ``--budget``; limits that it does not name have their defaults; raises ``OptionError``."""
    found: dict[str, float] = {}
    for part in text.split(","):
        kind, value = _part(part.strip(), text)
        if kind in found:
            raise OptionError(f"--budget {text} gives its {kind} twice", hint=_HINT)
        found[kind] = value
    seconds = found.get("time", 30.0)
    memory_mib = int(found.get("memory", 4096))
    if memory_mib < _LEAST_MIB:
        raise OptionError(f"--budget {text}: a process needs at least {_LEAST_MIB} MiB", hint=_HINT)
    return Budget(seconds, memory_mib, int(found.get("operations", seconds * OPERATIONS_PER_SECOND)))


def _part(part: str, text: str) -> tuple[str, float]:
    match = _PART.fullmatch(part)
    if match is not None:
        number = float(match[1])
        for kind, units in (("time", _SECONDS), ("memory", _MEBIBYTES), ("operations", _OPERATIONS)):
            if match[2] in units and number * units[match[2]] < math.inf:
                return kind, min(number * units[match[2]], 2.0**40)
    raise OptionError(f"--budget {text} cannot be read", hint=_HINT)
