"""What a report without sizes says, against reports of the same source with sizes: formulas, intensities, rates.

A source and some seeded random sizes -> the sentences that contradict each other.  Every symbol that the report
without sizes prints is given.  Both reports count bytes by the same convention, as cached bytes hold for given sizes
alone; with the caches of the machine only "at most" is compared.

* Bounds of FLOPs and bytes: those with sizes and those of the formulas at these sizes have a number in common, so that
  what is exact is equal.
* "At most", of rates and of intensities: the value with sizes is not larger.
* The printed intensity, a limit or a formula: close to the quotient of both formulas where all sizes are large.  This
  needs no second analysis.
"""

from __future__ import annotations

import math
import random
import re
import resource
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from analyzer.errors import AnalyzerError, OptionError
from analyzer.given_values import TRIP
from analyzer.ir.flags import decided
from analyzer.quantities.large_values import large_values
from roofline import estimate
from roofline.estimation import Source
from roofline.report.formula import Formula
from roofline.report.regions import RegionReport

_ROUNDED = 1e-6
_SMALLEST, _LARGEST = 3, 3000
_SAME_BYTES: dict[str, Any] = {"convention": "write-allocate"}
_DEFAULTS: dict[str, Any] = {}
_PARTIAL = "a number of the known sizes alone"
_ABSENT = "not a row with these sizes"
_FIXED = "no symbol"
_SETTLED = "a trip count that other sizes settle"
_LAUNCHED = "a launch that other sizes settle"
_DIMENSIONS = tuple(f"{kind}.{axis}" for kind in ("gridDim", "blockDim") for axis in "xyz")
_ROWS = "AI303"
_LARGEST_OFFSET = 10  # of an index from a counter, in the sources that are compared


class Compared(Struct):
    """How many figures of how many rows were compared, and what contradicts.

    ``vectors`` are those that were analyzed; ``skipped`` has the rows without a comparison by reason; ``refused`` are
    printed symbols that cannot be given, and why.
    """

    rows: int = 0
    vectors: int = 0
    figures: int = 0
    wrong: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)


def compared(
    source: Source,
    machine: str,
    vectors: int,
    seed: int = 1,
    *,
    seconds: float = float("inf"),
    with_caches: int = 0,
    **options: Any,
) -> Compared:
    """Compare a source without sizes with reports of random ones, as many as fit into the seconds of CPU time.

    So many of them are also held against what is said ``with_caches``; ``options`` are those of every report.
    """
    found = Compared()
    end = _cpu_s() + seconds
    modes = [{**_SAME_BYTES, **options}] + [{**_DEFAULTS, **options}] * bool(with_caches)
    symbolic = [_rows(source, machine, {}, mode) for mode in modes]
    names = sorted({name for row in symbolic[0].values() for name in _free(row)})
    found.rows = sum(bool(_free(row)) for row in symbolic[0].values())
    draw = random.Random(seed)
    compared_rows: set[str] = set()
    why: dict[str, str] = {key: _FIXED for key, row in symbolic[0].items() if not _free(row)}
    while names and found.vectors < vectors and _cpu_s() < end:
        sizes = {name: round(_SMALLEST * (_LARGEST / _SMALLEST) ** draw.random()) for name in names}
        mode = modes[0]
        try:
            known = _rows(source, machine, sizes, mode)
        except OptionError as error:
            refused = [name for name in names if str(error).startswith(f"-D {name}:")]
            found.refused.update(dict.fromkeys(refused or ["?"], str(error)))
            names = [name for name in names if name not in refused] if refused else []
            continue
        except AnalyzerError as error:
            found.wrong.append(f"{sizes}: {error}")
            break
        found.vectors += 1
        for key, row in symbolic[0].items():
            if key in why and why[key] == _FIXED:
                continue
            if key not in known:
                why.setdefault(key, _ABSENT)
                continue
            if _settled(row, known[key]):
                why.setdefault(key, _SETTLED)
                continue
            if _launched(row, known[key], sizes):
                why.setdefault(key, _LAUNCHED)
                continue
            figures = list(_figures(row, known[key], sizes))
            found.figures += len(figures)
            if figures:
                compared_rows.add(key)
            else:
                why.setdefault(key, _PARTIAL)
            found.wrong += [f"{key}, {_short(row, sizes)}: {text}" for text in figures if text]
        if found.vectors <= with_caches:
            inside = _inside_rows(symbolic[1], sizes)
            found.wrong += _with_caches(symbolic[1], _rows(source, machine, inside, modes[1]), inside)
    for key, row in symbolic[0].items():
        if _free(row):
            figures = list(_limits(row, draw, vectors))
            found.figures += len(figures)
            found.wrong += [f"{key}: {text}" for text in figures if text]
    found.skipped = dict(Counter(reason for key, reason in why.items() if key not in compared_rows))
    return found


