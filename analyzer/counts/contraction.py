"""Which product an addition or subtraction takes in, as an FMA; it depends on the compiler.

``value graph -> {sum: product}``, over nodes of :mod:`analyzer.counts.dataflow.graph`, through negations.

* *clang* copies a product into every sum that needs it, and computes it beside where something else needs it (LLVM's
  ``enableAggressiveFMAFusion``, which NVPTX sets).  Of two products a sum takes the one with fewer users.  One from
  outside its loop is taken only if all that use it do, so that it is gone there.
* *nvcc* copies a product only where all that use it are sums, in the block in which it is computed, or to which it
  sinks: it is gone there.  Of two such products a sum takes the first, and the other one of a difference is no longer a
  product that others may take, for its sign.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..domains.domain import StatementDomain
from ..ir.types import TypeClass
from ..ir.values import Apply, Operation
from .dataflow.folding import Node
from .dataflow.uses import Users
from .policy import Compiler

_SUMS = frozenset({Operation.ADD, Operation.SUB})
Moved = Mapping[Node, StatementDomain]


def taken_product(node: Node, users: Users, moved: Moved, compiler: Compiler) -> Node | None:
    """Return the product that a sum takes in; None for other nodes."""
    products = products_of(node)
    if compiler is Compiler.CLANG:
        return _taken_by_clang(node, products, users)
    found = [product for product in products if _is_taken_by_nvcc(node, product, users, moved)]
    return found[0] if found else None


def product_of(node: Node) -> Node | None:
    """Return the product that a value is, but for its sign."""
    while node.operation is Operation.NEG:
        (node,) = node.operands
    return node if node.operation is Operation.MUL and is_real(node) else None


def products_of(node: Node) -> Sequence[Node]:
    """Return products that a sum may take in."""
    if node.operation not in _SUMS or not is_real(node):
        return ()
    products = [product_of(operand) for operand in node.operands]
    return [product for product in products if product is not None and product.value.type == node.value.type]


def is_real(node: Node) -> bool:
    """Return whether a value is a number that arithmetic instructions make."""
    is_atomic = isinstance(node.value, Apply) and node.value.function.startswith("atomic")
    return node.value.type.scalar.type_class is TypeClass.FLOAT and not is_atomic


def _taken_by_clang(node: Node, products: Sequence[Node], users: Users) -> Node | None:
    near = [product for product in products if product.depth == node.depth]
    far = [product for product in products if product.depth < node.depth and _is_sunk(product, product, users)]
    return min(near or far, key=lambda product: len(users[product]), default=None)


def _is_sunk(product: Node, value: Node, users: Users) -> bool:
    """Return whether all users of a product, or of its negative, are sums that take it in for want of a nearer one."""
    for user in users[value]:
        if user is None or (user.operation is Operation.NEG and not _is_sunk(product, user, users)):
            return False
        if user.operation is Operation.NEG:
            continue
        if product not in products_of(user) or any(
            other is not product and other.depth == user.depth for other in products_of(user)
        ):
            return False
    return True


def _is_taken_by_nvcc(node: Node, product: Node, users: Users, moved: Moved) -> bool:
    if product.depth != node.depth or not _is_of_sums(product, product, users):
        return False
    if node.depth == len(node.statement.loops) and _block(product, moved) != _block(node, moved):
        return False
    return len(users[product]) == 1 or not _is_left_negative(product, product, users, is_negative=False)


def _is_of_sums(product: Node, value: Node, users: Users) -> bool:
    """Return whether all that use a product, or its negative, are sums."""
    return all(
        user is not None
        and (product in products_of(user) or (user.operation is Operation.NEG and _is_of_sums(product, user, users)))
        for user in users[value]
    )


def _is_left_negative(product: Node, value: Node, users: Users, *, is_negative: bool) -> bool:
    """Return whether a sum that takes in another product leaves the negative of this one."""
    for user in users[value]:
        if user is None:
            continue
        if user.operation is Operation.NEG:
            if _is_left_negative(product, user, users, is_negative=not is_negative):
                return True
            continue
        first, second = (product_of(operand) for operand in user.operands)
        other = second if first is product else first
        is_subtracted = user.operation is Operation.SUB and second is product
        if is_negative != is_subtracted and other is not None and _is_of_sums(other, other, users):
            return True
    return False


def _block(node: Node, moved: Moved) -> Sequence[object]:
    return moved.get(node, node.statement).schedule[:-1]
