"""The kernels of a file's functions: loops with directives to regions of their own, with their launches.

The row of a kernel is that of its function and line.  Loops of the host around it repeat its launch; what depends on
their counters varies from launch to launch, as in a series of launches of CUDA.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from msgspec.structs import replace

from ..diagnostics import Field
from ..frontend.lower.kernels.series import spread
from ..ir.index import Number, Poly
from ..ir.launches import Launch, LaunchSeries, RepeatedLaunch, SeriesPart
from ..ir.nodes import (
    LIBRARIES,
    Assumption,
    Loop,
    Offload,
    Region,
    RegionKind,
    Strided,
    Symbol,
    SymbolOrigin,
    all_nodes,
)
from ..ir.passes.substitute import bind
from ..ir.scalars import carried_scalars
from ..ir.traverse import array_uses, names_in
from ..ir.walk import may_end_early, walk
from .data import DataDirective
from .kernels import kernel_body, shape_of
from .nests import OffloadedNest, nest_of
from .runtime import Gpu, Shape
from .transfers import array_bytes, transfers_of

_MOST_LAUNCHES = 1 << 14
Values = dict[str, int]


def on_gpu(
    regions: Sequence[Region], gpu: Gpu, directives: Sequence[DataDirective], *, keep_others: bool
) -> tuple[Region, ...]:
    """Return the kernels of functions in their place, one for each loop that directives put on a GPU.

    ``directives`` are those of the file that move data.  Functions without kernels are left out beside such with some,
    as they are in CUDA, but where they are asked for.
    """
    kernels = [tuple(_kernels(region, gpu, directives)) for region in regions]
    if not any(kernels):
        return tuple(regions)
    rows = (own or ((region,) if keep_others else ()) for region, own in zip(regions, kernels, strict=True))
    return tuple(kernel for own in rows for kernel in own)


def _kernels(region: Region, gpu: Gpu, directives: Sequence[DataDirective]) -> Iterator[Region]:
    if region.kind is RegionKind.KERNEL:
        yield region
        return
    left = list(directives)
    for visit in walk(region):
        node = visit.node
        if isinstance(node, Loop) and node.offload and not any(loop.offload for loop in visit.loops):
            moved = _moved(region, node, node.offload, left, directives)
            sizes = array_bytes(region, directives)
            notes = (*region.assumptions, *moved)
            first, *others = _launched(replace(region, assumptions=notes), node, node.offload, visit.loops, gpu)
            for kernel in (first, *(replace(other, assumptions=region.assumptions) for other in others)):
                launch = None if kernel.launch is None else replace(kernel.launch, array_bytes=sizes)
                yield replace(kernel, launch=launch)


def _moved(
    region: Region, loop: Loop, offload: Offload, left: list[DataDirective], directives: Sequence[DataDirective]
) -> tuple[Assumption, ...]:
    """Return what moves over the link for a kernel; the data of a library's call are there."""
    if offload.model in LIBRARIES:
        return ()
    return tuple(transfers_of(region, loop, offload, left, directives))


def _launched(region: Region, loop: Loop, offload: Offload, around: Sequence[Loop], gpu: Gpu) -> Iterator[Region]:
    """Yield the kernel of a loop for each launch that is analyzed: one, if nothing varies from launch to launch."""
    known = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
    used = names_in((loop,))
    varying = tuple(outer for outer in around if outer.iterator in used)
    alone = replace(region, body=(loop,))
    of_all = replace(alone, symbols=(*region.symbols, *(_symbol(outer) for outer in varying)))
    launches = _counters(varying, known)
    if launches is not None:
        launches = [values for values in launches if not _is_empty(loop, {**known, **values})]
    if not launches:
        yield _kernel(of_all, offload, known, gpu)
        return
    repeated = [_times(outer, known) for outer in around if outer not in varying]
    times = prod(trips or 1 for trips in repeated)
    least = 0 if any(may_end_early(each, all_nodes(each.body)) for each in around) else times
    if len(launches) == 1 and least == times == 1 and None not in repeated:
        yield _kernel(bind(alone, launches[0]), offload, known, gpu)
        return
    chosen: dict[int, Region] = {}
    for position in spread([_times(loop, {**known, **values}) or 1 for values in launches]):
        kernel = _kernel(bind(alone, launches[position]), offload, known, gpu)
        chosen[position] = replace(kernel, assumptions=region.assumptions) if chosen else kernel
    members = []
    for position, values in enumerate(launches):
        one = chosen.get(position) or chosen[max(each for each in chosen if each < position)]
        launch = replace(_launch(one), arguments=tuple(values.items()))
        members.append(RepeatedLaunch(launch, tuple(values.items()), least, times))
    series = LaunchSeries(tuple(members), is_open=None in repeated)
    if len(launches) > len(chosen):
        yield replace(_kernel(of_all, offload, known, gpu), part=SeriesPart(series, None))
    for position, kernel in chosen.items():
        launch = replace(members[position].launch, in_series=series.most)
        launched = None if kernel.launch is None else launch
        yield replace(kernel, launch=launched, part=SeriesPart(series, position))


