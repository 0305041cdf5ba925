"""Which measured sample belongs to which region.

In this order: what the user says (``--map``), the location in the source (``triad.c:12``, in a column of its own or
as the name), the name of the kernel or
function (with template arguments, grid and block where several match), the name of the region or benchmark, and a
measurement of a whole program where the report has one function only.  Nothing is joined by guess: the remaining
samples are reported with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from math import prod
from pathlib import PurePath

from msgspec import Struct
from msgspec.structs import replace

from analyzer.near_names import near_names
from analyzer.python.regex import regex

from ..measured.results import Location, Reading, Sample
from .names import benchmark_names, kernel_name
from .predictions import Prediction

_FILE_AND_LINE = regex(r"(?P<file>[^:]*[^:.]\.\w+):(?P<line>\d{1,9})(?::\d{1,9})?")


class Source(Struct, frozen=True):
    """A sample with the file and format that it comes from."""

    path: str
    format: str
    sample: Sample


class Pair(Struct, frozen=True):
    """A joined sample, and how it was joined; several files can have added to it."""

    sources: tuple[Source, ...]
    sample: Sample
    prediction: Prediction
    joined_by: str


class Unjoined(Struct, frozen=True):
    """A sample that belongs to no region, and why."""

    source: Source
    why: str


class NameMap(Struct, frozen=True):
    """One ``--map MEASURED=PREDICTED``; the measured side may have ``*``."""

    measured: str
    predicted: str


def join(
    readings: Sequence[Reading], predictions: Sequence[Prediction], mappings: Sequence[NameMap]
) -> tuple[tuple[Pair, ...], tuple[Unjoined, ...]]:
    """Join every sample of every reading; samples of one region that add to each other become one pair."""
    pairs: list[Pair] = []
    unjoined: list[Unjoined] = []
    for reading in readings:
        for sample in reading.samples:
            source = Source(reading.path, reading.format, sample)
            found, how = _find(sample, predictions, mappings)
            if found is None:
                unjoined.append(Unjoined(source, how))
            else:
                _add(pairs, Pair((source,), sample, found, how))
    return tuple(pairs), tuple(unjoined)


def _add(pairs: list[Pair], new: Pair) -> None:
    """Put a pair together with one of the same region that lacks what it has, or whose figures add up with its own."""
    for at, old in enumerate(pairs):
        if old.prediction is not new.prediction:
            continue
        same_file = old.sources[-1].path == new.sources[0].path
        if new.sample.additive and same_file:
            pairs[at] = replace(old, sources=(*old.sources, *new.sources), sample=_sum(old.sample, new.sample))
            return
        if not same_file and not _overlap(old.sample, new.sample):
            pairs[at] = replace(old, sources=(*old.sources, *new.sources), sample=_union(old.sample, new.sample))
            return
    pairs.append(new)


def _find(
    sample: Sample, predictions: Sequence[Prediction], mappings: Sequence[NameMap]
) -> tuple[Prediction | None, str]:
    """Return the region of a sample and how it was found; else None and why not."""
    for mapping in mappings:
        if sample.name == mapping.measured or fnmatchcase(sample.name, mapping.measured):
            found = [p for p in predictions if _is_called(p, mapping.predicted)]
            return _only(sample, found, f"--map {mapping.measured}={mapping.predicted}")
    location = sample.location or _location(sample.name)
    if location is not None:
        found = _at(location, predictions)
        if found:
            return _only(sample, found, f"{PurePath(location.file).name}:{location.line}")
    found = _named(sample, predictions)
    if found:
        chosen, how = _only(sample, found, "name")
        wrong = chosen and (_other_size(sample, chosen) or _other_launch(sample, chosen))
        return (None, wrong) if wrong else (chosen, how)
    if not sample.name and sample.location is None:
        whole = [p for p in predictions if not p.is_nest]
        if len(whole) == 1:
            return whole[0], "the whole program, which has one function with loops"
        return None, "the whole program was measured, and it has several regions (--map '*=REGION')"
    return None, _no_region(sample, predictions)


def _no_region(sample: Sample, predictions: Sequence[Prediction]) -> str:
    """Return why no region is joined, with the nearest name and the option that joins it."""
    wanted = kernel_name(sample.name).base
    known = dict.fromkeys(kernel_name(p.name).base for p in predictions if not p.is_nest)
    near = near_names(wanted, known)
    if not near:
        return "no region has this name or location (--map MEASURED=REGION)"
    return f"no region has this name or location; did you mean {near[0]}? (--map '*{wanted}*={near[0]}')"


def _location(name: str) -> Location | None:
    """Return the location in the source that a name is (``src/triad.c:12``), None for other names."""
    found = _FILE_AND_LINE.fullmatch(name.strip())
    return None if found is None else Location(found["file"], int(found["line"]))


def _is_called(prediction: Prediction, text: str) -> bool:
    profile = prediction.region.profile
    location = f"{PurePath(prediction.path).name}:{profile.span.line}"
    return text in (profile.name, profile.function, location, f"{prediction.path}:{profile.span.line}")


def _at(location: Location, predictions: Sequence[Prediction]) -> list[Prediction]:
    """Return nests that hold a line, else functions that do; the file by its name, as tools shorten paths."""
    name = PurePath(location.file.replace("\\", "/")).name
    holding = [
        prediction
        for prediction in predictions
        if PurePath(prediction.path).name == name
        and prediction.region.profile.span.line <= location.line <= prediction.region.profile.span.end_line
    ]
    return [prediction for prediction in holding if prediction.is_nest] or holding


def _named(sample: Sample, predictions: Sequence[Prediction]) -> list[Prediction]:
    """Return regions with the name of the sample; whole functions and kernels before nests."""
    wanted = [kernel_name(text) for text in (sample.name, *benchmark_names(sample.name))]
    for name in wanted if sample.name else ():
        for nests in (False, True):
            found = [
                prediction
                for prediction in predictions
                if prediction.is_nest is nests
                and (kernel_name(prediction.name).matches(name) or prediction.name == sample.name)
            ]
            if found:
                return found
    return []


def _only(sample: Sample, found: Sequence[Prediction], how: str) -> tuple[Prediction | None, str]:
    """Return one region of several: that with the grid and block of the sample, or any of those that are alike."""
    if not found:
        return None, f"no region is called so ({how})"
    whole = [prediction for prediction in found if not prediction.is_nest]
    if len(found) > 1 and len(whole) == 1:
        return whole[0], how
    if len(found) == 1:
        return found[0], how
    shaped = [prediction for prediction in found if _has_shape(prediction, sample)]
    if len(shaped) == 1:
        return shaped[0], f"{how}, grid and block"
    candidates = shaped or list(found)
    if len({_figures(prediction) for prediction in candidates}) == 1:
        return candidates[0], f"{how}; the first of {len(candidates)} that are alike"
    names = ", ".join(dict.fromkeys(prediction.name for prediction in candidates))
    return None, f"{len(candidates)} regions match and differ: {names} (--map, --function, --launch)"


def _has_shape(prediction: Prediction, sample: Sample) -> bool:
    launch = prediction.launch
    if launch is None or sample.grid is None or sample.block is None:
        return False
    return _extents(launch.grid) == _extents(sample.grid) and _extents(launch.block) == _extents(sample.block)


def _extents(values: Sequence[int | None]) -> tuple[int | None, ...]:
    return (*values, *(1 for _ in range(3 - len(values))))


def _figures(prediction: Prediction) -> tuple[object, ...]:
    size = prediction.bytes_at("DRAM")
    return (prediction.flops, None if size is None else size.total, str(prediction.region.profile.work.flops.estimate))


def _other_size(sample: Sample, prediction: Prediction) -> str:
    """Return why a benchmark with sizes in its name is not of this prediction; empty where it is or may be."""
    known = set(prediction.region.profile.values.values())
    if not sample.arguments or not known or known & set(sample.arguments):
        return ""
    sizes = ", ".join(f"{name} = {value}" for name, value in prediction.region.profile.values.items())
    return f"measured at {', '.join(map(str, sample.arguments))}, predicted at {sizes} (-D)"


def _other_launch(sample: Sample, prediction: Prediction) -> str:
    """Return why a launch is not the predicted one: another number of threads; empty where it is or may be."""
    launch = prediction.launch
    if launch is None or sample.grid is None or sample.block is None:
        return ""
    known = [extent for extent in (*launch.grid, *launch.block) if extent is not None]
    if len(known) < 6 or prod(known) == prod((*sample.grid, *sample.block)):
        return ""
    shapes = [_shape(sample.grid), _shape(sample.block), _shape(known[:3]), _shape(known[3:])]
    measured, predicted = "grid {} and block {}".format(*shapes[:2]), "grid {} and block {}".format(*shapes[2:])
    return f"measured with {measured}, predicted with {predicted} (--launch)"


def _shape(extents: Sequence[int]) -> str:
    return "x".join(map(str, extents))


def _overlap(one: Sample, other: Sample) -> bool:
    """Return whether both measured the same quantity."""
    both = ((one.seconds, other.seconds), (one.flops, other.flops), (one.flop_per_s, other.flop_per_s))
    levels = {level.level for level in one.levels} & {level.level for level in other.levels}
    twice = any(None not in pair for pair in both)
    return twice or bool(levels or one.intensities.keys() & other.intensities.keys())


def _union(one: Sample, other: Sample) -> Sample:
    """Return the figures of either sample."""
    return replace(
        one,
        seconds=other.seconds if one.seconds is None else one.seconds,
        flops=other.flops if one.flops is None else one.flops,
        flops_source=other.flops_source if one.flops is None else one.flops_source,
        flops_by_precision=one.flops_by_precision or other.flops_by_precision,
        flop_per_s=other.flop_per_s if one.flop_per_s is None else one.flop_per_s,
        levels=(*one.levels, *other.levels),
        intensities={**other.intensities, **one.intensities},
        facts={**other.facts, **one.facts},
        grid=one.grid or other.grid,
        block=one.block or other.block,
        device=one.device or other.device,
    )


def _sum(one: Sample, other: Sample) -> Sample:
    """Return the sum of two loops of one nest, each measured without the other."""
    totals = {level.level: level for level in one.levels}
    for level in other.levels:
        known = totals.get(level.level)
        totals[level.level] = level if known is None else replace(known, total=known.total + level.total)
    return replace(
        one,
        seconds=_plus(one.seconds, other.seconds),
        flops=_plus(one.flops, other.flops),
        levels=tuple(totals.values()),
        intensities={},
        facts=one.facts if (one.flops or 0) >= (other.flops or 0) else other.facts,
    )


def _plus(one: float | None, other: float | None) -> float | None:
    return other if one is None else one if other is None else one + other
