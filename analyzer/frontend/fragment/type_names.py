"""Names of types that no text needs to declare: C's, those of its headers, and short vectors.

Sizes are those of an LP64 target.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ...ir.types import ElementType, ScalarType
from ...python.regex import regex

_S = ScalarType

_NAMED = {
    "bool": _S.BOOL, "_Bool": _S.BOOL,
    "size_t": _S.UINT64, "uintptr_t": _S.UINT64, "uintmax_t": _S.UINT64, "ulong": _S.UINT64, "u64": _S.UINT64,
    "ssize_t": _S.INT64, "ptrdiff_t": _S.INT64, "intptr_t": _S.INT64, "intmax_t": _S.INT64, "off_t": _S.INT64,
    "time_t": _S.INT64, "clock_t": _S.INT64, "i64": _S.INT64, "s64": _S.INT64, "longlong": _S.INT64,
    "uint": _S.UINT32, "u32": _S.UINT32, "i32": _S.INT32, "s32": _S.INT32, "wchar_t": _S.INT32,
    "ushort": _S.UINT16, "u16": _S.UINT16, "i16": _S.INT16, "s16": _S.INT16,
    "uchar": _S.UINT8, "u8": _S.UINT8, "i8": _S.INT8, "s8": _S.INT8, "byte": _S.UINT8,
    "float_t": _S.FP32, "double_t": _S.FP64, "float32_t": _S.FP32, "float64_t": _S.FP64, "f32": _S.FP32,
    "f64": _S.FP64, "real4": _S.FP32, "real8": _S.FP64, "REAL4": _S.FP32, "REAL8": _S.FP64,
    "_Float64": _S.FP64, "_Float32": _S.FP32, "__float128": _S.FP80, "_Float128": _S.FP80,
    "half": _S.FP16, "__half": _S.FP16, "_Float16": _S.FP16, "__fp16": _S.FP16, "float16_t": _S.FP16,
    "__nv_bfloat16": _S.BF16, "__bf16": _S.BF16, "bfloat16": _S.BF16, "bfloat16_t": _S.BF16, "bf16": _S.BF16,
    "lapack_int": _S.INT32, "MKL_INT": _S.INT32, "MPI_Comm": _S.INT32, "cuDoubleComplex": _S.COMPLEX_FP64,
    "cuComplex": _S.COMPLEX_FP32, "cuFloatComplex": _S.COMPLEX_FP32,
}  # fmt: skip
_FIXED = regex(r"(u?)int(?:_fast|_least)?(8|16|32|64)_t")
_VECTORS = {
    "char": _S.INT8, "uchar": _S.UINT8, "short": _S.INT16, "ushort": _S.UINT16, "int": _S.INT32, "uint": _S.UINT32,
    "long": _S.INT64, "ulong": _S.UINT64, "longlong": _S.INT64, "ulonglong": _S.UINT64, "float": _S.FP32,
    "double": _S.FP64, "half": _S.FP16, "__half": _S.FP16, "__nv_bfloat16": _S.BF16,
}  # fmt: skip
_VECTOR = regex(rf"({'|'.join(sorted(_VECTORS, key=len, reverse=True))})([1-4]|8|16)")
_REGISTER = regex(r"__m(64|128|256|512)(d|i|h)?")
_INDEX_LIKE = regex(r"(?:^|_)(?:idx|index|int|size|count|label|ordinal|offset|dim|id)(?:\d*|_t|_type)?$", re.I)


def element_of_name(name: str) -> ElementType | None:
    """Return the element type that a well-known name stands for, or None."""
    if name in _NAMED:
        return ElementType(_NAMED[name])
    if (fixed := _FIXED.fullmatch(name)) is not None:
        return ElementType(_S(f"{fixed[1]}int{fixed[2]}"))
    if (vector := _VECTOR.fullmatch(name)) is not None:
        return ElementType(_VECTORS[vector[1]], int(vector[2]))
    if (register := _REGISTER.fullmatch(name)) is not None:
        scalar = {"d": _S.FP64, "i": _S.INT32, "h": _S.FP16}.get(register[2] or "", _S.FP32)
        return ElementType(scalar, int(register[1]) // 8 // scalar.size_bytes)
    return None


def is_known_type(name: str) -> bool:
    """Return True for a name that :func:`element_of_name` has a type for."""
    return element_of_name(name) is not None


def may_be_variable(name: str) -> bool:
    """Return True for a well-known type name that people also give to variables (``half``, ``byte``)."""
    return name in _NAMED and not name.endswith("_t") and not name.startswith(("_", "MPI_", "MKL_")) and name != "bool"


def looks_like_index(name: str) -> bool:
    """Return True for an unknown type name that resembles an integer's (``idx_t``, ``label``, ``local_index``)."""
    return _INDEX_LIKE.search(name) is not None


def element_of_words(words: Sequence[str]) -> ElementType | None:
    """Return the element type of C's own type words in any order (``unsigned long int``), or None."""
    if len(words) == 1 and (known := element_of_name(words[0])) is not None:
        return known
    count = Counter(words)
    if count.keys() - _WORDS:
        return None
    if count["void"]:
        return ElementType(_S.VOID)
    if count["_Complex"]:
        return ElementType(_S.COMPLEX_FP32 if count["float"] else _S.COMPLEX_FP64)
    if count["float"]:
        return ElementType(_S.FP32)
    if count["double"]:
        return ElementType(_S.FP80 if count["long"] else _S.FP64)
    unsigned = "u" if count["unsigned"] else ""
    if count["char"]:
        return ElementType(_S(f"{unsigned}int8"))
    bits = 16 if count["short"] else 64 if count["long"] or count["__int128"] else 32
    return ElementType(_S(f"{unsigned}int{bits}"))


_WORDS = frozenset(
    {"void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Complex", "__int128"}
)
