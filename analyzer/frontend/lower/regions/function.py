"""The lowering of one function, within its share of the operations: to its region and findings."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from ....ir.nodes import Region, RegionKind, Statement
from ....ir.passes.summaries import has_summaries
from ....ir.values import Access
from ....ir.walk import statements
from ....limits.hard_limit import Overrun
from ....limits.meter import Meter
from ....limits.shares import Part
from ...surface import nodes as sx
from .. import control
from ..emitter import Emitter
from ..expressions import conditions, references
from ..expressions import expression as expressions
from ..expressions.calls import calls
from ..flow import Frame
from ..functions.effects import EffectTable, with_pointed_at
from ..functions.recursion import Repeated
from ..functions.short_tables import Tables, count_open, integers_on_the_stack, short_arrays, short_tables
from ..functions.stored_values import StoredElements, StoredForm, handed, stored_forms
from ..inputs import Inputs, Limits, NoTable, TooLong
from ..kernels.kernel import KernelLaunch, bind_pointers, bind_reals, enter_grid, with_launch, wrap_in_grid
from ..kernels.run_time_extents import with_run_time_extents
from ..kernels.series import KernelSeries, lower_series
from ..merging import join_targets
from ..names.bindings import BETWEEN, variables_of
from ..options import MAIN, Found, LowerOptions
from ..state import Handlers, State
from ..summaries.summary import Summary, summary_of
from .finished import finished, globals_at_entry, without_number

_ON_DEVICE = (sx.FunctionKind.KERNEL, sx.FunctionKind.DEVICE)
_FOLLOWED = 0.5  # of the operations of a function, in which its calls are followed
_MOST_FOLLOWED = 40_000  # operations, some 3 s
_LONG = 0.5  # of these: what took more is not lowered again for what it stores in short arrays
_KERNEL_LIMITS = Limits(nodes=20_000, inlined_calls=1_000)
_MOST_TABLES_REFUSED = 8  # arrays; each takes the lowering from the start to where it is seen to be none
_MOST_TABLE_PASSES = 4  # each element that follows from others takes one more
_MOST_MORE_OPEN = 4  # times as much as before: what runs step by step is still open


class Task(Struct, frozen=True, kw_only=True):
    """A function to lower, for one launch or series of launches, where it is a kernel that is launched.

    One that ``is_called`` is lowered for its summary, as its calls see it.  ``summaries`` are those made so far,
    ``compiled`` the regions of kernels as their compiler sees them, without launch and given values, by key,
    ``apart`` the functions whose bodies were not put in place of a call, ``costly`` those that use up the operations;
    ``no_tables`` are the short arrays of integers that data decide.
    """

    unit: sx.Unit
    effects: EffectTable
    repeated: Mapping[str, Repeated]
    summaries: dict[str, Summary | None]
    compiled: dict[str, Region]
    apart: set[str]
    costly: set[str] = field(default_factory=set)
    no_tables: set[str] = field(default_factory=set)
    meter: Meter
    options: LowerOptions
    function: sx.Function
    launch: KernelLaunch | KernelSeries | None
    is_called: bool = False


def lowering(task: Task) -> Part[list[Found]]:
    """Return the lowering of a function; where calls were not followed for lack of operations, more give more."""
    meter = task.meter

    def run(share: float) -> tuple[list[Found], bool]:
        meter.most = meter.used + share
        until = meter.used + min(_FOLLOWED * share, _MOST_FOLLOWED)

        def lower(started: KernelLaunch | None) -> Found:
            return _lower_launched(task, started, until - meter.used)

        launch = task.launch
        found = list(lower_series(launch, lower)) if isinstance(launch, KernelSeries) else [lower(launch)]
        return found, until < meter.used and _FOLLOWED * share < _MOST_FOLLOWED

    return Part(f"lowering {task.function.key}", task.effects.size(task.function.key), run)


_HANDLERS = Handlers(
    evaluate=expressions.evaluate,
    lvalue=references.find_lvalue,
    condition=conditions.condition_of,
    call=calls.lower_call,
    run=control.run_statement,
)


class _Short(Struct, frozen=True, kw_only=True):
    """What is known of short arrays of a function: see :class:`..inputs.Inputs`."""

    arrays: frozenset[str]
    elements: Tables
    followed: frozenset[str]


def _lower_launched(task: Task, started: KernelLaunch | None, follow: float) -> Found:
    """Return a function lowered; the loops of a kernel whose length its compiler does not know are marked."""
    region, diagnostics = _lower_function(task, started, follow)
    options = task.options
    if region.kind is not RegionKind.KERNEL or not (started or options.defines or options.stated or options.given):
        return region, diagnostics
    return with_run_time_extents(region, lambda: _compiled(task, follow)), diagnostics


def _compiled(task: Task, follow: float) -> Region:
    """Return the region of a kernel as its compiler sees it: the same for all of its launches."""
    key = task.function.key
    if key not in task.compiled:
        nothing = replace(task.options, defines={}, stated={}, given={}, averages={}, arrays={})
        task.compiled[key] = _lower_function(replace(task, options=nothing, launch=None), None, follow)[0]
    return task.compiled[key]


def _lower_function(task: Task, started: KernelLaunch | None, follow: float) -> Found:
    """Return a function lowered, a second time where it stores integers itself by which it then counts loops."""
    before = task.meter.used
    found, state = _lowered(task, started, follow, {})
    only_read, short = frozenset[str](), None
    if task.meter.used - before <= _LONG * follow and not has_summaries(found[0].body):
        only_read = _only_read(task, found[0], state.memory.storage)
        if only_read:
            found, state = _lowered(task, started, follow, {}, only_read)
        (found, state), short = _with_short_tables(task, started, follow, (found, state), only_read)
    forms: dict[str, StoredForm | StoredElements] = {**stored_forms(found[0])}
    forms |= task.options.stored.get(task.function.key, {})
    written = handed(task.unit.functions, task.function, state.memory.storage) if forms else None
    if written is None or not forms.keys() - written:
        return found
    kept = {array: form for array, form in forms.items() if array not in written}
    return _lowered(task, started, follow, kept, only_read, short)[0]


def _with_short_tables(
    task: Task,
    started: KernelLaunch | None,
    follow: float,
    first: tuple[Found, State],
    only_read: frozenset[str],
) -> tuple[tuple[Found, State], _Short | None]:
    """Return a function lowered with what it stores in short arrays of integers, and these; else as at ``first``."""
    short = short_arrays(first[0][0], first[1].memory.storage) - first[1].memory.followed
    written = handed(task.unit.functions, task.function, first[1].memory.storage) if short else None
    short = frozenset() if written is None else frozenset(each for each in short if each.split(".")[0] not in written)
    followed = integers_on_the_stack(first[0][0], short)
    tables: Tables = {}
    for _ in range(_MOST_TABLE_PASSES if short else 0):
        known = _Short(arrays=short, elements=tables, followed=followed)
        found = _lowered(task, started, follow, {}, only_read, known)
        if count_open(found[0][0]) > _MOST_MORE_OPEN * max(1, count_open(first[0][0])):
            break  # copies of iterations in which as much is open as before
        again = short_tables(found[0][0], short)
        if again == tables and short == again.keys():
            is_better = any(tables.values()) or count_open(found[0][0]) < count_open(first[0][0])
            return (found, known) if is_better else (first, None)
        tables, short = again, frozenset(again)
    return first, None


def _only_read(task: Task, region: Region, storage: Mapping[sx.Variable, str]) -> frozenset[str]:
    """Return the arrays whose elements are given and that no statement stores, but whose addresses are taken."""
    stored = {
        name
        for visit in statements(region)
        if isinstance(visit.node, Statement) and isinstance(visit.node.target, Access)
        for name in visit.node.target.array.split(BETWEEN)
    }
    arrays = (array for array in region.arrays if array.element.scalar.is_integer and array.name not in stored)
    given = frozenset(array.name for array in arrays if task.options.arrays.get(array.name) is not None)
    inputs = _inputs(task, None)
    given = frozenset(name for name in given if inputs.is_written(name))
    if not given:
        return frozenset()
    written = handed(task.unit.functions, task.function, storage)
    return frozenset() if written is None else given - written


def _lowered(
    task: Task,
    started: KernelLaunch | None,
    follow: float,
    forms: Mapping[str, StoredForm | StoredElements],
    only_read: frozenset[str] = frozenset(),
    short: _Short | None = None,
) -> tuple[Found, State]:
    """Return a function lowered, and how it stands then; calls are followed for so many operations."""
    inputs = replace(_inputs(task, started), forms=forms, only_read=only_read)
    if short is not None:
        inputs = replace(inputs, short=short.arrays, elements=short.elements, followed=short.followed)
    while True:
        before, apart = task.meter.used, set(task.apart)
        inputs = replace(inputs, limits=replace(inputs.limits, until=before + follow))
        try:
            found = _lowered_within(task, started, inputs)
        except NoTable as refused:
            task.no_tables.add(refused.array)
            follows = inputs.follows_tables and len(task.no_tables) <= _MOST_TABLES_REFUSED
            inputs = replace(inputs, no_tables=frozenset(task.no_tables), follows_tables=follows)
            continue
        except TooLong as long:  # each time it is another one
            if long.function == task.function.key:
                raise
            if inputs.too_long:  # of many long ones none is followed, which bounds how often the function is lowered
                inputs = replace(inputs, limits=replace(inputs.limits, linked_nodes=0))
            inputs = replace(inputs, too_long=inputs.too_long | {long.function})
            continue
        costly = found[1].flow.following.costly(task.meter.used - before)
        if inputs.costly or not costly:
            return found
        task.costly.update(costly)
        task.apart.intersection_update(apart)
        inputs = replace(inputs, costly=costly)


def _lowered_within(task: Task, started: KernelLaunch | None, inputs: Inputs) -> tuple[Found, State]:
    """Return a function lowered, as :func:`_lowered`; raises ``TooLong``."""
    function = task.function
    is_kernel = function.kind is sx.FunctionKind.KERNEL
    state = State(inputs, _HANDLERS)
    launch = None
    if is_kernel:
        launch = with_launch(None if started is None else started.launch, state.symbols.given)
        enter_grid(state, launch)
        bind_pointers(state, function, launch)
        bind_reals(state, function, {} if started is None else started.reals)
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
    return (region, [item.with_names(without_number) for item in found]), state


def _summary(task: Task, function: sx.Function, follow: float) -> Summary | None:
    """Return the summary of a function that is called; None for those of kernels, and while it is being made."""
    summaries = task.summaries
    if function.key not in summaries:
        summaries[function.key] = None
        if function.kind is sx.FunctionKind.HOST and task.function.kind is sx.FunctionKind.HOST:
            called = replace(
                task,
                function=task.unit.functions[function.key],
                launch=None,
                is_called=True,
                costly=set(),
                no_tables=set(),
            )
            try:
                (region, diagnostics), state = _lowered(called, None, follow, {})
            except TooLong:
                return None
            except Overrun:
                del summaries[function.key]  # another caller may have more operations left
                raise
            found = summary_of(region, diagnostics, globals_at_entry(state))
            summaries[function.key] = found if found.size <= Limits().summary_nodes else None
    return summaries[function.key]


def _inputs(task: Task, started: KernelLaunch | None) -> Inputs:
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
        after=options.after if function.name == MAIN and not task.is_called else {},
        sizes=function.sizes,
        element_type=options.element_type,
        written=with_pointed_at(function.body, effects.storage),
        written_members=frozenset(effects.members_in_memory),
        resizes=effects.resizes,
        repeated=task.repeated,
        limits=limits,
        given_arrays={} if task.is_called else options.arrays,
        meter=task.meter,
        apart=task.apart,
        costly=frozenset(task.costly),
        summary=partial(_summary, task),
        follows_tables=function.name == MAIN and not task.is_called and len(task.no_tables) <= _MOST_TABLES_REFUSED,
        no_tables=frozenset(task.no_tables),
    )


def _assume_distinct(emitter: Emitter, function: sx.Function) -> None:
    pointers = [item for item in function.parameters if isinstance(item.type, sx.PointerT) and not item.type.restrict]
    if len(pointers) > 1:
        emitter.assume("AI302", function.span, "overlap", arrays=tuple(item.name for item in pointers))
