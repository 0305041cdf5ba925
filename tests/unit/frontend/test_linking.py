"""A program of several files: bodies, ``static`` functions, globals and constants of other files."""

from __future__ import annotations

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import FileProfile
from analyzer.source import SourceFile, language_of


def profiles(**texts: str) -> FileProfile:
    """Return the profile of the first of some files, ``name_c`` for ``name.c``, that are one program."""
    files = [_file(name.replace("_", ".", 1).replace("__", "/"), text) for name, text in texts.items()]
    (found,) = analyze(files[0], AnalysisOptions(companions=tuple(files[1:]), ir=True))
    return found.profile


def _file(path: str, text: str) -> SourceFile:
    return SourceFile(path, text, language_of(path))


def flops(profile: FileProfile) -> str:
    (region,) = profile.regions
    assert region.work.flops.is_single, region.work.flops
    return str(region.work.flops.estimate)


def codes(profile: FileProfile) -> set[str]:
    return {found.code for found in profile.diagnostics}


LOOP = "double f(double x); void k(double *a, int n) { for (int i = 0; i < n; i++) a[i] = f(a[i]); }"


def test_a_body_of_another_file_is_inlined() -> None:
    found = profiles(a_c=LOOP, b_c="double f(double x) { return x * x + 1; }")
    assert flops(found) == "2*n"
    assert not found.regions[0].work.not_counted
    assert codes(found) == set()


def test_what_no_file_defines_is_named() -> None:
    found = profiles(a_c=LOOP, b_c="double g(double x) { return x * x + 1; }")
    assert [(item.code, "f" in item.message) for item in found.diagnostics if item.code == "AI201"] == [("AI201", True)]


def test_a_name_that_a_macro_makes_is_found_by_its_text() -> None:
    macro = "#define NAME(x) blas_##x\n#define scale_ NAME(scale)\ndouble scale_(double x);\n"
    loop = "void k(double *a, int n) { for (int i = 0; i < n; i++) a[i] = scale_(a[i]); }"
    found = profiles(a_c=macro + loop, b_c=macro + "double scale_(double x) { return x * x; }")
    assert flops(found) == "n"
    assert codes(found) == set()


def test_a_file_of_cuda_without_kernels_takes_host_functions() -> None:
    body = "__host__ __device__ double f(double x) { return x * x; } __global__ void g(double *a) { a[0] = f(a[0]); }"
    assert flops(profiles(a_cu=LOOP, b_cu=body)) == "n"


def test_bodies_bring_along_what_they_call() -> None:
    found = profiles(
        a_c=LOOP,
        b_c="double g(double); static double h(double x) { return x + 1; } double f(double x) { return h(g(x)); }",
        c_c="static double h(double x) { return x * x * x; } double g(double x) { return h(x); }",
    )
    assert flops(found) == "3*n"


def test_static_functions_of_several_files_stay_apart() -> None:
    own = "static double h(double x) { return x * x * x * x; } double f(double);\n"
    loop = "void k(double *a, int n) { for (int i = 0; i < n; i++) a[i] = h(a[i]) + f(a[i]); }"
    other = "static double h(double x) { return x + 1; } double f(double x) { return h(x); }"
    assert flops(profiles(a_c=own + loop, b_c=other)) == "5*n"


def test_a_static_function_is_not_for_others() -> None:
    found = profiles(a_c=LOOP, b_c="static double f(double x) { return x * x; }")
    assert "AI201" in codes(found)


def test_overloads_and_namespaces_of_cxx() -> None:
    loop = """namespace m { double f(double); double f(float); }
        void k(double *a, float *b, int n) { for (int i = 0; i < n; i++) a[i] = m::f(a[i]) + m::f(b[i]); }"""
    bodies = """namespace m { double f(double x) { return x * x; } double f(float x) { return x * x * x + 1.0f; } }
        double f(double x) { return x * x * x * x * x * x; }"""
    assert flops(profiles(a_cpp=loop, b_cpp=bodies)) == "5*n"


def test_c_and_cxx_meet_in_extern_c() -> None:
    loop = 'extern "C" ' + LOOP
    assert flops(profiles(a_cpp=loop, b_c="double f(double x) { return x * x; }")) == "n"


def test_methods_and_constructors() -> None:
    head = """struct V { double *d; long ld; V(double *p, long n); double &at(long i, long j); };
        void k(double *p, long n);
    """
    loop = """void k(double *p, long n) { V v(p, n); for (long i = 0; i < n; i++) for (long j = 0; j < n; j++)
        v.at(i, j) = v.at(i, j) * 2; }"""
    bodies = "V::V(double *p, long n) { d = p; ld = n; }\ndouble &V::at(long i, long j) { return d[i * ld + j]; }"
    found = profiles(a_cpp=head + loop, b_cpp=head + bodies)
    assert flops(found) == "n^2"
    (region,) = found.regions
    assert str(region.stores.elements.estimate) == "n^2"


