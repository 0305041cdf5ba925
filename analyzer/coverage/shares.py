"""The shares in which the conditions of a region held in a run, and the trip counts of its loops.

A register that a condition tests was computed where the source writes the condition, whatever stands between.  Of
``&&`` and ``||`` each operand has a share of its own: that of the times that it was evaluated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from ..frontend.lower.logic import negate
from ..ir.conditions import leaves, map_leaves, share_of
from ..ir.index import Number
from ..ir.names import is_temporary
from ..ir.nodes import (
    And,
    Compare,
    Condition,
    DataDependent,
    Exit,
    Guard,
    Loop,
    Node,
    Not,
    Or,
    Region,
    Statement,
    Truth,
)
from ..ir.values import Register
from ..ir.walk import walk
from ..ir.written.text import condition_text
from ..python.regex import regex
from ..source import Span
from .binding import Bound
from .loop_counts import Ratio
from .ratios import Chance, Ratios

_FLAG = regex(r"(?:return|goto|break|continue)\.L([0-9]+)")


class Decided(Struct, frozen=True, kw_only=True):
    """The condition of a guard as the run has it, and the share in which it held (None: not known).

    ``is_always`` says that a condition of the source always held or never did, and stands for it.
    """

    condition: Condition
    share: Fraction | None
    span: Span
    is_on_data: bool = True
    is_always: bool | None = None


class Here(Struct, frozen=True):
    """Where a guard stands: how often it is reached in one execution of the region, and by the counts of a function."""

    times: Fraction | None
    recorded: Mapping[Span, int]


class Shares:
    """The ratios of a run for one region: those of its own function where that was counted alone.

    They ``are_counted`` as long as each was recorded as often as the region comes there.
    """

    def __init__(self, region: Region, bound: Bound) -> None:
        self._all = bound.ratios
        self._own = bound.own.get(region.function, Ratios())
        self.are_counted = self._own.calls is not None
        self._spans = {
            node.target.name: node.span
            for visit in walk(region)
            if isinstance(node := visit.node, Statement) and isinstance(node.target, Register)
        }
        guards = [visit.node for visit in walk(region) if isinstance(visit.node, Guard)]
        self._guards = Counter(guard.span for guard in guards)  # more than one where a loop is written out
        self._operands = dict(self._named_operands(guards))
        names = self._tested = {
            leaf.name for guard in guards for leaf in leaves(guard.condition) if isinstance(leaf, DataDependent)
        }
        self._together = Counter(self._spans[name] for name in names if name in self._spans)
        self._left: dict[int, Fraction] = {}
        self._flags: dict[str, Fraction] = {}
        recorded = [one for one in guards if not _on_data(one.condition) and self._chance(one.span) is not None]
        self._alike = {condition_text(guard.condition): guard for guard in recorded}
        self._opposites = {condition_text(negate(guard.condition)): guard for guard in recorded}

    def check(self, ratio: Ratio, times: Fraction | None) -> None:
        """Note whether a ratio was recorded as often as the region comes there."""
        calls = self._own.calls
        self.are_counted &= times is not None and calls is not None and times * calls == ratio.whole

    def trip(self, loop: Loop) -> Ratio | None:
        """Return the iterations of a loop to the times that it was entered."""
        return self._trip(loop.span)

    def _trip(self, span: Span) -> Ratio | None:
        found = self._own.trip(span)
        return self._all.trip(span) if found is None else found

    def tests(self, span: Span) -> tuple[Ratio, ...]:
        """Return how often each operand of a loop's condition held, of its evaluations; () where that is not known."""
        where = span.path, span.line, span.column
        return self._own.tests.get(where, self._all.tests.get(where, ()))

    def is_of_condition(self, node: Node, loop: Loop) -> bool:
        """Return whether a node leaves a loop where the condition that the source gives the loop does not hold."""
        if not isinstance(node, Guard) or node.orelse or len(node.body) > 1:
            return False
        exit_ = node.body[0]
        computed = {one.target.name for one in loop.header if isinstance(one.target, Register)}
        names = {leaf.name for leaf in leaves(node.condition) if isinstance(leaf, DataDependent)}
        own = all(name in computed or self._spans.get(name) == loop.span for name in names)
        return (
            isinstance(exit_, Exit) and exit_.loop == loop.iterator and own and (bool(names) or node.span == loop.span)
        )

    def leave(self, line: int, times: Fraction) -> None:
        """Note that a statement in a line left loops so often."""
        self._left[line] = self._left.get(line, Fraction(0)) + times

    def of(self, guard: Guard, here: Here, *, is_open: bool) -> Decided:
        """Return what a run says of the condition of a guard, whose indices may be open."""
        condition = guard.condition
        if not _on_data(condition):
            return self._of_indices(guard, here, is_open=is_open)
        shares = {leaf: self._of_leaf(leaf, guard) for leaf in leaves(condition)}
        for ratio in [share for share in shares.values() if share is not None][:1]:
            self.check(ratio, here.times)
        found = map_leaves(condition, lambda leaf: _with_share(leaf, shares.get(leaf)))
        found = self._with_flag(found, here.times)
        if (share := share_of(found)) is not None:
            return Decided(condition=found, share=share, span=guard.span)
        return self._whole(guard, here, self._span_of(condition) or guard.span)

    def _of_indices(self, guard: Guard, here: Here, *, is_open: bool) -> Decided:
        """Return the condition on sizes and iterators: as it is where these are known."""
        if is_open:
            text, is_recorded = condition_text(guard.condition), self._chance(guard.span) is not None
            if not is_recorded and text in self._alike:
                return self.of(replace(guard, span=self._alike[text].span), here, is_open=True)
            other = self._opposites.get(text)
            if not is_recorded and other is not None:  # what follows an early return
                found = self.of(other, here, is_open=True)
                share = None if found.share is None else 1 - found.share
                always = None if found.is_always is None else not found.is_always
                return Decided(condition=negate(found.condition), share=share, span=other.span, is_always=always)
            return self._whole(guard, here, guard.span)
        return Decided(condition=guard.condition, share=self._of_arms(guard, here), span=guard.span, is_on_data=False)

    def _whole(self, guard: Guard, here: Here, span: Span) -> Decided:
        """Return the condition of a guard as one that data decide, with the share of all of it."""
        chance = self._chance(span)
        if chance is None:
            share = self._of_second_operand(guard, here.times)
            if share is None:
                share = self._of_arms(guard, here)
                self.are_counted &= self._guards[guard.span] == 1 and self._all.body(guard.span) in self._own.bodies
            if share is None:
                self.are_counted = False
                return Decided(condition=guard.condition, share=None, span=guard.span)
            return self._as_one(guard, share, span)
        self.check(chance.ratio, here.times)
        part = sum(1 for _ in leaves(guard.condition))
        if part < len(chance.operands):  # it decides whether the next operand is evaluated
            next_, first = chance.operands[part].whole, chance.operands[0].whole
            return self._as_one(guard, Fraction(next_, first) if first else Fraction(0), span)
        share = _held(guard.condition, chance)
        if share in (0, 1) and not _on_data(guard.condition):
            return Decided(
                condition=Truth(share == 1), share=share, span=guard.span, is_on_data=False, is_always=share == 1
            )
        return self._as_one(guard, share, span)

    def _as_one(self, guard: Guard, share: Fraction, span: Span) -> Decided:
        """Return a condition as one that holds in a share of all evaluations."""
        one = DataDependent(f"run_L{span.line}", condition_text(guard.condition), share=share)
        return Decided(condition=one, share=share, span=guard.span)

    def _of_arms(self, guard: Guard, here: Here) -> Fraction | None:
        """Return the share in which a condition held by how often the first statement of an arm ran.

        Of a function that others call it is that of all calls.
        """
        for body, is_first in ((guard.body, True), (guard.orelse, False)):
            for function, count in self.recorded(body[0]).items() if body else ():
                own = self._own.calls if function in self._own.bodies else None
                whole: Number | None = here.recorded.get(function)
                if own is not None and here.times is not None:
                    whole = here.times * own
                if whole and count <= whole:
                    return Fraction(count) / whole if is_first else 1 - Fraction(count) / whole
        return None

    def recorded(self, node: Node) -> dict[Span, int]:
        """Return how often a statement ran, by the function that it stands in; {} where that is not known.

        What is computed for a condition stands where the source has the condition, or where it goes on behind that.
        """
        if not isinstance(node, Statement):
            return {}
        where = node.span.path, node.span.line, node.span.column
        count = self._own.starts.get(where, self._all.starts.get(where))
        function = None if count is None else self._all.body(node.span)
        is_test = isinstance(node.target, Register) and node.target.name in self._tested and where in self._all.chances
        if count is None or function is None or (_is_helper(node) and not is_test):
            return {}
        return {function: count}

    def iterations(self, loop: Loop, ratio: Ratio) -> dict[Span, int]:
        """Return how often the body of a loop ran, by the function that it stands in."""
        function = self._all.body(loop.span)
        return {} if function is None else {function: ratio.part}

    def _of_second_operand(self, guard: Guard, times: Fraction | None) -> Fraction | None:
        """Return the share in which a loop that tests last came to the second operand of its condition."""
        ratio, tests = self._trip(guard.span), self.tests(guard.span)
        if ratio is None or len(tests) != 2 or tests[1].whole > ratio.part or self._own.calls is None or times is None:
            return None
        return Fraction(tests[1].whole, ratio.part) if times * self._own.calls == ratio.part else None

    def _chance(self, span: Span) -> Chance | None:
        found = self._own.chance(span)
        return self._all.chance(span) if found is None else found

    def _span_of(self, condition: Condition) -> Span | None:
        """Return where the source writes a condition: there it is computed."""
        names = (leaf.name for leaf in leaves(condition) if isinstance(leaf, DataDependent))
        return next((self._spans[name] for name in names if name in self._spans), None)

    def _named_operands(self, guards: list[Guard]) -> Iterator[tuple[str, Ratio]]:
        """Yield the ratios of registers that are operands of a longer condition."""
        for guard in guards:
            span = self._span_of(guard.condition)
            chance = None if span is None else self._chance(span)
            parts = list(leaves(guard.condition))
            if chance is not None and len(parts) == len(chance.operands):
                for leaf, ratio in zip(parts, chance.operands, strict=True):
                    if isinstance(leaf, DataDependent):
                        yield leaf.name, ratio

    def _with_flag(self, condition: Condition, times: Fraction | None) -> Condition:
        """Return a condition with the share of a part that says whether a statement in it has left a loop."""
        parts = list(leaves(condition))
        flags = [leaf for leaf in parts if isinstance(leaf, DataDependent) and leaf.share is None]
        inner = condition.operand if isinstance(condition, Not) else condition
        if len(flags) != 1 or not times or isinstance(inner, Or) or parts[-1] != flags[0]:
            return condition
        name, (line, is_flag) = flags[0].name, _line_of_flag(flags[0].name)
        before = share_of(And(tuple(parts[:-1])))
        if not is_flag or before is None:
            return condition
        if name not in self._flags:
            self._flags[name] = self._left.pop(line, Fraction(0)) / times / before if before else Fraction(0)
        return map_leaves(condition, lambda leaf: _with(leaf, self._flags[name]) if leaf == flags[0] else leaf)

    def _of_leaf(self, leaf: Condition, guard: Guard) -> Ratio | None:
        """Return how often one part of a condition held of its evaluations."""
        if not isinstance(leaf, DataDependent):
            return None
        if leaf.name in self._operands:
            return self._operands[leaf.name]
        span = self._spans.get(leaf.name)
        if span is not None and self._together[span] > 1:
            return None
        alone = span or (guard.span if sum(1 for _ in leaves(guard.condition)) == 1 else None)
        chance = None if alone is None else self._chance(alone)
        return None if chance is None or chance.operands else chance.ratio


