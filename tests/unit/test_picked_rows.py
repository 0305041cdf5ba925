"""A symbol that only picks a row of a small array: each row is an alternative of its own, none stands for all."""

import pytest

from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile

SIZE = 1000


def nest(text):
    (file,) = analyze(SourceFile("f.c", f"double u[2][{SIZE}], w[9][{SIZE}];\n{text}", Language.C))
    (found,) = file.regions[0].nests
    return found


def moved(profile, **rows):
    traffic = profile.compulsory_traffic
    return sum(
        float(part.estimate.evaluate({**profile.values, **rows})) for part in (traffic.read_bytes, traffic.write_bytes)
    )


@pytest.mark.parametrize(
    "text",
    [
        f"void f(int c) {{ int k = c ? 0 : 1; for (int i = 0; i < {SIZE}; i++) u[k][i] += u[0][i]; }}",
        f"void f(double *x) {{ int k = x[0] > 1 ? 0 : 1; for (int i = 0; i < {SIZE}; i++) u[k][i] += u[0][i]; }}",
    ],
)
def test_rows_that_may_be_the_same_are_alternatives(text):
    """Row 0 alone is read and written, 16 B an element; with row 1 another is read, 24 B."""
    found = nest(text)
    ((name, row),) = found.assumed.items()
    assert row == 1
    assert moved(found) == pytest.approx(24 * SIZE, abs=8)
    assert moved(found, **{name: 0}) == pytest.approx(16 * SIZE, abs=8)


@pytest.mark.parametrize(
    "text",
    [
        f"void f(int k) {{ for (int i = 0; i < {SIZE}; i++) u[k][i] += 1; }}",
        "void f(int k) { for (int i = 0; i < k; i++) u[k][i] += u[0][i]; }",
        f"void f(int k) {{ for (int i = 0; i < {SIZE}; i++) w[k][i] += w[0][i]; }}",
    ],
)
def test_rows_that_change_nothing_sizes_and_many_rows_are_none(text):
    assert not nest(text).assumed
