"""Which product an addition or subtraction takes in, as an FMA; it depends on the compiler.

``value graph -> {sum: product}``, over nodes of :mod:`analyzer.counts.dataflow.graph`, through negations.  Products are
of the same type.

* *clang* copies a product into every sum that needs it, and computes it beside where something else needs it (LLVM's
  ``enableAggressiveFMAFusion``, which NVPTX sets).  Of two products a sum takes the one with fewer users.  One from
  outside its loop is taken only if all that use it do, so that it is gone there.
  It unrolls loops of many iterations, by 8, 4 or 2 (``UnrollRuntime``; ``PartialThreshold`` of NVPTX is 75), so that a
  sum takes in the product of the iteration before, too, in all but one of these.
* *nvcc* contracts twice.  Its LLVM (``NVPTXISelLowering.cpp``: ``PerformADDCombineWithOperands``), from the last sum
  to the first, copies a product that at most four additions use and nothing else; subtractions take in what they alone
  use.  Of two products an addition looks first at the one with the lower rank (``Reassociate.cpp``:
  ``canonicalizeOperands``): loads and quotients have theirs in the order of the program, others one more than the
  highest of their operands.  One that has taken in a product uses the other as a number from then on.  What is left
  goes to ptxas, which copies a product of which all users are sums, however many and in whatever blocks or loops; of
  two such products a sum takes the one with fewer users.  LLVM copies none that another block uses.  Where no addition
  takes it in, twice a number is the number added to itself (``DAGCombiner.cpp``: ``visitFMUL``), of a product one
  operation fused with the product, which stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from ..domains.domain import StatementDomain
from ..ir.types import ScalarType, TypeClass
from ..ir.values import SUMS, Access, Apply, Load, Operation, Register, is_atomic, walk_values
from .dataflow.folding import Node, number_of
from .dataflow.graph import ValueGraph
from .dataflow.uses import Users, is_negated
from .policy import Compiler

_MOST_COPIES = 4  # users of a product that nvcc's LLVM copies, see above
_MOST_UNROLLED = 75  # instructions of a loop that LLVM unrolls: PartialThreshold, see above
_DOUBLED = frozenset({ScalarType.FP32, ScalarType.FP64})
_RANKS_OF_BLOCK = 1 << 16  # Reassociate.cpp: BuildRankMap
_RANKS_OF = {None: 0, Operation.NEG: 0, Operation.CALL: 10}  # of functions their instructions: expf has nine in a row
_AROUND = 3  # of an iteration that is unrolled: the counter and addresses
Moved = Mapping[Node, StatementDomain]


def taken_products(order: Sequence[Node], users: Users, moved: Moved, compiler: Compiler) -> Mapping[Node, Node]:
    """Return the product that each sum takes in; ``order`` has users before their operands."""
    sums = [node for node in order if products_of(node)]
    if compiler is Compiler.CLANG:
        found = ((node, _taken_by_clang(node, products_of(node), users)) for node in sums)
        return {node: product for node, product in found if product is not None}
    taken: dict[Node, Node] = {}
    doubled = {node: product for node in order if (product := _doubled(node, users)) and _is_near(product, node, moved)}
    kept = set(doubled.values())
    sums += doubled
    sums.sort(key=lambda node: -node.number)
    ranks = _ranks(order)
    for is_free in (_is_free_for_llvm, _is_free_for_ptxas):
        for node in sums:
            if node in doubled and node not in taken.values():
                taken[node] = doubled[node]
            products = [each for each in products_of(node) if each not in taken and each not in kept]
            if node.operation is Operation.SUB:
                products = [each for each in products if each not in doubled]
            if is_free is _is_free_for_ptxas:
                products = [each for each in products if not _is_double(each)]
            if node.operation is Operation.ADD:
                products = sorted(products, key=ranks.__getitem__)
            uses = {
                product: _uses(product, product, users, taken)
                for product in products
                if node not in taken and _is_once(node, products, product)
            }
            if is_free is _is_free_for_llvm:
                uses = {product: users for product, users in uses.items() if _all_near(product, (node, *users), moved)}
            free = [product for product in uses if is_free(node, product, uses[product], taken)]
            if free:
                taken[node] = min(free, key=lambda product: len(uses[product]) if is_free is _is_free_for_ptxas else 0)
    return taken


def carried_products(
    graph: ValueGraph, users: Users, fused: Mapping[Node, Node], statements: Sequence[StatementDomain]
) -> Iterator[tuple[Node, Fraction]]:
    """Yield sums that take in a product of the iteration before, which stays, and in which share of the iterations."""
    for leaf, sources in graph.carried.items():
        found = [product for source in sources if (product := product_of(source)) and product.depth == leaf.depth]
        if len(found) != 1 or not _is_kept(found[0], graph, users, fused):
            continue
        share = _share_unrolled(leaf, statements)
        for user in users.get(leaf, ()):
            if share and user is not None and _is_open(user, fused) and user.depth == leaf.depth:
                yield user, share


def _is_kept(product: Node, graph: ValueGraph, users: Users, fused: Mapping[Node, Node]) -> bool:
    """Return whether something needs a product but sums that take it in, and the next iteration."""
    return product in graph.stored or any(
        user is not None and fused.get(user) is not product for user in users.get(product, ())
    )


def _is_open(node: Node, fused: Mapping[Node, Node]) -> bool:
    return node.operation in SUMS and is_real(node) and node not in fused


def _share_unrolled(leaf: Node, statements: Sequence[StatementDomain]) -> Fraction:
    """Return the share of iterations of a loop that follow another one in the same block."""
    loop = leaf.statement.loops[leaf.depth - 1]
    inside = [each for each in statements if loop in each.loops]
    if loop.unroll == 1 or any(len(each.loops) > leaf.depth for each in inside):
        return Fraction(0)
    parts = (part for each in inside for part in walk_values(each.node.value))
    size = sum(isinstance(part, Apply | Load) for part in parts) + sum(
        isinstance(each.node.target, Access) for each in inside
    )
    times = next((times for times in (8, 4, 2) if (size + _AROUND) * times <= _MOST_UNROLLED), 1)
    return 1 - Fraction(1, times)


def product_of(node: Node) -> Node | None:
    """Return the product that a value is, but for its sign."""
    while node.operation is Operation.NEG:
        (node,) = node.operands
    return node if node.operation is Operation.MUL and is_real(node) else None


def products_of(node: Node) -> Sequence[Node]:
    """Return products that a sum may take in."""
    if node.operation not in SUMS or not is_real(node):
        return ()
    products = [product_of(operand) for operand in node.operands]
    return [product for product in products if product is not None and product.value.type == node.value.type]


def is_real(node: Node) -> bool:
    """Return whether a value is a number that arithmetic instructions make."""
    takes_part = isinstance(node.value, Apply) and is_atomic(node.value.function)
    return node.value.type.scalar.type_class is TypeClass.FLOAT and not takes_part


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


def _ranks(order: Sequence[Node]) -> Mapping[Node, int]:
    """Return the rank of each value, as LLVM's ``ReassociatePass::getRank``; ``order`` has operands last.

    Those of a block are above those of the blocks before it.
    """
    fixed = sorted((node for node in order if _has_own_rank(node)), key=lambda node: node.number)
    ranks: dict[Node, int] = {}
    rank, block = 0, None
    for node in fixed:
        here = node.depth, node.statement.schedule[:-1]
        rank = (rank // _RANKS_OF_BLOCK + 1) * _RANKS_OF_BLOCK if here != block else rank
        rank, block = rank + 1, here
        ranks[node] = rank
    for node in reversed(order):
        if node not in ranks:
            highest = max((ranks.get(operand, 0) for operand in node.operands), default=0)
            ranks[node] = highest + _RANKS_OF.get(node.operation, 1)
    return ranks


def _has_own_rank(node: Node) -> bool:
    """Return whether an instruction depends on more than its operands: phi functions, loads, quotients."""
    is_phi = isinstance(node.value, Register) and node.value.type.scalar is ScalarType.UNKNOWN
    return is_phi or isinstance(node.value, Load) or node.operation is Operation.DIV


def _is_once(node: Node, products: Sequence[Node], product: Node) -> bool:
    """Return whether a sum uses a product once, or adds it to itself: that is a fused operation on the product."""
    return products.count(product) == 1 or node.operation is Operation.ADD


def _is_double(product: Node) -> bool:
    """Return whether nvcc's LLVM makes a sum of a product that it left over: ``x + x`` of ``x * 2``."""
    return product.value.type.scalar in _DOUBLED and any(number_of(operand) == 2 for operand in product.operands)


