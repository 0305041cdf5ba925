"""Values as a compiler sees them: one node for each value that is computed, across the statements of a region.

``statements -> ValueGraph``.  Statements are value trees over registers and loads; here a register that was assigned
before stands for the node of its value, so that one tree reaches across statements.  What is modelled:

* *Value numbering* (Click, *Global code motion, global value numbering*, PLDI 1995): the same operation on the same
  operands is one node wherever the first computation dominates the second.
* *Forwarding*: a register read where one definition reaches it is that definition's value.  Where several meet (after
  a conditional, in a loop that assigns it) the read is a new leaf, a phi function.
* *Loads*: an element that was read or written before is not read again, unless a store or an atomic update of the same
  scalar type came between, which might be to the same location.  Different elements of one array at a constant distance
  and different members are different locations, and so are two arrays of which one is ``restrict``, shared or local.
  Elements of a function's own arrays that are never loaded, because their values are forwarded, are not stored, and
  neither are those stored again before they are loaded.
* *Loop-invariant code motion*: a node is computed in the innermost loop that one of its operands varies with; guards
  inside that loop do not hold it back, since arithmetic can be speculated.  A load leaves a loop that stores nothing
  of its type, where it is not conditional.  Nothing leaves loops over threads, blocks or lanes.
* *Dead code*: a number that a thread of a kernel computes and nothing reads is not computed.
* *Folding* that is exact in IEEE arithmetic: constants, x*1, x*(-1), x/1, x-0, x/2^k as x*2^-k, and one operation in
  double on floats whose result is rounded to float (``f = f * 0.5``), which is the same in float.
* *Beginnings*: functions that are inlined and begin alike, as the sine and the cosine reduce their argument, do so once
  for the same argument; the power of an invariant base takes its logarithm outside of the loop.
* *If-conversion*: a conditional that only assigns registers, with few and cheap operations, is computed for both cases
  in every execution, and a selection (LLVM's SimplifyCFG folds up to four instructions so, and one before a test).
* *Merged values*: what reaches a phi function is needed only if something needs that.

Not modelled: reassociation, partial redundancy, values carried from one iteration to the next.  Short loops come
unrolled (:mod:`...ir.passes.unrolled`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from ...domains.domain import StatementDomain
from ...ir.names import is_temporary
from ...ir.nodes import Loop
from ...ir.types import BOOL, TypeClass
from ...ir.values import Access, Apply, Operation, Register, walk_values
from ..policy import Compiler
from ..value_keys import Structures
from .branches import CONDITIONS, Branches, Entry, entries_of, is_copy
from .conditionals import Compilation, Conditional, Where
from .folding import Node
from .memory import State, is_elsewhere
from .merging import redundant_in
from .numbering import UNTYPED, Frame, Numbering, identity_of
from .reads import indexed_in, is_view, loaded_of, reads_of
from .unswitching import Unswitching


class Chosen(Struct, frozen=True):
    """Two values of which one is selected: the ``last`` that is computed, where it is needed, and the ``other``.

    Where the selection ``is_open`` the compiler may have branches.
    """

    selection: Node
    last: Node
    other: Node
    needed_at: StatementDomain
    is_open: bool


class ValueGraph(Struct, frozen=True):
    """What must be computed: ``stored`` values go to memory, ``needed`` ones are wanted for another reason.

    ``locations`` are the statements that do so.  ``chosen`` are choices between two values, of branches that are both
    computed; ``merged`` are the values of registers that branches which are not, and loops, leave behind; ``carried``
    has, by the value that a register has in an iteration, what it may come from.  ``branches`` are statements of
    conditionals that are selections, as they are written, by those in their place.  Where it ``is_open`` which
    conditionals are selections the graph may be one of two.
    """

    stored: tuple[Node, ...]
    needed: tuple[Node, ...]
    locations: Mapping[Node, Sequence[StatementDomain]]
    chosen: Sequence[Chosen]
    merged: Set[Node]
    carried: Mapping[Node, Sequence[Node]]
    branches: Mapping[StatementDomain, StatementDomain]
    is_open: bool


def value_graph(
    statements: Sequence[StatementDomain],
    pure: frozenset[str],
    prologues: Mapping[str, str] = MappingProxyType({}),
    compiler: Compiler = Compiler.CLANG,
    *,
    selects_most: bool = False,
) -> ValueGraph:
    """Return the graph of a region's statements; calls of ``pure`` functions with the same operands are one call.

    Functions with the same name in ``prologues`` begin with the same computation on their first operand, a call of
    that name.  A compiler that ``selects_most`` computes all branches of conditionals of which that is open.
    """
    is_kernel = any(loop.mapping.is_of_grid for statement in statements[:1] for loop in statement.loops)
    compilation = Compilation(compiler, reads_of(statements), loaded_of(statements), selects_most)
    builder = _Builder(pure, prologues, compilation, statements, is_kernel=is_kernel)
    builder.block(entries_of(list(statements), 0), State({}, {}))
    builder.drop_dead_stores()
    indexed = indexed_in(statements)
    unread = [
        node
        for name, node in builder.definitions
        if builder.is_unread(name, node) and (name, node) not in builder.dead and not is_view(name, node, indexed)
    ]
    merged = list(builder.merged((*builder.stored, *builder.needed, *unread)))
    left = [*unread, *merged]
    for node in left:
        builder.locations.setdefault(node, []).extend(builder.assigned.get(node, ()))
    needed = (*builder.needed, *left)
    carried = {leaf: builder.phis[leaf] for leaf in builder.entered}
    return ValueGraph(
        tuple(builder.stored),
        needed,
        builder.locations,
        builder.chosen,
        frozenset(merged),
        carried,
        builder.branches,
        builder.is_open,
    )


def _runs_with(store: StatementDomain, later: StatementDomain) -> bool:
    """Return whether the later of two statements of a block runs whenever the first does: no exit is between them."""
    return store.domain == later.domain and store.choice == later.choice


class _Builder:
    """Walks the statements in order; frames are the blocks around the current one."""

    def __init__(
        self,
        pure: frozenset[str],
        prologues: Mapping[str, str],
        compilation: Compilation,
        statements: Sequence[StatementDomain],
        *,
        is_kernel: bool,
    ) -> None:
        self.is_open = False
        self._is_kernel = is_kernel
        self._compilation = compilation
        self._values = Numbering(pure, prologues, compilation.compiler, statements)
        self._stores: dict[StatementDomain, tuple[Access, Node]] = {}
        self.locations: dict[Node, list[StatementDomain]] = {}
        self.assigned: dict[Node, list[StatementDomain]] = {}
        self.stored: list[Node] = []
        self.needed: list[Node] = []
        self.definitions: list[tuple[str, Node]] = []
        self.chosen: list[Chosen] = []
        self.entered: list[Node] = []
        self.dead: set[tuple[str, Node]] = set()
        self.branches: dict[StatementDomain, StatementDomain] = {}
        self._unswitching = Unswitching(statements, compilation.compiler)

    @property
    def phis(self) -> dict[Node, list[Node]]:
        """Return what reaches each phi function."""
        return self._values.phis

    def _store(self, access: Access, node: Node, statement: StatementDomain) -> None:
        """Note a store; the one before it to the same location in this block is dead unless it was read.

        That is so of private arrays, of those in memory of the device that nothing else leads to (``restrict``), and up
        to the next barrier of shared ones.
        """
        key = (access, statement.schedule[:-1])
        if access.atomic:
            self._values.note_read(access)
        elif access.private or (self._is_kernel and access.unaliased):
            overwritten = self._values.unread.pop(key, None)
            if overwritten is not None and (access.private or _runs_with(overwritten, statement)):
                del self._stores[overwritten]
            self._values.unread[key] = statement
        self._stores[statement] = (access, node)

    def drop_dead_stores(self) -> None:
        """Keep the stores but those to elements of private arrays that are never loaded: their values are forwarded."""
        for statement, (access, node) in self._stores.items():
            loads = self._values.loads.get(access.array, ())
            if not access.private or any(not is_elsewhere(load, access) for load in loads):
                self.stored.append(node)
                self.locations.setdefault(node, []).append(statement)

    def merged(self, wanted: Iterable[Node]) -> Iterator[Node]:
        """Yield the values that reach phi functions which ``wanted`` ones are made of, directly or by others.

        Outside of kernels those that reach any phi function that is read, since callers may want results.
        """
        seen: set[Node] = set()
        pending = [*wanted, *(() if self._is_kernel else self._values.read_phis)]
        while pending:
            node = pending.pop()
            if node in seen:
                continue
            seen.add(node)
            pending.extend(node.operands)
            for source in self.phis.get(node, ()):
                pending.append(source)
                if source not in self.phis:
                    yield source

    def is_unread(self, name: str, node: Node) -> bool:
        """Return whether no value uses a register, or this integer in it: subscripts that data choose may.

        Conditions are used by conditionals.
        """
        if name not in self._values.read or (is_temporary(name) and _is_condition(node)):
            return True
        return node.value.type.scalar.is_integer and node not in self._values.read_nodes

    def block(
        self,
        entries: Sequence[Entry],
        state: State,
        around: StatementDomain | None = None,
        where: Where = Where.BLOCK,
    ) -> None:
        """Add one list of statements; its last definitions are what reaches the phi functions behind it.

        Selections of a list that has nothing else are where the statement ``around`` it is, if the most is asked for.
        """
        last: dict[str, Node] = {}
        condition: Node | None = None
        anchor = next((entry for entry in entries if isinstance(entry, StatementDomain)), around)
        for position, entry in enumerate(entries):
            if isinstance(entry, StatementDomain):
                anchor, condition = entry, self._top(entry, state, last)
                continue
            decided, condition = condition, None
            rest = entries[position + 1 :]
            part = self._compilation.conditional(
                entry,
                anchor,
                state.memory.keys(),
                where,
                is_last=all(map(is_copy, rest)),
                is_repeated=partial(self._repeated, entry, rest, state),
                is_unswitched=entry.loop is None and self._unswitching.is_open(entry.statements[0], self._values.depth),
            )
            self.is_open = self.is_open or part.is_open
            if part.is_selection and anchor is not None:
                self._selection(part, decided, anchor, state)
                last.update((name, state.registers[name]) for name in part.entry.defined)
            else:
                self.definitions.extend((name, last.pop(name)) for name in sorted(part.entry.defined & last.keys()))
                if entry.loop is None:
                    self._conditional(part, state, anchor if self._compilation.selects_most else None)
                else:
                    self._loop(entry, entry.loop, state)
            if part.behind is not None:
                self._top(part.behind, state, last)
        self.definitions.extend(last.items())

    def _top(self, statement: StatementDomain, state: State, last: dict[str, Node]) -> Node:
        """Add a statement of a block, whose ``last`` definitions are kept."""
        node = self._statement(statement, state)
        if isinstance(statement.node.target, Register):
            name = statement.node.target.name
            if name in last and last[name].value.type.scalar.is_integer:
                self.definitions.append((name, last[name]))  # a subscript that data choose may use it
            last[name] = node
        return node

    def _repeated(self, entry: Branches, rest: Sequence[Entry], state: State, anchor: StatementDomain) -> bool:
        """Add what a branch computes and statements behind the conditional do once more; return whether there is any.

        A compiler makes the other branch compute it too (partial redundancy elimination), which is as often.
        """
        behind = [each for each in rest if isinstance(each, StatementDomain)]
        structures = Structures()
        later = {number for number, _ in redundant_in(behind, structures)}
        changed = entry.defined | {each.node.target.name for each in behind if isinstance(each.node.target, Register)}
        found = [part for number, part in redundant_in(entry.statements, structures) if number in later]
        is_found = False
        for part in dict.fromkeys(found):
            if not any(isinstance(each, Register) and each.name in changed for each in walk_values(part)):
                there = replace(anchor, node=anchor.node)
                is_found |= self._values.node(part, there, state).statement is there
        return is_found

    def _selection(self, part: Conditional, condition: Node | None, anchor: StatementDomain, state: State) -> None:
        """Add a conditional as a choice between two values, both computed where ``anchor`` is.

        Two are the same choice where the statements before them evaluate the same condition.
        """
        entry = part.entry
        branches = [state.copy(), state.copy()]
        made: dict[Node, StatementDomain] = {}
        for index, body in entry.bodies.items():
            inner: Node | None = None
            for each in body:
                if isinstance(each, Branches):
                    nested = Conditional(each, is_selection=True, is_open=part.is_open)
                    self._selection(nested, inner, anchor, branches[index])
                    continue
                there = replace(anchor, node=each.node)
                self.branches[there] = each
                inner = self._statement(there, branches[index])
                if inner.statement is there:
                    made[inner] = each
        is_evaluated = condition is not None and condition.operation in CONDITIONS
        decided = condition if condition is not None and is_evaluated else Node(_DECISION, (), anchor, 0)
        for name in sorted(entry.defined):
            chosen = tuple(self._values.register(Register(name, UNTYPED), name, anchor, branch) for branch in branches)
            kind = next((node.value.type for node in chosen if node.value.type != UNTYPED), UNTYPED)
            key = ("selection", id(decided), *map(identity_of, chosen))
            selection = self._values.known(key, Apply(Operation.SELECT, kind, ()), (decided, *chosen), anchor)
            state.registers[name] = selection
            self.assigned.setdefault(selection, []).append(anchor)
            ordered = chosen if part.is_end_merged else chosen[::-1]
            last = next((node for node in ordered if node in made), None)
            if last is not None:
                other = chosen[0] if last is chosen[1] else chosen[1]
                self.chosen.append(Chosen(selection, last, other, made[last], part.is_open))

    def _conditional(self, part: Conditional, state: State, around: StatementDomain | None) -> None:
        entry, ends = part.entry, [state.copy()]
        where = Where.OPEN if part.is_open else Where.BRANCH
        for body in entry.bodies.values():
            self._values.frames.append(Frame(self._values.depth))
            ends.append(state.copy())
            self.block(body, ends[-1], around, where)
            self._values.frames.pop()
        self._reach(self._merge(entry, state, self._values.depth), ends)

    def _loop(self, entry: Branches, loop: Loop, state: State) -> None:
        depth = self._values.depth + 1
        before, inside = state.copy(), state.copy()
        entered = self._merge(entry, inside, depth)
        self.entered.extend(entered.values())
        self._values.frames.append(Frame(depth, loop, entry.stored))
        for body in entry.bodies.values():
            self.block(body, inside)
        self._values.frames.pop()
        for leaves in (entered, self._merge(entry, state, depth - 1)):
            self._reach(leaves, (before, inside))

    def _merge(self, entry: Branches, state: State, depth: int) -> dict[str, Node]:
        """Add phi functions for what the entry assigns, and forget what it may have stored."""
        leaves = {name: Node(Register(name, UNTYPED), (), entry.statements[0], depth) for name in entry.defined}
        for name, leaf in leaves.items():
            self.phis[leaf] = []
            state.registers[name] = leaf
        state.forget(entry.stored)
        return leaves

    def _reach(self, leaves: Mapping[str, Node], states: Sequence[State]) -> None:
        """Note what reaches phi functions: the values of the registers in these states."""
        for name, leaf in leaves.items():
            self.phis[leaf].extend(state.registers[name] for state in states if name in state.registers)

    def _statement(self, statement: StatementDomain, state: State) -> Node:
        node = self._values.node(statement.node.value, statement, state)
        match statement.node.target:
            case Access() as access:
                self._store(access, node, statement)
                state.store(access, node)
            case Register(name, kind):
                state.define(name, node)
                if self._values.threads() and kind.scalar.type_class is TypeClass.FLOAT and not is_temporary(name):
                    self.dead.add((name, node))
                self.assigned.setdefault(node, []).append(statement)
            case None:
                if statement.node.barrier is not None:
                    self._values.note_barrier()
                self.needed.append(node)
                self.locations.setdefault(node, []).append(statement)
        return node


_DECISION = Register("condition", BOOL)


def _is_condition(node: Node) -> bool:
    """Return whether a value is a condition, or a choice between some."""
    if node.operation is Operation.SELECT:
        return any(_is_condition(operand) for operand in node.operands[1:])
    return node.operation in CONDITIONS
