"""Calls: by key where the body is known, by name where it is not.

A function that returns a reference returns an address here, and its calls are dereferenced: that makes ``a(i, j) = 0``
and ``domain.x(i) += 1`` ordinary objects.  Methods get the address of their object as first argument.
"""

from __future__ import annotations

from ...known_functions import table
from ...optional_files import OPENING
from ...surface.constructs import construct
from ...surface.nodes import (
    EACH,
    Call,
    Cast,
    CType,
    Expression,
    InitializerList,
    Number,
    OpaqueExpression,
    PointerT,
    ScalarT,
    StructT,
    UnknownT,
)
from ..binding import Cursor
from ..cplusplus.bookkeeping import bookkeeping
from ..cplusplus.closures import as_pointer
from ..cplusplus.destructors import deleted
from ..cplusplus.member_pointers import call_of_method, is_access
from ..cplusplus.operators import lower_operator
from ..cplusplus.standard_library import standard_function, standard_method
from ..cplusplus.virtual_methods import method_call
from ..cuda import converted, intrinsic, launched_by_call, lower_launch
from ..expressions import generic_choice, member_base
from ..kinds import CursorKind, UnaryOperator
from ..scope import Handler, Scope
from ..types import is_expression
from .allocation import lower_new
from .arguments import arguments_of, as_taken
from .construction import first_value, lower_construction

_FUNCTION, _CONVERSION, _MEMBER = CursorKind.FUNCTION_DECL, CursorKind.CONVERSION_FUNCTION, CursorKind.MEMBER_REF_EXPR
_CONSTRUCTOR = CursorKind.CONSTRUCTOR
_UNARY = CursorKind.UNARY_OPERATOR
_OF_FUNCTIONS = (UnaryOperator.ADDRESS_OF, UnaryOperator.DEREFERENCE)
_CALLABLE = frozenset({_FUNCTION, CursorKind.CXX_METHOD, _CONVERSION})
_TRANSPARENT = frozenset({"__builtin_expect", "__builtin_assume_aligned", "__builtin_expect_with_probability"})
_PREFIXES = ("__builtin_", "__tg_")
_VALUES = frozenset({"inff", "inf", "nanf", "nan", "huge_val", "huge_valf"})
_RESIZE = "resize"


def lower_call(scope: Scope, cursor: Cursor) -> Expression:
    """Lower a call, a use of an overloaded operator, or a construction."""
    callee = scope.library.referenced(cursor)
    if callee.kind == _CONSTRUCTOR:
        return lower_construction(scope, cursor, callee)
    children = scope.unit.children(cursor)
    if callee.kind not in _CALLABLE and children:
        callee = _selected(scope, children[0], callee)
    if callee.kind not in _CALLABLE:
        launch = lower_launch(scope, cursor, callee, children)
        if launch is not None:
            return launch
        return _indirect(scope, cursor, children)
    name = scope.unit.spelling(callee)
    launch = lower_launch(scope, cursor, callee, children)
    if launch is not None:
        return launch
    if callee.kind == _CONVERSION:
        return _method(scope, cursor, callee, children, ())
    if name.startswith("operator") and not name[8:9].isalnum() and not _is_explicit(scope, children):
        return lower_operator(scope, cursor, callee, name[8:].strip())
    arguments = arguments_of(scope, cursor, callee)
    if callee.kind != _FUNCTION and not scope.library.is_static_method(callee):
        return _method(scope, cursor, callee, children, arguments)
    return _function(scope, cursor, callee, arguments)


def _constant_result(scope: Scope, cursor: Cursor, arguments: tuple[Expression, ...]) -> Number | None:
    """Return the integer that a ``constexpr`` function makes of numbers, which no program computes when it runs."""
    kind = scope.types.of(cursor)
    if not isinstance(kind, ScalarT) or not kind.element.scalar.is_integer:
        return None
    if not all(isinstance(argument, Number) for argument in arguments):
        return None
    value = scope.unit.evaluate(cursor)
    return None if value is None else Number(value, kind, scope.span)


def _function(scope: Scope, cursor: Cursor, callee: Cursor, arguments: tuple[Expression, ...]) -> Expression:
    name = scope.unit.spelling(callee)
    key = scope.function_key(callee)
    if key is not None:
        number = _constant_result(scope, cursor, arguments)
        return scope.call(key, name, arguments, callee) if number is None else number
    if name in _TRANSPARENT and arguments:
        return arguments[0]
    if name == OPENING:
        scope.opens_files = True
    plain = name if table().is_silent(name) else plain_name(name)
    kind = scope.types.of(cursor)
    if scope.is_in_header(callee):
        meant = launched_by_call(scope, cursor, name) or intrinsic(scope, name, arguments, kind)
        if meant is not None:
            return meant
    if plain in _VALUES and plain != name and isinstance(kind, ScalarT):
        return Number(scope.unit.evaluate(cursor) or 0.0, kind, scope.span)
    if plain == "complex" and len(arguments) == 2:  # CMPLX(re, im)
        return InitializerList(kind, arguments, scope.span)
    if scope.types.is_standard(callee):
        value = None if arguments or not isinstance(kind, ScalarT) else scope.unit.evaluate(cursor)
        if value is not None and isinstance(kind, ScalarT):  # numeric_limits<double>::max()
            return Number(value, kind, scope.span)
        found = standard_function(scope, callee, plain, arguments, kind)
        if found is not None:
            return found
    if scope.is_undeclared(callee):
        return Call(plain, plain, arguments, UnknownT(name), scope.span)
    arguments = as_taken(scope, callee, arguments)
    found = bookkeeping(scope, callee, name, arguments, kind)
    if found is not None:
        return found
    key = scope.linked_key(callee, plain)
    if key != plain:
        return scope.call(key, plain, arguments, callee)
    return Call(key, plain, arguments, kind, scope.span, ends=_never_returns(scope, callee))


