"""Machines are found by id, alias and path, and only the one asked for is parsed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from analyzer.errors import MachineError
from roofline import catalog
from roofline.catalog import find_machine, load_catalog
from roofline.machine import schema


def test_machines_of_all_vendors_ship() -> None:
    assert len(load_catalog().entries) >= 40
    assert {entry.vendor for entry in load_catalog().entries} >= {"Intel", "AMD", "NVIDIA", "IBM", "Fujitsu", "Apple"}


@pytest.mark.parametrize(
    ("name", "identity"),
    [
        ("v100", "v100"),
        ("V100-SXM2", "v100"),
        ("haswell", "haswell-e5-2695v3"),
        ("BG/Q", "bgq"),
        ("bg/q", "bgq"),
        ("RTX 4070 Ti", "rtx4070ti"),
        ("rtx_4000_ada", "rtx4000ada"),
        ("Sapphire-Rapids-8480+", "xeon-8480p"),
        ("tpuv4", "tpu-v4"),
        ("h100", "h100-pcie"),
    ],
)
def test_names(name: str, identity: str) -> None:
    assert find_machine(name).id == identity


def test_names_are_unambiguous() -> None:
    names = [name for entry in load_catalog().entries for name in catalog._names(entry)]
    assert len(names) == len(set(names))


def test_heads_agree_with_the_files() -> None:
    for entry in load_catalog().entries:
        machine = load_catalog().machine(entry.id)
        assert (entry.id, entry.name, entry.kind, entry.aliases) == (
            machine.id,
            machine.name,
            machine.kind,
            machine.aliases,
        )
        assert entry.file.name == f"{entry.id}.toml"


@pytest.mark.parametrize(("wrong", "meant"), [("v1000", "v100"), ("haswel", "haswell"), ("h-100-sxn", "h100-sxm")])
def test_unknown_names_are_corrected(wrong: str, meant: str) -> None:
    with pytest.raises(MachineError) as caught:
        find_machine(wrong)
    assert meant in (caught.value.hint or "")


def test_paths(tmp_path: Path) -> None:
    entry = load_catalog().find("bgq")
    assert entry is not None
    mine = tmp_path / "mine.toml"
    mine.write_text(entry.file.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "mine").write_text(mine.read_text(encoding="utf-8"), encoding="utf-8")
    assert find_machine(str(mine)) == find_machine("bgq")
    assert find_machine(f"{tmp_path}/mine").id == "bgq"


@pytest.mark.parametrize("absent", ["absent.toml", "./v100", "dir/absent"])
def test_absent_paths(absent: str) -> None:
    with pytest.raises(MachineError, match="cannot be read") as caught:
        find_machine(absent)
    assert caught.value.path == absent


def test_one_machine_parses_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def count(text: str, path: str) -> object:
        parsed.append(path)
        return schema.parse_machine(text, path)

    monkeypatch.setattr(catalog, "parse_machine", count)
    catalog._machine_of.cache_clear()
    find_machine("v100")
    find_machine("gv100")
    assert parsed == ["machines/v100.toml"]


def test_importing_the_package_loads_no_machine_code() -> None:
    code = "import sys, roofline; sys.exit(any(name.startswith('roofline.') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_public_names_resolve() -> None:
    import roofline

    assert all(hasattr(roofline, name) for name in roofline.__all__)
    with pytest.raises(AttributeError):
        _ = roofline.nothing
