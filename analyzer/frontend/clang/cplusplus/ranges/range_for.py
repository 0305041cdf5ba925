"""Loops over ranges (``for (auto &x : v)``): clang's cursors -> loops over counters, iterators or nodes."""

from __future__ import annotations

from collections.abc import Mapping

from .....ir.types import ElementType, ScalarType
from ....surface.constructs import construct
from ....surface.nodes import (
    INT,
    ArrayT,
    Assign,
    Binary,
    Block,
    Break,
    Call,
    Continue,
    CType,
    Declare,
    Expression,
    For,
    Goto,
    Index,
    InitializerList,
    Label,
    Member,
    Name,
    Number,
    OpaqueExpression,
    PointerT,
    ScalarT,
    Statement,
    Storage,
    StructT,
    Unary,
    Variable,
    While,
)
from ....surface.traverse import statements_in
from ...binding import Cursor, Type
from ...kinds import CursorKind
from ...scope import Scope
from ...statements.statements import StatementReader
from ...statements.timed_loops import is_timed_range, timed_loop
from ...types import is_expression, is_reference
from ..operators import equal_members
from ..standard_library import size_of
from .range_loops import note_loop

COUNTER = ScalarT(ElementType(ScalarType.INT64))
_MOST_ITEMS = 16
_NUMBERS = "iota_view"
BOOL = ScalarT(ElementType(ScalarType.BOOL))
_NODES, _ANY = "ai_nodes", "ai_any"  # of our headers
_TREES = frozenset({"list", "forward_list"}).union(
    f"{kind}{name}" for kind in ("", "unordered_") for name in ("map", "multimap", "set", "multiset")
)


def range_for(reader: StatementReader, cursor: Cursor) -> list[Statement]:
    """Lower ``for (auto &x : v)`` to a loop over a counter whose body binds ``x`` to ``v[counter]``."""
    scope = reader.scope
    pragmas = reader.pragmas_of(cursor)
    children = scope.unit.children(cursor)
    sources = [child for child in children[:-1] if is_expression(child)]
    if not sources:
        return reader.opaque(construct("range-for"))
    if is_timed_range(scope, sources[-1]):
        return timed_loop(scope, reader.single(children[-1]), pragmas)
    source = scope.expression(sources[-1])
    kind = scope.types.of(scope.unit.stripped(sources[-1]))
    if scope.types.held_by(kind) is not None:
        source = scope.as_container(source)
        kind = scope.static_type(source)
    if scope.is_nameless(scope.library.type_of(scope.unit.stripped(sources[-1]))):
        note_loop(scope, cursor, children[0], sources[-1], children[-1])
    variable = _item_of_range(scope, children[0])  # before the body, which names it
    body = reader.single(children[-1])
    if variable is None:
        return _unknown_range(scope, (), body, pragmas)
    items = source.items if isinstance(source, InitializerList) and not isinstance(kind, StructT) else ()
    if 0 < len(items) <= _MOST_ITEMS and not _jumps(body):
        return _for_each_item(scope, variable, items, body)
    over: list[Statement] = []
    if isinstance(kind, StructT) and _library_class(scope, sources[-1]) == _NUMBERS:
        return _for_numbers(scope, source, variable, body, pragmas)
    if isinstance(kind, StructT):
        over = _for_nodes(scope, sources[-1], source, variable, body, pragmas)
        over = over or _for_iterators(scope, sources[-1], source, variable, body, pragmas)
    if over:
        return over
    if not isinstance(kind, ArrayT | PointerT):
        return _unknown_range(scope, (Declare(variable, None, scope.span),), body, pragmas)
    counter = Variable(f"{variable.name}_index", COUNTER, Storage.LOCAL, scope.span)
    here = Name(counter, scope.span)
    made, source = _made_once(scope, sources[-1], source, kind)
    bound = Declare(variable, Index(source, here, scope.span), scope.span)
    return [
        *made,
        For(
            initial=Declare(counter, Number(0, COUNTER, scope.span), scope.span),
            condition=Binary("<", here, size_of(scope, source, kind, COUNTER), scope.span),
            advance=Unary("++x", here, scope.span),
            body=Block((bound, *_unwrapped(body)), body.span),
            span=scope.span,
            pragmas=pragmas,
        ),
    ]


