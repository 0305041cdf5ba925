"""Constructions ``T(a, b)``: numbers, objects, and containers, which are memory of so many elements."""

from __future__ import annotations

from msgspec.structs import replace

from ....ir.types import ScalarType, TypeClass
from ...surface.constructs import construct
from ...surface.nodes import (
    BOOKKEEPING,
    COPY,
    EACH,
    FILL,
    INT,
    LIST,
    VIEW,
    ArrayT,
    Binary,
    Call,
    Cast,
    CType,
    Expression,
    InitializerList,
    Name,
    Number,
    OpaqueExpression,
    PointerT,
    ScalarT,
    StructT,
    Unary,
)
from ...surface.types import CHAR, innermost
from ..binding import Cursor
from ..callees import takes_own_type
from ..cplusplus.classes import initial_element, initial_object, made_element
from ..cplusplus.closures import function_object, value_of_closure
from ..cplusplus.standard_library import size_of
from ..cplusplus.texts import made_text
from ..cuda import converted
from ..kinds import ARRAY_TYPES
from ..library_classes import is_function_object
from ..scope import Scope
from ..types import innermost_element
from .arguments import arguments_of, as_taken

NEW = "new"
_VALARRAY = "valarray"
_SMALL = (ScalarType.FP16, ScalarType.BF16)


def lower_construction(scope: Scope, cursor: Cursor, callee: Cursor) -> Expression:
    """Lower ``T(a, b)``: a complex number, memory of a container, a copy, or a call of the constructor's body."""
    kind = scope.types.of(cursor)
    arguments = arguments_of(scope, cursor, callee)
    if isinstance(kind, ScalarT):
        return _scalar_of(scope, kind, arguments)
    if isinstance(kind, PointerT):
        is_copy = len(arguments) == 1 and not kind.owns and takes_own_type(scope.unit, callee)
        if is_copy:
            return arguments[0]
        if arguments and is_function_object(kind):
            return function_object(scope, callee, arguments, kind)
        if scope.unit.spelling(callee) == _VALARRAY and len(arguments) == 2:
            return _valarray_of(scope, kind, arguments)
        return _container_of(scope, cursor, kind, arguments)
    key = scope.function_key(callee)
    if key is None and len(arguments) == 1 and takes_own_type(scope.unit, callee):
        return arguments[0]
    is_array = isinstance(kind, ArrayT)
    if key is not None:
        return Call(key, scope.unit.spelling(callee), arguments, kind, scope.span, for_each=is_array)
    name = scope.unit.spelling(callee)
    key = scope.linked_key(callee, name)
    if arguments and (key != name or not scope.is_in_header(callee)):  # a body in another unit, inherited, or nowhere
        return Call(key, name, as_taken(scope, callee, arguments), kind, scope.span, for_each=is_array)
    if not arguments and isinstance(kind, StructT):
        return initial_object(scope, callee, kind)
    if not arguments and isinstance(kind, ArrayT) and not scope.on_host:
        element = made_element(scope, _class_of_elements(scope, cursor, callee), innermost(kind))
        if element is not None:
            return replace(element, type=kind, for_each=True)
    functions = _as_functions(scope, cursor, kind, arguments)
    return InitializerList(kind, scope.members(kind, functions), scope.span)


def _as_functions(
    scope: Scope, construction: Cursor, kind: CType, arguments: tuple[Expression, ...]
) -> tuple[Expression, ...]:
    """Return what members of a pair or a tuple are made of; a ``std::function`` is made of a lambda."""
    given = scope.unit.arguments(construction)
    if not isinstance(kind, StructT) or not len(kind.fields) == len(arguments) == len(given):
        return arguments
    found = list(arguments)
    for number, (field, argument) in enumerate(zip(kind.fields, given, strict=True)):
        made = scope.library.canonical_type(scope.library.type_of(scope.unit.stripped(argument)))
        if is_function_object(field.type) and isinstance(scope.static_type(arguments[number]), StructT):
            owner = scope.library.declaration(made)
            found[number] = value_of_closure(scope, owner, arguments[number], field.type) or arguments[number]
    return tuple(found)


def _class_of_elements(scope: Scope, construction: Cursor, constructor: Cursor) -> Cursor:
    """Return the class of what is in an array, or in a ``std::array``, which is a class itself."""
    declared = scope.library.canonical_type(scope.library.type_of(construction))
    if declared.kind in ARRAY_TYPES:
        return scope.library.semantic_parent(constructor)
    return scope.library.declaration(innermost_element(scope.library, scope.library.template_argument(declared, 0)))


def _scalar_of(scope: Scope, kind: ScalarT, arguments: tuple[Expression, ...]) -> Expression:
    given = [a for a in arguments if not (isinstance(a, Number) and a.value == 0)]
    if not given:
        return Number(0.0 if kind.element.scalar.is_float else 0, kind, scope.span)
    is_complex = kind.element.scalar.type_class is TypeClass.COMPLEX
    if len(arguments) == 2 and (is_complex or given != [arguments[0]]):
        return InitializerList(kind, arguments, scope.span)
    return converted(scope, kind, arguments[0]) if kind.element.scalar in _SMALL else arguments[0]


