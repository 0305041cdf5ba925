"""Whether two iterations of a loop can touch one element: an exact question to isl, where formulas are affine.

Each of the two has its own values of the loops inside; what is not affine among bounds and subscripts is left out, as
conditions are, so that the answer errs on the side of an element that both touch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from ..ir.index import Extremum, Poly, var
from ..ir.nodes import Loop, Strided
from .formula import Formula, Names, NotAffine
from .isl.budget import Budget
from .isl.sets import points
from .limits import OverBudget

_OPERATIONS = 50_000  # of isl, for one pair of references
_OTHER = "'"  # marks the iterators of the second iteration


def may_share_element(
    pairs: Sequence[tuple[Poly, Poly]], loop: Loop, inside: Mapping[str, Loop], values: Mapping[str, int]
) -> bool:
    """Return whether two different iterations of a loop can have equal subscripts.

    ``pairs`` are the subscripts of two references, one pair for each dimension; ``inside`` the loops in the loop by
    iterator; ``values`` those of symbols, of which others may have any.  True where that takes too long.
    """
    iterators = _needed(loop, inside, [side for pair in pairs for side in pair])
    copies = {name: f"{name}{_OTHER}" for name in iterators}
    both = [*iterators, *copies.values()]
    formula = Formula(Names({name: f"i{k}" for k, name in enumerate(both)}), frozenset(both))
    name_of = formula.names.iterator
    second = {name: var(copy) for name, copy in copies.items()}
    constraints = [f"{name_of(loop.iterator)} != {name_of(copies[loop.iterator])}"]
    for left, right in pairs:
        constraints += _affine(formula, left - right.substitute(second), "= 0")
    for each in (loop, *(inside[name] for name in iterators if name in inside)):
        constraints += _bounds(formula, each, {})
        constraints += _bounds(formula, each, second)
    for name, meaning in formula.names.meaning.items():
        if meaning.names() <= values.keys():
            constraints.append(f"{name} = {meaning.evaluate(values)}")
    body = formula.close(constraints)
    unknowns = ", ".join(map(name_of, both))
    try:
        with Budget(_OPERATIONS):
            return not points(f"{formula.names.parameters_in(body)} -> {{ [{unknowns}] : {body} }}").is_empty
    except OverBudget:
        return True


def _needed(loop: Loop, inside: Mapping[str, Loop], subscripts: Sequence[Poly]) -> list[str]:
    """Return the loop's iterator and those inside that the subscripts use, or the bounds of these."""
    found = {loop.iterator: None}
    names = [name for subscript in subscripts for name in sorted(subscript.names())]
    while names:
        name = names.pop()
        if name in inside and name not in found:
            found[name] = None
            range_ = inside[name].range
            if isinstance(range_, Strided):
                names += sorted(range_.start.names() | range_.stop.names())
    return list(found)


def _bounds(formula: Formula, loop: Loop, copies: Mapping[str, Poly]) -> Iterator[str]:
    """Yield that an iterator, or its copy, is in the range of its loop."""
    if not isinstance(loop.range, Strided):
        return
    start, stop, step = loop.range.start.substitute(copies), loop.range.stop.substitute(copies), loop.range.step
    iterator = copies.get(loop.iterator, var(loop.iterator))
    name = formula.affine(iterator)
    with suppress(NotAffine):
        yield from (f"{name} {'>=' if step > 0 else '<='} {end}" for end in formula.limits(start, largest=step > 0))
    with suppress(NotAffine):
        yield from (f"{name} {'<' if step > 0 else '>'} {end}" for end in formula.limits(stop, largest=step < 0))
    if abs(step) > 1 and not any(isinstance(atom, Extremum) for atom in start.atoms()):
        yield from _affine(formula, iterator - start, f"mod {abs(step)} = 0")


def _affine(formula: Formula, value: Poly, comparison: str) -> Iterator[str]:
    """Yield isl's text of a comparison, or nothing where the value is not affine."""
    with suppress(NotAffine):
        yield f"({formula.affine(value)}) {comparison}"
