"""The conditional operator ``c ? a : b``: on values, indices, pointers, and objects in registers."""

from __future__ import annotations

from ....ir.arithmetic import common_type
from ....ir.nodes import Condition, DataDependent, Statement, Truth
from ....ir.types import INT32, ElementType
from ....ir.values import Apply, Constant, IndexValue, Operation, Register, Value
from ....ir.written.labels import choice_label
from ....source import Span
from ...surface import nodes as sx
from ...surface.types import type_of as surface_type
from ..choices.tables import either_object, is_null, only_where
from ..logic import negate
from ..merging import join
from ..names.bindings import Aggregate, Fresh, Pointer, Result, Slot
from ..state import State
from .conversions import convert, index_of, index_value, type_of
from .pointers import decay, held_pointer


def _held_object(state: State, arm: sx.Expression) -> sx.StructT | None:
    """Return the class of an object in registers that one side of ``?:`` gives; None for others."""
    kind = arm.type if isinstance(arm, sx.InitializerList | sx.Call) else None
    location = state.lvalue(arm) if isinstance(arm, sx.Name) else None
    kind = location.type if isinstance(location, Slot) else kind
    return kind if isinstance(kind, sx.StructT) else None


def _either_copied(state: State, expression: sx.Conditional, kind: sx.StructT) -> Result:
    """Return ``c ? X{1} : X{2}``: an object without a name that one of both is copied to."""
    chosen = sx.Name(state.instances.temporary(expression, kind), expression.span)
    then, orelse = (
        sx.Evaluate(sx.Assign("", chosen, arm, expression.span), expression.span)
        for arm in (expression.then, expression.orelse)
    )
    state.run(sx.If(expression.condition, then, orelse, expression.span))
    return state.evaluate(chosen)


def conditional(state: State, expression: sx.Conditional) -> Result:
    """Return the value of ``c ? a : b``: one side, an index expression of both, or a register that each side sets."""
    held = _held_object(state, expression.then) or _held_object(state, expression.orelse)
    if held is not None:
        return _either_copied(state, expression, held)
    condition = state.condition(expression.condition)
    if isinstance(condition, Truth):
        return state.evaluate(expression.then if condition.holds else expression.orelse)
    before = state.environment.copied()
    state.environment.bindings = dict(before)
    with state.emitter.guarded(condition) as then_nodes:
        then = state.evaluate(expression.then)
    then_end, state.environment.bindings = state.environment.bindings, dict(before)
    with state.emitter.guarded(negate(condition)) as else_nodes:
        orelse = state.evaluate(expression.orelse)
    join(state, condition, then_end, state.environment.bindings, before)
    if isinstance(then, Pointer | Aggregate | Fresh) or isinstance(orelse, Pointer | Aggregate | Fresh):
        state.emitter.append_guard(condition, then_nodes, else_nodes, expression.span)
        return either_object(state, condition, decay(state, then), decay(state, orelse), expression.span)
    kind = common_type(type_of(then), type_of(orelse))
    if kind.scalar.is_integer and (state.indexing or not (then_nodes or else_nodes)):
        chosen = choose_index(state, condition, then, orelse, kind, expression.span)
        if chosen is not None:
            state.emitter.append_guard(condition, then_nodes, else_nodes, expression.span)
            return chosen
    leaves = isinstance(then, Constant | Register | IndexValue) and isinstance(orelse, Constant | Register | IndexValue)
    if leaves and not then_nodes and not else_nodes and condition.depends_on_data:
        flag = Register(condition.name, INT32) if isinstance(condition, DataDependent) else Constant(None, INT32)
        return Apply(Operation.SELECT, kind, (flag, convert(then, kind), convert(orelse, kind)))
    register = state.emitter.new_register(kind)
    for nodes, arm in ((then_nodes, then), (else_nodes, orelse)):
        nodes.append(Statement(register, convert(arm, kind), expression.span))
    state.emitter.meanings[register.name] = choice_label(condition, then, orelse, state.emitter.meanings)
    state.emitter.append_guard(condition, then_nodes, else_nodes, expression.span)
    if condition.depends_on_data:
        state.emitter.report_branch(condition, expression.span, "choice")
    if state.indexing and kind.scalar.is_integer:
        return IndexValue(state.lost(_choice_at(state, expression.span)), kind)
    if is_null(then) != is_null(orelse):
        other = surface_type(expression.orelse if is_null(then) else expression.then)
        if isinstance(other, sx.PointerT):
            return only_where(held_pointer(state, register, other), negate(condition) if is_null(then) else condition)
    return register


def _choice_at(state: State, span: Span) -> str:
    """Return the name of a number that ``c ? a : b`` gives, by its line."""
    return f"choice_L{state.emitter.position(span).line}"


def choose_index(
    state: State, condition: Condition, then: Value, orelse: Value, kind: ElementType, span: Span
) -> Value | None:
    """Return ``c ? a : b`` of index expressions; None where data choose one of them as a value."""
    first, second = index_of(then), index_of(orelse)
    if first is None or second is None:
        return None
    chosen = state.extreme(condition, first, second)
    if chosen is None:
        chosen = state.chosen_in_loop(condition, first, second)
    if chosen is not None:
        return index_value(chosen, kind)
    if not state.indexing and condition.depends_on_data:
        return None
    return IndexValue(state.choice(_choice_at(state, span), condition, first, second), kind)
