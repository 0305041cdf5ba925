"""The summary of a function: its loops and conditions, and of each block how much it computes and references.

The nodes of a region -> the same loops, guards and exits around one statement for each block, whose value has the
operations of all statements of the block, and the number of its references (:class:`....ir.values.Counted`).  What
they touch is left out.  A summary holds for any value of its symbols, so that it can stand at each call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ....diagnostics import Diagnostic, Phrase
from ....ir.branches import branch_symbol, lines_of_conditions
from ....ir.conditions import leaves
from ....ir.nodes import Assumption, DataDependent, Exit, Guard, Loop, Node, Region, Statement, Strided, Symbol
from ....ir.traverse import all_nodes
from ....ir.types import UNKNOWN
from ....ir.values import Access, Apply, Counted, Load, Lone, Opaque, Value, walk_values
from ....ir.walk import exits_in
from ....source import Span
from ...surface import nodes as sx
from ...surface.constructs import construct
from .condensed import condensed, is_any, is_open
from .renaming import Names, renamed

_LARGE = 60  # nodes, beyond which conditions are put together
_BRANCH = "AI202"
_ALIASES = "AI302"  # nothing is assumed of the arguments where what they touch is left out


class Summary(Struct, frozen=True):
    """What a call of a function takes, in terms of ``symbols``; ``size`` is the number of nodes.

    ``at_entry`` are the globals whose values before the call some of the symbols are, by their names.
    """

    nodes: tuple[Node, ...]
    symbols: tuple[Symbol, ...]
    size: int
    at_entry: Mapping[str, sx.Variable]
    diagnostics: tuple[Diagnostic, ...] = ()
    assumptions: tuple[Assumption, ...] = ()


def summary_of(region: Region, diagnostics: Iterable[Diagnostic], at_entry: Mapping[str, sx.Variable]) -> Summary:
    """Return the summary of a function by its region, and what was found on the way."""
    made = _Outliner(construct("call", function=region.function), lines_of_conditions(region))
    nodes = made.outline(region.body)
    if _size(nodes) > _LARGE:
        for chosen in (is_open, is_any):
            if _size(nodes) > _LARGE:
                nodes = made.outline(condensed(nodes, chosen))
        diagnostics = _with_branches_of(nodes, diagnostics)
    return Summary(
        nodes=nodes,
        symbols=region.symbols,
        size=_size(nodes),
        at_entry=at_entry,
        diagnostics=tuple(diagnostics),
        assumptions=tuple(item for item in region.assumptions if item.code != _ALIASES),
    )


def _with_branches_of(nodes: Sequence[Node], diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield findings, with the branches on data that are left in place of those that were."""
    guards = (node for node in all_nodes(nodes) if isinstance(node, Guard))
    left = {branch_symbol(guard.condition, guard.span.line, {}): guard for guard in guards if is_open(guard.condition)}
    for found in diagnostics:
        if found.code != _BRANCH or left.pop(str(dict(found.fields).get("symbol")), None) is not None:
            yield found
    for symbol, guard in left.items():
        yield Diagnostic.of(_BRANCH, guard.span, "guarded", symbol=symbol)


def _size(nodes: Sequence[Node]) -> int:
    return sum(1 for _ in all_nodes(nodes))


class _Outliner:
    """Makes the outline of blocks; ``lines`` are those of conditions by name, which name their probabilities."""

    def __init__(self, what: Phrase, lines: Mapping[str, int]) -> None:
        self._what = what
        self._lines = lines

    def outline(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        """Return a block with one statement between any two nodes that may leave it."""
        found: list[Node] = []
        gathered: list[Statement] = []
        for node in nodes:
            if isinstance(node, Statement):
                gathered.append(node)
                continue
            may_leave = isinstance(node, Exit) or any(True for _ in exits_in(node))
            if may_leave:
                found += _together(gathered, self._what)
                gathered = []
            match node:
                case Loop():
                    header, body = _together(node.header, self._what), self.outline(node.body)
                    if header or body:
                        self._add_loop(found, replace(node, header=header, body=body), may_leave=may_leave)
                case Guard():
                    then, orelse = self.outline(node.body), self.outline(node.orelse)
                    if then or orelse:
                        found.append(replace(node, body=then, orelse=orelse, span=self._of_condition(node)))
                case _:
                    found.append(node)
        return (*found, *_together(gathered, self._what))

    def _of_condition(self, guard: Guard) -> Span:
        names = (leaf.name for leaf in leaves(guard.condition) if isinstance(leaf, DataDependent))
        line = next((self._lines[name] for name in names if name in self._lines), guard.span.line)
        return replace(guard.span, line=line)

    def _add_loop(self, found: list[Node], loop: Loop, *, may_leave: bool) -> None:
        """Append a loop, or put it into the one before it that runs as often."""
        last = found[-1] if found else None
        if not may_leave and isinstance(last, Loop) and _run_alike(last, loop):
            same = Names(iterators={loop.iterator: last.iterator})
            header = _together((*last.header, *loop.header), self._what)
            body = self.outline((*last.body, *renamed(loop.body, same)))
            found[-1] = replace(last, header=header, body=body)
        else:
            found.append(loop)


def _run_alike(first: Loop, second: Loop) -> bool:
    """Return whether two loops have the same iterations, all of which run."""
    same = isinstance(first.range, Strided) and first.range == second.range and first.mapping == second.mapping
    return same and not any(isinstance(node, Exit) for node in all_nodes((first, second)))


def _together(statements: Sequence[Statement], what: Phrase) -> tuple[Statement, ...]:
    """Return the work and the references of statements as one statement; none where there are neither."""
    total = _Total()
    for statement in statements:
        total.add(statement)
    value = total.value(what)
    index_operations = sum(statement.index_operations for statement in statements)
    if value == Opaque(what, UNKNOWN, counted=Counted()) and not index_operations:
        return ()
    return (Statement(None, value, statements[0].span, index_operations),)


class _Total:
    """Adds up what statements compute and reference."""

    def __init__(self) -> None:
        self._operations: Counter[Lone] = Counter()
        self._loads: Counter[int] = Counter()
        self._stores: Counter[int] = Counter()
        self._not_counted: list[Value] = []

    def add(self, statement: Statement) -> None:
        """Add a statement, also one that stands for others."""
        for part in walk_values(statement.value):
            match part:
                case Apply():
                    self._operations[Lone.of(part)] += 1
                case Load(access):
                    self._loads[access.type.size_bytes] += 1
                case Opaque():
                    self._add_construct(part)
        if isinstance(statement.target, Access):
            self._stores[statement.target.type.size_bytes] += 1

    def _add_construct(self, part: Opaque) -> None:
        if part.has_work:
            self._not_counted.append(replace(part, operands=(), counted=None))
        if part.counted is not None:
            self._operations.update(dict(part.counted.operations))
            self._loads.update(dict(part.counted.loads))
            self._stores.update(dict(part.counted.stores))

    def value(self, what: Phrase) -> Opaque:
        """Return everything as the value of one statement."""
        loads, stores = (tuple(sorted(sizes.items())) for sizes in (self._loads, self._stores))
        counted = Counted(tuple(self._operations.items()), loads, stores)
        return Opaque(what, UNKNOWN, tuple(self._not_counted), counted=counted)
