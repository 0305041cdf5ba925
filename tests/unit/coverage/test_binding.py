"""Values that a run gives to the symbols of a report."""

import json

import pytest

from analyzer.errors import OptionError
from roofline import estimate
from tests.oracle.sources import ROOT

FOLDER = ROOT / "tests" / "data" / "coverage"


def report(source, recorded, **options):
    return estimate(str(source), profile=(str(recorded),), **options)


def region(found, name):
    return next(one for one in found.regions if one.profile.function == name)


def notes(found, code):
    return [one.message for one in found.files[0].profile.diagnostics if one.code == code]


@pytest.mark.parametrize("recorded", ["rows.gcov.json", "rows.llvm.json", "rows.lcov"])
def test_sizes_trip_counts_and_probabilities_are_those_of_the_run(recorded):
    """1000 additions in the rows, 100 in the arms, 50 products, 9 divisions (sum of 3 n m ... by hand)."""
    found = region(report(FOLDER / "rows.c", FOLDER / recorded), "rows")
    assert found.flops.value == 1000 + 100 + 50 + 9
    assert dict(found.profile.values)["n"] == 100
    assert dict(found.profile.values)["m"] == 50
    (note,) = (one.text for one in found.profile.assumptions if one.code == "AI319")
    assert note == "m = 50, n = 100, prob_L9 = 0.49, trip_L14 = 9, trip_L7 = 10, from the recorded run"


def test_what_the_run_gives_is_no_longer_reported_as_open():
    found = report(FOLDER / "rows.c", FOLDER / "rows.gcov.json")
    assert notes(found, "AI202") == notes(found, "AI203") == []
    assert notes(estimate(str(FOLDER / "rows.c")), "AI203")


def test_a_value_that_is_given_goes_before_that_of_the_run():
    found = region(report(FOLDER / "rows.c", FOLDER / "rows.gcov.json", sizes={"n": 10, "trip_L7": 3}), "rows")
    assert found.flops.value == 30 + 10 + 50 + 9


def test_a_flag_has_the_value_of_the_comparisons_that_always_held():
    found = region(report(FOLDER / "rows.c", FOLDER / "rows.gcov.json"), "first_above")
    assert dict(found.profile.values)["mode"] == 3
    assert "n" not in dict(found.profile.values), "the loop ended early, which says nothing of n"


def test_a_loop_that_ends_early_has_at_most_the_iterations_of_the_run():
    """The limit is halved 35 times, and the 35th value is above it."""
    flops = region(report(FOLDER / "rows.c", FOLDER / "rows.gcov.json"), "first_above").profile.work.flops
    assert flops.upper.evaluate({"trip_L21": 35, "mode": 3}) == 35
    assert flops.lower.is_zero or flops.lower.evaluate({"trip_L21": 35, "mode": 3}) <= 35


@pytest.mark.parametrize("recorded", ["pair.gcov.json", "pair.llvm.json"])
def test_instances_have_their_own_values(recorded):
    found = report(FOLDER / "pair.cpp", FOLDER / recorded)
    assert region(found, "positive<double>").flops.value == 66
    assert region(found, "positive<float>").flops.value == 10


def test_means_of_several_instances_give_no_sizes(tmp_path):
    """Under names that tell nothing both instances have the counts of both."""
    text = (FOLDER / "pair.llvm.json").read_text()
    text = text.replace("_Z8positiveIdET_iPKS0_", "one").replace("_Z8positiveIfET_iPKS0_", "two")
    (tmp_path / "pair.llvm.json").write_text(text)
    found = report(FOLDER / "pair.cpp", tmp_path / "pair.llvm.json")
    assert "n" not in dict(region(found, "positive<double>").profile.values)


def test_calls_with_different_sizes_have_their_mean_trip_count(tmp_path):
    source, recorded = tmp_path / "two.c", tmp_path / "two.csv"
    source.write_text("void f(int n, double *x) {\n  for (int i = 0; i < n; i++)\n    x[i] = 2 * x[i];\n}\n")
    for iterations, known in ((7, None), (8, 4)):  # in two calls
        recorded.write_text(f"file,line,count\ntwo.c,2,{iterations + 2}\ntwo.c,3,{iterations}\n")
        found = region(report(source, recorded), "f")
        assert dict(found.profile.values).get("n") == known
        assert found.flops.value == iterations / 2


