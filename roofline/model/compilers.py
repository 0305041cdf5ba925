"""The code that a compiler is likely to make of a loop: which compiler, and how wide its vectors are.

gcc and clang take vectors of 256 bits on Intel cores of 512 (``-mprefer-vector-width``: GCC manual, x86 options), and
icx too unless told otherwise (oneAPI DPC++/C++ compiler guide); on AMD they take all 512 (their tunings of znver4 have
no preference, as gcc 12 shows with the loops of ``python -m tests.bench.measured``).  gcc at ``-O2`` vectorises next to
nothing (its very cheap cost model): ``scalar``.  A call of a mathematical function costs what the loops ``calls`` of
``python -m tests.bench.measured`` took with glibc 2.36 on Zen 4 and Zen 5 (``exp`` 19 and 11, between them here), in
cycles of one number: at ``-O3`` one after the other, with ``-ffast-math`` in vectors (libmvec).  Formatted input and
output depend on the format, from 130 (an integer) to 650 (a number with six digits): 500.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from ..machine.machine import Machine

_PREFERRED_BITS = 256
_WIDEST = 512
_TAKES_ALL = "AMD"


class Compiler(StrEnum):
    """A compiler that is told apart."""

    GCC = "gcc"
    CLANG = "clang"
    ICX = "icx"


class Simd(StrEnum):
    """The width of vectors that a compiler is told to use."""

    SCALAR = "scalar"
    BITS_128 = "128"
    BITS_256 = "256"
    BITS_512 = "512"


class Code(Struct, frozen=True):
    """What is known of the code: the compiler, and how wide its vectors are (None: as it chooses itself)."""

    compiler: Compiler = Compiler.GCC
    simd: Simd | None = None

    def bits(self, machine: Machine) -> int:
        """Return the width of vectors on the cores of a machine; 0 for none."""
        widest = 0 if machine.core is None else machine.core.simd_bits
        match self.simd:
            case None:
                narrower = widest == _WIDEST and machine.vendor != _TAKES_ALL
                return _PREFERRED_BITS if narrower else widest
            case Simd.SCALAR:
                return 0
            case _:
                return min(int(self.simd), widest)


_CALL_CYCLES = {
    "exp": (14.5, 2.4),
    "log": (14.0, 3.0),
    "sin": (33.0, 2.3),
    "cos": (33.0, 2.3),
    "pow": (39.0, 11.0),
}
_OTHER_CYCLES = (40.0, 5.0)
# Functions of the library without arithmetic that counts, never in vectors: the same loops, at 3.2 GHz.
_FILE_CYCLES = (
    dict.fromkeys(("putc", "fputc", "putchar", "getc", "fgetc", "getchar"), 7.0)
    | dict.fromkeys(("puts", "fputs", "fwrite", "fread", "fgets", "getline", "perror"), 55.0)
    | dict.fromkeys(("printf", "fprintf", "vprintf", "vfprintf", "operator<<"), 500.0)
    | dict.fromkeys(("scanf", "fscanf", "sscanf", "operator>>"), 500.0)
)
_LIBRARY_CYCLES = (
    {"rand": 42.0, "random": 40.0, "rand_r": 10.5, "drand48": 14.0, "lrand48": 14.0}
    | dict.fromkeys(("sprintf", "snprintf", "vsprintf", "vsnprintf"), 500.0)
    | _FILE_CYCLES
)
_CHEAP = frozenset(("fabs", "fmin", "fmax", "floor", "ceil", "trunc", "rint", "nearbyint", "copysign", "sqrt", "fma"))


_EXTREME_CYCLES = 9.0


def extreme_cycles() -> float:
    """Return the cycles of a call of ``fmin`` or ``fmax``, from the same loops."""
    return _EXTREME_CYCLES


def is_transfer(function: str) -> bool:
    """Return whether a function of the library reads or writes files, such as the terminal."""
    return function in _FILE_CYCLES


def call_cycles(function: str, *, vector: bool) -> float:
    """Return the cycles of a call for one number; 0 for what is an instruction."""
    if function in _LIBRARY_CYCLES:
        return _LIBRARY_CYCLES[function]
    name = function.removesuffix("f") if function not in _CALL_CYCLES else function
    if name in _CHEAP or function in _CHEAP:
        return 0.0
    return _CALL_CYCLES.get(name, _OTHER_CYCLES)[vector]
