"""Transformations by trial: each legal one that may help a nest is applied and analyzed again.

Output: the :class:`~..profile.Variant` values of every nest, the nest as it is first.  All of them are analyzed alone,
so that they can be compared.  The budget is a number of references to model, shared by the nests of a region in the
order of their bytes: the answers do not depend on the speed of the machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..domains.limits import OverBudget
from ..ir.nodes import Loop, Node, Region, Statement, Symbol
from ..ir.passes.drivers import driver_of, outermost_loops
from ..ir.passes.substitute import bind
from ..ir.traverse import all_nodes, children_of
from ..profile import Fusion, RegionProfile, Variant
from ..profiling.counting.options import ProfileOptions
from ..profiling.counting.profiler import profile_region
from ..traffic.hierarchy import CacheLevel, Hierarchy
from ..traffic.options import CacheModel, CacheOptions
from ..transformations.bands import Band, bands_of
from ..transformations.box_sizes import best_sides
from ..transformations.boxes import in_boxes
from ..transformations.coordinates import coordinates_of
from ..transformations.fusing import fusions
from ..transformations.interchange import interchanges
from ..transformations.kinds import Box, Cut, Transformation
from ..transformations.members import separations
from ..transformations.narrowing import narrowed
from ..transformations.padding import paddings
from ..transformations.tiling import TILES, cuts_of, jams_around, jams_of, with_cut
from .region_traffic import traffic_of

_MOST_REFERENCES = 60  # of nests that go through the cache model, for one region: what a run costs
_RUNS_OF_A_SEARCH = 12  # for the tiles of one band
_BY_WORKING_SETS = 8  # of these runs cost as much as one of the analytic model
_LOOPS_OF_A_PAIR = 2  # which cuts of one loop after the other do as well as boxes
_ROUNDS = 2  # loops that are cut at most, one after the other
_ALIKE = 1.05  # times the fewest bytes: longer pieces of rows are streams
_WORTH = 0.9  # share of the bytes of a level that a cut must fall below to be looked at
_Steps = tuple[Transformation, ...]


class _Runs:
    """How many references may still go through the cache model."""

    def __init__(self, left: float) -> None:
        self.left = left

    def take(self, band: Band, share: int = 1) -> bool:
        """Return whether one more run may be made, of a band; a run by working sets costs a ``share`` of others."""
        statements = (node for node in all_nodes((band.nest,)) if isinstance(node, Statement))
        cost = sum(len(set(each.accesses)) for each in statements) / share
        if cost > self.left:
            return False
        self.left -= cost
        return True


def with_variants(
    region: Region, profile: RegionProfile, options: ProfileOptions, cache: CacheOptions
) -> RegionProfile:
    """Return the profile of a region with the variants of its nests."""
    if profile.averages:
        return profile
    runs = _Runs(_MOST_REFERENCES)
    trials = [
        _Trial(region, loop, nest, options, cache, runs, over=over)
        for loop, nest, over in _nests_of(region, profile)
        if not nest.assumed
    ]
    fused = {id(parent): joined for parent, joined in _fused(region, profile, options, cache, runs)}
    found = {id(trial.nest): trial.variants() for trial in sorted(trials, key=lambda trial: -_size(trial.nest))}
    made = tuple(_with_found(nest, found, fused) for nest in profile.nests)
    return replace(profile, nests=made, fusions=fused.get(id(profile), ()))


def _fused(
    region: Region, profile: RegionProfile, options: ProfileOptions, cache: CacheOptions, runs: _Runs
) -> Iterator[tuple[RegionProfile, tuple[Fusion, ...]]]:
    """Yield the region, and each loop that only repeats nests, with what these become as one."""
    bodies: list[tuple[RegionProfile, Sequence[Node], RegionProfile | None]] = [(profile, region.body, None)]
    loops = {loop.iterator: loop for loop in outermost_loops(region.body)}
    for nest in profile.nests:
        loop = loops.get(nest.loops[0].iterator) if nest.loops and nest.nests else None
        driver = None if loop is None else driver_of(loop, nest.values)
        if driver is not None:
            bodies.append((nest, driver.repetition(0), nest))
    for parent, nodes, over in bodies:
        numbers = {nest.loops[0].iterator: number for number, nest in enumerate(parent.nests) if nest.loops}
        found = []
        for each in fusions(nodes):
            if not numbers.keys() >= set(each.iterators):
                continue
            nests = tuple(numbers[iterator] for iterator in each.iterators)
            trial = _Trial(region, each.loop, parent.nests[nests[0]], options, cache, runs, over=over)
            made = trial.as_it_is((each.step,))
            if made is not None:
                found.append(Fusion(nests, made))
        yield parent, tuple(found)


def _nests_of(region: Region, profile: RegionProfile) -> Iterator[tuple[Loop, RegionProfile, RegionProfile | None]]:
    """Yield the loops of the nests with their profiles, and those that one of them repeats with that of this one."""
    loops = {loop.iterator: loop for loop in outermost_loops(region.body)}
    for nest in profile.nests:
        loop = loops.get(nest.loops[0].iterator) if nest.loops else None
        if loop is None:
            continue
        yield loop, nest, None
        driver = driver_of(loop, nest.values) if nest.nests else None
        repeated = {} if driver is None else {each.iterator: each for each in driver.first_nests(nest.values)}
        for part in nest.nests:
            if part.loops and part.loops[0].iterator in repeated:
                yield repeated[part.loops[0].iterator], part, nest


def _with_found(
    nest: RegionProfile, found: Mapping[int, tuple[Variant, ...]], fused: Mapping[int, tuple[Fusion, ...]]
) -> RegionProfile:
    parts = tuple(_with_found(part, found, fused) for part in nest.nests)
    return replace(nest, variants=found.get(id(nest), ()), fusions=fused.get(id(nest), ()), nests=parts)


def _size(nest: RegionProfile) -> float:
    """Return the bytes of all references where they are known; infinite where not, as they grow."""
    moved = nest.register_traffic.read_bytes.estimate
    return float(moved.evaluate(nest.values)) if moved.symbols <= nest.values.keys() else float("inf")


def _are_tiles(steps: _Steps) -> bool:
    return any(isinstance(step, (Box, Cut)) for step in steps)


def _is_skewed(box: Box) -> bool:
    return any(side.skew for side in box.sides)


class _Trial(Struct, frozen=True):
    """What a nest of a region may become; ``nest`` is its profile.

    ``over`` is that of the loop that only repeats it and others, None without one.  Of such a loop itself only what
    goes through several of its iterations is tried: its nests have trials of their own.
    """

    region: Region
    loop: Loop
    nest: RegionProfile
    options: ProfileOptions
    cache: CacheOptions
    runs: _Runs
    over: RegionProfile | None = None

    def as_it_is(self, steps: _Steps) -> Variant | None:
        """Return the loop analyzed, which ``steps`` made; None where that takes too long."""
        bound = bind(replace(self.region, body=(self.loop,)), self.nest.values)
        loop = bound.body[0] if len(bound.body) == 1 else None
        band = Band(loop, (loop,)) if isinstance(loop, Loop) else None
        return self._analyzed(steps, band) if band is not None and self.runs.take(band) else None

    def variants(self) -> tuple[Variant, ...]:
        """Return the nest as it is and the transformed ones; () where there are none of these."""
        bound = bind(replace(self.region, body=(self.loop,)), self.nest.values)
        loop = bound.body[0] if len(bound.body) == 1 else None
        if not isinstance(loop, Loop):  # known sizes leave its iterations one by one
            return ()
        boxes = dict(self._boxes(bound, loop))
        found: dict[_Steps, Band] = {(box,): Band(made, (made,)) for box, made in boxes.items()}
        in_pairs = all(len(box.sides) <= _LOOPS_OF_A_PAIR and not _is_skewed(box) for box in boxes)
        if not self.nest.nests:
            found |= {(step,): made for step, made in separations(loop, self.region.arrays)}
            found |= {(step,): made for step, made in paddings(loop, bound.arrays, self._caches)}
            found |= {(step,): made for step, made in narrowed(loop, bound.arrays)}
            found |= {(step,): made for step, made in jams_around(loop)}
            found |= self._of_bands(loop, in_pairs=in_pairs)
        if not found:
            return ()
        plain = self._analyzed((), Band(loop, (loop,)))
        if plain is None:
            return ()
        made: list[Variant | None] = [plain]
        for steps, band in found.items():
            if not self.runs.take(band, _BY_WORKING_SETS if _are_tiles(steps) else 1):
                break
            made.append(self._analyzed(steps, band, plain.profile if not band.arrays else None))
        return tuple(variant for variant in made if variant is not None)

    def _of_bands(self, loop: Loop, *, in_pairs: bool) -> Mapping[_Steps, Band]:
        """Return other orders of the loops, tiles and unrolled loops of each band of a nest."""
        found: dict[_Steps, Band] = {}
        for band in bands_of(loop, (loop, *self._elsewhere())):
            ordered: list[tuple[_Steps, Band]] = [((*band.split, step), other) for step, other in interchanges(band)]
            found |= dict(ordered)
            starts: list[tuple[_Steps, Band]] = [(band.split, band), *ordered[:1]]
            for steps, start in starts:
                if in_pairs:
                    found |= {(*steps, *cuts): cut for cuts, cut in self._tiles(start)}
                found |= {(*steps, jam): jammed for jam, jammed in jams_of(start)}
        return found

    def _elsewhere(self) -> Iterator[Statement]:
        """Yield the statements of the region outside of the nest."""
        own = {node.iterator for node in all_nodes((self.loop,)) if isinstance(node, Loop)}
        waiting: list[Node] = list(self.region.body)
        while waiting:
            node = waiting.pop()
            if isinstance(node, Statement):
                yield node
            elif not isinstance(node, Loop) or node.iterator not in own:
                waiting += children_of(node)

    def _analyzed(self, steps: _Steps, band: Band, alike: RegionProfile | None = None) -> Variant | None:
        """Return a transformed nest with its counts and its bytes; None where that takes too long.

        ``alike`` is the profile of the nest as it is, unless it touches other elements.
        """
        region = replace(
            self.region,
            body=(band.nest,),
            arrays=(*self.region.arrays, *band.arrays),
            symbols=tuple(self._known(symbol) for symbol in self.region.symbols),
        )
        try:
            profile = profile_region(region, self.options, alike)
            cache = replace(self.cache, verify=False, warm=self._warm, by_working_sets=_are_tiles(steps))
            traffic = traffic_of(region, profile, cache, self.options.seconds)
        except OverBudget:
            return None
        same = tuple(replace(nest, parallelism=self.nest.parallelism) for nest in profile.nests)
        return Variant(steps, replace(profile, nests=same), traffic)

    def _known(self, symbol: Symbol) -> Symbol:
        return replace(symbol, value=self.nest.values.get(symbol.name, symbol.value))

    def _boxes(self, region: Region, nest: Loop) -> Iterator[tuple[Box, Loop]]:
        """Yield the nest in boxes that fill one of the caches."""
        hierarchy = self._hierarchy
        coordinates = None if hierarchy is None else coordinates_of(region)
        if hierarchy is None or coordinates is None:
            return
        sizes = [best_sides(coordinates, cache.lines * cache.line_bytes, cache.ways) for cache in hierarchy.levels]
        for sides in dict.fromkeys(each for each in sizes if each):
            yield in_boxes(nest, sides)

    @property
    def _warm(self) -> bool:
        """Return whether caches hold the data when the nest starts: all those of the loop that repeats it fit."""
        over, hierarchy = self.over, self._hierarchy
        if self.cache.warm or over is None or over.distinct is None or hierarchy is None or not hierarchy.levels:
            return self.cache.warm
        moved = over.compulsory_traffic
        sizes = [part.estimate for part in (moved.read_bytes, moved.write_bytes)]
        if any(not size.symbols <= over.values.keys() for size in sizes):
            return False
        return sum(size.evaluate(over.values) for size in sizes) <= hierarchy.levels[-1].capacity_bytes

    @property
    def _hierarchy(self) -> Hierarchy | None:
        """Return the caches that are modelled; None where none are."""
        if self.cache.model not in (CacheModel.ANALYTIC, CacheModel.SIMULATE):
            return None
        return next((each for each in self.cache.hierarchies if each.gpu is None), None)

    @property
    def _caches(self) -> tuple[CacheLevel, ...]:
        return () if self._hierarchy is None else self._hierarchy.levels

    def _tiles(self, band: Band) -> Iterator[tuple[_Steps, Band]]:
        """Yield the tiles of a band that save most bytes of one of the levels."""
        search = self._search(band)
        if search is not None:
            yield from search.best()

    def _search(self, band: Band) -> _Search | None:
        """Return a search with the caches that are modelled; None where none are."""
        hierarchy = self._hierarchy
        if hierarchy is None:
            return None
        return _Search(bind(self.region, self.nest.values), band, hierarchy, self._warm, self.runs)


class _Tried(Struct, frozen=True):
    """A band in tiles, and the bytes of each level."""

    band: Band
    moved: Sequence[float]


def _least(found: Mapping[_Steps, _Tried], level: int) -> _Steps:
    """Return the steps that move the fewest bytes of a level; of about as few the simplest, with the largest tiles."""
    most = _ALIKE * min(tried.moved[level] for tried in found.values())
    alike = [steps for steps, tried in found.items() if tried.moved[level] <= most]
    return min(alike, key=lambda steps: (len(steps), -min(map(_tile, steps), default=0)))


def _tile(step: Transformation) -> int:
    return step.tile if isinstance(step, Cut) else 0


class _Search:
    """Tiles of one band, each put through the cache model once for all levels."""

    def __init__(self, region: Region, band: Band, hierarchy: Hierarchy, warm: bool, runs: _Runs) -> None:
        self._region, self.hierarchy, self._warm, self._runs = region, hierarchy, warm, runs
        self._band = band
        self._left = _RUNS_OF_A_SEARCH

    def best(self) -> Iterator[tuple[_Steps, Band]]:
        """Yield the tiles with the fewest bytes of each level, as far as they are worth it."""
        whole = self.moved(self._band)
        if whole is None:
            return
        found: dict[_Steps, _Tried] = {(): _Tried(self._band, whole)}
        start: _Steps = ()
        for _ in range(_ROUNDS):
            found |= self._round(start, found[start].band)
            best = _least(found, -1)
            if best == start:
                break
            start = best
        for steps in dict.fromkeys(_least(found, level) for level in range(len(whole))):
            less = zip(whole, found[steps].moved, strict=True)
            if steps and any(_WORTH * before > after for before, after in less):
                yield steps, found[steps].band

    def _round(self, steps: _Steps, band: Band) -> Mapping[_Steps, _Tried]:
        """Return what one more cut gives: of every loop in tiles of one size, of the best one in other sizes."""
        first, *others = TILES
        found: dict[_Steps, _Tried] = {}
        positions: dict[_Steps, tuple[int, int]] = {}
        for position in cuts_of(band):
            for step, tried in self._tried(band, position, first):
                found[(*steps, step)] = tried
                positions[(*steps, step)] = position
        if found:
            position = positions[_least(found, -1)]
            found |= {(*steps, step): tried for tile in others for step, tried in self._tried(band, position, tile)}
        return found

    def _tried(self, band: Band, position: tuple[int, int], tile: int) -> Iterator[tuple[Transformation, _Tried]]:
        made = with_cut(band, *position, tile)
        moved = None if made is None else self.moved(made[1])
        if made is not None and moved is not None:
            yield made[0], _Tried(made[1], moved)

    def moved(self, band: Band) -> Sequence[float] | None:
        """Return the bytes of each level; None where the nest cannot be laid out, and after the last run."""
        from ..traffic.program.program import NotNumeric
        from ..traffic.reuse.analytic import analytic_traffic
        from ..traffic.reuse.working_sets import working_set_traffic

        self._left -= 1
        if self._left < 0 or not self._runs.take(band, _BY_WORKING_SETS):
            return None
        region = replace(self._region, body=(band.nest,), arrays=(*self._region.arrays, *band.arrays))
        try:
            moves = working_set_traffic(region, self.hierarchy, warm=self._warm)
            if moves is None:
                moves = analytic_traffic(region, self.hierarchy, warm=self._warm)
        except (NotNumeric, OverBudget):
            return None
        return [float(level.sum()) for level in moves.read + moves.allocate + moves.written]
