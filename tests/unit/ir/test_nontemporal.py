"""Which arrays non-temporal stores alone touch, and what they cost: figures by hand for elements of 8 B."""

from __future__ import annotations

import pytest

from roofline import estimate, source_text
from roofline.report.regions import RegionReport

HEAD = (
    "#include <immintrin.h>\nvoid f(long n, double *restrict a, const double *restrict b, const double *restrict c) {\n"
)
LOOP = "for (long i = 0; i < n; i += 4) "
TRIAD = LOOP + "_mm256_stream_pd(a + i, _mm256_add_pd(_mm256_loadu_pd(c + i), _mm256_loadu_pd(b + i)));\n"
N = 10_000_000


def region(body: str, **options: object) -> RegionReport:
    (found,) = estimate(source_text(HEAD + body + "}", "x.c"), "haswell", **options).regions
    return found


@pytest.mark.parametrize("cache", ["analytic", "simulate"])
def test_the_memory_alone_sees_what_is_streamed(cache: str) -> None:
    """2 arrays are read and 1 is written: 24 B an element of memory, 24 B of L1, and 16 B between the caches."""
    found = region(TRIAD, sizes={"n": N}, cache=cache)
    sizes = {level: float(moved.total.estimate.evaluate({"n": N})) / N for level, moved in found.served}
    assert sizes == pytest.approx({"L1": 24, "L2": 16, "L3": 16, "DRAM": 24}, rel=1e-3)
    assert found.moved.write_allocate.is_zero
    assert not any(advice.code == "AI401" for advice in found.advice)


def test_without_sizes_nothing_is_allocated() -> None:
    assert region(TRIAD).bytes.at(n=N) == 24 * N


def test_stores_of_scalars_are_streamed() -> None:
    body = "for (long i = 0; i < n; i++) _mm_stream_si64((long long *)a + i, i);\n"
    assert region(body, sizes={"n": N}).bytes.value == pytest.approx(8 * N, rel=1e-3)


@pytest.mark.parametrize(
    "other",
    ["for (long i = 0; i < n; i++) a[i] += 1;", "double s = 0; for (long i = 0; i < n; i++) s += a[i]; a[0] = s;"],
)
def test_an_array_that_is_also_read_has_ordinary_stores(other: str) -> None:
    found = region(TRIAD + other, sizes={"n": N})
    assert found.nests[0].bytes.value == pytest.approx(32 * N, rel=1e-3)
    assert any(note.code == "AI305" and note.form == "streamed" for note in found.assumptions)
