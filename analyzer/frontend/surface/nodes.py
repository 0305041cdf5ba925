"""The surface tree, which both parsers produce and the shared lowering reads: the grammar of the frontend.

It is C with names resolved and types known, and nothing else: implicit conversions are absent (the lowering applies
C's usual arithmetic conversions itself, so that both parsers agree), ``sizeof`` and enumerators are literals, and
parentheses are gone.  C++ comes here as plain C: methods are functions whose first parameter is ``this``, operators of
classes are calls, references are variables with ``reference=True``, range-for is a ``For`` or ``OpaqueStatement``.

::

    Unit       = functions, globals
    Function   = name, parameters, result, body
    Statement  = Declare | Evaluate | Block | If | For | While | Switch | Return | Break | Continue
               | Goto | Label | Skippable | Repeated | OpaqueStatement
    Expression = Number | Text | Name | Unary | Binary | Assign | Conditional | Call | Launch | Index | Member | Cast
               | Comma | InitializerList | OpaqueExpression
    CType      = ScalarT | PointerT | ArrayT | StructT | UnknownT

Variables are compared by identity: every declaration makes exactly one ``Variable`` object.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import ClassVar, Union

from msgspec import Struct

from ...diagnostics import Phrase
from ...ir.types import ElementType, ScalarType
from ...python.equality import PartlyCompared
from ...source import Span

THROW = "throw"
"""The function that a ``throw`` calls, and the start of the label of a handler."""
BEHIND = "behind throw"
"""The start of the label behind all handlers."""


class ScalarT(Struct, frozen=True):
    """A number or short vector (``float4``), ``void``, or an enumeration; a bit-field has so many ``bits`` (0: all)."""

    element: ElementType
    bits: int = 0


class PointerT(Struct, frozen=True):
    """A pointer, a C++ smart pointer or iterator, or a container; one that ``owns`` its elements copies them.

    Those of a container may be in the memory of a ``device``.
    """

    target: CType
    restrict: bool = False
    owns: bool = False
    device: bool = False


class ArrayT(Struct, frozen=True):
    """An array; ``extent`` is None where it is not given (``double a[]``)."""

    element: CType
    extent: Expression | None


class FieldT(Struct, frozen=True):
    """A member of a struct and its byte offset; one that is a ``reference`` has a pointer as its type."""

    name: str
    type: CType
    offset_bytes: int
    reference: bool = False


class StructT(PartlyCompared, frozen=True, eq=False):
    """A struct, union or class with its layout; ``fields`` are empty where only a declaration was seen.

    ``aligned_bytes`` is its alignment where the source gives it one (0: that of its fields).
    """

    not_compared: ClassVar[frozenset[str]] = frozenset(["fields", "size_bytes", "aligned_bytes"])

    name: str
    fields: tuple[FieldT, ...]
    size_bytes: int
    aligned_bytes: int = 0


class UnknownT(Struct, frozen=True):
    """A type that is not modelled or was not declared."""

    text: str


CType = Union[ScalarT, PointerT, ArrayT, StructT, UnknownT]

VOID = ScalarT(ElementType(ScalarType.VOID))
INT = ScalarT(ElementType(ScalarType.INT32))
DOUBLE = ScalarT(ElementType(ScalarType.FP64))
FLOAT = ScalarT(ElementType(ScalarType.FP32))


class Storage(Enum):
    """The storage of a variable."""

    LOCAL = "local"
    PARAMETER = "parameter"
    GLOBAL = "global"
    SHARED = "shared"
    CONSTANT = "constant"
    UNDECLARED = "undeclared"


class Kept(Enum):
    """Certainty that a global that is not ``const`` has its initial value: nothing in the file writes it.

    It is certain of a ``static`` one, and assumed of one that other files may name.
    """

    NO = "no"
    ASSUMED = "assumed"
    CERTAIN = "certain"


class Variable(Struct, frozen=True, eq=False):
    """A declared variable (or an undeclared one of a fragment). Identity matters, not the name.

    ``initial`` is the initialiser of a ``const``/``constexpr``/``static const`` global, of an integer that is ``kept``,
    and in CUDA of any global.  ``linkage`` is the name under which other files know a global, "" where none can.
    """

    name: str
    type: CType
    storage: Storage
    span: Span
    reference: bool = False
    constant: bool = False
    initial: Expression | None = None
    kept: Kept = Kept.NO
    linkage: str = ""


COPY = "__ai_copy"
"""The function ``(first, number)`` that gives a container copies of so many elements."""
FILL = "__ai_fill"
"""The function ``(number, value)`` that gives a container so many equal elements."""
EACH = "__ai_each"
"""The function ``(number, value)`` that gives memory so many elements, for each of which the value is computed."""
MADE = "__ai_made"
"""The function of an object that ``new`` makes, which gives its address."""
MISSING = "__ai_missing"
"""The function of the name of a file that the program can do without: a null pointer in place of the opened file."""
VIEW = "__ai_view"
"""The function ``(pointer, number)`` that gives a view of so many elements at the pointer."""
LIST = "__ai_list"
"""The function of any number of values that gives a container, or an array that ``new`` makes, these elements."""
UNCOUNTED = "__ai_uncounted"
"""The function of a value that gives this value without the work that it takes: another expression has that."""
TIMED = "ai timed"
"""The pragma of a loop that a library repeats to time it: an iteration after others stands for all."""
SIZE = "ai_size"
"""The function of a number that gives the size of this number that a library of benchmarks runs a function with."""
BOOKKEEPING = "__ai_bookkeeping"
"""The key of functions of the C++ library on texts, streams, trees of keys and clocks, whatever their name."""

# --- expressions ---------------------------------------------------------------------------------------------------


class Number(Struct, frozen=True):
    """A literal, an enumerator, a ``sizeof``, or anything else that the parser evaluated."""

    value: int | float
    type: ScalarT
    span: Span


class Text(Struct, frozen=True):
    """A string literal."""

    text: str
    span: Span


class Name(Struct, frozen=True):
    """A use of a variable."""

    variable: Variable
    span: Span


class Unary(Struct, frozen=True):
    """``operator`` is one of ``- + ! ~ * & ++x --x x++ x--`` (spelled exactly so)."""

    operator: str
    operand: Expression
    span: Span


class Binary(Struct, frozen=True):
    """``operator`` is C's spelling: ``+ - * / % << >> & | ^ && || < <= > >= == !=``."""

    operator: str
    left: Expression
    right: Expression
    span: Span


