"""``--array`` and ``--matrix``, and what Python gives in their place: texts, files and arrays -> :class:`GivenData`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import numpy as np
from msgspec.structs import replace

from ..data_files.files import read_bytes, read_text
from ..errors import OptionError
from ..ir.given_array import GivenArray
from .drawn import drawn
from .formats import array_of
from .matrix_market import BANNER, matrix_of, read_matrix_market
from .model import GivenData, Matrix
from .npy import MAGIC, read_npy
from .plain_numbers import read_plain_numbers
from .texts import BOUND, MATRIX_HINT, PART, PARTS, PREFIX, split_array, split_matrix

MOST_BYTES = 256 << 20


def read_given(
    arrays: Iterable[str],
    matrices: Iterable[str],
    own_arrays: Mapping[str, Any] | None = None,
    own_matrices: Mapping[str, Any] | None = None,
) -> GivenData:
    """Return the arrays and matrices of some options; raises ``OptionError``.

    ``own_arrays`` are numpy arrays, sequences of integers or texts by the name of the array, ``own_matrices`` paths or
    sparse matrices (with ``indptr``, ``indices`` and ``shape``, as those of SciPy) by what ``--matrix`` has before the
    ``=``.
    """
    found = [_read_matrix(*split_matrix(text)) for text in matrices]
    found += [_own_matrix(key, value) for key, value in (own_matrices or {}).items()]
    named = {matrix.name: matrix for matrix in found}
    texts = [split_array(text) for text in arrays]
    own = {name: value for name, value in (own_arrays or {}).items() if not isinstance(value, str)}
    texts += [(name, value) for name, value in (own_arrays or {}).items() if isinstance(value, str)]
    used: set[str] = set()
    by_name: dict[str, GivenArray] = {}
    for name, text in texts:
        _add(by_name, _read_array(name, text, named, used))
    for name, value in own.items():
        _add(by_name, _of_numbers(name, np.asarray(value), "the array given"))
    for matrix in found:
        for array in _bound(matrix):
            _add(by_name, array)
    left = tuple(matrix for matrix in found if not matrix.format and matrix.name not in used)
    return GivenData(tuple(by_name.values()), left, tuple(matrix for matrix in found if matrix.format))


def _add(found: dict[str, GivenArray], array: GivenArray) -> None:
    if array.name in found:
        raise OptionError(f"--array {array.name} is given twice", hint="give it once")
    if not array.count:
        raise OptionError(f"--array {array.name} has no elements", hint="give the array that the program reads")
    found[array.name] = array


def _read_array(name: str, text: str, matrices: Mapping[str, Matrix], used: set[str]) -> GivenArray:
    option = f"--array {name}"
    if text.startswith(PREFIX):
        return _of_numbers(name, drawn(text, option), text)
    part = PART.fullmatch(text)
    if part is not None and part[1] in matrices:
        if part[3] not in PARTS[part[2]]:
            hint = f"it has {', '.join(PARTS[part[2]])}"
            raise OptionError(f"{option}: the format {part[2]} has no array {part[3]!r}", hint=hint)
        used.add(part[1])
        return array_of(matrices[part[1]], part[2], part[3], name)
    data = read_bytes(text, error=OptionError, most_bytes=MOST_BYTES)
    if data.startswith(MAGIC):
        return _of_numbers(name, read_npy(data, text), text)
    if data[: len(BANNER)].lower() == BANNER.encode():
        raise OptionError(f"is a matrix, not the array {name}", path=text, hint="give it with --matrix")
    return _of_numbers(name, read_plain_numbers(_text(data, text), text), text)


def _text(data: bytes, path: str) -> str:
    try:
        return data.decode("ascii")
    except UnicodeDecodeError:
        hint = "give a .npy file, or whole numbers as text"
        raise OptionError("is not an array that is understood", path=path, hint=hint) from None


def _of_numbers(name: str, numbers: np.ndarray[Any, Any], source: str) -> GivenArray:
    """Return an array with these elements, in the order of memory; of floating-point numbers the length alone."""
    if numbers.dtype.kind not in "biuf":
        hint = "give whole numbers: array.astype(numpy.int64)"
        raise OptionError(f"--array {name} has elements of type {numbers.dtype}, which are no indices", hint=hint)
    if numbers.dtype.kind == "f":
        return GivenArray.of_length(name, numbers.size, source=source)
    if numbers.dtype == np.uint64 and numbers.size and int(numbers.max()) >= 1 << 63:
        raise OptionError(f"--array {name} has elements of more than 63 bits", hint="give the indices themselves")
    plain = np.ascontiguousarray(numbers.ravel(order="K"), dtype=np.int64)
    row = numbers.shape[-1] if numbers.ndim > 1 and numbers.flags.c_contiguous else 0
    return GivenArray.of_bytes(name, plain.tobytes(), source=source, row=row)


def _read_matrix(key: str, path: str) -> Matrix:
    if not path.strip():
        raise OptionError(f"--matrix {key}: no file is named", hint=MATRIX_HINT)
    text = read_text(path, error=OptionError, most_bytes=MOST_BYTES)
    return _keyed(read_matrix_market(text, path, PurePath(path).stem), key)


def _own_matrix(key: str, value: Any) -> Matrix:
    if isinstance(value, str | PurePath):
        return _read_matrix(key, str(value))
    sparse = value.tocsr() if hasattr(value, "tocsr") else value
    if not all(hasattr(sparse, name) for name in ("indptr", "indices", "shape")):
        raise OptionError(f"the matrix {key!r} has no indptr, indices and shape", hint="give a path or a sparse matrix")
    pointers, column = (np.asarray(each, dtype=np.int64) for each in (sparse.indptr, sparse.indices))
    rows, columns = (int(extent) for extent in sparse.shape)
    lengths = np.diff(pointers)
    fits = len(pointers) == rows + 1 and bool((lengths >= 0).all()) and int(pointers[-1]) == len(column)
    if not fits or (len(column) and not 0 <= int(column.min()) <= int(column.max()) < columns):
        raise OptionError(f"the matrix {key!r} is damaged: indptr, indices and shape do not fit each other")
    row = np.repeat(np.arange(rows, dtype=np.int64), lengths)
    return _keyed(matrix_of("matrix", (rows, columns), row, column, source="the matrix given"), key)


def _keyed(matrix: Matrix, key: str) -> Matrix:
    """Return a matrix with the name or the binding that is before its file."""
    bound = BOUND.fullmatch(key)
    if bound is None:
        return replace(matrix, name=key or matrix.name)
    names = tuple(name.strip() for name in bound[2].split(","))
    parts = PARTS[bound[1]]
    if not 1 <= len(names) <= len(parts) or not all(names):
        raise OptionError(f"--matrix {key}: {bound[1]} has the arrays {', '.join(parts)}", hint=MATRIX_HINT)
    return replace(matrix, format=bound[1], arrays=names)


def _bound(matrix: Matrix) -> Sequence[GivenArray]:
    """Return the arrays of a matrix whose names are given; none of others."""
    if not matrix.format:
        return ()
    parts = zip(PARTS[matrix.format], matrix.arrays, strict=False)
    return [array_of(matrix, matrix.format, part, name) for part, name in parts]
