"""The whole lowering: one surface tree to regions, with what was found on the way."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from msgspec import Struct, field
from msgspec.structs import replace

from ...diagnostics import Diagnostic
from ...ir.index import var
from ...ir.nodes import Array, Condition, Region, RegionKind
from ...ir.types import ScalarType
from ...limits.hard_limit import cpu_seconds
from ...limits.recursion import deep_recursion
from ...limits.shares import GivenUp, Part, in_shares
from ..surface import nodes as sx
from . import control
from .bindings import Frame, Limits, Lvalue, Result, Target
from .effects import EffectTable
from .expressions import calls, conditions, references
from .expressions import expression as expressions
from .kernels import KernelLaunch, enter_grid, plain_name, with_launch, wrap_in_grid
from .merging import join_targets
from .rewrite import Rewriter, array_uses, names_in
from .series import KernelSeries, lower_series
from .state import State

_PLACEHOLDER = re.compile(r"@\d+")
_ON_DEVICE = (sx.FunctionKind.KERNEL, sx.FunctionKind.DEVICE)
_FOLLOWED = 0.5  # of the time of a function, in which its calls are followed
_KERNEL_LIMITS = Limits(nodes=20_000, inlined_calls=1_000)


class LowerOptions(Struct, frozen=True):
    """Values of parameters and variables, the type of undeclared data, (None: all) the functions wanted, launches.

    ``stated`` are values that hold in one function (by its key), where ``defines`` say nothing else.
    ``seconds`` of CPU time are what all functions may take (0: no limit), in fair shares: in the second half of its
    share calls of a function are not followed further, and beyond the share the function is left out.
    A kernel with several launches gives a region for each, one without any a region with symbols for grid and block;
    a series gives the regions of its parts (:mod:`.series`).
    """

    defines: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    element_type: ScalarType = ScalarType.FP64
    functions: frozenset[str] | None = None
    launches: tuple[KernelLaunch | KernelSeries, ...] = ()
    stated: Mapping[str, Mapping[str, int]] = field(default_factory=lambda: MappingProxyType({}))
    seconds: float = 0


class Lowered(Struct, frozen=True):
    """Regions in source order, and the findings of all of them."""

    regions: tuple[Region, ...]
    diagnostics: tuple[Diagnostic, ...]


def lower_unit(unit: sx.Unit, options: LowerOptions | None = None) -> Lowered:
    """Lower every wanted function that has a loop, and every function that is named, in source order."""
    options = options or LowerOptions()
    table = EffectTable(unit.functions)
    kinds = _listed_kinds(unit)
    end = cpu_seconds() + (options.seconds or math.inf)
    with deep_recursion():
        looping = table.with_loops() if options.functions is None else frozenset()
        wanted = [
            (function, launch)
            for function in unit.functions.values()
            if _is_wanted(function, looping, options, kinds)
            for launch in _launches(function, options)
        ]
        parts = [_part(unit, function, table, options, launch) for function, launch in wanted]
        answers = in_shares(parts, lambda: end - cpu_seconds())
    regions: list[Region] = []
    found: dict[Diagnostic, None] = {}
    for (function, _), answer in zip(wanted, answers, strict=True):
        if isinstance(answer, GivenUp):
            text = f"{function.name} is left out: {answer.reason}"
            found[Diagnostic("AI213", function.span, text)] = None
            continue
        for region, diagnostics in answer:
            regions.append(region)
            found.update(dict.fromkeys(diagnostics))
    return Lowered(tuple(regions), tuple(_once_per_call(found)))


def _part(
    unit: sx.Unit,
    function: sx.Function,
    table: EffectTable,
    options: LowerOptions,
    launch: KernelLaunch | KernelSeries | None,
) -> Part[list[tuple[Region, list[Diagnostic]]]]:
    """The lowering of a function; where calls were not followed for lack of time, more time gives more."""

    def run(seconds: float) -> tuple[list[tuple[Region, list[Diagnostic]]], bool]:
        until = cpu_seconds() + _FOLLOWED * seconds

        def lower(started: KernelLaunch | None) -> tuple[Region, list[Diagnostic]]:
            return _lower_function(unit, function, table, options, started, until)

        found = list(lower_series(launch, lower)) if isinstance(launch, KernelSeries) else [lower(launch)]
        return found, cpu_seconds() > until

    return Part(f"lowering {function.key}", table.size(function.key), run)


def _is_wanted(
    function: sx.Function, looping: frozenset[str], options: LowerOptions, kinds: frozenset[sx.FunctionKind]
) -> bool:
    if options.functions is not None:
        return not options.functions.isdisjoint((function.name, function.key, plain_name(function.name)))
    whole = function.kind in (sx.FunctionKind.FRAGMENT, sx.FunctionKind.KERNEL)
    return function.listed and function.kind in kinds and (function.key in looping or whole)


def _listed_kinds(unit: sx.Unit) -> frozenset[sx.FunctionKind]:
    """What a unit is read for: its kernels, without any its host functions; the rest is there to be inlined."""
    kinds = frozenset(function.kind for function in unit.functions.values())
    for preferred in (sx.FunctionKind.KERNEL, sx.FunctionKind.HOST):
        if preferred in kinds:
            return frozenset({preferred, sx.FunctionKind.FRAGMENT})
    return frozenset(sx.FunctionKind)


def _launches(function: sx.Function, options: LowerOptions) -> tuple[KernelLaunch | KernelSeries | None, ...]:
    """Each different launch of a kernel once, or each series of them; None where there is none."""
    found = [item for item in options.launches if item.kernel == function.key]
    return tuple(found) or (None,)


def _once_per_call(found: Mapping[Diagnostic, None]) -> Iterator[Diagnostic]:
    """Diagnostics in source order; an unknown function is told once."""
    told: set[str] = set()
    for diagnostic in sorted(found, key=lambda item: (item.span.line, item.code, item.message)):
        if diagnostic.code == "AI201":
            if diagnostic.message in told:
                continue
            told.add(diagnostic.message)
        yield diagnostic


class Lowering(State):
    """The state with the mutual recursion tied."""

    def evaluate(self, expression: sx.Expression) -> Result:
        """See :mod:`.expressions.expression`."""
        return expressions.evaluate(self, expression)

    def lvalue(self, expression: sx.Expression) -> Lvalue | None:
        """See :mod:`.expressions.references`."""
        return references.find_lvalue(self, expression)

    def condition(self, expression: sx.Expression) -> Condition:
        """See :mod:`.expressions.conditions`."""
        return conditions.condition_of(self, expression)

    def run(self, statement: sx.Statement) -> None:
        """See :mod:`.control`."""
        control.run_statement(self, statement)

    def call(self, expression: sx.Call) -> Result:
        """See :mod:`.expressions.calls`."""
        return calls.lower_call(self, expression)


def _lower_function(
    unit: sx.Unit,
    function: sx.Function,
    table: EffectTable,
    options: LowerOptions,
    started: KernelLaunch | None,
    until: float,
) -> tuple[Region, list[Diagnostic]]:
    effects = table.of(function.body)
    defines = {**options.stated.get(function.key, {}), **options.defines}
    state = Lowering(unit, defines, options.element_type, table)
    launch = None
    state.limits = replace(_KERNEL_LIMITS if function.kind in _ON_DEVICE else state.limits, until=until)
    if function.kind is sx.FunctionKind.KERNEL:
        state.arguments = {} if started is None else started.arguments
        launch = with_launch(None if started is None else started.launch, state)
        enter_grid(state, launch)
    state.written_members = frozenset(effects.members)
    state.written_names = frozenset(effects.storage)
    for parameter in function.parameters:
        if isinstance(parameter.type, sx.ScalarT) and parameter.type.element.scalar.is_integer:
            state.names.add(parameter.name)
    target = Target("function", 0, len(state.loops))
    state.frames.append(Frame(function, target))
    state.targets.append(target)
    for parameter in function.parameters:
        _assume_distinct(state, parameter, function)
    state.run(function.body)
    join_targets(state, target)
    if function.kind is sx.FunctionKind.KERNEL:
        wrap_in_grid(state, function.span)
    region = replace(_finished(state, function), launch=launch)
    return region, [replace(item, message=_PLACEHOLDER.sub("", item.message)) for item in state.diagnostics.values()]


def _assume_distinct(state: State, parameter: sx.Variable, function: sx.Function) -> None:
    pointers = [item for item in function.parameters if isinstance(item.type, sx.PointerT) and not item.type.restrict]
    if len(pointers) > 1 and parameter is pointers[0]:
        state.assume_that("AI302", function.span, "overlap", arrays=tuple(item.name for item in pointers))


def _in_order(state: State, function: sx.Function, used: Iterable[str]) -> list[str]:
    """Arrays in the order of declaration: parameters, global ones, then local ones."""
    declared = (*function.parameters, *state.unit.globals, *_declared(function.body))
    ordered = [state.storage[item] for item in declared if item in state.storage]
    return [name for name in dict.fromkeys([*ordered, *state.arrays]) if name in used]


def _declared(statement: sx.Statement) -> Iterator[sx.Variable]:
    """Variables that a function declares outside of its loops and branches."""
    match statement:
        case sx.Declare(variable):
            yield variable
        case sx.Block(statements):
            for inner in statements:
                yield from _declared(inner)
        case _:
            pass


def _finished(state: State, function: sx.Function) -> Region:
    """Give symbols their final names, and list what the nodes use."""
    used = names_in(state.block)
    arrays = array_uses(state.block)
    for name in arrays:
        for extent in state.arrays[name].extents:
            used |= extent.names() if extent is not None else frozenset()
    renamed = {}
    for name in state.symbols:
        if name in used and name in state.wanted:
            renamed[name] = state.final_name(name)
    rewriter = Rewriter(state, {old: var(new) for old, new in renamed.items()})
    in_loops = function.kind is sx.FunctionKind.KERNEL  # what is unknown there is so from the start
    body = tuple(rewriter.nodes(state.block)) if renamed or in_loops else tuple(state.block)
    symbols = tuple(
        replace(symbol, name=renamed.get(name, name)) for name, symbol in state.symbols.items() if name in used
    )
    listed = frozenset(symbol.name for symbol in symbols)
    return Region(
        _region_name(function),
        _KINDS[function.kind],
        function.name,
        function.span,
        tuple(_with_extents(rewriter, state.arrays[name], listed) for name in _in_order(state, function, arrays)),
        symbols,
        body,
        tuple(item.with_names(lambda text: _PLACEHOLDER.sub("", text)) for item in state.assumptions),
    )


def _with_extents(rewriter: Rewriter, array: Array, symbols: frozenset[str]) -> Array:
    """The array with final names in its extents; an extent that varies within the region is unknown."""
    extents = (None if extent is None else rewriter.poly(extent) for extent in array.extents)
    fixed = (extent if extent is not None and extent.names() <= symbols else None for extent in extents)
    return replace(array, extents=tuple(None if extent is None or extent.unknowns() else extent for extent in fixed))


_KINDS = {
    sx.FunctionKind.HOST: RegionKind.FUNCTION,
    sx.FunctionKind.DEVICE: RegionKind.FUNCTION,
    sx.FunctionKind.KERNEL: RegionKind.KERNEL,
    sx.FunctionKind.FRAGMENT: RegionKind.LOOP,
}


def _region_name(function: sx.Function) -> str:
    if function.kind is not sx.FunctionKind.FRAGMENT:
        return function.name
    loops = [item for item in function.body.statements if isinstance(item, sx.For | sx.While)]
    return f"L{(loops[0] if loops else function).span.line}"
