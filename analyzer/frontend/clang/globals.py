"""Global integers that nothing in the main file may write, so that they have the value of their initialiser.

A use of a variable reads it where clang converts it from an lvalue to a value right there: an unexposed implicit cast
around the name.  Any other use (an assignment, ``&n``, ``n++``, a reference that is bound to it) may write it.
"""

from __future__ import annotations

from .binding import Cursor
from .kinds import INTEGER_TYPES, CursorKind, StorageClass, TypeKind
from .unit import TranslationUnit

_NAME, _IMPLICIT, _PARENTHESES = CursorKind.DECL_REF_EXPR, CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR
_INTEGERS = frozenset({*INTEGER_TYPES, TypeKind.ENUM})


class GlobalIntegers:
    """Answers which global integers of the main file are only read; the file is walked once, when first asked."""

    def __init__(self, unit: TranslationUnit) -> None:
        self._unit = unit
        self._written: set[int] | None = None

    def keeps_its_value(self, definition: Cursor) -> bool:
        """Return whether a variable is an integer with an initialiser that no function of the main file may write."""
        library = self._unit.library
        kind = library.canonical_type(library.type_of(definition))
        if kind.kind not in _INTEGERS or library.is_volatile(kind):
            return False
        if not self._unit.is_in_main_file(definition):
            return False
        if self._written is None:
            self._written = self._possibly_written()
        return definition.identity not in self._written

    def is_of_this_file_alone(self, definition: Cursor) -> bool:
        """Return whether no other file can name the variable: it is ``static``."""
        return self._unit.library.storage_class(definition) == StorageClass.STATIC

    def _possibly_written(self) -> set[int]:
        """Return the variables that are named other than to read them."""
        unit, library = self._unit, self._unit.library
        found: set[int] = set()
        waiting = [(cursor, False) for cursor in unit.children(unit.cursor) if self._is_ours(cursor)]
        while waiting:
            cursor, reads = waiting.pop()
            if cursor.kind == _NAME and not reads:
                found.add(library.definition(cursor).identity)
            inside = reads if cursor.kind == _PARENTHESES else cursor.kind == _IMPLICIT
            waiting.extend((child, inside) for child in unit.children(cursor))
        return found

    def _is_ours(self, cursor: Cursor) -> bool:
        return self._unit.is_in_main_file(cursor)
