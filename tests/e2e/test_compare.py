"""``ai-estimate compare`` and ``machines import`` as people run them."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from roofline.comparison.quantities import Verdict
from roofline.comparison.reasons.codes import Code
from roofline.measured.repeats import REDUCTIONS
from tests.compared import KERNELS, SAMPLES

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "roofline" / "comparison" / "comparison.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
TRIAD = """\
void triad(int n, double *restrict a, const double *restrict b, const double *restrict c, double s) {
  for (int i = 0; i < n; i++) a[i] = b[i] + s * c[i];
}
"""
KERNEL = """\
__global__ void triad(double *a, const double *b, const double *c, double s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = b[i] + s * c[i];
}
void run(double *a, double *b, double *c) { triad<<<65536, 256>>>(a, b, c, 3.0, 16777216); }
"""
ON_CPU = ("-D", "n=2^24", "--machine", "xeon-6148")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with the sources and the samples."""
    (tmp_path / "triad.c").write_text("\n" * 10 + TRIAD)
    (tmp_path / "triad.cu").write_text(KERNEL)
    for sample in SAMPLES.iterdir():
        (tmp_path / sample.name).write_bytes(sample.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def compare(run, here):
    """The exit code and the JSON document, which fits its schema."""

    def call(*arguments):
        done = run("compare", *arguments, "--format", "json")
        document = json.loads(done.stdout)
        VALIDATOR.validate(document)
        assert (
            document["verdict"]
            in {0: ("agrees", "within the bound"), 1: ("differs",), 2: ("not comparable",)}[done.code]
        )
        return document

    return call


def quantities(document):
    (kernel,) = document["kernels"]
    return {(row["quantity"], row["level"]): row for row in kernel["quantities"]}


def codes(document):
    return [reason["code"] for kernel in document["kernels"] for reason in kernel["reasons"]]


@pytest.mark.parametrize("name", ["ncu_long.csv", "ncu_raw.csv"])
def test_ncu(compare, name):
    found = compare("triad.cu", "--machine", "v100", "--measured", name)
    assert (found["verdict"], found["flop_policy"]) == ("agrees", "nvidia-sass")
    rows = quantities(found)
    for level in ("L1", "L2", "DRAM"):
        assert rows["bytes", level]["ratio"] == pytest.approx(1, rel=2e-3)
    assert rows["flops", None]["measured"] == 2**25
    assert found["kernels"][0]["flops_by_precision"] == {"predicted": {"fp64": 2**25}, "measured": {"fp64": 2**25}}
    assert found["kernels"][0]["performance"]["efficiency"] == pytest.approx(0.9996, abs=1e-3)
    assert found["unmatched"] == {"measured": [], "predicted": []}


def test_the_plot_has_what_was_measured(run, here):
    done = run("compare", "triad.cu", "--machine", "v100", "--measured", "ncu_raw.csv", "--plot", "gap.svg")
    assert done.code == 0
    picture = (here / "gap.svg").read_text()
    assert "crosses: measured" in picture
    assert "triad:" in picture


def test_a_kernel_without_host_code_is_launched_as_measured(run, compare, here):
    (here / "alone.cu").write_text(KERNEL.split("void run")[0])
    alone = ("alone.cu", "-D", "n=2^24", "--machine", "v100", "--measured", "ncu_raw.csv")
    rows = quantities(compare(*alone))
    assert rows["flops", None]["predicted"]["value"] == 2**25
    assert rows["bytes", "L2"]["verdict"] == "agrees"
    assert "--launch triad:grid=65536x1x1,block=256x1x1" in run("compare", *alone).stderr


def test_nvprof_in_two_files(compare):
    found = compare(
        "triad.cu", "--machine", "v100", "--measured", "nvprof_metrics.csv", "--measured", "nvprof_summary.csv"
    )
    assert found["verdict"] == "agrees"
    assert [one["format"] for one in found["kernels"][0]["measured"]] == ["nvprof-metrics", "nvprof-summary"]
    assert found["kernels"][0]["performance"]["measured"] == pytest.approx(2**25 / 486.112e-6)


def test_likwid(compare):
    found = compare("triad.c", *ON_CPU, "--cores", "2", "--measured", "likwid_perfctr.csv", "--tolerance", "1%")
    assert found["verdict"] == "within the bound"  # 1.16 times the expected time, beyond its range
    assert quantities(found)["bytes", "DRAM"]["predicted"]["value"] == 2**29
    assert codes(found) == []


def test_advisor_by_place_and_repetitions(compare):
    found = compare("triad.c", *ON_CPU, "--measured", "advisor_survey.csv")
    assert (found["verdict"], codes(found)) == ("differs", ["repetitions"])
    assert found["kernels"][0]["joined_by"] == "triad.c:12"
    assert compare("triad.c", *ON_CPU, "--measured", "advisor_survey.csv", "--executions", "100")["verdict"] == "agrees"


def test_perf_of_one_channel(compare):
    found = compare("triad.c", *ON_CPU, "--measured", "perf_stat.csv")
    assert codes(found) == ["some channels"]
    assert compare("triad.c", *ON_CPU, "--measured", "perf_stat.jsonl")["verdict"] == "agrees"


def test_google_benchmark(compare):
    found = compare("triad.c", *ON_CPU, "--measured", "google_benchmark.json")
    assert found["verdict"] == "within the bound"
    assert quantities(found)["bytes", "stated"]["ratio"] == pytest.approx(1)
    other = compare("triad.c", "-D", "n=1000", "--machine", "xeon-6148", "--measured", "google_benchmark.json")
    assert other["unmatched"]["measured"][0]["why"] == "measured at 16777216, predicted at n = 1000 (-D)"


@pytest.mark.parametrize("name", ["carm_applications.csv", "carm_v3.jsonl"])
def test_carm(compare, name):
    arguments = ("triad.c", *ON_CPU, "--measured", name, "--executions", "120")
    assert [reason["code"] for reason in compare(*arguments)["kernels"][0]["reasons"]] == ["no write-allocate"]
    found = compare(*arguments, "--no-write-allocate")
    assert found["verdict"] == "agrees"
    assert quantities(found)["intensity", "L1"]["predicted"]["value"] == pytest.approx(1 / 12)


def test_nersc_written_and_read(run, compare, here):
    done = run(
        "compare",
        "triad.cu",
        "--machine",
        "v100",
        "--measured",
        "ncu_raw.csv",
        "--format",
        "nersc",
        "--output",
        "d.txt",
    )
    assert done.code == 0
    found = compare("triad.cu", "--machine", "v100", "--measured", "d.txt", "--map", "triad (*)=triad")
    assert [kernel["verdict"] for kernel in found["kernels"]] == ["agrees", "agrees"]
    assert compare("triad.cu", "--machine", "v100", "--measured", "nersc_data_hierarchical.txt")["verdict"] == "agrees"


def test_flops_of_divisions_are_those_of_the_policy(compare, here):
    (here / "div.cu").write_text(KERNEL.replace("s * c[i]", "s / c[i]"))
    text = (here / "ncu_raw.csv").read_text()
    whole = compare("div.cu", "--machine", "v100", "--measured", "ncu_raw.csv")
    flops = int(quantities(whole)["flops", None]["predicted"]["value"])
    assert flops > 5 * 2**25
    (here / "div.csv").write_text(text.replace('"16,777,216"', f'"{flops // 2:,}"'))
    assert compare("div.cu", "--machine", "v100", "--measured", "div.csv")["verdict"] == "agrees"
    found = compare("div.cu", "--machine", "v100", "--measured", "div.csv", "--policy", "source")
    assert (found["verdict"], codes(found)) == ("differs", ["expansion"])


def test_verdict_by_tolerance(compare):
    likwid = ("triad.c", *ON_CPU, "--measured", "likwid_perfctr.csv")
    assert compare(*likwid, "--tolerance", "flops=0.1%,bytes=0.001%,intensity=50%")["verdict"] == "differs"
    assert compare(*likwid, "--tolerance", "time=5%")["verdict"] == "differs"
    assert compare(*likwid, "--tolerance", "bytes.DRAM=1%")["verdict"] == "within the bound"


def test_source_from_standard_input(run, here):
    text = KERNEL.split("void run")[0]
    done = run("compare", "-", "--machine", "v100", "--measured", "ncu_raw.csv", stdin=text)
    assert (done.code, "n, threads.x not known (-D, --launch)" in done.stdout) == (0, True)


def test_sizes_that_are_not_known(compare):
    found = compare("triad.c", "--machine", "xeon-6148", "--measured", "likwid_perfctr.csv", "--tolerance", "20%")
    rows = quantities(found)
    assert rows["flops", None]["why"] == "n not known (-D)"
    assert rows["intensity", "DRAM"]["verdict"] == "agrees"


def test_without_a_machine(compare):
    found = compare("triad.c", "-D", "n=2^24", "--measured", "likwid_perfctr.csv", "--write-allocate")
    assert found["machine"] is None
    assert found["kernels"][0]["performance"]["bound"] is None
    assert quantities(found)["bytes", "DRAM"]["ratio"] == pytest.approx(1, abs=1e-3)


def test_elements_are_no_bytes_of_memory(run, here):
    """Every eighth float is in a sector of its own, which without a machine is not known: no cache is to blame."""
    (here / "s.c").write_text("void f(int n, float *x) { for (int i = 0; i < n; i += 8) x[i] = 1; }\n")
    (here / "m.csv").write_text("name,DRAM_bytes\nf,3e6\n")
    done = run("compare", "s.c", "--measured", "m.csv", "-D", "n=1e6")
    assert "no caches: predicted are the elements, each once" in done.stdout
    assert "less cache reuse" not in done.stdout


def test_columns_of_another_csv_are_named(run, here):
    (here / "m.csv").write_text("name;time\ntriad;0.15\n")
    assert "our own CSV has columns such as name,time_s" in run("compare", "triad.cu", "--measured", "m.csv").stderr


def test_nothing_to_compare_is_an_error(run, here):
    done = run("compare", "triad.c", *ON_CPU, "--measured", "likwid_perfctr.csv", "--map", "triad=other")
    assert done.code == 2
    assert "nothing could be compared" in done.stderr
    assert "--map triad=other" in done.stdout
    assert "predicted, not measured" in done.stdout


def test_one_unusable_file_of_two(run, here):
    (here / "cut.csv").write_bytes((here / "ncu_raw.csv").read_bytes()[:-40])
    done = run("compare", "triad.cu", "--machine", "v100", "--measured", "cut.csv", "--measured", "ncu_long.csv")
    assert done.code == 2
    assert "cut.csv:3: a quotation is left open" in done.stderr
    assert "triad (triad.cu:1-4): agrees" in done.stdout


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_file_that_is_cut_off_ends_well(run, here, name, seed):
    data = (here / name).read_bytes()
    (here / "cut").write_bytes(data[: random.Random(f"{name} {seed}").randrange(len(data))])
    done = run("compare", "triad.c", "-D", "n=1000", "--measured", "cut", "--map", "triad*=triad")
    assert done.code in (0, 1, 2)
    if done.code == 2 and "nothing could be compared" not in done.stderr:
        assert re.match(r"ai-estimate: error: cut:(?:\d+:)? \S", done.stderr)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "no measured data"),
        (("--measured", "nowhere.csv"), "nowhere.csv: cannot be read: No such file"),
        (("--measured", "triad.c"), "triad.c:1: is of no format that is known"),
        (("--measured", "ert_roofline.json"), "it describes a machine"),
        (("--measured", "ncu_raw.csv", "--measured-format", "nuc-raw"), "did you mean ncu-raw"),
        (("--measured", "ncu_raw.csv", "--measured-format", "likwid"), "ncu_raw.csv:1: has no table of LIKWID"),
        (("--measured", "ncu_raw.csv", "--tolerance", "flop=1%"), "'flop=1%' is no tolerance"),
        (("--measured", "ncu_raw.csv", "--map", "triad"), "--map triad: no predicted region"),
        (("--measured", "ncu_raw.csv", "--executions", "0"), "--executions must be at least 1"),
        (("--measured", "ncu_raw.csv", "--machine", "v100,a100"), "several are named"),
        (("--measured", "ncu_raw.csv", "-D", "n=1:10"), "one size was measured"),
        (("--measured", "ncu_raw.csv", "--plot", "x.svg"), "--plot needs a machine"),
        (("--measured", "ncu_raw.csv", "--explain", "--machine", "v100"), "--explain has no meaning"),
        (("--measured", "ncu_raw.csv", "--format", "nersc"), "--format nersc needs a machine"),
        (("--measured", "ncu_raw.csv", "--policy", "mine"), "unknown FLOP policy 'mine'"),
        (("--measured", "ncu_raw.csv", "--nonsense"), "--nonsense"),
    ],
)
def test_options_that_cannot_be_used(run, here, arguments, message):
    done = run("compare", "triad.cu", *arguments)
    assert done.code == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_csv(run, here):
    done = run("compare", "triad.cu", "--machine", "v100", "--measured", "ncu_raw.csv", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["measured"] for row in rows if row["quantity"] == "bytes" and row["level"] == "L2"] == ["403098112.0"]
    assert {row["kernel_verdict"] for row in rows} == {"agrees"}


