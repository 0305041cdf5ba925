"""The ECM model against figures that its authors published.

Jacobi: Stengel, Treibig, Hager, Wellein, *Quantifying performance bottlenecks of stencil computations using the
execution-cache-memory model*, ICS 2015 (arXiv 1410.5010): the double-precision 2-d 5-point stencil with AVX on an Intel
Xeon E5-2680 (Sandy Bridge, 2.7 GHz, one 32-byte load and half a 32-byte store per cycle, 32 bytes per cycle between
caches, 40 GB/s), by the level that keeps three rows.  Dot product: Hofmann, Eitzinger, Fey, *Execution-cache-memory
performance model: introduction and validation*, arXiv 1509.03118: Haswell at 2.3 GHz with 32.4 GB/s, sums split.
"""

from __future__ import annotations

import pytest

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile
from roofline.catalog import find_machine
from roofline.machine.machine import Machine
from roofline.machine.schema import parse_machine
from roofline.model.ecm import Ecm
from roofline.model.hierarchies import hierarchy_of
from roofline.model.level_bytes import ProjectionOptions
from tests.caches import Level, with_caches
from tests.projected import project

N = 1000
LINE = 64
JACOBI = """
for (int j = 1; j < N - 1; j++)
  for (int i = 1; i < N - 1; i++)
    b[j][i] = (a[j][i-1] + a[j][i+1] + a[j-1][i] + a[j+1][i])*s;
"""
DOT = "for (int i = 0; i < 1000000; i++) s += a[i]*b[i];"
MACHINE = """
id = "made"
name = "Made"
vendor = "Intel"
kind = "cpu"
clock.nominal_ghz = {clock}
units = {{ name = "core", count = {cores}, source = "made" }}
peaks.fp64.no_fma_gflops = 1000
memory = {{ technology = "none", bandwidth_gbs = {bandwidth} }}
write_allocate = {{ policy = "allocate", text = "as ever" }}
sources.made.title = "Made up"
core = {{ isa = "AVX", simd_bits = 256, loads_overlap = false, {core} }}
levels = [
  {{ name = "L1", {line} capacity_kib = 32, shared_by = 1 }},
  {{ name = "L2", capacity_kib = 256, shared_by = 1, bytes_per_cycle = {l2}, duplex = "{duplex}", {overlap} }},
  {{ name = "L3", capacity_mib = 20, shared_by = {cores}, bytes_per_cycle = 32, duplex = "half", {overlap} }},
]
"""


def machine(**parts: object) -> Machine:
    defaults = {"clock": 2.7, "cores": 8, "bandwidth": 40, "l2": 32, "duplex": "half", "line": "line_bytes = 64,"}
    defaults |= {"core": "loads_per_cycle = 1, stores_per_cycle = 0.5, add_units = 1, mul_units = 1"}
    overlap = f"transfers_overlap = {str(parts.pop('overlap', False)).lower()}"
    return parse_machine(MACHINE.format(**{**defaults, **parts, "overlap": overlap}))


def ecm(text: str, chosen: Machine, lines: list[Level], *, iterations: int, reassociate: bool = False) -> Ecm:
    """The model with cache lines read, allocated and written back at each level for one line of work."""
    (file,) = analyze(SourceFile("loop.c", text, Language.C), AnalysisOptions(defines={"N": str(N)}, fma=False))
    hierarchy = hierarchy_of(chosen)
    assert hierarchy is not None
    units = iterations * 8 // LINE
    levels = [
        (0, 0, 0),
        *((read * units * LINE, allocated * units * LINE, back * units * LINE) for read, allocated, back in lines),
    ]
    traffic = with_caches(file.regions[0], hierarchy, levels)
    found = project(file.regions[0], chosen, ProjectionOptions(reassociate=reassociate), traffic).ecm
    assert found is not None
    return found


STREAM, MISSING = (1, 1, 1), (3, 1, 1)


