"""Bounds and subscripts that divide by zero at the sizes that are known: a finding for each divisor.

What they decide is counted as not run.  A program ends there with a signal, but where a condition keeps it from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..diagnostics import Diagnostic
from ..ir.conditions import truth_of
from ..ir.index import FloorDiv, Poly, TruncDiv
from ..ir.nodes import Guard, Node, Region
from ..ir.traverse import children_of, decisive_indices


def zero_divisors(region: Region, values: Mapping[str, int]) -> Iterator[Diagnostic]:
    """Yield a finding for each divisor that is zero at these values of symbols."""
    reported: set[Poly] = set()
    for node in _reached(region.body, values):
        for index in decisive_indices(node):
            for atom in index.nested_atoms() if index.forms else ():
                if not isinstance(atom, FloorDiv | TruncDiv) or atom.denominator in reported:
                    continue
                divisor = atom.denominator.substitute(values)
                if divisor.constant == 0:
                    reported.add(atom.denominator)
                    yield Diagnostic.of("AI218", node.span, "zero", divisor=str(atom.denominator), quotient=str(atom))


def _reached(nodes: Sequence[Node], values: Mapping[str, int]) -> Iterator[Node]:
    """Yield nodes but those below conditions that do not hold at these values."""

    def value_of(index: Poly) -> int | None:
        number = index.substitute(values).constant
        return int(number) if number is not None else None

    for node in nodes:
        yield node
        holds = truth_of(node.condition, value_of) if isinstance(node, Guard) else None
        if isinstance(node, Guard) and holds is not None:
            yield from _reached(node.body if holds else node.orelse, values)
        else:
            yield from _reached(children_of(node), values)
