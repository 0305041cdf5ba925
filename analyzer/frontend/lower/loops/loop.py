"""Loops: bind what the loop changes to placeholders, lower the body, then find iterator, range and closed forms."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ....ir.index import ONE, ZERO, Poly, minimum, var
from ....ir.nodes import Compare, Condition, Exit, Guard, Loop, Mapping, Node, Statement, Strided, Truth
from ....ir.values import Constant, IndexValue, Register
from ....source import Span
from ...surface import nodes as sx
from ..bindings import Environment, Integer, LoopFacts, Place, Pointer, Slot, Target, with_last
from ..effects import Effects, children
from ..expressions.references import slot_pointer
from ..logic import ALWAYS, conjuncts, negate
from ..merging import join, join_targets
from ..rewrite import Rewriter
from ..state import State
from .induction import bound_of
from .pragmas import Parallelism, parallelism
from .recognition import Moving, Recognized, recognize


class LoopSource(Struct, frozen=True):
    """The parts of any of C's loops."""

    condition: sx.Expression | None
    advance: sx.Expression | None
    body: sx.Statement
    test_last: bool
    span: Span
    pragmas: tuple[str, ...]
    label: str = ""


class Lowered(Struct):
    """What one pass over a loop found, in terms of placeholders."""

    condition: Condition
    header: list[Node]
    body: list[Node]
    tested: Environment
    ended: Environment
    target: Target
    leaves: bool = False


def lower_loop(state: State, source: LoopSource) -> None:
    """Lower a loop into the current block; the environment afterwards holds the final values."""
    effects = state.effects.of(source.condition, source.advance, source.body)
    changed = _changed(state, effects)
    guess = _guessed_iterator(state, source, changed)
    wanted = guess.name if guess is not None else f"L{source.span.line}"
    before = dict(state.environment)
    if guess is not None and isinstance(guess.type, sx.ScalarT) and not isinstance(before.get((guess, "")), Integer):
        state.reserve(wanted)
    iterator = state.unique(wanted)
    moving = _bind_placeholders(state, changed, guess, iterator)
    parallel, outer = _parallelism(state, source), state.collapse
    state.collapse = (parallel.mapping, parallel.loops - 1)
    lowered = _lower_parts(state, source, iterator, moving)
    state.collapse = outer
    state.environment = dict(before)
    if lowered.condition == Truth(False) and not source.test_last:
        state.names.discard(iterator)
        return
    test_last = source.test_last if lowered.leaves else _take_inner_test(lowered, iterator, source.test_last)
    ends = {item.name: _end_value(item, lowered.ended) for item in moving}
    moving = _with_exchanges(state, moving, lowered.ended, source.span)
    if lowered.leaves:
        found = _runs_once(state, lowered, moving, source.span, test_last)
    else:
        found = recognize(state, lowered.condition, test_last, moving, ends, iterator, source.span)
    _emit(state, source, iterator, lowered, found, parallel)
    _leave_values(state, lowered, found, moving, test_last)
    if found.guard != ALWAYS:
        join(state, found.guard, state.environment, before, before)


def _changed(state: State, effects: Effects) -> list[sx.Variable]:
    """Variables that a loop may change, also through references and pointers to them."""
    found = dict(effects.variables)
    for (variable, _), bound in state.environment.items():
        through = variable in effects.variables or variable.name in effects.storage
        if through and isinstance(bound, Pointer) and isinstance(bound.target, Slot):
            found[bound.target.variable] = None
    return list(found)


