"""Value expressions: what a statement computes, as a tree, so that contraction and policies can see it.

::

    Value = Constant(number, type)            a literal
          | Register(name, type)              a scalar variable: no memory traffic
          | IndexValue(index, type)           an integer expression of iterators and symbols used as data
          | Load(access)                      one memory read
          | Apply(operation, type, operands)  one operation on values; ``function`` names a called function
          | Opaque(what, type, operands)    something we do not understand; its operands still count, and
                                            what is Counted of it
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar, Union, cast

from msgspec import Struct
from msgspec.structs import replace

from ..diagnostics import Phrase
from ..python.cached_property import cached_property
from ..python.equality import PartlyCompared
from ..source import Span
from .index import Poly, const
from .types import ElementType, QuickEnum


class Operation(QuickEnum):
    """Kind of an operation; the value is its name in reports."""

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    REM = "rem"
    FMA = "fma"
    NEG = "neg"
    ABS = "abs"
    SQRT = "sqrt"
    MIN = "min"
    MAX = "max"
    COMPARE = "compare"
    LOGICAL = "logical"
    BITWISE = "bitwise"
    SHIFT = "shift"
    SELECT = "select"
    CONVERT = "convert"
    SHUFFLE = "shuffle"
    CALL = "call"
    TENSOR = "tensor"

    @property
    def is_arithmetic(self) -> bool:
        """Return whether it computes a new number.

        That is what a policy may count, and no test, selection, sign or conversion.
        """
        return self in ARITHMETIC


SUMS = frozenset((Operation.ADD, Operation.SUB))
SIGNED = frozenset((Operation.MUL, Operation.DIV))  # results change their sign with each operand
ARITHMETIC = frozenset(Operation) - {
    *(Operation.NEG, Operation.ABS, Operation.MIN, Operation.MAX, Operation.COMPARE),
    *(Operation.LOGICAL, Operation.BITWISE, Operation.SHIFT, Operation.SELECT, Operation.CONVERT),
    Operation.SHUFFLE,
}
"""The operations that compute a new number."""


class Access(PartlyCompared, frozen=True, eq=False):
    """One memory reference: an element of an array.

    The byte address relative to the array's start is ``offset_bytes + sum(subscripts[k] * strides_bytes[k])``;
    a stride is None where the distance is unknown (rows behind a pointer table).  ``offset_bytes`` distinguishes
    fields of a struct.  Two accesses with the same array, strides and offset and equal subscripts are the same element.
    ``unaliased``: the source promises that no other name reaches the array (``restrict``, arrays of its own);
    ``private``: an array of the function itself, which nothing outside sees; ``shared``: one of the threads of a block;
    ``constant``: one of constant memory, which only the host sets; ``declared``: a variable, which a compiler aligns.
    """

    not_compared: ClassVar[frozenset[str]] = frozenset(["unaliased", "private", "shared", "constant", "declared"])

    array: str
    subscripts: tuple[Poly, ...]
    strides_bytes: tuple[Poly | None, ...]
    type: ElementType
    offset_bytes: int = 0
    member: str = ""
    atomic: bool = False
    unaliased: bool = False
    private: bool = False
    shared: bool = False
    constant: bool = False
    declared: bool = False

    @property
    def spelling(self) -> str:
        """Return ``a[i][j].member``, with the names of the IR."""
        member = f".{self.member}" if self.member else ""
        return self.array + "".join(f"[{subscript}]" for subscript in self.subscripts) + member


def changed_at_barriers(references: Iterable[tuple[Access, bool]]) -> frozenset[str]:
    """Return the arrays that other threads may have changed when a barrier ends, of references (True: it writes).

    Memory of one thread stays, and what is only read and has no other name (``const float *__restrict__``).
    """
    uses = [*references]
    stored = {access.array for access, writes in uses if writes}
    return frozenset(
        access.array
        for access, _ in uses
        if access.shared or (not access.private and (access.array in stored or not access.unaliased))
    )


def byte_offset(subscripts: Sequence[Poly], strides: Sequence[Poly | None], start: int) -> Poly | None:
    """Return the distance from the start of an array in bytes, ``start`` included; None where a stride is unknown."""
    total = const(start)
    for subscript, stride in zip(subscripts, strides, strict=True):
        if stride is None:
            return None
        total = total + subscript * stride
    return total


class _Tree(Struct, frozen=True, dict=True):
    """Base of the values with operands, which are asked for what is below them again and again."""

    @cached_property
    def in_order(self) -> tuple[Value, ...]:
        """Return the value and everything below it, in evaluation order.

        That is the reverse of: the operation, then its operands from the last to the first.
        """
        found: list[Value] = []
        pending = [cast("Value", self)]
        while pending:
            node = pending.pop()
            found.append(node)
            if isinstance(node, _Tree):
                pending.extend(operands_of(node))
        return tuple(reversed(found))

    @cached_property
    def loads(self) -> tuple[Access, ...]:
        """Return the memory reads below it, in evaluation order."""
        return tuple([node.access for node in self.in_order if isinstance(node, Load)])


class Constant(Struct, frozen=True):
    """A literal; ``number`` is None for text and other things without a numeric value."""

    number: int | float | None
    type: ElementType


class Register(Struct, frozen=True):
    """A scalar held in a register: a local variable or a parameter passed by value."""

    name: str
    type: ElementType


class IndexValue(Struct, frozen=True):
    """An integer expression of iterators and symbols, used as data.

    ``element`` is the element of memory that it was read from, whose value machine code does not know.
    """

    index: Poly
    type: ElementType
    element: Access | None = None


class Load(Struct, frozen=True):
    """One memory read."""

    access: Access

    @property
    def type(self) -> ElementType:
        """Return the type of the element."""
        return self.access.type


class Apply(_Tree, frozen=True):
    """One operation. ``type`` is the type *in which it computes* (of the operands, for a comparison).

    ``function`` is the name of the mathematical or unknown function for ``CALL``, and of the source function where an
    operation came from one (``fma``, ``fmax``); empty for operators.  ``work`` is 2mnk for ``TENSOR``.
    """

    operation: Operation
    type: ElementType
    operands: tuple[Value, ...]
    function: str = ""
    work: int = 0

    @property
    def is_view(self) -> bool:
        """Return whether it only sees the bytes of a number as another type, as members of a union do."""
        is_plain = self.operation is Operation.SHUFFLE and not self.function
        return is_plain and all(each.type.lanes == 1 for each in (self, *self.operands))


class Lone(Struct, frozen=True):
    """An operation without its operands, of each of which the type is known, and whether it is a product."""

    operation: Operation
    type: ElementType
    operands: tuple[tuple[ElementType, bool], ...]
    function: str = ""
    work: int = 0

    @classmethod
    def of(cls, applied: Apply) -> Lone:
        """Return an operation without its operands."""
        operands = tuple((each.type, _is_product(each)) for each in applied.operands)
        return cls(applied.operation, applied.type, operands, applied.function, applied.work)

    def applied(self) -> Apply:
        """Return the operation with operands of which nothing is known."""
        operands = (
            Apply(Operation.MUL, kind, ()) if is_product else Register("", kind) for kind, is_product in self.operands
        )
        return Apply(self.operation, self.type, tuple(operands), self.function, self.work)


def is_atomic(function: str) -> bool:
    """Return whether a function of CUDA reads and writes an element in one go (``atomicAdd``)."""
    return function.startswith("atomic")


def _is_product(value: Value) -> bool:
    return isinstance(value, Apply) and value.operation is Operation.MUL


class Counted(Struct, frozen=True):
    """Operations and references whose number is known, and neither their order nor what they touch.

    ``operations`` are pairs of an operation and how many of it there are, ``loads`` and ``stores`` pairs of the bytes
    of an element and how many.
    """

    operations: tuple[tuple[Lone, int], ...] = ()
    loads: tuple[tuple[int, int], ...] = ()
    stores: tuple[tuple[int, int], ...] = ()


class Opaque(_Tree, frozen=True):
    """A construct that is not understood; a diagnostic says why.

    ``has_work``: evaluating it takes work that is not counted, such as that of a function whose body is not known.
    ``counted`` (not None): this is its work, and what it touches is in no footprint.  ``again`` is the function that
    the construct runs once more: what is counted of the code in there is of one of its executions.
    """

    what: Phrase
    type: ElementType
    operands: tuple[Value, ...] = ()
    has_work: bool = False
    counted: Counted | None = None
    again: Span | None = None


Value = Union[Constant, Register, IndexValue, Load, Apply, Opaque]


def operands_of(value: Value) -> tuple[Value, ...]:
    """Return the direct operands of a value, () for leaves."""
    return value.operands if isinstance(value, Apply | Opaque) else ()


def walk_values(value: Value) -> tuple[Value, ...]:
    """Return the value and everything below it, operands before the operation (evaluation order)."""
    return value.in_order if isinstance(value, _Tree) else (value,)


def map_leaves(value: Value, change: Callable[[Value], Value]) -> Value:
    """Return the value with each leaf (what has no operands) replaced by what ``change`` makes of it."""
    if isinstance(value, Apply | Opaque) and value.operands:
        return replace(value, operands=tuple(map_leaves(operand, change) for operand in value.operands))
    return change(value)


def loads_of(value: Value) -> tuple[Access, ...]:
    """Return the memory reads of a value in evaluation order."""
    if isinstance(value, _Tree):
        return value.loads
    return (value.access,) if isinstance(value, Load) else ()


def access_indices(access: Access) -> Iterator[Poly]:
    """Yield the index expressions that make the address of a reference: its subscripts and its known strides."""
    yield from access.subscripts
    yield from (stride for stride in access.strides_bytes if stride is not None)


def map_access_indices(access: Access, change: Callable[[Poly], Poly]) -> Access:
    """Return a reference with its subscripts and known strides changed."""
    strides = tuple(None if stride is None else change(stride) for stride in access.strides_bytes)
    return replace(access, subscripts=tuple(map(change, access.subscripts)), strides_bytes=strides)
