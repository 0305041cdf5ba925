"""Kernels: the body of one thread inside loops over blocks and threads.

``blockIdx`` and ``threadIdx`` are the iterators of these loops, ``gridDim`` and ``blockDim`` their bounds: numbers
where a launch gives them, symbols of that name where none does.  Axes of extent 1 have no loop.  Of a kernel without a
launch only the axes that it uses have loops; where it uses an axis only through the number of the thread in the whole
grid, ``blockIdx.x * blockDim.x + threadIdx.x``, one loop over ``threads.x`` threads replaces both: that number is
affine where the product is not.

Reference: CUDA C++ Programming Guide, "Thread Hierarchy".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Mapping as Table

from msgspec import Struct, field
from msgspec.structs import replace

from ....ir.index import ONE, ZERO, Poly, const, var
from ....ir.launches import Launch
from ....ir.nodes import Loop, Mapping, Node, Strided, SymbolOrigin
from ....ir.passes.drivers import outermost_loops
from ....ir.traverse import names_in
from ....python.regex import regex
from ....source import Span
from ...surface import nodes as sx
from ..choices.at_entry import null_pointer
from ..emitter import Emitter
from ..flow import LoopFacts
from ..names.bindings import Integer, Slot
from ..rewrite import Rewriter
from ..state import State

_WARP_SIZE = 32
_ARGUMENTS = regex(r"<[^<>]*>")
_UNKNOWN: tuple[int | None, int | None, int | None] = (None, None, None)
_MAPPINGS = {
    "blockIdx.z": Mapping.BLOCK_Z,
    "blockIdx.y": Mapping.BLOCK_Y,
    "blockIdx.x": Mapping.BLOCK_X,
    "threadIdx.z": Mapping.THREAD_Z,
    "threadIdx.y": Mapping.THREAD_Y,
    "threadIdx.x": Mapping.THREAD_X,
}
_NUMBERS = {"thread.z": Mapping.THREAD_Z, "thread.y": Mapping.THREAD_Y, "thread.x": Mapping.THREAD_X}
_BOUNDS = {"blockIdx": "gridDim", "threadIdx": "blockDim"}


class KernelLaunch(Struct, frozen=True, kw_only=True):
    """A launch of the kernel with this key; ``arguments`` are the parameters whose values are known.

    ``reals`` are the real numbers among them that all launches agree on.  It is made ``least`` to ``most`` times.
    """

    kernel: str
    launch: Launch
    arguments: Table[str, int] = field(default_factory=dict)
    reals: Table[str, float] = field(default_factory=dict)
    least: int = 1
    most: int = 1


def plain_name(name: str) -> str:
    """Return a name without template arguments.

    >>> plain_name("axpy<float, 4>"), plain_name("Grid<View<double>>::fill<2>"), plain_name("A::operator<")
    ('axpy', 'Grid::fill', 'A::operator<')
    """
    changed = 1
    while changed:
        name, changed = _ARGUMENTS.subn("", name)
    return name


def enter_grid(state: State, launch: Launch | None) -> None:
    """Bind the indices and extents of blocks and threads, and open the loops over them."""
    state.emitter.in_kernel = True
    grid = _UNKNOWN if launch is None else launch.grid
    block = _UNKNOWN if launch is None else launch.block
    extents = {
        f"{name}.{axis}": _extent(state, f"{name}.{axis}", value)
        for name, values in (("gridDim", grid), ("blockDim", block))
        for axis, value in zip("xyz", values, strict=True)
    }
    positions = {}
    for name in _MAPPINGS:
        extent = extents[_bound_name(name)]
        state.symbols.taken.add(name)
        positions[name] = ZERO if extent == ONE else var(name)
        if extent != ONE:
            state.flow.loops.append(LoopFacts(name, ZERO, extent - 1, of_grid=True))
    for variable in state.inputs.unit.globals:
        if variable.name == "warpSize":
            state.environment.bindings[(variable, "")] = Integer(const(_WARP_SIZE))
        if not isinstance(variable.type, sx.StructT) or variable.type.name not in ("uint3", "dim3"):
            continue
        for axis in "xyz":
            value = positions.get(f"{variable.name}.{axis}", extents.get(f"{variable.name}.{axis}"))
            if value is not None:
                state.environment.bindings[(variable, f".{axis}")] = Integer(value, at_run_time=True)


def bind_pointers(state: State, kernel: sx.Function, launch: Launch | None) -> None:
    """Bind the pointers that are null in a launch, and note those to which it gives memory."""
    null = () if launch is None else launch.null_pointers
    given = {} if launch is None else dict(launch.array_bytes)
    for name, first, step in () if launch is None else launch.array_forms:
        if not state.inputs.is_written(name):
            state.memory.host_forms[name] = (first, step, kernel.span)
    for parameter in kernel.parameters:
        slot = Slot(parameter, parameter.type)
        if parameter.name in null:
            state.environment.bind(slot, null_pointer(state, slot))
        elif parameter.name in given:
            state.memory.given.add(state.memory.slot_name(slot))


def bind_reals(state: State, kernel: sx.Function, reals: Table[str, float]) -> None:
    """Note the real numbers that a launch gives parameters, and members of them, that the kernel does not assign."""
    assigned = state.inputs.effects.of(kernel.body).variables
    for parameter in (each for each in kernel.parameters if each not in assigned):
        for name, number in reals.items():
            root, dot, path = name.partition(".")
            if root == parameter.name:
                slot = Slot(parameter, parameter.type, dot + path)
                state.symbols.reals[state.memory.slot_name(slot)] = number


def _extent(state: State, name: str, value: int | None) -> Poly:
    given = state.symbols.given(name) if value is None else value
    return state.symbols.named(name, SymbolOrigin.LAUNCH) if given is None else const(given)


def _bound_name(iterator: str) -> str:
    name, axis = iterator.split(".")
    return f"{_BOUNDS[name]}.{axis}"


def wrap_in_grid(state: State, span: Span) -> None:
    """Put the loops over blocks and threads around the block that was lowered.

    One thread alone has one as well where it runs loops among other nodes: a kernel is one nest.
    """
    bounds = {loop.iterator: loop.upper + 1 for loop in state.flow.loops if loop.upper is not None}
    state.flow.loops.clear()
    bounds = _numbered(state, _without_unused(state.emitter, bounds, span))
    loops = [*outermost_loops(state.emitter.block)]
    if not bounds and loops and len(loops) + len(state.emitter.block) > 2:
        bounds["threadIdx.x"] = ONE
    nodes: Sequence[Node] = tuple(state.emitter.block)
    for name in reversed((*_MAPPINGS, *_NUMBERS)):
        if name in bounds:
            nodes = (Loop(name, Strided(ZERO, bounds[name]), tuple(nodes), span, (_MAPPINGS | _NUMBERS)[name]),)
    state.emitter.block[:] = list(nodes) if state.emitter.block else []


def _without_unused(emitter: Emitter, bounds: Table[str, Poly], span: Span) -> dict[str, Poly]:
    """Return bounds without the axes of unknown extent that the kernel does not use, unless it uses none."""
    used = names_in(emitter.block)
    open_axes = {name[-1] for name, bound in bounds.items() if bound.constant is None}
    unused = [axis for axis in "xyz" if axis in open_axes and not _uses(used, axis)]
    if len(unused) == len("xyz"):
        return dict(bounds)
    if unused:
        emitter.assume("AI308", span, "axes", axes=" and ".join(unused))
    kept = {name: bound for name, bound in bounds.items() if name[-1] not in unused}
    return kept | {name: bound for name, bound in bounds.items() if bound.constant is not None}


def _numbered(state: State, bounds: dict[str, Poly]) -> dict[str, Poly]:
    """Return bounds with one loop over all threads of an axis where the kernel uses only their number in the grid."""
    for axis in "xyz":
        block, thread, number = f"blockIdx.{axis}", f"threadIdx.{axis}", f"thread.{axis}"
        if block not in bounds or thread not in bounds or bounds[thread].constant is not None:
            continue
        first = bounds[thread] * var(block)
        nodes = Rewriter(state.emitter, state.symbols, {thread: var(number) - first}).nodes(state.emitter.block)
        if not names_in(nodes).isdisjoint((block, thread, *bounds[thread].names(), *bounds[block].names())):
            continue
        state.emitter.block[:] = nodes
        state.symbols.taken.add(number)
        del bounds[block], bounds[thread]
        bounds[number] = state.symbols.named(f"threads.{axis}", SymbolOrigin.LAUNCH)
    return bounds


def _uses(used: set[str], axis: str) -> bool:
    return any(f"{name}.{axis}" in used for name in ("blockIdx", "threadIdx", "blockDim", "gridDim"))


def with_launch(launch: Launch | None, given: Callable[[str], int | None]) -> Launch | None:
    """Return the launch that is counted: what it leaves open is what ``-D blockDim.x=...`` and the like say.

    ``given`` returns the value of a name, which is that of all kernels: others may be started with other extents.
    """
    if launch is None:
        found = [tuple(given(f"{name}.{axis}") for axis in "xyz") for name in ("gridDim", "blockDim")]
        if not any(value is not None for values in found for value in values):
            return None
        launch = Launch(_UNKNOWN, _UNKNOWN, None, "-D")
    grid, block = (
        tuple(given(f"{name}.{axis}") if value is None else value for axis, value in zip("xyz", values, strict=True))
        for name, values in (("gridDim", launch.grid), ("blockDim", launch.block))
    )
    return replace(launch, grid=(grid[0], grid[1], grid[2]), block=(block[0], block[1], block[2]))
