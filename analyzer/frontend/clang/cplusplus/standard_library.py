"""The standard C++ library by name: what its containers, iterators and complex numbers mean in plain C.

``v.data()``, ``v.begin()`` and ``std::begin(v)`` are the base pointer, ``v.end()`` is base plus size, ``v.at(i)`` is
``v[i]``, ``v.size()`` is a call named ``size`` (the extent itself for ``std::array``).
"""

from __future__ import annotations

from ....ir.types import ElementType, TypeClass
from ...surface.nodes import (
    INT,
    VIEW,
    ArrayT,
    Assign,
    Binary,
    Call,
    Cast,
    CType,
    Expression,
    Index,
    InitializerList,
    Number,
    PointerT,
    ScalarT,
    StructT,
    Unary,
)
from ..binding import Cursor
from ..kinds import TypeKind
from ..scope import Scope

_BASE = frozenset({"data", "begin", "cbegin", "get", "c_str", "release", "rbegin", "crbegin"})
_SIZE = frozenset({"size", "length", "ssize"})
_EXTREMES = frozenset({"min", "max"})
_BOTH = "minmax"
_SAME = frozenset({"move", "forward", "as_const", "addressof", "assume_aligned", "launder"})
_MOVING = frozenset({"move", "forward"})
NOWHERE = (-1, 2**64 - 1)
"""``npos`` and ``dynamic_extent``."""
_PARTS = ("real", "imag")
_COMPLEX = {
    name: f"c{name}" for name in ("exp", "log", "pow", "sqrt", "sin", "cos", "tan", "abs", "arg", "real", "imag")
}


def standard_method(
    scope: Scope, name: str, owner: Expression, kind: CType, arguments: tuple[Expression, ...], result: CType
) -> Expression | None:
    """Lower a method of a container or of a complex number; None for others."""
    if isinstance(kind, ScalarT):
        return _scalar_method(scope, name, owner, kind, arguments, result)
    if not isinstance(kind, PointerT | ArrayT):
        return None
    found = _container(scope, name, owner, kind, result) if not arguments else None
    if found is not None:
        return found
    if name == "reset" and isinstance(kind, PointerT):  # of a smart pointer; what frees the object is given behind it
        return Assign("", owner, arguments[0] if arguments else Number(0, INT, scope.span), scope.span)
    if name == "at" and len(arguments) == 1:
        return Index(owner, arguments[0], scope.span)
    if name == "front":
        return Index(owner, Number(0, INT, scope.span), scope.span)
    if isinstance(kind, PointerT) and not kind.owns and isinstance(result, PointerT):
        part = _part_of_view(scope, name, owner, kind, arguments, result)
        if part is not None:
            return part
    if name == "back":
        last = Binary("-", size_of(scope, owner, kind, INT), Number(1, INT, scope.span), scope.span)
        return Index(owner, last, scope.span)
    return None


def standard_function(
    scope: Scope, callee: Cursor, name: str, arguments: tuple[Expression, ...], result: CType
) -> Expression | None:
    """Lower a function of namespace ``std``; None where its name is enough."""
    if len(arguments) == 1 and name in _SAME:
        if _moves(scope, callee, name) and not isinstance(scope.static_type(arguments[0]), ScalarT):
            return Cast(scope.static_type(arguments[0]), arguments[0], scope.span)
        return Unary("&", arguments[0], scope.span) if name == "addressof" else arguments[0]
    if name in _EXTREMES and len(arguments) == 1 and isinstance(arguments[0], InitializerList):
        return extreme_of(scope, name, arguments[0].items, result)
    if name == _BOTH and len(arguments) == 1 and isinstance(arguments[0], InitializerList):
        return _extremes_of(scope, arguments[0].items, result)
    first = scope.static_type(arguments[0]) if arguments else None
    if len(arguments) == 1 and isinstance(first, PointerT | ArrayT):
        return _container(scope, name, arguments[0], first, result)
    if _is_complex(result) or _is_complex(first):
        plain = _COMPLEX.get(name)
        return None if plain is None else Call(plain, plain, arguments, result, scope.span)
    return None


