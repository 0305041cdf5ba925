"""How good it could be, as text: the intensities of a level, and the derivation of the bound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import assert_never

from analyzer.bounds.results import Argument, BoundTerm, LiveTerm, LowerBound, SurfaceTerm
from analyzer.ir.index import Number

from ..machine.units import format_bytes, format_rate
from ..model.best import BestIntensity
from .transformed import step_text

_DIGITS = 3
_NEAR = 1.005  # shown with three digits it is the same
_LARGE_SIZE, _LARGE_CACHE_BYTES = 10**7, 1 << 20  # for which a formula holds: others add less than a percent


def best_text(found: BestIntensity) -> str:
    """Return the intensity now, after the transformation found, and in any order at most."""
    parts = [f"{found.now:.{_DIGITS}g} FLOP/byte now"]
    if found.reached is not None and found.reached > _NEAR * found.now:
        parts.append(f"{found.reached:.{_DIGITS}g} if you {', then '.join(map(step_text, found.steps))}")
    if found.most is None:
        parts.append("what any order of the operations has to move is not known")
    elif found.most <= _NEAR * found.now:
        parts.append("which no order of the operations is above")
    else:
        parts.append(f"at most {found.most:.{_DIGITS}g} in any order of the operations")
    return f"{', '.join(parts)} (bytes of {found.level})"


def best_formula(bound: LowerBound) -> str:
    """Return what is loaded for large sizes by the terms that add up to most; "" where first uses are more."""
    sizes: Mapping[str, Number] = dict.fromkeys(bound.symbols, _LARGE_SIZE)
    terms = bound.best(sizes, _LARGE_CACHE_BYTES)
    if not terms or 2 * sum(term.load_bytes(sizes, _LARGE_CACHE_BYTES) for term in terms) < bound.load_bytes(
        sizes, _LARGE_CACHE_BYTES
    ):
        return ""
    formula = " + ".join(map(formula_of, terms))
    moved = [moved_formula(term) for term in terms if isinstance(term, SurfaceTerm)]
    if moved:
        return (
            f"at least {moved[0]} elements are loaded into a cache of S and stored in any order of the operations, "
            f"{formula} of them loaded"
        )
    return f"at least {formula} elements are loaded into a cache of S in any order of the operations"


def derivation_of_best(bound: LowerBound, levels: tuple[BestIntensity, ...]) -> Iterator[str]:
    """Yield how the bound follows: what a part of the execution needs, how much it can do, and what is loaded."""
    for number, term in enumerate(bound.terms, 1):
        yield from _term(number, term)
    for live in bound.live:
        yield from _live(live)
    for surface in bound.surfaces:
        yield from _surface(surface)
    if bound.terms:
        sums = [" + ".join(f"({number + 1})" for number in chosen) for chosen in bound.sums if len(chosen) > 1]
        most = f"; {sums[-1]} count different loads and add up" if sums else ""
        yield f"the bound is the largest of these and of the first uses, with those of other arrays{most}"
    elif not bound.live and not bound.surfaces:
        yield "no reuse limits it: every element is loaded and stored once"
    for level in levels:
        used = f"by line {', '.join(_lines(level))}" if level.terms else "every element once"
        yield (
            f"into {format_bytes(level.capacity_bytes, digits=_DIGITS)} (caches and registers inside {level.level}): "
            f"{format_rate(level.least_bytes, 'B', digits=_DIGITS)} at least, "
            f"{format_rate(level.least_loaded_bytes, 'B', digits=_DIGITS)} of them loaded, {used}; "
            f"{format_rate(level.now_bytes, 'B', digits=_DIGITS)} now"
        )


def formula_of(term: Argument) -> str:
    """Return the loads for large sizes and a cache of S elements: ``2*n^3/sqrt(S)``."""
    match term:
        case BoundTerm():
            return _over_root(term.growth.coefficient, str(term.operations), term.growth.sigma - 1)
        case SurfaceTerm():
            return _over_root(term.coefficient, str(term.operations), Fraction(1, term.dimension - 1))
        case LiveTerm():
            times = str(term.times)
            return f"{term.paths} - {f'({times})' if ' ' in times else times}*S"
        case _:
            assert_never(term)


def moved_formula(term: SurfaceTerm) -> str:
    """Return the loads and stores of a stencil together for large sizes and a cache of S elements."""
    return _over_root(term.moved_coefficient, str(term.operations), Fraction(1, term.dimension - 1))


def _over_root(factor: float, operations: str, power: Fraction) -> str:
    root = "sqrt(S)" if power == Fraction(1, 2) else "S" if power == 1 else f"S^({power})"
    single = operations if " " not in operations else f"({operations})"
    return f"{single}/{root}" if f"{factor:.4g}" == "1" else f"{factor:.4g}*{single}/{root}"


def _lines(level: BestIntensity) -> list[str]:
    return [str(line) for line in dict.fromkeys(line for term in level.terms for line in term.lines)]


def _surface(term: SurfaceTerm) -> Iterator[str]:
    lines, steps = ", ".join(map(str, term.lines)), ", ".join(map(str, term.steps))
    size, root = term.dimension, f"m^(1/{term.dimension})"
    yield (
        f"line {lines}: values are handed on along {steps}, so that m operations read at least "
        f"({root} + c^(1/{size}))^{size} - m values of others, and hand on m - ({root} - c^(1/{size}))^{size}, "
        f"with c = {term.volume}, less {term.others} at the ends"
    )
    layers = term.layers
    if layers is not None:
        sides = " x ".join(map(str, layers.sides))
        yield (
            f"each step goes back by one of {layers.levels} layers of {sides}: a part with a_t operations on layer t, "
            f"M at most, reads at least y(a_t) + a_t - a_(t-1) values of others and hands on y(a_t) - a_t + a_(t-1), "
            f"where y is the surface of the smallest set of a_t points of a layer"
        )
    yield (
        f"a cache holds S of them before and S after, so {formula_of(term)} elements are loaded, and "
        f"{moved_formula(term)} are loaded and stored, besides first uses"
    )


def _live(term: LiveTerm) -> Iterator[str]:
    lines = ", ".join(map(str, term.lines))
    yield (
        f"line {term.line}: in each iteration of the outermost loop an operation needs values of line {lines} that are "
        f"used by what needs it: {term.paths} in all"
    )
    yield f"a cache holds S of them each time, so {formula_of(term)} elements are loaded, besides first uses"


def _term(number: int, term: BoundTerm) -> Iterator[str]:
    lines = ", ".join(map(str, term.lines))
    needs = " * ".join(f"{_projected(each.reference, each.direction)}^({each.exponent})" for each in term.projections)
    yield f"({number}) line {lines}: a part E of the operations has |E| <= {needs}"
    sizes = len({each.group for each in term.projections})
    kinds = f"in {sizes} groups of different values" if sizes > 1 else "each of them up to K values"
    halves = f"; {' and '.join(term.mirrored)} may be exchanged, which halves E" if term.mirrored else ""
    yield (
        f"with K = S + T values, {kinds}: |E| <= {term.growth.scale:.4g}*K^({term.growth.sigma})"
        f"{halves}; T = S/({term.growth.sigma - 1})"
    )
    yield f"so {formula_of(term)} elements are loaded, less {term.charged} that may be made where used, and T - S"


def _projected(reference: str, direction: str) -> str:
    return f"|{reference}|" if not direction else f"|{reference} along {direction}|"
