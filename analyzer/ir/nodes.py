"""The loop tree: the whole grammar of the IR on one page (values and indices have their own).

::

    Region    = name, arrays, symbols, body: Node*
    Node      = Loop | Guard | Statement | Exit
    Loop      = for iterator in Range: Node*        header statements run trip + 1 times (loads in the loop's condition)
    Range     = Strided(start, stop, step)          start, start+step, ... while < stop (step > 0) or > stop (step < 0)
              | Geometric(start, stop, factor)      start, start*factor, ... or start/factor, ...
              | Uncounted(trip)                     0, 1, ... trip-1 with a trip count that is a symbol
    Guard     = if Condition: Node* else: Node*
    Condition = Compare(op, left, right) | And(...) | Or(...) | Not(...) | DataDependent(text) | Truth(bool)
    Statement = target := value                     target: Access, Register, or None (evaluated for its operations)
    Exit      = leave the loop with the given iterator (None: the whole region)

Iterators are unique within a region.  Nodes are frozen and compare by value; positions in the tree identify them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum, IntEnum
from fractions import Fraction
from math import prod
from typing import ClassVar, Union

from msgspec import Struct
from msgspec.structs import replace

from ..diagnostics import Field, hint_of, sentence_of, with_names
from ..python.cached_property import cached_property
from ..python.equality import PartlyCompared
from ..source import Span
from .index import Poly
from .launches import Launch, SeriesPart
from .types import ElementType
from .values import Access, Apply, Register, Value, loads_of, walk_values

_LONGEST_PROGRESSION = 128  # values: more than the bits of any counter


class MemorySpace(Enum):
    """Where an array lives; ``LOCAL`` is memory of one thread, ``REGISTER`` that of it which needs no addresses."""

    GLOBAL = "global"
    SHARED = "shared"
    CONSTANT = "constant"
    LOCAL = "local"
    REGISTER = "register"
    TEXTURE = "texture"


class Mapping(Enum):
    """What executes the iterations of a loop."""

    SEQUENTIAL = "sequential"
    THREADS = "threads"
    SIMD = "simd"
    GANG = "gang"
    BLOCK_X = "block.x"
    BLOCK_Y = "block.y"
    BLOCK_Z = "block.z"
    THREAD_X = "thread.x"
    THREAD_Y = "thread.y"
    THREAD_Z = "thread.z"

    @property
    def is_of_grid(self) -> bool:
        """Return whether the blocks or threads of a grid execute them."""
        return self in _GRID


_GRID = frozenset(
    {Mapping.BLOCK_X, Mapping.BLOCK_Y, Mapping.BLOCK_Z, Mapping.THREAD_X, Mapping.THREAD_Y, Mapping.THREAD_Z}
)


class OffloadModel(Enum):
    """The language of the directives that put a loop on a GPU, or the library that does."""

    OPENMP = "OpenMP"
    OPENACC = "OpenACC"
    THRUST = "Thrust"
    CUB = "CUB"


LIBRARIES = frozenset({OffloadModel.THRUST, OffloadModel.CUB})


class Offload(Struct, frozen=True):
    """How directives put the iterations of ``loops`` perfectly nested loops on a GPU.

    ``blocks`` and ``threads`` share them; ``by_compiler``: it decides which loops inside threads share.  ``teams`` and
    ``size`` are the blocks and the threads of one that are stated.
    """

    model: OffloadModel
    blocks: bool
    threads: bool
    loops: int = 1
    by_compiler: bool = False
    teams: int | None = None
    size: int | None = None


class RegionKind(Enum):
    """What a region is in the source."""

    FUNCTION = "function"
    LOOP = "loop"
    KERNEL = "kernel"


class SymbolOrigin(Enum):
    """Where a symbol comes from."""

    PARAMETER = "parameter"
    VARIABLE = "variable"
    UNDECLARED = "undeclared"
    TRIP_COUNT = "trip count"
    LAUNCH = "launch"
    CONDITION = "condition"


class Comparison(Enum):
    """Relational operators."""

    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    EQ = "=="
    NE = "!="

    @property
    def opposite(self) -> Comparison:
        """Return the comparison that holds where this one does not."""
        return _OPPOSITE[self]

    @property
    def mirrored(self) -> Comparison:
        """Return the comparison with its sides exchanged."""
        return _MIRRORED.get(self, self)


_OPPOSITE = {
    Comparison.LT: Comparison.GE,
    Comparison.LE: Comparison.GT,
    Comparison.GT: Comparison.LE,
    Comparison.GE: Comparison.LT,
    Comparison.EQ: Comparison.NE,
    Comparison.NE: Comparison.EQ,
}
_MIRRORED = {
    Comparison.LT: Comparison.GT,
    Comparison.LE: Comparison.GE,
    Comparison.GT: Comparison.LT,
    Comparison.GE: Comparison.LE,
}


class Symbol(Struct, frozen=True):
    """An integer that the counts depend on; ``value`` is known from the source or from the user.

    ``made`` is the statement after which a variable has the value for which the symbol stands, where there is one.  One
    that stands for a condition is 1 where ``difference`` is 0, else 0.
    """

    name: str
    value: int | None = None
    origin: SymbolOrigin = SymbolOrigin.PARAMETER
    made: Span | None = None
    difference: Poly | None = None


class Array(Struct, frozen=True):
    """Storage that accesses name. ``extents`` is outermost first; None where it is unknown (the first of a pointer).

    ``aligned_bytes`` is what its elements are aligned to: structures and vectors; None of others, which may be cast.
    ``listed``: the source lists its elements, which are constant.
    """

    name: str
    element: ElementType
    element_bytes: int
    extents: tuple[Poly | None, ...]
    space: MemorySpace = MemorySpace.GLOBAL
    local: bool = False
    aligned_bytes: int | None = None
    listed: bool = False

    @property
    def is_whole(self) -> bool:
        """Return whether it has an extent in each dimension: a variable has, what is behind a pointer has not."""
        return None not in self.extents


class Compare(Struct, frozen=True):
    """A relation between two index expressions."""

    comparison: Comparison
    left: Poly
    right: Poly

    @property
    def difference(self) -> Poly:
        """Return the left side less the right one."""
        return self.left - self.right

    @property
    def names(self) -> frozenset[str]:
        """Return the iterators and symbols that are compared."""
        return self.left.names() | self.right.names()

    @property
    def depends_on_data(self) -> bool:
        """Return whether a side is not an exact formula of iterators and symbols."""
        return bool(self.left.unknowns() or self.right.unknowns())


class _Junction(Struct, frozen=True, dict=True):
    """Conditions joined by one connective; what is often asked is worked out once: paths through returns are long."""

    operands: tuple[Condition, ...]

    @cached_property
    def names(self) -> frozenset[str]:
        """Return the iterators and symbols that the operands compare."""
        return frozenset[str]().union(*(operand.names for operand in self.operands))

    @cached_property
    def depends_on_data(self) -> bool:
        """Return whether any operand is not an exact relation between iterators and symbols."""
        return any(operand.depends_on_data for operand in self.operands)

    @cached_property
    def _hash(self) -> int:
        return hash((type(self), self.operands))

    def __hash__(self) -> int:
        """Hash by value."""
        return self._hash


class And(_Junction, frozen=True):
    """All of the operands hold."""


class Or(_Junction, frozen=True):
    """At least one of the operands holds."""


class Not(Struct, frozen=True):
    """The operand does not hold."""

    operand: Condition

    @property
    def names(self) -> frozenset[str]:
        """Return the iterators and symbols that the operand compares."""
        return self.operand.names

    @property
    def depends_on_data(self) -> bool:
        """Return whether the operand is not an exact relation between iterators and symbols."""
        return self.operand.depends_on_data


class DataDependent(Struct, frozen=True):
    """A condition on values of data; equal ``name`` means the same evaluation. ``text`` is the source text.

    Of those with the same ``subject`` at most one holds: the cases of a switch.  ``share`` is that of its evaluations
    in which it held in a run.  One of integers is ``compared`` as formulas with values that are not known.
    """

    name: str
    text: str = ""
    subject: str = ""
    share: Fraction | None = None
    compared: Compare | None = None
    names: ClassVar[frozenset[str]] = frozenset()  # that it compares
    depends_on_data: ClassVar[bool] = True


class Truth(Struct, frozen=True):
    """Always or never."""

    holds: bool
    names: ClassVar[frozenset[str]] = frozenset()  # that it compares
    depends_on_data: ClassVar[bool] = False


Condition = Union[Compare, And, Or, Not, DataDependent, Truth]


class Strided(Struct, frozen=True):
    """``start, start + step, ...`` while below ``stop`` (above it for a negative step); ``step`` is not 0."""

    start: Poly
    stop: Poly
    step: int = 1


class Geometric(Struct, frozen=True):
    """``start, start*factor, ...`` while ``< stop``; ``shrinking``: ``start, start/factor, ...`` while ``> stop``.

    It is the distance from ``shift`` that is multiplied or divided: with ``(v + 1)/2`` that from 1.
    """

    start: Poly
    stop: Poly
    factor: int
    shrinking: bool
    trip: str
    shift: int = 0


class Calls(Struct, frozen=True):
    """The calls of a recursive function: the first one has the size ``start``.

    A call makes those ``inner`` calls whose condition holds, of the size beside it; both are of the iterator.
    """

    start: Poly
    inner: tuple[tuple[Condition, Poly], ...]


class Stepped(Struct, frozen=True):
    """A variable that an iteration changes from its value at entry: to ``after``, and never below ``least``."""

    name: str
    start: Poly
    after: Poly
    least: int


class Steps(Struct, frozen=True):
    """What decides how often a loop without a closed form runs: ``while (b) { t = a % b; a = b; b = t; }``.

    The names of the variables are those in ``after`` and in the condition, and of nothing else; ``test_last``: the
    condition says whether there is another iteration, in terms of what the variables are in this one.
    """

    variables: tuple[Stepped, ...]
    condition: Condition
    test_last: bool


class Uncounted(Struct, frozen=True):
    """0, 1, ... with a number of iterations that the source does not tell: the symbol ``trip``.

    Where arrays that are given tell it, ``length`` is that number in each execution of the loop, or less than 0 for
    none: ``rowptr[i + 1] - rowptr[i]``.  Where the iterations are ``calls`` of a recursive function, the iterator takes
    the size of each.  Where whole numbers alone decide when it ends, ``steps`` are these.
    """

    trip: str
    length: Poly | None = None
    calls: Calls | None = None
    steps: Steps | None = None


Range = Union[Strided, Geometric, Uncounted]


class Barrier(Enum):
    """What the threads of a kernel wait for, so that each sees what the others have stored: nothing is held across it.

    At any one, registers hold no memory that other threads may change; at one of the whole device L1 holds none either.
    A fence orders the memory of one thread, which waits for no other; of the device's barriers some are fences only.
    """

    WARP = "warp"
    FENCE = "fence"
    BLOCK = "block"
    DEVICE = "device"


class Statement(PartlyCompared, frozen=True, eq=False):
    """``target := value``; ``index_operations`` counts integer operators spent on subscripts and loop control.

    A ``nontemporal`` store goes to memory past the caches.  A ``barrier`` has neither target nor value.
    """

    target: Access | Register | None
    value: Value
    span: Span
    index_operations: int = 0
    nontemporal: bool = False
    barrier: Barrier | None = None

    @cached_property
    def accesses(self) -> tuple[tuple[Access, bool], ...]:
        """Return the memory references in execution order, each with True where it writes."""
        loads = [(access, False) for access in loads_of(self.value)]
        return (*loads, (self.target, True)) if isinstance(self.target, Access) else tuple(loads)

    @cached_property
    def operations(self) -> int:
        """Return how many operations its value names."""
        return sum(isinstance(node, Apply) for node in walk_values(self.value))


class Loop(PartlyCompared, frozen=True, eq=False):
    """A loop; ``header`` is evaluated once before each test of the condition, that is trip + 1 times.

    At most so many ``threads`` share the iterations of a parallel one (None: as many as there are), which a ``library``
    starts (empty: not one); those of a thread may run in ``lanes``, in any order.  Directives may ``offload`` it to a
    GPU.  ``unrolled_from`` is the iterator of the loop that this one is one iteration or one digit of.  The range of
    one that ``ends_early`` says how far it gets, though only data end it.  One that is ``timed`` is repeated by a
    library of benchmarks.  ``carried`` are integers without a closed form that go from one iteration to the next
    (``if (a[i] > a[p]) p = i``), as :class:`.index.Unknown` values name them.  One that ``is_condition`` stands for an
    ``if`` that given arrays decide.  Of one that is counted ``at_run_time`` the bounds are numbers in a launch only, or
    given: its compiler does not know them; nor how often one runs that ``may_wrap``, in steps of unsigned integers.
    """

    iterator: str
    range: Range
    body: tuple[Node, ...]
    span: Span
    mapping: Mapping = Mapping.SEQUENTIAL
    header: tuple[Statement, ...] = ()
    unroll: int | None = None
    unrolled_from: str | None = None
    threads: int | None = None
    library: str = ""
    lanes: bool = False
    offload: Offload | None = None
    ends_early: bool = False
    timed: bool = False
    carried: frozenset[str] = frozenset()
    is_condition: bool = False
    at_run_time: bool = False
    may_wrap: bool = False

    @property
    def source_iterator(self) -> str:
        """Return the iterator of the loop in the source, also for one iteration that was unrolled."""
        return self.unrolled_from or self.iterator

    @cached_property
    def below(self) -> tuple[Node, ...]:
        """Return everything below it in source order: passes ask for it again and again."""
        return tuple(all_nodes((*self.header, *self.body)))


def loops_of_source(loops: tuple[Loop, ...]) -> tuple[Loop, ...]:
    """Return the loops among some that are none of the conditions that stand as loops."""
    return tuple(loop for loop in loops if not loop.is_condition) if any(each.is_condition for each in loops) else loops


class Jumps(IntEnum):
    """Whether a conditional is a way of a branch to one of several: no compiler computes both branches of a ``TABLE``.

    ``CHAIN`` is ``if (n == 1) ... else if (n == 2) ...``: a table by itself only for compilers that see it in time.
    """

    NONE = 0
    CHAIN = 1
    TABLE = 2


class Guard(PartlyCompared, frozen=True, eq=False):
    """A conditional; operations of evaluating a data-dependent condition are statements before it.

    One that ``jumps`` is an arm of a ``switch`` with others, or of a chain on one integer.
    """

    condition: Condition
    body: tuple[Node, ...]
    orelse: tuple[Node, ...]
    span: Span
    jumps: Jumps = Jumps.NONE


class Exit(PartlyCompared, frozen=True, eq=False):
    """``break`` out of the loop with this iterator, or (None) an early ``return``; never the end of a loop body."""

    loop: str | None
    span: Span


Node = Union[Loop, Guard, Statement, Exit]


def all_nodes(nodes: Iterable[Node]) -> list[Node]:
    """Return the nodes and everything below them in source order, a parent before its children."""
    found: list[Node] = []
    pending = [*nodes]
    pending.reverse()
    while pending:
        node = pending.pop()
        found.append(node)
        if isinstance(node, Loop):
            found.extend(node.below)
        elif isinstance(node, Guard):
            pending.extend(reversed((*node.body, *node.orelse)))
    return found


class Assumption(PartlyCompared, frozen=True, eq=False):
    """Something taken for granted, reported to the user: stable ``code`` (see codes.toml), and where.

    ``form`` is the name of one of the code's sentences in the catalog, ``subject`` what it is assumed of (an array, a
    function, a size; empty where the sentence names its own), and ``fields`` are the values that the sentence names.
    """

    code: str
    span: Span
    form: str
    subject: str = ""
    fields: tuple[tuple[str, Field], ...] = ()

    @classmethod
    def of(cls, code: str, span: Span, form: str, subject: str = "", /, **fields: Field) -> Assumption:
        """Return an assumption whose sentence is in the catalog, ``form`` among those of the code.

        >>> Assumption.of("AI312", Span("a.c", 1, 1), "not-null", "x").text
        'x is not a null pointer'
        """
        return cls(code, span, form, subject, tuple(fields.items()))

    def with_names(self, change: Callable[[str], str]) -> Assumption:
        """Return the assumption with each of its names changed."""
        fields = tuple((name, with_names(value, change)) for name, value in self.fields)
        return replace(self, subject=change(self.subject), fields=fields)

    @property
    def text(self) -> str:
        """Return the sentence, with its subject."""
        return f"{self.subject} {self.predicate}" if self.subject else self.predicate

    @property
    def predicate(self) -> str:
        """Return the sentence without its subject."""
        return sentence_of(self.code, self.form, dict(self.fields))

    @property
    def hint(self) -> str:
        """Return what to do; empty where there is nothing to do."""
        return hint_of(self.code, self.form, dict(self.fields))


class Region(PartlyCompared, frozen=True, eq=False):
    """One unit of analysis: a function with its loops, a bare loop nest, or a kernel.

    ``averages`` are given trip counts that are not whole; the values of their symbols are not known.  ``asked`` are the
    names of which the user could have given values (or did).  One that is ``counted`` was so by a run: its means and
    shares, each of all iterations and evaluations of the run, multiply to what the run did.  ``likely`` are mean trip
    counts that are not certain, and the most that there may be.
    """

    name: str
    kind: RegionKind
    function: str
    span: Span
    arrays: tuple[Array, ...]
    symbols: tuple[Symbol, ...]
    body: tuple[Node, ...]
    assumptions: tuple[Assumption, ...] = ()
    launch: Launch | None = None
    part: SeriesPart | None = None
    averages: tuple[tuple[str, Fraction], ...] = ()
    asked: frozenset[str] = frozenset()
    counted: bool = False
    likely: tuple[tuple[str, Fraction], ...] = ()


def elements_of(array: Array) -> int | None:
    """Return how many elements an array has, None where an extent is not a number."""
    extents = [None if extent is None else extent.constant for extent in array.extents]
    return None if None in extents else prod(extent for extent in extents if extent is not None)


def progression(values: Geometric) -> list[int] | None:
    """Return the values that a multiplying or halving counter takes, the last of which ends it; None if unknown."""
    current, stop = values.start.constant, values.stop.constant
    if current is None or stop is None or values.factor < 2:
        return None
    found = [current]
    while (current > stop if values.shrinking else current < stop) and len(found) <= _LONGEST_PROGRESSION:
        distance = current - values.shift
        moved = int(Fraction(distance, values.factor)) if values.shrinking else distance * values.factor
        current = moved + values.shift
        found.append(current)
        if current == found[-2]:
            return None
    return found if len(found) <= _LONGEST_PROGRESSION else None
