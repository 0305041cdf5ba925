"""Which names of a kernel hold random numbers: arrays that the host filled with them, and what is computed from these.

An index that is computed from one is random too, so that each of the elements behind it is equally likely.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.nodes import Region, Statement
from ...ir.traverse import all_nodes
from ...ir.values import Access, Load, Register, walk_values


def random_names(region: Region) -> frozenset[str]:
    """Return the arrays and registers of a region that hold random numbers; none where the launch has no such array."""
    found = set(() if region.launch is None else region.launch.random_arrays)
    if not found:
        return frozenset()
    statements = [node for node in all_nodes(region.body) if isinstance(node, Statement)]
    for _ in range(2):  # once more for what a loop hands on
        for statement in statements:
            if statement.target is not None and any(name in found for name in _names(statement)):
                found.add(_target(statement.target))
    return frozenset(found)


def is_random(access: Access, names: frozenset[str]) -> bool:
    """Return whether a random number chooses the element that is accessed."""
    atoms = (atom for each in access.subscripts for atom in each.unknowns()) if names else ()
    return any(not names.isdisjoint((atom.array, atom.variable)) for atom in atoms)


def _target(target: Access | Register) -> str:
    return target.name if isinstance(target, Register) else target.array


def _names(statement: Statement) -> Sequence[str]:
    found: list[str] = []
    for node in walk_values(statement.value):
        if isinstance(node, Load):
            found.append(node.access.array)
        elif isinstance(node, Register):
            found.append(node.name)
    return found
