"""The branches of an innermost loop: conditions on data and its end, and which of them a predictor has learnt."""

from __future__ import annotations

from fractions import Fraction

from ...compilers import Compiler
from .compiled import CompiledLoop
from .costs import learnt_branches, mispredicted_cycles

_COMPARED = 5.0  # cycles of a comparison of floating-point numbers, whose flags go to the integer side (Fog, Zen 4)
# Branches of one loop that the history of a predictor distinguishes from the next: 93 taken ones of Skylake (Yavarzadeh
# et al., Half&Half, S&P 2023); a Zen 3 predicts the end of 96 iterations, and not of 128.
REMEMBERED = 93


class Branches:
    """The branches of one iteration."""

    def __init__(self, loop: CompiledLoop) -> None:
        self._loop = loop

    @property
    def mispredicted(self) -> float:
        """Return the cycles of an iteration that conditions on random data take."""
        each = mispredicted_cycles(self._loop.machine) + self._loop.load_latency + _COMPARED
        return sum(map(float, self.missed)) * each

    @property
    def missed(self) -> list[Fraction]:
        """Return the conditions on data that are branches, each by how often it is mispredicted."""
        if self._loop.lanes > 1:
            return []
        speculates = self._loop.compiler is not Compiler.GCC
        return [
            branch.missed
            for branch in self._loop.iteration.vectorization.branches
            if not (branch.is_cheap or (speculates and branch.is_speculated))
        ]

    def is_learnt(self, branches: int) -> bool:
        """Return whether a repeated run has so few branches in each iteration that a predictor learns them all."""
        loop, most = self._loop, learnt_branches(self._loop.machine)
        return loop.options.warm and loop.runs is not None and loop.runs / loop.lanes * branches <= most

    @property
    def end_is_predicted(self) -> bool:
        """Return whether the end of the loop is predicted: always after as many iterations, or after few."""
        loop = self._loop
        return not loop.varies or self.is_learnt(1) or (loop.trip is not None and loop.trip <= REMEMBERED)