def _never_returns(scope: Scope, callee: Cursor) -> bool:
    """Return whether a declaration has an attribute like ``noreturn``, which GNU's syntax makes part of the type."""
    attributes = (child for child in scope.unit.children(callee) if child.kind == CursorKind.UNEXPOSED_ATTR)
    texts = (scope.unit.type_text(scope.library.type_of(callee)), *map(scope.unit.source_of, attributes))
    return any("noreturn" in text.lower() for text in texts)


def _method(
    scope: Scope, cursor: Cursor, callee: Cursor, children: list[Cursor], arguments: tuple[Expression, ...]
) -> Expression:
    called = scope.unit.stripped(children[0]) if children else cursor
    owner = member_base(scope, called) if called.kind == _MEMBER else None
    if owner is None:
        return OpaqueExpression(
            construct("call-through-a-pointer-to-a-member"), arguments, scope.types.of(cursor), scope.span
        )
    whole, kind = owner, scope.types.of(cursor)
    if scope.is_in_header(callee):
        owner = scope.as_container(owner)
    pointer = as_pointer(scope, callee, owner, kind) if callee.kind == _CONVERSION else None
    if pointer is not None:
        return pointer
    name = scope.unit.spelling(callee)
    key = scope.function_key(callee)
    arguments = arguments if key is not None else as_taken(scope, callee, arguments)
    qualified = any(child.kind == CursorKind.TYPE_REF for child in scope.unit.children(called))
    qualified = qualified or _names_class(scope, called, callee)
    method = method_call(scope, callee, name, owner, arguments, qualified=qualified)
    if method is not None:
        return method
    if callee.kind == _CONVERSION and isinstance(kind, ScalarT):
        return converted(scope, kind, owner)
    objects = scope.unit.operands(called)
    owner_type = scope.types.pointed(objects[0]) if objects else UnknownT("")
    owner_type = owner_type if owner is whole else scope.static_type(owner)
    found = standard_method(scope, name, owner, owner_type, arguments, kind)
    if found is not None:
        return found
    key = scope.linked_key(callee, name)
    if key == name:
        is_kept = isinstance(owner_type, PointerT) and owner_type.owns and name not in table().resizing
        owner = Cast(owner_type, owner, scope.span) if is_kept else owner
        arguments = (*arguments, *_new_elements(scope, name, objects, owner_type, len(arguments)))
        found = bookkeeping(scope, callee, name, (owner, *arguments), kind)
        return found or Call(key, name, (owner, *arguments), kind, scope.span)
    return scope.call(key, name, (scope.address(owner), *arguments), callee)


def _new_elements(
    scope: Scope, name: str, objects: list[Cursor], container: CType, given: int
) -> tuple[Expression, ...]:
    """Return what ``v.resize(n)`` constructs in each new element, where these are objects."""
    match container:
        case PointerT(target=StructT() as element, owns=True) if name == _RESIZE and given == 1 and objects:
            value = first_value(scope, objects[0], container)
            return () if value is None else (Call(EACH, EACH, (value,), element, scope.span),)
        case _:
            return ()


def _names_class(scope: Scope, called: Cursor, method: Cursor) -> bool:
    """Return whether a call of a virtual method names a class, as a parameter of a template has it: ``P::area(v)``."""
    if not scope.library.is_virtual_method(method):
        return False
    return scope.unit.source_of(called).removesuffix(scope.unit.spelling(method)).rstrip().endswith("::")


def plain_name(name: str) -> str:
    """Return the library's name of a compiler builtin: ``__builtin_sqrt`` is ``sqrt``."""
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name


def _is_explicit(scope: Scope, children: list[Cursor]) -> bool:
    """Return True for ``a.operator+(b)``, spelled as a method call, and for a conversion operator."""
    return (
        bool(children)
        and scope.unit.stripped(children[0]).kind == _MEMBER
        and (scope.unit.spelling(scope.unit.stripped(children[0])).startswith("operator"))
    )


def _selected(scope: Scope, called: Cursor, otherwise: Cursor) -> Cursor:
    """Return the function that is called by its name, by its address, or as an argument of a template."""
    called = scope.unit.stripped(called)
    while called.kind in (_UNARY, CursorKind.DECL_REF_EXPR):
        inner = scope.unit.operands(called)  # a name has one where it is a parameter of a template
        if len(inner) != 1 or (called.kind == _UNARY and scope.library.unary_operator(called) not in _OF_FUNCTIONS):
            break
        called = scope.unit.stripped(inner[0])
    if called.kind == CursorKind.DECL_REF_EXPR:
        named = scope.library.referenced(called)
        if named.kind == _FUNCTION:
            return named
    if called.kind == CursorKind.GENERIC_SELECTION_EXPR:
        chosen = generic_choice(scope, called)
        if chosen is not None:
            return scope.library.referenced(scope.unit.stripped(chosen))
    return otherwise


def _indirect(scope: Scope, cursor: Cursor, children: list[Cursor]) -> Expression:
    arguments = tuple(scope.expression(child) for child in children[1:] if is_expression(child))
    method = scope.unit.stripped(children[0]) if children else cursor
    if is_access(scope, method):
        return call_of_method(scope, cursor, method, arguments)
    called = scope.expression(children[0]) if children else None
    return OpaqueExpression(
        construct("call-through-a-pointer"), arguments, scope.types.of(cursor), scope.span, called=called
    )


HANDLERS: dict[int, Handler] = {
    CursorKind.CALL_EXPR: lower_call,
    CursorKind.CXX_NEW_EXPR: lower_new,
    CursorKind.CXX_DELETE_EXPR: deleted,
}
