"""The first screen of what people try first: golden files that are read like prose, their length and their width."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import Struct

from tests.conftest import Outcome
from tests.night import BY_NIGHT

ROOT = Path(__file__).parents[2]
SOURCES = Path("tests/data/screens")
HPCG = os.environ.get("HPCG_DIR")
LLMC = os.environ.get("LLMC_DIR")
_ONE_KERNEL, _SEVERAL = 24, 60
_NAMES = 30

Run = Callable[..., Outcome]
Golden = Callable[[str, str], None]


class Case(Struct, frozen=True):
    """What is given, and the most lines that answer it."""

    arguments: tuple[str, ...]
    most: int = _ONE_KERNEL


def _of(name: str, *options: str, machine: str = "haswell", most: int = _ONE_KERNEL) -> Case:
    return Case((str(SOURCES / name), "--machine", machine, *options), most)


def _corpus(name: str, machine: str) -> Case:
    return Case((f"corpus/{name}", "--machine", machine))


CASES = {
    "stream": _of("stream.c", most=32),
    "benchmark": _of("benchmark.cpp"),
    "triad": _corpus("vector_triad/README.md", "haswell"),
    "triad-two-machines": _corpus("vector_triad/README.md", "haswell,v100"),
    "triad-no-machine": Case(("corpus/vector_triad/README.md",)),
    "stencil7": _corpus("stencil7/kernel.c", "v100"),
    "gemm": _of("gemm.c", "-D", "MAIN"),
    "gemm-no-sizes": _of("gemm.c", "--function", "gemm"),
    "heat-3d": _of("heat-3d.c", "-D", "steps=500", "-D", "n=120"),
    "heat-3d-no-sizes": _of("heat-3d.c"),
    "nussinov": _of("nussinov.c"),
    "folding": _of("folding.c"),
    "thirty": _of("thirty.c", most=40),
    "jacobi": _of("jacobi.c"),
    "repeated": _of("repeated.c"),
    "class": _of("class.cpp"),
    "saxpy": _of("saxpy.cu", machine="v100"),
    "cuda-matmul": _corpus("cuda_matmul/kernel.cu", "v100"),
    "cuda-update": _corpus("cuda_update/kernel.cu", "v100"),
    "cuda-reduction": _corpus("cuda_reduction/kernel.cu", "a100"),
}

LONG = {"cuda_gsrb", "cuda_stencil", "cuda_transpose", "cuda_wmma_matmul"}
"""Kernels that take longest of the corpus on a CPU, and have no row on its screen: GPUs run them in ``test_corpus``."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for results: screens of one source that differ in form are of one analysis."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(autouse=True)
def from_the_root(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Name sources as in the golden files."""
    monkeypatch.setenv("AI_ESTIMATE_CACHE_DIR", str(kept))
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.mark.parametrize("name", CASES)
def test_first_screen(name: str, run: Run, golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES[name]
    wide = run(*case.arguments)
    golden(f"screens/{name}.txt", wide.stdout)
    assert wide.code == 0
    monkeypatch.setenv("COLUMNS", "80")
    narrow = run(*case.arguments)
    for text, width in ((wide.stdout, 120), (narrow.stdout, 80)):
        assert max(map(len, text.splitlines())) <= width
        assert len(text.splitlines()) <= case.most
    assert wide.stderr.count("\n") <= 4


def test_many_files_are_one_screen(run: Run, golden: Golden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(_NAMES):
        text = (
            f"void scale_{number}(int n, double *a) {{ for (int i = 0; i < n; i++) a[i] *= {number + 1}; }}\n"
            f"double dot_{number}(int n, double *a, double *b) {{ double s = 0;\n"
            f"  for (int i = 0; i < n; i++) s += a[i] * b[i];\n  return s; }}\n"
        )
        (tmp_path / f"file_{number:03}.c").write_text(text)
    (tmp_path / "product.c").write_text((ROOT / SOURCES / "gemm.c").read_text())
    monkeypatch.chdir(tmp_path)
    found = run(".", "--machine", "haswell", "-D", "n=1000000").stdout
    golden("screens/many.txt", found)
    assert len(found.splitlines()) <= _SEVERAL
    first = next(line for line in found.splitlines() if ":" in line and "─" not in line)
    assert "gemm:" in first or "files" in first


@pytest.mark.slow
@pytest.mark.parametrize("files", [60, 400] if BY_NIGHT else [60])
def test_a_folder_is_one_screen(
    files: int, run: Run, golden: Golden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(files):
        folder = tmp_path / f"part_{number // 10:02}"
        folder.mkdir(exist_ok=True)
        (folder / f"file_{number:03}.c").write_text(_one_of_many(number))
    found = run(".", "--machine", "haswell", "-D", "n=3000", "--no-cache").stdout
    golden(f"screens/folder-of-{files}.txt", found)
    names = [line.split(":")[0].strip() for line in found.splitlines()[4:]]
    products = [f"product_{number}" for number in range(20, files, 40)]
    assert names[: len(products)] == products
    assert names.index("") == max(3, len(products))  # sweeps of 0.06 % and less each are folded
    assert len(found.splitlines()) <= _SEVERAL
    assert max(map(len, found.splitlines())) <= 120


def _one_of_many(number: int) -> str:
    """Return a file as code bases have them: a product here and there, sweeps, sums, set-up and output."""
    rows = f"for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++) b[i*n+j] = {number}.5 * "
    bodies = (
        f"void sweep_{number}(int n, double *a, double *b) {{ {rows}(a[i*n+j-1] + a[i*n+j+1] + a[i*n-n+j]); }}",
        f"double sum_{number}(int n, double *a) {{ double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }}",
        f"void init_{number}(int n, double *a) {{ for (int i = 0; i < n; i++) a[i] = i % {number + 2}; }}",
        f'void print_{number}(int n, double *a) {{ for (int i = 0; i < n; i++) printf("%g\\n", a[i]); }}',
    )
    product = (
        f"void product_{number}(int n, double *a, double *b, double *c) {{ for (int i = 0; i < n; i++)\n"
        "  for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) c[i*n+j] += a[i*n+k] * b[k*n+j]; }\n"
    )
    head = "#include <stdio.h>\n"
    return head + bodies[number % 4] + "\n" + (product if number % 40 == 20 else "")


@pytest.mark.skipif(HPCG is None, reason="HPCG_DIR does not name a checkout of HPCG 3.1")
def test_a_public_code_base_is_one_screen(run: Run, golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HPCG or "")
    found = run("src", "--machine", "haswell").stdout
    golden("screens/hpcg.txt", found)
    assert len(found.splitlines()) <= _SEVERAL
    assert max(map(len, found.splitlines())) <= 120
    assert [line.split(":")[0].strip() for line in found.splitlines()[4:7]] == [
        "ComputeSYMGS_ref",
        "ComputeSYMGS_ref",
        "ComputeSPMV_ref",
    ]


@pytest.mark.skipif(LLMC is None, reason="LLMC_DIR does not name a checkout of llm.c at f1e2ace")
def test_the_training_of_a_network_is_one_screen(run: Run, golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(LLMC or "")
    golden("screens/llmc.txt", run("train_gpt2.c", "--machine", "haswell").stdout)
    monkeypatch.setenv("COLUMNS", "80")
    narrow = run("train_gpt2.c", "--machine", "haswell").stdout
    golden("screens/llmc-narrow.txt", narrow)
    assert len(narrow.splitlines()) <= _SEVERAL
    assert max(map(len, narrow.splitlines())) <= 80


@pytest.mark.slow
@pytest.mark.skipif(not BY_NIGHT, reason="by night; a folder of 60 files has its screen by day")
def test_the_corpus_is_one_screen(run: Run, golden: Golden) -> None:
    folders = sorted(path.as_posix() for path in Path("corpus").iterdir() if path.is_dir() and path.name not in LONG)
    found = run(*folders, "--machine", "haswell").stdout
    golden("screens/corpus.txt", found)
    assert len(found.splitlines()) <= _SEVERAL
    assert max(map(len, found.splitlines())) <= 120


def test_all_rows_and_other_orders(run: Run) -> None:
    folded = run(*CASES["thirty"].arguments).stdout
    whole = run(*CASES["thirty"].arguments, "--all").stdout
    assert "folded" in folded
    assert "folded" not in whole
    assert "fn29" in whole
    two = run(*CASES["thirty"].arguments, "--top", "2", "--sort", "source").stdout
    assert [line.split()[0] for line in two.splitlines() if line.startswith(" fn")][:2] == ["fn00:14", "fn01:28"]
    by_function = run(*CASES["gemm"].arguments, "--by", "function").stdout
    assert by_function.splitlines()[4].split()[0] == "gemm"
    by_file = run(*CASES["gemm"].arguments, "--by", "file").stdout
    assert "gemm.c" in by_file.splitlines()[4]


GATHERED = """void rows(int n, const int *p, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    for (int k = p[i]; k < p[i + 1]; k++)
      y[i] += x[k] * 2.0;
}
"""
SIZED = """static void steps(int n, int times, double *a, double *b) {
  for (int t = 0; t < times; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1];
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
  }
}
int main() { static double a[5000000], b[5000000]; steps(5000000, 100, a, b); }
"""


def test_a_range_of_sizes_names_what_does_not_depend_on_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    loop = "void {0}(int {1}, double *x) {{ for (int i = 0; i < {1}; i++) x[i] *= 2; }}\n"
    (tmp_path / "two.c").write_text(loop.format("f", "n") + loop.format("g", "m"))
    for form in ("text", "markdown"):
        found = run("two.c", "--machine", "haswell", "--sweep", "n=100:1000", "--format", form).stdout
        assert "two.c:1: f on" in found
        assert "two.c:2: g on" not in found
        assert "no figure depends on n: two.c:2 g" in found


def test_averages_are_decimals(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.c").write_text(GATHERED)
    asked = ("rows.c", "--machine", "haswell", "-D", "trip_L3=7.088")
    assert "14.18*n" in run(*asked).stdout
    assert "1772/125*n" in run(*asked, "--exact").stdout


def test_a_loop_whose_caller_gives_the_sizes_is_no_row(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "steps.c").write_text(SIZED)
    text = run("steps.c", "--machine", "haswell").stdout
    assert "grows as" not in text
    assert "steps:2-5, 100 times" in text


def test_all_digits_where_asked_for(run: Run) -> None:
    short, exact = (run(*CASES["stream"].arguments, *more).stdout for more in ((), ("--exact",)))
    assert "100 M" in short
    assert "100,000,000" in exact


def test_what_has_no_effect_is_said(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.c").write_text("void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] *= 2; }\n")
    kernel = (
        "__global__ void f(int n, float *a) { int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) a[i] *= 2; }\n"
    )
    (tmp_path / "k.cu").write_text(kernel)
    (tmp_path / "s.f90").write_text("do i = 1, n\nend do\n")
    (tmp_path / "s.cl").write_text("kernel void f(global float *a) { a[get_global_id(0)] *= 2; }\n")
    (tmp_path / "mine.toml").write_text("")
    (tmp_path / "Makefile").write_text("md: main.o\n\t$(CC) -o $@ $^\n")
    for arguments, said in (
        (("s.c", "--cache", "simulate"), "--cache simulate has no effect"),
        (("s.c", "--advise"), "--advise has nothing to say"),
        (("s.c", "--verify"), "--verify has no effect"),
        (("s.c", "--args", "10"), "--args has no effect: no file named here defines main"),
        (("s.c", "-I", "missing"), "-I missing is no folder"),
        (("s.c", "--matrix", "crs:p,c,v=A.mtx"), "no format is called 'crs' (did you mean csr?)"),
        (("s.c", "--machine", "mine"), "your file is --machine ./mine.toml"),
        (("k.cu", "--machine", "haswell"), "haswell-e5-2695v3 is no GPU"),
        (("k.cu", "--machine", "v100", "--launch", "f:grid=3,blck=3"), "did you mean block=?"),
        (("k.cu", "--machine", "v100", "--launch", "f:grid=3,block=2048"), "at most 1024 threads"),
        (("s.f90",), "is Fortran, which is not read"),
        (("s.cl",), "is OpenCL, which is not read"),
        (("Makefile",), "is a makefile, which is not read"),
        (("chek", "."), "did you mean check?"),
        (("machines", "shw"), "did you mean show?"),
    ):
        assert said in run(*arguments).stderr
    assert run("s.c", "--machine", "v100", "-o", "r.json").code == 0
    assert (tmp_path / "r.json").read_text().startswith("{")


SWEEPS = """void relax(int steps, int n, double *a, double *b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    for (int i = 1; i < n - 1; i++) a[i] = 0.5 * (b[i - 1] + b[i + 1]);
  }
}
"""


def test_a_loop_over_time_has_its_advice(run: Run, tmp_path: Path) -> None:
    """Tiles go through several time steps; without --advise the screen names the option."""
    (tmp_path / "relax.c").write_text(SWEEPS)
    given = (str(tmp_path / "relax.c"), "-D", "n=20000000", "-D", "steps=50", "--machine", "zen3", "--cores", "1")
    assert "--advise tries other loop orders" in run(*given).stdout
    for more in ((), ("-v",)):
        assert (
            "to speed up relax:2-5: block over t too (temporal blocking): tiles of"
            in run(*given, "--advise", *more).stdout
        )


def test_colors_where_they_are_forced(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[33m" in run(*CASES["triad"].arguments).stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run(*CASES["triad"].arguments).stdout


def test_what_is_given_and_not_there_is_refused(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.c").write_text("void scale(int n, double *a) { for (int i = 0; i < n; i++) a[i] *= 2; }\n")
    kernel = "__global__ void scale(float *a) { a[threadIdx.x] *= 2; }\n"
    (tmp_path / "k.cu").write_text(kernel)
    (tmp_path / "mine.toml").write_text('id = "x"\nkind = "cpu"\nclok = 3\ncores = 4\n')
    for arguments, said in (
        (("s.c", "--function", "scal"), "no function named scal has a body here (did you mean scale?)"),
        (("check", "s.c", "--function", "scal"), "did you mean scale?"),
        (("s.c", "--lines", "50-60"), "no loop is there (the functions are scale:1-1)"),
        (("k.cu", "--launch", "scal:grid=3,block=3"), "no kernel named scal has a body here (did you mean scale?)"),
        (("s.c", "-D", "n="), "-D n= gives no value (write -D n=1000"),
        (("s.c", "--policy", "nvidia"), "did you mean nvidia-sass?"),
        (("s.c", "-D", "n=10", "-D", "n=20"), "-D n: n is given twice, as 10 and as 20 (leave one of them out)"),
        (("s.c", "--top", "2", "--all"), "not allowed with argument --top"),
        (("s.c", "--launch", "scale:grid=3,block=3"), "scale is a function of the host, which no grid of threads runs"),
        (("explain", "AI10"), "did you mean AI100 or AI101"),
        (("explain", "AI999"), "AI401 to AI425: advice"),
        (("s.c", "--machine", "./mine.toml"), "mine.toml:4: the machine has no key `cores`"),
        (("s.c", "--machine", "./mine.toml"), "the machine lacks `units`, `name`, `vendor`, `peaks`"),
    ):
        found = run(*arguments)
        assert said in found.stderr
        assert found.code == 2
    assert "no loop runs for -5 of them (give a value above 0, as in -D n=1000)" in run("s.c", "-D", "n=-5").stderr
    assert run("machines", "example").stdout.startswith('id = "my-desktop"')


def test_printing_comes_last_and_is_no_part_of_the_shares(tmp_path: Path, run: Run) -> None:
    """A printed number takes 500 cycles, and the loop that prints a million of them longer than any other here."""
    source = tmp_path / "f.c"
    source.write_text("""#include <stdio.h>
