"""The bound of a stencil whose steps all go back by one layer of a box: what grows from layer to layer, and shrinks.

Operations are points (t, x) of L layers t, each the box D with k sides p_i.  Those behind the first layer read at least
the values of (t - 1, x) and of its neighbours (t - 1, x +- e_i) in D.  A is a part of D, N(A) is A with its neighbours
in D.  Let ``|N(A)|^(1/k) >= |A|^(1/k) + w``; with ``y(a) = a - max(0, a^(1/k) - w)^k`` then N(A) has y(|A|) points more
than A at least, and those points of A all of whose neighbours are in A are y(|A|) fewer than A at least.

A part E of an execution has a_t operations on layer t.  From layer t - 1 to t it reads ``y(a_t) + a_t - a_(t-1)``
values of others at least, and hands ``y(a_t) - a_t + a_(t-1)`` on to others; neither is below 0, so that both are

    f = max(2*y, |u| + y),  u = a_t - a_(t-1),  y = y(a_t).

Let M be the largest a_t, ``s(a) = min(1, 2 - 2*(a/M)^(1/k))`` and F the integral of s from 0.  F is concave, grows by
1 at most, and ``F(M) = M*(2 - (2*k + 2^-k)/(k + 1))``.

* ``f >= 2*y - (F(a_t) - F(a_t - y)) + |F(a_t) - F(a_(t-1))|``: where ``|u| <= y`` the last difference is not above that
  before it, and it grows by 1 at most for each element of u beyond y.
* With ``v = max(0, a_t^(1/k) - w)`` it is ``a_t - y = v^k`` and ``y >= k*w*v^(k-1)``, so that
  ``2*y - (F(a_t) - F(v^k)) >= y*max(1, 2*v/M^(1/k)) >= max(y, q*(a_t - y)) >= a_t*q/(1 + q)``, q = 2*k*w/M^(1/k).
* F(a_t) goes up to F(M) and down again: its changes sum to ``2*F(M) - a_1 - a_L`` at least.

So E with m operations behind the first layer reads of others and hands on to others, whatever M is,

    X(m) - a_1 - a_L,  X(m) = min over M of 2*F(M) + m*q/(1 + q).

A cache holds S of these before and S after: each part of m operations but the last loads and stores ``X(m) - 2*S``
values, less |D| for all a_1 and |D| for all a_L.  Of many that is ``2*k*w*(F(M)/M)^(1/k)/S^(1/k)`` for each operation.
Values of the last layer are not among these.

There are two ways to w.

*Outwards*: N(A) is in all of Z^k.  Points outside of D that are next to A are one for each point of A at an end of D:
``2*|D|/p_i`` for each i in each layer, once for what is read and once for what is handed on.  For k = 2 see *In the
plane*; else N(A) with these is the sum of A and 2*k + 1 vectors, hence ``w^k = (k + 1)/k!`` (Gardner, Gronchi,
Transactions of the AMS 353, 2001).

*In the plane*: ``w^2 = 2``, as of large discs of the distance ``|x| + |y|``, which are best (Wang, Wang, *Discrete
isoperimetric problems*, SIAM J. Appl. Math. 32, 1977).  Let A have b points whose coordinates have an even sum and c
others, b >= c.  Neighbours of the even ones are odd: the sum of two squares of two points with them, along x + y and
along x - y, which has ``(b^(1/2) + 1)^2`` points at least; and the other way round.  So

    |N(A)| >= max(c, (b^(1/2) + 1)^2) + max(b, (c^(1/2) + 1)^2) >= a + 2 + 2*(2*a - 1)^(1/2),

the least of it where ``c = (b^(1/2) - 1)^2``.  Points of A all of whose neighbours are in A are, if any, fewer than A
by ``2*(2*a - 1)^(1/2) - 2`` at least; for a < 5 there are none.  That is less than the y of this w, by d at most, which
takes 2*d at most from the left side of the inequality with q.  The product that it rests on is ``w^2`` above
``k*w*v^(k-1)``, so that the left side exceeds ``a_t*q/(1 + q)`` by ``2/(1 + q)``: more than 2*d for a > 5, where
``d < 0.3`` and ``q <= 4*(2/a)^(1/2)``, and for a = 5, where F grows by 1 and d = 0.33 is taken once.

*In the box*: move A in each line along an axis to its lower end, axis by axis, as long as anything moves.  N(A) does
not grow by that: in each line it becomes the larger one of A there with one point more and of A in the lines beside,
which it was at least before.  Then all points below one of A are in A.  Where no line is full N(A) is the sum of A with
0 and the e_i: ``w^k = 1/k!`` by the same theorem.  For k = 1 that holds as long as ``a < p``.  For k = 2 let p be the
shorter side and ``a <= (p - 1)^2/2``, so that ``sqrt(2*a) + 1/2 < p``, and p new points are enough.  Where lines along
one axis are full, but none along the other one, each of those along the other one has a new point.  Where there are
both, the points U that are not in A, u of them, are a staircase in the opposite corner.  Those next to A, z of them,
are an end of each of its rows and columns, of which c are ends of both; a staircase with c such corners lacks
``c*(c - 1)/2`` points of its rectangle, and that has ``((z + c)/2)^2`` at most; c is at most z, hence
``u <= z*(z + 1)/2``.  As u is more than ``p^2/2 + p - 1``, z is p at least.  With M above ``(p - 1)^2/2`` (k = 1:
p - 1) what |u| alone sums to is twice as much.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import factorial, inf, prod

from msgspec import Struct

from ..ir.index import Number
from ..quantities.quasipolynomial import Count

_SHARES = (0.6, 0.7, 0.85, 1, 1.2, 1.5, 2)  # of the part of an execution that is the best one of large stencils
_HALVINGS = 200  # of an interval, for a least value and for an argument
_ROUNDING = 1e-9  # far more than what floating-point powers lose


class Layers(Struct, frozen=True):
    """Layers of a stencil: how many, the sides of each, and how many operations read along each step of a star.

    ``along`` are those of both directions of each side.  ``last`` of the operations that hand on their values make the
    last value of an element.
    """

    levels: Count
    sides: tuple[Count, ...]
    center: Count
    along: tuple[tuple[Count, Count], ...]
    last: Count

    @property
    def counts(self) -> tuple[Count, ...]:
        """Return all of these."""
        return (self.levels, *self.sides, self.center, *(each for both in self.along for each in both), self.last)

    @property
    def coefficient(self) -> float:
        """Return the factor of ``operations / S^(1/k)`` loads and stores together, for large layers."""
        k = len(self.sides)
        return float(2 * k * _outwards(k) * _share(k) ** (1 / k))

    def moved(self, operations: int, values: Mapping[str, Number], held: int) -> float:
        """Return how many elements are loaded and stored at least, both together, where a cache holds so many."""
        levels, sides = int(self.levels.evaluate(values)), [int(each.evaluate(values)) for each in self.sides]
        if not self._are_full(operations, levels, sides, values):
            return 0.0
        size, inner = prod(sides), (levels - 1) * prod(sides)
        found = [0.0]
        for width, most, lost in _widths(sides):
            for part in _parts(len(sides), width, held, inner):
                crossing = least_crossing(part, len(sides), width, most) - 2 * held
                found.append(inner // part * crossing - (levels - 1) * lost - 2 * size)
        return max(found)

    def _are_full(self, operations: int, levels: int, sides: list[int], values: Mapping[str, Number]) -> bool:
        """Return whether all points of the layers are operations, and read all their neighbours."""
        if levels < 2 or min(sides) < 1 or operations != levels * prod(sides):
            return False
        behind = (levels - 1) * prod(sides)
        return self.center.evaluate(values) == behind and all(
            each.evaluate(values) == behind // side * (side - 1)
            for side, both in zip(sides, self.along, strict=True)
            for each in both
        )


def least_crossing(part: int, k: int, width: float, most: float) -> float:
    """Return X(m): at least so many values go into a part of m operations and out of it, beside its ends.

    ``most`` is the largest M for which the width holds.  What is minimized is convex in M.
    """
    slope, factor = 2 * _share(k), 2 * k * width

    def crossing(largest: float) -> float:
        return float(slope * largest + part * factor / (largest ** (1 / k) + factor))

    low, high = 0.0, min(float(part), most)
    for _ in range(_HALVINGS):
        one, other = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, other) if crossing(one) < crossing(other) else (one, high)
    return min(crossing((low + high) / 2) * (1 - _ROUNDING), 2 * most)


def _widths(sides: list[int]) -> Iterator[tuple[float, float, float]]:
    """Yield each way to w: w, the largest M for it, and what is lost in each layer."""
    k = len(sides)
    yield _outwards(k), inf, 4.0 * sum(prod(sides) // side for side in sides)
    in_box = {1: min(sides) - 1, 2: (min(sides) - 1) ** 2 / 2}.get(k, 0)
    if in_box:
        yield (1 / factorial(k)) ** (1 / k), in_box, 0.0


def _outwards(k: int) -> float:
    return float((2.0 if k == 2 else (k + 1) / factorial(k)) ** (1 / k))


def _share(k: int) -> float:
    """Return F(M)/M."""
    return 2 - (2 * k + 0.5**k) / (k + 1)


def _parts(k: int, width: float, held: int, inner: int) -> Iterator[int]:
    """Yield sizes of a part to try: those about the best one, of which 2*(k + 1)*S values cross, and shares of all."""
    asked = 2 * (k + 1) * max(1, held)
    power = (k + 1) / k
    scale = (k + 1) * 2 * _share(k) * (width / _share(k)) ** (1 / power)
    best = (asked / scale) ** power
    yield from (max(1, int(best * share)) for share in _SHARES)
    yield from (max(1, inner // number) for number in (1, 2, 3, 4, 6, 8))
