"""One parsed translation unit: clang's tree behind a few typed questions.

``file name, text, arguments`` -> ``TranslationUnit``.  Positions are expansion locations: code that comes from a macro
stands where the macro is used.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from ...errors import SourceError
from ...python.cached_property import cached_property
from ...source import is_header
from .binding import COLLECT, COLLECT_FIELDS, Cursor, Location, String, Type, UnsavedFile, inclusion_visitor, library
from .kinds import EXPRESSIONS, FUNCTIONS, IMPLICIT, NAMESPACES, EvaluationKind, Linkage

_KEEP_GOING, _INCOMPLETE, _FOR_SAVING = 0x200, 0x02, 0x10
_OF_MACRO = 1 << 31  # of clang's locations
_NONE: Mapping[str, bytes] = MappingProxyType({})
_INCLUDED = "in file included from "


class Position(Struct, frozen=True):
    """File (empty for none), line and column from 1, and byte offset."""

    path: str
    line: int
    column: int
    offset: int


_ONLY_DECLARED = "cannot be defined in any other translation unit because its type does not have linkage"


class Message(Struct, frozen=True):
    """One message of clang with its ``Severity``; ``option`` is ``-W...`` or empty.

    ``causes`` are the positions of its notes: for an error in a template, what instantiates it is among them.
    """

    severity: int
    text: str
    option: str
    position: Position
    causes: tuple[Position, ...] = ()


class TranslationUnit:
    """A parsed file. Cursors are valid while it lives."""

    def __init__(
        self,
        path: str,
        text: bytes,
        arguments: Sequence[str],
        texts: Mapping[str, bytes] = _NONE,
        *,
        folders: Sequence[str] = (),
        is_header: bool = False,
        without_compiled: bool = False,
    ) -> None:
        """Parse; the files of ``texts`` have these. Raise ``SourceError`` where clang gives no tree at all.

        ``folders`` are of the project, whatever clang takes their headers for.  A header is parsed to be saved;
        ``without_compiled`` leaves declarations of a compiled header out of the tree.
        """
        self.library = library()
        name = f"./{path}" if path.startswith("-") else path  # or clang would take it for an option
        self._index = self.library.create_index(int(without_compiled), 0)
        self._unit = ctypes.c_void_p()
        encoded = [argument.encode("utf-8", "surrogateescape") for argument in arguments]
        files = [(name.encode("utf-8", "surrogateescape"), text)]
        files += [(other.encode("utf-8", "surrogateescape"), held) for other, held in texts.items()]
        code = self.library.parse(
            self._index,
            files[0][0],
            (ctypes.c_char_p * len(encoded))(*encoded),
            len(encoded),
            (UnsavedFile * len(files))(*(UnsavedFile(file, held, len(held)) for file, held in files)),
            len(files),
            _KEEP_GOING | (_INCOMPLETE | _FOR_SAVING if is_header else 0),
            ctypes.byref(self._unit),
        )
        if code or not self._unit:
            raise SourceError(
                f"clang could not parse the file (code {code})", path=path, hint="check the compiler arguments"
            )
        self.cursor = self.library.unit_cursor(self._unit)
        self._without_compiled = without_compiled
        self._folders = tuple(f"{folder.rstrip('/')}/" for folder in folders)
        self._files: dict[int, str] = {}
        self._name, self._shown = name, path
        self._texts: dict[str, bytes] = {path: text}
        self._handles: dict[str, int] = {}

    def __del__(self) -> None:
        """Give clang's memory back."""
        if getattr(self, "_unit", None):
            self.library.dispose_unit(self._unit)
        if getattr(self, "_index", None):
            self.library.dispose_index(self._index)

    def save(self, path: str) -> bool:
        """Write the unit as a compiled header, and return whether clang could."""
        return self.library.save(self._unit, path.encode("utf-8", "surrogateescape"), 0) == 0

    def text(self, string: String, errors: str = "replace") -> str:
        """Take a string of libclang over; ``errors`` is what to do where it is no UTF-8."""
        raw = self.library.c_string(string)
        self.library.dispose_string(string)
        return raw.decode("utf-8", errors) if raw else ""

    def children(self, cursor: Cursor) -> list[Cursor]:
        """Return the direct children in source order."""
        found: list[Cursor] = []
        self.library.visit_children(cursor, COLLECT, found)
        return found

    @cached_property
    def top_level(self) -> list[Cursor]:
        """Return the declarations of the file and of what it includes, in source order.

        Those of a compiled header are left out.

        Nor are what clang makes of templates among them: such declarations have the position of their template.
        """
        found = self.children(self.cursor)
        return [cursor for cursor in found if not self._is_made(cursor)] if self._without_compiled else found

    @cached_property
    def in_source(self) -> list[Cursor]:
        """Return the declarations of the file, and of included files of functions of its own, in source order."""
        return [cursor for cursor in self.top_level if self.is_in_source(cursor)]

    def _is_made(self, cursor: Cursor) -> bool:
        template = self.library.template_of(cursor)
        if not template.identity:
            return False
        return bytes(self.library.location(cursor)) == bytes(self.library.location(template))

    def operands(self, cursor: Cursor) -> list[Cursor]:
        """Return the direct children that are expressions."""
        return [child for child in self.children(cursor) if child.kind in EXPRESSIONS]

    def behind_name(self, declaration: Cursor) -> list[Cursor]:
        """Return the expressions behind the name of a declaration: its initialiser, no arguments of its type."""
        name = self.position(self.library.location(declaration))
        return [child for child in self.operands(declaration) if self.extent(child)[0].offset >= name.offset]

    def arguments(self, cursor: Cursor) -> list[Cursor]:
        """Return the arguments of a call, or the parameters of a function, in order."""
        count = self.library.argument_count(cursor)  # -1 for what has none
        return [self.library.argument(cursor, position) for position in range(count)]

    def stripped(self, cursor: Cursor) -> Cursor:
        """Return the expression within parentheses and implicit nodes."""
        while cursor.kind in IMPLICIT:
            children = self.children(cursor)
            if len(children) != 1:
                break
            cursor = children[0]
        return cursor

    def fields(self, record: Type) -> list[Cursor]:
        """Return the fields of a struct, union or class, without those of its bases."""
        found: list[Cursor] = []
        self.library.visit_fields(record, COLLECT_FIELDS, found)
        return found

    def spelling(self, cursor: Cursor) -> str:
        """Return the name of a declaration, or of the declaration that an expression refers to."""
        return self.text(self.library.spelling(cursor))

    def source_of(self, cursor: Cursor) -> str:
        """Return the text of a cursor in its file."""
        first, last = self.extent(cursor)
        return self.contents(first.path)[first.offset : last.offset].decode("utf-8", "replace")

    def type_text(self, kind: Type) -> str:
        """Return the spelling of a type as written."""
        return self.text(self.library.type_spelling(kind))

    def position(self, location: Location) -> Position:
        """Return file, line, column and offset of a location."""
        file = ctypes.c_void_p()
        line, column, offset = ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()
        self.library.expansion(
            location, ctypes.byref(file), ctypes.byref(line), ctypes.byref(column), ctypes.byref(offset)
        )
        return Position(self._path(file.value), line.value, column.value, offset.value)

    def extent(self, cursor: Cursor) -> tuple[Position, Position]:
        """Return the first and the last position of a cursor."""
        extent = self.library.extent(cursor)
        return self.position(self.library.range_start(extent)), self.position(self.library.range_end(extent))

    def is_in_main_file(self, cursor: Cursor) -> bool:
        """Return whether a declaration stands in the main file: what a macro declares, where that is used."""
        location = self.library.location(cursor)
        if self.library.is_in_main_file(location):
            return True
        return bool(location.int_data & _OF_MACRO) and self.position(location).path == self._shown

    def is_in_source(self, cursor: Cursor) -> bool:
        """Return whether a declaration stands in the main file, or in an included file of functions of its own."""
        if self.library.is_in_main_file(self.library.location(cursor)):
            return True
        if self.is_in_system_header(cursor):  # as thousands of declarations: their positions take much longer
            return False
        if self.is_in_main_file(cursor):
            return True
        return bool(self._included_sources) and self._path_of(cursor) in self._included_sources

    @cached_property
    def _included_sources(self) -> frozenset[str]:
        """Return the included files with functions that belong to this unit, and to no other of the program.

        Such functions have external linkage and are not inline. One in a file with the name of a header is taken for
        a small one that happens to stand there, unless the file is included again and again to define others
        (``#define REAL float`` before one inclusion, ``double`` before the next).
        """
        found: set[str] = set()
        defined: dict[Position, str] = {}
        waiting = list(self.top_level)
        while waiting:
            cursor = waiting.pop()
            if cursor.kind in NAMESPACES:
                waiting += self.children(cursor)
            elif cursor.kind in FUNCTIONS and self._is_of_this_unit(cursor):
                position, name = self.position(self.library.location(cursor)), self.spelling(cursor)
                if not is_header(position.path) or defined.setdefault(position, name) != name:
                    found.add(position.path)
        return frozenset(found)

    def _is_of_this_unit(self, cursor: Cursor) -> bool:
        """Return whether a declaration is the definition of an included function that no other unit may define."""
        library = self.library
        if not library.is_definition(cursor) or library.is_inline(cursor):  # as nearly all of a header
            return False
        if library.linkage(cursor) != Linkage.EXTERNAL:
            return False
        return not self.is_in_main_file(cursor) and not self.is_in_system_header(cursor)

    def _path_of(self, cursor: Cursor) -> str:
        return self.position(self.library.location(cursor)).path

    def is_in_system_header(self, cursor: Cursor) -> bool:
        """Return whether a declaration stands in a header of the system, or in one of ours."""
        location = self.library.location(cursor)
        if not self.library.is_in_system_header(location):
            return False
        return not self._folders or not self.position(location).path.startswith(self._folders)

    def contents(self, path: str) -> bytes:
        """Return the text of a file of the unit, none of a name that is not; offsets of positions count its bytes."""
        if path not in self._texts:
            size, handle = ctypes.c_size_t(), self._handles.get(path)
            address = None if handle is None else self.library.file_contents(self._unit, handle, ctypes.byref(size))
            self._texts[path] = ctypes.string_at(address, size.value) if address else b""
        return self._texts[path]

    def included_texts(self, word: str) -> tuple[str, ...]:
        """Return the texts of the included files with a word in them, in the order in which they are included."""
        files: list[int] = []

        def note(file: int, depth: int) -> None:
            if depth:
                files.append(file)

        self.library.visit_inclusions(self._unit, inclusion_visitor(note), None)
        size = ctypes.c_size_t()
        found: list[str] = []
        for file in dict.fromkeys(files):
            address = self.library.file_contents(self._unit, file, ctypes.byref(size))
            text = ctypes.string_at(address, size.value) if address else b""
            if word.encode() in text:
                found.append(text.decode("utf-8", "replace"))
        return tuple(found)

    def evaluate(self, cursor: Cursor) -> int | float | None:
        """Return the value of a constant expression, None where clang finds none."""
        result = self.library.evaluate(cursor)
        if not result:
            return None
        try:
            kind = self.library.result_kind(result)
            if kind == EvaluationKind.INTEGER:
                if self.library.result_is_unsigned(result):
                    return self.library.result_unsigned(result)
                return self.library.result_integer(result)
            return self.library.result_float(result) if kind == EvaluationKind.FLOAT else None
        finally:
            self.library.dispose_result(result)

    def messages(self) -> list[Message]:
        """Return clang's messages in order, but those that a function given a lambda is only declared."""
        found: list[Message] = []
        for number in range(self.library.message_count(self._unit)):
            message = self.library.message(self._unit, number)
            found.append(
                Message(
                    self.library.message_severity(message),
                    self.text(self.library.message_text(message)),
                    self.text(self.library.message_option(message, None)),
                    self.position(self.library.message_location(message)),
                    tuple(self._causes(message)),
                )
            )
            self.library.dispose_message(message)
        return [message for message in found if not message.text.endswith(_ONLY_DECLARED)]

    def _causes(self, message: int) -> Iterator[Position]:
        notes = self.library.notes(message)  # freed with the message
        for number in range(self.library.note_count(notes)):
            note = self.library.note(notes, number)
            if not self.text(self.library.message_text(note)).lower().startswith(_INCLUDED):
                yield self.position(self.library.message_location(note))

    def _path(self, file: int | None) -> str:
        if not file:
            return ""
        known = self._files.get(file)
        if known is None:
            named = self.text(self.library.file_name(file), "surrogateescape")
            known = self._files[file] = self._shown if named == self._name else named
            self._handles[known] = file
        return known
