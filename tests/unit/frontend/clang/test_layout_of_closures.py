"""Members of closures lie one behind the other, so that what is stored in one is not read through others."""

from tests.rows import rows

TWO_GRIDS = """
struct Grid { long first, last, step; };
void f(double *a) {
  Grid columns{0, 20, 1}, rows{10, 60, 1};
  auto work = [=]() {
    for (long i = rows.first; i < rows.last; i += rows.step)
      for (long j = columns.first; j < columns.last; j += columns.step) a[i * 20 + j] += 1;
  };
  work();
}
"""


def test_objects_that_a_lambda_copies() -> None:
    row = rows(TWO_GRIDS)["f"]
    assert (row.flops, row.read, row.written, row.exact) == (50 * 20, 8_000, 8_000, True)
