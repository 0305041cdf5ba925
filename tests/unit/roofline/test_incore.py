"""In-core throughput against the founding document's vector triad (P6)."""

import pytest

from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile
from roofline.catalog import find_machine
from roofline.incore import core_bound


def bound(body, machine="haswell"):
    text = f"for (int i = 0; i < N; i++) {body}"
    (file,) = analyze(SourceFile("loop.c", text, Language.C))
    return core_bound(file.regions[0].per_iteration, find_machine(machine))


def test_vector_triad_takes_one_and_a_half_cycles():
    triad = bound("A[i] = B[i] + C[i]*D[i];")
    assert triad.cycles == 1.5
    assert triad.bottleneck == "loads"
    assert triad.per_core.giga == pytest.approx(12.27, abs=0.005)
    assert triad.chip.giga == pytest.approx(171.7, abs=0.05)
    assert triad.l1.giga == pytest.approx(196.3, abs=0.05)


def test_one_add_port_bounds_a_chain_of_additions():
    sums = bound("A[i] = B[i] + 1.0 + 2.0*x + y + z + w;")
    assert sums.bottleneck == "additions"


def test_divisions_occupy_their_unit():
    quotient = bound("A[i] = B[i] / C[i];")
    assert quotient.bottleneck == "divisions"
    assert quotient.cycles == find_machine("haswell").core.div_cycles


def test_single_precision_doubles_the_lanes():
    assert bound("{ float t = 0; A[i] = B[i]; }").iterations == 4


def test_a_gpu_has_no_core_bound():
    assert bound("A[i] = B[i];", "v100") is None
