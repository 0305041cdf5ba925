"""Exact counts of distinct cache lines: how many pairs of (outer counters, line) the references of an array make.

A count that keeps ``depth`` counters is the number of lines of one block, summed over all blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from ....domains.isl.sets import Points, points
from ....domains.limits import OverBudget
from ..program import Affine, Child, Leaf, Program, leaves_of
from ..schedules.lockstep import THREADS

_SEVERAL, _DEEP = 2, 5  # references, and loops, of which counts in isl may take long
_MANY = 24  # convex sets, times loops: 3 in 8 loops took 4 s, 9 took 10 s without an answer
_MANY_CONDITIONS, _MANY_DIVISIONS = 48, 8  # none of five sets (causal attention) had an answer after 2 s


class Lines(Struct, frozen=True):
    """What is counted: the references under some nodes, with ``depth`` counters kept."""

    children: tuple[Child, ...]
    depth: int

    def key(self) -> tuple[object, ...]:
        """Return a key: equal ones count the same, and a loop counts what the only child of its body counts."""
        children = self.children
        while len(children) == 1 and self.depth > _depth(children[0]):
            inner = children[0].children if not isinstance(children[0], Leaf) else []
            if len(inner) != 1:
                break
            children = (inner[0],)
        return (*(id(child) for child in children), self.depth)


class LineCounts:
    """Counts for one array; each is made once."""

    def __init__(self, program: Program, array: str, line_bytes: int, *, writes: bool) -> None:
        """Start for one line size; with ``writes`` only what is written counts."""
        self._program = program
        self._array = array
        self._line = line_bytes
        self._writes = writes
        self._known: dict[tuple[object, ...], float] = {}
        self._latest: dict[int, tuple[tuple[Child, ...], Points | None]] = {}

    def __call__(self, lines: Lines) -> float:
        """Return the number of pairs."""
        key = lines.key()
        if key not in self._known:
            self._known[key] = self._count(lines)
        return self._known[key]

    def _count(self, lines: Lines) -> float:
        enumerated = self._enumerated(lines)
        if enumerated is not None:
            return enumerated
        found = self._united(lines.children, lines.depth)
        if found is None:
            return 0.0
        loops = max(len(leaf.loops) for leaf, _ in self._references(lines.children))
        takes_long = found.pieces() * loops >= _MANY or (
            found.conditions() >= _MANY_CONDITIONS and found.divisions() >= _MANY_DIVISIONS
        )
        sampled = self._sampled(lines) if takes_long else None
        if sampled is not None:
            return sampled
        try:
            return float(found.count({}).evaluate({}))
        except OverBudget:
            sampled = self._sampled(lines)
            if sampled is None:
                raise
            return sampled

    def _references(self, children: Sequence[Child]) -> list[tuple[Leaf, Affine]]:
        """Return what counts of the array under some nodes: statements, and the addresses that they touch."""
        return [
            (leaf, reference.address)
            for child in children
            for leaf in leaves_of(child)
            for reference in leaf.references
            if reference.array == self._array and (reference.write or not self._writes)
        ]

    def _enumerated(self, lines: Lines) -> float | None:
        """Return the count of several references in deep boxes, which isl unites for minutes; None of others."""
        references = self._references(lines.children)
        if len(references) < _SEVERAL or max(len(leaf.loops) for leaf, _ in references) < _DEEP:
            return None
        from .boxes import lines_of_boxes

        return lines_of_boxes(references, lines.depth, self._line)

    def _sampled(self, lines: Lines) -> float | None:
        """Return the count of a kernel from some of its blocks; None of other programs, and where these are large."""
        references = self._references(lines.children)
        in_threads = all(any(loop.mapping in THREADS for loop in leaf.loops) for leaf, _ in references)
        if not references or not in_threads:
            return None
        from .sampled import sampled_lines

        return sampled_lines(references, lines.depth, self._line)

    def _united(self, children: tuple[Child, ...], depth: int) -> Points | None:
        """Return the pairs of some nodes: those of the nodes asked for before and of the ones that follow, if so."""
        before, found = self._latest.get(depth, ((), None))
        if not before or children[: len(before)] != before:
            found = self._pairs(children, depth)
        elif children != before:
            more = self._pairs(children[len(before) :], depth)
            found = more if found is None else found if more is None else (found | more).coalesced()
        if len(children) > 1:
            self._latest[depth] = (children, found)
        return found

    def _pairs(self, children: Sequence[Child], depth: int) -> Points | None:
        pieces = [_text_of(leaf, address, depth, self._line) for leaf, address in self._references(children)]
        return points(f"{{ {'; '.join(dict.fromkeys(pieces))} }}").coalesced() if pieces else None


def executions(leaf: Leaf) -> float:
    """Return how often a statement runs."""
    return float(_domain(leaf).count({}).evaluate({}))


def exact_ranges(leaf: Leaf) -> tuple[tuple[int, int], ...]:
    """Return the least and the greatest value of each counter with which a statement runs that runs at all."""
    return _domain(leaf).ranges()


def _domain(leaf: Leaf) -> Points:
    counters = ", ".join(_names(range(len(leaf.loops))))
    return points(f"{{ [{counters}] : {' and '.join(conditions_text(leaf)) or '0 = 0'} }}")


def _depth(child: Child) -> int:
    return len(child.loops) if isinstance(child, Leaf) else child.depth


def _text_of(leaf: Leaf, address: Affine, depth: int, line_bytes: int) -> str:
    """Return the counters and the line of one reference in isl's notation."""
    conditions = [*conditions_text(leaf), f"l = floor(({affine_text(address)})/{line_bytes})"]
    image = ", ".join([*_names(range(depth)), "l"])
    inner = ", ".join(_names(range(depth, len(leaf.loops))))
    body = " and ".join(conditions)
    return f"[{image}] : exists ({inner} : {body})" if inner else f"[{image}] : {body}"


def conditions_text(leaf: Leaf) -> list[str]:
    """Return, in isl's notation, the conditions on counters under which a statement runs."""
    conditions = [test.text for test in leaf.tests]
    for loop in leaf.loops:
        counter = f"t{loop.depth}"
        conditions += [f"{bound.divisor}*{counter} >= {affine_text(bound.limit)}" for bound in loop.lows]
        conditions += [f"{bound.divisor}*{counter} <= {affine_text(bound.limit)}" for bound in loop.highs]
    return conditions


def _names(depths: Iterable[int]) -> Sequence[str]:
    return [f"t{depth}" for depth in depths]


def affine_text(expression: Affine) -> str:
    """Return an expression in counters in isl's notation."""
    return " + ".join([str(expression.constant), *(f"{factor}*t{depth}" for depth, factor in expression.terms)])
