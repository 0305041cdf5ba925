"""Counting a nest with iterators that isl cannot have as dimensions: as numbers in its sets, then summed over.

The iterations of a statement are those of isl's set in the iterators that stay dimensions, as a quasi-polynomial in
the sizes and in the others; the count is its sum over the values of these, the innermost first (:mod:`.terms`).  An
iterator is taken out of the set where a bound or a condition is not affine with it as a dimension: a counter that is
multiplied or divided, a divisor, a factor of another iterator.  A loop of which conditions ask for digits alone is a
factor (:mod:`.digits`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...ir.conditions import leaves, map_condition_indices, map_leaves
from ...ir.index import Atom, BitAnd, FloorDiv, Log, Poly, Power, Root, Sum, TruncDiv, has_blocks, var
from ...ir.nodes import (
    Calls,
    Compare,
    Comparison,
    Condition,
    DataDependent,
    Geometric,
    Loop,
    Strided,
    Truth,
    Uncounted,
    progression,
)
from ...ir.traverse import bounds_of
from ...quantities.chambers import Constraint
from ...quantities.quasipolynomial import NOTHING, Count
from ..formula import FALSE, Formula, Names, NotAffine
from ..isl.budget import Budget
from ..isl.sets import points
from ..limits import OverBudget
from ..ranges import extended, range_of
from .calls import CallSeries, summed_over_calls
from .digits import without_digits
from .magnitudes import Magnitudes
from .over import summed_over
from .path import Doubt, Step
from .terms import Series, series_of
from .tiles import without_tiles

_MOST_TERMS = 1 << 12  # of a sum of known length that is evaluated term by term
_MOST_TERMS_OF_BITS = 128  # of one without another form for any size
_BUDGET = 1_000_000  # of isl's operations, for one set


class _Promoted(Exception):
    """Some iterators cannot be dimensions."""

    def __init__(self, names: frozenset[str]) -> None:
        super().__init__(*sorted(names))
        self.names = names


def count_of(path: Sequence[Step], names: Names, *, optimistic: bool) -> Count | None:
    """Return how often something runs, with conditions on data taken for true or (not ``optimistic``) for false.

    None where there is no short form, or isl's budget is too small.
    """
    if not optimistic and any(isinstance(step, Doubt) for step in path):
        return NOTHING
    promoted = frozenset[str]()
    around = dict(names.iterators)  # loops are numbered without those that are one with others or taken out
    while True:
        nest = _Nest(names, promoted)
        try:
            found = nest.count(path, optimistic=optimistic)
        except _Promoted as more:
            if more.names <= promoted:
                return None
            promoted |= more.names
        except (NotAffine, OverBudget):
            return None
        else:
            return found if all(_is_short(chamber.value, frozenset()) for chamber in found.chambers) else None
        finally:
            names.iterators.update(around)


class PathCounts:
    """How often statements of one region run, each path counted once."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._known: dict[tuple[object, ...], tuple[tuple[Step, ...], Count | None]] = {}

    def of(self, path: Sequence[Step], *, optimistic: bool) -> Count | None:
        """Return what :func:`count_of` does; without conditions on data both sides are one."""
        key = (*map(id, path), optimistic or not any(map(_is_open, path)))
        if key not in self._known:
            self._known[key] = tuple(path), count_of(path, self._names, optimistic=optimistic)
        return self._known[key][1]

    def of_header(self, path: Sequence[Step], *, optimistic: bool) -> Count | None:
        """Return how often the test of the loop at the end of a path runs: once more than its body, each time."""
        body = self.of(path, optimistic=optimistic)
        entries = self.of(path[:-1], optimistic=optimistic)
        return None if body is None or entries is None else body + entries


def _is_open(step: Step) -> bool:
    """Return whether it depends on data, or on what is no formula, whether something inside of a step runs."""
    if isinstance(step, Loop | Doubt):
        return isinstance(step, Doubt)
    return not all(map(_is_formula, leaves(step)))