def _take_inner_test(lowered: Lowered, iterator: str, test_last: bool) -> bool:
    """Make ``if (c) break;`` at the top or the end of an endless loop its condition; whether it is tested last."""
    if lowered.condition != ALWAYS or not lowered.body:
        return test_last
    first = next((number for number, node in enumerate(lowered.body) if not isinstance(node, Statement)), None)
    for number in dict.fromkeys((first, len(lowered.body) - 1)):
        node = None if number is None else lowered.body[number]
        if not isinstance(node, Guard) or node.orelse or len(node.body) != 1 or not isinstance(node.body[0], Exit):
            continue
        before = lowered.body[:number]
        at_top = number == first and all(_is_test(statement) for statement in before)
        if node.body[0].loop != iterator or not (at_top or number == len(lowered.body) - 1):
            continue
        lowered.condition = negate(node.condition)
        del lowered.body[number or 0]
        lowered.target.exits -= 1
        if at_top:
            lowered.header, lowered.body = before, lowered.body[len(before) :]
        return not at_top
    return test_last


def _is_test(node: Node) -> bool:
    return isinstance(node, Statement) and isinstance(node.target, Register) and node.target.name.startswith("$")


def _guessed_iterator(state: State, source: LoopSource, changed: Collection[sx.Variable]) -> sx.Variable | None:
    """The variable that most likely counts the loop: one that the header changes and the condition tests."""
    tested = [item for item in _variables_in(source.condition) if item in changed and _can_count(item)]
    advanced = [item for item in state.effects.of(source.advance).variables if _can_count(item)]
    for variable in advanced:
        if variable in tested:
            return variable
    return next(iter([*tested, *advanced]), None)


def _can_count(variable: sx.Variable) -> bool:
    match variable.type:
        case sx.ScalarT(element):
            return element.scalar.is_integer and element.lanes == 1
        case ctype:
            return isinstance(ctype, sx.PointerT)


def _variables_in(expression: sx.Expression | None) -> list[sx.Variable]:
    found: list[sx.Variable] = []
    stack: list[sx.Expression | sx.Statement] = [] if expression is None else [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, sx.Name):
            found.append(node.variable)
        stack.extend(reversed(list(children(node))))
    return found


def _bind_placeholders(
    state: State, changed: Sequence[sx.Variable], guess: sx.Variable | None, iterator: str
) -> list[Moving]:
    moving: list[Moving] = []
    for variable in changed:
        known = [key for key in state.environment if key[0] is variable]
        slots = [Slot(variable, variable.type)] if not known else []
        for key in known:
            bound = state.environment[key]
            slots.append(Slot(variable, variable.type if not key[1] else _field_type(bound), key[1]))
        for slot in slots:
            item = _placeholder(state, slot, iterator if variable is guess and not slot.path else None)
            if item is not None:
                moving.append(item)
    return moving


def _field_type(bound: object) -> sx.CType:
    if isinstance(bound, Pointer):
        return sx.PointerT(bound.target.type)
    return sx.INT if isinstance(bound, Integer) else sx.DOUBLE


def _placeholder(state: State, slot: Slot, name: str | None) -> Moving | None:
    if slot.variable.reference and isinstance(state.environment.get(slot.key), Pointer):
        return None
    match slot.type:
        case sx.ScalarT(element) if element.scalar.is_integer and element.lanes == 1:
            bound = state.environment.get(slot.key)
            local = slot.variable.storage in (sx.Storage.LOCAL, sx.Storage.UNDECLARED, sx.Storage.GLOBAL)
            entry = bound.value if isinstance(bound, Integer) else None if local else state.integer(slot).value
            placeholder = name or state.placeholder(slot.variable.name)
            state.rebind(slot, Integer(var(placeholder)))
            return Moving(slot, placeholder, entry, None)
        case sx.PointerT():
            pointer = slot_pointer(state, slot)
            place = pointer.target
            if isinstance(place, Slot) or not place.subscripts:
                return None
            placeholder = name or state.placeholder(slot.variable.name)
            state.rebind(slot, Pointer(with_last(place, var(placeholder))))
            return Moving(slot, placeholder, place.subscripts[-1], pointer)
    return None


