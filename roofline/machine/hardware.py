"""The parts a machine consists of, as frozen values: clocks, units, cores, GPU limits, cache levels, memory.

These are what :mod:`roofline.machine.schema` reads; :mod:`roofline.machine.machine` puts them together and answers
questions. None always means "not known", never zero.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from .figures import BandwidthFigure, Figure, Precision


class MachineKind(StrEnum):
    """The broad family, which decides the traffic model."""

    CPU = "cpu"
    GPU = "gpu"
    TPU = "tpu"


class Inclusion(StrEnum):
    """How a cache relates to the levels inside it."""

    INCLUSIVE = "inclusive"
    VICTIM = "victim"
    MEMORY_SIDE = "memory-side"


class WritePolicy(StrEnum):
    """Whether an ordinary store to a line that is not cached also reads that line from memory."""

    ALLOCATE = "allocate"
    PARTIAL = "partial"
    NONE = "none"


class Source(Struct, frozen=True):
    """Where figures come from; ``verified`` is False where the document was cited without being opened."""

    id: str
    title: str
    kind: str
    url: str | None = None
    verified: bool = True
    note: str | None = None


class Clock(Struct, frozen=True):
    """Clock rates in Hz: guaranteed base, nominal, highest boost, and the rate under heavy SIMD use."""

    nominal: Figure | None = None
    base: Figure | None = None
    boost: Figure | None = None
    simd: Figure | None = None


class Units(Struct, frozen=True):
    """What the work is spread over: name (core, SM, CU), count, hardware threads, FLOPs per cycle with FMA."""

    name: str
    count: int
    source: str
    threads_per_unit: int | None = None
    flops_per_cycle: tuple[tuple[Precision, float], ...] = ()


class Ports(Struct, frozen=True, kw_only=True):
    """How many instructions of ``bits`` bits a core starts in a cycle; ``arithmetic_per_cycle`` is of any mix."""

    bits: int
    arithmetic_per_cycle: float | None = None
    fma_per_cycle: float | None = None
    add_per_cycle: float | None = None
    mul_per_cycle: float | None = None
    loads_per_cycle: float | None = None
    stores_per_cycle: float | None = None


class Core(Struct, frozen=True, kw_only=True):
    """In-core throughput of a CPU; counts are of full-width SIMD instructions per cycle, None where not known.

    ``div_cycles`` and ``sqrt_cycles`` are how long one such fp64 division or square root occupies its unit;
    ``*_fp32_cycles`` are of fp32 at full width, ``*_scalar_cycles`` of one fp64 number,
    whose result comes after ``*_latency_cycles``.
    ``arithmetic_per_cycle`` bounds additions, multiplications and FMAs together (None: :attr:`arithmetic_units`).
    ``memory_operations_per_cycle`` bounds loads plus stores where they share ports (None: their sum),
    ``indexed_operations_per_cycle`` where their addresses are a base and an index, as compilers make them.
    ``taken_branch_cycles`` are those from one branch that is taken to the next (None: one).
    ``float_load_latency_cycles`` are those of a load from L1 into a register of floating-point numbers,
    ``vector_load_latency_cycles`` of one of full width (None: those of L1, and of the former).
    ``fetch_bytes`` is the block of code from which instructions come in one cycle (None: loops are held behind the
    fetching); ``loops_restart_issue`` says that no cycle issues the end of an iteration with the start of the next.
    ``integer_units`` are integer SIMD instructions of the simplest kind per cycle, in full width (1.5: three units of
    half of it), ``scalar_integer_units`` those on single integers.
    ``out_of_order_window`` is the size of the reorder buffer, in instructions that wait to retire; ``path_bits`` is the
    width of the units where an instruction of full width takes several passes (None: ``simd_bits``).
    ``widths`` has the throughput at narrower widths where it is known; 64 bits are one double by itself.
    ``loads_overlap`` and :attr:`Level.transfers_overlap` say what the ECM model may overlap with cache transfers.
    """

    isa: str
    simd_bits: int
    sources: tuple[str, ...]
    lanes: tuple[tuple[Precision, int], ...] = ()
    arithmetic_per_cycle: float | None = None
    fma_units: float | None = None
    add_units: float | None = None
    mul_units: float | None = None
    loads_per_cycle: float | None = None
    stores_per_cycle: float | None = None
    memory_operations_per_cycle: float | None = None
    indexed_operations_per_cycle: float | None = None
    taken_branch_cycles: float | None = None
    integer_units: float | None = None
    scalar_integer_units: float | None = None
    issue_width: float | None = None
    fma_latency_cycles: float | None = None
    add_latency_cycles: float | None = None
    mul_latency_cycles: float | None = None
    div_cycles: float | None = None
    sqrt_cycles: float | None = None
    div_fp32_cycles: float | None = None
    sqrt_fp32_cycles: float | None = None
    div_scalar_cycles: float | None = None
    sqrt_scalar_cycles: float | None = None
    div_latency_cycles: float | None = None
    sqrt_latency_cycles: float | None = None
    float_load_latency_cycles: float | None = None
    vector_load_latency_cycles: float | None = None
    out_of_order_window: int | None = None
    path_bits: int | None = None
    fetch_bytes: int | None = None
    loads_overlap: bool | None = None
    loops_restart_issue: bool | None = None
    widths: tuple[Ports, ...] = ()
    note: str | None = None

    def ports(self, bits: float) -> Ports:
        """Return the throughput of instructions of a width: as stated, else that of full width over ``path_bits``."""
        stated = min((each for each in self.widths if each.bits >= bits), key=lambda each: each.bits, default=None)
        if stated is not None:
            return stated
        times = self.simd_bits / max(bits, self.path_bits or self.simd_bits)

        def rate(per_cycle: float | None) -> float | None:
            return None if per_cycle is None else per_cycle * times

        return Ports(
            bits=int(bits),
            arithmetic_per_cycle=rate(self.arithmetic_units),
            fma_per_cycle=rate(self.fma_units),
            add_per_cycle=rate(self.add_units),
            mul_per_cycle=rate(self.mul_units),
            loads_per_cycle=rate(self.loads_per_cycle),
            stores_per_cycle=rate(self.stores_per_cycle),
        )

    @property
    def arithmetic_units(self) -> float | None:
        """Return arithmetic instructions per cycle of any mix.

        As stated, else the FMA units, else adders and multipliers.
        """
        apart = (self.add_units or 0.0) + (self.mul_units or 0.0)
        return self.arithmetic_per_cycle or self.fma_units or apart or None

    def lanes_of(self, precision: str) -> int:
        """Return the elements of one SIMD register; a core may have fewer lanes than bits (QPX: 4 for both)."""
        stated = dict(self.lanes).get(Precision(precision))
        return stated if stated is not None else max(1, self.simd_bits // Precision(precision).bits)


class Gpu(Struct, frozen=True, kw_only=True):
    """What the GPU models need; byte counts are of one transaction or of one SM or CU, None where not known.

    ``int32_per_cycle`` are 32-bit integer operations of one SM or CU per cycle; ``int32_multiply_per_cycle`` those of
    units of their own that multiply integers, and that additions may take as well.  ``arithmetic_latency_cycles`` is
    how long the shortest floating-point instruction waits for the one whose result it needs.  Memory sends
    ``memory_fetch_bytes`` at a time, whatever is wanted of them.
    """

    warp_size: int
    sector_bytes: int
    line_bytes: int
    schedulers_per_unit: int
    issue_per_scheduler: float
    sources: tuple[str, ...]
    target: str | None = None
    shared_memory_bytes: int | None = None
    shared_banks: int | None = None
    shared_bank_bytes: int | None = None
    max_threads_per_unit: int | None = None
    max_blocks_per_unit: int | None = None
    registers_per_unit: int | None = None
    int32_per_cycle: float | None = None
    int32_multiply_per_cycle: float | None = None
    arithmetic_latency_cycles: float | None = None
    memory_fetch_bytes: int | None = None
    shared_bandwidths: tuple[BandwidthFigure, ...] = ()

    @property
    def shared_transaction_bytes(self) -> int | None:
        """Return bytes of one conflict-free shared-memory transaction (32 banks of 4 bytes: 128)."""
        if self.shared_banks is None or self.shared_bank_bytes is None:
            return None
        return self.shared_banks * self.shared_bank_bytes


class Level(Struct, frozen=True, kw_only=True):
    """One cache level; capacity and ways are of one instance, bandwidths of the whole machine.

    ``shared_by`` units share an instance, and there are ``instances`` of them. ``bytes_per_cycle`` is the width, per
    unit, of the path from this level towards the core; ``duplex`` is half or full. ``write_allocate`` says whether a
    store that misses gets a line here; what that costs in memory traffic is :class:`WriteAllocate`. A level of several
    ``partitions`` serves what lies in the partition near to the unit after ``latency_cycles``, the rest after
    ``far_latency_cycles``, and data larger than one partition with ``far_bandwidths``. ``effective`` is
    the fraction of the capacity that is expected to hold the data of a program, ``effective_why`` its justification;
    bounds take the whole. ``explain`` says why the level may break a physical rule.
    """

    name: str
    capacity_bytes: int
    shared_by: int
    instances: int
    sources: tuple[str, ...]
    line_bytes: int | None = None
    ways: int | None = None
    write_back: bool | None = None
    write_allocate: bool | None = None
    inclusion: Inclusion | None = None
    bytes_per_cycle: float | None = None
    duplex: str | None = None
    transfers_overlap: bool | None = None
    latency_cycles: float | None = None
    bandwidths: tuple[BandwidthFigure, ...] = ()
    partitions: int = 1
    far_latency_cycles: float | None = None
    far_bandwidths: tuple[BandwidthFigure, ...] = ()
    effective: float = 1.0
    effective_why: str | None = None
    note: str | None = None
    explain: str | None = None

    def moving(self, figures: tuple[BandwidthFigure, ...]) -> tuple[BandwidthFigure, ...]:
        """Return bandwidths of the level as those of all that moves: of a victim cache with what is evicted into it."""
        if self.inclusion is not Inclusion.VICTIM:
            return figures
        return tuple(replace(figure, victim=True) for figure in figures)


class Memory(Struct, frozen=True, kw_only=True):
    """Main memory, outermost level; ``domains`` are separate controllers with their own share of the units (NUMA).

    ``latency_s`` is how long one load waits that depends on the load before it, in large pages; ``page_walk_s`` is how
    much longer in the pages of 4 KiB that programs are given (None: these are large), ``column_walk_s`` how much longer
    a load of a column with each row in a page of its own, whose loads do not wait for one another; ``tlb_pages`` are
    the pages whose translations a core holds; ``sources`` are those of what is no bandwidth.
    """

    name: str
    technology: str
    bandwidths: tuple[BandwidthFigure, ...]
    capacity_bytes: int | None = None
    domains: int = 1
    latency_s: float | None = None
    page_walk_s: float | None = None
    column_walk_s: float | None = None
    tlb_pages: int | None = None
    sources: tuple[str, ...] = ()
    note: str | None = None
    explain: str | None = None


class WriteAllocate(Struct, frozen=True):
    """What a store costs: bus bytes per stored byte lie between ``store_factor_min`` and ``store_factor_max``."""

    policy: WritePolicy
    text: str
    store_factor_min: float
    store_factor_max: float
    source: str | None = None


class Scaling(Struct, frozen=True):
    """What-if factors on compute and on every bandwidth."""

    flops: float = 1.0
    bandwidth: float = 1.0
