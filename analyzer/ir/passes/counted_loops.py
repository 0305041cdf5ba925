"""Loops that start where no affine expression says: they count their iterations, and the body is in terms of the count.

``for i in b*m + t .. (b + 1)*m step 256`` in loops over ``b`` and ``t`` becomes ``for i in 0 .. (m - t + 255)/256``,
with ``b*m + t + 256*i`` in place of ``i``.  A trip count that is not known is then that of the count, and what the body
refers to still depends on the start.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from ..index import ZERO, Atom, FloorDiv, Number, Poly, TruncDiv, floor_div, var
from ..nodes import Loop, Node, Statement, Strided
from ..traverse import map_bodies
from .substitute import bind_nodes


def with_counted_loops(
    nodes: tuple[Node, ...], values: Mapping[str, Number], iterators: frozenset[str] = frozenset()
) -> tuple[Node, ...]:
    """Return the nodes with such loops counted from 0; ``iterators`` are those of the loops around.

    Not those that are affine once the symbols have these values.
    """
    return tuple(_node(node, values, iterators) for node in nodes)


def is_affine(poly: Poly, iterators: frozenset[str]) -> bool:
    """Return whether no iterator is multiplied with anything but a number, nor divides or is divided by a symbol."""
    return all(_is_affine_monomial(monomial, iterators) for monomial in poly.terms)


def _is_affine_monomial(monomial: tuple[Atom, ...], iterators: frozenset[str]) -> bool:
    if len(monomial) > 1:
        return not Poly({monomial: 1}).names() & iterators
    return all(_is_affine_atom(atom, iterators) for atom in monomial)


def _is_affine_atom(atom: Atom, iterators: frozenset[str]) -> bool:
    if isinstance(atom, FloorDiv | TruncDiv) and atom.denominator.constant is None:
        return not (atom.numerator.names() | atom.denominator.names()) & iterators
    return isinstance(atom, str) or all(is_affine(operand, iterators) for operand in atom.operands)


def _node(node: Node, values: Mapping[str, Number], iterators: frozenset[str]) -> Node:
    if not isinstance(node, Loop):
        return map_bodies(node, lambda body: with_counted_loops(body, values, iterators))
    loop = _counted(node, values, iterators)
    return map_bodies(loop, lambda body: with_counted_loops(body, values, iterators | {loop.iterator}))


def _counted(loop: Loop, values: Mapping[str, Number], iterators: frozenset[str]) -> Loop:
    bounds = loop.range
    if not isinstance(bounds, Strided) or (bounds.start == ZERO and bounds.step == 1):
        return loop
    if all(is_affine(bound.substitute(values), iterators) for bound in (bounds.start, bounds.stop)):
        return loop
    forwards = bounds.stop - bounds.start if bounds.step > 0 else bounds.start - bounds.stop
    size = abs(bounds.step)
    terms: Mapping[str, Poly] = {loop.iterator: bounds.start + var(loop.iterator) * bounds.step}
    return replace(
        loop,
        range=Strided(ZERO, forwards if size == 1 else floor_div(forwards + (size - 1), size)),
        header=tuple(node for node in bind_nodes(loop.header, terms) if isinstance(node, Statement)),
        body=bind_nodes(loop.body, terms),
    )
