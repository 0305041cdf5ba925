"""Trip counts that given arrays tell, and the pattern of a matrix in every format, against plain Python."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.given_data.binding import Arrays, with_given
from analyzer.given_data.formats import array_of, width_of
from analyzer.given_data.matrix_market import matrix_of
from analyzer.given_data.texts import PARTS
from analyzer.ir.given_array import GivenArray
from analyzer.source import SourceFile, language_of

SOURCE = """void f(int n, const int *p, const int *c, const int *q, double *x) {
  for (int i = 0; i < n; i++)
    if (i % 3 != 1)
      for (int j = p[i]; j < p[i + 1]; j += 2)
        for (int k = q[c[j]]; k < q[c[j] + 1]; k++)
          x[k] += 1.0;
}"""
UNIT = parse_clang(SourceFile("a.c", SOURCE, language_of("a.c")), ParseOptions()).unit


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_averages_are_those_of_all_executions(data):
    lengths = data.draw(st.lists(st.integers(0, 6), min_size=1, max_size=12))
    rows, pointer = len(lengths), [0, *np.cumsum(lengths).tolist()]
    others = data.draw(st.lists(st.integers(-1, 5), min_size=1, max_size=8))
    second = [1, *(1 + np.cumsum(others)).tolist()]
    column = data.draw(st.lists(st.integers(0, len(others) - 1), min_size=pointer[-1], max_size=pointer[-1])) or [0]
    elements = {"p": pointer, "c": column, "q": second}
    arrays = {name: GivenArray.of(name, numbers, source="") for name, numbers in elements.items()}
    (region,) = lower_unit(UNIT, LowerOptions(arrays=arrays, defines={"n": rows})).regions
    (found,) = with_given([region], Arrays(arrays)).regions
    trips = {symbol.name: symbol.value for symbol in found.symbols} | dict(found.averages)
    entered = [i for i in range(rows) if i % 3 != 1]
    steps = [range(pointer[i], pointer[i + 1], 2) for i in entered]
    inner = [max(0, second[column[j] + 1] - second[column[j]]) for row in steps for j in row]
    assert trips["trip_L4"] == Fraction(sum(map(len, steps)), len(entered))
    assert trips["trip_L5"] == (Fraction(sum(inner), len(inner)) if inner else 0)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.data())
def test_every_format_has_the_elements_of_the_pattern(rows, columns, data):
    places = data.draw(st.sets(st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1)), max_size=20))
    row, column = (np.array([place[part] for place in places], dtype=np.int64) for part in range(2))
    matrix = matrix_of("A", (rows, columns), row, column, source="")
    held = {
        (format_, part): np.frombuffer(array_of(matrix, format_, part, "a").data, dtype=np.int64).tolist()
        for format_, parts in PARTS.items()
        for part in parts
        if part != "val"
    }
    pointer = held["csr", "rowptr"]
    by_rows = {(i, held["csr", "col"][k]) for i in range(rows) for k in range(pointer[i], pointer[i + 1])}
    pointer = held["csc", "colptr"]
    by_columns = {(held["csc", "row"][k], j) for j in range(columns) for k in range(pointer[j], pointer[j + 1])}
    assert by_rows == by_columns == places == set(zip(held["coo", "row"], held["coo", "col"], strict=True))
    width = width_of(matrix)
    for i in range(rows):
        own = [held["ellrow", "col"][i * width + k] for k in range(width)]
        assert own == [held["ell", "col"][k * rows + i] for k in range(width)]
        assert {j for a, j in places if a == i} == set(own[: held["rows", "length"][i]])
        assert all(0 <= j < columns for j in own)
