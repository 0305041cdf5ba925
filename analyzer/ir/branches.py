"""Names of data-dependent branches: ``prob_L12`` is the probability that the condition in line 12 holds.

The condition is the one that the source writes, without a ``!`` before it; where ``&&`` and ``||`` put several
together, it is all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .conditions import leaves
from .names import is_temporary
from .nodes import Condition, DataDependent, Guard, Not, Region, Statement
from .values import Register
from .walk import walk

PROBABILITY = "prob_L"


def lines_of_conditions(region: Region) -> dict[str, int]:
    """Return the lines in which the registers of conditions are computed, by name."""
    nodes = (visit.node for visit in walk(region))
    return {
        node.target.name: node.span.line
        for node in nodes
        if isinstance(node, Statement) and isinstance(node.target, Register) and is_temporary(node.target.name)
    }


def branch_symbol(condition: Condition, line: int, lines: Mapping[str, int]) -> str:
    """Return the name of a branch at a line, from the line of its condition where that is known."""
    names = (leaf.name for leaf in leaves(condition) if isinstance(leaf, DataDependent))
    return f"{PROBABILITY}{next((lines[name] for name in names if name in lines), line)}"


def is_negated(condition: Condition) -> bool:
    """Return whether the condition of a branch is the opposite of the one that its name means."""
    return isinstance(condition, Not)


def branch_symbols(region: Region) -> Iterator[str]:
    """Yield the names of the data-dependent branches of a region."""
    lines = lines_of_conditions(region)
    for visit in walk(region):
        node = visit.node
        if isinstance(node, Guard) and any(isinstance(leaf, DataDependent) for leaf in leaves(node.condition)):
            yield branch_symbol(node.condition, node.span.line, lines)