@pytest.mark.parametrize("form", ["table", "text", "markdown"])
def test_forms_for_people(run, here, form):
    done = run("compare", "triad.c", *ON_CPU, "--measured", "perf_stat.csv", "--format", form)
    assert done.code == 1
    for text in ("triad.c:11-13", "89,474,990", "some channels", "efficiency", "policy source"):
        assert text in done.stdout


def test_remarks_go_to_standard_error(run, here):
    likwid = ("compare", "triad.c", *ON_CPU, "--measured", "likwid_perfctr.csv")
    assert "likwid_perfctr.csv:5: warning: the counts of the memory channels" in run(*likwid).stderr
    assert run(*likwid, "--quiet").stderr == ""


def test_schema_has_every_reason_and_verdict():
    reasons = SCHEMA["$defs"]["kernel"]["properties"]["reasons"]["items"]["properties"]["code"]["enum"]
    assert reasons == [code.value for code in Code]
    assert SCHEMA["$defs"]["quantity"]["properties"]["verdict"]["enum"] == [verdict.value for verdict in Verdict]
    assert SCHEMA["properties"]["options"]["properties"]["repeated"]["enum"] == list(REDUCTIONS)
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_import_a_machine_and_use_it(run, here):
    done = run("machines", "import", "ert_roofline.json", "--like", "v100", "-o", "mine.toml")
    assert (done.code, done.stdout) == (0, "")
    by_file = run("compare", "triad.cu", "--machine", "./mine.toml", "--measured", "ncu_raw.csv", "--format", "json")
    by_name = run(
        "compare", "triad.cu", "--machine", "ert_roofline.json@v100", "--measured", "ncu_raw.csv", "--format", "json"
    )
    assert by_file.stdout == by_name.stdout
    assert json.loads(by_file.stdout)["machine"]["name"] == "NVIDIA Tesla V100 SXM2, measured by ERT"


