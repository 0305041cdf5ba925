"""Drawn host programs: what the rows of a kernel add up to is what all its launches do, one by one."""

from collections import Counter

from hypothesis import given

from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile

from ..oracle.host_programs import launches_of, programs, text_of


def rows_of(text):
    (profile,) = analyze(SourceFile("x.cu", text, Language.CUDA))
    return [row for row in profile.regions if row.launch is not None]


@given(programs())
def test_rows_add_up_to_all_launches(program):
    times, flops = Counter(), Counter()
    for kernel, work in launches_of(program):
        times[kernel] += 1
        flops[kernel] += work
    text = text_of(program)
    told_times, told_flops = Counter(), Counter()
    for row in rows_of(text):
        series = None if row.launches is None else row.launches.series
        told_times[row.name] += 1 if series is None else series.most
        assert series is None or (not series.is_open and series.least == series.most), text
        assert row.work.flops.is_exact, text
        told_flops[row.name] += row.work.flops.estimate.evaluate(row.values)
    assert told_times == times, text
    assert +told_flops == +flops, text
