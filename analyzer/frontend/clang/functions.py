"""Function definitions -> ``Function``: parameters with ``this``, constructors, names that people read.

A constructor becomes a function that returns the object: it makes one, assigns the members of its initialiser list,
runs its body with ``this`` pointing there, and returns it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...python.regex import regex
from ..optional_files import without_optional_files
from ..surface.goto import structured
from ..surface.nodes import (
    Block,
    CType,
    Declare,
    Expression,
    Function,
    FunctionKind,
    Member,
    Name,
    PointerT,
    Return,
    Statement,
    Storage,
    Unary,
    Variable,
)
from ..surface.objects.constructions import OBJECT
from ..surface.objects.elements import initialised
from ..surface.objects.ends_of_life import with_ends_of_life
from ..surface.types import type_of
from ..surface.views import seen_as_arrays
from .binding import Cursor
from .callees import is_lambda
from .cplusplus.classes import base_members, default_bases, default_members, inherited_construction, is_inherited
from .cplusplus.closures import members_of_closure
from .cplusplus.destructors import ends_of_life
from .cuda import function_kind
from .kinds import CLASS_TEMPLATES, CLASSES, FUNCTIONS, CursorKind, TemplateArgumentKind
from .postponed import Pending
from .scope import Scope
from .statements.statements import StatementReader
from .types import is_expression, is_reference

_LAMBDA = regex(r"\(lambda at [^()]*?:(?P<line>\d+):\d+\)")
_MEMBERS = FUNCTIONS - {CursorKind.FUNCTION_DECL}
_MEMBER_NAME = CursorKind.MEMBER_REF


def lower_function(scope: Scope, reader: StatementReader, pending: Pending) -> Function:
    """Lower one definition."""
    definition = pending.definition
    scope.span = span = scope.span_of(definition)
    result = scope.library.result_type(scope.library.type_of(definition))
    scope.returns_reference = is_reference(scope.library, result)
    returned: CType = PointerT(scope.types.read(result)) if scope.returns_reference else scope.types.read(result)
    scope.this = None
    scope.has_labels = scope.opens_files = False
    scope.declared = {scope.variable(each): each for each in scope.unit.arguments(definition)}
    kind = function_kind(scope, definition)
    scope.on_host = scope.follows_host and kind is FunctionKind.HOST
    is_closure = is_lambda(scope.unit, definition)
    parameters = tuple(map(scope.variable, scope.unit.arguments(definition)))
    is_generated = definition.kind == CursorKind.CONSTRUCTOR and is_inherited(scope, definition)
    if definition.kind == CursorKind.CONSTRUCTOR:
        returned = scope.types.read(scope.library.type_of(scope.library.semantic_parent(definition)))
        inherited = inherited_construction(scope, definition, parameters) if is_generated else None
        body = _construction(scope, reader, pending, returned, inherited)
    elif is_closure:
        with members_of_closure(scope, definition) as (closure, members):
            body = reader.block(pending.body)
        body = Block((*members, *body.statements), body.span)
        parameters = (closure, *parameters)
    else:
        if _has_this(scope, definition):
            scope.this = _this_of(scope, definition, Storage.PARAMETER)
            parameters = (scope.this, *parameters)
        body = reader.block(pending.body)
    body = with_ends_of_life(body, ends_of_life(scope, scope.declared), parameters)
    if kind in (FunctionKind.KERNEL, FunctionKind.DEVICE):
        body = seen_as_arrays(body)
    if scope.opens_files:
        body = without_optional_files(body)
    return Function(
        key=pending.key,
        name="lambda" if is_closure else readable_name(scope, definition),
        parameters=parameters,
        result=returned,
        body=structured(body) if scope.has_labels else body,
        kind=kind,
        span=span,
        listed=(scope.unit.is_in_source(definition) or kind is FunctionKind.KERNEL)
        and not is_closure
        and not is_generated,
        is_static=pending.is_static,
        is_virtual=definition.kind == CursorKind.CXX_METHOD and bool(scope.library.is_virtual_method(definition)),
        symbol=scope.unit.text(scope.library.symbol(definition)),
    )


def _has_this(scope: Scope, definition: Cursor) -> bool:
    return definition.kind in _MEMBERS and not scope.library.is_static_method(definition)


def _this_of(scope: Scope, definition: Cursor, storage: Storage) -> Variable:
    owner = scope.types.read(scope.library.type_of(scope.library.semantic_parent(definition)))
    return Variable("this", PointerT(owner), storage, scope.span)


def _construction(
    scope: Scope, reader: StatementReader, pending: Pending, kind: CType, inherited: Expression | None
) -> Block:
    span = scope.span
    made = Variable(OBJECT, kind, Storage.LOCAL, span)
    scope.this = _this_of(scope, pending.definition, Storage.LOCAL)
    statements: list[Statement] = [
        Declare(made, None, span),
        Declare(scope.this, Unary("&", Name(made, span), span), span),
    ]
    field: Cursor | None = None
    children = scope.unit.children(pending.definition)
    named = {scope.unit.spelling(child) for child in children if child.kind == _MEMBER_NAME}
    owner = scope.library.semantic_parent(pending.definition)
    if inherited is None:
        given = [scope.types.of(each) for each in _base_initialisers(children)]
        statements += default_bases(scope, owner, made, given)
    statements += default_members(scope, owner, made, named)
    if inherited is not None:
        statements += base_members(scope, made, inherited)
    for child in children:
        if child.kind == _MEMBER_NAME:
            field = child
        elif is_expression(child):
            scope.span = scope.span_of(child)
            value = scope.expression(child)
            statements += _initialised(scope, made, field, value)
            field, scope.span = None, span
    statements += reader.block(pending.body).statements
    statements.append(Return(Name(made, span), span))
    return Block(tuple(statements), span)


def _base_initialisers(children: Sequence[Cursor]) -> Iterator[Cursor]:
    """Yield what a constructor initialises its base classes with: the expressions that follow no name of a member."""
    before: Cursor | None = None
    for child in children:
        if is_expression(child) and (before is None or before.kind != _MEMBER_NAME):
            yield child
        before = child


def _initialised(scope: Scope, made: Variable, field: Cursor | None, value: Expression) -> list[Statement]:
    if field is None:  # a base class
        return base_members(scope, made, value)
    target = Member(Name(made, scope.span), scope.unit.spelling(field), scope.span)
    if is_reference(scope.library, scope.library.type_of(scope.library.referenced(field))):
        value = scope.address(value)
    return [initialised(target, type_of(target), value)]


def readable_name(scope: Scope, definition: Cursor) -> str:
    """Return ``Class<float>::method``, ``axpy<double, 4>`` or ``each<lambda:12>``; namespaces are left out."""
    name = scope.unit.spelling(definition) + _template_arguments(scope, definition)
    parent = scope.library.semantic_parent(definition)
    while parent.kind in CLASSES or parent.kind in CLASS_TEMPLATES:
        shown = scope.library.display_name if parent.kind in CLASSES else scope.library.spelling
        name = f"{scope.unit.text(shown(parent))}::{name}"
        parent = scope.library.semantic_parent(parent)
    return _LAMBDA.sub(r"lambda:\g<line>", name)


def _template_arguments(scope: Scope, definition: Cursor) -> str:
    """Return the arguments of an instance; of a method, whose arguments libclang does not give, the lambdas."""
    count = scope.library.function_argument_count(definition)
    texts: list[str] = []
    if count < 0:
        function = scope.unit.type_text(scope.library.type_of(definition))
        texts = [found.group() for found in _LAMBDA.finditer(function)]
    for position in range(max(0, count)):
        kind = scope.library.function_argument_kind(definition, position)
        if kind == TemplateArgumentKind.TYPE:
            texts.append(scope.unit.type_text(scope.library.function_argument_type(definition, position)))
        elif kind == TemplateArgumentKind.INTEGRAL:
            number = scope.library.function_argument_value(definition, position)
            is_true = number == -1 and scope.library.function_argument_bits(definition, position) == 1  # of one bit
            texts.append("1" if is_true else str(number))
    return f"<{', '.join(texts)}>" if texts else ""
