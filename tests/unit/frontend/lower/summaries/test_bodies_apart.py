"""Functions of headers whose bodies are not put in place of a call, as the caller is long already."""

from __future__ import annotations

from pathlib import Path

from roofline import estimate

_HEADER = "template <class T> void scale(int n, T *x) { for (int i = 0; i < n; i++) x[i] *= 2; }\n"


def _functions(folder: Path, statements: int) -> list[str]:
    (folder / "scale.hpp").write_text(_HEADER)
    before = "  s[0] = s[0] * 3 + s[1];\n" * statements
    source = folder / "long.cpp"
    source.write_text(
        f'#include "scale.hpp"\n#include <numeric>\ndouble run(int n, double *x, double *s) {{\n{before}'
        "  scale(n, x);\n  return std::accumulate(x, x + n, 0.0);\n}\n"
    )
    return [region.profile.function for region in estimate(str(source)).regions]


def test_the_body_is_in_place_of_the_call_in_a_short_function(tmp_path: Path) -> None:
    assert _functions(tmp_path, 1) == ["run"]


def test_a_function_of_a_header_is_a_row_of_its_own_after_a_long_one(tmp_path: Path) -> None:
    """The library's functions are not."""
    assert _functions(tmp_path, 1_600) == ["run", "scale<double>"]


def test_an_instance_that_only_a_function_object_calls_is_a_row_of_its_own(tmp_path: Path) -> None:
    """What it calls is in it, and a template that nothing instantiates is no row: 4*n iterations of one FLOP."""
    (tmp_path / "scale.hpp").write_text(
        "#include <cstddef>\ntemplate <size_t N> struct Scale {\n"
        "  static void rows(float *x, int n) {\n"
        "    for (int i = 0; i < n; i++) for (size_t l = 0; l < N; l++) x[i*N + l] *= 2; }\n"
        "  int run(float *x, int n) { rows(x, n); return n; }\n};\n" + _HEADER
    )
    source = tmp_path / "table.cpp"
    source.write_text(
        '#include "scale.hpp"\n#include <functional>\n#include <unordered_map>\n'
        "template <size_t... N> int all(float *x, int n, size_t which) {\n"
        "  std::unordered_map<size_t, std::function<int(int)>> table =\n"
        "      {{N, [x](int n) { auto each = Scale<N>(); return each.run(x, n); }}...};\n"
        "  return table[which](n);\n}\nint top(float *x, int n) { return all<4>(x, n, 4); }\n"
    )
    rows = {region.profile.function: region.profile for region in estimate(str(source)).regions}
    assert {"scale<double>", "Scale<4>::rows"}.isdisjoint(rows)
    assert str(rows["Scale<4>::run"].work.flops.estimate) == "4*n"
