"""Operations that are counted against a budget."""

from __future__ import annotations

import pytest

from analyzer.limits.hard_limit import Overrun
from analyzer.limits.meter import Meter


def test_a_meter_ends_what_takes_more_than_it_may() -> None:
    meter = Meter()
    for _ in range(5):
        meter.take()
    meter.most = meter.used + 2
    meter.take()
    meter.take()
    with pytest.raises(Overrun):
        meter.take()
    assert meter.used == 8
