"""Symbolic counts of drawn loop nests, evaluated at drawn sizes, equal what the interpreter enumerates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hypothesis import given

from analyzer.poly.quantity import Exactness, Quantity
from analyzer.profile import RegionProfile, profile_region

from ..oracle.interpreter import Execution, OperationName, run
from ..oracle.nests import Nest, Opacity, nests

OPAQUE = Opacity(conditions=True, trips=True, returns=True)


def value(quantity: Quantity, sizes: Mapping[str, int]) -> int:
    assert quantity.exactness is Exactness.EXACT
    return quantity.estimate.evaluate(sizes)


def covers(quantity: Quantity, sizes: Mapping[str, int], truth: int) -> bool:
    """Equal where the quantity calls itself exact, else inside its interval: exact footprints have a budget."""
    if quantity.is_exact:
        return quantity.estimate.evaluate(sizes) == truth
    return quantity.lower.evaluate(sizes) <= truth <= quantity.upper.evaluate(sizes)


def operations(profile: RegionProfile, sizes: Mapping[str, int]) -> dict[OperationName, int]:
    counts = profile.work.operations.items()
    found = {(key.operation, key.precision, key.function): value(number, sizes) for key, number in counts}
    return {key: number for key, number in found.items() if number}


def brackets(profile: RegionProfile, execution: Execution) -> Iterator[tuple[Quantity, int]]:
    """Every total with its interpreted value."""
    for key, number in profile.work.operations.items():
        yield number, execution.operations.get((key.operation, key.precision, key.function), 0)
    for references, write in ((profile.loads, False), (profile.stores, True)):
        yield references.elements, execution.count(write=write)
        yield references.bytes, execution.bytes(write=write)
    distinct = execution.elements()
    yield profile.footprint.touched.elements, distinct.either
    yield profile.footprint.written.elements, distinct.stored
    yield profile.footprint.read.elements, distinct.read_first


@given(nests())
def test_operations(nest: Nest):
    profile = profile_region(nest.region)
    for sizes in nest.sizes:
        assert operations(profile, sizes) == run(nest.region, sizes).operations


@given(nests(Opacity(headers=True)))
def test_loads_and_stores_with_headers(nest: Nest):
    profile = profile_region(nest.region)
    for sizes in nest.sizes:
        execution = run(nest.region, sizes)
        assert value(profile.loads.elements, sizes) == execution.count(write=False)
        assert value(profile.stores.elements, sizes) == execution.count(write=True)
        assert value(profile.loads.bytes, sizes) == execution.bytes(write=False)
        assert value(profile.stores.bytes, sizes) == execution.bytes(write=True)


@given(nests())
def test_touched_and_written_elements(nest: Nest):
    footprint = profile_region(nest.region).footprint
    for sizes in nest.sizes:
        distinct = run(nest.region, sizes).elements()
        assert covers(footprint.touched.elements, sizes, distinct.either)
        assert covers(footprint.written.elements, sizes, distinct.stored)


@given(nests())
def test_elements_read_before_they_are_written(nest: Nest):
    read = profile_region(nest.region).footprint.read.elements
    for sizes in nest.sizes:
        assert covers(read, sizes, run(nest.region, sizes).elements().read_first)


@given(nests())
def test_lines_at_known_sizes(nest: Nest):
    footprint = profile_region(nest.bound).footprint
    expected = run(nest.region, nest.sizes[0]).lines()
    assert covers(footprint.written.lines, nest.sizes[0], expected.stored)
    assert covers(footprint.touched.lines, nest.sizes[0], expected.either)
    assert covers(footprint.read.lines, nest.sizes[0], expected.read_first)


@given(nests())
def test_known_sizes_give_the_same_numbers(nest: Nest):
    symbolic, bound = profile_region(nest.region), profile_region(nest.bound)
    sizes = nest.sizes[0]
    assert operations(bound, sizes) == operations(symbolic, sizes)
    assert value(bound.loads.elements, sizes) == value(symbolic.loads.elements, sizes)
    assert value(bound.stores.elements, sizes) == value(symbolic.stores.elements, sizes)


@given(nests(OPAQUE))
def test_whatever_the_data_say_the_truth_is_inside_the_interval(nest: Nest):
    profile = profile_region(nest.region)
    for sizes in nest.sizes:
        for choose in (True, False, lambda name, where: sum(where.values()) % 3 == 0):
            for quantity, truth in brackets(profile, run(nest.region, sizes, choose=choose)):
                assert covers(quantity, sizes, truth)
