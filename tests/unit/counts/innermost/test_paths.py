"""What a value is made of, in the order in which reports name it."""

from __future__ import annotations

from analyzer.counts.innermost.paths import reads
from analyzer.ir.index import var
from analyzer.ir.types import INT32
from analyzer.ir.values import IndexValue


def test_the_names_of_an_index_come_in_one_order_in_every_run() -> None:
    names = ["x", "v", "n", "a", "k"]
    index = sum((var(name) for name in names[1:]), var(names[0]))
    assert list(reads(IndexValue(index, INT32))) == sorted(names)