class Assign(Struct, frozen=True):
    """``operator`` is "" for ``=`` and ``+`` for ``+=`` and so on."""

    operator: str
    target: Expression
    value: Expression
    span: Span


class Conditional(Struct, frozen=True):
    """``condition ? then : orelse``."""

    condition: Expression
    then: Expression
    orelse: Expression
    span: Span


class Call(Struct, frozen=True):
    """A call. ``function`` is a key of ``Unit.functions`` where the body is known, else the plain name.

    ``name`` is the name as written, without template arguments, for the table of mathematical functions.
    ``type`` is the result type as far as the parser determines it (``UnknownT`` for undeclared functions).
    ``bodies`` of a virtual method are, by the class of the object, the keys of what may run ("": nothing).
    It ``ends`` where its declaration says that it does not return.  One that is ``for_each`` makes an array, and is the
    call of the constructor of its elements.
    """

    function: str
    name: str
    arguments: tuple[Expression, ...]
    type: CType
    span: Span
    bodies: tuple[tuple[str, str], ...] = ()
    ends: bool = False
    for_each: bool = False


class Launch(Struct, frozen=True, kw_only=True):
    """``kernel<<<grid, block, shared>>>(arguments)``; ``function`` is the key of the kernel.

    It is empty where a pointer is launched: ``called`` is that pointer.
    """

    function: str
    name: str
    grid: Expression | None
    block: Expression | None
    shared: Expression | None
    arguments: tuple[Expression, ...]
    span: Span
    called: Expression | None = None


class Index(Struct, frozen=True):
    """``base[index]``; also ``operator[]`` of containers."""

    base: Expression
    index: Expression
    span: Span


class Member(Struct, frozen=True):
    """``base.name`` (``base->name`` is ``Member(Unary("*", base), name)``)."""

    base: Expression
    name: str
    span: Span


class Cast(Struct, frozen=True):
    """An explicit conversion; a ``checked`` one of a pointer is null where the object is of another class.

    It has the names of the classes of the program, and whether an object of each is one of the class that is asked for.
    """

    type: CType
    operand: Expression
    span: Span
    checked: tuple[tuple[str, bool], ...] = ()


class Comma(Struct, frozen=True):
    """``left, right``."""

    left: Expression
    right: Expression
    span: Span


class InitializerList(Struct, frozen=True):
    """``{a, b}`` or a constructor of an aggregate or vector type, e.g. ``make_float4(...)``.

    One that ``clears`` makes what it does not list zero; of another this has no value.
    """

    type: CType
    items: tuple[Expression, ...]
    span: Span
    clears: bool = False


class OpaqueExpression(Struct, frozen=True):
    """An expression that is not modelled; its operands still count.

    ``function`` is the key of a function used as a value; ``called`` is the value that a call goes through.
    """

    what: Phrase
    operands: tuple[Expression, ...]
    type: CType
    span: Span
    function: str = ""
    called: Expression | None = None


