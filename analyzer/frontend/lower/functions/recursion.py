"""Recursive functions as loops: each iteration is one of the calls, and how many there are is a symbol.

    f(p) { ... f(q) ... f(r) ... }   =   do f'(p); while (another call);   f' is f whose inner calls do nothing

The work of all calls is the sum over the iterations, in whatever order: what a call does with arguments that differ
from call to call is an average, as in any loop whose iterations data decide.  A pointer that moves within its array, or
along members of arguments, is one that the loop moves; an object that each call makes for the next one is another one
each time; a number may have any value.  A container whose number of elements no call changes is one of each call's own,
with elements anywhere: its number of elements is passed on like any other number.  A function with other arguments is
no loop: its inner calls are not counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from ...known_functions import table
from ...surface import nodes as sx
from ...surface.traverse import Tree, walk
from .passed_containers import OFFSET, PassedOn, any_value, asks_for_rows, is_container, keeps_sizes, passed_on
from .passed_ranges import is_within, passed_range, pointers_into, ranges_of

_KEY = " repeated"


_Calls = Mapping[str, Sequence[tuple[str, sx.Call]]]
"""The calls that functions make of functions through which they call themselves, by the key of the caller."""


class Repeated(Struct, frozen=True):
    """A recursive function as a loop, and the keys of the functions through which it calls itself."""

    loop: sx.Function
    through: frozenset[str]


def is_loop_of_calls(function: sx.Function) -> bool:
    """Return whether a function is the loop over the calls of a recursive one."""
    return function.key.endswith(_KEY)


def repeated_functions(
    functions: Mapping[str, sx.Function], calls: Mapping[str, frozenset[str]]
) -> dict[str, Repeated]:
    """Return, by key, the recursive functions whose arguments can be followed from call to call.

    ``calls`` are those of :func:`calls_among`.
    """
    found: dict[str, Repeated] = {}
    for key in _left_of_trimming(calls):
        function = functions[key]
        through = frozenset(other for other in _reached(key, calls) if key in _reached(other, calls))
        if key not in through or function.kind is sx.FunctionKind.KERNEL:
            continue
        loop = _loop(function, {other: functions[other] for other in through}, functions)
        if loop is not None:
            found[key] = Repeated(loop, through)
    return found


def with_recursion(calls: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Return the keys of the functions that call themselves, or one that does; linear in the calls."""
    return frozenset(_left_of_trimming(calls))


def calls_among(functions: Mapping[str, sx.Function]) -> Mapping[str, frozenset[str]]:
    """Return the functions that each one calls."""
    return {key: _called(function, functions) for key, function in functions.items()}


def _called(function: sx.Function, functions: Mapping[str, sx.Function]) -> frozenset[str]:
    nodes = [node for node in walk(function.body) if isinstance(node, sx.Call)]
    return frozenset(key for node in nodes for key in _keys(node) if key in functions)


def _keys(call: sx.Call) -> tuple[str, ...]:
    return (call.function, *(key for _, key in call.bodies))


def _calls_of(function: sx.Function, key: str) -> list[sx.Call]:
    return [node for node in walk(function.body) if isinstance(node, sx.Call) and key in _keys(node)]


def _left_of_trimming(calls: Mapping[str, frozenset[str]]) -> list[str]:
    """Return the functions that are left when those that call none of the others are taken away, again and again."""
    callers: dict[str, list[str]] = {}
    open_calls = {key: len(called) for key, called in calls.items()}
    for key, called in calls.items():
        for each in called:
            callers.setdefault(each, []).append(key)
    waiting = [key for key, number in open_calls.items() if not number]
    while waiting:
        for caller in callers.get(waiting.pop(), ()):
            open_calls[caller] -= 1
            if not open_calls[caller]:
                waiting.append(caller)
    return [key for key, number in open_calls.items() if number]


