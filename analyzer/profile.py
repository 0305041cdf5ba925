"""What a region does, independent of any machine: the result of the analysis.

All numbers are :class:`~analyzer.quantity.Quantity` values over the region's symbols; :attr:`RegionProfile.values`
holds the values of those symbols that are known.  Bytes follow one of four conventions (:class:`Convention`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from .diagnostics import Diagnostic
from .ir.nodes import Assumption, Mapping as LoopMapping, RegionKind
from .ir.types import ScalarType
from .ir.values import Operation
from .quantity import Quantity
from .source import Language, Span


class Convention(Enum):
    """How bytes are counted when one intensity is to be named.

    ``REGISTER``: distinct elements per innermost iteration, summed (no cache at all).
    ``COMPULSORY``: every element read before it is written is loaded once, every written one is stored once.
    ``WRITE_ALLOCATE``: the same, and a written element that is not read first costs a load as well.
    ``TOUCHED_ONCE``: every distinct element counts once, whether read, written or both.
    """

    REGISTER = "register"
    COMPULSORY = "compulsory"
    WRITE_ALLOCATE = "write-allocate"
    TOUCHED_ONCE = "touched-once"


@dataclass(frozen=True, slots=True)
class OperationKey:
    """What is counted together: the operation, the precision it computes in, and the function's name for calls."""

    operation: Operation
    precision: ScalarType
    function: str = ""


@dataclass(frozen=True, slots=True)
class Work:
    """Operations of a region. ``flops`` follows the policy; an FMA counts as 2.

    ``fma_instructions`` and ``flop_instructions`` are floating-point add, mul and fma instructions after contraction
    (``fma_instructions <= flop_instructions``): their quotient is alpha of the partial-FMA ceiling.
    ``index_operations`` are integer operators of subscripts and loop control, ``integer_operations`` those on data.
    """

    operations: Mapping[OperationKey, Quantity]
    flops: Quantity
    flops_by_precision: Mapping[ScalarType, Quantity]
    fma_instructions: Quantity
    flop_instructions: Quantity
    integer_operations: Quantity
    index_operations: Quantity


@dataclass(frozen=True, slots=True)
class References:
    """Dynamic totals of source-level memory references of one direction."""

    elements: Quantity
    bytes: Quantity


@dataclass(frozen=True, slots=True)
class PerIteration:
    """One iteration of the dominant innermost loop at register level.

    ``loads``/``stores`` are distinct elements referenced per iteration, loop-invariant ones excluded; numbers are exact
    where the body has no condition, otherwise limits for large symbols (``exact`` is False).
    """

    line: int
    iterator: str
    flops: Fraction
    operations: Mapping[OperationKey, Fraction]
    loads: Fraction
    stores: Fraction
    load_bytes: Fraction
    store_bytes: Fraction
    exact: bool

    @property
    def intensity(self) -> Fraction | None:
        """FLOPs per byte; None where no byte moves."""
        moved = self.load_bytes + self.store_bytes
        return self.flops / moved if moved else None


@dataclass(frozen=True, slots=True)
class Extent:
    """Distinct things at two granularities: elements with their bytes, and cache lines."""

    elements: Quantity
    bytes: Quantity
    lines: Quantity


@dataclass(frozen=True, slots=True)
class ArrayFootprint:
    """What a region touches of one array. ``read`` are elements whose first use is a read."""

    array: str
    read: Extent
    written: Extent
    touched: Extent


@dataclass(frozen=True, slots=True)
class Footprint:
    """What a region touches, summed over arrays; ``line_bytes`` is the line size of the line counts."""

    line_bytes: int
    read: Extent
    written: Extent
    touched: Extent
    arrays: tuple[ArrayFootprint, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """A capacity condition: ``text`` holds while ``parameter`` is at most ``threshold``."""

    text: str
    parameter: str
    threshold: int


@dataclass(frozen=True, slots=True)
class LevelTraffic:
    """Bytes that one level serves, by direction; ``model`` says how they were found.

    ``level`` is ``register`` (every per-iteration reference) or the name of a memory level; the compulsory model gives
    one level, ``DRAM``.
    """

    level: str
    model: str
    block_bytes: int
    read_bytes: Quantity
    write_allocate_bytes: Quantity
    write_bytes: Quantity
    conditions: tuple[Condition, ...] = ()


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
class LineWork:
    """What one source line does in total: for annotated source."""

    line: int
    flops: Quantity
    load_bytes: Quantity
    store_bytes: Quantity
    executions: Quantity


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
