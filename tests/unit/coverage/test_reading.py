"""Counts of one run, recorded by gcc 12 and clang 14, read in every format; and files that cannot be used."""

import gzip
import json
from fractions import Fraction

import pytest

from analyzer.coverage.counts import FunctionCounts
from analyzer.coverage.loop_counts import Ratio
from analyzer.coverage.measured import counts_of, is_named, measured
from analyzer.coverage.reading import read_counts
from analyzer.errors import OptionError
from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.options import ParseOptions
from analyzer.source import read_source
from tests.oracle.sources import ROOT

FOLDER = ROOT / "tests" / "data" / "coverage"
RECORDED = ("rows.gcov.json", "rows.llvm.json", "rows.lcov")


def ratios(source, *recorded):
    """Trip counts and probabilities of each function, by line."""
    path = str(FOLDER / source)
    file = read_counts([str(name) for name in recorded]).of_file(path)
    unit = parse_clang(read_source(path), ParseOptions()).unit
    found = {}
    for function in unit.functions.values():
        counts, is_mean = counts_of(function, file)
        found[function.name] = measured(function, counts, is_mean=is_mean)
    return found


def by_line(found):
    """Ratios by line, as there is one of each line here."""
    return {line: ratio.value for (line, _), ratio in found.items()}


@pytest.mark.parametrize("recorded", RECORDED)
def test_all_formats_give_the_ratios_of_the_run(recorded):
    """By hand: i runs n = 100 times, row[100] = 1000, y doubles n/2 = 50 times; 37i % 100 > 50 for 49 of 100."""
    found = ratios("rows.c", FOLDER / recorded)
    rows = found["rows"]
    assert by_line(rows.trips) == {6: 100, 7: 10, 13: 50, 14: 9}
    assert by_line(rows.probabilities) == {9: Fraction(49, 100)}
    early = found["first_above"]
    assert by_line(early.trips)[21] == 35
    assert {line for line, _ in early.ended_early} == {21}
    assert by_line(early.probabilities)[24] == Fraction(1, 35)
    assert early.equal == {22}
    assert by_line(found["main"].trips) == {34: 1000, 35: 101}


@pytest.mark.parametrize("recorded", ["pair.gcov.json", "pair.llvm.json"])
def test_instances_of_a_template_are_told_apart(recorded):
    found = ratios("pair.cpp", FOLDER / recorded)
    assert by_line(found["positive<double>"].trips) == {4: 100}
    assert by_line(found["positive<double>"].probabilities) == {5: Fraction(66, 100)}
    assert by_line(found["positive<float>"].trips) == {4: 20}
    assert by_line(found["positive<float>"].probabilities) == {5: Fraction(1, 2)}


def test_runs_add_up_and_gzip_is_unpacked(tmp_path):
    packed = tmp_path / "rows.gcov.json.gz"
    packed.write_bytes(gzip.compress((FOLDER / "rows.gcov.json").read_bytes()))
    found = ratios("rows.c", packed, FOLDER / "rows.gcov.json")
    assert (found["rows"].calls, found["rows"].trips[6, 3]) == (2, Ratio(200, 2))


def test_a_table_of_lines_has_what_lines_alone_say(tmp_path):
    table = tmp_path / "counts.csv"
    lines = json.loads((FOLDER / "rows.gcov.json").read_text())["files"][0]["lines"]
    table.write_text("file,line,count\n" + "".join(f"rows.c,{one['line_number']},{one['count']}\n" for one in lines))
    rows = ratios("rows.c", table)["rows"]
    assert by_line(rows.trips) == {6: 100, 7: 10, 14: 9}
    assert rows.probabilities == {}, "the arm shares the line of its condition"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("int main() {}\n", "not understood as counts"),
        ('{"files": [', "cut off or damaged"),
        ('{"data": [{"type": "llvm.coverage.json.export"}], "type": "llvm.coverage.json.export"}', "has no functions"),
        ("SF:rows.c\nDA:5,x\nend_of_record\n", "bad:2: DA:5,x is not understood"),
        ("SF:rows.c\nDA:5,1\n", "ends within a source file"),
        ("file,line,count\nrows.c,5\n", "bad:2: rows.c,5 is not a row"),
        ('{"files": [{"file": "a.c", "lines": [{"line_number": 3, "count": -1}]}]}', "lines[0].count must be"),
    ],
)
def test_damaged_files_have_an_error_with_the_line(tmp_path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad").write_text(text)
    with pytest.raises(OptionError) as caught:
        read_counts(["bad"])
    assert message in str(caught.value)


def test_a_file_that_is_cut_off_and_one_of_the_compiler_are_named(tmp_path):
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress((FOLDER / "rows.gcov.json").read_bytes())[:200])
    with pytest.raises(OptionError, match="ends in the middle"):
        read_counts([str(cut)])
    for name, start in (("rows.gcda", b"adcg*12B"), ("rows.profdata", b"\xfflprofi\x81\x07")):
        raw = tmp_path / name
        raw.write_bytes(start)
        with pytest.raises(OptionError, match="gcov --json-format"):
            read_counts([str(raw)])


def test_names_of_tools_are_matched_without_results_and_parameters():
    unit = parse_clang(read_source(str(FOLDER / "pair.cpp")), ParseOptions()).unit
    double = next(function for function in unit.functions.values() if function.name == "positive<double>")
    assert is_named(FunctionCounts(name="double positive<double>(int, double const*)"), double)
    assert is_named(FunctionCounts(name="positive<double>"), double)
    assert not is_named(FunctionCounts(name="float positive<float>(int, float const*)"), double)
    assert not is_named(FunctionCounts(name="not_positive<double>"), double)


def test_an_export_with_every_expansion_is_said_how_to_shorten(tmp_path):
    path = tmp_path / "large.json"
    path.write_text(json.dumps({"type": "llvm.coverage.json.export", "data": [0] * 1_000_001}))
    with pytest.raises(OptionError) as found:
        read_counts([str(path)])
    assert "-skip-expansions" in found.value.hint
