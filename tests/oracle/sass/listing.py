"""A listing of ``nvdisasm`` as values: instructions with operands, and the constants that a kernel reads.

``text -> {kernel: Code}``.  An operand keeps its modifiers: sign, magnitude, complement, and the part of a register.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator
from functools import cache

from msgspec import Struct

_SECTION = re.compile(r"^\s*\.section\s+(\S+?),")
_LABEL = re.compile(r"^(\S+):\s*$")
_INSTRUCTION = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+(?:@(!?)(U?P(?:\d|T))\s+)?([^;]*?)\s*;?\s*$")
_DATA = re.compile(r"^\s+(?:/\*[0-9a-f]+\*/\s+)?\.(byte|short|word|dword|zero)\s+(.*?)$")
_VARIABLES = ".nv.global.init"
VARIABLES_START = 0x40000000
_SIZES = {"byte": 1, "short": 2, "word": 4, "dword": 8}
_REGISTER = re.compile(r"^(U?R(?:\d+|Z)|U?P(?:\d|T)|B\d+|SB\d+)$")
_CONSTANT = re.compile(r"^cx?\[(0x[0-9a-f]+|U?R\w+)\]\[([^\]]*)\]$")
_TARGET = re.compile(r"`\((?:\.text\.)?([^)]*)\)")
_PARTS = (
    "H0_NH1",
    "H0_H0",
    "H1_H1",
    "H1_H0",
    "H0",
    "H1",
    "F32",
    "64",
    "reuse",
    "B0",
    "B1",
    "B2",
    "B3",
    "X4",
    "X8",
    "X16",
)


class Operand(Struct, frozen=True):
    """One operand: a register (with its file), a number, a constant of a bank, a memory address, or a label."""

    kind: str  # register, number, constant, memory, label, special
    text: str
    number: float | int = 0
    negative: bool = False
    magnitude: bool = False
    inverted: bool = False
    part: str = ""
    terms: tuple[Operand, ...] = ()

    @property
    def is_zero(self) -> bool:
        """Return whether it is the register that is always zero."""
        return self.text in ("RZ", "URZ")


class Instruction(Struct, frozen=True):
    """One instruction at its address: ``@!P0 FADD.FTZ R1, R2, -R3``."""

    address: int
    name: str
    modifiers: tuple[str, ...]
    operands: tuple[Operand, ...]
    predicate: str = "PT"
    is_negated: bool = False


class Code(Struct, frozen=True):
    """The instructions of one kernel by address, its labels, and the constants of its banks."""

    name: str
    arch: str
    instructions: tuple[Instruction, ...]
    labels: dict[str, int]
    banks: dict[int, bytes]
    variables: bytes = b""


def codes_of(listing: str, arch: str) -> dict[str, Code]:
    """Return the kernels of a listing."""
    texts: dict[str, list[str]] = {}
    section = ""
    for line in listing.splitlines():
        if match := _SECTION.match(line):
            section = match.group(1)
        texts.setdefault(section, []).append(line)
    variables, addresses = _bytes(texts.get(_VARIABLES, []), {})
    data = {name: _bytes(lines, addresses)[0] for name, lines in texts.items() if name.startswith(".nv.constant")}
    found = {}
    for section, lines in texts.items():
        if section.startswith(".text."):
            name = section.removeprefix(".text.")
            instructions, labels = _instructions(lines)
            found[name] = Code(name, arch, instructions, labels, _banks(data, name), variables)
    return found


def _banks(data: dict[str, bytes], kernel: str) -> dict[int, bytes]:
    found = {}
    for name, content in data.items():
        bank, _, owner = name.removeprefix(".nv.constant").partition(".")
        if bank.isdigit() and owner in ("", kernel):
            found[int(bank)] = content
    return found


def _bytes(lines: list[str], addresses: dict[str, int]) -> tuple[bytes, dict[str, int]]:
    """Return the data of a section, and the addresses of the variables in it; others' ``addresses`` may be data."""
    found, labels = bytearray(), {}
    for line in lines:
        if match := _LABEL.match(line):
            labels[match.group(1)] = VARIABLES_START + len(found)
        if match := _DATA.match(line):
            kind, values = match.groups()
            if kind == "zero":
                found += bytes(int(values))
                continue
            for value in map(str.strip, values.split(",")):
                number = int(value, 16) if value.startswith("0x") else addresses.get(value, 0)
                found += number.to_bytes(_SIZES[kind], "little")
    return bytes(found), labels