def _reached(key: str, calls: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Return the functions that one calls, itself or by way of others."""
    found: set[str] = set()
    waiting = [*calls[key]]
    while waiting:
        other = waiting.pop()
        if other not in found:
            found.add(other)
            waiting += calls[other]
    return frozenset(found)


def _loop(
    function: sx.Function, through: Mapping[str, sx.Function], functions: Mapping[str, sx.Function]
) -> sx.Function | None:
    """Return the function as a loop over its calls; None where an argument cannot be followed."""
    among = {key: [(to, call) for to in through for call in _calls_of(other, to)] for key, other in through.items()}
    calls = [call for made in among.values() for to, call in made if to == function.key]
    if any(len(call.arguments) != len(function.parameters) for call in calls):
        return None
    span = replace(function.span, end_line=function.span.line)
    own = _calls_of(function, function.key)
    direct = own if len(own) == len(calls) else []
    held = {
        parameter: _holder(parameter)
        for position, parameter in enumerate(function.parameters)
        if not _stays(function, position, through, among)
    }
    ranges = ranges_of(function, functions) if direct else {}
    held |= {end: _holder(end) for end, start in ranges.items() if start in held and end not in held}
    caller = _Caller(function, functions, direct, held, ranges, _pointers_of_one_value(function))
    passed = {each: _passed(caller, position) for position, each in enumerate(function.parameters) if each in held}
    known = {each: parts for each, parts in passed.items() if parts is not None}
    if len(known) < len(passed):
        return None
    arguments = tuple(known[each].view if each in known else sx.Name(each, each.span) for each in function.parameters)
    inner = sx.Evaluate(sx.Call(function.key, function.name, arguments, function.result, span), span)
    following = [each for parts in known.values() for each in parts.following]
    changes = [each for parts in known.values() for each in parts.changes]
    loop = sx.While(any_value(sx.INT, span), sx.Block((inner, *following, *changes), span), True, span)
    closing = () if function.result == sx.VOID else (sx.Return(any_value(function.result, span), span),)
    opening = [each for parts in known.values() for each in parts.opening]
    return replace(function, key=function.key + _KEY, body=sx.Block((*opening, loop, *closing), function.span))


class _Caller(Struct, frozen=True):
    """A recursive function: its own calls if it calls itself directly alone, and what holds arguments between calls.

    ``ranges`` are those of its pointers; ``pointers`` are local ones of one value.
    """

    function: sx.Function
    functions: Mapping[str, sx.Function]
    calls: Sequence[sx.Call]
    held: Mapping[sx.Variable, sx.Variable]
    ranges: Mapping[sx.Variable, sx.Variable]
    pointers: Mapping[sx.Variable, sx.Expression]


def _passed(caller: _Caller, position: int) -> PassedOn | None:
    """Return how an argument comes from one call to the next; None where it cannot be followed."""
    function = caller.function
    parameter = function.parameters[position]
    holder = caller.held[parameter]
    given = [call.arguments[position] for call in caller.calls]
    if is_container(parameter):
        is_followed = given and all(map(_is_of_call, given)) and keeps_sizes(function, caller.functions)
        if not is_followed or asks_for_rows(function, parameter, caller.functions):
            return None
        return passed_on(parameter, holder)
    near = _near(parameter, caller)
    if parameter in caller.ranges and all(is_within(each, near) for each in given):
        start = caller.ranges[parameter]
        return passed_range(parameter, start, _argument(start, caller.held.get(start)), holder)
    value = _next(parameter, holder, [_written_out(each, caller.pointers) for each in given], caller.held, near)
    return None if value is None else _passed_by_value(parameter, holder, value)


def _passed_by_value(parameter: sx.Variable, holder: sx.Variable, value: sx.Expression) -> PassedOn:
    """Return what passes on an argument, of which the next ``value`` is an expression of the last one."""
    span = replace(parameter.span, end_line=parameter.span.line)
    here = sx.Name(parameter, span)
    opening = sx.Declare(holder, sx.Unary("&", here, span) if parameter.reference else here, span)
    passed = sx.Variable(f"{parameter.name}_next", holder.type, sx.Storage.LOCAL, span)
    uncounted = sx.Call(sx.UNCOUNTED, sx.UNCOUNTED, (value,), holder.type, span)
    changes = [sx.Evaluate(sx.Assign("", sx.Name(holder, span), sx.Name(passed, span), span), span)]
    if isinstance(value, sx.Call) and isinstance(holder.type, sx.PointerT):  # of an unknown object
        somewhere = sx.Binary("+", sx.Name(holder, span), any_value(OFFSET, span), span)
        changes.append(sx.Evaluate(sx.Assign("", sx.Name(holder, span), somewhere, span), span))
    return PassedOn(_argument(parameter, holder), (opening,), changes, (sx.Declare(passed, uncounted, span),))


def _near(parameter: sx.Variable, caller: _Caller) -> Set[sx.Variable]:
    """Return what points into the array of a parameter: both ends of a range, and local pointers; else itself."""
    pair = next((frozenset(each) for each in caller.ranges.items() if parameter in each), frozenset())
    return pointers_into(caller.function, pair, caller.functions) or frozenset((parameter,))


def _stays(function: sx.Function, position: int, through: Mapping[str, sx.Function], calls: _Calls) -> bool:
    """Return whether all calls have the same argument: each function gives its own parameter, which nothing changes."""
    positions = {function.key: position}
    waiting = [function]
    while waiting:
        caller = waiting.pop()
        parameter = caller.parameters[positions[caller.key]]
        if not parameter.reference and any(_changes(node, parameter) for node in walk(caller.body)):
            return False
        for key, call in calls[caller.key]:
            called = through[key]
            given = [
                number
                for number, each in enumerate(call.arguments[: len(called.parameters)])
                if isinstance(each, sx.Name) and each.variable is parameter
            ]
            if not given:
                return False
            if key not in positions:
                positions[key] = given[0]
                waiting.append(called)
            if positions[key] not in given:
                return False
    return True


def _changes(node: Tree, variable: sx.Variable) -> bool:
    match node:
        case sx.Assign(target=sx.Name(variable=changed)):
            return changed is variable
        case sx.Unary(operator="++x" | "--x" | "x++" | "x--" | "&", operand=sx.Name(variable=changed)):
            return changed is variable
        case _:
            return False


def _holder(parameter: sx.Variable) -> sx.Variable:
    """Return the variable that holds an argument from call to call: the address of what a reference is bound to."""
    kind = sx.PointerT(parameter.type) if parameter.reference else parameter.type
    if is_container(parameter):
        assert isinstance(parameter.type, sx.PointerT)
        kind = replace(parameter.type, owns=False)
    if isinstance(kind, sx.ArrayT):
        kind = sx.PointerT(kind.element)
    return replace(parameter, type=kind, storage=sx.Storage.LOCAL, reference=False, constant=False, initial=None)


def _argument(parameter: sx.Variable, holder: sx.Variable | None) -> sx.Expression:
    if holder is None:
        return sx.Name(parameter, parameter.span)
    here = sx.Name(holder, parameter.span)
    return sx.Unary("*", here, parameter.span) if parameter.reference and not is_container(parameter) else here


def _next(
    parameter: sx.Variable,
    holder: sx.Variable,
    given: Sequence[sx.Expression],
    held: Mapping[sx.Variable, sx.Variable],
    near: Set[sx.Variable],
) -> sx.Expression | None:
    """Return an argument of the next call by those of the last one; None where it cannot be followed.

    An address in the array of the parameter is one by what points into it, the variables ``near`` it.
    """
    span = parameter.span
    if isinstance(holder.type, sx.ScalarT):
        return any_value(holder.type, span)
    if not given or not isinstance(holder.type, sx.PointerT) or holder.type.owns:
        return None
    if not parameter.reference and all(is_within(each, near) for each in given):
        return sx.Binary("+", sx.Name(holder, span), any_value(OFFSET, span), span)
    followed = _followed(given[0], held)
    if followed is None:
        return any_value(holder.type, span) if all(map(_is_of_call, given)) else None
    if not parameter.reference:
        return followed
    return (
        followed.operand
        if isinstance(followed, sx.Unary) and followed.operator == "*"
        else sx.Unary("&", followed, span)
    )


def _pointers_of_one_value(function: sx.Function) -> dict[sx.Variable, sx.Expression]:
    """Return the local pointers of a function that have the value of their declaration as long as they live."""
    declared = {
        node.variable: node.initial
        for node in walk(function.body)
        if isinstance(node, sx.Declare) and node.initial is not None and isinstance(node.variable.type, sx.PointerT)
    }
    changed = {each for node in walk(function.body) for each in declared if _changes(node, each)}
    return {each: initial for each, initial in declared.items() if each not in changed}


def _written_out(argument: sx.Expression, pointers: Mapping[sx.Variable, sx.Expression]) -> sx.Expression:
    """Return an argument with the value of a local pointer in place of its name."""
    match argument:
        case sx.Name(variable=variable) if variable in pointers:
            return _written_out(pointers[variable], pointers)
        case sx.Cast(operand=inner):
            return replace(argument, operand=_written_out(inner, pointers))
        case sx.Binary(operator="+" | "-", left=inner):
            return replace(argument, left=_written_out(inner, pointers))
        case _:
            return argument


def _is_of_call(argument: sx.Expression) -> bool:
    """Return whether an argument is an object that the calling function makes: another one in each call."""
    match argument:
        case sx.Call(name=name):
            return name in table().allocation
        case sx.Name(variable=sx.Variable(storage=sx.Storage.LOCAL, type=kind)):
            return not isinstance(kind, sx.PointerT) or kind.owns
        case sx.Unary(operator="&", operand=inner) | sx.Cast(operand=inner):
            return _is_of_call(inner)
        case _:
            return False


def _followed(argument: sx.Expression, held: Mapping[sx.Variable, sx.Variable]) -> sx.Expression | None:
    """Return a path from a parameter along members in terms of what holds it; None for any other expression."""
    match argument:
        case sx.Name(variable=variable) if variable in held:
            return _argument(variable, held[variable])
        case sx.Name(variable=sx.Variable(storage=sx.Storage.PARAMETER)):
            return argument
        case sx.Member(base=inner):
            base = _followed(inner, held)
            return None if base is None else replace(argument, base=base)
        case sx.Unary(operator="*" | "&", operand=inner) | sx.Cast(operand=inner):
            operand = _followed(inner, held)
            return None if operand is None else replace(argument, operand=operand)
        case _:
            return None
