"""One core in cycles of its clock: clocks, ports at each width, latencies, divisions, the front end.

* The clock is the rate of additions of integer registers that wait for one another, one cycle each.  Under vectors of
  full width it is taken from such a chain among FMAs, where the chain takes a little longer than they do: of chains of
  4, 7, 13 and 26 additions for as many FMAs as there are registers the first that is longer than the FMAs.
* Throughput of full width is over the clock under vectors, all else over the clock of a chain alone.  A number of
  instructions per cycle within a tenth of a multiple of one half is taken for it.  Full width does at least the work
  of the narrower ones: code may as well be made of those.
* The front end is what a mixture of integer additions, loads and vector operations is started at, rounded up.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from msgspec.structs import fields

from ...machine.figures import Figure, FigureKind
from ...machine.hardware import Clock, Core, Ports
from ...machine.units import format_rate
from ..statistics import Sample
from .plan import CHAINS
from .run import PROBE, Run

_LONGER = 1.04  # than the FMAs alone: a chain of 7, 13 or 26 is at least 8 % longer than 6, 12 or 24 cycles of FMAs
_SHARE = 0.75  # of one core's clock: below it that of all cores at once is taken for disturbed
_HALF, _NEAR = 2, 0.1  # units per cycle are multiples of one half: a half-rate pipe is a unit every other cycle
_HOW = "dependent integer additions, one a cycle"


def core_hertz(run: Run, cores: int) -> float:
    """Return the clock of one core at work; the fastest seen, because whatever disturbs makes it look slower."""
    rates = [sample.best / n for n in {1, cores} if (sample := run.find("clock", n)) is not None]
    return max(rates, default=1e9)


def simd_hertz(run: Run, threads: int) -> float | None:
    """Return the clock of each of some cores that compute vectors of full width, None where it was not measured."""
    found = [(length, run.find(f"clock-simd-{length}", threads)) for length in CHAINS]
    times = [(length / sample.best, sample) for length, sample in found if sample is not None]
    if not times:
        return None
    busy = times[0][0]
    return next((sample.best / threads for time, sample in times[1:] if time > _LONGER * busy), None)


def clock(run: Run, cores: int) -> Clock:
    """Return the clocks: ``boost`` of one core, ``nominal`` of all, ``simd`` of all under vectors of full width."""
    highest = core_hertz(run, cores)
    one = _figure(highest, f"{_HOW}; one core{_spread(run.find('clock'))}")
    vectors = simd_hertz(run, cores)
    simd = None if vectors is None else _figure(min(vectors, highest), f"{_HOW}, among FMAs of full width; all cores")
    together = run.find("clock", cores)
    if together is None or cores == 1:
        return Clock(nominal=one, simd=simd)
    rate = together.best / cores
    if rate < _SHARE * highest:
        reached = format_rate(rate, "Hz")
        explain = f"doubtful: all cores at once reached {reached}, so one core's clock stands here"
        return Clock(nominal=_figure(highest, one.how or _HOW, explain), boost=one, simd=simd)
    nominal = _figure(rate, f"{_HOW}; all cores at once{_spread(together)}")
    return Clock(nominal=nominal, boost=one, simd=simd)


def _figure(hertz: float, how: str, explain: str | None = None) -> Figure:
    return Figure(value=round(hertz, -5), kind=FigureKind.MEASURED, source=PROBE, how=how, explain=explain)


def _spread(sample: Sample | None) -> str:
    return "" if sample is None else f", {sample.text}"


def core(run: Run, cores: int) -> Core:
    """Return ports, latencies and divisions of one core in cycles of its clock."""
    hertz, bits = core_hertz(run, cores), run.target.simd_bits
    lanes64 = max(1, bits // 64)

    def cycles(kind: str, lanes: int = 1) -> float | None:
        sample = run.find(kind)
        return None if sample is None else round(hertz * lanes / sample.best, 1)

    widths = [_ports(run, each, hertz) for each in narrower(bits)]
    full = _at_least(_ports(run, bits, min(simd_hertz(run, 1) or hertz, hertz)), widths)
    adding, root = cycles("latency-add"), cycles("latency-sqrt-add")

    def started(kind: str) -> float | None:
        sample = run.find(kind)
        return None if sample is None else tidy(sample.best / hertz)

    issued = run.find("issue")
    return Core(
        isa=run.target.isa,
        simd_bits=bits,
        sources=(PROBE,),
        arithmetic_per_cycle=full.arithmetic_per_cycle,
        fma_units=full.fma_per_cycle,
        add_units=full.add_per_cycle,
        mul_units=full.mul_per_cycle,
        loads_per_cycle=full.loads_per_cycle,
        stores_per_cycle=full.stores_per_cycle,
        integer_units=started("integers"),
        scalar_integer_units=started("integers-single"),
        issue_width=None if issued is None else ceil(issued.best / hertz - _NEAR),
        fma_latency_cycles=cycles("latency-fma") if run.target.has_fma else None,
        add_latency_cycles=adding,
        mul_latency_cycles=cycles("latency-mul"),
        div_cycles=cycles("div64", lanes64),
        sqrt_cycles=cycles("sqrt64", lanes64),
        div_fp32_cycles=cycles("div32", 2 * lanes64),
        sqrt_fp32_cycles=cycles("sqrt32", 2 * lanes64),
        div_scalar_cycles=cycles("div64-scalar"),
        sqrt_scalar_cycles=cycles("sqrt64-scalar"),
        div_latency_cycles=cycles("latency-div"),
        sqrt_latency_cycles=None if adding is None or root is None else round(max(0.1, root - adding), 1),
        widths=tuple(ports for ports in widths if ports != Ports(bits=ports.bits)),
    )


def narrower(bits: int) -> tuple[int, ...]:
    """Return the widths below full width that are measured: one double, and vectors of 128 and 256 bits."""
    return tuple(each for each in (64, 128, 256) if each < bits)


def _ports(run: Run, bits: int, hertz: float) -> Ports:
    def per_cycle(kind: str) -> float | None:
        sample = run.find(f"{kind}-{bits}")
        return None if sample is None else tidy(sample.best / hertz)

    return Ports(
        bits=bits,
        arithmetic_per_cycle=per_cycle("mix"),
        fma_per_cycle=per_cycle("fma") if run.target.has_fma else None,
        add_per_cycle=per_cycle("add"),
        mul_per_cycle=per_cycle("mul"),
        loads_per_cycle=per_cycle("loads"),
        stores_per_cycle=per_cycle("stores"),
    )


def _at_least(full: Ports, widths: Sequence[Ports]) -> Ports:
    """Return the throughput of full width, which is at least that of as many bits in narrower instructions."""

    def most(name: str) -> float | None:
        rates = [(getattr(each, name), each.bits) for each in (full, *widths)]
        return max((rate * bits / full.bits for rate, bits in rates if rate is not None), default=None)

    names = [field.name for field in fields(Ports) if field.name != "bits"]
    return Ports(bits=full.bits, **{name: most(name) for name in names})


def tidy(value: float) -> float:
    """Return a multiple of one half where it is within a tenth of one, else three digits.

    >>> tidy(1.93), tidy(0.7)
    (2.0, 0.7)
    """
    near = round(value * _HALF) / _HALF
    if near and abs(value - near) <= _NEAR * near:
        return near
    return float(f"{value:.3g}")
