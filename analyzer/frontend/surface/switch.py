"""The arms of a switch, as both readers build them: labels, statements, and whether control falls into the next.

The ``break`` that ends an arm is absorbed; one under a condition stays a :class:`Break`, a jump behind the switch.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from .nodes import Block, Break, Case, Continue, Expression, Goto, Return, Statement


def arm(labels: Sequence[Expression | None], statements: Sequence[Statement]) -> Case:
    """Return one arm; statements behind its end are not reached."""
    reached, ends = _up_to_the_end(statements)
    return Case(tuple(labels), reached, not ends)


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
