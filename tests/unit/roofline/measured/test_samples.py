"""Every sample is the same triad, a[i] = b[i] + s*c[i] with N = 2^24: 2N FLOPs, 24N bytes, 32N with write-allocate."""

import csv

import pytest

from roofline.measured.all_importers import kernel_importers, roof_importers
from roofline.measured.recognition import detect, read_measured
from roofline.measured.results import DRAM, STATED, Fact
from tests.compared import FLOPS, KERNELS, MACHINES, NAMES, SAMPLES, USEFUL, N, read, sample, text_of

# Samples whose files are not named after their format (``ncu_long.csv`` is of ``ncu-long``).
OTHERWISE_NAMED = {
    "advisor_survey.csv": "advisor",
    "carm_applications.csv": "carm-csv",
    "carm_v3.jsonl": "carm-json",
    "likwid_perfctr.csv": "likwid",
    "nersc_data_hierarchical.txt": "nersc",
    "perf_stat.csv": "perf-csv",
    "perf_stat.jsonl": "perf-json",
}


def roofs_of(name):
    return [form for form in roof_importers() if form.recognises(text_of(name))]


def format_of(name):
    return OTHERWISE_NAMED.get(name) or name.partition(".")[0].replace("_", "-")


@pytest.mark.parametrize("name", KERNELS)
def test_format_is_recognised(name):
    assert detect(text_of(name), name).name == format_of(name)
    assert read_measured(str(SAMPLES / name)).format == format_of(name)


def test_every_format_has_a_sample():
    assert {format_of(name) for name in KERNELS} == {form.name for form in kernel_importers()}
    assert {form.name for name in NAMES for form in roofs_of(name)} == {form.name for form in roof_importers()}


@pytest.mark.parametrize("name", NAMES)
def test_no_two_formats_of_one_rank_recognise_a_sample(name):
    ranks = [form.rank for form in kernel_importers() if form.recognises(text_of(name))]
    assert len(ranks) == len(set(ranks))
    assert len(roofs_of(name)) == (name in MACHINES or "nersc" in name)


# Samples with a part of the bytes: one of six channels of memory.
PART = {"perf_stat.csv"}


@pytest.mark.parametrize("name", KERNELS)
def test_the_numbers_are_those_of_the_triad(name):
    """2N FLOPs in each of so many executions, 24N bytes or 32N with write-allocate, in a time that machines take."""
    found = next(each for each in read_measured(str(SAMPLES / name)).samples if each.name != "stencil")
    intensities = {
        level: found.intensity_at(level) for level in (*found.intensities, *(each.level for each in found.levels))
    }
    times = 1 if found.flops is None else round(found.flops / FLOPS)
    assert found.flops is None or found.flops == pytest.approx(max(1, times) * FLOPS, rel=1e-4)
    assert set(found.flops_by_precision) <= {"fp64"}
    assert name in PART or all(0.999 / 16 <= each <= 1.005 / 12 for each in intensities.values())
    assert found.seconds is None or 1e8 <= times * FLOPS / found.seconds <= 1e12
    assert any(each is not None for each in (found.flops, found.seconds, found.rate, *intensities.values()))


def test_ncu_long():
    found = sample(text_of("ncu_long.csv"))
    assert found.flops == FLOPS
    assert found.flops_by_precision == {"fp64": FLOPS}
    assert found.seconds == pytest.approx(486.11e-6)
    assert found.bytes_at(DRAM).total == pytest.approx(USEFUL, rel=1e-4)  # the file rounds to 10 kB
    assert found.bytes_at("L2").total == pytest.approx(403.10e6)
    assert (found.grid, found.block) == ((65536, 1, 1), (256, 1, 1))


def test_ncu_raw_with_units_in_its_header_is_the_same():
    """As the program with windows exports it: ``dram__bytes_read.sum [Mbyte]``, and no row of units."""
    lines = [*csv.reader(text_of("ncu_raw.csv").splitlines())]
    at = next(number for number, line in enumerate(lines) if "Kernel Name" in line)
    header = [f"{name} [{unit}]" if unit else name for name, unit in zip(lines[at], lines[at + 1], strict=True)]
    text = "\n".join(",".join(f'"{cell}"' for cell in line) for line in (header, *lines[at + 2 :]))
    one, other = sample(text), sample(text_of("ncu_raw.csv"))
    assert (one.flops, one.levels, one.seconds) == (other.flops, other.levels, other.seconds)


def test_ncu_raw_is_exact():
    found = sample(text_of("ncu_raw.csv"))
    assert (found.flops, found.bytes_at(DRAM).total, found.bytes_at("L1").total) == (FLOPS, USEFUL, USEFUL)
    assert found.seconds == pytest.approx(486.112e-6)
    assert found.facts[Fact.CLOCK_HZ] == 1.38e9


def test_nvprof():
    found = sample(text_of("nvprof_metrics.csv"))
    assert (found.flops, found.executions) == (FLOPS, 3)
    assert found.bytes_at(DRAM).total == (8389002 + 4194350) * 32
    assert found.bytes_at(DRAM).read == 8389002 * 32
    assert found.bytes_at("L1") is None  # gst_transactions was not measured
    assert sample(text_of("nvprof_summary.csv")).seconds == pytest.approx(486.112e-6)


def test_nsys_takes_the_median_of_the_launches():
    found = sample(text_of("nsys.csv"))
    assert found.name.startswith("triad(")
    assert (found.executions, found.seconds) == (3, pytest.approx(486.112e-6))


