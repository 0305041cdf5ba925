"""Iterators of the library: backwards, by distances, and of streams."""

from __future__ import annotations

import re

import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.ir.written.text import nodes_text
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile

_COUNTED = re.compile(r" \(\d+ index\)")
INCLUDES = "".join(
    f"#include <{name}>\n"
    for name in ("algorithm", "array", "cctype", "iterator", "map", "numeric", "sstream", "string", "vector")
)


def lines_of(text: str) -> list[str]:
    """Return the nodes of the function f, without those that count nothing."""
    unit = parse_clang(SourceFile("x.cpp", INCLUDES + text, Language.CXX), ParseOptions()).unit
    (region,) = lower_unit(unit, LowerOptions(functions=frozenset({"f"}))).regions
    return [_COUNTED.sub("", line) for line in nodes_text(region.body, {each.name: each for each in region.arrays})]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "void f(std::vector<double> &v) { for (auto it = v.rbegin(); it != v.rend(); ++it) *it *= 2; }",
            ["for v in v.size .. 0 step -1", "  v[v - 1] := mul.fp64(v[v - 1], 2.0)"],
        ),
        (
            "void f(std::array<double, 8> &v) { for (auto i = v.rbegin() + 2; i != v.rend(); i++) *i *= 2; }",
            ["for L10 in 6 .. 0 step -1", "  v[L10 - 1] := mul.fp64(v[L10 - 1], 2.0)"],
        ),
        (
            "void f(const std::vector<double> &v, double *o) { std::copy(v.crbegin(), v.crend(), o); }",
            ["for out in v.size .. 0 step -1", "  o[v.size - out] := v[out - 1]"],
        ),
        (
            "void f(std::vector<double> &v) {\n"
            "  for (auto i = std::next(v.begin()); std::distance(v.begin(), i) < 9; std::advance(i, 2))\n"
            "    *i = *std::prev(i);\n}",
            ["for i in 1 .. 9 step 2", "  v[i] := v[i - 1]"],
        ),
        (
            "void f(std::vector<double> &v, int n) { auto i = v.rbegin() + n; *i.base() = i[1] + *i; }",
            ["v[v.size - n] := add.fp64(v[v.size - n - 2], v[v.size - n - 1])"],
        ),
    ],
)
def test_iterators_are_positions(text: str, expected: list[str]) -> None:
    assert lines_of(text) == expected


def test_words_of_a_stream_and_parts_of_a_text() -> None:
    text = """std::vector<std::string> words(const std::string &s) {
  std::istringstream in(s);
  return std::vector<std::string>(std::istream_iterator<std::string>(in), {});
}
long f(std::string &s, const std::map<int, double> &m) {
  s.erase(std::find_if(s.rbegin(), s.rend(), [](char c) { return !std::isspace(c); }).base(), s.end());
  auto found = words(s);
  return found.size() + std::distance(m.begin(), m.end());
}"""
    (file,) = analyze(SourceFile("x.cpp", INCLUDES + text, Language.CXX), AnalysisOptions(functions=("f",)))
    (region,) = file.profile.regions
    assert region.work.not_counted == ()
    assert {item.code for item in file.profile.diagnostics} <= {"AI202", "AI203", "AI204"}


@pytest.mark.parametrize(
    ("made", "extent"),
    [("b(a.begin(), a.begin() + 8)", "8"), ("b(a)", "4000"), ("b(8)", "8"), ("b(a.begin(), a.begin() + m)", "?")],
)
def test_a_copied_container_has_the_extent_of_what_is_copied(made, extent):
    """What a gather can reach at most: a container that copies 8 elements is no longer one of any length."""
    text = f"""#include <vector>
    double f(const int *k, int m) {{ std::vector<double> a(4000), {made}; double s = 0;
      for (int i = 0; i < 900; i++) s += b[k[i]]; return s; }}"""
    (region,) = lower_unit(parse_clang(SourceFile("x.cpp", text, Language.CXX), ParseOptions()).unit).regions
    (array,) = (array for array in region.arrays if array.name == "b")
    assert [("?" if each is None else str(each)) for each in array.extents] == [extent]
