"""The command as people run it: processes, exit codes, messages, files, pipes."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import re
import signal
import subprocess
import sys
import termios
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

ROOT = Path(__file__).parents[2]
HEAVY = ("islpy", "clang", "pycparser", "pcpp", "matplotlib", "rich", "numpy")
TRIAD = (
    "void triad(int n, double *a, double *b, double *c)\n{\n  for (int i = 0; i < n; i++) a[i] = b[i] + 3 * c[i];\n}\n"
)
MACHINE = (ROOT / "roofline" / "machines" / "v100.toml").read_text("utf-8")

Run = Callable[..., Any]


def process(*arguments: str, stdin: str | None = None, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-m", "cli", *arguments],
        **{"input": stdin, "capture_output": True, "text": True, "cwd": cwd, "env": environment, "timeout": 120},
    )


@pytest.fixture
def triad(tmp_path: Path) -> Path:
    path = tmp_path / "triad.c"
    path.write_text(TRIAD)
    return path


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def regions(text: str) -> list[dict[str, Any]]:
    return [region for file in json.loads(text)["files"] for region in file["regions"]]


# Start-up


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["machines", "--help"], ["explain", "AI202"]])
def test_nothing_heavy_is_loaded_to_start(arguments: list[str]) -> None:
    script = (
        "import sys; from cli.main import main; code = main(sys.argv[1:]);"
        f"print('loaded', [name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr); sys.exit(code)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stderr.splitlines()[-1] == "loaded []"
    assert done.stdout


@pytest.mark.parametrize(
    ("source", "unused"),
    [
        ("for (int i = 0; i < n; i++) a[i] = 2.0 * b[i];", ("clang", "pcpp", "rich", "matplotlib", "numpy")),
        ("void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 0; }", ("pycparser", "pcpp", "rich", "numpy")),
    ],
)
def test_a_run_loads_only_what_it_uses(tmp_path: Path, source: str, unused: tuple[str, ...]) -> None:
    script = (
        "import sys; from cli.main import main; code = main(sys.argv[1:]);"
        f"print('loaded', [name for name in {unused!r} if name in sys.modules], file=sys.stderr); sys.exit(code)"
    )
    file = write(tmp_path, "x.c", source)
    command = [sys.executable, "-c", script, str(file), "--machine", "haswell", "--format", "csv"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stderr.splitlines()[-1] == "loaded []"


def test_a_run_loads_no_module_of_python_that_reads_source_or_makes_files(tmp_path: Path) -> None:
    unused = ("ast", "inspect", "typing_extensions", "importlib.resources", "shutil", "tempfile", "traceback")
    script = (
        "import sys; from cli.run.process import prepare_process; prepare_process(); from cli.main import main;"
        "code = main(sys.argv[1:]);"
        f"print('loaded', [name for name in {unused!r} if name in sys.modules], file=sys.stderr); sys.exit(code)"
    )
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", script, str(write(tmp_path, "x.c", TRIAD)), "--machine", "haswell", "--no-cache"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stderr.splitlines()[-1] == "loaded []"


def test_version_is_one_line() -> None:
    done = process("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, "ai-estimate 0.1.0\n", "")


def test_another_package_of_the_same_name_is_told(tmp_path: Path) -> None:
    (tmp_path / "roofline").mkdir()
    write(tmp_path / "roofline", "__init__.py", "")
    script = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from cli.main import main; sys.exit(main(['--help']))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 2
    assert "'roofline' is not the one of ai-estimate" in done.stderr


# The report


def test_a_file_on_a_machine(run: Run, triad: Path) -> None:
    done = run(triad, "--machine", "v100", "--format", "json")
    assert (done.code, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert document["machine"]["id"] == "v100"
    (region,) = regions(done.stdout)
    assert (region["work"]["flops"]["symbolic"], region["intensity"]["fraction"]) == ("2*n", "1/12")
    assert region["projection"]["bound"] == "memory"


def test_analyze_is_the_default_command(run: Run, triad: Path) -> None:
    assert run("analyze", triad, "--format", "json").stdout == run(triad, "--format", "json").stdout


def test_options_reach_the_numbers(run: Run, triad: Path) -> None:
    def first(*arguments: str) -> dict[str, Any]:
        return regions(run(triad, "--format", "json", *arguments).stdout)[0]

    assert first("--convention", "write-allocate")["intensity"]["fraction"] == "1/16"
    assert first("--write-allocate")["intensity"]["fraction"] == "1/16"
    assert first("--machine", "haswell")["intensity"]["fraction"] == "1/16"
    assert first("--machine", "haswell", "--nontemporal")["intensity"]["fraction"] == "1/12"
    assert first("--machine", "haswell", "--no-write-allocate")["intensity"]["fraction"] == "1/12"
    assert first("-D", "n=1e6")["work"]["flops"]["value"] == 2_000_000
    assert first("--fma", "off")["work"]["fma_share"] == 0
    plain = first("--machine", "v100")["projection"]["attainable_flop_per_s"]
    assert first("--machine", "v100", "--scale-bandwidth", "2")["projection"]["attainable_flop_per_s"] == 2 * plain
    assert first("--machine", "v100", "--peak", "theoretical")["projection"]["attainable_flop_per_s"] == 900e9 / 12


def test_several_machines(run: Run, triad: Path) -> None:
    (region,) = regions(run(triad, "--machine", "v100,a100", "--machine", "haswell", "--format", "json").stdout)
    assert [found["machine"] for found in region["projections"]] == ["v100", "a100-40", "haswell-e5-2695v3"]


def test_standard_input(run: Run) -> None:
    done = run("-", "--format", "json", stdin="for (i = 0; i < N; i++) y[i] = a * x[i] + y[i];")
    assert done.code == 0
    (region,) = regions(done.stdout)
    assert region["work"]["flops"]["symbolic"] == "2*N"


def test_markdown_keeps_its_line_numbers(run: Run, tmp_path: Path) -> None:
    text = "# Notes\n\n```c\nfor (i = 0; i < N; i++)\n  s += a[i];\n```\n\n```python\npass\n```\n"
    done = run(write(tmp_path, "notes.md", text), "--format", "json")
    assert done.code == 0
    (region,) = regions(done.stdout)
    assert region["loops"][0]["line"] == 4


def test_formats_agree_without_sizes(run: Run, tmp_path: Path) -> None:
    """A matrix that no cache holds is read from DRAM for each row, 1/4 FLOP/byte of 50 GB/s."""
    source = tmp_path / "product.c"
    source.write_text(
        "void f(int n, double a[n][n], double b[n][n], double c[n][n]) { for (int i = 0; i < n; i++)"
        " for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) c[i][j] += a[i][k] * b[k][j]; }"
    )
    machine = ("--machine", "haswell")
    (row, *_) = csv.DictReader(io.StringIO(run(str(source), *machine, "--format", "csv").stdout))
    assert (row["bound"], row["level"], float(row["attainable_flop_per_s"])) == ("memory", "DRAM", 12.5e9)
    for name in ("table", "text", "markdown"):
        assert "12.5 GFLOP/s" in run(str(source), *machine, "--format", name).stdout


def test_csv_has_a_row_for_each_region_and_machine(run: Run, triad: Path) -> None:
    done = run(triad, "--machine", "v100,a100", "-D", "n=1000", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["region"], row["machine"]) for row in rows if row["kind"] == "function"] == [
        ("triad", "v100"),
        ("triad", "a100-40"),
    ]
    assert (rows[0]["flops"], rows[0]["bytes"], rows[0]["intensity_fraction"]) == ("2000", "24000", "1/12")


@pytest.mark.parametrize("form", ["table", "text", "json", "csv", "markdown"])
def test_every_form_names_the_bound(run: Run, triad: Path, form: str) -> None:
    done = run(triad, "--machine", "v100", "--format", form)
    assert done.code == 0
    assert "memory" in done.stdout


def test_counts_of_a_header_stand_beside_its_lines(run: Run, tmp_path: Path) -> None:
    (tmp_path / "kern.h").write_text(
        "// a header\n__global__ void scale(float *a, int n) {\n  int i = threadIdx.x;\n  if (i < n) a[i] *= 2.0f;\n}\n"
    )
    main = tmp_path / "main.cu"
    main.write_text('#include "kern.h"\nint main() {\n  float *a = 0;\n  scale<<<1, 32>>>(a, 32);\n}\n')
    done = run(main, "--machine", "v100", "--by-line")
    assert re.search(r"^kern\.h:4 +32 +32 +128 +128 \|", done.stdout, re.MULTILINE)
    assert not re.search(r"^ +4 +32 ", done.stdout, re.MULTILINE)


def test_explain_and_by_line(run: Run, triad: Path) -> None:
    done = run(triad, "--machine", "v100", "--format", "text", "--explain", "--by-line")
    assert done.code == 0
    assert "1/12" in done.stdout
    assert "a[i] = b[i] + 3 * c[i];" in done.stdout


def test_dump_shows_the_representation(run: Run, triad: Path) -> None:
    done = run(triad, "--dump", "ir")
    assert done.code == 0
    assert "triad" in done.stdout
    assert "{" not in done.stdout.splitlines()[0] or "flops" not in done.stdout


# A range of one size


def points(text: str) -> list[tuple[int, int]]:
    found = json.loads(text)["sweep"]["points"]
    return [(point["value"], point["files"][0]["regions"][0]["work"]["flops"]["value"]) for point in found]


def test_a_range_of_a_symbol_is_evaluated(run: Run, triad: Path) -> None:
    done = run(triad, "-D", "n=100:300:100", "--machine", "v100", "--format", "json")
    assert points(done.stdout) == [(100, 200), (200, 400), (300, 600)]
    schema = json.loads((ROOT / "roofline" / "report" / "report.schema.json").read_text("utf-8"))
    jsonschema.validate(json.loads(done.stdout), schema)
    (region,) = regions(done.stdout)
    assert region["parameters"] == {"n": None}, "the report itself stays symbolic"


def test_a_range_of_a_macro_is_analyzed_anew(run: Run, tmp_path: Path) -> None:
    text = "#ifndef N\n#define N 8\n#endif\ndouble a[N];\nvoid f(void) { for (int i = 0; i < N; i++) a[i] *= 2; }\n"
    done = run(write(tmp_path, "macro.c", text), "-D", "N=4,6", "--format", "json")
    assert points(done.stdout) == [(4, 4), (6, 6)]


SWEPT = {
    "matmul": "void f(int n, double a[n][n], double b[n][n], double c[n][n]) { for (int i = 0; i < n; i++)"
    " for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) c[i][j] += a[i][k] * b[k][j]; }",
    "triangle": "void f(int n, double a[n][n]) { for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++)"
    " a[i][j] = 2 * a[j][i]; }",
    "stencil": "void f(int n, double *a, double *b) { for (int i = 1; i < n - 1; i++)"
    " b[i] = a[i - 1] + a[i] + a[i + 1]; }",
    "branch": "void f(int n, double *a) { for (int i = 0; i < n; i++) if (a[i] > 0) a[i] *= 2; }",
    "product": "void f(int n, double *a) { for (int i = 0; i < n * n; i++) a[i] *= 2; }",
}


@pytest.mark.parametrize("name", SWEPT)
def test_a_range_gives_what_single_runs_give(run: Run, tmp_path: Path, name: str) -> None:
    path = write(tmp_path, "k.c", SWEPT[name])
    swept = json.loads(run(path, "-D", "n=7,64", "--machine", "haswell", "--format", "json").stdout)["sweep"]
    for point in swept["points"]:
        single = run(path, "-D", f"n={point['value']}", "--machine", "haswell", "--format", "json")
        for found, wanted in zip(point["files"][0]["regions"], regions(single.stdout), strict=True):
            for key in ("parameters", "intensity", "projections", "per_iteration"):
                assert found[key] == wanted[key]
            for kind in ("flops", "integer_operations"):
                assert found["work"][kind]["value"] == wanted["work"][kind]["value"]
            for ours, theirs in zip(found["traffic"], wanted["traffic"], strict=True):
                assert ours["total_bytes"]["value"] == theirs["total_bytes"]["value"]


def test_a_range_as_csv_and_as_a_table(run: Run, triad: Path) -> None:
    done = run(triad, "-D", "n=100,200", "--format", "csv", "--function", "triad")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["parameter"], row["value"], row["flops"]) for row in rows if row["kind"] == "function"] == [
        ("n", "100", "200"),
        ("n", "200", "400"),
    ]
    table = run(triad, "-D", "n=100,200", "--machine", "v100", "--format", "text")
    assert table.code == 0
    assert "400" in table.stdout


MATMUL = (
    "void mm(int n, double a[n][n], double b[n][n], double c[n][n])\n{\n  for (int i = 0; i < n; i++)\n"
    "    for (int k = 0; k < n; k++)\n      for (int j = 0; j < n; j++)\n        c[i][j] += a[i][k] * b[k][j];\n}\n"
)
SMALL = ("--hierarchy", "L1:4KiB,L2:64KiB")


def test_a_sweep_marks_where_caches_stop_to_keep(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """L2 holds the 8 n^2 bytes of b, and a row of c and of a or two: 1023 lines hold them up to n = 88."""
    monkeypatch.setenv("AI_ESTIMATE_CACHE_DIR", str(tmp_path / "kept"))  # the table is of the same results
    path = write(tmp_path, "mm.c", MATMUL)
    document = json.loads(run(path, *SMALL, "--sweep", "n=30:300", "--format", "json").stdout)
    jsonschema.validate(document, json.loads((ROOT / "roofline" / "report" / "report.schema.json").read_text("utf-8")))
    (found,) = [each for each in document["sweep"]["breakpoints"] if each["level"] == "L2"]
    assert (found["value"], found["region"], found["line"]) == (88, "mm", 1)
    intensity = {
        point["value"]: point["files"][0]["regions"][0]["intensity"]["value"] for point in document["sweep"]["points"]
    }
    before, after = max(n for n in intensity if n <= 88), min(n for n in intensity if n > 100)
    assert intensity[before] > 10 * intensity[after]
    table = run(path, *SMALL, "--sweep", "n=30:300").stdout
    assert re.search(r"^\s*n\s+FLOPs\s+bytes\s+L1 FLOP/byte\s+L2 FLOP/byte\s+DRAM FLOP/byte", table, re.M)
    assert "L2 holds b for the next iteration of i" in table
    (row,) = [line for line in table.splitlines() if line.endswith("[1]")]
    assert int(row.split()[0]) == min(n for n in intensity if n > 88)


def test_a_size_that_nothing_uses_is_refused(run: Run, triad: Path) -> None:
    for given in ("M=100,200", "M=100"):
        done = run(triad, "-D", given, "--format", "json")
        assert done.code == 2
        assert "-D M: nothing depends on a symbol or macro of this name" in done.stderr


def test_a_count_or_a_counter_that_sizes_decide_is_refused(run: Run, tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "x.c",
        "void f(int n, double *a) {\n  for (int t = 0; t < 9; t++)\n    for (int i = 0; i < n; i++) a[i] += t;\n}\n",
    )
    for given, fact in (("trip_L3=5", "the trip count of a loop in line 3 is not open"), ("i=5", "nothing depends on")):
        done = run(path, "-D", given)
        assert done.code == 2
        assert fact in done.stderr
        assert "(possible: n)" in done.stderr


# What would help


def test_the_loop_to_block_is_advised(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "mm.c", MATMUL)
    known = (path, *SMALL, "-D", "n=192")
    (region,) = regions(run(*known, "--advise", "--format", "json").stdout)
    advice, *_ = [found for found in region["nests"][0]["advice"] if found["code"] == "AI405"]
    assert "block the nest " in advice["text"]
    assert {found["array"] for found in region["reuses"]} == {"b", "c"}
    assert "[AI405]" in run(*known, "--advise").stdout
    assert "[AI405]" not in run(*known).stdout


def test_unknown_sizes_have_conditions_in_the_table(run: Run, tmp_path: Path) -> None:
    text = " ".join(run(write(tmp_path, "mm.c", MATMUL), "--machine", "haswell", "-v").stdout.split())
    assert re.search(r"mm:3-6 caches: L1 holds \w for .* while n <= \d+", text)


def test_conflicts_are_on_the_screen(run: Run, tmp_path: Path) -> None:
    text = "void tr(int n, double a[n][n], double b[n][n]) { for (int i = 0; i < n; i++)\n"
    text += "  for (int j = 0; j < n; j++) b[j][i] = a[i][j]; }\n"
    found = run(write(tmp_path, "tr.c", text), "--hierarchy", "L1:32KiB/8,L2:1MiB/16", "-D", "n=1024").stdout
    assert re.search(r"tr:1-2: set conflicts in L\d cause", found)


def test_the_simulation_is_shown_beside_the_model_or_in_its_place(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "mm.c", MATMUL)
    both = run(path, *SMALL, "-D", "n=48", "--verify").stdout
    assert re.search(r"mm:3-6 verified: simulate: L2 [\d.]+ kB \(.*DRAM [\d.]+ kB \(", both)
    alone = run(path, *SMALL, "-D", "n=48", "--cache", "simulate", "-v")
    assert "(simulate model)" in alone.stdout
    assert "verified" not in alone.stdout


# The other commands


def test_machines(run: Run) -> None:
    assert "v100" in run("machines").stdout
    catalog = json.loads(run("machines", "--format", "json").stdout)
    assert {"v100", "a100-40", "haswell-e5-2695v3"} <= {entry["id"] for entry in catalog}
    shown = run("machines", "show", "v100").stdout
    assert all(word in shown for word in ("828.8 GB/s", "measured", "nersc-data", "discrepancy:"))
    assert json.loads(run("machines", "show", "v100", "--format", "json").stdout)["units"]["count"] == 80
    several = json.loads(run("machines", "show", "v100,a100", "--format", "json").stdout)
    assert [machine["id"] for machine in several] == ["v100", "a100-40"]


def test_every_machine_is_shown(run: Run) -> None:
    names = [entry["id"] for entry in json.loads(run("machines", "--format", "json").stdout)]
    assert run("machines", "show", *names).code == 0
    assert run("machines", "show", *names, "--format", "json").code == 0


def test_codes_are_explained(run: Run) -> None:
    done = run("explain", "ai202")
    assert done.code == 0
    assert done.stdout.startswith("AI202: ")
    assert run("explain", "AI999").code == 2
    assert "AI001" in run("explain").stdout


# Bad input


def error(done: Any) -> str:
    assert getattr(done, "code", None) == 2 or done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if "error:" in line]
    assert lines, done.stderr
    return str(lines[0])


@pytest.mark.parametrize(
    ("given", "hint"),
    [("x.c", "check the path"), ("kernal.c", "did you mean kernel.c?"), ("kernel.cpp", "did you mean kernel.c?")],
)
def test_a_suffix_alone_makes_no_name_near(
    given: str, hint: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (".ci", "y.c", "kernel.c"):
        write(tmp_path, name, "\n")
    monkeypatch.chdir(tmp_path)
    assert error(run(given)) == f"ai-estimate: error: {given}: no such file ({hint})"


def test_bad_files_are_told_with_path_and_hint(run: Run, tmp_path: Path) -> None:
    missing = tmp_path / "missing.c"
    assert error(run(missing)) == f"ai-estimate: error: {missing}: no such file (check the path)"
    assert "holds no C, C++ or CUDA source" in error(run(tmp_path))
    assert "is empty" in error(run(write(tmp_path, "empty.c", "\n")))
    binary = tmp_path / "a.out"
    binary.write_bytes(b"\x7fELF\0\0\0")
    assert "binary" in error(run(binary))
    assert "binary" in error(run("-", stdin="\0\1"))
    assert "is empty" in error(run("-"))
    assert "no code block" in error(run(write(tmp_path, "notes.md", "Nothing here.\n")))


def test_a_syntax_error_is_told_with_its_line(run: Run, tmp_path: Path) -> None:
    path = write(
        tmp_path, "bad.c", "void f(int n, double *a) {\n  for (int i = 0; i < n; i++ {\n    a[i] = 0;\n  }\n}\n"
    )
    done = run(path, "--format", "text")
    assert f"{path}:2: error:" in error(done)
    assert "[AI001]" in done.stderr
    assert run(path, "--format", "json").code == 2


def test_one_bad_file_does_not_stop_the_others(run: Run, triad: Path, tmp_path: Path) -> None:
    other = write(tmp_path, "other.c", TRIAD.replace("triad", "other"))
    done = run(triad, tmp_path / "missing.c", other, "--format", "json")
    assert done.code == 2
    assert [region["function"] for region in regions(done.stdout)] == ["triad", "other"]
    assert "missing.c: no such file" in done.stderr


@pytest.mark.parametrize(
    ("name", "hint"),
    [("v10", "did you mean v100"), ("a1oo", "did you mean"), ("qqqqqq", ".toml"), ("./no.toml", "no.toml")],
)
def test_an_unknown_machine(run: Run, triad: Path, name: str, hint: str) -> None:
    assert hint in error(run(triad, "--machine", name))


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("_gbs =", "_gibs =", "_gibs"),
        ("count = 80", "count = -80", "count"),
        ("count = 80", 'count = "many"', "count"),
        ("count = 80", "count = ", "TOML"),
    ],
)
def test_a_machine_file_with_a_mistake(run: Run, triad: Path, old: str, new: str, word: str) -> None:
    assert old in MACHINE
    path = write(triad.parent, "mine.toml", MACHINE.replace(old, new, 1))
    message = error(run(triad, "--machine", path))
    assert word in message
    line = next(number for number, text in enumerate(MACHINE.splitlines(), 1) if old in text)
    assert f"{path}:{line}:" in message


def test_a_machine_file_of_the_user(run: Run, triad: Path) -> None:
    path = write(triad.parent, "mine.toml", MACHINE.replace('id = "v100"', 'id = "mine"', 1))
    done = run(triad, "--machine", path, "--format", "json")
    assert (done.code, json.loads(done.stdout)["machine"]["id"]) == (0, "mine")


def test_too_many_cores(run: Run, triad: Path) -> None:
    assert "80 SMs" in error(run(triad, "--machine", "v100", "--cores", "81"))


def test_an_unknown_policy(run: Run, triad: Path) -> None:
    assert "shipped ones: source" in error(run(triad, "--policy", "mine"))


def test_a_loop_that_cannot_be_analyzed_is_told_and_the_rest_goes_on(run: Run, tmp_path: Path) -> None:
    text = "void f(int n, double *a, int (*next)(int)) {\n  for (int i = 0; i >= 0; i = next(i)) a[i] *= 2;\n"
    text += "  for (int j = 0; j < n; j++) a[j] += 1;\n}\n"
    done = run(write(tmp_path, "odd.c", text), "--format", "json")
    assert done.code == 0
    (file,) = json.loads(done.stdout)["files"]
    (region,) = file["regions"]
    assert any(nest["work"]["flops"]["symbolic"] == "n" for nest in region["nests"])
    told = [*file["diagnostics"], *region["assumptions"]]
    assert any(found["line"] == 2 for found in told)


def test_a_missing_header_is_no_failure(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "k.c", '#include "mine.h"\n' + TRIAD)
    done = run(path, "--format", "csv")
    assert (done.code, f"{path}:1: note:" in done.stderr, "[AI002]" in done.stderr) == (0, True, True)
    assert "triad" in done.stdout
    assert run(path, "--format", "csv", "--quiet").stderr == ""


def test_usage_errors(run: Run) -> None:
    assert "no input file" in error(run())
    assert "--frontend" in error(run("k.c", "--frontend", "gcc"))
    assert "--frobnicate" in error(run("k.c", "--frobnicate"))
    assert "--plot needs a machine" in error(run("k.c", "--plot", "a.svg"))
    assert "needs a name" in error(run("machines", "show"))
    assert "did you mean v100" in error(run("machines", "show", "v10"))


# Output


def test_output_is_whole_or_not_there(run: Run, triad: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    assert run(triad, "--format", "json", "--output", target).stdout == ""
    whole = target.read_text()
    assert json.loads(whole)["files"]
    assert run(triad, "--format", "json", "--output", target, "--machine", "nowhere").code == 2
    assert target.read_text() == whole
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.json", "triad.c"], "nothing is left behind"


def test_unwritable_output(run: Run, triad: Path, tmp_path: Path) -> None:
    target = tmp_path / "no" / "report.json"
    assert error(run(triad, "--format", "json", "--output", target)).startswith(
        f"ai-estimate: error: {target}: cannot be"
    )
    assert "directory" in error(run(triad, "--format", "json", "--output", tmp_path))


def test_a_closed_pipe_is_quiet(triad: Path) -> None:
    script = f'"{sys.executable}" -m cli machines --format json | head -c 1 > /dev/null; echo "${{PIPESTATUS[0]}}"'
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert done.stderr == ""
    assert done.stdout.strip() in ("0", "141")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_device_is_told(triad: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "cli", str(triad), "--format", "json"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment, check=False)
    assert error(done).startswith("ai-estimate: error: standard output cannot be written")


def test_an_interrupt_is_quiet() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [sys.executable, "-m", "cli", "-"]
    with subprocess.Popen(command, env=environment, preexec_fn=_heed_interrupts, **pipes) as started:
        started.stdin.write(b"for (;")
        started.stdin.flush()
        _wait_until_read(started.stdin.fileno())
        _wait_until_asleep(started.pid)
        started.send_signal(signal.SIGINT)
        code = started.wait(30)
        assert (code, started.stdout.read(), started.stderr.read()) == (130, b"", b"")


def _heed_interrupts() -> None:
    """Undo that whoever runs the tests in the background ignores interrupts, which children inherit."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _wait_until_read(pipe: int) -> None:
    """Wait until the other end of a pipe has taken everything out of it."""
    left = array("i", [1])
    deadline = time.monotonic() + 30
    while left[0] and time.monotonic() < deadline:
        fcntl.ioctl(pipe, termios.FIONREAD, left)
        time.sleep(0.01)
    assert not left[0]


