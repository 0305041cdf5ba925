"""LIKWID, perf stat, Advisor: what is counted where, and how often."""

import json

import pytest

from roofline.measured.errors import MeasurementError
from roofline.measured.results import DRAM, Fact
from tests.compared import FLOPS, read, sample, text_of

LIKWID = """\
TABLE,Region {region},Group {group} Raw,{name},{rows},
Region Info,HWThread 0,HWThread 1,
RDTSC Runtime [s],2.0,1.0,
call count,{calls},{calls},
Event,Counter,HWThread 0,HWThread 1
{events}
TABLE,Region {region},Group {group} Metric,{name},{metric_rows},
Metric,HWThread 0,HWThread 1,
{metrics}
"""


def likwid(events, metrics, *, region="r", calls=1, group=1, name="G"):
    return LIKWID.format(
        region=region,
        group=group,
        name=name,
        calls=calls,
        rows=len(events),
        events="\n".join(events),
        metric_rows=len(metrics),
        metrics="\n".join(metrics),
    )


def test_likwid_lanes_of_every_width():
    events = [
        "FP_ARITH_INST_RETIRED_SCALAR_DOUBLE,PMC0,10,0",
        "FP_ARITH_INST_RETIRED_128B_PACKED_DOUBLE,PMC1,10,0",
        "FP_ARITH_INST_RETIRED_256B_PACKED_DOUBLE,PMC2,10,10",
        "FP_ARITH_INST_RETIRED_512B_PACKED_SINGLE,PMC3,0,1",
    ]
    found = sample(likwid(events, ["Runtime (RDTSC) [s],2.0,1.0"]))
    assert found.flops_by_precision == {"fp64": 10 + 20 + 80, "fp32": 16}
    assert found.facts[Fact.SCALAR_SHARE] == pytest.approx(10 / 41)


def test_likwid_calls_share_the_totals():
    found = sample(likwid(["RETIRED_SSE_AVX_FLOPS_ALL,PMC0,30,10"], ["Runtime (RDTSC) [s],2.0,1.0"], calls=4))
    assert (found.executions, found.flops, found.seconds) == (4, 10, 0.5)
    assert found.flops_by_precision == {}  # AMD counts all precisions in one


def test_likwid_rates_where_there_is_no_event():
    found = sample(likwid(["INSTR_RETIRED_ANY,FIXC0,1,1"], ["Runtime (RDTSC) [s],2.0,1.0", "DP [MFLOP/s],3.0,4.0"]))
    assert found.flops == pytest.approx(3e6 * 2 + 4e6 * 1)


def test_likwid_groups_of_one_region_are_put_together():
    flops = likwid(["FP_ARITH_INST_RETIRED_SCALAR_DOUBLE,PMC0,1,1"], ["Runtime (RDTSC) [s],1,1"])
    memory = likwid(["X,PMC0,1,1"], ["Runtime (RDTSC) [s],1,1", "L2 data volume [GBytes],1,2"], group=2)
    found = sample(flops + memory)
    assert found.flops == 2
    assert found.bytes_at("L2").total == 3e9


def test_likwid_memory_channels_without_a_metric():
    events = ["CAS_COUNT_RD,MBOX0C0,10,0", "CAS_COUNT_RD,MBOX1C0,20,0", "CAS_COUNT_WR,MBOX0C1,5,0"]
    found = sample(likwid(events, ["Runtime (RDTSC) [s],1,1"])).bytes_at(DRAM)
    assert (found.read, found.write, found.total) == (30 * 64, 5 * 64, 35 * 64)


def test_likwid_without_regions():
    text = text_of("likwid_perfctr.csv").replace("Region triad,", "").replace("Region Info", "Info")
    lines = [line for line in text.split("\n") if not line.startswith(("Info", "RDTSC", "call count"))]
    found = sample("\n".join(lines))
    assert (found.name, found.flops, found.seconds) == ("", FLOPS, 0.0211)


