"""What the lowering knows about things: places and slots, what variables are bound to, results, targets of jumps."""

from __future__ import annotations

from math import inf
from typing import Union

from msgspec import Struct, field
from msgspec.structs import replace

from ...ir.index import ZERO, Poly, const
from ...ir.nodes import Condition
from ...ir.values import Constant, IndexValue, Value
from ..surface import nodes as sx


class Place(Struct, frozen=True):
    """A place in memory: the element of ``array`` at the subscripts, seen as ``type``."""

    array: str
    subscripts: tuple[Poly, ...]
    strides: tuple[Poly | None, ...]
    type: sx.CType
    offset_bytes: int = 0
    member: str = ""


class Slot(Struct, frozen=True):
    """A variable, or a field of a struct variable (``path`` is ``.x.y``): no memory."""

    variable: sx.Variable
    type: sx.CType
    path: str = ""

    @property
    def key(self) -> Key:
        """Identity, whatever the type it is seen as."""
        return (self.variable, self.path)


Key = tuple[sx.Variable, str]
Lvalue = Union[Place, Slot]


class Integer(Struct, frozen=True):
    """An integer variable with a value known as a polynomial; ``condition`` where it is a truth value."""

    value: Poly
    condition: Condition | None = None


class Pointer(Struct, frozen=True):
    """A pointer to (or a C++ reference of) a place; ``type`` of the place is what it points at."""

    target: Lvalue


class Leaf(Struct, frozen=True):
    """A parameter of an inlined function that stands for a constant or a register of its caller."""

    value: Value


class Undefined(Struct, frozen=True):
    """Declared, not yet given a value."""


Binding = Union[Integer, Pointer, Leaf, Undefined]
Environment = dict[Key, Binding]


class Aggregate(Struct, frozen=True):
    """The result of an expression of struct or array type: where it lies."""

    place: Lvalue


class Fresh(Struct, frozen=True):
    """Memory that an allocation returned and no variable holds yet."""


Result = Union[Value, Pointer, Aggregate, Fresh]


class Target(Struct):
    """Where a jump goes on: ``kind`` is loop, once (a loop that never repeats), switch, label, or function.

    A function is an inlined one, at its call.  ``label`` is what gotos name; a loop with one is none of the source's,
    so that no ``break`` means it.
    """

    kind: str
    depth: int
    loops: int
    iterator: str = ""
    label: str = ""
    exits: int = 0
    skips: list[tuple[Condition, ...]] = field(default_factory=list)
    environments: list[Environment] = field(default_factory=list)


class Frame(Struct):
    """An inlined (or the analyzed) function: where its result goes."""

    function: sx.Function
    target: Target
    returns: int = 0
    result: Result | None = None
    values: list[tuple[tuple[Condition, ...], Poly | None]] = field(default_factory=list)


class LoopFacts(Struct):
    """What is known of the iterator of an enclosing loop: ``lower <= iterator <= upper``."""

    iterator: str
    lower: Poly | None = None
    upper: Poly | None = None


class Limits(Struct, frozen=True):
    """Bounds on the work of one lowering, so that weird input ends; ``until`` is CPU time of the thread."""

    nodes: int = 50_000
    inline_depth: int = 40
    inlined_calls: int = 4_000
    condition_leaves: int = 64
    until: float = inf


def as_poly(result: Result | None) -> Poly | None:
    """The polynomial of an index value or an integer constant, else None."""
    match result:
        case IndexValue(index=index):
            return index
        case Constant(number=int() as number):
            return const(number)
        case _:
            return None


def with_last(place: Place, subscript: Poly) -> Place:
    """The place with another last subscript."""
    return replace(place, subscripts=(*place.subscripts[:-1], subscript))


def is_zero(poly: Poly) -> bool:
    """Whether a polynomial is the constant 0."""
    return poly == ZERO
