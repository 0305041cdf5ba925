"""Every format of measured data by name, recognised by what a file holds; one door to all readers."""

from __future__ import annotations

import difflib
from collections.abc import Callable

from msgspec import Struct

from .errors import MeasurementError
from .formats import (
    advisor,
    carm_csv,
    carm_json,
    google_benchmark,
    likwid,
    ncu_long,
    ncu_raw,
    nersc,
    nvprof,
    nvprof_summary,
    perf_csv,
    perf_json,
    plain_csv,
)
from .results import Reading
from .text import read_text


class Format(Struct, frozen=True):
    """A format: its name on the command line, what makes such files, whether FLOPs are of a GPU's machine code."""

    name: str
    made_by: str
    recognises: Callable[[str], bool]
    read: Callable[[str, str], Reading]
    counts_machine_code: bool = False


FORMATS = (
    Format(ncu_long.NAME, "ncu --csv", ncu_long.recognises, ncu_long.read, True),
    Format(ncu_raw.NAME, "ncu --page raw --csv", ncu_raw.recognises, ncu_raw.read, True),
    Format(nvprof.NAME, "nvprof --csv --metrics", nvprof.recognises, nvprof.read, True),
    Format(nvprof_summary.NAME, "nvprof --csv", nvprof_summary.recognises, nvprof_summary.read, True),
    Format(likwid.NAME, "likwid-perfctr -O", likwid.recognises, likwid.read),
    Format(advisor.NAME, "advisor --report=survey --format=csv", advisor.recognises, advisor.read),
    Format(perf_json.NAME, "perf stat -j", perf_json.recognises, perf_json.read),
    Format(google_benchmark.NAME, "--benchmark_format=json", google_benchmark.recognises, google_benchmark.read),
    Format(carm_json.NAME, "carm (JSON lines)", carm_json.recognises, carm_json.read),
    Format(carm_csv.NAME, "carm (applications.csv)", carm_csv.recognises, carm_csv.read),
    Format(nersc.NAME, "nersc-roofline (data.txt)", nersc.recognises, nersc.read),
    Format(plain_csv.NAME, "ai-estimate's own CSV: name,time_s,flops,DRAM_bytes", plain_csv.recognises, plain_csv.read),
    Format(perf_csv.NAME, "perf stat -x,", perf_csv.recognises, perf_csv.read),
)
_MACHINES = {
    '"empirical"': "an ERT roofline.json",
    "HBMBw": "a roofline.csv of rocprof-compute",
    "L1 Size:": "a roofline.csv of CARM",
}


def format_named(name: str) -> Format:
    """The format with this name; raises ``MeasurementError`` with those that there are."""
    found = next((form for form in FORMATS if form.name == name), None)
    if found is None:
        names = [form.name for form in FORMATS]
        close = difflib.get_close_matches(name, names, n=2)
        hint = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(names)}"
        raise MeasurementError(f"no format of measured data is called {name!r}", hint=hint)
    return found


def read_measured(path: str, name: str | None = None) -> Reading:
    """The samples of a file, in the format asked for, else the one it is recognised as; raises ``MeasurementError``."""
    text = read_text(path)
    form = detect(text, path) if name is None else format_named(name)
    return form.read(text, path)


def detect(text: str, path: str) -> Format:
    """The format of a text; raises ``MeasurementError`` where it is none, or describes a machine."""
    found = next((form for form in FORMATS if form.recognises(text)), None)
    if found is not None:
        return found
    for mark, what in _MACHINES.items():
        if mark in text:
            raise MeasurementError(
                f"is {what}: it describes a machine, not kernels",
                path=path,
                line=1,
                hint=f"--machine {path}@NAME, NAME being the catalog machine that it was measured on",
            )
    made_by = ", ".join(f"{form.name} ({form.made_by})" for form in FORMATS)
    raise MeasurementError(
        "is of no format that is known", path=path, line=1, hint=f"name it with --measured-format: {made_by}"
    )
