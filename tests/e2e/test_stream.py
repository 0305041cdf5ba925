"""STREAM, unmodified, where a checkout of it is at hand: see :mod:`tests.bench.stream`."""

import os
from pathlib import Path

import pytest

from tests.bench.stream import expected, found

CHECKOUT = os.environ.get("STREAM_DIR")


@pytest.mark.skipif(CHECKOUT is None, reason="STREAM_DIR does not name a checkout of STREAM")
@pytest.mark.parametrize("machine", ["haswell", "skylake-6148"])
def test_the_kernels_of_stream_are_rows_with_mccalpins_bytes(machine):
    rows = found(Path(CHECKOUT or ""), machine)
    assert [name for name, row in rows.items() if row.differs(expected()[name])] == []
