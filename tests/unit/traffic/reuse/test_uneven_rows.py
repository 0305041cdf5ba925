"""Loops whose trip count is an average: bytes within what rows of any lengths with that average may move."""

import pytest

from analyzer.pipeline import AnalysisOptions, analyze
from analyzer.source import Language, SourceFile
from analyzer.traffic.hierarchy import parse_hierarchy
from analyzer.traffic.options import CacheOptions

CACHES = parse_hierarchy("L1:32KiB/8")
ROWS = 1000


def read_bytes(body, average):
    text = f"double a[4000000], y[1000]; void f(int *r) {{ for (int i = 0; i < {ROWS}; i++) {{ {body} }} }}"
    options = AnalysisOptions(cache=CacheOptions(hierarchies=(CACHES,)), defines={"trip_L1": average})
    (file,) = analyze(SourceFile("f.c", text, Language.C), options)
    (model,) = file.traffic[0].models
    found = model.levels[-1].read_bytes
    return tuple(float(end.evaluate({})) for end in (found.lower, found.estimate, found.upper))


@pytest.mark.parametrize(
    ("subscript", "lengths"),
    [
        ("j", [40] * ROWS),
        ("j", [40 * ROWS] + [0] * (ROWS - 1)),
        ("4000*i + j", [40] * ROWS),
        ("4000*i + j", [4000] * 10 + [0] * (ROWS - 10)),
        ("4000*i + j", [1] * (ROWS - 10) + [4000] * 9 + [3010]),
    ],
)
def test_rows_of_any_length_are_within_the_interval(subscript, lengths):
    """Lines of 64 B that rows of these lengths touch; what fits in 32 KiB is read once, what does not for each row."""
    least, estimate, most = read_bytes(f"for (int j = 0; j < r[i]; j++) y[i] += a[{subscript}];", "40")
    firsts = [0] * ROWS if subscript == "j" else [4000 * row for row in range(ROWS)]
    touched = {
        (start + element) // 8 for start, length in zip(firsts, lengths, strict=True) for element in range(length)
    }
    others = 4 * ROWS + 8 * ROWS + 64  # r, with part of a line, and y
    assert least <= 64 * len(touched) + others
    assert 64 * len(touched) <= most
    assert least <= estimate <= most


def test_rows_that_follow_each_other_are_exact():
    least, estimate, most = read_bytes("for (int j = r[i]; j < r[i + 1]; j++) y[i] += a[j];", "40")
    assert least == estimate == most == pytest.approx(8 * 40 * ROWS + 12 * ROWS, rel=0.001)
