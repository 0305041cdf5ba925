"""Properties of the GPU that host code asks for: those that all GPUs of CUDA have, and those of the chosen machine.

What neither states is a source of its own, ``props.multiProcessorCount``.

Reference: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" (the same from 5.0 to 12.0).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...surface import nodes as sx
from ...surface.types import target_of
from ..state import HostState
from ..values import Reference, Value

_OF_CUDA: Mapping[str, int] = {
    "warpSize": 32,
    "maxThreadsPerBlock": 1024,
    "maxThreadsDim[0]": 1024,
    "maxThreadsDim[1]": 1024,
    "maxThreadsDim[2]": 64,
    "maxGridSize[0]": 2**31 - 1,
    "maxGridSize[1]": 65535,
    "maxGridSize[2]": 65535,
    "sharedMemPerBlock": 49152,
    "regsPerBlock": 65536,
    "totalConstMem": 65536,
    "unifiedAddressing": 1,
    "managedMemory": 1,
}
_ATTRIBUTES: Mapping[int, str] = {
    1: "maxThreadsPerBlock",
    2: "maxThreadsDim[0]",
    5: "maxGridSize[0]",
    8: "sharedMemPerBlock",
    9: "totalConstMem",
    10: "warpSize",
    12: "regsPerBlock",
    13: "clockRate",
    16: "multiProcessorCount",
    38: "l2CacheSize",
    39: "maxThreadsPerMultiProcessor",
    75: "major",
    76: "minor",
    81: "sharedMemPerMultiprocessor",
    82: "regsPerMultiprocessor",
    106: "maxBlocksPerMultiProcessor",
}
PROPERTIES = frozenset({"cudaGetDeviceProperties", "cudaGetDeviceProperties_v2", "hipGetDeviceProperties"})
ATTRIBUTE = "cudaDeviceGetAttribute"
COUNT = frozenset({"cudaGetDeviceCount", "hipGetDeviceCount"})


def device_properties(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``cudaGetDeviceProperties(&properties, device)``."""
    if not values or not isinstance(values[0], Reference):
        return 0
    variable, path = values[0].variable, values[0].path
    known = properties_known(state, is_cuda=call.name.startswith("cuda"))
    kind = target_of(state.program.type_of(call.arguments[0]))
    for member in kind.fields if isinstance(kind, sx.StructT) else ():
        if isinstance(member.type, sx.ScalarT):
            value = known.get(member.name)
            name = f"{variable.name}{path}.{member.name}"
            found = state.unknown(name, "device", call) if value is None else value
            state.store((variable, f"{path}.{member.name}"), found)
    for name in known.keys() & {name for name in _OF_CUDA if "[" in name}:
        state.store((variable, f"{path}.{name}"), known[name])
    return 0


def device_attribute(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``cudaDeviceGetAttribute(&value, attribute, device)``."""
    if len(values) > 1 and isinstance(values[0], Reference):
        name = _ATTRIBUTES.get(values[1], "") if isinstance(values[1], int) else ""
        value = properties_known(state, is_cuda=True).get(name)
        state.put(values[0], state.unknown(values[0].variable.name, "device", call) if value is None else value)
    return 0


def device_count(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``cudaGetDeviceCount(&count)``: a machine is one GPU."""
    if values and isinstance(values[0], Reference):
        count = state.program.device.get("deviceCount")
        state.put(values[0], state.unknown(values[0].variable.name, "device", call) if count is None else count)
    return 0


def properties_known(state: HostState, *, is_cuda: bool) -> Mapping[str, int]:
    """Return the properties of the GPU that are known, by their names in the CUDA runtime."""
    return {**(_OF_CUDA if is_cuda else {}), **state.program.device}
