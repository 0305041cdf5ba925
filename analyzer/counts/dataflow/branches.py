"""The statements of a region as a tree of loops and conditionals again."""

from __future__ import annotations

from itertools import groupby
from typing import Union

from msgspec import Struct

from ...domains.domain import BRANCHES, Iteration, StatementDomain
from ...ir.nodes import Jumps, Loop
from ...ir.values import Access, Operation, Register

CONDITIONS = frozenset({Operation.COMPARE, Operation.LOGICAL, Operation.BITWISE})


class Branches(Struct, frozen=True):
    """A loop (one branch) or a conditional, with the statements in it, and whether that ``jumps`` to one of them."""

    loop: Loop | None
    statements: list[StatementDomain]
    bodies: dict[int, list[Entry]]
    jumps: Jumps = Jumps.NONE

    @property
    def defined(self) -> set[str]:
        """Return the names of the registers that are assigned in it."""
        return {
            statement.node.target.name for statement in self.statements if isinstance(statement.node.target, Register)
        }

    @property
    def nested(self) -> list[Branches]:
        """Return the conditionals and loops right inside of it."""
        return [part for body in self.bodies.values() for part in body if isinstance(part, Branches)]

    @property
    def stored(self) -> tuple[Access, ...]:
        """Return one store for each array and type."""
        targets = [statement.node.target for statement in self.statements]
        accesses = [target for target in targets if isinstance(target, Access)]
        return tuple({(access.array, access.type.scalar): access for access in accesses}.values())


Entry = Union[StatementDomain, Branches]


def is_copy(entry: Entry) -> bool:
    """Return whether a statement hands a register on, as ``a ? b : c`` does with its choice."""
    return not isinstance(entry, Branches) and isinstance(entry.node.value, Register)


def entries_of(statements: list[StatementDomain], depth: int) -> list[Entry]:
    """Return the tree of statements, loops and conditionals from schedules: index, iteration or branch, index, ..."""
    found: list[Entry] = []
    for _, group in groupby(statements, key=lambda statement: statement.schedule[depth]):
        members = list(group)
        if len(members[0].schedule) == depth + 1:
            found.extend(members)
            continue
        bodies: dict[int, list[Entry]] = {}
        jumps = 0
        for step, branch in groupby(members, key=lambda statement: statement.schedule[depth + 1]):
            jumps, number = divmod(step, BRANCHES) if isinstance(step, int) else (0, 0)
            bodies[number] = entries_of(list(branch), depth + 2)
        outside = sum(isinstance(step, Iteration) for step in members[0].schedule[:depth])
        is_loop = isinstance(members[0].schedule[depth + 1], Iteration)
        found.append(Branches(members[0].loops[outside] if is_loop else None, members, bodies, Jumps(jumps)))
    return found
