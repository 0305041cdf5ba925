"""Containers that a recursive function refers to: each call has one of its own, whose number of elements is passed on.

That number is a variable like the other arguments where no call changes it, and where rows are only indexed: how many
elements the rows have is not passed on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ....ir.types import ElementType, ScalarType
from ....source import Span
from ...known_functions import table
from ...surface import nodes as sx
from ...surface.traverse import Tree, walk
from ...surface.types import type_of
from .handed import handed_containers

_ANY = "ai_any"  # a known function whose result is data
OFFSET = sx.ScalarT(ElementType(ScalarType.INT64))


def any_value(kind: sx.CType, span: Span) -> sx.Call:
    """Return a value of which nothing is known."""
    return sx.Call(_ANY, _ANY, (), kind, span)


def is_container(parameter: sx.Variable) -> bool:
    """Return whether a parameter refers to a container."""
    return parameter.reference and isinstance(parameter.type, sx.PointerT) and parameter.type.owns


class PassedOn(Struct, frozen=True):
    """What a call is given for an argument, and statements before the loop and after a call that pass it on.

    All next values are worked out (``following``: a call itself evaluates them, so that what they load counts there)
    before any of them changes what holds it.
    """

    view: sx.Expression
    opening: Sequence[sx.Statement]
    changes: Sequence[sx.Statement]
    following: Sequence[sx.Statement] = ()


def passed_on(parameter: sx.Variable, holder: sx.Variable) -> PassedOn:
    """Return what passes on the elements of a container and their number, which has the name of the parameter."""
    span = parameter.span
    here = sx.Name(parameter, span)
    elements = replace(holder, name=f"{parameter.name}_elements")
    number = replace(holder, type=OFFSET)
    first, count = sx.Name(elements, span), sx.Name(number, span)
    opening = (
        sx.Declare(elements, here, span),
        sx.Declare(number, sx.Call("size", "size", (here,), OFFSET, span), span),
    )
    view = sx.Call(sx.VIEW, sx.VIEW, (first, count), holder.type, span)
    elsewhere = sx.Binary("+", first, any_value(OFFSET, span), span)
    changes = (
        sx.Evaluate(sx.Assign("", first, elsewhere, span), span),
        sx.Evaluate(sx.Assign("", count, any_value(OFFSET, span), span), span),
    )
    return PassedOn(view, opening, changes)


def keeps_sizes(function: sx.Function, functions: Mapping[str, sx.Function]) -> bool:
    """Return whether the containers that a function refers to have as many elements as before when it returns."""
    waiting = [(function, each) for each in function.parameters if is_container(each) and not each.constant]
    seen: set[tuple[str, sx.Variable]] = set()
    while waiting:
        inside, parameter = waiting.pop()
        if (inside.key, parameter) in seen:
            continue
        seen.add((inside.key, parameter))
        for node in walk(inside.body):
            passed = _passed_on(node, parameter, functions)
            if passed is None:
                return False
            waiting += passed
    return True


def _passed_on(
    node: Tree, container: sx.Variable, functions: Mapping[str, sx.Function]
) -> Sequence[tuple[sx.Function, sx.Variable]] | None:
    """Return the parameters by which a node hands a container on; None where it may change how many elements it has."""
    match node:
        case sx.Assign(target=target):
            return None if _names(target, container) else ()
        case sx.Declare(variable=variable, initial=initial) if initial is not None:
            is_alias = variable.reference and not variable.constant
            return None if is_alias and _names(initial, container) else ()
        case sx.Unary(operator="&", operand=operand):
            return None if _names(operand, container) else ()
        case sx.Call(function=key, name=name, arguments=arguments):
            positions = [at for at, each in enumerate(arguments) if _names(each, container)]
            called = functions.get(key)
            if called is not None:
                parameters = [called.parameters[at] for at in positions if at < len(called.parameters)]
                return [(called, each) for each in parameters if is_container(each) and not each.constant]
            return None if positions and (name == "swap" or name in table().resizing or handed_containers(node)) else ()
        case _:
            return ()


def has_containers(kind: sx.CType) -> bool:
    """Return whether an object of a type is a container or has one among its members."""
    match kind:
        case sx.PointerT(owns=owns):
            return owns
        case sx.StructT(fields=fields):
            return any(has_containers(entry.type) for entry in fields)
        case _:
            return False


def asks_for_rows(function: sx.Function, container: sx.Variable, functions: Mapping[str, sx.Function]) -> bool:
    """Return whether a function may use how many elements rows of a container have: it does more than index them."""
    if not isinstance(container.type, sx.PointerT) or not has_containers(container.type.target):
        return False
    indexed = {id(node.base) for node in walk(function.body) if isinstance(node, sx.Index)}
    for node in walk(function.body):
        match node:
            case sx.Index() | sx.Member() | sx.Unary(operator="*") if id(node) not in indexed:
                if has_containers(type_of(node)):
                    return True
            case sx.Call(function=key, arguments=arguments) if key in functions and key != function.key:
                if any(
                    isinstance(kind := type_of(each), sx.PointerT) and has_containers(kind.target) for each in arguments
                ):
                    return True
    return False


def _names(expression: sx.Expression, variable: sx.Variable) -> bool:
    return isinstance(expression, sx.Name) and expression.variable is variable
