"""Lines of code that a core fetches, and translations that it waits for."""

import pytest
from msgspec.structs import replace

from roofline import estimate
from roofline.catalog import find_machine
from roofline.estimation import source_text
from roofline.model.expectation.code.fetching import fetched_cycles
from roofline.model.expectation.memory.pages import Walks, jumps_of_nests, walks_of

ZEN = find_machine("epyc-7763")
assert ZEN.core is not None
WALK_S = 60e-9
GATHER = """double f(int *restrict p, double *restrict a) { double s = 0;
  for (int i = 0; i < N; i++) s += a[p[i]]; return s; }"""
COLUMNS = """double f(int n, double *restrict a) { double s = 0;
  for (int j = 0; j < 600; j++) for (int i = 0; i < n; i++) s += a[i * 600 + j]; return s; }"""


def test_a_loop_of_one_cycle_takes_two_across_lines():
    """Four instructions and their control are 27 bytes: of starts at 0, 16, 32 and 48 only the last one crosses."""
    assert fetched_cycles(ZEN, 1.0, 4, 0) == pytest.approx(5 / 4)
    assert fetched_cycles(ZEN, 2.0, 4, 0) == 2
    assert fetched_cycles(ZEN, 1.0, 4, 1) == pytest.approx(9 / 4)  # a branch that is taken ends a line


def test_wider_cores_fetch_ahead_and_those_of_intel_up_to_a_branch_that_is_taken():
    assert fetched_cycles(find_machine("epyc-9r45"), 1.0, 4, 2) == 1
    assert fetched_cycles(find_machine("haswell"), 1.0, 4, 0) == 1
    assert fetched_cycles(find_machine("haswell"), 1.0, 4, 2) == 3  # two inside, and that of the loop


def walks(text, sizes, lines=1e9):
    machine = replace(ZEN, memory=replace(ZEN.memory, page_walk_s=WALK_S))
    (region,) = estimate(source_text(text), machine, sizes=sizes, cores=1).regions
    return walks_of(region.profile, machine, lines, jumps_of_nests(region.profile, machine))


def test_elements_that_data_choose_beyond_known_pages_wait():
    """4 million places of 48 MB, of which 2048 pages reach 8.4 MB; twelve walks overlap."""
    found = walks(GATHER.replace("N", "4000000"), {})
    beyond = 1 - 2048 * 4096 / 48e6
    assert found.scattered_s == pytest.approx(4e6 * beyond * WALK_S / 12, rel=1e-3)
    assert found.each_s == pytest.approx(beyond * WALK_S, rel=1e-3)
    assert walks(GATHER.replace("N", "4000000"), {}, lines=0).scattered_s == 0


def test_a_column_of_more_pages_than_are_known_waits_for_each():
    """Rows of 4,800 bytes are a page each, their entries 9.4 bytes apart; three quarters of 2048 are known.

    The pages of 1,200 rows are come to once, with at most as many again for what is at the ends of rows.
    """
    apart = 1.15 + 0.45 * 8 * 4800 / 4096 / 64
    assert walks(COLUMNS, {"n": 2000}).strided_s == pytest.approx(600 * 2000 * apart * WALK_S / 12, rel=2e-3)
    half = (1536 / 1536 - 0.8) / 0.45  # of all pages are walked to while there are as many as are known
    assert walks(COLUMNS, {"n": 1536}).strided_s == pytest.approx(half * 600 * 1536 * apart * WALK_S / 12, rel=5e-3)
    assert walks(COLUMNS, {"n": 1200}).strided_s < 2 * 1407 * 1.6 * WALK_S / 12


def test_what_a_machine_states_of_columns_and_pages_decides():
    """8 ns with entries 16 bytes apart; of 1,200 rows all wait where 960 pages are known in turn."""
    memory = replace(ZEN.memory, page_walk_s=WALK_S, column_walk_s=8e-9, tlb_pages=960)
    (region,) = estimate(source_text(COLUMNS), ZEN, sizes={"n": 1200}, cores=1).regions
    machine = replace(ZEN, memory=memory)
    found = walks_of(region.profile, machine, 1e9, jumps_of_nests(region.profile, machine))
    apart = 1.15 + 0.45 * 8 * 4800 / 4096 / 64
    assert found.strided_s == pytest.approx(600 * 1200 * apart * 8e-9 / (1.15 + 0.45 / 4), rel=2e-3)


