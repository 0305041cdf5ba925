"""Single precision: where it may be tried, its bytes and operations, and that it comes last."""

import pytest

from roofline import estimate, source_text


def advised(body, head="long n, double *restrict a, double *restrict b"):
    text = f"double unknown(double); void f({head}) {{ for (long i = 0; i < n; i++) {body} }}"
    report = estimate(source_text(text, "c"), "haswell", sizes={"n": 10**7}, cores=1, advise=True)
    return report.regions[0].nests[0].advice


def test_half_the_bytes():
    """16 bytes are loaded and 8 stored of each iteration, of which float has half."""
    found = advised("a[i] = 0.3 * a[i] + b[i];")
    (narrow,) = (each for each in found if each.code == "AI417")
    assert (narrow.before_bytes, narrow.after_bytes) == (240e6, 120e6)
    assert narrow.gain == pytest.approx(2, rel=0.02)
    assert narrow is found[-1]


def test_it_comes_after_what_keeps_the_numbers():
    assert [each.code for each in advised("a[i] = 0.5 * b[i];")] == ["AI401", "AI417"]


@pytest.mark.parametrize(
    "body",
    [
        "a[i] = 3.141592653589793 * b[i];",  # more digits than float has
        "a[i] += 1e300 * b[i];",  # beyond its range
        "a[i] = unknown(b[i]);",  # a function of doubles
        "a[i] += (long double)b[i];",  # a wider type, which the source chose
    ],
)
def test_what_demands_double(body):
    assert "AI417" not in [each.code for each in advised(body)]


def test_a_sum_of_floats_in_double_was_chosen():
    assert "AI417" not in [each.code for each in advised("a[0] += x[i];", "long n, double *restrict a, float *x")]