def test_likwid_that_is_cut_off():
    lines = text_of("likwid_perfctr.csv").split("\n")
    with pytest.raises(MeasurementError, match=r"the table has 2 rows and should have 3"):
        read("\n".join(lines[:11]))


def test_likwid_decimal_commas():
    with pytest.raises(MeasurementError, match=r"f\.csv:20: the row has 4 values for 2 threads"):
        read(text_of("likwid_perfctr.csv").replace("0.0211,0.0211", "0,0211,0,0211", 1))


PERF = "4194304,,fp_arith_inst_retired.512b_packed_double,10134000,{running},,\n"


def test_perf_multiplexing_is_said():
    assert not read(PERF.format(running="100.00")).remarks
    (remark,) = read(PERF.format(running="62.50")).remarks
    assert "62.5%" in remark.text
    assert remark.line == 1


def test_perf_separator_and_decimal_comma():
    text = PERF.format(running="100,00") + "64,00,MiB,uncore_imc_0/cas_count_read/,1,100,00,,\n"
    with pytest.raises(MeasurementError, match="LC_ALL=C"):
        read(text, "perf-csv")
    text = "4194304;;fp_arith_inst_retired.512b_packed_double;1;100,00;;\n"
    text += "64,50;MiB;uncore_imc/cas_count_read/;1;100,00;;\n2,00;MiB;uncore_imc/cas_count_write/;1;100,00;;\n"
    found = sample(text)
    assert found.flops == FLOPS
    assert found.bytes_at(DRAM).read == 64.5 * 2**20


@pytest.mark.parametrize("prefix", ["S0,20,", "CPU0,", "S0-D0-C0,1,", "N1,20,"])
def test_perf_locations_are_added_up(prefix):
    text = prefix + PERF.format(running="100.00") + prefix.replace("0", "1", 1) + PERF.format(running="100.00")
    assert sample(text).flops == 2 * FLOPS


def test_perf_intervals():
    events = "     {},{},,fp_arith_inst_retired.scalar_double,1,100.00,,\n"
    text = events.format("1.000123456", "1000") + events.format("2.000234567", "500")
    found = sample(text)
    assert (found.flops, found.seconds) == (1500, 2.000234567)


def test_perf_intervals_of_sockets():
    row = "     {},S{},20,7,,fp_arith_inst_retired.scalar_double,1,100.00,,\n"
    text = "".join(row.format(stamp, socket) for stamp in ("1.000123456", "2.000123456") for socket in (0, 1))
    assert sample(text).flops == 28


def test_perf_repetitions_have_a_spread():
    text = "4194304,,fp_arith_inst_retired.512b_packed_double,0.05%,10134000,50.00,,\n"
    found = read(text)
    assert found.samples[0].flops == FLOPS
    assert "50%" in found.remarks[0].text


def test_perf_hybrid_processor():
    both = "{},,cpu_core/fp_arith_inst_retired.scalar_double/,1,100.00,,\n"
    both += "{},,cpu_atom/fp_arith_inst_retired.scalar_double/,0,{},,\n"
    assert sample(both.format(10, 5, "100.00")).flops == 15
    found = read(both.format(10, "<not counted>", "0.00"))
    assert (found.samples[0].flops, found.remarks) == (10, ())


def test_perf_what_was_not_counted_is_said():
    text = "<not counted>,,duration_time,0,0.00,,\n" + PERF.format(running="100.00")
    (remark,) = read(text).remarks
    assert "duration_time was not counted" in remark.text


def test_perf_without_units_counts_lines():
    rows = ["10,,uncore_imc_0/cas_count_read/,1,100.00,,", "6,,uncore_imc_1/cas_count_write/,1,100.00,,"]
    assert sample("\n".join(rows)).bytes_at(DRAM).total == 16 * 64


def test_perf_events_with_commas():
    text = "7,,cpu/event=0xc7,umask=0x1,name=fp_arith_inst_retired.scalar_double/,1,100.00,,\n"
    assert sample(text).flops == 7


