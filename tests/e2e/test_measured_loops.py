"""Counts of the loops in ``corpus/loops`` at three sizes against what their instrumented sources did."""

from __future__ import annotations

from collections import Counter

import pytest

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import RegionProfile
from analyzer.quantities.quantity import Quantity
from analyzer.source import read_source

from ..oracle.measured import FOLDER, Record, records

KINDS = {"add": "add", "sub": "sub", "mul": "mul", "div": "div", "neg": "neg", "compare": "cmp"}
# What depends on data: the footprint behind an index array, rows of a sparse matrix, a running maximum.
INEXACT = {"gather_double", "histogram", "spmv_csr_banded_double", "softmax_rows_double"}
ALL = records("SMALL", "MEDIUM", "LARGE")


def profile_of(record: Record) -> RegionProfile:
    defines = record.defines | {"n": record.defines["N"]}
    options = AnalysisOptions(defines=defines, include_dirs=(str(FOLDER),), functions=(record.function,))
    (profile,) = analyze(read_source(str(FOLDER / record.source)), options)[0].regions
    return profile


def covers(quantity: Quantity, record: Record, profile: RegionProfile, truth: int) -> bool:
    """Exact and equal, or inside the interval for the kernels that depend on data."""
    if quantity.is_exact and quantity.estimate.symbols <= profile.values.keys():
        return quantity.estimate.evaluate(profile.values) == truth
    assert record.kernel in INEXACT
    if not quantity.most.symbols <= profile.values.keys():
        return True  # in terms of an unknown trip count
    return quantity.lower.evaluate(profile.values) <= truth <= quantity.most.evaluate(profile.values)


@pytest.mark.parametrize("record", ALL, ids=lambda r: f"{r.kernel}-{r.dataset}")
def test_counts_are_the_measured_ones(record):
    profile, measured = profile_of(record), record.numbers
    distinct, lines = measured["distinct_elements"], measured["distinct_lines"]
    footprint = profile.footprint
    for quantity, truth in (
        (profile.loads.elements, measured["loads"]),
        (profile.loads.bytes, measured["load_bytes"]),
        (profile.stores.elements, measured["stores"]),
        (profile.stores.bytes, measured["store_bytes"]),
        (profile.work.fma_instructions, measured["fma_candidates"]),
        (footprint.touched.elements, distinct["either"]),
        (footprint.written.elements, distinct["stored"]),
        (footprint.touched.lines, lines["either"]),
        (footprint.written.lines, lines["stored"]),
    ):
        assert covers(quantity, record, profile, truth), (str(quantity.estimate), truth)


@pytest.mark.parametrize("record", ALL, ids=lambda r: f"{r.kernel}-{r.dataset}")
def test_operations_are_the_measured_ones(record):
    profile = profile_of(record)
    truth = Counter(record.numbers["flops"]) + Counter(record.numbers["math_calls"])
    for key, quantity in profile.work.operations.items():
        if key.precision.is_float and key.operation.value != "convert":
            name = KINDS.get(key.operation.value, key.function)
            assert covers(quantity, record, profile, truth.pop(name)), name
    assert not +truth
