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
  neither are those that are stored again before they are loaded.
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

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from types import MappingProxyType

from msgspec import Struct, field
from msgspec.structs import replace

from ...domains.domain import Schedule, StatementDomain
from ...ir.nodes import Loop
from ...ir.nodes import Mapping as LoopMapping
from ...ir.types import BOOL, ElementType, ScalarType, TypeClass
from ...ir.values import Access, Apply, Constant, IndexValue, Load, Opaque, Operation, Register, Value, walk_values
from ..policy import Compiler
from .branches import CONDITIONS, Branches, Entry, entries_of
from .folding import Node, folded, number_of
from .memory import State, is_elsewhere, may_change
from .merging import arithmetic_of, read_once, registers_merged, stores_merged
from .speculation import is_selection

_COMMUTATIVE = frozenset({Operation.ADD, Operation.MUL, Operation.MIN, Operation.MAX, Operation.LOGICAL})
_SIGNED = frozenset({Operation.MUL, Operation.DIV})
_IMPURE = frozenset({Operation.TENSOR})


class Chosen(Struct, frozen=True):
    """Two values of which one is selected: the ``last`` that is computed, where it is needed, and the ``other``."""

    selection: Node
    last: Node
    other: Node
    needed_at: StatementDomain


class ValueGraph(Struct, frozen=True):
    """What must be computed: ``stored`` values go to memory, ``needed`` ones are wanted for another reason.

    ``locations`` are the statements that do so.  ``chosen`` are choices between two values, of branches that are both
    computed; ``merged`` are the values of registers that branches which are not, and loops, leave behind; ``carried``
    has, by the value that a register has in an iteration, what it may come from.
    """

    stored: tuple[Node, ...]
    needed: tuple[Node, ...]
    locations: Mapping[Node, Sequence[StatementDomain]]
    chosen: Sequence[Chosen]
    merged: Set[Node]
    carried: Mapping[Node, Sequence[Node]]


def value_graph(
    statements: Sequence[StatementDomain],
    pure: frozenset[str],
    prologues: Mapping[str, str] = MappingProxyType({}),
    compiler: Compiler = Compiler.CLANG,
) -> ValueGraph:
    """Return the graph of a region's statements; calls of ``pure`` functions with the same operands are one call.

    Functions with the same name in ``prologues`` begin with the same computation on their first operand, a call of
    that name.
    """
    is_kernel = any(loop.mapping.is_of_grid for statement in statements[:1] for loop in statement.loops)
    builder = _Builder(pure, prologues, compiler, read_once(statements), is_kernel=is_kernel)
    builder.block(entries_of(list(statements), 0), State({}, {}))
    builder.drop_dead_stores()
    unread = [
        node for name, node in builder.definitions if builder.is_unread(name, node) and (name, node) not in builder.dead
    ]
    merged = list(builder.merged((*builder.stored, *builder.needed, *unread)))
    left = [*unread, *merged]
    for node in left:
        builder.locations.setdefault(node, []).extend(builder.assigned.get(node, ()))
    needed = (*builder.needed, *left)
    carried = {leaf: builder.phis[leaf] for leaf in builder.entered}
    return ValueGraph(tuple(builder.stored), needed, builder.locations, builder.chosen, frozenset(merged), carried)


class _Conditional(Struct, frozen=True):
    """A conditional as a compiler has it, what follows ``behind`` it, and whether both branches are computed."""

    entry: Branches
    is_selection: bool
    behind: StatementDomain | None = None
    is_end_merged: bool = False


class _Frame(Struct):
    """A block of the program: the values that are known in it, and the loop whose body it is."""

    depth: int
    loop: Loop | None = None
    stored: Sequence[Access] = ()
    known: dict[Hashable, Node] = field(default_factory=dict)


