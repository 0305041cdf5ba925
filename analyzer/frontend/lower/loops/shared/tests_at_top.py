"""Loops whose tests are the first statements of the body: ``while (!s.empty()) { if (h[s.top()] < x) break; ... }``.

An iteration that these leave is none: they belong to the header, as ``while (!s.empty() && h[s.top()] >= x)`` has them.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from .....ir.nodes import Exit, Guard, Loop, Node, Statement
from .....ir.traverse import all_nodes
from .....ir.values import Register


def is_left_at_top(loop: Loop) -> bool:
    """Return whether only tests at the top of its body leave a loop."""
    _, _, rest = _parts(loop.body)
    return not any(isinstance(node, Exit) for node in all_nodes(rest))


def with_tests_in_header(loop: Loop) -> Loop:
    """Return a loop with the statements of tests at the top of its body in its header."""
    tests, exits, rest = _parts(loop.body)
    return replace(loop, header=(*loop.header, *tests), body=(*exits, *rest)) if exits else loop


def _parts(body: Sequence[Node]) -> tuple[list[Statement], list[Guard], Sequence[Node]]:
    """Return the statements of tests, the exits that follow them, and what is behind the last of these."""
    tests: list[Statement] = []
    exits: list[Guard] = []
    waiting: list[Statement] = []
    end = 0
    for number, node in enumerate(body, 1):
        if isinstance(node, Statement) and isinstance(node.target, Register):
            waiting.append(node)
        elif isinstance(node, Guard) and not node.orelse and len(node.body) == 1 and isinstance(node.body[0], Exit):
            tests, waiting, end = [*tests, *waiting], [], number
            exits.append(node)
        else:
            break
    return tests, exits, body[end:]