def _doubled(node: Node, users: Users) -> Node | None:
    """Return the product that a product with 2 doubles, if few additions at the most use it besides.

    A product with -2, which has the sign of what uses it, doubles none.
    """
    factors = [operand for operand in node.operands if number_of(operand) != 2]
    if node.operation is not Operation.MUL or len(factors) != 1 or node.value.type.scalar not in _DOUBLED:
        return None
    (factor,) = factors
    if product_of(factor) is not factor or is_negated(node, users):
        return None
    others = [user for user in users[factor] if user is not node]
    if others and any(user is not None and user.operation in SUMS for user in users[node]):
        return None
    are_few = len(others) <= _MOST_COPIES - 2  # the sum of the product with itself uses it twice
    return factor if are_few and all(user is not None and user.operation is Operation.ADD for user in others) else None


def _is_near(product: Node, node: Node, moved: Moved) -> bool:
    """Return whether a product is computed where a sum is."""
    if product.depth != node.depth:
        return False
    return node.depth < len(node.statement.loops) or _block(product, moved) == _block(node, moved)


def _all_near(product: Node, users: Sequence[Node | None], moved: Moved) -> bool:
    return all(user is None or _is_near(product, user, moved) for user in users)


def _uses(product: Node, value: Node, users: Users, taken: Mapping[Node, Node]) -> list[Node | None]:
    """Return what uses a product, or its negative, but sums that have taken it in."""
    found: list[Node | None] = []
    for user in users[value]:
        if user is not None and user.operation is Operation.NEG:
            found += _uses(product, user, users, taken)
        elif user is None or taken.get(user) is not product:
            found.append(user)
    return found


def _is_free_for_llvm(node: Node, product: Node, uses: Sequence[Node | None], taken: Mapping[Node, Node]) -> bool:
    if len(uses) == 1:
        return True
    return len(uses) <= _MOST_COPIES and all(
        user is not None and user.operation is Operation.ADD and user not in taken and product in user.operands
        for user in uses
    )


def _is_free_for_ptxas(node: Node, product: Node, uses: Sequence[Node | None], taken: Mapping[Node, Node]) -> bool:
    return all(user is not None and user not in taken and products_of(user).count(product) == 1 for user in uses)


def _block(node: Node, moved: Moved) -> Sequence[object]:
    return moved.get(node, node.statement).schedule[:-1]
