"""Value numbering: one node for each value, found again by its operation and operands in the blocks around."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from ...domains.domain import Schedule, StatementDomain
from ...ir.nodes import Loop
from ...ir.nodes import Mapping as LoopMapping
from ...ir.types import ElementType, ScalarType
from ...ir.values import (
    SIGNED,
    Access,
    Apply,
    Constant,
    IndexValue,
    Load,
    Opaque,
    Operation,
    Register,
    Value,
    is_atomic,
    walk_values,
)
from ..policy import Compiler
from ..value_keys import key_of
from .folding import Node, folded, is_reversed, number_of
from .memory import State, is_elsewhere, may_change
from .reads import signed_reads

UNTYPED = ElementType(ScalarType.UNKNOWN)
_IMPURE = frozenset({Operation.TENSOR})


class Frame(Struct):
    """A block of the program: the values that are known in it, and the loop whose body it is."""

    depth: int
    loop: Loop | None = None
    stored: Sequence[Access] = ()
    known: dict[Hashable, Node] = field(default_factory=dict)


class Numbering:
    """Numbers the values of statements; ``frames`` are the blocks around the current one, the whole first.

    ``phis`` has what reaches each phi function, ``read`` the registers that are read, ``read_nodes`` their values and
    ``read_phis`` those of them that are phi functions.  ``loads`` are the elements that were loaded, by array, and
    ``unread`` the last stores of each block that were not loaded since, to elements that nothing else leads to.
    """

    def __init__(
        self,
        pure: frozenset[str],
        prologues: Mapping[str, str],
        compiler: Compiler,
        statements: Sequence[StatementDomain],
    ) -> None:
        """Start without values; calls of ``pure`` functions of the same operands are one.

        ``prologues`` are those of :mod:`.graph`, ``statements`` all that are to be numbered.
        """
        self._statements = statements
        self._pure = pure
        self._prologues = prologues
        self._compiler = compiler
        self.frames = [Frame(0)]
        self.phis: dict[Node, list[Node]] = {}
        self.read: set[str] = set()
        self.read_nodes: set[Node] = set()
        self.read_phis: dict[Node, None] = {}
        self.loads: dict[str, list[Access]] = {}
        self.unread: dict[tuple[Access, Schedule], StatementDomain] = {}

    @cached_property
    def _reads(self) -> Mapping[str, int]:
        """Return how often registers are read where their sign matters."""
        return signed_reads(self._statements)

    @property
    def depth(self) -> int:
        """Return the number of loops around the current block."""
        return self.frames[-1].depth

    def node(self, value: Value, statement: StatementDomain, state: State) -> Node:
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
                    stack.append(self.register(part, name, statement, state))
                case Load(access):
                    stack.append(self._load(part, access, statement, state))
                case Constant():
                    stack.append(self.known(key_of(part), part, (), statement))
                case IndexValue(index):
                    depth = self._varies_with(index.names())
                    stack.append(self.known(key_of(part), part, (), statement, depth))
        return stack[-1]

    def _apply(self, part: Apply | Opaque, operands: tuple[Node, ...], statement: StatementDomain) -> Node:
        if isinstance(part, Opaque):
            self.unread = {key: store for key, store in self.unread.items() if key[0].private}
            return Node(part, operands, statement, self.depth)
        if part.operation in SIGNED and self._has_sign_of_its_own(part, operands):
            return self._without_signs(part, operands, statement)
        if self._compiler is Compiler.NVCC and is_reversed(part, operands):
            return self._reversed(part, operands, statement)
        left, operands = folded(part, operands, self._compiler)
        if isinstance(left, Node):
            return left
        if isinstance(left, Constant):
            return self.known(key_of(left), left, (), statement)
        if not self._is_pure(left):
            return Node(left, operands, statement, self.depth)
        if left.function in self._prologues:
            name = self._prologues[left.function]
            begun = Apply(Operation.CALL, left.type, (), name)
            key = (name, left.type, identity_of(operands[0]))
            operands = (self.known(key, begun, operands[:1], statement), *operands[1:])
        return self.known(key_of(left, [identity_of(operand) for operand in operands]), left, operands, statement)

    def _has_sign_of_its_own(self, part: Apply, operands: tuple[Node, ...]) -> bool:
        """Return whether an operand is a negative that nothing else needs (LLVM: ``m_OneUse``), or another a number."""
        signed = [
            written
            for written, operand in zip(part.operands, operands, strict=False)
            if operand.operation is Operation.NEG
        ]
        has_number = any(number_of(operand) is not None for operand in operands)
        return bool(signed) and (
            has_number
            or self._compiler is Compiler.CLANG
            or len(signed) == len(operands)
            or any(not isinstance(each, Register) or self._reads.get(each.name, 1) <= 1 for each in signed)
        )

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
            bare[number] = self.known(key_of(negative), negative, (), statement)
            signs = 0
        found = self._apply(part, tuple(bare), statement)
        return found if signs % 2 == 0 else self._apply(Apply(Operation.NEG, part.type, ()), (found,), statement)

    def _reversed(self, part: Apply, operands: tuple[Node, ...], statement: StatementDomain) -> Node:
        """Return ``c - (x - y)`` as ``c + (y - x)``."""
        minuend, difference = operands
        reverse = self._apply(Apply(Operation.SUB, part.type, ()), difference.operands[::-1], statement)
        return self._apply(Apply(Operation.ADD, part.type, ()), (minuend, reverse), statement)

    def _is_pure(self, part: Apply) -> bool:
        if part.operation in _IMPURE or is_atomic(part.function):
            return False
        return part.operation is not Operation.CALL or part.function in self._pure

    def known(
        self, key: Hashable, value: Value, operands: tuple[Node, ...], statement: StatementDomain, depth: int = 0
    ) -> Node:
        """Return the node with this key in the blocks around, or a new one as far out as its operands allow."""
        for frame in reversed(self.frames):
            if key in frame.known:
                return frame.known[key]
        depth = max(depth, self.threads(), *(operand.depth for operand in operands), 0)
        node = Node(value, operands, statement, depth)
        home = next(frame for frame in reversed(self.frames) if frame.depth == depth)
        home.known[key] = node
        return node

    def register(self, part: Register, name: str, statement: StatementDomain, state: State) -> Node:
        """Return the value of a register."""
        self.read.add(name)
        found = state.registers.get(name)
        if found is None and part.type.lanes > 1:
            lanes = [lane for lane in state.registers if lane.startswith(f"{name}.")]
            operands = tuple(self.register(Register(lane, UNTYPED), lane, statement, state) for lane in lanes)
            return Node(part, operands, statement, self.depth)
        if found is None:
            return self._undefined(part, name, statement, state)
        if found in self.phis:
            self.read_phis[found] = None
        self.read_nodes.add(found)
        return found

    def _undefined(self, part: Register, name: str, statement: StatementDomain, state: State) -> Node:
        """Return a register that nothing has defined, or the lane of a vector that something has: ``a.x`` of ``a``."""
        whole = name.rpartition(".")[0]
        if whole not in state.registers:
            return self.known(("register", name), part, (), statement)
        vector = self.register(Register(whole, UNTYPED), whole, statement, state)
        return self.known(("lane", name, id(vector)), part, (vector,), statement)

    def _load(self, part: Load, access: Access, statement: StatementDomain, state: State) -> Node:
        if access.constant and all(subscript.constant is not None for subscript in access.subscripts):
            return self.known(("load", access), part, (), statement)  # may be read in vain, and nothing changes it
        found = state.memory.get(access)
        if found is None or access.atomic:
            found = Node(part, (), statement, self._load_depth(access))
            self.loads.setdefault(access.array, []).append(access)
            self.note_read(access)
            if not access.atomic:
                state.memory[access] = found
        return found

    def note_read(self, access: Access) -> None:
        """Note that something reads what may be the last value that was stored to an element.

        An atomic update orders all memory for clang, nvcc looks at its own element (machine code of both).
        """
        if access.atomic and self._compiler is Compiler.CLANG:
            self.unread = {key: store for key, store in self.unread.items() if key[0].private}
        self.unread = {
            key: store
            for key, store in self.unread.items()
            if key[0].array != access.array or is_elsewhere(access, key[0])
        }

    def note_barrier(self) -> None:
        """Note that other threads may read what was stored in shared memory."""
        self.unread = {key: store for key, store in self.unread.items() if not key[0].shared}

    def _load_depth(self, access: Access) -> int:
        """Return the loops around a load: it stays in a conditional, and in a loop that varies it or may change it."""
        names: frozenset[str] = frozenset().union(*(subscript.names() for subscript in access.subscripts))
        for frame in reversed(self.frames):
            loop = frame.loop
            if loop is None or loop.mapping is not LoopMapping.SEQUENTIAL or access.atomic:
                return frame.depth
            if loop.iterator in names or may_change(frame.stored, access):
                return frame.depth
        return 0

    def threads(self) -> int:
        """Return the number of loops that nothing leaves: those up to the last one that is not sequential."""
        return max(
            (f.depth for f in self.frames if f.loop is not None and f.loop.mapping is not LoopMapping.SEQUENTIAL),
            default=0,
        )

    def _varies_with(self, names: frozenset[str]) -> int:
        return max((f.depth for f in self.frames if f.loop is not None and f.loop.iterator in names), default=0)


def identity_of(node: Node) -> Hashable:
    """Return what makes two nodes the same value."""
    return key_of(node.value) if isinstance(node.value, Constant) else id(node)
