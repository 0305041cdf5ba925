"""Sets of iterations of the loops around a statement, under constraints and without those that exits end."""

from __future__ import annotations

from msgspec.structs import replace

from .average_trips import reads_any
from .formula import Names
from .isl.budget import Budget
from .isl.sets import Points, box, points
from .limits import OverBudget, check
from .scope import Scope, later
from .singled_out import without_singles

# In isl's operations: an ordinary domain takes a few thousand.
_DOMAIN_BUDGET = 1_000_000


class IterationSets:
    """Makes sets of the iterations of scopes; keeps what exits leave of them."""

    def __init__(self, names: Names) -> None:
        """Start with the names of iterators and symbols in isl."""
        self._names = names
        self._remaining: dict[tuple[object, ...], Points] = {}

    def points(self, scope: Scope, constraints: tuple[str, ...]) -> Points:
        """Return the iterations of the loops of a scope under constraints; raises ``OverBudget``."""
        with Budget(_DOMAIN_BUDGET):
            return points(self.text(scope, constraints))

    def reached(self, iterations: Points, scope: Scope) -> Points:
        """Return the iterations that no exit keeps from reaching a scope.

        Statements in a row have the exits before them in common, and those that all statements before have.
        """
        key: tuple[object, ...] = (self.text(scope, scope.upper), len(scope.loops))
        for left in scope.leaving:
            key = (key, left)
            if key not in self._remaining:
                self._remaining[key] = iterations - later(left, len(scope.loops)).image(left.iterations)
            iterations = self._remaining[key]
        return iterations

    def text(self, scope: Scope, constraints: tuple[str, ...]) -> str:
        """Return that set in the language of isl."""
        dims = ", ".join(self._names.iterator(loop.iterator) for loop in scope.loops)
        body = scope.formula.close(list(constraints))
        return f"{self._names.parameters_in(body)} -> {{ [{dims}] : {body} }}"

    def limit(self, scope: Scope) -> Points | None:
        """Return the product of the largest ranges of all loops; None where that of one depends on an average."""
        depths = {average.depth for average in scope.averages}
        found: list[Points] = []
        for depth in range(len(scope.loops)):
            if reads_any(scope.ranges[depth], {each for each in depths if each < depth}):
                return None
            outer = replace(scope, loops=scope.loops[: depth + 1])
            found.append(self.points(outer, scope.ranges[: depth + 1]))
        return box(found)

    def certain(self, scope: Scope, upper: Points) -> Points:
        """Return what runs whatever the data are; raises ``OverBudget``, also after the deadline."""
        return self._within(scope, scope.lower, upper)

    def sure(self, scope: Scope, upper: Points) -> Points | None:
        """Return what runs whatever the data are, but for iterations that equalities single out; None over budget."""
        try:
            return self._within(scope, without_singles(scope.lower), upper)
        except OverBudget:
            return None

    def _within(self, scope: Scope, constraints: tuple[str, ...], upper: Points) -> Points:
        check()
        lower = self.points(scope, constraints)
        with Budget(_DOMAIN_BUDGET):
            return lower & upper
