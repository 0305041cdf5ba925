"""How far apart two references are: the bytes between iterations, the iterations between a store and a load.

Input: accesses whose subscripts are linear in the iterator of a loop (Allen, Kennedy, *Optimizing compilers for modern
architectures*, 2001, chapter 3).  Elements a symbolic distance apart are assumed to be different, and an element that a
varying subscript meets once is taken not to matter.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from math import gcd

from ...ir.index import Poly
from ...ir.values import Access

_FARTHEST = 16  # iterations: a longer dependence leaves room for every vector length of today


def stride_bytes(access: Access, iterator: str, step: int = 1, values: Mapping[str, int] | None = None) -> int | None:
    """Return bytes from the element of one iteration to that of the next.

    None where it is not the same known number, at the ``values`` of sizes where they are given.
    """
    total = stride_of(access, iterator)
    if total is None:
        return None
    size = (total.substitute(values) if values else total).constant
    return None if size is None else size * step


def stride_of(access: Access, iterator: str) -> Poly | None:
    """Return bytes from the element of one number of the iterator to that of the next; None without a formula."""
    total = Poly({})
    for subscript, stride in zip(access.subscripts, access.strides_bytes, strict=True):
        if iterator not in subscript.names():
            continue
        if stride is None or not subscript.is_linear_in(iterator):
            return None
        total = total + subscript.coefficient(iterator) * stride
    return total


def is_indirect(subscript: Poly, iterator: str) -> bool:
    """Return whether the iterations take it from data."""
    return any(iterator in unknown.depends for unknown in subscript.unknowns())


class Distances:
    """Iterations of one loop between stores and loads; equal differences are worked out once."""

    def __init__(self, iterator: str, step: int) -> None:
        self._iterator = iterator
        self._step = step
        self._shapes: dict[Hashable, int] = {}
        self._forms: dict[Access, tuple[int, tuple[int, ...]]] = {}
        self._known: dict[Hashable, int | None] = {}

    def between(self, store: Access, load: Access) -> int | None:
        """Return iterations after the store at which the load meets its element.

        0 also for never, None for undecided.
        """
        (left, first), (right, second) = self._form(store), self._form(load)
        key = (left, right, tuple(one - other for one, other in zip(first, second, strict=False)))
        if key not in self._known:
            self._known[key] = _distance(store, load, self._iterator, self._step)
        return self._known[key]

    def _form(self, access: Access) -> tuple[int, tuple[int, ...]]:
        """Return a number for all but the constants of the subscripts, and these."""
        if access not in self._forms:
            numbers = (subscript.terms.get((), 0) for subscript in access.subscripts)
            constants = tuple(number if isinstance(number, int) else 0 for number in numbers)
            rest = tuple(s - constant for s, constant in zip(access.subscripts, constants, strict=True))
            shape = (rest, access.strides_bytes, access.offset_bytes)
            self._forms[access] = (self._shapes.setdefault(shape, len(self._shapes)), constants)
        return self._forms[access]


def _distance(store: Access, load: Access, iterator: str, step: int) -> int | None:
    """Return iterations after the store at which the load meets its element: 0 also for never, None for undecided."""
    if store.strides_bytes != load.strides_bytes or len(store.subscripts) != len(load.subscripts):
        return None
    if store.offset_bytes != load.offset_bytes:
        first, second = sorted((store, load), key=lambda access: access.offset_bytes)
        return 0 if first.offset_bytes + first.type.size_bytes <= second.offset_bytes else None
    known: int | None = None
    for left, right in zip(store.subscripts, load.subscripts, strict=True):
        if not (left.is_linear_in(iterator) and right.is_linear_in(iterator)):
            return 0 if left == right and not is_indirect(left, iterator) else None
        by, other = left.coefficient(iterator), right.coefficient(iterator)
        apart = (left - by * Poly({(iterator,): 1})) - (right - other * Poly({(iterator,): 1}))
        if by != other:
            if by.terms and other.terms:
                return None
            continue
        if not by.terms:
            if is_never_zero(apart):
                return 0
            continue
        found = _multiple(apart, by * step)
        if found is None or (known is not None and known != found):
            return 0
        known = found
    return known or 0


def is_never_zero(difference: Poly) -> bool:
    """Return whether a difference is not 0 whatever its names are: no multiple of what divides all other terms.

    >>> from analyzer.ir.index import floor_mod, var
    >>> is_never_zero(1 - 2 * floor_mod(var("t"), var("t") * 0 + 2)), is_never_zero(var("t") - 1)
    (True, False)
    """
    constant = difference.terms.get((), 0)
    factors = [number for monomial, number in difference.terms.items() if monomial]
    if not isinstance(constant, int) or not constant:
        return False
    return not factors or (
        all(isinstance(number, int) for number in factors) and constant % gcd(*(int(each) for each in factors)) != 0
    )


def _multiple(whole: Poly, part: Poly) -> int | None:
    """Return how often the part makes the whole, None where that is no small whole number."""
    top, bottom = whole.constant, part.constant
    if top is not None and bottom is not None:
        return top // bottom if top % bottom == 0 else None
    if top == 0 or len(whole.terms) != len(part.terms):
        return 0 if top == 0 else None
    return next((n for n in range(-_FARTHEST, _FARTHEST + 1) if whole == part * n), None)
