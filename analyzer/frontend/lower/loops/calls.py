"""Sizes of the calls of a recursive function, where a whole number and the function's own tests of it decide them.

The loop over the calls (:mod:`..functions.recursion`) has a body in which each inner call is an operation on its
arguments.  Of one argument, the size, the inner calls and the conditions around them are expressions: a loop over
``n, n - 2, ...`` where there is one call of a size that is smaller by two, else the tree of the sizes of all calls.
The number of elements of a container is a size, too, and that between two pointers.
The size may be the length of a range, too: ``sort(x, lo, hi)`` with ``hi - lo``, or ``hi - lo + 1`` where ``hi`` is its
last position and not the one behind.  Positions are not negative, so that half of ``lo + hi`` is rounded down.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import permutations

from msgspec import Struct
from msgspec.structs import replace

from ....ir.conditions import Leaf, leaves, map_condition_indices, map_leaves, truth_of
from ....ir.index import ZERO, Atom, Poly, TruncDiv, floor_div, maximum, minimum, var
from ....ir.nodes import (
    Calls,
    Compare,
    Comparison,
    Condition,
    Guard,
    Loop,
    Node,
    Range,
    Statement,
    Strided,
    Uncounted,
)
from ....ir.passes.substitute import bind_nodes
from ....ir.traverse import map_bodies, map_indices
from ....ir.values import Opaque, walk_values
from ...surface import nodes as sx
from ...surface.constructs import construct
from .. import logic
from ..expressions.conversions import index_of
from ..functions.passed_containers import is_container
from ..functions.passed_ranges import ranges_of
from .placeholders import Moving

_TRIED = (64, 1000, 10**6 + 1)  # sizes of which the inner calls have to be smaller by a factor
_MOST = 0.8
_MOST_CALLS = 16
"""Inner calls that one loop makes: eight of a product by blocks, seven of Strassen's, nine of a multigrid in 2-D."""

_MOST_STEPS = 1_000  # of the first call, from which several inner calls count down: as many as 2^1000 calls in all


class _Size(Struct, frozen=True, kw_only=True):
    """A size of calls: what holds it, or the end of a range that starts at the ``lower`` one of two positions.

    The size is the distance of both and ``more``.
    """

    upper: Moving
    lower: Moving | None = None
    more: int = 0

    @property
    def parts(self) -> tuple[Moving, ...]:
        """Return what holds the size."""
        return (self.upper,) if self.lower is None else (self.upper, self.lower)

    @property
    def start(self) -> Poly | None:
        """Return the size of the first call; None where it is not known."""
        entries = [each.entry for each in self.parts if each.entry is not None and not each.entry.unknowns()]
        if len(entries) < len(self.parts):
            return None
        return entries[0] - (entries[1] if entries[1:] else ZERO) + self.more

    def at_entry(self, poly: Poly, iterator: str) -> Poly:
        """Return an expression of the arguments of a call in terms of its size."""
        if self.lower is None:
            return poly.substitute({self.upper.name: var(iterator)})
        end = var(self.lower.name) + var(iterator) - self.more
        return _from_position(poly.substitute({self.upper.name: end}), self.lower.name)


class Sized(Struct, frozen=True):
    """The loop over all calls: its range, the body and the arguments in terms of the size, which is the iterator."""

    range: Range
    body: Sequence[Node]
    values: Mapping[str, Poly]


def size_of_calls(
    function: sx.Function,
    functions: Mapping[str, sx.Function],
    body: Sequence[Node],
    moving: Sequence[Moving],
    iterator: str,
    trip: str,
) -> Sized | None:
    """Return the loop over the calls in terms of their size; None where no argument or range of two is such."""
    ends = ranges_of(function, functions)
    scalars = [
        each for each in function.parameters if isinstance(each.type, sx.ScalarT) or is_container(each) or each in ends
    ]
    what = construct("call", function=function.name)
    found = [*_calls(body, what, ())]
    calls = [(logic.conjunction(each[0]), each[1]) for each in found if each is not None]
    if not calls or len(calls) < len(found):
        return None
    held = [next((each for each in moving if _is_held(each, parameter)), None) for parameter in scalars]
    others = {each.name for each in moving}
    for size in _sizes([each for each in held if each is not None]):
        inner = _inner(size, calls, held, others - {size.upper.name}, iterator)
        range_ = None if inner is None or size.start is None else _range(size.start, inner, iterator, trip)
        if range_ is not None:
            return _sized(size, range_, body, iterator)
    return None