def _wait_until_asleep(process: int) -> None:
    """Wait until a process waits for more input: a signal just before that would only be seen after it."""
    state = Path(f"/proc/{process}/stat")
    for _ in range(3000):
        if not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "S":
            break
        time.sleep(0.01)
    time.sleep(0.1)


def test_a_process_leaves_the_exit_code(triad: Path) -> None:
    assert process(str(triad), "--format", "json").returncode == 0
    assert process("-", "--format", "json", stdin=TRIAD).returncode == 0
    failed = process("missing.c")
    assert (failed.returncode, failed.stdout) == (2, "")


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_plots(run: Run, triad: Path, suffix: str) -> None:
    target = triad.parent / f"roofline.{suffix}"
    assert run(triad, "--machine", "v100", "--format", "json", "--plot", target).code == 0
    start = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[suffix]
    assert target.read_bytes().startswith(start)


def test_a_plot_over_a_range(run: Run, triad: Path) -> None:
    target = triad.parent / "range.svg"
    done = run(triad, "--machine", "v100", "-D", "n=100:10000:log", "--format", "json", "--plot", target)
    assert done.code == 0
    assert b"<svg" in target.read_bytes()


DATA = """double f(int n, double *a, double c, double t) {{
  double s = 0;
  {tests}
  if ((c/t >= 0 ? c/t : -(c/t)) > t) for (int i = 0; i < n; i++) s += a[i];
  return s;
}}
"""


