"""Expressions of C: clang's cursors -> the surface tree.

Each handler takes the scope and a cursor of its kind.  Chains of binary operators are read in a loop, so that an
expression of thousands of terms needs no deep recursion.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..surface.constants import constant_integer
from ..surface.constructs import construct
from ..surface.designators import in_order, part_of_element
from ..surface.nodes import (
    INT,
    LIST,
    ArrayT,
    Assign,
    Binary,
    Call,
    Cast,
    Comma,
    Conditional,
    CType,
    Expression,
    Index,
    InitializerList,
    Member,
    Name,
    Number,
    OpaqueExpression,
    PointerT,
    ScalarT,
    StructT,
    Text,
    Unary,
)
from .binding import Cursor
from .cplusplus.classes import constructed_elements, type_text, written_defaults
from .cplusplus.closures import value_of_closure
from .cplusplus.member_pointers import is_access, member_at, position_of
from .cplusplus.template_values import note_template
from .cplusplus.templates import overloads
from .kinds import ARRAY_TYPES, BinaryOperator, CursorKind, TypeKind, UnaryOperator
from .scope import Handler, Scope
from .sizes import size_of
from .types import is_expression, is_reference

_BINARY: dict[int, str] = {
    BinaryOperator.MUL: "*",
    BinaryOperator.DIV: "/",
    BinaryOperator.REM: "%",
    BinaryOperator.ADD: "+",
    BinaryOperator.SUB: "-",
    BinaryOperator.SHL: "<<",
    BinaryOperator.SHR: ">>",
    BinaryOperator.LT: "<",
    BinaryOperator.GT: ">",
    BinaryOperator.LE: "<=",
    BinaryOperator.GE: ">=",
    BinaryOperator.EQ: "==",
    BinaryOperator.NE: "!=",
    BinaryOperator.AND: "&",
    BinaryOperator.XOR: "^",
    BinaryOperator.OR: "|",
    BinaryOperator.LOGICAL_AND: "&&",
    BinaryOperator.LOGICAL_OR: "||",
}
_ASSIGN: dict[int, str] = {
    BinaryOperator.ASSIGN: "",
    BinaryOperator.MUL_ASSIGN: "*",
    BinaryOperator.DIV_ASSIGN: "/",
    BinaryOperator.REM_ASSIGN: "%",
    BinaryOperator.ADD_ASSIGN: "+",
    BinaryOperator.SUB_ASSIGN: "-",
    BinaryOperator.SHL_ASSIGN: "<<",
    BinaryOperator.SHR_ASSIGN: ">>",
    BinaryOperator.AND_ASSIGN: "&",
    BinaryOperator.XOR_ASSIGN: "^",
    BinaryOperator.OR_ASSIGN: "|",
}
_COMMA = BinaryOperator.COMMA
_UNARY: dict[int, str] = {
    UnaryOperator.POST_INC: "x++",
    UnaryOperator.POST_DEC: "x--",
    UnaryOperator.PRE_INC: "++x",
    UnaryOperator.PRE_DEC: "--x",
    UnaryOperator.ADDRESS_OF: "&",
    UnaryOperator.DEREFERENCE: "*",
    UnaryOperator.MINUS: "-",
    UnaryOperator.NOT: "~",
    UnaryOperator.LOGICAL_NOT: "!",
}
_PARTS: dict[int, str] = {UnaryOperator.REAL: "creal", UnaryOperator.IMAG: "cimag"}
_SILENT = frozenset({UnaryOperator.PLUS, UnaryOperator.EXTENSION})
_BINARY_OPERATOR, _CALL = CursorKind.BINARY_OPERATOR, CursorKind.CALL_EXPR
_VARIABLE, _ENUMERATOR, _FIELD = CursorKind.VAR_DECL, CursorKind.ENUM_CONSTANT_DECL, CursorKind.FIELD_DECL
_VARIABLES = frozenset({_VARIABLE, CursorKind.PARM_DECL})
_FUNCTIONS = frozenset({CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.FUNCTION_TEMPLATE})
_ADDRESSES = ARRAY_TYPES | {TypeKind.POINTER}
"""Basic types by words that name them, those of several words first."""
_GROUPS = ("std::pair<", "std::tuple<")


def _number(scope: Scope, cursor: Cursor) -> Expression:
    value = scope.unit.evaluate(cursor)
    kind = scope.types.of(cursor)
    if value is None or not isinstance(kind, ScalarT):
        return scope.opaque(cursor, construct("literal-not-modelled"))
    return Number(value, kind, scope.span)


def _imaginary(scope: Scope, cursor: Cursor) -> Expression:
    part = scope.expression(scope.unit.children(cursor)[0])
    return Cast(scope.types.of(cursor), part, scope.span)


def _string(scope: Scope, cursor: Cursor) -> Expression:
    text = scope.unit.spelling(cursor)
    return Text(text[1:-1] if text.startswith('"') else text, scope.span)


def _name(scope: Scope, cursor: Cursor) -> Expression:
    declaration = scope.library.referenced(cursor)
    if declaration.kind in _VARIABLES:
        return scope.named(declaration)
    if declaration.kind == _ENUMERATOR:
        return Number(scope.library.enumerator_value(declaration), INT, scope.span)
    if declaration.identity in scope.bindings:
        return scope.bindings[declaration.identity]
    if declaration.kind == CursorKind.UNEXPOSED_DECL:  # an instance of a template of variables
        return scope.named(declaration)
    if declaration.kind == CursorKind.OVERLOADED_DECL_REF:
        note_template(scope, cursor)
    return _function(scope, cursor, declaration)


def _function(scope: Scope, cursor: Cursor, declaration: Cursor) -> Expression:
    what = construct("function-value", name=scope.unit.spelling(cursor) or scope.unit.spelling(declaration))
    is_open = declaration.kind == CursorKind.CXX_METHOD and bool(scope.library.is_virtual_method(declaration))
    key = scope.function_key(declaration) if declaration.kind in _FUNCTIONS and not is_open else None
    if key is None and declaration.kind == CursorKind.FUNCTION_DECL and not scope.is_in_header(declaration):
        key = scope.linked_key(declaration, scope.unit.spelling(declaration))
    if key is None:
        return scope.opaque(cursor, what)
    return OpaqueExpression(what, (), scope.types.of(cursor), scope.span, key)


def _member(scope: Scope, cursor: Cursor) -> Expression:
    declaration = scope.library.referenced(cursor)
    if declaration.kind == _VARIABLE:  # a static member
        return Name(scope.variable(declaration), scope.span)
    if declaration.kind == _ENUMERATOR:
        return Number(scope.library.enumerator_value(declaration), INT, scope.span)
    if declaration.kind != _FIELD:
        return scope.opaque(cursor, construct("member-not-modelled"))
    base = member_base(scope, cursor)
    if base is None:
        return scope.opaque(cursor, construct("member-not-modelled"))
    name = scope.unit.spelling(cursor)
    if not name:  # an anonymous struct or union: its fields belong to the one around it
        return base
    member = Member(base, name, scope.span)
    return Unary("*", member, scope.span) if is_reference(scope.library, scope.library.type_of(declaration)) else member


def member_base(scope: Scope, cursor: Cursor) -> Expression | None:
    """Return the object of ``object.member`` or ``pointer->member``, or ``*this``."""
    bases = scope.unit.operands(cursor)
    if not bases:
        return None if scope.this is None else Unary("*", Name(scope.this, scope.span), scope.span)
    kind = scope.library.canonical_type(scope.library.type_of(scope.unit.stripped(bases[0])))
    base = scope.expression(bases[0])
    return Unary("*", base, scope.span) if kind.kind in _ADDRESSES else base


def _index(scope: Scope, cursor: Cursor) -> Expression:
    base, index = (scope.unit.stripped(child) for child in scope.unit.children(cursor))
    if isinstance(scope.types.of(base), ScalarT) and isinstance(scope.types.of(index), (PointerT, ArrayT)):
        base, index = index, base  # 3[a]
    return Index(scope.expression(base), scope.expression(index), scope.span)


def _unary(scope: Scope, cursor: Cursor) -> Expression:
    code = scope.library.unary_operator(cursor)
    inner = scope.unit.stripped(scope.unit.children(cursor)[0])
    position = position_of(scope, inner) if code == UnaryOperator.ADDRESS_OF else None
    if position is not None:
        return position
    operand = scope.expression(inner)
    if code == UnaryOperator.ADDRESS_OF and isinstance(operand, OpaqueExpression) and operand.function:
        return operand  # of a function, which is its value
    operator = _UNARY.get(code)
    if operator == "!" and inner.kind == _CALL and isinstance(operand, Binary) and operand.operator == "==":
        return Binary("!=", operand.left, operand.right, scope.span)  # how C++20 spells a != b of classes
    if operator is not None:
        return Unary(operator, operand, scope.span)
    name = _PARTS.get(code)
    if name is not None:
        return Call(name, name, (operand,), scope.types.of(cursor), scope.span)
    return operand if code in _SILENT else scope.opaque(cursor, construct("operator-not-modelled"))


def _binary(scope: Scope, cursor: Cursor) -> Expression:
    spine: list[tuple[int, Cursor]] = []
    while True:
        if is_access(scope, cursor):
            left = member_at(scope, cursor)
            break
        code = scope.library.binary_operator(cursor)
        children = scope.unit.children(cursor)
        if len(children) != 2:
            left = scope.opaque(cursor, construct("operator-not-modelled"))
            break
        spine.append((code, children[1]))
        cursor = scope.unit.stripped(children[0])
        if cursor.kind != _BINARY_OPERATOR:
            left = scope.expression(cursor)
            break
    for code, operand in reversed(spine):
        right = scope.expression(operand)
        if code in _BINARY:
            left = Binary(_BINARY[code], left, right, scope.span)
        elif code in _ASSIGN:
            left = Assign(_ASSIGN[code], left, right, scope.span)
        elif code == _COMMA:
            left = Comma(left, right, scope.span)
        else:
            left = OpaqueExpression(
                construct("operator-not-modelled"), (left, right), scope.types.of(cursor), scope.span
            )
    return left


def _compound_assignment(scope: Scope, cursor: Cursor) -> Expression:
    target, value = scope.unit.children(cursor)
    operator = _ASSIGN[scope.library.binary_operator(cursor)]
    return Assign(operator, scope.expression(target), scope.expression(value), scope.span)


def _conditional(scope: Scope, cursor: Cursor) -> Expression:
    children = scope.unit.children(cursor)
    if len(children) != 3:
        return scope.opaque(cursor, construct("without-a-middle-operand"))
    condition, then, orelse = (scope.expression(child) for child in children)
    return Conditional(condition, then, orelse, scope.span)


def cast(scope: Scope, cursor: Cursor) -> Expression:
    """Lower an explicit conversion: its last child is the operand, those before it spell the type."""
    operand = scope.expression(scope.unit.children(cursor)[-1])
    return Cast(scope.types.declared(cursor), operand, scope.span)


def _compound_literal(scope: Scope, cursor: Cursor) -> Expression:
    return scope.expression(scope.unit.children(cursor)[-1])


def _initializer_list(scope: Scope, cursor: Cursor) -> Expression:
    """Lower ``{...}``: designated members in the order of the fields, zero where nothing is given."""
    return _list_of(scope, cursor, scope.types.of(cursor))


def _list_of(scope: Scope, cursor: Cursor, kind: CType) -> Expression:
    parts = [_designated(scope, child) for child in scope.unit.children(cursor)]
    if isinstance(kind, StructT | ArrayT) and any(designators for designators, _ in parts):
        items = (_placed(scope, kind, designators, scope.expression(value)) for designators, value in parts)
        element = kind.element if isinstance(kind, ArrayT) else None
        ordered = in_order(items, element, scope.span, _defaults(scope, cursor, kind))
        if isinstance(kind, StructT):
            ordered = tuple(_held(scope, field.type, value) for field, value in zip(kind.fields, ordered, strict=False))
        return InitializerList(kind, scope.members(kind, ordered), scope.span, clears=True)
    if isinstance(kind, ArrayT) and not parts:
        made = constructed_elements(scope, scope.library.type_of(cursor), kind)
        if made is not None:
            return made
    values = tuple(
        _overload(scope, cursor, value) or _given(scope, kind, number, value) for number, (_, value) in enumerate(parts)
    )
    if isinstance(kind, ScalarT) and kind.element.lanes == 1 and len(values) == 1:
        return values[0]
    if isinstance(kind, ArrayT) and len(values) == 1 and _is_whole(values[0], kind):  # std::array<T, 2>{{a, b}}
        return values[0]
    if isinstance(kind, StructT) and (defaults := _defaults(scope, cursor, kind)):
        given = [((number,), value) for number, value in enumerate(values)]
        values = in_order(given, None, scope.span, defaults)
    return InitializerList(kind, scope.members(kind, values), scope.span, clears=True)


def _overload(scope: Scope, whole: Cursor, value: Cursor) -> Expression | None:
    """Return the function of several of one name that an element of an array points at, by its type; None of others."""
    library, named = scope.library, scope.unit.stripped(value)
    if named.kind == CursorKind.UNARY_OPERATOR and library.unary_operator(named) == UnaryOperator.ADDRESS_OF:
        named = scope.unit.stripped(scope.unit.children(named)[0])
    if named.kind != CursorKind.DECL_REF_EXPR or library.referenced(named).kind != CursorKind.OVERLOADED_DECL_REF:
        return None
    element = library.canonical_type(library.element(library.canonical_type(library.type_of(whole))))
    wanted = scope.unit.type_text(library.canonical_type(library.pointee(element)))
    for candidate in overloads(scope.unit, named):
        if type_text(scope, candidate) == wanted:
            return _function(scope, named, candidate)
    return None


def _defaults(scope: Scope, cursor: Cursor, kind: CType) -> dict[int, Expression]:
    """Return the values of members of the class of a list that the class itself gives them, by their positions."""
    if not isinstance(kind, StructT):
        return {}
    written = written_defaults(scope, scope.library.declaration(scope.library.type_of(cursor)))
    return {number: written[field.name] for number, field in enumerate(kind.fields) if field.name in written}


def _given(scope: Scope, kind: CType, number: int, cursor: Cursor) -> Expression:
    """Return a value of a list as it is written; of one that calls a lambda its function, and the lambda.

    A list that a constructor takes has no type of its own: that of a pair or a tuple is of what is made of it.
    """
    field = kind.fields[number].type if isinstance(kind, StructT) and number < len(kind.fields) else kind
    field = field.element if isinstance(field, ArrayT) else field
    inner = scope.unit.stripped(cursor)
    if inner.kind == CursorKind.INIT_LIST_EXPR and isinstance(field, StructT) and field.name.startswith(_GROUPS):
        return _list_of(scope, inner, field)
    value = scope.expression(cursor)
    if inner.kind == CursorKind.LAMBDA_EXPR and isinstance(field, PointerT):
        owner = scope.library.declaration(scope.library.type_of(inner))
        return value_of_closure(scope, owner, value, field) or value
    return _held(scope, field, value)


def _held(scope: Scope, kind: CType, value: Expression) -> Expression:
    """Return what a list in a list gives to a container, its elements, and any other value as it is."""
    if isinstance(value, InitializerList) and isinstance(kind, PointerT) and kind.owns and not scope.on_host:
        return Call(LIST, LIST, value.items, kind, value.span)
    return value


def _is_whole(value: Expression, kind: ArrayT) -> bool:
    """Return whether a list in a list is of all elements of an array."""
    inner = value.type if isinstance(value, InitializerList) else None
    return isinstance(inner, ArrayT) and inner.element == kind.element


def _designated(scope: Scope, cursor: Cursor) -> tuple[Sequence[Cursor], Cursor]:
    """Return the designators of an initialiser, ``.x``, ``[2]`` or ``[2 ... 4]``, and its value."""
    children = scope.unit.children(cursor) if cursor.kind == CursorKind.UNEXPOSED_EXPR else []
    return (children[:-1], children[-1]) if len(children) > 1 else ((), cursor)


def _placed(
    scope: Scope, kind: StructT | ArrayT, designators: Sequence[Cursor], value: Expression
) -> tuple[Sequence[int], Expression]:
    """Return the positions that designators name, none where they name none that is known, and what stands there."""
    if isinstance(kind, StructT):
        names = [field.name for field in kind.fields]
        return [names.index(name) for name in map(scope.unit.spelling, designators[:1]) if name in names], value
    numbers = [constant_integer(scope.expression(designator)) for designator in designators]
    first, last = (numbers[0], numbers[-1]) if numbers else (None, None)
    if first is None or last is None:
        return (), value
    if len(numbers) > 1 and not isinstance(kind.element, ScalarT):  # [1][2] = value
        return (first,), part_of_element(value, scope.span)
    return range(first, last + 1), value


def _generic_selection(scope: Scope, cursor: Cursor) -> Expression:
    chosen = generic_choice(scope, cursor)
    return scope.opaque(cursor, construct("generic-selection")) if chosen is None else scope.expression(chosen)


def generic_choice(scope: Scope, cursor: Cursor) -> Cursor | None:
    """Return the association that has the type of the whole ``_Generic``, where only one does."""
    wanted = scope.library.canonical_type(scope.library.type_of(cursor)).identity
    children = [child for child in scope.unit.children(cursor)[1:] if is_expression(child)]
    same = [c for c in children if scope.library.canonical_type(scope.library.type_of(c)).identity == wanted]
    return same[0] if len(same) == 1 else None


HANDLERS: dict[int, Handler] = {
    CursorKind.DECL_REF_EXPR: _name,
    CursorKind.MEMBER_REF_EXPR: _member,
    CursorKind.INTEGER_LITERAL: _number,
    CursorKind.FLOATING_LITERAL: _number,
    CursorKind.IMAGINARY_LITERAL: _imaginary,
    CursorKind.STRING_LITERAL: _string,
    CursorKind.CHARACTER_LITERAL: _number,
    CursorKind.UNARY_OPERATOR: _unary,
    CursorKind.ARRAY_SUBSCRIPT_EXPR: _index,
    CursorKind.BINARY_OPERATOR: _binary,
    CursorKind.COMPOUND_ASSIGNMENT_OPERATOR: _compound_assignment,
    CursorKind.CONDITIONAL_OPERATOR: _conditional,
    CursorKind.CSTYLE_CAST_EXPR: cast,
    CursorKind.COMPOUND_LITERAL_EXPR: _compound_literal,
    CursorKind.INIT_LIST_EXPR: _initializer_list,
    CursorKind.CXX_PAREN_LIST_INIT_EXPR: _initializer_list,
    CursorKind.GENERIC_SELECTION_EXPR: _generic_selection,
    CursorKind.CXX_UNARY_EXPR: size_of,
}