def _is_formula(leaf: Condition) -> bool:
    """Return whether both sides of a condition are affine where their difference is: nothing cancels in that."""
    if not isinstance(leaf, Compare):
        return isinstance(leaf, Truth)
    common = leaf.left.terms.keys() & leaf.right.terms.keys()
    return common <= {()} and not leaf.left.unknowns() and not leaf.right.unknowns()


def without_formulas(path: Sequence[Step]) -> tuple[Step, ...]:
    """Return a path with the conditions on bits and on quotients by counters as ones on data: no formula says when."""
    return tuple(step if isinstance(step, Loop | Doubt) else map_leaves(step, _without_formula) for step in path)


def _without_formula(leaf: Condition) -> Condition:
    atoms = () if not isinstance(leaf, Compare) else [*leaf.left.nested_atoms(), *leaf.right.nested_atoms()]
    has_none = any(
        isinstance(atom, BitAnd) or (isinstance(atom, FloorDiv | TruncDiv) and atom.denominator.constant is None)
        for atom in atoms
    )
    return DataDependent(str(leaf)) if has_none else leaf


def path_to(path: Sequence[Step], depth: int) -> tuple[Step, ...]:
    """Return what encloses the loop below ``depth`` others."""
    loops = [number for number, step in enumerate(path) if isinstance(step, Loop)]
    return tuple(path[: loops[depth]])


def enclosing_counts(path: Sequence[Step], depth: int, names: Names) -> tuple[Count, Count] | None:
    """Return how many iterations of the ``depth`` outer loops reach something inside: at least and at most.

    At least those in which the first iteration of each loop below does.
    """
    around = path_to(path, depth)
    below = path[len(around) :]
    first = below[0]
    assert isinstance(first, Loop)
    runs = first_test(first)
    if runs is None:
        return None
    most = count_of((*around, runs), names, optimistic=True)
    conditions: list[Step] = []
    starts: dict[str, Poly] = {}
    for step in below:
        if isinstance(step, Doubt):
            conditions.append(step)
        elif isinstance(step, Loop):
            test = first_test(step)
            if test is None:
                return None
            conditions.append(_at(test, starts))
            starts[step.iterator] = _start(step).substitute(starts)
        else:
            conditions.append(_at(step, starts))
    least = most if len(below) == 1 else count_of((*around, *conditions), names, optimistic=False)
    return None if least is None or most is None else (least, most)


def first_test(loop: Loop) -> Condition | None:
    """Return the condition that a loop has an iteration; None where its bounds do not tell."""
    match loop.range:
        case Uncounted():
            return None
        case Strided(start, stop, step):
            return Compare(Comparison.LT if step > 0 else Comparison.GT, start, stop)
        case Geometric(start, stop, shrinking=shrinking):
            return Compare(Comparison.GT if shrinking else Comparison.LT, start, stop)


def _start(loop: Loop) -> Poly:
    assert not isinstance(loop.range, Uncounted)
    return loop.range.start


def _at(condition: Condition, values: dict[str, Poly]) -> Condition:
    return map_condition_indices(condition, lambda index: index.substitute(values))


