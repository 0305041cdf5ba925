"""Signs, magnitudes and clamps in machine code: as modifiers of instructions, in literals, or as instructions.

Input: a node of the value graph and who uses each node.  Output: whether it takes an instruction of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.types import ScalarType
from ..ir.values import SIGNED, SUMS, Apply, Operation
from .contraction import is_real, product_of
from .dataflow.folding import Node, number_of
from .dataflow.graph import ValueGraph
from .dataflow.uses import Users, is_negated
from .operations import ARITHMETIC

MODIFIERS = frozenset({Operation.NEG, Operation.ABS})
_WITH_MODIFIERS = frozenset({Operation.CALL, Operation.SELECT, Operation.MIN, Operation.MAX})
_BITS = ("copysign", "copysignf")  # take the sign of their last operand by bits, which has no modifiers
_CLAMPS = frozenset({"saturate", "__saturatef"})


def is_modifier_of_result(node: Node, users: Users) -> bool:
    """Return whether a clamp to [0, 1] is part of the instruction whose result it clamps, which nothing else uses."""
    if not isinstance(node.value, Apply) or node.value.function not in _CLAMPS:
        return False
    (operand,) = node.operands
    return operand.operation in ARITHMETIC and len(users[operand]) == 1


def is_stored_modifier(node: Node) -> bool:
    """Return whether storing a value takes an instruction for its sign; clang has that of a product for nothing."""
    return node.operation in MODIFIERS and not (node.operation is Operation.NEG and product_of(node) is not None)


def signs_of_chosen(graph: ValueGraph, users: Users) -> Iterator[Node]:
    """Yield negatives and magnitudes that reach registers from branches, and doubles that a selection takes.

    A selection of floats has modifiers, a copy and a selection of both halves of a double have none.
    """
    for node in users:
        if node.operation in MODIFIERS and is_real(node):
            is_double = node.value.type.scalar is ScalarType.FP64
            if node in graph.merged or (
                is_double and any(user is not None and user.operation is Operation.SELECT for user in users[node])
            ):
                yield node


def without_sign(node: Node, users: Users) -> Node:
    """Return the product or quotient of which a value is the negative, if a literal in it takes the sign.

    ``-(x * 3)`` is ``x * -3``, where nothing else uses the product (LLVM's InstCombine, ``foldFNegIntoConstant``).
    """
    return node.operands[0] if node.operation is Operation.NEG and _takes_sign(node.operands[0], users) else node


def _takes_sign(node: Node, users: Users) -> bool:
    if node.operation not in SIGNED or not is_negated(node, users):
        return False
    if node.value.type.scalar is ScalarType.FP64 and number_of(node.operands[0]) == 1:
        return False  # an inverse of doubles, see `folding`
    return has_literal(node) or any(_takes_sign(each, users) for each in node.operands)


def has_literal(node: Node) -> bool:
    """Return whether a number that is known is an operand."""
    return any(number_of(each) is not None for each in node.operands)


def _takes_bits(user: Node, node: Node) -> bool:
    return isinstance(user.value, Apply) and user.value.function in _BITS and user.operands[-1] is node


def is_negated_alone(node: Node, users: Users) -> bool:
    """Return whether nvcc negates a value by an instruction.

    The sign of another number is taken of it, or it is a product and something else than an operation takes it.
    """
    if node.operation is not Operation.NEG:
        return False
    if any(user is not None and _takes_bits(user, node) for user in users[node]):
        return True
    product = product_of(node)
    if product is None:
        return False
    if any(user is not None and user.operation in SIGNED for user in users[node]) and has_literal(product):
        return len(set(users[product])) > 1  # a product of its own, with the other literal
    is_double = node.value.type.scalar is ScalarType.FP64
    return any(
        user is None or (user.operation not in SIGNED | SUMS and (is_double or user.operation not in _WITH_MODIFIERS))
        for user in users[node]
    )
