"""What constructors of host code do beyond their text: members with a default, and what a base class holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from msgspec.structs import replace

from ...surface.constructs import construct
from ...surface.nodes import (
    ArrayT,
    Assign,
    Block,
    Call,
    Cast,
    CType,
    Declare,
    Evaluate,
    Expression,
    FieldT,
    Function,
    FunctionKind,
    InitializerList,
    Member,
    Name,
    OpaqueExpression,
    PointerT,
    Return,
    Statement,
    Storage,
    StructT,
    Unary,
    UnknownT,
    Variable,
)
from ...surface.objects.constructions import BASE, OBJECT, has_array
from ...surface.objects.elements import for_each_element, initialised
from ...surface.types import type_of, zero_of
from ..binding import Cursor, Type
from ..kinds import ARRAY_TYPES, CLASS_TEMPLATES, CursorKind
from ..scope import Scope
from ..types import innermost_element

_BASE = CursorKind.CXX_BASE_SPECIFIER
_WHOLE_ARRAYS = frozenset({CursorKind.INIT_LIST_EXPR, CursorKind.STRING_LITERAL})


def initial_object(scope: Scope, constructor: Cursor, kind: StructT) -> Expression:
    """Return an object that the compiler constructs: its members with a default, nothing where none has one.

    Where base classes or arrays of objects have constructors, a function of their own runs these.
    """
    owner = scope.library.semantic_parent(constructor)
    if _runs_constructors(scope, owner):
        return _generated_object(scope, owner, kind)
    given = dict(_defaults(scope, constructor))
    if not given:
        return InitializerList(kind, (), scope.span)
    return InitializerList(
        kind, tuple(given.get(field.name) or _open(scope, field) for field in kind.fields), scope.span
    )


def _runs_constructors(scope: Scope, owner: Cursor) -> bool:
    """Return whether a base class of a class without a constructor, or the elements of an array in it, has one."""
    for base in bases_of(scope, owner):
        made = _made_by_default(scope, base, scope.types.read(scope.library.type_of(base)))
        if isinstance(made, Call) and made.function != made.name:
            return True
    calls = (value for _, value in _defaults_of(scope, owner) if isinstance(value, Call))
    return any(has_array(call.type) for call in calls) or any(True for _ in _arrays_of_objects(scope, owner))


def _generated_object(scope: Scope, owner: Cursor, kind: StructT, *, clears: bool = False) -> Call:
    """Return the call of the constructor that the compiler makes of a class, which is lowered once.

    One that ``clears`` is that of ``T()``, which gives members zero before they are constructed.
    """
    key = f"{scope.unit.text(scope.library.usr(owner))} constructed{' from zeros' if clears else ''}"
    if key not in scope.generated:
        scope.generated[key] = _generated(scope, owner, key, kind, clears=clears)
    return Call(key, scope.unit.spelling(owner), (), kind, scope.span)


def _generated(scope: Scope, owner: Cursor, key: str, kind: StructT, *, clears: bool) -> Function:
    """Return the constructor that the compiler makes of a class: of its base classes, then of its members."""
    this, span = scope.this, scope.span
    made = Variable(OBJECT, kind, Storage.LOCAL, span)
    scope.this = Variable("this", PointerT(kind), Storage.LOCAL, span)
    body = (
        Declare(made, None, span),
        Declare(scope.this, Unary("&", Name(made, span), span), span),
        *(_zeros(scope, made, kind) if clears else ()),
        *default_bases(scope, owner, made, ()),
        *default_members(scope, owner, made, frozenset()),
        Return(Name(made, span), span),
    )
    scope.this, scope.span = this, span
    return Function(
        key=key,
        name=scope.unit.spelling(owner),
        parameters=(),
        result=kind,
        body=Block(body, span),
        kind=FunctionKind.HOST,
        span=span,
        listed=False,
        is_static=True,
    )


def _zeros(scope: Scope, made: Variable, kind: StructT) -> Iterator[Statement]:
    """Yield what gives the members of an object zeros; arrays are left to what constructs their elements."""
    for field in kind.fields:
        zero = None if has_array(field.type) else zero_of(field.type, scope.span)
        if zero is not None:
            yield _assigned(scope, Member(Name(made, scope.span), field.name, scope.span), zero)


def initial_element(scope: Scope, owner: Cursor, kind: CType) -> Expression | None:
    """Return what each element of new memory gets that is given no value, by the declaration of its class.

    None where that is nothing, or holds containers or pointers.
    """
    zero = zero_of(kind, scope.span)
    made = _made_by_default(scope, owner, kind) if zero is not None and isinstance(kind, StructT) else None
    if isinstance(made, Call) and isinstance(kind, StructT) and made.function in scope.generated:
        return _generated_object(scope, owner, kind, clears=True)
    if not isinstance(made, InitializerList):
        return made or zero
    return replace(made, items=tuple(_cleared(scope, item) for item in made.items), clears=True)


def _cleared(scope: Scope, item: Expression) -> Expression:
    """Return zero in place of a value that is left open."""
    if isinstance(item, InitializerList) and not item.items:
        return item if isinstance(item.type, ArrayT) else zero_of(item.type, scope.span) or item
    return item


def _open(scope: Scope, field: FieldT) -> Expression:
    """Return what stands for a member that nothing initialises."""
    if scope.on_host:
        return OpaqueExpression(construct("not-initialised"), (), field.type, scope.span)
    return InitializerList(field.type, (), scope.span)


def default_bases(scope: Scope, owner: Cursor, made: Variable, given: Sequence[CType]) -> list[Statement]:
    """Return the construction by default of base classes that a constructor of a class does not name.

    One that names a constructor of its own class leaves them to that.
    """
    found: list[Statement] = []
    for base in bases_of(scope, owner) if made.type not in given else ():
        kind = scope.types.read(scope.library.type_of(base))
        value = None if kind in given else _made_by_default(scope, base, kind)
        if isinstance(value, Call) and isinstance(kind, StructT):
            found += base_members(scope, made, value)
    return found


def default_members(scope: Scope, owner: Cursor, made: Variable, named: Set[str]) -> list[Statement]:
    """Return assignments of the defaults of members that the constructor itself does not name."""
    found = [
        initialised(target, type_of(target), value)
        for name, value in _defaults_of(scope, owner)
        if name not in named
        for target in (Member(Name(made, scope.span), name, scope.span),)
    ]
    return [*found, *_constructed_arrays(scope, owner, made, named)]


def _constructed_arrays(scope: Scope, owner: Cursor, made: Variable, named: Set[str]) -> Iterator[Statement]:
    """Yield the loops that construct members that are arrays of objects, by the default constructor of their class."""
    for field, value in _arrays_of_objects(scope, owner):
        kind, name = scope.types.read(scope.library.type_of(field)), scope.unit.spelling(field)
        if name not in named:
            yield for_each_element(Member(Name(made, scope.span), name, scope.span), kind, value)


def _arrays_of_objects(scope: Scope, owner: Cursor) -> Iterator[tuple[Cursor, Call]]:
    """Yield the members that are arrays of objects which a constructor makes, with its call."""
    library = scope.library
    for field in scope.unit.fields(library.canonical_type(library.type_of(owner))):
        kind = library.canonical_type(library.type_of(field))
        if kind.kind not in ARRAY_TYPES:
            continue
        children = scope.unit.behind_name(field)  # the length is among them
        if children and scope.unit.stripped(children[-1]).kind in _WHOLE_ARRAYS:
            continue
        element = innermost_element(library, kind)
        value = made_element(scope, library.declaration(element), scope.types.read(element))
        if value is not None:
            yield field, value


def made_element(scope: Scope, owner: Cursor, kind: CType) -> Call | None:
    """Return the construction of an element of an array by default, also of members with a default alone."""
    made = _made_by_default(scope, owner, kind)
    if isinstance(made, InitializerList) and isinstance(kind, StructT):
        return _generated_object(scope, owner, kind)
    return made if isinstance(made, Call) and isinstance(made.type, StructT) else None


def constructed_elements(scope: Scope, declared: Type, kind: ArrayT) -> Call | None:
    """Return the construction of the elements of ``T a[n]{}``, where T has a constructor."""
    if scope.on_host or scope.library.canonical_type(declared).kind not in ARRAY_TYPES:
        return None
    element = innermost_element(scope.library, declared)
    value = initial_element(scope, scope.library.declaration(element), scope.types.read(element))
    return replace(value, type=kind, for_each=True) if isinstance(value, Call) else None


def is_inherited(scope: Scope, constructor: Cursor) -> bool:
    """Return whether ``using Base::Base`` makes a constructor one of the class: it has the name of the base class."""
    owner = scope.library.semantic_parent(constructor)
    return _class_name(scope.unit.spelling(constructor)) != _class_name(scope.unit.spelling(owner))


def inherited_construction(scope: Scope, constructor: Cursor, parameters: Sequence[Variable]) -> Expression:
    """Return the call of the constructor of a base class that stands for one that is inherited.

    It has no body where it is none of a direct base class; one of an instance of a template is noted, to be named.
    """
    name, wanted = scope.unit.spelling(constructor), type_text(scope, constructor)
    arguments = tuple(Name(parameter, scope.span) for parameter in parameters)
    kind: CType = UnknownT(name)
    for base in bases_of(scope, scope.library.semantic_parent(constructor)):
        if _class_name(scope.unit.spelling(base)) != _class_name(name):
            continue
        kind = scope.types.read(scope.library.type_of(base))
        named = (member for _, member in scope.instances.get(scope.library.definition(base).identity, ()))
        for child in (*scope.unit.children(base), *named):
            key = scope.function_key(child) if child.kind == CursorKind.CONSTRUCTOR else None
            if key is not None and type_text(scope, child) == wanted:
                return Call(key, name, arguments, kind, scope.span)
        if scope.library.template_of(base).kind in CLASS_TEMPLATES:
            instance = scope.unit.type_text(scope.library.canonical_type(scope.library.type_of(base)))
            scope.types.overriding.add((instance, (_class_name(name),)))
    return Call(name, name, arguments, kind, scope.span)


def bases_of(scope: Scope, owner: Cursor) -> list[Cursor]:
    """Return the direct base classes of a class; of an instance those that no argument of the template changes."""
    library = scope.library
    named = scope.types.bases.get(library.definition(owner).identity)
    if named is None:
        template = library.template_of(owner)
        written = [child for child in scope.unit.children(owner) if child.kind == _BASE]
        if not written and template.kind in CLASS_TEMPLATES:
            pattern = library.definition(template)
            written = [child for child in scope.unit.children(pattern) if child.kind == _BASE]
            written = [each for each in written if library.size_bytes(library.type_of(each)) > 0]
        named = [library.type_of(child) for child in written]
    return [library.declaration(library.canonical_type(kind)) for kind in named]


def type_text(scope: Scope, function: Cursor) -> str:
    """Return the type of a function, with what typedefs in it stand for."""
    return scope.unit.type_text(scope.library.canonical_type(scope.library.type_of(function)))


def _class_name(name: str) -> str:
    """Return a name without the arguments of its template."""
    return name.partition("<")[0]


def base_members(scope: Scope, made: Variable, value: Expression) -> list[Statement]:
    """Return the members that a base class has after its construction; another constructor of the class sets all.

    Containers are moved, as those of the base class are the object's own; arrays stay where they are made.
    """
    kind = type_of(value)
    if isinstance(kind, ArrayT | PointerT) and scope.types.held_by(made.type) is not None:
        return [_assigned(scope, scope.as_container(Name(made, scope.span)), value)]
    if not isinstance(kind, StructT) or (not scope.on_host and any(has_array(field.type) for field in kind.fields)):
        return [Evaluate(value, scope.span)]
    if kind == made.type:
        return [_assigned(scope, Name(made, scope.span), value)]
    base = Variable(BASE, kind, Storage.LOCAL, scope.span)
    copies = []
    for field in kind.fields:
        held = Member(Name(base, scope.span), field.name, scope.span)
        moved = Cast(field.type, held, scope.span) if isinstance(field.type, PointerT) and field.type.owns else held
        copies.append(_assigned(scope, Member(Name(made, scope.span), field.name, scope.span), moved))
    return [Declare(base, value, scope.span), *copies]


def _assigned(scope: Scope, target: Expression, value: Expression) -> Statement:
    return Evaluate(Assign("", target, value, scope.span), scope.span)


def _defaults(scope: Scope, constructor: Cursor) -> Iterator[tuple[str, Expression]]:
    """Yield members of the class of a constructor that have a value without being named in it."""
    yield from _defaults_of(scope, scope.library.semantic_parent(constructor))


def _defaults_of(scope: Scope, owner: Cursor) -> Iterator[tuple[str, Expression]]:
    """Yield members of a class that are initialised where they are declared, or by a default constructor of theirs."""
    library = scope.library
    for field in scope.unit.fields(library.canonical_type(library.type_of(owner))):
        if library.is_bit_field(field):
            continue
        children = scope.unit.behind_name(field)
        kind = library.canonical_type(library.type_of(field))
        is_array = kind.kind in ARRAY_TYPES
        if children and (not is_array or scope.unit.stripped(children[-1]).kind in _WHOLE_ARRAYS):
            yield scope.unit.spelling(field), scope.expression(children[-1])
        elif not children and not scope.on_host:
            made = _made_by_default(scope, library.declaration(kind), scope.types.read(kind))
            if made is not None:
                yield scope.unit.spelling(field), made


def written_defaults(scope: Scope, owner: Cursor) -> dict[str, Expression]:
    """Return the values that a class writes behind its members, by their names; none of arrays."""
    library = scope.library
    found = {}
    for field in scope.unit.fields(library.canonical_type(library.type_of(owner))):
        children = scope.unit.behind_name(field)
        is_array = library.canonical_type(library.type_of(field)).kind in ARRAY_TYPES
        if children and not is_array and not library.is_bit_field(field):
            found[scope.unit.spelling(field)] = scope.expression(children[-1])
    return found


def _is_default_of_compiler(scope: Scope, constructor: Cursor) -> bool:
    """Return whether a class says ``T() = default;``, which is as if it named no constructor."""
    return scope.library.argument_count(constructor) == 0 and bool(scope.library.is_defaulted_method(constructor))


def _constructors(scope: Scope, owner: Cursor) -> list[Cursor]:
    """Return the constructors of a class; one by default of an instance is noted where nothing names it."""
    named = (member for _, member in scope.instances.get(scope.library.definition(owner).identity, ()))
    own = [child for child in (*named, *scope.unit.children(owner)) if child.kind == CursorKind.CONSTRUCTOR]
    template = scope.library.template_of(owner)
    kind = scope.library.type_of(owner)
    if own or template.kind not in CLASS_TEMPLATES or scope.is_in_header(template) or scope.is_nameless(kind):
        return own
    written = scope.unit.children(scope.library.definition(template))
    if any(child.kind == CursorKind.CONSTRUCTOR and _needs_nothing(scope, child) for child in written):
        scope.without_constructor.add(scope.unit.type_text(scope.library.canonical_type(kind)))
    return own


def _needs_nothing(scope: Scope, constructor: Cursor) -> bool:
    """Return whether a constructor of the user needs no arguments."""
    parameters = (child for child in scope.unit.children(constructor) if child.kind == CursorKind.PARM_DECL)
    is_default = _is_default_of_compiler(scope, constructor)
    return not is_default and all(scope.unit.behind_name(parameter) for parameter in parameters)


def _made_by_default(scope: Scope, owner: Cursor, kind: CType) -> Expression | None:
    """Return an object as the default constructor of its class makes it; None where that sets nothing."""
    if isinstance(kind, PointerT) and kind.owns:
        return Call("new", "new", (), kind, scope.span)
    if not isinstance(kind, StructT):
        return None
    constructors = _constructors(scope, owner)
    if any(_is_default_of_compiler(scope, constructor) for constructor in constructors):
        constructors = []
    for constructor in constructors:
        count = scope.library.argument_count(constructor)
        written = [scope.unit.behind_name(scope.library.argument(constructor, number)) for number in range(count)]
        key = scope.function_key(constructor) if all(written) else None
        if key is not None:
            arguments = tuple(scope.expression(operands[-1]) for operands in written)
            return Call(key, scope.unit.spelling(constructor), arguments, kind, scope.span)
    if (
        not constructors
        and scope.library.template_of(owner).kind not in CLASS_TEMPLATES
        and _runs_constructors(scope, owner)
    ):
        return _generated_object(scope, owner, kind)
    given = {} if constructors else dict(_defaults_of(scope, owner))
    if not given:
        return None
    members = tuple(given.get(field.name) or _open(scope, field) for field in kind.fields)
    return InitializerList(kind, members, scope.span)
