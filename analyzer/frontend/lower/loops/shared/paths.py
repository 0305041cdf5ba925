"""What an integer becomes on each path through an iteration, with what the loops inside add to it.

``while (i < n && s[i] == ' ') i++; if (q) i++;`` makes ``i + K`` and ``i + K + 1`` of ``i``, where the loop inside has
K iterations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from .....ir.index import Poly, Unknown, single_atom, var
from .....ir.nodes import Compare, Condition, DataDependent, Not, Truth
from ... import logic
from ...names.symbols import Falling, LeftBy, Symbols
from ..context import LoopContext
from ..placeholders import Moving
from ..ranges.ways import distance

_MOST_PATHS, _MOST_STEPS = 16, 256  # with those that contradict themselves, and lead to none

Added = tuple[int | None, int | None]
"""The least and the most that an iteration adds; None where that is any number."""


class Path(Struct, frozen=True):
    """What an expression becomes on one path: ``rest``, and what iterations of the loops inside add, by their iterator.

    An array of positions that fall adds, too.  ``facts`` are the conditions that hold on the path.
    """

    rest: Poly
    added: Mapping[str, Added]
    facts: frozenset[Condition] = frozenset()

    @property
    def never_rises(self) -> bool:
        """Return whether no loop inside adds anything above 0."""
        return all(most is not None and most <= 0 for _, most in self.added.values())


def paths(value: Poly, symbols: Symbols) -> list[Path]:
    """Return the paths that lead to a value; none where they are too many, or not known."""
    waiting = [Path(value, {})]
    found: list[Path] = []
    steps = 0
    while waiting:
        steps += 1
        if len(waiting) + len(found) > _MOST_PATHS or steps > _MOST_STEPS:
            return []
        path = waiting.pop()
        atom = next((each for each in path.rest.forms if isinstance(each, Unknown) and _is_known(each, symbols)), None)
        if atom is None:
            found.append(path)
            continue
        factor = path.rest.terms.get((atom,))
        rest = path.rest - Poly({(atom,): 1}) * (factor or 0)
        if not isinstance(factor, int) or atom in rest.unknowns():
            return []
        waiting += _before(path, atom, factor, rest, symbols)
    return found


def _is_known(atom: Unknown, symbols: Symbols) -> bool:
    known = (symbols.chosen_by_data, symbols.left_by, symbols.sums)
    return any(atom.label in values for values in known) or (atom.array in symbols.falling and atom.element is not None)


def _before(path: Path, atom: Unknown, factor: int, rest: Poly, symbols: Symbols) -> Iterator[Path]:
    """Yield a path with what an unknown value was before a loop, a choice or an addition in its place."""
    if atom.label in symbols.sums:
        yield replace(path, rest=rest + symbols.sums[atom.label] * factor)
        return
    if atom.label in symbols.left_by:
        left = symbols.left_by[atom.label]
        added = {**path.added, left.iterator: _sum(path.added.get(left.iterator, (0, 0)), _times(left, factor))}
        yield Path(rest + left.entry * factor, added, path.facts)
        return
    if atom.array in symbols.falling:
        if factor > 0 and atom.element is not None:
            most = atom.element[1][-1] + symbols.falling[atom.array].more
            yield Path(rest + most * factor, {**path.added, atom.array: (None, 0)}, path.facts)
        return
    condition = symbols.conditions.get(atom.label, logic.ALWAYS)
    for holds, way in zip((condition, logic.negate(condition)), symbols.chosen_by_data[atom.label], strict=True):
        facts = path.facts | facts_of(holds)
        if not contradict(path.facts, facts):
            yield Path(rest + way * factor, path.added, facts)


def facts_of(condition: Condition) -> frozenset[Condition]:
    """Return the named parts of a condition that hold where it does."""
    parts = logic.conjuncts(condition)
    leaves = (part.operand if isinstance(part, Not) else part for part in parts)
    return frozenset(
        part
        for part, leaf in zip(parts, leaves, strict=True)
        if not isinstance(leaf, Truth) and not (isinstance(leaf, DataDependent) and not leaf.name)
    )


def contradict(first: frozenset[Condition], second: frozenset[Condition]) -> bool:
    """Return whether some conditions hold nowhere where all of the others do."""
    return any(
        facts_of(logic.negate(each)) <= others for some, others in ((first, second), (second, first)) for each in some
    )


def _times(left: LeftBy, factor: int) -> Added:
    least, most = (None if end is None else end * factor for end in (left.least, left.most))
    return (least, most) if factor > 0 else (most, least)


def _sum(first: Added, second: Added) -> Added:
    least, most = (None if a is None or b is None else a + b for a, b in zip(first, second, strict=True))
    return least, most


def change(ends: Iterable[Poly | None], before: Poly, symbols: Symbols) -> Added:
    """Return what iterations that end with these values add to the one before at least and at most."""
    found = [None if end is None else _change(end, before, symbols) for end in ends]
    if not found or None in found:
        return None, None
    least = [each[0] for each in found if each is not None]
    most = [each[1] for each in found if each is not None]
    return (
        None if None in least else min(each for each in least if each is not None),
        None if None in most else max(each for each in most if each is not None),
    )


def _change(end: Poly, before: Poly, symbols: Symbols) -> Added | None:
    least: list[int | None] = []
    most: list[int | None] = []
    for path in paths(end, symbols):
        number = (path.rest - before).constant
        if not isinstance(number, int):
            return None
        lows, highs = zip(*path.added.values(), strict=True) if path.added else ((), ())
        least.append(number if all(low is not None and low >= 0 for low in lows) else None)
        most.append(number if all(high is not None and high <= 0 for high in highs) else None)
    if not least:
        return None
    return (
        None if None in least else min(each for each in least if each is not None),
        None if None in most else max(each for each in most if each is not None),
    )


def left_by(context: LoopContext, item: Moving, ends: Sequence[Poly | None]) -> LeftBy | None:
    """Return what a loop leaves of an integer that is lost behind it, by its values at the ends of iterations.

    The first is that of a whole one; others that leave it as it is are those of no iteration.
    """
    if item.entry is None or item.of_table:
        return None
    moving = [*ends[:1], *(end for end in ends[1:] if end != var(item.name))]
    return LeftBy(context.iterator, item.entry, *change(moving, var(item.name), context.symbols))


def note_falling(context: LoopContext) -> None:
    """Note arrays of positions along which a loop goes down to one that it tests: ``k > 0``, ``k = f[k - 1]``."""
    tests = [distance(part) for part in logic.conjuncts(context.condition) if isinstance(part, Compare)]
    for item in context.moving:
        end = context.ends[item.name]
        atom = None if end is None else single_atom(end)
        if not isinstance(atom, Unknown) or not atom.array or atom.element is None:
            continue
        below = (var(item.name) - atom.element[1][-1]).constant
        if isinstance(below, int) and any(left and left.coefficient(item.name).constant == 1 for left in tests):
            context.symbols.falling[atom.array] = Falling(context.iterator, min(0, below - 1), atom.label)
