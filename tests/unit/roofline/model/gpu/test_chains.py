"""What one thread of a GPU waits for: 4 cycles for a sum and 29.9 for a load in L1 of a V100, at 1.53 GHz."""

from __future__ import annotations

import pytest

from cli.render.text.little import little_text
from roofline.estimation import estimate, source_text
from roofline.model.projection import Bound
from roofline.options import EstimateOptions

CLOCK = 1.53e9
SUM = "float s = 0; for (int i = 0; i < n; i++) s += a[i]; out[threadIdx.x] = s;"


def projected(body: str, launch: str = "<<<1, 32>>>", machine: str = "v100"):
    text = f"""
    __global__ void k(int n, const int *next, const float *a, float *out) {{ {body} }}
    int main() {{
      int *p; float *a, *b;
      cudaMalloc(&p, 1 << 26); cudaMalloc(&a, 1 << 26); cudaMalloc(&b, 1 << 12);
      k{launch}(1 << 20, p, a, b);
    }}"""
    (region,) = estimate(source_text(text, "k.cu"), machine, EstimateOptions()).regions
    return region, region.projections[0]


def test_a_sum_of_one_thread_waits_for_every_addition():
    region, found = projected(SUM)
    assert found.bound is Bound.LATENCY
    assert found.time.value == pytest.approx(2**20 * 4 / CLOCK)
    assert "AI410" in {advice.code for advice in region.advice}
    assert projected(SUM.replace("i++", "i += 2"))[1].time.value == pytest.approx(2**19 * 4 / CLOCK)


def test_loads_that_wait_for_one_another_take_the_latency_of_l1():
    body = "int p = threadIdx.x; for (int i = 0; i < n; i++) p = next[p]; out[threadIdx.x] = p;"
    region, found = projected(body)
    assert found.bound is Bound.LATENCY
    assert found.time.value == pytest.approx(2**20 * 29.9 / CLOCK)
    assert [advice.code for advice in region.advice] == ["AI410"]
    assert [text.split(" on their way")[0] for text in little_text(found)][-1] == "Little's law: 257 kB"


def test_threads_do_not_wait_for_one_another():
    _, found = projected("int i = 256*blockIdx.x + threadIdx.x; atomicAdd(out, a[i]);", "<<<4096, 256>>>")
    assert found.held is None or found.held.name != "latency"


def test_a_machine_without_a_stated_latency_bounds_no_sum():
    assert projected(SUM, machine="l40")[1].bound is not Bound.LATENCY
