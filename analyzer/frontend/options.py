"""What a reader is given, and what it returns; shared by both parsers.

``SourceFile`` + ``ParseOptions`` -> ``Parsed``: a surface tree (:mod:`.surface.nodes`) and the diagnostics met on the
way.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from ..diagnostics import Diagnostic
from ..given_values import number_of
from ..ir.types import ScalarType
from ..python.regex import regex
from .surface.nodes import Unit

_NUMBER = regex(r"[-+]?(?:0[xX][0-9a-fA-F]+|[0-9.]+(?:[eE][-+]?[0-9]+)?)[uUlLfF]*")


class Supplied(Struct, frozen=True):
    """What a parse showed to be missing: headers of ours to read first, folders to search last, and declarations.

    ``texts`` are those of headers that only a build makes, by their paths.
    """

    headers: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    declarations: str = ""
    texts: tuple[tuple[str, str], ...] = ()

    def of_program(self) -> Supplied:
        """Return what other files of the program lack as well: neither headers of ours nor functions and constants."""
        lines = self.declarations.splitlines(keepends=True)
        kept = "".join(line for line in lines if line.startswith(("#define ", "typedef ")))
        return Supplied(folders=self.folders, declarations=kept, texts=self.texts)


class ParseOptions(Struct, frozen=True):
    """How to read a source; the names follow the command line.

    ``defines`` are ``-D`` macros in order (``{"N": "1000", "USE_FMA": "1"}``).  ``element_type`` is what undeclared
    data is assumed to hold.  ``compile_args`` are the arguments of the file's entry in ``compile_commands.json``,
    without compiler, ``-c``, ``-o`` and the file itself; they come before everything else.  ``system_headers`` uses
    the headers of the machine instead of our own declarations.  ``confine`` are the only folders whose headers are read
    (empty: any), beside our own and with ``system_headers`` those of the machine.  ``missing`` is what an earlier parse
    of the file lacked, or of one that is linked with it.
    """

    defines: Mapping[str, str] = field(default_factory=dict)
    include_dirs: tuple[str, ...] = ()
    std: str | None = None
    element_type: ScalarType = ScalarType.FP64
    system_headers: bool = False
    compile_args: tuple[str, ...] = ()
    confine: tuple[str, ...] = ()
    missing: Supplied = Supplied()

    def __hash__(self) -> int:
        """Hash by what mostly differs; a mapping has no hash."""
        return hash((tuple(self.defines), self.include_dirs, self.std, self.compile_args))


class Parsed(Struct, frozen=True):
    """One source as read: the tree, what was found on the way, and which parser read it.

    ``macros`` are the names of ``-D`` that went to the preprocessor of clang, ``supplied`` is what the file lacked.
    """

    unit: Unit
    diagnostics: tuple[Diagnostic, ...]
    frontend: str
    macros: frozenset[str] = frozenset()
    supplied: Supplied = Supplied()


def numeric_defines(defines: Mapping[str, str]) -> frozenset[str]:
    """Return the names whose text is a number."""
    return frozenset(
        name for name, value in defines.items() if _NUMBER.fullmatch(value.strip()) or number_of(value) is not None
    )
