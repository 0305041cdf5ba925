"""Constructors that work where the object is to be: those of elements of arrays, which nothing copies.

A constructor is a function that makes an object and returns it.  Beside one whose class has arrays in itself stands the
same one that is given the object by reference.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from ..nodes import (
    VOID,
    ArrayT,
    Block,
    CType,
    Declare,
    Function,
    Name,
    Return,
    Storage,
    StructT,
    Variable,
)
from ..traverse import Tree, map_children

PLACED = " in place"
"""What the key of a constructor that is given its object ends in, behind that of the one that makes it."""
OBJECT = "object"
"""The name of the object that a constructor makes."""
BASE = "base"
"""The name of the object of a base class that a constructor makes on the way."""


def with_placed(functions: Mapping[str, Function]) -> dict[str, Function]:
    """Return functions, and for each constructor of objects with arrays the one that is given its object."""
    found = dict(functions)
    for key, function in functions.items():
        made = made_object(function)
        if made is not None and has_array(made.type):
            found[key + PLACED] = _placed(function, made)
    return found


def has_array(kind: CType) -> bool:
    """Return whether an object of a type has elements in itself."""
    return isinstance(kind, ArrayT) or (isinstance(kind, StructT) and any(has_array(each.type) for each in kind.fields))


def made_object(function: Function) -> Variable | None:
    """Return the object that a constructor makes; None for other functions."""
    statements = function.body.statements
    first, last = (statements[0], statements[-1]) if statements else (None, None)
    if not isinstance(first, Declare) or not isinstance(last, Return) or not isinstance(last.value, Name):
        return None
    made = first.variable
    is_made = made.name == OBJECT and last.value.variable is made and first.initial is None
    return made if is_made else None


def _placed(function: Function, made: Variable) -> Function:
    given = Variable(made.name, made.type, Storage.PARAMETER, made.span, reference=True)

    def renamed(part: Tree) -> Tree:
        if isinstance(part, Name):
            return Name(given, part.span) if part.variable is made else part
        return map_children(part, renamed)

    _, *inside, _ = function.body.statements
    body = map_children(Block(tuple(inside), function.body.span), renamed)
    return replace(
        function,
        key=function.key + PLACED,
        parameters=(given, *function.parameters),
        result=VOID,
        body=body,
        listed=False,
    )