def test_import_says_what_is_wrong(run, here):
    assert "do not fit t4" in run("machines", "import", "ert_roofline.json", "--like", "t4").stderr
    assert "has no roofs of a machine" in run("machines", "import", "ncu_raw.csv", "--like", "t4").stderr
    assert "41 % above" in run("machines", "import", "carm_roofline.csv", "--like", "xeon-6148").stderr
    assert not (here / "mine.toml").exists()


def test_help_loads_nothing_heavy():
    script = (
        "import sys; from cli.main import main; main(['compare', '--help']);"
        "heavy = [name for name in ('islpy', 'clang', 'rich', 'numpy', 'matplotlib') if name in sys.modules];"
        "print(heavy, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stderr.strip() == "[]"
    for word in ("ncu-long", "likwid", "--tolerance", "exit codes"):
        assert word in done.stdout


def test_mistakes_in_the_source_are_told(run, compare, here):
    (here / "broken.c").write_text(TRIAD + "void f(int n, double *a) { for (int i = 0; i < n; i++ { a[i] = 0; } }\n")
    broken = ("broken.c", *ON_CPU, "--measured", "likwid_perfctr.csv")
    assert "broken.c:4: error:" in run("compare", *broken).stderr
    assert {told["code"] for told in compare(*broken)["diagnostics"]} >= {"AI001"}


def test_a_location_as_the_name_of_a_row(compare, here):
    (here / "m.csv").write_text("loop,time_s\nbuild/../triad.c:12,0.01\n")
    found = compare("triad.c", *ON_CPU, "--measured", "m.csv")
    assert found["kernels"][0]["joined_by"] == "triad.c:12"
    assert found["verdict"] == "within the bound"


def test_measured_data_alone_is_drawn(run, here):
    done = run("compare", "--measured", "nersc_data_hierarchical.txt", "--machine", "v100", "--plot", "m.svg")
    assert (done.code, done.stdout) == (0, "")
    assert {"triad", "stencil"} <= set(re.findall(r">([a-z]+)</text>", (here / "m.svg").read_text()))
    done = run("compare", "--measured", "nersc_data_hierarchical.txt", "--machine", "v100")
    assert done.code == 2
    assert "--plot FILE" in done.stderr
    done = run("compare", "--measured", "nsys.csv", "--machine", "v100", "--plot", "n.svg")
    assert done.code == 2
    assert "no kernel has a rate and an intensity" in done.stderr


def test_html_has_both_sides(run, here):
    done = run("compare", "triad.c", *ON_CPU, "--measured", "likwid_perfctr.csv", "--format", "html")
    assert done.code == 0
    assert "Predicted and measured" in done.stdout
    assert "likwid_perfctr.csv:" in done.stdout
    assert ">agrees within 10 %</td>" in done.stdout


def test_kernels_on_a_machine_without_a_gpu_are_warned_of(run, here):
    done = run("compare", "triad.cu", "--measured", "ncu_raw.csv", "--machine", "haswell")
    assert "haswell-e5-2695v3 is no GPU: kernels are taken as loops" in done.stderr
    without = run("compare", "triad.cu", "--measured", "ncu_raw.csv")
    assert "without a machine bytes are those of elements" in without.stdout
