"""Loops over whole periods, so that divisions and remainders of their counters are affine.

``a[t % 2][i]`` and ``b[i / 2]`` are not affine in ``t`` and ``i``.  With two iterations of the loop as one iteration of
a loop of twice the step, and the counter of each written out, they are: ``(2 q + 1) / 2 = q``.  The references are made
in the same order as before.  Where the period is more than :data:`_LONGEST`, it is that of the bounds of loops inside:
addresses may be affine in pieces (``a[(i + 1) % 1000]``), bounds may not (``for (j = i % 2; ...; j += 2)``).  Where
that is too long as well, and on a GPU, loops stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, lcm

from msgspec.structs import replace

from ...ir.index import BitAnd, Extremum, FloorDiv, Power, TruncDiv, const, var
from ...ir.nodes import Compare, Comparison, Guard, Loop, Mapping, Node, Region, Strided
from ...ir.passes.substitute import bind_nodes
from ...ir.traverse import all_nodes, decisive_indices, map_bodies

_LONGEST, _MOST_COPIES = 8, 32  # iterations written out, of one loop and of nested ones: each costs work of its own
_UNROLLED = frozenset({Mapping.SEQUENTIAL, Mapping.SIMD, Mapping.THREADS})


def with_whole_periods(region: Region) -> Region:
    """Return the region with every loop unrolled over the period of the divisions of its counter."""
    return replace(region, body=_nodes(region.body, 1))


def _nodes(nodes: Sequence[Node], copies: int) -> tuple[Node, ...]:
    return tuple(
        _loop(node, copies) if isinstance(node, Loop) else map_bodies(node, lambda body: _nodes(body, copies))
        for node in nodes
    )


def _loop(loop: Loop, copies: int) -> Loop:
    if not isinstance(loop.range, Strided) or loop.mapping not in _UNROLLED or _begins_at_extremum(loop.range):
        return replace(loop, body=_nodes(loop.body, copies))
    range_, step = loop.range, loop.range.step
    last = range_.stop - range_.start
    trips = None if last.constant is None else -(-last.constant // step)
    grows = trips is not None and trips > 1 and copies * trips <= _MOST_COPIES and _is_exponent(loop)
    period = trips if grows and trips is not None else _period(loop, step)
    if period == 1 or copies * period > _MOST_COPIES or (period > _LONGEST and not grows):
        return replace(loop, body=_nodes(loop.body, copies))
    ahead = const(0) if period == trips else var(loop.iterator)
    inside = Comparison.LT if step > 0 else Comparison.GT
    iterations: list[Node] = []
    for number in range(period if trips is None else max(1, min(period, trips))):
        offset = ahead + number * step
        body = bind_nodes((*loop.header, *loop.body), {loop.iterator: range_.start + offset})
        always = trips is not None and trips % period == 0
        if number and not always:
            body = (Guard(Compare(inside, offset, last), body, (), loop.span),)
        iterations.extend(body)
    wide = Strided(const(0), last, step * period)
    return replace(loop, range=wide, header=(), body=_nodes(iterations, copies * period))


def _begins_at_extremum(range_: Strided) -> bool:
    return any(isinstance(atom, Extremum) for monomial in range_.start.terms for atom in monomial)


def _period(loop: Loop, step: int) -> int:
    """Return after how many iterations all divisions of the loop's counter repeat, apart from what grows steadily.

    Those in bounds alone, where it is too long to write out.
    """
    inside = all_nodes((*loop.header, *loop.body))
    found = _repeat([node for node in inside if not isinstance(node, Guard)], loop.iterator, step)
    return (
        found
        if found <= _LONGEST
        else _repeat([node for node in inside if isinstance(node, Loop)], loop.iterator, step)
    )


def _repeat(nodes: Sequence[Node], iterator: str, step: int) -> int:
    """Return after how many steps of an iterator all divisions of it in bounds and addresses of nodes repeat."""
    found = 1
    for atom in (atom for node in nodes for index in decisive_indices(node) for atom in index.nested_atoms()):
        if isinstance(atom, FloorDiv | TruncDiv):
            divisor, factor = atom.denominator.constant, atom.numerator.coefficient(iterator).constant
            if divisor and factor:
                found = lcm(found, abs(divisor) // gcd(divisor, factor * step))
    return found


def _is_exponent(loop: Loop) -> bool:
    """Return whether an address, a bound or a condition in a loop has a power of its counter, or bits of it."""
    indices = (index for node in all_nodes((*loop.header, *loop.body)) for index in decisive_indices(node))
    atoms = (atom for index in indices for atom in index.nested_atoms())
    return any(isinstance(atom, Power | BitAnd) and loop.iterator in atom.names() for atom in atoms)
