"""Dependences of loops that stand directly inside one another: statements to distance vectors, and what they allow.

A *vector* has for each loop, from the outermost, how many iterations lie between two references to one element of which
one is a store: a number, or None where it is not known.  Of an unknown entry all signs are possible; a dependence goes
from the earlier to the later iteration, so that of a vector and its opposite the one counts whose first sign is
positive.  Subscripts of several iterators, as those of linearised rows of known length, are solved where the ranges
of the loops leave one solution.

An order of the loops is legal where every such vector stays positive in it, and loops may be cut into tiles together
where no entry of theirs is negative (Allen, Kennedy, *Optimizing compilers for modern architectures*, 2001, sections
5.2 and 9.3; Wolf, Lam, *A data locality optimizing algorithm*, PLDI 1991).  Subscripts of linearised rows are assumed
to stay inside their rows, and pointers not to overlap.

These tests hold for all sizes, and need neither these nor exact domains.  :mod:`.coordinates` decides about skewed and
shifted coordinates of nests of known sizes, for which signs say too little, by the exact pairs of iterations of isl.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import product
from typing import Union

from msgspec import Struct

from ..counts.innermost.distance import is_never_zero
from ..domains.access_relations import delinearize
from ..ir.index import Poly, const, var
from ..ir.nodes import Loop, Node, Statement, Strided
from ..ir.traverse import accesses, all_nodes
from ..ir.values import Access

Vector = tuple[Union[int, None], ...]
_MOST_PAIRS = 3000
_MOST_UNKNOWN = 6  # entries of a vector: 3^6 signs


def vectors_between(loops: Sequence[Loop], first: Sequence[Node], second: Sequence[Node]) -> frozenset[Vector] | None:
    """Return how far apart nodes in these loops touch an element: iterations of ``second`` after those of ``first``.

    None where there are too many references.
    """
    inside = frozenset(node.iterator for node in all_nodes((*first, *second)) if isinstance(node, Loop))
    iterators = frozenset({loop.iterator for loop in loops}) | inside
    one, two = list(_references(first)), list(_references(second))
    split = delinearize((access for access, _ in (*one, *two)), iterators)
    steps = _steps((*loops, *first, *second))
    found: set[Vector] = set()
    pairs = [
        (split.get(left, left), split.get(right, right))
        for left, stored in one
        for right, also in two
        if (stored or also) and left.array == right.array
    ]
    if len(pairs) > _MOST_PAIRS:
        return None
    for left, right in dict.fromkeys(pairs):
        vector = _vector(loops, left, right, inside, steps)
        if vector is not None:
            found.add(vector)
    return frozenset(found)


def _references(nodes: Sequence[Node]) -> Iterator[tuple[Access, bool]]:
    for node in all_nodes(nodes):
        if isinstance(node, Statement):
            yield from accesses(node)
        elif isinstance(node, Loop):
            yield from (found for statement in node.header for found in accesses(statement))


class _Steps(Struct, frozen=True):
    """The step of a loop, and the most of them that are between two of its iterations; None where that is not known."""

    each: int
    most: int | None


def _steps(nodes: Sequence[Node]) -> Mapping[str, _Steps]:
    """Return the steps of loops, and of those inside of them, outer ones first."""
    found: dict[str, _Steps] = {}
    ranges: dict[str, tuple[int, int]] = {}
    for node in all_nodes(nodes):
        if isinstance(node, Loop) and isinstance(node.range, Strided) and node.iterator not in found:
            step = node.range.step
            ends = [_ends(bound, ranges) for bound in (node.range.start, node.range.stop)]
            first, last = ends if step > 0 else reversed(ends)
            if first is None or last is None:
                found[node.iterator] = _Steps(step, None)
                continue
            low, high = (first[0], last[1] - 1) if step > 0 else (first[0] + 1, last[1])
            ranges[node.iterator] = low, max(low, high)
            found[node.iterator] = _Steps(step, max(0, high - low) // abs(step))
    return found


def _ends(bound: Poly, ranges: Mapping[str, tuple[int, int]]) -> tuple[int, int] | None:
    """Return the least and the largest value of a bound; None where it is not affine in iterators of known range."""
    low = high = 0
    for monomial, coefficient in bound.terms.items():
        if not isinstance(coefficient, int) or len(monomial) > 1:
            return None
        name = monomial[0] if monomial else None
        if name is not None and (not isinstance(name, str) or name not in ranges):
            return None
        ends = sorted(coefficient * end for end in ((1, 1) if name is None else ranges[name]))
        low, high = low + ends[0], high + ends[1]
    return low, high


def _vector(
    loops: Sequence[Loop], one: Access, other: Access, inside: frozenset[str], steps: Mapping[str, _Steps]
) -> Vector | None:
    """Return the iterations of each loop between two references to one element; None where there is no such element."""
    if one.strides_bytes != other.strides_bytes or len(one.subscripts) != len(other.subscripts):
        return (None,) * len(loops)
    first, second = sorted((one, other), key=lambda access: access.offset_bytes)
    if first.offset_bytes + first.type.size_bytes <= second.offset_bytes:
        return None
    if first.offset_bytes != second.offset_bytes:
        return (None,) * len(loops)
    known: dict[str, int] = {}
    pairs = list(zip(one.subscripts, other.subscripts, strict=True))
    for found in (*(_solved(left, right, steps, inside) for left, right in pairs), _mirrored(pairs, steps, inside)):
        if found is None:
            return None
        for name, distance in found.items():
            if known.setdefault(name, distance) != distance:
                return None
    return tuple(known.get(loop.iterator) for loop in loops)


def _mirrored(
    pairs: Sequence[tuple[Poly, Poly]], steps: Mapping[str, _Steps], inside: frozenset[str]
) -> Mapping[str, int] | None:
    """Return the distances that follow where both subscripts of a loop are what stays the same in all of them.

    ``c[i][j]`` and ``c[j][i]`` in a loop over j are one element where j is i in both.  None where that is never so.
    """
    loops = steps.keys() | inside
    first = dict(_fixed(((left, right) for left, right in pairs), loops))
    second = dict(_fixed(((right, left) for left, right in pairs), loops))
    found: dict[str, int] = {}
    for name in (first.keys() & second.keys() & steps.keys()) - inside:
        apart = (second[name] - first[name]).constant
        if apart is None:
            continue
        if apart % steps[name].each:
            return None
        found[name] = apart // steps[name].each
    return found


def _fixed(pairs: Iterable[tuple[Poly, Poly]], loops: Set[str]) -> Iterator[tuple[str, Poly]]:
    """Yield iterators with the value at which a subscript is one that stays the same."""
    for moving, same in pairs:
        names = moving.names() & loops
        if len(names) == 1 and not same.names() & loops and not (same.unknowns() or moving.unknowns()):
            (name,) = names
            if moving.coefficient(name).constant == 1 and moving.is_linear_in(name):
                yield name, same - (moving - var(name))


def _solved(left: Poly, right: Poly, steps: Mapping[str, _Steps], inside: frozenset[str]) -> Mapping[str, int] | None:
    """Return the distances that equal subscripts give of loops; {} where they tell none, None where never equal."""
    if left.unknowns() or right.unknowns():
        return {}
    names = (left.names() | right.names()) & (steps.keys() | inside)
    if not names:
        return None if is_never_zero(left - right) else {}
    factors = {name: left.coefficient(name) for name in names}
    moving = sum((factor * var(name) for name, factor in factors.items()), const(0))
    apart = (left - moving) - (right - moving)
    uniform = all(right.coefficient(name) == factor and not factor.names() & names for name, factor in factors.items())
    if not uniform or not names <= steps.keys() or apart.names() & names:
        return {}
    (name, *more) = names
    if not more and not apart.terms:
        return {} if name in inside else {name: 0}
    numbers = {name: factor.constant for name, factor in factors.items()}
    constant = apart.constant if apart.terms else 0
    if constant is None or not all(isinstance(number, int) and number for number in numbers.values()):
        return {}
    weighed = [(number * steps[name].each, steps[name].most, name) for name, number in numbers.items() if number]
    found = _only_solution(sorted(weighed, key=lambda each: -abs(each[0])), int(constant))
    return None if found is None else {name: distance for name, distance in found.items() if name not in inside}


def _only_solution(terms: Sequence[tuple[int, int | None, str]], rest: int) -> Mapping[str, int] | None:
    """Return the unknowns of ``sum(factor*unknown) = rest`` that can have one value only; None without a solution.

    A term is a factor (largest first), the most of the absolute value of its unknown, and its name.

    >>> _only_solution([(100, 9, "i"), (1, 100, "j")], 100), _only_solution([(100, 9, "i"), (1, 99, "j")], 100)
    ({}, {'i': 1, 'j': 0})
    >>> _only_solution([(100, 9, "i"), (1, 49, "j")], 101), _only_solution([(100, 9, "i"), (1, 49, "j")], 50)
    ({'i': 1, 'j': 1}, None)
    """
    found: dict[str, int] = {}
    for position, (factor, most, name) in enumerate(terms):
        others = [(abs(each), limit) for each, limit, _ in terms[position + 1 :]]
        if any(limit is None for _, limit in others):
            return found
        span = sum(each * limit for each, limit in others if limit is not None)
        least, largest = -(-(rest - span) // abs(factor)), (rest + span) // abs(factor)
        if most is not None:
            least, largest = max(least, -most), min(largest, most)
        if least > largest:
            return None
        if least < largest:
            return found
        found[name] = least if factor > 0 else -least
        rest -= abs(factor) * least
    return found


def signs(vectors: frozenset[Vector]) -> frozenset[tuple[int, ...]] | None:
    """Return the signs of all dependences, from the earlier iteration to the later; None where there are too many.

    >>> sorted(signs(frozenset({(0, None)}))), sorted(signs(frozenset({(1, -1)})))
    ([(0, 1)], [(1, -1)])
    """
    found: set[tuple[int, ...]] = set()
    for vector in vectors:
        if sum(entry is None for entry in vector) > _MOST_UNKNOWN:
            return None
        for chosen in product(*((-1, 0, 1) if entry is None else (_sign(entry),) for entry in vector)):
            leading = next((sign for sign in chosen if sign), 0)
            if leading:
                found.add(chosen if leading > 0 else tuple(-sign for sign in chosen))
    return frozenset(found)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def allows_order(found: frozenset[tuple[int, ...]], order: Sequence[int]) -> bool:
    """Return whether loops may run in another order: positions of the loops, outermost first.

    >>> allows_order(frozenset({(1, -1)}), (1, 0)), allows_order(frozenset({(0, 1), (1, 1)}), (1, 0))
    (False, True)
    """
    return all(next((sign for position in order if (sign := each[position])), 0) > 0 for each in found)


def allows_tiles(found: frozenset[tuple[int, ...]], first: int, last: int) -> bool:
    """Return whether the loops from one position to another may be cut into tiles together.

    >>> allows_tiles(frozenset({(1, -1)}), 0, 1), allows_tiles(frozenset({(1, 0, -1)}), 1, 2)
    (False, True)
    """
    return all(any(each[:first]) or min(each[first : last + 1]) >= 0 for each in found)


def allows_split(vectors: frozenset[Vector]) -> bool:
    """Return whether all iterations of one part may run before those of the next: none of it needs a later one.

    Vectors are those from the first part to the second.

    >>> allows_split(frozenset({(0, 1)})), allows_split(frozenset({(0, None)}))
    (True, False)
    """
    for vector in vectors:
        leading = next((entry for entry in vector if entry != 0), 0)
        if leading is None or leading < 0:
            return False
    return True
