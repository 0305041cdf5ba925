"""The options of the analysis of a source."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

from msgspec import Struct, field

from .cache_lines import DEFAULT_LINE_BYTES
from .coverage.counts import ExecutionCounts
from .frontend.launches.given import GivenLaunch
from .given_data.model import GivenData
from .ir.types import ScalarType
from .source import SourceFile
from .traffic.options import CacheOptions


class AnalysisOptions(Struct, frozen=True):
    """The options of an analysis; the names follow the command line.

    ``defines`` are macros and values of symbols; ``confine`` are the only folders that are read (empty: any);
    ``compile_commands`` is a build folder or a ``compile_commands.json``;
    ``launches`` are launches of kernels in place of those of the host code, ``program_arguments`` its command line;
    ``profile`` are counts of a run, whose values hold for what ``defines`` leaves open;
    ``given`` are arrays and matrices whose elements are known;
    ``device`` are properties of the GPU that it runs on, by their names in the CUDA runtime (``multiProcessorCount``);
    ``companions`` are other files of the same program, which may launch the kernels of this one;
    ``functions`` and ``lines`` (first and last, inclusive) choose regions; ``budget_s`` is the CPU time of the file
    (0: no limit), of which each region has a fair share; beyond it answers are weaker, and regions without one after
    one and a half of it are left out and reported.
    ``reported_s`` is the part of that time that the report needs afterwards for each region, and for each nest in it.
    ``budget_operations`` are those of isl for one request (0: as many as fit into twice the budget); with ``ir``
    profiles have the intermediate representation as text, with ``advise`` nests have their variants.  With it or
    ``least_traffic`` all have the bound of any order of their operations, else those that caches reload many times.
    """

    defines: Mapping[str, str] = field(default_factory=dict)
    include_dirs: tuple[str, ...] = ()
    std: str | None = None
    system_headers: bool = False
    confine: tuple[str, ...] = ()
    compile_commands: str | None = None
    frontend: Literal["auto", "clang", "fragment"] = "auto"
    element_type: ScalarType = ScalarType.FP64
    launches: tuple[GivenLaunch, ...] = ()
    program_arguments: tuple[str, ...] | None = None
    profile: ExecutionCounts | None = None
    given: GivenData = field(default_factory=GivenData)
    device: Mapping[str, int] = field(default_factory=dict)
    companions: tuple[SourceFile, ...] = ()
    functions: tuple[str, ...] = ()
    lines: tuple[int, int] | None = None
    policy: str = "source"
    fma: bool = True
    branch_probability: Fraction = Fraction(1, 2)
    line_bytes: int = DEFAULT_LINE_BYTES
    cache: CacheOptions = field(default_factory=CacheOptions)
    budget_s: float = 30
    reported_s: float = 0.005
    budget_operations: int = 20_000_000
    ir: bool = False
    advise: bool = False
    least_traffic: bool = False
