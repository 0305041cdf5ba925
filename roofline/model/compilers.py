"""The code that a compiler is likely to make of a loop: which compiler, and how wide its vectors are.

gcc and clang take vectors of 256 bits on Intel cores of 512 (``-mprefer-vector-width``: GCC manual, x86 options), and
icx too without that option (oneAPI DPC++/C++ compiler guide); on AMD they take all 512 (their tunings of znver4 have no
preference, as gcc 12 shows with the loops of ``python -m tests.bench.measured``), and all of SVE.  gcc at ``-O2``
vectorises next to nothing (its very cheap cost model): ``scalar``.  A call of a mathematical function costs what the
loops ``calls`` of ``python -m tests.bench.measured`` took with glibc 2.36 on Zen 4 and Zen 5 (``exp`` 19 and 11,
between them here), in cycles of one number: at ``-O3`` one after the other, with ``-ffast-math`` in vectors (libmvec).
Formatted input and output depend on the format, from 130 (an integer) to 650 (a number with six digits): 500.
"""

from __future__ import annotations

from enum import StrEnum
from math import log2, pow

from msgspec import Struct

from ..machine.machine import Machine

_PREFERRED_BITS = 256  # of gcc, clang and icx on cores of 512, see above
_WIDEST = 512  # bits of AVX-512
_PREFERS_LESS = "Intel"
WRITTEN_OUT = 16
"""Iterations up to which a loop of constant length is assumed to be written out (``gcc -Q -O3 --help=params``:
max-completely-peel-times)."""


class Compiler(StrEnum):
    """A compiler that is distinguished."""

    GCC = "gcc"
    CLANG = "clang"
    ICX = "icx"


ACCUMULATORS = {Compiler.GCC: 1, Compiler.CLANG: 4, Compiler.ICX: 4}
"""Vectors that a sum which may be reordered is taken apart into: gcc one (-fvariable-expansion-in-unroller is off);
LLVM, which icx is, four with AVX (``X86TTIImpl::getMaxInterleaveFactor``)."""


class Simd(StrEnum):
    """The width of vectors that an option of a compiler sets."""

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
                narrower = widest == _WIDEST and machine.vendor == _PREFERS_LESS
                return _PREFERRED_BITS if narrower else widest
            case Simd.SCALAR:
                return 0
            case _:
                return min(int(self.simd), widest)


