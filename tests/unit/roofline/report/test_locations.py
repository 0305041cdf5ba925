"""References are named as the line of the source spells them."""

import pytest

from roofline.report.locations import spelled_divisor, spelled_reference

LINE = "            e += p->u[j * p->nx + i] * q[i];"


@pytest.mark.parametrize(
    ("array", "text"),
    [
        ("p->u", "p->u[j*nx + i]"),
        ("p.u|p.next", "p.u|p.next[max(0, steps) mod 2][j*nx + i]"),  # pointers that are swapped
        ("p.next|p.u", "p.next|p.u[1][j*nx + i]"),
    ],
)
def test_an_array_of_several_names_is_the_one_in_the_line(array, text):
    assert spelled_reference(array, text, [LINE]) == ("u[j * p->nx + i]", LINE.index("u[") + 1)


@pytest.mark.parametrize(
    ("divisor", "line", "spelled"),
    [
        ("9500.0", "a[i][j] = (double) ((i + j) % n) / (5*m);", "5*m"),
        ("120.0", "a[i] = b[i] = (double) (i + (n-k)) * 10 / (n);", "n"),
        ("7.0", "a[i] = (double) (i % 13) / 13; b[i] = (double) (i % 7) / 7;", "7"),
        ("3.0", "c[i] /= 3;", "3"),
        (
            "sqrt(v[f]) + 9.999999974752427e-07",
            "x[i] = (x[i] - m[f])/(sqrt(v[f]) + .000001f);",
            "sqrt(v[f]) + .000001f",
        ),
        ("3.0", "x = y / (double) n;", "3.0"),  # a cast is not the divisor
        ("3.0", "x = y / n;  // see ../.", "n"),
    ],
)
def test_a_divisor_of_known_value_is_the_one_in_the_line(divisor, line, spelled):
    assert spelled_divisor(divisor, line) == spelled


def test_a_subscript_is_found_in_another_order_of_its_terms():
    line = "sum += ALPHA*A[i+k*lda]*B[k+j*ldb];"
    assert spelled_reference("a", "a[k*lda + i]", [line]) == ("A[i+k*lda]", line.index("A[") + 1)
