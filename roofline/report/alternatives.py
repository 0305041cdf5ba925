"""What a region does where flags have other values than those that it is reported for.

A flag only chooses between alternatives; each that differs in FLOPs or bytes is listed once, for the first values that
give it.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from analyzer.ir.flags import assignments
from analyzer.profile import RegionProfile
from analyzer.quantities.quantity import Quantity

from ..model.level_bytes import MovedBytes


class Alternative(Struct, frozen=True):
    """The FLOPs and references of a region for other values of flags; ``bytes`` is None where caches are modelled."""

    when: tuple[str, ...]
    assumed: dict[str, int]
    flops: Quantity
    bytes: Quantity | None

    @property
    def is_nothing(self) -> bool:
        """Return whether nothing runs."""
        return self.flops.is_zero and (self.bytes is None or self.bytes.is_zero)


def alternatives_of(profile: RegionProfile, moved: MovedBytes) -> Iterator[Alternative]:
    """Yield the other alternatives of a region whose flags have no value."""
    flags = [flag for flag in profile.flags if flag.name in profile.assumed]
    if not flags:
        return
    total = moved.total
    names = {flag.name for flag in flags}
    of_bytes = total if total.is_zero or not names.isdisjoint(total.estimate.symbols) else None
    seen = {_texts(profile.work.flops.bind(profile.assumed), of_bytes and of_bytes.bind(profile.assumed))}
    for some in assignments(flags):
        flops, size = profile.work.flops.bind(some), None if of_bytes is None else of_bytes.bind(some)
        texts = _texts(flops, size)
        if texts not in seen:
            seen.add(texts)
            yield Alternative(tuple(flag.text(some[flag.name]) for flag in flags), some, flops, size)


def _texts(flops: Quantity, size: Quantity | None) -> tuple[str, str]:
    return str(flops.estimate), "" if size is None else str(size.estimate)
