"""Trip counts of algorithms of a library, from how often the run called the lambda that each of them applies.

A library is not counted.  A lambda is, and its type is its own: where one call in the program runs it, in each
iteration of the one loop of an algorithm, and one statement calls this algorithm, the loop had as many iterations as
the lambda had calls (``std::transform``, ``std::accumulate``: as often as the standard says).  Of instances of a
template that were counted together nothing is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from ..frontend.surface.nodes import Call, Conditional, For, Function, Statement
from ..frontend.surface.traverse import children, statements_in, walk
from ..ir.nodes import Loop, Region
from ..ir.walk import walk as walk_region
from .flow import LOOPS, Location, contexts, is_code, location_of, may_leave
from .loop_counts import Ratio
from .measured import Measured
from .outcomes import joint_of

Counted = tuple[Function, Measured]
_Site = tuple[Function, Call]


def with_algorithms(
    found: Sequence[Counted], functions: Iterable[Function], regions: Iterable[Region]
) -> list[Counted]:
    """Return what a run says of each function with the trip counts of the algorithms that it calls."""
    sites = _sites(functions)
    own = {function.key: one for function, one in found}
    alone = {key for key, one in own.items() if not one.is_mean}
    more: dict[str, dict[Location, Ratio]] = {}
    for function, lambda_ in found:
        for site, call in _only(sites, function.key):
            if site.key in own or lambda_.calls is None or function.key not in alone or not _applies_once(site, call):
                continue
            for caller, outer in _only(sites, site.key):
                statement = _statement_of(caller, outer) if caller.key in alone else None
                entered = None if statement is None else own[caller.key].starts.get(location_of(statement))
                if statement is not None and entered and _has_one_loop(caller, location_of(statement), regions):
                    more.setdefault(caller.key, {})[location_of(statement)] = Ratio(lambda_.calls, entered)
    return [(function, _with_trips(one, more.get(function.key, {}))) for function, one in found]


def _with_trips(one: Measured, trips: Mapping[Location, Ratio]) -> Measured:
    return replace(one, trips={**trips, **one.trips}) if trips else one


def _sites(functions: Iterable[Function]) -> Mapping[str, list[_Site]]:
    """Return the calls of each function by its key."""
    sites: dict[str, list[_Site]] = {}
    for function in functions:
        for node in walk(function.body):
            if isinstance(node, Call):
                sites.setdefault(node.function, []).append((function, node))
    return sites


def _only(sites: Mapping[str, list[_Site]], key: str) -> Iterator[_Site]:
    """Yield the call of a function that is the only one."""
    found = sites.get(key, ())
    if len(found) == 1:
        yield found[0]


def _applies_once(algorithm: Function, call: Call) -> bool:
    """Return whether an algorithm has one loop, and makes a call in each of its iterations."""
    nodes = list(walk(algorithm.body))
    loops = [node for node in nodes if isinstance(node, LOOPS)]
    if len(loops) != 1 or not isinstance(loops[0], For) or may_leave(loops[0].body):
        return False
    around = dict(contexts(algorithm))
    statement = _statement_of(algorithm, call)
    return around.get(id(loops[0])) is algorithm and statement is not None and around.get(id(statement)) is loops[0]


def _statement_of(function: Function, call: Call) -> Statement | None:
    """Return the plain statement that a call is in, which makes it each time that it runs; None of any other."""
    for statement in statements_in(function.body):
        if not is_code(statement) or not any(node is call for node in walk(statement)):
            continue
        nodes = [node for part in children(statement) for node in walk(part)]
        return None if any(isinstance(node, Conditional) or joint_of(node) for node in nodes) else statement
    return None


def _has_one_loop(function: Function, at: Location, regions: Iterable[Region]) -> bool:
    """Return whether a function has no other loop at the location of a statement."""
    own = [region for region in regions if region.function == function.name and region.span == function.span]
    found = Counter(
        visit.node.span.path == function.span.path and (visit.node.span.line, visit.node.span.column) == at
        for region in own
        for visit in walk_region(region)
        if isinstance(visit.node, Loop)
    )
    return len(own) == 1 and found[True] == 1
