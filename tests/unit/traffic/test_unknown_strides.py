"""Elements that are an unknown distance apart: bytes between those of the elements and a line for each."""

import pytest

from roofline import estimate, source_text

HEAD = "void f(int n, int s, int ld, double *c, double *a) { for (int i = 0; i < n; i++) "


@pytest.mark.parametrize(
    ("body", "sizes", "most"),
    [
        ("a[i] += c[i*s];", {}, 16 + 64),
        ("a[i] += c[i*s + 3];", {}, 16 + 64),
        ("c[i*s] = a[i];", {}, 8 + 64 + 64),  # the line comes in, and goes back
        ("a[i] += c[i*s];", {"s": 1}, None),
        ("a[i] += c[i*8];", {}, None),  # elements, by the convention
        ("for (int j = 0; j < n; j++) a[i*ld + j] += c[j*ld + i];", {}, None),
        ("a[i] += c[s];", {}, None),
    ],
)
def test_bytes_are_between_elements_and_lines(body, sizes, most):
    (region,) = estimate(source_text(f"{HEAD} {body} }}", "c"), "haswell", cores=1, sizes=sizes).regions
    moved = region.profile.compulsory_traffic
    parts = (moved.read_bytes, moved.write_allocate_bytes, moved.write_bytes)
    if most is None:
        assert all(part.is_exact for part in parts)
    else:
        assert sum(part.upper.evaluate({"n": 1000, "s": 9, "ld": 9}) for part in parts) == most * 1000
        assert any(note.code == "AI211" for note in region.profile.assumptions)
