"""Launches of a unit: those that the host code makes, those that the user gives instead, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec.structs import replace

from ...diagnostics import Diagnostic, Field, Phrase
from ...errors import OptionError
from ...ir.launches import Launch
from ...ir.names import is_temporary
from ...near_names import did_you_mean
from ...python.regex import regex
from ...source import Span
from ..host.interpreter import find_launches
from ..host.launch_record import FoundLaunch
from ..host.own_sizes import main_of
from ..host.solve import Solved, solved
from ..host.values import Source, Unknown, Value, as_integer, evaluated
from ..lower.kernels.kernel import plain_name
from ..surface import nodes as sx
from .given import UNKNOWN_EXTENTS, GivenLaunch

NO_NUMBERS: Mapping[str, int] = MappingProxyType({})
_NAMED = 4
_ROOT = regex(r"->|[.\[]")


def launches_of(
    unit: sx.Unit,
    given: Sequence[GivenLaunch] = (),
    program_arguments: Sequence[str] | None = None,
    defines: Mapping[str, int] | None = None,
    others: Sequence[sx.Unit] = (),
    device: Mapping[str, int] = NO_NUMBERS,
) -> tuple[tuple[FoundLaunch, ...], tuple[Diagnostic, ...]]:
    """Return the launches of the kernels of a unit, and findings; ``others`` belong to the same program.

    ``device`` are known properties of the GPU, by their names in the CUDA runtime.
    """
    kernels = {key: item for key, item in unit.functions.items() if item.kind is sx.FunctionKind.KERNEL}
    if not kernels:
        return (), ()
    met = find_launches((unit, *others), program_arguments, defines, device)
    found = tuple(item for item in met if item.kernel in kernels)
    notes: tuple[Diagnostic, ...] = ()
    if program_arguments is None and not given and any(map(_open_parts, found)):
        without = find_launches((unit, *others), (), defines, device)
        found, notes = _with_defaults(unit, found, [item for item in without if item.kernel in kernels])
    replaced: list[FoundLaunch] = []
    equations: list[tuple[Unknown, int]] = []
    for item in given:
        for key, kernel in kernels.items():
            if item.kernel in (kernel.name, plain_name(kernel.name)):
                _refuse_unknown(item, kernel, found)
                replaced.append(_given(item, key, found))
                equations += _equations(replaced[-1], item.arguments)
    keys_given = {item.kernel for item in replaced}
    sizes = solved(equations)
    sizes |= {source: size for source, size in _taken(found) if source not in sizes}
    launches = tuple(
        _completed(item, sizes) for item in (*(item for item in found if item.kernel not in keys_given), *replaced)
    )
    span = next(iter(kernels.values())).span
    nowhere = [
        Diagnostic.of("AI004", span, "no-kernel", name=name) for name in _unknown_kernels((unit, *others), given)
    ]
    none = "unreached" if any(map(main_of, (unit, *others))) else "none"
    return launches, (*_missing(kernels, launches, none), *_uncounted(kernels, launches), *nowhere, *notes)


def _with_defaults(
    unit: sx.Unit, found: Sequence[FoundLaunch], without: Sequence[FoundLaunch]
) -> tuple[tuple[FoundLaunch, ...], tuple[Diagnostic, ...]]:
    """Return the launches of a program ``without`` arguments where these say more than those ``found``, and a note.

    Kernels that are not launched then keep what was found.
    """
    launched = {item.kernel for item in without}
    merged = (*without, *(item for item in found if item.kernel not in launched))
    main = main_of(unit)
    before, left = (sum(map(_open_parts, items)) for items in (found, merged))
    if main is None or left >= before:
        return tuple(found), ()
    values: dict[str, int | None] = {}
    for item in reversed(without):
        values |= {**dict(_extents(item.launch)), **item.arguments}
    named = {name: values.get(name) for launch in found for name in launch.missing}
    sizes = [Phrase.of("AI324", "size", name=name, value=value) for name, value in named.items() if value is not None]
    if not sizes:
        return merged, (Diagnostic.of("AI324", main.span, "launches"),)
    return merged, (Diagnostic.of("AI324", main.span, "without", sizes=tuple(sizes[:_NAMED])),)


def _open_parts(item: FoundLaunch) -> int:
    """Return how many parts of a launch are not known, one of which may be whether it is made."""
    return len(item.missing) + (item.least != item.most)


def _unknown_kernels(units: Sequence[sx.Unit], given: Sequence[GivenLaunch]) -> Iterator[str]:
    """Yield the names in ``given`` that no kernel has."""
    functions = (item for unit in units for item in unit.functions.values())
    kernels = [item.name for item in functions if item.kind is sx.FunctionKind.KERNEL]
    names = {*kernels, *map(plain_name, kernels)}
    return (item.kernel for item in given if item.kernel not in names)


def _refuse_unknown(item: GivenLaunch, kernel: sx.Function, found: Sequence[FoundLaunch]) -> None:
    """Raise ``OptionError`` for an argument that is no parameter of the kernel, nor a part of one or of a constant."""
    known = [parameter.name for parameter in kernel.parameters]
    known += [name for launch in found if launch.kernel == kernel.key for name in (*launch.arguments, *launch.missing)]
    known = list(dict.fromkeys(known))
    roots = {_ROOT.split(name, maxsplit=1)[0] for name in known}
    for name in item.arguments:
        if name not in known and _ROOT.split(name, maxsplit=1)[0] not in roots and not is_temporary(name):
            hint = did_you_mean(name, known, most=3) or f"possible: {', '.join(known) or 'none'}"
            raise OptionError(f"--launch {item.kernel}: {name} is no parameter of the kernel", hint=hint)


def _given(item: GivenLaunch, key: str, found: Sequence[FoundLaunch]) -> FoundLaunch:
    """Return the launch as given, with what the host code adds to it."""
    known = next((launch for launch in found if launch.kernel == key), None)
    base = Launch(UNKNOWN_EXTENTS, UNKNOWN_EXTENTS, None, "--launch") if known is None else known.launch
    launch = Launch(
        grid=item.grid if item.grid != UNKNOWN_EXTENTS else base.grid,
        block=item.block if item.block != UNKNOWN_EXTENTS else base.block,
        shared_bytes=base.shared_bytes if item.shared_bytes is None else item.shared_bytes,
        source="--launch",
        registers=item.registers,
        pinned=base.pinned,
        managed=base.managed,
        array_bytes=base.array_bytes,
        array_offsets=base.array_offsets,
        null_pointers=base.null_pointers,
        random_arrays=base.random_arrays,
        array_forms=base.array_forms,
        same_memory=base.same_memory,
    )
    if known is None:
        return FoundLaunch(kernel=key, launch=launch, arguments=item.arguments)
    arguments = {**known.arguments, **item.arguments}
    return FoundLaunch(kernel=key, launch=launch, arguments=arguments, missing=known.missing)


def _taken(found: Sequence[FoundLaunch]) -> Iterator[tuple[Source, Solved]]:
    """Yield the sources that are assumed to have a value, with it."""
    for item in found:
        for formula in item.missing.values():
            for source in formula.sources:
                if source.taken is not None:
                    yield source, Solved(source.taken, source.taken, source.taken)


def _equations(item: FoundLaunch, arguments: Mapping[str, int]) -> Iterator[tuple[Unknown, int]]:
    """Yield formulas of the host code with their values in the given launch."""
    for name, value in (*_extents(item.launch), *arguments.items()):
        formula = item.missing.get(name)
        if formula is not None and value is not None:
            yield formula, value


def _extents(launch: Launch) -> Iterator[tuple[str, int | None]]:
    for name, extents in (("gridDim", launch.grid), ("blockDim", launch.block)):
        for axis, extent in zip("xyz", extents, strict=True):
            yield f"{name}.{axis}", extent


def _completed(item: FoundLaunch, sizes: Mapping[Source, Solved]) -> FoundLaunch:
    """Return a launch with those open parts that given launches of the same program determine."""
    values = {source: size.value for source, size in sizes.items()}
    parts = {name: evaluated(formula, values) for name, formula in item.missing.items()}
    extents = {name: _extent(parts.get(name)) if extent is None else extent for name, extent in _extents(item.launch)}
    grid, block = (
        (extents[f"{name}.x"], extents[f"{name}.y"], extents[f"{name}.z"]) for name in ("gridDim", "blockDim")
    )
    arguments = {name: value for name, value in parts.items() if isinstance(value, int) and name not in extents}
    missing = {
        name: value
        for name, value in parts.items()
        if isinstance(value, Unknown) and extents.get(name) is None and name not in item.arguments
    }
    used = {source for formula in item.missing.values() for source in formula.sources}
    return replace(
        item,
        launch=replace(item.launch, grid=grid, block=block),
        arguments={**arguments, **item.arguments},
        missing=missing,
        sizes=tuple((source, size) for source, size in sizes.items() if source in used),
    )


def _extent(value: Value | None) -> int | None:
    extent = None if value is None else as_integer(value)
    return extent if extent is not None and extent > 0 else None


def _missing(kernels: Mapping[str, sx.Function], launches: Sequence[FoundLaunch], none: str) -> Iterator[Diagnostic]:
    """Yield findings for what is not known of launches; of kernels without any one of the form ``none``."""
    named: dict[str, Field]
    for key, kernel in kernels.items():
        own = [item for item in launches if item.kernel == key]
        if not own:
            yield Diagnostic.of("AI212", kernel.span, none, kernel=kernel.name)
        for item in own:
            unknown = _unknown_parts(item)
            for part, value in item.empty.items():
                named = {"part": part, "kernel": kernel.name, "launch": item.launch.source, "value": value}
                yield Diagnostic.of("AI212", kernel.span, "empty", **named)
            if unknown and not item.empty:
                named = {"parts": unknown, "kernel": kernel.name, "launch": item.launch.source}
                because = _origins(item)
                if item.beside:
                    yield Diagnostic.of("AI212", kernel.span, "beside", **named)
                elif because:
                    form = "part-because" if len(unknown) == 1 else "parts-because"
                    yield Diagnostic.of("AI212", kernel.span, form, **named, why=because)
                else:
                    yield Diagnostic.of("AI212", kernel.span, "part" if len(unknown) == 1 else "parts", **named)
    sizes = {source: size for item in launches for source, size in item.sizes}
    span = next(iter(kernels.values())).span
    for source, size in sizes.items():
        yield _assumed_size(source, size, span)


def _uncounted(kernels: Mapping[str, sx.Function], launches: Sequence[FoundLaunch]) -> Iterator[Diagnostic]:
    """Yield findings for launches beyond those counted, and why."""
    reported: set[tuple[str, str]] = set()
    for item in launches:
        kernel, reasons = kernels[item.kernel], list[Phrase]()
        if item.open_in is not None:
            reasons.append(Phrase.of("AI215", "loop", at=_at(item.open_in)))
        if item.differs:
            form = "differs-one" if len(item.differs) == 1 else "differs"
            reasons.append(Phrase.of("AI215", form, names=item.differs[:_NAMED]))
        if reasons and (item.kernel, item.launch.source) not in reported:
            reported.add((item.kernel, item.launch.source))
            named: dict[str, Field] = {"kernel": kernel.name, "launch": item.launch.source}
            yield Diagnostic.of("AI215", kernel.span, "more-often", **named, why=tuple(reasons))


def _unknown_parts(item: FoundLaunch) -> tuple[str, ...]:
    """Return the open parts: grid, block and integer parameters."""
    extents = [name for name, values in (("grid", item.launch.grid), ("block", item.launch.block)) if None in values]
    names = [name for name in item.missing if "Dim." not in name]
    return (*extents, *names[:_NAMED], *(["..."] if len(names) > _NAMED else []))


def _origins(item: FoundLaunch) -> tuple[Phrase | str, ...]:
    """Return the sources of the open parts, with their origins."""
    sources = dict.fromkeys(source for formula in item.missing.values() for source in formula.sources)
    found = dict.fromkeys(Phrase.of("AI212", "origin", origin=source.origin, at=_at(source.span)) for source in sources)
    return (*list(found)[:_NAMED], *(["..."] if len(found) > _NAMED else []))


def _at(span: Span) -> str:
    return f"{span.path.rsplit('/', 1)[-1]}:{span.line}"


def _assumed_size(source: Source, size: Solved, span: Span) -> Diagnostic:
    named: dict[str, Field] = {
        "name": source.name or Phrase.of("AI321" if source.taken == size.value else "AI310", "expression"),
        "at": _at(source.span),
        "value": size.value,
    }
    if source.taken == size.value and source.origin.form == "environment":
        return Diagnostic.of("AI310", span, "unset", **named)
    if source.taken == size.value:
        return Diagnostic.of("AI321", source.span, "occupancy", **named)
    if size.least == size.largest:
        return Diagnostic.of("AI310", span, "size", **named)
    return Diagnostic.of("AI310", span, "range", **named, least=size.least, largest=size.largest)
