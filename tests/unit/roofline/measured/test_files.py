"""Google Benchmark, CARM, nersc-roofline, nvprof, our own CSV; what makes a file unusable."""

import json

import pytest

from roofline.measured.all_importers import kernel_importers, roof_importers
from roofline.measured.errors import MeasurementError
from roofline.measured.formats import nersc
from roofline.measured.formats.nersc import Point, Roofs
from roofline.measured.recognition import read_measured
from roofline.measured.results import DRAM, STATED, Fact
from roofline.measured.text import decode
from tests.compared import KERNELS, MACHINES, NAMES, SAMPLES, read, sample, text_of


def benchmark(**run):
    return {
        "name": "BM_f/64",
        "run_name": "BM_f/64",
        "run_type": "iteration",
        "real_time": 2.0,
        "time_unit": "us",
        **run,
    }


def document(*runs):
    return json.dumps({"context": {}, "benchmarks": list(runs)})


def test_google_benchmark_repetitions_by_their_median():
    found = sample(document(*(benchmark(real_time=time) for time in (9.0, 1.0, 2.0))))
    assert (found.seconds, found.executions) == (pytest.approx(2e-6), 3)


def test_google_benchmark_aggregates_do_not_count_twice():
    mean = benchmark(run_type="aggregate", aggregate_name="mean", real_time=50.0)
    middle = benchmark(run_type="aggregate", aggregate_name="median", real_time=3.0)
    assert sample(document(benchmark(), mean, middle)).seconds == pytest.approx(2e-6)
    assert sample(document(mean, middle)).seconds == pytest.approx(3e-6)


def test_google_benchmark_percentages_are_no_times():
    spread = benchmark(run_type="aggregate", aggregate_name="median", aggregate_unit="percentage", real_time=0.1)
    assert sample(document(benchmark(), spread)).seconds == pytest.approx(2e-6)


def test_google_benchmark_errors_are_said():
    found = read(document(benchmark(), benchmark(run_name="BM_g", error_occurred=True, error_message="out of memory")))
    assert [one.name for one in found.samples] == ["BM_f/64"]
    assert "BM_g did not run: out of memory" in found.remarks[0].text
    with pytest.raises(MeasurementError, match="no benchmark that ran"):
        read(document(benchmark(error_occurred=True)))


@pytest.mark.parametrize(("unit", "seconds"), [("ns", 2e-9), ("us", 2e-6), ("ms", 2e-3), ("s", 2)])
def test_google_benchmark_units(unit, seconds):
    assert sample(document(benchmark(time_unit=unit))).seconds == pytest.approx(seconds)


def test_google_benchmark_names():
    found = sample(document(benchmark(run_name="BM_f/n:64/8/iterations:100/threads:4", bytes_per_second=3e6)))
    assert found.arguments == (64, 8)
    assert found.bytes_at(STATED).total == pytest.approx(6)


def test_nvprof_values_with_units_are_no_counts():
    line = '"V100 (0)","f(int)",3,"{}","text",1,1,{}\n'
    header = '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"\n'
    text = header + line.format("gld_throughput", "12.3GB/s") + line.format("flop_count_sp", "7")
    found = sample(text + line.format("dram_utilization", '"Low (2)"'))
    assert found.flops_by_precision == {"fp32": 7}


def test_nvprof_varying_launches_are_said():
    found = read(text_of("nvprof_metrics.csv").replace("33554432,33554432,33554432", "0,33554432,22369621"))
    assert "flop_count_dp varies between launches" in found.remarks[0].text


def test_nvprof_summary_leaves_copies_and_calls_out():
    lines = text_of("nvprof_summary.csv").rstrip("\n").split("\n")
    lines.append('"GPU activities",1.0,0.1,3,0.1,0.1,0.1,"[CUDA memcpy HtoD]"')
    lines.append('"API calls",1.0,0.1,3,0.1,0.1,0.1,"cudaMalloc"')
    assert len(read("\n".join(lines)).samples) == 1


def test_carm_that_contradicts_itself():
    (remark,) = read(text_of("carm_applications.csv").replace("107.16", "50.0")).remarks
    assert "Gflops over Bandwidth is 0.1786" in remark.text


def test_carm_of_another_version():
    with pytest.raises(MeasurementError, match="not format 3"):
        read(text_of("carm_v3.jsonl").replace('"3.0"', '"4.1"'))


def test_nersc_written_and_read_again():
    roofs = Roofs((("L1", 14336e9), ("HBM", 828.758e9)), (("FMA", 7068.86e9),))
    points = [Point("it's", {"L1": 0.25, DRAM: 0.5}, 3e9), Point("two words", {"L1": 0.125, DRAM: 2.0}, 4e9)]
    text = nersc.write(roofs, points)
    assert nersc.read_roofs(text, "f") == roofs
    found = nersc.read(text, "f").samples
    assert [one.name for one in found] == ["its", "two words"]
    assert [one.rate for one in found] == [3e9, 4e9]
    assert [one.intensities for one in found] == [{DRAM: 0.5, "L1": 0.25}, {DRAM: 2.0, "L1": 0.125}]


