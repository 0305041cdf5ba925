"""What is demanded of loops: budgets of the configuration and directives of the source, to one demand for each nest.

A directive takes precedence over the configuration; of several budgets that match the last one holds, key by key.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from fractions import Fraction
from pathlib import PurePath

from msgspec import Struct
from msgspec.structs import replace

from analyzer.annotations.model import DEMANDS, Annotation, Role
from analyzer.profile import RegionProfile
from analyzer.source import NO_SPAN, Span

from ..report.source_names import source_name


class Demand(Struct, frozen=True):
    """What must hold for a nest: its least intensity in FLOP/byte, its bound (or the level that binds).

    ``max_distance`` is how many times the least bytes of any order of its operations it may move.
    """

    hot: bool = False
    min_ai: Fraction | None = None
    bound: str | None = None
    max_distance: Fraction | None = None

    @property
    def is_marked(self) -> bool:
        """Return whether anything is asked."""
        return self.hot or self.min_ai is not None or self.bound is not None or self.max_distance is not None


class Budget(Struct, frozen=True):
    """A demand on the loops that match: ``file`` and ``function`` are patterns, ``loop`` an iterator or a number.

    Numbers count the nests of a function from 1.  ``file`` is relative to ``folder``, that of the configuration, where
    the budget stands at ``span``.
    """

    demand: Demand
    file: str = "*"
    function: str = "*"
    loop: str = "*"
    folder: str = ""
    span: Span = NO_SPAN

    def is_of(self, path: str) -> bool:
        """Return whether the budget speaks of loops in this file."""
        return _is_at(path, self.file, self.folder)

    def matches(self, path: str, function: str, nest: RegionProfile, number: int) -> bool:
        """Return whether the budget is one of this nest."""
        iterator = source_name(nest.loops[0].iterator) if nest.loops else ""
        loops = (self.loop == "*", self.loop == str(number), fnmatchcase(iterator, self.loop))
        return self.is_of(path) and fnmatchcase(function, self.function) and any(loops)


def _is_at(path: str, pattern: str, folder: str) -> bool:
    """Return whether a path matches, relative to the folder or by its last parts."""
    location = PurePath(path)
    near = location.relative_to(folder) if folder and location.is_relative_to(folder) else location
    return pattern == "*" or fnmatchcase(near.as_posix(), pattern) or near.match(pattern)


def demand_of(
    path: str,
    region: RegionProfile,
    number: int,
    nest: RegionProfile,
    budgets: Iterable[Budget],
    directives: Sequence[Annotation],
    hot_min_ai: Fraction | None = None,
) -> Demand:
    """Return the demand on the nest with this number (from 1): ``hot_min_ai`` on hot ones without a budget."""
    found = Demand()
    for budget in budgets:
        if budget.matches(path, region.function, nest, number):
            own = budget.demand
            found = Demand(
                found.hot or own.hot,
                own.min_ai or found.min_ai,
                own.bound or found.bound,
                own.max_distance or found.max_distance,
            )
    for directive in directives:
        if directive.role in DEMANDS and applies_to(directive, region, nest):
            found = _with(found, directive)
    return replace(found, min_ai=hot_min_ai) if found.hot and found.min_ai is None else found


def applies_to(directive: Annotation, region: RegionProfile, nest: RegionProfile) -> bool:
    """Return whether a demand is on a loop of the nest, or on the whole function.

    Loops of functions that it calls are left to the nests of these.
    """
    span = region.span
    lines = {loop.line for loop in nest.loops if span.line <= loop.line <= span.end_line}
    if directive.target in lines:
        return True
    everywhere = {loop.line for loop in region.loops}
    return directive.target == region.span.line and directive.target not in everywhere


def _with(demand: Demand, directive: Annotation) -> Demand:
    match directive.role:
        case Role.HOT:
            return replace(demand, hot=True)
        case Role.MIN_AI:
            return replace(demand, min_ai=Fraction(directive.value))
        case _:
            return replace(demand, bound=directive.value)
