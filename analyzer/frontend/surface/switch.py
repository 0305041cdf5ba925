"""The arms of a switch, as both readers build them: labels, statements, and whether control falls into the next.

The ``break`` that ends an arm is absorbed; one under a condition stays a :class:`Break`, a jump behind the switch.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from .nodes import Block, Break, Case, Continue, Declare, Expression, Goto, Label, Return, Statement, While
from .traverse import statements_in


def arm(labels: Sequence[Expression | None], statements: Sequence[Statement]) -> Case:
    """Return one arm; statements behind its end are not reached."""
    reached, ends = _up_to_the_end(statements)
    return Case(tuple(labels), reached, not ends)


Section = tuple[list[Expression | None], list[Statement]]
"""The labels of an arm that is being built, and its statements."""


def entered(labels: Sequence[Expression | None], sections: Sequence[Section], again: While) -> list[Section] | None:
    """Return the arms of a ``do`` loop that cases lead into, given its sections; None where jumps inside are its own.

    The first iteration is what the arms fall through, and the last of them goes on with the others: Duff's device.
    """
    body = [statement for _, statements in sections for statement in statements]
    if not sections or any(_leaves(statement) for statement in body):
        return None
    first, *others = sections
    arms = [([*labels, *first[0]], first[1]), *others]
    whole = Block(tuple(body), again.span)
    return [*arms[:-1], (arms[-1][0], [*arms[-1][1], replace(again, body=whole, test_last=False)])]


def _leaves(statement: Statement) -> bool:
    """Return whether a statement may leave or end an iteration of the loop that it is in, or declares something."""
    inner = statements_in(statement)
    return any(isinstance(one, Break | Continue | Declare | Label) for one in inner)


def _up_to_the_end(statements: Sequence[Statement]) -> tuple[tuple[Statement, ...], bool]:
    """Return the statements up to the one that always leaves them, and whether there is one."""
    kept: list[Statement] = []
    for statement in statements:
        match statement:
            case Break():
                return tuple(kept), True
            case Return() | Continue() | Goto():
                return (*kept, statement), True
            case Block():
                inner, ends = _up_to_the_end(statement.statements)
                kept.append(replace(statement, statements=inner))
                if ends:
                    return tuple(kept), True
            case _:
                kept.append(statement)
    return tuple(kept), False
