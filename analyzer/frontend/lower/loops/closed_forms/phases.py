"""Counters whose step changes once: ``i -= i > 3 ? 3 : 1``, ``if (i < 3) i++; i++``, and those that follow another one.

On the way from its entry E past a threshold T a counter takes steps of s in the first ``k = max(0, ceil((T - E)/s))``
iterations, and then others: in iteration n it is at ``E + s*min(n, k) + t*max(0, n - k)``.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from .....ir.index import ZERO, Poly, indicated, maximum, minimum, var
from ..bounds import ceil_div


class Phases(Struct, frozen=True, kw_only=True):
    """A counter that moves by ``first`` in so many iterations (``switch``), and by ``then`` in all others.

    It is at ``entry``, in the same direction in both.  ``last`` is the end of the values from which it takes first
    steps, on the way: behind that it takes the others.
    """

    entry: Poly
    first: int
    then: int
    switch: Poly
    last: Poly

    def form(self, count: Poly) -> Poly:
        """Return the value in an iteration, from 0."""
        return (
            self.entry + minimum([count, self.switch]) * self.first + maximum([ZERO, count - self.switch]) * self.then
        )

    def before(self, stop: Poly) -> Poly | None:
        """Return in how many iterations the counter is not yet at a stop, or past it; None where it may not come there.

        >>> from .....ir.index import const
        >>> v, is_above_3 = var("v"), minimum([const(1), maximum([ZERO, var("v") - 3])])
        >>> phases(const(10), v, v - 2 * is_above_3 - 1).before(ZERO).constant  # 10 7 4 1
        4
        """
        if not self.then:
            return None
        sign = 1 if self.first > 0 else -1
        behind = stop - self.entry - self.switch * self.first
        early = maximum([ZERO, ceil_div((stop - self.entry) * sign, abs(self.first))])
        return minimum([self.switch, early]) + maximum([ZERO, ceil_div(behind * sign, abs(self.then))])

    def comes_to(self, stop: Poly) -> bool:
        """Return whether the counter certainly has the value of a stop that is ahead: it comes there by ones."""
        sign = 1 if self.first > 0 else -1
        left = ((stop - self.last) * sign - abs(self.first)).constant
        return abs(self.then) == 1 and left is not None and left >= 0


def phases(entry: Poly, counter: Poly, end: Poly) -> Phases | None:
    """Return the phases of a counter, given the end of one iteration; None of others."""
    ((name,),) = counter.terms
    change = end - counter
    atoms = [atom for atom in change.forms if name in Poly({(atom,): 1}).names()]
    relation = indicated(atoms[0]) if len(atoms) == 1 and not entry.unknowns() else None
    if relation is None or relation[1] != ">":
        return None
    value, ways = relation[0], [_with(change, atoms[0], number).constant for number in (0, 1)]
    slope = value.coefficient(str(name)).constant
    limit = value.substitute({str(name): ZERO})
    if slope not in (1, -1) or value != counter * slope + limit or not all(isinstance(way, int) for way in ways):
        return None
    low, high = (int(way) for way in (ways if slope > 0 else reversed(ways)) if way is not None)
    last_low = -limit if slope > 0 else limit - 1  # the largest value from which it takes the low step
    if low > 0 and high >= 0:
        switch = maximum([ZERO, ceil_div(last_low + 1 - entry, low)])
        return Phases(entry=entry, first=low, then=high, switch=switch, last=last_low)
    if high < 0 and low <= 0:
        switch = maximum([ZERO, ceil_div(entry - last_low, -high)])
        return Phases(entry=entry, first=high, then=low, switch=switch, last=last_low + 1)
    return None


def following(entry: Poly, name: str, end: Poly, forms: Mapping[str, Poly], count: Poly) -> Poly | None:
    """Return the form of a variable that another one catches up with: ``if (v == i) v += 2`` with ``i++``.

    >>> from .....ir.index import const
    >>> v, i, n = var("v"), var("i"), var("n")
    >>> caught = maximum([ZERO, minimum([v - i + 1, i - v + 1])])  # v == i
    >>> str(following(ZERO, "v", v + 2 * caught, {"i": n}, n))
    '2*max(0, floor((n + 1)/2))'
    """
    change = end - var(name)
    for atom in change.forms:
        relation = indicated(atom)
        step = _with(change, atom, 1).constant
        if relation is None or relation[1] != "=" or _with(change, atom, 0) != ZERO or not isinstance(step, int):
            continue
        distance = relation[0] * (1 if relation[0].coefficient(name) == ZERO - 1 else -1)  # of the other from this one
        other = (distance + var(name)).substitute(forms)
        start = other - count
        ahead = (entry - start).constant
        if step > 0 and start.names().isdisjoint({name, *count.names()}) and ahead is not None and ahead >= 0:
            return entry + maximum([ZERO, ceil_div(count - ahead, step)]) * step
    return None


def _with(form: Poly, atom: object, number: int) -> Poly:
    """Return a form where an atom has the value of a number."""
    return form.map_atoms(lambda each: ZERO + number if each == atom else Poly({(each,): 1}))
