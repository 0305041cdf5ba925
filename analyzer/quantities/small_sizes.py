"""Where large symbols are not: the chambers of a count that its polynomial for large symbols does not hold in."""

from __future__ import annotations

from functools import lru_cache

from ..ir.index import var
from .chambers import Chamber, Constraint, cut

_STEPS = 2000  # spent on simplifying chambers
_CUTS = 4096  # lists of chambers of which the parts are


@lru_cache(maxsize=_CUTS)
def cut_apart(
    guards: tuple[tuple[tuple[Constraint, ...], frozenset[str]], ...], are_large: tuple[bool, ...]
) -> tuple[tuple[tuple[Chamber, tuple[int, ...]], ...], bool]:
    """Return where large symbols are not: chambers, each with the positions of those that hold there.

    The second value says whether these are all.  The chambers of a count are identified by guards and families:
    counts of elements and of bytes have the same ones.
    """
    chambers = [Chamber(guard, var(str(position)), families) for position, (guard, families) in enumerate(guards)]
    large = [chamber for chamber, is_large in zip(chambers, are_large, strict=True) if is_large]
    small = [chamber for chamber, is_large in zip(chambers, are_large, strict=True) if not is_large]
    found: dict[frozenset[Constraint], Chamber] = {}
    whole = True
    for index, chamber in enumerate(small):
        others = (*large, *small[:index], *small[index + 1 :])
        parts, all_of_it = cut(chamber, others, frozenset(range(len(large))), _STEPS // len(small))
        if not all_of_it and is_degenerate(chamber):
            parts.append(chamber)
        else:
            whole &= all_of_it
        found.update((part.conditions, part) for part in parts)
    return tuple((part, tuple(int(str(names[0])) for names in part.value.terms)) for part in found.values()), whole


def is_degenerate(chamber: Chamber) -> bool:
    """Return whether the guard holds some symbol to at most 2: nests that hardly run."""
    for constraint in chamber.guard:
        slopes = [(m, n) for m, n in constraint.expression.terms.items() if m]
        bound = constraint.expression.terms.get((), 0)
        if not constraint.equality and len(slopes) == 1 and slopes[0][1] < 0 and bound <= -2 * slopes[0][1]:
            return True
    return False
