"""Helpers of the tests of measured data: the samples, readings of a text, and predictions of a snippet."""

from __future__ import annotations

from pathlib import Path

from analyzer.traffic.options import CacheModel
from roofline.estimation import estimate, source_text
from roofline.measured.recognition import detect, importer_named
from roofline.measured.results import Reading, Sample
from roofline.options import EstimateOptions
from roofline.report.report import Report

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
    options: EstimateOptions | None = None,
    **sizes: int,
) -> Report:
    """The report of a snippet on a machine at known sizes."""
    chosen = options or EstimateOptions()
    cache = CacheModel.ANALYTIC if cached else CacheModel.COMPULSORY
    return estimate(
        source_text(source, name), () if machine is None else machine, chosen, sizes=sizes, policy=policy, cache=cache
    )
