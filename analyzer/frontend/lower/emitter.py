"""The emitter of one lowering: the block that nodes are appended to, its guards, new registers, and findings."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ...diagnostics import Diagnostic, Field, Phrase
from ...ir.branches import branch_symbol
from ...ir.names import temporary_name
from ...ir.nodes import Assumption, Barrier, Compare, Condition, Guard, Jumps, Node, Statement
from ...ir.types import UNKNOWN, ElementType, ScalarType
from ...ir.values import Access, Constant, Counted, Opaque, Register, Value
from ...source import Span
from .logic import ALWAYS, conjunction, negate


class Emitter:
    """Nodes, diagnostics and assumptions of a region in the order of the lowering.

    ``registers`` is how many the source does not name so far; ``stores`` are those to memory so far, nodes that may
    hold some among them.
    ``index_operations`` are the operations on integers since the last statement, which the next one carries;
    ``library_call`` is the call of a library function whose body is being lowered; ``nontemporal``: the next store is;
    ``in_kernel``: threads of a GPU run it.
    ``compared`` are tests of integers that data give as comparisons of unknown values, by the register of the result.
    ``lines`` are where registers got their last values.
    ``meanings`` are the values of the registers that the source does not name, or texts of these.
    """

    def __init__(self) -> None:
        """Start an empty region."""
        self.block: list[Node] = []
        self.path: list[Condition] = []
        self.index_operations = 0
        self.emitted = 0
        self.stores = 0
        self.library_call: Span | None = None
        self.nontemporal = False
        self.in_kernel = False
        self.diagnostics: dict[tuple[object, ...], Diagnostic] = {}
        self.assumptions: dict[Assumption, None] = {}
        self.meanings: dict[str, Value | str] = {}
        self.compared: dict[str, Compare] = {}
        self.lines: dict[str, int] = {}
        self.registers = 0

    # --- nodes ---

    def emit(self, target: Access | Register | None, value: Value, span: Span) -> None:
        """Append a statement that carries the index operations since the last one."""
        nontemporal = self.nontemporal and isinstance(target, Access)
        self.stores += isinstance(target, Access)
        statement = Statement(target, value, self.position(span), self.index_operations, nontemporal)
        if isinstance(target, Register):
            self.lines[target.name] = statement.span.line
        self.append(statement)
        self.index_operations = 0
        self.nontemporal = self.nontemporal and not nontemporal

    def wait(self, barrier: Barrier, span: Span) -> None:
        """Append a barrier of the threads, in a kernel."""
        if not self.in_kernel:
            return
        nothing = Constant(None, ElementType(ScalarType.VOID))
        self.append(Statement(None, nothing, self.position(span), barrier=barrier))

    def position(self, span: Span) -> Span:
        """Return the position in the user's source: that of the call, within a function of a library."""
        return self.library_call or span

    def append(self, node: Node) -> None:
        """Append a node to the current block."""
        self.emitted += 1
        self.stores += not isinstance(node, Statement)
        self.block.append(node)

    def new_register(self, type: ElementType) -> Register:
        """Return a register that no other statement names."""
        self.registers += 1
        return Register(temporary_name(self.registers), type)

    def temporary(self, value: Value, type: ElementType, span: Span) -> Register:
        """Hold a value in a new register."""
        register = self.new_register(type)
        self.meanings[register.name] = value
        self.emit(register, value, span)
        return register

    @contextlib.contextmanager
    def capture(self) -> Iterator[list[Node]]:
        """Collect the nodes of the body of the ``with`` statement instead of appending them."""
        outer, self.block = self.block, []
        pending, self.index_operations = self.index_operations, 0
        try:
            yield self.block
        finally:
            self.block = outer
            self.index_operations = pending

    @contextlib.contextmanager
    def guarded(self, condition: Condition) -> Iterator[list[Node]]:
        """Collect the nodes that run under a condition."""
        self.path.append(condition)
        try:
            with self.capture() as nodes:
                yield nodes
        finally:
            self.path.pop()

    def append_guard(
        self, condition: Condition, body: list[Node], orelse: list[Node], span: Span, *, jumps: Jumps = Jumps.NONE
    ) -> None:
        """Append a guard in normal form: no constant condition, no empty first arm."""
        if not body and not orelse:
            return
        if condition == ALWAYS or condition == negate(ALWAYS):
            self.block.extend(body if condition == ALWAYS else orelse)
            return
        if not body:
            condition, body, orelse = negate(condition), orelse, []
        self.append(Guard(condition, tuple(body), tuple(orelse), self.position(span), jumps))

    def since(self, depth: int) -> Condition:
        """Return the conjunction of the guards that are open beyond a depth."""
        return conjunction(self.path[depth:])

    # --- findings ---

    def report(self, code: str, span: Span, form: str, /, **fields: Field) -> None:
        """Add a diagnostic with this sentence of the catalog, once for a line."""
        found = Diagnostic.of(code, self.position(span), form, **fields)
        self.diagnostics.setdefault((found.code, found.form, found.fields, found.span.line), found)

    def report_branch(self, condition: Condition, span: Span, form: str) -> None:
        """Report a condition that depends on data, with the name of its probability."""
        self.report("AI202", span, form, symbol=branch_symbol(condition, self.position(span).line, self.lines))

    def lose(self, what: Phrase, span: Span) -> None:
        """Append a statement for something that is not understood, and report it: the region does more than counted."""
        self.emit(None, self.not_understood(what, span), span)

    def blur(self, what: Phrase, span: Span) -> None:
        """Append a statement for memory that is not distinguished, and report it: more is touched than counted."""
        self.report("AI206", span, "memory", what=what)
        self.emit(None, Opaque(what, UNKNOWN, counted=Counted()), span)

    def not_understood(self, what: Phrase, span: Span) -> Opaque:
        """Report an expression that is not modelled, and return it as opaque."""
        self.report("AI206", span, "expression", what=what)
        return Opaque(what, UNKNOWN, has_work=True)

    def assume(self, code: str, span: Span, form: str, subject: str = "", /, **fields: Field) -> None:
        """Add an assumption whose sentence is in the catalog of messages, once."""
        self.assumptions.setdefault(Assumption.of(code, self.position(span), form, subject, **fields))
