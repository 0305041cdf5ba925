"""How a profile is held against the interpreter: every total, exactly where it calls itself exact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum

from analyzer.ir.nodes import Region
from analyzer.profile import RegionProfile
from analyzer.profiling.counting.profiler import profile_region
from analyzer.quantities.quantity import Quantity

from ..oracle.evaluate import Choose
from ..oracle.interpreter import Execution, run
from ..oracle.nests import Nest, Opacity


class Kind(Enum):
    """What is drawn, and so what can be held against the interpreter."""

    SYMBOLIC = Opacity()
    HEADERS = Opacity(headers=True)
    KNOWN_SIZES = "the same, with numbers for sizes"
    DATA = Opacity(conditions=True, trips=True, returns=True)

    @property
    def opacity(self) -> Opacity:
        """What the nest's counts may depend on."""
        return self.value if isinstance(self.value, Opacity) else Opacity()


def check_nest(nest: Nest, kind: Kind) -> None:
    """Profile a nest and hold it against its execution at each of its sizes."""
    if kind is Kind.KNOWN_SIZES:
        profile = profile_region(nest.bound)
        check(profile, nest.region, nest.sizes[0])
        check_lines(profile, nest.region, nest.sizes[0])
        return
    profile = profile_region(nest.region)
    decisions = (True, False, lambda name, where: sum(where.values()) % 3 == 0) if kind is Kind.DATA else (True,)
    for sizes in nest.sizes:
        for choose in decisions:
            check(profile, nest.region, sizes, choose)


def covers(quantity: Quantity, sizes: Mapping[str, int], truth: int) -> bool:
    """Equal where the quantity calls itself exact, else inside its interval: exact counting has a budget.

    Far beyond the budget the upper bound is a symbol of its own, and only the lower one can be held against the truth.
    """
    if quantity.is_exact:
        return quantity.estimate.evaluate(sizes) == truth
    most = quantity.upper
    bounded = most is not None and most.symbols <= sizes.keys()
    return quantity.lower.evaluate(sizes) <= truth and (not bounded or truth <= quantity.most.evaluate(sizes))


def totals(profile: RegionProfile, execution: Execution) -> Iterator[tuple[str, Quantity, int]]:
    """Every total with its interpreted value."""
    operations = dict(execution.operations)
    for key, number in profile.work.operations.items():
        yield str(key), number, operations.pop((key.operation, key.precision, key.function), 0)
    assert not operations, "every operation is counted"
    for name, references, write in (("loads", profile.loads, False), ("stores", profile.stores, True)):
        yield name, references.elements, execution.count(write=write)
        yield f"bytes of {name}", references.bytes, execution.bytes(write=write)
    distinct = execution.elements()
    yield "touched", profile.footprint.touched.elements, distinct.either
    yield "written", profile.footprint.written.elements, distinct.stored
    yield "read first", profile.footprint.read.elements, distinct.read_first


def check(profile: RegionProfile, region: Region, sizes: Mapping[str, int], choose: bool | Choose = True) -> None:
    execution = run(region, sizes, choose=choose)
    for name, quantity, truth in totals(profile, execution):
        assert covers(quantity, sizes, truth), f"{name} at {sizes}"


def check_lines(profile: RegionProfile, region: Region, sizes: Mapping[str, int]) -> None:
    """Cache lines, where all sizes are known."""
    lines, found = run(region, sizes).lines(), profile.footprint
    assert covers(found.written.lines, sizes, lines.stored), f"lines written at {sizes}"
    assert covers(found.touched.lines, sizes, lines.either), f"lines touched at {sizes}"
    assert covers(found.read.lines, sizes, lines.read_first), f"lines read first at {sizes}"