def _symbol(loop: Loop) -> Symbol:
    return Symbol(loop.iterator, None, SymbolOrigin.VARIABLE)


def _is_empty(loop: Loop, known: Mapping[str, int]) -> bool:
    counters = _values(loop, known)
    return counters is not None and not counters


def _launch(region: Region) -> Launch:
    return region.launch or Launch((None, None, None), (None, None, None), None, "")


def _counters(loops: Sequence[Loop], known: Mapping[str, int]) -> list[Values] | None:
    """Return the counters of nested loops in each iteration; None where they are not known, or too many."""
    found: list[Values] = [{}]
    for loop in loops:
        longer: list[Values] = []
        for values in found:
            counters = _values(loop, {**known, **values})
            if counters is None or len(longer) + len(counters) > _MOST_LAUNCHES:
                return None
            longer.extend({**values, loop.iterator: counter} for counter in counters)
        found = longer
    return found


def _values(loop: Loop, known: Mapping[str, int]) -> range | None:
    if not isinstance(loop.range, Strided):
        return None
    start, stop = (end.substitute(known).constant for end in (loop.range.start, loop.range.stop))
    return None if start is None or stop is None else range(start, stop, loop.range.step)


def _times(loop: Loop, known: Mapping[str, int]) -> int | None:
    counters = _values(loop, known)
    return None if counters is None else len(counters)


def _kernel(region: Region, offload: Offload, known: Mapping[str, int], gpu: Gpu) -> Region:
    """Return the kernel of the only loop of a region."""
    values: Mapping[str, Poly | Number] = dict(known)
    (loop,) = bind(region, values).body
    assert isinstance(loop, Loop)
    nest = nest_of(loop, region.arrays, known)
    shape = None if nest is None else shape_of(nest, offload, gpu)
    body = (replace(loop, offload=None),) if nest is None else kernel_body(nest, offload, shape, loop.span)
    arrays = array_uses(body)
    kept = tuple(array for array in region.arrays if array.name in arrays)
    used = names_in(body).union(*(extent.names() for array in kept for extent in array.extents if extent is not None))
    return replace(
        region,
        kind=RegionKind.KERNEL,
        span=loop.span,
        arrays=kept,
        symbols=tuple(symbol for symbol in region.symbols if symbol.name in used),
        body=body,
        assumptions=(*region.assumptions, *_assumptions(loop, offload, nest, shape)),
        launch=None if shape is None else _started(loop, offload, shape),
    )


def _started(loop: Loop, offload: Offload, shape: Shape) -> Launch:
    source = f"{offload.model.value}, line {loop.span.line}"
    return Launch((shape.blocks, 1, 1), (shape.threads, 1, 1), 0, source, by_directives=True)


def _assumptions(loop: Loop, offload: Offload, nest: OffloadedNest | None, shape: Shape | None) -> Iterator[Assumption]:
    """Yield what runtimes and compilers are assumed to do."""
    if shape is not None and offload.model in LIBRARIES:
        yield Assumption.of("AI322", loop.span, "library", model=offload.model.value, **_named(shape))
    elif shape is not None and (offload.teams is None or offload.size is None):
        yield Assumption.of("AI322", loop.span, "launch", model=offload.model.value, **_named(shape))
    if nest is not None and nest.by_compiler:
        iterators = tuple(inner.source_iterator for inner in nest.threads)
        yield Assumption.of("AI322", loop.span, "vectorised", loops=iterators)
    sums = carried_scalars(loop.body)
    if sums and offload.model not in LIBRARIES:
        yield Assumption.of("AI322", loop.span, "sums", names=tuple(sums))


def _named(shape: Shape) -> dict[str, Field]:
    return {"blocks": shape.blocks, "threads": shape.threads}
