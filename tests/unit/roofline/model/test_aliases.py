"""Elements that stay in memory as other pointers may name them: local variables, their gain and their patch."""

from __future__ import annotations

import pytest

from roofline import estimate, source_text
from roofline.report.patches.held_source import with_held

HEAD = "void f(int n, double *{0}a, double *{0}x, double *{0}y, double *{0}z)"
BODY = """ {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      y[i] += a[i * n + j] * x[j];
      z[i] += a[i * n + j];
    }
}
"""
HELD = """ {
  for (int i = 0; i < n; i++)
    if (0 < n) {
      double y_i = y[i];
      double z_i = z[i];
      for (int j = 0; j < n; j++) {
        y_i += a[i * n + j] * x[j];
        z_i += a[i * n + j];
      }
      y[i] = y_i;
      z[i] = z_i;
    }
}
"""


def analyzed(text, advise=False):
    (region,) = estimate(source_text(text), "icelake", sizes={"n": 300}, cores=1, warm=True, advise=advise).regions
    return region


def held(text):
    region = analyzed(text, advise=True)
    return [each for part in (region, *region.nests) for each in part.advice if each.code == "AI418"]


def seconds(text):
    return analyzed(text).projections[0].expected.time.value


def test_the_gain_is_that_of_the_source_with_local_variables():
    """An addition of 4 cycles and a load of 5 from the store before, then the addition alone; sums stay in order."""
    text = HEAD.format("") + BODY
    (advice,) = held(text)
    assert advice.elements == ("y[i]", "z[i]")
    assert advice.gain == pytest.approx(seconds(text) / seconds(HEAD.format("") + HELD), rel=0.02)
    assert 2 < advice.gain < 9 / 4  # entering the loop takes as long as before


@pytest.mark.parametrize("text", [HEAD.format("restrict ") + BODY, HEAD.format("") + HELD], ids=["restrict", "held"])
def test_elements_in_registers_need_no_advice(text):
    assert not held(text)


SAME_ARRAY = """void f(int n, double *a, double *y, double *z) {
  for (int i = 0; i < n; i++)
    for (int j = %s; j < %s; j++) {
      y[i] += a[i * n + j] * y[%s];
      z[i] += a[i * n + j];
    }
}
"""


@pytest.mark.parametrize(
    ("bounds", "elements"),
    [
        (("0", "n", "j"), ("z[i]",)),  # j passes i: the sum so far is needed
        (("0", "i", "j"), ("y[i]", "z[i]")),  # a triangular solve: elements before i alone
        (("i + 1", "n", "j"), ("y[i]", "z[i]")),
        (("0", "i", "n - 1 - j"), ("z[i]",)),
        (("0", "i", "(int)a[j]"), ("z[i]",)),
    ],
)
def test_an_element_that_another_subscript_reads_stays_in_memory(bounds, elements):
    found = held(SAME_ARRAY % bounds)
    assert all(advice.elements == elements for advice in found)
    assert found or elements == ("z[i]",)


def test_an_element_that_other_threads_read_behind_a_barrier_stays_in_memory():
    text = """
__global__ void f(int rows, const int *w, int *out, int cols, int border) {
  __shared__ int now[256], next[256];
  int t = threadIdx.x, x = 216 * blockIdx.x - border + t, left = t > 0 ? t - 1 : 0, right = t < 255 ? t + 1 : 255;
  now[t] = out[x];
  __syncthreads();
  for (int i = 0; i < rows; i++) {
    bool computed = t > i && t < 255 - i;
    if (computed) {
      int least = now[left] < now[t] ? now[left] : now[t];
      next[t] = (least < now[right] ? least : now[right]) + w[cols * i + x];
    }
    __syncthreads();
    if (computed) now[t] = next[t];
    __syncthreads();
  }
  out[x] = next[t];
}
void g(int *out, int *w) { f<<<463, 256>>>(20, w, out, 100000, 20); }
"""
    (region,) = (each for each in estimate(source_text(text, "k.cu"), "a100", advise=True).regions if each.projections)
    chains = [chain for inner in region.profile.inner_loops for chain in inner.iteration.vectorization.chains]
    assert [(chain.name, chain.is_alone) for chain in chains] == [("now[threadIdx.x]", False)]
    assert not [each for part in (region, *region.nests) for each in part.advice if each.code == "AI418"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("z[i] += a[i * n + j];", "z[i] += a[i * n + j]; if (z[i] > 9) break;"),
        ("a[i * n + j];", "y[j];"),
        ("    for (int j", "#pragma omp simd\n    for (int j"),
        ("f(int n,", "f(int y_i, int n,"),
    ],
    ids=["break", "another element", "pragma", "name"],
)
def test_what_a_person_has_to_look_at_is_no_patch(old, new):
    text = HEAD.format("") + BODY
    (advice,) = held(text)
    (edit,) = with_held(text, 1, (1, 9), advice)
    assert text[: edit.start] + edit.text + text[edit.end :] == HEAD.format("") + HELD
    assert with_held(text.replace(old, new), 1, (1, 9), advice) == ()
