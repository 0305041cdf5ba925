"""Global integers, and tables of them, that nothing in the main file may write: they have their initial values.

A use of a variable reads it where clang converts it from an lvalue to a value right there: an unexposed implicit cast
around the name.  Any other use (an assignment, ``&n``, ``n++``, a reference that is bound to it) may write it.  Of a
table such a conversion is around an element; the name alone decays to a pointer, through which a function may write.
"""

from __future__ import annotations

from enum import Enum

from .binding import Cursor
from .kinds import ARRAY_TYPES, INTEGER_TYPES, CursorKind, StorageClass, TypeKind
from .unit import TranslationUnit

_NAME, _IMPLICIT, _PARENTHESES = CursorKind.DECL_REF_EXPR, CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR
_ELEMENT, _SIZE = CursorKind.ARRAY_SUBSCRIPT_EXPR, CursorKind.CXX_UNARY_EXPR
_INTEGERS = frozenset({*INTEGER_TYPES, TypeKind.ENUM})


class _Use(Enum):
    """What happens to the value of an expression: it is read, as the base of an element that is read, or anything."""

    READ = "read"
    BASE = "base"
    ANY = "any"


class GlobalIntegers:
    """Answers which globals of the main file are only read; the file is walked once, when first asked."""

    def __init__(self, unit: TranslationUnit) -> None:
        self._unit = unit
        self._written: set[int] | None = None

    def keeps_its_value(self, definition: Cursor) -> bool:
        """Return whether a variable with an initialiser is an integer that no function of the main file may write.

        Or a table of integers, if no other file can name it.
        """
        library = self._unit.library
        kind = library.canonical_type(library.type_of(definition))
        while kind.kind in ARRAY_TYPES and self.is_of_this_file_alone(definition):
            kind = library.canonical_type(library.element(kind))
        if kind.kind not in _INTEGERS or library.is_volatile(kind):
            return False
        if not self._unit.is_in_main_file(definition):
            return False
        if self._written is None:
            self._written = self._possibly_written()
        return definition.identity not in self._written

    def is_of_this_file_alone(self, definition: Cursor) -> bool:
        """Return whether no other file can name the variable: it is ``static``, or ``__constant__`` of one program."""
        is_static = self._unit.library.storage_class(definition) == StorageClass.STATIC
        return is_static or any(
            child.kind == CursorKind.CUDA_CONSTANT_ATTR for child in self._unit.children(definition)
        )

    def _possibly_written(self) -> set[int]:
        """Return the variables that are named other than to read them, or to ask for their size."""
        unit, library = self._unit, self._unit.library
        found: set[int] = set()
        waiting = [(cursor, _Use.ANY) for cursor in unit.children(unit.cursor) if self._is_ours(cursor)]
        while waiting:
            cursor, use = waiting.pop()
            if cursor.kind == _NAME and use is not self._reading(cursor):
                found.add(library.definition(cursor).identity)
            if cursor.kind == _SIZE:
                continue
            children = [*unit.children(cursor)]
            waiting.extend((child, self._use_of(position, cursor, use)) for position, child in enumerate(children))
        return found

    def _reading(self, name: Cursor) -> _Use:
        """Return the use that only reads a variable, or an element of it."""
        is_table = self._unit.library.canonical_type(self._unit.library.type_of(name)).kind in ARRAY_TYPES
        return _Use.BASE if is_table else _Use.READ

    def _use_of(self, position: int, parent: Cursor, use: _Use) -> _Use:
        """Return what an expression does with the part of it at a position, when it is itself used so."""
        if parent.kind == _PARENTHESES:
            return use
        if parent.kind == _IMPLICIT:
            return _Use.BASE if use is _Use.BASE else _Use.READ
        if parent.kind == _ELEMENT and not position:
            library = self._unit.library
            is_whole = library.canonical_type(library.type_of(parent)).kind in _INTEGERS
            return _Use.BASE if use is _Use.BASE or (use is _Use.READ and is_whole) else _Use.ANY
        return _Use.ANY

    def _is_ours(self, cursor: Cursor) -> bool:
        return self._unit.is_in_main_file(cursor)
