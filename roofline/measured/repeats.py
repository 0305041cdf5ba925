"""Many executions of one kernel to one sample: launches of the same kernel with the same grid and blocks.

The median by default, number by number: the first launch is often slower (cold caches, clocks that rise), and one that
was disturbed does not count.  ``first``, ``last``, ``mean`` and ``sum`` are the alternatives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import TypeVar

from msgspec.structs import replace

from .results import LevelBytes, Sample

KeyT = TypeVar("KeyT", bound=str)
Reduce = Callable[[Sequence[float]], float]

REDUCTIONS: Mapping[str, Reduce] = {
    "median": median,
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
    "mean": fmean,
    "sum": sum,
}


def combined(samples: Iterable[Sample], how: str) -> tuple[Sample, ...]:
    """Return the samples of one name, shape and device put together, in order of first appearance."""
    groups: dict[tuple[object, ...], list[Sample]] = {}
    for sample in samples:
        key = (sample.name, sample.grid, sample.block, sample.device, sample.location, sample.arguments)
        groups.setdefault(key, []).append(sample)
    return tuple(together(group, REDUCTIONS[how]) for group in groups.values())


def together(group: Sequence[Sample], reduce: Reduce) -> Sample:
    """Return one sample for several; numbers that not all of them have are those of the others."""
    first = group[0]
    if len(group) == 1:
        return first
    levels = dict.fromkeys(level.level for sample in group for level in sample.levels)
    rates = [sample.flop_per_s for sample in group if sample.flop_per_s is not None]
    return replace(
        first,
        executions=sum(sample.executions or 1 for sample in group),
        seconds=_over([sample.seconds for sample in group], reduce),
        flops=_over([sample.flops for sample in group], reduce),
        flops_by_precision=_merged([sample.flops_by_precision for sample in group], reduce),
        flop_per_s=median(rates) if rates else None,
        levels=tuple(_level(level, group, reduce) for level in levels),
        intensities=_merged([sample.intensities for sample in group], median),
        facts=_merged([sample.facts for sample in group], median),
    )


def scaled(sample: Sample, factor: float) -> Sample:
    """Return a sample with all counts and times multiplied; rates and intensities stay."""

    def times(value: float | None) -> float | None:
        return None if value is None else value * factor

    return replace(
        sample,
        seconds=times(sample.seconds),
        flops=times(sample.flops),
        flops_by_precision={key: value * factor for key, value in sample.flops_by_precision.items()},
        levels=tuple(
            replace(level, total=level.total * factor, read=times(level.read), write=times(level.write))
            for level in sample.levels
        ),
    )


def _over(values: Iterable[float | None], reduce: Reduce) -> float | None:
    known = [value for value in values if value is not None]
    return reduce(known) if known else None


def _merged(maps: Sequence[Mapping[KeyT, float]], reduce: Reduce) -> dict[KeyT, float]:
    keys = dict.fromkeys(key for found in maps for key in found)
    return {key: reduce([found[key] for found in maps if key in found]) for key in keys}


def _level(name: str, group: Sequence[Sample], reduce: Reduce) -> LevelBytes:
    found = [level for sample in group for level in sample.levels if level.level == name]
    return LevelBytes(
        name,
        reduce([level.total for level in found]),
        found[0].source,
        _over([level.read for level in found], reduce),
        _over([level.write for level in found], reduce),
    )
