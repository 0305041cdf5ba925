"""Properties of the bytes between caches, on loops of random shape."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analyzer.ir.passes.substitute import bind
from analyzer.traffic.hierarchy import CacheLevel, Hierarchy
from analyzer.traffic.program.layout import lay_out
from analyzer.traffic.program.lines.lines import LineCounts, Lines
from analyzer.traffic.reuse.analytic import analytic_traffic
from analyzer.traffic.reuse.strata import Strata
from analyzer.traffic.simulation.simulate import simulate

from ..lowering import lower

LINE = 64
SHAPES = (
    "for (i = 0; i < n; i++) for (j = 0; j < m; j++) b[i][j] = a[i][j] + a[i + p][j];",
    "for (i = 0; i < n; i++) for (j = 0; j < m; j++) b[j][i] = a[i][j];",
    "for (i = 0; i < n; i++) for (j = 0; j <= i; j++) for (k = 0; k < m; k++) b[i][j] += a[i][k] * a[j][k];",
    "for (t = 0; t < 3; t++) for (i = 1; i < n; i++) for (j = 1; j < m; j++) a[i][j] += a[i - 1][j] + a[i][j - 1];",
    "for (i = 0; i < n; i++) for (j = 0; j < m; j++) b[i][j] = 1; for (i = n - 1; i >= 0; i--) s += b[i][p];",
    "for (i = 0; i < n; i++) for (j = i; j < m; j += 2) if ((i + j) % 3) b[i][j] = a[j][i] + b[i][p];",
    "for (u = 0; u < n; u += 8) for (i = 0; i < m; i++)"
    " for (j = u; j < (u + 8 < n ? u + 8 : n); j++) b[j][i] = a[i][j];",
)
LOOPS = st.sampled_from(SHAPES)
SIZES = st.fixed_dictionaries({"n": st.integers(1, 40), "m": st.integers(1, 40), "p": st.integers(0, 7)})
# Each holds all that the one before it holds: more lines, or no fewer sets and ways (Mattson et al., 1970).
GROWING = (((16, None), (64, None), (1024, None)), ((32, 4), (64, 4), (128, 8)), ((32, 4), (64, 8), (256, 8)))
PITCH = st.sampled_from((48, 50, 61, 64))


def region(loops, sizes, pitch):
    (found,) = lower(f"double a[{pitch}][{pitch}], b[{pitch}][{pitch}], s; {loops}", defines=sizes).regions
    return bind(found, {symbol.name: symbol.value for symbol in found.symbols if symbol.value is not None})


def moved(found, *levels):
    """Lines filled and written, by level."""
    moves = analytic_traffic(found, Hierarchy(tuple(levels)), warm=False)
    return (moves.read + moves.allocate).sum(axis=1) / LINE, moves.written.sum(axis=1) / LINE


def cache(lines, ways=None):
    return CacheLevel(f"C{lines}", lines * LINE, ways)


@given(LOOPS, SIZES, PITCH, st.sampled_from(GROWING))
def test_a_cache_that_holds_more_misses_no_more(loops, sizes, pitch, shapes):
    """Each level before :func:`analytic_traffic` limits it to what the level inside it moves."""
    caches = [cache(lines, ways) for lines, ways in shapes]
    misses = Strata(lay_out(region(loops, sizes, pitch)), caches).misses()
    for lines in (misses.read + misses.allocate, misses.written):
        assert (np.diff(lines.sum(axis=0)) <= 1e-6).all()


@given(LOOPS, SIZES, PITCH)
def test_an_infinite_cache_loads_every_line_once(loops, sizes, pitch):
    found = region(loops, sizes, pitch)
    filled, written = moved(found, cache(1 << 20))
    program = lay_out(found)
    arrays = {reference.array for leaf in program.leaves for reference in leaf.references}
    for total, writes in ((filled, False), (written, True)):
        counts = (LineCounts(program, array, LINE, writes=writes) for array in arrays)
        assert total[0] == sum(count(Lines(program.children, 0)) for count in counts)


@given(LOOPS, SIZES, PITCH, st.sampled_from((16, 64, 256)), st.sampled_from((None, 4, 8)))
def test_misses_are_those_of_a_simulation(loops, sizes, pitch, lines, ways):
    found = region(loops, sizes, pitch)
    level = cache(lines, ways)
    filled, written = moved(found, level)
    truth = simulate(lay_out(found), Hierarchy((level,)))
    assert truth.exact
    # A few drawn pairs decide where distances are about as long as the cache is large.
    assert abs(filled[0] - truth.filled[0]) <= 4 + 0.15 * truth.filled[0]
    assert abs(written[0] - truth.written_back[0]) <= 4 + 0.2 * max(truth.written_back[0], truth.filled[0])
