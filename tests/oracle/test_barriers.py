"""What is held in registers across barriers and stores, against machine code."""

import pytest

from tests.oracle.barriers import KINDS, drawn, drawn_loops, executed, predicted
from tests.oracle.sass.toolchain import MISSING, toolchain

LOOP = "\n#pragma unroll 1\nfor (int k = 0; k < 5; k++) "
CASES = [
    # what other threads may change is loaded again behind any barrier, what none can is not
    ("s += z[i]; s += z[i];", (2, 1, 1, 1)),
    ("s += z[i]; __syncthreads(); s += z[i];", (3, 1, 1, 1)),
    ("s += z[i]; __syncwarp(); s += z[i];", (3, 1, 1, 1)),
    ("s += z[i]; __threadfence(); s += z[i];", (3, 1, 1, 1)),
    ("s += y[i]; __syncthreads(); s += y[i];", (2, 1, 1, 1)),
    ("s += q[t]; __syncthreads(); s += q[t];", (1, 1, 3, 1)),
    ("x[i] = s; __threadfence_block(); x[i] = s;", (1, 3, 1, 1)),
    # a store is loaded again, or makes an earlier one superfluous, unless another element may be the same one
    ("q[t] = s; s += q[t];", (1, 1, 1, 2)),
    ("q[t] = s; __syncthreads(); s += q[t];", (1, 1, 2, 2)),
    ("s += q[t]; q[31 - t] = s; s += q[t];", (1, 1, 3, 2)),
    ("q[t] = s; q[31 - t] = s; q[t] = s;", (1, 1, 1, 3)),
    ("q[t] = s; s += q[31 - t]; q[t] = s;", (1, 1, 2, 3)),
    # what a loop does not change is loaded before it and stored behind it, and known around it
    (LOOP + "{ s += 1; s += z[i]; } s += z[i];", (2, 1, 1, 1)),
    (LOOP + "{ s += 1; s += z[i]; __syncthreads(); }", (6, 1, 1, 1)),
    (LOOP + "{ s += 1; q[t] = s; }", (1, 1, 1, 2)),
    (LOOP + "{ s += 1; q[t] = s; __syncthreads(); }", (1, 1, 1, 6)),
    # the end of an iteration leaves to the next one and to what is behind the loop
    (LOOP + "{ s += 1; s += z[i]; __syncthreads(); s += z[i]; }", (7, 1, 1, 1)),
    ("s += z[i]; " + LOOP + "{ s += 1; s += z[i]; __syncthreads(); s += z[i]; }", (7, 1, 1, 1)),
    (LOOP + "{ s += 1; __syncthreads(); s += z[i]; } s += z[i];", (6, 1, 1, 1)),
    (LOOP + "{ s += 1; s += q[t]; __syncthreads(); q[t] = s; }", (1, 1, 2, 6)),
    (LOOP + "{ s += 1; s += q[t]; q[31 - t] = s; s += q[t]; } s += q[t];", (1, 1, 7, 6)),
    (LOOP + "{ s += 1; q[t] = s; s += q[t]; s += q[(t + k) % 32]; }", (1, 1, 6, 6)),
    (LOOP + "{ s += 1; q[31 - t] = s; __syncthreads(); } q[31 - t] = s;", (1, 1, 1, 7)),
    ("q[t] = s; " + LOOP + "{ s += 1; q[t] = s; s += y[i]; }", (2, 1, 1, 3)),
    # nothing is hoisted ahead of a fence; what never changes is known behind one
    (LOOP + "{ s += 1; __threadfence_block(); s += y[i]; }", (6, 1, 1, 1)),
    (LOOP + "{ s += 1; s += y[i]; __threadfence_block(); }", (2, 1, 1, 1)),
    ("s += y[i]; " + LOOP + "{ s += 1; __threadfence(); s += y[i]; }", (2, 1, 1, 1)),
]
NEEDS_TOOLS = pytest.mark.skipif(toolchain() is None, reason=MISSING)


@pytest.mark.parametrize(("steps", "instructions"), CASES)
def test_loads_and_stores_at_barriers_are_those_of_the_compiler(steps, instructions):
    assert dict(zip(KINDS, predicted(steps), strict=True)) == dict(zip(KINDS, instructions, strict=True))


@NEEDS_TOOLS
@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_the_cases_are_those_of_the_compiler(arch):
    assert executed(toolchain(), [steps for steps, _ in CASES], arch) == [found for _, found in CASES]


@NEEDS_TOOLS
def test_no_more_is_counted_than_the_compiler_leaves_in_drawn_kernels():
    """Where it leaves more, a store to ``x`` may change ``z``, which the report says that it leaves out (AI302)."""
    bodies = [drawn(seed) for seed in range(60)]
    pairs = list(zip(executed(toolchain(), bodies, "sm_80"), map(predicted, bodies), strict=True))
    assert all(mine <= its for theirs, ours in pairs for its, mine in zip(theirs, ours, strict=True))
    assert sum(theirs == ours for theirs, ours in pairs) >= 54


@NEEDS_TOOLS
def test_most_drawn_kernels_with_loops_have_the_requests_of_the_machine_code():
    """All but those in which a store to ``x`` may change ``z``, of which the compiler leaves more."""
    bodies = [drawn_loops(seed) for seed in range(40)]
    pairs = list(zip(executed(toolchain(), bodies, "sm_80"), map(predicted, bodies), strict=True))
    known = [(theirs, ours) for theirs, ours in pairs if theirs is not None]
    assert all(mine <= its for theirs, ours in known for its, mine in zip(theirs, ours, strict=True))
    assert sum(theirs == ours for theirs, ours in known) >= 34
