"""Ways of a branch on one integer: chains of conditionals that are a ``switch``, and numbers of two values.

``if (n == 1) ... else if (n == 2 || n == 4) ... else ...`` is a switch with three ways (LLVM's SimplifyCFG,
``FoldValueComparisonIntoPredecessors``): each conditional asks for constants of the same integer, and nothing stands
between them.
"""

from __future__ import annotations

from collections.abc import Hashable

from ...ir.arithmetic import is_unsigned
from ...ir.nodes import Jumps
from ...ir.types import ScalarType
from .constants import constant_integer
from .nodes import Assign, Binary, Block, Call, Expression, If, ScalarT, Statement, Switch, Unary, Variable
from .traverse import walk
from .types import type_of

_TESTS = frozenset({"<", "<=", ">", ">=", "==", "!=", "&&", "||"})
_TWO = 2
_Key = tuple[Hashable, ...]


def is_chained(statement: If) -> bool:
    """Return whether both a conditional and its other branch, a conditional alone, ask one integer for constants.

    The number that they ask for has no side effects.
    """
    other = _alone(statement.orelse)
    if not isinstance(other, If):
        return False
    subjects = _subjects(statement.condition) | _subjects(other.condition)
    return None not in subjects and len(subjects) == 1


def has_two_values(subject: Expression) -> bool:
    """Return whether a number is 0 or 1 by its form: no way leads past the cases of a ``switch`` that has both."""
    match subject:
        case Binary(operator="&", left=left, right=right):
            return 1 in (constant_integer(left), constant_integer(right))
        case Binary(operator="%", left=left, right=right):
            kind = type_of(left)
            is_natural = isinstance(kind, ScalarT) and is_unsigned(kind.element.scalar)
            return is_natural and constant_integer(right) == _TWO
        case Binary(operator=operator):
            return operator in _TESTS
        case _:
            kind = type_of(subject)
            return isinstance(kind, ScalarT) and kind.element.scalar is ScalarType.BOOL


def is_covered(statement: Switch) -> bool:
    """Return whether no value passes all cases."""
    labels = [label for case in statement.cases for label in case.labels]
    return None in labels or ({*map(constant_integer, labels)} == {0, 1} and has_two_values(statement.subject))


def jumps_of(statement: Switch) -> Jumps:
    """Return whether a switch has three ways or more, one past all cases among them: two are a conditional."""
    ways = len(statement.cases) + (0 if is_covered(statement) else 1)
    return Jumps.TABLE if ways > _TWO else Jumps.NONE


def _alone(statement: Statement | None) -> Statement | None:
    while isinstance(statement, Block) and len(statement.statements) == 1:
        (statement,) = statement.statements
    return statement


def _subjects(condition: Expression) -> set[_Key | None]:
    """Return what is compared with constants, as one key for equal expressions; None for anything else."""
    match condition:
        case Binary(operator="||", left=left, right=right):
            return _subjects(left) | _subjects(right)
        case Binary(operator="==", left=left, right=right) if constant_integer(right) is not None:
            return {_key(left)}
        case Binary(operator="==", left=left, right=right) if constant_integer(left) is not None:
            return {_key(right)}
        case _:
            return {None}


def _key(subject: Expression) -> _Key | None:
    kind = type_of(subject)
    if not isinstance(kind, ScalarT) or not kind.element.scalar.is_integer:
        return None
    parts: list[Hashable] = []
    for node in walk(subject):
        if isinstance(node, Assign | Call) or (isinstance(node, Unary) and node.operator.strip("x") in ("++", "--")):
            return None
        fields = (getattr(node, name) for name in node.__struct_fields__ if name != "span")
        parts.append(type(node))
        parts += (field for field in fields if isinstance(field, str | int | float | Variable | ScalarT))
    return tuple(parts)
