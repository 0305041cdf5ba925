"""What an estimate depends on besides the sources and the machines; names and defaults are those of the command
line."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, StrEnum
from fractions import Fraction
from typing import Any, Literal, TypeVar

from msgspec import Struct, field

from analyzer.cache_lines import DEFAULT_LINE_BYTES
from analyzer.errors import OptionError
from analyzer.traffic.options import CacheModel

Word = TypeVar("Word", bound=Enum)


class WhichConditions(StrEnum):
    """For which regions to work out up to which sizes the caches hold what is used again."""

    NEVER = "never"
    IF_UNKNOWN = "if-unknown"
    ALWAYS = "always"


class EstimateOptions(Struct, frozen=True, kw_only=True):
    """How sources are read, counted and projected; each field is the option of ``ai-estimate`` of the same name.

    ``defines`` are macros and values of sizes (``-D``); ``launches`` and ``program_arguments`` are ``--launch`` and
    ``--args``; ``profile`` are files with the counts of a run; ``arrays`` and ``matrices`` are texts of ``--array`` and
    ``--matrix``; ``convention`` names one of
    :class:`~analyzer.traffic.results.Convention`; ``hierarchy`` is a text as ``L1:32KiB/8,L2:1MiB/16``; ``peak`` is
    ``sustained`` or ``theoretical``; ``budget_s`` is the CPU time of a file (0: no limit), ``budget_operations`` those
    of isl for one request.  ``conditions`` are what ``--explain`` asks for.
    ``shared_defines`` are names of ``defines`` that are meant for several programs and need not be used in this one,
    as with ``shared_data`` the ``profile``, the ``arrays`` and the ``matrices``;
    ``given_at`` has the file and line of those that a file gives, for messages.
    """

    defines: Mapping[str, str] = field(default_factory=dict)
    shared_defines: frozenset[str] = frozenset()
    shared_data: bool = False
    given_at: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    include_dirs: tuple[str, ...] = ()
    std: str | None = None
    compile_commands: str | None = None
    system_headers: bool = False
    confine: tuple[str, ...] = ()
    frontend: Literal["auto", "clang", "fragment"] = "auto"
    element_type: str = "double"
    launches: tuple[str, ...] = ()
    profile: tuple[str, ...] = ()
    arrays: tuple[str, ...] = ()
    matrices: tuple[str, ...] = ()
    program_arguments: tuple[str, ...] | None = None
    functions: tuple[str, ...] = ()
    lines: tuple[int, int] | None = None
    policy: str = "source"
    fma: bool = True
    branch_probability: Fraction = Fraction(1, 2)
    line_bytes: int = DEFAULT_LINE_BYTES
    convention: str | None = None
    cache: CacheModel = CacheModel.ANALYTIC
    hierarchy: str | None = None
    verify: bool = False
    warm: bool = False
    budget_s: float = 30
    budget_operations: int = 20_000_000
    write_allocate: bool | None = None
    nontemporal: bool = False
    peak: str = "sustained"
    cores: int | None = None
    reassociate: bool = False
    simd: str | None = None
    compiler: str = "gcc"
    scale_flops: float = 1.0
    scale_bandwidth: float = 1.0
    advise: bool = False
    least_traffic: bool = False
    conditions: WhichConditions = WhichConditions.IF_UNKNOWN

    def as_primitive(self) -> dict[str, Any]:
        """Return what the report's ``options`` hold: whatever the numbers depend on, as plain values."""
        return {
            "defines": dict(self.defines),
            "include_dirs": list(self.include_dirs),
            "std": self.std,
            "compile_commands": self.compile_commands,
            "system_headers": self.system_headers,
            "confine": list(self.confine),
            "frontend": self.frontend,
            "element_type": self.element_type,
            "launches": list(self.launches),
            "profile": list(self.profile),
            "arrays": list(self.arrays),
            "matrices": list(self.matrices),
            "program_arguments": None if self.program_arguments is None else list(self.program_arguments),
            "functions": list(self.functions),
            "lines": None if self.lines is None else list(self.lines),
            "flop_policy": self.policy,
            "fma": self.fma,
            "branch_probability": str(self.branch_probability),
            "line_bytes": self.line_bytes,
            "traffic_model": self.cache.value,
            "hierarchy": self.hierarchy,
            "verify": self.verify,
            "warm": self.warm,
            "budget_s": self.budget_s,
            "budget_operations": self.budget_operations,
            "convention": self.convention,
            "write_allocate": self.write_allocate,
            "nontemporal": self.nontemporal,
            "peak": self.peak,
            "cores": self.cores,
            "reassociate": self.reassociate,
            "simd": self.simd,
            "compiler": self.compiler,
            "scale_flops": self.scale_flops,
            "scale_bandwidth": self.scale_bandwidth,
            "advise": self.advise,
        }


def chosen_word(kind: type[Word], word: object, option: str) -> Word:
    """Return the member of an enumeration that is meant by it or by its word; raises ``OptionError`` for another word.

    >>> chosen_word(CacheModel, "none", "cache")
    <CacheModel.NONE: 'none'>
    """
    try:
        return kind(word)
    except ValueError:
        words = ", ".join(str(one.value) for one in kind)
        raise OptionError(f"{option} is not one of its words: {word}", hint=f"possible: {words}") from None


def names_in(text: str) -> tuple[str, ...]:
    """Return the names in a list with commas.

    >>> names_in("v100, a100,")
    ('v100', 'a100')
    """
    return tuple(part.strip() for part in text.split(",") if part.strip())
