from __future__ import annotations

import pytest

from analyzer.errors import OptionError
from roofline.machine.schema import parse_machine
from roofline.machine.text import machine_text
from roofline.probe.doubts import explain_violations
from roofline.probe.gpu import Device, gpu_machine, gpu_plan, gpu_samples

TOLD = (
    "compute=8.0 units=108 clock_khz=1410000 memory_khz=1215000 bus_bits=5120 l2_bytes=41943040"
    " memory_bytes=42949672960 shared_bytes=167936 registers=65536 threads=2048 blocks=32 warp=32 name=NVIDIA A100 40GB"
)
KIB = 1024


def result(line: str, factor: float = 1.0) -> str:
    """A toy: 40 TB/s from L1, 5 from L2, 1.4 from memory; an L1 of 128 KiB that answers after 30 cycles."""
    kind, size = line.split()[0], int(line.split()[1])
    match kind:
        case "l1" | "shared":
            rate = 20e12
        case "chase":
            rate = 1.41e9 / (30 if size <= 128 * KIB else 200 if size <= 40 << 20 else 500)
        case "fma64" | "mix64":
            rate = 9.7e12 if kind == "fma64" else 4.9e12
        case "fma32" | "mix32":
            rate = 19e12 if kind == "fma32" else 9.7e12
        case "fma16" | "mix16":
            rate = 77e12 if kind == "fma16" else 38e12
        case _:
            rate = 5e12 if size <= 20 << 20 else 1.4e12
    return f"{kind} {size} {rate * factor} {rate * factor * 0.99}"


def test_the_driver_is_read() -> None:
    device = Device.parse(TOLD)
    assert (device.name, device.compute, device.units) == ("NVIDIA A100 40GB", "8.0", 108)
    assert device.clock_hz == 1.41e9
    assert device.memory_bytes_per_s == pytest.approx(1555.2e9)


def test_rates_that_newer_drivers_do_not_tell_are_not_guessed() -> None:
    device = Device.parse(
        TOLD.replace("memory_khz=1215000", "memory_khz=0").replace("clock_khz=1410000", "clock_khz=0")
    )
    assert (device.clock_hz, device.memory_bytes_per_s) == (None, None)


def test_a_driver_that_tells_no_cache_is_refused() -> None:
    with pytest.raises(OptionError, match="l2_bytes"):
        Device.parse(TOLD.replace("l2_bytes=41943040", ""))


def test_the_plan_keeps_to_its_time() -> None:
    plan = [line.split() for line in gpu_plan(Device.parse(TOLD), 20)]
    assert 5 < sum(float(seconds) * int(repeats) for *_, seconds, repeats in plan) < 12
    assert {words[0] for words in plan} >= {"load", "l1", "shared", "fma16", "mix64", "chase"}


def test_the_machine_has_what_was_measured() -> None:
    device = Device.parse(TOLD)
    samples = gpu_samples(tuple(result(line) for line in gpu_plan(device, 20)))
    checked = explain_violations(gpu_machine("toy", device, samples, "nvcc", "2026-01-01"))
    assert checked.doubts == ()
    machine = parse_machine(machine_text(checked.machine))
    rates = {name: machine.bandwidth(name) for name in ("L1", "L2", "DRAM")}
    assert {name: found.rate.value for name, found in rates.items() if found} == {
        "L1": 20e12,
        "L2": 5e12,
        "DRAM": 1.4e12,
    }
    assert machine.levels[0].capacity_bytes == 128 * KIB
    assert [level.latency_cycles for level in machine.levels] == [30, 200]
    assert machine.gpu is not None
    assert machine.gpu.shared_bandwidths[0].value == 20e12
    peak = machine.peak("fp16", kind="sustained")
    assert peak is not None
    assert peak.value == 77e12


def test_memory_faster_than_its_bus_is_doubted() -> None:
    device = Device.parse(TOLD)
    lines = tuple(result(line, 1.5 if line.startswith("load") else 1.0) for line in gpu_plan(device, 20))
    checked = explain_violations(gpu_machine("toy", device, gpu_samples(lines), "nvcc", "2026-01-01"))
    assert any("DRAM" in doubt for doubt in checked.doubts)
    parse_machine(machine_text(checked.machine))


def test_without_any_bandwidth_there_is_no_machine() -> None:
    with pytest.raises(OptionError, match="no bandwidth"):
        gpu_machine("toy", Device.parse(TOLD), gpu_samples(("fma64 0 1e12",)), "nvcc", "2026-01-01")
