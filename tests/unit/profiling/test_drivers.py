"""Loops that only repeat nests: each nest is a row of its own, also where data choose elements."""

from collections.abc import Iterator

import pytest

from roofline import estimate, source_text
from tests.oracle.cachesim import Cache, simulate


@pytest.mark.parametrize("kind", ["unsigned char", "int"])
def test_a_histogram_is_repeated_like_other_nests(kind):
    """The range of an index that data choose does not hang on the repetition, though the data may."""
    text = f"""static {kind} pixels[10000], found[10000];
    int main(void) {{
      int bins[256];
      for (int frame = 0; frame < 60; frame++) {{
        for (int i = 0; i < 10000; i++) found[i] = pixels[i];
        for (int i = 0; i < 256; i++) bins[i] = 0;
        for (int i = 0; i < 10000; i++) bins[found[i]]++;
      }}
      return bins[3];
    }}"""
    (region,) = estimate(source_text(text), "haswell").regions
    (frames,) = region.nests
    assert [nest.profile.span.line for nest in frames.nests] == [5, 6, 7]
    assert {nest.profile.repetitions for nest in frames.nests} == {60}


def test_the_iteration_of_a_window_is_that_of_rows_longer_than_the_window():
    """Of w iterations w - 2 r - 1 take an element off again, which no growth of both alike shows."""
    text = """void f(const int *restrict a, int *restrict b, int w, int r) {
      int s = 0;
      for (int x = 0; x < w; x++) { s += a[x]; if (x >= 2*r+1) s -= a[x-2*r-1]; b[x] = s; }
    }"""
    (region,) = estimate(source_text(text), "haswell").regions
    iteration = region.nests[0].profile.per_iteration
    assert {key.operation.value: number for key, number in iteration.operations.items()} == {"add": 1, "sub": 1}
    assert iteration.load_bytes == 8


def test_equal_loops_with_other_counters_run_their_nests_as_often():
    """In three of five steps, whatever the counter is called: the domains of equal loops are one."""
    steps = "for (int {0} = 0; {0} < 5; {0}++) {{ if ({0} % 2 == 0) {{ {1} }} else {{ {2} }} }}"
    nests = [f"for (int i = 0; i < 1000; i++) {array}[i] *= 2;" for array in "ab"]
    text = "".join(steps.format(counter, *nests) for counter in "tu")
    (region,) = estimate(source_text(f"void f(double *restrict a, double *restrict b) {{ {text} }}")).regions
    inner = [nest for driver in region.nests for nest in driver.nests]
    assert [nest.profile.repetitions for nest in inner] == [3, 2, 3, 2]
    assert [nest.profile.distinct.traffic.read_bytes.estimate.evaluate({}) for nest in inner] == [24000, 16000] * 2


ALTERNATING = """
struct Grid {{ int n; double *a, *b; }};
static double sum(struct Grid *g) {{ double s = 0; for (int i = 0; i < g->n; i++) s += g->a[i]; return s; }}
static void step(struct Grid *g) {{
  for (int i = 0; i < g->n; i++) g->b[i] = 0.5 * g->a[i];
  for (int i = 0; i < g->n; i++) g->a[i] = g->b[i] + 1.0;
  double *t = g->a; g->a = g->b; g->b = t;
}}
double run(double *a, double *b) {{
  struct Grid g = {{ 1000, a, b }};
  double s = 0;
  for (int t = 0; t < {steps}; t++) {{ step(&g); if (t % 10 == 0) s += sum(&g); }}
  return s;
}}
"""


@pytest.mark.parametrize(("steps", "sums"), [(50, 5), (51, 6), (3, 1)])
def test_buffers_that_change_places_are_repeated_and_a_sum_every_tenth_time(steps, sums):
    """Each of two loops has 1000 FLOPs and moves 8 kB in and 8 kB out a step, whichever buffer is which."""
    region = estimate(source_text(ALTERNATING.format(steps=steps)), "haswell").regions[-1]
    half, more, total = region.nests[0].nests
    assert [each.profile.repetitions for each in (half, more, total)] == [steps, steps, sums]
    assert [each.profile.work.flops.estimate.evaluate({}) for each in (half, more, total)] == [
        1000 * steps,
        1000 * steps,
        1000 * sums,
    ]
    moved = half.profile.compulsory_traffic
    assert (moved.read_bytes.estimate.evaluate({}), moved.write_bytes.estimate.evaluate({})) == (8000 * steps,) * 2


def test_stages_in_time_steps_are_repeated_as_their_product():
    """A nest that depends on the stage only by a coefficient of a table is one of each stage."""
    text = """static const double c[3] = { 0.5, 0.25, 0.125 };
    void f(double *u, double *k) {
      for (int t = 0; t < 40; t++) {
        for (int i = 0; i < 500; i++) k[i] = u[i];
        for (int s = 0; s < 3; s++) {
          for (int i = 0; i < 500; i++) k[i] = k[i] * 2.0;
          for (int i = 0; i < 500; i++) u[i] += c[s] * k[i];
        }
      }
    }"""
    (region,) = estimate(source_text(text), "haswell").regions
    (steps,) = region.nests
    assert [(each.profile.span.line, each.profile.repetitions) for each in steps.nests] == [(4, 40), (6, 120), (7, 120)]
    flops = [each.profile.work.flops.estimate.evaluate({}) for each in steps.nests]
    assert flops == [0, 500 * 120, 2 * 500 * 120]


