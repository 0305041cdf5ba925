"""Files of the Matrix Market: the pattern of a sparse matrix, in coordinates.

Format: Boisvert, Pozo, Remington, *The Matrix Market exchange formats*, NISTIR 5935, 1996.  Values are checked and not
kept; what symmetry leaves out is put in.
"""

from __future__ import annotations

from itertools import islice

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from ..ir.given_array import GivenArray
from ..python.integers import distinct
from .model import Matrix
from .plain_numbers import numbered_lines, parsed

Ints = NDArray[np.int64]

BANNER = "%%matrixmarket"
MOST_STORED = 1 << 26
"""Stored elements of a matrix, after symmetry: half a gigabyte of indices."""
_FIELDS = {"real": 3, "double": 3, "integer": 3, "pattern": 2, "complex": 4}
_SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")
_HINT = "the first line is: %%MatrixMarket matrix coordinate real general"
_CUT = "the file may be cut off: write it again"


def read_matrix_market(text: str, path: str, name: str) -> Matrix:
    """Return the pattern of a matrix; raises ``OptionError`` with the line of a mistake."""
    first, _, rest = text.partition("\n")
    columns, symmetry = _header(first, path)
    position, line, sizes = _sizes(rest, path)
    rows, across, entries = sizes
    if entries > MOST_STORED:
        raise OptionError(f"has {entries} entries; at most {MOST_STORED} are read", path=path, line=line)
    body = rest[position:]
    numbers = parsed(body, np.float64)
    if numbers is None or len(numbers) != entries * columns:
        raise _wrong(body, line, columns, entries, path)
    table = numbers.reshape(entries, columns)
    row_of, column_of = (table[:, part].astype(np.int64) - 1 for part in range(2))
    outside = (row_of < 0) | (row_of >= rows) | (column_of < 0) | (column_of >= across)
    outside |= (table[:, 0] != row_of + 1) | (table[:, 1] != column_of + 1)
    if outside.any():
        raise _outside(body, line, int(np.flatnonzero(outside)[0]), (rows, across), path)
    if symmetry != "general":
        if rows != across:
            raise OptionError(f"is {symmetry} with {rows} rows and {across} columns", path=path, line=line)
        other = row_of != column_of
        row_of, column_of = np.append(row_of, column_of[other]), np.append(column_of, row_of[other])
    return matrix_of(name, (rows, across), row_of, column_of, source=path)


def matrix_of(name: str, shape: tuple[int, int], row_of: Ints, column_of: Ints, *, source: str) -> Matrix:
    """Return the pattern with these positions, counted from 0; those that are named twice are one element."""
    places = distinct(row_of * shape[1] + column_of)
    found = [places // max(shape[1], 1), places % max(shape[1], 1)]
    row, column = (
        GivenArray.of_bytes(f"{name}.coo.{part}", np.ascontiguousarray(numbers).tobytes(), source=source)
        for part, numbers in zip(("row", "col"), found, strict=True)
    )
    return Matrix(name=name, rows=shape[0], columns=shape[1], row_of=row, column_of=column)


def _header(line: str, path: str) -> tuple[int, str]:
    """Return the numbers of a row of the file, and the symmetry."""
    words = line.lower().split()
    if len(words) != 5 or words[0] != BANNER or words[1] != "matrix":
        raise OptionError("is not a matrix of the Matrix Market", path=path, line=1, hint=_HINT)
    if words[2] != "coordinate":
        raise OptionError(f"is a {words[2]} matrix: it has no pattern", path=path, line=1, hint="give coordinates")
    if words[3] not in _FIELDS or words[4] not in _SYMMETRIES:
        raise OptionError(f"has elements that are {words[3]} {words[4]}", path=path, line=1, hint=_HINT)
    return _FIELDS[words[3]], words[4]


def _sizes(text: str, path: str) -> tuple[int, int, tuple[int, int, int]]:
    """Return where the entries start, the line of the sizes, and rows, columns and entries."""
    position = 0
    for number, line in numbered_lines(text, 2):
        position += len(line) + 1
        if not line.strip() or line.lstrip().startswith("%"):
            continue
        words = line.split()
        sizes = [int(word) for word in words if word.isdecimal() and len(word) < 16]
        if len(words) != 3 or len(sizes) != 3 or sizes[0] * sizes[1] >= 1 << 62:
            hint = "write the numbers of rows, columns and entries"
            raise OptionError(f"{line.strip()[:60]!r} is not the size of a matrix", path=path, line=number, hint=hint)
        return position, number, (sizes[0], sizes[1], sizes[2])
    raise OptionError("ends before the size of the matrix", path=path, hint=_CUT)


def _wrong(body: str, line: int, columns: int, entries: int, path: str) -> OptionError:
    """Return what is wrong with the entries, with the line of the first that is."""
    found = 0
    for number, text in numbered_lines(body, line + 1):
        if not text.strip():
            continue
        found += 1
        row = parsed(text, np.float64)
        if row is None or len(row) != columns:
            hint = f"write {columns} numbers: row, column" + (", value" if columns > 2 else "")
            return OptionError(f"{text.strip()[:60]!r} is not an entry", path=path, line=number, hint=hint)
    return OptionError(f"has {found} entries where its size says {entries}", path=path, line=line, hint=_CUT)


def _outside(body: str, line: int, entry: int, shape: tuple[int, int], path: str) -> OptionError:
    filled = ((number, text) for number, text in numbered_lines(body, line + 1) if text.strip())
    number, text = next(islice(filled, entry, None), (line, ""))
    message = f"{text.strip()[:60]!r} is not in a matrix of {shape[0]} rows and {shape[1]} columns"
    return OptionError(message, path=path, line=number, hint="rows and columns are counted from 1")
