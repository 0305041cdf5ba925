"""The rate of a function without sizes is not above that of its fastest nest."""

import pytest

from roofline import estimate, source_text


@pytest.mark.parametrize("loops", [1, 2])
def test_sums_in_order_run_on_one_core_in_their_function_too(loops):
    """One addition in 3 cycles of 2.3 GHz with one product: 2 * 2.3e9 / 3 FLOP/s, not 14 cores' bandwidth."""
    loop = "for (int i = 0; i < n; i++) s += x[i] * y[i];"
    text = f"double dot(int n, const double *x, const double *y) {{ double s = 0; {loop * loops} return s; }}"
    (region,) = estimate(source_text(text, "c"), "haswell").regions
    rates = [part.projections[0].attainable.value for part in (region, *region.nests)]
    assert rates == pytest.approx([2 * 2.3e9 / 3] * len(rates))
    assert region.projections[0].bound is region.nests[0].projections[0].bound
