"""What conditions on data read and write in any case: elements by hand."""

import pytest

from analyzer.quantities.quantity import Exactness
from roofline import estimate, source_text

N = 1000


@pytest.mark.parametrize(
    ("body", "read", "written"),
    [
        ("a[i] = a[i] < b[i] ? a[i] : b[i];", 2 * N, N),  # the comparison reads both
        ("a[i] = a[i] > 0 ? a[i] : 0;", N, N),
        ("if (a[i] > 0) a[i] = a[i] + b[i];", (N, 2 * N), (0, N)),
        ("a[i] = c[i] > 0 ? b[i] : -b[i];", 2 * N, N),  # both arms read b
        ("if (c[i] > 0) a[i] = b[i]; else a[i] = 2 * b[i];", 2 * N, N),  # and write a
        ("if (c[i] > 0) { if (d[i] > 0) a[i] = b[i]; else a[i] = 2 * b[i]; } else a[i] = 0;", (N, 3 * N), N),
        ("a[i] = c[i] > 0 ? b[i] : d[i];", (N, 3 * N), N),  # data decide which of both is read
        ("if (c[i] > 0) s += b[i]; s -= b[i];", 2 * N, 0),  # read before or after: read
        ("if (c[i] > 0) b[i] = 1; a[i] = b[i];", (N, 2 * N), (N, 2 * N)),  # perhaps written before it is read
    ],
)
def test_elements_that_are_used_whatever_the_data_are(body, read, written):
    source = "void f(int n, double *restrict a, double *restrict b, double *restrict c, double *restrict d, double s) {"
    (region,) = estimate(source_text(f"{source} for (int i = 0; i < n; i++) {{ {body} }} }}")).regions
    values = {"n": N}
    for extent, wanted in ((region.profile.footprint.read, read), (region.profile.footprint.written, written)):
        found = extent.elements
        ends = (found.lower.evaluate(values), found.upper.evaluate(values))
        assert ends == (wanted if isinstance(wanted, tuple) else (wanted, wanted))
        assert isinstance(wanted, tuple) or found.exactness is Exactness.EXACT


def test_registers_load_an_element_once_whichever_branch_runs():
    """The comparison loads a[i] and b[i]; the arms have them in registers."""
    text = "void f(int n, double *a, double *b) { for (int i = 0; i < n; i++) a[i] = a[i] < b[i] ? a[i] : b[i]; }"
    (region,) = estimate(source_text(text)).regions
    one = region.profile.per_iteration
    assert one is not None
    assert (one.loads, one.stores) == (2, 1)
    assert str(region.profile.register_traffic.read_bytes.upper) == "16*n"
