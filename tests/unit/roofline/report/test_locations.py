"""References are named as the line of the source spells them."""

import pytest

from roofline.report.locations import spelled_reference

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
