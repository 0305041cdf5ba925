"""What at least and at most happens under conditions on data that are not independent of one another.

Statements in the two branches of a conditional exclude each other, statements under the same condition run together,
and of the arms of a switch one is taken.  Within one iteration every condition on data has one truth value, so that the
bounds are the least and the largest sum over all combinations of truth values.  Conditions without a common name are
independent: their bounds add up, which is what keeps the number of combinations small.

>>> x, y = DataDependent("x"), DataDependent("y")
>>> bounds([[Part((x,), {"loads": 3}), Part((Not(x),), {"loads": 2}), Part((y,), {"loads": 1})]])
[{'loads': Factor(least=2, likely=Fraction(3, 1), most=4)}]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Generic, NamedTuple, TypeVar

from msgspec import Struct

from ..ir.conditions import leaves
from ..ir.index import Number
from ..ir.nodes import And, Condition, DataDependent, Not, Or, Truth
from ..quantities.quantity import Factor

Key = TypeVar("Key", bound=Hashable)

_MOST_STEPS = 10_000  # of the search for combinations, some 10 ms


class Part(Struct, Generic[Key], frozen=True):
    """Numbers that an iteration adds where all conditions on its path hold, which is estimated to be in a ``share``."""

    path: tuple[Condition, ...]
    numbers: Mapping[Key, Number]
    share: Fraction = Fraction(1, 2)


class _Span(NamedTuple):
    least: Number
    most: Number


class _Asked(NamedTuple):
    """A condition with the parts of it that are on data, and what names them."""

    condition: Condition
    atoms: tuple[DataDependent, ...]
    subjects: frozenset[str]

    @staticmethod
    def of(condition: Condition) -> _Asked:
        atoms = tuple(leaf for leaf in leaves(condition) if isinstance(leaf, DataDependent))
        return _Asked(condition, atoms, frozenset(map(_subject, atoms)))


class _Open(NamedTuple, Generic[Key]):
    """The numbers of a part, and what of its path is not decided."""

    path: tuple[_Asked, ...]
    numbers: Mapping[Key, Number]

    @property
    def subjects(self) -> frozenset[str]:
        return frozenset().union(*(asked.subjects for asked in self.path))


def bounds(groups: Iterable[Sequence[Part[Key]]]) -> list[dict[Key, Factor]]:
    """Return the sum of the parts of each group per iteration, by key.

    Where there are too many combinations, wider bounds.

    Small groups come first where the number of combinations is limited.
    """
    search, listed = _Search(_MOST_STEPS), list(groups)
    found: dict[int, dict[Key, Factor]] = {}
    for index in sorted(range(len(listed)), key=lambda index: len(listed[index])):
        found[index] = _bounds_of(listed[index], search.spans(_opened(listed[index])))
    return [found[index] for index in range(len(listed))]


def _opened(parts: Sequence[Part[Key]]) -> list[_Open[Key]]:
    """Return the parts with what their conditions ask, which is looked for once where they share one."""
    shared = {id(condition): condition for part in parts for condition in part.path}
    asked = {identity: _Asked.of(condition) for identity, condition in shared.items()}
    return [_Open(tuple(asked[id(condition)] for condition in part.path), part.numbers) for part in parts]


def _bounds_of(parts: Sequence[Part[Key]], spans: Mapping[Key, _Span]) -> dict[Key, Factor]:
    likely: dict[Key, Number] = {}
    for part in parts:
        for key, number in part.numbers.items():
            likely[key] = likely.get(key, 0) + number * part.share
    return {
        key: Factor(spans[key].least, min(max(likely[key], spans[key].least), spans[key].most), spans[key].most)
        for key in likely
    }


class _Search:
    """Fixes one condition after the other, as far as ``left`` allows."""

    def __init__(self, left: int) -> None:
        self._left = left

    def spans(self, parts: Sequence[_Open[Key]]) -> dict[Key, _Span]:
        total: dict[Key, _Span] = {}
        for together in _components(parts):
            for key, found in self._of_component(together).items():
                known = total.get(key, _Span(0, 0))
                total[key] = _Span(known.least + found.least, known.most + found.most)
        return total

    def _of_component(self, parts: Sequence[_Open[Key]]) -> dict[Key, _Span]:
        atoms = [atom for part in parts for asked in part.path for atom in asked.atoms]
        subjects = Counter(map(_subject, atoms))
        free = len(parts) == 1 and len(atoms) == len(subjects)  # each condition once: the path may hold or not
        if free or not atoms:
            return self._apart(parts)
        chosen = subjects.most_common(1)[0][0]
        names = dict.fromkeys(atom.name for atom in atoms if _subject(atom) == chosen)
        steps = len(atoms) * (len(names) + 1)
        if steps > self._left:
            return self._apart(parts)
        self._left -= steps
        found = [self.spans(_fixed(parts, chosen, name)) for name in (None, *names)]
        nothing = _Span(0, 0)
        return {
            key: _Span(
                min(spans.get(key, nothing).least for spans in found),
                max(spans.get(key, nothing).most for spans in found),
            )
            for key in dict.fromkeys(key for part in parts for key in part.numbers)
        }

    def _apart(self, parts: Sequence[_Open[Key]]) -> dict[Key, _Span]:
        total: dict[Key, _Span] = {}
        for part in parts:
            for key, number in part.numbers.items():
                known = total.get(key, _Span(0, 0))
                total[key] = _Span(known.least + (0 if part.path else number), known.most + number)
        return total


def _components(parts: Sequence[_Open[Key]]) -> Iterator[list[_Open[Key]]]:
    """Yield the parts in groups without a common condition; those without any are a group of their own."""
    joined: dict[str, str] = {}

    def root(subject: str) -> str:
        while joined[subject] != subject:
            joined[subject] = subject = joined[joined[subject]]
        return subject

    subjects = [list(part.subjects) for part in parts]
    for names in subjects:
        for name in names:
            joined.setdefault(name, name)
            joined[root(name)] = root(names[0])
    groups: dict[str, list[_Open[Key]]] = {}
    for part, names in zip(parts, subjects, strict=True):
        groups.setdefault(root(names[0]) if names else "", []).append(part)
    yield from groups.values()


def _fixed(parts: Sequence[_Open[Key]], subject: str, name: str | None) -> list[_Open[Key]]:
    """Return the parts that can run where of a subject the condition with this name holds (None: no one)."""
    decided: dict[int, _Asked] = {}
    found = []
    for part in parts:
        path = []
        for asked in part.path:
            if subject in asked.subjects:
                if id(asked) not in decided:
                    decided[id(asked)] = _Asked.of(_assigned(asked.condition, subject, name))
                asked = decided[id(asked)]
            path.append(asked)
        if all(asked.condition != Truth(False) for asked in path):
            left = tuple(asked for asked in path if asked.condition != Truth(True))
            found.append(_Open(left, part.numbers))
    return found


def _assigned(condition: Condition, subject: str, name: str | None) -> Condition:
    match condition:
        case DataDependent() if _subject(condition) == subject:
            return Truth(condition.name == name)
        case Not(operand):
            inner = _assigned(operand, subject, name)
            return Truth(not inner.holds) if isinstance(inner, Truth) else Not(inner)
        case And(operands) | Or(operands):
            neutral = isinstance(condition, And)
            kept = [_assigned(operand, subject, name) for operand in operands]
            if Truth(not neutral) in kept:
                return Truth(not neutral)
            kept = [operand for operand in kept if operand != Truth(neutral)]
            return type(condition)(tuple(kept)) if kept else Truth(neutral)
        case _:
            return condition


def _subject(atom: DataDependent) -> str:
    """Return what names conditions of which at most one holds: one alone, or the cases of a switch."""
    return atom.subject or atom.name
