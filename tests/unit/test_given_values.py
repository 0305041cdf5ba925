"""Values of symbols that are given as a report prints them."""

from __future__ import annotations

import pytest

from analyzer.errors import OptionError
from analyzer.traffic.options import CacheModel
from roofline.estimation import estimate, source_text
from roofline.report.report import Report

MEMBERS = """
struct grid { int nx, ny; double *u; };
void relax(struct grid *g) { for (int i = 0; i < g->nx; i++) for (int j = 0; j < g->ny; j++) g->u[i*g->ny + j] *= 2; }
"""
SECOND = "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] += 1; }\n"
BOTH = SECOND + SECOND.replace(" f(", " g(")


def report_of(text: str, name: str = "x.c", **sizes: object) -> Report:
    return estimate(source_text(text, name), cache=CacheModel.COMPULSORY, sizes=sizes)  # type: ignore[arg-type]


def flops(text: str, name: str = "x.c", **sizes: object) -> list[int | None]:
    return [region.flops.value for region in report_of(text, name, **sizes).regions]  # type: ignore[misc]


def test_members_are_given_as_they_are_printed() -> None:
    (region,) = report_of(MEMBERS).regions
    assert set(region.profile.symbols) == {"g->nx", "g->ny"}
    assert flops(MEMBERS, **{"g->nx": 30, "g->ny": 7}) == [210]


def test_containers_and_this_are_given() -> None:
    text = """
    #include <vector>
    struct S { int n; double *p; void go() { for (int i = 0; i < n; i++) p[i] *= 3; } };
    void f(std::vector<double> &x) { for (std::size_t i = 0; i < x.size(); i++) x[i] *= 3; }
    """
    assert flops(text, "x.cpp", **{"this->n": 12, "x.size": 5}) == [12, 5]


def test_a_name_with_a_number_is_one_symbol_and_the_name_without_it_all_of_them() -> None:
    text = (
        "int next(void);\nvoid f(double *a) {\n" + 2 * "  { int n = next(); for (int i = 0; i < n; i++) a[i] += 1; }\n"
    )
    (region,) = report_of(text + "}").regions
    assert set(region.profile.symbols) == {"n", "n.2"}
    assert flops(text + "}", n=5) == [10]
    assert flops(text + "}", **{"n": 5, "n.2": 7}) == [12]


def test_a_value_for_one_function() -> None:
    assert flops(BOTH, n=4) == [4, 4]
    assert flops(BOTH, **{"n": 4, "n@g": 9}) == [4, 9]
    assert flops(BOTH, **{"n@f": 2}) == [2, None]


def test_a_name_that_nothing_uses_is_refused_with_the_nearest_ones() -> None:
    with pytest.raises(OptionError, match="nx: nothing depends") as raised:
        report_of(MEMBERS, nx=3)
    assert raised.value.hint == "did you mean g->nx?"
    with pytest.raises(OptionError, match="m: nothing depends"):
        report_of(SECOND, m=100)
    with pytest.raises(OptionError, match="nothing depends"):
        report_of(SECOND, **{"n@h": 3})
    with pytest.raises(OptionError) as raised:
        report_of(
            "#ifdef LARGE_DATASET\n#define N 100\n#else\n#define N 10\n#endif\nvoid f(double *a) "
            "{ for (int i = 0; i < N; i++) a[i] = 0; }",
            LARGE_DATASTE=1,
        )
    assert raised.value.hint == "did you mean LARGE_DATASET?"


def test_names_for_other_programs_are_passed_over() -> None:
    options = {"defines": {"m": "100", "n": "3"}, "shared_defines": frozenset({"m"})}
    (region,) = estimate(source_text(SECOND), **options).regions  # type: ignore[arg-type]
    assert region.flops.value == 3


def test_a_macro_is_used_where_a_header_mentions_it(tmp_path) -> None:
    (tmp_path / "sizes.h").write_text("#ifndef M\n#define M 10\n#endif\n#define ROWS M\n")
    text = '#include "sizes.h"\nvoid f(double *a) { for (int i = 0; i < ROWS; i++) a[i] += 1; }'
    (region,) = estimate(source_text(text), include_dirs=(str(tmp_path),), sizes={"M": 25}).regions
    assert region.flops.value == 25


@pytest.mark.parametrize("name", ["nx", "count", "size"])
def test_a_member_of_the_name_of_a_size_breaks_no_parse(name: str) -> None:
    text = f"struct in {{ int {name}; }};\nvoid f(struct in s, int {name}, double *a) {{\n"
    text += f"  for (int i = 0; i < {name}; i++) a[i] += s.{name}; }}"
    report = report_of(text, **{name: 8})
    (file,) = report.files
    assert file.profile.frontend == "clang"
    assert [region.flops.value for region in report.regions] == [8]
