"""The interpreter and the cache simulator against what the instrumented kernels really did."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import pytest

from tests.night import of_day

from .cachesim import Cache, hierarchy, simulate
from .interpreter import Execution
from .measured import Record, document, records

SMALL = records("SMALL")
KINDS = {"add": "add", "sub": "sub", "mul": "mul", "div": "div", "neg": "neg", "compare": "cmp"}
CAPACITIES = {"32K": 2**15, "256K": 2**18, "1M": 2**20, "32M": 2**25}
LIGHT = ("stream_triad_double", "strided_s8_double", "transpose_double")


def label(record: Record) -> str:
    return f"{record.kernel}-{record.dataset}"


def float_operations(execution: Execution) -> Counter[str]:
    """FLOPs by kind as the measurement names them, and calls as ``call name``."""
    found: Counter[str] = Counter()
    for (operation, precision, function), number in execution.operations.items():
        if precision.is_float:
            found[KINDS.get(operation.value, f"call {function or operation.value}")] += number
    return found


@pytest.fixture(scope="module", params=SMALL, ids=label)
def executed(request):
    """Return a record and its execution, which all tests of it share: they run one after the other."""
    return request.param, request.param.execute()


def test_interpreted_operations_are_the_executed_ones(executed):
    record, execution = executed
    measured = Counter(record.numbers["flops"])
    measured.update({f"call {name}": number for name, number in record.numbers["math_calls"].items()})
    assert float_operations(execution) == +measured


def test_interpreted_references_are_the_executed_ones(executed):
    record, execution = executed
    measured = record.numbers
    assert execution.count(write=False) == measured["loads"]
    assert execution.count(write=True) == measured["stores"]
    assert execution.bytes(write=False) == measured["load_bytes"]
    assert execution.bytes(write=True) == measured["store_bytes"]
    assert execution.elements()[:4] == tuple(measured["distinct_elements"].values())
    assert execution.lines()[:4] == tuple(measured["distinct_lines"].values())


def test_simulated_cache_moves_the_measured_bytes(executed):
    record, execution = executed
    stream = list(execution.line_stream())
    for name, (from_memory, to_memory) in record.numbers["fully_associative"].items():
        cache = simulate(stream, Cache(CAPACITIES[name]))
        assert (cache.bytes_from_below, cache.bytes_to_below_with_flush) == (from_memory, to_memory)


@pytest.mark.parametrize("name", list(document()["hierarchies"]))
@pytest.mark.parametrize("record", of_day([r for r in records("SMALL", "MEDIUM") if r.kernel in LIGHT], 3), ids=label)
def test_simulated_hierarchy_moves_the_measured_bytes(record, name):
    keys = ("write_back", "write_allocate")
    geometry = document()["hierarchies"][name]
    levels = [Cache(level["size"], level["ways"], **{key: level[key] for key in keys}) for level in geometry]
    simulate(in_measured_order(record), hierarchy(levels))
    found = [[level.bytes_from_below, level.bytes_to_below_with_flush] for level in levels]
    assert found == record.numbers["hierarchies"][name]


@lru_cache(maxsize=1)  # the hierarchies of one record come one after the other
def in_measured_order(record: Record):
    """The stream with the arrays at the addresses that ``main`` gives them: sets depend on the order of allocation."""
    execution = record.execute()
    bases, free = {}, 0
    for name, (size, _) in record.numbers["arrays"].items():
        bases[name] = free
        free = -(-(free + size + 16) // 4096) * 4096
    return [((bases[r.storage[0]] + r.offset) // 64, r.write, r.size_bytes) for r in execution.references]
