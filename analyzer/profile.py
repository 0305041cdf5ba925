"""What a region does, independent of any machine: the result of the analysis.

All numbers are :class:`~analyzer.poly.quantity.Quantity` values over the region's symbols;
:attr:`RegionProfile.values` holds the values of those symbols that are known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .counts.shapes import LineWork, PerIteration, References, Work
from .diagnostics import Diagnostic
from .ir.nodes import Assumption, RegionKind
from .ir.nodes import Mapping as LoopMapping
from .source import Language, Span
from .traffic.shapes import Footprint, LevelTraffic


@dataclass(frozen=True, slots=True)
class LoopInfo:
    """One loop of a region, outermost first, as far as people and ceilings need it."""

    iterator: str
    line: int
    end_line: int
    depth: int
    mapping: LoopMapping
    innermost: bool
    trip_text: str


@dataclass(frozen=True, slots=True)
class RegionProfile:
    """Everything known about one region on any machine."""

    name: str
    kind: RegionKind
    function: str
    span: Span
    depth: int
    symbols: tuple[str, ...]
    values: Mapping[str, int]
    work: Work
    loads: References
    stores: References
    per_iteration: PerIteration | None
    footprint: Footprint
    register_traffic: LevelTraffic
    compulsory_traffic: LevelTraffic
    loops: tuple[LoopInfo, ...]
    lines: tuple[LineWork, ...]
    assumptions: tuple[Assumption, ...]
    nests: tuple[RegionProfile, ...]


@dataclass(frozen=True, slots=True)
class FileProfile:
    """The result for one input file; ``regions`` is empty where nothing could be analyzed."""

    path: str
    language: Language
    frontend: str
    regions: tuple[RegionProfile, ...]
    diagnostics: tuple[Diagnostic, ...]
    ir_text: str
    source_text: str

