"""Why the iterations of a nest run on several cores, or on one: a fact of the source, without any machine."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct


class Ground(Enum):
    """What decides on how many cores a nest runs.

    ``PRAGMA`` and ``LIBRARY`` make it parallel; the iterations of an ``INDEPENDENT`` one may run at the same time,
    though nothing in the source makes them.  One core runs a nest ``BESIDE`` parallel loops that no pragma
    makes parallel, one whose iterations are a ``DEPENDENCE`` or a ``REDUCTION``, one that may ``END`` early, and one of
    which independence is ``NOT_PROVEN``.
    """

    PRAGMA = "pragma"
    LIBRARY = "library"
    INDEPENDENT = "independent"
    BESIDE = "beside parallel loops"
    DEPENDENCE = "dependence"
    REDUCTION = "reduction"
    END = "early end"
    NOT_PROVEN = "not proven"


_OF_ONE = frozenset({Ground.BESIDE, Ground.DEPENDENCE, Ground.END, Ground.NOT_PROVEN})


class Parallelism(Struct, frozen=True):
    """The ground, with the ``iterator`` and ``line`` of the loop that is parallel or that cannot be.

    ``threads`` is their number where the source states it, and ``iterations`` the number of independent ones, where it
    is known; ``name`` is the library, what iterations depend on, or where several loops inside of one are independent,
    the iterator of that one.  ``executions`` is how often the innermost loops of an independent one iterate each time
    that a loop around starts it; None where there is no loop around, or that is not known.
    """

    ground: Ground
    iterator: str
    line: int
    threads: int | None = None
    name: str = ""
    iterations: int | None = None
    executions: int | None = None

    def is_of_one_core(self, *, reassociate: bool) -> bool:
        """Return whether one core runs the nest; sums may be taken in another order where they ``reassociate``."""
        return self.ground in _OF_ONE or (self.ground is Ground.REDUCTION and not reassociate)
