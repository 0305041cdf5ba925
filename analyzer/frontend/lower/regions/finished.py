"""What a function has become by its lowering, as a region: arrays and symbols in order, with extents and names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from ....ir.index import var
from ....ir.nodes import Array, MemorySpace, Node, Region, RegionKind, Statement, Symbol
from ....ir.passes.counted_loops import with_counted_loops
from ....ir.passes.nontemporal import also_through_caches
from ....ir.passes.tables import with_elements
from ....ir.traverse import all_nodes, array_uses, names_in
from ....ir.values import Access
from ....python.regex import regex
from ...surface import nodes as sx
from ...surface.traverse import Tree, children
from ..choices.arrays import with_arrays
from ..rewrite import Rewriter
from ..state import State

_PLACEHOLDER = regex(r"@\d+")


def without_number(name: str) -> str:
    """Return a name without the numbers of placeholders."""
    return _PLACEHOLDER.sub("", name)


def _in_order(state: State, function: sx.Function, used: Iterable[str]) -> list[str]:
    """Return used arrays in the order of declaration: parameters, global ones, then local ones."""
    declared = (*function.parameters, *state.inputs.unit.globals, *_declared(function.body))
    ordered = [state.memory.storage[item] for item in declared if item in state.memory.storage]
    return [name for name in dict.fromkeys([*ordered, *state.memory.arrays]) if name in used]


def _declared(tree: Tree) -> Iterator[sx.Variable]:
    """Yield the variables that a function declares outside of its loops and branches."""
    match tree:
        case sx.Declare(variable):
            yield variable
        case sx.Block() | sx.Skippable() | sx.Repeated():
            for inner in children(tree):
                yield from _declared(inner)


def finished(state: State, function: sx.Function) -> Region:
    """Return the region, with final names of its symbols and the arrays and symbols that its nodes use."""
    state.emitter.block = list(with_arrays(state.emitter.block, state.memory))
    used = names_in(state.emitter.block)
    arrays = array_uses(state.emitter.block)
    for name in arrays:
        for extent in state.memory.arrays[name].extents:
            used |= extent.names() if extent is not None else frozenset()
    renamed = {}
    for name in state.symbols.known:
        if name in used and name in state.symbols.wanted:
            renamed[name] = state.symbols.final_name(name)
    state.symbols.final |= renamed
    rewriter = Rewriter(state.emitter, state.symbols, {old: var(new) for old, new in renamed.items()})
    in_loops = function.kind is sx.FunctionKind.KERNEL  # what is unknown there is so from the start
    body = tuple(rewriter.nodes(state.emitter.block)) if renamed or in_loops else tuple(state.emitter.block)
    symbols = tuple(
        _renamed(state, symbol, renamed.get(name)) for name, symbol in state.symbols.known.items() if name in used
    )
    known = {symbol.name: symbol.value for symbol in symbols if symbol.value is not None}
    body = with_counted_loops(body, known)
    if also_through_caches(body):
        state.emitter.assume("AI305", function.span, "streamed")
    listed = frozenset(symbol.name for symbol in symbols)
    ordered = _with_copies([state.memory.arrays[name] for name in _in_order(state, function, arrays)], body)
    region = Region(
        name=_region_name(function),
        kind=_KINDS[function.kind],
        function=function.name,
        span=function.span,
        arrays=tuple(_with_extents(rewriter, array, listed) for array in ordered),
        symbols=symbols,
        body=body,
        assumptions=tuple(item.with_names(without_number) for item in state.emitter.assumptions),
        averages=tuple(state.symbols.averages.items()),
        asked=frozenset(state.symbols.asked),
    )
    return with_elements(region) if state.memory.constants else region


def globals_at_entry(state: State) -> dict[str, sx.Variable]:
    """Return the integer globals whose values at entry are symbols of the finished region, by their names."""
    found = {}
    for (variable, path), bound in state.environment.defaults.items():
        symbol = bound.value.as_name
        if variable.storage is sx.Storage.GLOBAL and not path and symbol in state.symbols.final:
            found[state.symbols.final[symbol]] = variable
    return found


def _with_copies(arrays: Sequence[Array], body: Sequence[Node]) -> Sequence[Array]:
    """Return arrays in constant memory that a kernel changes, those of its own arguments, as memory of each thread."""
    targets = (node.target for node in all_nodes(body) if isinstance(node, Statement))
    changed = {target.array for target in targets if isinstance(target, Access)}
    return [
        replace(array, space=MemorySpace.LOCAL, local=True)
        if array.space is MemorySpace.CONSTANT and array.name in changed
        else array
        for array in arrays
    ]


def _renamed(state: State, symbol: Symbol, name: str | None) -> Symbol:
    """Return the symbol of a placeholder with its final name, and the value given for that."""
    if name is None:
        return symbol
    given = state.symbols.given_at_last(state.symbols.wanted[symbol.name], name)
    return replace(symbol, name=name, value=symbol.value if given is None else given)


def _with_extents(rewriter: Rewriter, array: Array, symbols: frozenset[str]) -> Array:
    """Return the array with final names in its extents; an extent that varies within the region is unknown."""
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
