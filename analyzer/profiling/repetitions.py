"""Nests that a driver repeats: which repetition stands for the others, and how many there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from ..domains.domain import StatementDomain, points_at
from ..ir.passes.drivers import Driver
from ..profile import RegionProfile
from ..traffic.results import LevelTraffic


def repetition_of(
    drivers: Sequence[Driver], statements: Sequence[StatementDomain], values: Mapping[str, int]
) -> tuple[dict[str, int], int]:
    """Return the iterators of drivers with phases in the first repetition that runs a nest, and how many do."""
    first: dict[str, int] = {}
    times = 1
    for driver in drivers:
        running = [*_running(driver, statements, values)] if driver.has_phases else []
        times *= sum(runs for _, runs in running) if running else driver.times
        first |= running[0][0] if running else {}
    return first, times


def _running(
    driver: Driver, statements: Sequence[StatementDomain], values: Mapping[str, int]
) -> Iterator[tuple[dict[str, int], int]]:
    """Yield the iterator of a driver in each phase that runs some statements, with how many repetitions are alike."""
    for phase in driver.phases:
        iterator, counter = driver.counter(phase.number)
        number = counter.substitute(values).constant
        if number is None:
            continue
        if any(_runs(each, {iterator: number}, values) for each in statements):
            yield {iterator: number}, phase.runs


def _runs(statement: StatementDomain, counter: Mapping[str, int], values: Mapping[str, int]) -> bool:
    """Return whether a statement runs in a repetition, as far as the values of sizes tell."""
    points = points_at(statement, counter).upper
    return not points.where(statement.domain.names.known_numbers(values)).is_empty


def repeated_profile(nest: RegionProfile, times: int) -> RegionProfile:
    """Return the profile of a nest that is repeated: each repetition has to move its elements again."""
    found = nest.distinct
    if found is not None:
        lines = None if found.line_traffic is None else _multiplied(found.line_traffic, times)
        found = replace(found, traffic=_multiplied(found.traffic, times), line_traffic=lines)
    return replace(nest, repetitions=times, distinct=found)


def _multiplied(traffic: LevelTraffic, times: int) -> LevelTraffic:
    return replace(
        traffic,
        read_bytes=traffic.read_bytes * times,
        write_allocate_bytes=traffic.write_allocate_bytes * times,
        write_bytes=traffic.write_bytes * times,
    )
