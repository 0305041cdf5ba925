"""Rates combine only as physics allows, and print with the right prefix."""

from __future__ import annotations

import pytest

from roofline.machine.units import (
    Bandwidth,
    FlopRate,
    Intensity,
    Time,
    TransactionRate,
    format_bytes,
    format_rate,
    format_time,
)


def test_bandwidth_times_intensity_is_a_flop_rate() -> None:
    # P1: BlueGene/Q, DAXPY: 28.8 GB/s x 1/12 FLOP/B = 2.4 GFLOP/s
    assert (Bandwidth.from_giga(28.8) * Intensity(1 / 12)).giga == pytest.approx(2.4)
    assert Intensity(1 / 12) * Bandwidth.from_giga(28.8) == Bandwidth.from_giga(28.8) * Intensity(1 / 12)


def test_rates_divide_into_ridge_bandwidth_and_ratio() -> None:
    peak, bandwidth = FlopRate(200.0), Bandwidth(50.0)
    assert peak / bandwidth == Intensity(4.0)
    assert peak / Intensity(4.0) == bandwidth
    assert peak / FlopRate(100.0) == 2.0


def test_work_over_rate_is_time() -> None:
    assert 100 / Bandwidth(50.0) == Time(2.0)
    assert 100 / FlopRate(25.0) == Time(4.0)
    assert max(Time(2.0), Time(4.0)) == Time(4.0)
    assert Time(2.0) + Time(4.0) == Time(6.0)
    assert Time(2.0) * FlopRate(25.0) == 50.0


def test_transactions_are_bytes_over_sector() -> None:
    assert Bandwidth(64.0).transactions(32) == TransactionRate(2.0)


@pytest.mark.parametrize(
    "nonsense",
    [
        lambda: Bandwidth(1.0) + FlopRate(1.0),  # type: ignore[operator]
        lambda: Bandwidth(1.0) * FlopRate(1.0),  # type: ignore[operator]
        lambda: Bandwidth(1.0) / FlopRate(1.0),  # type: ignore[operator]
        lambda: FlopRate(1.0) + FlopRate(1.0),  # type: ignore[operator]
        lambda: Intensity(1.0) / Bandwidth(1.0),  # type: ignore[operator]
        lambda: Bandwidth(1.0) < FlopRate(1.0),  # type: ignore[operator]
        lambda: Time(1.0) + 1.0,  # type: ignore[operator]
    ],
)
def test_other_combinations_do_not_exist(nonsense: object) -> None:
    with pytest.raises(TypeError):
        nonsense()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (7.0e12, "FLOP/s", "7 TFLOP/s"),
        (515.2e9, "FLOP/s", "515.2 GFLOP/s"),
        (828.758e9, "B/s", "828.8 GB/s"),
        (999.96e9, "B/s", "1 TB/s"),
        (0, "B/s", "0 B/s"),
        (12.0, "FLOP/s", "12 FLOP/s"),
    ],
)
def test_rates_use_decimal_prefixes(value: float, unit: str, text: str) -> None:
    assert format_rate(value, unit) == text


def test_capacities_use_binary_prefixes() -> None:
    assert format_bytes(32768) == "32 KiB"
    assert format_bytes(35 * 1024**2) == "35 MiB"
    assert format_bytes(1000) == "1000 B"


def test_times_go_down_to_small_units() -> None:
    assert format_time(0.0015) == "1.5 ms"
    assert format_time(90) == "90 s"
    assert format_time(0) == "0 s"


def test_values_print_with_their_unit() -> None:
    assert str(FlopRate.from_giga(7068.86)) == "7.069 TFLOP/s"
    assert str(Bandwidth.from_giga(50)) == "50 GB/s"
    assert str(Intensity(7.11111)) == "7.111 FLOP/byte"
    assert str(Time(2.5e-7)) == "250 ns"
