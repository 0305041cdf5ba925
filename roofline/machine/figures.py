"""Figures: numbers with a kind and a source, and the rule that picks one among several.

A machine file often states one rate several times: a data-sheet value, a benchmark on the whole chip, a benchmark on
one core. :func:`rank_figures` orders them for what is wanted:

``theoretical``
    a data-sheet figure, else a derived one (arithmetic on the same machine's figures), else a measured one.
``sustained``
    the figure marked ``sustained = true``, else a measured one of this very device, else a measured one of a sibling
    device, else one of a benchmark that leaves write-allocate traffic out (and so understates the bus), else the
    theoretical one, else a derived one.

Within one class a figure of the whole machine precedes one of a part, and then the order in the file decides. A choice
that had to fall back to another class says so in its text.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeVar

from msgspec import Struct

from .streams import bus_bytes_per_s, distance, is_past_caches
from .units import Bandwidth, FlopRate


class FigureKind(StrEnum):
    """How a figure came about."""

    THEORETICAL = "theoretical"
    MEASURED = "measured"
    DERIVED = "derived"


class Basis(StrEnum):
    """Which sort of figure is wanted."""

    THEORETICAL = "theoretical"
    SUSTAINED = "sustained"


class Precision(StrEnum):
    """Number formats that machines state peaks for."""

    FP64 = "fp64"
    TF32 = "tf32"
    FP32 = "fp32"
    FP16 = "fp16"
    BF16 = "bf16"
    FP8 = "fp8"
    INT8 = "int8"

    @property
    def bits(self) -> int:
        """Return bits that one element takes in memory and in a SIMD register."""
        return _BITS[self]


_BITS = {
    Precision.FP64: 64,
    Precision.TF32: 32,
    Precision.FP32: 32,
    Precision.FP16: 16,
    Precision.BF16: 16,
    Precision.FP8: 8,
    Precision.INT8: 8,
}


class PeakMode(StrEnum):
    """The instruction mix that a peak assumes."""

    FMA = "fma"
    NO_FMA = "no_fma"
    ADD_ONLY = "add_only"
    MATRIX = "matrix"


class Figure(Struct, frozen=True, kw_only=True):
    """One number in base units (FLOP/s, byte/s, Hz, a count) with its kind and the id of its source.

    ``how`` says how it was obtained, ``explain`` why it may break a physical rule, ``other_device`` names the sibling
    that was measured instead of this machine, ``sustained`` marks the figure to use when a sustained one is wanted.
    """

    value: float
    kind: FigureKind
    source: str
    how: str | None = None
    explain: str | None = None
    other_device: str | None = None
    sustained: bool = False


class BandwidthFigure(Figure, frozen=True, kw_only=True):
    """A byte rate with the stream it was measured with and the part of the machine it covers.

    ``pattern`` is the stream (load, copy, triad, ...); ``units`` the number of cores or SMs that took part (None: all);
    ``counts_write_allocate`` is False where the benchmark counts only useful bytes although the machine also read the
    lines it wrote, True where all bytes on the bus are counted, None where the question does not arise (pure loads).
    ``victim``: the figure is of a victim cache, which takes in again what the level inside it evicts.
    """

    pattern: str | None = None
    units: int | None = None
    counts_write_allocate: bool | None = None
    victim: bool = False

    @property
    def bus_value(self) -> float:
        """Return the byte/s that moved: more than the benchmark counts where stores that miss read their line."""
        return bus_bytes_per_s(self.value, self.pattern, counts_all=self.counts_write_allocate, victim=self.victim)

    def distance(self, mix: tuple[float, float, float]) -> float:
        """Return how far the stream is from bytes that are read, read because of stores, and written (0 to 2)."""
        return distance(self.pattern, *mix, victim=self.victim)


class Peak(Struct, frozen=True):
    """The peaks of one precision by instruction mix, each stated zero or more times (FLOP/s; op/s for integers)."""

    precision: Precision
    fma: tuple[Figure, ...] = ()
    no_fma: tuple[Figure, ...] = ()
    add_only: tuple[Figure, ...] = ()
    matrix: tuple[Figure, ...] = ()

    def figures(self, mode: PeakMode) -> tuple[Figure, ...]:
        """Return the figures of one instruction mix; a core without FMA reaches its no-FMA peak with any mix."""
        match mode:
            case PeakMode.FMA:
                return self.fma or self.no_fma
            case PeakMode.NO_FMA:
                return self.no_fma
            case PeakMode.ADD_ONLY:
                return self.add_only
            case PeakMode.MATRIX:
                return self.matrix


class ChosenPeak(Struct, frozen=True, kw_only=True):
    """A compute ceiling with the figure behind it; ``text`` is one phrase that names kind, source and fallback."""

    rate: FlopRate
    figure: Figure
    basis: Basis
    precision: Precision
    mode: PeakMode
    text: str

    @property
    def fell_back(self) -> bool:
        """Return whether a figure of another kind than the wanted one had to serve."""
        return falls_back(self.figure, self.basis)


class ChosenBandwidth(Struct, frozen=True):
    """A bandwidth ceiling with the figure behind it; ``text`` is one phrase that names kind, source and fallback."""

    level: str
    rate: Bandwidth
    figure: BandwidthFigure
    basis: Basis
    text: str

    @property
    def fell_back(self) -> bool:
        """Return whether a figure of another kind than the wanted one had to serve."""
        return falls_back(self.figure, self.basis)


FigureT = TypeVar("FigureT", bound=Figure)


def rank_figures(figures: Sequence[FigureT], basis: Basis, *, units: int | None = None) -> tuple[FigureT, ...]:
    """Order the figures best first for a basis, where ``units`` is the whole machine; ties keep their order."""
    return tuple(sorted(figures, key=lambda figure: _class_rank(figure, basis, units)))


def falls_back(figure: Figure, basis: Basis) -> bool:
    """Return whether a figure is of another kind than the basis asks for."""
    if basis is Basis.SUSTAINED:
        return figure.kind is not FigureKind.MEASURED and not figure.sustained
    return figure.kind is FigureKind.MEASURED


def describe_figure(figure: Figure, basis: Basis, source_title: str) -> str:
    """Say in one phrase what kind of figure was chosen, from where, and whether it is a substitute."""
    parts = [f"{figure.kind}, {source_title}"]
    if figure.how:
        parts.append(figure.how)
    if isinstance(figure, BandwidthFigure) and figure.victim and figure.bus_value != figure.value:
        parts.append(f"x {figure.bus_value / figure.value:.3g} with what the level inside evicts")
    if figure.other_device:
        parts.append(f"measured on {figure.other_device}")
    if falls_back(figure, basis):
        wanted = "measured" if basis is Basis.SUSTAINED else "theoretical"
        parts.append(f"no {wanted} figure is known")
    return "; ".join(parts)


def _class_rank(figure: Figure, basis: Basis, units: int | None) -> tuple[int, int, int]:
    partial = 0
    useful_bytes = False
    if isinstance(figure, BandwidthFigure):
        covered = figure.units if figure.units is not None else units
        partial = 0 if covered == units else (units or 0) - (covered or 0)
        useful_bytes = figure.counts_write_allocate is False
    measured = (2 if useful_bytes else 0) + (1 if figure.other_device else 0)
    match figure.kind, basis:
        case FigureKind.MEASURED, Basis.SUSTAINED:
            rank = measured
        case FigureKind.MEASURED, Basis.THEORETICAL:
            rank = 10 + measured
        case FigureKind.THEORETICAL, _:
            rank = 4
        case _:
            rank = 5
    preferred = 0 if figure.sustained and basis is Basis.SUSTAINED else 1
    return (preferred, rank, partial)


def filling(figures: Sequence[BandwidthFigure], units: int, instances: int) -> tuple[BandwidthFigure, ...]:
    """Return the figures whose units fill at least one instance: fewer of them do not draw what an instance gives."""
    return tuple(figure for figure in figures if (figure.units or units) * instances >= units)


def rate_of(figure: BandwidthFigure, units: int, instances: int, used: int) -> float:
    """Return the byte/s of those instances that the used units fill."""
    return full_bandwidth(figure, units, instances) * min(used, instances) / instances


def spread_of(figures: Sequence[BandwidthFigure], units: int, instances: int) -> float:
    """Return the ratio of the most to the least bandwidth among the figures of a level; 1 without any.

    Those measured with several patterns count where there are any, as a data sheet does not make a measured figure
    less certain; else all that are stated.
    """
    every = filling(figures, units, instances)
    measured = [each for each in every if each.kind is FigureKind.MEASURED and not is_past_caches(each.pattern)]
    rates = [full_bandwidth(each, units, instances) for each in measured or every]
    return max(rates) / min(rates) if rates else 1.0


def full_bandwidth(figure: BandwidthFigure, units: int, instances: int) -> float:
    """Return the whole machine's bus byte/s from a figure of some units, by the instances that they fill."""
    if figure.units is None or figure.units >= units:
        return figure.bus_value
    covered = max(1, -(-figure.units * instances // units))
    return figure.bus_value * instances / covered