def _lower_parts(state: State, source: LoopSource, iterator: str, moving: list[Moving]) -> Lowered:
    condition: Condition = ALWAYS
    header: list[Node] = []
    if source.condition is not None and not source.test_last:
        condition, header = _lower_test(state, source.condition)
    tested = dict(state.environment)
    facts = _facts(state, source, iterator, moving, condition)
    target = Target("loop", len(state.path), len(state.loops), iterator, source.label)
    state.loops.append(facts)
    state.targets.append(target)
    with state.capture() as body:
        state.run(source.body)
        join_targets(state, target)
        if source.advance is not None and not state.terminated:
            with state.capture() as advance:
                state.evaluate(source.advance)
            body.extend(node for node in advance if not _is_control(node))
        if source.test_last and source.condition is not None:
            if not state.terminated:
                condition, tests = _lower_test(state, source.condition)
                body.extend(tests)
            else:
                condition = Truth(False)
    leaves, state.terminated, state.abandoned = state.terminated, False, False
    state.targets.pop()
    state.loops.pop()
    return Lowered(condition, header, body, tested, dict(state.environment), target, leaves)


def _lower_test(state: State, expression: sx.Expression) -> tuple[Condition, list[Node]]:
    mode, state.indexing = state.indexing, True
    with state.capture() as nodes:
        condition = state.condition(expression)
    state.indexing = mode
    return condition, [node for node in nodes if not _is_control(node)]


def _is_control(node: Node) -> bool:
    """Whether a node only steps an integer, as loop control does."""
    return isinstance(node, Statement) and isinstance(node.target, Register) and isinstance(
        node.value, IndexValue | Constant
    )  # fmt: skip


def _facts(state: State, source: LoopSource, iterator: str, moving: list[Moving], condition: Condition) -> LoopFacts:
    """Bounds of the iterator that hold while the body is lowered, where the header alone decides them."""
    item = next((item for item in moving if item.name == iterator), None)
    if item is None or item.entry is None or source.test_last or item.entry.unknowns():
        return LoopFacts(iterator)
    step = _header_step(source, item.slot.variable)
    if step == 0 or item.slot.variable in state.effects.of(source.body, source.condition).variables:
        return LoopFacts(iterator)
    names = {other.name for other in moving}
    stops = []
    for part in conjuncts(condition):
        bound = bound_of(part, iterator, step) if isinstance(part, Compare) else None
        if bound is None or bound.upper != (step > 0) or bound.stop.unknowns() or bound.stop.names() & names:
            continue
        stops.append(bound.stop)
    if step > 0:
        return LoopFacts(iterator, item.entry, minimum(stops) - 1 if stops else None)
    return LoopFacts(iterator, stops[0] + 1 if len(stops) == 1 else None, item.entry)


def _header_step(source: LoopSource, variable: sx.Variable) -> int:
    """1 or -1 where the advance expression counts the variable up or down, else 0."""
    parts = [source.advance]
    while parts:
        part = parts.pop()
        match part:
            case sx.Comma():
                parts += [part.left, part.right]
            case sx.Unary(operator="++x" | "x++", operand=sx.Name(variable=stepped)) if stepped is variable:
                return 1
            case sx.Unary(operator="--x" | "x--", operand=sx.Name(variable=stepped)) if stepped is variable:
                return -1
            case sx.Assign(operator="+" | "-" as sign, target=sx.Name(variable=stepped), value=sx.Number(value=step)):
                if stepped is variable and step > 0:
                    return 1 if sign == "+" else -1
            case sx.Assign(operator="", target=sx.Name(variable=stepped),
                           value=sx.Binary("+" | "-" as sign, _, sx.Number(value=step))):  # fmt: skip
                if stepped is variable and step > 0:
                    return 1 if sign == "+" else -1
    return 0


def _with_exchanges(state: State, moving: list[Moving], ended: Environment, span: Span) -> list[Moving]:
    """Mark pointers that end an iteration at what another one pointed at: double buffering."""
    entries = {item.pointer.target.array for item in moving if item.pointer and isinstance(item.pointer.target, Place)}
    marked = []
    for item in moving:
        bound = ended.get(item.slot.key)
        if item.pointer and isinstance(bound, Pointer) and isinstance(bound.target, Place):
            entry = item.pointer.target
            assert isinstance(entry, Place)
            if bound.target.array != entry.array and bound.target.array in entries:
                item = replace(item, exchanged=True)
                state.assume_that("AI302", span, "exchanged", item.slot.variable.name, array=entry.array)
        marked.append(item)
    return marked


