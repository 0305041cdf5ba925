"""What the declaration of a function says of it: constructors, closures, parameters that it may change."""

from __future__ import annotations

from .binding import Cursor
from .captures import LAMBDA
from .kinds import CursorKind, TypeKind
from .types import is_reference
from .unit import TranslationUnit


def is_lambda(unit: TranslationUnit, method: Cursor) -> bool:
    """Return True for the call operator of a closure."""
    library = unit.library
    return unit.type_text(library.type_of(library.semantic_parent(method))).startswith(LAMBDA)


def takes_own_type(unit: TranslationUnit, constructor: Cursor) -> bool:
    """Return True for a copy or move constructor."""
    library = unit.library
    if library.argument_count(constructor) < 1:
        return False
    kind = library.type_of(library.argument(constructor, 0))
    if not is_reference(library, kind):
        return False
    owner = library.type_of(library.semantic_parent(constructor))
    target = library.canonical_type(library.pointee(library.canonical_type(kind)))
    return library.declaration(target).identity == library.declaration(owner).identity


def takes_constant(unit: TranslationUnit, callee: Cursor, position: int) -> bool:
    """Return whether a parameter of a function is a reference through which it changes nothing."""
    library = unit.library
    kind = library.canonical_type(library.type_of(library.argument(callee, position)))
    return kind.kind == TypeKind.LVALUE_REFERENCE and bool(library.is_const(library.pointee(kind)))


def takes_reference(unit: TranslationUnit, callee: Cursor, position: int) -> bool:
    """Return whether a parameter of a function is a reference through which it may change what it is given."""
    library = unit.library
    kind = library.canonical_type(library.type_of(library.argument(callee, position)))
    return kind.kind == TypeKind.LVALUE_REFERENCE and not library.is_const(library.pointee(kind))


def is_model(unit: TranslationUnit, definition: Cursor) -> bool:
    """Return True for a function of our headers whose body models the library."""
    return any(child.kind == CursorKind.ANNOTATE_ATTR for child in unit.children(definition))
