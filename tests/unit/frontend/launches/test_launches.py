"""Launches that the user gives: their form, what they replace, and what is told to be missing."""

import pytest

from analyzer.errors import OptionError
from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.launches.given import parse_launch
from analyzer.frontend.launches.launches import launches_of
from analyzer.frontend.options import ParseOptions
from analyzer.source import Language, SourceFile

TEXT = """
template <typename T> __global__ void k(int n, T *x) { x[threadIdx.x] = n; }
__global__ void alone(float *x) { x[threadIdx.x] = 0; }
void run(int m, float *x) { k<float><<<m, 64>>>(100, x); }
"""


def unit():
    return parse_clang(SourceFile("x.cu", TEXT, Language.CUDA), ParseOptions()).unit


def test_the_form_of_a_launch():
    given = parse_launch("ns::k<float, 4>: grid=1024x2, block=16X16x2, shared=0x100, n=5")
    assert (given.kernel, given.grid, given.block) == ("ns::k<float, 4>", (1024, 2, 1), (16, 16, 2))
    assert (given.shared_bytes, dict(given.arguments)) == (256, {"n": 5})


@pytest.mark.parametrize("text", ["k", "k:", "k:grid", "k:grid=", "k:grid=a", "k:grid=1x2x3x4", "k:grid=0", ":grid=1"])
def test_what_is_no_launch(text):
    with pytest.raises(OptionError):
        parse_launch(text)


def test_a_given_launch_keeps_what_the_host_code_tells():
    launches, _ = launches_of(unit(), [parse_launch("k:grid=8")])
    (found,) = [item for item in launches if "k<" in item.kernel]
    assert (found.launch.grid, found.launch.block, found.launch.source) == ((8, 1, 1), (64, 1, 1), "--launch")
    assert found.arguments == {"n": 100}


def test_averages_and_probabilities_are_no_parameters():
    given = parse_launch("k:grid=8,trip_L2=2.5,prob_L3.2=1/4,n=7")
    assert (dict(given.arguments), dict(given.symbols)) == ({"n": 7}, {"trip_L2": "2.5", "prob_L3.2": "1/4"})


@pytest.mark.parametrize(("name", "near"), [("nn", "n"), ("size", "n, x")])
def test_a_name_that_is_no_parameter_is_refused(name, near):
    with pytest.raises(OptionError) as raised:
        launches_of(unit(), [parse_launch(f"k:grid=8,{name}=5")])
    assert near in (raised.value.hint or "")


def test_several_given_launches_of_one_kernel():
    launches, missing = launches_of(unit(), [parse_launch(f"alone:grid={n},block=32") for n in (1, 2)])
    assert [item.launch.grid[0] for item in launches if "alone" in item.kernel] == [1, 2]
    assert all("alone" not in found.message for found in missing)


def test_what_is_missing_is_told():
    _, missing = launches_of(unit())
    assert [found.code for found in missing] == ["AI212", "AI212"]
    assert {found.span.line for found in missing} == {2, 3}


def test_a_launch_of_a_kernel_that_is_not_there_is_told():
    _, missing = launches_of(unit(), [parse_launch("nowhere:grid=1")])
    assert [found.code for found in missing if "nowhere" in found.message] == ["AI004"]


READ = """
#include <cstdio>
__global__ void k(int n, float *x) { if (blockIdx.x * blockDim.x + threadIdx.x < n) x[threadIdx.x] = n; }
int up(int a, int b) { if (a % b) return a / b + 1; return a / b; }
int main() { int n, m; scanf("%d", &n); scanf("%d", &m); k<<<dim3(up(n, 256), m), 256>>>(n - 1, 0); }
"""


def read_unit():
    return parse_clang(SourceFile("x.cu", READ, Language.CUDA), ParseOptions()).unit


