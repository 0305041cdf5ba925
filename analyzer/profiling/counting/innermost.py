"""The innermost loops of the parts of a region: as the source has them, and as compilers write short ones out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...counts.innermost.iteration import inner_loops
from ...counts.references import RegisterReference
from ...counts.results import InnerLoop
from ...domains.domain import Domain, StatementDomain, StatementDomains
from ...domains.statement_domains import statement_domains_of
from ...ir.nodes import Loop, Region, RegionKind
from ...ir.passes.drivers import outermost_loops
from ...ir.passes.substitute import bind
from ...ir.passes.unrolled import ON_HOST, unrolled
from ...python.cached_property import cached_property
from .options import ProfileOptions
from .parts import Part, References, statements_of


class InnermostLoops:
    """Counts one iteration of the innermost loops of the parts of one region.

    ``references`` are what statements read and write in memory, ``is_bound`` says that symbols have their values.
    """

    def __init__(
        self,
        region: Region,
        options: ProfileOptions,
        values: Mapping[str, int],
        domains: StatementDomains,
        references: References,
        *,
        is_bound: bool,
    ) -> None:
        """Start without unrolled copies of the region, which are made when first asked for."""
        self._region = region
        self._options = options
        self._values = values
        self._domains = domains
        self._references = references
        self._is_bound = is_bound

    def of_part(
        self, part: Part, references: Sequence[RegisterReference], values: Mapping[str, int]
    ) -> tuple[InnerLoop, ...]:
        """Return the innermost loops, the dominant one first: all of a nest on the host, else that one."""
        return self._loops(
            part.statements,
            self._domains.bodies,
            references,
            values,
            every=self._region.kind is not RegionKind.KERNEL and len([*outermost_loops(part.body)]) == 1,
        )

    def written_out(self, part: Part, values: Mapping[str, int]) -> tuple[InnerLoop, ...]:
        """Return the innermost loops of a nest where short ones inside of others are written out; none without such."""
        nests = [*outermost_loops(part.body)]
        if self._written is None or len(nests) != 1:
            return ()
        own = {statement.node.span for statement in part.statements}
        every, statements = (
            [each for each in statements_of(part, domains.statements) if each.node.span in own]
            for domains in (self._domains, self._written)
        )
        if len(every) > len(part.statements):  # other calls of the same function are in the loop that repeats these
            statements = [each for each in statements if _is_in(each, nests[0])]
        before, after = (
            {loop.iterator for statement in every for loop in statement.loops}
            for every in (part.statements, statements)
        )
        if not after or after == before:
            return ()
        return self._loops(statements, self._written.bodies, self._references(statements), values, every=True)

    def _loops(
        self,
        statements: Sequence[StatementDomain],
        bodies: Mapping[str, Domain],
        references: Sequence[RegisterReference],
        values: Mapping[str, int],
        *,
        every: bool,
    ) -> tuple[InnerLoop, ...]:
        options = self._options
        return inner_loops(
            statements,
            bodies,
            references,
            options.policy,
            values,
            averages=dict(self._region.averages),
            contract=options.contract,
            every=every,
        )

    @cached_property
    def _compiled(self) -> Sequence[StatementDomain] | None:
        """Return the statements of a kernel with its short loops unrolled, where machine code is counted."""
        options = self._options
        if not options.policy.counts_machine_code or self._region.kind is not RegionKind.KERNEL:
            return None
        region = unrolled(self._region)
        if self._is_bound:
            region = bind(region, self._values)
        return statement_domains_of(region, options.branch_probability, options.branches).statements

    @cached_property
    def _written(self) -> StatementDomains | None:
        """Return the statements of a function of the host with its short loops written out; None without any."""
        options = self._options
        region = self._region if self._region.kind is RegionKind.KERNEL else unrolled(self._region, ON_HOST)
        if region is self._region:
            return None
        if self._is_bound:
            region = bind(region, self._values)
        return statement_domains_of(region, options.branch_probability, options.branches)

    def compiled_of(self, part: Part) -> Sequence[StatementDomain] | None:
        """Return the statements of the outermost loops of a part as they are compiled."""
        return None if self._compiled is None else statements_of(part, self._compiled)


def _is_in(statement: StatementDomain, loop: Loop) -> bool:
    return any(each.source_iterator == loop.source_iterator for each in statement.loops)
