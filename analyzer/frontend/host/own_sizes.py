"""Sizes that a program gives itself: what ``main`` makes of its command line, or of one without arguments.

``int n = argc > 1 ? atoi(argv[1]) : 1000`` is 1000 in a run without arguments.  ``main`` is run without the loops that
do not matter for these sizes; a variable has a size here only where every value that it gets in that run is the same
whole number.  A run that ends early (a message on how to call the program) gives nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..surface import nodes as sx
from ..surface.traverse import walk
from .execution.calls import declare
from .execution.statements import run
from .interpreter import HANDLERS, arguments_at_start
from .launch_record import LaunchRecord
from .linked_program import LinkedProgram
from .state import Frame, HostState, Leave, Spent

_OF_DATA = (sx.Call, sx.Index, sx.Conditional, sx.OpaqueExpression)


def own_sizes(unit: sx.Unit, names: Collection[str], program_arguments: Sequence[str] = ()) -> dict[str, int]:
    """Return the values of those local variables of ``main``, among ``names``, that have one throughout its run."""
    main = next((item for item in unit.functions.values() if item.name == "main"), None)
    if main is None or not main.parameters:
        return {}
    wanted = _variables(unit, main, names)
    program = LinkedProgram((unit,), program_arguments, None, needed=frozenset(wanted.values()))
    state = HostState(program, HANDLERS, LaunchRecord())
    state.watched = {variable: [] for variable in wanted.values()}
    if not wanted or not _reaches_end(state, main):
        return {}
    declared = (node for node in walk(main.body) if isinstance(node, sx.Declare))
    constants = {node.variable for node in declared if node.initial is not None and _is_constant(node.initial)}
    found: dict[str, int] = {}
    for name, variable in wanted.items():
        values = state.watched[variable]
        if len(values) > 1 and variable in constants:
            values = values[1:]  # before that the size is a constant, not one that has to be given
        if values and isinstance(values[0], int) and all(value == values[0] for value in values):
            found[name] = values[0]
    return found


def _variables(unit: sx.Unit, main: sx.Function, names: Collection[str]) -> dict[str, sx.Variable]:
    """Return whole numbers of ``main`` by name, without names that stand for something else as well.

    A function that is inlined may have a symbol of the same name: a variable, or a parameter, that data decide.
    """
    found: dict[str, sx.Variable] = {}
    taken = {variable.name for variable in unit.globals}
    for node in walk(main.body):
        if isinstance(node, sx.Declare) and node.variable.name in names:
            variable = node.variable
            is_whole = isinstance(variable.type, sx.ScalarT) and variable.type.element.scalar.is_integer
            if variable.name in found or not is_whole or variable.reference:
                taken.add(variable.name)
            found[variable.name] = variable
    for function in unit.functions.values() if found else ():
        taken |= _decided_by_data(unit, function, is_main=function is main)
    return {name: variable for name, variable in found.items() if name not in taken}


def _decided_by_data(unit: sx.Unit, function: sx.Function, *, is_main: bool) -> set[str]:
    """Return names of values that data may decide: variables of a function, and parameters of those that it calls."""
    found: set[str] = set()
    for node in walk(function.body):
        match node:
            case sx.Call() if node.function in unit.functions:
                called = unit.functions[node.function]
                given = zip(called.parameters, node.arguments, strict=False)
                found |= {parameter.name for parameter, value in given if _may_be_data(value)}
            case sx.Declare(variable=variable, initial=initial) if not is_main:
                found |= {variable.name} if initial is None or _may_be_data(initial) else set()
            case sx.Assign(target=sx.Name(variable=variable)) if not is_main:
                found.add(variable.name)
            case sx.Unary(operator="&" | "++x" | "--x" | "x++" | "x--", operand=sx.Name(variable=variable)) if (
                not is_main
            ):
                found.add(variable.name)
    return found


def _is_constant(value: sx.Expression) -> bool:
    return not any(isinstance(node, (sx.Name, sx.Member, *_OF_DATA)) for node in walk(value))


def _may_be_data(value: sx.Expression) -> bool:
    return any(isinstance(node, _OF_DATA) for node in walk(value))


def _reaches_end(state: HostState, main: sx.Function) -> bool:
    """Run ``main``; return whether it comes to its last statement."""
    for parameter, value in zip(main.parameters, arguments_at_start(state, main), strict=False):
        declare(state, parameter, value)
    state.frames.append(Frame(main.key))
    statements = main.body.statements if isinstance(main.body, sx.Block) else (main.body,)
    for statement in statements[:-1]:
        try:
            jump = run(state, statement)
        except (Leave, Spent):
            return False
        if jump is not None:
            return False
    return True