def test_walks_of_elements_that_data_choose_take_buffers_for_misses():
    """24 of an AMD core: of walks of 480 ns one ends every 20, not every 6.6 as in a column."""
    memory = replace(ZEN.memory, page_walk_s=480e-9, column_walk_s=8e-9, tlb_pages=1000)
    (region,) = estimate(source_text(GATHER.replace("N", "4000000")), ZEN, sizes={}, cores=1).regions
    found = walks_of(region.profile, replace(ZEN, memory=memory), 1e9, ())
    assert found.scattered_s == pytest.approx(4e6 * found.each_s / 24)
    assert found.each_s == pytest.approx(480e-9, rel=0.15)


def test_a_cube_in_reverse_comes_to_all_of_its_pages_for_each_i():
    """150 x 150 rows of 1,200 bytes; 150 pages are known, those of 150 j are not: 0.29 new ones for each element."""
    text = """void f(int n, double a[n][n][n]) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) a[k][j][i] *= 0.5; }"""
    pages = 150 * (1 + 149 * 1200 / 4096)
    apart = 1.15 + 0.45 * 8 / 64
    assert walks(text, {"n": 150}).strided_s == pytest.approx(150 * pages * apart * WALK_S / 12, rel=1e-2)


def jumps(text, sizes):
    (region,) = estimate(source_text(text), ZEN, sizes=sizes, cores=1).regions
    return [(jump.array, jump.piece_bytes, jump.per_line) for jump in jumps_of_nests(region.profile, ZEN)]


def test_rows_of_a_tile_are_pieces_and_whole_rows_are_streams():
    """Of b each element is one, of a the 64 elements of a tile, of which a line has 8."""
    tiled = """void f(int n, double a[restrict n][n], double b[restrict n][n]) { for (int t = 0; t < n; t += 64)
      for (int i = 0; i < n; i++) for (int j = t; j < t + 64; j++) b[j][i] = a[i][j]; }"""
    assert jumps(tiled, {"n": 4096}) == [("a", 512, 8), ("b", 8, 1)]
    whole = tiled.replace("t += 64", "t += n").replace("t + 64", "n")
    assert [array for array, *_ in jumps(whole, {"n": 4096})] == ["b"]


def expected_cycles(rows, n):
    text = f"""void f(int n, double a[restrict n][n], double b[restrict n][n]) {{ for (int i = 0; i < n; i += {rows})
      for (int j = 0; j < n; j += {rows}) for (int k = i; k < i + {rows}; k++) for (int l = j; l < j + {rows}; l++)
        a[l][k] = b[k][l]; }}"""
    (region,) = estimate(source_text(text), ZEN, sizes={"n": n}, cores=1).regions
    expected = region.projections[0].expected
    assert expected is not None
    return expected.time.value * ZEN.clock_hz / n**2


def test_a_row_of_a_tile_that_is_written_out_takes_no_more_of_the_window_for_each_element():
    """Transposes of 4,128 rows on a Zen 3 in cycles of an element, the quarter of the shortest of parts of 32 rows.

    Tiles of 8 took 12.6, of 16 13.7, of 32 12.5; gcc -O3 writes rows of 8 and 16 out.  Copies took 4.5 in the same run.
    """
    measured = {8: 12.6, 16: 13.7, 32: 12.5}
    found = {rows: expected_cycles(rows, 4128) for rows in measured}
    for rows in (8, 16):
        assert found[rows] / found[32] == pytest.approx(measured[rows] / measured[32], rel=0.35)


def test_machines_that_state_no_walks_have_none():
    (region,) = estimate(source_text(COLUMNS), ZEN, sizes={"n": 4000}, cores=1).regions
    assert walks_of(region.profile, ZEN, 1e9, jumps_of_nests(region.profile, ZEN)) == Walks()


def test_loops_that_no_buffer_holds_take_a_cycle_for_each_block_of_code():
    """Three instructions and their control are 22.5 bytes: in one block of 32 of a Skylake, or across two."""
    assert fetched_cycles(find_machine("xeon-6148"), 1.25, 3, 0) == pytest.approx((1.25 + 2) / 2)
    assert fetched_cycles(find_machine("haswell"), 1.25, 3, 0) == 1.25


def test_ivy_bridge_starts_each_iteration_of_a_short_loop_in_a_cycle_of_its_own():
    """Five instructions at four a cycle take two (Fog, loop buffer of Sandy Bridge); long loops do not wait."""
    assert fetched_cycles(find_machine("ivb"), 1.25, 3, 0) == 2
    assert fetched_cycles(find_machine("ivb"), 10.25, 39, 0) == 10.25
