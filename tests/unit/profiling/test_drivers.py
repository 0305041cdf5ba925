"""Loops that only repeat nests: each nest is a row of its own, also where data choose elements."""

import pytest

from roofline import estimate, source_text


@pytest.mark.parametrize("kind", ["unsigned char", "int"])
def test_a_histogram_is_repeated_like_other_nests(kind):
    """The range of an index that data choose does not hang on the repetition, though the data may."""
    text = f"""static {kind} pixels[10000], found[10000];
    int main(void) {{
      int bins[256];
      for (int frame = 0; frame < 60; frame++) {{
        for (int i = 0; i < 10000; i++) found[i] = pixels[i];
        for (int i = 0; i < 256; i++) bins[i] = 0;
        for (int i = 0; i < 10000; i++) bins[found[i]]++;
      }}
      return bins[3];
    }}"""
    (region,) = estimate(source_text(text), "haswell").regions
    (frames,) = region.nests
    assert [nest.profile.span.line for nest in frames.nests] == [5, 6, 7]
    assert {nest.profile.repetitions for nest in frames.nests} == {60}


def test_the_iteration_of_a_window_is_that_of_rows_longer_than_the_window():
    """Of w iterations w - 2 r - 1 take an element off again, which no growth of both alike shows."""
    text = """void f(const int *restrict a, int *restrict b, int w, int r) {
      int s = 0;
      for (int x = 0; x < w; x++) { s += a[x]; if (x >= 2*r+1) s -= a[x-2*r-1]; b[x] = s; }
    }"""
    (region,) = estimate(source_text(text), "haswell").regions
    iteration = region.nests[0].profile.per_iteration
    assert {key.operation.value: number for key, number in iteration.operations.items()} == {"add": 1, "sub": 1}
    assert iteration.load_bytes == 8