class _Nest:
    """The set of one attempt: its constraints, the loops that are dimensions, and the series of the others."""

    def __init__(self, names: Names, promoted: frozenset[str]) -> None:
        self._names = names
        self._promoted = promoted
        self._loops: list[Loop] = []
        self._strided: list[int] = []
        self._series: list[Series | CallSeries] = []
        self._formula = Formula(names, frozenset())
        self._hidden: dict[str, frozenset[str]] = {}
        self._constraints: list[str] = []
        self._depth = 0
        self._known = Magnitudes(())

    def count(self, path: Sequence[Step], *, optimistic: bool) -> Count:
        """Return the count; raises ``_Promoted``, ``NotAffine`` and ``OverBudget``."""
        self._known = Magnitudes((step for step in path if isinstance(step, Loop)), self._names.launches)
        steps, digits = without_digits(without_tiles(path), self._known)
        for step in steps:
            if isinstance(step, Loop):
                self._enter(step)
                self._depth += 1
            elif not isinstance(step, Doubt):
                self._test(step, optimistic=optimistic)
        body = self._formula.close(self._constraints)
        dims = ", ".join(self._names.iterator(loop.iterator) for loop in self._loops)
        with Budget(_BUDGET):
            found = points(f"{self._names.parameters_in(body)} -> {{ [{dims}] : {body} }}")
        count = found.without_determined(self._strided).count(self._names.meaning)
        for loop in digits:
            self._check_factor(loop.number)
            count = loop.times(count)
        for series in reversed(self._series):
            count = summed_over(count, series) if isinstance(series, Series) else summed_over_calls(count, series)
        return count

    def _enter(self, loop: Loop) -> None:
        is_series = loop.iterator in self._promoted or (
            isinstance(loop.range, Geometric) and progression(loop.range) is None
        )
        if isinstance(loop.range, Uncounted) and loop.range.calls is not None:
            self._enter_calls(loop.iterator, loop.range.calls)
            return
        if is_series:
            self._enter_series(loop)
            return
        self._names.enter(loop.iterator, self._depth)
        name = self._names.iterator(loop.iterator)
        if isinstance(loop.range, Strided):
            if loop.range.step == 1 and _has_root_of(loop.range.stop, self._formula.scope):
                raise _Promoted(frozenset((loop.iterator,)))
            for bound in (loop.range.start, loop.range.stop):
                self._affine(bound)
            if abs(loop.range.step) > 1:
                self._strided.append(len(self._loops))
        elif isinstance(loop.range, Uncounted) and self._loops:
            raise NotAffine(loop.iterator)
        self._formula = extended(self._formula, loop)
        self._constraints.append(range_of(loop, name, self._formula)[0])
        self._loops.append(loop)

    def _enter_series(self, loop: Loop) -> None:
        doubled = {outer.iterator for outer in self._loops if isinstance(outer.range, Geometric)}
        for bound in bounds_of(loop.range):
            for name in bound.names() & self._hidden.keys():
                raise _Promoted(self._hidden[name])
            if bound.names() & doubled:
                raise _Promoted(bound.names() & doubled)
        one = series_of(loop, self._depth, self._loops, self._known)
        self._series.append(one)
        if not one.is_iterator:
            self._formula.scope |= {loop.iterator}
            self._formula.uncountable |= {loop.iterator}
            assert isinstance(loop.range, Geometric)
            inside = (loop.range.start.names() | loop.range.stop.names()) & self._dimensions()
            self._hidden[loop.iterator] = inside
        least = [item.expression for item in one.holds if _is_positive(item, one.parameter)]
        if least:
            self._formula.nonnegative |= {one.parameter}
        self._constraints += [f"{self._affine(expression)} >= 0" for expression in (*one.running, *least)]

    def _enter_calls(self, iterator: str, calls: Calls) -> None:
        if not calls.start.names().isdisjoint(self._dimensions() | self._hidden.keys()):
            raise NotAffine(iterator)
        self._series.append(CallSeries(iterator, calls))
        self._formula.nonnegative |= {iterator}
        self._constraints.append(f"{self._affine(var(iterator))} >= 0")

    def _check_factor(self, number: Poly) -> None:
        """Raise ``_Promoted`` where a factor of the count depends on iterators that are dimensions."""
        inside = number.names() & self._dimensions()
        hidden = frozenset(name for each in number.names() & self._hidden.keys() for name in self._hidden[each])
        if inside | hidden:
            raise _Promoted(inside | hidden)

    def _dimensions(self) -> frozenset[str]:
        return frozenset(loop.iterator for loop in self._loops)

    def _test(self, condition: Condition, *, optimistic: bool) -> None:
        for leaf in leaves(condition):
            if isinstance(leaf, Compare) and not (leaf.left.unknowns() or leaf.right.unknowns()):
                self._affine(leaf.left - leaf.right)
        text = self._formula.condition(condition, optimistic=optimistic)
        if text == FALSE:
            self._constraints.append(FALSE)
        else:
            self._constraints.append(text)

    def _affine(self, poly: Poly) -> str:
        """Return isl's text of an expression; raises ``_Promoted`` where iterators have to be taken out for that."""
        try:
            return self._formula.affine(poly)
        except NotAffine:
            names = frozenset(self._culprits(poly))
            if not names or poly.unknowns():
                raise
            raise _Promoted(names) from None

    def _culprits(self, poly: Poly) -> Iterator[str]:
        """Yield the iterators that cannot be dimensions in an expression."""
        dimensions = self._dimensions()
        order = [loop.iterator for loop in self._loops]
        for monomial in poly.terms:
            inside = [atom for atom in monomial if not _names_of(atom).isdisjoint(dimensions)]
            hidden = [name for atom in monomial for name in _names_of(atom) & self._hidden.keys()]
            for name in hidden:
                yield from self._hidden[name]
            if len(inside) > 1:
                involved = {name for atom in inside for name in _names_of(atom) & dimensions}
                yield min(involved, key=order.index)
            for atom in inside:
                if isinstance(atom, FloorDiv | TruncDiv) and atom.denominator.constant:
                    yield from self._culprits(atom.numerator)
                elif not isinstance(atom, str):
                    yield from _names_of(atom) & dimensions


