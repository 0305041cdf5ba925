"""Numbers of iterations with given bits and remainders, at all sizes, against counting them one by one."""

from __future__ import annotations

from itertools import product

import pytest

from analyzer.ir.index import bit_and, const, var
from analyzer.source import Language, SourceFile
from roofline import estimate

_SIZES = range(1, 70)
_ONE = [
    "(i & s) == 0",
    "(i & s) != 0",
    "(i ^ s) > i",
    "(i ^ s) < i",
    "i % s == 0",
    "i % (2*s) >= s",
    "i % (4*s) == s",
    "i % (3*s) < 2*s",
    "(i / s) % 3 != 1",
    "((i / s) & 1) == 1",
    "(i & (2*s - 1)) == 1",
    "(i & s) == s && i + s < n",
]
_TWO = [
    "(i & s) == 0 && (i & k) != 0",
    "(i ^ s) > i && i % (2*k) < k",
    "i % k == 0 && (i & s) == 0",
    "(i & k) && !(i & s)",
]


def _runs(condition: str, s: int, k: int, n: int, start: int) -> int:
    text = condition.replace("/", "//").replace("&&", " and ").replace("!(", "not (")
    code = compile(text, condition, "eval")
    return sum(bool(eval(code, {"i": i, "s": s, "k": k, "n": n})) for i in range(start, n))


@pytest.mark.parametrize(("condition", "start"), [*product(_ONE, ["0", "s"])])
def test_iterations_with_a_digit(condition, start):
    text = f"for (s = 1; s < n; s *= 2) for (i = {start}; i < n; i++) if ({condition}) x[i] += 1.0;"
    (region,) = estimate(SourceFile("a.c", text, Language.C)).regions
    assert region.flops.quantity.is_exact
    for n in _SIZES:
        powers = [1 << t for t in range(8) if 1 << t < n]
        assert region.flops.at(n=n) == sum(_runs(condition, s, 0, n, s if start == "s" else 0) for s in powers)


@pytest.mark.parametrize("condition", _TWO)
def test_iterations_with_two_digits(condition):
    loops = "for (k = 2; k <= n; k *= 2) for (s = k/2; s > 0; s /= 2) for (i = 0; i < n; i++)"
    text = f"{loops} if ({condition}) x[i] += 1.0;"
    (region,) = estimate(SourceFile("a.c", text, Language.C)).regions
    assert region.flops.quantity.is_exact
    for n in _SIZES:
        pairs = [(1 << t, 1 << u) for t in range(1, 8) for u in range(t) if 1 << t <= n]
        assert region.flops.at(n=n) == sum(_runs(condition, s, k, n, 0) for k, s in pairs)


@pytest.mark.parametrize("modulus", [1, 2, 3, 7, 8])
def test_remainders_by_a_size(modulus):
    text = "for (i = 2; i < n; i++) if (i % m == 0) x[i] += 1.0;"
    (region,) = estimate(SourceFile("a.c", text, Language.C)).regions
    for n in _SIZES[2:]:
        assert region.flops.at(n=n, m=modulus) == sum(i % modulus == 0 for i in range(2, n))


def test_bits_of_what_is_no_power_of_two_are_an_interval():
    text = "for (h = n/2; h > 0; h /= 2) for (i = 0; i < n; i++) if ((i & h) == 0) x[i] += 1.0;"
    (region,) = estimate(SourceFile("a.c", text, Language.C)).regions
    assert region.flops.symbols == ("n",)
    assert (region.flops.quantity.lower.evaluate({"n": 12}), region.flops.quantity.most.evaluate({"n": 12})) == (0, 36)


@pytest.mark.parametrize("mask", [0, 1, 6, 12, 85, 127, -1, -2, -7, -13])
def test_bits_in_common_with_a_number(mask):
    found = bit_and(var("x"), const(mask))
    assert [found.evaluate({"x": x}) for x in range(-40, 40)] == [x & mask for x in range(-40, 40)]


def test_threads_of_blocks_are_one_range():
    text = """__global__ void f(float *x) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        for (int s = 1; s < 64; s *= 2) if (i % (2 * s) == s) x[i] += 1.0f;
    }"""
    (region,) = estimate(SourceFile("a.cu", text, Language.CUDA)).regions
    for blocks, threads in [(1, 32), (3, 20), (4, 96), (2, 7)]:
        sizes = {"threads.x": blocks * threads, "gridDim.x": blocks, "blockDim.x": threads}
        counted = sum(i % (2 << t) == 1 << t for t in range(6) for i in range(blocks * threads))
        assert region.flops.quantity.lower.evaluate(sizes) == region.flops.quantity.most.evaluate(sizes) == counted


def test_pairs_of_loops_are_not_looked_at_without_a_digit(monkeypatch):
    monkeypatch.setattr("analyzer.domains.series.digits._fused", None)
    text = "for (s = 1; s < n; s *= 2) for (i = 0; i < n; i++) if (i + s < n && i != m) x[i] += 1.0;"
    (region,) = estimate(SourceFile("a.c", text, Language.C)).regions
    assert region.flops.at(n=8, m=9) == 7 + 6 + 4