def _end_value(item: Moving, environment: Environment) -> Poly | None:
    bound = environment.get(item.slot.key)
    if item.pointer is None:
        return bound.value if isinstance(bound, Integer) else None
    entry = item.pointer.target
    if not isinstance(bound, Pointer) or not isinstance(bound.target, Place) or not isinstance(entry, Place):
        return None
    place = bound.target
    same = place.array == entry.array and place.subscripts[:-1] == entry.subscripts[:-1]
    same = same and place.strides == entry.strides and place.offset_bytes == entry.offset_bytes
    return place.subscripts[-1] if same else None


def _emit(
    state: State, source: LoopSource, iterator: str, lowered: Lowered, found: Recognized, parallel: Parallelism
) -> None:
    rewriter = Rewriter(state, found.values)
    body: list[Node] = []
    for condition in found.exits:
        leave = Exit(iterator, source.span)
        body.append(Guard(condition, (leave,), (), source.span))
    body.extend(lowered.body)
    last = body.pop() if lowered.leaves and body and isinstance(body[-1], Exit) else None
    header = tuple(
        node for node in _flat(rewriter.nodes(lowered.header)) if isinstance(node, Statement) and not _is_control(node)
    )
    nodes = tuple(rewriter.nodes(body))
    whole: list[Node] = []
    if nodes or header:
        span = state.placed(source.span)
        whole.append(Loop(iterator, found.range, nodes, span, parallel.mapping, header, parallel.unroll))
    if isinstance(last, Exit) and last.loop != iterator:
        whole.append(last)
    state.append_guard(found.guard, whole, [], source.span)


def _runs_once(state: State, lowered: Lowered, moving: list[Moving], span: Span, test_last: bool) -> Recognized:
    """A loop whose body always leaves it: its condition is a guard, and everything has its value at entry."""
    entries = {item.name: state.lost(item.slot.variable.name) if item.entry is None else item.entry for item in moving}
    statements: list[Statement] = []
    condition = ALWAYS if test_last else Rewriter(state, entries).condition(lowered.condition, statements, span)
    state.block.extend(statements)
    return Recognized(Strided(ZERO, ONE), entries, guard=condition)


def _flat(nodes: Sequence[Node]) -> list[Node]:
    """Header statements without their guards: an upper bound of what a test evaluates."""
    result: list[Node] = []
    for node in nodes:
        result.extend(_flat((*node.body, *node.orelse)) if isinstance(node, Guard) else [node])
    return result


def _parallelism(state: State, source: LoopSource) -> Parallelism:
    """What pragmas say about this loop; ``collapse`` reaches the loops inside."""
    own = parallelism(source.pragmas)
    mapping, left = state.collapse
    if own.mapping is Mapping.SEQUENTIAL and left > 0:
        return replace(own, mapping=mapping, loops=left)
    return own


def _leave_values(state: State, lowered: Lowered, found: Recognized, moving: list[Moving], test_last: bool) -> None:
    """The values after the loop: those at the failing test, which a loop that may be left elsewhere does not tell."""
    at_exit = lowered.ended if test_last else lowered.tested
    names = {item.name for item in moving}
    left_elsewhere = lowered.target.exits or found.exits
    for item in moving:
        value = None if left_elsewhere else _end_value(item, at_exit)
        if value is not None and value.names() & names <= found.final.keys():
            value = value.substitute(found.final)
        if value is None or value.names() & names or value.unknowns():
            value = state.lost(item.slot.variable.name + item.slot.path)
        if item.pointer is None:
            state.rebind(item.slot, Integer(value))
        else:
            assert isinstance(item.pointer.target, Place)
            state.rebind(item.slot, Pointer(with_last(item.pointer.target, value)))
