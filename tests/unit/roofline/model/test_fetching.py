"""Lines of code that a core fetches, and translations that it waits for."""

import pytest
from msgspec.structs import replace

from roofline import estimate
from roofline.catalog import find_machine
from roofline.estimation import source_text
from roofline.model.expectation.code.fetching import fetched_cycles
from roofline.model.expectation.memory.arrival import Reach, Served, jumped_seconds
from roofline.model.expectation.memory.jumps import Jump
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


def share_of_walks(row_bytes, rows, machine=ZEN):
    """Return the walks of each load of a column, down eight elements of a line, on a machine that states 8 ns."""
    text = """double f(double *restrict a) { double s = 0; for (int j = 0; j < 8; j++) for (int i = 0; i < ROWS; i++)
      s += a[i * STEP + j]; return s; }""".replace("ROWS", str(rows)).replace("STEP", str(row_bytes // 8))
    (region,) = estimate(source_text(text), machine, sizes={}, cores=1).regions
    machine = replace(machine, memory=replace(machine.memory, column_walk_s=8e-9, tlb_pages=2048))
    (jump,) = jumps_of_nests(region.profile, machine)
    return jump.walks / (8 * rows)


@pytest.mark.parametrize(("pages", "known", "walked"), [(2, 512, 2048), (4, 256, 1024), (8, 128, 512), (16, 64, 256)])
def test_rows_of_a_power_of_two_of_pages_share_sets_of_the_tlb(pages, known, walked):
    """A Zen 3, ns of a load from L3 in rows of 8,192 bytes: 3.4 of 512 rows, 6.9 of 1,024 with other pages in use.

    In 16,384: 3.8 of 256, 8.2 of 1,024; 32,768: 3.9 of 256, 9.1 of 1,024; 65,536: 3.9 of 128, 7.8 of 512.  In rows that
    are 64 bytes longer none of 512 waits (0.8 ns from L2).
    """
    assert share_of_walks(pages * 4096, known) == 0
    assert share_of_walks(pages * 4096, walked) == pytest.approx(1)
    assert share_of_walks(pages * 4096 + 64, 512) == 0
    intel = find_machine("xeon-6148")
    assert share_of_walks(pages * 4096, walked, intel) == (0 if walked < 1600 else pytest.approx(4 / 9, abs=0.01))


def test_loops_that_tile_move_what_the_loops_inside_begin_at():
    """Each tile comes to 32 new rows: with 2,048 rows of 16,448 bytes all are new again in the next column of tiles."""
    text = """void f(double a[restrict 2048][2056], double b[restrict 2048][2056]) {
      for (int k = 0; k < 2048; k += 32) for (int l = 0; l < 2048; l += 32)
        for (int i = k; i < k + 32; i++) for (int j = l; j < l + 32; j++) b[j][i] = a[i][j]; }"""
    (region,) = estimate(source_text(text), ZEN, sizes={}, cores=1).regions
    machine = replace(ZEN, memory=replace(ZEN.memory, column_walk_s=8e-9, tlb_pages=1536))
    rows, columns = jumps_of_nests(region.profile, machine)
    assert rows.array == "a"
    assert rows.walks < 0.1 * columns.walks
    assert columns.walks == pytest.approx(64 * 2048, rel=0.1)


def lines_alone(rows):
    """Return the share of lines of a panel of so many rows, column by column, that no prefetcher brings."""
    text = """double f(double a[restrict ROWS][4104]) { double s = 0; for (int j = 0; j < 4104; j++)
      for (int i = 0; i < ROWS; i++) s += a[i][j]; return s; }""".replace("ROWS", str(rows))
    (region,) = estimate(source_text(text), ZEN, sizes={}, cores=1).regions
    return next(jump.lines_alone for jump in jumps_of_nests(region.profile, ZEN) if jump.array == "a")


def test_a_few_rows_side_by_side_are_streams():
    """A Zen 3 in memory, ns of a line: 8 rows 7.7, 16 rows 7.9, one stream 8.6, 32 rows 26, 64 rows 21."""
    assert lines_alone(8) == lines_alone(16) == pytest.approx(512 / (4104 * 8))
    assert lines_alone(32) == lines_alone(64) == 1


# Nanoseconds of a line, of 256 in a column whose pages are known: loads and stores, in rows of so many bytes.
OF_A_LINE = {
    ("L3", 4160): (1.02, 1.02), ("DRAM", 4160): (6.73, 6.69),
    ("L2", 8192): (1.57, 7.01), ("L3", 8192): (2.66, 5.09), ("DRAM", 8192): (13.7, 12.1),
}  # fmt: skip


@pytest.mark.parametrize("level", ["L2", "L3", "DRAM"])
@pytest.mark.parametrize("is_store", [False, True])
def test_lines_of_one_set_of_the_first_cache_take_longer(level, is_store):
    """Latencies of the core in the same run: 12.3 and 52 cycles at 3.0 GHz, 163 ns."""
    latencies = {"L1": 4.1, "L2": 12.3, "L3": 52.0}
    machine = replace(
        ZEN,
        levels=tuple(replace(each, latency_cycles=latencies[each.name] * ZEN.clock_hz / 3.0e9) for each in ZEN.levels),
        memory=replace(ZEN.memory, latency_s=163e-9),
    )
    for step in (4160, 8192):
        jump = Jump("a", is_store, is_store, 256, 8, 0, 8, 1, 1, 256, step, 1)
        served = [Served(level, 0, 1, 1, 0)]
        found = jumped_seconds(machine, served, [jump], [], Reach(2, float(is_store))) * 1e9
        if (level, step) in OF_A_LINE:
            assert found == pytest.approx(OF_A_LINE[level, step][is_store], rel=0.45)


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


BOXES = """void f(double (*restrict a)[4000], double (*restrict b)[4000]) {
  for (int jj = 0; jj < 4000; jj += 8) for (int ii = 0; ii < 4000; ii += 4)
    for (int i = FIRST; i < ii + 4; i++) for (int j = jj; j < jj + 8; j++) b[j][i] = a[i][j]; }"""


@pytest.mark.parametrize("first", ["ii", "(ii > 0 ? ii : 0)", "(ii > -9 ? ii : -9)"])
def test_boxes_with_a_limit_jump_as_those_without(first):
    """Elements of b are 32,000 bytes apart, 8 of them side by side; rows of a box of a have 64 bytes, 4 of them."""
    (region,) = estimate(source_text(BOXES.replace("FIRST", first)), ZEN, cores=1).regions
    found = {jump.array: jump for jump in jumps_of_nests(region.profile, ZEN)}
    assert (found["a"].piece_bytes, found["a"].in_turn, found["a"].step_bytes) == (64, 4, 32000)
    assert (found["b"].piece_bytes, found["b"].in_turn, found["b"].step_bytes) == (8, 8, 32000)
