"""Launches that belong together: those of one kernel from one position in the host code, which a loop makes.

Launches from different calls stay apart, unless a launch in the source has many; what is the same is counted together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence, Set

from msgspec.structs import replace

from ..host.launch_record import FoundLaunch, common_reals
from ..lower.kernels.series import KernelSeries

Offsets = tuple[tuple[str, tuple[int, ...]], ...]
_APART = 8
_MOST_OFFSETS = 32  # of the arrays of one launch in the source, which are analyzed apart


def series_of(launches: Sequence[FoundLaunch]) -> tuple[KernelSeries, ...]:
    """Return the series of launches, in the order in which they come first."""
    launches = _with_few_offsets(_with_common_reals(_with_distinct_arguments(launches)))
    sites = {(item.kernel, item.site) for item in launches if item.site}
    callers = Counter((kernel, site[-1]) for kernel, site in sites)
    grouped: dict[Hashable, list[FoundLaunch]] = {}
    for number, item in enumerate(launches):
        site: Hashable = item.site or number
        if item.site and callers[item.kernel, item.site[-1]] > _APART:
            site = item.site[-1]
        pointers = (item.launch.null_pointers, item.launch.array_offsets, item.launch.same_memory)
        grouped.setdefault((item.kernel, site, frozenset(item.missing), pointers), []).append(item)
    found: dict[Hashable, list[FoundLaunch]] = {}
    for items in map(_once, grouped.values()):
        same = found.get(tuple(map(_identity, items)))
        together = items if same is None else list(map(_added, same, items))
        found[tuple(map(_identity, items))] = together
    return tuple(
        KernelSeries(items[0].kernel, tuple(items), any(item.open_in or item.differs for item in items))
        for items in found.values()
    )


def _with_distinct_arguments(launches: Sequence[FoundLaunch]) -> list[FoundLaunch]:
    """Return the launches with those arguments that differ between launches of their kernel."""
    values: dict[tuple[str, str], set[int]] = {}
    for item in launches:
        for name, value in item.arguments.items():
            values.setdefault((item.kernel, name), set()).add(value)
    return [
        replace(
            item,
            launch=replace(
                item.launch,
                arguments=tuple(pair for pair in item.arguments.items() if len(values[item.kernel, pair[0]]) > 1),
            ),
        )
        for item in launches
    ]


def _with_common_reals(launches: Sequence[FoundLaunch]) -> list[FoundLaunch]:
    """Return the launches with the real numbers that all launches of their kernel have."""
    of_kernel: dict[str, list[FoundLaunch]] = {}
    for item in launches:
        of_kernel.setdefault(item.kernel, []).append(item)
    reals = {kernel: common_reals(items) for kernel, items in of_kernel.items()}
    return [replace(item, reals=reals[item.kernel]) for item in launches]


def _with_few_offsets(launches: Sequence[FoundLaunch]) -> list[FoundLaunch]:
    """Return the launches; where they differ too often at one position, each array has all of its offsets there."""
    offsets: dict[Hashable, set[Offsets]] = {}
    for item in launches:
        offsets.setdefault((item.kernel, item.site), set()).add(item.launch.array_offsets)
    together = {site: _of_each_array(found) for site, found in offsets.items() if len(found) > _MOST_OFFSETS}
    return [
        replace(item, launch=replace(item.launch, array_offsets=found))
        if (found := together.get((item.kernel, item.site)))
        else item
        for item in launches
    ]


def _of_each_array(launches: Set[Offsets]) -> Offsets:
    """Return the offsets that each array has in any of the launches: 0 where one has none."""
    names = sorted({name for found in launches for name, _ in found})
    return tuple(
        (name, tuple(sorted({offset for found in launches for offset in dict(found).get(name, (0,))})))
        for name in names
    )


def _once(items: Iterable[FoundLaunch]) -> list[FoundLaunch]:
    """Return the different launches, each with how often it is made; one alone where unknown parts differ each time."""
    found: dict[Hashable, FoundLaunch] = {}
    for item in items:
        known = found.get(_identity(item))
        found[_identity(item)] = item if known is None else _added(known, item)
    launches = list(found.values())
    if any(item.differs or item.missing != launches[0].missing for item in launches):
        return [replace(launches[0], least=min(1, launches[0].least), most=1, differs=_unknown(launches))]
    return launches


def _unknown(launches: Sequence[FoundLaunch]) -> tuple[str, ...]:
    """Return the parts that are not known and not the same in all launches."""
    names = [name for item in launches for name in item.differs]
    first = launches[0].missing
    names += [name for name in first if any(item.missing[name] != first[name] for item in launches)]
    return tuple(dict.fromkeys(names))


def _identity(item: FoundLaunch) -> Hashable:
    return item.kernel, item.launch, frozenset(item.arguments.items()), frozenset(item.missing)


def _added(one: FoundLaunch, other: FoundLaunch) -> FoundLaunch:
    open_in = one.open_in or other.open_in
    return replace(one, least=one.least + other.least, most=one.most + other.most, open_in=open_in)
