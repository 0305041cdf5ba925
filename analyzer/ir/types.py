"""Scalar types as the counts see them: a class, a precision and a size in bytes."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct


class QuickEnum(Enum):
    """Members are single, so identity is their hash; Enum's own is a call in Python, of which counting makes many."""

    __hash__ = object.__hash__


class TypeClass(QuickEnum):
    """What arithmetic on a type is."""

    FLOAT = "float"
    COMPLEX = "complex"
    INTEGER = "integer"
    POINTER = "pointer"
    UNKNOWN = "unknown"


class ScalarType(QuickEnum):
    """A scalar type; the value is its name in reports: the *precision* of an operation.

    ``tensor_...`` are the precisions of products of matrices, whose factors have the type that the name ends in.
    """

    FP64 = "fp64"
    FP32 = "fp32"
    FP16 = "fp16"
    BF16 = "bf16"
    FP80 = "fp80"
    COMPLEX_FP64 = "complex_fp64"
    COMPLEX_FP32 = "complex_fp32"
    TENSOR_FP64 = "tensor_fp64"
    TENSOR_TF32 = "tensor_tf32"
    TENSOR_FP16 = "tensor_fp16"
    TENSOR_BF16 = "tensor_bf16"
    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    UINT8 = "uint8"
    UINT16 = "uint16"
    UINT32 = "uint32"
    UINT64 = "uint64"
    BOOL = "bool"
    POINTER = "pointer"
    VOID = "void"
    UNKNOWN = "unknown"

    @property
    def size_bytes(self) -> int:
        """Return the size in bytes on a 64-bit (LP64) target; 0 for void and unknown types."""
        return _SIZES[self]

    @property
    def type_class(self) -> TypeClass:
        """Return whether arithmetic on it is floating, complex, integer or pointer arithmetic."""
        return _CLASSES[self]

    @property
    def component(self) -> ScalarType:
        """Return the real type of a complex type; any other type itself."""
        return {ScalarType.COMPLEX_FP64: ScalarType.FP64, ScalarType.COMPLEX_FP32: ScalarType.FP32}.get(self, self)

    @property
    def tensor(self) -> ScalarType | None:
        """Return the precision of products of matrices of this type, None where there is none."""
        return _TENSORS.get(self)

    @property
    def is_float(self) -> bool:
        """Return true for real and complex floating types."""
        return self.type_class in (TypeClass.FLOAT, TypeClass.COMPLEX)

    @property
    def is_integer(self) -> bool:
        """Return true for integer and boolean types."""
        return self.type_class is TypeClass.INTEGER


_TENSORS = {
    ScalarType.FP64: ScalarType.TENSOR_FP64,
    ScalarType.FP32: ScalarType.TENSOR_TF32,
    ScalarType.FP16: ScalarType.TENSOR_FP16,
    ScalarType.BF16: ScalarType.TENSOR_BF16,
}
_SIZES = {
    ScalarType.TENSOR_FP64: 8,
    ScalarType.TENSOR_TF32: 4,
    ScalarType.TENSOR_FP16: 2,
    ScalarType.TENSOR_BF16: 2,
    ScalarType.FP64: 8,
    ScalarType.FP32: 4,
    ScalarType.FP16: 2,
    ScalarType.BF16: 2,
    ScalarType.FP80: 16,
    ScalarType.COMPLEX_FP64: 16,
    ScalarType.COMPLEX_FP32: 8,
    ScalarType.INT8: 1,
    ScalarType.INT16: 2,
    ScalarType.INT32: 4,
    ScalarType.INT64: 8,
    ScalarType.UINT8: 1,
    ScalarType.UINT16: 2,
    ScalarType.UINT32: 4,
    ScalarType.UINT64: 8,
    ScalarType.BOOL: 1,
    ScalarType.POINTER: 8,
    ScalarType.VOID: 0,
    ScalarType.UNKNOWN: 0,
}


def _class_of(scalar: ScalarType) -> TypeClass:
    if scalar.value.startswith(("fp", "bf", "tensor")):
        return TypeClass.FLOAT
    if scalar.value.startswith("complex"):
        return TypeClass.COMPLEX
    if scalar.value.startswith(("int", "uint", "bool")):
        return TypeClass.INTEGER
    return TypeClass.POINTER if scalar is ScalarType.POINTER else TypeClass.UNKNOWN


_CLASSES = {scalar: _class_of(scalar) for scalar in ScalarType}


class ElementType(Struct, frozen=True):
    """A scalar or a short vector of it (``float4`` is fp32 with 4 lanes)."""

    scalar: ScalarType
    lanes: int = 1

    @property
    def size_bytes(self) -> int:
        """Return the size in bytes of all lanes."""
        return self.scalar.size_bytes * self.lanes

    def __str__(self) -> str:
        """Render as ``fp64`` or ``fp32x4``."""
        return self.scalar.value if self.lanes == 1 else f"{self.scalar.value}x{self.lanes}"


FP64 = ElementType(ScalarType.FP64)
FP32 = ElementType(ScalarType.FP32)
INT32 = ElementType(ScalarType.INT32)
INT64 = ElementType(ScalarType.INT64)
BOOL = ElementType(ScalarType.BOOL)
UNKNOWN = ElementType(ScalarType.UNKNOWN)
