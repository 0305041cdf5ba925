"""What a region computes and references, before any policy: the shapes of the counting stage.

``Work`` and ``References`` are dynamic totals over a region; ``PerIteration`` is one iteration of its dominant
innermost loop at register level: distinct elements, loop-invariant ones excluded (scalar replacement).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from fractions import Fraction

from msgspec import Struct, field

from ..diagnostics import Phrase
from ..ir.index import Poly
from ..ir.types import ScalarType
from ..ir.values import Operation
from ..quantities.quantity import Quantity
from ..source import Span


class OperationKey(Struct, frozen=True):
    """What is counted together: the operation, the precision it computes in, and the function's name for calls."""

    operation: Operation
    precision: ScalarType
    function: str = ""


class NotCounted(Struct, frozen=True):
    """Something whose work is in no count: ``call of f`` where the body of f is not known; how often it ``runs``.

    Or something whose data are in no footprint.
    """

    what: Phrase
    span: Span
    runs: Quantity


class Work(Struct, frozen=True):
    """Operations of a region. ``flops`` follows the policy; an FMA counts as 2.

    ``fma_instructions`` and ``flop_instructions`` are floating-point add, mul and fma instructions after contraction
    (``fma_instructions <= flop_instructions``): their quotient is alpha of the partial-FMA ceiling.
    ``index_operations`` are integer operators of subscripts and loop control, ``integer_operations`` those on data.
    All are of what is known; ``not_counted`` is the rest.  What is ``not_located`` is counted, but not what it touches.
    FLOPs have nothing in them for functions ``without_cost``: the policy does not say how many these are.
    """

    operations: Mapping[OperationKey, Quantity]
    flops: Quantity
    flops_by_precision: Mapping[ScalarType, Quantity]
    fma_instructions: Quantity
    flop_instructions: Quantity
    integer_operations: Quantity
    index_operations: Quantity
    not_counted: tuple[NotCounted, ...] = ()
    not_located: tuple[NotCounted, ...] = ()
    without_cost: tuple[NotCounted, ...] = ()


class References(Struct, frozen=True):
    """Dynamic totals of source-level memory references of one direction."""

    elements: Quantity
    bytes: Quantity


class ObstacleKind(Enum):
    """What keeps a loop from running in vector lanes."""

    DEPENDENCE = "dependence"
    INDIRECT = "indirect access"
    STRIDE = "stride"
    MIXED_TYPES = "mixed types"
    CALL = "call"
    CONTROL = "control flow"


class Obstacle(Struct, frozen=True):
    """One such thing; ``distance`` iterations could still run side by side where a dependence is that far.

    ``subjects`` are the accesses that depend on each other (one on itself; none: not examined), the array of an access,
    the types that are mixed, or the function that is called; a stride has its ``stride_bytes`` where they are known.
    """

    kind: ObstacleKind
    subjects: tuple[str, ...] = ()
    distance: int = 1
    stride_bytes: int | None = None


class Chain(Struct, frozen=True):
    """A value handed from one iteration to the one ``distance`` later, through these operations (contracted).

    A *reduction* is of one associative operation, and nothing else in the loop needs its intermediate values.  The
    value is an addend of so many of the FMAs (``addends``): a compiler may multiply apart, and add.  It ``restarts``
    where another value is taken up whenever the loop is entered; compilers may then put iterations of a loop around in
    vector lanes, ``side_by_side``, where they have nothing else in common.  It ``is_certain`` where no condition is on
    the path; ``share`` is the part of all iterations that surely wait for each of its operations.  It goes
    ``through_memory`` where another store of the loop may change the element that holds it, and ``is_observed`` where a
    load of another element may be of that one.  It ``is_alone`` where only other names could be of that element, which
    a local variable may then hold.  ``size_bytes`` are those of the value (0: not known).
    """

    name: str
    operations: tuple[Operation, ...]
    distance: int
    is_reduction: bool
    is_floating: bool
    addends: int = 0
    restarts: bool = True
    side_by_side: bool = False
    is_certain: bool = True
    share: Fraction = Fraction(1)
    size_bytes: int = 0
    through_memory: bool = False
    is_observed: bool = False
    is_alone: bool = True


class Pursuit(Struct, frozen=True):
    """A value that each iteration loads from an address that it had in the one before, after so many ``loads``.

    It ``is_indexed`` where the value is a number of an element, and no pointer.  It ``is_certain`` where no condition,
    selection or comparison is on the way, which a processor may predict.  It ``is_chosen`` where it is the position of
    the least or largest element so far, which a compiler may hold in a register.
    """

    name: str
    loads: int
    arrays: tuple[str, ...]
    is_indexed: bool = False
    is_certain: bool = True
    is_chosen: bool = False


class DataBranch(Struct, frozen=True):
    """A condition on data: the share of iterations in which a predictor is wrong at random data (``missed``).

    It ``is_cheap`` where one instruction selects what it decides, ``is_speculated`` where both ways may be computed.
    What it decides ``may_trap``: it computes or compares floating-point numbers, which may raise exceptions.
    """

    missed: Fraction
    is_cheap: bool
    is_speculated: bool
    may_trap: bool = False