def _sizes(held: Sequence[Moving]) -> Iterator[_Size]:
    """Yield what may be the size of a call: an argument, or the length of a range, as a caller gives it first."""
    yield from (_Size(upper=each) for each in held)
    for upper, lower in permutations(held, 2):
        plain = _Size(upper=upper, lower=lower)
        start = ZERO if plain.start is None else plain.start
        more = -start.terms.get((), 0)
        if start.names() and isinstance(more, int) and more:
            yield _Size(upper=upper, lower=lower, more=more)
        yield plain


def _inner(
    size: _Size,
    calls: Sequence[tuple[Condition, Opaque]],
    held: Sequence[Moving | None],
    others: set[str],
    iterator: str,
) -> list[tuple[Condition, Poly]] | None:
    """Return the inner calls with their sizes, and the conditions around them; None where more decides."""
    found: list[tuple[Condition, Poly]] = []
    for condition, operand in calls:
        given = [
            index_of(operand.operands[position]) if position < len(operand.operands) else None
            for position in (next(at for at, each in enumerate(held) if each is part) for part in size.parts)
        ]
        known = [size.at_entry(each, iterator) for each in given if each is not None]
        if len(known) < len(given):
            return None
        smaller = known[0]
        if size.lower is not None:
            smaller = known[0] - known[1] + size.more
            if not _rises(known[1] - var(size.lower.name), iterator):
                return None
        tests = map_leaves(condition, partial(_tested, size=size, iterator=iterator))
        if size.lower is not None and not (_is_length(size.start) or _ends_below_zero(tests, iterator)):
            return None
        if not _is_plain(smaller, others) or not _is_decided(tests, others):
            return None
        found.append((tests, smaller))
    return found


def _tested(leaf: Leaf, size: _Size, iterator: str) -> Condition:
    """Return a comparison of a call's arguments as one of its size."""
    if not isinstance(leaf, Compare):
        return leaf
    left, right = (size.at_entry(each, iterator) for each in (leaf.left, leaf.right))
    shared = ZERO
    for name in left.names() & right.names():
        shared = shared + var(name) * right.coefficient(name)
    return replace(leaf, left=left - shared, right=right - shared)


def _is_length(start: Poly | None) -> bool:
    """Return whether the size of the first call is a sum of sizes, so that it is not one taken backwards."""
    if start is None or (start.constant is not None and start.constant < 0):
        return False
    return all(number > 0 for monomial, number in start.terms.items() if monomial)


def _ends_below_zero(tests: Condition, iterator: str) -> bool:
    """Return whether a call of a size below zero makes no inner call."""

    def at(number: int, poly: Poly) -> int | None:
        return poly.substitute({iterator: number}).constant

    return all(truth_of(tests, partial(at, -tried)) is False for tried in (1, *_TRIED))


def _rises(poly: Poly, length: str) -> bool:
    """Return whether a range starts at that around it, or behind it by a sum of quotients of the ``length`` of that."""
    return not poly.unknowns() and poly.names() <= {length} and all(number > 0 for number in poly.terms.values())


def _from_position(poly: Poly, position: str) -> Poly:
    """Return an expression with quotients of a position, which is not negative, rounded down."""

    def rounded(atom: Atom) -> Poly:
        if isinstance(atom, TruncDiv) and position in atom.names():
            return floor_div(_from_position(atom.numerator, position), atom.denominator)
        return Poly({(atom,): 1})

    return poly.map_atoms(rounded)


def _sized(size: _Size, range_: Range, body: Sequence[Node], iterator: str) -> Sized:
    values = {size.upper.name: var(iterator)} if size.lower is None else {}
    return Sized(range_, tuple(_at_size(node, size, iterator) for node in body), values)


def _at_size(node: Node, size: _Size, iterator: str) -> Node:
    """Return a node with the arguments of a call in terms of its size."""
    if isinstance(node, Guard):
        node = replace(node, condition=map_leaves(node.condition, partial(_tested, size=size, iterator=iterator)))
    else:
        node = map_indices(node, partial(size.at_entry, iterator=iterator))
    return map_bodies(node, lambda nodes: tuple(_at_size(each, size, iterator) for each in nodes))


