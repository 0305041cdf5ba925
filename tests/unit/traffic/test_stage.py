"""Nests of a function and their own bytes: counters of the same name, unknown neighbours, threads, repetition."""

import pytest
from msgspec.structs import replace

from analyzer.domains.limits import OverBudget
from analyzer.ir.passes.substitute import bind
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile
from analyzer.traffic.hierarchy import parse_hierarchy
from analyzer.traffic.options import CacheModel, CacheOptions
from analyzer.traffic.parts.repetition import without_drivers
from analyzer.traffic.program.layout import lay_out
from analyzer.traffic.reuse.line_uses import line_search
from analyzer.traffic.simulation.simulate import simulate
from roofline.model.level_bytes import ProjectionOptions
from tests.lowering import lower
from tests.projected import region_report

CACHES = parse_hierarchy("L1:32KiB/8,L2:1MiB/16")
HEAD = (
    "#include <stdlib.h>\n#include <stdio.h>\n#include <sys/time.h>\nstatic double a[100000], b[100000], c[100000];\n"
)


def whole(body, model=CacheModel.ANALYTIC, caches=CACHES, **defines):
    """The report of ``main`` with a body, in a program with three arrays of 800,000 bytes."""
    text = f"{HEAD}int main(int argc, char **argv) {{ {body} return 0; }}\n"
    options = AnalysisOptions(
        cache=CacheOptions(hierarchies=(caches,), model=model), defines={k: str(v) for k, v in defines.items()}
    )
    (file,) = analyze(SourceFile("x.c", text, Language.C), options)
    (pair,) = [pair for pair in file.regions_with_traffic if pair[0].name == "main"]
    return region_report(pair[0], [], ProjectionOptions(), pair[1])


def memory(region):
    """Bytes read, allocated and written at the memory; None where the caches are not modelled."""
    if not region.traffic.models:
        return None
    level = region.traffic.models[0].levels[-1]
    parts = (level.read_bytes, level.write_allocate_bytes, level.write_bytes)
    return tuple(float(part.estimate.evaluate(region.profile.values)) for part in parts)


WHOLE = 800_000
WHEN_IT_RUNS = (0, 832, 832)  # 100 doubles of c, which start inside of a line: 13 lines
GIVEN = "extern int n;"
SHORT, COPY = "for (int i = 0; i < 100; i++) c[i] = 1;", "for (int i = 0; i < 100000; i++) a[i] = b[i];"


def test_nests_with_one_name_of_counter_have_their_own_bytes():
    first, second = whole(SHORT + COPY).nests
    assert memory(first) == (0, 832, 832)
    assert memory(second) == (WHOLE, WHOLE, WHOLE)


def test_iterations_that_are_unrolled_belong_to_their_loop():
    halving = "for (int s = 50000; s > 0; s /= 2) for (int i = 0; i < s; i++) a[i] += a[i + s];"
    region = whole(SHORT + halving)
    assert [nest.profile.span.line for nest in region.nests] == [5, 5]
    assert float(region.nests[1].flops.at()) == sum(50000 >> k for k in range(16))
    assert memory(region.nests[1])[0] == pytest.approx(WHOLE, rel=0.01)


@pytest.mark.parametrize(
    "other",
    [
        "struct timeval t; gettimeofday(&t, NULL); double s = t.tv_sec + 1e-6 * t.tv_usec; b[0] = s;",
        "extern int n; if (n > 42) c[1] = 2;",
        'extern int n; printf("%f", c[n]);',
        "c[atoi(argv[1])] = 1;",
    ],
)
def test_what_is_not_known_elsewhere_leaves_a_nest_as_it_is(other):
    (alone,) = whole(COPY).nests
    (beside,) = whole(COPY + other).nests
    assert memory(beside) == memory(alone) == (WHOLE, WHOLE, WHOLE)


def test_a_nest_of_unknown_size_costs_itself_and_is_reported():
    region = whole(f"{GIVEN} {COPY} for (int i = 0; i < n; i++) c[i] = 1;")
    known, unknown = region.nests
    assert memory(known) == (WHOLE, WHOLE, WHOLE)
    assert memory(unknown) is None
    assert [each.text for each in region.assumptions if each.code == "AI210"] == [
        "the nest in line 5 is not modelled with caches: n not known"
    ]
    level = region.traffic.models[0].levels[-1]
    assert float(level.write_bytes.estimate.evaluate({"n": 1000})) == WHOLE + 8000


