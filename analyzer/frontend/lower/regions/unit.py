"""The whole lowering: from one surface tree to regions and findings, with a share of operations for each function.

An operation is an expression or a statement that is lowered, as often as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from ....diagnostics import Diagnostic, Field, Phrase, why_given_up
from ....ir.nodes import Region
from ....limits.hard_limit import cpu_seconds
from ....limits.meter import Meter
from ....limits.recursion import deep_recursion
from ....limits.shares import GivenUp, in_shares
from ...surface import nodes as sx
from ..functions.effects import EffectTable
from ..functions.recursion import calls_among, repeated_functions, with_recursion
from ..kernels.kernel import KernelLaunch, plain_name
from ..kernels.library import about_kernels, callers_of_kernels, library_kernels
from ..kernels.series import KernelSeries
from ..options import Found, Kept, LowerOptions
from ..summaries.summary import Summary
from .function import Task, lowering
from .unseen import unseen_functions

_OPERATIONS_PER_SECOND = 5_000  # at least; 10,000 to 20,000 on a core of today
_LEAST_S = 1.0  # of CPU time for a function, in which a pause of the interpreter is small


class Lowered(Struct, frozen=True):
    """Regions in source order, the findings of all of them, and what is kept for a lowering under other options."""

    regions: tuple[Region, ...]
    diagnostics: tuple[Diagnostic, ...]
    kept: Kept


def lower_unit(unit: sx.Unit, options: LowerOptions | None = None, earlier: Lowered | None = None) -> Lowered:
    """Lower every wanted function that has a loop or calls itself, and every function that is named, in source order.

    Of an ``earlier`` lowering of the same unit what does not depend on options that differ is not made again.
    """
    options = options or LowerOptions()
    known = Kept(options, EffectTable(unit.functions), {}, frozenset(), {}, {})
    if earlier is not None:
        known = earlier.kept.under(options)
    effects, apart = known.effects, set(known.apart)
    wants_callers = options.library_kernels and options.functions is None
    callers = callers_of_kernels(unit) if wants_callers else frozenset[str]()
    summaries, compiled = dict(known.summaries), dict(known.compiled)
    end = cpu_seconds() + (options.seconds or math.inf)
    most, meter = options.operations or math.inf, Meter()

    def answers_of(tasks: Sequence[Task]) -> list[list[Found] | GivenUp]:
        waiting = [task for task in tasks if _kept(task, known) is None]
        found = in_shares(
            [lowering(task) for task in waiting],
            lambda: most - meter.used,
            lambda share: min(end - cpu_seconds(), max(_LEAST_S, share / _OPERATIONS_PER_SECOND)),
        )
        made = iter(found)
        return [kept if (kept := _kept(task, known)) is not None else next(made) for task in tasks]

    with deep_recursion():
        tasks = list(_tasks(unit, effects, summaries, compiled, apart, options, meter, callers))
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
            if task.function.key in callers:
                diagnostics = list(about_kernels(region, diagnostics))
            found.update(dict.fromkeys(diagnostics))
            for each in filter(_is_of_callers, diagnostics):
                settled[each] = settled.get(each, True) and task.function.key in of_callers
    found = {each: None for each in found if not settled.get(each, False)}
    if options.functions is None:
        found.update(dict.fromkeys(library_kernels(unit, effects, rows=options.library_kernels)))
    kept = Kept(options, effects, summaries, frozenset(apart), _to_keep(tasks, answers), compiled)
    return Lowered(tuple(regions), tuple(_once_per_call(found)), kept)


def _to_keep(tasks: Sequence[Task], answers: Sequence[list[Found] | GivenUp]) -> dict[str, list[Found]]:
    """Return what was found for functions, but for launches of kernels, by the keys of the functions."""
    return {
        task.function.key: answer
        for task, answer in zip(tasks, answers, strict=True)
        if task.launch is None and not isinstance(answer, GivenUp)
    }


def _kept(task: Task, known: Kept) -> list[Found] | None:
    """Return what an earlier lowering found for a task; None for what is to be lowered."""
    return known.answers.get(task.function.key) if task.launch is None else None


def _tasks(
    unit: sx.Unit,
    effects: EffectTable,
    summaries: dict[str, Summary | None],
    compiled: dict[str, Region],
    apart: set[str],
    options: LowerOptions,
    meter: Meter,
    callers: Set[str],
) -> Iterator[Task]:
    """Yield the functions that are wanted, a kernel for each of its launches, and ``callers`` of library kernels."""
    kinds = _listed_kinds(unit)
    calls = calls_among(unit.functions)
    repeated = repeated_functions(unit.functions, calls)
    looping = effects.with_loops() | with_recursion(calls) if options.functions is None else frozenset()
    for function in unit.functions.values():
        if function.key in callers or _is_wanted(function, looping, options, kinds):
            for launch in _launches(function, options):
                yield Task(
                    unit=unit,
                    effects=effects,
                    repeated=repeated,
                    summaries=summaries,
                    compiled=compiled,
                    apart=apart,
                    meter=meter,
                    options=options,
                    function=function,
                    launch=launch,
                )


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
