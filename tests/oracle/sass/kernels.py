"""One-thread runs of small kernels: arrays of numbers in, FLOPs and results out."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Sequence

from .floating import long_bits
from .listing import Code, bits_of
from .machine import Executed, run
from .state import Launch, Memory
from .tallies import flops

INPUT, OUTPUT, APART = 0x100000, 0x800000, 0x10000
SIZES = {"__half": 2, "__nv_bfloat16": 2, "float": 4, "__half2": 4, "__nv_bfloat162": 4, "double": 8}


def bits(number: float, element: str) -> int:
    """Return a number as the bits of a type; pairs hold it twice."""
    if element == "float":
        return bits_of(number)
    if element == "double":
        return long_bits(number)
    half = bits_of(number) >> 16 if "bfloat" in element else struct.unpack("<H", struct.pack("<e", number))[0]
    return half | half << 16 if element.endswith("2") else half


def number(value: int, element: str) -> float:
    """Return what bits of a type mean; of pairs the low half."""
    if element == "double":
        return float(struct.unpack("<d", value.to_bytes(8, "little"))[0])
    if element == "float":
        return float(struct.unpack("<f", value.to_bytes(4, "little"))[0])
    if "bfloat" in element:
        return float(struct.unpack("<f", ((value & 0xFFFF) << 16).to_bytes(4, "little"))[0])
    return float(struct.unpack("<e", (value & 0xFFFF).to_bytes(2, "little"))[0])


def run_once(code: Code, inputs: Sequence[Sequence[float]], element: str, threads: int = 1) -> tuple[Executed, Memory]:
    """Run ``k(const T *a, const T *b, ..., T *o)`` on one block."""
    memory, size = Memory(), SIZES[element]
    for position, values in enumerate(inputs):
        for index, value in enumerate(values):
            memory.store(INPUT + position * APART + index * size, size, bits(value, element))
    addresses = [INPUT + position * APART for position in range(len(inputs))] + [OUTPUT]
    parameters = b"".join(address.to_bytes(8, "little") for address in addresses)
    return run(code, Launch((1, 1, 1), (threads, 1, 1), parameters), memory), memory


def flops_of_call(code: Code, arguments: Sequence[float], element: str) -> tuple[Counter[str], float]:
    """Return the FLOPs of one thread, and the first number that it stores."""
    ran, memory = run_once(code, [[argument] for argument in arguments], element)
    return flops(ran), number(memory.load(OUTPUT, SIZES[element]), element)
