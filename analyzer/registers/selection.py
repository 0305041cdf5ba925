"""The instructions of a kernel, as nvcc makes them of its IR.

Input: a kernel as its source has it, lowered without a launch.  Output: :data:`.code.Code`, before it is scheduled.

* Loops of few iterations are unrolled in whole (:mod:`..ir.passes.unrolled`), innermost ones of an unknown number of
  iterations in part, where their instructions are few.
* Equal operations on equal operands are one value where the first is computed in a block around; elements that are in
  registers are not loaded again until a barrier, or a store to the array.
* Short branches of a conditional are instructions with predicates, and the variables that they assign selections.
* A variable is the value that was assigned last.  Where branches meet, and at the start of a loop that assigns it, it
  is a copy.  Truths are in predicates, signs in the operands of other instructions.
* Divisions and functions take registers more while they are computed (:mod:`.costs`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from msgspec import Struct

from ..ir.conditions import leaves
from ..ir.index import var
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
from .costs import extra_registers, is_called, is_literal
from .scopes import Scope
from .unrolling import (
    BY_ONE_COMPILER,
    Unrolling,
    has_known_step,
    has_written_quotient,
    is_counted,
    is_shared_out,
    quotients_in,
)

_SIGNS = (Operation.NEG, Operation.ABS)
_TRUTHS = (Operation.COMPARE, Operation.LOGICAL)
_NOT_PREDICATED = (Kind.CALL, Kind.BARRIER)
_MOST_PREDICATED = 7  # instructions
_OF_QUOTIENT = 5  # instructions of a quotient by a number: a product of 64 bits, shifts and a correction (nvcc 13.0)
_CALL = "call"  # form of the phrase for a function without a body
_MANY = 2000  # statements beyond which each variable is assumed to be assigned several times
_MOST_STATED = 8  # copies of a loop by `#pragma unroll n` that are laid out


class Joined(Struct, frozen=True):
    """The value of a variable behind a conditional, its width, and those at the end of both branches, if any."""

    value: int
    width: int
    own: tuple[int | None, int | None]


class Selection(Addresses):
    """Makes the code of a kernel; ``streams`` says that a loop was unrolled in part that refers to memory.

    ``loops`` says that there is any, ``calls`` that a function is called which is no part of the kernel.
    """

    def __init__(self, region: Region, unrolling: Unrolling) -> None:
        super().__init__(region)
        self.loops = False
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
            self.calls |= value.has_work and value.what.form == _CALL
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
        found = self.scopes.computed(
            address,
            key=key,
            kind=Kind.LOAD,
            width=width,
            array=access.array,
            space=space,
            unaliased=_is_unaliased(access, space),
        )
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
        unaliased = _is_unaliased(target, self.space_of(target))
        self.scopes.emit(
            Instruction(kind=Kind.STORE, operands=operands, extra=extra, array=target.array, unaliased=unaliased)
        )
        self.scopes.forget_loads(target.array)
        if value is not None:
            self.scopes.remember(("load", *_element(target)), value)

    def _guard(self, node: Guard) -> None:
        needed = tuple(self._needed(node.condition))
        before, assigned = dict(self.variables), self._assigned((*node.body, *node.orelse))
        branches: list[Scope] = []
        after = []
        for body in (node.body, node.orelse):
            self.variables = dict(before)
            self.scopes.stack.append(Scope([]))
            self._nodes(body)
            branches.append(self.scopes.stack.pop())
            after.append(self.variables)
        self.variables = before
        joined = [self._join(name, width, after) for name, width in assigned.items()]
        self._branch(needed, branches, [each for each in joined if each is not None])

    def _branch(self, needed: tuple[int, ...], branches: Sequence[Scope], joined: Sequence[Joined]) -> None:
        """Append both branches of a conditional: short ones as instructions with predicates, and selections."""
        code = self.scopes.stack[-1].code
        if _is_predicated(branches):
            for branch in branches:
                code.extend(branch.code)
                self.scopes.adopt(branch)
            for each in joined:
                operands = (*needed, *(own for own in each.own if own is not None))
                code.append(Instruction(result=each.value, width=each.width, operands=operands))
            return
        for branch, position in zip(branches, (0, 1), strict=True):
            for each in joined:
                own = each.own[position]
                operands = () if own is None else (own,)
                branch.code.append(Instruction(kind=Kind.COPY, result=each.value, width=each.width, operands=operands))
        code.append(Either(needed, *(branch.code for branch in branches)))

    def _join(self, name: Hashable, width: int, after: Sequence[dict[Hashable, tuple[int, int]]]) -> Joined | None:
        """Make the variable that either branch may have assigned one value; None where it is one already."""
        first, second = (variables.get(name) for variables in after)
        if first == second:
            if first is not None:
                self.variables[name] = first
            return None
        width = first[1] if first is not None else width
        found = Joined(self.scopes.new(), width, (first and first[0], second and second[0]))
        self.variables[name] = (found.value, width)
        return found

    def _needed(self, condition: Condition) -> Iterable[int]:
        for leaf in leaves(condition):
            if isinstance(leaf, DataDependent) and leaf.name in self.variables:
                yield self.variables[leaf.name][0]
            elif isinstance(leaf, Compare):
                sides = (self.index(leaf.left), self.index(leaf.right))
                yield from (value for value in sides if value is not None)

    def _loop(self, loop: Loop) -> None:
        self.loops = True
        carried = self._carried(loop)
        bounds = self._bounds(loop)
        counter = self.scopes.computed(bounds[:1], kind=Kind.COPY)
        outer = self.variables.get(loop.iterator)
        self.variables[loop.iterator] = (counter, 1)
        if is_shared_out(loop):
            self.shared_loops.add(loop.iterator)
        self.scopes.forget_loads()
        self.scopes.stack.append(Scope([], counter=loop.iterator))
        step = loop.range.step if isinstance(loop.range, Strided) else 1
        copies = self._copies(loop)
        for copy in range(copies):
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
        left = self._iterations_left() if copies > 1 else ()
        self.scopes.stack[-1].code.append(Repeated(body, (counter, *bounds[1:], *left)))
        self.scopes.forget_loads()

    def _iterations_left(self) -> tuple[int, ...]:
        """Return what a loop with copies counts with: the iterations behind it, and those left in it."""
        behind = self.scopes.computed(())
        return behind, self.scopes.computed((behind,))

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
        if is_shared_out(loop):  # its counter is the index in the source, which is compared with a parameter
            return tuple(value for value in (self.index(loop.range.start),) if value is not None)
        found = (self.index(bound) for bound in (loop.range.start, loop.range.stop))
        return tuple(value for value in found if value is not None)

    def _copies(self, loop: Loop) -> int:
        """Return how many iterations follow one another in the loop of the machine code."""
        nodes = all_nodes(loop.body)
        if (
            not is_counted(loop)
            or loop.unroll == 1
            or loop.may_wrap
            or has_written_quotient(loop)
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
        operations += _OF_QUOTIENT * len(quotients_in(statements))
        copies = self._unrolling.copies if has_known_step(loop) else min(self._unrolling.copies, BY_ONE_COMPILER)
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


def _is_unaliased(access: Access, space: MemorySpace) -> bool:
    return access.unaliased or space is not MemorySpace.GLOBAL


def _element(access: Access) -> tuple[Hashable, ...]:
    return (access.array, access.subscripts, access.offset_bytes, access.member)


def _width(type_: ElementType) -> int:
    return max(1, -(-type_.size_bytes // 4))


def _is_constant(value: Value) -> bool:
    """Return whether the result is a constant for a compiler: literals alone are its operands."""
    if not isinstance(value, Apply) or value.operation is Operation.CALL or not value.operands:
        return False
    parts = [part for part in walk_values(value) if not operands_of(part)]
    return all(is_literal(part) for part in parts)


def _is_predicated(branches: Iterable[Scope]) -> bool:
    """Return whether the branches of a conditional are so short that no instruction jumps over them."""
    items = [item for branch in branches for item in branch.code]
    if not all(isinstance(item, Instruction) and item.kind not in _NOT_PREDICATED and not item.extra for item in items):
        return False
    return len(items) <= _MOST_PREDICATED
