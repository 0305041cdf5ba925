"""Variables that a loop sets in some of its iterations: ``if (i % 4 == 0) last = i;``.

Where the condition comes back after p iterations, and holds in those of the residues r, it held last before iteration n
in ``m = max over r of (r + p*floor((n - 1 - r)/p))``, if that is not negative.
"""

from __future__ import annotations

from .....ir.index import ONE, ZERO, Poly, const, floor_div, maximum, minimum, var
from .induction import COUNT, Known, period_of, rounded_down


def last_set(entry: Poly, holds: Poly, value: Poly, is_nonnegative: Known) -> Poly | None:
    """Return the form of a variable with ``value`` where the index ``holds`` is 1, and as before elsewhere.

    Both are given in the number of the iteration.  None where the condition does not come back.

    >>> from .....ir.index import floor_mod
    >>> third = maximum([ZERO, 1 - floor_mod(var(COUNT), const(3))])  # in iterations 0, 3, 6, ...
    >>> str(last_set(const(-1), third, var(COUNT), lambda form: False))
    'max(-1, 3*floor((@n + 2)/3) - 3)'
    """
    rounded = rounded_down(holds, is_nonnegative)
    period = period_of(rounded)
    if period is None or value.unknowns() or entry.unknowns():
        return None
    residues = [residue for residue in range(period) if rounded.evaluate({COUNT: residue}) == 1]
    if not residues:
        return entry
    rounds = (floor_div(var(COUNT) - (1 + residue), const(period)) * period + residue for residue in residues)
    last = maximum(rounds)
    slope = value.coefficient(COUNT).constant
    if slope is None or value != var(COUNT) * slope + value.substitute({COUNT: ZERO}):
        return None
    first, before = (value.substitute({COUNT: const(at)}) - entry for at in (residues[0], residues[-1] - period))
    if slope > 0 and (first.constant or 0) >= 0 and before.constant is not None and before.constant <= 0:
        return maximum([entry, value.substitute({COUNT: last})]) if first.constant is not None else None
    is_set = minimum([ONE, maximum([ZERO, last + 1])])
    return entry + is_set * (value.substitute({COUNT: last}) - entry)
