"""The part of a region that the cache models can lay out: the nests whose own sizes are known.

Region and the values of its symbols -> the region with numbers for them.  A loop of no iterations stands for each nest
that depends on other symbols; of a loop that only repeats nests, those of known sizes are kept.  A symbol that only
enters a computed value (a time stamp, an argument that is printed) is of no concern.  A reference outside of loops to
an element that is not known (``y[argc]``) stays, as one whose element data decides; so do statements under a condition
that is not known, as such that may run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ...diagnostics import Phrase
from ...ir.index import ZERO, Poly, unknown
from ...ir.nodes import DataDependent, Guard, Loop, Node, Region, Statement, Strided
from ...ir.passes.drivers import decisive_names, driver_of, outermost_loops
from ...ir.passes.substitute import bind
from ...ir.passes.tables import with_outer_elements
from ...ir.traverse import all_nodes, array_uses, map_accesses, map_bodies
from ...ir.values import Access


class KnownPart(Struct, frozen=True):
    """The region with numbers, and why it lacks a nest, by the iterator of its outermost loop in the source.

    ``touched`` are the arrays that the missing nests refer to.
    """

    region: Region
    missing: Mapping[str, Phrase]
    touched: frozenset[str] = frozenset()

    def lacks(self, node: Node) -> bool:
        """Return whether a node stands for a nest that is missing."""
        return isinstance(node, Loop) and node.source_iterator in self.missing


def known_part(region: Region, values: Mapping[str, int]) -> KnownPart:
    """Return the nests of a region whose sizes are among ``values``, with numbers in place of the symbols."""
    bound = with_outer_elements(bind(region, values))
    free = frozenset(symbol.name for symbol in region.symbols) - values.keys()
    if not free:
        return KnownPart(bound, {})
    missing: dict[str, Phrase] = {}
    body = tuple(_known(bound.body, free, missing, frozenset()))
    return KnownPart(replace(bound, body=body), missing, _touched(bound.body, missing))


def without_nests(part: KnownPart, reasons: Mapping[str, Phrase]) -> KnownPart:
    """Return the part without some more outermost loops, for the ``reasons`` given by iterator."""
    body = tuple(_without(part.region.body, reasons.keys()))
    touched = part.touched | _touched(part.region.body, reasons.keys())
    return KnownPart(replace(part.region, body=body), {**part.missing, **reasons}, touched)


def _touched(nodes: Sequence[Node], iterators: Collection[str]) -> frozenset[str]:
    """Return the arrays to which the loops with some iterators refer."""
    loops = (node for node in all_nodes(nodes) if isinstance(node, Loop) and node.source_iterator in iterators)
    return frozenset(array_uses(loops))


def _without(nodes: Sequence[Node], iterators: Collection[str]) -> Iterator[Node]:
    for node in nodes:
        match node:
            case Loop():
                yield _without_iterations(node) if node.source_iterator in iterators else node
            case _:
                yield map_bodies(node, lambda body: tuple(_without(body, iterators)))


def _without_iterations(loop: Loop) -> Loop:
    """Return a loop that runs nothing, in place of one of unknown work."""
    return replace(loop, range=Strided(ZERO, ZERO), header=(), body=())


def _known(
    nodes: Sequence[Node], free: frozenset[str], missing: dict[str, Phrase], above: frozenset[str]
) -> Iterator[Node]:
    """Yield what is known of nodes outside of loops; ``above`` are the free symbols of the conditions around them."""
    for node in nodes:
        match node:
            case Loop():
                lacks = above | free.intersection(decisive_names(node))
                driver = None if above or not lacks else _known_driver(node, free, missing)
                if lacks and driver is None:
                    missing[node.source_iterator] = Phrase.of("AI210", "names", names=tuple(sorted(lacks)))
                    yield _without_iterations(node)
                else:
                    yield driver or node
            case Guard():
                lacks = free & node.condition.names
                body, orelse = (tuple(_known(arm, free, missing, above | lacks)) for arm in (node.body, node.orelse))
                condition = DataDependent(f"line {node.span.line}") if lacks else node.condition
                yield replace(node, condition=condition, body=body, orelse=orelse)
            case Statement():
                yield map_accesses(node, lambda access: _with_unknown_subscripts(access, free))
            case _:
                yield node


def _known_driver(loop: Loop, free: frozenset[str], missing: dict[str, Phrase]) -> Loop | None:
    """Return a loop that only repeats nests with those of known sizes; None of any other, and where none is known."""
    driver = driver_of(loop, {})
    if driver is None or loop.timed:
        return None
    lacking: dict[str, Phrase] = {}
    body = tuple(_known(driver.loops[-1].body, free, lacking, frozenset()))
    if all(each.source_iterator in lacking for each in outermost_loops(body)):
        return None
    for each in reversed(driver.loops):
        body = (replace(each, body=body),)
    (known,) = body
    assert isinstance(known, Loop)
    if driver_of(known, {}) is None:
        return None
    missing.update(lacking)
    return known


def _with_unknown_subscripts(access: Access, free: frozenset[str]) -> Access:
    def known(poly: Poly) -> Poly:
        return unknown(str(poly), poly.names()) if poly.names() & free else poly

    strides = tuple(None if stride is None or stride.names() & free else stride for stride in access.strides_bytes)
    return replace(access, subscripts=tuple(map(known, access.subscripts)), strides_bytes=strides)
