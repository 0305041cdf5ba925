"""Members of closures lie one behind the other, so that what is stored in one is not read through others."""

from tests.language import rows

TWO_RANGES = """
struct Range { int first, last; };
void f(double *a) {
  Range rows{10, 60}, columns{0, 20};
  auto work = [=]() {
    for (int i = rows.first; i < rows.last; i++)
      for (int j = columns.first; j < columns.last; j++) a[i * 20 + j] += 1;
  };
  work();
}
"""