def test_a_nest_under_a_condition_that_is_not_known_is_modelled_as_it_is_when_it_runs():
    rows = list(map(memory, whole(f"{GIVEN} {COPY} if (n > 1) {{ {SHORT} }}").nests))
    assert rows == [(WHOLE, WHOLE, WHOLE), WHEN_IT_RUNS]


def test_a_nest_that_cannot_be_laid_out_costs_itself():
    strange = "for (int i = 1; i < 50000; i *= n) c[i] = 1;"
    assert list(map(memory, whole(f"{GIVEN} {COPY} {strange}").nests)) == [(WHOLE, WHOLE, WHOLE), None]


def test_a_region_stays_when_the_time_ends_while_its_reuses_are_looked_for(monkeypatch):
    def over():
        raise OverBudget

    monkeypatch.setattr(line_search, "check", over)
    report = whole(COPY + "for (int k = 0; k < 9; k++) for (int i = 0; i < 100000; i++) b[i] = a[i] + 1;")
    assert memory(report) is None
    assert report.profile.work.flops.estimate.evaluate({}) == 900_000


def test_threads_run_the_nests_that_are_parallel():
    parallel = parse_hierarchy("L1:32KiB/8,L2:1MiB/16")
    text = f"{HEAD}void f(void) {{ {SHORT}\n#pragma omp parallel for\n{COPY} }}\n"
    shared = type(parallel)(parallel.levels, units=4)
    options = AnalysisOptions(cache=CacheOptions(hierarchies=(shared,)))
    (file,) = analyze(SourceFile("x.c", text, Language.C), options)
    serial, split = region_report(file.regions[0], [], ProjectionOptions(), file.traffic[0]).nests
    assert memory(serial) == (0, 832, 832)
    assert sum(memory(split)) == pytest.approx(3 * WHOLE, rel=0.001)


def test_parts_add_up_to_the_whole():
    region = whole(SHORT + "a[0] = 2.0 * b[0];" + COPY + "c[1] = c[0] + 1;")
    parts = (*region.nests, region.outside)
    assert len(parts) == 3
    sums = [sum(column) for column in zip(*map(memory, parts), strict=True)]
    assert sums == list(memory(region))
    flops = [float(part.profile.work.flops.estimate.evaluate({})) for part in (region, *parts)]
    assert flops[0] == sum(flops[1:]) == 2


def test_a_cache_that_is_ours_in_part_may_hold_as_much_as_the_whole():
    """1.6 MB, twice: half of 2 MiB is expected to keep none of it, the whole may keep all."""
    l1, l2 = parse_hierarchy("L1:32KiB/8,L2:2MiB/16").levels
    caches = type(CACHES)((l1, replace(l2, effective=0.5)))
    region = whole("for (int k = 0; k < 2; k++) for (int i = 0; i < 100000; i++) c[i] += a[i];", caches=caches)
    read = region.traffic.models[0].levels[-1].read_bytes
    assert read.estimate.evaluate({}) == pytest.approx(2 * 2 * WHOLE, rel=0.01)
    assert read.lower.evaluate({}) == pytest.approx(2 * WHOLE, rel=0.01)
    assert float(read.upper.evaluate({})) >= float(read.estimate.evaluate({}))


STREAM = (
    "for (int k = 0; k < 10; k++) {"
    "for (int i = 0; i < 100000; i++) c[i] = a[i];"
    "for (int i = 0; i < 100000; i++) b[i] = 3 * c[i];"
    "for (int i = 0; i < 100000; i++) c[i] = a[i] + b[i];"
    "for (int i = 0; i < 100000; i++) a[i] = b[i] + 3 * c[i]; }"
)


