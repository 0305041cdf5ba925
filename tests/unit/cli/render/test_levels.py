"""Levels, the core, ECM and scaling as people and programs read them."""

from __future__ import annotations

import csv
import json
import re
from importlib import resources

import jsonschema
import pytest
from msgspec.structs import replace

from analyzer.diagnostics import Phrase
from analyzer.ir.nodes import Assumption
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import AnalyzedFile
from analyzer.quantities.quantity import Exactness
from analyzer.source import Language, SourceFile, Span
from analyzer.traffic.hierarchy import Hierarchy, parse_hierarchy
from analyzer.traffic.options import CacheOptions
from analyzer.traffic.results import RegionTraffic
from cli.options import analyze_options
from cli.parser import analyze_parser
from cli.render.data.csv_rows import csv_lines
from cli.render.data.json_document import render_json
from cli.render.table.table import render_table
from cli.render.text.derivation import render_derivation
from cli.render.text.markdown import render_markdown
from cli.render.text.report import render_text
from cli.render.words.levels import size_text
from roofline import estimate, source_text
from roofline.catalog import find_machine
from roofline.model.hierarchies import hierarchy_of
from roofline.model.level_bytes import ProjectionOptions
from roofline.report.report import Report
from tests.caches import Level, known, with_caches
from tests.projected import make_report