NSYS_PRINTED = """\
 ** CUDA API Summary (cuda_api_sum):

 Time (%)  Total Time (ns)  Num Calls  Avg (ns)  Med (ns)        Name
 --------  ---------------  ---------  --------  --------  ----------------
    100.0          1500000          3  500000.0  500000.0  cudaLaunchKernel

 ** CUDA GPU Kernel Summary (cuda_gpu_kern_gb_sum):

 Time (%)  Total Time (ns)  Instances   Avg (ns)  Med (ns)         GridXYZ      BlockXYZ  Name
 --------  ---------------  ---------  ---------  --------  --------------  ------------  ------------------------
     99.0          1458336          3   486112.0  486110.0  65536    1   1   256   1   1  triad(double *, int)
      1.0            15000          1    15000.0   15000.0     16    1   1   256   1   1  void sum<double>(T1 *)

"""


def test_nsys_as_it_is_printed():
    first, second = read(NSYS_PRINTED).samples
    assert (first.name, first.grid, first.block) == ("triad(double *, int)", (65536, 1, 1), (256, 1, 1))
    assert (first.seconds, first.executions) == (pytest.approx(486.11e-6), 3)
    assert (second.name, second.line) == ("void sum<double>(T1 *)", 12)


def test_nsys_trace_has_every_launch_and_no_copies():
    header = "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,Device,Name"
    launch = '100,486112,7,65536,1,1,256,1,1,16,"NVIDIA A100 (0)","triad(double *, int)"'
    copy = "1,99,6,,,,,,,,NVIDIA A100 (0),[CUDA memcpy Host-to-Device]"
    (found,) = read(f"{header}\n{copy}\n{launch}\n").samples
    assert (found.grid, found.block, found.seconds) == ((65536, 1, 1), (256, 1, 1), pytest.approx(486.112e-6))
    assert found.device == "NVIDIA A100 (0)"


def test_nersc_of_one_kernel_with_an_intensity_for_each_roof():
    text = "memroofs 14336.0 2996.8 828.758\nmem_roof_names 'L1' 'L2' 'HBM'\ncomproofs 7068.86 3535.79\n"
    text += "comp_roof_names 'FMA' 'No-FMA'\nAI 0.87 2.25 2.58\nGFLOPs 2085.756683\nlabels 'Kernel'\n"
    (found,) = read(text).samples
    assert found.intensities == {"L1": 0.87, "L2": 2.25, DRAM: 2.58}
    assert found.rate == pytest.approx(2085.756683e9)


def test_location_in_any_column_of_names():
    (found,) = read("loop,time_s\nsrc/triad.c:12,0.5\n").samples
    assert found.name == "src/triad.c:12"


def test_likwid_uncore_once_time_of_the_slowest():
    found = sample(text_of("likwid_perfctr.csv"))
    assert found.name == "triad"
    assert found.flops == 2 * 2097152 * 8 == FLOPS
    assert found.bytes_at(DRAM).total == pytest.approx(0.5369e9)  # 32N, not twice that
    assert found.seconds == 0.0211  # not 0.0422
    assert found.intensity_at(DRAM) == pytest.approx(1 / 16, rel=1e-3)  # neither 0.0312 nor inf
    assert found.executions == 1


def test_advisor_is_of_l1():
    found = sample(text_of("advisor_survey.csv"))
    assert (found.location.file, found.location.line) == ("triad.c", 12)
    assert found.flops == pytest.approx(100 * FLOPS, rel=1e-4)
    assert found.bytes_at("L1").total == pytest.approx(100 * USEFUL, rel=1e-4)
    assert found.bytes_at(DRAM) is None
    assert found.facts[Fact.SCALAR_SHARE] == 0


@pytest.mark.parametrize("name", ["perf_stat.csv", "perf_stat.jsonl"])
def test_perf(name):
    found = sample(text_of(name))
    assert (found.name, found.flops) == ("", FLOPS)
    if name == "perf_stat.csv":
        assert found.seconds == 0.0211
        assert found.bytes_at(DRAM).read == 64 * 2**20  # one of six channels: 4 x 16N / 6 is not in the file
        assert found.bytes_at(DRAM).write == pytest.approx(21.33 * 2**20)


def test_google_benchmark_time_is_of_one_iteration():
    found = sample(text_of("google_benchmark.json"))
    assert found.seconds == pytest.approx(22.4e-3)
    assert found.arguments == (N,)
    assert found.flops == pytest.approx(FLOPS)
    assert found.bytes_at(STATED).total == pytest.approx(USEFUL)


@pytest.mark.parametrize("name", ["carm_applications.csv", "carm_v3.jsonl"])
def test_carm(name):
    found = sample(text_of(name))
    assert found.name == "triad"
    assert found.rate == 8.93e9
    assert found.seconds == 0.4509
    assert found.flops == pytest.approx(8.93e9 * 0.4509)
    assert found.intensity_at("L1") == pytest.approx(0.0833, rel=1e-3)
    assert found.intensity_at(DRAM) is None


def test_nersc():
    first, second = read_measured(str(SAMPLES / "nersc_data_hierarchical.txt")).samples
    assert (first.name, second.name) == ("triad", "stencil")
    assert (first.rate, second.rate) == (69.03e9, 240.5e9)
    assert (second.intensity_at(DRAM), second.intensity_at("L2"), second.intensity_at("L1")) == (0.3333, 0.166, 0.0833)