Expression = Union[
    Number, Text, Name, Unary, Binary, Assign, Conditional, Call, Launch, Index, Member, Cast, Comma, InitializerList,
    OpaqueExpression,
]  # fmt: skip


# --- statements ----------------------------------------------------------------------------------------------------


class Declare(Struct, frozen=True):
    """A local declaration."""

    variable: Variable
    initial: Expression | None
    span: Span


class Evaluate(Struct, frozen=True):
    """An expression statement."""

    expression: Expression
    span: Span


class Block(Struct, frozen=True):
    """``{ ... }``."""

    statements: tuple[Statement, ...]
    span: Span


class If(Struct, frozen=True):
    """A conditional."""

    condition: Expression
    then: Statement
    orelse: Statement | None
    span: Span


class For(Struct, frozen=True, kw_only=True):
    """A ``for`` loop; ``pragmas`` are the pragma lines directly above it, without ``#pragma``."""

    initial: Statement | None
    condition: Expression | None
    advance: Expression | None
    body: Statement
    span: Span
    pragmas: tuple[str, ...] = ()


class While(Struct, frozen=True):
    """A ``while`` loop, or ``do ... while`` when ``test_last``."""

    condition: Expression
    body: Statement
    test_last: bool
    span: Span
    pragmas: tuple[str, ...] = ()


class Case(Struct, frozen=True):
    """One arm of a switch: its labels (None: ``default``) and statements; ``falls_through`` when it does not break."""

    labels: tuple[Expression | None, ...]
    statements: tuple[Statement, ...]
    falls_through: bool


class Switch(Struct, frozen=True):
    """A switch with its arms in order."""

    subject: Expression
    cases: tuple[Case, ...]
    span: Span


class Return(Struct, frozen=True):
    """A return."""

    value: Expression | None
    span: Span


class Break(Struct, frozen=True):
    """``break`` of a loop or, under a condition, of a switch (the one that ends an arm is absorbed into ``Case``)."""

    span: Span


class Continue(Struct, frozen=True):
    """``continue``."""

    span: Span


class Goto(Struct, frozen=True):
    """``goto label``: to the end of the ``Skippable`` or to the start of the ``Repeated`` around it of that name."""

    label: str
    span: Span


class Label(Struct, frozen=True):
    """``label:`` among statements; ``goto.structured`` makes blocks of those that gotos lead to."""

    label: str
    span: Span


class Skippable(Struct, frozen=True):
    """The statements in front of a label, some of which lead there by ``goto``.

    Where the label is that of a handler of exceptions, ``caught`` is the variable that has the number thrown.
    """

    label: str
    body: Block
    span: Span
    caught: Name | None = None


class Repeated(Struct, frozen=True):
    """The statements behind a label up to the last ``goto`` back to it; they run once unless one is taken."""

    label: str
    body: Block
    span: Span


class OpaqueStatement(Struct, frozen=True):
    """A statement that is not modelled (``asm``, a computed ``goto``, ...)."""

    what: Phrase
    span: Span


Statement = Union[
    Declare, Evaluate, Block, If, For, While, Switch, Return, Break, Continue, Goto, Label, Skippable, Repeated,
    OpaqueStatement,
]  # fmt: skip


# --- units ---------------------------------------------------------------------------------------------------------


class FunctionKind(Enum):
    """The kind of a function."""

    HOST = "host"
    DEVICE = "device"
    KERNEL = "kernel"
    FRAGMENT = "fragment"


class Function(Struct, frozen=True, kw_only=True):
    """A function with a body. A bare snippet is a ``FRAGMENT`` function without parameters.

    ``key`` identifies it in the unit (mangled or USR where names repeat); ``name`` is what people read, ``symbol``
    what the linker does ("": not known).
    ``listed`` is False for functions of headers and helpers that are there only to be inlined; ``is_virtual`` of a
    method says that the object decides which body runs; no other file can call one that ``is_static``,
    and one that ``is_linked`` comes from another file of the program.  ``sizes`` are those with which a library of
    benchmarks runs it (:data:`SIZE`).
    """

    key: str
    name: str
    parameters: tuple[Variable, ...]
    result: CType
    body: Block
    kind: FunctionKind
    span: Span
    listed: bool = True
    is_virtual: bool = False
    is_static: bool = False
    is_linked: bool = False
    symbol: str = ""
    sizes: tuple[int, ...] = ()


class Unit(Struct, frozen=True):
    """One parsed source: its functions by key, in source order, and its global variables."""

    path: str
    functions: Mapping[str, Function]
    globals: tuple[Variable, ...]