def test_sizes_follow_from_trip_counts_that_are_not_linear(tmp_path):
    source, recorded = tmp_path / "square.c", tmp_path / "square.csv"
    source.write_text("void f(int n, double *x) {\n  for (int i = 0; i < (n + 1) * (n + 1); i++)\n    x[i] *= 2;\n}\n")
    recorded.write_text("file,line,count\nsquare.c,2,82\nsquare.c,3,81\n")
    assert dict(region(report(source, recorded), "f").profile.values)["n"] == 8
    source.write_text("void f(int n, double *x) {\n  for (int i = n; i < 100; i++)\n    x[i] *= 2;\n}\n")
    recorded.write_text("file,line,count\nsquare.c,2,91\nsquare.c,3,90\n")
    assert dict(region(report(source, recorded), "f").profile.values)["n"] == 10


def test_trip_counts_that_contradict_the_source_are_reported(tmp_path):
    source, recorded = tmp_path / "hundred.c", tmp_path / "hundred.csv"
    source.write_text("void f(double *x) {\n  for (int i = 0; i < 100; i++)\n    x[i] = 2 * x[i];\n}\n")
    recorded.write_text("file,line,count\nhundred.c,2,51\nhundred.c,3,50\n")
    (message,) = notes(report(source, recorded), "AI008")
    assert message == "the source has 100 iterations of this loop, and the run 50 in 1 executions of it"
    recorded.write_text("file,line,count\nhundred.c,2,101\nhundred.c,3,100\n")
    assert notes(report(source, recorded), "AI008") == []


def test_counts_of_another_version_are_not_used(tmp_path):
    source = tmp_path / "rows.c"
    source.write_text("\n" * 12 + (FOLDER / "rows.c").read_text())
    found = report(source, FOLDER / "rows.gcov.json")
    assert any(message.startswith("rows began in line 4") for message in notes(found, "AI008"))
    assert not any(one.code == "AI319" for part in found.regions for one in part.profile.assumptions)


def test_a_function_that_moved_makes_those_without_an_end_unsure(tmp_path):
    source, recorded = tmp_path / "two.c", tmp_path / "two.lcov"
    text = "void f(int n, double *x) {\n{}  for (int i = 0; i < n; i++)\n    x[i] = 2;\n}\n{}void g() {\n}\n"
    recorded.write_text("SF:two.c\nFN:1,f\nFNDA:1,f\nFN:5,g\nFNDA:1,g\nDA:1,1\nDA:2,8\nDA:3,7\nend_of_record\n")
    for before, has_moved in (("", False), ("\n", True)):
        source.write_text(text.replace("{}", before))
        found = report(source, recorded)
        assert any(message.startswith("g began in line 5") for message in notes(found, "AI008")) == has_moved
        assert ("n" in dict(region(found, "f").profile.values)) != has_moved


@pytest.mark.parametrize("call", ["strcat(out, parts[i])", "strcpy(out, parts[i])"])
def test_loops_of_a_library_do_not_run_as_often_as_the_loop_on_their_line(tmp_path, call):
    source, recorded = tmp_path / "join.c", tmp_path / "join.lcov"
    loop = f"  for (int i = 0; i < n; i++) {call};"
    source.write_text(f"#include <string.h>\nvoid join(char *out, char **parts, int n) {{\n{loop}\n}}\n")
    lines = "DA:2,1\nDA:3,4\nBRDA:3,0,0,3\nBRDA:3,0,1,1\nDA:4,1\n"
    recorded.write_text(f"SF:join.c\nFN:2,join\nFNDA:1,join\n{lines}end_of_record\n")
    profile = region(report(source, recorded), "join").profile
    assert dict(profile.values) == {"n": 3}
    assert "trip_L3" in profile.loads.elements.estimate.bind(profile.values).symbols


