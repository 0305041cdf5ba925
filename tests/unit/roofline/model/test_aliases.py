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
