"""What the counts of some statements take for granted: trip counts, strides, rows, and what was not counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from ...counts.references import references_of
from ...counts.results import Work
from ...domains.domain import StatementDomain, StatementDomains
from ...ir.index import Poly
from ...ir.nodes import Assumption, Region
from ...ir.values import Access
from ...traffic.unknown_strides import UnknownStride


def assumptions_of(
    region: Region,
    domains: StatementDomains,
    statements: Sequence[StatementDomain],
    strides: Mapping[str, UnknownStride],
    rows: Mapping[Access, Access],
) -> Iterator[Assumption]:
    """Yield what is assumed of statements of a region; ``rows`` are accesses whose linear subscripts are those of rows.

    ``strides`` are the arrays of the host whose elements are an unknown distance apart.
    """
    for uncertain in domains.uncertain:
        yield Assumption.of("AI203", uncertain.span, "trip", symbol=uncertain.symbol)
    for span in sorted({statement.node.span for statement in statements if statement.domain.is_over_budget}):
        yield Assumption.of("AI208", span, "counting")
    for array, stride in strides.items():
        yield Assumption.of("AI211", region.span, "stride", array=array, sizes=tuple(sorted(stride.sizes)))
    reported: set[str] = set()
    for statement in statements:
        for reference in references_of(statement):
            access = reference.access
            if access in rows and access.array not in reported:
                reported.add(access.array)
                strides_bytes = rows[access].strides_bytes[:-1]
                length = tuple(_elements(each, access.type.size_bytes) for each in strides_bytes if each is not None)
                yield Assumption.of("AI303", statement.node.span, "rows", array=access.array, elements=length)


def not_counted(name: str, work: Work) -> Iterator[Assumption]:
    """Yield an assumption for each operation of a function or region of this name that is not counted."""
    for found in work.not_counted:
        yield Assumption.of("AI214", found.span, "not-counted", name, what=found.what)
    for found in work.not_located:
        yield Assumption.of("AI214", found.span, "not-located", name, what=found.what)
    for found in work.without_cost:
        yield Assumption.of("AI214", found.span, "without-cost", name, what=found.what)


def _elements(stride_bytes: Poly, size_bytes: int) -> str:
    terms = {monomial: Fraction(number) / size_bytes for monomial, number in stride_bytes.terms.items()}
    return str(Poly({m: int(n) if n.denominator == 1 else n for m, n in terms.items()}))
