"""The arrays in which programs hold a sparse matrix: its pattern -> row pointers, indices and lengths, by format.

==========  ==================  =====================================================================================
``csr``      rowptr, col, val    the stored elements row by row; row i is rowptr[i] to rowptr[i + 1]
``csc``      colptr, row, val    column by column
``coo``      row, col, val       row by row, with both indices of each
``ell``      col, val            as many in each row as the longest has; element k of row i at ``k*rows + i``
``ellrow``   col, val            the same, at ``i*width + k``
``rows``     length, col, val    the same, or each row behind a pointer, and how many of its elements are stored
==========  ==================  =====================================================================================

Rows of the ELLPACK formats that are shorter are padded with their last column (Bell, Garland, *Implementing sparse
matrix-vector multiplication on throughput-oriented processors*, SC 2009).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from ..ir.given_array import GivenArray
from .model import Matrix

Ints = NDArray[np.int64]

_PADDED = ("ell", "ellrow", "rows")
_MOST_PADDED = 1 << 26


def array_of(matrix: Matrix, format_: str, part: str, name: str, first: int = 0) -> GivenArray:
    """Return one array of a matrix in a format, with the name that the source has for it.

    ``first`` is the number of the first row, column or stored element.
    """
    source = f"{matrix.name}.{format_}.{part}" + (f" from {first}" if first else "")
    if part == "val":
        return GivenArray.of_length(name, _stored(matrix, format_), source=source)
    row = width_of(matrix) if format_ == "rows" and part == "col" else 0
    return GivenArray.of_bytes(name, (_elements(matrix, format_, part) + first).tobytes(), source=source, row=row)


def width_of(matrix: Matrix) -> int:
    """Return the stored elements of the longest row."""
    return int(_lengths(_ints(matrix.row_of), matrix.rows).max(initial=0))


def _stored(matrix: Matrix, format_: str) -> int:
    return matrix.rows * width_of(matrix) if format_ in _PADDED else matrix.stored


def _elements(matrix: Matrix, format_: str, part: str) -> Ints:
    row, column = _ints(matrix.row_of), _ints(matrix.column_of)
    match format_, part:
        case ("csr", "rowptr"):
            return _pointers(row, matrix.rows)
        case ("csr" | "coo", "col"):
            return column
        case ("coo", "row"):
            return row
        case ("csc", "colptr"):
            return _pointers(column, matrix.columns)
        case ("csc", _):
            return row[np.argsort(column, kind="stable")]
        case ("rows", "length"):
            return _lengths(row, matrix.rows)
        case ("ellrow" | "rows", _):
            return _padded(matrix).reshape(-1)
        case _:
            return np.ascontiguousarray(_padded(matrix).T).reshape(-1)


def _padded(matrix: Matrix) -> Ints:
    """Return the columns of each row, as many as the longest has."""
    row, column, width = _ints(matrix.row_of), _ints(matrix.column_of), width_of(matrix)
    if matrix.rows * width > _MOST_PADDED:
        hint = "use the formats csr or coo"
        message = f"has rows of up to {width} elements: {matrix.rows * width} with padding, more than {_MOST_PADDED}"
        raise OptionError(message, path=matrix.name, hint=hint)
    lengths = _lengths(row, matrix.rows)
    starts = np.cumsum(lengths) - lengths
    places = starts[:, None] + np.minimum(np.arange(width), np.maximum(lengths[:, None] - 1, 0))
    found = column[np.minimum(places, max(len(column) - 1, 0))] if len(column) else np.zeros_like(places)
    empty = lengths == 0
    found[empty] = np.minimum(np.arange(matrix.rows), matrix.columns - 1)[empty, None]
    return np.asarray(found)


def _lengths(row: Ints, rows: int) -> Ints:
    return np.bincount(row, minlength=rows)


def _pointers(row: Ints, rows: int) -> Ints:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(_lengths(row, rows))])


def _ints(array: GivenArray) -> Ints:
    return np.frombuffer(array.data, dtype=np.int64)