class _Builder:
    """Walks the statements in order; frames are the blocks around the current one."""

    def __init__(
        self,
        pure: frozenset[str],
        prologues: Mapping[str, str],
        compiler: Compiler,
        read_once: Set[str],
        *,
        is_kernel: bool,
    ) -> None:
        self._is_kernel = is_kernel
        self._compiler = compiler
        self._read_once = read_once
        self._stores: dict[StatementDomain, tuple[Access, Node]] = {}
        self._unread: dict[tuple[Access, Schedule], StatementDomain] = {}
        self._loads: dict[str, list[Access]] = {}
        self.locations: dict[Node, list[StatementDomain]] = {}
        self.assigned: dict[Node, list[StatementDomain]] = {}
        self._prologues = prologues
        self.stored: list[Node] = []
        self.needed: list[Node] = []
        self.definitions: list[tuple[str, Node]] = []
        self.chosen: list[Chosen] = []
        self.entered: list[Node] = []
        self.read: set[str] = set()
        self._read_nodes: set[Node] = set()
        self.dead: set[tuple[str, Node]] = set()
        self._pure = pure
        self.phis: dict[Node, list[Node]] = {}
        self._read_phis: dict[Node, None] = {}
        self._frames = [_Frame(0)]

    def _store(self, access: Access, node: Node, statement: StatementDomain) -> None:
        """Note a store; the one before it to the same private location in this block is dead unless it was read."""
        key = (access, statement.schedule[:-1])
        if access.private and not access.atomic:
            overwritten = self._unread.pop(key, None)
            if overwritten is not None:
                del self._stores[overwritten]
            self._unread[key] = statement
        self._stores[statement] = (access, node)

    def drop_dead_stores(self) -> None:
        """Keep the stores but those to elements of private arrays that are never loaded: their values are forwarded."""
        for statement, (access, node) in self._stores.items():
            loads = self._loads.get(access.array, ())
            if not access.private or any(not is_elsewhere(load, access) for load in loads):
                self.stored.append(node)
                self.locations.setdefault(node, []).append(statement)

    def merged(self, wanted: Iterable[Node]) -> Iterator[Node]:
        """Yield the values that reach phi functions which ``wanted`` ones are made of, directly or by others.

        Outside of kernels those that reach any phi function that is read, since callers may want results.
        """
        seen: set[Node] = set()
        pending = [*wanted, *(() if self._is_kernel else self._read_phis)]
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
        if name not in self.read or (name.startswith("$") and _is_condition(node)):
            return True
        return node.value.type.scalar.is_integer and node not in self._read_nodes

    def block(self, entries: Sequence[Entry], state: State) -> None:
        """Add one list of statements; its last definitions are what reaches the phi functions behind it."""
        last: dict[str, Node] = {}
        condition: Node | None = None
        anchor = next((entry for entry in entries if isinstance(entry, StatementDomain)), None)
        for position, entry in enumerate(entries):
            if isinstance(entry, StatementDomain):
                anchor, condition = entry, self._top(entry, state, last)
                continue
            decided, condition = condition, None
            part = self._compiled(entry, entries[position + 1 :], anchor, state)
            if part.is_selection and anchor is not None:
                self._selection(part, decided, anchor, state)
                last.update((name, state.registers[name]) for name in part.entry.defined)
            else:
                self.definitions.extend((name, last.pop(name)) for name in sorted(part.entry.defined & last.keys()))
                if entry.loop is None:
                    self._conditional(part.entry, state)
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

    def _compiled(
        self, entry: Branches, rest: Sequence[Entry], anchor: StatementDomain | None, state: State
    ) -> _Conditional:
        """Return a conditional as the compiler has it; what it computes in both cases has been added."""
        known = state.memory.keys()
        if anchor is None or entry.loop is not None or self._compiler is Compiler.CLANG:
            return _Conditional(entry, is_selection(entry, known, self._compiler))
        is_repeated = self._repeated(entry, rest, anchor, state)
        merged = None if is_repeated else stores_merged(entry)
        is_end_merged = merged is not None
        if merged is not None:
            waits = any(
                isinstance(part, Register) and part.name in self._read_once
                for statement in merged.entry.statements
                for part in walk_values(statement.node.value)
            )
            chosen = not waits and is_selection(merged.entry, known, self._compiler, is_end_merged=True)
        else:
            chosen = is_selection(entry, known, self._compiler)
            merged = registers_merged(entry) if chosen else None
        if merged is None:
            return _Conditional(entry, chosen)
        return _Conditional(merged.entry, chosen, replace(anchor, node=merged.behind.node), is_end_merged=is_end_merged)

    def _repeated(self, entry: Branches, rest: Sequence[Entry], anchor: StatementDomain, state: State) -> bool:
        """Add what a branch computes and statements behind the conditional do once more; return whether there is any.

        A compiler makes the other branch compute it too (partial redundancy elimination), which is as often.
        """
        later = {part: None for each in rest if isinstance(each, StatementDomain) for part in arithmetic_of(each)}
        changed = entry.defined | {
            each.node.target.name
            for each in rest
            if isinstance(each, StatementDomain) and isinstance(each.node.target, Register)
        }
        found = [part for statement in entry.statements for part in arithmetic_of(statement) if part in later]
        is_found = False
        for part in dict.fromkeys(found):
            if not any(isinstance(each, Register) and each.name in changed for each in walk_values(part)):
                there = replace(anchor, node=anchor.node)
                is_found |= self._node(part, there, state).statement is there
        return is_found

    def _selection(self, part: _Conditional, condition: Node | None, anchor: StatementDomain, state: State) -> None:
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
                    self._selection(_Conditional(each, is_selection=True), inner, anchor, branches[index])
                    continue
                there = replace(anchor, node=each.node)
                inner = self._statement(there, branches[index])
                if inner.statement is there:
                    made[inner] = each
        is_evaluated = condition is not None and condition.operation in CONDITIONS
        decided = condition if condition is not None and is_evaluated else Node(_DECISION, (), anchor, 0)
        for name in sorted(entry.defined):
            chosen = tuple(self._register(Register(name, _UNTYPED), name, anchor, branch) for branch in branches)
            kind = next((node.value.type for node in chosen if node.value.type != _UNTYPED), _UNTYPED)
            key = ("selection", id(decided), *map(_identity, chosen))
            selection = self._known(key, Apply(Operation.SELECT, kind, ()), (decided, *chosen), anchor)
            state.registers[name] = selection
            ordered = chosen if part.is_end_merged else chosen[::-1]
            last = next((node for node in ordered if node in made), None)
            if last is not None:
                other = chosen[0] if last is chosen[1] else chosen[1]
                self.chosen.append(Chosen(selection, last, other, made[last]))

    def _conditional(self, entry: Branches, state: State) -> None:
        ends = [state.copy()]
        for body in entry.bodies.values():
            self._frames.append(_Frame(self._frames[-1].depth))
            ends.append(state.copy())
            self.block(body, ends[-1])
            self._frames.pop()
        self._reach(self._merge(entry, state, self._frames[-1].depth), ends)

    def _loop(self, entry: Branches, loop: Loop, state: State) -> None:
        depth = self._frames[-1].depth + 1
        before, inside = state.copy(), state.copy()
        entered = self._merge(entry, inside, depth)
        self.entered.extend(entered.values())
        self._frames.append(_Frame(depth, loop, entry.stored))
        for body in entry.bodies.values():
            self.block(body, inside)
        self._frames.pop()
        for leaves in (entered, self._merge(entry, state, depth - 1)):
            self._reach(leaves, (before, inside))

    def _merge(self, entry: Branches, state: State, depth: int) -> dict[str, Node]:
        """Add phi functions for what the entry assigns, and forget what it may have stored."""
        leaves = {name: Node(Register(name, _UNTYPED), (), entry.statements[0], depth) for name in entry.defined}
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
        node = self._node(statement.node.value, statement, state)
        match statement.node.target:
            case Access() as access:
                self._store(access, node, statement)
                state.store(access, node)
            case Register(name, kind):
                state.registers[name] = node
                if self._threads() and kind.scalar.type_class is TypeClass.FLOAT and not name.startswith("$"):
                    self.dead.add((name, node))
                self.assigned.setdefault(node, []).append(statement)
            case None:
                self.needed.append(node)
                self.locations.setdefault(node, []).append(statement)
        return node

    def _node(self, value: Value, statement: StatementDomain, state: State) -> Node:
        """Return the node of a value tree, operands first."""
        stack: list[Node] = []
        for part in walk_values(value):
            match part:
                case Apply() | Opaque():
                    first = len(stack) - len(part.operands)
                    operands = tuple(stack[first:])
                    del stack[first:]
                    stack.append(self._apply(part, operands, statement))
                case Register(name):
                    stack.append(self._register(part, name, statement, state))
                case Load(access):
                    stack.append(self._load(part, access, statement, state))
                case Constant():
                    stack.append(self._known(("constant", repr(part.number), part.type), part, (), statement))
                case IndexValue(index):
                    depth = self._varies_with(index.names())
                    stack.append(self._known((index, part.type), part, (), statement, depth))
        return stack[-1]

    def _apply(self, part: Apply | Opaque, operands: tuple[Node, ...], statement: StatementDomain) -> Node:
        if isinstance(part, Opaque):
            return Node(part, operands, statement, self._frames[-1].depth)
        if part.operation in _SIGNED and any(operand.operation is Operation.NEG for operand in operands):
            return self._without_signs(part, operands, statement)
        left, operands = folded(part, operands, self._compiler)
        if isinstance(left, Node):
            return left
        if isinstance(left, Constant):
            return self._known(("constant", repr(left.number), left.type), left, (), statement)
        if not self._is_pure(left):
            return Node(left, operands, statement, self._frames[-1].depth)
        if left.function in self._prologues:
            name = self._prologues[left.function]
            begun = Apply(Operation.CALL, left.type, (), name)
            key = (name, left.type, _identity(operands[0]))
            operands = (self._known(key, begun, operands[:1], statement), *operands[1:])
        identities = [_identity(operand) for operand in operands]
        if left.operation in _COMMUTATIVE:
            identities.sort(key=str)
        return self._known((left.operation, left.type, left.function, *identities), left, operands, statement)

    def _without_signs(self, part: Apply, operands: tuple[Node, ...], statement: StatementDomain) -> Node:
        """Return a product or quotient with its sign taken last: ``-x*y`` is ``-(x*y)``, ``-x*3`` is ``x*-3``."""
        signs = sum(operand.operation is Operation.NEG for operand in operands)
        bare = [operand.operands[0] if operand.operation is Operation.NEG else operand for operand in operands]
        number = next((position for position, operand in enumerate(bare) if number_of(operand) is not None), None)
        if signs % 2 and number is not None:
            value = bare[number].value
            assert isinstance(value, Constant)
            assert value.number is not None
            negative = replace(value, number=-value.number)
            bare[number] = self._known(("constant", repr(negative.number), negative.type), negative, (), statement)
            signs = 0
        found = self._apply(part, tuple(bare), statement)
        return found if signs % 2 == 0 else self._apply(Apply(Operation.NEG, part.type, ()), (found,), statement)

    def _is_pure(self, part: Apply) -> bool:
        if part.operation in _IMPURE or part.function.startswith("atomic"):
            return False
        return part.operation is not Operation.CALL or part.function in self._pure

    def _known(
        self, key: Hashable, value: Value, operands: tuple[Node, ...], statement: StatementDomain, depth: int = 0
    ) -> Node:
        """Return the node with this key in the blocks around, or a new one as far out as its operands allow."""
        for frame in reversed(self._frames):
            if key in frame.known:
                return frame.known[key]
        depth = max(depth, self._threads(), *(operand.depth for operand in operands), 0)
        node = Node(value, operands, statement, depth)
        home = next(frame for frame in reversed(self._frames) if frame.depth == depth)
        home.known[key] = node
        return node

    def _register(self, part: Register, name: str, statement: StatementDomain, state: State) -> Node:
        self.read.add(name)
        found = state.registers.get(name)
        if found is None and part.type.lanes > 1:
            lanes = [lane for lane in state.registers if lane.startswith(f"{name}.")]
            operands = tuple(self._register(Register(lane, _UNTYPED), lane, statement, state) for lane in lanes)
            return Node(part, operands, statement, self._frames[-1].depth)
        if found is None:
            return self._known(("register", name), part, (), statement)
        if found in self.phis:
            self._read_phis[found] = None
        self._read_nodes.add(found)
        return found

    def _load(self, part: Load, access: Access, statement: StatementDomain, state: State) -> Node:
        found = state.memory.get(access)
        if found is None or access.atomic:
            found = Node(part, (), statement, self._load_depth(access))
            self._loads.setdefault(access.array, []).append(access)
            self._unread = {key: store for key, store in self._unread.items() if key[0].array != access.array}
            if not access.atomic:
                state.memory[access] = found
        return found

    def _load_depth(self, access: Access) -> int:
        """Return the loops around a load: it stays in a conditional, and in a loop that varies it or may change it."""
        names: frozenset[str] = frozenset().union(*(subscript.names() for subscript in access.subscripts))
        for frame in reversed(self._frames):
            loop = frame.loop
            if loop is None or loop.mapping is not LoopMapping.SEQUENTIAL or access.atomic:
                return frame.depth
            if loop.iterator in names or may_change(frame.stored, access):
                return frame.depth
        return 0

    def _threads(self) -> int:
        """Return the number of loops that nothing leaves: those up to the last one that is not sequential."""
        return max(
            (f.depth for f in self._frames if f.loop is not None and f.loop.mapping is not LoopMapping.SEQUENTIAL),
            default=0,
        )

    def _varies_with(self, names: frozenset[str]) -> int:
        return max((f.depth for f in self._frames if f.loop is not None and f.loop.iterator in names), default=0)


_UNTYPED = ElementType(ScalarType.UNKNOWN)
_DECISION = Register("condition", BOOL)


def _is_condition(node: Node) -> bool:
    """Return whether a value is a condition, or a choice between some."""
    if node.operation is Operation.SELECT:
        return any(_is_condition(operand) for operand in node.operands[1:])
    return node.operation in CONDITIONS


def _identity(node: Node) -> Hashable:
    """Return what makes two nodes the same value."""
    return (repr(node.value.number), node.value.type) if isinstance(node.value, Constant) else id(node)
