"""Values of the lowering: locations and slots, bindings of variables, and results of expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, Union

from msgspec import Struct
from msgspec.structs import replace

from ....ir.index import ZERO, Poly, const
from ....ir.nodes import Condition, DataDependent
from ....ir.values import Constant, IndexValue, Value
from ....python.cached_property import cached_property
from ....python.regex import regex
from ...surface import nodes as sx

BETWEEN = "|"
"""Between the names of arrays that a pointer may point at."""
_VARIABLE = regex(r"[^.\[-]+")


def variables_of(array: str) -> frozenset[str]:
    """Return the names of the variables through which a source names an array, or one of several.

    >>> sorted(variables_of("s->rows[]|t.rows"))
    ['s', 't']
    """
    return frozenset(found[0] for name in array.split(BETWEEN) if (found := _VARIABLE.match(name)))


class Location(Struct, frozen=True):
    """A location in memory: the element of ``array`` at the subscripts, seen as ``type``."""

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
        """Return the identity, whatever the type it is seen as."""
        return (self.variable, self.path)


Key = tuple[sx.Variable, str]
Lvalue = Union[Location, Slot]


class Integer(Struct, frozen=True):
    """An integer variable with a value known as a polynomial; ``condition`` where it is a truth value.

    A number ``at_run_time`` is that of a launch, such as ``blockDim.x``: it is no literal to the compiler.
    """

    value: Poly
    condition: Condition | None = None
    at_run_time: bool = False


class Pointer(Struct, frozen=True):
    """A pointer to (or a C++ reference of) a location; ``type`` of the location is the type it points at.

    That of a view has the ``count`` of its elements.  It is null where ``valid`` does not hold (None: never, as taken
    for granted); a null pointer has the location that its variable would point at.
    """

    target: Lvalue
    count: Poly | None = None
    valid: Condition | None = None


UNKNOWN_VALIDITY = DataDependent("", "pointer")
"""That of a pointer which may be null, where it is not known when."""


class Either(Struct, frozen=True, dict=True):
    """One of two pointers to different objects: the first one where a condition holds."""

    condition: Condition
    first: Pointer | Either
    second: Pointer | Either

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """Return all conditions that decide, those of both pointers among them."""
        inner = [part.conditions for part in (self.first, self.second) if isinstance(part, Either)]
        return tuple({id(each): each for some in ((self.condition,), *inner) for each in some}.values())


_T = TypeVar("_T")


def fold(bound: Pointer | Either, of: Callable[[Pointer], _T], joined: Callable[[Either, _T, _T], _T]) -> _T:
    """Return what both parts of each choice make together, from what each pointer makes."""
    return folding(of, joined)(bound)


def folding(of: Callable[[Pointer], _T], joined: Callable[[Either, _T, _T], _T]) -> Callable[[Pointer | Either], _T]:
    """Return a function that folds bindings that hold at one time, each part of them once.

    Choices that follow one another share parts: what is chosen first is in both parts of all that come after it, and of
    pointers that are exchanged in each other's.  So the cost grows with their number and not with that of the ways
    through them, and what is made of shared parts is shared again.
    """
    done: dict[int, _T] = {}

    def folded(part: Pointer | Either) -> _T:
        if id(part) not in done:
            if isinstance(part, Either):
                done[id(part)] = joined(part, folded(part.first), folded(part.second))
            else:
                done[id(part)] = of(part)
        return done[id(part)]

    return folded


class Leaf(Struct, frozen=True):
    """A parameter of an inlined function that is a constant or a register of its caller."""

    value: Value


class Undefined(Struct, frozen=True):
    """A variable that is declared and has no value yet."""


Binding = Union[Integer, Pointer, Either, Leaf, Undefined]
Bindings = dict[Key, Binding]


class Aggregate(Struct, frozen=True):
    """The result of an expression of struct or array type: its location.

    One that is ``copied`` stays as it is: containers within hand copies of their elements on.  One that is ``moved``
    hands on the elements themselves.  One that is ``constructed`` is the new object, without a copy: what nothing sets
    in it stays as it is.
    """

    location: Lvalue
    copied: bool = False
    moved: bool = False
    constructed: bool = False


class Fresh(Struct, frozen=True):
    """Memory that an allocation returned and no variable holds yet.

    It has ``size_bytes``, where these are a number, or so many elements, which may be copies of those at a pointer or
    of a value, which ``each`` computes anew.  No object frees what is ``allocated`` by ``malloc`` and the like, whose
    bytes are the product of ``factors`` (none: not known).
    """

    size_bytes: int | None = None
    count: Poly | None = None
    copied: Pointer | None = None
    value: sx.Expression | None = None
    allocated: bool = False
    each: bool = False
    factors: tuple[Poly, ...] = ()


Result = Union[Value, Pointer, Aggregate, Fresh]


def may_be_null(bound: Binding | None) -> bool:
    """Return whether a condition decides if a pointer is null, or it is."""
    if not isinstance(bound, Pointer | Either):
        return False
    return fold(bound, lambda pointer: pointer.valid is not None, lambda _, first, second: first or second)


def as_poly(result: Result | None) -> Poly | None:
    """Return the polynomial of an index value or an integer constant, else None."""
    match result:
        case IndexValue(index=index):
            return index
        case Constant(number=int() as number):
            return const(number)
        case _:
            return None


def with_last(location: Location, subscript: Poly) -> Location:
    """Return the location with another last subscript."""
    return replace(location, subscripts=(*location.subscripts[:-1], subscript))


def is_zero(poly: Poly) -> bool:
    """Return whether a polynomial is the constant 0."""
    return poly == ZERO
