"""Calls: by key where the body is known, by name where it is not.

A function that returns a reference returns an address here, and its calls are dereferenced: that makes ``a(i, j) = 0``
and ``domain.x(i) += 1`` ordinary objects.  Methods get the address of their object as first argument.
"""

from __future__ import annotations

from msgspec.structs import replace

from ...ir.types import ElementType, ScalarType, TypeClass
from ..known_functions import table
from ..surface.constants import constant_integer
from ..surface.constructs import construct
from ..surface.nodes import (
    BOOKKEEPING,
    COPY,
    EACH,
    FILL,
    INT,
    LIST,
    MADE,
    VIEW,
    ArrayT,
    Assign,
    Binary,
    Call,
    Cast,
    Comma,
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
    UnknownT,
)
from ..surface.types import CHAR, innermost, zero_of
from .binding import Cursor
from .cplusplus.bookkeeping import bookkeeping
from .cplusplus.classes import initial_element, initial_object, made_element
from .cplusplus.closures import as_pointer, function_object, value_of_closure
from .cplusplus.destructors import deleted
from .cplusplus.member_pointers import call_of_method, is_access
from .cplusplus.new_types import operands_of_new
from .cplusplus.operators import lower_operator
from .cplusplus.standard_library import size_of, standard_function, standard_method
from .cplusplus.texts import made_text
from .cplusplus.virtual_methods import method_call
from .cuda import converted, intrinsic, launched_by_call, lower_launch
from .expressions import generic_choice, member_base
from .kinds import ARRAY_TYPES, CursorKind, UnaryOperator
from .scope import Handler, Scope
from .types import innermost_element, is_expression, is_function_object

_FUNCTION, _CONVERSION, _MEMBER = CursorKind.FUNCTION_DECL, CursorKind.CONVERSION_FUNCTION, CursorKind.MEMBER_REF_EXPR
_CONSTRUCTOR, _DEFAULT = CursorKind.CONSTRUCTOR, CursorKind.UNEXPOSED_EXPR
_UNARY = CursorKind.UNARY_OPERATOR
_OF_FUNCTIONS = (UnaryOperator.ADDRESS_OF, UnaryOperator.DEREFERENCE)
_CALLABLE = frozenset({_FUNCTION, CursorKind.CXX_METHOD, _CONVERSION})
_TRANSPARENT = frozenset({"__builtin_expect", "__builtin_assume_aligned", "__builtin_expect_with_probability"})
_PREFIXES = ("__builtin_", "__tg_")
_VALUES = frozenset({"inff", "inf", "nanf", "nan", "huge_val", "huge_valf"})
_NEW, _VALARRAY, _RESIZE = "new", "valarray", "resize"
_ADDRESS = PointerT(ScalarT(ElementType(ScalarType.VOID)))
_LONGEST_LIST = 1024  # elements of an array that a list gives values
_SMALL = (ScalarType.FP16, ScalarType.BF16)


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
    arguments = _as_taken(scope, callee, arguments)
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


