"""Transformations of nests as text, in the order in which a person would make them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from analyzer.ir.names import in_source, source_name
from analyzer.transformations.kinds import (
    Box,
    Coarsen,
    Cut,
    Exchange,
    Fuse,
    Interchange,
    Jam,
    Narrow,
    Pad,
    Padded,
    Reshape,
    Separate,
    Side,
    Split,
    Stage,
    Transformation,
    Turn,
    Widen,
    is_over_tiles,
    without_tiles,
)

from ..machine.units import format_rate
from ..model.advice.kinds import TransformLoops

_SIZE_DIGITS = 3


def transformed_text(advice: TransformLoops) -> str:
    """Return the steps, the bytes that they spare, and the gain."""
    text = ", then ".join(map(step_text, advice.steps))
    if advice.level is not None and advice.before_bytes is not None and advice.after_bytes is not None:
        ends = (format_rate(size, "B", digits=_SIZE_DIGITS) for size in (advice.before_bytes, advice.after_bytes))
        text += f": {advice.level} bytes {' -> '.join(ends)}"
    return text if advice.gain is None else f"{text}, {advice.gain:.3g} times as fast"


def step_text(step: Transformation) -> str:
    """Return one transformation.

    >>> step_text(Cut("k", 4, 64, "i")), step_text(Jam("i", 2, 4))
    ('block loop k (line 4) by 64 outside i', 'unroll loop i (line 2) by 4 and jam the copies into the innermost loop')
    >>> step_text(Box((Side("t", 1, 8), Side("i", 2, 64, 2, "t"))))
    'block over t too (temporal blocking): tiles of 8x64 of t x (i + 2*t), which move against i by 2 with each t'
    >>> step_text(Box((Side("j", 3, 32, 1, "t"), Side("j", 3, 32, 1, "t", is_backwards=True), Side("i", 2, 1, 1, "t"))))
    'block over t too (temporal blocking): diamonds of 32x32 of (j + t) x (t - j), swept along (i + t)'
    >>> step_text(Box((Side("j", 3, 64, 2, "t", lean=1, second="i"),)))
    'block over t too (temporal blocking): tiles of 64 of (j + 2*t + i), which move against j by 2 with each t'
    """
    match step:
        case Split():
            return _split_text(step)
        case Interchange():
            moved = [one for one, other in zip(step.before, step.order, strict=True) if one != other]
            which = f"interchange {' and '.join(moved)}" if len(moved) == 2 else "reorder the loops"
            return f"{which} (line {step.line}; {', '.join(step.order)} from the outside)"
        case Cut():
            outer = f"the tiles of {_name(step.outer)}" if is_over_tiles(step.outer) else _name(step.outer)
            return f"block loop {_name(step.inner)} (line {step.line}) by {step.tile} outside {outer}"
        case Jam():
            return (
                f"unroll loop {step.outer} (line {step.line}) by {step.by} and jam the copies into the innermost loop"
            )
        case Separate():
            several = len(step.members) > 1
            what = f"members {', '.join(step.members)}" if several else f"member {step.members[0]}"
            own = "arrays of their own (a structure of arrays)" if several else "an array of its own"
            return f"keep the {what} of {step.array} in {own}"
        case Fuse():
            lines = _listed([*map(str, step.lines)])
            once = ", ".join(map(in_source, step.arrays))
            return f"fuse the loops in lines {lines} (over {' and '.join(step.loops)}), which then read {once} once"
        case Pad():
            rows = " and ".join(map(_padded_text, step.arrays))
            return f"pad {rows}, as the lines of a column share few sets of a cache"
        case Narrow():
            which = _listed([*map(in_source, step.arrays)])
            return f"float in place of double for {which}, if 7 digits are enough (sums of many terms keep fewer)"
        case Box():
            if any(each.skew for each in step.sides):
                return f"block over {_outermost(step)} too (temporal blocking): {_skewed_text(step)}"
            return f"block the nest (line {step.sides[0].line}) by {_tiles_text(step.sides)}"
        case _:
            return _grid_step_text(step)


def _grid_step_text(step: Stage | Turn | Coarsen | Widen | Exchange | Reshape) -> str:
    """Return one transformation of a kernel."""
    match step:
        case Stage():
            return _stage_text(step)
        case Turn():
            return _turn_text(step)
        case Coarsen():
            return _coarsen_text(step)
        case Widen():
            which = _listed([*map(in_source, step.arrays)])
            return f"let each thread do {step.by} neighbouring elements, and move those of {which} as one vector"
        case Exchange():
            return "exchange x and y in the kernel and in its launch, so that threadIdx.x runs along the rows"
        case Reshape():
            across, down = step.block
            return f"launch blocks of {f'{across}x{down}' if down > 1 else across} threads"
        case _:
            assert_never(step)


def _stage_text(step: Stage) -> str:
    """Return which tiles a block keeps in shared memory, and for how long."""
    tiles = [f"{'x'.join(map(str, each.extents))} of {in_source(each.array)}" for each in step.arrays]
    which = f"tiles of {_listed(tiles)}" if len(tiles) > 1 else f"a tile of {tiles[0]}"
    when = f"for {step.tile} iterations of {source_name(step.loop)} (line {step.line})"
    together = "which all threads of a block load together"
    return f"keep {which} in shared memory, {together} {when}, with a barrier before and after their use"


def _turn_text(step: Turn) -> str:
    """Return which columns go through which tile."""
    which = _listed([in_source(each.array) for each in step.arrays])
    tile = "x".join(map(str, step.arrays[0].extents))
    each = " each" if len(step.arrays) > 1 else ""
    return (
        f"transpose {which} in shared memory: a tile of {tile} elements{each}, a barrier, and neighbouring threads use "
        f"neighbouring elements"
    )


def _coarsen_text(step: Coarsen) -> str:
    """Return how many results a thread computes.

    >>> _coarsen_text(Coarsen((4, 1, 1), 2))
    'let each thread compute 4 results, those of 4 blocks along x, from what it loads once'
    """
    along = [(axis, by) for axis, by in zip("xyz", step.by, strict=True) if by > 1]
    number = "x".join(str(by) for _, by in along)
    (first, by), *others = along
    blocks = [f"{by} blocks along {first}", *(f"{each} along {axis}" for axis, each in others)]
    return f"let each thread compute {number} results, those of {_listed(blocks)}, from what it loads once"


def _listed(parts: Sequence[str]) -> str:
    *others, last = parts
    return f"{', '.join(others)} and {last}" if others else last


def _padded_text(padded: Padded) -> str:
    """Return how many elements a row gets, and how many rows a plane."""
    *outer, elements = padded.by
    array = in_source(padded.array)
    rows = f"the rows of {array} from {padded.row} to {padded.row + elements} elements" if elements else ""
    planes = [f"the planes of {array} by {by} row{'s' * (by > 1)}" for by in outer if by]
    return " and ".join([*([rows] if rows else []), *planes])


def _outermost(box: Box) -> str:
    return next(each.outermost for each in box.sides if each.skew)


def _skewed_text(box: Box) -> str:
    """Return skewed tiles, and how they move."""
    if any(side.is_backwards for side in box.sides):
        cut = {side.loop for side in box.sides if side.is_backwards}
        swept = " and ".join(_along(side) for side in box.sides if side.loop not in cut)
        diamonds = _tiles_text([side for side in box.sides if side.loop in cut])
        return f"diamonds of {diamonds}{f', swept along {swept}' if swept else ''}"
    skewed = [side for side in box.sides if side.skew]
    by = {side.skew for side in skewed}
    steps = f"by {by.pop()}" if len(by) == 1 else f"by {' and '.join(str(side.skew) for side in skewed)}"
    against = " and ".join(side.loop for side in skewed)
    return f"tiles of {_tiles_text(box.sides)}, which move against {against} {steps} with each {_outermost(box)}"


def _tiles_text(sides: Sequence[Side]) -> str:
    return f"{'x'.join(str(each.side) for each in sides)} of {' x '.join(map(_along, sides))}"


def _along(side: Side) -> str:
    """Return the loop of a side, and what skews it."""
    if not side.skew:
        return side.loop
    moved = f"{'' if side.skew == 1 else f'{side.skew}*'}{side.outermost}"
    if side.lean:
        moved += f" + {'' if side.lean == 1 else f'{side.lean}*'}{side.second}"
    return f"({moved} - {side.loop})" if side.is_backwards else f"({side.loop} + {moved})"


def _split_text(step: Split) -> str:
    several = len(step.lines) > 1
    lines = f"line{'s' if several else ''} {', '.join(map(str, step.lines))}"
    rows = f", with an element of {', '.join(step.expanded)} for each {step.loop}" if step.expanded else ""
    return (
        f"give {lines} {'loops' if several else 'a loop'} over {step.loop} of {'their' if several else 'its'} own{rows}"
    )


def _name(iterator: str) -> str:
    return source_name(without_tiles(iterator))