def _made_once(
    scope: Scope, range_: Cursor, source: Expression, kind: CType
) -> tuple[tuple[Statement, ...], Expression]:
    """Return the declaration of a range that a call with a body gives, and its name: it runs once, before the loop."""
    callee = scope.library.referenced(scope.unit.stripped(range_))
    call = source.operand if isinstance(source, Unary) and source.operator == "*" else source
    if not isinstance(call, Call) or scope.function_key(callee) is None:
        return (), source
    refers = is_reference(scope.library, scope.library.result_type(scope.library.type_of(callee)))
    held = Variable("range", kind, Storage.LOCAL, scope.span, reference=refers)
    return (Declare(held, source, scope.span),), Name(held, scope.span)


def _item_of_range(scope: Scope, declaration: Cursor) -> Variable | None:
    """Return the variable of a range-for, that of ``auto &[x, y]`` without a name; None where it is not understood."""
    if declaration.kind == CursorKind.VAR_DECL:
        return scope.variable(declaration)
    return decomposed(scope, declaration) if declaration.kind == CursorKind.UNEXPOSED_DECL else None


def _unknown_range(
    scope: Scope, opening: tuple[Statement, ...], body: Statement, pragmas: tuple[str, ...]
) -> list[Statement]:
    """Return the loop over a range that is not understood: how often it runs is not known."""
    unknown = OpaqueExpression(construct("end-of-the-range"), (), BOOL, scope.span)
    return [While(unknown, Block((*opening, body), body.span), False, scope.span, pragmas)]


def _jumps(body: Statement) -> bool:
    return any(isinstance(node, Break | Continue | Goto | Label) for node in statements_in(body))


def _for_each_item(scope: Scope, variable: Variable, items: tuple[Expression, ...], body: Statement) -> list[Statement]:
    """Lower ``for (x : {a, b, c})``: the body once for each value."""
    return [Block((Declare(variable, item, scope.span), *_unwrapped(body)), body.span) for item in items]


def _for_nodes(
    scope: Scope, owner: Cursor, source: Expression, variable: Variable, body: Statement, pragmas: tuple[str, ...]
) -> list[Statement]:
    """Lower a loop over a tree of keys of the library: nodes anywhere in its memory, of a number that data decide."""
    if _library_class(scope, owner) not in _TREES:
        return []
    nodes = PointerT(variable.type)
    node = Variable(f"{variable.name}_node", nodes, Storage.LOCAL, scope.span)
    some = Call(_ANY, _ANY, (), COUNTER, scope.span)
    here = Name(node, scope.span)
    bound = Declare(variable, Unary("*", here, scope.span), scope.span)
    loop = For(
        initial=Declare(node, Member(source, _NODES, scope.span), scope.span),
        condition=Binary("!=", some, Number(0, COUNTER, scope.span), scope.span),
        advance=Assign("+", here, some, scope.span),
        body=Block((bound, *_unwrapped(body)), body.span),
        span=scope.span,
        pragmas=pragmas,
    )
    return [loop]


def _library_class(scope: Scope, owner: Cursor) -> str:
    """Return the name of the standard class of a range; "" of one of the program."""
    kind = scope.library.canonical_type(scope.library.type_of(scope.unit.stripped(owner)))
    declaration = scope.library.declaration(kind)
    return scope.unit.spelling(declaration) if scope.types.is_standard(declaration) else ""


def _for_numbers(
    scope: Scope, source: Expression, variable: Variable, body: Statement, pragmas: tuple[str, ...]
) -> list[Statement]:
    """Lower a loop over consecutive integers, which are no elements of anything."""
    held = Variable(f"{variable.name}_range", scope.static_type(source), Storage.LOCAL, scope.span, reference=True)
    counter = Variable(f"{variable.name}_counter", variable.type, Storage.LOCAL, scope.span)
    first, last = (Member(Name(held, scope.span), name, scope.span) for name in ("first", "last"))
    here = Name(counter, scope.span)
    loop = For(
        initial=Declare(counter, first, scope.span),
        condition=Binary("<", here, last, scope.span),
        advance=Unary("++x", here, scope.span),
        body=Block((Declare(variable, here, scope.span), *_unwrapped(body)), body.span),
        span=scope.span,
        pragmas=pragmas,
    )
    return [Declare(held, source, scope.span), loop]


