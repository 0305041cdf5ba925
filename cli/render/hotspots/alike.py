"""Loops of one file that are equal, with equal figures, as one hotspot, so that they take one row of the screen.

The figures of the row are those of each; its weight, which the order follows, is that of all.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import isclose

from msgspec.structs import replace

from analyzer.ir.nodes import RegionKind

from .hotspots import Hotspot, in_order

_EQUAL_WITHIN = 0.005  # of times, which are shown with three digits


def alike_together(spots: Sequence[Hotspot]) -> tuple[Hotspot, ...]:
    """Return hotspots by weight, with one for each group of loops that are alike, in place of the first of them."""
    groups: dict[Hashable, list[list[Hotspot]]] = {}
    for spot in spots:
        several = groups.setdefault(_text_of(spot), [])
        group = next((group for group in several if _have_equal_figures(group[0], spot)), None)
        if group is None:
            several.append([spot])
        else:
            group.append(spot)
    return in_order([_one_of(group) for several in groups.values() for group in several])


def _text_of(spot: Hotspot) -> Hashable:
    """Return what loops that are alike have in common: their file, the loop around them and their references.

    Kernels have a row each, as have nests without references to arrays.
    """
    references = tuple((each.text, each.write) for each in spot.profile.access_patterns.references)
    if spot.profile.kind is RegionKind.KERNEL or not references:
        return spot.location, spot.within
    return spot.location[0], spot.role, spot.heading, references


def _have_equal_figures(one: Hotspot, other: Hotspot) -> bool:
    """Return whether two hotspots have equal FLOPs, and as far as a row shows them equal times, else equal bytes."""
    if one.flops != other.flops or [each.bound for each in one.machines] != [each.bound for each in other.machines]:
        return False
    return all(
        mine.moved == its.moved
        if mine.time is None or its.time is None
        else isclose(mine.time, its.time, rel_tol=_EQUAL_WITHIN)
        for mine, its in zip(one.machines, other.machines, strict=True)
    )


def _one_of(group: Sequence[Hotspot]) -> Hotspot:
    return replace(group[0], weight=sum(spot.weight for spot in group), alike=len(group) - 1)
