"""What an estimate depends on besides the sources and the machines; names and defaults are those of the command
line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum, StrEnum
from fractions import Fraction
from math import floor, isfinite
from numbers import Real
from typing import Any, TypeVar

from msgspec import field, to_builtins

from analyzer.errors import OptionError
from analyzer.given_values import number_of
from analyzer.near_names import did_you_mean
from analyzer.source_options import SourceOptions
from analyzer.traffic.options import CacheModel

Word = TypeVar("Word", bound=Enum)

_NO_NUMBERS = frozenset({"shared_defines", "shared_data", "given_at", "least_traffic", "conditions"})
_NAMES = {"policy": "flop_policy", "cache": "traffic_model"}


class WhichConditions(StrEnum):
    """For which regions to work out up to which sizes the caches hold what is used again."""

    NEVER = "never"
    IF_UNKNOWN = "if-unknown"
    ALWAYS = "always"


class EstimateOptions(SourceOptions, frozen=True, kw_only=True):
    """How sources are read, counted and projected; each field is the option of ``ai-estimate`` of the same name.

    Those of :class:`~analyzer.source_options.SourceOptions` come first.  ``launches`` are texts of ``--launch``;
    ``profile`` are files with the counts of a run; ``arrays`` and ``matrices`` are texts of ``--array`` and
    ``--matrix``; ``convention`` names one of
    :class:`~analyzer.traffic.results.Convention`; ``hierarchy`` is a text as ``L1:32KiB/8,L2:1MiB/16``; ``peak`` is
    ``sustained`` or ``theoretical``.  ``conditions`` are what ``--explain`` asks for.
    ``shared_defines`` are names of ``defines`` that are meant for several programs and need not be used in this one,
    as with ``shared_data`` the ``profile``, the ``arrays`` and the ``matrices``;
    ``given_at`` has the file and line of those that a file gives, for messages.
    """

    shared_defines: frozenset[str] = frozenset()
    shared_data: bool = False
    given_at: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    element_type: str = "double"
    launches: tuple[str, ...] = ()
    profile: tuple[str, ...] = ()
    arrays: tuple[str, ...] = ()
    matrices: tuple[str, ...] = ()
    convention: str | None = None
    cache: CacheModel = CacheModel.ANALYTIC
    hierarchy: str | None = None
    verify: bool = False
    warm: bool = False
    write_allocate: bool | None = None
    nontemporal: bool = False
    peak: str = "sustained"
    cores: int | None = None
    reassociate: bool = False
    simd: str | None = None
    compiler: str = "gcc"
    scale_flops: float = 1.0
    scale_bandwidth: float = 1.0
    conditions: WhichConditions = WhichConditions.IF_UNKNOWN

    def as_primitive(self) -> dict[str, Any]:
        """Return what the report's ``options`` hold: whatever the numbers depend on, as plain values."""
        names = (name for name in EstimateOptions.__struct_fields__ if name not in _NO_NUMBERS)
        return {_NAMES.get(name, name): to_builtins(getattr(self, name), enc_hook=str) for name in names}


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


def refuse_unknown_options(names: Iterable[str], function: Callable[..., object]) -> None:
    """Raise ``TypeError``, as for any keyword that no function has, with the nearest of its parameters and options."""
    fields = EstimateOptions.__struct_fields__
    for name in names:
        if name not in fields:
            from inspect import signature  # here, as it is seldom needed

            near = did_you_mean(name, (*signature(function).parameters, *fields))
            raise TypeError(f"{function.__name__}() has no option {name!r}{f' ({near})' if near else ''}")


def size_texts(sizes: Mapping[str, int | float | Fraction]) -> dict[str, str]:
    """Return sizes as texts of ``-D``; raises ``OptionError`` for what is not one finite number.

    >>> size_texts({"n": 1e6, "trip_L3": 2.5, "m": "64"})
    {'n': '1000000', 'trip_L3': '2.5', 'm': '64'}
    """
    return {name: _size_text(name, value) for name, value in sizes.items()}


def _size_text(name: object, value: object) -> str:
    if not isinstance(name, str):
        raise OptionError(f"the name of a size is a text, not {name!r}", hint='write sizes={"n": 1000}')
    text = ""
    if isinstance(value, str):
        text = value
    elif isinstance(value, Real) and not isinstance(value, bool) and isfinite(value):
        whole = floor(value)
        text = str(whole if value == whole else value)
    if number_of(text) is None:
        several = isinstance(value, Iterable) and not isinstance(value, str)
        hint = "call estimate once for each value" if several else 'macros are defines={"T": "float"}'
        raise OptionError(f"sizes[{name!r}] is not one number: {value!r}", hint=hint)
    return text


def names_in(text: str) -> tuple[str, ...]:
    """Return the names in a list with commas.

    >>> names_in("v100, a100,")
    ('v100', 'a100')
    """
    return tuple(part.strip() for part in text.split(",") if part.strip())
