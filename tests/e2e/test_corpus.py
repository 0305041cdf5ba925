"""The numbers of the founding documents, through the public command."""

from __future__ import annotations

from fractions import Fraction

import pytest

from .cases import look_up, relations, rounds_to, runs

RUNS = list(runs())


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_exact_numbers(run):
    report = run.report()
    for path, expected in run.exact.items():
        found = look_up(report, path)
        assert found == (pytest.approx(expected, rel=1e-12) if isinstance(expected, float) else expected), path


@pytest.mark.parametrize("run", [run for run in RUNS if run.printed], ids=str)
def test_printed_numbers(run):
    report = run.report()
    for path, printed in run.printed.items():
        found = look_up(report, path)
        assert rounds_to(found, printed) is (path not in run.why), f"{path}: {found}, printed {printed}"


@pytest.mark.parametrize("relation", list(relations()), ids=str)
def test_relations(relation):
    (of, of_path), (to, to_path) = relation.of, relation.to
    found, base = (Fraction(look_up(run.report(), path)) for run, path in ((of, of_path), (to, to_path)))
    assert float(found) == pytest.approx(float(relation.times * base), rel=1e-12)


@pytest.mark.parametrize(
    ("value", "printed", "agrees"),
    [
        (0.0416667, "0.0417", True),
        (0.0416667, "0.0418", False),
        (9.333e9, "9.35e9", False),
        (0.5625, "1/2", False),
        ("1/12", "2/24", True),
        (12.2667e9, "12.27e9", True),
        (12.2e9, "12.27e9", False),
    ],
)
def test_comparison_with_printed_numbers_rejects_wrong_ones(value, printed, agrees):
    assert rounds_to(value, printed) is agrees
