"""The control flow of one lowering: functions, loops and targets of jumps around the statement that is lowered."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from ...ir.index import Extremum, Poly
from ...ir.nodes import And, Compare, Comparison, Condition, Mapping
from ...source import Span
from ..surface import nodes as sx
from .functions.following import Following
from .functions.instances import Renaming
from .names.bindings import Bindings, Result, variables_of


class Target(Struct, kw_only=True):
    """The point that a jump leads to: ``kind`` is loop, once (a loop that never repeats), iteration, switch, label,
    or function.

    An iteration is that of a loop which runs step by step, where ``continue`` leads to its end, as out of a switch.
    A function is an inlined one, at its call.  ``label`` is what gotos name; a loop with one is none of the source's,
    so that no ``break`` means it.  ``depth`` is how many guards and loops are around it;
    ``left`` are the environments in which a loop is left early, ``line`` is that of the loop, and ``jumps`` are the
    names of the conditions under which it is left for a target outside.  ``caught`` is the variable of a handler.
    """

    kind: str
    depth: int
    iterator: str = ""
    line: int = 0
    label: str = ""
    exits: int = 0
    skips: list[tuple[Condition, ...]] = field(default_factory=list)
    environments: list[Bindings] = field(default_factory=list)
    left: list[Bindings] = field(default_factory=list)
    jumps: list[str] = field(default_factory=list)
    caught: sx.Variable | None = None


class Frame(Struct):
    """An inlined (or the analyzed) function: the target of its returns, its own variables, and its result.

    ``held`` is the pointer to the object that it returns, where it has several returns, and ``given`` the object that
    values of them are copied to.  One that ``tests`` something
    has a ``condition``.  The loops of one ``in_parallel`` that are inside of no other since, at that depth, are run on
    several cores by what is named.  Loops of a library are kernels in a call that runs ``on_device``.
    """

    function: sx.Function
    target: Target
    own: Renaming = field(default_factory=dict)
    returns: int = 0
    held: sx.Variable | None = None
    given: sx.Variable | None = None
    result: Result | None = None
    values: list[tuple[tuple[Condition, ...], Poly | None]] = field(default_factory=list)
    tests: bool = False
    condition: Condition | None = None
    in_parallel: tuple[str, int] = ("", 0)
    on_device: bool = False


NotedJumps = list[tuple[Target | Frame, Target | Frame]]


def _copy(noted: Target | Frame) -> Target | Frame:
    changed = {name: list(value) for name in noted.__struct_fields__ if isinstance(value := getattr(noted, name), list)}
    return replace(noted, **changed)


def forget_jumps(noted: NotedJumps) -> None:
    """Leave in targets and functions what jumps had noted there."""
    for each, before in noted:
        for name, value in ((name, getattr(before, name)) for name in each.__struct_fields__):
            setattr(each, name, list(value) if isinstance(value, list) else value)


class LoopFacts(Struct):
    """The bounds of the iterator of an enclosing loop: ``lower <= iterator <= upper``.

    A ``dense`` one takes every value between them.  Where the loop ``frees`` memory, it has the same again each time.
    ``written`` are the arrays that it may store to, by the names of their variables; None where that is not known.
    ``started`` are placeholders of variables that it changes, and that start at a number.  A loop over the blocks or
    threads of a kernel is ``of_grid``.
    """

    iterator: str
    lower: Poly | None = None
    upper: Poly | None = None
    dense: bool = False
    frees: bool = False
    written: frozenset[str] | None = None
    started: frozenset[str] = frozenset()
    of_grid: bool = False

    def may_store_to(self, array: str) -> bool:
        """Return whether an iteration may store to an array."""
        return self.written is None or not self.written.isdisjoint(variables_of(array))


def is_nonnegative(poly: Poly, loops: list[LoopFacts], guards: Iterable[Condition] = ()) -> bool:
    """Return whether a polynomial is provably >= 0 inside the given loops (outermost first), where the guards hold.

    >>> from ...ir.index import ZERO, var
    >>> i, n = var("i"), var("n")
    >>> is_nonnegative(n - 1, [LoopFacts("i", ZERO)], [Compare(Comparison.LT, i, n)])
    True
    """
    floors = [poly]
    for slack in (slack for guard in guards for slack in _slacks(guard) if slack.names() & poly.names()):
        floors = [floor - slack * times for floor in floors for times in range(3)][:64]
    for loop in reversed(loops):
        if loop.lower is not None and loop.upper is not None:
            slack = loop.upper - loop.lower
            floors = [candidate for floor in floors for candidate in (floor, floor - slack)][:64]
        floors = [_eliminated(floor, loop) for floor in floors]
    return any(number is not None and number >= 0 for number in (floor.constant for floor in (*floors, poly)))


def _slacks(guard: Condition) -> Iterator[Poly]:
    """Yield what is >= 0 where a guard holds: ``n - 1 - i`` of ``i < n``."""
    match guard:
        case And(operands=operands):
            for operand in operands:
                yield from _slacks(operand)
        case Compare(comparison=Comparison.LT | Comparison.LE as comparison, left=left, right=right):
            yield right - left - (comparison is Comparison.LT)
        case Compare(comparison=Comparison.GT | Comparison.GE as comparison, left=left, right=right):
            yield left - right - (comparison is Comparison.GT)
        case _:
            return  # an alternative, or what only data know


def _eliminated(poly: Poly, loop: LoopFacts) -> Poly:
    """Return the smallest value of a polynomial over one iterator that it is linear in."""
    factor = poly.coefficient(loop.iterator).constant
    if factor is None or factor == 0:
        return poly
    extreme = loop.lower if factor > 0 else loop.upper
    if extreme is None:
        return poly
    replaced = poly.substitute({loop.iterator: extreme})
    return _without_extrema(replaced)


def _without_extrema(poly: Poly) -> Poly:
    """Return a lower bound without a minimum or maximum whose sign allows it."""
    for monomial, number in poly.terms.items():
        if len(monomial) == 1 and isinstance(monomial[0], Extremum) and monomial[0].largest == (number > 0):
            return poly + (monomial[0].operands[0] - Poly({monomial: 1})) * number
    return poly


class Flow:
    """The surroundings of the current statement, outermost first, and whether it is reached.

    ``terminated``: the rest of the block is not reached; ``abandoned``: because the program ends there.  ``collapse``
    is the mapping that a pragma gives to that many loops inside, and whether they may run in lanes; ``apart`` counts
    the choices for which it is lowered.
    ``steps`` are how many loops around run step by step, where given values decide every condition that they can, and
    ``vain`` the nodes that were lowered for such loops and calls without use. ``followed`` are the recursive functions
    that are followed call by call, with how many calls more may be (negative: it cannot be followed). ``threads`` is
    the number of threads that the program asks for (None: as many as there are), ``summarized`` the number of nodes
    that stand for calls whose bodies are not inlined, ``following`` what the others took. ``statement`` is the
    innermost one that is not a loop, or a loop once it has ended.
    """

    def __init__(self) -> None:
        """Start outside of every function."""
        self.targets: list[Target] = []
        self.frames: list[Frame] = []
        self.loops: list[LoopFacts] = []
        self.terminated = False
        self.abandoned = False
        self.collapse = (Mapping.SEQUENTIAL, 0, False)
        self.inlined = 0
        self.summarized = 0
        self.following = Following()
        self.apart = 0
        self.steps = 0
        self.vain = 0
        self.followed: dict[str, int] = {}
        self.threads: int | None = None
        self.statement: Span | None = None

    def run_in_parallel(self, name: str) -> None:
        """Note that what has this name runs the loops of the current function on several cores."""
        self.frames[-1].in_parallel = name, len(self.loops)

    def runs_in_parallel(self) -> str:
        """Return what runs a loop that starts here on several cores; empty where nothing does."""
        depth = len(self.loops)
        return next(
            (name for frame in self.frames if (name := frame.in_parallel[0]) and frame.in_parallel[1] == depth), ""
        )

    @contextlib.contextmanager
    def inside(self, target: Target) -> Iterator[Target]:
        """Make a target one of those around the body of the ``with`` statement."""
        self.targets.append(target)
        yield target
        self.targets.pop()

    def iterators(self) -> Iterator[str]:
        """Yield the iterators of the loops around, outermost first."""
        return (loop.iterator for loop in self.loops)

    def noted_jumps(self) -> NotedJumps:
        """Return the targets and functions around, each with a copy of what jumps have noted there."""
        around: tuple[Target | Frame, ...] = (*self.targets, *self.frames)
        return [(each, _copy(each)) for each in around]

    def resume(self) -> None:
        """Note that the rest of the block is reached."""
        self.terminated = self.abandoned = False
