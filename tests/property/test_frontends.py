"""Drawn nests printed as C and read back by each frontend do what the nest itself does."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given

from analyzer.frontend.reader import Reader

from ..oracle.interpreter import run
from ..oracle.nests import Nest, nests, to_c
from ..oracle.sources import region_of_text


@pytest.mark.parametrize("reader", get_args(Reader))
@given(nest=nests())
def test_reading_back_gives_the_same_execution(reader, nest: Nest):
    region = region_of_text(to_c(nest.region), nest.region.name, {}, frontend=reader)
    for sizes in nest.sizes:
        drawn, read = run(nest.region, sizes), run(region, sizes)
        assert read.operations == drawn.operations
        assert read.elements() == drawn.elements()
        assert [r[1:4] for r in read.references] == [r[1:4] for r in drawn.references]
