"""Which files have to do with one another."""

from __future__ import annotations

import pytest

from analyzer.frontend.related_files import components, linked_with, names_defined_in, needed_files
from analyzer.source import Language, SourceFile


def file(path: str, text: str) -> SourceFile:
    return SourceFile(path, text, Language.CUDA)


KERNEL = file("kernel.cu", "__global__ void axpy(int n) { }\nvoid run(int n) { axpy<<<n, 256>>>(n); }\n")
DRIVER = file("driver.cu", "void run(int n);\nint setup() { run(1024); return 0; }\n")
MAIN = file("main.cu", "int setup();\nint main() { return setup(); }\n")
OTHER = file("other.cu", '#include <cstdio>\nint main() { printf("%d", sizeof(int)); if (1) { } }\n')


def test_callers_of_callers_are_linked() -> None:
    assert linked_with(KERNEL, (OTHER, MAIN, DRIVER)) == (MAIN, DRIVER)


def test_a_library_function_links_nothing() -> None:
    printing = file("printing.cu", 'void show() { printf("x"); }\n')
    assert linked_with(printing, (OTHER,)) == ()


def test_a_launch_of_a_template_links() -> None:
    kernel = file("kernel.cu", "template <int N> __global__ void scale(float *x) { x[0] *= N; }\n")
    launch = file("launch.cu", "void go(float *x) { scale<4><<<1, 32>>>(x); }\n")
    assert linked_with(kernel, (launch, OTHER)) == (launch,)


def test_components_are_what_is_linked() -> None:
    files = (OTHER, KERNEL, MAIN, DRIVER)
    found = components(files)
    assert found["other.cu"] == ("other.cu",)
    for file in files:
        linked = linked_with(file, tuple(other for other in files if other is not file))
        assert set(found[file.path]) == {file.path, *(other.path for other in linked)}


def test_a_function_that_nobody_calls_links_nothing() -> None:
    same = (file("a.cu", "void helper() { }\n"), file("b.cu", "void helper() { }\n"))
    assert components(same) == {"a.cu": ("a.cu",), "b.cu": ("b.cu",)}


def c_file(path: str, text: str) -> SourceFile:
    return SourceFile(path, text, Language.C)


def test_a_function_that_a_macro_of_a_header_calls_is_needed() -> None:
    header = "#define RELEASE(p) (free_core((void *)(p), 0), \\\n  p = NULL)\n#define TFREE(p) RELEASE(p)\n"
    use = c_file("use.c", "void f(double *a) { TFREE(a); }\n")
    memory = c_file("memory.c", "void free_core(void *p, int where) { }\n")
    other = c_file("other.c", "void unused(void) { }\n")
    assert needed_files((use, memory, other), [header])["use.c"] == ("memory.c",)
    assert needed_files((use, memory, other))["use.c"] == ()


def test_what_is_needed_most_comes_first_and_is_not_cut_off() -> None:
    names = [f"rare_{number:02}" for number in range(60)]
    calls = "".join(f"void f_{name}(void) {{ {name}(); release(); }}\n" for name in names)
    rare = [c_file(f"{name}.c", f"void {name}(void) {{ }}\n") for name in names]
    files = (c_file("use.c", calls), *rare, c_file("memory.c", "void release(void) { }\n"))
    assert needed_files(files)["use.c"][0] == "memory.c"
    assert len(needed_files(files)["use.c"]) == 40


def test_a_file_with_main_gives_to_its_own_folder_alone() -> None:
    use = "void f(double *a) { scale(a); }\n"
    program = c_file("a/main.c", "void scale(double *a) { }\nint main(void) { return 0; }\n")
    files = (c_file("a/use.c", use), c_file("b/use.c", use), program)
    assert needed_files(files) == {"a/use.c": ("a/main.c",), "b/use.c": (), "a/main.c": ()}


def test_what_needs_a_macro_or_is_static_gives_way() -> None:
    use = c_file("use.c", "void f(double *a) { scale(a); }\n")
    body = "void scale(double *a) { halve(a); }\n"
    mixed = c_file("mixed.c", f"#ifdef MIXED\n{body}#endif\nvoid other(void) {{ }}\n")
    static = c_file("static.c", "static " + body)
    plain = c_file("plain.c", f'#ifdef __cplusplus\nextern "C" {{\n#endif\n{body}')
    assert needed_files((use, mixed, static, plain))["use.c"] == ("plain.c",)
    assert needed_files((use, mixed, static))["use.c"] == ("mixed.c",)
    assert needed_files((use, mixed, plain), ["#define MIXED\n"])["use.c"] == ("mixed.c", "plain.c")


def test_what_a_static_function_mentions_is_needed() -> None:
    use = c_file("use.c", "void f(double *a) { scale(a); }\n")
    scale = c_file("scale.c", "static void inner(double *a) { halve(a); }\nvoid scale(double *a) { inner(a); }\n")
    halve = c_file("halve.c", "void halve(double *a) { }\n")
    assert needed_files((use, scale, halve))["use.c"] == ("scale.c", "halve.c")


@pytest.mark.parametrize(
    "head",
    [
        "float **work(float **x, /* in: [n] */\n  int n) /* out: [n] */\n{",
        "int work(x, n)\n  float *x;\n  int n;\n{",
        "auto work(int n) noexcept(true) -> std::vector<double> {",
        "void work(int n) __attribute__((noinline, aligned(4)))\n{",
        "double Mesh::work(int n) const & {",
        "Mesh::work(int n) : n(n), x{1} {",
    ],
)
def test_a_body_is_found_behind_every_head(head: str) -> None:
    assert names_defined_in(f"// main(int n) {{ }}\n{head} return 0; }}\n") == {"work"}


def test_what_is_called_in_a_block_is_no_body() -> None:
    text = "int main(void) { if (ready(1)) { go(2); } while (more()) step(); { int n; stop(n); } return last(3); }\n"
    assert names_defined_in(text) == {"main"}


def test_a_function_is_needed_that_one_of_its_file_alone_overloads() -> None:
    use = c_file("use.cc", "double volume(const double *x);\nvoid f(double *a) { a[0] = volume(a); }\n")
    both = "static double volume(double x, double y) { return scale(x) * y; }\n"
    both += "double volume(const double *x) { return volume(x[0], x[1]); }\n"
    scale = c_file("scale.cc", "double scale(double x) { return 2 * x; }\n")
    assert set(needed_files((use, c_file("volume.cc", both), scale))["use.cc"]) == {"volume.cc", "scale.cc"}