def _is_held(item: Moving, parameter: sx.Variable) -> bool:
    """Return whether a variable holds a parameter from call to call."""
    variable = item.slot.variable
    return variable.name == parameter.name and variable.span == parameter.span and not item.slot.path


def _calls(
    nodes: Sequence[Node], what: object, conditions: tuple[Condition, ...]
) -> Iterator[tuple[tuple[Condition, ...], Opaque] | None]:
    """Yield each inner call with the conditions around it, as often as a short loop makes it; None in another loop."""
    for node in nodes:
        match node:
            case Statement():
                for value in walk_values(node.value):
                    if isinstance(value, Opaque) and value.what == what and not value.has_work:
                        yield conditions, value
            case Guard():
                yield from _calls(node.body, what, (*conditions, node.condition))
                yield from _calls(node.orelse, what, (*conditions, logic.negate(node.condition)))
            case Loop():
                inside = (*node.header, *node.body)
                numbers = _numbers(node)
                if numbers is None:
                    yield from (None for _ in _calls(inside, what, conditions))
                for number in numbers or ():
                    yield from _calls(bind_nodes(inside, {node.iterator: number}), what, conditions)


def _numbers(loop: Loop) -> Sequence[int] | None:
    """Return the numbers that the counter of a short loop takes; None where they are not known."""
    if loop.ends_early or not isinstance(loop.range, Strided):
        return None
    start, stop = loop.range.start.constant, loop.range.stop.constant
    if not isinstance(start, int) or not isinstance(stop, int):
        return None
    found = range(start, stop, loop.range.step)
    return found if len(found) <= _MOST_CALLS else None


def _is_plain(index: Poly, others: set[str]) -> bool:
    return not index.unknowns() and index.names().isdisjoint(others)


def _is_decided(condition: Condition, others: set[str]) -> bool:
    return all(
        isinstance(leaf, Compare) and _is_plain(leaf.left, others) and _is_plain(leaf.right, others)
        for leaf in leaves(condition)
    )


def _range(start: Poly, inner: Sequence[tuple[Condition, Poly]], iterator: str, trip: str) -> Range | None:
    fall = (var(iterator) - inner[0][1]).constant
    if len(inner) == 1 and fall:
        sign = 1 if fall > 0 else -1  # one that rises is one that falls when taken backwards
        backwards = partial(Poly.substitute, values={iterator: var(iterator) * sign})
        last = _last(map_condition_indices(inner[0][0], backwards), iterator, abs(fall))
        return None if last is None else Strided(start, minimum([start * sign, last]) * sign - fall, -fall)
    is_short = (
        start.constant is not None
        and start.constant <= _MOST_STEPS
        and all((var(iterator) - size).constant for _, size in inner)
    )
    if not is_short and not all(_shrinks(size, iterator) for _, size in inner):
        return None
    return Uncounted(trip, None, Calls(start, tuple(inner)))


def _last(condition: Condition, iterator: str, step: int) -> Poly | None:
    """Return the size that the last of calls that become smaller by a step does not exceed: it makes no call."""
    tests = [_least(part, iterator) for part in logic.conjuncts(condition)]
    known = [test for test in tests if test is not None]
    ends = [end for end, _ in known]
    if len(known) < len(tests):
        return None
    if len(ends) > 1 and step > 1 and any(is_met for _, is_met in known):
        numbers = [end.constant for end in ends]
        decided = [number for number in numbers if number is not None]
        if len(decided) < len(numbers) or max(decided) - min(decided) >= step:  # may pass one of them by
            return None
    return maximum(ends)


def _least(condition: Condition, iterator: str) -> tuple[Poly, bool] | None:
    """Return the size that a call has to exceed to make another one, and whether it is just unlike that one."""
    if not isinstance(condition, Compare):
        return None
    difference, comparison = condition.left - condition.right, condition.comparison
    if difference.coefficient(iterator).constant == -1:
        difference, comparison = -difference, comparison.mirrored
    rest = difference - var(iterator)
    match comparison:
        case Comparison.NE if iterator not in rest.names():
            return -rest, True
        case Comparison.GT if iterator not in rest.names():
            return -rest, False
        case Comparison.GE if iterator not in rest.names():
            return -rest - 1, False
    return None


def _shrinks(size: Poly, iterator: str) -> bool:
    """Return whether an inner call is of a fraction of the size."""
    if size.names() != {iterator}:
        return False
    return all(0 <= size.evaluate({iterator: tried}) <= _MOST * tried for tried in _TRIED)