def _is_helper(node: Node) -> bool:
    """Return whether a node computes something that the source does not name."""
    target = node.target if isinstance(node, Statement) else None
    return isinstance(target, Register) and is_temporary(target.name)


def _on_data(condition: Condition) -> bool:
    """Return whether data decide a condition, or an index that they give."""
    return any(
        isinstance(leaf, DataDependent) or (isinstance(leaf, Compare) and bool((leaf.left - leaf.right).unknowns()))
        for leaf in leaves(condition)
    )


def _with_share(leaf: Condition, ratio: Ratio | None) -> Condition:
    if not isinstance(leaf, DataDependent) or ratio is None:
        return leaf
    return _with(leaf, ratio.value if ratio.whole else Fraction(0))


def _with(leaf: Condition, share: Fraction) -> Condition:
    return replace(leaf, share=share) if isinstance(leaf, DataDependent) else leaf


def _line_of_flag(name: str) -> tuple[int, bool]:
    """Return the line of the ``return`` or ``goto`` that a flag is named after, and whether it is one."""
    found = _FLAG.match(name)
    return (int(found[1]), True) if found else (0, False)


def _held(condition: Condition, chance: Chance) -> Fraction:
    """Return the share in which a condition held, which may be the opposite of what the source writes."""
    share = 1 - chance.ratio.value if chance.is_negated else chance.ratio.value
    is_opposite = isinstance(condition, And if chance.joint == "||" else Or if chance.joint == "&&" else ())
    return 1 - share if is_opposite else share
