"""The containers that a call hands over: what a function whose body is not known may resize.

A call -> the expressions of its containers, and of objects with some.
"""

from __future__ import annotations

from ...known_functions import canonical_name, table
from ...surface import nodes as sx
from ...surface.types import type_of


def handed_containers(call: sx.Call) -> list[sx.Expression]:
    """Return the containers, and objects with some, that a call of a function without a body may change."""
    name = canonical_name(call.name)
    is_silent = table().is_silent(name) and name not in table().input
    is_known = table().is_computed(name) or is_silent or name in table().accessors
    if is_known or name.startswith("__ai_") or name in table().allocation:
        return []
    objects = map(_handed, call.arguments)
    return [each for each in objects if each is not None and _has_elements(type_of(each))]


def _handed(argument: sx.Expression) -> sx.Expression | None:
    """Return the object that a call is given, or the address of which; None of a constant one, and of other values."""
    if isinstance(argument, sx.Unary) and argument.operator == "&":
        argument = argument.operand
    if not isinstance(argument, sx.Name | sx.Member | sx.Index):
        return None
    kind = type_of(argument)
    points = isinstance(kind, sx.PointerT) and not kind.owns and _has_elements(kind.target)
    return sx.Unary("*", argument, argument.span) if points else argument


def _has_elements(kind: sx.CType) -> bool:
    if isinstance(kind, sx.StructT):
        return any(_has_elements(entry.type) for entry in kind.fields)
    return isinstance(kind, sx.PointerT) and kind.owns
