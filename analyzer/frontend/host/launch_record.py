"""The launches of one run: what is known of each, how often it is made, and where there may be more."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import field
from msgspec.structs import replace

from ...ir.launches import Launch
from ...source import Span
from ..lower.kernels.kernel import KernelLaunch
from ..surface import nodes as sx
from .solve import Solved
from .tally import Counts, LaunchKey, Site, Tally
from .values import Source, Unknown


class FoundLaunch(KernelLaunch, frozen=True, kw_only=True):
    """A launch that the host code makes; ``missing`` are its unknown parts: ``gridDim.x``, ``blockDim.y``, ``n``.

    ``sizes`` are numbers of the host code that follow from a launch given by the user.  ``site`` is where it is made,
    ``open_in`` the loop around it that was not followed to its end; ``differs`` are its parts that are not known and
    not the same each time.  ``empty`` are extents that are known and not positive: such a launch fails.
    The run of ``main`` does not reach one that is ``beside`` the program.
    """

    missing: Mapping[str, Unknown] = field(default_factory=dict)
    sizes: tuple[tuple[Source, Solved], ...] = ()
    site: Site = ()
    open_in: Span | None = None
    differs: tuple[str, ...] = ()
    empty: Mapping[str, int] = field(default_factory=dict)
    beside: bool = False


def common_reals(launches: Sequence[KernelLaunch]) -> dict[str, float]:
    """Return the real numbers that are the same in all of these launches."""
    first, *others = (each.reals for each in launches)
    return {name: value for name, value in first.items() if all(each.get(name) == value for each in others)}


class LaunchRecord:
    """Collects the launches of one run; those in ``known`` were met in an earlier run and are not counted again."""

    def __init__(self, known: Collection[tuple[str, Launch]] = ()) -> None:
        """Start without launches."""
        self.tally = Tally.empty()
        self._known = frozenset(known)
        self._found: dict[LaunchKey, FoundLaunch] = {}
        self._differs: dict[LaunchKey, dict[str, None]] = {}
        self._open: dict[tuple[str, Site], Span] = {}
        self._passed: dict[str, FoundLaunch] = {}
        self._graphs: dict[sx.Variable, Counts] = {}
        self._captures: list[int] = []  # how deep the tally was where a stream began to record

    def count(self, found: FoundLaunch, *, is_certain: bool) -> None:
        """Count a launch that is run; one that is not certain may as well not be made."""
        if (found.kernel, found.launch) in self._known:
            return
        arguments, missing = frozenset(found.arguments.items()), frozenset(found.missing)
        key = LaunchKey(found.kernel, found.launch, arguments, missing, found.site)
        known = self._found.setdefault(key, found)
        if known.reals != found.reals:
            self._found[key] = replace(known, reals=common_reals([known, found]))
        if known.missing != found.missing:
            names = [name for name, value in found.missing.items() if known.missing[name] != value]
            self._differs.setdefault(key, {}).update(dict.fromkeys(names))
        self.tally.add(key, int(is_certain), 1)

    def pass_over(self, found: FoundLaunch, loop: Span, unfollowed: Span | None) -> None:
        """Note a launch in a loop whose effects are summarized: there may be more of it than is counted."""
        self._passed.setdefault(found.kernel, replace(found, least=0, open_in=loop))
        if unfollowed is not None:
            self._open.setdefault((found.kernel, found.site), unfollowed)

    def begin_graph(self) -> None:
        """Start to record a graph: launches are not made until it is launched."""
        self._captures.append(self.tally.depth)
        self.tally.begin()

    def end_graph(self, graph: sx.Variable, span: Span) -> None:
        """Name what was launched since the last ``begin_graph``; a kernel of a graph alone may be launched never."""
        counts = self.tally.taken(self._captures.pop()) if self._captures else None
        if counts is not None:
            self._graphs[graph] = counts
            self.pass_over_graph(graph, span, None)

    def count_graph(self, graph: sx.Variable, *, is_certain: bool) -> None:
        """Count the launches of a graph; one that is not launched for certain may as well not be."""
        for key, (least, most) in self._graphs.get(graph, {}).items():
            self.tally.add(key, least * is_certain, most)

    def pass_over_graph(self, graph: sx.Variable, loop: Span, unfollowed: Span | None) -> None:
        """Note the launches of a graph as ``pass_over`` does."""
        for key in self._graphs.get(graph, {}):
            self.pass_over(self._found[key], loop, unfollowed)

    def end_early(self, span: Span) -> None:
        """Note that the budget ended the run, so that there may be more of every launch."""
        for key in self._found:
            self._open.setdefault((key.kernel, key.site), span)

    def made(self) -> Iterator[FoundLaunch]:
        """Yield the launches that were counted, with how often they were made."""
        for key, (least, most) in self.tally.counts.items():
            yield replace(
                self._found[key],
                least=least,
                most=most,
                open_in=self._open.get((key.kernel, key.site)),
                differs=tuple(self._differs.get(key, ())),
            )

    def passed_over(self, reached: Collection[str]) -> Iterator[FoundLaunch]:
        """Yield one launch of each kernel that was met in summarized loops alone; ``reached`` are the other kernels."""
        return (item for item in self._passed.values() if item.kernel not in reached)