def test_a_table_that_data_choose_from_is_no_obstacle_to_a_step_every_tenth_time():
    """Of 20 steps 2 add up the table; what the indices are may depend on the step as it may elsewhere."""
    text = """static double t[1000], lut[256]; static int cell[1000];
    double f(void) {
      double s = 0;
      for (int step = 0; step < 20; step++) {
        for (int i = 0; i < 1000; i++) t[i] += lut[cell[i]];
        if (step % 10 == 0) for (int i = 0; i < 1000; i++) s += t[i];
      }
      return s;
    }"""
    (region,) = estimate(source_text(text), "haswell").regions
    assert [nest.profile.repetitions for nest in region.nests[0].nests] == [20, 2]


@pytest.mark.parametrize(
    ("condition", "sums"),
    [
        ("t >= 20 && t % 5 == 0", 20),  # 20, 25, ..., 115 after a warm-up
        ("t == 119", 1),
        ("t > 3 && t < 60 || t % 100 == 0", 58),  # 4 to 59, 0 and 100
    ],
)
def test_conditions_on_the_step_choose_the_nests_of_a_repetition(condition, sums):
    """Each step adds 1 to 1000 elements, which the caches hold from the first step on: a nest moves them once."""
    text = f"""static double a[1000];
    double f(void) {{
      double s = 0;
      for (int t = 0; t < 120; t++) {{
        for (int i = 0; i < 1000; i++) a[i] += 1.0;
        if ({condition}) for (int i = 0; i < 1000; i++) s += a[i];
      }}
      return s;
    }}"""
    (region,) = estimate(source_text(text), "haswell").regions
    step, total = region.nests[0].nests
    assert [each.profile.repetitions for each in (step, total)] == [120, sums]
    assert [each.profile.work.flops.estimate.evaluate({}) for each in (step, total)] == [120_000, 1000 * sums]
    loaded = [each.traffic.models[0].levels[-1].read_bytes for each in (step, total)]
    assert [float(each.estimate.evaluate({})) for each in loaded] == [8_000, 0]


@pytest.mark.parametrize("steps", ["50", "n"])
def test_the_last_step_of_a_given_number_is_one_of_those_that_add_up(steps):
    """Of 50 steps 0, 10, 20, 30, 40 and 49 do, also where the 50 is the value of a symbol: each loads 8 kB anew."""
    text = ALTERNATING.replace("t % 10 == 0", "t == {steps} - 1 || t % 10 == 0").replace("*b)", "*b, int n)")
    sizes = {"n": 50} if steps == "n" else {}
    (*_, region) = estimate(source_text(text.format(steps=steps)), "haswell", sizes=sizes).regions
    total = region.nests[0].nests[-1].profile
    assert total.repetitions == 6
    assert total.work.flops.estimate.evaluate(total.values) == 6_000
    assert total.compulsory_traffic.read_bytes.estimate.evaluate(total.values) == 48_000


CIRCLE = """double rows[3][4096];
double f(void) {{
  double s = 0;
  for (int t = 0; t < 30; t++) {{
    double *next = rows[(t + 1) % 3], *now = rows[t % 3], *last = rows[(t + 2) % 3];
    for (int i = 0; i < 4096; i++) next[i] = 2.0 * now[i] - last[i];
    if (t % {every} == {at}) for (int i = 0; i < 4096; i++) s += next[i];
  }}
  return s;
}}"""


def circle(every: int, at: int) -> Iterator[tuple[int, bool, int]]:
    """Yield line, direction and bytes of each reference of ``CIRCLE``."""
    for t in range(30):
        following, now, last = ((t + more) % 3 * 512 for more in (1, 0, 2))
        for line in range(512):
            yield from ((now + line, False, 64), (last + line, False, 64), (following + line, True, 64))
        if t % every == at:
            yield from ((following + line, False, 64) for line in range(512))


@pytest.mark.parametrize(("every", "at"), [(7, 0), (7, 6), (100, 0)])
@pytest.mark.parametrize("kib", [48, 128])
def test_three_rows_in_a_circle_move_what_a_simulated_cache_moves(every, at, kib):
    """Rows that stay in the cache are written back once, not in each repetition like the first to store them."""
    region = estimate(source_text(CIRCLE.format(every=every, at=at)), hierarchy=f"L1:{kib}KiB").regions[-1]
    nests = region.nests[0].nests
    assert [nest.profile.repetitions for nest in nests] == [30, 30 // every + (30 % every > at)]
    levels = [nest.traffic.models[0].levels[-1] for nest in nests]
    parts = [part for each in levels for part in (each.read_bytes, each.write_allocate_bytes, each.write_bytes)]
    simulated = simulate(circle(every, at), Cache(kib * 1024))
    moved = simulated.bytes_from_below + simulated.bytes_to_below_with_flush
    assert sum(part.estimate.evaluate({}) for part in parts) == moved
