"""The options of an analysis that callers hand on as they are, from the command line to the stages."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

from msgspec import Struct, field

from .cache_lines import DEFAULT_LINE_BYTES


class SourceOptions(Struct, frozen=True, kw_only=True):
    """How sources are read and counted; the names follow the command line.

    ``defines`` are macros and values of symbols; ``confine`` are the only folders that are read (empty: any);
    ``compile_commands`` is a build folder or a ``compile_commands.json``; ``program_arguments`` is the command line of
    the host code; ``functions`` and ``lines`` (first and last, inclusive) choose regions; ``budget_s`` is the CPU time
    of the file (0: no limit), of which each region has a fair share; beyond it answers are weaker, and regions without
    one after one and a half of it are left out and reported; ``budget_operations`` are those of isl for one request
    (0: as many as fit into twice the budget).  With ``advise`` nests have their variants; with it or ``least_traffic``
    all have the bound of any order of their operations, else those that caches reload many times.
    """

    defines: Mapping[str, str] = field(default_factory=dict)
    include_dirs: tuple[str, ...] = ()
    std: str | None = None
    compile_commands: str | None = None
    system_headers: bool = False
    confine: tuple[str, ...] = ()
    frontend: Literal["auto", "clang", "fragment"] = "auto"
    program_arguments: tuple[str, ...] | None = None
    functions: tuple[str, ...] = ()
    lines: tuple[int, int] | None = None
    policy: str = "source"
    fma: bool = True
    branch_probability: Fraction = Fraction(1, 2)
    line_bytes: int = DEFAULT_LINE_BYTES
    budget_s: float = 30
    budget_operations: int = 20_000_000
    advise: bool = False
    least_traffic: bool = False
