"""Sums without a closed form: over an index, and over the calls of a recursive function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache

from .blocks import has_blocks, summed_in_blocks
from .compiled import compiled
from .pieces import summed_in_pieces
from .poly import ZERO, Form, Monomial, Number, Poly, TooManyTerms, const, exact

_MOST_SIZES = 1 << 14  # of the calls of a recursive function
_MOST_FEW = 1 << 10  # terms that are evaluated one by one in any case
_MOST_TERMS = 1 << 20  # of a sum that is evaluated term by term, with those of the sums in it: some seconds
_MOST_INTERPRETED = 16  # terms, of which compiling the sum costs more
_MOST_COMPILED = 256  # expressions that stay compiled

_compiled = lru_cache(maxsize=_MOST_COMPILED)(compiled)


class Sum(Form, frozen=True):
    """``body`` summed over ``index = 0, 1, ... count - 1``, where that has no closed form; ``index`` is bound."""

    index: str
    count: Poly
    body: Poly

    @property
    def operands(self) -> tuple[Poly, ...]:
        """Return the number of terms."""
        return (self.count,)

    def names(self) -> frozenset[str]:
        """Return the names in it, without the index."""
        return self.count.names() | (self.body.names() - {self.index})

    def substitute(self, values: Mapping[str, Poly | Number]) -> Poly:
        """Replace names but the index."""
        free = {name: value for name, value in values.items() if name != self.index}
        return sum_of(self.index, self.count.substitute(free), self.body.substitute(free))

    def evaluate(self, values: Mapping[str, Number]) -> Number:
        """Return the sum, piece by piece, block by block or term by term; raises ``TooManyTerms``."""
        number = self.count.evaluate(values)
        if number > _MOST_FEW:
            known = {name: value for name, value in values.items() if name != self.index}
            body = self.body.substitute(known)
            in_pieces = summed_in_pieces(body, self.index, int(number))
            if in_pieces is not None:
                return exact(in_pieces)
            if has_blocks(self.body, self.index):
                with suppress(TooManyTerms):
                    return summed_in_blocks(body, self.index, int(number))
        if self._terms(int(number), values) > _MOST_TERMS:
            hint = f"it has more than {_MOST_TERMS} terms at these sizes"
            raise TooManyTerms(f"{self} is not worked out", hint=hint)
        return self._term_by_term(range(int(number)), values)

    def _terms(self, number: int, values: Mapping[str, Number]) -> int:
        """Return how many terms so many ones have with those of the sums in the last of them."""
        at_last = {**values, self.index: number - 1}
        inner = (form for form in self.body.forms if isinstance(form, Sum) and number > 1)
        return number * (1 + sum(max(0, form._terms(int(form.count.evaluate(at_last)), at_last)) for form in inner))

    def _term_by_term(self, terms: range, values: Mapping[str, Number]) -> Number:
        names = tuple(name for name in sorted(self.body.names()) if name != self.index)
        if len(terms) > _MOST_INTERPRETED and not self.body.unknowns():
            with suppress(ZeroDivisionError):  # where another factor is 0, it is nothing
                at = _compiled(self.body, (self.index, *names))
                known = [values[name] for name in names]
                at(terms[-1], *known)  # the largest: what is too large there is not found term by term
                return exact(sum([at(term, *known) for term in terms]))
        return sum((self.body.evaluate({**values, self.index: term}) for term in terms), 0)

    def __str__(self) -> str:
        """Render as ``sum(floor(n/2^t) for t < floor(log2(n)))``."""
        return f"sum({self.body} for {self.index} < {self.count})"


class Tree(Form, frozen=True):
    """``body`` summed over the sizes of the calls of a recursive function, of which the first has the size ``start``.

    A call of a size makes each of its ``calls`` as often as the first part says, of the size that is the second one.
    """

    index: str
    start: Poly
    calls: tuple[tuple[Poly, Poly], ...]
    body: Poly

    @property
    def operands(self) -> tuple[Poly, ...]:
        """Return the size of the first call."""
        return (self.start,)

    def names(self) -> frozenset[str]:
        """Return the names in it, without the index."""
        bodies = (self.body, *(part for call in self.calls for part in call))
        return self.start.names() | (frozenset().union(*(part.names() for part in bodies)) - {self.index})

    def substitute(self, values: Mapping[str, Poly | Number]) -> Poly:
        """Replace names but the index."""
        free = {name: value for name, value in values.items() if name != self.index}
        calls = tuple((often.substitute(free), size.substitute(free)) for often, size in self.calls)
        return tree_of(self.index, self.start.substitute(free), calls, self.body.substitute(free))

    def evaluate(self, values: Mapping[str, Number]) -> Number:
        """Return the sum over all calls, those of one size at once, the largest first; raises ``TooManyTerms``."""
        waiting: dict[Number, Number] = {self.start.evaluate(values): 1}
        total: Number = 0
        for _ in range(_MOST_SIZES):
            if not waiting:
                return total
            size = max(waiting)
            often, known = waiting.pop(size), {**values, self.index: size}
            total += often * self.body.evaluate(known)
            for times, smaller in self.calls:
                made = often * times.evaluate(known)
                if made:
                    inner = smaller.evaluate(known)
                    if inner >= size:
                        hint = f"a call of size {size} makes one of {inner}"
                        raise TooManyTerms(f"{self} is not worked out", hint=hint)
                    waiting[inner] = waiting.get(inner, 0) + made
        raise TooManyTerms(f"{self} is not worked out", hint=f"its calls have more than {_MOST_SIZES} sizes")

    def __str__(self) -> str:
        """Render as ``sum(m for m in calls from n to 2 of floor(m/2))``."""
        sizes = Counter(str(size) for _, size in self.calls)
        inner = (size if number == 1 else f"{number} of {size}" for size, number in sizes.items())
        return f"sum({self.body} for {self.index} in calls from {self.start} to {', '.join(inner)})"


def sum_of(index: str, count: Poly, body: Poly) -> Poly:
    """Return a sum term by term; as a number where there is nothing else in it and it is not too long."""
    number = count.constant
    if not body.terms or (number is not None and number <= 0):
        return ZERO
    if index not in body.names() and number is not None:
        return body * number
    made = Sum(index, count, body)
    found = Poly({(made,): 1})
    if found.names() or found.unknowns() or number is None:
        return found
    try:
        return const(_value_of(made))
    except TooManyTerms:
        return found


@lru_cache(maxsize=_MOST_COMPILED)
def _value_of(found: Sum) -> Number:
    """Return the value of a sum of numbers; raises ``TooManyTerms``."""
    return found.evaluate({})


def tree_of(index: str, start: Poly, calls: tuple[tuple[Poly, Poly], ...], body: Poly) -> Poly:
    """Return a sum over calls, with what does not depend on the size before it; numbers where there is nothing else."""
    bodies: dict[Monomial, dict[Monomial, Number]] = {}
    for monomial, number in body.terms.items():
        inside = tuple(atom for atom in monomial if index in Poly({(atom,): 1}).names())
        before = tuple(atom for atom in monomial if atom not in inside)
        bodies.setdefault(before, {})[inside] = number
    found = ZERO
    for before, terms in bodies.items():
        tree = Poly({(Tree(index, start, calls, Poly(terms)),): 1})
        found = found + (tree if tree.names() else const(tree.evaluate({}))) * Poly({before: 1})
    return found
