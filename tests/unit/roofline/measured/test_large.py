"""Measured files that are large or strange where tools write little: refused or read, in time linear in their size."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from roofline.measured.all_importers import kernel_importers
from roofline.measured.errors import MeasurementError
from roofline.measured.formats.advisor import read as read_advisor
from roofline.measured.formats.perf_csv import recognises as is_perf_csv
from roofline.measured.numbers import scale_of
from roofline.measured.recognition import detect, read_measured
from tests.compared import read, sample, text_of


@pytest.fixture(autouse=True)
def in_short_time() -> Iterator[None]:
    start = time.process_time()
    yield
    assert time.process_time() - start < 100  # hours where it is not linear


def told(text: str, name: str | None = None) -> str:
    with pytest.raises(MeasurementError) as caught:
        read(text, name)
    return str(caught.value)


def test_a_line_is_limited() -> None:
    assert "more than 524288 characters" in told("name,time_s\n" + "x" * (1 << 20) + ",1\n")
    assert "more than 10000 cells" in told("name,time_s\n" + "1," * 20_000 + "\n")
    assert "is no CSV whose columns are known" in told("name,time_s" + ",x" * 20_000 + "\nf,1\n")


@pytest.mark.slow
def test_a_field_of_many_megabytes_and_a_million_columns(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    with path.open("wb") as file:
        file.truncate(100 << 20)
    with pytest.raises(MeasurementError, match="is larger than 64 MiB"):
        read_measured(str(path))
    for text in ("name,time_s\n" + "x" * (2 << 20), "a," * 1_000_000, '"' * 1_000_000):
        assert told(text)


def test_a_header_is_looked_for_at_the_beginning() -> None:
    assert sample("output\n" * 1000 + "name,time_s\nf,1\n").name == "f"
    assert "is of no format" in told("output\n" * 100_000 + "name,time_s\nf,1\n")


def test_units_do_not_recurse() -> None:
    assert scale_of("byte" + "/second" * 5000) is None
    assert scale_of("/" * 5000) is None


def test_numbers_in_names_are_limited() -> None:
    run = {"name": "BM_f/" + "9" * 5000 + "/8", "real_time": 1.0, "time_unit": "ns"}
    assert sample(json.dumps({"benchmarks": [run]})).arguments == (8,)
    assert sample("name,file,line,time_s\nf,a.c,²,1\n").location is None
    assert sample("name,grid,time_s\nf," + "9" * 5000 + ",1\n").name == "f"


def test_many_benchmarks_find_their_lines() -> None:
    runs = [{"name": f"BM_{number}", "real_time": 1.0, "time_unit": "ns"} for number in range(5_000)]
    assert read(json.dumps({"benchmarks": runs}, indent=0)).samples[-1].line == 4 + 5 * 4_999


def test_long_lines_of_perf() -> None:
    assert not is_perf_csv("a/" + "," * 400_000)
    objects = '{"counter-value": "1", "event": "cycles"} ' * 20_000
    assert "has no counter of FLOPs" in told(objects)
    assert "is not valid JSON" in told('{"counter-value": "1", "event": "cycles"} {"')


def test_locations_are_found_in_long_cells() -> None:
    header = "Function Call Sites and Loops,Source Location,Self GFLOP\n"
    assert read_advisor(header + "f,dir: a.c:12,1\n", "f.csv").samples[0].location is not None
    for cell in ("a." * 60_000, "a." * 60_000 + ":x", "a:" * 60_000):
        assert read_advisor(f"{header}f,{cell},1\n", "f.csv").samples[0].location is None


def test_memory_counts_beside_a_volume_of_0_are_a_remark() -> None:
    text = text_of("likwid_perfctr.csv")
    line = next(line for line in text.split("\n") if line.startswith("Memory data volume"))
    name = line.partition(",")[0]
    zero = name + "".join(f",{0 if cell else ''}" for cell in line.split(",")[1:])
    assert any("not 0 as the memory data volume" in remark.text for remark in read(text.replace(line, zero)).remarks)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["a,b;c\td\n" * 50_000, "x\n" * 100_000, '{"a": 1}\n' * 50_000])
def test_recognition_is_linear(text: str) -> None:
    with pytest.raises(MeasurementError):
        detect(text, "f.csv")
    assert len(kernel_importers()) > 10
