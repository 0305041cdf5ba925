"""Ranges that calls of a recursive function pass on: two pointers into one array, the first element and the end.

A function that subtracts one of its pointers from another, or asks which is the lower one, has both in one array, as
the languages demand (C11 6.5.6 and 6.5.8, C++ [expr.add]).  The end is the start and a number of elements, a size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from msgspec.structs import replace

from ...surface import nodes as sx
from ...surface.traverse import Tree, walk
from .passed_containers import OFFSET, PassedOn, any_value


def ranges_of(function: sx.Function, functions: Mapping[str, sx.Function]) -> Mapping[sx.Variable, sx.Variable]:
    """Return the start of each range that a function is given, by the pointer to its end."""
    found: dict[sx.Variable, sx.Variable] = {}
    for start, end in _pairs(function, functions, frozenset()):
        if start not in found and end not in found and end not in found.values():
            found[end] = start
    return found


def _pairs(
    function: sx.Function, functions: Mapping[str, sx.Function], around: Set[str]
) -> Iterator[tuple[sx.Variable, sx.Variable]]:
    """Yield the start and the end of ranges in the order of the source; ``around`` are the functions that lead here."""
    own = {each: at for at, each in enumerate(function.parameters) if _is_pointer(each)}
    if len(own) < 2:
        return
    for node in walk(function.body):
        match node:
            case (
                sx.Binary(operator="-" | ">" | ">=", left=left, right=right)
                | sx.Binary(operator="<" | "<=", left=right, right=left)
            ):
                yield from _pair(right, left, own)
            case sx.Call(function=key, arguments=given) if key in functions and key not in around:
                called = functions[key]
                if len(given) != len(called.parameters) or sum(_named(each) in own for each in given) < 2:
                    continue
                arguments = dict(zip(called.parameters, given, strict=True))
                for start, end in _pairs(called, functions, around | {function.key, key}):
                    yield from _pair(arguments[start], arguments[end], own)


def _pair(
    start: sx.Expression, end: sx.Expression, own: Mapping[sx.Variable, int]
) -> Iterator[tuple[sx.Variable, sx.Variable]]:
    first, last = _named(start), _named(end)
    if first is None or last is None or first is last:
        return
    if first in own and last in own and first.type == last.type:
        yield first, last


def _is_pointer(parameter: sx.Variable) -> bool:
    return isinstance(parameter.type, sx.PointerT) and not parameter.type.owns and not parameter.reference


def _named(expression: sx.Expression) -> sx.Variable | None:
    while isinstance(expression, sx.Cast):
        expression = expression.operand
    return expression.variable if isinstance(expression, sx.Name) else None


def pointers_into(
    function: sx.Function, parameters: Set[sx.Variable], functions: Mapping[str, sx.Function]
) -> frozenset[sx.Variable]:
    """Return the parameters that point into one array, with the local pointers that never point into another one.

    There are none where a parameter may come to point into another one.
    """
    values: dict[sx.Variable, list[sx.Expression]] = {}
    lost: set[sx.Variable | None] = set()
    for node in walk(function.body):
        match node:
            case sx.Declare(variable=variable, initial=initial) if isinstance(variable.type, sx.PointerT):
                values.setdefault(variable, []).extend(() if initial is None else (initial,))
                lost.update({variable} if variable.reference or variable.type.owns else ())
            case sx.Assign(operator="", target=sx.Name(variable=variable), value=value):
                values.setdefault(variable, []).append(value)
            case sx.Unary(operator="&", operand=operand):
                lost.add(_named(operand))
            case sx.Call():
                lost.update(_changed(node, functions))
    found = frozenset((*parameters, *values)) - lost
    while parameters <= found:
        spoilt = {each for each in found & values.keys() if not all(is_within(given, found) for given in values[each])}
        if not spoilt:
            return found
        found -= spoilt
    return frozenset()


def _changed(call: sx.Call, functions: Mapping[str, sx.Function]) -> Iterator[sx.Variable | None]:
    """Yield the variables that a call may change: those that it is given by reference."""
    called = functions.get(call.function)
    parameters = () if called is None else called.parameters
    for parameter, each in zip(parameters, call.arguments, strict=False):
        if parameter.reference and not parameter.constant:
            yield _named(each)
    if called is None and call.name == "swap":
        yield from map(_named, call.arguments)


def is_within(argument: Tree, variables: Set[sx.Variable]) -> bool:
    """Return whether an expression is an address in the array into which some variables point."""
    match argument:
        case sx.Name(variable=variable):
            return variable in variables
        case sx.Cast(operand=inner) | sx.Binary(operator="+" | "-", left=inner):
            return is_within(inner, variables)
        case sx.Unary(operator="&", operand=sx.Index(base=base)):
            return is_within(base, variables)
        case sx.Unary(operator="x++" | "x--" | "++x" | "--x", operand=inner):
            return is_within(inner, variables)
        case _:
            return False


def passed_range(end: sx.Variable, start: sx.Variable, first: sx.Expression, holder: sx.Variable) -> PassedOn:
    """Return what passes on the end of a range as the start of a call, ``first``, and a number that has its name."""
    span = end.span
    number = sx.Name(replace(holder, type=OFFSET), span)
    length = sx.Binary("-", sx.Name(end, span), sx.Name(start, span), span)
    return PassedOn(
        sx.Binary("+", first, number, span),
        (sx.Declare(number.variable, length, span),),
        (sx.Evaluate(sx.Assign("", number, any_value(OFFSET, span), span), span),),
    )
