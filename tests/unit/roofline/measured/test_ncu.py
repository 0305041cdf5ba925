"""Both forms of Nsight Compute: generations of the header, units, locales, launches, metrics that are missing."""

import pytest

from roofline.measured.errors import MeasurementError
from roofline.measured.ncu_metrics import Launch, sample_of
from roofline.measured.repeats import combined
from roofline.measured.results import DRAM, Fact
from tests.compared import FLOPS, read, sample, text_of

OLD = '"ID","Process ID","Process Name","Host Name","Kernel Name","Kernel Time","Context","Stream","Section Name",'
NEW = '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size",'
TAIL = '"Metric Name","Metric Unit","Metric Value"'
DETAILS = ',"Rule Name","Rule Type","Rule Description","Estimated Speedup Type","Estimated Speedup"'
PREFIXES = [("n", 1e-9), ("u", 1e-6), ("m", 1e-3), ("", 1)]
OPERATION = "sm__sass_thread_inst_executed_op_{}_pred_on.sum"


def long(*metrics, launch="0", kernel="k(int)"):
    """Rows of the long form: name, unit, value."""
    start = f'"{launch}","1","p","h","{kernel}","1","7","(256, 1, 1)","(64, 1, 1)","0","7.0","S",'
    return "\n".join(f'{start}"{name}","{unit}","{value}"' for name, unit, value in metrics)


def file(*rows):
    return "\n".join([NEW + '"Device","CC","Section Name",' + TAIL, *rows]) + "\n"


def flops(add, mul, fma):
    counts = {"dadd": add, "dmul": mul, "dfma": fma}
    return [(OPERATION.format(name), "inst", value) for name, value in counts.items()]


def test_old_header():
    text = OLD + TAIL + '\n"0","1","p","h","k(int)","2020-Jan-01 00:00:00","1","7","S","dram__bytes.sum","byte","64"\n'
    assert sample(text).bytes_at(DRAM).total == 64


def test_nvtx_and_rule_columns():
    header = (
        NEW + '"Device","CC","Id:Domain:Push/Pop_Range","Id:Domain:Start/Stop_Range","Section Name",' + TAIL + DETAILS
    )
    row = '"0","1","p","h","k(int)","1","7","(8, 1, 1)","(4, 1, 1)","0","9.0","<default>","","S",'
    metric = row + '"dram__bytes.sum","byte","64","","","","",""'
    rule = row + '"","","","SOLBottleneck","OPT","Memory is more heavily utilized.","global","12.3"'
    assert sample(f"{header}\n{metric}\n{rule}\n").bytes_at(DRAM).total == 64


def test_labels_of_the_details_page():
    rows = [("Duration", "usecond", "2"), ("SM Frequency", "cycle/nsecond", "1.5"), ("Memory Throughput", "%", "88.1")]
    found = sample(file(long(*rows, ("Memory Throughput", "Gbyte/second", "700"), ("Registers Per Thread", "x", "9"))))
    assert (found.seconds, found.facts[Fact.CLOCK_HZ]) == pytest.approx((2e-6, 1.5e9))
    assert found.bytes_at(DRAM).total == pytest.approx(1.4e6)


def test_summary_per_kernel_is_of_one_launch():
    header = '"Process ID","Kernel Name","Invocations","Section Name",'
    header += '"Metric Name","Metric Unit","Minimum","Maximum","Average"'
    found = sample(f'{header}\n"1","k(int)","10","S","dram__bytes.sum","Kbyte","1","3","2"\n')
    assert (found.bytes_at(DRAM).total, found.executions) == (2000, 10)


def test_program_output_anywhere():
    text = text_of("ncu_long.csv").split("\n")
    text.insert(2, "step 1, residual 0.5")
    text.insert(6, "step 2, residual 0.25")
    assert sample("\n".join(text)).flops == FLOPS


@pytest.mark.parametrize(
    ("unit", "seconds"),
    [(f"{prefix}{unit}", 5 * scale) for prefix, scale in PREFIXES for unit in ("second", "s")],
)
def test_time_units_of_both_spellings(unit, seconds):
    assert sample(file(long(("gpu__time_duration.sum", unit, "5")))).seconds == pytest.approx(seconds)


@pytest.mark.parametrize(("unit", "size"), [("byte", 2), ("Kbyte", 2e3), ("Mbyte", 2e6), ("Gbyte", 2e9)])
def test_byte_units(unit, size):
    assert sample(file(long(("dram__bytes.sum", unit, "2")))).bytes_at(DRAM).total == size


def test_unknown_unit_is_an_error_with_its_line():
    with pytest.raises(MeasurementError, match=r"f\.csv:2: the unit 'furlong'"):
        read(file(long(("dram__bytes.sum", "furlong", "2"))))


@pytest.mark.parametrize("value", ["n/a", "nan", "(!) n/a", "", "-nan", "inf"])
def test_not_measured_is_not_zero(value):
    found = read(file(long(("dram__bytes.sum", "byte", value), ("gpu__time_duration.sum", "ns", "7"))))
    assert found.samples[0].bytes_at(DRAM) is None
    assert [remark.line for remark in found.remarks] == [2]


def test_thousands_and_decimals_of_another_locale():
    found = sample(file(long(("dram__bytes.sum", "Mbyte", "402,65"), *flops("0", "0", "16.777.216"))))
    assert found.flops == FLOPS
    assert found.bytes_at(DRAM).total == pytest.approx(402.65e6)