def _cpu_s() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _rows(
    source: Source, machine: str, sizes: Mapping[str, int], options: Mapping[str, Any]
) -> dict[str, RegionReport]:
    """Return the regions and nests of a source, by name and number."""
    report = estimate(source, machine, sizes=sizes, **options)
    rows: dict[str, RegionReport] = {}
    for region in report.regions:
        for row in (region, *region.all_nests):
            name = row.profile.name
            count = sum(key.partition("#")[0] == name for key in rows)
            rows[f"{name}#{count}"] = row
    return rows


def _free(row: RegionReport) -> list[str]:
    """Return the symbols without a value; what is assumed can be given too."""
    profile = row.profile
    given = profile.values.keys() - profile.assumed.keys()
    return [name for name in profile.symbols if name not in given]


def _short(row: RegionReport, sizes: Mapping[str, int]) -> dict[str, int]:
    return {name: sizes[name] for name in row.profile.symbols if name in sizes}


def _figures(symbolic: RegionReport, known: RegionReport, sizes: Mapping[str, int]) -> Iterator[str]:
    """Yield a text for each figure that is compared: empty where nothing contradicts."""
    profile = symbolic.profile
    if any(name not in sizes for name in profile.symbols if name not in profile.values):
        return
    own = {**_short(symbolic, sizes), **decided(profile.flags, {**profile.values, **sizes})}
    for name, formula, other in (("FLOPs", symbolic.flops, known.flops), ("bytes", symbolic.bytes, known.bytes)):
        yield from _formula(name, formula, other, own)
    if not _is_alternative(symbolic, sizes):
        yield from _most(symbolic, known)


def _inside_rows(rows: Mapping[str, RegionReport], sizes: Mapping[str, int]) -> dict[str, int]:
    """Return sizes with which rows are not shorter than what is assumed to stay inside them, as is assumed (AI303)."""
    lengths = {
        name
        for row in rows.values()
        for assumed in row.profile.assumptions
        if assumed.code == _ROWS
        for length in dict(assumed.fields).get("elements", ())
        for name in sizes
        if name in str(length)
    }
    longest = max(sizes.values()) + _LARGEST_OFFSET
    return {name: longest + size % _LARGEST_OFFSET if name in lengths else size for name, size in sizes.items()}


def _settled(symbolic: RegionReport, known: RegionReport) -> bool:
    """Return whether sizes settle a trip count of a row, so that the value given for it does not count."""
    return any(name.startswith(TRIP) and name not in known.profile.symbols for name in symbolic.profile.symbols)


def _launched(symbolic: RegionReport, known: RegionReport, sizes: Mapping[str, int]) -> bool:
    """Return whether sizes settle the launch of a kernel: its grid, or an argument that host code works out of them."""
    launch = known.profile.launch
    if launch is None:
        return False
    settled = dict(zip(_DIMENSIONS, (*launch.grid, *launch.block), strict=True))
    for name in symbolic.profile.symbols:
        if name in settled:
            if settled[name] != sizes.get(name, settled[name]):
                return True
        elif name not in known.profile.symbols:
            return True
    return False


def _is_alternative(row: RegionReport, sizes: Mapping[str, int]) -> bool:
    """Return whether flags have other values than those of the alternative that is reported."""
    decisive = {**sizes, **decided(row.profile.flags, {**row.profile.values, **sizes})}
    return any(decisive.get(name, value) != value for name, value in row.profile.assumed.items())


def _with_caches(
    symbolic: Mapping[str, RegionReport], known: Mapping[str, RegionReport], sizes: Mapping[str, int]
) -> list[str]:
    """Return what contradicts between the headlines with the caches of the machine."""
    rows = [(key, row, known[key]) for key, row in symbolic.items() if key in known and _free(row)]
    return [
        f"{key}, with caches, {_short(row, sizes)}: {text}"
        for key, row, other in rows
        if not _is_alternative(row, sizes)
        for text in _most(row, other)
        if text
    ]


