"""How caches are modelled: which model, for which hierarchies, from a cold or a warm start."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction

from msgspec import Struct

from ..ir.index import Climb
from .hierarchy import Hierarchy


class CacheModel(StrEnum):
    """How the bytes between two levels are found.

    ``NONE``: every reference goes to memory.  ``COMPULSORY``: infinite caches, every byte moves once.  ``ANALYTIC``:
    reuse strata, at a cost that does not depend on the sizes.  ``SIMULATE``: the reference stream, or windows of it,
    through set-associative caches with least-recently-used replacement.
    """

    NONE = "none"
    COMPULSORY = "compulsory"
    ANALYTIC = "analytic"
    SIMULATE = "simulate"


class Branches(Struct, frozen=True):
    """How often data take branches: those whose probability is ``given``, by name, and all ``others``."""

    given: tuple[tuple[str, Fraction], ...] = ()
    others: Fraction = Fraction(1, 2)

    def share(self, climb: Climb) -> float:
        """Return in which share of the iterations a counter moves."""
        taken = dict(self.given).get(climb.branch)
        return float(self.others if taken is None else 1 - taken if climb.negated else taken)


BRANCHES = Branches()


class CacheOptions(Struct, frozen=True):
    """Which caches to model and how; nothing is modelled without a hierarchy.

    ``verify`` asks for the simulation as well as the analytic model.  ``warm`` counts no cold misses: the caches hold
    the data that an earlier run left, the steady state that kerncraft counts.  ``conditions`` asks for the sizes
    up to which caches hold reused data, ``conditions_if_unknown`` for the same where some size has no value.
    ``branches`` are the probabilities of branches.  ``by_working_sets``: the analytic model takes nests of affine
    references by their working sets, as those in tiles.
    """

    model: CacheModel = CacheModel.ANALYTIC
    hierarchies: tuple[Hierarchy, ...] = ()
    verify: bool = False
    warm: bool = False
    conditions: bool = False
    conditions_if_unknown: bool = False
    branches: Branches = BRANCHES
    by_working_sets: bool = False