def _as_taken(scope: Scope, callee: Cursor, arguments: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """Return arguments for a function without a body: containers that it cannot change are values, not objects.

    A number or an object that it may change by a reference is ``*&x``.
    """
    taken = []
    for position, argument in enumerate(arguments):
        kind = scope.static_type(argument)
        is_object = isinstance(kind, StructT) or (isinstance(kind, PointerT) and kind.owns)
        if is_object and scope.takes_constant(callee, position):
            argument = Cast(kind, argument, scope.span)
        elif isinstance(kind, ScalarT | StructT) and scope.takes_reference(callee, position):
            argument = Unary("*", scope.address(argument), scope.span)
        taken.append(argument)
    return tuple(taken)


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
    arguments = arguments if key is not None else _as_taken(scope, callee, arguments)
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
            value = _initial_element(scope, objects[0], container)
            return () if value is None else (Call(EACH, EACH, (value,), element, scope.span),)
        case _:
            return ()


def _names_class(scope: Scope, called: Cursor, method: Cursor) -> bool:
    """Return whether a call of a virtual method names a class, as a parameter of a template has it: ``P::area(v)``."""
    if not scope.library.is_virtual_method(method):
        return False
    return scope.unit.source_of(called).removesuffix(scope.unit.spelling(method)).rstrip().endswith("::")


def _is_of_reference(scope: Scope, conversion: Cursor) -> bool:
    """Return whether what ``std::ref`` and ``std::cref`` give becomes the object that it refers to."""
    owner = scope.library.semantic_parent(conversion)
    return scope.unit.spelling(owner) == "reference_wrapper" and scope.types.is_standard(owner)


def arguments_of(scope: Scope, cursor: Cursor, callee: Cursor) -> tuple[Expression, ...]:
    """Return the arguments of a call in order, with those that default."""
    given = scope.unit.arguments(cursor)
    return tuple(_argument(scope, argument, callee, position) for position, argument in enumerate(given))


def _argument(scope: Scope, argument: Cursor, callee: Cursor, position: int) -> Expression:
    inner = scope.unit.stripped(argument)
    if inner.kind == _DEFAULT and not scope.unit.children(inner):
        value = scope.unit.evaluate(inner)
        kind = scope.types.of(inner)
        if value is not None and isinstance(kind, ScalarT):
            return Number(value, kind, scope.span)
        parameter = scope.library.argument(callee, position)
        written = scope.unit.operands(parameter)
        if written:
            return scope.expression(written[-1])
    return scope.expression(inner)


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


# --- construction and allocation -----------------------------------------------------------------------------------


def lower_construction(scope: Scope, cursor: Cursor, callee: Cursor) -> Expression:
    """Lower ``T(a, b)``: a complex number, memory of a container, a copy, or a call of the constructor's body."""
    kind = scope.types.of(cursor)
    arguments = arguments_of(scope, cursor, callee)
    if isinstance(kind, ScalarT):
        return _scalar_of(scope, kind, arguments)
    if isinstance(kind, PointerT):
        is_copy = len(arguments) == 1 and not kind.owns and scope.takes_own_type(callee)
        if is_copy:
            return arguments[0]
        if arguments and is_function_object(kind):
            return function_object(scope, callee, arguments, kind)
        if scope.unit.spelling(callee) == _VALARRAY and len(arguments) == 2:
            return _valarray_of(scope, kind, arguments)
        return _container_of(scope, cursor, kind, arguments)
    key = scope.function_key(callee)
    if key is None and len(arguments) == 1 and scope.takes_own_type(callee):
        return arguments[0]
    is_array = isinstance(kind, ArrayT)
    if key is not None:
        return Call(key, scope.unit.spelling(callee), arguments, kind, scope.span, for_each=is_array)
    name = scope.unit.spelling(callee)
    key = scope.linked_key(callee, name)
    if arguments and (key != name or not scope.is_in_header(callee)):  # a body in another unit, inherited, or nowhere
        return Call(key, name, _as_taken(scope, callee, arguments), kind, scope.span, for_each=is_array)
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
        return Call(_NEW, _NEW, (), kind, scope.span)
    first = arguments[0]
    types = [scope.static_type(argument) for argument in arguments[:2]]
    if kind.owns and len(types) == 2 and all(isinstance(each, PointerT | ArrayT) for each in types):
        number = Binary("-", arguments[1], first, scope.span)
        return Call(COPY, COPY, (first, number), kind, scope.span)
    is_made_here = kind.owns and not scope.on_host
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
    if is_pointer_like(first) or (kind.owns and isinstance(types[0], PointerT)):
        return first
    if isinstance(first, InitializerList) and kind.owns and not scope.on_host:
        return Call(LIST, LIST, first.items, kind, scope.span)
    if isinstance(first, InitializerList) and (kind.owns or len(arguments) == 1):  # an allocator may come last
        return InitializerList(kind, first.items, scope.span)
    if kind.owns and len(arguments) > 1 and not scope.on_host and is_of(scope, arguments[1], kind.target):
        return Call(FILL, FILL, arguments[:2], kind, scope.span)
    if scope.on_host:
        return Call(_NEW, _NEW, arguments[:2], kind, scope.span)
    value = _initial_element(scope, cursor, kind) if kind.owns else None
    return _elements(scope, kind, first, value)


def _takes_list(scope: Scope, construction: Cursor) -> bool:
    """Return whether a container is made of the elements of a ``std::initializer_list``."""
    taken = scope.library.type_of(scope.library.argument(scope.library.referenced(construction), 0))
    return scope.unit.spelling(scope.library.declaration(scope.library.canonical_type(taken))) == "initializer_list"


def _initial_element(scope: Scope, container: Cursor, kind: PointerT) -> Expression | None:
    """Return the value that elements of a container start with; None where that is nothing that counts."""
    if kind.target == CHAR:
        return None
    owner = scope.library.canonical_type(scope.library.type_of(container))
    argument = scope.library.canonical_type(scope.library.template_argument(owner, 0))
    return initial_element(scope, scope.library.declaration(argument), kind.target)


def _elements(scope: Scope, kind: CType, number: Expression, value: Expression | None) -> Expression:
    """Return memory of so many elements, each with a value that is computed for it."""
    if value is None:
        return Call(_NEW, _NEW, (number,), kind, scope.span)
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


def is_of(scope: Scope, value: Expression, kind: CType) -> bool:
    """Return whether a value may be an element of a container: of its type, or a number for a number."""
    given = scope.static_type(value)
    return given == kind or (isinstance(given, ScalarT) and isinstance(kind, ScalarT))


def is_pointer_like(expression: Expression) -> bool:
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


def _new(scope: Scope, cursor: Cursor) -> Expression:
    children = operands_of_new(scope, cursor)
    if scope.follows_host and children and isinstance(scope.types.of(children[-1]), StructT):
        return Call(_NEW, _NEW, (scope.expression(children[-1]),), scope.types.of(cursor), scope.span)
    made = scope.expression(children[0]) if len(children) == 1 and _is_object(scope, children[0]) else None
    if isinstance(made, InitializerList) and not made.items and scope.unit.source_of(cursor).endswith((")", "}")):
        made = replace(made, clears=True)
    is_open = isinstance(made, InitializerList) and not made.items and not made.clears
    if isinstance(made, Call | InitializerList) and not (is_open and _has_members(made.type)):
        return Call(MADE, MADE, (made,), scope.types.of(cursor), scope.span)
    if children and scope.types.of(children[0]) == _ADDRESS:
        return _placed(scope, cursor, children[0], children[1:])
    if len(children) > 1 and not scope.follows_host and isinstance(scope.types.of(children[-1]), ArrayT):
        return _new_array(scope, cursor, *children[-2:])
    values = tuple(scope.expression(child) for child in children if isinstance(scope.types.of(child), ScalarT))
    return Call(_NEW, _NEW, values[:1], scope.types.of(cursor), scope.span)


def _has_body(scope: Scope, value: Expression) -> bool:
    """Return whether a constructor of the user makes an object, not one that the compiler makes."""
    return isinstance(value, Call) and value.function not in scope.generated


def _new_array(scope: Scope, cursor: Cursor, number: Cursor, initial: Cursor) -> Expression:
    """Lower ``new T[n]{a, b}``, ``new T[n]()`` and ``new T[n]`` of objects with a constructor."""
    kind, count = scope.types.of(cursor), scope.expression(number)
    target = kind.target if isinstance(kind, PointerT) else UnknownT("")
    inner = scope.unit.stripped(initial)
    listed = scope.unit.operands(inner) if inner.kind == CursorKind.INIT_LIST_EXPR else []
    if not listed:
        element = scope.library.canonical_type(scope.library.pointee(scope.library.type_of(cursor)))
        value = initial_element(scope, scope.library.declaration(element), target)
        constructor = scope.library.referenced(inner)
        is_plain = inner.kind == CursorKind.CALL_EXPR and not scope.unit.source_of(cursor).endswith((")", "}"))
        takes_default = value is None or (is_plain and not _has_body(scope, value))
        if takes_default and constructor.kind == _CONSTRUCTOR:  # also of an instance of a template
            made = lower_construction(scope, inner, constructor)
            value = replace(made, type=target) if isinstance(made, Call) else value
        return _elements(scope, kind, count, None if is_plain and not isinstance(value, Call) else value)
    length, zero = constant_integer(count), zero_of(target, scope.span)
    rest = 0 if length is None else length - len(listed)
    if length is None or (rest and zero is None) or length > _LONGEST_LIST:
        return scope.opaque(cursor, construct("initializer"))
    items = (*map(scope.expression, listed), *((zero,) * rest if zero is not None else ()))
    return Call(LIST, LIST, items, kind, scope.span)


def _placed(scope: Scope, cursor: Cursor, position: Cursor, others: list[Cursor]) -> Expression:
    """Lower ``new (position) T(...)``: its object is stored where it says."""
    kind = scope.types.of(cursor)
    here = Cast(kind, scope.expression(position), scope.span)
    if not others:
        return here
    target, given = kind.target if isinstance(kind, PointerT) else None, scope.types.of(others[0])
    if len(others) > 1 or (isinstance(target, StructT) and not isinstance(given, StructT)):  # an array of objects
        return scope.opaque(cursor, construct("operator-not-modelled"))
    if given != target:  # the number of elements of an array
        return here
    stored = Assign("", Unary("*", here, scope.span), scope.expression(others[0]), scope.span)
    return Comma(stored, here, scope.span)


def _is_object(scope: Scope, initial: Cursor) -> bool:
    """Return whether ``new`` makes one object of a class, by a constructor or a list, or one container."""
    kind = scope.types.of(initial)
    return isinstance(kind, StructT) or (isinstance(kind, PointerT) and kind.owns)


def _has_members(kind: CType) -> bool:
    return not isinstance(kind, StructT) or bool(kind.fields)


HANDLERS: dict[int, Handler] = {
    CursorKind.CALL_EXPR: lower_call,
    CursorKind.CXX_NEW_EXPR: _new,
    CursorKind.CXX_DELETE_EXPR: deleted,
}
