"""What may be given to a lowering, and what one keeps for another of the same unit under other options."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from msgspec import Struct, field

from ...diagnostics import Diagnostic
from ...ir.given_array import GivenArray
from ...ir.index import Number
from ...ir.nodes import Region
from ...ir.types import ScalarType
from ...source import Span
from .functions.effects import EffectTable
from .functions.stored_values import StoredElements
from .kernels.kernel import KernelLaunch
from .kernels.series import KernelSeries
from .summaries.summary import Summary

MAIN = "main"
# Options that all functions share.
_OF_ALL = ("defines", "averages", "element_type", "functions", "operations", "library_kernels")


class LowerOptions(Struct, frozen=True, kw_only=True):
    """Values of parameters and variables, the type of undeclared data, (None: all) the functions wanted, launches.

    ``averages`` are values of trip counts that are not whole.  ``stated`` are values that hold in one function (by its
    key), where ``defines`` say nothing else; ``given`` are those that hold there whatever ``defines`` say.
    ``operations`` are what all functions may take (0: no limit), in fair shares: in the second half of its share calls
    of a function are not followed further, and beyond the share the function is left out.  They decide; ``seconds`` of
    CPU time (0: no limit) are the last limit, where a machine is far slower.
    A kernel with several launches gives a region for each, one without any a region with symbols for grid and block;
    a series gives the regions of its parts (:mod:`.kernels.series`).  ``arrays`` are those whose elements are given,
    ``after`` the values that ``main`` itself gives variables, by name and the statement that they follow.  ``stored``
    are elements that a function (by its key) stores before it counts loops by them.  Beside kernels, functions of the
    host with ``library_kernels`` are lowered for these.
    """

    defines: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    element_type: ScalarType = ScalarType.FP64
    functions: frozenset[str] | None = None
    launches: tuple[KernelLaunch | KernelSeries, ...] = ()
    averages: Mapping[str, Fraction] = field(default_factory=lambda: MappingProxyType({}))
    stated: Mapping[str, Mapping[str, Number]] = field(default_factory=lambda: MappingProxyType({}))
    given: Mapping[str, Mapping[str, Number]] = field(default_factory=lambda: MappingProxyType({}))
    operations: int = 0
    seconds: float = 0
    arrays: Mapping[str, GivenArray] = field(default_factory=lambda: MappingProxyType({}))
    after: Mapping[tuple[str, Span], int] = field(default_factory=lambda: MappingProxyType({}))
    library_kernels: bool = False
    stored: Mapping[str, Mapping[str, StoredElements]] = field(default_factory=lambda: MappingProxyType({}))


Found = tuple[Region, list[Diagnostic]]


class Kept(Struct, frozen=True):
    """What a lowering of a unit under some options found, for one of the same unit under others.

    ``answers`` are those of functions of the host, ``compiled`` the regions of launched kernels as their compiler sees
    them, without launch and given values, both by key.
    """

    options: LowerOptions
    effects: EffectTable
    summaries: Mapping[str, Summary | None]
    apart: frozenset[str]
    answers: Mapping[str, list[Found]]
    compiled: Mapping[str, Region]

    def under(self, options: LowerOptions) -> Kept:
        """Return what holds under other options too: nothing where more differs than what single functions are given.

        The summary of a function has what is given for it, and may be in any answer.
        """
        then = self.options
        alike = all(getattr(then, name) == getattr(options, name) for name in _OF_ALL) and then.arrays is options.arrays
        changed = {
            key
            for key in {*then.stated, *then.given, *options.stated, *options.given}
            if (then.stated.get(key), then.given.get(key)) != (options.stated.get(key), options.given.get(key))
        }
        changed |= {*then.stored, *options.stored}
        is_compiled_alike = then.element_type is options.element_type and then.stored == options.stored
        compiled = self.compiled if is_compiled_alike else {}
        if not alike or not changed.isdisjoint(self.summaries):
            return Kept(options, self.effects, {}, frozenset(), {}, compiled)
        answers = {key: answer for key, answer in self.answers.items() if key not in changed}
        if then.after != options.after:
            answers = {key: found for key, found in answers.items() if found[0][0].function != MAIN}
        return Kept(options, self.effects, self.summaries, self.apart, answers, compiled)
