"""The one door: the same from a program as on the command line, and nothing is worked out twice."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import analyzer.traffic.reuse.analytic
import roofline.estimation
import roofline.model.core.ceilings
import roofline.model.level_bytes
import roofline.model.projection
import roofline.report.formula
import roofline.report.regions
from analyzer.errors import MachineError, OptionError, SourceError
from roofline import estimate, source_text
from tests.conftest import Outcome

TRIAD = (
    "void triad(int n, double *a, double *b, double *c, double s) { for (int i = 0; i < n; i++) a[i] = b[i] + s*c[i]; }"
)
TWO = TRIAD + " void two(int n, double *a, double *b, double *c) { triad(n, a, b, c, 2); triad(n, b, c, a, 3); }"
KERNEL = """
__global__ void scale(float *x, int n) { int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }
int main() { float *x; scale<<<1024, 1024>>>(x, 1048576); }
"""


def test_a_program_gets_what_the_command_line_prints(tmp_path: Path, run: Callable[..., Outcome]) -> None:
    (tmp_path / "triad.c").write_text(TWO)
    path = str(tmp_path / "triad.c")
    report = estimate(path, "haswell", sizes={"n": 10**6}, fma=False)
    printed = run(path, "--machine", "haswell", "-D", "n=1000000", "--fma", "off", "--format", "json", "--no-cache")
    document = json.loads(printed.stdout)
    document["options"].pop("budget_mib")
    assert json.loads(report.to_json()) == document


def test_a_region_has_formulas_values_and_a_bound() -> None:
    (region,) = estimate(source_text(TRIAD), "haswell", sizes={"n": 10**7}).regions
    assert (str(region.flops), region.flops.value, region.flops.at(n=5)) == ("2*n", 2 * 10**7, 10)
    text = "double f(int n, double *a) { for (int i = 0; i < n; i++) { a[i] *= 2; if (a[i] > 9) break; } return 0; }"
    (early,) = estimate(source_text(text, "f.c")).regions
    assert str(early.flops) == "<= n"
    assert region.bytes.value == 32 * 10**7
    assert region.time == pytest.approx(32 * 10**7 / 61.82e9)
    assert (region.bound.value, float(region.intensity.number)) == ("memory", 1 / 16)


def test_bytes_of_caches_hold_for_their_sizes_alone() -> None:
    (region,) = estimate(source_text(TRIAD), "haswell", sizes={"n": 10**7}).regions
    assert region.bytes.at(n=10**7) == region.bytes.value
    with pytest.raises(OptionError, match="holds for n = 10000000 alone"):
        region.bytes.at(n=5)
    (symbolic,) = estimate(source_text(TRIAD), "haswell").regions
    assert symbolic.bytes.at(n=5) == 5 * 32
    with pytest.raises(OptionError, match="no value is known for n"):
        symbolic.bytes.at()
    with pytest.raises(OptionError, match="no size named m"):
        symbolic.flops.at(m=5)


ROWS = """__global__ void k(int n, const int *row, float *y) {
  int i = threadIdx.x;
  for (int j = row[i]; j < row[i + 1]; j++) y[i] += 2.0f * j;
}
int main() { k<<<1, 32>>>(5, 0, 0); }
"""


def test_a_launch_gives_averages_of_data_as_sizes_do() -> None:
    """32 threads with 2.5 iterations of 2 FLOPs each; a loop that is not there is an error with the name that is."""
    source = source_text(ROWS, "rows.cu")
    (region,) = estimate(source, "v100", launches=("k:grid=1,block=32,trip_L3=2.5",)).regions
    assert region.flops.value == 160
    with pytest.raises(OptionError) as raised:
        estimate(source, "v100", launches=("k:grid=1,block=32,trip_L4=2.5",))
    assert "trip_L3" in (raised.value.hint or "")


def test_what_cannot_be_used_is_named(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match="cray-1"):
        estimate(source_text(TRIAD), "cray-1")
    with pytest.raises(SourceError, match="no such file"):
        estimate(tmp_path / "none.c")
    with pytest.raises(OptionError, match="needs a machine"):
        estimate(source_text(TRIAD)).plot()


@pytest.mark.parametrize("value", [(100, 5000), [1, 2], None, True, "x", float("nan"), float("inf")])
def test_a_size_is_one_number(value: Any) -> None:
    """Anything else was the text of a macro, and functions that it broke were missing without a word."""
    with pytest.raises(OptionError, match="not one number"):
        estimate(source_text("void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 1; }"), sizes={"n": value})


def test_a_size_beyond_64_bits_is_a_number_for_isl_too() -> None:
    nest = "void f(int n, double a[n][n]) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[j][i] *= 2; }"
    (region,) = estimate(source_text(nest), "haswell", sizes={"n": 10**30}).regions
    assert region.flops.value == 10**60


def test_regions_take_the_sizes_of_others() -> None:
    """A loop over the regions asks each for a size that only one of them has."""
    one = "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] *= 2; }"
    two = "void g(int m, double *a) { for (int i = 0; i < m; i++) a[i] *= 2; }"
    found = estimate(source_text(f"{one}\n{two}"), sizes={"m": 5}).regions
    assert [region.flops.at(n=7) for region in found] == [7, 5]
    with pytest.raises(OptionError, match="no size named q"):
        found[0].flops.at(q=7)
    assert repr(found[1].flops) == "<m = 5, exact>"


@pytest.mark.parametrize(
    ("given", "meant"),
    [("launch", "launches"), ("machine", "machines"), ("size", "sizes"), ("matrix", "matrices"), ("cachs", "cache")],
)
def test_an_unknown_option_has_the_nearest_one(given: str, meant: str) -> None:
    with pytest.raises(TypeError, match=f"has no option '{given}' .did you mean {meant}[?]"):
        estimate(source_text("for (i = 0; i < n; i++) a[i] = 1;"), **{given: "haswell"})


def test_words_are_those_of_the_command_line() -> None:
    """Without caches every reference moves: 24 B an iteration of the triad."""
    (region,) = estimate(source_text(TRIAD), "haswell", sizes={"n": 1000}, cache="none").regions
    assert region.bytes.value == 24_000


@pytest.mark.parametrize("option", ["cache", "conditions", "peak", "convention", "element_type"])
def test_an_unknown_word_is_refused(option: str) -> None:
    with pytest.raises(OptionError, match=f"{option} .*: nothing"):
        estimate(source_text(TRIAD), "haswell", **{option: "nothing"})


def test_every_gpu_has_its_own_occupancy_and_requests() -> None:
    report = estimate(source_text(KERNEL, "k.cu"), "rtx3080,a100-40")
    (region,) = (one for one in report.regions if one.projections)
    small, large = (projection.traffic for projection in region.projections)
    assert (small.occupancy.blocks_per_unit, large.occupancy.blocks_per_unit) == (1, 2)
    assert small.hierarchy != large.hierarchy
    (kernel,) = (one for one in report.to_primitive()["files"][0]["regions"] if one["projections"])
    assert kernel["occupancy"]["blocks_per_unit"] == 1
    first, second = kernel["projections"]
    assert (first["occupancy"], first["requests"]) == (None, None), "those of the first machine are the region's"
    assert second["occupancy"]["blocks_per_unit"] == 2
    assert [request["text"] for request in second["requests"]] == [one["text"] for one in kernel["requests"]]


def test_a_notebook_shows_a_table_a_frame_and_a_plot() -> None:
    report = estimate(source_text(TRIAD, "<b>.c"), "haswell,v100", sizes={"n": 10**7})
    html = report._repr_html_()
    assert html.count("<tr>") == 1 + 2, "a heading, and the nest on two machines"
    assert "to speed up" in html
    assert "&lt;b&gt;.c on haswell-e5-2695v3 (14 cores), v100 (80 SMs), sustained figures</caption>" in html
    assert "<b>.c" not in html
    frame = report.to_frame()
    assert list(frame["machine"]) == [machine.id for machine in report.machines] * 2
    assert set(frame["flops"]) == {2 * 10**7}
    assert "expected_s" in frame
    assert report.plot()._repr_png_().startswith(b"\x89PNG")


def test_a_region_has_the_figures_of_each_machine_by_its_name() -> None:
    (region,) = estimate(source_text(TRIAD), "v100,haswell", sizes={"n": 10**7}).regions
    assert region.expected_time is None, "loops of cores have no model on a GPU, which is the first machine"
    haswell = region.on("Haswell")
    alone = estimate(source_text(TRIAD), "haswell", sizes={"n": 10**7}).regions[0]
    assert (haswell.expected_time, haswell.bytes.value, str(haswell.bound)) == (
        alone.expected_time,
        alone.bytes.value,
        "memory",
    )
    assert haswell.nests[0].time == alone.nests[0].time
    assert repr(haswell.bytes) == f"<~ 320000000, interval {haswell.bytes.lower} to 320000000>"
    with pytest.raises(OptionError, match="the machines are: v100, haswell-e5-2695v3"):
        region.on("a100")


def test_the_extent_of_a_launch_that_a_report_asks_for_can_be_given() -> None:
    text = (
        "#include <stdlib.h>\n__global__ void k(float *x, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) x[i] *= 2; }\n"
        "int main(int c, char **v) { int n = atoi(v[1]); float *x; k<<<n / 256, 256>>>(x, n); }\n"
    )
    (kernel,) = (each for each in estimate(source_text(text, "k.cu"), "a100").regions if each.projections)
    assert "gridDim.x" in kernel.profile.symbols
    given = estimate(source_text(text, "k.cu"), "a100", sizes={"gridDim.x": 100}).regions
    (kernel,) = (each for each in given if each.projections)
    assert (kernel.flops.at(n=25_600), kernel.flops.at(n=100_000)) == (25_600, 25_600)
    with pytest.raises(OptionError, match="nothing depends"):
        estimate(source_text(text, "k.cu"), "a100", sizes={"gridDim.y": 100})


def test_a_notebook_shows_why_there_is_nothing() -> None:
    report = estimate(
        source_text("void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = ; }", "<i>.c"), "haswell"
    )
    assert [found.code for found in report.diagnostics]
    html = report._repr_html_()
    assert "as the messages say" in html
    assert f"[{report.diagnostics[0].code}]</li>" in html
    assert "&lt;i&gt;.c:1" in html


def test_nothing_is_worked_out_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The caches of each machine, the model of each region, the levels and the core of each nest: at most once.

    What non-temporal stores would gain is asked for a function and for its nests.
    """
    calls: Counter[tuple[Any, ...]] = Counter()
    alive: list[object] = []

    def watch(module: Any, name: str, key: Callable[..., tuple[Any, ...]]) -> None:
        function = getattr(module, name)

        def counted(*arguments: Any, **options: Any) -> Any:
            alive.extend(arguments)  # so that no two have the same id
            calls[name, *key(*arguments, **options)] += 1
            return function(*arguments, **options)

        monkeypatch.setattr(module, name, counted)

    watch(roofline.model.level_bytes, "hierarchy_of", lambda machine, cores: (machine.id, cores))
    watch(analyzer.traffic.reuse.analytic, "analytic_traffic", lambda region, hierarchy, **_: (region.name, hierarchy))
    for module in (roofline.model.projection, roofline.report.regions):
        watch(module, "level_bytes", lambda traffic, options, machine, values: (id(traffic), options, id(machine)))
    watch(
        roofline.model.core.ceilings,
        "core_bound",
        lambda iteration, machine, cores, reassociate: (id(iteration), machine.id, cores, reassociate),
    )
    report = estimate(source_text(TWO), "haswell,xeon-6148", sizes={"n": 10**6})
    assert {name for name, *_ in calls} == {"hierarchy_of", "analytic_traffic", "level_bytes", "core_bound"}
    asked = {key: times for key, times in calls.items() if key[0] != "level_bytes" or key[2] == report.projection}
    assert [key for key, times in asked.items() if times > 1 and key[1] != id(None)] == []


def test_caches_are_modelled_for_the_nests_that_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two nests under conditions, of sizes that are not known, add no model of the whole region each."""
    modelled: list[str] = []
    original = analyzer.traffic.reuse.analytic.analytic_traffic

    def counted(region: Any, *arguments: Any, **options: Any) -> Any:
        modelled.append(region.name)
        return original(region, *arguments, **options)

    monkeypatch.setattr(analyzer.traffic.reuse.analytic, "analytic_traffic", counted)
    source = """
    void f(int n, int m, int mode, int kind, double *a, double *b) {
      for (int i = 0; i < n; i++) a[i] = b[i];
      if (mode) for (int i = 0; i < m; i++) a[i] += b[i]; else for (int i = 0; i < m; i++) a[i] = 0;
      if (kind) for (int i = 0; i < m; i++) b[i] += a[i]; else for (int i = 0; i < m; i++) b[i] = 1;
    }"""
    (region,) = estimate(source_text(source), "haswell", sizes={"n": 10**6}).regions
    assert any(nest.profile.assumed for nest in region.nests)
    assert [bool(nest.caches) for nest in region.nests] == [True, *(False for _ in region.nests[1:])]
    assert modelled == ["f"]
