"""Machine code as far as registers are concerned: what each instruction computes and needs, loops and branches."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Union

from msgspec import Struct

from ..ir.nodes import MemorySpace


class Kind(Enum):
    """What an instruction is.

    Copies of a value share its register where the value is needed no more; to hold values is no instruction.
    """

    COMPUTED = "computed"
    ADDRESS = "address"
    LOAD = "load"
    STORE = "store"
    BARRIER = "barrier"
    COPY = "copy"
    HOLD = "hold"
    CALL = "call"


class Instruction(Struct, frozen=True, kw_only=True):
    """An instruction with the number of its result (None: none), its width in registers, and the values it needs.

    While it runs it needs ``extra`` registers more.  Loads and stores name an array and where it lives, and whether
    no other name reaches it (``unaliased``).
    """

    kind: Kind = Kind.COMPUTED
    result: int | None = None
    width: int = 1
    operands: tuple[int, ...] = ()
    extra: int = 0
    array: str = ""
    space: MemorySpace = MemorySpace.GLOBAL
    unaliased: bool = False


class Repeated(Struct, frozen=True):
    """A loop: its body, and the values that its test needs after each iteration."""

    body: Sequence[Code]
    needed: tuple[int, ...]


class Either(Struct, frozen=True):
    """A conditional: the values that its test needs, and both branches."""

    needed: tuple[int, ...]
    first: Sequence[Code]
    second: Sequence[Code]


Code = Union[Instruction, Repeated, Either]
