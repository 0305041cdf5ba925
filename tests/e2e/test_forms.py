"""Loops beyond affine ones at twelve sizes: formulas against instrumented runs (``tests.bench.forms``)."""

from __future__ import annotations

import json
from functools import cache

import pytest

from analyzer.source import read_source
from roofline import EstimateOptions, estimate, source_text
from roofline.report.formula import Formula
from tests.bench.forms import FILES, FOLDER, SIZES, TRUTH, functions, sizes_of
from tests.night import of_day

_STEPS = [name for name, _ in functions("steps.c")]
_OPEN = {"odd_even_merge", *_STEPS} - {"gray_flips", "bits_of_bytes"}
"""Functions with a trip count that is a symbol still, without sizes."""
_INTERVALS = {"binary_search", "fwt_by_index", "sieve_primes", "trial_division"}
_NAMES = [name for file in FILES for name, _ in functions(file)]


@cache
def _formulas() -> dict[str, Formula]:
    files = [estimate(read_source(str(FOLDER / file))) for file in FILES]
    without_loop = EstimateOptions(functions=("power_by_squaring", "in_turn"))
    files.append(estimate(read_source(str(FOLDER / "recursion.c")), options=without_loop))
    return {region.profile.function: region.flops for found in files for region in found.regions}


@pytest.mark.parametrize("name", [name for name in _NAMES if name not in _OPEN])
def test_formulas_are_what_runs_count(name: str) -> None:
    flops = _formulas()[name]
    truth = json.loads(TRUTH.read_text("utf-8"))[name]
    assert flops.quantity.is_exact is (name not in _INTERVALS)
    for size in SIZES:
        values = {**dict.fromkeys(flops.symbols, 1), **flops.values, **sizes_of(name, size)}
        least, most = flops.quantity.lower.evaluate(values), flops.quantity.most.evaluate(values)
        assert least <= truth[str(size)] <= most, (size, str(flops))
        assert name in _INTERVALS or least == most


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mergesort_recursive", "2*n*log2(n) if n is a power of 2; else "),
        ("fft_recursive", "5*n*log2(n) if n is a power of 2; else "),
        ("matmul_recursive", "2*n^3 if n is a power of 2; else "),
        ("sum_pairwise", "9/8*n - 1 if n >= 8 is a power of 2; else "),
        ("shrinking_by_one", "1/2*n^2 + 1/2*n"),
    ],
)
def test_recursion_is_summed_over_its_calls(name: str, text: str) -> None:
    assert str(_formulas()[name]).startswith(text)


def test_a_transform_is_what_textbooks_say() -> None:
    flops = _formulas()["fft_radix_2"]
    assert str(flops).startswith("5*n*log2(n) if n is a power of 2; else 10*sum(")
    assert flops.at(n=1 << 20) == 5 * 20 << 20
    assert flops.symbols == ("n",)


@pytest.mark.parametrize("size", of_day(SIZES, 4))
@pytest.mark.parametrize(
    ("name", "file"),
    [("odd_even_merge", "loops.c"), ("fwt_by_index", "digits.c"), *((name, "steps.c") for name in _STEPS)],
)
def test_what_has_no_formula_is_counted_at_given_sizes(name: str, file: str, size: int) -> None:
    options = EstimateOptions(functions=(name,), defines={"n": str(size)})
    (region,) = estimate(read_source(str(FOLDER / file)), options=options).regions
    truth = json.loads(TRUTH.read_text("utf-8"))[name]
    assert region.flops.quantity.is_exact
    assert region.flops.at() == truth[str(size)]


def test_work_that_varies_below_an_average_is_an_interval() -> None:
    source = """void f(int n, float *x) {
      for (int i = 1; i < n; i++)
        for (int j = i; j > 0; j &= j - 1)
          for (int k = 0; k < i; k++) x[k] += 1; }"""
    (region,) = estimate(source_text(source, "f.c"), options=EstimateOptions(defines={"n": "100"})).regions
    flops, truth = region.flops, sum(i * i.bit_count() for i in range(100))
    assert not flops.quantity.is_exact
    assert flops.quantity.lower.evaluate(flops.values) <= truth <= flops.quantity.most.evaluate(flops.values)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bitonic_network", "n*log2(n)^2 + n*log2(n) if n is a power of 2; else "),
        ("xor_butterfly", "n*log2(n) if n is a power of 2; else "),
        ("every_mth", "2*floor((m + n - 1)/m)"),
        ("hypercube_exchange", "2*n*log2(n) if n is a power of 2; else "),
    ],
)
def test_conditions_on_bits_and_remainders_have_formulas(name: str, text: str) -> None:
    assert str(_formulas()[name]).startswith(text)


@pytest.mark.parametrize(("size", "launches"), [(512, 45), (2048, 66), (1 << 14, 105)])
def test_launches_of_a_bitonic_network_are_summed(size: int, launches: int) -> None:
    options = EstimateOptions(defines={"n": str(size)})
    (region,) = estimate(read_source(str(FOLDER / "launched.cu")), options=options).regions
    assert region.flops.quantity.is_exact
    assert region.flops.at() == launches * size  # a pair of elements takes two operations


@pytest.mark.parametrize("options", [(), ("-v",), ("--machine", "haswell"), ("--format", "json")])
def test_a_sum_that_has_too_many_terms_at_common_sizes_ends_no_command(run, tmp_path, options) -> None:
    source = tmp_path / "x.c"
    loop = "for (int i = 0; i < n * m; i++) { r += r; for (int j = r + i; j < 9; j++) a[j] += 1; }"
    source.write_text(f"void f(int n, int m, double *a) {{ int r = 3; {loop} }}")
    assert run(str(source), *options).code == 0
