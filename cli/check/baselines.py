"""Baseline files: read with the sources named as they are here, and written with names relative to the file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from analyzer.data_files.documents import read_json
from analyzer.errors import OptionError
from roofline.rules.baseline import Baseline
from roofline.rules.checking import Checked
from roofline.rules.forms import baseline_form, baseline_from, relocated
from roofline.version import VERSION

from ..output import complain, write_file
from ..visible import json_text, visible

_MOST_BYTES = 64 << 20


def read_baseline(path: str, sources: Sequence[str]) -> Baseline:
    """Return a baseline with the files named as they are here; raises ``OptionError``."""
    if not os.path.lexists(path):
        raise OptionError("no such baseline", path=path, hint="write it with --write-baseline")
    form = read_json(path, error=OptionError, most_bytes=_MOST_BYTES)
    return relocated(baseline_from(form), {_stored_name(source, path): source for source in sources})


def write_baseline(path: str, done: Sequence[Checked]) -> None:
    """Make everything known that was found, and say so on standard error."""
    findings = {key: count for checked in done for key, count in checked.baseline.findings.items()}
    loops = tuple(loop for checked in done for loop in checked.baseline.loops)
    sources = {key[1] for key in findings} | {loop.path for loop in loops}
    relative = relocated(Baseline(findings, loops), {source: _stored_name(source, path) for source in sources})
    text = json_text(baseline_form(relative, VERSION)) + "\n"
    write_file(path, text.encode("utf-8"))
    complain(
        f"{path}: {_number(sum(findings.values()), 'finding')} and {_number(len(loops), 'loop')} known from now on"
    )


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _stored_name(source: str, baseline: str) -> str:
    """Return a source's path as the baseline has it: relative to its own folder, in text that JSON can hold."""
    return visible(Path(os.path.relpath(source, os.path.dirname(os.path.abspath(baseline)))).as_posix())
