"""Constant propagation through host code: which kernels are launched, with what grid, block and arguments.

Starts at ``main`` (with the program's command line where it is given), then at every function that launches a kernel
which no start reached.  Known conditions choose a branch; unknown ones run both, and a value on which these
agree stays known.  An unknown value is a symbol of the kernel's region, and its sources are the reasons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from msgspec.structs import replace

from ...ir.launches import Launch
from ..surface import nodes as sx
from .execution.calls import call_function, call_through_value, enter
from .execution.statements import run
from .launch import launch
from .launch_record import FoundLaunch, LaunchRecord
from .linked_program import LinkedProgram
from .state import Handlers, HostState, Leave
from .values import Strings, Value

HANDLERS: Final = Handlers(run=run, call=call_function, call_through_value=call_through_value, launch=launch)


def find_launches(
    units: Sequence[sx.Unit],
    program_arguments: Sequence[str] | None = None,
    defines: Mapping[str, int] | None = None,
    device: Mapping[str, int] | None = None,
) -> tuple[FoundLaunch, ...]:
    """Return the launches in the order in which they are met, one for each difference in a known part or in the site.

    ``units`` are linked: a function without a body in its own unit is looked for by name in the others.

    ``program_arguments`` is the command line without the program; ``defines`` are values of variables by name.
    ``device`` are properties of the GPU by their names in the CUDA runtime.
    """
    program = LinkedProgram(units, program_arguments, defines, device)
    starts = {item.key: item for item in program.functions.values() if item.key in program.launching}
    made: list[FoundLaunch] = []
    has_main = False
    of_main: set[int] = set()  # positions of the launches that the program makes: any others are of code beside it
    for function in sorted(starts.values(), key=lambda item: item.name != "main"):
        reached = {found.kernel for found in made}
        if function.name == "main" or not program.launching[function.key] - {""} <= reached:
            record = _run_from(program, function, frozenset((item.kernel, item.launch) for item in made))
            own = [found for found in record.made() if not found.site or found.site[-1] not in of_main]
            if function.name == "main":
                has_main, of_main = True, {found.site[-1] for found in own if found.site}
            own += record.passed_over({found.kernel for found in (*made, *own)})
            made += [replace(found, beside=has_main and function.name != "main") for found in own]
    return tuple(made)


def _run_from(program: LinkedProgram, start: sx.Function, known: frozenset[tuple[str, Launch]]) -> LaunchRecord:
    """Run a function that no function called so far; return its launches other than the ``known`` ones."""
    state = HostState(program, HANDLERS, LaunchRecord(known))
    with suppress(Leave):
        enter(state, start, arguments_at_start(state, start))
    if state.is_spent:
        state.record.end_early(start.span)
    return state.record


def arguments_at_start(state: HostState, function: sx.Function) -> list[Value]:
    """Return the arguments of ``main``, or of a function that nothing calls."""
    words = state.program.arguments
    if function.name == "main" and words is not None:
        return [len(words) + 1, Strings(("program", *words))]
    if function.name == "main":
        return [state.unknown(parameter.name, "command-line", parameter) for parameter in function.parameters]
    return [
        state.unknown(parameter.name, "argument", parameter, function=function.name)
        for parameter in function.parameters
    ]
