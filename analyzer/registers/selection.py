"""The instructions of a kernel, as nvcc makes them of its IR.

Input: a kernel as its source has it, lowered without a launch.  Output: :data:`.code.Code`, before it is scheduled.

* Loops of few iterations are unrolled in whole (:mod:`..ir.passes.unrolled`), innermost ones of an unknown number of
  iterations in part, where their instructions are few.
* Equal operations on equal operands are one value where the first is computed in a block around; elements that are in
  registers are not loaded again until a barrier, or a store to the array.
* A variable is the value that was assigned last.  Where branches meet, and at the start of a loop that assigns it, it
  is a copy.  Truths are in predicates, signs in the operands of other instructions.
* Divisions and functions take registers more while they are computed (:mod:`.costs`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from msgspec import Struct

from ..ir.conditions import leaves
from ..ir.index import var
from ..ir.index.divisions import FloorDiv
from ..ir.nodes import (
    Compare,
    Condition,
    DataDependent,
    Exit,
    Geometric,
    Guard,
    Loop,
    MemorySpace,
    Node,
    Region,
    Statement,
    Strided,
    Uncounted,
)
from ..ir.passes.substitute import bind_nodes
from ..ir.traverse import all_nodes
from ..ir.types import ElementType
from ..ir.values import (
    Access,
    Apply,
    Constant,
    IndexValue,
    Load,
    Opaque,
    Operation,
    Register,
    Value,
    operands_of,
    walk_values,
)
from .addresses import Addresses
from .code import Code, Either, Instruction, Kind, Repeated
from .costs import extra_registers, is_called
from .scopes import Scope

_SIGNS = (Operation.NEG, Operation.ABS)
_TRUTHS = (Operation.COMPARE, Operation.LOGICAL)
_MANY = 2000  # statements beyond which each variable is taken to be assigned several times
_MOST_STATED = 8  # copies of a loop by `#pragma unroll n` that are laid out


class Unrolling(Struct, frozen=True):
    """How often the body of a loop of unknown length is repeated, and the operations of all repetitions at the most."""

    copies: int
    operations: int


class Selection(Addresses):
    """Makes the code of a kernel; ``streams`` says that a loop was unrolled in part that refers to memory.

    ``calls`` says that a function is called which is no part of the kernel.
    """

    def __init__(self, region: Region, unrolling: Unrolling) -> None:
        super().__init__(region)
        self.streams = False
        self.calls = False
        self._unrolling = unrolling
        targets = [_variable(self, node) for node in all_nodes(region.body) if isinstance(node, Statement)]
        names = [target for target, _ in filter(None, targets)]
        self._assigned_often = {name for name in names if names.count(name) > 1} if len(names) < _MANY else set(names)

    def code_of(self, nodes: Sequence[Node]) -> Sequence[Code]:
        """Return the code of a kernel; raise ``TooLargeError`` where there is too much of it."""
        self._nodes(nodes)
        return self.scopes.stack[0].code

    def _nodes(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            match node:
                case Statement():
                    self._statement(node)
                case Guard():
                    self._guard(node)
                case Loop() if node.mapping.is_of_grid:
                    self._nodes(node.body)
                case Loop():
                    self._loop(node)
                case Exit():
                    pass

    def _value(self, value: Value) -> int | None:
        """Return the value of an expression; None for constants and parameters."""
        match value:
            case Constant():
                return None
            case Register(name):
                return self.variables[name][0] if name in self.variables else None
            case IndexValue(index=index):
                return self.index(index)
            case Load(access=access):
                return self._load(access)
            case Apply() | Opaque():
                return None if _is_constant(value) else self._operation(value)

    def _operation(self, value: Apply | Opaque) -> int | None:
        found = (self._value(operand) for operand in value.operands)
        operands = tuple(each for each in found if each is not None)
        if isinstance(value, Opaque):
            return self.scopes.computed(operands, kind=Kind.CALL, width=_width(value.type))
        if value.operation in _SIGNS and len(operands) == 1:
            return operands[0]
        is_call = value.operation is Operation.CALL
        self.calls |= is_call and is_called(value.function)
        what = operands or str(value)
        key: Hashable = None if is_call else ("value", value.operation, value.function, value.type, what)
        known = None if key is None else self.scopes.known(key)
        if known is not None:
            return known
        width = 0 if value.operation in _TRUTHS else _width(value.type)
        kind = Kind.CALL if is_call else Kind.COMPUTED
        return self.scopes.computed(operands, key=key, kind=kind, width=width, extra=extra_registers(value))

    def _load(self, access: Access) -> int | None:
        space = self.space_of(access)
        if space is MemorySpace.REGISTER:
            return self.variables.get(_element(access), (None, 0))[0]
        address = self.address(access)
        key = ("load", *_element(access))
        known = self.scopes.known(key)
        if known is not None or (space is MemorySpace.CONSTANT and not address):
            return known
        width = _width(access.type)
        found = self.scopes.computed(address, key=key, kind=Kind.LOAD, width=width, array=access.array, space=space)
        self.last_load = found
        return found

    def _statement(self, node: Statement) -> None:
        if node.barrier is not None:
            self.scopes.forget_loads()
            self.scopes.emit(Instruction(kind=Kind.BARRIER))
            return
        value = self._value(node.value)
        variable = _variable(self, node)
        if variable is not None:
            self._assign(*variable, value, node.value)
        elif isinstance(node.target, Access):
            self._store(node.target, value)

    def _assign(self, name: Hashable, width: int, value: int | None, source: Value) -> None:
        self.variables.pop(name, None)
        if isinstance(source, Apply) and source.operation in _TRUTHS:
            width = 0
        if value is None and name in self._assigned_often:
            value = self.scopes.computed((), kind=Kind.COPY, width=width)
        if value is not None:
            self.variables[name] = (value, width)

    def _store(self, target: Access, value: int | None) -> None:
        operands = self.address(target)
        extra = _width(target.type) if value is None else 0
        operands = operands if value is None else (*operands, value)
        self.scopes.emit(Instruction(kind=Kind.STORE, operands=operands, extra=extra, array=target.array))
        self.scopes.forget_loads(target.array)
        if value is not None:
            self.scopes.remember(("load", *_element(target)), value)

    def _guard(self, node: Guard) -> None:
        needed = tuple(self._needed(node.condition))
        before, assigned = dict(self.variables), self._assigned((*node.body, *node.orelse))
        branches: list[list[Code]] = []
        after = []
        for body in (node.body, node.orelse):
            self.variables = dict(before)
            self.scopes.stack.append(Scope([]))
            self._nodes(body)
            branches.append(self.scopes.stack.pop().code)
            after.append(self.variables)
        self.variables = before
        for name, width in assigned.items():
            self._join(name, width, branches, after)
        self.scopes.stack[-1].code.append(Either(needed, *branches))

    def _join(
        self, name: Hashable, width: int, branches: list[list[Code]], after: list[dict[Hashable, tuple[int, int]]]
    ) -> None:
        """Make the variable that either branch may have assigned one value."""
        first, second = (variables.get(name) for variables in after)
        if first == second:
            if first is not None:
                self.variables[name] = first
            return
        width = first[1] if first is not None else width
        joined = self.scopes.new()
        for code, own in zip(branches, (first, second), strict=True):
            operands = () if own is None else (own[0],)
            code.append(Instruction(kind=Kind.COPY, result=joined, width=width, operands=operands))
        self.variables[name] = (joined, width)

    def _needed(self, condition: Condition) -> Iterable[int]:
        for leaf in leaves(condition):
            if isinstance(leaf, DataDependent) and leaf.name in self.variables:
                yield self.variables[leaf.name][0]
            elif isinstance(leaf, Compare):
                sides = (self.index(leaf.left), self.index(leaf.right))
                yield from (value for value in sides if value is not None)

    def _loop(self, loop: Loop) -> None:
        carried = self._carried(loop)
        bounds = self._bounds(loop)
        counter = self.scopes.computed(bounds[:1], kind=Kind.COPY)
        outer = self.variables.get(loop.iterator)
        self.variables[loop.iterator] = (counter, 1)
        if _is_shared_out(loop):
            self.shared_loops.add(loop.iterator)
        self.scopes.forget_loads()
        self.scopes.stack.append(Scope([], counter=loop.iterator))
        step = loop.range.step if isinstance(loop.range, Strided) else 1
        for copy in range(self._copies(loop)):
            if copy == 0:
                self._nodes((*loop.header, *loop.body))
            else:
                self._nodes(bind_nodes(loop.body, {loop.iterator: var(loop.iterator) + step * copy}))
        for name, value in carried.items():
            last = self.variables.get(name, (value, 1))
            if last[0] != value:
                self.scopes.emit(Instruction(kind=Kind.COPY, result=value, width=last[1], operands=last[:1]))
            self.variables[name] = (value, last[1])
        body = self.scopes.stack.pop().code
        self.variables.pop(loop.iterator)
        if outer is not None:
            self.variables[loop.iterator] = outer
        self.scopes.stack[-1].code.append(Repeated(body, (counter, *bounds[1:])))
        self.scopes.forget_loads()

    def _carried(self, loop: Loop) -> dict[Hashable, int]:
        """Return the variables that one iteration hands to the next, as values of their own."""
        found: dict[Hashable, int] = {}
        for name in self._assigned((*loop.header, *loop.body)):
            if name in self.variables:
                value, width = self.variables[name]
                found[name] = self.scopes.computed((value,), kind=Kind.COPY, width=width)
                self.variables[name] = (found[name], width)
        return found

    def _bounds(self, loop: Loop) -> tuple[int, ...]:
        if not isinstance(loop.range, Strided | Geometric):
            return ()
        found = (self.index(bound) for bound in (loop.range.start, loop.range.stop))
        return tuple(value for value in found if value is not None)

    def _copies(self, loop: Loop) -> int:
        """Return how many iterations follow one another in the loop of the machine code."""
        nodes = all_nodes(loop.body)
        if (
            not _is_counted(loop)
            or loop.unroll == 1
            or _is_shared_out(loop)
            or any(isinstance(node, Loop) for node in nodes)
        ):
            return 1
        statements = [node for node in nodes if isinstance(node, Statement)]
        self.streams |= any(node.accesses for node in statements)
        if loop.unroll is not None and loop.unroll > 1:
            return min(loop.unroll, _MOST_STATED)
        if any(isinstance(node, Exit) for node in nodes) or any(node.barrier for node in statements):
            return 1
        operations = sum(1 + node.operations + len(node.accesses) for node in statements)
        copies = self._unrolling.copies
        while copies > 1 and copies * operations > self._unrolling.operations:
            copies //= 2
        return copies

    def _assigned(self, nodes: Iterable[Node]) -> dict[Hashable, int]:
        """Return the variables that nodes assign, and their widths."""
        found = (_variable(self, node) for node in all_nodes(nodes) if isinstance(node, Statement))
        return {each[0]: each[1] for each in found if each is not None}


def _variable(made: Addresses, node: Statement) -> tuple[Hashable, int] | None:
    """Return the variable that a statement assigns, or the element in registers, and its width; None for neither."""
    target = node.target
    if isinstance(target, Register):
        return target.name, _width(target.type)
    if isinstance(target, Access) and made.space_of(target) is MemorySpace.REGISTER:
        return _element(target), _width(target.type)
    return None


def _element(access: Access) -> tuple[Hashable, ...]:
    return (access.array, access.subscripts, access.offset_bytes, access.member)


def _width(type_: ElementType) -> int:
    return max(1, -(-type_.size_bytes // 4))


def _is_constant(value: Value) -> bool:
    """Return whether a compiler knows the result: literals alone are its operands."""
    if not isinstance(value, Apply) or value.operation is Operation.CALL or not value.operands:
        return False
    parts = [part for part in walk_values(value) if not operands_of(part)]
    return all(_is_literal(part) for part in parts)


def _is_literal(value: Value) -> bool:
    return isinstance(value, Constant) or (isinstance(value, IndexValue) and value.index.constant is not None)


def _is_counted(loop: Loop) -> bool:
    """Return whether a compiler knows before a loop how often it runs: no operation decides in each iteration."""
    if isinstance(loop.range, Strided):
        return True
    computes = any(isinstance(part, Apply) for test in loop.header for part in walk_values(test.value))
    return isinstance(loop.range, Uncounted) and loop.range.steps is None and loop.range.calls is None and not computes


def _is_shared_out(loop: Loop) -> bool:
    """Return whether each thread runs its share of a range, in steps that the compiler does not know."""
    if not isinstance(loop.range, Strided):
        return False
    return any(isinstance(atom, FloorDiv) and atom.denominator.constant is None for atom in loop.range.stop.atoms())
