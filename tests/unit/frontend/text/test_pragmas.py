"""Pragmas by the line of the code below them."""

import pytest

from analyzer.frontend.text.pragmas import Pragmas, collect_pragmas


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#pragma omp simd\nfor (;;) ;", {2: ("omp simd",)}),
        ("#pragma omp parallel for \\\n  private(i)\nfor (;;) ;", {3: ("omp parallel for private(i)",)}),
        ("# pragma unroll(4)\n\n/* why */\n#pragma ivdep\n// because\nfor (;;) ;", {6: ("unroll(4)", "ivdep")}),
        ('_Pragma("omp simd") for (;;) ;', {1: ("omp simd",)}),
        ('_Pragma("omp simd")\nfor (;;) ;', {2: ("omp simd",)}),
        ("// #pragma omp simd\nfor (;;) ;", {}),
        ("for (;;) ;\n#pragma once", {}),
        ("#pragma a\nx;\n#pragma b\ny;", {2: ("a",), 4: ("b",)}),
    ],
)
def test_a_pragma_belongs_to_the_next_line_of_code(text: str, expected: dict[int, tuple[str, ...]]) -> None:
    assert collect_pragmas(text) == expected


HARNESS = """#define HARNESS(kernel) double s = now(); _Pragma("omp parallel for") \\
  for (int i = 0; i < n; i++) { kernel; } return now() - s;
double f(int n) {
  HARNESS(a[i] = f(b[i],
                   c[i]))
}"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HARNESS, {4: ("omp parallel for",)}),
        (
            "#define PRAGMA(x) _Pragma(#x)\n#define FOR(...) PRAGMA(omp for __VA_ARGS__)\nFOR(nowait)\nfor (;;) ;",
            {4: ("omp for nowait",)},
        ),
        (
            '#ifdef _OPENMP\n#define SIMD _Pragma("omp simd")\n#else\n#define SIMD\n#endif\nSIMD for (;;) ;',
            {6: ("omp simd",)},
        ),
        ('#ifdef GPU\n#define SIMD _Pragma("omp simd")\n#else\n#define SIMD\n#endif\nSIMD for (;;) ;', {}),
        ('#define NEST for (;;) { _Pragma("omp simd") for (;;) ; }\nNEST', {}),
    ],
)
def test_pragmas_in_macros_belong_to_the_loop_where_the_macro_is_used(
    text: str, expected: dict[int, tuple[str, ...]]
) -> None:
    """As ``gcc -fopenmp`` takes them; that of a loop inside another one of the same macro is left out."""
    assert collect_pragmas(text) == expected


def test_macros_with_pragmas_may_come_from_a_header():
    header = "#define P(x) _Pragma(#x)\n#define PARALLEL_FOR(n) P(omp parallel for num_threads(n))"
    text = '#include "h.h"\nvoid f() {\n  PARALLEL_FOR(4)\n  for (;;) ;\n}'
    assert collect_pragmas(text, headers=[header]) == {4: ("omp parallel for num_threads(4)",)}
    assert collect_pragmas(text) == {}


def test_lines_count_from_the_first_line() -> None:
    assert collect_pragmas("#pragma omp simd\nfor (;;) ;", first_line=10) == {11: ("omp simd",)}


def test_a_loop_in_a_parallel_block_has_its_number_of_threads():
    text = (
        "#define NT (4)\n#pragma omp parallel num_threads(NT)\n{\n#pragma omp for\nfor (;;) { }\n}\n"
        "#pragma omp parallel for\nfor (;;) ;\n#pragma omp parallel for num_threads(2)\nfor (;;) ;"
    )
    assert collect_pragmas(text) == {
        3: ("omp parallel num_threads(4)",),
        5: ("omp for num_threads(4)",),
        8: ("omp parallel for",),
        10: ("omp parallel for num_threads(2)",),
    }


@pytest.mark.parametrize(("macros", "expected"), [({}, "omp parallel for"), ({"GPU": "1"}, "omp target teams loop")])
def test_of_pragmas_in_several_arms_those_of_the_arm_that_is_taken_count(macros, expected):
    arms = ("#if defined(GPU) && !defined(OLD)", "#pragma omp target teams loop", "#else", "#pragma omp parallel for")
    text = "\n".join((*arms, "#endif", "for (;;) ;"))
    assert collect_pragmas(text, macros=macros) == {6: (expected,)}
    assert collect_pragmas("#ifdef SIMD\n#pragma omp simd\n#endif\nfor (;;) ;") == {4: ("omp simd",)}


def test_loops_in_a_block_on_a_gpu_have_its_pragma():
    text = "#pragma acc kernels copy(a)\n{\nfor (;;) {\nfor (;;) ;\n}\nfor (;;) ;\n}\nfor (;;) ;"
    assert collect_pragmas(text) == {
        2: ("acc kernels copy(a)",),
        3: ("acc kernels copy(a)",),
        6: ("acc kernels copy(a)",),
    }
    text = "#pragma omp target teams\n{\n#pragma omp distribute parallel for\nfor (;;) ;\n}"
    assert collect_pragmas(text)[4] == ("omp distribute parallel for", "omp target teams")


def test_tasks_are_the_iterations_of_the_outermost_loop_that_does_not_wait_for_them():
    text = """\
#pragma omp single
for (k)          // 2 to 9: waits
  {
  for (i)        // 4 to 7
    for (j)      // 5 to 7
#pragma omp task
      a[i][j];
#pragma omp taskwait
  }"""
    pragmas = Pragmas(collect_pragmas(text))
    assert pragmas.of_loop(2, 9, 0) == ("omp single",)
    assert pragmas.of_loop(4, 7, 1) == ("omp taskloop",)
    assert pragmas.of_loop(5, 7, 2) == ()
    assert pragmas.of_loop(4, 7, 1) == ("omp taskloop",)  # in another instance of a template