def test_a_loop_that_repeats_nests_is_their_sum():
    (driver,) = whole(STREAM).nests
    copy, scale, add, triad = driver.nests
    assert [nest.profile.repetitions for nest in driver.nests] == [10] * 4
    assert memory(copy) == memory(scale) == (10 * WHOLE, 10 * WHOLE, 10 * WHOLE)
    assert memory(add) == memory(triad) == (20 * WHOLE, 10 * WHOLE, 10 * WHOLE)
    assert sum(map(sum, map(memory, driver.nests))) == sum(memory(driver))


def test_what_stays_in_the_cache_is_loaded_by_the_first_repetition():
    small = STREAM.replace("100000", "10000")  # 240,000 bytes: the second cache holds them, the first does not
    (driver,) = whole(small).nests
    copy, scale, add, triad = driver.nests
    assert memory(copy) == (80_000, 80_000, 80_000)
    assert memory(scale) == (0, 80_000, 80_000)
    assert memory(add) == (0, 0, 0)
    assert memory(triad) == (0, 0, 80_000)
    assert sum(map(sum, map(memory, driver.nests))) == sum(memory(driver))


@pytest.mark.parametrize("size", [500, 1000, 3000, 20000])
def test_two_repetitions_stand_for_all(size):
    """Exact simulation of the loop as it is and of its two repetitions: the same lines at every level."""
    text = "double a[n], b[n], c[n];" + STREAM.replace("100000", "n")
    (found,) = lower(text, defines={"n": size}).regions
    bound = bind(found, {"n": size})
    taken = without_drivers(bound, {})
    assert len(taken.region.body) == 8
    as_it_is = simulate(lay_out(bound), CACHES, budget=10**9)
    repeated = simulate(lay_out(taken.region), CACHES, budget=10**9)
    assert as_it_is.exact
    assert repeated.exact
    for name in ("read", "allocate", "written"):
        lines = (getattr(repeated, name) * taken.times).sum(axis=1)
        assert lines.tolist() == getattr(as_it_is, name).sum(axis=1).tolist()


def test_a_loop_whose_nests_depend_on_it_is_one_nest():
    elimination = (
        "for (int k = 0; k < 300; k++) { for (int i = k; i < 300; i++) a[i] = b[k];"
        "for (int i = k; i < 300; i++) c[i] += a[i]; }"
    )
    (nest,) = whole(elimination).nests
    assert nest.nests == ()


def test_compulsory_bytes_of_a_repeated_nest_move_each_time():
    text = (
        "void f(int n, double *x, double *y) { for (int k = 0; k < 10; k++) {"
        "for (int i = 0; i < n; i++) y[i] = x[i]; for (int i = 0; i < n; i++) x[i] = 2 * y[i]; } }"
    )
    (profile,) = analyze(SourceFile("x.c", text, Language.C))
    (driver,) = profile.regions[0].nests
    read = [nest.compulsory_traffic.read_bytes.estimate.evaluate({"n": 7}) for nest in driver.nests]
    assert read == [10 * 8 * 7, 10 * 8 * 7]


@pytest.mark.parametrize("usage", ["if (argc < 2) return 1;", "if (argc < 2) { printf(argv[0]); return 1; }"])
def test_a_program_that_is_called_wrongly_is_not_the_one_that_is_meant(usage):
    region = whole(usage + COPY)
    assert memory(region.nests[0]) == (WHOLE, WHOLE, WHOLE)
    assert "AI311" in {each.code for each in region.assumptions}


def test_a_branch_of_main_with_work_of_its_own_is_an_alternative():
    first, second = whole(f"{GIVEN} if (n == 2) {{ {SHORT} return 0; }} {COPY}").nests
    assert (memory(first), memory(second)) == (WHEN_IT_RUNS, (WHOLE, WHOLE, WHOLE))
    assert "n" in first.profile.values.keys() | set(first.profile.symbols)


def test_red_and_black_elements_of_a_torus_are_modelled():
    """Rows begin at their remainder by two; 512 rows of 4096 bytes, of which the first and the last come twice."""
    (nest,) = whole(
        "static double u[512][512]; for (int i = 0; i < 512; i++) for (int j = (i + 1) % 2; j < 512; j += 2)"
        " u[i][j] = u[(i + 511) % 512][j] + u[(i + 1) % 512][j];"
    ).nests
    assert memory(nest) == pytest.approx((513 * 4096, 4096, 512 * 4096))
