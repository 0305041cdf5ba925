"""Virtual methods: the body that runs for an object of each class of the program."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Set

from ...surface.nodes import ArrayT, Call, Expression, Index, Member, Name, PointerT, Storage, StructT, Unary
from ...surface.types import type_of
from ..binding import Cursor
from ..kinds import CLASS_TEMPLATES, CLASSES, CursorKind
from ..scope import Scope
from .classes import bases_of, type_text

_METHOD, _NAMESPACE, _LINKAGE = CursorKind.CXX_METHOD, CursorKind.NAMESPACE, CursorKind.LINKAGE_SPEC
_NOT_KNOWN = "method of an instance"  # is no key of a function: no instance is in this file
Bodies = tuple[tuple[str, str], ...]
_FINAL = CursorKind.CXX_FINAL_ATTR


def bodies_by_class(scope: Scope, method: Cursor, owner: Expression) -> Bodies:
    """Return the classes of the program and the keys of the bodies of a virtual call; none where the source decides it.

    It does for objects that are no references, for what a constructor makes, and for final classes and methods.
    """
    if method.kind != _METHOD or not scope.library.is_virtual_method(method) or _is_exact(owner):
        return ()
    if _is_being_made(scope, owner):
        return ()
    parent = scope.library.definition(scope.library.semantic_parent(method))
    if _is_final(scope, method) or _is_final(scope, parent):
        return ()
    wanted = _signature(scope, method)
    identity = parent.identity
    found: list[tuple[str, str]] = []
    instances = _instances(scope)
    for candidate, family in (*_classes(scope), *((each, _with_bases(scope, each)) for each in instances)):
        if identity in family:
            body = _inherited(scope, candidate, wanted)
            found.append((scope.class_name(candidate), _key(scope, body or method)))  # inherited, where none shows
    known = {scope.library.template_of(each).identity for each in instances}
    templates = ((each, family) for each, family in _templates(scope) if each.identity not in known)
    derived = (each for each, family in templates if identity in family)
    return (*found, *((scope.unit.spelling(template), _NOT_KNOWN) for template in derived))


def classes_of(scope: Scope, cast: Cursor) -> tuple[tuple[str, bool], ...]:
    """Return the classes of the program, and whether an object of each is one of the class that a cast asks for."""
    library = scope.library
    wanted = library.definition(library.declaration(library.pointee(library.canonical_type(library.type_of(cast)))))
    families = (*_classes(scope), *((each, _with_bases(scope, each)) for each in _instances(scope)))
    found = {scope.class_name(candidate): wanted.identity in family for candidate, family in families}
    return tuple({**found, scope.class_name(wanted): True}.items())


def method_call(
    scope: Scope, method: Cursor, name: str, owner: Expression, arguments: tuple[Expression, ...], *, qualified: bool
) -> Expression | None:
    """Return the call of a method for an object, by its own body or the one of the object's class; None without any.

    ``qualified``: the source names the class whose body runs.
    """
    key = scope.function_key(method)
    bodies = () if qualified else bodies_by_class(scope, method, owner)
    if key is None and not bodies:
        return None
    given = (scope.address(owner), *arguments)
    return scope.call(key or scope.linked_key(method, name), name, given, method, bodies)


def _key(scope: Scope, method: Cursor) -> str:
    """Return the key of a method, whose body may be in another file; nothing of one that has no body anywhere."""
    key = scope.function_key(method)
    if key is not None:
        return key
    return "" if scope.library.is_pure_method(method) else scope.linked_key(method, scope.unit.spelling(method))


def _is_exact(owner: Expression) -> bool:
    """Return whether an object is of its static class: a variable, a member, an element, a result by value."""
    match owner:
        case Name(variable=variable):
            return not variable.reference
        case Member(base=base):
            return not isinstance(type_of(base), PointerT)
        case Index(base=base):
            kind = type_of(base)
            return isinstance(kind, ArrayT) or (isinstance(kind, PointerT) and kind.owns)
        case Call(type=StructT()):
            return True
        case _:
            return False


def _is_being_made(scope: Scope, owner: Expression) -> bool:
    """Return True for ``*this`` in a constructor: no class that derives from it is there yet."""
    this = scope.this
    if this is None or this.storage is not Storage.LOCAL or this.constant:  # of a lambda
        return False
    return isinstance(owner, Unary) and owner.operator == "*" and owner.operand == Name(this, owner.operand.span)


def _is_final(scope: Scope, declaration: Cursor) -> bool:
    return any(child.kind == _FINAL for child in scope.unit.children(declaration))


def _signature(scope: Scope, method: Cursor) -> tuple[str, str]:
    return scope.unit.spelling(method), type_text(scope, method)


def _classes(scope: Scope) -> list[tuple[Cursor, Set[int]]]:
    """Return the definitions of classes in the user's files, each with its bases and itself, found once."""
    if scope.families is None:
        scope.families = [(each, _with_bases(scope, each)) for each in _below(scope, scope.unit.cursor)]
    return scope.families


def _templates(scope: Scope) -> list[tuple[Cursor, Set[int]]]:
    """Return the class templates in the user's files that have a base class, each with its bases, found once."""
    if scope.template_families is None:
        found = [(each, _with_bases(scope, each)) for each in _below(scope, scope.unit.cursor, CLASS_TEMPLATES)]
        scope.template_families = [(each, family) for each, family in found if len(family) > 1]
    return scope.template_families


def _instances(scope: Scope) -> list[Cursor]:
    """Return the instances of class templates whose methods the reader's own declarations name."""
    members = (named[0][1] for named in scope.instances.values())
    return [scope.library.definition(scope.library.semantic_parent(member)) for member in members]


def _bases(scope: Scope, owner: Cursor) -> list[Cursor]:
    """Return the direct base classes of a class, of an instance of a template as well."""
    library = scope.library
    named = scope.types.bases.get(library.definition(owner).identity)
    if named is not None:
        return [library.definition(library.declaration(library.canonical_type(kind))) for kind in named]
    template = library.template_of(owner)
    return bases_of(scope, owner) or (bases_of(scope, template) if template.kind in CLASS_TEMPLATES else [])


def _below(scope: Scope, cursor: Cursor, kinds: Collection[int] = CLASSES) -> Iterator[Cursor]:
    for child in scope.unit.children(cursor):
        if scope.is_in_header(child):
            continue
        if child.kind in kinds or child.kind in CLASSES:
            if child.kind in kinds and scope.library.definition(child).identity == child.identity:
                yield child
            yield from _below(scope, child, kinds)
        elif child.kind in (_NAMESPACE, _LINKAGE):
            yield from _below(scope, child, kinds)


def _with_bases(scope: Scope, owner: Cursor) -> set[int]:
    """Return the identities of a class and of all its bases."""
    found = {owner.identity}
    for base in _bases(scope, owner):
        found |= _with_bases(scope, base)
    return found


def _inherited(scope: Scope, owner: Cursor, wanted: tuple[str, str]) -> Cursor | None:
    """Return the method of a signature that an object of a class has, its own or that of a base."""
    named = (member for _, member in scope.instances.get(owner.identity, ()))
    for child in (*scope.unit.children(owner), *named):
        if child.kind == _METHOD and _signature(scope, child) == wanted:
            return child
    for base in _bases(scope, owner):
        found = _inherited(scope, base, wanted)
        if found is not None:
            return found
    return None
