"""Elements whose subscripts are not affine, counted once where references use the same of them."""

import pytest

from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile

HEADS = """
void k(int T, int C, int NH, float *restrict out, const float *restrict v) {
  int hs = C / NH;
  for (int t = 0; t < T; t++)
    for (int h = 0; h < NH; h++) {
      float *o = out + t * C + h * hs;
      BODY
    }
}
"""
ZERO, ADD = "for (int i = 0; i < hs; i++) o[i] = 0;", "for (int i = 0; i < hs; i++) o[i] += v[t*C + h*hs + i];"
NEXT = "for (int i = hs; i < 2 * hs; i++) o[i] = 1;"
SIZES = {"T": 10, "C": 32, "NH": 4}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (ZERO + ADD, (0, 320, 320)),
        (ADD + ZERO, (320, 320, 320)),
        (ZERO + NEXT, (0, 640, 640)),  # other elements, by other iterations of the same subscript
    ],
)
def test_heads_of_channels(body: str, expected: tuple[int, int, int]) -> None:
    source = SourceFile("k.c", HEADS.replace("BODY", body), Language.C)
    ((region,),) = (file.regions for file in analyze(source))
    array = next(each for each in region.footprint.arrays if each.array == "out")
    assert (
        tuple(each.elements.estimate.evaluate(SIZES) for each in (array.read, array.written, array.touched)) == expected
    )
    assert all(each.elements.lower.evaluate(SIZES) == 0 for each in (array.read, array.written))


@pytest.mark.parametrize(
    ("second", "expected"),
    [("x[idx[j]]", 10), ("x[idx[j + 1]]", 20), ("x[p[j].a] + x[p[j].b] + x[p[j].a]", 30), ("x[far[j]]", 20)],
)
def test_indices_of_two_loops_are_the_same_elements(second: str, expected: int) -> None:
    """idx[i] and idx[j] over the same range choose the same elements of x; other indices and members others."""
    text = f"""struct S {{ int a, b; }};
        void f(int n, const int *idx, const int *far, const struct S *p, double *x, double *y) {{
          for (int t = 0; t < 4; t++) {{
            for (int i = 0; i < n; i++) x[idx[i]] += 1.0;
            for (int j = 0; j < n; j++) y[j] = {second}; }} }}"""
    ((region,),) = (file.regions for file in analyze(SourceFile("k.c", text, Language.C)))
    read = next(each.read for each in region.footprint.arrays if each.array == "x")
    assert read.elements.estimate.evaluate({"n": 10}) == expected


def test_a_condition_on_data_lets_a_repeated_nest_touch_each_element_once():
    """Half of the elements, at most all, however often the loop around repeats the nest."""
    body = "for (int i = 0; i < hs; i++) if (v[t*C + h*hs + i] > 0) o[i] += 1;"
    text = HEADS.replace("for (int t = 0; t < T; t++)", "for (int r = 0; r < 100; r++) for (int t = 0; t < T; t++)")
    ((region,),) = (file.regions for file in analyze(SourceFile("k.c", text.replace("BODY", body), Language.C)))
    found = next(each.touched.elements for each in region.footprint.arrays if each.array == "out")
    assert [each.evaluate(SIZES) for each in (found.lower, found.estimate, found.upper)] == [0, 160, 320]