def test_lines_of_several_loops_are_reported(tmp_path):
    source, recorded = tmp_path / "line.c", tmp_path / "line.csv"
    source.write_text(
        "void f(int n, double *x) {\n  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)\n    x[j] += 1;\n}\n"
    )
    recorded.write_text("file,line,count\nline.c,2,12\nline.c,3,9\n")
    found = report(source, recorded)
    assert notes(found, "AI008") == [
        "several loops or conditions share this line: the counts of the run cannot tell them apart"
    ]
    assert "n" not in dict(region(found, "f").profile.values)


def test_counts_of_other_files_are_refused(tmp_path):
    source = tmp_path / "other.c"
    source.write_text("void f(int n, double *x) {\n  for (int i = 0; i < n; i++) x[i] = 0;\n}\n")
    with pytest.raises(OptionError, match=r"no counts of the files named .it has /build/rows.c"):
        report(source, FOLDER / "rows.gcov.json")


def test_files_built_elsewhere_are_found_by_their_last_folders(tmp_path):
    (tmp_path / "src").mkdir()
    source = tmp_path / "src" / "rows.c"
    source.write_text((FOLDER / "rows.c").read_text())
    document = json.loads((FOLDER / "rows.gcov.json").read_text())
    other = {**document["files"][0], "file": "old/rows.c", "lines": [], "functions": []}
    document["files"] = [{**document["files"][0], "file": "src/rows.c"}, other]
    recorded = tmp_path / "both.json"
    recorded.write_text(json.dumps(document))
    assert dict(region(report(source, recorded), "rows").profile.values)["n"] == 100


def test_a_step_that_divides_the_trip_count_stays_open(tmp_path):
    """As in s122 of TSVC: 64 / step iterations, of which no size follows by growing with it."""
    (tmp_path / "a.c").write_text(
        "void f(int step, double *x) {\n  for (int i = 0; i < 64; i += step)\n    x[i] = 1;\n}\n"
    )
    (tmp_path / "a.csv").write_text("file,line,count\na.c,2,17\na.c,3,16\n")
    found = region(report(tmp_path / "a.c", tmp_path / "a.csv"), "f")
    assert "step" not in dict(found.profile.values)


def test_a_loop_without_a_body_has_the_tests_that_did_not_end_it(tmp_path):
    """A line that was tested 968 times in 20 iterations of the loop around it."""
    source, recorded = tmp_path / "ticks.c", tmp_path / "ticks.csv"
    source.write_text(
        "double now(void);\n"
        "void ticks(int m, double *found) {\n"
        "  double first, last;\n"
        "  for (int i = 0; i < m; i++) {\n"
        "    first = now();\n"
        "    while ((last = now()) - first < 1.0)\n"
        "      ;\n"
        "    found[i] = last;\n"
        "  }\n"
        "}\n"
    )
    recorded.write_text(
        "file,line,count\n"
        + "".join(f"ticks.c,{line},{n}\n" for line, n in [(2, 1), (4, 21), (5, 20), (6, 968), (8, 20)])
    )
    found = region(report(source, recorded), "ticks")
    assert dict(found.profile.values)["m"] == 20
    assert found.flops.value == 968


GUARDED = """\
void f(int k, double *x) {
  for (int i = 0; i < 100; i++)
    x[i] = 2 * x[i];
  if (k > 0) {
    for (int i = 0; i < 100; i++)
      x[i] = 3 * x[i];
  }
}
"""


@pytest.mark.parametrize("condition", ["k > 0", "!(k <= 0)"])
@pytest.mark.parametrize(("held", "products"), [(0, 100), (3, 175), (4, 200)])  # of four calls
def test_conditions_on_sizes_hold_as_often_as_in_the_run(tmp_path, condition, held, products):
    source, recorded = tmp_path / "guarded.c", tmp_path / "guarded.csv"
    source.write_text(GUARDED.replace("k > 0", condition))
    counts = {2: 404, 3: 400, 4: 4, 5: 101 * held, 6: 100 * held, 8: 4}
    recorded.write_text("file,line,count\n" + "".join(f"guarded.c,{line},{n}\n" for line, n in counts.items()))
    found = report(source, recorded)
    assert region(found, "f").flops.value == products
    assert region(report(source, recorded, sizes={"k": 1}), "f").flops.value == 200