def _moves(scope: Scope, callee: Cursor, name: str) -> bool:
    """Return whether what is given may be taken over: by ``move``, and by ``forward<T>`` where T is no reference."""
    kind = scope.library.canonical_type(scope.library.result_type(scope.library.type_of(callee))).kind
    return name in _MOVING and kind == TypeKind.RVALUE_REFERENCE


def extreme_of(scope: Scope, name: str, items: tuple[Expression, ...], result: CType) -> Expression | None:
    """Return ``min(min(a, b), c)`` for ``min({a, b, c})``."""
    if not items:
        return None
    found = items[0]
    for item in items[1:]:
        found = Call(name, name, (found, item), result, scope.span)
    return found


def _extremes_of(scope: Scope, items: tuple[Expression, ...], result: CType) -> Expression | None:
    """Return the pair ``{min({a, b}), max({a, b})}`` for ``minmax({a, b})``."""
    fields = result.fields if isinstance(result, StructT) else ()
    found = (extreme_of(scope, name, items, field.type) for name, field in zip(("min", "max"), fields, strict=False))
    both = tuple(each for each in found if each is not None)
    return InitializerList(result, both, scope.span) if len(both) == 2 else None


def _container(scope: Scope, name: str, owner: Expression, kind: CType, result: CType) -> Expression | None:
    if name in _BASE:
        return owner
    if name in _SIZE:
        return size_of(scope, owner, kind, result)
    if name in ("end", "cend", "rend"):
        return Binary("+", owner, size_of(scope, owner, kind, INT), scope.span)
    if name == "empty":
        return Binary("==", size_of(scope, owner, kind, INT), Number(0, INT, scope.span), scope.span)
    return None


def _part_of_view(
    scope: Scope, name: str, owner: Expression, kind: PointerT, arguments: tuple[Expression, ...], result: PointerT
) -> Expression | None:
    """Return ``first(n)``, ``last(n)``, ``subspan(start)`` and ``subspan(start, n)`` of a span."""
    given = [each for each in arguments if not (isinstance(each, Number) and each.value in NOWHERE)]
    size = size_of(scope, owner, kind, INT)
    match name, given:
        case "first", [number]:
            start, count = owner, number
        case "last", [number]:
            start, count = Binary("+", owner, Binary("-", size, number, scope.span), scope.span), number
        case "subspan", [offset]:
            start, count = Binary("+", owner, offset, scope.span), Binary("-", size, offset, scope.span)
        case "subspan", [offset, number]:
            start, count = Binary("+", owner, offset, scope.span), number
        case _:
            return None
    return Call(VIEW, VIEW, (start, count), result, scope.span)


def size_of(scope: Scope, owner: Expression, kind: CType, result: CType) -> Expression:
    """Return the number of elements of a container: the extent where the type has it."""
    if isinstance(kind, ArrayT) and kind.extent is not None:
        return kind.extent
    if isinstance(owner, Call) and owner.function == VIEW:
        return owner.arguments[1]
    return Call("size", "size", (owner,), result, scope.span)


def _scalar_method(
    scope: Scope, name: str, owner: Expression, kind: ScalarT, arguments: tuple[Expression, ...], result: CType
) -> Expression | None:
    if kind.element.scalar.type_class is TypeClass.COMPLEX and name in _PARTS:
        return _part(scope, name, owner, kind, arguments, result)
    if name in ("load", "value", "get"):
        return owner
    return None


def _part(
    scope: Scope, name: str, owner: Expression, kind: ScalarT, arguments: tuple[Expression, ...], result: CType
) -> Expression:
    """Return ``z.real()``, or for ``z.real(x)`` the assignment to that part, which is an element of a pair."""
    if not arguments:
        return Call(f"c{name}", f"c{name}", (owner,), result, scope.span)
    real = ScalarT(ElementType(kind.element.scalar.component))
    pair = Cast(PointerT(real), scope.address(owner), scope.span)
    return Assign("", Index(pair, Number(_PARTS.index(name), INT, scope.span), scope.span), arguments[0], scope.span)


def _is_complex(kind: CType | None) -> bool:
    return isinstance(kind, ScalarT) and kind.element.scalar.type_class is TypeClass.COMPLEX
