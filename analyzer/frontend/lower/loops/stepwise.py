"""Loops without a closed form that known values decide: one iteration after the other, as a program runs them.

``n = 100; while (n > 1) { ...; n = (n + 1) / 2; }`` has seven iterations with a number each.  All tests have to be
decided by constants and by what the user or the launch gives, the loop is left by its test alone, and it is short.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from enum import Enum, auto
from itertools import chain

from ....ir.index import Poly, const, names_in
from ....ir.nodes import Guard, Loop, Node, SymbolOrigin
from ....ir.traverse import accesses_in, all_nodes, decisive_indices
from ...surface import nodes as sx
from ...surface.traverse import walk
from ..decided import decided, has_uncounted
from ..merging import join_targets
from ..names.bindings import Bindings, Integer
from ..state import State
from .written.mapping import in_threads, started_threads
from .written.parts import lower_advance, lower_test
from .written.source import LoopSource

MOST_ITERATIONS, MOST_STEPS = 64, 1_000  # of loops with references to memory, and of others
_MOST_NODES = 2_000
_MOST_IN_VAIN = 4_000  # nodes of all loops of a region that turned out to be open


class Wanted(Enum):
    """What iterations have to tell where a loop runs step by step, beyond whether there is another one.

    ``COUNTED``: how often loops inside run.  ``SETTLED``: also all conditions; what is tried in vain is bounded.
    """

    END = auto()
    COUNTED = auto()
    SETTLED = auto()


def run_stepwise(state: State, source: LoopSource, changed: Sequence[sx.Variable], wanted: Wanted = Wanted.END) -> bool:
    """Lower all iterations of a loop into the current block; return False, and change nothing, where one is open."""
    if wanted is Wanted.SETTLED and state.flow.vain > _MOST_IN_VAIN:
        return False
    before = state.checkpoint()
    nodes: list[Node] = []
    steps = _run(state, source, changed, nodes, wanted)
    if steps is not None:
        library = started_threads(state, source)
        state.emitter.block.extend(in_threads(nodes, library, steps) if library else nodes)
        return True
    state.flow.vain += state.emitter.emitted - before.emitted
    state.restore(before)
    return False


def bind_by_steps(
    state: State, source: LoopSource, changed: Sequence[sx.Variable], before: Bindings, sizes: Set[str]
) -> None:
    """Give integers that a loop leaves unknown the numbers that they have where its iterations run step by step.

    Those that follow from ``sizes``, the symbols before the loop, and from parameters, which stand for their values at
    entry wherever they are first used, are known; counters of loops inside are left unknown.
    """
    sizes = sizes | {each.name for each in state.symbols.known.values() if each.origin is SymbolOrigin.PARAMETER}
    inner = list(walk(source.body))
    apart = {node.variable for node in inner if isinstance(node, sx.Declare)}
    apart |= {name for node in inner if isinstance(node, sx.For) for name in _set_by(node.initial)}
    lost = [
        key
        for variable in changed
        for key in state.environment.keys_of(variable)
        if key in before
        and variable not in apart
        and isinstance(bound := state.environment.bindings[key], Integer)
        and not _is_known(bound.value, sizes)
    ]
    if not lost or state.flow.terminated:
        return
    after = state.environment.copied()
    with state.trial():
        state.environment.bindings = dict(before)
        ended = run_stepwise(state, source, changed, Wanted.SETTLED) and not state.flow.terminated
        found = state.environment.copied() if ended else {}
        state.flow.resume()
    state.environment.bindings = after
    numbers = {key: bound for key, bound in found.items() if isinstance(bound, Integer)}
    for key in lost:
        if key in numbers and numbers[key].value.constant is not None:
            state.environment.bindings[key] = numbers[key]


def _set_by(initial: sx.Statement | None) -> list[sx.Variable]:
    """Return the variables to which the first part of a ``for`` assigns."""
    targets = [node.target for node in walk(initial) if isinstance(node, sx.Assign)]
    return [target.variable for target in targets if isinstance(target, sx.Name)]


def has_open_conditions(nodes: Sequence[Node]) -> bool:
    """Return whether data decide a condition anywhere below."""
    return any(isinstance(node, Guard) and node.condition.depends_on_data for node in all_nodes(nodes))


def _is_open(state: State, body: Sequence[Node], sizes: Set[str], wanted: Wanted) -> bool:
    """Return whether data, or symbols other than some sizes, decide what is wanted of an iteration."""
    if wanted is Wanted.END:
        return False
    is_settled = wanted is Wanted.SETTLED
    deciding = [node for node in all_nodes(body) if is_settled or isinstance(node, Loop)]
    made = state.symbols.known.keys() - sizes
    named = names_in(chain.from_iterable(map(decisive_indices, deciding)))
    return has_uncounted(body) or (is_settled and has_open_conditions(body)) or not made.isdisjoint(named)


def _is_known(value: Poly, sizes: Set[str]) -> bool:
    return not value.unknowns() and value.names() <= sizes


def _run(
    state: State, source: LoopSource, changed: Sequence[sx.Variable], nodes: list[Node], wanted: Wanted
) -> int | None:
    end = state.target("switch")  # where ``break`` leads to
    around = [] if source.label else [end]
    state.flow.targets.extend(around)
    state.flow.steps += 1
    left = _iterations(state, source, changed, nodes, wanted)
    state.flow.steps -= 1
    del state.flow.targets[len(state.flow.targets) - len(around) :]
    if left is None:
        state.flow.resume()
        return None
    join_targets(state, end)
    return left


def _iterations(
    state: State, source: LoopSource, changed: Sequence[sx.Variable], nodes: list[Node], wanted: Wanted
) -> int | None:
    """Lower one iteration after the other; return how many until the loop ends, or a jump leaves it in any case.

    None where conditions are open, or there are too many.
    """
    start, sizes, noted = state.emitter.emitted, frozenset(state.symbols.known), _noted(state)
    for number in range(MOST_STEPS + 1):
        _fix(state, changed)
        if state.emitter.emitted - start > _MOST_NODES or (number > MOST_ITERATIONS and _has_references(nodes)):
            return None
        if source.condition is not None and (number or not source.test_last):
            condition, tests = lower_test(state, source.condition)
            holds = decided(state.symbols, condition)
            nodes.extend(tests)
            if not holds:
                return number if holds is False else None
        kind = "loop" if source.label else "iteration"
        target = state.target(kind, iterator=f"{source.span.line}@", line=source.span.line, label=source.label)
        with state.flow.inside(target), state.emitter.capture() as body:
            state.run(source.body)
            join_targets(state, target)
            if source.advance is not None and not state.flow.terminated:
                body.extend(lower_advance(state, source.advance))
        nodes.extend(body)
        if target.exits or _jumps_conditionally(state, noted) or _is_open(state, body, sizes, wanted):
            return None
        if state.flow.terminated:
            return None if source.label else number + 1
    return None


def _noted(state: State) -> list[int]:
    """Return how many jumps lead to each target around."""
    return [len(target.skips) for target in state.flow.targets]


def _jumps_conditionally(state: State, noted: Sequence[int]) -> bool:
    """Return whether a jump out of the loop depends on a condition that is not decided."""
    depth = len(state.emitter.path)
    skips = (target.skips[mark:] for target, mark in zip(state.flow.targets, noted, strict=True))
    return any(len(path) > depth for path in chain.from_iterable(skips))


def _has_references(nodes: Sequence[Node]) -> bool:
    """Return whether iterations refer to memory or have loops, which formulas tell better than many copies of them."""
    return any(isinstance(node, Loop) for node in all_nodes(nodes)) or any(True for _ in accesses_in(nodes))


def _fix(state: State, changed: Sequence[sx.Variable]) -> None:
    """Bind the integers that the loop changes to their numbers, where these are known."""
    environment = state.environment
    for variable in changed:
        at_entry = {key: bound for key, bound in environment.defaults.items() if key[0] == variable}
        for key in {**at_entry, **dict.fromkeys(environment.keys_of(variable))}:
            bound = environment.bindings.get(key, at_entry.get(key))
            if isinstance(bound, Integer) and bound.value.constant is None:
                number = state.symbols.value_of(bound.value)
                if number is not None:
                    environment.bindings[key] = Integer(const(number))
