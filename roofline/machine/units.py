"""Rates with only the operators that physics allows, and their text with SI prefixes.

The roofline formula ``P = min(P_peak, I * b)`` (Williams, Waterman, Patterson 2009) mixes three kinds of number; giving
each its own type makes ``bandwidth + flop_rate`` a type error instead of a wrong plot::

    Bandwidth * Intensity -> FlopRate        FlopRate / Bandwidth -> Intensity (the ridge point)
    FlopRate / Intensity  -> Bandwidth       bytes / Bandwidth    -> Time
    flops / FlopRate      -> Time            Time * FlopRate      -> flops
    Bandwidth / bytes per transaction -> TransactionRate

Values are floats in base units (FLOP/s, byte/s, FLOP/byte, s). Rates use decimal prefixes (giga = 1e9), capacities
binary ones (KiB = 1024 bytes).

>>> str(Bandwidth.from_giga(28.8) * Intensity(1 / 12))
'2.4 GFLOP/s'
>>> str(FlopRate.from_giga(204.8) / Bandwidth.from_giga(28.8))
'7.111 FLOP/byte'
"""

from __future__ import annotations

from fractions import Fraction
from typing import Self, TypeAlias, overload

from msgspec import Struct

Number: TypeAlias = int | float | Fraction

_DECIMAL = ("", "k", "M", "G", "T", "P", "E", "Z")
_LONG = 1e9  # from here on numbers beyond the last prefix have an exponent
_SUBUNITS = ("", "m", "u", "n", "p", "f")
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


class _Quantity(Struct, frozen=True, order=True):
    """A non-negative float with a unit; comparable and scalable, and dividing by its own kind gives a plain ratio."""

    value: float

    def scaled(self, factor: Number) -> Self:
        """Return the same kind of quantity, ``factor`` times as large."""
        return type(self)(self.value * float(factor))


class Intensity(_Quantity, frozen=True, order=True):
    """Arithmetic intensity in FLOP/byte."""

    def __mul__(self, other: Bandwidth) -> FlopRate:
        """Return the FLOP rate that a bandwidth sustains at this intensity."""
        if not isinstance(other, Bandwidth):
            return NotImplemented
        return FlopRate(self.value * other.value)

    def __truediv__(self, other: Intensity) -> float:
        """Return the ratio of two intensities."""
        if not isinstance(other, Intensity):
            return NotImplemented
        return self.value / other.value

    def __str__(self) -> str:
        """Render with four significant digits."""
        return f"{_significant(self.value, 4)} FLOP/byte"


class Time(_Quantity, frozen=True, order=True):
    """A duration in seconds."""

    def __add__(self, other: Time) -> Time:
        """Return the time of one thing after the other."""
        if not isinstance(other, Time):
            return NotImplemented
        return Time(self.value + other.value)

    def __mul__(self, other: FlopRate | Bandwidth) -> float:
        """Return the FLOPs (or bytes) that a rate delivers in this time."""
        if not isinstance(other, FlopRate | Bandwidth):
            return NotImplemented
        return self.value * other.value

    def __truediv__(self, other: Time) -> float:
        """Return the ratio of two times."""
        if not isinstance(other, Time):
            return NotImplemented
        return self.value / other.value

    def __str__(self) -> str:
        """Render with a prefix, as in ``1.5 ms``."""
        return format_time(self.value)


class Bandwidth(_Quantity, frozen=True, order=True):
    """A byte rate in byte/s."""

    @classmethod
    def from_giga(cls, gigabytes_per_second: Number) -> Bandwidth:
        """Build from GB/s (1e9 byte/s)."""
        return cls(float(gigabytes_per_second) * 1e9)

    @property
    def giga(self) -> float:
        """Return the value in GB/s."""
        return self.value / 1e9

    def __mul__(self, other: Intensity) -> FlopRate:
        """Return the FLOP rate that this bandwidth sustains at an intensity."""
        if not isinstance(other, Intensity):
            return NotImplemented
        return FlopRate(self.value * other.value)

    def __truediv__(self, other: Bandwidth) -> float:
        """Return the ratio of two bandwidths."""
        if not isinstance(other, Bandwidth):
            return NotImplemented
        return self.value / other.value

    def __rtruediv__(self, transferred_bytes: Number) -> Time:
        """Return the time to move ``transferred_bytes``."""
        if not isinstance(transferred_bytes, int | float | Fraction):
            return NotImplemented
        return Time(float(transferred_bytes) / self.value)

    def transactions(self, transaction_bytes: int) -> TransactionRate:
        """Return how many transactions of ``transaction_bytes`` each this bandwidth carries per second."""
        return TransactionRate(self.value / transaction_bytes)

    def __str__(self) -> str:
        """Render with a prefix, as in ``828.8 GB/s``."""
        return format_rate(self.value, "B/s")


