"""Working sets against exact simulation of caches, of nests in tiles that were skewed and cut by hand."""

import pytest

from analyzer.bounds.lower_bound import lower_bound_of
from analyzer.domains.statement_domains import statement_domains_of
from analyzer.ir.passes.substitute import bind
from analyzer.profiling.counting.profiler import profile_region
from analyzer.traffic.hierarchy import parse_hierarchy
from analyzer.traffic.program.layout import lay_out
from analyzer.traffic.reuse.working_sets import working_set_traffic
from analyzer.traffic.simulation.simulate import simulate

from ....lowering import lower
from ...transformations.test_boxes import memory_after

SHEET, CUBE = "[n][n]", "[n][n][n]"
STENCILS = {  # arrays, what each iterator is skewed by, and the sweeps of a step, the second one later by 1
    "jacobi-1d": (
        "double A[n], B[n];",
        {"i": "2 * t"},
        ["B[i] = A[i - 1] + A[i] + A[i + 1];", "A[i] = B[i - 1] + B[i] + B[i + 1];"],
    ),
    "jacobi-2d": (
        f"double A{SHEET}, B{SHEET};",
        {"i": "2 * t", "j": "2 * t"},
        [
            "B[i][j] = A[i - 1][j] + A[i][j - 1] + A[i][j] + A[i][j + 1] + A[i + 1][j];",
            "A[i][j] = B[i - 1][j] + B[i][j - 1] + B[i][j] + B[i][j + 1] + B[i + 1][j];",
        ],
    ),
    "seidel-2d": (
        f"double A{SHEET};",
        {"i": "t", "j": "2 * t + i"},
        ["A[i][j] = A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j] + A[i + 1][j - 1] + A[i + 1][j + 1];"],
    ),
    "heat-3d": (
        f"double A{CUBE}, B{CUBE};",
        {"i": "2 * t", "j": "2 * t", "k": "2 * t"},
        [
            "B[i][j][k] = A[i-1][j][k] + A[i+1][j][k] + A[i][j-1][k] + A[i][j+1][k] + A[i][j][k-1] + A[i][j][k+1];",
            "A[i][j][k] = B[i-1][j][k] + B[i+1][j][k] + B[i][j-1][k] + B[i][j+1][k] + B[i][j][k-1] + B[i][j][k+1];",
        ],
    ),
}
CASES = {  # n, steps; steps and side of a tile; a cache that it fills; what of the simulated bytes the model gives
    "jacobi-1d": ((3000, 60), (16, 200), "L1:4KiB", (0.99, 1.1)),
    "jacobi-2d": ((100, 16), (8, 24), "L1:17KiB", (0.99, 1.2)),
    "seidel-2d": ((100, 16), (8, 24), "L1:18KiB", (0.99, 1.1)),
    "heat-3d": ((28, 8), (4, 10), "L1:48KiB", (0.99, 1.5)),
}


def plain(name):
    arrays, skews, sweeps = STENCILS[name]
    loops = " ".join(f"for ({each} = 1; {each} < n - 1; {each}++)" for each in skews)
    return f"{arrays} for (t = 0; t < m; t++) {{ {' '.join(f'{loops} {sweep}' for sweep in sweeps)} }}"


def in_tiles(name, steps, side):
    """The stencil in tiles of so many steps, and of this side in each direction of its skewed iterators."""
    arrays, skews, sweeps = STENCILS[name]
    tiles = " ".join(f"for ({each * 2} = 1; {each * 2} < 2 * n + 2 * m; {each * 2} += {side})" for each in skews)
    body = ""
    for late, sweep in enumerate(sweeps):
        for each, skew in skews.items():
            low = f"{each * 2} - {late} - ({skew})"
            high = f"{low} + {side}"
            body += f"for ({each} = {low} > 1 ? {low} : 1; {each} < ({high} < n - 1 ? {high} : n - 1); {each}++) "
        body += sweep
    step = f"for (t = tt; t < (tt + {steps} < m ? tt + {steps} : m); t++) {{ {body} }}"
    return f"{arrays} for (tt = 0; tt < m; tt += {steps}) {tiles} {step}"


def region_of(text, **sizes):
    (region,) = lower(text).regions
    return bind(region, sizes)


@pytest.mark.parametrize("name", STENCILS)
def test_skewed_tiles_compute_the_same(name):
    sizes = {"n": 9 if name == "heat-3d" else 14, "m": 5}
    assert memory_after(region_of(in_tiles(name, 2, 4), **sizes)) == memory_after(region_of(plain(name), **sizes))


@pytest.mark.parametrize("name", STENCILS)
def test_skewed_tiles_move_what_a_simulation_says_and_no_less_than_any_order_has_to(name):
    (n, m), tile, cache, (low, high) = CASES[name]
    region, hierarchy = region_of(in_tiles(name, *tile), n=n, m=m), parse_hierarchy(cache)
    model = working_set_traffic(region, hierarchy, warm=False)
    found = simulate(lay_out(region), hierarchy, budget=10**8)
    moved = [float(found.filled[0]) * 64, float(found.written[0].sum()) * 64]
    assert found.exact
    assert low < float((model.read + model.allocate).sum()) / moved[0] < high
    assert low < float(model.written.sum()) / moved[1] < high
    source = region_of(plain(name))
    bound = lower_bound_of(statement_domains_of(source).statements, profile_region(source).footprint, {})
    assert bound.bytes({"n": n, "m": m}, hierarchy.levels[0].capacity_bytes) < sum(moved)
    plainly = simulate(lay_out(region_of(plain(name), n=n, m=m)), hierarchy, budget=10**8)
    assert moved[0] < 0.5 * float(plainly.filled[0]) * 64  # it is worth it


@pytest.mark.parametrize(("row", "tile"), [(264, 16), (256, 2), (256, 16), (256, 48)])
def test_lines_that_crowd_in_a_few_sets_are_found_again_by_no_loop(row, tile):
    """Rows of 2,112 bytes go through the 16 sets of L1 one by one, those of 2,048 all fall in one, with 4 ways."""
    text = f"""double A[256][{row}], B[256][{row}];
      for (k = 0; k < 256; k += {tile}) for (i = 0; i < 256; i++)
        for (j = k; j < (k + {tile} < 256 ? k + {tile} : 256); j++) B[j][i] = A[i][j];"""
    region, hierarchy = region_of(text), parse_hierarchy("L1:4KiB/4")
    model = working_set_traffic(region, hierarchy, warm=False)
    found = simulate(lay_out(region), hierarchy, budget=10**8)
    assert found.exact
    assert float((model.read + model.allocate).sum()) == pytest.approx(64 * float(found.filled[0]), rel=0.25)