def test_two_definitions_that_are_equally_near_are_none() -> None:
    body = "double f(double x) { return x * x; }"
    found = profiles(a_c=LOOP, b_c=body, c_c=body)
    (said,) = (item for item in found.diagnostics if "defined in" in item.message)
    assert (said.code, "b.c and in c.c" in said.message) == ("AI201", True)
    assert "AI201" in {note.code for note in found.regions[0].assumptions} or found.regions[0].work.not_counted


def test_a_definition_of_the_same_folder_wins() -> None:
    one, two = "double f(double x) { return x * x; }", "double f(double x) { return x * x * x; }"
    files = [_file("p/a.c", LOOP), _file("q/b.c", two), _file("p/b.c", one)]
    (found,) = analyze(files[0], AnalysisOptions(companions=tuple(files[1:])))
    assert flops(found.profile) == "n"


GLOBALS = "extern double x[]; extern const int count; extern int size;\n"
SUM = "double k(void) { double s = 0; for (int i = 0; i < count; i++) s += x[i]; return s; }\n"


def test_constants_and_extents_of_other_files() -> None:
    found = profiles(a_c=GLOBALS + SUM, b_c="const int count = 100;\ndouble x[400];\n")
    assert flops(found) == "100"
    assert "array x[400] fp64" in found.ir_text


def test_an_integer_that_a_file_writes_has_no_value() -> None:
    loop = SUM.replace("count", "size")
    value = "int size = 100;\ndouble x[400];\n"
    assert flops(profiles(a_c=GLOBALS + loop, b_c=value)) == "100"
    writes = GLOBALS + loop + "void set(int n) { size = n; }\n"
    assert "size" in flops(profiles(a_c=writes, b_c=value))


def test_a_static_global_is_not_that_of_others() -> None:
    found = profiles(a_c=GLOBALS + SUM, b_c="static const int count = 100;\ndouble x[400];\n")
    assert flops(found) == "count"


def test_a_driver_does_not_repeat_a_whole_program() -> None:
    body = "".join(f"a[{i}] += a[{i + 1}];\n" for i in range(400))
    loop = "void f(double *a); void k(double *a, int n) { for (int i = 0; i < n; i++) { f(a); f(a); } }"
    found = profiles(a_c=loop, b_c=f"void f(double *a) {{ {body} }}")
    assert not found.diagnostics
    (region,) = found.regions
    assert (flops(found), region.work.flops.is_exact) == ("800*n", True)
    assert (str(region.loads.elements.estimate), str(region.stores.elements.estimate)) == ("1600*n", "800*n")
    assert [str(item.what) for item in region.work.not_located] == ["call of f"]
    assert region.footprint.touched.bytes.upper is None


MANY = "double g(double); void set(double *a); void k(double *a, int n) {{ {} }}"
OTHERS = "double g(double x) { double s = 0; for (int i = 0; i < 9; i++) s += x; return s; } "
OTHERS += "void set(double *a) { a[0] = 2.0 * a[1]; }"


def test_short_functions_without_a_loop_are_followed_where_loops_are_not_any_more() -> None:
    long = " ".join("a[0] += a[1];" for _ in range(1_200))
    short = profiles(a_c=MANY.format(f"for (int i = 0; i < n; i++) {{ {long} }} set(a);"), b_c=OTHERS)
    assert flops(short) == "1200*n + 1"
    assert not short.regions[0].work.not_counted
    loop = profiles(a_c=MANY.format(f"for (int i = 0; i < n; i++) {{ {long} }} a[0] = g(a[0]);"), b_c=OTHERS)
    assert flops(loop) == "1200*n + 9"
    assert [str(found.what) for found in loop.regions[0].work.not_located] == ["call of g"]
    less = profiles(a_c=MANY.format(f"for (int i = 0; i < n; i++) {{ {long[:5_600]} }} a[0] = g(a[0]);"), b_c=OTHERS)
    assert flops(less) == "400*n + 9"


def test_kernels_take_device_functions_of_other_files() -> None:
    """``static`` ones stay those of their file; host code of the other file is followed from where it launches."""
    kernel = "__device__ float f(float); __global__ void k(float *a, int n) { a[threadIdx.x] = f(a[threadIdx.x]); }"
    other = "static __device__ float g(float x) { return x + 1; } __device__ float f(float x) { return g(x * x); }"
    host = "__global__ void k(float *, int); int main() { k<<<2, 64>>>(0, 9); }"
    found = profiles(a_cu=kernel, b_cu=other, c_cu=host)
    assert flops(found) == "256"
    assert codes(found) == set()
    hidden = other.replace("__device__ float f", "static __device__ float f")
    assert "AI201" in codes(profiles(a_cu=kernel, b_cu=hidden, c_cu=host))
