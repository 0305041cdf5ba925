"""Whatever was measured, a comparison ends: a verdict, a JSON document that fits the schema, and sheets for people."""

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli.render.data.comparison_csv import render_comparison_csv
from cli.render.text.comparison import comparison_sheets
from cli.render.typesetting.sheet import render_plain
from roofline.comparison.compare import CompareOptions, compare
from roofline.comparison.nersc_data import nersc_text
from roofline.comparison.primitive import to_primitive
from roofline.comparison.quantities import Verdict
from roofline.measured.formats import nersc
from roofline.measured.results import DRAM, STATED, Fact, LevelBytes, Location, Reading, Sample
from tests.compared import predict

SOURCE = """\
void triad(int n, double *restrict a, const double *restrict b, const double *restrict c, double s) {
  for (int i = 0; i < n; i++) a[i] = b[i] + s * c[i];
}
void copy(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++) a[i] = b[i];
}
void guarded(int n, float *a, const float *b) {
  for (int i = 0; i < n; i++) if (b[i] > 0) a[i] = 2.0f / b[i];
}
"""
REPORTS = [predict(SOURCE, "xeon-6148", n=10_000), predict(SOURCE, None, n=100), predict(SOURCE, "v100")]
SCHEMA = jsonschema.Draft202012Validator(
    json.loads((Path(__file__).parents[4] / "roofline" / "comparison" / "comparison.schema.json").read_text())
)
NUMBER = st.one_of(st.just(0.0), st.floats(1e-30, 1e30), st.sampled_from([10_000.0, 20_000.0, 240_000.0, 320_000.0]))
MAYBE = st.one_of(st.none(), NUMBER)
LEVELS = st.lists(
    st.builds(LevelBytes, st.sampled_from(["L1", "L2", "L3", DRAM, STATED, "L9"]), NUMBER, st.just("x"), MAYBE, MAYBE),
    max_size=4,
    unique_by=lambda level: level.level,
)
SAMPLE = st.builds(
    Sample,
    name=st.sampled_from(["triad", "copy", "guarded", "_Z5triadv", "BM_copy/100", "nothing", ""]),
    line=st.integers(1, 99),
    executions=st.one_of(st.none(), st.integers(1, 9)),
    seconds=MAYBE,
    flops=MAYBE,
    flops_by_precision=st.dictionaries(st.sampled_from(["fp64", "fp32"]), NUMBER),
    flop_per_s=MAYBE,
    levels=LEVELS.map(tuple),
    intensities=st.dictionaries(st.sampled_from(["L1", DRAM]), NUMBER),
    location=st.one_of(st.none(), st.builds(Location, st.just("k.c"), st.integers(0, 20))),
    arguments=st.sampled_from([(), (100,), (7,)]),
    facts=st.dictionaries(st.sampled_from(list(Fact)), NUMBER),
    additive=st.booleans(),
)


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(
    report=st.sampled_from(REPORTS),
    samples=st.lists(SAMPLE, min_size=1, max_size=4),
    repeated=st.sampled_from(["median", "sum"]),
    executions=st.sampled_from([1, 3]),
)
def test_every_comparison_ends(report, samples, repeated, executions):
    half = len(samples) // 2
    readings = [Reading("a.csv", "csv", tuple(samples[:half])), Reading("b.csv", "csv", tuple(samples[half:]))]
    options = CompareOptions(repeated=repeated, executions=executions)
    found = compare(report, readings, options, policies=lambda prediction: {"nvidia-sass": 10_000.0})
    document = json.loads(json.dumps(to_primitive(found), allow_nan=False))
    SCHEMA.validate(document)
    for kernel in found.kernels:
        differs = any(row.verdict is Verdict.DIFFERS for row in kernel.rows)
        assert (kernel.verdict is Verdict.DIFFERS) is differs
    assert found.verdict.value in render_plain(comparison_sheets(found))
    rows = sum(len(kernel.rows) for kernel in found.kernels)
    assert len(render_comparison_csv(found).splitlines()) == 1 + rows
    if found.machine is not None:
        nersc.read_roofs(nersc_text(found), "f")
