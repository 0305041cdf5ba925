"""The statements of a region as a tree of loops and conditionals again, and the conditionals that become selections.

Compilers compute few and cheap operations of a branch in vain rather than jump over them.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import groupby
from typing import Union

from msgspec import Struct

from ...domains.domain import Iteration, StatementDomain
from ...ir.nodes import Loop
from ...ir.values import Access, Apply, Load, Opaque, Operation, Register, Value, walk_values

CONDITIONS = frozenset({Operation.COMPARE, Operation.LOGICAL, Operation.BITWISE})
_CHEAP = frozenset(
    {
        Operation.ADD,
        Operation.SUB,
        Operation.MUL,
        Operation.FMA,
        Operation.NEG,
        Operation.ABS,
        Operation.SELECT,
        Operation.CONVERT,
        Operation.MIN,
        Operation.MAX,
        Operation.COMPARE,
        *CONDITIONS,
        Operation.SHIFT,
    }
)
# Cheap operations of a branch that compilers compute in vain rather than jump over; ``python -m tests.bench.gpu_flops``
# holds the FLOPs that follow against those that profilers counted.
_MOST_SPECULATED = 4
_MOST_BEFORE_A_TEST = 2


class Branches(Struct, frozen=True):
    """A loop (one branch) or a conditional, with the statements in it."""

    loop: Loop | None
    statements: list[StatementDomain]
    bodies: dict[int, list[Entry]]

    def is_selection(self, known: Collection[Access]) -> bool:
        """Return whether it only assigns registers from registers and known elements, by few and cheap operations.

        So may conditionals in it: ``if (x > 1) x = 1; else if (x < -1) x = -1;`` is two selections.
        """
        if self.loop is not None:
            return False
        cost = 0
        for entry in (entry for body in self.bodies.values() for entry in body):
            if isinstance(entry, Branches):
                if not entry.is_selection(known):
                    return False
                continue
            if not isinstance(entry.node.target, Register):
                return False
            parts = list(walk_values(entry.node.value))
            if not all(_is_speculated(part, known) for part in parts):
                return False
            cost += sum(isinstance(part, Apply) for part in parts) + entry.node.index_operations
        return cost <= (_MOST_BEFORE_A_TEST if self._is_test else _MOST_SPECULATED)

    @property
    def _is_test(self) -> bool:
        """Return whether it evaluates what follows ``&&`` or ``||``: what is assigned last is a condition."""
        values = [statement.node.value for statement in self.statements]
        names = [
            statement.node.target.name for statement in self.statements if isinstance(statement.node.target, Register)
        ]
        return (
            names[-1:] != []
            and names[-1].startswith("$")
            and isinstance(values[-1], Apply)
            and values[-1].operation in CONDITIONS
        )

    @property
    def defined(self) -> set[str]:
        """Return the names of the registers that are assigned in it."""
        return {
            statement.node.target.name for statement in self.statements if isinstance(statement.node.target, Register)
        }

    @property
    def stored(self) -> tuple[Access, ...]:
        """Return one store for each array and type."""
        targets = [statement.node.target for statement in self.statements]
        accesses = [target for target in targets if isinstance(target, Access)]
        return tuple({(access.array, access.type.scalar): access for access in accesses}.values())


Entry = Union[StatementDomain, Branches]


def entries_of(statements: list[StatementDomain], depth: int) -> list[Entry]:
    """Return the tree of statements, loops and conditionals from schedules: index, iteration or branch, index, ..."""
    found: list[Entry] = []
    for _, group in groupby(statements, key=lambda statement: statement.schedule[depth]):
        members = list(group)
        if len(members[0].schedule) == depth + 1:
            found.extend(members)
            continue
        bodies = {
            step if isinstance(step, int) else 0: entries_of(list(branch), depth + 2)
            for step, branch in groupby(members, key=lambda statement: statement.schedule[depth + 1])
        }
        outside = sum(isinstance(step, Iteration) for step in members[0].schedule[:depth])
        is_loop = isinstance(members[0].schedule[depth + 1], Iteration)
        found.append(Branches(members[0].loops[outside] if is_loop else None, members, bodies))
    return found


def _is_speculated(part: Value, known: Collection[Access]) -> bool:
    """Return whether a value may be computed in vain."""
    match part:
        case Apply():
            return part.operation in _CHEAP and not part.function.startswith("atomic")
        case Load(access):
            return access in known and not access.atomic
        case _:
            return not isinstance(part, Opaque)