# Of one number in fp64, alone and in vectors of 512 bits.
_CALL_CYCLES = {
    "exp": (14.5, 2.4),
    "log": (14.0, 3.0),
    "sin": (33.0, 2.3),
    "cos": (33.0, 2.3),
    "pow": (39.0, 11.0),
    "exp2": (8.0, 2.4),
    "log2": (10.0, 3.0),
    "log10": (21.5, 3.0),
    "asin": (13.0, 5.0),
    "acos": (13.0, 5.0),
    "atan": (29.0, 5.0),
    "erf": (10.0, 5.0),
    "hypot": (16.5, 2.3),
    "expm1": (13.5, 5.0),
    "log1p": (15.5, 5.0),
}
# The same in fp32, alone.
_SINGLE_CYCLES = {
    "expf": 8.0,
    "logf": 8.0,
    "sinf": 9.0,
    "cosf": 9.0,
    "powf": 12.5,
    "exp2f": 8.0,
    "log2f": 8.0,
    "log10f": 15.0,
    "asinf": 11.0,
    "acosf": 11.0,
    "atanf": 16.0,
    "erff": 10.5,
    "hypotf": 9.0,
    "expm1f": 17.5,
    "log1pf": 18.5,
    "tanf": 24.0,
    "sinhf": 29.0,
    "cbrtf": 28.5,
    "atan2f": 29.5,
    "tanhf": 31.0,
}
# Times as long one number takes in vectors of half the width: twice where units have all 512 bits (Zen 5), about as
# long where two of 256 share them (Zen 4), the two of the table; exp, log, sin, cos took 1.5 to 1.6 times on a Zen 3.
_HALF_AS_WIDE = 1.55
_OTHER_CYCLES = (40.0, 5.0)  # of others: a choice, about as the slowest that were timed
# Functions of the library without arithmetic that counts, never in vectors: the same loops, at 3.2 GHz.
_FILE_CYCLES = (
    dict.fromkeys(("putc", "fputc", "putchar", "getc", "fgetc", "getchar"), 7.0)
    | dict.fromkeys(("puts", "fputs", "fwrite", "fread", "fgets", "getline", "perror"), 55.0)
    | dict.fromkeys(("printf", "fprintf", "vprintf", "vfprintf", "print", "println", "operator<<"), 500.0)
    | dict.fromkeys(("scanf", "fscanf", "sscanf", "operator>>"), 500.0)
)
# Random numbers and formatted text, likewise; formats: see above.  ``rand`` took 42 and 21 (Zen 3), ``drand48`` 14
# and 22: between them.  Those of <random> (libstdc++ of gcc 12, a Mersenne twister) as multiples of ``drand48``, the
# best of 14 runs on one Xeon: each call of a distribution with those of its engine.  ``generate_canonical`` is what
# the uniform one calls.
_LIBRARY_CYCLES = (
    {"rand": 30.0, "random": 29.0, "rand_r": 10.5, "drand48": 17.5, "lrand48": 17.5}
    | {"random_number_engine": 20.0, "uniform_real_distribution": 43.0, "uniform_int_distribution": 29.0}
    | {"normal_distribution": 90.0, "exponential_distribution": 80.0, "bernoulli_distribution": 43.0}
    | {"poisson_distribution": 330.0, "generate_canonical": 43.0}
    | dict.fromkeys(("sprintf", "snprintf", "vsprintf", "vsnprintf"), 500.0)
    | _FILE_CYCLES
)
_CHEAP = frozenset(("fabs", "fmin", "fmax", "floor", "ceil", "trunc", "rint", "nearbyint", "copysign", "sqrt", "fma"))
_EXTREME_CYCLES = 9.0  # of a call of ``fmin`` or ``fmax``: the same loops
# Of a call of ``floor``: the call, the jump by the linker's table, the return and the loop are a branch a cycle each.
_ROUNDING_CYCLES = 4.0


def extreme_cycles() -> float:
    """Return the cycles of a call of ``fmin`` or ``fmax``, from the same loops."""
    return _EXTREME_CYCLES


def rounding_cycles() -> float:
    """Return the cycles of a call of ``floor`` and the like."""
    return _ROUNDING_CYCLES


def is_transfer(function: str) -> bool:
    """Return whether a function of the library reads or writes files, such as the terminal."""
    return function in _FILE_CYCLES


def call_cycles(function: str, *, bits: float = 0, is_single: bool = False) -> float:
    """Return the cycles of a call for one number, in vectors of so many bits (0: alone); 0 for what is an instruction.

    ``is_single``: the number is in fp32.

    >>> call_cycles("exp"), call_cycles("exp", bits=512), call_cycles("exp", bits=512, is_single=True)
    (14.5, 2.4, 1.2)
    """
    if function in _LIBRARY_CYCLES:
        return _LIBRARY_CYCLES[function]
    single = function if function in _SINGLE_CYCLES else f"{function}f"
    name = function.removesuffix("f") if function not in _CALL_CYCLES else function
    if name in _CHEAP or function in _CHEAP:
        return 0.0
    is_single = is_single or single == function
    if bits:
        in_vectors = _CALL_CYCLES.get(name, _OTHER_CYCLES)[1] * pow(_HALF_AS_WIDE, log2(_WIDEST / bits))
        return in_vectors / 2 if is_single else in_vectors  # twice as many to a vector
    if is_single and single in _SINGLE_CYCLES:
        return _SINGLE_CYCLES[single]
    return _CALL_CYCLES.get(name, _OTHER_CYCLES)[0]