#include <stdlib.h>
static double a[1000000];
int main(void) {
  for (int i = 0; i < 1000000; i++) a[i] = rand() * 1e-9;
  for (int i = 0; i < 1000000; i++) printf("%g\\n", a[i]);
  return 0;
}
""")
    rows = [line.split() for line in run(str(source), "--machine", "haswell").stdout.splitlines()]
    found = {row[0]: row[1:4] for row in rows if row and row[0] in ("main:5", "main:6")}
    assert list(found) == ["main:5", "main:6"]
    assert found["main:5"][2] == "100"
    assert found["main:6"][2] == "I/O"


def test_threads_that_a_loop_starts_are_no_set_up(tmp_path: Path, run: Run) -> None:
    source = tmp_path / "f.cpp"
    source.write_text("""#include <thread>
#include <vector>
void scale(double *x, long n) {
  std::vector<std::thread> all;
  for (int t = 0; t < 8; ++t)
    all.emplace_back([=] { for (long i = t * n / 8; i < (t + 1) * n / 8; ++i) x[i] *= 2; });
  for (auto &t : all) t.join();
}
void fill(std::vector<double> &x, long n) { for (long i = 0; i < n; i++) x.push_back(i); }
int main() { std::vector<double> x; fill(x, 1000); for (int i = 0; i < 900; i++) scale(x.data(), 1000); }
""")
    text = run(str(source), "--machine", "haswell", "--all").stdout
    assert text.index("scale:") < text.index("fill:")


PACKED = """#include <stdlib.h>
static void pack(int m, int k, const double *a, int lda, double *buf) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < k; j++) *buf++ = a[i * lda + j];
}
static void micro(int k, const double *a, const double *b, double *c) {
  for (int l = 0; l < k; l++)
    for (int i = 0; i < 4; i++) c[i] += a[4 * l + i] * b[l];
}
void product(int n, const double *a, const double *b, double *c) {
  double *p = malloc(64 * n * sizeof *p);
  for (int ii = 0; ii < n; ii += 64) {
    int m = n - ii < 64 ? n - ii : 64;
    pack(m, n, a + ii * n, n, p);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i += 4) micro(n, p + i * n, b + j * n, c + ii + i + j * n);
  }
  free(p);
}
int main(void) {
  static double a[512 * 512], b[512 * 512], c[512 * 512];
  product(512, a, b, c);
  return c[3] > 0;
}
"""
FILTER = """static float delay[64], coef[64];
static void shift(float x) {
  for (int i = 63; i > 0; i--) delay[i] = delay[i - 1];
  delay[0] = x;
}
static float dot(void) {
  float s = 0;
  for (int i = 0; i < 64; i++) s += delay[i] * coef[i];
  return s;
}
void fir(const float *in, float *out, int n) {
  for (int i = 0; i < n; i++) {
    shift(in[i]);
    out[i] = dot();
  }
}
int main(void) {
  static float in[48000], out[48000];
  fir(in, out, 48000);
  return out[9] > 0;
}
"""


def _rows(text: str) -> list[str]:
    """Return the lines of the table, without the lines of its head."""
    lines = text.splitlines()
    first = next(number for number, line in enumerate(lines) if "───" in line) + 1
    return [line.strip() for line in lines[first : lines.index("", first)]]


def test_parts_of_a_nest_with_times_are_counted_in_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "packed.c").write_text(PACKED)
    folded = run("packed.c", "--machine", "haswell").stdout
    assert [row.split()[0] for row in _rows(folded)] == ["product:12-17"]
    assert "2 more nests, 2 of them counted in those above" in folded
    whole = _rows(run("packed.c", "--machine", "haswell", "--all").stdout)
    assert whole[1] == "counted in those above:"
    assert {row.split()[0] for row in whole[2:]} == {"pack:3-4", "micro:7-8"}


def test_headings_name_the_function_that_has_the_loop(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fir.c").write_text(FILTER)
    rows = _rows(run("fir.c", "--machine", "haswell").stdout)
    assert rows[0] == "fir:12-15, 48,000 times"
    assert {row.split()[0] for row in rows[1:]} == {"dot:8", "shift:3"}


def test_what_caches_leave_open_is_said_of_the_nest_that_does(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two nests that a loop repeats one gathers: the other one is no estimate."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.c").write_text("""static double x[1000000], y[1000000], z[1000000];
static int at[1000];
int main(void) {
  double s = 0;
  for (int t = 0; t < 10; t++) {
    for (int i = 0; i < 1000000; i++) y[i] = 2 * z[i];
    for (int i = 0; i < 1000; i++) s += x[at[i]];
  }
  return s > 0;
}
""")
    heaviest = run("two.c", "--machine", "haswell").stdout
    assert "main:7: subscripts of x depend on data" in heaviest
    assert "main:6: subscripts" not in heaviest


def test_instances_that_run_together_are_named_as_their_template(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.cpp").write_text(
        "template <int N> void scale(double *x) { for (int i = 0; i < N; i++) x[i] *= 2; }\n"
        "void all(double *x) { scale<8>(x); scale<1000>(x); scale<5000000>(x); }\n"
    )
    (row,) = _rows(run("t.cpp", "--machine", "haswell").stdout)
    assert row.startswith("scale<...>:1 (3 instances)  ")


def test_a_size_follows_another_one(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.c").write_text(
        "void f(int n, int m, double *a) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i*m+j] *= 2; }\n"
    )
    assert "1 M" in run("m.c", "--machine", "haswell", "-D", "n=1000", "-D", "m=n").stdout
    swept = run("m.c", "--machine", "haswell", "--sweep", "n=100:1000:900", "-D", "m=n").stdout
    assert [line.split()[1:3] for line in swept.splitlines() if line.split()[:1] in (["100"], ["1000"])] == [
        ["10", "k"],
        ["1", "M"],
    ]
    assert "grows as" not in swept  # the tables have the figures of every size


def test_functions_without_a_body_are_one_message(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = [f"call{number}" for number in range(8)]
    declared = "\n".join(f"double {name}(double);" for name in names)
    calls = " + ".join(f"{name}(a[i])" for name in names)
    (tmp_path / "c.c").write_text(
        f"{declared}\nvoid f(int n, double *a) {{ for (int i = 0; i < n; i++) a[i] = {calls}; }}\n"
    )
    said = run("c.c").stderr
    assert "the bodies of call0, call1, call2, call3, call4, call5 and 2 more are not known" in said
    assert said.count("AI201") == 1


def test_syntax_errors_are_not_also_a_file_without_loops(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.c").write_text("void f(int n, double *a) { for (int i = 0; i < n; i++ a[i] = 1; }\n")
    found = run("b.c")
    assert "AI001" in found.stderr
    assert "AI004" not in found.stderr
    assert found.code == 2


def test_nearest_codes_are_of_the_same_hundred(run: Run) -> None:
    assert "AI204 or AI206" in run("explain", "AI205").stderr
    assert re.search(r"AI100 to AI1\d\d", run("explain", "AI999").stderr)


def test_long_formulas_are_folded_where_text_has_them(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "packed.c").write_text(PACKED)
    found = run("packed.c", "--machine", "haswell", "-v").stdout
    assert max(map(len, " ".join(found.split()).split(" cores, "))) < 4000
    assert len(found.splitlines()) < 60