def _names_of(atom: Atom) -> frozenset[str]:
    return Poly({(atom,): 1}).names()


def _has_root_of(stop: Poly, dimensions: frozenset[str]) -> bool:
    """Return whether a bound is a square root that depends on other iterators."""
    return any(isinstance(atom, Root) and not _names_of(atom).isdisjoint(dimensions) for atom in stop.atoms())


def _is_positive(item: Constraint, parameter: str) -> bool:
    """Return whether a constraint says that a parameter is at least a number that is not negative."""
    least = (var(parameter) - item.expression).constant
    return least is not None and least >= 0


def _is_short(poly: Poly, bound: frozenset[str], around: int = 1) -> bool:
    """Return whether all sums have few terms: as many as a logarithm or a root says, or as integers have bits.

    One that is in no other may have many that are alike in blocks (``has_blocks``).  Those of sums inside
    of one another, ``around`` in all, multiply.
    """
    for atom in poly.nested_atoms():
        if isinstance(atom, Sum):
            if not bound and has_blocks(atom.body, atom.index):
                continue
            inside = atom.count.atoms()
            number = atom.count.constant
            is_short = all(_is_small(each, bound) for each in inside)
            terms = around * (number or 1)
            has_bits = any(isinstance(each, BitAnd) for each in atom.body.nested_atoms())
            if terms > (_MOST_TERMS_OF_BITS if has_bits else _MOST_TERMS):
                return False
            if not is_short and not _has_power_of(atom.index, atom.body):
                return False
            if not _is_short(atom.body, bound | {atom.index}, terms):
                return False
    return True


def _is_small(atom: Atom, bound: frozenset[str]) -> bool:
    """Return whether an atom is a logarithm, a root or one of some names, or a part of these."""
    if isinstance(atom, FloorDiv) and (atom.denominator.constant or 0) > 0:
        return all(_is_small(each, bound) for each in atom.numerator.atoms())
    return isinstance(atom, Log | Root) or atom in bound


def _has_power_of(index: str, body: Poly) -> bool:
    """Return whether a number is in an exponent, so that it is no larger than the bits of an integer."""
    return any(isinstance(atom, Power) and index in atom.exponent.names() for atom in body.nested_atoms())
