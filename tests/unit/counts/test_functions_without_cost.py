"""FLOPs of machine code are known of functions that were measured; of others nothing is called exact."""

import pytest

from analyzer.counts.policy import load_policy
from analyzer.quantities.quantity import Exactness
from tests.unit.counts.test_cuda_snippets import HEAD, INDEX, profiles


def profile_of(call: str, policy: str):
    (profile,) = profiles(f"{HEAD} {INDEX} y[i] = 2.0f * {call}; }}", "k:grid=1,block=32", load_policy(policy))
    return profile


@pytest.mark.parametrize(
    ("call", "policy"),
    [
        ("acoshf(x[i])", "nvidia-sass"),
        ("normcdff(x[i])", "nvidia-sass"),
        ("j0f(x[i])", "nvidia-sass"),
        ("norm4df(x[i], w, w, w)", "nvcc-sm_90"),
    ],
)
def test_flops_of_a_function_that_was_not_measured_are_a_lower_bound(call, policy):
    """The product is all that is certain: 32 FLOPs; clang's code of acoshf has more than one."""
    profile = profile_of(call, policy)
    flops = profile.work.flops
    assert flops.exactness is Exactness.LOWER
    assert flops.lower.evaluate({}) == 32
    assert [each.exactness for each in profile.work.flops_by_precision.values()] == [Exactness.LOWER]
    (note,) = [each for each in profile.assumptions if each.code == "AI214"]
    assert "the policy has no cost for" in note.text
    assert profile.loads.bytes.is_exact  # as bytes do not depend on it


@pytest.mark.parametrize(
    ("call", "least", "most"),
    [
        ("norm4df(x[i], w, x[i], w)", 22, 22),
        ("modff(x[i], y + 64 + i)", 2, 2),
        ("scalbnf(x[i], n)", 5, 5),
    ],
)
def test_functions_that_were_measured_for_nvcc(call, least, most):
    """FLOPs of a thread, with the product: machine code of nvcc 13.0.88 for sm_80, run on drawn arguments."""
    flops = profile_of(call, "nvcc-sm_80").work.flops
    assert (flops.lower.evaluate({}), flops.most.evaluate({})) == (32 * least, 32 * most)


def test_the_same_function_is_an_operation_of_the_source_and_was_measured_for_nvcc():
    assert profile_of("acoshf(x[i])", "source").work.flops.is_exact
    assert profile_of("acoshf(x[i])", "nvcc-sm_80").work.flops.upper is not None