def test_perf_json_is_read_leniently():
    one = json.dumps(
        {"counter-value": "7.0", "unit": "", "event": "fp_arith_inst_retired.scalar_single", "pcnt-running": 100.0}
    )
    assert sample(f"{one}, {one},\n{one},\n").flops == 21


def test_perf_of_other_events_is_an_error():
    with pytest.raises(MeasurementError, match="has no counter of FLOPs or memory"):
        read(text_of("perf_stat_interval.csv"))


ADVISOR = (
    "ID,Function Call Sites and Loops,Source Location,Self Time,Type,{}\n1,[loop in f at a.c:3],a.c:3,2.0s,Scalar,{}\n"
)


def test_advisor_needs_all_columns():
    with pytest.raises(MeasurementError, match="--show-all-columns"):
        read(ADVISOR.format("Self GB/s", "1"))


def test_advisor_what_is_missing_follows():
    found = sample(ADVISOR.format("Self GFLOPS,Self AI", "4.0,0.25"))
    assert found.flops == 8e9
    assert found.bytes_at("L1").total == 32e9
    assert found.facts[Fact.SCALAR_SHARE] == 1


def test_advisor_that_contradicts_itself():
    found = read(ADVISOR.format("Self GFLOP,Self AI,Self Memory GB", "4.0,0.25,8.0"))
    assert "Self AI is 0.25, but GFLOP over GB is 0.5" in found.remarks[0].text


def test_advisor_below_a_preamble_in_another_case():
    text = "Intel(R) Advisor Command Line Tool\nCopyright\n\n" + ADVISOR.format("self_gflop", "1.0").replace(
        "Source L", "source_l"
    )
    assert sample(text).flops == 1e9


def test_likwid_vectorization_ratio():
    metrics = ["Runtime (RDTSC) [s],1,1", "DP [MFLOP/s],1,1", "Vectorization ratio,20,40"]
    assert sample(likwid(["X,PMC0,1,1"], metrics)).facts[Fact.SCALAR_SHARE] == pytest.approx(0.7)


def test_perf_metrics_without_a_counter_are_passed_over():
    text = PERF.format(running="100.00") + ",,,,,41.1,%  tma_frontend_bound\n"
    text += "     1.000123456,S0,20,,,,,,3.2,%  tma_retiring\n"
    assert sample(text).flops == FLOPS
    counter = '{"counter-value" : "7.0", "unit" : "", "event" : "fp_arith_inst_retired.scalar_single", '
    counter += '"event-runtime" : 1, "pcnt-running" : 100.00, }'
    assert sample(f'{counter} {{"metric-value" : 237.2, "metric-unit" : "MB/s"}} {counter}\n').flops == 14


def test_perf_cas_counts_by_their_raw_names():
    row = '{{"counter-value" : "{}", "unit" : "", "event" : "UNC_M_CAS_COUNT.{}", "pcnt-running" : 100.00}}\n'
    found = sample(row.format(10, "RD") + row.format(4, "WR")).bytes_at(DRAM)
    assert (found.read, found.write) == (640, 256)


def test_advisor_call_counts_are_of_a_loop_not_of_its_nest():
    assert sample(ADVISOR.format("Self GFLOP,Call Count", "4.0,1000")).flops == 4e9


@pytest.mark.parametrize(("read_side", "write_side"), [("read", "write"), ("load", "evict")])
def test_likwid_sides_under_both_names(read_side, write_side):
    metrics = ["Runtime (RDTSC) [s],1,1", "Memory data volume [GBytes],3,0"]
    metrics += [f"Memory {read_side} data volume [GBytes],2,0", f"Memory {write_side} data volume [GBytes],1,0"]
    found = sample(likwid(["X,PMC0,1,1"], metrics)).bytes_at(DRAM)
    assert (found.total, found.read, found.write) == (3e9, 2e9, 1e9)
