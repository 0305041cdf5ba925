"""Calls of the runtime and of message passing: no work of their own, but what they write is unknown afterwards."""

import pytest

from analyzer.ir.nodes import Loop
from analyzer.pipeline import AnalysisOptions, analyze
from analyzer.quantities.quantity import Exactness
from analyzer.source import Language, SourceFile
from tests.lowering import lower


def region_of(body):
    text = f"#include <mpi.h>\n#include <string.h>\n#include <time.h>\n#include <stdio.h>\n{body}"
    (file,) = analyze(SourceFile("a.c", text, Language.C), AnalysisOptions())
    (region,) = file.profile.regions
    return region


LOOP = "for (int i = 0; i < n; i++) x[i] *= 2.0;"


@pytest.mark.parametrize(
    "call",
    [
        "MPI_Send(x, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);",
        "MPI_Allreduce(&x[0], &x[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);",
        "MPI_Bcast(x, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);",
    ],
)
def test_a_message_is_reported_and_is_no_work(call):
    region = region_of(f"void f(int n, double *x) {{ {LOOP} {call} }}")
    assert region.work.flops.is_exact
    assert region.work.flops.estimate.evaluate({"n": 5}) == 5
    assert [note.code for note in region.assumptions].count("AI316") == 1


def test_a_reduction_of_many_elements_computes_something_that_is_not_counted():
    call = "MPI_Allreduce(x, x + n, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);"
    region = region_of(f"void f(int n, double *x) {{ {LOOP} {call} }}")
    assert region.work.flops.exactness is Exactness.LOWER


def test_what_a_message_writes_is_unknown_afterwards():
    body = "int m = 4; MPI_Bcast(&m, 1, MPI_INT, 0, MPI_COMM_WORLD); for (int i = 0; i < m; i++) x[i] *= 2.0;"
    region = region_of(f"void f(double *x) {{ {body} }}")
    (symbol,) = region.work.flops.estimate.symbols
    assert region.work.flops.estimate.evaluate({symbol: 7}) == 7


def test_a_program_that_is_ended_by_message_passing_does_not_go_on():
    region = region_of(f"void f(int n, double *x) {{ if (n < 0) MPI_Abort(MPI_COMM_WORLD, 1); {LOOP} }}")
    assert region.work.flops.is_exact
    assert "AI311" in [note.code for note in region.assumptions]


@pytest.mark.parametrize(
    "call",
    [
        "char *p = strchr(s, 'x'); printf(\"%s\", p);",
        'char *p = strtok(s, ","); printf("%s", p);',
        'time_t now = time(0); struct tm *t = localtime(&now); printf("%d", t->tm_year);',
        "struct timespec t; t.tv_sec = 0; nanosleep(&t, 0);",
        'FILE *f = fopen(s, "r"); fseek(f, 0, SEEK_END); long at = ftell(f); rewind(f); printf("%ld", at);',
    ],
)
def test_bookkeeping_of_the_runtime_is_no_work(call):
    region = region_of(f"void f(int n, double *x, char *s) {{ {LOOP} {call} }}")
    assert region.work.flops.is_exact
    assert not region.work.not_counted


def test_a_copy_of_a_string_loads_and_stores_each_character_and_the_end():
    region = region_of("void f(char *s, const char *t) { strcpy(s, t); }")
    (trip,) = region.loads.elements.estimate.symbols
    assert region.loads.elements.is_exact
    assert region.stores.elements.is_exact
    assert region.loads.elements.estimate.evaluate({trip: 5}) == 6
    assert region.stores.elements.estimate.evaluate({trip: 5}) == 6


def test_a_quotient_with_its_remainder_is_followed():
    region = region_of(
        "#include <stdlib.h>\nvoid f(int n, double *x)"
        " { div_t d = div(n, 3); for (int i = 0; i < d.quot + d.rem; i++) x[i] *= 2.0; }"
    )
    assert region.work.flops.is_exact
    assert region.work.flops.estimate.evaluate({"n": 11}) == 5


def test_in_a_snippet_the_runtime_needs_no_declaration():
    text = "for (int i = 0; i < atoi(v); i++) x[i] = 2.0 * y[i];"
    (file,) = analyze(SourceFile("-", text, Language.C), AnalysisOptions())
    (region,) = file.profile.regions
    assert not region.work.not_counted


@pytest.mark.parametrize(
    ("before", "clause", "threads"),
    [
        ("", "", None),
        ("", "num_threads(2)", 2),
        ("int nt = 6;", "num_threads(nt)", 6),
        ("omp_set_num_threads(3);", "", 3),
        ("omp_set_num_threads(3);", "num_threads(2)", 2),
        ("omp_set_num_threads(3);", "num_threads(n)", None),
    ],
)
def test_the_number_of_threads_that_the_source_asks_for(before, clause, threads):
    loop = f"#pragma omp parallel for {clause}\nfor (int i = 0; i < n; i++) a[i] = 1;"
    text = f"#include <omp.h>\nvoid f(int n, double *a) {{ {before}\n{loop} }}"
    (found,) = lower(text).regions
    (loop,) = (node for node in found.body if isinstance(node, Loop))
    assert loop.threads == threads
