"""The whole lowering: from one surface tree to regions and findings, with a share of operations for each function.

An operation is an expression or a statement that is lowered, as often as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from msgspec import Struct, field
from msgspec.structs import replace

from ...diagnostics import Diagnostic, Field, Phrase, why_given_up
from ...ir.given_array import GivenArray
from ...ir.index import Number
from ...ir.nodes import Region, RegionKind, Statement
from ...ir.passes.summaries import has_summaries
from ...ir.types import ScalarType
from ...ir.values import Access
from ...ir.walk import statements
from ...limits.hard_limit import Overrun, cpu_seconds
from ...limits.meter import Meter
from ...limits.recursion import deep_recursion
from ...limits.shares import GivenUp, Part, in_shares
from ...source import Span
from ..surface import nodes as sx
from . import control
from .emitter import Emitter
from .expressions import conditions, references
from .expressions import expression as expressions
from .expressions.calls import calls
from .finished import finished, without_number
from .flow import Frame
from .functions.effects import EffectTable, with_pointed_at
from .functions.recursion import Repeated, repeated_functions
from .functions.short_tables import Tables, count_open, integers_on_the_stack, short_arrays, short_tables
from .functions.stored_values import StoredElements, StoredForm, handed, stored_forms
from .inputs import Inputs, Limits, TooLong
from .kernels.kernel import KernelLaunch, bind_pointers, enter_grid, plain_name, with_launch, wrap_in_grid
from .kernels.library import library_kernels
from .kernels.run_time_extents import with_run_time_extents
from .kernels.series import KernelSeries, lower_series
from .merging import join_targets
from .names.bindings import BETWEEN, variables_of
from .state import Handlers, State
from .summaries.summary import Summary, summary_of
from .unseen import unseen_functions

_ON_DEVICE = (sx.FunctionKind.KERNEL, sx.FunctionKind.DEVICE)
_FOLLOWED = 0.5  # of the operations of a function, in which its calls are followed
_MOST_FOLLOWED = 40_000  # operations, some 3 s
_OPERATIONS_PER_SECOND = 5_000  # at least; 10,000 to 20,000 on a core of today
_LEAST_S = 1.0  # of CPU time for a function, in which a pause of the interpreter is small
_KERNEL_LIMITS = Limits(nodes=20_000, inlined_calls=1_000)
_MOST_TABLE_PASSES = 4  # each element that follows from others takes one more


class LowerOptions(Struct, frozen=True, kw_only=True):
    """Values of parameters and variables, the type of undeclared data, (None: all) the functions wanted, launches.

    ``averages`` are values of trip counts that are not whole.  ``stated`` are values that hold in one function (by its
    key), where ``defines`` say nothing else; ``given`` are those that hold there whatever ``defines`` say.
    ``operations`` are what all functions may take (0: no limit), in fair shares: in the second half of its share calls
    of a function are not followed further, and beyond the share the function is left out.  They decide; ``seconds`` of
    CPU time (0: no limit) are the last limit, where a machine is far slower.
    A kernel with several launches gives a region for each, one without any a region with symbols for grid and block;
    a series gives the regions of its parts (:mod:`.kernels.series`).  ``arrays`` are those whose elements are given,
    ``after`` the values that ``main`` itself gives variables, by name and the statement that they follow.  ``stored``
    are elements that a function (by its key) stores before it counts loops by them.
    """

    defines: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    element_type: ScalarType = ScalarType.FP64
    functions: frozenset[str] | None = None
    launches: tuple[KernelLaunch | KernelSeries, ...] = ()
    averages: Mapping[str, Fraction] = field(default_factory=lambda: MappingProxyType({}))
    stated: Mapping[str, Mapping[str, Number]] = field(default_factory=lambda: MappingProxyType({}))
    given: Mapping[str, Mapping[str, Number]] = field(default_factory=lambda: MappingProxyType({}))
    operations: int = 0
    seconds: float = 0
    arrays: Mapping[str, GivenArray] = field(default_factory=lambda: MappingProxyType({}))
    after: Mapping[tuple[str, Span], int] = field(default_factory=lambda: MappingProxyType({}))
    stored: Mapping[str, Mapping[str, StoredElements]] = field(default_factory=lambda: MappingProxyType({}))


Found = tuple[Region, list[Diagnostic]]


class Kept(Struct, frozen=True):
    """What a lowering of a unit under some options found, for one of the same unit under others.

    ``answers`` are those of functions of the host, by key.
    """

    options: LowerOptions
    effects: EffectTable
    summaries: Mapping[str, Summary | None]
    apart: frozenset[str]
    answers: Mapping[str, list[Found]]

    def under(self, options: LowerOptions) -> Kept:
        """Return what holds under other options too: nothing where more differs than what single functions are given.

        The summary of a function has what is given for it, and may be in any answer.
        """
        then = self.options
        alike = all(getattr(then, name) == getattr(options, name) for name in _OF_ALL) and then.arrays is options.arrays
        changed = {
            key
            for key in {*then.stated, *then.given, *options.stated, *options.given}
            if (then.stated.get(key), then.given.get(key)) != (options.stated.get(key), options.given.get(key))
        }
        changed |= {*then.stored, *options.stored}
        if not alike or not changed.isdisjoint(self.summaries):
            return Kept(options, self.effects, {}, frozenset(), {})
        answers = {key: answer for key, answer in self.answers.items() if key not in changed}
        if then.after != options.after:
            answers = {key: found for key, found in answers.items() if found[0][0].function != _MAIN}
        return Kept(options, self.effects, self.summaries, self.apart, answers)


_MAIN = "main"
_OF_ALL = ("defines", "averages", "element_type", "functions", "operations")  # options that all functions share


class Lowered(Struct, frozen=True):
    """Regions in source order, the findings of all of them, and what is kept for a lowering under other options."""

    regions: tuple[Region, ...]
    diagnostics: tuple[Diagnostic, ...]
    kept: Kept


class _Task(Struct, frozen=True, kw_only=True):
    """A function to lower, for one launch or series of launches, where it is a kernel that is launched.

    One that ``is_called`` is lowered for its summary, as its calls see it.  ``summaries`` are those made so far,
    ``apart`` the functions whose bodies were not put in place of a call.
    """

    unit: sx.Unit
    effects: EffectTable
    repeated: Mapping[str, Repeated]
    summaries: dict[str, Summary | None]
    apart: set[str]
    meter: Meter
    options: LowerOptions
    function: sx.Function
    launch: KernelLaunch | KernelSeries | None
    is_called: bool = False


def lower_unit(unit: sx.Unit, options: LowerOptions | None = None, earlier: Lowered | None = None) -> Lowered:
    """Lower every wanted function that has a loop, and every function that is named, in source order.

    Of an ``earlier`` lowering of the same unit what does not depend on options that differ is not made again.
    """
    options = options or LowerOptions()
    known = Kept(options, EffectTable(unit.functions), {}, frozenset(), {})
    if earlier is not None:
        known = earlier.kept.under(options)
    effects, apart = known.effects, set(known.apart)
    summaries = dict(known.summaries)
    end = cpu_seconds() + (options.seconds or math.inf)
    most, meter = options.operations or math.inf, Meter()

    def answers_of(tasks: Sequence[_Task]) -> list[list[Found] | GivenUp]:
        waiting = [task for task in tasks if _kept(task, known) is None]
        found = in_shares(
            [_part(task) for task in waiting],
            lambda: most - meter.used,
            lambda share: min(end - cpu_seconds(), max(_LEAST_S, share / _OPERATIONS_PER_SECOND)),
        )
        made = iter(found)
        return [kept if (kept := _kept(task, known)) is not None else next(made) for task in tasks]

    with deep_recursion():
        tasks = list(_tasks(unit, effects, summaries, apart, options, meter))
        answers = answers_of(tasks)
        own = {task.function.key for task in tasks}
        regions = [region for answer in answers if not isinstance(answer, GivenUp) for region, _ in answer]
        unseen = unseen_functions(unit, own, apart, effects, regions) if options.functions is None and tasks else ()
        others = [replace(tasks[0], function=function, launch=None) for function in unseen]
        answers += answers_of(others)
    tasks += others
    regions = []
    found: dict[Diagnostic, None] = {}
    of_callers = effects.called() - apart
    settled: dict[Diagnostic, bool] = {}
    for task, answer in zip(tasks, answers, strict=True):
        if isinstance(answer, GivenUp):
            why = why_given_up(answer.cause)
            found[Diagnostic.of("AI213", task.function.span, "left-out", name=task.function.name, why=why)] = None
            continue
        for region, diagnostics in answer:
            regions.append(region)
            found.update(dict.fromkeys(diagnostics))
            for each in filter(_is_of_callers, diagnostics):
                settled[each] = settled.get(each, True) and task.function.key in of_callers
    found = {each: None for each in found if not settled.get(each, False)}
    if options.functions is None:
        found.update(dict.fromkeys(library_kernels(unit, effects)))
    by_key = {
        task.function.key: answer
        for task, answer in zip(tasks, answers, strict=True)
        if task.launch is None and not isinstance(answer, GivenUp)
    }
    kept = Kept(options, effects, summaries, frozenset(apart), by_key)
    return Lowered(tuple(regions), tuple(_once_per_call(found)), kept)


def _kept(task: _Task, known: Kept) -> list[Found] | None:
    """Return what an earlier lowering found for a task; None for what is to be lowered."""
    return known.answers.get(task.function.key) if task.launch is None else None


def _tasks(
    unit: sx.Unit,
    effects: EffectTable,
    summaries: dict[str, Summary | None],
    apart: set[str],
    options: LowerOptions,
    meter: Meter,
) -> Iterator[_Task]:
    """Yield the functions that are wanted, a kernel for each of its launches."""
    kinds = _listed_kinds(unit)
    repeated = repeated_functions(unit.functions)
    looping = effects.with_loops() if options.functions is None else frozenset()
    for function in unit.functions.values():
        if _is_wanted(function, looping, options, kinds):
            for launch in _launches(function, options):
                yield _Task(
                    unit=unit,
                    effects=effects,
                    repeated=repeated,
                    summaries=summaries,
                    apart=apart,
                    meter=meter,
                    options=options,
                    function=function,
                    launch=launch,
                )


def _part(task: _Task) -> Part[list[Found]]:
    """Return the lowering of a function; where calls were not followed for lack of operations, more give more."""
    meter = task.meter

    def run(share: float) -> tuple[list[Found], bool]:
        meter.most = meter.used + share
        until = meter.used + min(_FOLLOWED * share, _MOST_FOLLOWED)

        def lower(started: KernelLaunch | None) -> Found:
            return _lower_launched(task, started, until)

        launch = task.launch
        found = list(lower_series(launch, lower)) if isinstance(launch, KernelSeries) else [lower(launch)]
        return found, until < meter.used and _FOLLOWED * share < _MOST_FOLLOWED

    return Part(f"lowering {task.function.key}", task.effects.size(task.function.key), run)


def _is_wanted(
    function: sx.Function, looping: frozenset[str], options: LowerOptions, kinds: frozenset[sx.FunctionKind]
) -> bool:
    if options.functions is not None:
        return not options.functions.isdisjoint((function.name, function.key, plain_name(function.name)))
    whole = function.kind in (sx.FunctionKind.FRAGMENT, sx.FunctionKind.KERNEL)
    return function.listed and function.kind in kinds and (function.key in looping or whole)


def _listed_kinds(unit: sx.Unit) -> frozenset[sx.FunctionKind]:
    """Return the kinds of functions that are listed: kernels, without any host functions; others are only inlined."""
    kinds = frozenset(function.kind for function in unit.functions.values())
    for preferred in (sx.FunctionKind.KERNEL, sx.FunctionKind.HOST):
        if preferred in kinds:
            return frozenset({preferred, sx.FunctionKind.FRAGMENT})
    return frozenset(sx.FunctionKind)


def _launches(function: sx.Function, options: LowerOptions) -> tuple[KernelLaunch | KernelSeries | None, ...]:
    """Return each different launch of a kernel once, or each series of them; None where there is none."""
    found = [item for item in options.launches if item.kernel == function.key]
    return tuple(found) or (None,)


def _is_of_callers(found: Diagnostic) -> bool:
    """Return whether callers may know what a finding says is not: the function behind a pointer that they hand over."""
    what = dict(found.fields).get("what")
    return found.code == "AI206" and isinstance(what, Phrase) and what.form == "call-through-a-pointer"


def _once_per_call(found: Mapping[Diagnostic, None]) -> Iterator[Diagnostic]:
    """Yield diagnostics in source order; an unknown function is reported once."""
    reported: set[tuple[tuple[str, Field], ...]] = set()
    for diagnostic in sorted(found, key=lambda item: (item.span.line, item.code, item.message)):
        if diagnostic.code == "AI201":
            if diagnostic.fields in reported:
                continue
            reported.add(diagnostic.fields)
        yield diagnostic


_HANDLERS = Handlers(
    evaluate=expressions.evaluate,
    lvalue=references.find_lvalue,
    condition=conditions.condition_of,
    call=calls.lower_call,
    run=control.run_statement,
)


class _Short(Struct, frozen=True, kw_only=True):
    """What is known of short arrays of a function: see :class:`.inputs.Inputs`."""

    arrays: frozenset[str]
    elements: Tables
    followed: frozenset[str]


def _lower_launched(task: _Task, started: KernelLaunch | None, until: float) -> Found:
    """Return a function lowered; the loops of a kernel whose length its compiler does not know are marked."""
    region, diagnostics = _lower_function(task, started, until)
    options = task.options
    if region.kind is not RegionKind.KERNEL or not (started or options.defines or options.stated or options.given):
        return region, diagnostics
    nothing = replace(options, defines={}, stated={}, given={}, averages={}, arrays={})
    plain = replace(task, options=nothing, launch=None)
    return with_run_time_extents(region, lambda: _lower_function(plain, None, until)[0]), diagnostics


def _lower_function(task: _Task, started: KernelLaunch | None, until: float) -> Found:
    """Return a function lowered, a second time where it stores integers itself by which it then counts loops."""
    found, storage = _lowered(task, started, until, {})
    only_read = frozenset() if has_summaries(found[0].body) else _only_read(task, found[0], storage)
    if only_read:
        found, storage = _lowered(task, started, until, {}, only_read)
    (found, storage), short = _with_short_tables(task, started, until, (found, storage), only_read)
    forms: dict[str, StoredForm | StoredElements] = {**stored_forms(found[0])}
    forms |= task.options.stored.get(task.function.key, {})
    written = handed(task.unit.functions, task.function, storage) if forms else None
    if written is None or not forms.keys() - written:
        return found
    kept = {array: form for array, form in forms.items() if array not in written}
    return _lowered(task, started, until, kept, only_read, short)[0]


def _with_short_tables(
    task: _Task,
    started: KernelLaunch | None,
    until: float,
    first: tuple[Found, Mapping[sx.Variable, str]],
    only_read: frozenset[str],
) -> tuple[tuple[Found, Mapping[sx.Variable, str]], _Short | None]:
    """Return a function lowered with what it stores in short arrays of integers, and these; else as at ``first``."""
    short = frozenset() if has_summaries(first[0][0].body) else short_arrays(first[0][0], first[1])
    written = handed(task.unit.functions, task.function, first[1]) if short else None
    short = frozenset() if written is None else short - written
    followed = integers_on_the_stack(first[0][0], short)
    tables: Tables = {}
    for _ in range(_MOST_TABLE_PASSES if short else 0):
        known = _Short(arrays=short, elements=tables, followed=followed)
        found = _lowered(task, started, until, {}, only_read, known)
        again = short_tables(found[0][0], short)
        if again == tables and short == again.keys():
            is_better = any(tables.values()) or count_open(found[0][0]) < count_open(first[0][0])
            return (found, known) if is_better else (first, None)
        tables, short = again, frozenset(again)
    return first, None


def _only_read(task: _Task, region: Region, storage: Mapping[sx.Variable, str]) -> frozenset[str]:
    """Return the arrays whose elements are given and that no statement stores, but whose addresses are taken."""
    stored = {
        name
        for visit in statements(region)
        if isinstance(visit.node, Statement) and isinstance(visit.node.target, Access)
        for name in visit.node.target.array.split(BETWEEN)
    }
    arrays = (array for array in region.arrays if array.element.scalar.is_integer and array.name not in stored)
    given = frozenset(array.name for array in arrays if task.options.arrays.get(array.name) is not None)
    inputs = _inputs(task, None, math.inf)
    given = frozenset(name for name in given if inputs.is_written(name))
    if not given:
        return frozenset()
    written = handed(task.unit.functions, task.function, storage)
    return frozenset() if written is None else given - written


def _lowered(
    task: _Task,
    started: KernelLaunch | None,
    until: float,
    forms: Mapping[str, StoredForm | StoredElements],
    only_read: frozenset[str] = frozenset(),
    short: _Short | None = None,
) -> tuple[Found, Mapping[sx.Variable, str]]:
    """Return a function lowered, and the arrays of its variables."""
    inputs = replace(_inputs(task, started, until), forms=forms, only_read=only_read)
    if short is not None:
        inputs = replace(inputs, short=short.arrays, elements=short.elements, followed=short.followed)
    while True:
        before = task.meter.used
        try:
            return _lowered_within(task, started, inputs)
        except TooLong as found:  # each time it is another one
            if found.function == task.function.key:
                raise
            limits = replace(inputs.limits, until=inputs.limits.until + task.meter.used - before)
            if inputs.too_long:  # of many long ones none is followed, which bounds how often the function is lowered
                limits = replace(limits, linked_nodes=0)
            inputs = replace(inputs, limits=limits, too_long=inputs.too_long | {found.function})


def _lowered_within(
    task: _Task, started: KernelLaunch | None, inputs: Inputs
) -> tuple[Found, Mapping[sx.Variable, str]]:
    """Return a function lowered, as :func:`_lowered`; raises ``TooLong``."""
    function = task.function
    is_kernel = function.kind is sx.FunctionKind.KERNEL
    state = State(inputs, _HANDLERS)
    launch = None
    if is_kernel:
        launch = with_launch(None if started is None else started.launch, state.inputs.defines)
        enter_grid(state, launch)
        bind_pointers(state, function, launch)
    for parameter in function.parameters:
        if isinstance(parameter.type, sx.ScalarT) and parameter.type.element.scalar.is_integer:
            state.symbols.taken.add(parameter.name)
    _assume_distinct(state.emitter, function)
    followed = function if function.key not in task.repeated else task.repeated[function.key].loop
    frame = Frame(followed, state.target("function"))
    state.flow.frames += (frame, frame) if task.is_called else (frame,)
    with state.flow.inside(frame.target):
        state.run(followed.body)
    join_targets(state, frame.target)
    if is_kernel:
        wrap_in_grid(state, function.span)
    region = replace(finished(state, function), launch=launch)
    found = state.emitter.diagnostics.values()
    return (region, [item.with_names(without_number) for item in found]), state.memory.storage


def _summary(task: _Task, function: sx.Function, until: float) -> Summary | None:
    """Return the summary of a function that is called; None for those of kernels, and while it is being made."""
    summaries = task.summaries
    if function.key not in summaries:
        summaries[function.key] = None
        if function.kind is sx.FunctionKind.HOST and task.function.kind is sx.FunctionKind.HOST:
            called = replace(task, function=task.unit.functions[function.key], launch=None, is_called=True)
            try:
                (region, diagnostics), _ = _lowered(called, None, until, {})
            except TooLong:
                return None
            except Overrun:
                del summaries[function.key]  # another caller may have more operations left
                raise
            found = summary_of(region, diagnostics)
            summaries[function.key] = found if found.size <= Limits().summary_nodes else None
    return summaries[function.key]


def _inputs(task: _Task, started: KernelLaunch | None, until: float) -> Inputs:
    options, function = task.options, task.function
    effects = task.effects.of(function.body)
    limits = _KERNEL_LIMITS if function.kind in _ON_DEVICE else Limits()
    stated, given = (values.get(function.key, {}) for values in (options.stated, options.given))
    values = {**stated, **options.averages, **options.defines, **given}
    if task.is_called:  # its parameters are the arguments of its calls
        own = {parameter.name for parameter in function.parameters}
        values = {name: value for name, value in values.items() if variables_of(name).isdisjoint(own)}
    return Inputs(
        unit=task.unit,
        effects=task.effects,
        defines={name: value for name, value in values.items() if isinstance(value, int)},
        averages={name: value for name, value in values.items() if isinstance(value, Fraction)},
        arguments={} if started is None else started.arguments,
        after=options.after if function.name == _MAIN and not task.is_called else {},
        sizes=function.sizes,
        element_type=options.element_type,
        written=with_pointed_at(function.body, effects.storage),
        written_members=frozenset(effects.members_in_memory),
        resizes=effects.resizes,
        repeated=task.repeated,
        limits=replace(limits, until=until),
        given_arrays={} if task.is_called else options.arrays,
        meter=task.meter,
        apart=task.apart,
        summary=lambda called: _summary(task, called, until),
    )


def _assume_distinct(emitter: Emitter, function: sx.Function) -> None:
    pointers = [item for item in function.parameters if isinstance(item.type, sx.PointerT) and not item.type.restrict]
    if len(pointers) > 1:
        emitter.assume("AI302", function.span, "overlap", arrays=tuple(item.name for item in pointers))
