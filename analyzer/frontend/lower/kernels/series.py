"""A kernel that is launched many times: the choice of the launches that are lowered.

It is lowered once with symbols for the numbers that vary from launch to launch: a number that occurs in no loop, guard
or subscript of that region does not matter, and launches that differ in nothing else are one.  Few launches are lowered
each; of many some, spread over all, and the region with symbols represents the sum.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from ....diagnostics import Diagnostic
from ....ir.launches import Launch, LaunchSeries, RepeatedLaunch, SeriesPart
from ....ir.nodes import Guard, Loop, Node, Region, Statement
from ....ir.traverse import names_in
from ....ir.values import Apply, Constant, IndexValue, Opaque, Value
from .kernel import KernelLaunch

_ANALYZED = 5  # launches of a series: enough to show a trend from first to last
_REMAINDERS = (0, 4, 2, 6, 1, 5, 3, 7)  # of positions by the eight floats of a sector, such that neighbours differ most
_MANY = 4 * len(_REMAINDERS)  # launches of different sizes, of which one of each remainder is analyzed
_EVEN = Fraction(1, 3)  # of the threads of a launch, on average: small launches take time, too
_AXES = "xyz"
Lowered = tuple[Region, list[Diagnostic]]
Values = dict[str, int | None]


class KernelSeries(Struct, frozen=True):
    """Different launches of the kernel with this key that belong together; ``is_open`` where there are more of them."""

    kernel: str
    launches: tuple[KernelLaunch, ...]
    is_open: bool = False


def lower_series(series: KernelSeries, lower: Callable[[KernelLaunch], Lowered]) -> Iterator[Lowered]:
    """Yield the regions of a series, the one with symbols first; raise the errors of ``lower``."""
    launches = series.launches
    if len(launches) == 1 and launches[0].least == launches[0].most == 1 and not series.is_open:
        yield lower(launches[0])
        return
    varying = _varying(launches)
    formula = _lower_any(_without(launches[0], varying), lower) if varying else None
    symbols = varying if formula is None else varying & names_in(_shape(formula[0].body))
    launches = _in_order(_merged(launches, symbols), symbols)
    members = tuple(
        RepeatedLaunch(_launch(item.launch, symbols), tuple(_numbers(item, symbols)), item.least, item.most)
        for item in launches
    )
    found = LaunchSeries(members, series.is_open)
    chosen = spread([_threads(item.launch) for item in launches])
    if formula is not None and len(chosen) < len(launches):
        yield replace(formula[0], part=SeriesPart(found, None)), []
    for position in chosen:
        region, diagnostics = lower(launches[position])
        launch = None
        if region.launch is not None:
            launch = replace(_launch(region.launch, symbols), in_series=max(found.most, 1))
        yield replace(region, launch=launch, part=SeriesPart(found, position)), diagnostics


def _lower_any(launch: KernelLaunch, lower: Callable[[KernelLaunch], Lowered]) -> Lowered | None:
    """Return the region with symbols; None where it takes too much memory or depth."""
    try:
        return lower(launch)
    except (MemoryError, RecursionError):
        return None


def spread(sizes: Sequence[int]) -> tuple[int, ...]:
    """Return the positions of the launches that are analyzed one by one: first and last, and others between.

    About as many threads are in what each stands for, and no launch is far from one of them.  Launches whose arrays
    start at another element each time have more sectors or fewer by where that is in its sector: of many that grow or
    shrink all remainders by the elements of one occur.

    >>> spread([32] * 3), spread([32] * 9)
    ((0, 1, 2), (0, 2, 4, 6, 8))
    >>> spread(range(900, 0, -1))
    (0, 56, 124, 186, 262, 345, 429, 539, 671, 899)
    """
    count = len(sizes)
    if count <= _ANALYZED:
        return tuple(range(count))
    is_long = count >= _MANY and len(set(sizes)) > 1
    number = len(_REMAINDERS) + 2 if is_long else _ANALYZED
    even = Fraction(sum(sizes), count) * _EVEN + 1
    until = list(accumulate((size + even for size in sizes), initial=Fraction(0)))
    found = [0]
    for step in range(1, number - 1):
        at = max(bisect_left(until, until[-2] * step / (number - 1)), found[-1] + 1)
        near = _nearest(at, _REMAINDERS[step - 1]) if is_long else at
        found.append(near if near > found[-1] else at)
    inner = [min(at, count - number + step) for step, at in enumerate(found)]
    return *inner, count - 1


def _nearest(position: int, remainder: int) -> int:
    """Return the number next to a position that has a remainder by the elements of a sector."""
    half = len(_REMAINDERS) // 2
    return position - half + (remainder - position + half) % len(_REMAINDERS)


def _threads(launch: Launch) -> int:
    """Return the number of threads; of extents that are not known 1."""
    return prod(extent or 1 for extent in (*launch.grid, *launch.block))


def _shape(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Return nodes without the numbers that are only data."""
    return tuple(_shape_of(node) for node in nodes)


