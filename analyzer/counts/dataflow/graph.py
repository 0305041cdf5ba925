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

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct, field
from msgspec.structs import replace

from ...domains.domain import Schedule, StatementDomain
from ...ir.nodes import Loop
from ...ir.nodes import Mapping as LoopMapping
from ...ir.types import BOOL, ElementType, ScalarType, TypeClass
from ...ir.values import Access, Apply, Constant, IndexValue, Load, Opaque, Operation, Register, Value, walk_values
from .branches import CONDITIONS, Branches, Entry, entries_of
from .folding import Node, folded, number_of

_COMMUTATIVE = frozenset({Operation.ADD, Operation.MUL, Operation.MIN, Operation.MAX, Operation.LOGICAL})
_SIGNED = frozenset({Operation.MUL, Operation.DIV})
_IMPURE = frozenset({Operation.TENSOR})


class ValueGraph(Struct, frozen=True):
    """What must be computed: ``stored`` values go to memory, ``needed`` ones are wanted for another reason.

    ``locations`` are the statements that do so.  ``last`` are the last operations before a choice between two values,
    with the statements that they are of, under the condition.
    """

    stored: tuple[Node, ...]
    needed: tuple[Node, ...]
    locations: Mapping[Node, Sequence[StatementDomain]]
    last: Mapping[Node, StatementDomain]


def value_graph(
    statements: Sequence[StatementDomain],
    pure: frozenset[str],
    prologues: Mapping[str, str] = MappingProxyType({}),
) -> ValueGraph:
    """Return the graph of a region's statements; calls of ``pure`` functions with the same operands are one call.

    Functions with the same name in ``prologues`` begin with the same computation on their first operand, a call of
    that name.
    """
    is_kernel = any(loop.mapping.is_of_grid for statement in statements[:1] for loop in statement.loops)
    builder = _Builder(pure, prologues, is_kernel=is_kernel)
    builder.block(entries_of(list(statements), 0), _State({}, {}))
    builder.drop_dead_stores()
    unread = [
        node for name, node in builder.definitions if builder.is_unread(name, node) and (name, node) not in builder.dead
    ]
    left = [*unread, *builder.merged((*builder.stored, *builder.needed, *unread))]
    for node in left:
        builder.locations.setdefault(node, []).extend(builder.assigned.get(node, ()))
    return ValueGraph(tuple(builder.stored), (*builder.needed, *left), builder.locations, builder.last)


class _State(Struct):
    """The value of each register, and of each element of memory, at a place of the program."""

    registers: dict[str, Node]
    memory: dict[Access, Node]

    def copy(self) -> _State:
        return _State(dict(self.registers), dict(self.memory))

    def forget(self, stored: Sequence[Access]) -> None:
        """Drop what stores somewhere in these arrays may have changed."""
        self.memory = {location: node for location, node in self.memory.items() if not _may_change(stored, location)}

    def store(self, access: Access, node: Node) -> None:
        """Drop what may be the same location, and keep the value.

        Not in shared memory: threads wait for each other before they read it.
        """
        self.memory = {
            location: known
            for location, known in self.memory.items()
            if not _may_change((access,), location) or _is_elsewhere(location, access)
        }
        if not (access.atomic or access.shared):
            self.memory[access] = node


class _Frame(Struct):
    """A block of the program: the values that are known in it, and the loop whose body it is."""

    depth: int
    loop: Loop | None = None
    stored: Sequence[Access] = ()
    known: dict[Hashable, Node] = field(default_factory=dict)


