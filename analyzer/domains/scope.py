"""What encloses a node of the loop tree: its loops, the constraints of its iterations, and the exits before it.

Constraints are isl's text.  Each bracket of a domain has its own: ``upper`` takes every condition on data for true,
``lower`` for false.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from ..ir.conditions import leaves
from ..ir.nodes import Compare, Condition, Exit, Geometric, Guard, Loop, Node, Statement, Strided
from .average_trips import AverageTrip
from .domain import Domain, Schedule
from .formula import FALSE, TRUE, Formula
from .isl.sets import Points, Relation, relation
from .ranges import copied
from .series.path import Doubt, Step
from .singled_out import UNSURE, Single


class Leaving(Struct, frozen=True):
    """An affine early exit seen from a position in its loop.

    ``iterations`` of the loop at ``depth`` leave; ``order`` says which ones do not reach the place any more, as isl's
    comparison of their iterator with that of a leaving one.
    """

    depth: int
    iterations: Points
    order: str


class DataConditions(Struct, frozen=True):
    """Conditions on data around a position: what its scope would be without them, themselves, and their shares."""

    lower: tuple[str, ...]
    exact: bool
    weight: Fraction
    path: tuple[Condition, ...]
    share: Fraction


class Scope(Struct, frozen=True):
    """What encloses the node being visited; ``leaves``: a condition on data at whose end its loop is left.

    ``averages`` are the loops around it with average trip counts.  ``path`` is what encloses it, from the outside,
    ``bodies`` are the iterations of each loop of it; ``is_summed``: something of it is not affine, but can be summed up
    (:mod:`.series`).  ``singles`` are the equalities around it that single out an iteration of a loop.
    """

    loops: tuple[Loop, ...]
    schedule: Schedule
    ranges: tuple[str, ...]
    upper: tuple[str, ...]
    lower: tuple[str, ...]
    exact: bool
    weight: Fraction
    formula: Formula
    leaving: tuple[Leaving, ...] = ()
    data: DataConditions | None = None
    leaves: bool = False
    averages: tuple[AverageTrip, ...] = ()
    path: tuple[Step, ...] = ()
    bodies: tuple[Domain, ...] = ()
    is_summed: bool = False
    singles: tuple[Single, ...] = ()


def is_certain(branch: Scope) -> bool:
    """Return whether the condition of a branch does not depend on data, whatever encloses it."""
    return branch.upper[-1] == branch.lower[-1]


def counts_down(loop: Loop) -> bool:
    """Return whether the iterator takes falling values."""
    return (isinstance(loop.range, Strided) and loop.range.step < 0) or (
        isinstance(loop.range, Geometric) and loop.range.shrinking
    )


def under(scope: Scope, condition: Condition, share: Fraction) -> Scope:
    """Return the scope of what runs under a condition that iterators decide, wholly or in part."""
    formula = copied(scope.formula)
    upper = formula.condition(condition, optimistic=True)
    lower = formula.condition(condition, optimistic=False)
    weight = Fraction(1) if upper == lower else share
    data = scope.data
    if data is not None:
        exact = data.exact and upper == lower
        data = replace(data, lower=(*data.lower, lower), exact=exact, weight=data.weight * weight)
    return replace(
        scope,
        upper=(*scope.upper, upper),
        lower=(*scope.lower, lower),
        exact=scope.exact and upper == lower,
        weight=scope.weight * weight,
        formula=formula,
        data=data,
        path=(*scope.path, condition),
        is_summed=scope.is_summed or (upper != lower and _has_values(condition)),
    )


def _has_values(condition: Condition) -> bool:
    """Return whether iterators and sizes alone decide a condition."""
    return all(
        isinstance(leaf, Compare) and not (leaf.left.unknowns() or leaf.right.unknowns()) for leaf in leaves(condition)
    )


def under_data(scope: Scope, condition: Condition, share: Fraction) -> Scope:
    """Return the scope of what runs under a condition on data: from never to always."""
    data = scope.data or DataConditions(scope.lower, scope.exact, scope.weight, (), Fraction(1))
    return replace(
        scope,
        upper=(*scope.upper, TRUE),
        lower=(*scope.lower, FALSE),
        exact=False,
        weight=scope.weight * share,
        data=replace(data, path=(*data.path, condition), share=data.share * share),
        path=(*scope.path, condition),
    )


def under_single(scope: Scope, single: Single) -> Scope:
    """Return the scope of what runs in an iteration that an equality singles out, or in the others."""
    unsure = FALSE if single.inside else UNSURE
    data = scope.data
    return replace(
        scope,
        upper=(*scope.upper, TRUE),
        lower=(*scope.lower, unsure),
        exact=False,
        data=None if data is None else replace(data, lower=(*data.lower, unsure), exact=False),
        path=(*scope.path, single.condition),
        singles=(*scope.singles, single),
    )


def doubted(scope: Scope, sure: str) -> Scope:
    """Return the scope of what an exit may prevent, but for the iterations that are ``sure``."""
    data = scope.data
    if data is not None:
        data = replace(data, lower=(*data.lower, sure), exact=False)
    return replace(scope, lower=(*scope.lower, sure), exact=False, data=data, path=(*scope.path, Doubt()))


def narrowed(scope: Scope, constraint: str) -> Scope:
    """Return the scope within a loop's range."""
    data = scope.data
    return replace(
        scope,
        ranges=(*scope.ranges, constraint),
        upper=(*scope.upper, constraint),
        lower=(*scope.lower, constraint),
        data=None if data is None else replace(data, lower=(*data.lower, constraint)),
    )


def later(left: Leaving, depth: int) -> Relation:
    """Return the relation from an iteration that leaves the loop to those in it that are then no longer reached."""
    source = [f"x{k}" for k in range(left.depth)]
    target = [f"y{k}" for k in range(depth)]
    equal = [f"y{k} = x{k}" for k in range(left.depth - 1)]
    last = left.depth - 1
    condition = " and ".join([*equal, f"y{last} {left.order} x{last}"])
    return relation(f"{{ [{', '.join(source)}] -> [{', '.join(target)}] : {condition} }}")


def left_nodes(nodes: Iterable[Node]) -> frozenset[int]:
    """Return the identities of the nodes, at any depth, with an exit in or below them that leaves more than them.

    No other node needs to be searched for exits, whatever encloses it.
    """
    found: set[int] = set()

    def targets(node: Node) -> frozenset[str | None]:
        """Return what the exits in or below a node leave, but for loops in it."""
        match node:
            case Statement():
                return frozenset()
            case Exit():
                left = frozenset((node.loop,))
            case Guard():
                left = frozenset().union(*map(targets, (*node.body, *node.orelse)))
            case Loop():
                left = frozenset().union(*map(targets, node.body)) - {node.iterator}
            case _:
                assert_never(node)
        if left:
            found.add(id(node))
        return left

    for node in nodes:
        targets(node)
    return frozenset(found)
