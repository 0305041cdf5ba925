"""The references of statements: uses of arrays by subscripts -> addresses, affine in the counters of loops or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from ....ir.index import Poly, Unknown, is_given, open_arrays, var
from ....ir.values import Access
from ..predicates import computed
from ..program import (
    Affine,
    CounterName,
    Irregular,
    Leaf,
    Reference,
)
from ..random_indices import is_random
from ..scope import Use, depths_in
from .reach import climb_of, step_of


def refer(leaf: Leaf, uses: Sequence[Use], starts: Mapping[str, int], random: frozenset[str]) -> None:
    """Give a statement its references to memory, by the addresses at which arrays start.

    Elements of the arrays ``random`` are random numbers.
    """
    affine_, irregular = [], []
    for order, use in enumerate(uses):
        array, size, text = use.access.array, use.access.type.size_bytes, use.access.spelling
        if isinstance(use.address, Affine):
            moved = Affine(use.address.constant + starts[array], use.address.terms)
            element = _element(use.access, moved)
            affine_.append(Reference(array, moved, size, use.write, order, text, use.access.atomic, element))
            continue
        irregular.append(_irregular(leaf, use, use.address, starts[array], random))
    leaf.references, leaf.irregular = tuple(affine_), tuple(irregular)


def _irregular(leaf: Leaf, use: Use, inside: Poly | None, start: int, random: frozenset[str]) -> Irregular:
    """Return a reference whose address is not affine in the counters: ``inside`` an array that begins at ``start``.

    Both are in bytes; None where the row is anywhere.
    """
    address = None
    known = inside is not None and (not inside.unknowns() or is_given(inside))
    if inside is not None and known:
        address = computed(inside + start)
    unknowns = (atom for each in use.access.subscripts for atom in each.unknowns())
    gathers = not known and any("[" in atom.label for atom in unknowns)
    drawn = not known and is_random(use.access, random)
    position = (use.access.subscripts, use.access.offset_bytes)
    reach = None if use.reach is None else (start + use.reach[0], start + use.reach[1])
    step = None if inside is None else step_of(inside, len(leaf.loops) - 1)
    climb = None if inside is None or step is not None else climb_of(inside, len(leaf.loops) - 1)
    offset = 0 if inside is None else inside.terms.get((), 0)
    base = inside - offset if inside is not None and isinstance(offset, int) else None
    rises, lane_base = (0, None) if base is None else _by_lane(base)
    return Irregular(
        array=use.access.array,
        element=position,
        size_bytes=use.access.type.size_bytes,
        write=use.write,
        address=address,
        depends=use.depends,
        gathers=gathers or drawn,
        decided_by=frozenset[str]().union(*map(open_arrays, use.access.subscripts)),
        is_random=drawn,
        atomic=use.access.atomic,
        text=use.access.spelling,
        reach=reach,
        step=step if climb is None else climb[1],
        climb=None if climb is None else climb[0],
        starts=None if climb is None or climb[2] is None else depths_in(climb[2], leaf.loops),
        apart=None if climb is None or climb[2] is None else _apart(climb[2], len(leaf.loops) - 2),
        base=base,
        offset=offset if isinstance(offset, int) else 0,
        lane_base=lane_base,
        rises=rises,
        streams=use.streams,
    )


def _by_lane(address: Poly) -> tuple[int, Poly]:
    """Return by how many bytes an address rises from an active thread of a warp to the next, and its other terms.

    What is the same for all threads of a warp is in neither.
    """
    rises, others = 0, {}
    for monomial, factor in address.terms.items():
        unknowns = [atom for atom in monomial if isinstance(atom, Unknown)]
        known = [atom.rises for atom in unknowns if atom.rises is not None]
        is_followed = bool(unknowns) and len(known) == len(monomial) and isinstance(factor, int)
        if is_followed and (len(known) == 1 or not any(known)):
            rises += int(factor) * known[0]
        else:
            others[monomial] = factor
    return rises, Poly(others)


def _apart(start: Poly, depth: int) -> int | None:
    """Return by how much a start moves with the counter at a depth; None where that is no number."""
    name = CounterName(depth)
    number = start.coefficient(name).constant if depth >= 0 else None
    return number if isinstance(number, int) and name not in (start - var(name) * number).names() else None


def _element(access: Access, address: Affine) -> Affine | None:
    """Return the address of the element that a member belongs to; None for a whole element or a single struct.

    An element of a member that is an array (``p[i].v[2]``) belongs to the same element as the others.
    """
    if not access.member or not access.subscripts:
        return None
    inside = access.offset_bytes
    for subscript, stride in zip(reversed(access.subscripts[1:]), reversed(access.strides_bytes[1:]), strict=True):
        place = None if stride is None else (subscript * stride).constant
        if not isinstance(place, int):
            break
        inside += place
    return replace(address, constant=address.constant - inside)
