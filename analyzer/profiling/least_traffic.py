"""The traffic that no order of the operations is below, of a region and of its nests."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from ..bounds.lower_bound import lower_bound_of
from ..bounds.results import LowerBound
from ..domains.domain import StatementDomain
from ..domains.limits import OverBudget
from ..domains.statement_domains import statement_domains_of
from ..ir.nodes import Region, RegionKind
from ..profile import RegionProfile


def with_least_traffic(region: Region, profile: RegionProfile, only: frozenset[str] | None = None) -> RegionProfile:
    """Return the profile with lower bounds of its traffic, and of that of its nests; as it is for a kernel.

    With iterators ``only`` the nests over these have one, and the whole where it is one of them.  One whose work flags
    decide, or that is not all counted, has none.
    """
    if region.kind is RegionKind.KERNEL or profile.averages:
        return profile
    found = statement_domains_of(region)
    by_nest: dict[str, list[StatementDomain]] = {}
    for statement in found.statements:
        if statement.loops and (only is None or statement.loops[0].source_iterator in only):
            by_nest.setdefault(statement.loops[0].source_iterator, []).append(statement)
    nests = tuple(
        replace(nest, least=_least(by_nest.get(nest.loops[0].iterator, ()), nest)) if nest.loops else nest
        for nest in profile.nests
    )
    alone = len(nests) == 1 and profile.outside is None
    whole = _least(found.statements, profile) if not alone and only is None else None
    least = nests[0].least if alone else whole
    return replace(profile, nests=nests, least=least)


def _least(statements: Sequence[StatementDomain], profile: RegionProfile) -> LowerBound | None:
    if not statements or profile.flags or profile.assumed or profile.work.not_counted:
        return None
    try:
        return lower_bound_of(statements, profile.footprint, profile.values)
    except OverBudget:
        return None
