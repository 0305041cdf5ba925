"""Helpers of the tests of measured data: the samples, readings of a text, and predictions of a snippet."""

from __future__ import annotations

from pathlib import Path

from analyzer.pipeline import AnalysisOptions, analyze
from analyzer.source import SourceFile, language_of
from analyzer.traffic.options import CacheModel, CacheOptions
from roofline.catalog import find_machine
from roofline.measured.recognition import detect, importer_named
from roofline.measured.results import Reading, Sample
from roofline.model.level_bytes import ProjectionOptions, hierarchy_in_force
from roofline.report.report import Report, make_report

SAMPLES = Path(__file__).parent / "data" / "measured"
NAMES = sorted(path.name for path in SAMPLES.iterdir())
MACHINES = [name for name in NAMES if "roofline" in name]
KERNELS = [name for name in NAMES if name not in MACHINES and "interval" not in name]

N = 2**24
FLOPS, USEFUL = 2 * N, 24 * N


def read(text: str, name: str | None = None) -> Reading:
    """Read a text as a file called ``f.csv``, in the format that it is recognised as."""
    form = detect(text, "f.csv") if name is None else importer_named(name)
    return form.read(text, "f.csv")


def sample(text: str) -> Sample:
    """The only sample of a text."""
    (found,) = read(text).samples
    return found


def text_of(name: str) -> str:
    """The text of a sample file."""
    return (SAMPLES / name).read_text("utf-8")


def predict(
    source: str,
    machine: str | None = "xeon-6148",
    *,
    name: str = "k.c",
    cached: bool = True,
    policy: str = "source",
    options: ProjectionOptions | None = None,
    **sizes: int,
) -> Report:
    """The report of a snippet on a machine at known sizes."""
    machines = [] if machine is None else [find_machine(machine)]
    chosen = options or ProjectionOptions()
    hierarchy = hierarchy_in_force(chosen, machines[0]) if machines and cached else None
    cache = CacheOptions(CacheModel.ANALYTIC, () if hierarchy is None else (hierarchy,))
    defines = {key: str(value) for key, value in sizes.items()}
    file = SourceFile(name, source, language_of(name))
    profiles = analyze(file, AnalysisOptions(defines=defines, cache=cache, policy=policy))
    return make_report(profiles, machines, chosen, version="0", options={})
