"""Sets of iterations around those of a nest beyond affine ones: a superset and a subset, for what its iterations touch.

The superset has every whole number between the ends of a counter that is multiplied or divided, and leaves out what is
not affine then; an iterator without affine bounds is 0 in it, and no reference may use it.  The subset has the first
iteration of each of these loops.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from ...ir.nodes import Geometric, Loop, Uncounted, progression
from ..formula import FALSE, TRUE, Formula, Names, NotAffine
from ..isl.budget import Budget
from ..isl.sets import Points, points
from ..ranges import extended, range_of
from .nest import first_test
from .path import Doubt, Step

_BUDGET = 1_000_000  # of isl's operations, for one set


class Hull(Struct, frozen=True, eq=False):
    """A superset and a subset of iterations, and what expressions mean in them."""

    upper: Points
    lower: Points
    formula: Formula


def hull_of(path: Sequence[Step], names: Names) -> Hull:
    """Return sets around the iterations of a nest; raises ``OverBudget``."""
    upper, formula = _set(path, names, is_first=False)
    lower, _ = _set(path, names, is_first=True)
    return Hull(upper, lower, formula)


def _set(path: Sequence[Step], names: Names, *, is_first: bool) -> tuple[Points, Formula]:
    formula = Formula(names, frozenset())
    constraints: list[str] = []
    dimensions: list[str] = []
    for step in path:
        match step:
            case Doubt():
                constraints.append(FALSE if is_first else TRUE)
            case Loop():
                names.enter(step.iterator, len(dimensions))
                name = names.iterator(step.iterator)
                dimensions.append(name)
                constraint, formula = _range(step, name, formula, is_first=is_first)
                constraints.append(constraint)
            case _:
                constraints.append(formula.condition(step, optimistic=not is_first))
    body = formula.close(constraints)
    with Budget(_BUDGET):
        return points(f"{names.parameters_in(body)} -> {{ [{', '.join(dimensions)}] : {body} }}"), formula


def _range(loop: Loop, name: str, formula: Formula, *, is_first: bool) -> tuple[str, Formula]:
    """Return the constraint of an iterator, and the formula inside of the loop."""
    try:
        if isinstance(loop.range, Uncounted) and loop.range.calls is not None:
            return _hidden(loop, name, extended(formula, loop), is_first=is_first)
        if not isinstance(loop.range, Geometric) or progression(loop.range) is not None:
            return range_of(loop, name, formula)[0], extended(formula, loop)
        start, stop = formula.affine(loop.range.start), formula.affine(loop.range.stop)
    except NotAffine:
        return _hidden(loop, name, extended(formula, loop), is_first=is_first)
    inside = extended(formula, loop)
    inside = replace(inside, uncountable=inside.uncountable - {loop.iterator})
    first, last = (stop, start) if loop.range.shrinking else (start, stop)
    if is_first:
        return f"{name} = {start} and {first} < {last}", inside
    ends = f"{first} < {name} <= {last}" if loop.range.shrinking else f"{first} <= {name} < {last}"
    return ends, inside


def _hidden(loop: Loop, name: str, inside: Formula, *, is_first: bool) -> tuple[str, Formula]:
    """Return the constraint of an iterator that no reference may use."""
    runs = first_test(loop)
    is_run = inside.condition(runs, optimistic=False) if is_first and runs is not None else FALSE
    inside = replace(inside, uncountable=inside.uncountable | {loop.iterator})
    return f"{name} = 0" + (f" and {is_run}" if is_first else ""), inside
