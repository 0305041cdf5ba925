"""Measured roofs become machines: figures of the file on the machine that was measured, checked like any other."""

import pytest

from analyzer.errors import AnalyzerError, MachineError
from roofline.catalog import find_machine
from roofline.machine.figures import Basis, PeakMode
from roofline.machine.schema import parse_machine
from roofline.machine_from_measurements import import_machine
from roofline.measured.errors import MeasurementError
from tests.compared import KERNELS, SAMPLES


def imported(name, base, **more):
    return import_machine(str(SAMPLES / name), find_machine(base), **more)


def rates(machine):
    return {level: machine.bandwidth(level, Basis.SUSTAINED).rate.value / 1e9 for level in machine.level_names}


def peak(machine, precision="fp64", mode=PeakMode.FMA):
    return machine.choose_peak(precision, mode=mode, kind=Basis.SUSTAINED).rate.value / 1e9


def test_ert():
    found = imported("ert_roofline.json", "v100")
    assert rates(found.machine) == pytest.approx({"L1": 14336.0, "L2": 2996.77, "DRAM": 828.758})
    assert peak(found.machine) == pytest.approx(7068.86)
    assert found.machine.choose_peak("fp64", kind=Basis.SUSTAINED).figure.source == "imported"
    assert "ERT 1.1.0" in found.machine.source("imported").title
    assert found.remarks == ()


def test_ert_precision_is_not_recorded():
    found = imported("ert_roofline.json", "v100", precision="fp32")
    assert peak(found.machine, "fp32") == pytest.approx(7068.86)
    assert found.machine.choose_peak("fp64", kind=Basis.SUSTAINED).figure.source != "imported"


PRINTED = """\
"gbytes": {
  "data": [
    ["L1", 2996.82],
    ["DRAM", 828.83]
  ],
}

"gflops": {
  "data": [
    "GFLOPs",
    7068.90
  ]
}
"""


def test_ert_as_slides_print_it_names_a_level_by_its_figure(tmp_path):
    file = tmp_path / "roofline.json"
    file.write_text(PRINTED)
    found = import_machine(str(file), find_machine("v100"))
    assert rates(found.machine)["L2"] == pytest.approx(2996.82)
    assert rates(found.machine)["L1"] > 10_000
    assert peak(found.machine) == pytest.approx(7068.90)
    assert found.remarks == ("L1: 2.997 TB/s is near L2, far below L1: used as L2",)


def test_ert_labels(tmp_path):
    file = tmp_path / "roofline.json"
    text = (SAMPLES / "ert_roofline.json").read_text()
    file.write_text(text.replace('"GFLOPs"', '"FP32 GFLOPs"').replace('"DRAM"', '"HBM"').replace('"L1"', '"scratch"'))
    found = import_machine(str(file), find_machine("v100"))
    assert peak(found.machine, "fp32") == pytest.approx(7068.86)
    assert rates(found.machine)["DRAM"] == pytest.approx(828.758)
    assert found.remarks == ("the level 'scratch' is not known",)


def test_rocprof_compute():
    found = imported("rocprof_compute_roofline.csv", "mi250x-gcd")
    assert rates(found.machine) == pytest.approx({"L1": 9226.4, "L2": 5016.2, "DRAM": 1388.8})
    assert peak(found.machine) == pytest.approx(20272.7)
    assert peak(found.machine, "fp32") == pytest.approx(20942.5)
    assert found.machine.gpu.shared_bandwidths[0].value == pytest.approx(17715.3e9)


def test_carm_with_a_figure_above_the_theoretical_one():
    found = imported("carm_roofline.csv", "xeon-6148")
    wanted = {"L1": 5021.8, "L2": 1361.3, "L3": 2 * 1080.5, "DRAM": 107.1}  # of L3 what is evicted as well
    assert rates(found.machine) == pytest.approx(wanted)
    assert (peak(found.machine), peak(found.machine, mode=PeakMode.NO_FMA)) == pytest.approx((1408, 704))
    assert [remark.split(":")[0] for remark in found.remarks] == ["L3"]
    assert found.machine.discrepancies[-1] == found.remarks[0]


def test_one_figure_of_a_level_is_the_sustained_one():
    level = imported("carm_roofline.csv", "xeon-6148").machine.level("L3")
    assert [figure.source for figure in level.bandwidths if figure.sustained] == ["imported"]
    assert len(level.bandwidths) == 1 + len(find_machine("xeon-6148").level("L3").bandwidths)


def test_carm_of_a_part_of_the_machine(tmp_path):
    file = tmp_path / "part_roofline.csv"
    file.write_text((SAMPLES / "carm_roofline.csv").read_text().replace("dp,20,2,1", "dp,4,2,1"))
    with pytest.raises(MachineError, match="do not fit xeon-6148"):  # 4 cores cannot have the bandwidth of 20
        import_machine(str(file), find_machine("xeon-6148"))


def test_nersc():
    found = imported("nersc_data_hierarchical.txt", "v100")
    assert rates(found.machine) == pytest.approx({"L1": 14336.0, "L2": 2996.77, "DRAM": 828.758})
    assert peak(found.machine, mode=PeakMode.NO_FMA) == pytest.approx(3535.79)


def test_another_machine_is_found_out():
    with pytest.raises(MachineError, match="the roofs do not fit t4: the measured fp64 peak"):
        imported("ert_roofline.json", "t4")


def test_the_file_is_a_machine_file_and_says_the_same():
    found = imported("carm_roofline.csv", "xeon-6148")
    assert parse_machine(found.text) == found.machine
    assert found.machine.id == "xeon-6148-carm-roofline"


def test_names_with_a_base():
    found = find_machine(f"{SAMPLES / 'ert_roofline.json'}@v100")
    assert found == imported("ert_roofline.json", "v100").machine
    with pytest.raises(MachineError, match=r"ert_roofline.json@NAME"):
        find_machine(str(SAMPLES / "ert_roofline.json"))
    with pytest.raises(MachineError, match="no machine is called 'nothing'"):
        find_machine(f"{SAMPLES / 'ert_roofline.json'}@nothing")


@pytest.mark.parametrize("name", [name for name in KERNELS if "nersc" not in name])
def test_measured_kernels_are_no_machines(name):
    with pytest.raises(MeasurementError, match="has no roofs"):
        imported(name, "v100")


@pytest.mark.parametrize(
    "text", ['{"empirical": {"gbytes": 3}}', '{"empirical": {"gbytes": {"data": [["L1"]]}}}', "[]", ""]
)
def test_broken_roofs(tmp_path, text):
    file = tmp_path / "r.json"
    file.write_text(text)
    with pytest.raises(AnalyzerError) as raised:
        import_machine(str(file), find_machine("v100"))
    assert raised.value.path == str(file)
