"""Scalar replacement in kernels: which references make a request of their own, and in which loops.

As at the register level everywhere, within one iteration of the innermost sequential loop

* an element that was loaded or stored before is not loaded again;
* the members of one element move together as far as its alignment says that they may (``float4``, structures with
  ``__align__``; at most 16 bytes): those of a structure of 7 floats move one by one;

and a reference that is the same in all iterations of a loop is hoisted out of it, to be known outside of it as well,
unless another reference there may change or read it.  Loops inside of that one, in which it varies, may be unrolled;
all of their elements then stay in registers.  What the end of an iteration has loaded or stored is known at the
beginning of the next one, and behind the loop.  After a store the elements of the array that may be the same one are
loaded again, and behind a barrier (``__syncthreads``) all that another thread may have changed.  No load leaves a loop
behind a fence.  Atomic operations run every time.  Compilers do this (``tests.oracle.barriers``), but where pointers
may overlap (AI302).  An element of a listed constant array is part of an instruction where its index is a number.
Neighbours in shared memory that fill an aligned word of 8 or 16 bytes are requests of their own, as in the source,
since compilers do not always load them together; a bound takes the fewest that they may be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from msgspec import Struct
from msgspec.structs import replace

from ...ir.nodes import Barrier, MemorySpace
from ..program.addresses.reach import step_of
from ..program.program import CountedLoop, Irregular, Leaf, Program, Reference
from ..program.schedules.lockstep import BLOCKS, THREADS

WITHOUT_REQUESTS = (MemorySpace.REGISTER, MemorySpace.CONSTANT)
_MOST_HELD = 64  # elements of unrolled loops: nvcc 13.0 -O3 -arch=sm_80 keeps 64 over a loop around a short body
_FENCES = (Barrier.FENCE, Barrier.DEVICE)
_MOST_BYTES = 16  # the widest access of one thread (NVIDIA, CUDA C++ Programming Guide, device memory accesses)


class RequestedReference(Struct, frozen=True):
    """A reference that makes requests, and the depths of the loops that it is hoisted out of.

    So many ``iterations`` of the innermost loop may be served by one request: consecutive elements of shared memory,
    whose alignment compilers know, are loaded up to 16 bytes at once where the loop is unrolled.  Neighbours in one
    iteration, of which each is such a reference, count likewise.
    """

    reference: Reference
    invariant: frozenset[int]
    iterations: int = 1


class _Use(Struct, eq=False):
    """A reference of a statement that makes a request, widened to the members that move with it.

    ``terms`` are those of its address by the iterators of the counters, ``hoisted`` the depths of the loops that it
    was hoisted out of before it ``is_wider``.  ``may_be_changed``, ``may_be_read``: since then, by a reference that may
    be to the same element.
    """

    leaf: Leaf
    reference: Reference
    terms: Sequence[tuple[str, int]]
    hoisted: frozenset[int]
    is_wider: bool = False
    may_be_changed: bool = False
    may_be_read: bool = False


def requested_references(program: Program) -> Mapping[int, tuple[RequestedReference, ...]]:
    """Return the references of every statement (by its ``id``) that make requests, in order of execution."""
    bodies: dict[tuple[int, ...], dict[str, list[_Use]]] = {}
    left: list[_Use] = []
    for leaf in program.leaves:
        if leaf.barrier:
            for array in (array for array, placed in program.arrays.items() if placed.changes):
                for uses in bodies.values():
                    uses.pop(array, None)
        for reference in leaf.references:
            placed = program.arrays[reference.array]
            if placed.space in WITHOUT_REQUESTS or (placed.listed and not reference.address.terms):
                continue
            own = _Use(leaf, reference, _terms(leaf, reference), _hoisted(program, leaf, reference))
            inside = [loop for loop in leaf.loops if loop.mapping not in THREADS and loop.depth not in own.hoisted]
            body = tuple(map(id, inside))
            known = bodies.setdefault(body, {}).setdefault(reference.array, [])
            others = _known_around(bodies, body, own, changes=program.arrays[reference.array].changes)
            taking = next(
                (use for use in (*known, *others) if _takes(use, own, moved_bytes(program, reference.array))), None
            )
            if taking is None:
                left.append(own)
                known.append(own)
            elif reference.write:
                taking.may_be_changed = False
            for use in (use for others in bodies.values() for use in others.get(reference.array, ())):
                if use.terms != own.terms:
                    use.may_be_changed |= reference.write
                    use.may_be_read |= taking is None and not reference.write
    found: dict[int, list[RequestedReference]] = {}
    for use in sorted(left, key=lambda use: use.reference.order):
        hoisted = _hoisted(program, use.leaf, use.reference) if use.is_wider else use.hoisted
        iterations = max(served_iterations(program, use.leaf, use.reference, hoisted), _in_one_word(program, use, left))
        requested = RequestedReference(use.reference, hoisted, iterations)
        found.setdefault(id(use.leaf), []).append(requested)
    return {leaf: tuple(requested) for leaf, requested in found.items()}


def _known_around(
    bodies: Mapping[tuple[int, ...], Mapping[str, Sequence[_Use]]],
    body: tuple[int, ...],
    own: _Use,
    *,
    changes: bool,
) -> Iterator[_Use]:
    """Yield uses of the element of a load in the last iterations of earlier loops inside of its own body.

    Of an array that nothing ``changes`` also those before the loops around it.
    """
    if own.reference.write:
        return
    for other, uses in bodies.items():
        same = [use for use in uses.get(own.reference.array, ()) if _has(use.reference, own.reference)]
        if len(other) > len(body) and other[: len(body)] == body:
            yield from filter(_runs_always, same)
        if len(other) < len(body) and body[: len(other)] == other and not changes:
            yield from same


def _runs_always(use: _Use) -> bool:
    """Return whether a reference runs in each iteration of the loops around it, which run at least once."""
    return not use.leaf.tests and not use.leaf.uncertain and all(_trips(loop) for loop in _sequential(use.leaf))


def runs_before(known: Leaf, leaf: Leaf) -> bool:
    """Return whether an earlier statement of the same body runs wherever a later one does."""
    conditions, own = ({test.condition for test in each.tests} for each in (known, leaf))
    if conditions and len(known.loops) != len(leaf.loops):
        return False
    return conditions <= own and (leaf.uncertain or not known.uncertain)


def moved_bytes(program: Program, array: str) -> int:
    """Return the most bytes of one element that a thread moves at once."""
    return min(_MOST_BYTES, program.arrays[array].aligned_bytes or _MOST_BYTES)


def _takes(use: _Use, later: _Use, width: int) -> bool:
    """Return whether an earlier reference of the same body leaves nothing to request; it may get wider."""
    known, reference = use.reference, later.reference
    if known.atomic or reference.atomic or not runs_before(use.leaf, later.leaf):
        return False
    if use.may_be_read if reference.write else use.may_be_changed:
        return False
    if reference.write and later.hoisted and not use.hoisted:  # what is stored behind a loop leaves a store before it
        return False
    last = reference.address.constant + reference.size_bytes
    inside = known.address.constant <= reference.address.constant and last <= known.address.constant + known.size_bytes
    if inside and use.terms == later.terms:
        return known.write or not reference.write
    if known.write is not reference.write or not _is_same_vector(known, reference, width):
        return False
    first = min(known.address.constant, reference.address.constant)
    last = max(known.address.constant + known.size_bytes, last)
    use.reference = replace(known, address=replace(known.address, constant=first), size_bytes=last - first)
    use.is_wider = True
    return True


def _terms(leaf: Leaf, reference: Reference) -> Sequence[tuple[str, int]]:
    """Return the terms of an address by the iterators of the counters, whose depths differ from loop to loop."""
    return sorted([(leaf.loops[depth].name, factor) for depth, factor in reference.address.terms])


def _is_same_vector(known: Reference, reference: Reference, width: int) -> bool:
    """Return whether two references are members of one element that move at once."""
    if reference.element is None or known.element != reference.element:
        return False
    first = min(known.address.constant, reference.address.constant)
    last = max(known.address.constant + known.size_bytes, reference.address.constant + reference.size_bytes)
    return first // width == (last - 1) // width


def _hoisted(program: Program, leaf: Leaf, reference: Reference) -> frozenset[int]:
    """Return the depths of the loops that a reference is hoisted out of, or whose iterations hand it on."""
    found = frozenset(_invariant(program, leaf, reference))
    if found or not _is_handed_on(program, leaf, reference):
        return found
    return frozenset(loop.depth for loop in _sequential(leaf)[-1:])


def _is_handed_on(program: Program, leaf: Leaf, reference: Reference) -> bool:
    """Return whether the end of an iteration of the innermost loop knows what the next one loads, unchanged until then.

    A later statement of the loop, which always runs, then loads or stores the element.
    """
    loop = next(reversed(_sequential(leaf)), None)
    if loop is None or reference.write or reference.atomic or reference.address.coefficient(loop.depth):
        return False
    if leaf.uncertain or leaf.tests != loop.tests:
        return False
    changes, terms = program.arrays[reference.array].changes, _terms(leaf, reference)
    position = next(index for index, other in enumerate(loop.leaves) if other is leaf)
    if any(_may_change(other, reference, terms, changes=changes) for other in loop.leaves[:position]):
        return False
    for other in reversed(loop.leaves[position:]):
        always = not other.uncertain and other.tests == loop.tests and _sequential(other)[-1] is loop
        for use in sorted(other.references, key=lambda use: -use.order):
            if always and other is not leaf and _has(use, reference) and _terms(other, use) == terms:
                return not use.atomic
        if _may_change(other, reference, terms, changes=changes):
            return False
    return False


def _may_change(other: Leaf, reference: Reference, terms: Sequence[tuple[str, int]], *, changes: bool) -> bool:
    """Return whether a statement may store to the element of a reference, or waits for threads that may."""
    if other.barrier:
        return changes
    stored = (use for use in other.references if use.array == reference.array and use.write)
    if any(
        use.atomic or use.address.constant != reference.address.constant or _terms(other, use) != terms
        for use in stored
    ):
        return True
    return any(item.array == reference.array and item.write for item in other.irregular)


def _has(use: Reference, reference: Reference) -> bool:
    """Return whether the bytes of one reference hold those of another whose address differs by a constant at most."""
    first, last = reference.address.constant, reference.address.constant + reference.size_bytes
    return (
        use.array == reference.array and use.address.constant <= first and last <= use.address.constant + use.size_bytes
    )


def _sequential(leaf: Leaf) -> list[CountedLoop]:
    """Return the loops around a statement that are no axes of the launch."""
    return [loop for loop in leaf.loops if loop.mapping not in THREADS | BLOCKS]


def _trips(loop: CountedLoop) -> int:
    """Return the iterations of a loop, where these are a number; else 0."""
    if loop.length is not None or loop.average_trips is not None:
        return 0
    if any(bound.limit.terms for bound in (*loop.lows, *loop.highs)):
        return 0
    low, high = loop.range(())
    return max(0, int(high) - int(low) + 1)


def _invariant(program: Program, leaf: Leaf, reference: Reference) -> Iterator[int]:
    """Yield the depths of the loops, from the innermost, that a reference is hoisted out of.

    It may vary in loops inside of these that are unrolled, each of whose elements has a register then; one whose
    iterations only a launch knows is not (``nvcc -O3`` loads the elements again).
    """
    if reference.atomic:
        return
    held = 1
    for loop in reversed(leaf.loops):
        if loop.mapping in THREADS:
            continue
        if loop.mapping in BLOCKS or _steers(loop, leaf):
            return
        if reference.address.coefficient(loop.depth):
            held *= 0 if loop.is_rolled else _trips(loop)
            if not 0 < held <= _MOST_HELD or reference.write:
                return
            continue
        if _is_behind_fence(loop, leaf):
            return
        if program.arrays[reference.array].changes and any(inside.barrier for inside in loop.leaves):
            return
        if any(_disturbs(other, reference) for inside in loop.leaves for other in inside.references):
            return
        if any(item.array == reference.array for inside in loop.leaves for item in inside.irregular):
            return
        yield loop.depth


def _is_behind_fence(loop: CountedLoop, leaf: Leaf) -> bool:
    """Return whether a loop comes to a fence before it comes to a statement: it may not come to the statement then."""
    before = takewhile(lambda other: other is not leaf, loop.leaves)
    return any(other.barrier in _FENCES for other in before)


def served_iterations(program: Program, leaf: Leaf, reference: Reference | Irregular, hoisted: frozenset[int]) -> int:
    """Return how many iterations of the innermost loop that a reference stays in one request may serve."""
    if reference.write or program.arrays[reference.array].space is not MemorySpace.SHARED:
        return 1
    inner = next((loop for loop in reversed(_sequential(leaf)) if loop.depth not in hoisted), None)
    if inner is None or (isinstance(reference, Reference) and reference.atomic):
        return 1
    if isinstance(reference, Reference):
        step: int | None = reference.address.coefficient(inner.depth)
    else:
        step = None if reference.base is None else step_of(reference.base, inner.depth)
    size = reference.size_bytes
    return max(1, _MOST_BYTES // size) if step is not None and abs(step) == size else 1


def _in_one_word(program: Program, use: _Use, others: Sequence[_Use]) -> int:
    """Return how many loads of shared memory one may serve: all of an aligned word of 8 or 16 bytes."""
    placed, size = program.arrays[use.reference.array], use.reference.size_bytes
    if use.reference.write or use.reference.atomic or placed.space is not MemorySpace.SHARED:
        return 1
    offsets = {
        other.reference.address.constant - use.reference.address.constant
        for other in others
        if other.reference.array == placed.name and not other.reference.write and other.terms == use.terms
    }
    found = 1
    for width in (word for word in (8, _MOST_BYTES) if word > size and not word % size):
        first = -((use.reference.address.constant - placed.start) % width)
        aligned = not any(factor % width for _, factor in use.terms)
        if aligned and offsets.issuperset(range(first, first + width, size)):
            found = width // size
    return found


def _steers(loop: CountedLoop, leaf: Leaf) -> bool:
    """Return whether bounds or conditions inside a loop depend on its counter."""
    inner = leaf.loops[loop.depth + 1 :]
    bounds = [bound.limit for each in inner for bound in (*each.lows, *each.highs)]
    if any(limit.coefficient(loop.depth) for limit in bounds):
        return True
    return any(loop.depth in test.depths for test in leaf.tests)


def _disturbs(other: Reference, reference: Reference) -> bool:
    """Return whether another reference may change a value held in a register, or read it too early."""
    if other.array != reference.array or other.address == reference.address:
        return other.array == reference.array and other.atomic
    return other.write or reference.write
