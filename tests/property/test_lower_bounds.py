"""No legal order of a drawn nest's operations loads less than the bound of the nest."""

import random

from hypothesis import assume, given
from hypothesis import strategies as st

from analyzer.bounds.lower_bound import lower_bound_of
from analyzer.domains.limits import deadline
from analyzer.domains.statement_domains import statement_domains_of
from analyzer.profiling.counting.options import ProfileOptions
from analyzer.profiling.counting.profiler import profile_region

from ..lowering import lower
from ..oracle.nests import Opacity, nest_of_seed
from ..oracle.reordered import in_flight, moves, operations, reordered

CAPACITIES = (4, 16)
WITHIN_S = 0.3
SUBSCRIPTS = ("i", "j", "k", "i - 1", "j + 1", "i - j + 9", "k - 1", "i + k", "1")


def check(region, sizes, seed):
    with deadline(WITHIN_S):
        footprint = profile_region(region, ProfileOptions(seconds=WITHIN_S)).footprint
        found = lower_bound_of(statement_domains_of(region).statements, footprint, {})
    assume(found is not None)
    some = operations(region, sizes)
    assume(some)
    chance, room = random.Random(seed), in_flight(some)
    for number in range(3):
        order = reordered(some, chance) if number else some
        for capacity in CAPACITIES:
            loaded, stored = moves(order, capacity)
            assert loaded * 8 >= found.load_bytes(sizes, 8 * (capacity + room))
            assert (loaded + stored) * 8 >= found.bytes(sizes, 8 * (capacity + room))


@given(st.integers(0, 10**6))
def test_sums_and_stencils_of_three_loops(seed):
    draw = random.Random(seed)

    def element():
        return f"{draw.choice('abc')}[{draw.choice(SUBSCRIPTS)}][{draw.choice(SUBSCRIPTS)}]"

    def loop(counter, outer):
        start, stop = draw.choice([("1", "n"), ("1", "n"), (outer, "n"), ("1", f"{outer} + 1")])
        return f"for ({counter} = {start}; {counter} < {stop}; {counter}++)"

    statements = []
    for _ in range(draw.randint(1, 2)):
        target = element()
        operator = draw.choice(("+=", "="))
        statements.append(f"{target} {operator} {' * '.join(element() for _ in range(draw.randint(1, 3)))};")
    inner = f"for (k = 1; k < n; k++) {{ {' '.join(statements)} }}"
    text = f"double a[40][40], b[40][40], c[40][40]; for (i = 1; i < n; i++) {loop('j', 'i')} {inner}"
    (region,) = lower(text).regions
    check(region, {"n": draw.randint(4, 8)}, seed)


@given(st.integers(0, 10**6))
def test_stencils_of_drawn_steps(seed):
    draw = random.Random(seed)
    steps = {(draw.randint(0, 1), draw.randint(-1, 2)) for _ in range(draw.randint(2, 5))}
    steps = sorted(step for step in steps if step > (0, 0))
    assume(steps)
    in_place = draw.random() < 0.5
    reads = " + ".join(f"a[i - {step}]" if in_place else f"a[t - {one}][i - {step}]" for one, step in steps)
    target, array = ("a[i]", "a[90]") if in_place else ("a[t][i]", "a[90][90]")
    loops = "for (t = 1; t < m; t++) for (i = 2; i < n - 1; i++)"
    (region,) = lower(f"double {array}; {loops} {target} = {reads} + 1.0;").regions
    check(region, {"n": draw.randint(20, 70), "m": draw.randint(20, 70)}, seed)


@given(st.integers(0, 10**6))
def test_drawn_regions(seed):
    nest = nest_of_seed(seed, Opacity(conditions=bool(seed % 2)))
    try:
        check(nest.region, nest.sizes[0], seed)
    except NotImplementedError:  # loops that the walk of the test does not know
        assume(False)
