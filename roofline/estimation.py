"""The one door: sources, machines and options to a report.

The command line, ``check``, ``compare``, the language server, notebooks and tests all come in here::

    estimate(sources, machines, options)
      -> targets        each machine with the caches in force, found once
      -> analyze        each source to its profile and the traffic of the caches of all targets
      -> make_report    profiles and traffic projected onto the targets

>>> from roofline import estimate, source_text
>>> triad = source_text("for (int i = 0; i < n; i++) a[i] = b[i] + s * c[i];")
>>> report = estimate(triad, machines="haswell", sizes={"n": 10_000_000})
>>> (region,) = report.regions
>>> print(region.flops, "=", region.flops.value, "FLOPs;", region.bound.value, "bound")
2*n = 20000000 FLOPs; memory bound
>>> region.flops.at(n=4096)
8192
>>> print(region.intensity.number, f"FLOP/byte; at least {1e3 * region.time:.3g} ms")
1/16 FLOP/byte; at least 5.18 ms
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from analyzer.counts.policy import policy_for
from analyzer.coverage.counts import ExecutionCounts
from analyzer.errors import OptionError
from analyzer.frontend.launches.given import parse_launch
from analyzer.given_data.model import GivenData
from analyzer.ir.types import ScalarType
from analyzer.options import AnalysisOptions
from analyzer.profile import AnalyzedFile
from analyzer.source import SourceFile, language_of, read_source
from analyzer.source_options import SourceOptions
from analyzer.traffic.hierarchy import Hierarchy, parse_hierarchy
from analyzer.traffic.options import CacheModel, CacheOptions
from analyzer.traffic.results import Convention

from .catalog import find_machine
from .machine.figures import Basis
from .machine.machine import Machine
from .model.compilers import Code, Compiler, Simd
from .model.gpu.device_properties import device_properties
from .model.level_bytes import ProjectionOptions, Target, target_of
from .options import EstimateOptions, WhichConditions, chosen_word, names_in, refuse_unknown_options, size_texts
from .refusals import refuse_empty_values, refuse_foreign, refuse_missing, refuse_unread, refuse_unused
from .report.report import Report, make_report
from .version import VERSION

Source = str | Path | SourceFile
Analyze = Callable[[Sequence[Source], AnalysisOptions], Sequence[AnalyzedFile]]

ELEMENT_TYPES = {
    "double": ScalarType.FP64,
    "float": ScalarType.FP32,
    "half": ScalarType.FP16,
    "bfloat16": ScalarType.BF16,
    "long-double": ScalarType.FP80,
    "complex-double": ScalarType.COMPLEX_FP64,
    "complex-float": ScalarType.COMPLEX_FP32,
    "int": ScalarType.INT32,
    "long": ScalarType.INT64,
}
"""The types that ``element_type`` may name."""


def source_text(text: str, name: str = "snippet.c") -> SourceFile:
    """Return a text as a source for :func:`estimate`; the suffix of ``name`` gives its language."""
    return SourceFile(name, text, language_of(name))


def analyze_here(sources: Sequence[Source], options: AnalysisOptions) -> tuple[AnalyzedFile, ...]:
    """Analyze sources in this process, one after the other; together they are one program."""
    from analyzer.pipeline import analyze  # here, as stored results are rendered without the analysis

    files = [source if isinstance(source, SourceFile) else read_source(str(source)) for source in sources]
    found: list[AnalyzedFile] = []
    for file in files:
        others = tuple(other for other in files if other is not file)
        found += analyze(file, replace(options, companions=others))
    return tuple(found)


def estimate(
    sources: Source | Sequence[Source],
    machines: str | Machine | Sequence[str | Machine] = (),
    options: EstimateOptions | None = None,
    *,
    sizes: Mapping[str, int | float | Fraction] | None = None,
    arrays: Mapping[str, Any] | Sequence[str] = (),
    matrices: Mapping[str, Any] | Sequence[str] = (),
    analyze: Analyze = analyze_here,
    **changes: Any,
) -> Report:
    """Analyze sources and project them onto machines.

    ``sources`` are paths, or texts by :func:`source_text`; ``machines`` are names of the catalog (also several in one
    text, ``"v100,a100"``), paths of machine files, or machines.  ``sizes`` are values of symbols as reports print them
    (``{"n": 64, "g->nx": 128, "trip_L12": 2.5}``), as ``-D``; ``arrays`` are numpy arrays, or texts as of ``--array``,
    by the names of arrays of indices in the source (``{"col": col}``); ``matrices`` are sparse matrices, or paths, by
    what stands before the file of ``--matrix`` (``{"csr:rowptr,col,val": "A.mtx"}``); both may be lists of texts.
    Further keywords are fields of :class:`~roofline.options.EstimateOptions`.  ``analyze`` may run the analysis
    elsewhere.

    Raises ``SourceError`` for a source that cannot be read, ``MachineError`` for an unknown machine or more cores than
    there are, and ``OptionError`` for options that make no sense, such as the value of a name that nothing uses.
    """
    refuse_unknown_options(changes, estimate)
    chosen = _with_words(replace(options or EstimateOptions(), **changes))
    texts = {name: value for text in chosen.launches for name, value in parse_launch(text).symbols.items()}
    texts |= size_texts(sizes or {})
    if texts:
        chosen = replace(chosen, defines={**chosen.defines, **texts})
    projection = projection_options(chosen)
    targets = tuple(target_of(machine, projection) for machine in _machines(machines, chosen))
    given = [sources] if isinstance(sources, (str, Path, SourceFile)) else list(sources)
    device = device_properties(target.machine for target in targets)
    own = [each if isinstance(each, Mapping) else {} for each in (arrays, matrices)]
    texts_given = [() if isinstance(each, Mapping) else tuple(each) for each in (arrays, matrices)]
    chosen = replace(
        chosen,
        arrays=(*chosen.arrays, *texts_given[0]),
        matrices=(*chosen.matrices, *texts_given[1]),
    )
    gpus = [target.machine.gpu for target in targets if target.machine.gpu is not None]
    chosen = replace(chosen, policy=policy_for(chosen.policy, (gpu.target for gpu in gpus if gpu.target)))
    wanted = analysis_options(chosen, _hierarchies(chosen, projection, targets), device)
    if own[0] or own[1]:
        wanted = replace(wanted, given=_read_given(chosen, *own))
    files = analyze(given, wanted)
    if not chosen.shared_data:
        refuse_unread(wanted.given, files)
        if wanted.profile is not None:
            refuse_foreign(wanted.profile, files)
    refuse_missing(chosen.functions, (launch.kernel for launch in wanted.launches), chosen.lines, files)
    refuse_empty_values(chosen.defines, files)
    refuse_unused(chosen.defines.keys() - chosen.shared_defines, files, chosen.given_at)
    return make_report(files, targets, projection, version=VERSION, options=chosen.as_primitive())


def _read_given(options: EstimateOptions, arrays: Mapping[str, Any], matrices: Mapping[str, Any]) -> GivenData:
    """Return the arrays and matrices that are given; without any, nothing is loaded for them."""
    if not (options.arrays or options.matrices or arrays or matrices):
        return GivenData()
    from analyzer.given_data.reading import read_given  # here, as numpy is seldom needed

    return read_given(options.arrays, options.matrices, arrays, matrices)


def _with_words(options: EstimateOptions) -> EstimateOptions:
    """Return options whose words, as the command line has them, are members; raises ``OptionError`` for others."""
    if options.element_type not in ELEMENT_TYPES:
        possible = ", ".join(ELEMENT_TYPES)
        raise OptionError(f"element_type is not one of its words: {options.element_type}", hint=f"possible: {possible}")
    return replace(
        options,
        cache=chosen_word(CacheModel, options.cache, "cache"),
        conditions=chosen_word(WhichConditions, options.conditions, "conditions"),
        simd=None if options.simd is None else chosen_word(Simd, options.simd, "simd").value,
        compiler=chosen_word(Compiler, options.compiler, "compiler").value,
        peak=chosen_word(Basis, options.peak, "peak").value,
        convention=None
        if options.convention is None
        else chosen_word(Convention, options.convention, "convention").value,
    )


_READ = ("convention", "hierarchy")
_PROJECTED = set(ProjectionOptions.__struct_fields__).intersection(EstimateOptions.__struct_fields__).difference(_READ)


def projection_options(options: EstimateOptions) -> ProjectionOptions:
    """Return the options of the projection."""
    convention = None if options.convention is None else Convention(options.convention)
    if convention is None and options.cache is CacheModel.NONE:  # every reference goes to memory
        convention = Convention.REGISTER
    return ProjectionOptions(
        **{name: getattr(options, name) for name in _PROJECTED},
        basis=Basis(options.peak),
        convention=convention,
        hierarchy=None if options.hierarchy is None else parse_hierarchy(options.hierarchy),
        code=Code(Compiler(options.compiler), None if options.simd is None else Simd(options.simd)),
    )


def analysis_options(
    options: EstimateOptions, hierarchies: tuple[Hierarchy, ...] = (), device: Mapping[str, int] | None = None
) -> AnalysisOptions:
    """Return the options of the analysis; ``hierarchies`` are the caches to model.

    ``device`` are properties of the GPU, by their names in the CUDA runtime.
    """
    return AnalysisOptions(
        **{name: getattr(options, name) for name in SourceOptions.__struct_fields__},
        element_type=ELEMENT_TYPES[options.element_type],
        launches=tuple(parse_launch(text) for text in options.launches),
        profile=_read_counts(options.profile) if options.profile else None,
        given=_read_given(options, {}, {}),
        device=device or {},
        cache=CacheOptions(
            options.cache,
            hierarchies,
            options.verify,
            options.warm,
            conditions=options.conditions is WhichConditions.ALWAYS,
            conditions_if_unknown=options.conditions is not WhichConditions.NEVER,
        ),
    )


def _read_counts(paths: Sequence[str]) -> ExecutionCounts:
    from analyzer.coverage.reading import read_counts  # here, as few runs have been counted

    return read_counts(paths)


def _machines(named: str | Machine | Sequence[str | Machine], options: EstimateOptions) -> list[Machine]:
    """Return the machines, each once, with the what-if factors."""
    found: dict[str, Machine] = {}
    for item in _each(named):
        machine = find_machine(item) if isinstance(item, str) else item
        machine.unit_count(options.cores)
        found[machine.id] = machine.scaled(flops=options.scale_flops, bandwidth=options.scale_bandwidth)
    return list(found.values())


def _each(named: str | Machine | Sequence[str | Machine]) -> Iterable[str | Machine]:
    for item in [named] if isinstance(named, (str, Machine)) else named:
        if isinstance(item, str):
            yield from names_in(item)
        elif isinstance(item, Machine):
            yield item
        else:
            raise OptionError(f"{item!r} is no machine", hint="give a name of the catalog or the path of a file")


def _hierarchies(
    options: EstimateOptions, projection: ProjectionOptions, targets: Sequence[Target]
) -> tuple[Hierarchy, ...]:
    """Return the caches to model, each once: those asked for, else those of the machines; none for a convention."""
    if options.convention is not None or options.cache in (CacheModel.NONE, CacheModel.COMPULSORY):
        return ()
    found = [target.hierarchy for target in targets] or [projection.hierarchy]
    return tuple(dict.fromkeys(hierarchy for hierarchy in found if hierarchy is not None))