def test_notes_above_the_first_screen_are_counted(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "f.c"
    file.write_text(DATA.format(tests="\n  ".join(f"if (a[{number}] > c) s += {number};" for number in range(6))))
    shown, whole, quiet = (run(file, *words).stderr for words in ((), ("--format", "text"), ("--quiet",)))
    assert (shown.count("[AI202]"), whole.count("[AI202]"), quiet) == (0, 8, "")
    assert "8 more messages: AI202 (8) (-v lists them" in shown


def test_a_condition_on_a_value_without_a_name_is_written_as_in_c(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "f.c"
    file.write_text(DATA.format(tests=""))
    done = run(file, "--machine", "haswell", "--format", "text")
    assert "line 4 if (c/t >= 0.0 ? c/t : -(c/t)) > t" in done.stdout
    assert "$" not in done.stdout


def test_options_of_a_machine_without_one_are_said(run, tmp_path):
    source = tmp_path / "f.c"
    source.write_text("void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] *= 2; }")
    alone = run(str(source), "--cores", "2", "--simd", "scalar").stderr
    assert "--cores, --simd have no effect without a machine" in alone
    assert "no effect" not in run(str(source), "--cores", "2", "--machine", "haswell").stderr


def test_a_trip_count_that_is_given_is_not_asked_for(run, tmp_path):
    source = tmp_path / "f.c"
    rows = "for (int i = 0; i < n; i++) for (int k = p[i]; k < p[i + 1]; k++) a[k] *= 2;"
    source.write_text(f"void f(int n, int *p, double *a) {{ {rows} }}")
    assert "-D trip_L1=9" in run(str(source)).stderr
    assert "trip_L1" not in run(str(source), "-D", "trip_L1=27").stderr
