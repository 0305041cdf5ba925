"""The bound of values that are live together: all that one step computes is needed by the next one.

Let x_t be an operation of iteration t of the outermost loop.  A value that x_t needs is computed before it in any
order; where an operation that needs x_t uses it, it is used after x_t, and so is in the cache of S elements when x_t
runs, or loaded afterwards.  So is one value at least of each of some disjoint paths of operations, from one that x_t
needs to one that needs x_t.  Where x_{t+1} needs the ends of the paths, these loads are made before it, and

    loads >= sum over t of (paths across x_t - S)

(wavefronts: Elango, Rastello, Pouchet, Ramanujam, Sadayappan, *On characterizing the data movement complexity of
computational DAGs for parallel execution*, SPAA 2014; for affine programs Olivry et al., PLDI 2020).  They are loads of
computed values: first uses of arrays add to them.  Sums may be taken in any order: their statements are no x_t, and not
on the paths.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from ..domains.isl.reach import Edges, along, before_next, crossing, end_of_each, reached, with_closures
from ..domains.isl.sets import Relation
from ..domains.limits import OverBudget
from ..ir.index import Number
from ..quantities.quasipolynomial import Count
from .references import Statements

_MOST_STATEMENTS = 16  # in one outermost loop
_LONGEST = 3  # steps of a path
_MOST_PATHS = 120  # that are looked at
_TYPICAL_ELEMENTS = 1 << 10  # of a cache, for the choice of a bound only


class LiveValues(Struct, frozen=True, eq=False):
    """``paths`` across all x_t, of which there are ``times``; x_t is at ``line``, the values at ``lines``."""

    paths: Count
    times: Count
    line: int
    lines: tuple[int, ...]
    size_bytes: int


class _Step(Struct, frozen=True, eq=False):
    """From the value of one statement to its use in another one."""

    writer: int
    reader: int
    made_by: Relation


def live_values(statements: Statements, numbers: Sequence[int], point: Mapping[str, Number]) -> LiveValues | None:
    """Return the best bound of this kind of statements in one outermost loop; None without any.

    What is best is judged at a point in the symbols.  Raises ``OverBudget``.
    """
    steps = [
        _Step(writer.write, number, writer.made_by)
        for number in numbers
        for read in statements.reads.get(number, ())
        for writer in (() if read.found is None else read.found.writers)
        if writer.write in numbers
    ]
    if not 1 < len(numbers) <= _MOST_STATEMENTS or not steps:
        return None
    merged: dict[tuple[int, int], Relation] = {}
    for step in steps:
        key = (step.reader, step.writer)
        merged[key] = step.made_by if key not in merged else merged[key] | step.made_by
    edges = with_closures(merged)
    plain = [number for number in numbers if not statements.accumulates(number)]
    paths = list(_paths(steps, plain, statements))
    best: tuple[float, LiveValues] | None = None
    for number in plain:
        for found in _across(statements, number, edges, paths):
            score = float(found.paths.evaluate(point)) - _TYPICAL_ELEMENTS * float(found.times.evaluate(point))
            if score > 0 and (best is None or score > best[0]):
                best = (score, found)
    return None if best is None else best[1]


class _Path(Struct, frozen=True, eq=False):
    """Steps from a value to the use of another one; ``leads`` maps where they begin to where they end."""

    steps: tuple[_Step, ...]
    leads: Relation


def _paths(steps: Sequence[_Step], plain: Sequence[int], statements: Statements) -> Iterator[_Path]:
    """Yield paths of the deepest statements, short ones first, over each statement once but for the end."""
    depth = max((len(statements.all[number].loops) for number in plain), default=0)
    deep = {number for number in plain if len(statements.all[number].loops) == depth}
    some = [step for step in steps if step.reader in deep and step.writer in deep]
    pending: list[tuple[_Step, ...]] = [(step,) for step in some]
    left = _MOST_PATHS
    for _ in range(_LONGEST):
        longer: list[tuple[_Step, ...]] = []
        for chosen in pending:
            leads = along([step.made_by for step in chosen])
            left -= 1
            if left < 0:
                return
            if leads is None:
                continue
            yield _Path(chosen, leads)
            passed = {step.writer for step in chosen}
            longer += [
                (*chosen, step) for step in some if step.writer == chosen[-1].reader and step.writer not in passed
            ]
        pending = longer


def _across(statements: Statements, number: int, edges: Edges, paths: Sequence[_Path]) -> Iterator[LiveValues]:
    """Yield the bounds with the first and the last iteration of a statement as x_t."""
    statement = statements.all[number]
    time = statements.time(number)
    meaning = statement.domain.names.meaning
    for last in (False, True) if len(statement.loops) > 1 else (False,):
        at = end_of_each(statement.domain.upper, time, last=last)
        needed, after = (reached(at, number, edges, forwards=forwards) for forwards in (False, True))
        ends = {each: before_next(after[each], needed[each]) for each in after.keys() & needed.keys()}
        for path in paths:
            first, end = path.steps[0].writer, path.steps[-1].reader
            if first not in needed or end not in ends:
                continue
            try:
                found = crossing(needed[first], path.leads, ends[end])
                if found is None:
                    continue
                counts = [points.count(meaning) for points in found]
            except OverBudget:
                continue
            lines = dict.fromkeys(statements.all[step.writer].node.span.line for step in path.steps)
            size = min(statements.size_bytes(step.writer) for step in path.steps)
            yield LiveValues(counts[0], counts[1], statement.node.span.line, tuple(lines), size)