def _container_of(scope: Scope, cursor: Cursor, kind: PointerT, arguments: tuple[Expression, ...]) -> Expression:
    if not arguments:
        return Call(NEW, NEW, (), kind, scope.span)
    first = arguments[0]
    types = [scope.static_type(argument) for argument in arguments[:2]]
    if kind.owns and len(types) == 2 and all(isinstance(each, PointerT | ArrayT) for each in types):
        number = Binary("-", arguments[1], first, scope.span)
        return Call(COPY, COPY, (first, number), kind, scope.span)
    is_made_here = kind.owns and not scope.on_host
    if is_made_here and len(types) == 2 and isinstance(types[0], StructT) and types[0] != kind.target:
        return of_any_number(scope, kind, arguments)  # what iterators of streams, of maps or of the program come to
    text = made_text(scope, scope.library.referenced(cursor), kind, arguments) if is_made_here else None
    if text is not None:
        return text
    if scope.on_host and len(arguments) > 1 and kind.target == CHAR and isinstance(types[0], PointerT):
        return _part_of_text(scope, kind, arguments, is_object=types[0].owns)
    number_of_view = None if kind.owns or scope.on_host else _number_of_view(scope, types, arguments)
    if number_of_view is not None:
        return Call(VIEW, VIEW, (first, number_of_view), kind, scope.span)
    if kind.owns and _takes_list(scope, cursor) and not isinstance(first, InitializerList):
        return Call(COPY, COPY, (first, size_of(scope, first, types[0], INT)), kind, scope.span)
    is_pointer = isinstance(types[0], PointerT) and (kind.owns or (len(arguments) == 1 and not scope.on_host))
    if _is_pointer_like(first) or is_pointer:  # a view of a container is its elements, with their number
        return first
    if isinstance(first, InitializerList) and kind.owns and not scope.on_host:
        return Call(LIST, LIST, first.items, kind, scope.span)
    if isinstance(first, InitializerList) and (kind.owns or len(arguments) == 1):  # an allocator may come last
        return InitializerList(kind, first.items, scope.span)
    if kind.owns and len(arguments) > 1 and not scope.on_host and _is_of(scope, arguments[1], kind.target):
        return Call(FILL, FILL, arguments[:2], kind, scope.span)
    if scope.on_host:
        return Call(NEW, NEW, arguments[:2], kind, scope.span)
    value = first_value(scope, cursor, kind) if kind.owns else None
    return elements_of(scope, kind, first, value)


def of_any_number(scope: Scope, kind: PointerT, made_of: tuple[Expression, ...]) -> Expression:
    """Return memory of a container whose number of elements is not known."""
    number = OpaqueExpression(construct("copy-of-a-container"), made_of, INT, scope.span)
    return Call(NEW, NEW, (number,), kind, scope.span)


def _takes_list(scope: Scope, construction: Cursor) -> bool:
    """Return whether a container is made of the elements of a ``std::initializer_list``."""
    taken = scope.library.type_of(scope.library.argument(scope.library.referenced(construction), 0))
    return scope.unit.spelling(scope.library.declaration(scope.library.canonical_type(taken))) == "initializer_list"


def first_value(scope: Scope, container: Cursor, kind: PointerT) -> Expression | None:
    """Return the value that elements of a container start with; None where that is nothing that counts."""
    if kind.target == CHAR:
        return None
    owner = scope.library.canonical_type(scope.library.type_of(container))
    argument = scope.library.canonical_type(scope.library.template_argument(owner, 0))
    return initial_element(scope, scope.library.declaration(argument), kind.target)


def elements_of(scope: Scope, kind: CType, number: Expression, value: Expression | None) -> Expression:
    """Return memory of so many elements, each with a value that is computed for it."""
    if value is None:
        return Call(NEW, NEW, (number,), kind, scope.span)
    return Call(EACH, EACH, (number, value), kind, scope.span)


def _part_of_text(scope: Scope, kind: PointerT, arguments: tuple[Expression, ...], *, is_object: bool) -> Expression:
    """Return ``string(text, start, number)`` of a text, or ``string(characters, number)``, as a part of it."""
    start = () if is_object else (Number(0, INT, scope.span),)
    return Call(BOOKKEEPING, "substr", (arguments[0], *start, *arguments[1:]), kind, scope.span)


def _valarray_of(scope: Scope, kind: PointerT, arguments: tuple[Expression, ...]) -> Expression:
    """Return so many copies of a value, or of the elements at a pointer: the number comes second here."""
    if isinstance(scope.static_type(arguments[0]), PointerT | ArrayT):
        return Call(COPY, COPY, arguments, kind, scope.span)
    return Call(FILL, FILL, (arguments[1], arguments[0]), kind, scope.span)


def _number_of_view(scope: Scope, types: list[CType], arguments: tuple[Expression, ...]) -> Expression | None:
    """Return the number of elements of a view of memory that is given by a pointer or an array."""
    match types:
        case [ArrayT(extent=extent)] if extent is not None and not isinstance(arguments[0], InitializerList):
            return extent
        case [PointerT() | ArrayT(), PointerT()]:
            return Binary("-", arguments[1], arguments[0], scope.span)
        case [PointerT() | ArrayT(), ScalarT(element=element)] if element.scalar.is_integer:
            return arguments[1]
        case _:
            return None


def _is_of(scope: Scope, value: Expression, kind: CType) -> bool:
    """Return whether a value may be an element of a container: of its type, or a number for a number."""
    given = scope.static_type(value)
    return given == kind or (isinstance(given, ScalarT) and isinstance(kind, ScalarT))


def _is_pointer_like(expression: Expression) -> bool:
    """Return True for an argument whose memory a smart pointer or a span takes over."""
    match expression:
        case Call(type=PointerT()):
            return True
        case Name(variable=variable):
            return isinstance(variable.type, PointerT)
        case Cast(type=PointerT()) | Unary(operator="&"):
            return True
        case _:
            return False
