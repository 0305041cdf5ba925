"""Compile CUDA programs, run each under Nsight Compute, and keep what it counted of every kernel.

    python tests/bench/gpu_profile.py OUT.json FOLDER... [--arch sm_90]

Needs nvcc, ncu and a GPU whose counters may be read, and nothing of this package.  A row is a kernel with one shape of
launch: the mean over its launches, with caches that are empty before each (``cold``) and as the program leaves them
(``warm``).  Clocks are left alone.  Keys of OUT.json are ``FOLDER/PROGRAM``.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

_SASS = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"
_GLOBAL = "l1tex__t_{}_pipe_lsu_mem_{}_op_{}.sum"
METRICS = {
    "ns": "gpu__time_duration.sum",
    "warp_instructions": "smsp__inst_executed.sum",
    **{name: _SASS.format(name) for name in ("fadd", "fmul", "ffma", "dadd", "dmul", "dfma", "hadd", "hmul", "hfma")},
    "integers": _SASS.format("integer"),
    "load_requests": _GLOBAL.format("requests", "global", "ld"),
    "store_requests": _GLOBAL.format("requests", "global", "st"),
    "load_sectors": _GLOBAL.format("sectors", "global", "ld"),
    "store_sectors": _GLOBAL.format("sectors", "global", "st"),
    "reduction_sectors": _GLOBAL.format("sectors", "global", "red"),
    "atomic_sectors": _GLOBAL.format("sectors", "global", "atom"),
    "local_load_sectors": _GLOBAL.format("sectors", "local", "ld"),
    "local_store_sectors": _GLOBAL.format("sectors", "local", "st"),
    "l2_read_sectors": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l2_write_sectors": "lts__t_sectors_srcunit_tex_op_write.sum",
    "l2_sectors": "lts__t_sectors_srcunit_tex.sum",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
    "shared_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "occupancy_percent": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "registers": "launch__registers_per_thread",
}
_WARM = ("ns", "dram_read_bytes", "dram_write_bytes", "l2_sectors")


def profiled(program: Path, names: Sequence[str], caches: str) -> list[dict[str, object]]:
    """Return the launches of a program in order: kernel, grid, block, and the metrics of some names."""
    metrics = ",".join(METRICS[name] for name in names)
    options = ["--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--cache-control", caches]
    run = subprocess.run(["ncu", *options, "--metrics", metrics, program], capture_output=True, text=True, timeout=120)
    begin = run.stdout.find('"ID"')
    if begin < 0:
        raise SystemExit(f"{program}: ncu has no table: {run.stdout[-400:]}{run.stderr[-400:]}")
    header, _, *rows = csv.reader(io.StringIO(run.stdout[begin:]))
    return [_launch(dict(zip(header, row, strict=True)), names) for row in rows]


def _launch(cells: dict[str, str], names: Sequence[str]) -> dict[str, object]:
    values = {name: float(cells[METRICS[name]].replace(",", "")) for name in names}
    return {"kernel": cells["Kernel Name"], "grid": cells["Grid Size"], "block": cells["Block Size"], **values}


def rows_of(cold: Sequence[dict[str, object]], warm: Sequence[dict[str, object]]) -> Iterator[dict[str, object]]:
    """Yield the mean over the launches of each kernel with each shape."""
    shapes = [(each["kernel"], each["grid"], each["block"]) for each in cold]
    for kernel, grid, block in dict.fromkeys(shapes):
        here = [n for n, each in enumerate(shapes) if each == (kernel, grid, block)]
        shape = {"kernel": kernel, "grid": grid, "block": block, "launches": len(here)}
        yield shape | {"cold": _means([cold[n] for n in here], METRICS), "warm": _means([warm[n] for n in here], _WARM)}


def _means(launches: Sequence[dict[str, object]], names: Sequence[str] | dict[str, str]) -> dict[str, float]:
    means = {name: sum(float(str(each[name])) for each in launches) / len(launches) for name in names}
    return {name: round(value, 4) for name, value in means.items()}


def main(arguments: Sequence[str]) -> int:
    """Profile the programs of all folders; returns an exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--arch", default="sm_90")
    options = parser.parse_args(arguments)
    sources = [source for folder in options.folders for source in sorted(folder.glob("*.cu"))]
    found: dict[str, list[dict[str, object]]] = {}
    with tempfile.TemporaryDirectory() as build, ThreadPoolExecutor(os.cpu_count()) as pool:

        def compiled(source: Path) -> Path:
            program = Path(build) / f"{source.parent.name}_{source.stem}"
            command = ["nvcc", "-O3", f"-arch={options.arch}", "-std=c++17", "-o", str(program), str(source)]
            subprocess.run(command, check=True, capture_output=True)
            return program

        for source, program in zip(sources, pool.map(compiled, sources), strict=True):
            rows = rows_of(profiled(program, list(METRICS), "all"), profiled(program, _WARM, "none"))
            found[f"{source.parent.name}/{source.stem}"] = list(rows)
            options.out.write_text(json.dumps(found, indent=1))
            print(source, len(found), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
