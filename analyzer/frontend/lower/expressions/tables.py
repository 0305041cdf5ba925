"""Tables of functions and objects: arrays that list addresses for good, and what is taken from them.

A table is constant, or a local array whose function only takes what it lists.  At a known position it gives what it
lists there.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from ....ir.index import Poly
from ...surface import nodes as sx
from ...surface.traverse import Tree, walk
from ..state import State


def takes_from_table(state: State, body: sx.Statement, changed: Collection[sx.Variable]) -> bool:
    """Return whether a loop takes functions, objects or bounds of loops from a table at positions that it changes."""
    if any(_is_bounded_by_table(node, changed) for node in walk(body)):
        return True
    if not any(_list_of(state, variable) for variable in state.inputs.effects.variables_in(body)):
        return False
    return any(isinstance(node, sx.Index) and _is_position_in_table(state, node, changed) for node in walk(body))


def _is_bounded_by_table(loop: Tree, changed: Collection[sx.Variable]) -> bool:
    """Return whether a loop inside starts or ends at an element of a table of constant integers that changes."""
    if not isinstance(loop, sx.For):
        return False
    ends = (end for end in (loop.initial, loop.condition) if end is not None)
    return any(_is_constant_number(node, changed) for end in ends for node in walk(end))


def _is_constant_number(taken: Tree, changed: Collection[sx.Variable]) -> bool:
    if not isinstance(taken, sx.Index) or not any(_is_name_of(node, changed) for node in walk(taken.index)):
        return False
    base = taken.base
    while isinstance(base, sx.Index):
        base = base.base
    variable = base.variable if isinstance(base, sx.Name) else None
    return variable is not None and _is_fixed(variable) and isinstance(variable.initial, sx.InitializerList)


def _is_fixed(variable: sx.Variable) -> bool:
    """Return whether a variable has its initial value for good: a constant, or one that nothing writes."""
    return variable.constant or variable.kept is sx.Kept.CERTAIN


def _is_name_of(node: Tree, variables: Collection[sx.Variable]) -> bool:
    return isinstance(node, sx.Name) and node.variable in variables


def _is_position_in_table(state: State, taken: sx.Expression, changed: Collection[sx.Variable]) -> bool:
    moves = False
    while not isinstance(taken, sx.Name):
        match taken:
            case sx.Index(base=base, index=index):
                moves = moves or any(_is_name_of(node, changed) for node in walk(index))
                taken = base
            case sx.Member(base=base) | sx.Unary(operand=base):
                taken = base
            case _:
                return False
    return moves and _list_of(state, taken.variable) is not None


def note_list(state: State, declaration: sx.Declare) -> None:
    """Hold what a local array lists for good: addresses that its function only takes, and writes over nowhere."""
    variable, initial = declaration.variable, declaration.initial
    if not isinstance(initial, sx.InitializerList) or not _has_pointers(variable.type):
        return
    if _stays(initial) and (variable.constant or _is_only_read(state, variable)):
        state.memory.lists[variable] = initial


def _stays(item: sx.Expression) -> bool:
    """Return whether an item of a list, in rows too, is the same wherever it is evaluated."""
    if isinstance(item, sx.InitializerList):
        return all(map(_stays, item.items))
    return isinstance(item, sx.Number) or is_address(item)


def note_row(state: State, declaration: sx.Declare) -> None:
    """Hold what the row of a table lists that a reference is bound to."""
    variable, initial = declaration.variable, declaration.initial
    row = listed(state, initial) if variable.reference and initial is not None else None
    if isinstance(row, sx.InitializerList):
        state.memory.lists[variable] = row
    else:
        state.memory.lists.pop(variable, None)


def note_entry(state: State, declaration: sx.Declare) -> None:
    """Hold which entry of a table a variable is declared with, where nothing gives it another value."""
    variable, initial = declaration.variable, declaration.initial
    state.memory.entries.pop(variable, None)
    found = None if initial is None else entry_of(state, without_address(initial))
    if found is not None and not _is_assigned(state, variable):
        state.memory.entries[variable] = found


def entry_of(state: State, taken: sx.Expression | None) -> tuple[sx.InitializerList, Poly | None] | None:
    """Return the table and the position in it (None: not known) of what an expression takes; None for others."""
    match taken:
        case sx.Name(variable=variable):
            return state.memory.entries.get(variable)
        case sx.Index(base=base, index=index):
            row = listed(state, base)
            return (row, state.quietly(index)) if isinstance(row, sx.InitializerList) else None
        case sx.Member(base=base, name=name):
            rows, number = entry_of(state, base) or (None, None)
            column = None if rows is None else [_member(row, name) for row in rows.items]
            if rows is None or column is None or None in column:
                return None
            return replace(rows, items=tuple(item for item in column if item is not None)), number
        case _:
            return None


def _member(row: sx.Expression, name: str) -> sx.Expression | None:
    """Return what a row of a table lists as a member: null where it lists fewer; None of what is no row."""
    if not isinstance(row, sx.InitializerList) or not isinstance(row.type, sx.StructT):
        return None
    position = next((at for at, field in enumerate(row.type.fields) if field.name == name), None)
    if position is None:
        return None
    return row.items[position] if position < len(row.items) else sx.Number(0, sx.INT, row.span)


def _is_assigned(state: State, variable: sx.Variable) -> bool:
    """Return whether the function around changes a local variable, or hands out its address."""
    for node in walk(state.flow.frames[-1].function.body):
        match node:
            case sx.Assign(target=target) if _is_name_of(target, (variable,)):
                return True
            case sx.Unary(operator="&" | "++x" | "x++" | "--x" | "x--", operand=operand) if _is_name_of(
                operand, (variable,)
            ):
                return True
            case sx.Declare(variable=other, initial=initial) if other.reference and initial is not None:
                if _is_name_of(initial, (variable,)):
                    return True
    return False


def _is_only_read(state: State, variable: sx.Variable) -> bool:
    """Return whether the function around uses elements of a local array as objects, functions and values alone.

    A reference to an element is as much as the elements that it refers to.
    """
    names = uses = 0
    for node in walk(state.flow.frames[-1].function.body):
        names += _is_use_of(node, variable)
        uses += sum(_is_element_of(used, variable) for used in _read_by(state, node))
        if isinstance(node, sx.Declare) and node.variable.reference and _is_element_of(node.initial, variable):
            uses += _is_only_called(state, node.variable)
    return names == uses


def _is_use_of(node: Tree | None, variable: sx.Variable) -> bool:
    if not isinstance(node, sx.Name):
        return False
    return (node.variable.name, node.variable.span) == (variable.name, variable.span)


def _is_element_of(used: Tree | None, variable: sx.Variable) -> bool:
    return isinstance(used, sx.Index) and _is_use_of(used.base, variable)


def _is_only_called(state: State, variable: sx.Variable) -> bool:
    """Return whether the function around only calls what a local variable is bound to."""
    names = uses = 0
    for node in walk(state.flow.frames[-1].function.body):
        names += _is_use_of(node, variable)
        called = node.called if isinstance(node, sx.OpaqueExpression) else None
        uses += called is not None and _is_use_of(without_address(called), variable)
    return names == uses


def _read_by(state: State, node: Tree) -> tuple[sx.Expression, ...]:
    """Return the expressions that a node reads as they are: what is pointed at, called, or given by value."""
    match node:
        case sx.Unary(operator="*", operand=operand) | sx.Cast(operand=operand):
            return (operand,)
        case sx.OpaqueExpression(called=called) if called is not None:
            return (called,)
        case sx.Assign(operator="", value=value):
            return (value,)
        case sx.Declare(variable=variable, initial=sx.Index() as initial) if not variable.reference:
            return (initial,)
        case sx.Call(function=function, arguments=arguments, bodies=bodies):
            functions = state.inputs.unit.functions
            known = [functions[key] for key in (function, *(key for _, key in bodies)) if key in functions]
            parameters = known[0].parameters if known else ()
            given = zip(parameters, arguments, strict=False)
            return tuple(argument for parameter, argument in given if not parameter.reference)
        case _:
            return ()


def _list_of(state: State, variable: sx.Variable) -> sx.InitializerList | None:
    """Return what an array of functions or objects lists for good: a constant, a row, or one that keeps it."""
    is_fixed = variable.constant or variable.kept is not sx.Kept.NO
    fixed = variable.initial if is_fixed and not variable.reference else None
    initial = fixed or state.memory.lists.get(variable)
    if not isinstance(initial, sx.InitializerList) or not _has_pointers(variable.type):
        return None
    if fixed is not None and variable.kept is sx.Kept.ASSUMED:
        state.emitter.assume("AI314", variable.span, "lists", variable.name)
    return initial


def _has_pointers(kind: sx.CType) -> bool:
    match kind:
        case sx.ArrayT(element=element):
            return _has_pointers(element)
        case sx.StructT(fields=fields):
            return any(_has_pointers(field.type) for field in fields)
        case _:
            return isinstance(kind, sx.PointerT)


def is_address(item: sx.Expression) -> bool:
    """Return whether an expression is the address of a variable or a function, which stays the same."""
    match item:
        case sx.Cast(operand=operand):
            return is_address(operand)
        case sx.Unary(operator="&", operand=sx.Name(variable=variable)):
            return not variable.reference
        case sx.OpaqueExpression(function=function, operands=operands):
            return bool(function) and all(map(_is_without_members, operands))
        case _:
            return False


def _is_without_members(item: sx.Expression) -> bool:
    """Return whether an expression makes an object without members: a lambda that captures nothing."""
    return isinstance(item, sx.InitializerList) and isinstance(item.type, sx.StructT) and not item.type.fields


def listed(state: State, taken: sx.Expression) -> sx.Expression | None:
    """Return what a table lists at the known position that an expression names; None for any other."""
    match without_address(taken):
        case sx.Name(variable=variable):
            return _list_of(state, variable)
        case sx.Index(base=base, index=index):
            row = listed(state, base)
            number = state.quietly(index) if isinstance(row, sx.InitializerList) else None
            position = None if number is None else state.symbols.value_of(number)
            if isinstance(row, sx.InitializerList) and position is not None and 0 <= position < len(row.items):
                return row.items[int(position)]
        case sx.Member(base=base, name=name):
            row = listed(state, base)
            return None if row is None else _member(row, name)
    return None


def without_address(called: sx.Expression) -> sx.Expression:
    """Return a function for ``*f`` and ``&f``, which are the same."""
    while isinstance(called, sx.Unary) and called.operator in "*&":
        called = called.operand
    return called