def test_nersc_names_may_touch():
    text = text_of("nersc_data_hierarchical.txt").replace("'triad' 'stencil'", "'nw=1''nw=2'")
    assert [one.name for one in read(text).samples] == ["nw=1", "nw=2"]


def test_nersc_counts_have_to_agree():
    with pytest.raises(MeasurementError, match=r"f\.csv:10: has 2 FLOPS, but 1 labels"):
        read(text_of("nersc_data_hierarchical.txt").replace("'triad' 'stencil'", "'triad'"))


PLAIN = "name,file,line,executions,time_s,flops_fp64,DRAM_read_bytes,DRAM_write_bytes,L1_bytes,scalar_share\n"


def test_plain_csv_shares_executions():
    found = sample(PLAIN + "f,,,4,2.0,400,40,80,1000,0.5\n")
    assert (found.seconds, found.flops, found.bytes_at(DRAM).total, found.bytes_at("L1").total) == (0.5, 100, 30, 250)
    assert found.facts == {Fact.SCALAR_SHARE: 0.5}  # a share is of no execution


def test_plain_csv_of_a_launch():
    found = sample("name,grid,block,time_s\nf,64x2x1,256,1\n")
    assert (found.grid, found.block) == ((64, 2, 1), (256,))


@pytest.mark.parametrize("header", ["name,at,time_s", "kernel,Bench position,time_s"])
def test_plain_csv_takes_a_file_and_a_line_from_any_column(header: str):
    found = sample(f"{header}\nloop 1,src/a.c:7,0.5\n")
    assert (found.name, found.location.file, found.location.line) == ("loop 1", "src/a.c", 7)
    assert sample("time_s,where\n0.5,a.c:7\n").name == "a.c:7"
    with pytest.raises(MeasurementError, match="is not known"):
        sample(f"{header}\nloop 1,src/a.c:7,0.5\nloop 2,anywhere,0.5\n")


def test_plain_csv_by_location_with_gaps():
    found = sample(PLAIN + ",a.c,7,,,,,,8,\n")
    assert (found.location.file, found.location.line, found.seconds, found.bytes_at(DRAM)) == ("a.c", 7, None, None)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (",,,1,1,1,1,1,1,1", "f.csv:2: the row has neither a name nor"),
        ("f,,,1,soon,1,1,1,1,1", "f.csv:2: time_s: 'soon' is not a number"),
        ("f,,,1,-1,1,1,1,1,1", "f.csv:2: time_s: '-1' is not a number"),
        ("f,,,1", "f.csv:2: the row has 4 cells, its header 10"),
    ],
)
def test_plain_csv_mistakes(row, message):
    with pytest.raises(MeasurementError) as raised:
        read(PLAIN + row + "\n")
    assert message in str(raised.value)


def test_plain_csv_unknown_column():
    with pytest.raises(MeasurementError, match=r"f\.csv:1: the column 'dram_gb' is not known"):
        read("name,time_s,dram_gb\nf,1,2\n")


@pytest.mark.parametrize("name", MACHINES)
def test_roofs_are_told_from_kernels(name):
    with pytest.raises(MeasurementError, match="describes a machine"):
        read_measured(str(SAMPLES / name))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (b"\x7fELF\x02\x01\x01\0\0\0", "is not a text file"),
        (b"a,b\nNVR\xff\xfe\x00", "f:2: is not UTF-8 text"),
        ('"Kernel Name"\n"Größe"'.encode("latin-1"), "f:2: is not UTF-8 text"),
    ],
)
def test_bytes_that_are_no_text(data, message):
    with pytest.raises(MeasurementError) as raised:
        decode(data, "f")
    assert message in str(raised.value)


def test_an_exported_report_is_asked_for():
    with pytest.raises(MeasurementError, match="ncu --import"):
        decode(b"NVR\0\x01\x02", "f.ncu-rep")


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_and_line_ends(name, encoding):
    text = text_of(name)
    assert read(decode(text.replace("\n", "\r\n").encode(encoding), name)) == read(text)


@pytest.mark.parametrize("form", kernel_importers(), ids=lambda form: form.name)
def test_a_file_of_another_format_is_an_error_not_a_guess(form):
    for name in NAMES:
        text = text_of(name)
        if not form.recognises(text):
            with pytest.raises(MeasurementError):
                form.read(text, name)


def test_unknown_text_and_unknown_format():
    with pytest.raises(MeasurementError, match="is of no format that is known"):
        read("hello\nworld\n")
    with pytest.raises(MeasurementError, match="did you mean likwid"):
        read("x", "likwit")
    with pytest.raises(MeasurementError, match="cannot be read: No such file"):
        read_measured("/nowhere/f.csv")


@pytest.mark.parametrize(
    ("name", "old", "new", "line"),
    [
        ("csv.csv", "33554432", "3.355.443,2", 2),
        ("carm_roofline.csv", "107.1", "1.071.234,5", 3),
    ],
)
def test_two_locales_are_an_error_with_its_line(name, old, new, line):
    text = text_of(name)
    assert old in text
    form = next(form for form in (*kernel_importers(), *roof_importers()) if form.recognises(text))
    with pytest.raises(MeasurementError, match="two locales") as raised:
        form.read(text.replace(old, f'"{new}"', 1), "f.csv")
    assert raised.value.line == line
