"""Allocations in which the runtime chooses how far rows lie apart: rows of a multiple of its alignment of textures.

The pitch is 512 bytes times a whole number on GPUs of CUDA (``cudaDeviceProp.textureAlignment``), 256 on those of AMD
(``imagePitchAlignment`` of ROCclr).  Reference: CUDA Runtime API, ``cudaMallocPitch`` and ``cudaMalloc3D``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...surface import nodes as sx
from ..state import DEVICE, HostState
from ..values import UNKNOWN, Fields, Reference, Value, binary

PITCHED = frozenset({"cudaMallocPitch", "hipMallocPitch"})
PITCHED_3D = frozenset({"cudaMalloc3D", "hipMalloc3D"})
_CUDA_ALIGNMENT, _HIP_ALIGNMENT = 512, 256


def pitched(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``cudaMallocPitch(&address, &pitch, width, height)``."""
    if len(values) == 4:
        block = state.allocated(call, DEVICE)
        pitch = _pitch(call, values[2])
        state.note_bytes(block, pitch, values[3])
        state.put(values[0], block)
        state.put(values[1], pitch)
    return 0


def pitched_3d(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``cudaMalloc3D(&pitched, extent)``."""
    if len(values) == 2 and isinstance(values[0], Reference):
        variable, path = values[0].variable, values[0].path
        extent = values[1].parts if isinstance(values[1], Fields) else {}
        width, height, depth = (extent.get(name, UNKNOWN) for name in (".width", ".height", ".depth"))
        block = state.allocated(call, DEVICE)
        pitch = _pitch(call, width)
        state.note_bytes(block, pitch, height, depth)
        for name, value in ((".ptr", block), (".pitch", pitch), (".xsize", width), (".ysize", height)):
            state.store((variable, path + name), value)
    return 0


def _pitch(call: sx.Call, width: Value) -> Value:
    """Return the distance of two rows in bytes."""
    alignment = _CUDA_ALIGNMENT if call.name.startswith("cuda") else _HIP_ALIGNMENT
    return binary("*", binary("/", binary("+", width, alignment - 1), alignment), alignment)
