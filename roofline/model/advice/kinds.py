"""Kinds of advice: one value for each, with its subjects, its numbers and the gain that the model predicts.

:mod:`roofline.report.sentences` writes them as text.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from analyzer.transformations.kinds import (
    Box,
    Coarsen,
    Cut,
    Exchange,
    Fuse,
    Interchange,
    Jam,
    Narrow,
    Pad,
    Reshape,
    Separate,
    Split,
    Stage,
    Transformation,
    Turn,
    Widen,
)

NOTICEABLE = 1.01
"""The least gain that is said: below it a suggestion is noise."""
WORTH = 1.2
"""The spread of expected times: a change of the source that gains less may as well lose (tests/bench/README.md)."""
REGISTERS = "registers"


class StreamingStores(Struct, frozen=True):
    """Non-temporal stores to ``arrays`` save the write-allocate; ``gain`` is the predicted speed-up."""

    code: ClassVar[str] = "AI401"
    arrays: tuple[str, ...]
    gain: float


class ReuseData(Struct, frozen=True):
    """Fewer bytes from ``level`` gain in proportion, up to ``gain`` times.

    That is where the named ceiling is reached, or where no more than the compulsory bytes move.
    ``inner`` has to hold the data instead: :data:`REGISTERS`, a cache, or shared memory, which then has tiles of
    ``arrays`` that several threads of a block read; None where the level is the memory: then ``arrays`` are those of
    structures that are used in part.
    """

    code: ClassVar[str] = "AI402"
    level: str | None
    inner: str | None
    ceiling: str
    gain: float
    arrays: tuple[str, ...] = ()


class ReorderSums(Struct, frozen=True):
    """Sums in another order do not wait for the latency of one addition; ``gain`` is the predicted speed-up.

    Without sizes it ``is_most``: of as many accumulators as the core has room for, with data in the caches.
    Most of the time are the functions ``called``, which run in vectors only with the option of the compiler that lets
    sums be reordered: several accumulators alone gain little then.
    """

    code: ClassVar[str] = "AI403"
    gain: float
    is_most: bool = False
    called: tuple[str, ...] = ()


class TransformLoops(Struct, frozen=True):
    """A nest after some ``steps``, which dependences allow and which was analyzed again.

    It moves ``after_bytes`` at ``level`` instead of ``before_bytes`` (None without sizes).  ``gain`` is the predicted
    speed-up, None where sizes or a machine are not known: then the strides of the references are the proof.
    """

    steps: tuple[Transformation, ...]
    gain: float | None
    level: str | None = None
    before_bytes: float | None = None
    after_bytes: float | None = None

    @property
    def code(self) -> str:
        """Return the code of the last step."""
        match self.steps[-1]:
            case Cut() | Box():
                return "AI405"
            case Interchange() | Split():
                return "AI411"
            case Jam():
                return "AI412"
            case Separate():
                return "AI413"
            case Fuse():
                return "AI415"
            case Pad():
                return "AI416"
            case Narrow():
                return "AI417"
            case Stage():
                return "AI420"
            case Coarsen():
                return "AI421"
            case Exchange():
                return "AI422"
            case Reshape():
                return "AI423"
            case Turn():
                return "AI424"
            case Widen():
                return "AI425"


class CoalesceAccesses(Struct, frozen=True):
    """Neighbouring threads on neighbouring elements of ``arrays``; ``gain`` is the predicted speed-up."""

    code: ClassVar[str] = "AI406"
    arrays: tuple[str, ...]
    gain: float


class AvoidBankConflicts(Struct, frozen=True):
    """Rows of ``arrays`` longer by so many ``paddings``, or permuted (0), against bank conflicts, and the speed-up."""

    code: ClassVar[str] = "AI407"
    arrays: tuple[str, ...]
    gain: float
    paddings: tuple[int, ...] = ()


class CopyToDevice(Struct, frozen=True):
    """``arrays`` in the memory of the host, copied to the GPU once; ``gain`` is the speed-up of each use after that."""

    code: ClassVar[str] = "AI409"
    arrays: tuple[str, ...]
    gain: float


class SplitChain(Struct, frozen=True):
    """Several chains side by side instead of the one of ``value``; ``gain`` is the most that this could be.

    ``of_loads``: what waits are loads, else sums of one thread.
    """

    code: ClassVar[str] = "AI410"
    value: str
    of_loads: bool
    gain: float


class MultiplyByInverse(Struct, frozen=True):
    """The inverse of a divisor that stays the same, computed once before the loop; ``gain`` is the predicted speed-up.

    The divisions are in these ``lines``.
    """

    code: ClassVar[str] = "AI414"
    lines: tuple[int, ...]
    gain: float


class HoldElements(Struct, frozen=True):
    """Elements that other pointers may name, in local variables during the innermost loop, and the speed-up.

    Without ``elements`` only the pointers are to be promised apart (``restrict``).  ``types`` are those of the elements
    in C, empty where that is no floating-point number.
    """

    code: ClassVar[str] = "AI418"
    elements: tuple[str, ...]
    gain: float
    types: tuple[str, ...] = ()


class CallOnce(Struct, frozen=True):
    """Functions of values that stay the same in the innermost loop, called before it; ``gain`` is the speed-up."""

    code: ClassVar[str] = "AI419"
    functions: tuple[str, ...]
    lines: tuple[int, ...]
    gain: float


Advice = (
    StreamingStores
    | ReuseData
    | ReorderSums
    | TransformLoops
    | CoalesceAccesses
    | AvoidBankConflicts
    | CopyToDevice
    | SplitChain
    | MultiplyByInverse
    | HoldElements
    | CallOnce
)
