"""The texts of ``--array`` and ``--matrix``, taken apart; nothing is read.

>>> split_array("col=col.npy"), split_matrix("csr:rowptr,col=A.mtx"), split_matrix("A.mtx")
(('col', 'col.npy'), ('csr:rowptr,col', 'A.mtx'), ('', 'A.mtx'))
"""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import OptionError
from ..near_names import did_you_mean
from ..python.regex import regex

PREFIX = "random:"
"""What begins the text of an array that is drawn."""
PARTS: Mapping[str, tuple[str, ...]] = {
    "csr": ("rowptr", "col", "val"),
    "csc": ("colptr", "row", "val"),
    "coo": ("row", "col", "val"),
    "ell": ("col", "val"),
    "ellrow": ("col", "val"),
    "rows": ("length", "col", "val"),
}
"""The arrays of each format of a sparse matrix."""
BOUND = regex(rf"({'|'.join(PARTS)}):(.*)")
PART = regex(rf"(\w+)\.({'|'.join(PARTS)})\.(\w+)")
MATRIX_HINT = "write --matrix FILE.mtx, csr:rowptr,col,val=FILE.mtx, or A=FILE.mtx and --array rowptr=A.csr.rowptr"
_ARRAY_HINT = "write --array NAME=FILE.npy, NAME=random:uniform,n=..,max=.. or NAME=A.csr.col of --matrix A=FILE.mtx"
_NAME = regex(r"\w+")
_FORMAT = regex(r"(\w+):\w+(?:,\w+)+")


def split_array(text: str) -> tuple[str, str]:
    """Return the name of an array and where its elements are from; raises ``OptionError``."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise OptionError(f"--array {text}: this is no array", hint=_ARRAY_HINT)
    return name.strip(), value.strip()


def split_matrix(text: str) -> tuple[str, str]:
    """Return what is before the file of a matrix, empty without any, and the file; raises ``OptionError``."""
    key, equals, path = text.partition("=")
    format_ = _FORMAT.fullmatch(key) if equals else None
    if format_ is not None and format_[1] not in PARTS:
        hint = did_you_mean(format_[1], PARTS) or f"possible: {', '.join(PARTS)}"
        raise OptionError(f"--matrix {text}: no format is called {format_[1]!r}", hint=hint)
    is_key = bool(BOUND.fullmatch(key) or _NAME.fullmatch(key))
    return (key, path) if equals and is_key else ("", text)


def is_made(text: str) -> bool:
    """Return whether an array is from no file of its own: drawn, or one of a matrix."""
    return text.startswith(PREFIX) or bool(PART.fullmatch(text))