def _shape_of(node: Node) -> Node:
    match node:
        case Loop():
            header = tuple(replace(inner, value=_operation(inner.value)) for inner in node.header)
            return replace(node, header=header, body=_shape(node.body))
        case Guard():
            return replace(node, body=_shape(node.body), orelse=_shape(node.orelse))
        case Statement():
            return replace(node, value=_operation(node.value))
        case _:
            return node


def _operation(value: Value) -> Value:
    match value:
        case IndexValue() | Constant():
            return Constant(None, value.type)
        case Apply() | Opaque():
            return replace(value, operands=tuple(map(_operation, value.operands)))
        case _:
            return value


def _values(item: KernelLaunch) -> Values:
    """Return the numbers of a launch by the name of their symbol; ``threads.x`` is the number of threads in x."""
    found: Values = dict(item.arguments)
    pairs = zip(_AXES, item.launch.grid, item.launch.block, strict=True)
    for axis, blocks, threads in pairs:
        found |= {f"gridDim.{axis}": blocks, f"blockDim.{axis}": threads}
        found[f"threads.{axis}"] = None if blocks is None or threads is None else blocks * threads
    return found


def _varying(launches: Sequence[KernelLaunch]) -> frozenset[str]:
    """Return the names that have not the same value in all launches."""
    first, *others = map(_values, launches)
    names = {name for values in others for name in first.keys() ^ values.keys()}
    return frozenset(
        names | {name for values in others for name in first.keys() & values if values[name] != first[name]}
    )


def _without(item: KernelLaunch, names: frozenset[str]) -> KernelLaunch:
    """Return a launch with symbols for some of its numbers."""
    grid, block = (
        tuple(None if f"{name}.{axis}" in names else extent for axis, extent in zip(_AXES, extents, strict=True))
        for name, extents in (("gridDim", item.launch.grid), ("blockDim", item.launch.block))
    )
    launch = replace(item.launch, grid=(grid[0], grid[1], grid[2]), block=(block[0], block[1], block[2]))
    arguments = {name: value for name, value in item.arguments.items() if name not in names}
    return replace(item, launch=launch, arguments=arguments)


def _merged(launches: Sequence[KernelLaunch], symbols: frozenset[str]) -> tuple[KernelLaunch, ...]:
    """Return the launches that differ in the values of symbols or in shared memory, with their multiplicities."""
    found: dict[tuple[object, ...], KernelLaunch] = {}
    for item in launches:
        key = _key(item, symbols)
        known = found.get(key)
        found[key] = (
            item if known is None else replace(known, least=known.least + item.least, most=known.most + item.most)
        )
    return tuple(found.values())


def _in_order(launches: tuple[KernelLaunch, ...], symbols: frozenset[str]) -> tuple[KernelLaunch, ...]:
    """Return launches that differ in one number by this number, and others as they come."""
    if len(symbols) > 1:
        return launches
    return tuple(sorted(launches, key=lambda item: tuple(_numbers(item, symbols))))


def _key(item: KernelLaunch, symbols: frozenset[str]) -> tuple[object, ...]:
    return (item.launch.shared_bytes, *sorted(_numbers(item, symbols)))


def _numbers(item: KernelLaunch, symbols: frozenset[str]) -> Iterator[tuple[str, int]]:
    for name, value in _values(item).items():
        if name in symbols and value is not None:
            yield name, value


def _launch(launch: Launch, symbols: frozenset[str]) -> Launch:
    """Return a launch with those of its arguments that are symbols."""
    return replace(launch, arguments=tuple(pair for pair in launch.arguments if pair[0] in symbols))
