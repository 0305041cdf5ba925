"""Footprints against hand counts."""

import pytest

from analyzer.ir.index import var
from analyzer.ir.nodes import DataDependent
from analyzer.pipeline import AnalysisOptions, analyze
from analyzer.profiling.counting.profiler import profile_region
from analyzer.source import Language, SourceFile
from analyzer.traffic import first_reads
from tests.nests import SCALAR, M, N, add, element, guard, load, loop, mul, region, store

I, J, K, T = var("i"), var("j"), var("k"), var("t")
SIZES = {"N": 20, "M": 12}


def footprint(*tree, **values):
    found = profile_region(region(*tree, **values)).footprint
    return {kind: getattr(found, kind) for kind in ("read", "written", "touched")}


def numbers(extents, granularity="elements"):
    return tuple(
        getattr(extents[kind], granularity).estimate.evaluate(SIZES) for kind in ("read", "written", "touched")
    )


def test_update_reads_before_it_writes():
    daxpy = loop("i", 0, N, store(element("y", I), add(load("y", I), mul(SCALAR, load("x", I)))))
    assert numbers(footprint(daxpy)) == (40, 20, 40)


def test_an_element_written_first_is_not_read_from_memory():
    chain = loop("i", 0, N, store(element("t", I), load("x", I)), store(element("z", I), load("t", I)))
    assert numbers(footprint(chain)) == (20, 40, 60)


def test_the_order_of_loops_decides_what_is_read_first():
    produce = loop("i", 0, N, store(element("a", I), SCALAR))
    consume = loop("j", 1, N + 1, store(element("b", J), load("a", J)))
    assert numbers(footprint(produce, consume)) == (1, 40, 41)
    assert numbers(footprint(consume, produce)) == (20, 40, 41)


def test_nobody_asks_for_an_order_that_depends_on_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_reads, "_first_reads", lambda *_: pytest.fail("asked in vain"))
    condition = DataDependent("mask[j]")
    written = loop("i", 0, M, store(element("x", I), SCALAR))
    read = loop("j", 0, N, guard(condition, store(element("y", J), load("x", J))))
    found = footprint(written, read)["read"].elements
    assert (found.lower.evaluate(SIZES), found.upper.evaluate(SIZES)) == (0, 20)


def test_time_steps_read_only_the_initial_values():
    sweep = loop("t", 0, M, loop("i", 1, N - 1, store(element("a", I), add(load("a", I - 1), load("a", I + 1)))))
    assert numbers(footprint(sweep)) == (19, 18, 20)  # a[1] is written before anything reads it


def test_a_recurrence_reads_its_seed_only():
    prefix = loop("i", 1, N, store(element("a", I), add(load("a", I - 1), load("b", I))))
    assert numbers(footprint(prefix)) == (1 + 19, 19, 20 + 19)


@pytest.mark.parametrize("values", [{}, {"N": 20, "M": 12}])
def test_lines_of_a_stream(values):
    copy = loop("i", 0, N, store(element("z", I), load("x", I)))
    assert numbers(footprint(copy, **values), "lines") == (3, 3, 6)


def test_lines_have_64_bytes_unless_said():
    source = SourceFile("x.c", "double a[80]; for (i = 0; i < 80; i++) a[i] = 0;", Language.C)
    for options, lines in ((AnalysisOptions(), 640 // 64), (AnalysisOptions(line_bytes=128), 640 // 128)):
        (found,) = analyze(source, options)[0].regions
        assert found.footprint.touched.lines.estimate.evaluate({}) == lines


def test_lines_of_a_column_walk_are_one_each():
    column = loop("i", 0, N, store(element("z", I), load("a", I, 0, row=M)))
    assert numbers(footprint(column), "lines")[0] == 20


def test_known_sizes_share_lines_between_rows():
    rows = loop("i", 0, N, loop("j", 0, M, store(element("z", I, J, row=M), SCALAR)))
    assert numbers(footprint(rows, N=20, M=12), "lines")[1] == 20 * 12 // 8
    symbolic = footprint(rows)["written"].lines
    assert not symbolic.is_exact
    assert symbolic.estimate.evaluate(SIZES) == 20 * 2


def test_linearised_rows_are_split():
    row = loop("i", 0, N, loop("j", 0, N, store(element("b", I * N + J), load("a", (I + 1) * N + J))))
    profile = profile_region(region(row))
    assert str(profile.footprint.read.elements.estimate) == "N^2"
    assert [assumption.code for assumption in profile.assumptions] == ["AI303", "AI303"]


@pytest.mark.parametrize("values", [{}, SIZES])
@pytest.mark.parametrize(
    ("body", "members"),
    [("c[i*M + j].s[2] = 1;", [2]), ("for (int k = 0; k < 9; k++) c[i*M + j].s[k] = 1;", range(9))],
)
def test_structures_in_rows_of_symbolic_length_are_split(body, members, values):
    """All their elements and the lines that these lie in: of each row where its length is not known, of all else."""
    text = f"""struct S {{ float s[9]; }}; void f(int N, int M, struct S *c) {{
      for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) {body} }}"""
    (file,) = analyze(
        SourceFile("k.c", text, Language.C), AnalysisOptions(defines={name: str(size) for name, size in values.items()})
    )
    found = file.regions[0].footprint.touched
    rows, columns = range(SIZES["N"]), range(SIZES["M"])
    places = [(i, 36 * j + 4 * k) for i in rows for j in columns for k in members]
    lines = {(i, at // 64) for i, at in places} if not values else {(36 * 12 * i + at) // 64 for i, at in places}
    assert found.elements.is_exact
    assert (found.elements.estimate.evaluate(SIZES), found.lines.estimate.evaluate(SIZES)) == (len(places), len(lines))


@pytest.mark.parametrize(("trips", "elements"), [(1000, 100), (60, 60)])
def test_data_choose_among_the_elements_that_there_are(trips, elements):
    loop_text = f"for (int i = 0; i < {trips}; i++) y[i] = x[k[i]];"
    text = f"static double x[100]; static int k[1000]; void f(double *y) {{ {loop_text} }}"
    (file,) = analyze(SourceFile("k.c", text, Language.C), AnalysisOptions())
    (found,) = (array.read.elements for array in file.regions[0].footprint.arrays if array.array == "x")
    assert (found.lower.evaluate({}), found.estimate.evaluate({}), found.upper.evaluate({})) == (0, elements, elements)
