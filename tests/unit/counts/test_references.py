"""Loads that are left at register level around barriers."""

import pytest

from tests.unit.counts.test_cuda_snippets import profiles

HEAD = (
    "__global__ void k(float *x, const float *__restrict__ y, const float *z, float *o) {"
    " int i = threadIdx.x; float s = 0;"
)


@pytest.mark.parametrize(
    ("text", "loads"),
    [
        ("s += z[i]; s += z[i];", 1),
        ("s += z[i]; __syncthreads(); s += z[i];", 2),
        ("s += y[i]; __syncthreads(); s += y[i];", 1),
        ("for (int j = 0; j < 7; j++) s += z[i] * j;", 1),
        ("for (int j = 0; j < 7; j++) { s += z[i] * j; __threadfence(); }", 7),
        ("for (int j = 0; j < 7; j++) { s += y[i] * j; __threadfence(); }", 1),
        ("s += z[i]; for (int j = 0; j < 7; j++) __syncwarp(); s += z[i];", 2),
        ("x[i] = s; __syncthreads(); s += x[i];", 1),
        ("x[i] = s; s += x[i];", 0),
    ],
)
def test_what_another_thread_may_change_is_loaded_again_behind_a_barrier(text, loads):
    (profile,) = profiles(f"{HEAD} {text} o[i] = s; }}", "k:grid=1,block=32")
    assert profile.register_traffic.read_bytes.estimate.evaluate({}) == 32 * loads * 4
