"""What programs ask of the GPU that they run on, by the names of the CUDA runtime: machines to properties.

Of several GPUs those properties are known in which all agree.  A program finds one GPU in a machine, whose peaks are
those of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...machine.machine import Machine


def device_properties(machines: Iterable[Machine]) -> Mapping[str, int]:
    """Return the properties that all GPUs among the machines share."""
    found = [_properties(machine) for machine in machines if machine.gpu is not None]
    if not found:
        return {}
    first, *others = found
    return {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}


def _properties(machine: Machine) -> dict[str, int]:
    gpu = machine.gpu
    assert gpu is not None
    numbers = {
        "deviceCount": 1,
        "warpSize": gpu.warp_size,
        "multiProcessorCount": machine.units.count,
        "maxThreadsPerMultiProcessor": gpu.max_threads_per_unit,
        "maxBlocksPerMultiProcessor": gpu.max_blocks_per_unit,
        "regsPerMultiprocessor": gpu.registers_per_unit,
        "sharedMemPerMultiprocessor": gpu.shared_memory_bytes,
    }
    capability = (gpu.target or "").removeprefix("sm_").rstrip("af")
    if (gpu.target or "").startswith("sm_") and capability.isdigit():
        numbers |= {"major": int(capability[:-1]), "minor": int(capability[-1])}
    return {name: value for name, value in numbers.items() if value is not None}