def _for_iterators(
    scope: Scope, owner: Cursor, source: Expression, variable: Variable, body: Statement, pragmas: tuple[str, ...]
) -> list[Statement]:
    """Lower a loop over an object of a class with ``begin()`` and ``end()``; nothing where these are not known."""
    methods = scope.methods_of(scope.library.type_of(scope.unit.stripped(owner)))
    held = Variable(f"{variable.name}_range", scope.static_type(source), Storage.LOCAL, scope.span, reference=True)
    ends: list[Variable] = []
    opening: list[Statement] = [Declare(held, source, scope.span)]
    for name in ("begin", "end"):
        value = _called(scope, methods, name, Name(held, scope.span))
        if value is None:
            return []
        ends.append(Variable(f"{variable.name}_{name}", scope.static_type(value), Storage.LOCAL, scope.span))
        opening.append(Declare(ends[-1], value, scope.span))
    first, last = (Name(end, scope.span) for end in ends)
    if isinstance(ends[0].type, PointerT):
        steps: tuple[Expression | None, ...] = (
            Binary("!=", first, last, scope.span),
            Unary("++x", first, scope.span),
            Unary("*", first, scope.span),
        )
    else:
        steps = _steps(scope, scope.library.result_type(scope.library.type_of(methods["begin"])), first, last)
    condition, advance, item = steps
    if condition is None or advance is None or item is None:
        return []
    bound = Declare(variable, item, scope.span)
    loop = For(
        initial=None,
        condition=condition,
        advance=advance,
        body=Block((bound, *_unwrapped(body)), body.span),
        span=scope.span,
        pragmas=pragmas,
    )
    return [*opening, loop]


def _called(
    scope: Scope, methods: Mapping[str, Cursor], name: str, owner: Name, *given: Expression
) -> Expression | None:
    method = methods.get(name)
    key = None if method is None else scope.function_key(method)
    if method is None or key is None:
        return None
    is_free = method.kind == CursorKind.FUNCTION_DECL
    return scope.call(key, name, (owner if is_free else scope.address(owner), *given), method)


def _steps(scope: Scope, kind: Type, first: Name, last: Name) -> tuple[Expression | None, ...]:
    """Return the test, the step and the element of an iterator of a class."""
    methods = scope.methods_of(kind)
    condition = _called(scope, methods, "operator!=", first, last)
    if condition is None and "operator==" in methods:
        is_made = scope.library.is_defaulted_method(methods["operator=="])
        equal = equal_members(scope, first, last) if is_made else _called(scope, methods, "operator==", first, last)
        condition = None if equal is None else _negated(scope, equal)
    return condition, _called(scope, methods, "operator++", first), _called(scope, methods, "operator*", first)


def _negated(scope: Scope, condition: Expression) -> Expression:
    if isinstance(condition, Binary) and condition.operator == "==":
        return Binary("!=", condition.left, condition.right, scope.span)
    return Unary("!", condition, scope.span)


def _unwrapped(body: Statement) -> tuple[Statement, ...]:
    return body.statements if isinstance(body, Block) else (body,)


def decomposed(scope: Scope, cursor: Cursor) -> Variable | None:
    """Return the variable without a name whose members the names of a structured binding stand for, if all have one."""
    names = [child for child in scope.unit.children(cursor) if child.kind == CursorKind.UNEXPOSED_DECL]
    kind = scope.types.of(cursor)
    if not isinstance(kind, StructT | ArrayT) or (isinstance(kind, StructT) and len(kind.fields) != len(names)):
        return None
    reference = is_reference(scope.library, scope.library.type_of(cursor))
    bound = Variable("bound", kind, Storage.LOCAL, scope.span, reference)
    here = Name(bound, scope.span)
    for position, name in enumerate(names):
        number = Number(position, INT, scope.span)
        part: Expression = Index(here, number, scope.span)
        if isinstance(kind, StructT):
            field = kind.fields[position]
            part = Member(here, field.name, scope.span)
            part = Unary("*", part, scope.span) if field.reference else part
        scope.bindings[name.identity] = part
    return bound
