"""The options of the analysis of a source."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import field

from .coverage.counts import ExecutionCounts
from .frontend.launches.given import GivenLaunch
from .given_data.model import GivenData
from .ir.types import ScalarType
from .source import SourceFile
from .source_options import SourceOptions
from .traffic.options import CacheOptions


class AnalysisOptions(SourceOptions, frozen=True, kw_only=True):
    """The options of an analysis: those of its callers, and values that are read from others.

    ``launches`` are launches of kernels instead of the ones in host code;
    ``profile`` are counts of a run, whose values hold for what ``defines`` leaves open;
    ``given`` are arrays and matrices whose elements are known;
    ``device`` are properties of the GPU that it runs on, by their names in the CUDA runtime (``multiProcessorCount``);
    ``companions`` are other files of the same program, which may launch the kernels of this one;
    ``reported_s`` is the part of the budget that the report needs afterwards for each region, and for each nest in it;
    with ``ir`` profiles have the intermediate representation as text; ``in_full`` they have what the first screen
    does not show: cache lines, the fingerprints of nests, and the distinct data of regions of several nests.
    """

    element_type: ScalarType = ScalarType.FP64
    launches: tuple[GivenLaunch, ...] = ()
    profile: ExecutionCounts | None = None
    given: GivenData = field(default_factory=GivenData)
    device: Mapping[str, int] = field(default_factory=dict)
    companions: tuple[SourceFile, ...] = ()
    cache: CacheOptions = field(default_factory=CacheOptions)
    reported_s: float = 0.005
    ir: bool = False
    in_full: bool = True