def _formula(name: str, formula: Formula, other: Formula, sizes: Mapping[str, int]) -> Iterator[str]:
    """Yield whether the bounds with sizes have a number in common with those without; of exact ones it is the same."""
    if formula.is_bound or other.lower is None:
        return
    quantity, inf = formula.quantity, float("inf")
    least = float(quantity.lower.evaluate({**formula.values, **sizes}))
    most = inf if quantity.upper is None else float(quantity.upper.evaluate({**formula.values, **sizes}))
    below, above = float(other.lower), inf if other.upper is None else float(other.upper)
    meet = below <= most * (1 + _ROUNDED) and least <= above * (1 + _ROUNDED)
    yield "" if meet else f"{name} {formula} are {least} to {most}, with sizes {below} to {above}"


def _most(symbolic: RegionReport, known: RegionReport) -> Iterator[str]:
    for one, other in zip(symbolic.projections, known.projections, strict=True):
        yield from _rate(one, other)
    intensity, value = symbolic.intensity, known.intensity.number
    if value is not None and intensity.most is not None:
        above = value > intensity.most * (1 + _ROUNDED)
        yield f"intensity {float(value)}, at most {float(intensity.most)}" if above else ""


def _rate(symbolic: Any, known: Any) -> Iterator[str]:
    if symbolic.attainable is None or known.attainable is None or symbolic.for_large_sizes:
        return
    most = symbolic.attainable.value if symbolic.attainable_range is None else symbolic.attainable_range[1].value
    above = known.attainable.value > most * (1 + _ROUNDED)
    yield f"at most {most}, with sizes {known.attainable.value}" if above else ""


_LARGE, _MUCH_LARGER = 10**9, 10**3
_NEAR = 1e-2


def _limits(row: RegionReport, draw: random.Random, vectors: int) -> Iterator[str]:
    """Yield whether the printed intensity is that of both formulas at large sizes, for every vector."""
    profile, intensity = row.profile, row.intensity
    if row.flops.is_bound or row.bytes.is_bound or not profile.work.flops.is_exact or not row.moved.total.is_exact:
        return
    free = [name for name in _free(row) if name not in profile.assumed]
    counts = (profile.work.flops.estimate, row.moved.total.estimate)
    if any(not count.exponents.isdisjoint(free) for count in counts):
        return  # numbers of bits are never large
    for _ in range(vectors if free else 0):
        sizes = {name: _LARGE * draw.randint(1, _MUCH_LARGER) for name in free}
        values = {**profile.values, **sizes}
        flops, size = (count.evaluate(values) for count in counts)
        point = {**large_values([count.chambers for count in counts]), **profile.values}
        if not flops or not size or any(count.holding(point) != count.holding(values) for count in counts):
            continue  # another case than the one of the printed formula
        quotient = float(flops) / float(size)
        if intensity.formula:
            low = high = _evaluated(intensity.formula, values)
        elif intensity.lower is not None and intensity.upper is not None:
            low, high = float(intensity.lower), float(intensity.upper)
        elif intensity.value is not None:
            low = high = float(intensity.value)
        else:
            return
        inside = low * (1 - _NEAR) <= quotient <= high * (1 + _NEAR)
        printed = intensity.formula or f"{low} to {high}"
        yield "" if inside else f"intensity {printed} is {low}, {row.flops} / {row.bytes} = {quotient} at {sizes}"


_FUNCTIONS: dict[str, Any] = {"min": min, "max": max, "floor": math.floor}


def _evaluated(formula: str, values: Mapping[str, int]) -> float:
    """Return the value of a formula as it is printed; names may be those of members (``A.rows``)."""
    text, numbers = formula.replace("^", "**"), {}
    for place, name in enumerate(sorted(values, key=len, reverse=True)):
        text = re.sub(rf"(?<![\w.>]){re.escape(name)}(?![\w.]|->)", f"value_{place}", text)
        numbers[f"value_{place}"] = values[name]
    return float(eval(text, {"__builtins__": {}}, {**_FUNCTIONS, **numbers}))
