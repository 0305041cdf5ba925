"""What a report without sizes says, against reports of the same source with sizes: formulas, intensities, rates.

A source and some seeded random sizes -> the sentences that contradict each other.  Both reports count bytes by the same
convention, as cached bytes hold for given sizes alone.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from analyzer.errors import AnalyzerError
from roofline import estimate
from roofline.estimation import Source
from roofline.report.formula import Formula
from roofline.report.regions import RegionReport

_ROUNDED = 1e-6
_SMALLEST, _LARGEST = 3, 3000
_OPTIONS: dict[str, Any] = {"convention": "write-allocate"}


class Compared(Struct):
    """How many figures of how many rows were compared, and what contradicts."""

    rows: int = 0
    figures: int = 0
    wrong: list[str] = field(default_factory=list)


def compared(source: Source, machine: str, vectors: int, seed: int = 1) -> Compared:
    """Compare a source without sizes with reports of random ones."""
    found = Compared()
    symbolic = _rows(source, machine, {})
    names = sorted({name for row in symbolic.values() for name in _free(row)})
    found.rows = sum(bool(_free(row)) for row in symbolic.values())
    draw = random.Random(seed)
    for _ in range(vectors if names else 0):
        sizes = {name: round(_SMALLEST * (_LARGEST / _SMALLEST) ** draw.random()) for name in names}
        try:
            known = _rows(source, machine, sizes)
        except AnalyzerError as error:
            found.wrong.append(f"{sizes}: {error}")
            break
        for key, row in symbolic.items():
            if key in known and _free(row):
                for text in _contradictions(row, known[key], sizes):
                    found.wrong.append(f"{key}, {sizes}: {text}")
                found.figures += 4
    return found


def _rows(source: Source, machine: str, sizes: Mapping[str, int]) -> dict[str, RegionReport]:
    """Return the regions and nests of a source, by name and number."""
    report = estimate(source, machine, sizes=sizes, **_OPTIONS)
    rows: dict[str, RegionReport] = {}
    for region in report.regions:
        for row in (region, *region.all_nests):
            name = row.profile.name
            count = sum(key.partition("#")[0] == name for key in rows)
            rows[f"{name}#{count}"] = row
    return rows


def _free(row: RegionReport) -> list[str]:
    """Return the symbols without a value that can be given by name; what is assumed can be given too."""
    profile = row.profile
    given = profile.values.keys() - profile.assumed.keys()
    return [name for name in profile.symbols if name not in given and name.isidentifier()]


def _contradictions(symbolic: RegionReport, known: RegionReport, sizes: Mapping[str, int]) -> Iterator[str]:
    profile = symbolic.profile
    if any(name not in sizes for name in profile.symbols if name not in profile.values):
        return
    for name, formula, other in (("FLOPs", symbolic.flops, known.flops), ("bytes", symbolic.bytes, known.bytes)):
        yield from _formula(name, formula, other, {name: sizes[name] for name in profile.symbols if name in sizes})
    if any(sizes.get(name, value) != value for name, value in profile.assumed.items()):
        return  # another alternative than the reported one
    for one, other_ in zip(symbolic.projections, known.projections, strict=True):
        yield from _rate(one, other_)
    intensity, value = symbolic.intensity, known.intensity.number
    if value is not None and intensity.most is not None and value > intensity.most * (1 + _ROUNDED):
        yield f"intensity {float(value)}, at most {float(intensity.most)}"


def _formula(name: str, formula: Formula, other: Formula, sizes: Mapping[str, int]) -> Iterator[str]:
    if formula.is_bound or other.value is None:
        return
    found = formula.at(**sizes)
    if formula.exactness is other.exactness and formula.quantity.is_exact and found != other.value:
        yield f"{name} {formula} are {found}, with sizes {other.value}"


def _rate(symbolic: Any, known: Any) -> Iterator[str]:
    if symbolic.attainable is None or known.attainable is None or symbolic.for_large_sizes:
        return
    most = symbolic.attainable.value if symbolic.attainable_range is None else symbolic.attainable_range[1].value
    if known.attainable.value > most * (1 + _ROUNDED):
        yield f"at most {most}, with sizes {known.attainable.value}"
