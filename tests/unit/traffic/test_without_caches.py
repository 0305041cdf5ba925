"""Bytes of an ideal cache, by hand: what is read first, what is only written, what is written."""

import pytest

from analyzer.ir.index import var
from analyzer.profiling.counting.profiler import profile_region
from analyzer.traffic.without_caches import compulsory_line_traffic, compulsory_traffic
from tests.nests import SCALAR, N, add, element, load, loop, mul, region, store

I = var("i")
UPDATE = store(element("y", I), add(load("y", I), mul(SCALAR, load("x", I))))
COPY = store(element("y", I), load("x", I))
SUM = store(SCALAR, add(SCALAR, load("x", I)))


@pytest.mark.parametrize(("statement", "parts"), [(UPDATE, (2, 0, 1)), (COPY, (1, 1, 1)), (SUM, (1, 0, 0))])
def test_only_what_is_written_first_is_allocated(statement, parts):
    footprint = profile_region(region(loop("i", 0, N, statement))).footprint
    for traffic, unit in ((compulsory_traffic(footprint), 8), (compulsory_line_traffic(footprint), 64)):
        moved = (traffic.read_bytes, traffic.write_allocate_bytes, traffic.write_bytes)
        elements = 800 if unit == 8 else 100
        assert [int(q.estimate.evaluate({"N": 800})) for q in moved] == [part * elements * unit for part in parts]
