"""One thread as it runs: registers, predicates, and the memories that it shares with the threads of its block.

Words are of 32 bits; a pair of registers is a word of 64.  Memory that nothing wrote holds what its ``fill`` says.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from .listing import Code, Operand, bits_of

WORD = 0xFFFFFFFF
LONG = 0xFFFFFFFFFFFFFFFF
PARAMETERS = {75: 0x160, 80: 0x160, 86: 0x160, 87: 0x160, 88: 0x160, 89: 0x160, 90: 0x210}
NEWER_PARAMETERS = 0x380
STACK = 0x00FFFC00
_SHAPES = {False: (0x0, 0xC), True: (0x360, 0x370)}


class NotModelled(Exception):
    """The interpreter does not know an instruction, or a thread does not end."""


class Memory:
    """Words by address; ``fill`` gives what was never written."""

    def __init__(self, fill: Callable[[int], int] = lambda address: 0) -> None:
        self._words: dict[int, int] = {}
        self._fill = fill

    def word(self, address: int) -> int:
        """Return the word at an address that is a multiple of 4."""
        index = address >> 2
        found = self._words.get(index)
        return self._fill(address & ~3) if found is None else found

    def load(self, address: int, size: int) -> int:
        """Return ``size`` bytes as a number."""
        if size >= 4:
            return sum(self.word(address + 4 * step) << (32 * step) for step in range(size // 4))
        return (self.word(address) >> (8 * (address & 3))) & ((1 << (8 * size)) - 1)

    def store(self, address: int, size: int, value: int) -> None:
        """Write ``size`` bytes."""
        if size >= 4:
            for step in range(size // 4):
                self._words[(address >> 2) + step] = (value >> (32 * step)) & WORD
            return
        shift, mask = 8 * (address & 3), (1 << (8 * size)) - 1
        self._words[address >> 2] = (self.word(address) & ~(mask << shift)) | ((value & mask) << shift)


class Launch(Struct, frozen=True):
    """Grid and block, and the bytes of the parameters."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    parameters: bytes


class Thread:
    """A thread: its index, registers and memories.  ``pc`` is an address, or None once it has ended."""

    def __init__(
        self, code: Code, launch: Launch, index: tuple[int, int, int], block: tuple[int, int, int], memories: Memories
    ) -> None:
        self.registers = [0] * 257
        self.uniform = [0] * 257
        self.predicates = [False] * 7 + [True]
        self.uniform_predicates = [False] * 7 + [True]
        self.code, self.launch, self.index, self.block = code, launch, index, block
        self.global_memory, self.shared = memories.global_memory, memories.shared
        self.local = Memory()
        self.pc: int | None = 0
        self.banks = dict(code.banks)
        self.banks[0] = _first_bank(code, launch)

    def lane(self) -> int:
        """Return the index in the warp."""
        return self.flat % 32

    @property
    def flat(self) -> int:
        """Return the index in the block."""
        x, y, z = self.index
        return x + self.launch.block[0] * (y + self.launch.block[1] * z)

    def constant(self, bank: int, offset: int, size: int) -> int:
        """Return a constant; what lies behind a bank is 0."""
        return int.from_bytes(self.banks.get(bank, b"")[offset : offset + size], "little")

    def read(self, operand: Operand, size: int = 4) -> int:
        """Return an operand as an unsigned number of 4 or 8 bytes, without sign and complement."""
        match operand.kind:
            case "register":
                bank, number = register_of(operand.text)
                file = self.uniform if bank == "U" else self.registers
                if number == 255:
                    return 0
                return file[number] | (file[number + 1] << 32 if size == 8 else 0)
            case "number":
                return self._number(operand, size)
            case "constant":
                offset = sum(int(self.read(term)) for term in operand.terms) & WORD
                bank = operand.text
                return self.constant(int(bank, 16) if bank.startswith("0x") else 0, offset, size)
            case "label":
                target = self.code.labels.get(operand.text, 0)
                return 0 if operand.part == "hi" else target
            case _:
                raise NotModelled(f"operand {operand.text}")

    def _number(self, operand: Operand, size: int) -> int:
        if isinstance(operand.number, float):
            bits = bits_of(operand.number)
            return bits << 32 if size == 8 else bits
        return operand.number & (LONG if size == 8 else WORD)

    def write(self, operand: Operand, value: int, size: int = 4) -> None:
        """Set a register, or a pair of them, or more."""
        bank, number = register_of(operand.text)
        if number == 255:
            return
        file = self.uniform if bank == "U" else self.registers
        for step in range(max(1, size // 4)):
            file[number + step] = (value >> (32 * step)) & WORD

    def holds(self, operand: Operand) -> bool:
        """Return a predicate operand."""
        return self.predicate(operand.text) != operand.inverted

    def predicate(self, name: str) -> bool:
        """Return a predicate by name."""
        file = self.uniform_predicates if name.startswith("U") else self.predicates
        return True if name.endswith("T") else file[int(name[-1])]

    def decide(self, operand: Operand, value: bool) -> None:
        """Set a predicate."""
        if not operand.text.endswith("T"):
            file = self.uniform_predicates if operand.text.startswith("U") else self.predicates
            file[int(operand.text[-1])] = value

    def address(self, operand: Operand) -> int:
        """Return the address that a memory operand means."""
        total = 0
        for term in operand.terms:
            if term.kind == "register":
                scale = int(term.part[1:]) if term.part.startswith("X") else 1
                wide = term.part == "64" or (term.text.startswith("U") and self._is_wide(operand))
                value = self.read(term, 8 if wide else 4)
                if len(operand.terms) > 1 and not wide and value >> 31 and self._is_wide(operand):
                    value -= 1 << 32
                total += scale * (-value if term.negative else value)
            else:
                total += int(term.number)
        return total & LONG

    def _is_wide(self, operand: Operand) -> bool:
        return any(term.part == "64" for term in operand.terms)


class Memories(Struct):
    """What the threads of a block share."""

    global_memory: Memory
    shared: Memory


def register_of(name: str) -> tuple[str, int]:
    """Return the file of a register (``R`` or ``U``) and its number, 255 for the one that is zero."""
    found = _REGISTERS.get(name)
    if found is None:
        bank = "U" if name.startswith("U") else "R"
        number = name.removeprefix("U").removeprefix("R")
        found = _REGISTERS[name] = (bank, 255 if number == "Z" else int(number))
    return found


_REGISTERS: dict[str, tuple[str, int]] = {}


def version_of(arch: str) -> int:
    """Return the number of an architecture: 86 for ``sm_86``."""
    return int("".join(letter for letter in arch.removeprefix("sm_") if letter.isdigit()))


def _first_bank(code: Code, launch: Launch) -> bytes:
    """Return constant bank 0: shapes of block and grid, the stack pointer, and the parameters."""
    version = version_of(code.arch)
    is_new = version >= 100
    start = PARAMETERS.get(version, NEWER_PARAMETERS)
    bank = bytearray(start + len(launch.parameters) + 64)
    for shape, extents in zip(_SHAPES[is_new], (launch.block, launch.grid), strict=True):
        bank[shape : shape + 12] = b"".join(extent.to_bytes(4, "little") for extent in extents)
    stack = 0x37C if is_new else 0x28
    bank[stack : stack + 4] = STACK.to_bytes(4, "little")
    bank[start : start + len(launch.parameters)] = launch.parameters
    return bytes(bank)