def test_a_given_grid_tells_the_size():
    launches, told = launches_of(read_unit(), [parse_launch("k:grid=8x3,block=256")])
    assert launches[0].arguments == {"n": 2047}
    notes = {found.message.partition(":")[0] for found in told if found.code == "AI310"}
    assert notes == {"n (x.cu", "m (x.cu"}
    assert any("within 1793 to 2048" in found.message for found in told)
    assert [found.code for found in told if found.code == "AI212"] == []


def test_a_given_size_tells_exactly():
    launches, _ = launches_of(read_unit(), [parse_launch("k:grid=8x3,block=256,n=2000")])
    assert launches[0].arguments == {"n": 2000}


def test_what_is_missing_is_told_with_its_source():
    _, told = launches_of(read_unit())
    (found,) = [item for item in told if item.code == "AI212"]
    assert "grid, n of k at x.cu:5 are not known" in found.message
    assert "n is read from a file or a stream (x.cu:5)" in found.message


def test_one_given_launch_tells_those_of_other_kernels():
    text = READ.replace("int main", "__global__ void q(int n) {}\nint main").replace(
        "(n - 1, 0);", "(n - 1, 0); q<<<n / 64, m>>>(m);"
    )
    unit = parse_clang(SourceFile("x.cu", text, Language.CUDA), ParseOptions()).unit
    launches, told = launches_of(unit, [parse_launch("k:grid=8x3,block=256")])
    (other,) = [item for item in launches if item.launch.source == "x.cu:6"]
    assert (other.launch.grid, other.launch.block, other.arguments) == ((32, 1, 1), (3, 1, 1), {"n": 3})
    assert [found.code for found in told] == ["AI310", "AI310"]


def test_a_launch_of_no_blocks_fails():
    text = "__global__ void k(int n) {}\nint main(int c, char **v) { int n = atoi(v[1]); k<<<n / 256, 256>>>(n); }"
    unit = parse_clang(SourceFile("x.cu", text, Language.CUDA), ParseOptions()).unit
    _, (found,) = launches_of(unit, program_arguments=("3",))
    assert (found.code, found.form) == ("AI212", "empty")
    assert "gridDim.x of k at x.cu:2 is 0" in found.message


def test_the_environment_is_taken_not_to_set_sizes():
    text = (
        "#include <cstdlib>\n__global__ void k(int n) {}\n"
        'int main() { const char *e = getenv("N"); int n = e ? atoi(e) : 64; k<<<n / 32, 32>>>(n); }'
    )
    parsed = parse_clang(SourceFile("x.cu", text, Language.CUDA), ParseOptions()).unit
    launches, notes = launches_of(parsed, [])
    assert [(item.launch.grid[0], item.arguments) for item in launches] == [(2, {"n": 64})]
    assert [(note.code, note.form) for note in notes] == [("AI310", "unset")]


def test_a_launch_that_the_program_does_not_reach_says_so():
    """The size is 512, a power of 2, so that main takes the first arm only."""
    text = """template <bool P> __global__ void k(int n) {}
void run(int n) { if ((n & (n - 1)) == 0) k<true><<<n / 256, 256>>>(n); else k<false><<<n / 256, 256>>>(n); }
int main() { run(512); }"""
    unit = parse_clang(SourceFile("x.cu", text, Language.CUDA), ParseOptions()).unit
    launches, (found,) = launches_of(unit)
    assert (found.code, found.form) == ("AI212", "beside")
    assert [item.launch.grid[0] for item in launches if not item.beside] == [2]


def test_a_kernel_that_the_command_line_does_not_choose_says_so():
    text = """__global__ void k(int n) {} __global__ void q(int n) {}
int main(int argc, char **argv) { if (argc > 1) k<<<1, 32>>>(argc); else q<<<1, 32>>>(argc); }"""
    unit = parse_clang(SourceFile("x.cu", text, Language.CUDA), ParseOptions()).unit
    _, (found,) = launches_of(unit, program_arguments=("a",))
    assert (found.code, found.form, found.message.partition(",")[0]) == (
        "AI212",
        "unreached",
        "main does not reach a launch of q",
    )