@pytest.mark.parametrize(
    ("lines", "transfers", "predictions", "saturation"),
    [
        ((STREAM, STREAM, STREAM), (6, 6, 13), (8, 14, 20, 33), 3),
        ((MISSING, STREAM, STREAM), (10, 6, 13), (8, 18, 24, 37), 3),
        ((MISSING, MISSING, STREAM), (10, 10, 13), (8, 18, 28, 41), 4),
        ((MISSING, MISSING, MISSING), (10, 10, 22), (8, 18, 28, 50), 3),
    ],
    ids=["L1", "L2", "L3", "none"],
)
def test_jacobi_on_sandy_bridge(
    lines: tuple[Level, ...], transfers: tuple[int, ...], predictions: tuple[int, ...], saturation: int
) -> None:
    found = ecm(JACOBI, machine(), list(lines), iterations=(N - 2) ** 2)
    assert found.iterations == 8
    assert (found.overlapping, found.non_overlapping) == (6, 8)
    assert tuple(transfer.cycles for transfer in found.transfers) == pytest.approx(transfers, abs=0.5)
    assert found.predictions == pytest.approx(predictions, abs=0.5)
    assert found.saturation_cores == saturation


def test_a_line_has_64_bytes_where_the_machine_states_none() -> None:
    found = ecm(JACOBI, machine(line=""), [MISSING, STREAM, STREAM], iterations=(N - 2) ** 2)
    assert (found.line_bytes, found.iterations) == (64, 64 // 8)


def test_the_notation_is_that_of_the_papers() -> None:
    found = ecm(JACOBI, machine(), [MISSING, STREAM, STREAM], iterations=(N - 2) ** 2)
    assert found.notation == "{6 || 8 | 10 | 6 | 13} cy/CL"
    assert found.prediction == "{8 \\ 18 \\ 24 \\ 37} cy/CL"
    assert [transfer.between for transfer in found.transfers] == ["L1L2", "L2L3", "L3Mem"]


def test_dot_product_on_haswell() -> None:
    """{1 || 2 | 2 | 4 | 9.1}: four loads, two FMA, two lines at 64 B/cy, 32 B/cy and 32.4 GB/s."""
    haswell = machine(
        clock=2.3, cores=7, bandwidth=32.4, l2=64, core="loads_per_cycle = 2, stores_per_cycle = 1, fma_units = 2"
    )
    text = DOT.replace("s += a[i]*b[i]", "s = fma(a[i], b[i], s)")
    found = ecm(text, haswell, [(2, 0, 0)] * 3, iterations=1_000_000, reassociate=True)
    assert found.notation == "{1 || 2 | 2 | 4 | 9.1} cy/CL"
    assert found.prediction == "{2 \\ 4 \\ 8 \\ 17.1} cy/CL"


def test_a_full_duplex_path_moves_both_directions_at_once() -> None:
    half, full = (ecm(JACOBI, machine(duplex=kind), [STREAM] * 3, iterations=(N - 2) ** 2) for kind in ("half", "full"))
    assert [half.transfers[0].cycles, full.transfers[0].cycles] == pytest.approx([6, 4], abs=0.01)


def test_transfers_that_overlap_are_a_maximum() -> None:
    found = ecm(JACOBI, machine(overlap=True), [STREAM] * 3, iterations=(N - 2) ** 2)
    assert found.predictions == pytest.approx((8, 8, 8, 13), abs=0.1)


def test_a_sum_in_the_order_of_the_source_waits() -> None:
    """Eight additions of three cycles for a line of work."""
    core = "loads_per_cycle = 2, stores_per_cycle = 1, add_units = 1, add_latency_cycles = 3"
    text = "for (int i = 0; i < 1000000; i++) s += a[i];"
    found = ecm(text, machine(core=core), [(1, 0, 0)] * 3, iterations=1_000_000)
    assert (found.overlapping, found.non_overlapping) == (24, 4)


def test_no_model_without_the_bytes_or_the_widths() -> None:
    (file,) = analyze(SourceFile("loop.c", DOT, Language.C))
    assert project(file.regions[0], find_machine("haswell")).ecm is None