class Vectorization(Struct, frozen=True):
    """Whether the iterations of a loop can run side by side; ``asserted`` where the source says so (omp simd).

    ``trip`` is the number of iterations where the source states it as a number; ``pursuits`` are loads that wait for
    those of the iteration before; ``longest`` are the operations of one iteration that wait for one another.  A
    compiler that cannot tell arrays apart compares the addresses of so many pairs (``alias_checks``) before the loop.
    ``branches`` are conditions on data; an iteration ``divides`` so many integers by what is no constant, and
    ``converts_long``: integers of 64 bits to floating-point numbers, or back.
    """

    chains: tuple[Chain, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    asserted: bool = False
    trip: int | None = None
    pursuits: tuple[Pursuit, ...] = ()
    longest: tuple[Operation, ...] = ()
    alias_checks: int = 0
    branches: tuple[DataBranch, ...] = ()
    divides: int = 0
    converts_long: bool = False


class Repeated(Struct, frozen=True):
    """Operations, FLOPs by precision and instructions of an iteration that a compiler computes before.

    They stay the same in all iterations, or were computed earlier in this one.  ``quotients`` are among the other
    divisions of floating point, but products of what is computed before where reciprocals may be taken; ``shared`` are
    additions of elements that other iterations add as well, which sums in another order may share.  Not computed before
    are the ``calls`` of functions whose arguments stay the same, and what else only they need.
    """

    operations: Mapping[OperationKey, Fraction] = field(default_factory=dict)
    flops: Mapping[ScalarType, Fraction] = field(default_factory=dict)
    fma_instructions: Fraction = Fraction(0)
    flop_instructions: Fraction = Fraction(0)
    quotients: Fraction = Fraction(0)
    shared: Fraction = Fraction(0)
    calls: Mapping[OperationKey, Fraction] = field(default_factory=dict)


class Step(Struct, frozen=True):
    """A reference that stays in an innermost loop: the bytes of an element, and those to the next iteration's element.

    ``stride_bytes`` is None where it is not the same known number; data choose the element where ``is_indirect``.
    References of one ``stream`` share lines: they are less than a stride apart.  ``runs`` are per iteration.
    ``start_bytes`` are those from the start of a line of ``DEFAULT_LINE_BYTES`` to the first element of an array that
    starts at a line, None where they are not always the same; one that ``is_aligned`` does, as a variable.  ``row`` is
    the array where the iterator and a number choose the element.  An element that other iterations of the nest meet
    again ``is_reused``.  ``stride`` is the stride as a formula where it is no number (rows of ``n``).
    """

    stream: int
    is_store: bool
    size_bytes: int
    stride_bytes: int | None
    is_indirect: bool
    runs: Fraction
    start_bytes: int | None = None
    row: str = ""
    is_reused: bool = False
    stride: Poly | None = None
    is_aligned: bool = False


class PerIteration(Struct, frozen=True):
    """One iteration of the dominant innermost loop at register level.

    ``loads``/``stores`` are distinct elements referenced per iteration, loop-invariant ones excluded; numbers are exact
    where the body has no condition, otherwise limits for large symbols (``exact`` is False).  ``fma_instructions`` are
    among the ``flop_instructions`` (floating-point add, mul and fma after contraction); ``precision`` is that of most
    FLOPs.  ``lanes`` is the width of the vectors that the source itself computes with, an average over its
    operations (1: numbers).  What is ``repeated`` is among them all, since the source has it in the loop.  ``steps``
    are the references behind the loads and stores.  ``counted`` are the operations that are FLOPs to the policy.
    """

    line: int
    iterator: str
    flops: Fraction
    operations: Mapping[OperationKey, Fraction]
    loads: Fraction
    stores: Fraction
    load_bytes: Fraction
    store_bytes: Fraction
    fma_instructions: Fraction
    flop_instructions: Fraction
    precision: ScalarType
    exact: bool
    vectorization: Vectorization = field(default_factory=Vectorization)
    lanes: Fraction = Fraction(1)
    repeated: Repeated = field(default_factory=Repeated)
    steps: tuple[Step, ...] = ()
    counted: frozenset[OperationKey] = frozenset()

    @property
    def intensity(self) -> Fraction | None:
        """Return FLOPs per byte; None where no byte moves."""
        moved = self.load_bytes + self.store_bytes
        return self.flops / moved if moved else None


class InnerLoop(Struct, frozen=True):
    """An innermost loop of a nest: one iteration of it, and how many there are in the whole nest.

    ``least`` is an iteration with what no condition on data can skip; the loop is entered ``starts`` times at most,
    each time with as many iterations where it ``is_steady``.
    """

    iteration: PerIteration
    runs: Quantity
    least: PerIteration
    starts: Quantity
    is_steady: bool = True

    @property
    def is_nested(self) -> bool:
        """Return whether a loop is around it, which a compiler may make the innermost one."""
        return self.starts.estimate.constant != 1


class LineWork(Struct, frozen=True):
    """What one source line does in total, for annotated source; ``path`` is its file, which may be a header."""

    line: int
    flops: Quantity
    load_bytes: Quantity
    store_bytes: Quantity
    executions: Quantity
    path: str = ""
