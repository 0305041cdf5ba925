"""How far a measured quantity may be from the predicted one: ``10%``, or by quantity ``flops=1%,bytes.DRAM=25%``.

>>> found = parse_tolerance("flops=1%,bytes=25%,bytes.L2=0.5")
>>> found.of("flops", ""), found.of("bytes", "DRAM"), found.of("bytes", "L2"), found.of("intensity", "L2")
(0.01, 0.25, 0.5, 0.1)
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from analyzer.errors import OptionError
from analyzer.python.regex import regex

QUANTITIES = ("flops", "bytes", "intensity", "rate", "time")
DEFAULT = 0.1
_ENTRY = regex(r"(?:(?P<quantity>[a-z]+)(?:\.(?P<level>\w+))?=)?(?P<number>\d+(?:\.\d+)?)(?P<percent>\s*%)?$")


class Tolerance(Struct, frozen=True):
    """Relative tolerances; those of one level precede those of the quantity, and these the default."""

    default: float = DEFAULT
    stated: Mapping[str, float] = field(default_factory=dict)

    def of(self, quantity: str, level: str) -> float:
        """Return the tolerance of a quantity at a level."""
        return self.stated.get(f"{quantity}.{level}", self.stated.get(quantity, self.default))

    def has(self, quantity: str) -> bool:
        """Return whether a tolerance of this very quantity was asked for."""
        return quantity in self.stated


def parse_tolerance(text: str) -> Tolerance:
    """Read the option; raises ``OptionError``."""
    default, stated = DEFAULT, {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        found = _ENTRY.match(part)
        quantity = found["quantity"] if found else None
        if found is None or (quantity is not None and quantity not in QUANTITIES):
            raise OptionError(
                f"--tolerance {text}: {part!r} is no tolerance",
                hint=f"write 10%, or {', '.join(f'{name}=10%' for name in QUANTITIES)}; of one level: bytes.DRAM=10%",
            )
        value = float(found["number"]) / (100 if found["percent"] else 1)
        if quantity is None:
            default = value
        else:
            stated[f"{quantity}.{found['level']}" if found["level"] else quantity] = value
    return Tolerance(default, stated)
