"""One figure of many repeats: the best, because whatever disturbs a run makes it slower, and how far the others lie.

``spread`` is the part by which the median falls short of the best; a disturbed machine has a large one.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from msgspec import Struct

from ..machine.units import format_share

SAME = 1.1  # the spread of rates that are the same
UNSTEADY = 0.2  # the spread from which on a measurement is called unsteady


class Sample(Struct, frozen=True):
    """The rates of the repeats of one measurement, in units per second, on ``threads`` over ``bytes`` of data."""

    kind: str
    threads: int
    bytes: int
    rates: tuple[float, ...]

    @property
    def best(self) -> float:
        """Return the highest rate."""
        return max(self.rates)

    @property
    def figure(self) -> float:
        """Return the highest rate to five digits: more would pretend."""
        return float(f"{self.best:.5g}")

    @property
    def spread(self) -> float:
        """Return how far the median is below the best, as a part of the best: 0 where all repeats agree."""
        return 1 - median(self.rates) / self.best

    @property
    def is_unsteady(self) -> bool:
        """Return whether half of the repeats are a fifth or more below the best."""
        return self.spread >= UNSTEADY

    @property
    def text(self) -> str:
        """Return one phrase for ``how``: ``best of 20, median 3.1 % below``."""
        return f"best of {len(self.rates)}, median {format_share(self.spread, 1)} below"


class Samples(Struct, frozen=True):
    """All measurements of a run."""

    samples: tuple[Sample, ...]

    def find(self, kind: str, threads: int = 1, size: int = 0) -> Sample | None:
        """Return the sample of a measurement, None where it was not made."""
        wanted = (kind, threads, size)
        return next((s for s in self.samples if (s.kind, s.threads, s.bytes) == wanted), None)

    @property
    def unsteady(self) -> tuple[Sample, ...]:
        """Return the measurements whose repeats differ much."""
        return tuple(sample for sample in self.samples if sample.is_unsteady)


def parse_samples(lines: Iterable[str]) -> Samples:
    """Read ``KIND THREADS BYTES RATE...``; lines that hold no result are left out, those of one measurement joined."""
    return joined(sample for sample in map(parse_sample, lines) if sample is not None)


def joined(samples: Iterable[Sample]) -> Samples:
    """Return one sample for each measurement, with the repeats of all its rounds."""
    found: dict[tuple[str, int, int], Sample] = {}
    for sample in samples:
        key = (sample.kind, sample.threads, sample.bytes)
        before = found[key].rates if key in found else ()
        found[key] = Sample(*key, (*before, *sample.rates))
    return Samples(tuple(found.values()))


def parse_sample(line: str) -> Sample | None:
    """Read one line of results, None where it holds none; only positive rates count."""
    parts = line.split()
    try:
        rates = tuple(float(part) for part in parts[3:])
        kind, threads, size = parts[0], int(parts[1]), int(parts[2])
    except (ValueError, IndexError):
        return None
    good = tuple(rate for rate in rates if 0 < rate < float("inf"))
    return Sample(kind, threads, size, good) if good else None
