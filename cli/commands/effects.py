"""What a user asked for and cannot have an effect: warnings, each with what it needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os.path import isdir

from analyzer.given_values import given_values
from analyzer.ir.nodes import RegionKind
from analyzer.profile import RegionProfile
from analyzer.source import Language, language_of
from analyzer.traffic.options import CacheModel
from roofline.machine.machine import Machine
from roofline.report.report import Report

from ..options import AnalyzeOptions


def without_effect(report: Report, options: AnalyzeOptions) -> Iterator[str]:
    """Yield what was asked for and cannot have an effect, with what it needs."""
    simulated = options.cache is CacheModel.SIMULATE
    machines = report.machines
    kernels = kernels_without_gpu(report, machines, options.files)
    advised = options.advise and not machines
    yield from _without_iterations(report, options)
    yield from (f"-I {folder} is no folder (check the path)" for folder in options.include_dirs if not isdir(folder))
    if options.program_arguments and not _has_main(report):
        yield "--args has no effect: no file named here defines main (name the file that does, or give sizes with -D)"
    if not machines:
        given = [option for option, is_given in _of_machines(options).items() if is_given]
        if given:
            have = "has" if len(given) == 1 else "have"
            yield f"{', '.join(given)} {have} no effect without a machine (give --machine)"
    if not (simulated or kernels or advised or options.verify):
        return
    asks_parts = simulated or advised or options.verify
    files = report.files if asks_parts else ()
    parts = [part for file in files for region in file.regions for part in (region, *region.all_nests)]
    if simulated and parts and not any(part.traffic.models for part in parts):
        yield "--cache simulate has no effect: no nest has all of its sizes (give them with -D)"
    if options.verify and parts and not any(part.traffic.models for part in parts):
        needs = "--machine or --hierarchy, and sizes with -D" if not machines and not options.hierarchy else "-D"
        yield f"--verify has no effect: no nest is modelled with caches (give {needs})"
    if advised and not any(part.advice for part in parts):
        yield "--advise has nothing to say without a machine and sizes (give --machine and -D)"
    if kernels:
        yield kernels


def kernels_without_gpu(report: Report, machines: Sequence[Machine], paths: Sequence[str]) -> str:
    """Return that kernels are taken as loops of cores, where a machine is no GPU; empty where none is."""
    names = [machine.id for machine in machines if machine.gpu is None]
    if not names or not any(region.kind is RegionKind.KERNEL for file in report.profiles for region in file.regions):
        return ""
    is_directed = not any(language_of(path) is Language.CUDA for path in paths)
    instead = "the CPU alone for the loops of directives" if is_directed else "a GPU, as --machine v100"
    which = f"{', '.join(names)} {'is no GPU' if len(names) == 1 else 'are no GPUs'}"
    return f"{which}: kernels are taken as loops that cores run (name {instead})"


def _has_main(report: Report) -> bool:
    return any(usage.name == "main" for profile in report.profiles for usage in profile.usage)


def _of_machines(options: AnalyzeOptions) -> dict[str, bool]:
    """Return which options about a machine or its compiler are not as they are by themselves."""
    return {
        "--cores": options.cores is not None and options.hierarchy is None,
        "--peak": options.peak != "sustained",
        "--reassociate": options.reassociate,
        "--simd": options.simd is not None,
        "--compiler": options.compiler != "gcc",
        "--nontemporal": options.nontemporal and not options.write_allocate,
    }


def _without_iterations(report: Report, options: AnalyzeOptions) -> Iterator[str]:
    """Yield which values that are not positive leave nothing to do in any function that has them as a size."""
    for name, value in given_values(options.defines).values.items():
        if value > 0:
            continue
        profiles = [region.profile for region in report.regions if name in region.profile.values]
        if profiles and not any(_does_something(profile) for profile in profiles):
            yield (
                f"-D {name}={value}: {name} is a number of elements, and no loop runs for {value} of them "
                f"(give a value above 0, as in -D {name}=1000)"
            )


def _does_something(profile: RegionProfile) -> bool:
    counts = (profile.work.flops, profile.loads.elements, profile.stores.elements)
    return not all(count.estimate.bind(profile.values).is_zero for count in counts)
