"""Global pointers, integers, structures and arrays of these that nothing in the unit may write keep their values.

A use of a variable reads it where clang converts it from an lvalue to a value right there: an unexposed implicit cast
around the name, or around an element of an array or a member.  Any other use (an assignment, ``&n``, ``n++``, a
reference that is bound to it, an array that is handed on) may write it.
"""

from __future__ import annotations

from itertools import dropwhile

from msgspec import Struct

from .binding import Cursor
from .kinds import ARRAY_TYPES, INTEGER_TYPES, CursorKind, StorageClass, TypeKind
from .types import innermost_element
from .unit import TranslationUnit

_NAME, _IMPLICIT, _PARENTHESES = CursorKind.DECL_REF_EXPR, CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR
_ELEMENT, _MEMBER = CursorKind.ARRAY_SUBSCRIPT_EXPR, CursorKind.MEMBER_REF_EXPR
_SIZE = CursorKind.CXX_UNARY_EXPR
_KEPT = frozenset({*INTEGER_TYPES, TypeKind.ENUM, TypeKind.POINTER, TypeKind.RECORD})


class _Use(Struct, frozen=True):
    """Whether an expression is only read, and whether it is the array of an element that is only read."""

    reads: bool = False
    of_element: bool = False


class GlobalIntegers:
    """Answers which global integers are only read; the unit is walked once, when first asked, but for most headers."""

    def __init__(self, unit: TranslationUnit) -> None:
        self._unit = unit
        self._written: set[int] | None = None

    def keeps_its_value(self, definition: Cursor) -> bool:
        """Return whether no function may write an initialised integer, pointer, structure or array."""
        library = self._unit.library
        kind = innermost_element(library, library.type_of(definition))
        if kind.kind not in _KEPT or library.is_volatile(kind):
            return False
        if not self._unit.is_in_source(definition):
            return False
        if self._written is None:
            self._written = self._possibly_written()
        return definition.identity not in self._written

    def is_of_this_file_alone(self, definition: Cursor) -> bool:
        """Return whether no other file can name the variable: it is ``static``, or ``__constant__`` of one program."""
        is_static = self._unit.library.storage_class(definition) == StorageClass.STATIC
        return is_static or any(each.kind == CursorKind.CUDA_CONSTANT_ATTR for each in self._unit.children(definition))

    def _possibly_written(self) -> set[int]:
        """Return the variables that are named other than to read them."""
        unit, library = self._unit, self._unit.library
        found: set[int] = set()
        every = dropwhile(self._is_before_variables, unit.children(unit.cursor))
        waiting = [(cursor, _Use()) for cursor in every if not unit.is_in_system_header(cursor)]
        while waiting:
            cursor, use = waiting.pop()
            is_read = use.of_element if self._is_array(cursor) else use.reads
            if cursor.kind == _NAME and not is_read:
                found.add(library.definition(cursor).identity)
            parts = enumerate(unit.children(cursor))
            waiting.extend((part, self._use(cursor, use, first=not number)) for number, part in parts)
        return found

    def _is_before_variables(self, cursor: Cursor) -> bool:
        """Return whether nothing so far has declared a variable of the file: most headers need no walk."""
        unit = self._unit
        if unit.is_in_system_header(cursor):
            return True
        return cursor.kind != CursorKind.VAR_DECL and not unit.is_in_source(cursor)

    def _use(self, around: Cursor, use: _Use, *, first: bool) -> _Use:
        """Return how a part of an expression is used."""
        if around.kind == _PARENTHESES:
            return use
        if around.kind == _IMPLICIT:
            return _Use(reads=True, of_element=use.of_element)
        if around.kind == _SIZE:
            return _Use(reads=True, of_element=True)
        if around.kind in (_ELEMENT, _MEMBER) and first:
            is_read = use.of_element if self._is_array(around) else use.reads
            return _Use(reads=is_read and around.kind == _MEMBER, of_element=is_read)
        return _Use()

    def _is_array(self, cursor: Cursor) -> bool:
        return self._unit.library.canonical_type(self._unit.library.type_of(cursor)).kind in ARRAY_TYPES
