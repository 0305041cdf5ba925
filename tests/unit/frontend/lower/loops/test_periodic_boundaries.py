"""Indices that wrap around at periodic boundaries are affine in two pieces, however they are written."""

import pytest

from tests.rows import rows

LEFT = {
    "a conditional": "int l = I == 0 ? N - 1 : I - 1;",
    "its reverse": "int l = I != 0 ? I - 1 : N - 1;",
    "a truth value": "int l = I ? I - 1 : N - 1;",
    "an if": "int l = I - 1; if (l < 0) l = N - 1;",
    "a sum": "int l = I - 1; if (l < 0) l += N;",
    "a remainder": "int l = (I - 1 + N) % N;",
    "a remainder of a sum": "int l = (I + N - 1) % N;",
}
RIGHT = {
    "a conditional": "int r = i == n - 1 ? 0 : i + 1;",
    "a comparison": "int r = i + 1 < n ? i + 1 : 0;",
    "an if": "int r = i + 1; if (r == n) r = 0;",
    "a difference": "int r = i + 1; if (r >= n) r -= n;",
    "a remainder": "int r = (i + 1) % n;",
}


PARAMETERS = "double *restrict a, const double *restrict b, int n, int m"


@pytest.mark.parametrize("left", LEFT.values(), ids=list(LEFT))
@pytest.mark.parametrize("right", RIGHT.values(), ids=list(RIGHT))
@pytest.mark.parametrize("size", [1, 2, 1000])
def test_each_element_is_read_once(left: str, right: str, size: int) -> None:
    """b[0] to b[n - 1] are read, and a[0] to a[n - 1] written."""
    both = left.replace("I", "i").replace("N", "n") + right
    text = f"void f({PARAMETERS}) {{ for (int i = 0; i < n; i++) {{ {both} a[i] = b[l] + b[r]; }} }}"
    row = rows(text, n=size)["f"]
    assert (row.read, row.written, row.exact) == (8 * size, 8 * size, True)


@pytest.mark.parametrize("left", LEFT.values(), ids=list(LEFT))
@pytest.mark.parametrize("right", RIGHT.values(), ids=list(RIGHT))
def test_rows_and_columns_wrap_around(left: str, right: str) -> None:
    """Each of n rows of m elements is read whole, by way of its neighbours in the next row and the column before."""
    column = left.replace("I", "j").replace("N", "m")
    inner = f"for (int j = 0; j < m; j++) {{ {column} a[i*m + j] = b[r*m + j] + b[i*m + l]; }}"
    body = f"for (int i = 0; i < n; i++) {{ {right} {inner} }}"
    row = rows(f"void f({PARAMETERS}) {{ {body} }}", n=30, m=70)["f"]
    assert (row.read, row.written, row.exact) == (8 * 30 * 70, 8 * 30 * 70, True)
