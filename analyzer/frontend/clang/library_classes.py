"""The classes of the C++ library that are scalars, pointers or function objects of the surface tree, by their names."""

from __future__ import annotations

from ...ir.types import ElementType, ScalarType
from ..surface.nodes import CType, PointerT, UnknownT

SMALL_FLOATS = {
    "__half": ElementType(ScalarType.FP16),
    "__half2": ElementType(ScalarType.FP16, 2),
    "__nv_bfloat16": ElementType(ScalarType.BF16),
    "__nv_bfloat162": ElementType(ScalarType.BF16, 2),
}
POINTER_LIKE = frozenset(
    {"vector", "valarray", "span", "unique_ptr", "shared_ptr", "initializer_list", "basic_string", "string"}
    | {"basic_string_view", "string_view", "ai_sequence", "ai_device_pointer"}
)
FUNCTION_OBJECTS = frozenset({"function", "move_only_function", "copyable_function", "function_ref"})
OWNERS = frozenset({"vector", "valarray", "basic_string", "array", "list", "ai_sequence"})
WRAPPERS = frozenset(
    {"atomic", "ai_counter"}
    | {"__normal_iterator", "__wrap_iter", "move_iterator", "reverse_iterator"}  # over a pointer
)
FUNCTION = UnknownT("function")


def is_function_object(kind: CType) -> bool:
    """Return True for ``std::function`` and its like."""
    return isinstance(kind, PointerT) and kind.target == FUNCTION
