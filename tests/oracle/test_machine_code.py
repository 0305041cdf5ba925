"""Drawn device functions: what nvcc made of them, recorded, against what we count; and the interpreter itself."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path

import pytest

from analyzer.counts.policy import load_policy
from tests.oracle.drawn_cuda import Drawn, drawn
from tests.oracle.sass.drawn_counts import agreement, executed, predicted
from tests.oracle.sass.kernels import flops_of_call
from tests.oracle.sass.listing import codes_of
from tests.oracle.sass.toolchain import MISSING, toolchain

RECORDED = Path(__file__).parents[1] / "data/sass/drawn_sm_86.json"
NEEDS_TOOLS = pytest.mark.skipif(toolchain() is None, reason=MISSING)
LISTING = """
	.section	.nv.constant2.k,"a",@progbits
        /*0000*/ 	.byte	0x00, 0x00, 0x00, 0x3f
	.section	.text.k,"ax",@progbits
.text.k:
        /*0000*/                   LDC.64 R2, c[0x0][0x160] ;
        /*0010*/                   IMAD.MOV.U32 R4, RZ, RZ, c[0x0][0x168] ;
        /*0020*/                   MOV R5, c[0x0][0x16c] ;
        /*0030*/                   LDG.E R0, [R2.64] ;
        /*0040*/                   MOV R6, 0x3 ;