class FlopRate(_Quantity, frozen=True, order=True):
    """A floating-point rate in FLOP/s (for integer peaks: operations/s)."""

    @classmethod
    def from_giga(cls, gigaflops: Number) -> FlopRate:
        """Build from GFLOP/s (1e9 FLOP/s)."""
        return cls(float(gigaflops) * 1e9)

    @property
    def giga(self) -> float:
        """Return the value in GFLOP/s."""
        return self.value / 1e9

    @overload
    def __truediv__(self, other: Bandwidth) -> Intensity: ...
    @overload
    def __truediv__(self, other: Intensity) -> Bandwidth: ...
    @overload
    def __truediv__(self, other: FlopRate) -> float: ...
    def __truediv__(self, other: Bandwidth | Intensity | FlopRate) -> Intensity | Bandwidth | float:
        """Return the ridge point, the bandwidth needed at an intensity, or the ratio of two rates."""
        if isinstance(other, Bandwidth):
            return Intensity(self.value / other.value)
        if isinstance(other, Intensity):
            return Bandwidth(self.value / other.value)
        if isinstance(other, FlopRate):
            return self.value / other.value
        return NotImplemented

    def __rtruediv__(self, flops: Number) -> Time:
        """Return the time to execute ``flops`` operations."""
        if not isinstance(flops, int | float | Fraction):
            return NotImplemented
        return Time(float(flops) / self.value)

    def __str__(self) -> str:
        """Render with a prefix, as in ``7.834 TFLOP/s``."""
        return format_rate(self.value, "FLOP/s")


class InstructionRate(_Quantity, frozen=True, order=True):
    """Instructions per second (warp instructions on a GPU)."""

    @property
    def giga(self) -> float:
        """Return the value in GIPS (1e9 instructions/s)."""
        return self.value / 1e9

    def __str__(self) -> str:
        """Render with a prefix, as in ``489.6 GIPS``."""
        return format_rate(self.value, "IPS")


class TransactionRate(_Quantity, frozen=True, order=True):
    """Memory transactions per second."""

    @property
    def giga(self) -> float:
        """Return the value in GTXN/s (1e9 transactions/s)."""
        return self.value / 1e9

    def __str__(self) -> str:
        """Render with a prefix, as in ``25.9 GTXN/s``."""
        return format_rate(self.value, "TXN/s")


def format_rate(value: Number, unit: str = "FLOP/s", *, digits: int = 4) -> str:
    """Render a rate with a decimal SI prefix and ``digits`` significant digits.

    >>> format_rate(7.0e12), format_rate(828.758e9, "B/s"), format_rate(0)
    ('7 TFLOP/s', '828.8 GB/s', '0 FLOP/s')
    """
    scaled = abs(float(value))
    step = 0
    while float(f"{scaled:.{digits}g}") >= 1000 and step < len(_DECIMAL) - 1:
        scaled /= 1000
        step += 1
    sign = "-" if value < 0 else ""
    return f"{sign}{_significant(scaled, digits)} {_DECIMAL[step]}{unit}"


def format_share(share: Number, decimals: int = 0) -> str:
    """Render a part of a whole in percent.

    >>> format_share(0.123), format_share(0.0098, 2)
    ('12 %', '0.98 %')
    """
    return f"{100 * share:.{decimals}f} %"


def format_time(seconds: Number, *, digits: int = 4) -> str:
    """Render a duration with a prefix at or below one second.

    >>> format_time(0.0015), format_time(90), format_time(2.5e-7)
    ('1.5 ms', '90 s', '250 ns')
    """
    scaled = float(seconds)
    step = 0
    while 0 < float(f"{scaled:.{digits}g}") < 1 and step < len(_SUBUNITS) - 1:
        scaled *= 1000
        step += 1
    return f"{_significant(scaled, digits)} {_SUBUNITS[step]}s"


def format_bytes(count: Number, *, digits: int = 4) -> str:
    """Render a capacity or a footprint with a binary prefix.

    >>> format_bytes(32768), format_bytes(1500), format_bytes(28835840)
    ('32 KiB', '1.465 KiB', '27.5 MiB')
    """
    scaled = float(count)
    step = 0
    while abs(float(f"{scaled:.{digits}g}")) >= 1024 and step < len(_BINARY) - 1:
        scaled /= 1024
        step += 1
    return f"{_significant(scaled, digits)} {_BINARY[step]}"


def _significant(value: float, digits: int) -> str:
    """Round to ``digits`` significant digits without an exponent in the usual range and without trailing zeros.

    >>> _significant(88776.1, 3), _significant(1.554e26, 3)
    ('88800', '1.55e26')
    """
    text = f"{value:.{digits}g}"
    if "e" not in text or abs(value) < 1e-4:
        return text
    return f"{float(text):.0f}" if abs(value) < _LONG else text.replace("e+", "e")
