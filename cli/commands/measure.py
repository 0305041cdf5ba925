"""``ai-estimate machines measure``: this machine's roofline by micro-benchmarks, as a machine file."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from analyzer.errors import OptionError
from roofline.machine.schema import parse_machine
from roofline.machine.text import machine_text
from roofline.probe.cpu.measurement import measure_cpu
from roofline.probe.doubts import Checked
from roofline.probe.gpu import measure_gpu
from roofline.probe.program import Progress, silent

from ..output import complain, say, write_report
from ..tool_parsers import measure_parser

_NAMELESS = "this-machine"


def run_measure(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code; raises ``OptionError`` where nothing can be measured."""
    options = measure_parser().parse_args(arguments)
    if not 0 < options.seconds <= 3600:
        raise OptionError(f"--seconds {options.seconds:g} is not between 0 and 3600")
    if options.cores is not None and options.cores < 1:
        raise OptionError(f"--cores must be at least 1, not {options.cores}")
    _check_output(options.output)
    progress = _progress() if sys.stderr.isatty() and not options.quiet else silent
    machine_id = _id(options.output)
    if options.gpu:
        if options.cores is not None:
            raise OptionError("--cores is of processors: a GPU is measured as a whole", hint="leave it out")
        checked = measure_gpu(machine_id, compiler=options.cc, seconds=options.seconds, progress=progress)
    else:
        checked = measure_cpu(
            machine_id, cores=options.cores, compiler=options.cc, seconds=options.seconds, progress=progress
        )
    text = machine_text(checked.machine)
    parse_machine(text, options.output or "<measured>")
    write_report(text, options.output)
    _report(checked, options.output, quiet=options.quiet)
    return 0


def _check_output(path: str | None) -> None:
    """Raise ``OptionError`` for an output that cannot be written, before the benchmarks run rather than after."""
    if path is None or path == "-":
        return
    target = Path(path)
    if target.suffix.lower() != ".toml":
        raise OptionError(f"-o {path}: a machine file ends in .toml", hint="--machine finds it by that")
    if not target.parent.is_dir():
        raise OptionError("cannot be written: no such folder", path=path, hint="make the folder first")
    if target.is_dir() or not os.access(target if target.exists() else target.parent, os.W_OK):
        raise OptionError("cannot be written", path=path, hint="choose another file")


def _id(path: str | None) -> str:
    stem = "" if path is None or path == "-" else Path(path).stem
    return re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-") or _NAMELESS


def _progress() -> Progress:
    def show(done: int, total: int, line: str) -> None:
        kind, _, rest = line.partition(" ")
        threads = rest.partition(" ")[0]
        end = "\n" if done == total else ""
        sys.stderr.write(f"\r\x1b[Kmeasuring {done}/{total}: {kind}, {threads}{end}")
        sys.stderr.flush()

    return show


def _report(checked: Checked, path: str | None, *, quiet: bool) -> None:
    """Report doubts about the measurement, even to users who want no notes: the file alone would hide them."""
    doubts = dict.fromkeys((*checked.doubts, *checked.machine.discrepancies))
    for doubt in doubts:
        complain(f"doubtful: {doubt}")
    if quiet:
        return
    for note in checked.machine.notes:
        say(f"note: {note}")
    if path is not None and path != "-":
        name = path if "/" in path else f"./{path}"
        say(f"wrote {path}: ai-estimate machines show {name}; ai-estimate kernel.c --machine {name}")
