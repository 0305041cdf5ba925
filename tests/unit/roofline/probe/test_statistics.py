from __future__ import annotations

import pytest

from roofline.probe.statistics import Sample, parse_sample, parse_samples


def test_the_best_counts_and_the_median_tells_the_spread() -> None:
    sample = Sample("load", 1, 64, (75.0, 100.0, 70.0))
    assert (sample.best, sample.is_unsteady) == (100.0, True)
    assert sample.spread == pytest.approx(0.25)
    assert sample.text == "best of 3, median 25.0 % below"


def test_rounds_of_one_measurement_are_joined() -> None:
    samples = parse_samples(["load 2 64 1e9 2e9", "copy 2 64 5e9", "load 2 64 3e9", "load 1 64 9e9"])
    found = samples.find("load", 2, 64)
    assert found is not None
    assert found.rates == (1e9, 2e9, 3e9)
    assert samples.find("load", 2, 32) is None
    assert len(samples.samples) == 3


@pytest.mark.parametrize("line", ["", "load", "load 1 64", "load 1 64 nan", "load 1 64 0 -3 inf", "load x 64 1.0"])
def test_lines_without_a_result_are_none(line: str) -> None:
    assert parse_sample(line) is None


def test_only_positive_rates_count() -> None:
    sample = parse_sample("load 1 64 inf 5 0")
    assert sample is not None
    assert sample.rates == (5.0,)


def test_steady_samples_are_not_unsteady() -> None:
    samples = parse_samples(["load 1 64 100 99 98", "copy 1 64 100 10 10"])
    assert [sample.kind for sample in samples.unsteady] == ["copy"]