.L_x_0:
        /*0050*/                   FFMA R0, R0, R0, c[0x2][0x0] ;
        /*0060*/                   IADD3 R6, R6, -0x1, RZ ;
        /*0070*/                   ISETP.GT.AND P0, PT, R6, RZ, PT ;
        /*0080*/               @P0 BRA `(.L_x_0) ;
        /*0090*/              @!P0 FADD R0, -R0, 1 ;
        /*00a0*/               @P0 FMUL R0, R0, 2 ;
        /*00b0*/                   STG.E [R4.64], R0 ;
        /*00c0*/                   EXIT ;
"""


@cache
def recorded():
    return json.loads(RECORDED.read_text())["flops"]


def kernel_of(name):
    _, family, seed = name.split("_")
    return drawn(family, int(seed))


def agreements(family):
    policy = load_policy("nvcc-sm_86")
    names = [name for name in recorded() if name.split("_")[1] == family]
    return [agreement(recorded()[name], predicted(kernel_of(name), policy)) for name in names]


@pytest.mark.parametrize("family", ["chains", "calls", "casts", "halves"])
def test_straight_arithmetic_is_counted_exactly(family):
    assert set(agreements(family)) == {"equal"}


@pytest.mark.parametrize(
    ("family", "least"), [("contraction", 8), ("quotients", 8), ("selections", 6), ("integers", 8), ("loops", 8)]
)
def test_most_of_other_arithmetic_is_counted_exactly(family, least):
    assert agreements(family).count("equal") >= least


CHOICES = [
    # both branches end alike: one product of chosen factors
    ("float", "if (n < 3) o[i] = x * y; else o[i] = z * w;", 8),
    # two selections instead of one are not worth it: one product for all, the other for 5 threads
    ("float", "o[i] = n < 3 ? x * y : z * w;", 13),
    ("float", "o[i] = n < 3 ? x * y : w * y;", 8),
    ("float", "o[i] = n < 3 ? x * y * z : w; o[i + 1] = w;", 16),
    # x and w are loaded where they are needed, so that nothing is computed in vain: 3*3 + 5*2
    ("float", "if (n < 3) o[i] = x - y - z - w; else o[i] = w * y * z;", 19),
    ("float", "if (n < 3) o[i] = x - y - z; else o[i] = w * y * z * x; o[i + 1] = x + w;", 43),
    ("float", "if (n < 3) o[i] = fminf(x, y) + z; else o[i] = w * y; o[i + 1] = x + w;", 16),
    # the sum behind the branches is computed once, whichever is taken: 8 + 8 + 5
    ("float", "if (n < 3) o[i] = x + z; else o[i] = w * y; o[i + 1] = x + z + w;", 21),
    ("float", "if (n < 3) o[i] = x - w - z; else o[i] = y - 0.5f;", 11),
    ("float", "float t = x * y + z; if (n < 3) { o[i] = t * w; o[i + 1] = z; }", 9),
    ("float", "float t = x * y + z; if (n < 3) { o[i] = t * w; o[i + 1] = z; } o[i + 2] = y;", 19),
    ("double", "if (n < 3) o[i] = -(x * y); else o[i] = z;", 6),
    # products: copied into additions, or left to the subtraction
    ("float", "float p = x * y, q = z * w; o[i] = p + q; o[i + 1] = p + x;", 40),
    ("float", "float p = x * y, q = z * w; o[i] = p + q; o[i + 1] = p - x; o[i + 2] = q + y;", 48),
    ("float", "float p = x * y; o[i] = p + p; o[i + 1] = y * z - z * y;", 40),
    ("double", "double s[2] = {}; s[0] += x * y; s[1] += y * x; o[i] = s[0]; o[i + 1] = s[1];", 16),
]


def choice(number):
    element, body, _ = CHOICES[number]
    return Drawn(
        f"k_{number}",
        f'extern "C" __global__ void k_{number}(const {element} *__restrict__ a, {element} *__restrict__ o) {{'
        " int i = (blockIdx.x * blockDim.x + threadIdx.x) * 16, n = i / 16;"
        f" {element} x = a[i], y = a[i + 1], z = a[i + 2], w = a[i + 3]; {body} }}",
        element,
    )


@pytest.mark.parametrize("number", range(len(CHOICES)))
def test_choices_and_products_are_those_of_the_compiler(number):
    """Of 8 threads, of which the condition holds for 3."""
    (counted,) = predicted(choice(number), load_policy("nvcc-sm_86")).values()
    _, body, found = CHOICES[number]
    assert counted.least == counted.estimate == found
    is_before_last_branch = body.startswith("float t") and body.endswith("}")  # which may keep it from other threads
    assert counted.most == (8 * 2 + 3 if is_before_last_branch else found)


@NEEDS_TOOLS
@pytest.mark.parametrize("arch", ["sm_75", "sm_86", "sm_90"])
def test_choices_are_recorded_as_they_are(arch):
    found = executed(toolchain(), [choice(number) for number in range(len(CHOICES))], arch)
    assert [sum(flops.values()) for flops in found] == [flops for _, _, flops in CHOICES]


def test_a_wrong_count_is_seen():
    kernel = kernel_of("k_chains_0")
    ours = predicted(kernel, load_policy("nvcc-sm_86"))
    truth = recorded()[kernel.name]
    assert agreement(truth, ours) == "equal"
    assert agreement({kind: 2 * number for kind, number in truth.items()}, ours) == "wrong"


@NEEDS_TOOLS
def test_recorded_counts_are_those_of_the_compiler():
    tools = toolchain()
    version = json.loads(RECORDED.read_text())["compiler"]
    if version != f"nvcc {tools.version()}":
        pytest.skip(f"recorded with {version}")
    names = [name for name in recorded() if name.endswith("_3")]
    found = executed(tools, [kernel_of(name) for name in names], "sm_86")
    assert found == [recorded()[name] for name in names]


def test_the_interpreter_runs_loops_constants_and_predicates():
    """Three times x*x + 0.5, then 1 - x: 3 FMAs and an addition; what its predicate switches off does not count."""
    counted, result = flops_of_call(codes_of(LISTING, "sm_86")["k"], [0.25], "float")
    x = 0.25
    for _ in range(3):
        x = x * x + 0.5
    assert counted == {"fp32": 7}
    assert result == pytest.approx(1 - x, rel=1e-6)


FUNCTIONS = {
    "expf(a)": ("float", math.exp),
    "sinf(a)": ("float", math.sin),
    "1 / a": ("float", lambda a: 1 / a),
    "pow(a, 1.7)": ("double", lambda a: a**1.7),
    "log(a)": ("double", math.log),
    "tgamma(a)": ("double", math.gamma),
    "__hdiv(a, a * a)": ("__half", lambda a: 1 / a),
}


@NEEDS_TOOLS
@pytest.mark.parametrize("arch", ["sm_75", "sm_86", "sm_90", "sm_120"])
def test_the_interpreter_computes_what_functions_are(arch):
    kernels = [
        f'extern "C" __global__ void k{index}(const {element} *p, {element} *o) '
        f"{{ {element} a = p[0]; o[0] = {text}; }}"
        for index, (text, (element, _)) in enumerate(FUNCTIONS.items())
    ]
    codes = toolchain().compiled_text("#include <cuda_fp16.h>\n" + "\n".join(kernels), arch).codes
    for index, (element, function) in enumerate(FUNCTIONS.values()):
        for argument in (0.75, 2.5):
            _, result = flops_of_call(codes[f"k{index}"], [argument], element)
            assert result == pytest.approx(function(argument), rel=1e-3 if element == "__half" else 1e-6)