def test_conditions_that_always_held_are_named(tmp_path):
    source, recorded = tmp_path / "guarded.c", tmp_path / "guarded.csv"
    source.write_text(GUARDED)
    recorded.write_text("file,line,count\nguarded.c,3,100\nguarded.c,4,1\nguarded.c,5,101\nguarded.c,6,100\n")
    texts = [one.text for one in region(report(source, recorded), "f").profile.assumptions if one.code == "AI319"]
    assert any(text.startswith("k > 0 in line 4") for text in texts), texts


def test_a_recursive_function_has_the_calls_of_the_run(tmp_path):
    """Two runs from outside of depths 3 and 5: 8 calls, 6 of them by itself, 4 for each."""
    source, recorded = tmp_path / "levels.c", tmp_path / "levels.gcov.json"
    source.write_text(
        "struct L { double *x; struct L *next; };\nint down(struct L *l) {\n  int bad = 0;\n"
        "  for (int i = 0; i < 10; i++) l->x[i] *= 2;\n  if (l->next) {\n"
        "    bad = down(l->next); if (bad) return bad;\n  }\n  return bad;\n}\n"
    )
    lines = {2: 8, 3: 8, 4: 88, 5: 8, 6: 6, 8: 8}
    function = {"name": "down", "demangled_name": "down", "start_line": 2, "end_line": 9, "execution_count": 8}
    rows = [{"line_number": line, "count": n, "function_name": "down", "branches": []} for line, n in lines.items()]
    file = {"file": "levels.c", "functions": [function], "lines": rows}
    recorded.write_text(json.dumps({"format_version": "1", "files": [file]}))
    assert region(report(source, recorded), "down").flops.value == 40


def test_what_follows_an_early_return_runs_as_often_as_in_the_run(tmp_path):
    """Of four calls one returns early."""
    source, recorded = tmp_path / "early.c", tmp_path / "early.csv"
    source.write_text(
        "void f(int k, double *x) {\n  if (k % 8 != 0) {\n    x[0] *= 2;\n    return;\n  }\n"
        "  for (int i = 0; i < 100; i++)\n    x[i] *= 3;\n}\n"
    )
    recorded.write_text("file,line,count\nearly.c,2,4\nearly.c,3,1\nearly.c,4,1\nearly.c,6,303\nearly.c,7,300\n")
    assert region(report(source, recorded), "f").flops.value * 4 == 301


@pytest.mark.parametrize("recorded", ["rows.gcov.json", "rows.llvm.json"])
def test_counts_of_a_function_that_has_changed_inside_are_not_used(tmp_path, recorded):
    lines = (FOLDER / "rows.c").read_text().splitlines(keepends=True)
    source = tmp_path / "rows.c"
    source.write_text("".join((*lines[:5], "  // one more line\n", *lines[5:])))
    found = report(source, FOLDER / recorded)
    assert any(message.startswith("rows ended in line 18") for message in notes(found, "AI008")), notes(found, "AI008")
    assert not any(one.code == "AI319" for one in region(found, "rows").profile.assumptions)


def test_the_arms_of_a_switch_have_their_counts(tmp_path):
    """Of 100 iterations 10 take the first arm, 50 the second and 40 the default: 10 + 2 * 50 + 3 * 40 by hand."""
    source, recorded = tmp_path / "arms.c", tmp_path / "arms.csv"
    source.write_text(
        "void f(const int *kind, double *x) {\n  for (int i = 0; i < 100; i++)\n    switch (kind[i]) {\n"
        "    case 1: x[i] *= 2; break;\n    case 2:\n    case 3:\n      x[i] = x[i] * 2 + 1;\n      break;\n"
        "    default:\n      x[i] = x[i] * 2 + x[i] * x[i];\n    }\n}\n"
    )
    counts = {2: 101, 3: 100, 4: 10, 7: 50, 8: 50, 10: 40}
    recorded.write_text("file,line,count\n" + "".join(f"arms.c,{line},{n}\n" for line, n in counts.items()))
    assert region(report(source, recorded), "f").flops.value == 230