N = 1_000_000
TRIAD = """
void triad(double *a, double *b, double *c, double *d) {
  for (int i = 0; i < 1000000; i++) a[i] = b[i] + c[i]*d[i];
}"""
STREAMED: list[Level] = [(24 * N, 0, 8 * N), *[(24 * N, 8 * N, 8 * N)] * 3]
SIMULATED: list[Level] = [STREAMED[0], STREAMED[1], (24 * N, 8 * N, 10 * N), STREAMED[3]]
GIVEN = parse_hierarchy("L1:32KiB/8,L2:1MiB,L3:8MiB")
SCHEMA = json.loads((resources.files("roofline.report") / "report.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def file(hierarchy: Hierarchy, levels: list[Level], *others: list[Level], warm: bool = False) -> AnalyzedFile:
    (found,) = analyze(SourceFile("k.c", TRIAD, Language.C), AnalysisOptions())
    traffic = with_caches(found.regions[0], hierarchy, levels, warm=warm)
    for other in others:
        traffic = with_caches(found.regions[0], hierarchy, other, "simulate", traffic, warm=warm)
    return replace(found, traffic=(traffic,))


def report(*others: list[Level], machine: bool = True) -> Report:
    haswell = find_machine("haswell")
    hierarchy = hierarchy_of(haswell) if machine else GIVEN
    assert hierarchy is not None
    options = ProjectionOptions(hierarchy=None if machine else GIVEN)
    arguments = analyze_options(analyze_parser().parse_args(["k.c"])).as_primitive()
    machines = [haswell] if machine else []
    return make_report([file(hierarchy, STREAMED, *others)], machines, options, version="0.1.0", options=arguments)


def flat(text: str) -> str:
    return re.sub(r"\s+", " ", text)


LEVELS = "L1 32 MB 0.0625 FLOP/byte | L2 40 MB 0.05 FLOP/byte | L3 40 MB 0.05 FLOP/byte | DRAM 40 MB 0.05 FLOP/byte"


@pytest.mark.parametrize("machine", [True, False])
def test_one_line_of_levels_for_each_nest(machine: bool) -> None:
    found = report(machine=machine)
    for text in (render_table(found, width=120), render_text(found)):
        assert flat(text).count(LEVELS) == 1
    assert LEVELS.replace("|", "\\|") in render_markdown(found)


def test_the_screen_stays_one_screen() -> None:
    assert len(render_table(report(), width=100).splitlines()) <= 24


def test_the_table_says_which_bytes_it_counts() -> None:
    assert "bytes: cached, traffic after the cache model, in whole lines (analytic model)" in render_table(
        report(), width=120
    )


def test_the_other_model_is_told_with_the_difference() -> None:
    for text in (render_table(report(SIMULATED), width=120), render_text(report(SIMULATED))):
        assert "simulate: L2 40 MB (the same), L3 42 MB (shown is 4.8 % below), DRAM 40 MB (the same)" in flat(text)
    assert "verified" not in render_table(report(), width=120)


def test_the_derivation_has_every_level_and_the_core() -> None:
    text = flat(render_derivation(report()))
    for step in (
        "L1 serves 24 MB read + 8 MB written",
        "L3 serves 24 MB read + 8 MB write-allocate + 8 MB written",
        "cycles of one core for 4 iterations: loads 1.5, stores 1, front end 1",
        "1/16 FLOP/byte * 2.476 TB/s, 1/20 FLOP/byte * 644.5 GB/s, 1/20 FLOP/byte * 284 GB/s, 1/20 FLOP/byte * 50 GB/s",
        "ECM, {T_OL || T_nOL | T_L1L2 | T_L2L3 | T_L3Mem} = {2 || 3 | 5 | 10 | 14.7} cy/CL, 8 iterations each",
        r"T_ECM = {3 \ 8 \ 18 \ 32.7} cy/CL = 1.125 GFLOP/s with one core",
        "n_S = ceil(32.7 / 14.7) = 3 cores saturate the memory",
        "4 cores reach what DRAM allows",
    ):
        assert step in text


def test_a_column_for_programs() -> None:
    rows = list(csv.DictReader(csv_lines(report())))
    assert rows[0]["level_bytes"] == "L1=32000000 L2=40000000 L3=40000000 DRAM=40000000"
    assert (rows[0]["saturation_cores"], rows[0]["ecm"]) == ("4", "{2 || 3 | 5 | 10 | 14.7} cy/CL")
    bare = list(csv.DictReader(csv_lines(report(machine=False))))
    assert (bare[0]["level_bytes"], bare[0]["ecm"]) == (rows[0]["level_bytes"], "")


@pytest.mark.parametrize("machine", [True, False])
def test_json_follows_its_schema(machine: bool) -> None:
    document = json.loads("".join(render_json(report(SIMULATED, machine=machine))))
    VALIDATOR.validate(document)
    region = document["files"][0]["regions"][0]
    assert [level["level"] for level in region["traffic"]] == ["register", "L1", "L2", "L3", "DRAM"]
    assert [found["model"] for found in region["caches"]] == ["analytic", "simulate"]
    assert region["caches"][0]["levels"] == region["traffic"][1:]
    assert region["convention"] == "cached"


def test_notes_on_the_caches_are_told() -> None:
    found = report()
    haswell = hierarchy_of(find_machine("haswell"))
    (region,) = found.files[0].regions
    (traffic,) = region.traffic.models
    note = Assumption.of("AI305", Span("k.c", 1, 1), "victim")
    profile = replace(found.files[0].profile, regions=(replace(region.profile, nests=()),))
    noted = RegionTraffic((replace(traffic, notes=(note,)),))
    assert haswell is not None
    again = make_report(
        [AnalyzedFile(profile, (noted,))],
        [find_machine("haswell")],
        ProjectionOptions(),
        version="0",
        options={},
    )
    assert "a victim cache is simulated as one that is filled on every miss [AI305]" in flat(render_text(again))


LINE = Span("k.c", 2, 2)
NOTES = {
    "AI209": Assumption.of("AI209", LINE, "estimate", level="L2", error=0.1),
    "AI210": Assumption.of("AI210", LINE, "unknown", why=Phrase.of("AI210", "condition")),
    "AI301": Assumption.of("AI301", LINE, "scalar", "s", type="fp64"),
    "AI303": Assumption.of("AI303", LINE, "rows", array="a", elements="n"),
    "AI305": Assumption.of("AI305", LINE, "lines"),
    "AI306": Assumption.of("AI306", LINE, "both-ways"),
    "AI307": Assumption.of("AI307", LINE, "chunks", threads=4),
    "AI404": Assumption.of("AI404", LINE, "conflicts", level="L2", share=0.5, arrays=("a",)),
}


def noted(*codes: str) -> Report:
    """The triad with notes on its caches."""
    haswell = find_machine("haswell")
    hierarchy = hierarchy_of(haswell)
    assert hierarchy is not None
    found = file(hierarchy, STREAMED)
    notes = tuple(NOTES[code] for code in codes)
    whole = found.traffic[0]

    def with_notes(traffic: RegionTraffic) -> RegionTraffic:
        return replace(traffic, models=(replace(traffic.models[0], notes=notes),))

    traffic = replace(with_notes(whole), nests=tuple(map(with_notes, whole.nests)))
    return make_report([replace(found, traffic=(traffic,))], [haswell], ProjectionOptions(), version="0", options={})


def test_conflicts_and_what_is_undecided_are_not_buried() -> None:
    text = flat(render_table(noted("AI303", "AI305", "AI306", "AI307", "AI301", "AI210", "AI209", "AI404"), width=120))
    for code in ("AI209", "AI404"):
        assert text.count(f"caches, triad: {NOTES[code].text} ({NOTES[code].hint}) [{code}]") == 1
    assert text.index("[AI404]") < text.index("bytes: cached")
    assert f"assumed: line 2: {NOTES['AI404'].text}" not in text
    for render in (render_text, render_markdown, render_derivation):
        assert render(noted("AI404")).count("[AI404]") == 1


def symbolic() -> Report:
    stencil = (
        "void f(int n, double a[n][n], double b[n][n]) { for (int j = 1; j < n - 1; j++)"
        " for (int i = 0; i < n; i++) b[j][i] = a[j-1][i] + a[j+1][i]; }"
    )
    caches = CacheOptions(hierarchies=(GIVEN,), conditions=True)
    profiles = analyze(SourceFile("k.c", stencil, Language.C), AnalysisOptions(cache=caches))
    options = analyze_options(analyze_parser().parse_args(["k.c"])).as_primitive()
    return make_report(profiles, [], ProjectionOptions(hierarchy=GIVEN), version="0", options=options)


def test_conditions_in_one_line_where_sizes_are_not_known() -> None:
    text = flat(render_table(symbolic(), width=160))
    assert re.search(
        r"f:1 caches: L1 holds a for the next iteration of j \(\S+ .*bytes\) while n <= \d+, L2 while n <= \d+", text
    )
    for render in (render_text, render_markdown):
        assert "while n" in render(symbolic())
    assert "What is used again, and the caches that hold it" in render_derivation(symbolic())


def test_the_derivation_takes_the_least_of_what_it_prints() -> None:
    """2 FLOPs for 8 B of b once no cache holds it: 1/4 FLOP/byte of 50 GB/s is less than the core and L1 allow."""
    text = "void f(int n, double *a, double *b, double *c) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"
    text += " for (int k = 0; k < n; k++) c[i*n + j] += a[i*n + k] * b[k*n + j]; }"
    found = flat(render_derivation(estimate(source_text(text), "haswell", conditions="always")))
    assert "0.25 FLOP/byte * 50 GB/s at large sizes) = min(" in found
    assert ", 12.5 GFLOP/s) = 12.5 GFLOP/s, memory-bound" in found


def test_conditions_are_of_one_machine() -> None:
    text = "void f(int n, double a[n][n]) {\n for (int j = 1; j < n; j++) for (int i = 0; i < n; i++)"
    text += " a[j][i] += a[j-1][i]; }"
    machines = [find_machine(name) for name in ("v100", "haswell", "epyc-7763")]
    caches = tuple(filter(None, (hierarchy_of(machine) for machine in machines)))
    options = AnalysisOptions(cache=CacheOptions(hierarchies=caches, conditions=True))
    profiles = analyze(SourceFile("k.c", text, Language.C), options)
    for chosen, told in ((machines, "caches: on haswell-e5-2695v3: L1 holds a"), (machines[1:2], "caches: L1 holds a")):
        found = make_report(profiles, chosen, ProjectionOptions(), version="0", options={})
        assert told in flat(render_table(found, width=160))


def test_an_estimated_difference_has_its_margin() -> None:
    simulated = replace(known(40), lower=known(38).lower, upper=known(42).upper, exactness=Exactness.INTERVAL)
    assert size_text(simulated, {}) == "40 B +- 5 %"
    assert size_text(known(40), {}) == "40 B"


def test_reuses_in_json() -> None:
    document = json.loads("".join(render_json(symbolic())))
    VALIDATOR.validate(document)
    region = document["files"][0]["regions"][0]
    (reuse,) = region["reuses"]
    assert (reuse["array"], reuse["loop"], reuse["line"], reuse["carried"]) == ("a", "j", 1, True)
    assert [found["level"] for found in reuse["conditions"]] == ["L1", "L2", "L3"]
    assert region["nests"][0]["reuses"] == region["reuses"]


def test_a_level_that_serves_nothing_has_no_intensity() -> None:
    nothing: list[Level] = [STREAMED[0], (0, 0, 0), (0, 0, 0), (0, 0, 0)]
    hierarchy = hierarchy_of(find_machine("haswell"))
    assert hierarchy is not None
    found = make_report(
        [file(hierarchy, nothing, nothing, warm=True)],
        [find_machine("haswell")],
        ProjectionOptions(),
        version="0",
        options={},
    )
    for render in (render_table, render_text, render_markdown, render_derivation, csv_lines, render_json):
        text = "".join(render(found))
        assert not re.search(r"\b(inf|nan|Infinity|NaN)\b|no bytes FLOP", text)
    assert "L1 32 MB 0.0625 FLOP/byte | L2 0 B | L3 0 B | DRAM 0 B" in flat(render_table(found, width=120))
