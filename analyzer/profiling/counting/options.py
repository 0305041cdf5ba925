"""How to count: the options of a profile."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from msgspec import Struct, field

from ...cache_lines import DEFAULT_LINE_BYTES
from ...counts.policy import FlopPolicy, load_policy


class ProfileOptions(Struct, frozen=True):
    """How to count: the FLOP policy, FMA contraction, probability of data-dependent branches, bytes of a line.

    ``trips`` are the values of trip counts that turn out to be symbols only here, as their bounds are not affine.
    ``branches`` are probabilities of single branches by name.
    ``seconds`` limit the CPU time of counting elements for a region or a nest (0: no limit); beyond, the answers are
    bounds.  ``in_full`` is that of :class:`~analyzer.options.AnalysisOptions`.
    """

    policy: FlopPolicy = field(default_factory=lambda: load_policy("source"))
    contract: bool = True
    branch_probability: Fraction = Fraction(1, 2)
    line_bytes: int = DEFAULT_LINE_BYTES
    seconds: float = 10
    trips: Mapping[str, int] = field(default_factory=dict)
    branches: Mapping[str, Fraction] = field(default_factory=dict)
    in_full: bool = True
