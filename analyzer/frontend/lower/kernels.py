"""Kernels: the body of one thread inside loops over blocks and threads.

``blockIdx`` and ``threadIdx`` are the iterators of these loops, ``gridDim`` and ``blockDim`` their bounds: numbers
where a launch gives them, symbols of that name where none does.  Axes of extent 1 have no loop.  Of a kernel without a
launch only the axes that it looks at are kept; where it looks at an axis only through the number of the thread in the
whole grid, ``blockIdx.x * blockDim.x + threadIdx.x``, one loop over ``threads.x`` threads stands for both: that number
is affine where the product is not.

Reference: CUDA C++ Programming Guide, "Thread Hierarchy".
"""

from __future__ import annotations

from collections.abc import Mapping as Table
from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from ...ir.index import ONE, ZERO, Poly, const, var
from ...ir.nodes import Launch, Loop, Mapping, Node, Strided, SymbolOrigin
from ...source import Span
from ..surface import nodes as sx
from .bindings import Integer, LoopFacts
from .rewrite import Rewriter, names_in
from .state import State

_WARP_SIZE = 32
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

    It is made ``least`` to ``most`` times.
    """

    kernel: str
    launch: Launch
    arguments: Table[str, int] = field(default_factory=dict)
    least: int = 1
    most: int = 1


def plain_name(name: str) -> str:
    """A name without template arguments.

    >>> plain_name("axpy<float, 4>")
    'axpy'
    """
    return name.partition("<")[0]


def enter_grid(state: State, launch: Launch | None) -> None:
    """Bind the variables that tell a thread where it is."""
    grid = _UNKNOWN if launch is None else launch.grid
    block = _UNKNOWN if launch is None else launch.block
    extents = {
        f"{name}.{axis}": _extent(state, f"{name}.{axis}", value)
        for name, values in (("gridDim", grid), ("blockDim", block))
        for axis, value in zip("xyz", values, strict=True)
    }
    places = {}
    for name in _MAPPINGS:
        extent = extents[_bound_name(name)]
        state.names.add(name)
        places[name] = ZERO if extent == ONE else var(name)
        if extent != ONE:
            state.loops.append(LoopFacts(name, ZERO, extent - 1))
    for variable in state.unit.globals:
        if variable.name == "warpSize":
            state.environment[(variable, "")] = Integer(const(_WARP_SIZE))
        if not isinstance(variable.type, sx.StructT) or variable.type.name not in ("uint3", "dim3"):
            continue
        for axis in "xyz":
            value = places.get(f"{variable.name}.{axis}", extents.get(f"{variable.name}.{axis}"))
            if value is not None:
                state.environment[(variable, f".{axis}")] = Integer(value)


def _extent(state: State, name: str, value: int | None) -> Poly:
    given = state.defines.get(name, value)
    return state.named_symbol(name, SymbolOrigin.LAUNCH) if given is None else const(given)


def _bound_name(iterator: str) -> str:
    name, axis = iterator.split(".")
    return f"{_BOUNDS[name]}.{axis}"


def wrap_in_grid(state: State, span: Span) -> None:
    """Put the loops over blocks and threads around the block that was lowered."""
    bounds = {loop.iterator: loop.upper + 1 for loop in state.loops if loop.upper is not None}
    state.loops.clear()
    bounds = _numbered(state, _without_unused(state, bounds, span))
    nodes: Sequence[Node] = tuple(state.block)
    for name in reversed((*_MAPPINGS, *_NUMBERS)):
        if name in bounds:
            nodes = (Loop(name, Strided(ZERO, bounds[name]), tuple(nodes), span, (_MAPPINGS | _NUMBERS)[name]),)
    state.block[:] = list(nodes) if state.block else []


def _without_unused(state: State, bounds: Table[str, Poly], span: Span) -> dict[str, Poly]:
    """Without the axes of unknown extent that the kernel does not look at, unless it looks at none."""
    used = names_in(state.block)
    open_axes = {name[-1] for name, bound in bounds.items() if bound.constant is None}
    unused = [axis for axis in "xyz" if axis in open_axes and not _looks_at(used, axis)]
    if len(unused) == len("xyz"):
        return dict(bounds)
    if unused:
        state.assume("AI308", f"one block and thread in {' and '.join(unused)}: the kernel asks for no more", span)
    kept = {name: bound for name, bound in bounds.items() if name[-1] not in unused}
    return kept | {name: bound for name, bound in bounds.items() if bound.constant is not None}


def _numbered(state: State, bounds: dict[str, Poly]) -> dict[str, Poly]:
    """One loop over the threads of an axis where the kernel looks at nothing but their number in the whole grid."""
    for axis in "xyz":
        block, thread, number = f"blockIdx.{axis}", f"threadIdx.{axis}", f"thread.{axis}"
        if block not in bounds or thread not in bounds or bounds[thread].constant is not None:
            continue
        first = bounds[thread] * var(block)
        nodes = Rewriter(state, {thread: var(number) - first}).nodes(state.block)
        if not names_in(nodes).isdisjoint((block, thread, *bounds[thread].names(), *bounds[block].names())):
            continue
        state.block[:] = nodes
        state.names.add(number)
        del bounds[block], bounds[thread]
        bounds[number] = state.named_symbol(f"threads.{axis}", SymbolOrigin.LAUNCH)
    return bounds


def _looks_at(used: set[str], axis: str) -> bool:
    return any(f"{name}.{axis}" in used for name in ("blockIdx", "threadIdx", "blockDim", "gridDim"))


def with_launch(launch: Launch | None, state: State) -> Launch | None:
    """The launch as it was counted: ``-D blockDim.x=...`` and the like put in."""
    if launch is None:
        found = [tuple(state.defines.get(f"{name}.{axis}") for axis in "xyz") for name in ("gridDim", "blockDim")]
        if not any(value is not None for values in found for value in values):
            return None
        launch = Launch(_UNKNOWN, _UNKNOWN, None, "-D")
    grid, block = (
        tuple(state.defines.get(f"{name}.{axis}", value) for axis, value in zip("xyz", values, strict=True))
        for name, values in (("gridDim", launch.grid), ("blockDim", launch.block))
    )
    return replace(launch, grid=(grid[0], grid[1], grid[2]), block=(block[0], block[1], block[2]))