class _Builder:
    """Walks the statements in order; frames are the blocks around the current one."""

    def __init__(self, pure: frozenset[str], prologues: Mapping[str, str], *, is_kernel: bool) -> None:
        self._is_kernel = is_kernel
        self._stores: dict[StatementDomain, tuple[Access, Node]] = {}
        self._unread: dict[tuple[Access, Schedule], StatementDomain] = {}
        self._loads: dict[str, list[Access]] = {}
        self.locations: dict[Node, list[StatementDomain]] = {}
        self.assigned: dict[Node, list[StatementDomain]] = {}
        self._prologues = prologues
        self.stored: list[Node] = []
        self.needed: list[Node] = []
        self.definitions: list[tuple[str, Node]] = []
        self.last: dict[Node, StatementDomain] = {}
        self.read: set[str] = set()
        self._read_nodes: set[Node] = set()
        self.dead: set[tuple[str, Node]] = set()
        self._pure = pure
        self._phis: dict[Node, list[Node]] = {}
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
            if not access.private or any(not _is_elsewhere(load, access) for load in loads):
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
            for source in self._phis.get(node, ()):
                pending.append(source)
                if source not in self._phis:
                    yield source

    def is_unread(self, name: str, node: Node) -> bool:
        """Return whether no value uses a register, or this integer in it: subscripts that data choose may.

        Conditions are used by conditionals.
        """
        if name not in self.read or (name.startswith("$") and _is_condition(node)):
            return True
        return node.value.type.scalar.is_integer and node not in self._read_nodes

    def block(self, entries: Sequence[Entry], state: _State) -> None:
        """Add one list of statements; its last definitions are what reaches the phi functions behind it."""
        last: dict[str, Node] = {}
        condition: Node | None = None
        anchor = next((entry for entry in entries if isinstance(entry, StatementDomain)), None)
        for entry in entries:
            if isinstance(entry, StatementDomain):
                anchor = entry
                condition = node = self._statement(entry, state)
                if isinstance(entry.node.target, Register):
                    name = entry.node.target.name
                    if name in last and last[name].value.type.scalar.is_integer:
                        self.definitions.append((name, last[name]))  # a subscript that data choose may use it
                    last[name] = node
                continue
            decided, condition = condition, None
            if anchor is not None and entry.is_selection(state.memory.keys()):
                self._selection(entry, decided, anchor, state)
                last.update((name, state.registers[name]) for name in entry.defined)
                continue
            self.definitions.extend((name, last.pop(name)) for name in sorted(entry.defined & last.keys()))
            if entry.loop is None:
                self._conditional(entry, state)
            else:
                self._loop(entry, entry.loop, state)
        self.definitions.extend(last.items())

    def _selection(self, entry: Branches, condition: Node | None, anchor: StatementDomain, state: _State) -> None:
        """Add a conditional as a choice between two values, both computed where ``anchor`` is.

        Two are the same choice where the statements before them evaluate the same condition.
        """
        branches = [state.copy(), state.copy()]
        made: dict[Node, StatementDomain] = {}
        for index, body in entry.bodies.items():
            inner: Node | None = None
            for part in body:
                if isinstance(part, Branches):
                    self._selection(part, inner, anchor, branches[index])
                    continue
                there = replace(anchor, node=part.node)
                inner = self._statement(there, branches[index])
                if inner.statement is there:
                    made[inner] = part
        is_evaluated = condition is not None and condition.operation in CONDITIONS
        decided = condition if condition is not None and is_evaluated else Node(_DECISION, (), anchor, 0)
        for name in sorted(entry.defined):
            chosen = tuple(self._register(Register(name, _UNTYPED), name, anchor, branch) for branch in branches)
            kind = next((node.value.type for node in chosen if node.value.type != _UNTYPED), _UNTYPED)
            key = ("selection", id(decided), *map(_identity, chosen))
            state.registers[name] = self._known(key, Apply(Operation.SELECT, kind, ()), (decided, *chosen), anchor)
            last = next((node for node in reversed(chosen) if node in made), None)
            if last is not None:
                self.last[last] = made[last]

    def _conditional(self, entry: Branches, state: _State) -> None:
        ends = [state.copy()]
        for body in entry.bodies.values():
            self._frames.append(_Frame(self._frames[-1].depth))
            ends.append(state.copy())
            self.block(body, ends[-1])
            self._frames.pop()
        self._reach(self._merge(entry, state, self._frames[-1].depth), ends)

    def _loop(self, entry: Branches, loop: Loop, state: _State) -> None:
        depth = self._frames[-1].depth + 1
        before, inside = state.copy(), state.copy()
        entered = self._merge(entry, inside, depth)
        self._frames.append(_Frame(depth, loop, entry.stored))
        for body in entry.bodies.values():
            self.block(body, inside)
        self._frames.pop()
        for leaves in (entered, self._merge(entry, state, depth - 1)):
            self._reach(leaves, (before, inside))

    def _merge(self, entry: Branches, state: _State, depth: int) -> dict[str, Node]:
        """Add phi functions for what the entry assigns, and forget what it may have stored."""
        leaves = {name: Node(Register(name, _UNTYPED), (), entry.statements[0], depth) for name in entry.defined}
        for name, leaf in leaves.items():
            self._phis[leaf] = []
            state.registers[name] = leaf
        state.forget(entry.stored)
        return leaves

    def _reach(self, leaves: Mapping[str, Node], states: Sequence[_State]) -> None:
        """Note what reaches phi functions: the values of the registers in these states."""
        for name, leaf in leaves.items():
            self._phis[leaf].extend(state.registers[name] for state in states if name in state.registers)

    def _statement(self, statement: StatementDomain, state: _State) -> Node:
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

    def _node(self, value: Value, statement: StatementDomain, state: _State) -> Node:
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
        left, operands = folded(part, operands)
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

    def _register(self, part: Register, name: str, statement: StatementDomain, state: _State) -> Node:
        self.read.add(name)
        found = state.registers.get(name)
        if found is None and part.type.lanes > 1:
            lanes = [lane for lane in state.registers if lane.startswith(f"{name}.")]
            operands = tuple(self._register(Register(lane, _UNTYPED), lane, statement, state) for lane in lanes)
            return Node(part, operands, statement, self._frames[-1].depth)
        if found is None:
            return self._known(("register", name), part, (), statement)
        if found in self._phis:
            self._read_phis[found] = None
        self._read_nodes.add(found)
        return found

    def _load(self, part: Load, access: Access, statement: StatementDomain, state: _State) -> Node:
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
            if loop.iterator in names or _may_change(frame.stored, access):
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


def _may_change(stored: Sequence[Access], location: Access) -> bool:
    """Return whether stores may change a location: one of its type, in its array or in one that may overlap."""
    return any(
        access.type.scalar is location.type.scalar
        and (access.array == location.array or not (access.unaliased or location.unaliased))
        for access in stored
    )


def _is_elsewhere(location: Access, other: Access) -> bool:
    """Return whether two accesses of the same scalar type are to different locations for certain.

    They are elements of one array.
    """
    if location.array != other.array or location.strides_bytes != other.strides_bytes or location.type != other.type:
        return False
    distances = [(a - b).constant for a, b in zip(location.subscripts, other.subscripts, strict=True)]
    if location.offset_bytes != other.offset_bytes and all(distance == 0 for distance in distances):
        return True
    return location.offset_bytes == other.offset_bytes and any(distance not in (None, 0) for distance in distances)


def _identity(node: Node) -> Hashable:
    """Return what makes two nodes the same value."""
    return (repr(node.value.number), node.value.type) if isinstance(node.value, Constant) else id(node)
