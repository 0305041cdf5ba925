"""Which functions use up the operations that a region has for following calls, so that other calls are not followed.

Calls are followed in the order of the program, until so many operations are used: a long set-up would use them all, and
the calls that do the work would be summaries.  With the summary of the set-up in its place there are enough for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

_LARGE = 0.25  # of all operations that are used to follow calls


class Following:
    """How many operations each function took whose calls were followed, and the calls for which none were left.

    ``refused`` has the functions around each of these: those of a trial that is undone are taken out again.
    """

    def __init__(self) -> None:
        """Start without calls."""
        self._used: Counter[str] = Counter()
        self._around: dict[str, set[str]] = {}
        self.refused: list[frozenset[str]] = []

    def add(self, function: str, operations: float, around: Sequence[str]) -> None:
        """Note the operations of a call of a function (by its key), with all calls in it, ``around`` it the others."""
        self._used[function] += int(operations)
        self._around.setdefault(function, set()).update(around)

    def refuse(self, around: Sequence[str]) -> None:
        """Note a call that was not followed, in the functions ``around`` it."""
        self.refused.append(frozenset(around))

    def costly(self, operations: float) -> frozenset[str]:
        """Return the innermost functions with a large part of the operations, outside of which a call was refused."""
        large = {
            function
            for function, used in self._used.items()
            if used > _LARGE * operations and any(function not in around for around in self.refused)
        }
        return frozenset(each for each in large if not any(each in self._around[inner] for inner in large - {each}))
