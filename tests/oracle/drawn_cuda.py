"""Drawn device functions: arithmetic as people write it, for machine code to be held against what we count.

``seed, family -> source of one kernel``, ``k_FAMILY_SEED(const T *a, T *o)``.  It reads elements of ``a``, of which
there are :data:`ELEMENTS` for each thread, and writes elements of ``o``.
"""

from __future__ import annotations

import random

from msgspec import Struct

ELEMENTS = 16
PRELUDE = """#include <cuda_fp16.h>
#include <math.h>
"""


class Drawn(Struct, frozen=True):
    """A kernel: its name, text, and the type of its arrays."""

    name: str
    text: str
    element: str


def drawn(family: str, seed: int) -> Drawn:
    """Return the kernel of a family and seed."""
    return _Drawing(family, seed).kernel()


class _Drawing:
    def __init__(self, family: str, seed: int) -> None:
        self._random = random.Random(f"{family} {seed}")
        self._family = family
        self._name = f"k_{family}_{seed}"
        self._element = self._type()
        self._values: list[str] = []
        self._lines: list[str] = []
        self._before: list[str] = []
        self._inputs = 0
        self._outputs = 0

    def _type(self) -> str:
        if self._family == "halves":
            return self._random.choice(["__half", "__half2"])
        return self._random.choice(["float", "float", "double"])

    def kernel(self) -> Drawn:
        """Return the whole text."""
        getattr(self, f"_{self._family}")()
        element = self._element
        head = f'extern "C" __global__ void {self._name}(const {element} *__restrict__ a, {element} *__restrict__ o) {{'
        index = f"    int i = (blockIdx.x * blockDim.x + threadIdx.x) * {ELEMENTS};"
        text = "\n".join([*self._before, head, index, *(f"    {line}" for line in self._lines), "}", ""])
        return Drawn(self._name, text, element)

    # --- parts

    def _load(self) -> str:
        """Return a new variable with an element of the input."""
        self._inputs += 1
        name = f"x{self._inputs}"
        self._lines.append(f"{self._element} {name} = a[i + {(self._inputs - 1) % ELEMENTS}];")
        self._values.append(name)
        return name

    def _store(self, value: str) -> None:
        self._lines.append(f"o[i + {self._outputs % ELEMENTS}] = {value};")
        self._outputs += 1

    def _define(self, expression: str) -> str:
        name = f"t{len(self._values)}"
        self._lines.append(f"{self._element} {name} = {expression};")
        self._values.append(name)
        return name

    def _pick(self) -> str:
        return self._random.choice(self._values)

    def _number(self) -> str:
        number = self._random.choice(["0.5", "2.0", "3.0", "0.1", "1.5", "4.0", "0.25", "7.0"])
        return number + ("f" if self._element == "float" else "")

    def _leaf(self) -> str:
        return self._number() if self._random.random() < 0.15 else self._pick()

    def _expression(self, depth: int) -> str:
        if depth == 0 or self._random.random() < 0.15:
            return self._leaf()
        kind = self._random.random()
        left, right = self._expression(depth - 1), self._expression(depth - 1)
        if kind < 0.08:
            return f"-({left})"
        sign = "*" if kind < 0.5 else "+" if kind < 0.78 else "-"
        return f"({left} {sign} {right})"

    # --- families

    def _contraction(self) -> None:
        """Sums and products with shared and stored parts."""
        for _ in range(self._random.randint(3, 6)):
            self._load()
        temporaries = [
            self._define(self._expression(self._random.randint(1, 3))) for _ in range(self._random.randint(1, 5))
        ]
        for _ in range(self._random.randint(1, 4)):
            self._store(self._expression(2))
        self._store(temporaries[-1] if self._random.random() < 0.5 else f"{temporaries[-1]} + {self._pick()}")

    def _chains(self) -> None:
        """Sums and products of many terms, polynomials, dot products, complex products."""
        for _ in range(8):
            self._load()
        for _ in range(self._random.randint(1, 3)):
            self._store(self._define(self._chain()))

    def _chain(self) -> str:
        kind = self._random.randrange(6)
        number = self._random.randint(3, 8)
        if kind == 0:
            return " + ".join(f"{self._pick()} * {self._leaf()}" for _ in range(number))
        if kind == 1:
            x, text = self._pick(), self._number()
            for _ in range(number):
                text = f"({text} * {x} {self._random.choice('+-')} {self._leaf()})"
            return text
        if kind == 2:
            a, b, c, d = (self._pick() for _ in range(4))
            return f"({a} * {c} - {b} * {d}) + ({a} * {d} + {b} * {c})"
        if kind == 3:
            return " * ".join(self._pick() for _ in range(number))
        if kind == 4:
            differences = [self._define(f"{self._pick()} - {self._pick()}") for _ in range(3)]
            return " + ".join(f"{d} * {d}" for d in differences)
        return " ".join(f"{self._random.choice('+-')} {self._leaf()}" for _ in range(number)).lstrip("+ ")

    def _selections(self) -> None:
        """Minima, maxima, magnitudes, clamps, choices."""
        suffix = "f" if self._element == "float" else ""
        for _ in range(4):
            self._load()
        for _ in range(self._random.randint(2, 5)):
            left, right = self._expression(1), self._expression(1)
            self._define(
                self._random.choice(
                    [
                        f"fmin{suffix}({left}, {right})",
                        f"fmax{suffix}({left}, {self._number()})",
                        f"fabs{suffix}({left}) * {right}",
                        f"{self._pick()} > {self._pick()} ? {left} : {right}",
                        f"{self._pick()} < {self._number()} ? -{self._pick()} : {self._pick()}",
                        f"fmin{suffix}(fmax{suffix}({left}, {self._number()}), {self._number()})",
                        f"copysign{suffix}({left}, {right})",
                        f"fma{suffix}({self._pick()}, {self._pick()}, {left})",
                    ]
                )
            )
        self._store(self._expression(2))
        self._store(self._values[-1])

    def _loops(self) -> None:
        """Loops of constant trip counts, with arrays in registers and sums."""
        number = self._random.choice([2, 3, 4, 5, 8])
        kind = self._random.randrange(6)
        e = self._element
        zero = self._number()
        if kind == 0:
            self._lines += [
                f"{e} s = 0;",
                f"for (int k = 0; k < {number}; k++) s += a[i + k] * a[i + k + 1];",
                "o[i] = s;",
            ]
        elif kind == 1:
            self._lines += [
                f"{e} r[{number}];",
                f"for (int k = 0; k < {number}; k++) r[k] = a[i + k] * {zero};",
                f"for (int k = 1; k < {number}; k++) r[k] += r[k - 1];",
                f"for (int k = 0; k < {number}; k++) o[i + k] = r[k] - a[i];",
            ]
        elif kind == 2:
            self._lines += [
                f"{e} s = a[i], t = a[i + 1];",
                f"for (int k = 0; k < {number}; k++) {{ {e} u = s * t + {zero}; s = t; t = u; }}",
                "o[i] = s; o[i + 1] = t;",
            ]
        elif kind == 3:
            self._lines += [
                f"{e} acc[2][2] = {{}};",
                f"for (int k = 0; k < {number}; k++)",
                "    for (int p = 0; p < 2; p++) for (int q = 0; q < 2; q++)"
                " acc[p][q] += a[i + k + p] * a[i + 2 * k + q];",
                "for (int p = 0; p < 2; p++) for (int q = 0; q < 2; q++) o[i + 2 * p + q] = acc[p][q];",
            ]
        elif kind == 4:
            self._lines += [
                f"{e} s = {zero}; const {e} h = a[i] * a[i + 1];",
                f"for (int k = 0; k < {number}; k++) {{ s = s * h + a[i + k]; if (k % 2 == 0) s -= {zero}; }}",
                "o[i] = s;",
            ]
        else:
            self._lines += [
                f"{e} s = 0;",
                f"for (int k = 0; k < {number}; k++) for (int m = 0; m <= k; m++) s += a[i + m] * {zero} + k;",
                "o[i] = s * a[i];",
            ]

    def _calls(self) -> None:
        """Device functions and structures, inlined."""
        e = self._element
        self._before += [
            f"struct v_{self._name} {{ {e} x, y, z; }};",
            f"__device__ v_{self._name} plus(v_{self._name} p, v_{self._name} q)"
            " { return {p.x + q.x, p.y + q.y, p.z + q.z}; }",
            f"__device__ v_{self._name} times({e} s, v_{self._name} p) {{ return {{s * p.x, s * p.y, s * p.z}}; }}",
            f"__device__ {e} dot(v_{self._name} p, v_{self._name} q) {{ return p.x * q.x + p.y * q.y + p.z * q.z; }}",
            f"__device__ v_{self._name} cross(v_{self._name} p, v_{self._name} q)"
            " { return {p.y * q.z - p.z * q.y, p.z * q.x - p.x * q.z, p.x * q.y - p.y * q.x}; }",
        ]
        vector = f"v_{self._name}"
        names = []
        for step in range(3):
            names.append(f"p{step}")
            self._lines.append(
                f"{vector} p{step} = {{a[i + {3 * step}], a[i + {3 * step + 1}], a[i + {3 * step + 2}]}};"
            )
        for step in range(self._random.randint(1, 4)):
            p, q = self._random.choice(names), self._random.choice(names)
            expression = self._random.choice(
                [
                    f"plus({p}, {q})",
                    f"times(dot({p}, {q}), {p})",
                    f"cross({p}, {q})",
                    f"plus({p}, times({self._number()}, {q}))",
                ]
            )
            self._lines.append(f"{vector} q{step} = {expression};")
            names.append(f"q{step}")
        last = names[-1]
        self._lines += [f"o[i] = {last}.x;", f"o[i + 1] = {last}.y;", f"o[i + 2] = {last}.z + dot({names[0]}, {last});"]

    def _casts(self) -> None:
        """Mixed precisions, integers and conversions."""
        for _ in range(4):
            self._load()
        other = "double" if self._element == "float" else "float"
        for _ in range(self._random.randint(1, 4)):
            self._define(
                self._random.choice(
                    [
                        f"({self._element})(({other}){self._pick()} * ({other}){self._pick()}"
                        f" + ({other}){self._pick()})",
                        f"(int){self._pick()} * {self._pick()}",
                        f"({self._element})((int){self._pick()} & 255) * {self._number()}",
                        f"{self._pick()} * 0.3 + {self._pick()}",
                        f"{self._pick()} * 2 + 1",
                        f"({self._element})(i / {ELEMENTS} % 7) - {self._pick()}",
                        f"({other}){self._pick()} * {self._pick()}",
                    ]
                )
            )
        self._store(self._expression(2))
        self._store(self._values[-1])

    def _halves(self) -> None:
        """Halves and pairs of them: operators and intrinsics."""
        e = self._element
        two = "2" if e == "__half2" else ""
        for _ in range(4):
            self._load()
        for _ in range(self._random.randint(1, 5)):
            self._define(
                self._random.choice(
                    [
                        f"__hadd{two}({self._pick()}, {self._pick()})",
                        f"__hmul{two}({self._pick()}, {self._pick()})",
                        f"__hfma{two}({self._pick()}, {self._pick()}, {self._pick()})",
                        f"__hsub{two}({self._pick()}, {self._pick()})",
                        f"{self._pick()} * {self._pick()} + {self._pick()}",
                        f"{self._pick()} - {self._pick()}",
                        f"{self._pick()} + {self._pick()}",
                    ]
                )
            )
        self._store(self._values[-1])
        self._store(f"{self._pick()} * {self._values[-2]}")

    def _integers(self) -> None:
        """Integer code around little arithmetic, with conditions on the thread."""
        for _ in range(3):
            self._load()
        self._lines += [
            f"int n = i / {ELEMENTS};",
            f"int h = (n * 73 ^ (n >> 2)) & {self._random.choice([3, 7, 15])};",
            f"unsigned m = n * 2654435761u >> {self._random.randint(3, 20)};",
        ]
        self._define(f"({self._element})h * {self._pick()} + (m & 1 ? {self._pick()} : {self._pick()})")
        limit = self._random.choice([1, 2, 3])
        self._lines.append(f"if (n < {limit}) o[i + 9] = {self._expression(2)}; else o[i + 9] = {self._expression(1)};")
        self._store(self._expression(1))

    def _quotients(self) -> None:
        """Quotients and roots in expressions: by constants, powers of two, shared divisors, reciprocals."""
        suffix = "f" if self._element == "float" else ""
        for _ in range(4):
            self._load()
        for _ in range(self._random.randint(1, 3)):
            self._define(
                self._random.choice(
                    [
                        f"{self._pick()} / {self._pick()}",
                        f"{self._pick()} / {self._number()}",
                        f"1 / {self._pick()}",
                        f"{self._number()} / {self._pick()}",
                        f"sqrt{suffix}({self._pick()} * {self._pick()} + {self._number()})",
                        f"rsqrt{suffix}({self._pick()})",
                        f"{self._pick()} / sqrt{suffix}({self._pick()})",
                        f"1 / sqrt{suffix}({self._pick()})",
                        f"({self._pick()} + {self._pick()}) / 2",
                        f"exp{suffix}(-{self._pick()} * {self._pick()})",
                        f"pow{suffix}({self._pick()}, 2)",
                    ]
                )
            )
        self._store(self._expression(1))
        self._store(self._values[-1])

    def _mathematics(self) -> None:
        """Calls of mathematical functions in both precisions, of elements, of expressions, and two of one argument."""
        suffix = "f" if self._element == "float" else ""
        for _ in range(3):
            self._load()
        for _ in range(self._random.randint(1, 2)):
            name, other = (f"{self._random.choice(_FUNCTIONS)}{suffix}" for _ in range(2))
            argument = self._random.choice([self._pick(), f"{self._pick()} * {self._number()}", f"{self._pick()} / 4"])
            call = f"{name}({argument})"
            self._define(
                self._random.choice(
                    [
                        call,
                        f"{call} * {self._pick()} + {self._pick()}",
                        f"{call} + {other}({self._pick()})",
                        f"pow{suffix}({argument}, {self._pick()})",
                        f"pow{suffix}({argument}, {self._number()})",
                        f"atan2{suffix}({self._pick()}, {argument})",
                        f"1 / {call}",
                        f"{call} / {self._pick()}",
                    ]
                )
            )
            self._store(self._values[-1])


_FUNCTIONS = [
    "sqrt",
    "rsqrt",
    "cbrt",
    "exp",
    "exp2",
    "exp10",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sin",
    "cos",
    "tan",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "erf",
    "erfc",
    "floor",
    "ceil",
    "round",
    "trunc",
    "rint",
    "fabs",
]
FAMILIES = (
    "contraction",
    "chains",
    "selections",
    "loops",
    "calls",
    "casts",
    "halves",
    "integers",
    "quotients",
    "mathematics",
)
