"""Sizes that a program gives itself: what ``main`` makes of its command line, and of an environment that sets nothing.

``int n = argc > 1 ? atoi(argv[1]) : 1000`` is 1000 in a run without arguments, and so is ``g.n`` after
``read_options(&g, argc, argv)``, or after ``const char *s = getenv("N"); g.n = s ? atoi(s) : 1000``.
``main`` is run without the loops that do not matter for these sizes; a variable has
a size after a statement only where every execution of that statement leaves the same whole number in it.  A run that
ends early (a message on how to call the program) gives nothing; else the number of words of the command line is known
too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ...source import Span
from ..surface import nodes as sx
from ..surface.traverse import children, walk
from .execution.calls import declare
from .execution.statements import run
from .interpreter import HANDLERS, arguments_at_start
from .launch_record import LaunchRecord
from .launch_slice import Name
from .library.functions import ENVIRONMENT
from .linked_program import LinkedProgram
from .memory import Location
from .state import Frame, HostState, Leave, Spent
from .values import Value

Wanted = tuple[str, Span]
"""A variable or a member (``g.n``), and the statement after which its value is wanted (of a parameter: where it is)."""


def main_of(unit: sx.Unit) -> sx.Function | None:
    """Return the function with which the program starts; None where the file has none."""
    return next((item for item in unit.functions.values() if item.name == "main"), None)


def own_sizes(unit: sx.Unit, wanted: Collection[Wanted], program_arguments: Sequence[str] = ()) -> dict[Wanted, int]:
    """Return those of the ``wanted`` values that are one whole number throughout the run of ``main``."""
    main = main_of(unit)
    if main is None or not (main.parameters or asks_environment(unit)):
        return {}
    locations = dict(_locations(unit, main, wanted))
    counts = {(parameter.name, parameter.span) for parameter in main.parameters}.intersection(wanted)
    if not locations and not counts:
        return {}
    program = LinkedProgram(
        (unit,), program_arguments, None, needed=_needed(locations.values()), is_environment_empty=True
    )
    state = HostState(program, HANDLERS, LaunchRecord())
    found: dict[Wanted, list[Value]] = {}
    for (name, span), location in locations.items():
        found[name, span] = state.watched.setdefault(span, {}).setdefault(location, [])
    if not _reaches_end(state, main):
        return {}
    given = zip(main.parameters, arguments_at_start(state, main), strict=False)
    starts = {(parameter.name, parameter.span): value for parameter, value in given}
    sizes = {key: value for key in counts if isinstance(value := starts[key], int)}
    for key, values in found.items():
        if values and isinstance(values[0], int) and all(value == values[0] for value in values):
            sizes[key] = values[0]
    return sizes


def asks_environment(unit: sx.Unit) -> bool:
    """Return whether anything in the unit reads variables of the environment."""
    calls = (node for item in unit.functions.values() for node in walk(item.body) if isinstance(node, sx.Call))
    return any(call.name.rsplit("::", 1)[-1] in ENVIRONMENT for call in calls)


def _needed(locations: Collection[Location]) -> frozenset[Name]:
    members = (member for _, path in locations for member in path.split(".") if member)
    return frozenset((*(variable for variable, _ in locations), *members))


def _locations(unit: sx.Unit, main: sx.Function, wanted: Collection[Wanted]) -> Iterator[tuple[Wanted, Location]]:
    """Yield the variable, and the path in it, of each name that stands for one where its statement is."""
    of_main = tuple(_variables(main))
    for function in _running_once(unit, main):
        statements = {node.span: node for node in walk(function.body) if isinstance(node, _STATEMENTS)}
        here = [(name, span) for name, span in wanted if span in statements]
        scopes = (tuple(_variables(function)), of_main, unit.globals) if here else ()
        for name, span in here:
            base, dot, members = name.partition(".")
            named = next((found for scope in scopes if (found := _named(scope, base, bool(dot)))), [])
            if len(named) == 1 and _assigns_once(statements[span], base):
                yield (name, span), (named[0], dot + members)


_STATEMENTS = (sx.Declare, sx.Evaluate, sx.If, sx.Switch, sx.For, sx.While, sx.Repeated, sx.Skippable, sx.Block)


def _running_once(unit: sx.Unit, main: sx.Function) -> Iterator[sx.Function]:
    """Yield ``main``, and the functions that it calls at one position that is outside of loops, with those of these."""
    calls: dict[str, int] = {}
    for function in unit.functions.values():
        for node in walk(function.body):
            if isinstance(node, sx.Call):
                calls[node.function] = calls.get(node.function, 0) + 1
    waiting = [main]
    while waiting:
        function = waiting.pop()
        yield function
        once = (key for key in _called_once(function.body) if calls[key] == 1 and key != main.key)
        waiting += [unit.functions[key] for key in once if key in unit.functions]


def _called_once(tree: sx.Statement | sx.Expression) -> Iterator[str]:
    """Yield the functions that a tree calls outside of loops."""
    if isinstance(tree, sx.For | sx.While | sx.Repeated):
        return
    if isinstance(tree, sx.Call):
        yield tree.function
    for inner in children(tree):
        yield from _called_once(inner)


def _variables(function: sx.Function) -> Iterator[sx.Variable]:
    yield from function.parameters
    yield from (node.variable for node in walk(function.body) if isinstance(node, sx.Declare))


def _named(scope: Sequence[sx.Variable], name: str, has_members: bool) -> list[sx.Variable]:
    """Return the variables of a name that can be meant: structures by their members, else whole numbers."""
    named = [variable for variable in scope if variable.name == name]
    if has_members:
        return [variable for variable in named if isinstance(variable.type, sx.StructT)]
    whole = (each for each in named if isinstance(each.type, sx.ScalarT) and each.type.element.scalar.is_integer)
    return list(whole)


def _assigns_once(statement: sx.Statement, name: str) -> bool:
    """Return whether a value that one expression gives a variable is that after it: no ``n = a, n = b``."""
    if not isinstance(statement, sx.Declare | sx.Evaluate):
        return True
    return sum(_is_assigned(node, name) for node in walk(statement)) <= 1


def _is_assigned(node: object, name: str) -> bool:
    match node:
        case sx.Assign(target=target) | sx.Unary(operator="&" | "++x" | "--x" | "x++" | "x--", operand=target):
            return any(isinstance(each, sx.Name) and each.variable.name == name for each in walk(target))
        case _:
            return False


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