def test_two_locales_are_an_error():
    with pytest.raises(MeasurementError, match="two locales"):
        read(file(long(("dram__bytes.sum", "Mbyte", "402,65"), *flops("0", "0", "16,777,216"))))


def test_fma_counts_twice_other_instructions_once():
    assert sample(file(long(*flops("3", "5", "7")))).flops == 3 + 5 + 14


def test_a_precision_that_is_not_whole_is_left_out():
    half = [metric for metric in flops("3", "5", "7") if "dadd" not in metric[0]]
    found = read(file(long(*half, ("dram__bytes.sum", "byte", "1"))))
    assert found.samples[0].flops is None
    assert "dadd was not measured" in found.remarks[0].text


def test_launches_are_apart_and_put_together_by_their_median():
    rows = [long(("gpu__time_duration.sum", "ns", time), launch=str(at)) for at, time in enumerate(["90", "10", "20"])]
    found = read(file(*rows)).samples
    assert [launch.seconds for launch in found] == pytest.approx([90e-9, 10e-9, 20e-9])
    reduced = {how: combined(found, how)[0].seconds for how in ("median", "first", "last", "mean", "sum")}
    assert reduced == pytest.approx({"median": 20e-9, "first": 90e-9, "last": 20e-9, "mean": 40e-9, "sum": 120e-9})
    assert combined(found, "median")[0].executions == 3


def test_kernels_of_other_shapes_are_not_put_together():
    rows = [long(("gpu__time_duration.sum", "ns", "9")), long(("gpu__time_duration.sum", "ns", "9"), launch="1")]
    rows[1] = rows[1].replace("(64, 1, 1)", "(32, 1, 1)")
    assert len(combined(read(file(*rows)).samples, "median")) == 2


def test_roofline_set_is_rates_times_time():
    found, _ = sample_of(
        Launch(
            line=1,
            kernel="k",
            grid=None,
            block=None,
            device=None,
            metrics={
                "gpu__time_duration.sum": 2.0,
                "smsp__cycles_elapsed.avg.per_second": 10.0,
                "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum.per_cycle_elapsed": 3.0,
                "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum.per_cycle_elapsed": 5.0,
                "derived__smsp__sass_thread_inst_executed_op_dfma_pred_on_x2": 14.0,
                "dram__bytes.sum.per_second": 100.0,
            },
        )
    )
    assert found.flops == (3 + 5 + 14) * 10 * 2
    assert found.bytes_at(DRAM).total == 200


def test_sectors_of_32_bytes_where_bytes_are_not_there():
    found, _ = sample_of(
        Launch(
            line=1,
            kernel="k",
            grid=None,
            block=None,
            device=None,
            metrics={
                "dram__sectors_read.sum": 10.0,
                "dram__sectors_write.sum": 5.0,
                "lts__t_sectors_op_read.sum": 10.0,
                "lts__t_sectors_op_write.sum": 6.0,
                "lts__t_sectors_op_red.sum": 2.0,
                "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 7.0,
                "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": 3.0,
                "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum": 1.0,
            },
        )
    )
    totals = {level.level: level.total for level in found.levels}
    assert totals == {DRAM: 15 * 32, "L2": (16 + 2 * 2) * 32, "L1": 11 * 32}
    assert (found.bytes_at(DRAM).read, found.bytes_at(DRAM).write) == (320, 160)
    assert found.facts[Fact.LOCAL_BYTES] == 32


def test_what_passes_between_partitions_of_l2_is_not_what_l1_asks_for():
    """Of 100 sectors half cross: ``lts__t_sectors`` has 150 of an H100."""
    names = {"lts__t_sectors_srcunit_tex.sum": 100, "lts__t_sectors_op_read.sum": 150, "lts__t_sectors_op_write.sum": 0}
    assert sample(file(long(*((name, "sector", value) for name, value in names.items())))).bytes_at("L2").total == 3200


def test_time_from_cycles():
    found, _ = sample_of(
        Launch(
            line=1,
            kernel="k",
            grid=None,
            block=None,
            device=None,
            metrics={"sm__cycles_elapsed.avg": 30.0, "sm__cycles_elapsed.avg.per_second": 10.0},
        )
    )
    assert found.seconds == 3


def test_busy_tensor_cores_are_said():
    _, remarks = sample_of(
        Launch(
            line=1, kernel="k", grid=None, block=None, device=None, metrics={"sm__inst_executed_pipe_tensor.sum": 5.0}
        )
    )
    assert "tensor" in remarks[0].text


def test_raw_without_its_units_is_an_error():
    lines = text_of("ncu_raw.csv").split("\n")
    with pytest.raises(MeasurementError, match=r"f\.csv:2: lacks the row of units"):
        read("\n".join([lines[0], lines[2], ""]))


def test_raw_scaled_units():
    text = text_of("ncu_raw.csv").replace('"byte","ns","byte","byte"', '"Kbyte","us","Kbyte","Kbyte"')
    found = sample(text)
    assert found.bytes_at(DRAM).total == 402653184e3
    assert found.seconds == pytest.approx(0.486112)


def test_raw_ignores_units_of_metrics_that_do_not_matter():
    text = text_of("ncu_raw.csv").replace('"smsp__cycles_elapsed.avg.per_second"', '"smsp__pcsamp_interval"')
    assert sample(text.replace('"cycle/second"', '"parsec"')).flops == FLOPS