def _instructions(lines: list[str]) -> tuple[tuple[Instruction, ...], dict[str, int]]:
    found: list[Instruction] = []
    labels: dict[str, int] = {}
    waiting: list[str] = []
    for line in lines:
        if match := _LABEL.match(line):
            waiting.append(match.group(1).removeprefix(".text."))
        elif match := _INSTRUCTION.match(line):
            address = int(match.group(1), 16)
            labels |= dict.fromkeys(waiting, address)
            waiting = []
            mnemonic, _, rest = match.group(4).partition(" ")
            name, *modifiers = mnemonic.split(".")
            operands = tuple(_operand(part) for part in _split(rest.replace(" `(", ", `(")))
            found.append(
                Instruction(address, name, tuple(modifiers), operands, match.group(3) or "PT", match.group(2) == "!")
            )
    return tuple(found), labels


def _split(text: str) -> Iterator[str]:
    """Yield operands: commas outside of brackets separate them."""
    depth, part = 0, ""
    for letter in text:
        depth += (letter in "[({") - (letter in "])}")
        if letter == "," and depth == 0:
            yield part.strip()
            part = ""
        else:
            part += letter
    if part.strip():
        yield part.strip()


@cache
def _operand(text: str) -> Operand:
    if match := _TARGET.search(text):
        return Operand("label", match.group(1), part="hi" if "@hi" in text else "lo")
    if text.startswith(("desc[", "gdesc[")):
        return _operand(text[text.index("]") + 1 :])
    negative, text = text.startswith("-"), text.removeprefix("-")
    inverted, text = text.startswith(("~", "!")), text.lstrip("~!")
    magnitude, text = text.startswith("|"), text.replace("|", "")
    part = ""
    while not text.startswith("[") and (end := _part(text)):
        text = text[: -len(end) - 1]
        part = end if end != "reuse" else part
    number = _number(text)
    if number is not None:
        return Operand("number", text, -number if negative else number)
    flags = {"negative": negative, "inverted": inverted, "magnitude": magnitude, "part": part}
    if match := _CONSTANT.match(text):
        return Operand("constant", match.group(1), terms=tuple(_terms(match.group(2))), **flags)
    if text.startswith("["):
        return Operand("memory", text, terms=tuple(_terms(text[1 : text.index("]")])), **flags)
    kind = "register" if _REGISTER.match(text) else "special"
    return Operand(kind, text, **flags)


def _part(text: str) -> str:
    return next((part for part in _PARTS if text.endswith("." + part) and not text[0].isdigit()), "")


def _terms(text: str) -> Iterator[Operand]:
    """Yield the summands of an address: ``R2.64+UR4+0x10``."""
    for part in text.replace("+-", "+~").split("+"):
        part = part.strip().replace("~", "-")
        if part:
            yield _operand(part.replace(".U32", "").replace(".S32", ""))


def _number(text: str) -> float | int | None:
    if text.startswith("0x"):
        return int(text.split(".")[0], 16)
    if text.startswith("+") and text[1:] in ("INF", "QNAN", "SNAN"):
        return math.inf if text == "+INF" else math.nan
    if text in ("INF", "QNAN"):
        return math.inf if text == "INF" else math.nan
    try:
        return float(text) if any(letter in text for letter in ".e") else int(text)
    except ValueError:
        return None


def bits_of(number: float) -> int:
    """Return a number as the bits of a single-precision number, rounded."""
    try:
        return int(struct.unpack("<I", struct.pack("<f", number))[0])
    except OverflowError:
        return 0x7F800000 if number > 0 else 0xFF800000
