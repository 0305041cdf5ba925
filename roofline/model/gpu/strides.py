"""References that neighbouring threads of a kernel make far apart, by their strides alone: no launch is needed.

Input: the access patterns of the nest of a kernel.  Output: the references, with strides in bytes in ``threadIdx.x``,
or in the number of the thread in the grid where the launch is not known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from analyzer.access_patterns import AccessPatterns, Reference
from analyzer.ir.index import Poly
from analyzer.ir.nodes import Mapping

_THREADS = frozenset({"threadIdx.x", Mapping.THREAD_X.value})


def references_apart(patterns: AccessPatterns) -> Iterator[tuple[Reference, Poly]]:
    """Yield references with a stride of a size, or of more than two elements that the threads use together."""
    together = Counter(map(_whole, dict.fromkeys(patterns.references)))
    for reference in patterns.references:
        if reference.on_chip:
            continue
        pairs = zip(reference.loops, reference.steps_bytes, strict=True)
        step = next((step for loop, step in pairs if loop.iterator in _THREADS), None)
        if step is None:
            continue
        constant = step.constant
        used_bytes = reference.unit_bytes * together[_whole(reference)]
        if bool(step.names()) if constant is None else abs(constant) > 2 * used_bytes:
            yield reference, step


def _whole(reference: Reference) -> tuple[str, int, bool]:
    """Return the element that a reference is to a member of: members of a vector are one access."""
    whole, bracket, member = reference.text.rpartition("].")
    return whole if bracket and "[" not in member else reference.text, reference.line, reference.write
