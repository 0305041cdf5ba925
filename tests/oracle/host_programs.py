"""Drawn host programs that launch kernels in loops, as CUDA text and as the list of their launches.

The text and the enumeration come from one tree; nothing is shared with the analysis.  ``scale<<<g, 64>>>(x, n)`` has
2 FLOPs for each of the first ``n`` threads; ``shift<<<g, 64>>>(x, n, k)`` has 1 for each thread whose number plus ``k``
is below ``n``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Union

from hypothesis import strategies as st
from msgspec import Struct

KERNELS = """
__global__ void scale(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * 2.0f + 1.0f;
}
__global__ void shift(float *x, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + k;
  if (i < n) x[i] *= 3.0f;
}
"""
_BLOCK = 64
_LARGE = 300  # beyond every value of a loop counter


class Number(Struct, frozen=True):
    """``factor * variable + offset`` as the source has it, with ``shift`` a division by a power of two."""

    variable: str
    factor: int
    offset: int
    shift: int = 0

    def text(self) -> str:
        inner = f"{self.offset}" if not self.variable else f"{self.offset} + {self.factor} * {self.variable}"
        return f"(({inner}) >> {self.shift})" if self.shift else f"({inner})"

    def value(self, values: Mapping[str, int]) -> int:
        return (self.offset + (self.factor * values[self.variable] if self.variable else 0)) >> self.shift


class Launch(Struct, frozen=True):
    """A launch; ``blocks`` is a fixed number of blocks, None for as many as ``n`` threads need."""

    kernel: str
    n: Number
    k: Number
    blocks: int | None

    def text(self) -> str:
        blocks = f"({self.n.text()} + {_BLOCK - 1}) / {_BLOCK}" if self.blocks is None else f"{self.blocks}"
        more = f", {self.k.text()}" if self.kernel == "shift" else ""
        return f"{self.kernel}<<<{blocks}, {_BLOCK}>>>(x, {self.n.text()}{more});"

    def flops(self, values: Mapping[str, int]) -> int:
        n, k = self.n.value(values), self.k.value(values)
        blocks = (n + _BLOCK - 1) // _BLOCK if self.blocks is None else self.blocks
        if self.kernel == "scale":
            return 2 * max(0, min(blocks * _BLOCK, n))
        return max(0, min(blocks * _BLOCK, n - k))


class Swap(Struct, frozen=True):
    """Pointers change places."""


class Parity(Struct, frozen=True):
    """A branch on whether a counter is even."""

    variable: str
    then: tuple[Statement, ...]
    orelse: tuple[Statement, ...]


class Loop(Struct, frozen=True):
    """A loop over the values that its head gives to ``variable``."""

    variable: str
    form: str
    first: int
    last: int
    step: int
    body: tuple[Statement, ...]

    def head(self) -> tuple[str, str, str]:
        v, first, last, step = self.variable, self.first, self.last, self.step
        match self.form:
            case "up":
                return f"int {v} = {first}", f"{v} < {last}", f"{v} += {step}"
            case "down":
                return f"int {v} = {last}", f"{v} >= {first}", f"{v} -= {step}"
            case "half":
                return f"int {v} = {last}", f"{v} >= 1", f"{v} /= 2"
            case _:
                return f"int {v} = 1", f"{v} < {last}", f"{v} <<= 1"

    def values(self) -> Iterator[int]:
        match self.form:
            case "up":
                yield from range(self.first, self.last, self.step)
            case "down":
                yield from range(self.last, self.first - 1, -self.step)
            case "half":
                value = self.last
                while value >= 1:
                    yield value
                    value //= 2
            case _:
                value = 1
                while value < self.last:
                    yield value
                    value *= 2

    @property
    def is_while(self) -> bool:
        return self.step % 2 == 0


Statement = Union[Launch, Swap, Parity, Loop]


def text_of(program: tuple[Statement, ...]) -> str:
    """A whole file with its ``main``."""
    return f"{KERNELS}int main() {{\n  float *x, *y, *t;\n{_lines(program, 1)}}}\n"


def launches_of(program: tuple[Statement, ...], values: Mapping[str, int] | None = None) -> Iterator[tuple[str, int]]:
    """Every launch in order: the kernel and its FLOPs."""
    known = values or {}
    for statement in program:
        match statement:
            case Launch():
                yield statement.kernel, statement.flops(known)
            case Parity():
                yield from launches_of(statement.orelse if known[statement.variable] % 2 else statement.then, known)
            case Loop():
                for value in statement.values():
                    yield from launches_of(statement.body, {**known, statement.variable: value})
            case Swap():
                pass


def _lines(statements: tuple[Statement, ...], depth: int) -> str:
    return "".join(f"{'  ' * depth}{line}\n" for statement in statements for line in _text(statement, depth))


def _text(statement: Statement, depth: int) -> Iterator[str]:
    match statement:
        case Launch():
            yield statement.text()
        case Swap():
            yield "t = x; x = y; y = t;"
        case Parity():
            yield f"if ({statement.variable} % 2 == 0) {{"
            yield _lines(statement.then, depth + 1).rstrip("\n")
            yield "} else {"
            yield _lines(statement.orelse, depth + 1).rstrip("\n")
            yield "}"
        case Loop():
            start, condition, advance = statement.head()
            body = _lines(statement.body, depth + 1)
            if statement.is_while:
                yield f"{{ {start}; while ({condition}) {{\n{body}{'  ' * (depth + 1)}{advance}; }} }}"
            else:
                yield f"for ({start}; {condition}; {advance}) {{\n{body}{'  ' * depth}}}"


@st.composite
def programs(draw: st.DrawFn) -> tuple[Statement, ...]:
    """One to three statements, loops among them nested twice at most."""
    return tuple(draw(st.lists(_statements((), 0), min_size=1, max_size=3)))


def _statements(variables: tuple[str, ...], depth: int) -> st.SearchStrategy[Statement]:
    found: list[st.SearchStrategy[Statement]] = [_launches(variables), _loops(variables, depth)]
    if depth == 2:
        found = found[:1]
    if variables:
        inside = st.lists(_launches(variables), max_size=2).map(tuple)
        found += [st.just(Swap()), st.builds(Parity, st.sampled_from(variables), inside, inside)]
    return st.one_of(*found)


@st.composite
def _loops(draw: st.DrawFn, variables: tuple[str, ...], depth: int) -> Loop:
    name = f"v{len(variables)}"
    body = draw(st.lists(_statements((*variables, name), depth + 1), min_size=1, max_size=2))
    form = draw(st.sampled_from(("up", "down", "half", "double")))
    most = 40 if depth == 0 else 12
    return Loop(name, form, draw(st.integers(0, 5)), draw(st.integers(1, most)), draw(st.integers(1, 3)), tuple(body))


@st.composite
def _launches(draw: st.DrawFn, variables: tuple[str, ...]) -> Launch:
    name = draw(st.sampled_from(("", *variables)))
    n = Number(name, draw(st.sampled_from((-2, -1, 1, 3))), _LARGE, draw(st.sampled_from((0, 0, 1, 2))))
    k = Number(draw(st.sampled_from(("", *variables))), draw(st.sampled_from((1, 2))), draw(st.integers(0, 9)))
    return Launch(draw(st.sampled_from(("scale", "shift"))), n, k, draw(st.sampled_from((None, None, 2, 4))))
