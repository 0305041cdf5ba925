"""Conversions of numbers: a value of its own, but for those to references."""

import pytest

from tests.rows import rows

SQUARE = "double square(const double &v) { return v * v; } void add(double &v) { v += 1; v += 2; }\n"


@pytest.mark.parametrize(
    ("body", "loads", "stores"),
    [
        ("t += square(double(a[i]));", 1, 0),
        ("t += square((double)a[i]);", 1, 0),
        ("t += square(static_cast<double>(a[i]));", 1, 0),
        ("t += square(a[i]);", 2, 0),
        ("t += square(static_cast<const double &>(a[i]));", 2, 0),
        ("add(static_cast<double &>(a[i]));", 2, 2),
        ("add(*&a[i]);", 2, 2),
        ("long k = reinterpret_cast<long &>(a[i]); t += k;", 1, 0),
    ],
)
def test_a_value_is_loaded_once(body: str, loads: int, stores: int) -> None:
    text = f"{SQUARE}double f(double *a, int n) {{ double t = 0; for (int i = 0; i < n; i++) {{ {body} }} return t; }}"
    row = rows(text)["f"]
    assert (row.loads, row.stores) == (8_000 * loads, 8_000 * stores)
