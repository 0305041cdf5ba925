"""NumPy's files of one array (``.npy``): header and data, without anything that could run code.

Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
"""

from __future__ import annotations

import io
from math import prod
from typing import Any

import numpy as np

from ..errors import OptionError

MAGIC = b"\x93NUMPY"
_MOST_HEADER = 10_000  # characters, as numpy takes without being asked to trust a file
_HINT = "save it again with numpy.save(path, array)"


def read_npy(data: bytes, path: str) -> np.ndarray[Any, Any]:
    """Return the elements of a file in the order of memory, in rows where it has some; raises ``OptionError``."""
    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        if version not in ((1, 0), (2, 0)):
            raise ValueError(f"format version {version[0]}.{version[1]} is not known")
        shape, by_columns, kind = header(stream, max_header_size=_MOST_HEADER)
    except (ValueError, EOFError, SyntaxError, MemoryError, RecursionError, UnicodeDecodeError) as error:
        raise OptionError(f"has a header that is not understood: {error}", path=path, hint=_HINT) from None
    if kind.hasobject or kind.kind not in "biuf":
        hint = "give whole numbers: array.astype(numpy.int64)"
        raise OptionError(f"has elements of type {kind}, which are no indices", path=path, hint=hint)
    held, wanted = len(data) - stream.tell(), prod(shape) * kind.itemsize
    if min(shape, default=1) < 0 or held != wanted:
        raise OptionError(f"has {held} bytes of elements where its header says {wanted}", path=path, hint=_HINT)
    found = np.frombuffer(data, dtype=kind, offset=stream.tell())
    return found if by_columns else found.reshape(shape)
