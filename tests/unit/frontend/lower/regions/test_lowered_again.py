"""A file lowered again with sizes of one function: the others are not lowered anew."""

from __future__ import annotations

from collections.abc import Mapping

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.ir.given_array import GivenArray
from analyzer.source import Language, SourceFile

TEXT = """
void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 0; }
int main(int n, char **v) { double a[100]; f(n, a); for (int i = 0; i < n; i++) a[i] += 1; }
"""
ARRAYS: Mapping[str, GivenArray] = {}
UNIT = parse_clang(SourceFile("x.c", TEXT, Language.C), ParseOptions()).unit


def options(given: Mapping[str, Mapping[str, int]], **defines: int) -> LowerOptions:
    return LowerOptions(given=given, defines=defines, arrays=ARRAYS)


def test_functions_whose_values_stay_are_not_lowered_anew() -> None:
    first = lower_unit(UNIT, options({"f": {"n": 3}}))
    second = lower_unit(UNIT, options({"f": {"n": 3}, "main": {"n": 5}}), first)
    assert second.regions[0] is first.regions[0]
    assert second.regions == lower_unit(UNIT, options({"f": {"n": 3}, "main": {"n": 5}})).regions
    assert second.regions[1] != first.regions[1]


def test_a_function_whose_values_change_is_lowered_anew() -> None:
    first = lower_unit(UNIT, options({}))
    for changed in (options({"f": {"n": 3}}), options({}, n=3)):
        second = lower_unit(UNIT, changed, first)
        assert second.regions == lower_unit(UNIT, changed).regions
        assert second.regions[0] != first.regions[0]
