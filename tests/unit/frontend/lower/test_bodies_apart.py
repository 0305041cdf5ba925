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
