"""Counters that start anew at a bound, and others that move then: ``if (++j == m) { j = 0; i++; }``.

From 0, ``j`` is ``n mod m`` in iteration n, and ``i`` has moved ``floor(n/m)`` times: two counters of one loop in place
of a nest.  Of three, the second is to the third what the first is to the second.
"""

from __future__ import annotations

from collections.abc import Mapping

from .....ir.index import ONE, ZERO, Atom, Poly, floor_div, indicated, var

Ends = Mapping[str, tuple[Poly, Poly]]
"""The entry and the end of one iteration of variables that a loop moves, by name."""


def forms_in_rounds(ends: Ends, count: Poly, every: Poly = ONE) -> tuple[dict[str, Poly], list[Poly]]:
    """Return the values of counters that go through rounds, and of those that these move, after so many iterations.

    The counters move in one of ``every`` so many of them.  With the values are the lengths of rounds, which are taken
    to be positive.

    >>> from .....ir.index import maximum, minimum
    >>> i, j, m = var("i"), var("j"), var("m")
    >>> over = maximum([ZERO, minimum([j - m + 2, m - j])])  # j + 1 == m
    >>> forms, lengths = forms_in_rounds({"i": (ZERO, i + over), "j": (ZERO, j + 1 - (j + 1) * over)}, var("n"))
    >>> str(forms["i"]), str(forms["j"]), *map(str, lengths)
    ('floor(n/m)', 'n - m*floor(n/m)', 'm')
    """
    for name, (entry, end) in ends.items():
        for atom in end.forms:
            bound = _bound(name, atom)
            is_fixed = bound is not None and bound.names().isdisjoint(ends) and not bound.unknowns()
            is_round = with_value(end, atom, ZERO) == var(name) + 1 and with_value(end, atom, ONE) == entry
            if bound is not None and is_fixed and is_round and entry.names().isdisjoint(ends):
                length = bound - entry
                moved = _moved(ends, name, atom, bound - 1)
                forms, lengths = forms_in_rounds(moved, count, every * length)
                number = floor_div(count, every * length)
                for other, (start, after) in moved.items():
                    change = after - var(other)
                    if other not in forms and change.names().isdisjoint(ends):
                        forms[other] = start + change * number
                forms[name] = entry + floor_div(count, every) - length * number
                return forms, [length, *lengths]
    return {}, []


def _moved(ends: Ends, name: str, over: Atom, last: Poly) -> dict[str, tuple[Poly, Poly]]:
    """Return the variables that move where a round of a counter is over alone, with what they are then."""
    return {
        other: (entry, with_value(end, over, ONE).substitute({name: last}))
        for other, (entry, end) in ends.items()
        if other != name and over in end.forms and with_value(end, over, ZERO) == var(other) and not end.unknowns()
    }


def _bound(name: str, atom: Atom) -> Poly | None:
    """Return the value that a counter does not come to, of an atom that is 1 where it would be next: ``++j == m``."""
    relation = indicated(atom)
    if relation is None or relation[1] == "!=":
        return None
    rest, sign = relation
    slope, others = rest.coefficient(name), rest.substitute({name: ZERO})
    if rest != var(name) * slope + others or slope not in ((ONE,) if sign == ">" else (ONE, -ONE)):
        return None
    return -others * slope + (1 if sign == "=" else 2)  # j is the last of a round, or above the one before


def with_value(form: Poly, atom: Atom, value: Poly) -> Poly:
    """Return a form where an atom at its top has a value."""
    return form.map_atoms(lambda each: value if each == atom else Poly({(each,): 1}))
