"""The kernels of ``corpus/loops`` with what was measured by running their instrumented sources.

Where a kernel depends on data, the data of its ``main`` are computed here again, so that the interpreter can follow it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import accumulate, islice
from typing import Any

from msgspec import Struct

from analyzer.ir.nodes import Region

from .evaluate import refuse
from .interpreter import Execution, run
from .sources import CORPUS, region_of

FOLDER = CORPUS / "loops"


class Record(Struct, frozen=True, eq=False):
    """One kernel at one size; ``numbers`` are the measured figures."""

    kernel: str
    function: str
    source: str
    dataset: str
    numbers: Mapping[str, Any]

    @property
    def defines(self) -> dict[str, str]:
        return dict(define.split("=") for define in self.numbers["defines"])

    @property
    def sizes(self) -> dict[str, int]:
        """Values of the parameters of the kernel functions."""
        return {"n": int(self.defines["N"])}

    def region(self) -> Region:
        return region_of(FOLDER / self.source, self.function, self.defines)

    def execute(self) -> Execution:
        """Interpret the kernel at its size, on its data."""
        data = _DATA.get(self.function, _NoData)(self.defines)
        return run(self.region(), self.sizes, choose=data.choose, guess=data.guess)


@cache
def document() -> dict[str, Any]:
    return json.loads((FOLDER / "oracle.json").read_text("utf-8"))


def records(*datasets: str) -> list[Record]:
    """Measured records of some datasets (SMALL, MEDIUM, LARGE)."""
    return [
        Record(found["kernel"], found["function"], found["source"], found["dataset"], found)
        for found in document()["records"]
        if found["dataset"] in datasets
    ]


def random_numbers() -> Iterator[int]:
    """The generator of ``gt_extra.h``."""
    seed = 12345
    while True:
        seed = (seed * 1664525 + 1013904223) % 2**32
        yield seed >> 8


class _NoData:
    def __init__(self, defines: Mapping[str, str]) -> None:
        self.defines = defines

    def choose(self, name: str, where: Mapping[str, int]) -> bool:
        raise ValueError(f"{name} depends on data")

    def guess(self, label: str, where: Mapping[str, int]) -> int:
        return refuse(label, where)


class _RandomIndices(_NoData):
    """``gather`` and ``histogram``: one random index for each i."""

    def __init__(self, defines: Mapping[str, str]) -> None:
        super().__init__(defines)
        bound = int(defines.get("NX") or defines["BINS"])
        self.indices = [number % bound for number in islice(random_numbers(), int(defines["N"]))]

    def guess(self, label: str, where: Mapping[str, int]) -> int:
        return self.indices[where["i"]]


class _BandedRows(_NoData):
    """``spmv_csr`` with BANDED: row i has the columns i-4 .. i+4 that exist."""

    def __init__(self, defines: Mapping[str, str]) -> None:
        super().__init__(defines)
        size = int(defines["N"])
        self.rows = [[c for c in range(i - 4, i + 5) if 0 <= c < size] for i in range(size)]
        self.starts = list(accumulate(map(len, self.rows), initial=0))
        self.columns = [column for row in self.rows for column in row]

    def guess(self, label: str, where: Mapping[str, int]) -> int:
        if label.startswith("trip"):
            return len(self.rows[where["i"]])
        if "colidx" in label:
            return self.columns[self.starts[where["i"]] + where["j"]]
        return self.starts[where["i"]]


class _RunningMaximum(_NoData):
    """``softmax_rows``: is a[i][j] larger than everything before it in its row?"""

    def choose(self, name: str, where: Mapping[str, int]) -> bool:
        width = int(self.defines["M"])
        row = [(4 * k + 1) % 17 for k in range(where["i"] * width, where["i"] * width + where["j"] + 1)]
        return row[-1] > max(row[:-1])


_DATA = {
    "kernel_gather": _RandomIndices,
    "kernel_histogram": _RandomIndices,
    "kernel_spmv_csr": _BandedRows,
    "kernel_softmax_rows": _RunningMaximum,
}
